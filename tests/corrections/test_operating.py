"""Points of the ROC curve and accuracy against rejection: every threshold tried by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from adjudge import InputError, interval, risk_coverage, roc
from adjudge.corrections.operating import accuracy_rejection, operating_point
from adjudge.corrections.rejection import fit_rejection


@st.composite
def ranked(draw):
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=2, max_size=20))
    truth, scores = np.array(rows).T
    assume(0 < truth.sum() < truth.size)
    return truth, scores / 8


def points(truth, scores):
    """Return (threshold, sensitivity, specificity, mean cost at costs) of every threshold."""
    for threshold in [np.inf, *np.unique(scores)[::-1]]:
        called = scores >= threshold
        yield threshold, called[truth == 1].mean(), (~called[truth == 0]).mean()


def cost_of(truth, scores, threshold, costs):
    called = (scores >= threshold).astype(int)
    return np.mean([costs[y][d] for y, d in zip(truth, called, strict=True)])


@pytest.mark.slow
@given(ranked(), st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=2), min_size=2, max_size=2))
def test_no_threshold_is_cheaper(rows, costs):
    truth, scores = rows
    found = operating_point(truth, scores, costs=costs)
    tried = [cost_of(truth, scores, threshold, costs) for threshold, *_ in points(truth, scores)]
    assert found.cost.value == pytest.approx(min(tried), abs=1e-12)
    assert cost_of(truth, scores, found.threshold, costs) == pytest.approx(min(tried), abs=1e-12)
    assert found.cost.interval.low - 1e-12 <= found.cost.value <= found.cost.interval.high + 1e-12
    fitted = fit_rejection(truth, scores, costs=costs)
    assert found.cost.value == pytest.approx(fitted.cost, abs=1e-12)


@pytest.mark.slow
@given(ranked())
def test_equal_costs_fall_to_the_larger_sum_of_rates_and_then_to_the_higher_threshold(rows):
    truth, scores = rows
    found = operating_point(truth, scores, costs=[[0, 1], [1, 0]])
    tried = list(points(truth, scores))
    cheapest = min(cost_of(truth, scores, t, [[0, 1], [1, 0]]) for t, *_ in tried)
    equal = [row for row in tried if cost_of(truth, scores, row[0], [[0, 1], [1, 0]]) == cheapest]
    best = max(sens + spec for _, sens, spec in equal)
    assert found.threshold == max(t for t, sens, spec in equal if sens + spec > best - 1e-9)


@pytest.mark.slow
@given(ranked(), st.integers(0, 20).map(lambda k: k / 20))
def test_a_least_rate_is_reached_and_the_other_is_as_high_as_can_be(rows, least):
    truth, scores = rows
    tried = list(points(truth, scores))
    sensitive = operating_point(truth, scores, sensitivity=least)
    spec = max(spec for _, sens, spec in tried if sens >= least)
    assert (sensitive.sensitivity.value >= least, sensitive.specificity.value) == (True, spec)
    assert sensitive.sensitivity.value == max(sens for _, sens, other in tried if other == spec)
    specific = operating_point(truth, scores, specificity=least)
    sens = max(sens for _, sens, spec in tried if spec >= least)
    assert (specific.specificity.value >= least, specific.sensitivity.value) == (True, sens)
    assert specific.specificity.value == max(spec for _, other, spec in tried if other == sens)


@pytest.mark.slow
@given(ranked())
def test_youden_is_the_point_furthest_above_the_diagonal(rows):
    truth, scores = rows
    found = operating_point(truth, scores, youden=True)
    curve = roc(truth, scores)
    assert found.sensitivity.value + found.specificity.value - 1 == pytest.approx((curve.y - curve.x).max())
    assert found.threshold in curve.thresholds


@pytest.mark.slow
@given(ranked())
def test_either_class_may_be_the_positive_one(rows):
    truth, scores = rows
    names = np.array(["a", "b"])[truth]
    costs = [[0, 1.5], [4, 0]]
    here = operating_point(names, scores, costs=costs, positive="b")
    there = operating_point(names, -scores, costs=costs, positive="a")
    assert here.cost.value == pytest.approx(there.cost.value)
    turned = operating_point(names, scores, costs=[[0, 4], [1.5, 0]], classes=["b", "a"], positive="b")
    assert (turned.threshold, turned.cost.value) == (here.threshold, pytest.approx(here.cost.value))
    assert turned.counts.classes == ("b", "a")


def test_a_rate_written_as_a_decimal_is_reached_exactly():
    # 55 of 100 is 0.55, though 0.55 * 100 rounds above 55
    truth = np.repeat([1, 0], [100, 1])
    found = operating_point(truth, np.concatenate([np.arange(100.0), [-1.0]]), sensitivity=0.55, positive=1)
    assert found.sensitivity.value == 1  # nothing is lost by calling all positive cases so
    found = operating_point(truth, np.concatenate([np.arange(100.0), [44.5]]), sensitivity=0.55)
    assert (found.sensitivity.value, found.specificity.value) == (0.55, 1)


def test_the_limits_are_those_of_the_rates():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 80)
    scores = truth + rng.normal(size=80)
    found = operating_point(truth, scores, costs=[[0, 1], [3, 0]], level=0.9)
    limits = interval(found.counts, "sensitivity", positive=1, level=0.9)
    assert (found.sensitivity.interval.low, found.sensitivity.interval.high) == (limits.low, limits.high)
    # the rates at which the observed count, half its own chance included, is as rare as 5%
    n, hits = int((truth == 0).sum()), int(found.counts.cells[0, 0])
    for limit, tail in ((found.specificity.interval.low, "greater"), (found.specificity.interval.high, "less")):
        inner = binomtest(hits + (1 if tail == "greater" else -1), n, limit, tail).pvalue
        assert (binomtest(hits, n, limit, tail).pvalue + inner) / 2 == pytest.approx(0.05, rel=1e-6)
    alone = operating_point(truth, scores, costs=[[0, 0], [1, 0]], level=0.9)  # only one rate costs
    share = (truth == 1).mean()
    assert alone.cost.interval.high == pytest.approx(share * (1 - alone.sensitivity.interval.low))


def test_it_decides_speaks_and_warns():
    found = operating_point(["n", "n", "y", "y"], [0.1, 0.2, 0.7, 0.8], youden=True, positive="y")
    assert found.apply([0.1, 0.7, 0.9]).tolist() == ["n", "y", "y"]
    assert [f.code for f in found.findings] == ["A834"]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["threshold"] == 0.7
    assert found.cost is None
    nobody = operating_point([0, 1], [0.1, 0.9], costs=[[0, 9], [0, 9]])
    assert nobody.threshold == np.inf
    assert nobody.apply([5]).tolist() == [0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "got none"),
        ({"youden": True, "sensitivity": 0.9}, "got sensitivity, youden"),
        ({"sensitivity": 90}, "Ninety percent is 0.9"),
        ({"costs": [[0, 1, 1], [1, 0, 1]]}, "use fit_rejection"),
    ],
)
def test_one_purpose_is_asked_for(arguments, said):
    with pytest.raises(InputError, match=said):
        operating_point([0, 1], [0.1, 0.9], **arguments)


def test_both_classes_and_one_score_are_needed():
    with pytest.raises(InputError, match="both classes"):
        operating_point([1, 1], [0.1, 0.9], youden=True, classes=[0, 1])
    with pytest.raises(InputError, match="one number per case"):
        operating_point([0, 1], [[0.1, 0.9], [0.2, 0.8]], youden=True)


# -- accuracy against rejection ----------------------------------------------------------------------------


@pytest.mark.slow
@given(st.integers(2, 4), st.data())
def test_every_point_is_what_its_threshold_leaves(k, data):
    n = data.draw(st.integers(1, 15))
    rows = data.draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    p = np.array(rows, dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    y = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    curve = accuracy_rejection(y, p, level=0.9)
    assert curve.rejected[0] == 0
    assert (np.diff(curve.rejected) > 0).all()
    for i, least in enumerate(curve.thresholds):
        kept = p.max(axis=1) >= least
        hits = (p.argmax(axis=1) == y)[kept]
        assert (curve.kept[i], curve.rejected[i]) == (kept.sum(), (~kept).mean())
        assert (curve.accuracy[i], curve.error[i]) == pytest.approx((hits.mean(), 1 - hits.mean()))
        limits = binomtest(int(hits.sum()), int(kept.sum())).proportion_ci(0.9, "wilson")
        assert (curve.low[i], curve.high[i]) == pytest.approx((limits.low, limits.high), abs=1e-12)


def test_it_is_the_curve_of_risk_turned_round():
    rng = np.random.default_rng(5)
    p = rng.dirichlet([1, 1, 1], 200)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 200)]
    curve, risk = accuracy_rejection(y, p, classes=["a", "b", "c"]), risk_coverage(y, p, classes=["a", "b", "c"])
    np.testing.assert_allclose(curve.error[::-1], risk.y, atol=1e-15)
    np.testing.assert_allclose(1 - curve.rejected[::-1], risk.x, atol=1e-15)
    assert "0.3" in repr(curve)


def test_accuracy_needs_probabilities():
    with pytest.raises(InputError, match=r"0 and 1.*0\.5 to 2"):
        accuracy_rejection([0, 1], [0.5, 2.0])
