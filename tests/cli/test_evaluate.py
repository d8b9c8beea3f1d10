"""The command that judges one file: measures by name, intervals, training cases, groups."""

from __future__ import annotations

import json
import re

import pytest
from scipy.stats import binomtest
from tests.cli.running import run


def test_one_measure_may_be_asked_for_by_any_of_its_names(predictions):
    result = run("evaluate", predictions, "--measure", "Recall", "--measure", "accuracy", "--positive", "sick")
    assert result.stdout.splitlines()[0].startswith("sensitivity 0.5")
    assert result.stdout.splitlines()[1].startswith("accuracy 0.5")


@pytest.mark.slow
def test_training_and_test_errors_are_compared(predictions, write_csv):
    training = write_csv({"y_true": ["sick", "well"] * 40, "y_pred": ["sick", "well"] * 40}, "training.csv")
    result = run("evaluate", predictions, "--training", training)
    assert result.exit_code == 0
    assert "50.0" in result.stdout
    told = json.loads(run("evaluate", predictions, "--training", training, "--json").stdout)
    assert told["overfitting"]["bias"] == 0.5
    assert told["overfitting"]["verdict"] == "optimistic"


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


def test_groups_are_balanced_too(write_csv):
    rows = {"y_true": ["a", "b"] * 60, "y_pred": ["a", "b"] * 40 + ["a", "a"] * 20, "site": ["x"] * 80 + ["y"] * 40}
    told = run("evaluate", write_csv(rows), "--group", "site", "--json").stdout
    found = json.loads(told)["over_groups"]
    assert found["value"] == pytest.approx((1 + 1 + 1 + 0) / 4)


def test_terminal_escapes_in_labels_and_names_are_shown_and_not_sent(write_csv):
    labels = ["\x1b]0;x\x07", "\x1b[2J", "\u202egnp"] * 20
    path = write_csv({"y_true": labels, "y_\x1b[31mpred": labels})
    result = run("evaluate", path, "--truth", "y_true", "--predicted", "y_\x1b[31mpred")
    assert result.exit_code == 0
    assert "\\x1b[2J" in result.stdout
    assert not any(character in result.stdout for character in "\x1b\x07\u202e")
