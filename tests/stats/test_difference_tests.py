"""Tests of differences by signs, ranks and swaps, and many comparisons at once."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mpmath import mp
from scipy import stats
from tests.conftest import ORACLES

from adjudge.stats import difference_tests
from adjudge.stats.difference_tests import (
    area_steps,
    best_shares,
    coin_counts,
    drawn_error,
    drawn_tail,
    holm,
    largest_share,
    mid_tail,
    n_differing,
    runs_alike,
    sign_test,
    signed_rank_test,
    signed_tail,
    smallest_p,
    welch,
    wilcoxon_p,
)
from adjudge.stats.paired import paired_distribution

BAYCOMP = json.loads((ORACLES / "baycomp_sets.json").read_text(encoding="utf-8"))
thousandths = st.lists(st.integers(-40, 40).map(lambda k: k / 1000), min_size=2, max_size=12)
margins = st.sampled_from([0.0, 0.001, 0.01, 0.02])


def enumerated_p(differences, *, split=False):
    """Return the share of all patterns of signs that lie as far out, one side doubled."""
    ranks = stats.rankdata(np.abs(differences))
    zero = np.array(differences) == 0
    shift = ranks[zero].sum() / 2 if split else 0.0
    ranks, signs = ranks[~zero], np.sign(differences)[~zero]
    sums = [shift + ranks[np.array(up, dtype=bool)].sum() for up in itertools.product([0, 1], repeat=ranks.size)]
    seen = shift + ranks[signs > 0].sum()
    low, high = np.mean(np.array(sums) <= seen + 1e-9), np.mean(np.array(sums) >= seen - 1e-9)
    return min(1.0, 2 * min(low, high))


@pytest.mark.slow
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9), st.booleans())
def test_ties_and_zeros_agree_with_enumeration_whether_zeros_are_left_out_or_split(differences, split):
    assert wilcoxon_p(np.array(differences, dtype=float)) == pytest.approx(enumerated_p(differences, split=split), rel=1e-12)


@pytest.mark.slow
@given(st.sets(st.integers(1, 1000), min_size=1, max_size=120), st.randoms(use_true_random=False))
def test_agrees_with_scipy_exact_without_ties(sizes, chance):
    differences = np.array([chance.choice([-1, 1]) * size for size in sorted(sizes)], dtype=float)
    assert wilcoxon_p(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


def test_agrees_with_scipys_normal_distribution_above():
    rng = np.random.default_rng(5)
    for shift in (0.0, 0.1, 0.3):
        differences = np.round(rng.normal(shift, 1, difference_tests.EXACT_UP_TO + 60), 1)  # ties and zeros
        wanted = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic", correction=True).pvalue
        assert wilcoxon_p(differences) == pytest.approx(wanted, rel=1e-10)


def test_normal_and_exact_meet():
    differences = np.random.default_rng(1).normal(0.1, 1, difference_tests.EXACT_UP_TO + 1)
    exact = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon_p(differences) == pytest.approx(exact, abs=1e-3)


def test_the_rounding_of_a_subtraction_unties_nothing():
    a, b = np.array([0.3, 0.2, 0.9, 0.5, 0.4]), np.array([0.2, 0.1, 0.8, 0.6, 0.4])
    assert np.unique(np.abs(a - b)).size > 2
    assert wilcoxon_p(a - b) == enumerated_p([1, 1, 1, -1, 0])


def test_all_equal_and_the_least_p_value():
    assert wilcoxon_p(np.zeros(7)) == 1.0
    assert n_differing(np.array([0.0, 0.1, -0.1, 0.0])) == 2
    for n in range(1, 12):
        assert wilcoxon_p(np.arange(1.0, n + 1)) == smallest_p(n)
    assert smallest_p(0) == 1.0


def mp_largest(own, others):
    """Return P(Gamma(own) > max of the others) with 30 digits."""
    with mp.workdps(30):

        def part(t):
            x = mp.e**t
            value = mp.e ** (own * t - x) / mp.gamma(own)
            for a in others:
                value *= mp.gammainc(a, 0, x, regularized=True)
            return value

        return float(mp.quad(part, mp.linspace(-30, 8, 40)))


@pytest.mark.slow
@pytest.mark.parametrize("weights", [(1, 1, 1), (3, 1, 12), (4, 7.5, 2), (60, 3.25, 48), (2, 0.6, 1)])
def test_largest_share_agrees_with_quadrature_of_many_digits(weights):
    wanted = [mp_largest(weights[k], [w for at, w in enumerate(weights) if at != k]) for k in range(3)]
    assert largest_share(*weights) == pytest.approx(wanted, rel=1e-11)


@given(st.floats(0.2, 3000), st.floats(0.2, 3000))
def test_of_two_shares_the_distribution_is_a_beta(first, second):
    worse, same, better = largest_share(first, second, 0.0)
    assert better == 0
    assert worse == pytest.approx(stats.beta.sf(0.5, first, second), abs=1e-11)
    assert worse + same == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("case", BAYCOMP["cases"], ids=lambda case: case["name"])
def test_sign_test_agrees_with_baycomp(case):
    found = sign_test(np.array(case["differences"]), margin=case["rope"])
    for ours, theirs in zip(found, case["sign"], strict=True):
        # baycomp adds 1e-4 to every parameter, which moves a probability by less than that
        assert ours == pytest.approx(theirs, abs=4.5 * drawn_error(ours, BAYCOMP["draws"]) + 1e-4)


@pytest.mark.parametrize("case", BAYCOMP["cases"], ids=lambda case: case["name"])
def test_signed_rank_test_agrees_with_baycomp(case):
    found = signed_rank_test(np.array(case["differences"]), np.random.default_rng(0), margin=case["rope"])
    for ours, theirs in zip(found, case["signed_rank"], strict=True):
        both = math.hypot(drawn_error(theirs), drawn_error(theirs, BAYCOMP["draws"]))
        assert ours == pytest.approx(theirs, abs=4.5 * both)


@pytest.mark.parametrize(("sets", "prior"), [(1, 0.5), (1, 3.0), (3, 0.5), (4, 5.0)])
def test_where_all_are_better_only_the_prior_speaks_against(sets, prior):
    # then the share in the margin is w0^2, with w0 of distribution Beta(prior, sets)
    found = signed_rank_test(np.linspace(1, 2, sets), np.random.default_rng(3), margin=0.1, prior=prior)
    wanted = stats.beta.cdf(math.sqrt(0.5), prior, sets)
    assert found[0] == 0
    assert found[2] == pytest.approx(wanted, abs=4.5 * drawn_error(wanted))


@pytest.mark.slow
@example([0.001, -0.001], 0.0)
@given(thousandths, margins)
def test_neither_the_order_nor_the_names_matter(differences, margin):
    def judged(values):
        d = np.array(values)
        drawn = signed_rank_test(d, np.random.default_rng(7), margin=margin, draws=300)
        return wilcoxon_p(d), sign_test(d, margin=margin), drawn

    p, sign, drawn = judged(differences)
    assert judged([*differences[:0:-1], differences[0]]) == (p, sign, drawn)
    mirrored = judged([-d for d in differences])
    assert mirrored[0] == p
    assert mirrored[1] == pytest.approx(sign[::-1], abs=1e-14)
    assert mirrored[2] == pytest.approx(drawn[::-1], abs=1e-14)


@pytest.mark.slow
@given(thousandths)
def test_three_numbers_sum_to_one_and_a_wider_margin_holds_more(differences):
    d = np.array(differences)
    for test in (sign_test, lambda v, margin: signed_rank_test(v, np.random.default_rng(2), margin=margin, draws=300)):
        found = [test(d, margin=margin) for margin in (0.001, 0.005, 0.02, 0.05)]
        assert [sum(three) for three in found] == pytest.approx([1.0] * 4, abs=1e-12)
        same = [three[1] for three in found]
        assert same == sorted(same)
        assert same[-1] == 1.0


def test_draws_in_blocks_are_all_counted(monkeypatch):
    monkeypatch.setattr(difference_tests, "_BLOCK", 40)
    found = signed_rank_test(np.array([0.1, -0.2, 0.3]), np.random.default_rng(2), margin=0.01, draws=1003)
    assert sum(found) == pytest.approx(1)


def test_no_difference_and_no_margin_favours_nobody():
    assert signed_rank_test(np.zeros(4), np.random.default_rng(0), draws=100) == (0.5, 0.0, 0.5)
    assert sign_test(np.zeros(4)) == (0.0, 1.0, 0.0)


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("size", [30, 200])
def test_many_steps_are_summed_nearly_as_drawn(size):
    rng = np.random.default_rng(5)
    steps = rng.gamma(0.7, size=size)
    at = 1.6 * float(np.sqrt(np.square(steps).sum()))
    drawn = (rng.choice([-1.0, 1.0], (20_000, size)) @ steps > at).mean()
    assert signed_tail(steps, at) == pytest.approx(drawn, abs=0.006)


@pytest.mark.slow
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_mid_p_of_right_and_wrong_is_the_posterior_of_both(b, c):
    """P(Beta(c + 1, b + 1) > 1/2) is the mid-P of the sign test: the distribution of the accuracy needs no widening."""
    heads, weights = coin_counts(np.array([b + c]), 10_000)
    tail = mid_tail(2.0 * heads[:, 0] - b - c, weights, float(b - c))
    assert tail == pytest.approx(float(paired_distribution(np.array([[3, b, c, 2]]) + 1.0, np.ones(1)).cdf(0.0)), abs=1e-9)
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


probabilities = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1))


@pytest.mark.slow
@given(arrays(np.float64, st.integers(1, 7), elements=st.floats(0, 1)))
def test_holm_against_all_intersections(p):
    """Holm's is the closed test of Bonferroni's: a hypothesis falls when every set that holds it does."""
    sets = [each for size in range(1, p.size + 1) for each in combinations(range(p.size), size)]
    expected = [max(min(1.0, len(each) * p[list(each)].min()) for each in sets if i in each) for i in range(p.size)]
    assert holm(p) == pytest.approx(expected, abs=1e-15)


@pytest.mark.slow
@given(probabilities, st.randoms(use_true_random=False))
def test_holm_does_not_mind_the_order(p, random):
    order = list(range(p.size))
    random.shuffle(order)
    assert np.array_equal(holm(p[order]), holm(p)[order])


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_runs_hold_no_two_that_are_told_apart_and_cannot_grow(m, seed):
    upper = np.triu(np.random.default_rng(seed).random((m, m)) < 0.3, 1)
    apart = upper | upper.T
    runs = runs_alike(apart)
    alike = {(i, j) for i in range(m) for j in range(i, m) if not apart[i : j + 1, i : j + 1].any()}
    longest = {(i, j) for i, j in alike if (i - 1, j) not in alike and (i, j + 1) not in alike}
    assert set(runs) == longest
    assert {at for first, last in runs for at in range(first, last + 1)} == set(range(m))


def test_the_best_of_each_row_and_ties_shared():
    draws = np.array([[1.0, 2.0, 0.0], [3.0, 3.0, 1.0], [5.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert best_shares(draws) == pytest.approx([(0 + 0.5 + 1 + 1 / 3) / 4, (1 + 0.5 + 1 / 3) / 4, 1 / 12])
