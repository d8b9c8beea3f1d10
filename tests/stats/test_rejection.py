"""Thresholds of rejection against oracles, all cuts tried in exact fractions, and expected costs added up by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from adjudge.corrections.costs import expected_cost
from adjudge.stats import rejection
from adjudge.stats.ranking import tabulate
from adjudge.stats.rejection import best_pair

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
TENTHS = st.integers(-20, 40).map(lambda k: Fraction(k, 10))  # not exact in binary: sums of them must still tie


def oracle(quantity):
    found = [case for case in CASES if case["quantity"] == quantity]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def gamma_costs(gamma):
    return np.array([[-1, gamma, 0], [gamma, -1, 0]], dtype=float)


def decided(scores, thresholds):
    """1 positive, 0 negative, 2 none."""
    low, high = thresholds
    return np.where(scores >= high, 1, np.where(scores < low, 0, 2))


def mean_cost(decisions, truth, costs):
    return sum(costs[int(y)][int(d)] for y, d in zip(truth, decisions, strict=True)) / len(truth)


def check_against(case, costs, most=None):
    scores, truth = np.array(case["inputs"]["scores"]), np.array(case["inputs"]["y"])
    found = rejection.two_sided(tabulate(scores, truth == 1), costs, most=most)
    expected, atol = case["expected"], case["tolerance"]["atol"]
    decisions = decided(scores, found.values)
    cut = [str(int((np.unique(scores) < t).sum())) for t in found.values]
    assert cut in expected["cuts"]
    assert found.optimal == int(expected["n_optimal"])
    assert (decisions == 2).sum() == int(expected["min_rejected_count"])
    assert mean_cost(decisions, truth, costs) == pytest.approx(float(expected["min_cost"]), abs=atol)
    return decisions, truth


@oracle("reject_thresholds_gamma")
def test_gamma_as_the_oracle_has_it(case):
    gamma = case["inputs"]["gamma"]
    decisions, truth = check_against(case, gamma_costs(gamma))
    wrong, none = ((decisions != truth) & (decisions != 2)).mean(), (decisions == 2).mean()
    assert (1 + gamma) * wrong + none == pytest.approx(float(case["expected"]["min_cost_eq15"]), abs=1e-12)


@oracle("reject_thresholds_alpha")
def test_alpha_as_the_oracle_has_it(case):
    inputs = case["inputs"]
    rho = inputs["rho"] or 0.0
    check_against(case, np.array([[0, inputs["alpha"], rho], [1, 0, rho]]), inputs["max_reject_rate"])


@oracle("reject_threshold_maxprob")
def test_the_highest_probability_as_the_oracle_has_it(case):
    p, labels, gamma = (case["inputs"][name] for name in ("p", "labels", "gamma"))
    p, labels = np.array(p), np.array(labels)
    right = p.argmax(axis=1) == labels
    found = rejection.one_sided(p.max(axis=1), right.astype(np.int64), np.array([gamma, -1.0]))
    kept = p.max(axis=1) >= found.values[0]
    cost = (gamma * (kept & ~right).sum() - (kept & right).sum()) / labels.size
    assert cost == pytest.approx(float(case["expected"]["min_cost"]), abs=case["tolerance"]["atol"])
    counts = [int(n) for n in case["expected"]["rejected_counts"]]
    assert (~kept).sum() == min(counts)
    assert found.optimal == len(counts)


# -- every cut tried ---------------------------------------------------------------------------------------


@st.composite
def two_class_cases(draw, elements=TENTHS):
    rows = draw(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 3)), min_size=1, max_size=12))
    scores, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    costs = draw(st.lists(st.lists(elements, min_size=3, max_size=3), min_size=2, max_size=2))
    return scores / 8, positive, weight, costs


def all_cuts(scores, positive, costs, times, most):
    """Return (cost, how much is rejected) of every allowed pair of cuts, in fractions."""
    edges = [*np.unique(scores), np.inf]
    total = int(times.sum())
    for low, high in combinations_with_replacement(edges, 2):
        decisions = decided(scores, (low, high))
        none = int(times[decisions == 2].sum())
        if most is None or Fraction(none, total) <= most:
            cells = zip(positive, decisions, times, strict=True)
            yield sum(costs[int(y)][int(d)] * int(n) for y, d, n in cells), none


@pytest.mark.slow
@given(two_class_cases(), st.none() | st.integers(0, 12).map(lambda k: Fraction(k, 12)), st.booleans())
def test_no_pair_of_thresholds_is_cheaper_and_none_as_cheap_rejects_less(case, most, weighted):
    scores, positive, weight, costs = case
    times = weight if weighted else np.ones_like(weight)
    tried = list(all_cuts(scores, positive, costs, times, most))
    best = min(tried)
    table = tabulate(scores, positive, weight.astype(float) if weighted else None)
    found = rejection.two_sided(table, np.array(costs, dtype=float), most=None if most is None else float(most))
    decisions = decided(scores, found.values)
    cost = sum(costs[int(y)][int(d)] * int(n) for y, d, n in zip(positive, decisions, times, strict=True))
    assert (cost, int(times[decisions == 2].sum())) == best
    assert found.optimal == sum(cost == best[0] for cost, _ in tried)
    assert found.values[0] <= found.values[1]


@pytest.mark.slow
@given(two_class_cases(), st.none() | st.integers(0, 12).map(lambda k: Fraction(k, 12)), st.booleans())
def test_no_single_threshold_is_cheaper(case, most, weighted):
    scores, right, weight, costs = case
    times = weight if weighted else np.ones_like(weight)
    beyond = costs[0][:2]
    tried = []
    for least in [*np.unique(scores), np.inf]:
        kept = scores >= least
        none = int(times[~kept].sum())
        if most is None or Fraction(none, int(times.sum())) <= most:
            tried.append((sum(beyond[int(r)] * int(n) for r, n in zip(right[kept], times[kept], strict=True)), none))
    found = rejection.one_sided(
        scores,
        right.astype(np.int64),
        np.array(beyond, dtype=float),
        weight=weight.astype(float) if weighted else None,
        most=None if most is None else float(most),
    )
    kept = scores >= found.values[0]
    cost = sum(beyond[int(r)] * int(n) for r, n in zip(right[kept], times[kept], strict=True))
    assert (cost, int(times[~kept].sum())) == min(tried)
    assert found.optimal == sum(cost == min(tried)[0] for cost, _ in tried)


@pytest.mark.slow
@given(two_class_cases(), st.none() | st.floats(0, 1), st.data())
def test_cases_of_weight_0_are_none(case, most, data):
    scores, right, weight, costs = case
    counting = np.array([True, *data.draw(st.lists(st.booleans(), min_size=scores.size - 1, max_size=scores.size - 1))])
    kind, beyond, weight = right.astype(np.int64), np.array(costs[0][:2], dtype=float), weight * counting.astype(float)
    found = rejection.one_sided(scores, kind, beyond, weight=weight, most=most)
    wanted = rejection.one_sided(scores[counting], kind[counting], beyond, weight=weight[counting], most=most)
    assert (found.values.tolist(), found.optimal) == (wanted.values.tolist(), wanted.optimal)


@pytest.mark.parametrize("most", [0.0, 1.0, 7.0, 64.0, 150.0, 1e9])
@pytest.mark.parametrize("seed", range(3))
def test_long_stretches_are_searched_whole(most, seed):
    rng = np.random.default_rng(seed)
    below, above = rng.integers(-30, 30, (2, 300)).astype(float)
    mass = np.concatenate(([0], np.cumsum(rng.integers(1, 4, 299))))
    first, second, optimal = best_pair(below, above, mass, most, 0.0)
    lower, upper = np.triu_indices(300)
    allowed = mass[upper] - mass[lower] <= most
    cost, gone = (below[lower] + above[upper])[allowed], (mass[upper] - mass[lower])[allowed]
    assert below[first] + above[second] == cost.min()
    assert mass[second] - mass[first] == gone[cost == cost.min()].min()
    assert optimal == (cost == cost.min()).sum()


@pytest.mark.slow
@given(two_class_cases(), st.integers(0, 10).map(lambda k: k / 10))
def test_two_classes_are_never_rejected_where_an_error_costs_no_more_than_a_hit_gains(case, gamma):
    scores, positive, *_ = case
    low, high = rejection.two_sided(tabulate(scores, positive), gamma_costs(gamma)).values
    assert low == high


@pytest.mark.slow
@given(two_class_cases())
def test_the_classes_may_change_places(case):
    scores, positive, _, costs = case
    table = np.array(costs, dtype=float)
    found = rejection.two_sided(tabulate(scores, positive), table)
    mirrored = rejection.two_sided(tabulate(-scores, ~positive), table[::-1][:, [1, 0, 2]])
    assert found.optimal == mirrored.optimal
    turned = np.array([1, 0, 2])[decided(-scores, mirrored.values)]
    here, there = (mean_cost(d, positive, table) for d in (decided(scores, found.values), turned))
    assert here == pytest.approx(there, abs=1e-12)
    assert (decided(scores, found.values) == 2).sum() == (turned == 2).sum()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20, unique=True))
def test_a_threshold_parts_the_scores_where_it_should(values):
    values = np.sort(np.array(values)) + 0.0
    values = np.unique(values)
    for cut in range(values.size + 1):
        assert (values < rejection.between(values, cut)).sum() == cut


def test_a_cap_allows_the_share_it_names():
    # 57 of 100 is 0.57, though 0.57 * 100 rounds below 57
    scores = np.arange(100.0)
    found = rejection.one_sided(scores, np.zeros(100, dtype=np.int64), np.array([1.0]), most=0.57)
    assert (scores < found.values[0]).sum() == 57


# -- probabilities at their word ---------------------------------------------------------------------------


@st.composite
def sixteenths(draw, k):
    cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=k - 1, max_size=k - 1)))
    return [Fraction(b - a, 16) for a, b in zip([0, *cuts], [*cuts, 16], strict=True)]


@pytest.mark.slow
@given(
    st.integers(2, 4).flatmap(
        lambda k: st.tuples(sixteenths(k), st.lists(st.lists(TENTHS, min_size=k + 1, max_size=k + 1), min_size=k, max_size=k))
    )
)
def test_the_cheapest_decision_is_the_first_of_least_expected_cost(case):
    p, costs = case
    expected = [sum(a * row[j] for a, row in zip(p, costs, strict=True)) for j in range(len(costs) + 1)]
    row, table = np.array([p], dtype=float), np.array(costs, dtype=float)
    assert rejection.cheapest(row, table)[0] == expected.index(min(expected))
    np.testing.assert_allclose(expected_cost(row, table)[0], np.array(expected, dtype=float), atol=1e-14)


def test_rounding_does_not_break_ties():
    # 0.1 x 3 rounds above 0.3, and yet the first of two equally cheap decisions is taken
    assert rejection.cheapest(np.array([[0.3, 0.1, 0.6]]), np.array([[0, 1, 1], [3, 0, 3], [0, 0, 3]])).tolist() == [0]


@given(st.integers(2, 4).flatmap(sixteenths), st.integers(0, 60).map(lambda k: Fraction(k, 4)))
def test_chows_threshold_rejects_where_rejecting_is_expected_to_cost_less(p, gamma):
    deciding = gamma * (1 - max(p)) - max(p)  # of gamma L - A, where rejecting is 0
    assert (float(max(p)) < rejection.chow_threshold(float(gamma))) == (deciding > 0)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_band_is_scipys_wilson_at_every_point(level):
    trials = np.repeat([1, 2, 7, 40, 1000], 3).astype(float)
    hits = np.array([0, 1, 1, 0, 1, 2, 0, 3, 7, 0, 39, 40, 0, 1, 1000], dtype=float)
    low, high = rejection.wilson_band(hits, trials, level)
    theirs = [binomtest(int(k), int(n)).proportion_ci(level, "wilson") for k, n in zip(hits, trials, strict=True)]
    np.testing.assert_allclose(low, [limits.low for limits in theirs], atol=1e-14)
    np.testing.assert_allclose(high, [limits.high for limits in theirs], atol=1e-14)
