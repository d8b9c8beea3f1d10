"""Limits of sums of estimates: the formulas written out, and their laws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.binomial import wilson
from adjudge.stats.mover import mover, steadied, unbiased_centre

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
    a, b = wilson(56, 70), wilson(48, 80)
    found = mover(np.array([0.8, 0.6]), np.array([a[0], b[0]]), np.array([a[1], b[1]]), np.array([1.0, -1.0]))
    assert found == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(tables)
def test_unbiased_centre_has_the_limits_of_a_share_of_the_cases_it_is_worth(found):
    low, high = unbiased_centre(*np.array(found).T)
    k, mean = len(found), sum(Fraction(c, n) for c, n in found) / len(found)
    even = k**2 / sum(Fraction(1, n) for _, n in found)
    middle = (even * mean + 2) / (even + 4)
    shares = [(c + 2 * middle) / (n + 2) for c, n in found]
    variance = sum(s * (1 - s) / n / (1 - Fraction(n, (n + 2) ** 2)) for s, (_, n) in zip(shares, found, strict=True)) / k**2
    steady = sum(shares) / k
    worth = float(steady * (1 - steady) / variance)
    for end in (low, high):  # the ends of Wilson's interval solve the equation of the score test
        assert (float(mean) - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * end * (1 - end) / worth, abs=1e-12)
    assert 0 <= low <= mean + 1e-15
    assert mean - 1e-15 <= high <= 1
    assert high - low > 1e-3


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_the_steadied_variance_is_that_of_the_shares(n):
    # 20,000 classes of one recall: their observed shares vary by p (1 - p) / n, and the mean is all but known.
    hits = np.random.default_rng(n).binomial(n, 0.8, 20_000).astype(float)
    _, variances = steadied(hits, np.full(20_000, float(n)))
    assert variances.mean() == pytest.approx(0.8 * 0.2 / n, rel=0.02)


@pytest.mark.parametrize("k", [10, 1000])
def test_no_error_in_any_class_is_not_certainty(k):
    low, high = unbiased_centre(np.full(k, 3), np.full(k, 3))
    # At three expected errors 5% of the samples have none: such a rate is not excluded.
    assert low <= 1 - 3 / (3 * k) + 1e-12
    assert high == 1.0


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
