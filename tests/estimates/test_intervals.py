"""Intervals: the default of each measure, what they must never do, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from adjudge import ConfusionCounts, InputError, Predictions, WeightedCounts, confusion, interval, measure
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS

TABLES = (
    st.lists(st.integers(0, 40), min_size=9, max_size=9).map(lambda v: np.array(v).reshape(3, 3)).filter(lambda t: t.sum() > 0)
)
SHARES = ["midp", "clopper-pearson", "wilson", "jeffreys", "wald", "posterior"]


@given(TABLES)
@pytest.mark.parametrize("name", ["accuracy", "error", "balanced_accuracy", "informedness"])
def test_limits_hold_the_value_and_stay_in_range(name, table):
    counts = ConfusionCounts(table)
    value, limits = measure(counts, name), interval(counts, name)
    if not math.isnan(value):
        assert limits.low - 1e-12 <= value <= limits.high + 1e-12
        assert limits.low < limits.high


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS if m.name != "rejection_rate"])
def test_every_count_measure_has_a_default_that_is_never_certain(name):
    for table in ([[40, 5], [8, 2]], [[10, 0], [0, 5]], [[3, 1], [0, 2]]):
        limits = interval(ConfusionCounts(table), name, positive=0)
        assert -1 <= limits.low < limits.high <= 1
        assert limits.method


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS if isinstance(m, ClassMeasure)])
def test_macro_averages_have_intervals(name):
    counts = ConfusionCounts([[20, 3, 2], [4, 15, 6], [1, 2, 30]])
    limits = interval(counts, name, average="macro")
    assert limits.low < measure(counts, name, average="macro") < limits.high


@pytest.mark.parametrize("method", SHARES)
def test_levels_are_nested(method):
    counts = ConfusionCounts([[40, 5], [8, 2]])
    narrow, wide = (interval(counts, "accuracy", level=level, method=method) for level in (0.8, 0.99))
    assert wide.low <= narrow.low < narrow.high <= wide.high


def test_the_default_of_the_balanced_accuracy_changes_at_ten_classes():
    few, many = (ConfusionCounts(np.eye(k, dtype=int) * 9 + 1) for k in (9, 10))
    assert interval(few, "balanced_accuracy").method == "mover-jeffreys"
    assert interval(many, "balanced_accuracy").method == "unbiased-centre"


def test_weights_count_as_much_as_they_are_worth():
    truth, predicted = [0, 1] * 40, [0, 1, 1, 1] * 20
    plain, doubled = confusion(truth, predicted), confusion(truth, predicted, weight=[2.0] * 80)
    assert isinstance(doubled, WeightedCounts)
    for name in ("accuracy", "balanced_accuracy", "f1", "sensitivity"):
        a, b = (interval(c, name, positive=1) for c in (plain, doubled))
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-9)


def test_the_same_seed_gives_the_same_limits():
    counts = ConfusionCounts([[40, 5], [8, 12]])
    assert interval(counts, "mcc", rng=3) == interval(counts, "mcc", rng=3)


@pytest.mark.parametrize("method", ["default", "delong", "logit-delong", "newcombe"])
def test_auc_has_limits(method):
    rng = np.random.default_rng(4)
    truth = rng.random(200) < 0.3
    found = Predictions(truth, scores=1 / (1 + np.exp(-rng.normal(truth * 1.0))))
    limits = interval(found, "auc", method=method)
    assert 0 <= limits.low < measure(found, "auc") < limits.high <= 1


def test_a_perfect_ranking_is_not_certain():
    limits = interval(Predictions([0, 0, 1, 1], scores=[0.1, 0.2, 0.8, 0.9]), "auc")
    assert limits.low < limits.high == 1.0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("accuracy", {"method": "mover-jeffreys"}),
        ("mcc", {"method": "wilson"}),
        ("f1", {"average": "weighted"}),
        ("mcc", {"average": "macro"}),
        ("auc", {}),
    ],
)
def test_what_has_no_interval_is_refused(name, arguments):
    with pytest.raises(InputError, match=name):
        interval(ConfusionCounts([[40, 5], [8, 2]]), name, **arguments)


@pytest.mark.parametrize(
    ("errors", "n", "holds"), [(12, 40, True), (2, 140, False), (10, 29, False), (0, 50, False), (6, 60, True)]
)
def test_the_normal_approximation_says_when_it_does_not_hold(errors, n, holds):
    found = interval(ConfusionCounts([[n - errors, errors], [0, 0]]), "error", method="wald")
    assert [finding.code for finding in found.findings] == ([] if holds else ["A504"])
    assert 0 <= found.low <= found.high <= 1


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.999))
def test_tail_inversion_bounds_are_each_exact(errors, right, level):
    found = interval(ConfusionCounts([[right, errors], [0, 0]]), "error", method="tail-inversion", level=level)
    n = errors + right
    if errors:
        assert binom.sf(errors - 1, n, found.low) == pytest.approx(1 - level, rel=1e-9)
    if right:
        assert binom.cdf(errors, n, found.high) == pytest.approx(1 - level, rel=1e-9)


def test_a_table_may_be_given_as_it_is():
    assert interval([[40, 5], [8, 2]], "accuracy") == interval(ConfusionCounts([[40, 5], [8, 2]]), "accuracy")
    assert measure([[40, 5], [8, 2]], "accuracy") == 42 / 55
