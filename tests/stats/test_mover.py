"""Limits of sums of estimates: the formula written out, its laws, and how often the truth lies within."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.binomial import jeffreys
from adjudge.stats.mover import mover, unbiased_centre

shares = st.floats(0, 1)
triples = st.tuples(shares, shares, shares).map(sorted)
parts = st.lists(st.tuples(triples, st.floats(-1, 1)), min_size=1, max_size=8)
tables = st.lists(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=30)


def columns(found):
    lows, values, highs = np.array([triple for triple, _ in found]).T
    return values, lows, highs, np.array([weight for _, weight in found])


@given(parts)
def test_limits_are_those_of_zou_and_donner(found):
    values, lows, highs, weights = columns(found)
    low, high = mover(values, lows, highs, weights)
    # Their eq. for sums of c_i theta_i: each term takes the smaller and the larger of c l and c u.
    ends = [sorted((w * a, w * b)) for w, a, b in zip(weights, lows, highs, strict=True)]
    centre = math.fsum(weights * values)
    assert low == pytest.approx(
        centre - math.sqrt(sum((w * v - e[0]) ** 2 for w, v, e in zip(weights, values, ends, strict=True))), abs=1e-12
    )
    assert high == pytest.approx(
        centre + math.sqrt(sum((e[1] - w * v) ** 2 for w, v, e in zip(weights, values, ends, strict=True))), abs=1e-12
    )


@given(parts)
def test_limits_stay_in_the_range_of_the_parts(found):
    values, lows, highs, weights = columns(found)
    low, high = mover(values, lows, highs, weights)
    least, most = (np.where(weights < 0, a, b) @ weights for a, b in ((highs, lows), (lows, highs)))
    assert least - 1e-12 <= low <= weights @ values <= high <= most + 1e-12


@given(triples)
def test_one_part_keeps_its_limits(triple):
    low, value, high = triple
    assert mover(*(np.array([each]) for each in (value, low, high)), np.ones(1)) == pytest.approx((low, high), abs=1e-15)


@given(parts)
def test_the_order_of_the_parts_does_not_matter(found):
    assert mover(*columns(found)) == pytest.approx(mover(*columns(found[::-1])), abs=1e-12)


def test_a_difference_of_shares_has_newcombes_limits():
    # Newcombe (1998) table II, 56/70 - 48/80 by method 10, which is MOVER on Wilson limits: .0524 to .3339.
    from adjudge.stats.binomial import wilson

    a, b = wilson(56, 70), wilson(48, 80)
    found = mover(np.array([0.8, 0.6]), np.array([a[0], b[0]]), np.array([a[1], b[1]]), np.array([1.0, -1.0]))
    assert found == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(tables)
def test_unbiased_centre_is_the_mean_give_or_take_the_posterior_spread(found):
    correct, support = np.array(found).T
    low, high = unbiased_centre(correct, support)
    spread = math.sqrt(sum(stats.beta.var(c + 1, n - c + 1) for c, n in found)) / len(found)
    centre = float(np.mean(correct / support))
    z = stats.norm.ppf(0.975)
    assert (low, high) == pytest.approx((max(0.0, centre - z * spread), min(1.0, centre + z * spread)), abs=1e-12)
    assert 0 <= low <= centre <= high <= 1
    assert low < high


@given(tables)
def test_unbiased_centre_of_the_errors_is_mirrored_and_nested(found):
    correct, support = np.array(found).T
    low, high = unbiased_centre(correct, support)
    mirrored = unbiased_centre(support - correct, support)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)
    inner = unbiased_centre(correct, support, 0.5)
    assert low <= inner[0] <= inner[1] <= high


def test_classes_without_a_case_are_left_out():
    assert unbiased_centre(np.array([5, 0, 7]), np.array([9, 0, 8])) == unbiased_centre(np.array([5, 7]), np.array([9, 8]))
    assert unbiased_centre(np.zeros(3), np.zeros(3)) == (0.0, 1.0)


def balanced_limits(correct, support):
    seen = support > 0
    ends = np.array([jeffreys(c, n) for c, n in zip(correct[seen], support[seen], strict=True)])
    weights = np.full(len(ends), 1 / len(ends))
    return mover(correct[seen] / support[seen], ends[:, 0], ends[:, 1], weights)


def simulated(method, recalls, shares_, n, seed):
    """Return how often the limits of 2,000 tables with random class sizes hold the truth; tables that lack a class are dropped."""
    rng = np.random.default_rng([20240901, seed, n])
    support = rng.multinomial(n, shares_, 2_000)
    support = support[(support > 0).all(axis=1)]
    correct = rng.binomial(support, recalls)
    limits = np.array([method(c, s) for c, s in zip(correct, support, strict=True)])
    truth = np.mean(recalls)
    return float(np.mean((limits[:, 0] <= truth) & (truth <= limits[:, 1])))


BALANCED = [
    ((0.7, 0.9), (0.5, 0.5), 40),
    ((0.7, 0.9), (0.1, 0.9), 100),
    ((0.9, 0.9), (0.2, 0.8), 50),
    ((0.9, 0.9), (0.1, 0.9), 300),
    ((0.5, 0.99), (0.1, 0.9), 300),
    ((0.9, 0.7), (0.02, 0.98), 1000),
    ((0.6, 0.8, 0.9), (1 / 3, 1 / 3, 1 / 3), 60),
    ((0.9, 0.9, 0.9), (1 / 3, 1 / 3, 1 / 3), 60),
    ((0.6, 0.8, 0.9), (0.8, 0.15, 0.05), 100),
    ((0.9, 0.9, 0.9), (0.8, 0.15, 0.05), 300),
    ((0.95, 0.9, 0.85), (0.5, 0.3, 0.2), 200),
    ((0.97, 0.9, 0.95), (0.4, 0.4, 0.2), 1000),
]


@pytest.mark.slow
@pytest.mark.parametrize("cell", range(len(BALANCED)))
def test_simulated_coverage_of_balanced_accuracy(cell):
    recalls, shares_, n = BALANCED[cell]
    assert 0.91 <= simulated(balanced_limits, recalls, shares_, n, cell) <= 0.99


def centre_coverage(per_class, mean, imbalance):
    rng = np.random.default_rng([per_class, imbalance, int(100 * mean)])
    recalls = np.clip(rng.normal(mean, 0.05, 10), 0.5, 0.99)
    sizes = np.geomspace(1, imbalance, 10)
    return simulated(unbiased_centre, recalls, sizes / sizes.sum(), 10 * per_class, imbalance)


CENTRE = [(per_class, mean, imbalance) for per_class in (10, 20, 100) for mean in (0.8, 0.9) for imbalance in (1, 25)]
TOO_SMALL = [(10, 0.8, 25), (20, 0.8, 25)]


@pytest.mark.slow
@pytest.mark.parametrize("cell", [cell for cell in CENTRE if cell not in TOO_SMALL])
def test_simulated_coverage_of_the_unbiased_centre(cell):
    assert 0.91 <= centre_coverage(*cell) <= 0.99


@pytest.mark.slow
@pytest.mark.xfail(reason="classes of one to three cases: the flat posterior's spread is too small; .87 here", strict=True)
@pytest.mark.parametrize("cell", TOO_SMALL)
def test_simulated_coverage_of_the_unbiased_centre_with_tiny_classes(cell):
    assert 0.91 <= centre_coverage(*cell) <= 0.99
