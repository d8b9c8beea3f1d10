"""A column that tells test rows from training rows: test rows are judged, whatever judges them and wherever the rows live."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score, roc_auc_score
from tests.described import facts, mentions, refused
from tests.engines import HERE, frame_of
from tests.sparing import some

import adjudge
from adjudge import InputError, evaluate, read
from adjudge.cli import main

N = 300


def rows(parts=("train", "train", "test"), seed=3):
    """Return rows of which those to be trained on are answered rightly more often."""
    rng = np.random.default_rng(seed)
    truth, part = rng.integers(0, 2, N), np.array(parts)[np.arange(N) % len(parts)]
    noise = np.where(np.char.startswith(part.astype(str), "tr"), 0.15, 0.45)
    score = np.clip(0.5 + (truth - 0.5) * 0.6 + rng.normal(0, noise), 0.001, 0.999).round(4)
    return {"id": np.arange(N), "truth": truth, "predicted": (score > 0.5).astype(int), "score": score, "set": part}


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def finding(result, code="A108"):
    return next(found for found in result.findings if found.code == code)


def of_part(table, part="test"):
    kept = table["set"] == part
    return {name: column[kept] for name, column in table.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["set", "fold", "part of the data"])
def test_test_rows_are_judged_alone_and_the_training_rows_tell_of_overfitting(write_csv, name):
    table = rows()
    own = of_part(table)
    path = write_csv({name if key == "set" else key: column for key, column in table.items()})
    for found in (evaluate(path), evaluate({name if key == "set" else key: column for key, column in table.items()})):
        assert found.counts.n == own["truth"].size == 100
        assert found.estimates["accuracy"].value == accuracy_score(own["truth"], own["predicted"])
        assert found.estimates["auc"].value == pytest.approx(roc_auc_score(own["truth"], own["score"]), abs=1e-14)
        assert mentions(finding(found).message, "300 rows", "100 test rows", "200 training rows")
        learnt = of_part(table, "train")
        assert found.overfitting.resubstitution.value == pytest.approx(1 - accuracy_score(learnt["truth"], learnt["predicted"]))
        assert found.overfitting.verdict == "optimistic"
        assert "Against the 200 training rows" in found.in_words()
        assert found.to_dict()["overfitting"]["verdict"] == "optimistic"


@pytest.mark.slow
def test_the_column_is_shown_with_its_evidence_and_its_flag(write_csv):
    code, out, _ = run("evaluate", write_csv(rows()))
    assert code == 0
    (shown,) = (line for line in out.splitlines() if line.strip().startswith("split "))
    assert facts(shown) == ["'set'", "200", "'train'", "100", "'test'"]
    assert shown.endswith("[--split]")
    assert mentions(out, "A108", "300 rows", "100 test rows")
    assert mentions(out, "a sign of overfitting")


@pytest.mark.slow
def test_every_command_judges_the_same_rows(write_csv, tmp_path):
    table = rows()
    whole, alone = write_csv(table), write_csv({k: v for k, v in of_part(table).items() if k != "set"}, name="alone.csv")
    other = write_csv(table | {"predicted": 1 - table["truth"] * 0}, name="other.csv")

    def told(path, *command):
        code, out, err = run(command[0], path, *command[1:], "--json")
        assert code in (0, 3), err
        return json.loads(out)

    assert told(whole, "evaluate")["estimates"] == told(alone, "evaluate")["estimates"]
    assert told(whole, "threshold")["found"] == told(alone, "threshold")["found"]
    assert (
        told(whole, "gate", "--require", "accuracy >= 0.7")["rules"]
        == told(alone, "gate", "--require", "accuracy >= 0.7")["rules"]
    )
    assert told(whole, "compare", other)["cases"] == 100
    assert told(whole, "count", "-o", tmp_path / "x.counts")["rows"] == 100
    for command in (("partition",), ("report", "-o", tmp_path / "x.html")):
        assert "A108" in json.dumps(told(whole, *command))
    for command in ("recommend", "fit"):
        more = ("--kind", "errors", "-o", tmp_path / f"{command}.json") if command == "fit" else ()
        first, second = (
            CliRunner().invoke(main, ["correct", command, str(path), *map(str, more), "--json"]) for path in (whole, alone)
        )
        assert first.exit_code == second.exit_code == 0, first.stderr
        assert json.loads(first.stdout)["cases"] == json.loads(second.stdout)["cases"] == 100
    assert "training rows" in (tmp_path / "x.html").read_text()


@pytest.mark.slow
def test_test_rows_come_before_validation_rows_and_a_flag_overrides():
    table = rows(("train", "valid", "test"))
    assert mentions(finding(evaluate(table)).message, "100 training rows", "100 rows of another")
    by_hand = evaluate(table, split="set=valid")
    assert by_hand.estimates["accuracy"].value == evaluate(of_part(table, "valid"), split="").estimates["accuracy"].value
    assert evaluate(table, split={"set": "validation"}).estimates["accuracy"].value == by_hand.estimates["accuracy"].value
    assert evaluate(table, split="").counts.n == N
    assert evaluate(table, split="").overfitting is None
    assert evaluate(rows(("train", "dev"))).counts.n == 150


@pytest.mark.slow
def test_flags_on_the_command_line(write_csv):
    path = write_csv(rows(("train", "valid", "test")))
    for given, n in (("set=dev", 100), ("set", 100), ("", N)):
        code, out, err = run("evaluate", path, "--split", given, "--json")
        assert code == 0, err
        assert json.loads(out)["origin"]["rows"] == n
    code, _, err = run("evaluate", path, "--split", "set=b")
    assert code == 2
    assert facts(err) == ["'set'", "'b'", "'test'", "100", "'train'", "100", "'valid'", "100"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values"), [("is_train", (1, 1, 0)), ("is_test", (False, False, True)), ("in_training", ("yes", "yes", "no"))]
)
def test_a_flag_of_training_rows_is_understood(write_csv, name, values):
    table = rows()
    own = of_part(table)["truth"].size
    table[name] = np.array(values)[np.arange(N) % 3]
    del table["set"]
    assert evaluate(table).counts.n == evaluate(write_csv(table)).counts.n == own


@pytest.mark.slow
def test_a_file_sorted_by_its_parts_is_understood(write_csv, monkeypatch):
    monkeypatch.setattr("adjudge.predictions.read.HEAD", 50)
    table = rows()
    order = np.argsort(table["set"])[::-1]  # training rows first
    found = evaluate(write_csv({name: column[order] for name, column in table.items()}))
    assert found.counts.n == 100


@pytest.mark.slow
def test_only_training_rows_are_judged_with_a_warning_and_only_test_rows_without():
    table = rows(("train",))
    found = evaluate(table)
    assert found.counts.n == N
    assert mentions(finding(found).message, "All 300 rows", "training")
    assert not [f for f in evaluate(rows(("test",))).findings if f.code == "A108"]


@pytest.mark.slow
def test_what_is_no_split_is_left_alone():
    table = rows()
    assert evaluate({**table, "set": table["id"] % 3}).counts.n == N  # numbers of folds or features
    found = read({"truth": ["train", "test"] * 20, "predicted": ["train", "test", "test", "test"] * 10})
    assert found.roles.split is None
    assert evaluate({**table, "set": np.array(["train", "bus"])[table["id"] % 2]}).counts.n == N


def test_doubts_are_refused_with_the_flags():
    table = rows()
    with refused("split", "'set', 'split'", 'split="set"', 'split="split"'):
        evaluate({**table, "split": table["set"]})
    with refused("split", "test rows", 'split="set=a"'):
        evaluate({**table, "set": np.array(["a", "b"])[table["id"] % 2]}, split="set")
    with pytest.raises(InputError, match="no column 'nope' for split"):
        evaluate(table, split="nope")
    with pytest.raises(InputError, match="split names one column"):
        evaluate(table, split=3)


@pytest.mark.slow
@pytest.mark.parametrize("engine", some(HERE, 2))
@pytest.mark.parametrize("large", [False, True])
def test_engines_judge_the_same_rows(engine, large, monkeypatch):
    if large:
        monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 10)
        monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0)
    table = rows()
    found, expected = evaluate(frame_of(engine, pa.table(table))), evaluate(table)
    assert (found.counts.cells == expected.counts.cells).all()
    assert finding(found).message == finding(expected).message
    assert found.overfitting.bias == pytest.approx(expected.overfitting.bias)


@pytest.mark.slow
def test_parquet_categories_and_gaps(tmp_path):
    table = rows()
    part = pa.array(["train", None, "test"] * (N // 3)).dictionary_encode()
    pq.write_table(pa.table(table | {"set": part}), tmp_path / "x.parquet")
    found = evaluate(tmp_path / "x.parquet")
    assert found.counts.n == 100
    assert "100 rows of another part" in finding(found).message


@pytest.mark.slow
def test_training_rows_that_cannot_be_judged_do_not_keep_test_rows_from_it(write_csv):
    table = rows()
    said = np.where(table["set"] == "train", "", table["predicted"].astype(str))
    found = evaluate(write_csv(table | {"predicted": said}), scores="score")
    assert found.counts.n == 100
    assert "A110" in {f.code for f in found.findings}


@pytest.mark.slow
def test_predictions_with_parts_can_be_pickled_and_measured():
    table = rows()
    again = pickle.loads(pickle.dumps(read(table)))  # noqa: S301 - our own
    own = of_part(table)
    assert evaluate(again).overfitting is not None
    assert adjudge.measure(table, "accuracy") == accuracy_score(own["truth"], own["predicted"])


def test_numbers_are_judged_on_test_rows_too():
    rng = np.random.default_rng(0)
    y = rng.normal(0, 10, N)
    table = {
        "y_true": y,
        "y_pred": y + np.where(np.arange(N) % 3 == 2, 2.0, 1.0),
        "split": np.array(["train", "train", "test"])[np.arange(N) % 3],
    }
    assert evaluate(table).estimates["mae"].value == pytest.approx(2.0)
