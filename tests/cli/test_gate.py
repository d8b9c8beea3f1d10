"""adjudge gate: exit codes that a build can rely on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from adjudge.cli import main


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["gate", *(str(a) for a in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def predictions(write_csv, right: int, name: str = "new.csv", n: int = 200):
    truth = ["ill" if i % 4 == 0 else "well" for i in range(n)]
    other = {"ill": "well", "well": "ill"}
    return write_csv(
        {"id": range(n), "truth": truth, "predicted": [t if i < right else other[t] for i, t in enumerate(truth)]}, name
    )


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "code", "word"), [(0.8, 0, "passes"), (0.9, 3, "inconclusive"), (0.99, 1, "fails")])
def test_the_exit_code_says_it(write_csv, bound, code, word):
    found = run(predictions(write_csv, 182), "--require", f"accuracy >= {bound}")
    assert found[0] == code
    assert found[1].startswith(word)
    assert "The gate" in found[1].splitlines()[-1]
    told = json.loads(
        run(predictions(write_csv, 182), "--require", f"accuracy >= {bound}", "--json")[1], parse_constant=pytest.fail
    )
    assert (told["state"], told["exit_code"]) == (word, code)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--require", "acuracy >= 0.9"), "Did you mean accuracy"),
        (("--require", "sensitivity[sick] >= 0.9"), "not among the classes"),
        ((), "Nothing is required"),
        (("--no-worse-than", 0.1, "--require", "accuracy > 0.5"), "--against"),
        (("--require", "accuracy > 0.5", "--level", 0.3), "above 0.5"),
        (("--against", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_bad_input_is_2(write_csv, arguments, told):
    code, out, err = run(predictions(write_csv, 180), *arguments)
    assert (code, out) == (2, "")
    assert told in err


@pytest.mark.slow
def test_against_what_came_before(write_csv):
    new, old = predictions(write_csv, 190), predictions(write_csv, 150, "old.csv")
    assert run(new, "--against", old, "--row", "id")[0] == 0
    assert run(old, "--against", new, "--row", "id", "--no-worse-than", 0.05)[0] == 1
    assert run(new, "--against", new, "--row", "id", "--no-worse-than", 0.05)[0] == 0


def test_rules_in_a_file(write_csv, tmp_path):
    rules = tmp_path / "gate.toml"
    rules.write_text('require = ["accuracy >= 0.8"]\n[[rule]]\nrequire = "above chance"\n')
    told = json.loads(run(predictions(write_csv, 190), "--rules", rules, "--json")[1])
    assert [rule["measure"] for rule in told["rules"]] == ["accuracy", "balanced_accuracy"]
    for text in ("require = 3", "rule = 'accuracy'", "", "level = 0.9\nrequire = ['accuracy > 0.5']", "[[rule"):
        rules.write_text(text)
        assert run(predictions(write_csv, 190), "--rules", rules)[0] == 2


def test_a_page_is_written_beside(write_csv, tmp_path):
    page = tmp_path / "gate.html"
    assert run(predictions(write_csv, 190), "--require", "f1[*] > 0.5", "-o", page)[0] == 0
    assert "Does it pass?" in page.read_text(encoding="utf-8")
    path = predictions(write_csv, 190)
    assert run(path, "--require", "accuracy > 0.5", "-o", path)[0] == 2


def test_labels_that_are_numbers(write_csv):
    y = np.arange(100) % 2
    path = write_csv({"truth": y, "predicted": y})
    assert run(path, "--require", "sensitivity[1] >= 0.9", "--truth", "truth", "--predicted", "predicted")[0] == 0


def test_a_page_is_not_written_under_another_kind_of_name(write_csv, tmp_path):
    code, _, told = run(predictions(write_csv, 182), "--require", "accuracy > 0.5", "-o", tmp_path / "g.csv")
    assert code == 2
    assert "ends in .html; got g.csv" in told
    assert not (tmp_path / "g.csv").exists()
