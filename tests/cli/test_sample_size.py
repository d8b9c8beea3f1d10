"""adjudge sample-size: how many cases, in words, as JSON and as a picture."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import main


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["sample-size", *(str(a) for a in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "how"),
    [
        (("--half-width", 0.1, "--expected", 0.9), {"half_width": 0.1, "expected": 0.9}),
        (("--above", 0.7, "--expected", 0.9, "--assurance", 0.9), {"above": 0.7, "expected": 0.9, "assurance": 0.9}),
        (("--difference", 0.1, "--discordant", 0.2, "--level", 0.9), {"difference": 0.1, "discordant": 0.2, "level": 0.9}),
        (("--equivalent", "--discordant", 0.2, "--margin", 0.1), {"equivalent": True, "discordant": 0.2, "margin": 0.1}),
        (("--difference", 0.1, "--expected", 0.8, "--independent"), {"difference": 0.1, "expected": 0.8, "independent": True}),
        (
            ("--half-width", 0.1, "--measure", "balanced_accuracy", "--expected", "a=0.9,b=0.7", "--share", "a=0.8,b=0.2"),
            {"half_width": 0.1, "measure": "balanced_accuracy", "expected": {"a": 0.9, "b": 0.7}, "share": {"a": 0.8, "b": 0.2}},
        ),
    ],
)
def test_the_command_says_what_the_function_says(arguments, how):
    found = adjudge.sample_size(**how)
    assert json.loads(run(*arguments, "--json")[1], parse_constant=pytest.fail) == json.loads(json.dumps(found.to_dict()))
    code, out, _ = run(*arguments)
    assert code == 0
    assert out.strip() == found.in_words()


@pytest.mark.slow
def test_pilots(write_csv):
    truth = ["a", "b"] * 60
    one = write_csv({"id": range(120), "truth": truth, "predicted": truth[:100] + ["a"] * 20}, "one.csv")
    two = write_csv({"id": range(120), "truth": truth, "predicted": ["b"] * 24 + truth[24:]}, "two.csv")
    assert "The pilot itself is uncertain" in run(one, "--half-width", 0.05)[1]
    told = json.loads(run(one, two, "--difference", 0.05, "--row", "id", "--json")[1])
    assert sum(told["expected"]) == pytest.approx(22 / 120)


def test_clusters(write_csv):
    code, out, _ = run("--half-width", 0.05, "--expected", 0.85, "--intra-cluster", 0.25, "--cluster-size", 25)
    assert code == 0
    assert out.startswith("1,450 cases (58 clusters) for a 95% interval")
    rows = {"truth": ["a", "b"] * 40, "predicted": ["a", "b"] * 30 + ["b", "a"] * 10, "patient": [i // 4 for i in range(80)]}
    told = json.loads(run(write_csv(rows, "pilot.csv"), "--half-width", 0.1, "--cluster", "patient", "--json")[1])
    assert told["clusters"]["intra_cluster"] == pytest.approx(1, abs=1e-9)
    assert told["clusters"]["cluster_size"] == 4


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["html", "svg", "png"])
def test_pages_and_pictures(tmp_path, ending):
    out = tmp_path / f"plan.{ending}"
    assert run("--above", 0.7, "--expected", 0.9, "-o", out)[0] == 0
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--half-width, --above, --difference or --equivalent"),
        (("--difference", 0.01, "--discordant", 0.1), "no number of cases would decide 'better'"),
        (("--above", 0.9, "--expected", 0.95, "--assurance", 2), "--assurance is how often"),
        (("--half-width", 0.1), "--expected"),
        (("--half-width", 2, "--expected", 0.9), "--half-width must be"),
        (("--half-width", 0.1, "--expected", "high"), "--expected takes a number"),
        (("--half-width", 0.1, "--expected", 0.9, "-o", "plan.txt"), ".html, .svg, .png or .pdf"),
        (("--above", 0.9, "--expected", 0.8), "no number of cases"),
        (("--half-width", 0.1, "--expected", 0.9, "--cluster-size", 5), "give --intra-cluster and --cluster-size"),
        (("--half-width", 0.1, "--expected", 0.9, "--cluster-size", 0, "--intra-cluster", 0.1), "--cluster-size is how many"),
    ],
)
def test_bad_input_is_2(arguments, told):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert "_" not in err
