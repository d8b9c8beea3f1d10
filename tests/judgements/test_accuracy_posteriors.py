"""What to believe of a table, beside what is commonly reported."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import hypergeom
from tests.conftest import ORACLES

from adjudge import ConfusionCounts, InputError, Predictions, accuracy_posteriors, confusion, evaluate, posterior
from adjudge.estimates.estimate import over_cases, over_folds

CASES = [c for c in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if c["quantity"] == "naive_accuracy"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_two_standard_errors_over_cases(case):
    i, expected = case["inputs"], case["expected"]
    found = accuracy_posteriors(ConfusionCounts([[i["tp"], i["fn"]], [i["fp"], i["tn"]]]), prior="flat")
    bar = found.conventional
    assert bar.value == pytest.approx(float(expected["accuracy"]), rel=1e-13)
    assert bar.error == pytest.approx(float(expected["sem_test_cases"]), rel=1e-13)
    assert (bar.low, bar.high) == pytest.approx([float(v) for v in expected["two_sem_interval"]], rel=1e-13)
    assert found.average_balanced_accuracy == pytest.approx(float(expected["balanced_accuracy"]), rel=1e-13)


@given(arrays(np.int64, (3, 3), elements=st.integers(0, 50)).filter(lambda t: t.sum(axis=1).all()))
def test_the_average_balanced_accuracy_is_the_mean_of_the_modes(table):
    found = accuracy_posteriors(ConfusionCounts(table), prior="flat")
    modes = [Mode(table[i, i], table[i].sum()).value for i in range(3)]
    assert found.average_balanced_accuracy == pytest.approx(np.mean(modes), rel=1e-12)


class Mode:
    """The mode of Beta(x + 1, n - x + 1), sought on a grid that holds it."""

    def __init__(self, x, n):
        grid = np.arange(0, n + 1) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            left, right = (np.where(k == 0, 0.0, k * np.log(g)) for k, g in ((x, grid), (n - x, 1 - grid)))
        self.value = grid[np.argmax(left + right)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=2, max_size=12))
def test_two_standard_errors_over_folds(folds):
    tables = [ConfusionCounts([[right, wrong], [0, 0]]) for right, wrong in folds]
    each = np.array([right / (right + wrong) for right, wrong in folds])
    found = over_folds(tables)
    assert found.value == pytest.approx(each.mean())
    assert found.error == pytest.approx(math.sqrt(((each - each.mean()) ** 2).sum() / (each.size - 1) / each.size), abs=1e-12)
    assert found.over == f"{len(folds)} folds"


def test_a_perfect_record_leaves_the_bar_no_width_but_the_posterior_some():
    found = accuracy_posteriors(ConfusionCounts([[30, 0], [0, 20]]))
    assert found.conventional.error == 0
    assert found.posteriors["accuracy"].interval().low < 0.97


def test_one_classifier_or_summed_folds_are_named():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    predicted, fold = np.where(rng.random(200) < 0.8, truth, 1 - truth), np.arange(200) % 10
    one, many = evaluate(Predictions(truth, predicted)), evaluate(Predictions(truth, predicted, fold=fold))
    assert one.accuracy_posteriors.tested == "one classifier, 200 cases"
    assert many.accuracy_posteriors.tested == "an algorithm, 10 folds summed, 200 cases"
    assert many.accuracy_posteriors.conventional.over == "10 folds"
    assert one.accuracy_posteriors.conventional == over_cases(confusion(truth, predicted))
    assert one.posteriors["accuracy"].mean == many.posteriors["accuracy"].mean


def test_right_often_but_not_on_average_over_the_classes():
    found = accuracy_posteriors(ConfusionCounts([[40, 5], [8, 2]]), prior="flat")
    assert [finding.code for finding in found.findings] == ["A502"]
    law = hypergeom(55, 45, 48)
    assert found.chance.p_value == pytest.approx(law.sf(40) + law.pmf(40) / 2, rel=1e-12)
    assert found.chance_level == 0.5
    assert not accuracy_posteriors(ConfusionCounts([[40, 5], [2, 8]]), prior="flat").findings


def test_the_posteriors_are_plain_data():
    told = accuracy_posteriors(ConfusionCounts([[69, 1], [1, 69]])).to_dict()
    assert told["conventional"]["high"] > 1
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_no_case_is_refused():
    with pytest.raises(InputError, match="counts no case"):
        accuracy_posteriors(ConfusionCounts([[0, 0], [0, 0]]))


def test_weighted_cases_are_told_as_what_they_are_worth():
    found = accuracy_posteriors(confusion([0, 1] * 3, [0, 1, 1, 1, 0, 0], weight=[1000.0, 1, 1, 1, 1, 1]))
    assert found.tested == "one classifier, weighted cases worth 1.0"


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy"])
def test_posterior_and_report_share_their_default_prior(name):
    counts = ConfusionCounts([[40, 5, 1], [8, 2, 0], [0, 3, 9]])
    alone, reported = posterior(counts, name), evaluate(counts).posteriors[name]
    assert alone.interval() == reported.interval() == posterior(counts, name, prior="jeffreys").interval()
    assert posterior([counts.cells] * 2, name).interval()[0] == pytest.approx(alone.interval().low, rel=1e-12)


def test_the_level_is_checked_and_reaches_the_summary():
    told = accuracy_posteriors([[40, 5], [8, 2]], level=0.5).to_dict()["posteriors"]["accuracy"]["credible_interval"]
    assert told["level"] == 0.5
    assert told["high"] - told["low"] < 0.1
    with pytest.raises(InputError, match="level must be a number"):
        accuracy_posteriors([[40, 5], [8, 2]], level=95)
