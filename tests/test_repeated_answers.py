"""Files in which cases come back over folds: intervals know how many cases there are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import Predictions, evaluate
from adjudge.predictions.duplicates import answers_per_case

MEASURES = ("accuracy", "balanced_accuracy", "mcc", "auc", "brier", "log_loss", "f1")


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 3)) + y[:, None]
    return adjudge.estimate(GaussianNB(), X, y, by="4x5-fold", random_state=0, progress=False)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_saved_run_is_judged_as_the_run_itself(found, tmp_path, ending):
    again = evaluate(found.save(tmp_path / f"run.{ending}"))
    for name in MEASURES:
        ours, theirs = again.estimates[name], found.pooled.estimates[name]
        assert ours.value == pytest.approx(theirs.value)
        assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.interval.low, theirs.interval.high))
    codes = [finding.code for finding in again.findings]
    assert "A611" in codes
    assert "A401" not in codes


def test_numbers_too(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    run = adjudge.estimate(Ridge(), X[:90], y[:90], by="3x3-fold", random_state=0, progress=False)
    again = evaluate(run.save(tmp_path / "run.csv"))
    for name in ("mae", "mse"):
        ours, theirs = again.estimates[name].interval, run.pooled.estimates[name].interval
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert "A611" in [finding.code for finding in again.findings]


@pytest.mark.slow
def test_ten_equal_answers_are_as_good_as_one():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 60)
    p = rng.dirichlet([1, 1, 1], 60)
    once = evaluate(Predictions(truth, p.argmax(axis=1), p, classes=[0, 1, 2]))
    said = [np.concatenate([each] * 10) for each in (truth, p.argmax(axis=1), p)]
    many = evaluate(Predictions(*said, classes=[0, 1, 2], row=np.tile(np.arange(60), 10), fold=np.repeat(range(10), 60)))
    for name in ("accuracy", "balanced_accuracy", "mcc", "brier"):
        one, other = once.estimates[name].interval, many.estimates[name].interval
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)


def test_weighted_cases_that_come_back():
    truth, said, weight = [0, 1, 1, 0] * 20, [0, 1, 0, 0] * 20, [1.0, 2.0, 1.0, 3.0] * 20
    once = evaluate(Predictions(truth, said, weight=weight))
    many = evaluate(Predictions(truth * 3, said * 3, weight=weight * 3, row=list(range(80)) * 3, fold=np.repeat([1, 2, 3], 80)))
    assert many.counts.effective_n == pytest.approx(once.counts.effective_n)
    assert "A401" in [finding.code for finding in many.findings]


def test_folds_without_repetition_change_nothing():
    truth, said = [0, 1] * 20, [0, 1, 1, 0] * 10
    plain = evaluate(Predictions(truth, said))
    folded = evaluate(Predictions(truth, said, row=range(40), fold=np.repeat(range(4), 10)))
    assert folded.estimates["accuracy"].interval == plain.estimates["accuracy"].interval
    assert "A611" not in [finding.code for finding in folded.findings]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([1, 2, 1, 2], 2.0), ([1, 2, 3, 4], 1.0), (["a", None, "a", None], 4 / 3), (["a", "b", "c", "a"], 4 / 3)],
)
def test_answers_a_case(rows, expected):
    made = Predictions([0, 1, 0, 1], [0, 1, 1, 1], row=rows, fold=[1, 1, 2, 2])
    assert answers_per_case(made) == pytest.approx(expected)


def test_without_folds_or_identities_nobody_knows():
    assert answers_per_case(Predictions([0, 1], [0, 1], row=[1, 2])) == 1
    assert answers_per_case(Predictions([0, 1], [0, 1], fold=[1, 2])) == 1
