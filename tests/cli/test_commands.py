"""The command line: exit codes, what is printed where, and nothing half-written."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from adjudge.cli import main

ADJUDGE = [sys.executable, "-m", "adjudge"]


def run(*arguments: object):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def predictions(write_csv) -> Path:
    return write_csv({"y_true": ["sick", "well", "well", "sick"] * 20, "y_pred": ["sick", "well", "sick", "well"] * 20})


def test_report_prints_the_verdict_and_writes_one_page(predictions, tmp_path):
    page = tmp_path / "out.html"
    result = run("report", predictions, "-o", page)
    assert result.exit_code == 0
    assert "50.0%" in result.stdout
    assert f"Wrote {page}" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.html", "predictions.csv"]


def test_demo_judges_the_bundled_example(tmp_path):
    result = run("demo", "-o", tmp_path / "demo.html")
    assert result.exit_code == 0
    assert "1,186" in result.stdout
    assert "85.8%" in result.stdout
    assert "50.8%" in result.stdout


def test_the_bundled_example_is_counted_as_its_cells_say(tmp_path):
    told = json.loads(run("demo", "--json", "-o", tmp_path / "demo.html").stdout)
    lines = (files("adjudge") / "data" / "dna_knn11.csv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split(",") for line in lines]
    right = sum(c[1] == c[2] for c in cells)
    assert told["estimates"]["accuracy"]["value"] == right / len(cells)


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_json_is_strict_and_alone_on_stdout(command, predictions, tmp_path):
    extra = ["-o", tmp_path / "r.html"] if command == "report" else []
    result = run(command, predictions, "--json", *extra)
    told = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert told["estimates"]["accuracy"]["value"] == 0.5
    assert told["counts"]["cells"] == [[20, 20], [20, 20]]


def test_one_measure_may_be_asked_for_by_any_of_its_names(predictions):
    result = run("evaluate", predictions, "--measure", "Recall", "--measure", "accuracy", "--positive", "sick")
    assert result.stdout.splitlines()[0].startswith("sensitivity 0.5")
    assert result.stdout.splitlines()[1].startswith("accuracy 0.5")


def test_training_and_test_errors_are_compared(predictions, write_csv):
    training = write_csv({"y_true": ["sick", "well"] * 40, "y_pred": ["sick", "well"] * 40}, "training.csv")
    result = run("evaluate", predictions, "--training", training)
    assert result.exit_code == 0
    assert "50.0" in result.stdout
    told = json.loads(run("evaluate", predictions, "--training", training, "--json").stdout)
    assert told["overfitting"]["bias"] == 0.5
    assert told["overfitting"]["verdict"] == "optimistic"


def test_measures_are_listed_with_formula_range_and_direction():
    rows = json.loads(run("measures", "--json").stdout)
    assert {"name", "formula", "range", "direction", "needs"} <= set(rows[0])
    assert "balanced_accuracy" in run("measures").stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["report", "no_such_file.csv"], "No file 'no_such_file.csv'"),
        (["evaluate", "{predictions}", "--truth", "y_tru"], "y_true"),
        (["evaluate", "{predictions}", "--measure", "accurracy"], "Did you mean accuracy"),
        (["evaluate", "{predictions}", "--measure", "auc"], "cannot be had"),
        (["evaluate", "{predictions}", "--level", "95"], "95% is 0.95"),
        (["evaluate", "{predictions}", "--positive", "ill"], "'ill' is not among the classes"),
        (["report", "{predictions}", "-o", "{folder}"], "is a folder"),
        (["report", "{predictions}", "-o", "{folder}/no/such/place.html"], "Cannot write"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_2(arguments, text, predictions, tmp_path):
    filled = [a.format(predictions=predictions, folder=tmp_path) for a in arguments]
    before = sorted(tmp_path.rglob("*"))
    result = run(*filled)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_is_not_written_through(predictions, tmp_path):
    target = tmp_path / "precious"
    target.write_text("kept", encoding="utf-8")
    (tmp_path / "report.html").symlink_to(target)
    assert run("report", predictions, "-o", tmp_path / "report.html").exit_code == 2
    assert target.read_text(encoding="utf-8") == "kept"


def test_a_page_is_readable_by_those_the_umask_allows(predictions, tmp_path):
    run("report", predictions, "-o", tmp_path / "r.html")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "r.html").stat().st_mode) == 0o666 & ~mask


def test_terminal_escapes_in_labels_and_names_are_shown_and_not_sent(write_csv):
    labels = ["\x1b]0;x\x07", "\x1b[2J", "\u202egnp"] * 20
    path = write_csv({"y_true": labels, "y_\x1b[31mpred": labels})
    result = run("evaluate", path, "--truth", "y_true", "--predicted", "y_\x1b[31mpred")
    assert result.exit_code == 0
    assert "\\x1b[2J" in result.stdout
    assert not any(character in result.stdout for character in "\x1b\x07\u202e")


def test_the_module_runs_as_a_program(predictions):
    done = subprocess.run([*ADJUDGE, "evaluate", str(predictions)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([*ADJUDGE, "evaluate", "nothing.csv"], capture_output=True, check=False).returncode == 2


def test_a_closed_pipe_is_no_error_message(predictions):
    command = f"{sys.executable} -m adjudge evaluate {predictions} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own words
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [["report"], ["report", "a.csv", "b\x1b[2Jc"], ["evaluate", "x.csv", "--missing", "maybe"], ["nonsense"]]
)
def test_wrong_usage_is_one_line_too(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert "\x1b" not in result.stderr


def test_the_page_never_replaces_the_predictions(predictions):
    before = predictions.read_bytes()
    assert run("report", predictions, "-o", predictions).exit_code == 2
    assert predictions.read_bytes() == before


def test_what_is_no_plain_file_is_not_replaced(predictions, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert run("report", predictions, "-o", tmp_path / "pipe").exit_code == 2
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_measures_the_verdict_leaves_out_can_still_be_asked_for(predictions):
    told = run("evaluate", predictions, "--measure", "fpr", "--measure", "fbeta", "--positive", "sick").stdout.splitlines()
    assert re.fullmatch(r"fpr 0\.5  \[0\.3\d+, 0\.6\d+\] midp  \(FP / N\)", told[0])
    assert re.fullmatch(r"fbeta 0\.5  \[0\.\d+, 0\.\d+\] f1-jeffreys  \(\(1 \+ b\^2\) TP .*", told[1])
    assert run("evaluate", predictions, "--measure", "mcc", "--training", predictions).exit_code == 2


def test_the_interval_of_a_measure_by_another_method(predictions):
    told = run("evaluate", predictions, "--measure", "accuracy", "--interval", "wilson", "--level", "0.9", "--json").stdout
    found, theirs = json.loads(told)["accuracy"]["interval"], binomtest(40, 80).proportion_ci(0.9, "wilson")
    assert (found["low"], found["high"]) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert (found["method"], found["level"]) == ("wilson", 0.9)


def test_wald_says_when_it_does_not_hold(write_csv):
    path = write_csv({"y_true": ["a", "b"] * 8, "y_pred": ["a", "b"] * 8})
    told = run("evaluate", path, "--measure", "accuracy", "--interval", "wald").stdout
    assert "A504" in told
    assert "no certainty" in told


def test_a_prior_by_name_or_by_numbers(predictions):
    found = {
        p: json.loads(run("evaluate", predictions, "--prior", p, "--json").stdout)["accuracy_posteriors"] for p in ("flat", "2,5")
    }
    for prior, (a, b) in {"flat": (1, 1), "2,5": (2, 5)}.items():
        assert found[prior]["posteriors"]["accuracy"]["mean"] == pytest.approx((40 + a) / (80 + a + b), rel=1e-12)


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (["--interval", "guess"], "There is no 'guess' interval"),
        (["--measure", "mcc", "--interval", "wilson"], "There is no 'wilson' interval of mcc"),
        (["--prior", "strong"], "prior must be two numbers above 0"),
        (["--prior", "1,x"], "--prior takes"),
        (["--prior", "0,1"], "prior must be two numbers above 0"),
        (["--level", "95"], "level must be a number strictly between 0 and 1"),
    ],
)
def test_intervals_and_priors_that_do_not_exist_are_refused(extra, text, predictions):
    result = run("evaluate", predictions, *extra)
    assert result.exit_code == 2
    assert text in result.stderr


def test_groups_are_balanced_too(write_csv):
    rows = {"y_true": ["a", "b"] * 60, "y_pred": ["a", "b"] * 40 + ["a", "a"] * 20, "site": ["x"] * 80 + ["y"] * 40}
    told = run("evaluate", write_csv(rows), "--group", "site", "--json").stdout
    found = json.loads(told)["over_groups"]
    assert found["value"] == pytest.approx((1 + 1 + 1 + 0) / 4)


def test_a_terminal_that_cannot_show_a_label_shows_its_escape(write_csv):
    path = write_csv({"y_true": ["\u65e5\u672c", "b"] * 20, "y_pred": ["\u65e5\u672c", "b"] * 20})
    done = subprocess.run(
        [*ADJUDGE, "evaluate", str(path)], capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5" in done.stdout


def test_files_of_counts_are_judged_as_the_predictions_were(predictions, write_csv, tmp_path):
    elsewhere = write_csv({"y_true": ["sick", "well"] * 10, "y_pred": ["sick", "well"] * 10}, "elsewhere.csv")
    for name, file in (("a.counts", predictions), ("b.counts", elsewhere)):
        assert run("count", file, "-o", tmp_path / name).exit_code == 0
    both = [tmp_path / "a.counts", tmp_path / "b.counts"]
    alone = json.loads(run("evaluate", both[0], "--json").stdout)
    assert alone["counts"] == json.loads(run("evaluate", predictions, "--json").stdout)["counts"]
    added = json.loads(run("report", *both, "--json", "-o", tmp_path / "r.html").stdout)
    assert added["counts"]["cells"] == [[30, 20], [20, 30]]
    result = run("report", *both, "--margin", 0.1, "-o", tmp_path / "r.html")
    assert result.exit_code == 2
    assert "counts are added up" in result.stderr
