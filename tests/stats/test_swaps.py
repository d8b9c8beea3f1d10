"""Swaps against enumerations written out here, SciPy's permutation test, and a DeLong of all pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.paired import paired_law
from adjudge.stats.swaps import area_steps, coin_counts, drawn_tail, mid_tail, signed_tail, welch


def halves(positives, negatives):
    """Return the pairs in order, ties counted half, as exact numbers."""
    each = [Fraction(int(x > y)) + Fraction(int(x == y), 2) for x in positives for y in negatives]
    return sum(each) / len(each)


def ranked(values):
    return stats.rankdata(values)


def swapped_leads(a, b, positive):
    """Return the difference of the AUCs of ranks after every one of the swaps of single cases."""
    found = []
    for swap in product([False, True], repeat=a.size):
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        found.append(halves(one[positive], one[~positive]) - halves(other[positive], other[~positive]))
    return found


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 5))
@settings(max_examples=25)
def test_the_tail_of_areas_is_that_of_all_swaps(seed, m, k):
    rng = np.random.default_rng(seed)
    positive = np.arange(m + k) < m
    a, b = (ranked(rng.integers(0, 5, m + k)) for _ in range(2))
    leads = swapped_leads(a, b, positive)
    at = leads[0]
    expected = Fraction(sum(2 * (lead > at) + (lead == at) for lead in leads), 2 * len(leads))
    steps = area_steps(a * 7 - 3, np.exp(b), positive, np.ones(m + k))  # only the order counts
    assert steps.sum() == pytest.approx(float(at), abs=1e-12)
    assert signed_tail(steps, float(at)) == pytest.approx(float(expected), abs=1e-9)


def test_scipys_permutation_test_of_a_small_case():
    rng = np.random.default_rng(3)
    positive = np.arange(7) < 2
    a, b = (ranked(rng.normal(size=7) + 1.5 * positive) for _ in range(2))

    def lead(one, other):
        areas = [stats.mannwhitneyu(x[positive], x[~positive]).statistic / 10 for x in (one, other)]
        return areas[0] - areas[1]

    theirs = stats.permutation_test((a, b), lead, permutation_type="samples", n_resamples=np.inf, alternative="greater")
    at = lead(a, b)
    equal = np.mean(np.abs(theirs.null_distribution - at) < 1e-9)
    steps = area_steps(a, b, positive, np.ones(7))
    assert signed_tail(steps, at) == pytest.approx(theirs.pvalue - equal / 2, abs=1e-12)


def test_steps_of_weighted_cases_are_those_of_repeated_ones():
    rng = np.random.default_rng(4)
    positive, times = np.arange(12) < 4, rng.integers(1, 4, 12)
    a, b = (rng.permutation(12).astype(float) for _ in range(2))
    rows = np.repeat(np.arange(12), times)
    once = area_steps(a, b, positive, times.astype(float))
    each = area_steps(a[rows], b[rows], positive[rows], np.ones(rows.size))
    summed = np.bincount(rows, weights=each)
    assert once.sum() == pytest.approx(each.sum())
    # ranks of repeated cases are spread out, so that only what compares a with a and b with b agrees
    assert np.sign(once.sum()) == np.sign(summed.sum())


@pytest.mark.parametrize("size", [30, 200])
def test_many_steps_are_summed_nearly_as_drawn(size):
    rng = np.random.default_rng(5)
    steps = rng.gamma(0.7, size=size)
    at = 1.6 * float(np.sqrt(np.square(steps).sum()))
    drawn = (rng.choice([-1.0, 1.0], (20_000, size)) @ steps > at).mean()
    assert signed_tail(steps, at) == pytest.approx(drawn, abs=0.006)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_mid_p_of_right_and_wrong_is_the_posterior_of_both(b, c):
    """P(Beta(c + 1, b + 1) > 1/2) is the mid-P of the sign test: the law of the accuracy needs no widening."""
    heads, weights = coin_counts(np.array([b + c]), 10_000)
    tail = mid_tail(2.0 * heads[:, 0] - b - c, weights, float(b - c))
    assert tail == pytest.approx(float(paired_law(np.array([[3, b, c, 2]]) + 1.0, np.ones(1)).cdf(0.0)), abs=1e-9)
    n = b + c
    exact = Fraction(sum(2 * comb(n, j) for j in range(b + 1, n + 1)) + comb(n, b), 2 ** (n + 1))
    assert tail == pytest.approx(float(exact), abs=1e-12)


def test_coins_are_enumerated_or_drawn():
    heads, weights = coin_counts(np.array([2, 3]), 12)
    assert sorted(map(tuple, heads.tolist())) == sorted(product(range(3), range(4)))
    assert dict(zip(map(tuple, heads.tolist()), weights, strict=True))[1, 2] == pytest.approx(2 / 4 * 3 / 8)
    heads, weights = coin_counts(np.array([50, 60]), 1_000)
    assert heads.shape == (1_000, 2)
    assert (heads.mean(axis=0) == (25, 30)).all()  # one half mirrors the other
    assert weights.sum() == pytest.approx(1_000 / 1_001)
    heads, weights = coin_counts(np.array([], dtype=np.int64), 10)
    assert heads.shape == (1, 0)
    assert weights.tolist() == [1.0]


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(2, 9))
@settings(max_examples=25)
def test_the_variance_is_delongs_over_all_pairs(seed, m, k):
    rng = np.random.default_rng(seed)
    positive = np.arange(m + k) < m
    a, b = (rng.integers(0, 6, m + k) for _ in range(2))
    placed = []
    for scores in (a, b):
        pairs = np.array([[(x > y) + (x == y) / 2 for y in scores[~positive]] for x in scores[positive]])
        placed.append((pairs.mean(axis=1), pairs.mean(axis=0)))
    ours, theirs = (placed[0][side] - placed[1][side] for side in (0, 1))
    pieces = ours.var(ddof=1) / m, theirs.var(ddof=1) / k
    lead = float(ours.mean())
    moved = np.concatenate((ours - lead, theirs - lead)) * np.where(positive, (m + k) / m, (m + k) / k)
    variance, df = welch(moved, positive.astype(int), np.ones(m + k))
    assert variance == pytest.approx(sum(pieces), abs=1e-15)
    if variance > 1e-12:
        assert df == pytest.approx(sum(pieces) ** 2 / (pieces[0] ** 2 / (m - 1) + pieces[1] ** 2 / (k - 1)), rel=1e-9)
        assert min(m, k) - 1 <= df * (1 + 1e-9) <= (m + k - 2) * (1 + 2e-9)


def test_no_steps_favour_nobody():
    assert signed_tail(np.zeros(5), 0.0) == 0.5
    same = np.array([0.3, 0.9, 0.3, 0.1])
    assert not area_steps(same, same, np.array([True, True, False, False]), np.ones(4)).any()


@pytest.mark.parametrize("z", [-9.0, -5.0, 0.0, 2.0, 5.0, 9.0])
def test_the_tail_of_draws_has_no_floor_and_is_mirrored(z):
    draws = np.random.default_rng(3).normal(size=10_000)
    both = np.concatenate((draws, -draws))
    found = drawn_tail(both, z)
    assert found == pytest.approx(stats.norm.sf(z), rel=0.25)
    assert drawn_tail(both, -z) == pytest.approx(1 - found, abs=1e-12)
