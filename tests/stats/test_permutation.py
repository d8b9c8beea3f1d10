"""The permutation test of the balanced accuracy: against scipy, rational enumeration, and draws of whole tables."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import permutations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats import permutation
from adjudge.stats.permutation import gamma_tail, moments, null_distribution, p_values, within_strata

margins = st.integers(2, 4).flatmap(
    lambda k: st.tuples(*(st.lists(st.integers(0, k - 1), min_size=6, max_size=6) for _ in range(2)), st.just(k))
)


def every_sum(truth, predicted, k):
    """All sums of recalls over all permutations, as fractions."""
    n = [truth.count(i) for i in range(k)]
    return [sum(Fraction(1, n[t]) for t, p in zip(truth, order, strict=True) if t == p) for order in permutations(predicted)]


@pytest.mark.slow
@given(margins)
@settings(max_examples=15)
def test_small_tables_are_exact(case):
    truth, predicted, k = case
    sums = every_sum(truth, predicted, k)
    null = null_distribution(np.bincount(truth, minlength=k), np.bincount(predicted, minlength=k))
    assert null.method == "exact"
    for t in set(sums):
        mid = Fraction(2 * sum(s > t for s in sums) + sum(s == t for s in sums), 2 * len(sums))
        tail = Fraction(sum(s >= t for s in sums), len(sums))
        assert null.tails(float(t)) == pytest.approx((float(mid), float(tail)), rel=1e-9)
        assert p_values(null, float(t)) == pytest.approx(max(float(mid), min(float(tail) / 1.4, 0.1)), rel=1e-9)


@pytest.mark.slow
@given(margins)
@settings(max_examples=15)
def test_moments_are_those_of_all_permutations(case):
    truth, predicted, k = case
    sums = np.array(every_sum(truth, predicted, k), dtype=float)
    n, m = np.bincount(truth, minlength=k), np.bincount(predicted, minlength=k)
    found = moments(n, m, np.where(n > 0, 1 / np.maximum(n, 1), 0.0))
    wanted = sums.mean(), sums.var(), ((sums - sums.mean()) ** 3).mean()
    assert found == pytest.approx(wanted, abs=1e-12)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_two_classes_are_fishers_test(a, b, data):
    m = data.draw(st.integers(0, a + b))
    distribution = stats.hypergeom(a + b, a, m)
    x = data.draw(st.integers(max(0, m - b), min(a, m)))
    null = null_distribution(np.array([a, b]), np.array([m, a + b - m]))
    wanted = distribution.sf(x) + distribution.pmf(x) / 2 if 0 < m < a + b else 0.5
    assert null.tails(x / a + (b - m + x) / b)[0] == pytest.approx(wanted, rel=1e-9)


def test_two_classes_of_a_milliard_cases():
    a, m, x = 10**9, 10**9 + 7, 500_020_000
    mp.mp.dps = 40
    point = mp.binomial(a, x) * mp.binomial(a, m - x) / mp.binomial(2 * a, m)
    k = np.arange(x, x + 200_000, dtype=float)
    tail = float(point) * (0.5 + np.cumprod((a - k) / (k + 1) * ((m - k) / (a - m + k + 1))).sum())
    null = null_distribution(np.array([a, a]), np.array([m, 2 * a - m]))
    assert null.tails(x / a + (a - m + x) / a)[0] == pytest.approx(tail, rel=1e-9)


HOSTILE = {
    "tiny beside large": ([1000, 1, 1], [900, 51, 51]),
    "hardly another answer": ([300, 300, 300], [880, 10, 10]),
    "both": ([400, 400, 2, 3, 1], [700, 100, 4, 1, 1]),
    "elsewhere": ([500, 20, 5, 0], [170, 175, 175, 5]),
    "never predicted": ([200, 30, 20, 10], [200, 60, 0, 0]),
    "steep": ([500, 100, 50, 20, 10, 5, 2, 1, 1, 1], [69] * 10),
    "many of one case": ([1] * 200, [1] * 200),
    "many of five": ([5] * 80, [5] * 80),
    "ten of ten": ([10] * 10, [28, *[8] * 9]),
    "three of thirty": ([30, 30, 30], [40, 30, 20]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_tails_agree_with_whole_tables_drawn(name):
    n, m = map(np.array, HOSTILE[name])
    truth, predicted = np.repeat(np.arange(n.size), n), np.repeat(np.arange(m.size), m)
    rng, draws = np.random.default_rng(7), 3000
    weight = (1 / np.maximum(n, 1))[truth]
    sums = np.concatenate([(rng.permuted(np.tile(predicted, (500, 1)), axis=1) == truth) @ weight for _ in range(draws // 500)])
    null = null_distribution(n, m)
    for t in np.quantile(sums, [0.5, 0.9, 0.95, 0.98], method="higher"):
        seen = np.mean(sums > t + 1e-9) + np.mean(np.abs(sums - t) < 1e-9) / 2
        assert null.tails(t)[0] == pytest.approx(seen, abs=4 * np.sqrt(seen / draws))
    sums = np.sort(sums)
    first = bisect_left(sums, True, key=lambda t: bool(p_values(null, t) <= 0.05))  # p falls as the sum rises
    assert 1 - first / draws < 0.07 + 3 * np.sqrt(0.07 * 0.93 / draws)


@pytest.mark.parametrize("others", [17, 997])  # shuffled, and put on places of their own
def test_cases_meet_places_of_their_kind_as_often_as_at_random(others):
    draws = 20_000
    places, cases = np.tile([3, 2, others], (draws, 1)), np.tile([3, 1, 0], (draws, 1))
    at, kind, met = permutation._met(cases, places, np.random.default_rng(5))
    assert np.array_equal(np.bincount(at), np.full(draws, 4))
    for which, size in ((0, 3), (1, 1)):
        hits = np.bincount(np.bincount(at, (kind == which) & (met == which), minlength=draws).astype(int), minlength=size + 1)
        exact = stats.hypergeom(5 + others, places[0, which], size).pmf(np.arange(size + 1))
        assert hits / draws == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(("n", "m"), [([25, 25, 25], [70, 3, 2]), ([60, 30, 2], [31, 31, 30]), ([40, 40, 3], [60, 20, 3])])
def test_draws_and_enumeration_agree(n, m, monkeypatch):
    exact = null_distribution(np.array(n), np.array(m))
    monkeypatch.setattr(permutation, "_MOST_ENUMERATED", 0)
    drawn = null_distribution(np.array(n), np.array(m))
    assert exact.method == "exact"
    assert drawn.method.endswith(" draws")
    t = np.sort(exact.values)[:: max(1, exact.values.size // 9)]
    assert drawn.tails(t)[0] == pytest.approx(exact.tails(t)[0], abs=0.015)


@pytest.mark.parametrize("k", [2, 3, 10, 2000])
def test_a_constant_answer_gets_one_half(k):
    n = np.arange(1, k + 1)
    for at in (0, k - 1):
        m = np.zeros(k, dtype=int)
        m[at] = n.sum()
        assert p_values(null_distribution(n, m), 1.0) == 0.5


@pytest.mark.slow
def test_the_same_seed_gives_the_same_digits():
    n, m = map(np.array, HOSTILE["steep"])
    a, b, c = (null_distribution(n, m, seed).tails(1.3)[0] for seed in (0, 0, 1))
    assert a == b != c
    assert a == pytest.approx(c, abs=0.02)


@pytest.mark.slow
def test_huge_tables_are_quick_and_sound():
    sizes = np.full(100_000, 5)
    assert p_values(null_distribution(sizes, sizes), 1.0) == pytest.approx(0.5, abs=0.1)
    huge = np.full(3, 10**9)
    assert p_values(null_distribution(huge, huge), 1.0) == pytest.approx(0.5, abs=1e-6)
    assert p_values(null_distribution(huge, huge), 1.001) < 1e-100
    beside = np.array([10**9, 10**9, 3, 2])
    assert 0.4 < p_values(null_distribution(beside, np.array([10**9 + 5, 10**9 - 10, 5, 5])), 1.0) < 0.6


@pytest.mark.parametrize("size", [10**9, 10**11])
def test_hardly_another_answer_among_very_many_cases(size):
    # two odd answers: each adds a step where it is right, takes one where it falls on the common answer's class
    null = null_distribution(np.full(3, size), np.array([3 * size - 2, 1, 1]))
    mid, exact = null.tails(1 + np.array([2, 1, 0]) / size)
    assert mid == pytest.approx([1 / 18, 1 / 9 + 1 / 9, 1 / 2], rel=1e-3)
    assert exact == pytest.approx([1 / 9, 1 / 3, 2 / 3], rel=1e-3)
    two = null_distribution(np.array([size, size]), np.array([2 * size - 5, 5]))
    assert two.tails(1 + 5 / size)[0] == pytest.approx(1 / 64, rel=1e-3)


def test_the_gamma_tail_is_scipys_type_three():
    z, skewness = np.linspace(-2, 6, 17), np.array([-1.5, -0.1, 0.3, 2.0])[:, None]
    assert gamma_tail(z, skewness) == pytest.approx(stats.pearson3.sf(z, skewness), rel=1e-9, abs=1e-300)
    assert gamma_tail(z, np.zeros(17)) == pytest.approx(stats.norm.sf(z), rel=1e-12)


def test_strata_add_up():
    n, m = np.array([[30, 10, 5], [8, 20, 12]]), np.array([[25, 15, 5], [10, 20, 10]])
    weights = 1 / n / 6
    rng, sums = np.random.default_rng(3), np.zeros(20_000)
    for rows, columns, w in zip(n, m, weights, strict=True):
        truth, predicted = np.repeat(np.arange(3), rows), np.repeat(np.arange(3), columns)
        sums += (rng.permuted(np.tile(predicted, (sums.size, 1)), axis=1) == truth) @ w[truth]
    for t in np.quantile(sums, [0.5, 0.9, 0.97]):
        seen = np.mean(sums > t + 1e-9) + np.mean(np.abs(sums - t) < 1e-9) / 2
        assert within_strata(n, m, weights, t) == pytest.approx(seen, abs=0.012)
    assert within_strata(n, np.array([[45, 0, 0], [0, 40, 0]]), weights, 1 / 6 + 1 / 6) == 0.5
