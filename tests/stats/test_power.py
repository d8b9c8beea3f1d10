"""Numbers of cases against enumeration with scipy.stats, which shares no code with ours, and against the normal formulas.

Predictive values and their limits, against roots found numerically and by enumeration of all outcomes. Groups that are right
equally often, against scipy's chi-square of one table and the moments of every arrangement.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.stats import chi2 as chi2_distribution
from scipy.stats import chi2_contingency

from adjudge.stats import power
from adjudge.stats.binomial import midp
from adjudge.stats.power import (
    PAIRED_PRIOR,
    Rule,
    dirichlet_cumulants,
    independent_assurance,
    paired_assurance,
    paired_moments,
    predictive_limits,
    predictive_value,
    ratio_interval,
    right_alike,
    steady,
)


def oracle_mid_p(x: int, n: int, level: float) -> tuple[float, float]:
    """Mid-P limits by root finding on scipy.stats' binomial."""
    tail = (1 - level) / 2

    def low(p):
        return stats.binom.sf(x, n, p) + stats.binom.pmf(x, n, p) / 2 - tail

    def high(p):
        return stats.binom.cdf(x - 1, n, p) + stats.binom.pmf(x, n, p) / 2 - tail

    ends = (1e-12, 1 - 1e-12)
    return 0.0 if x == 0 else optimize.brentq(low, *ends, xtol=1e-13), 1.0 if x == n else optimize.brentq(high, *ends, xtol=1e-13)


def oracle_half_width(n: int, rate: float, level: float) -> float:
    limits = np.array([oracle_mid_p(x, n, level) for x in range(n + 1)])
    return float(stats.binom.pmf(np.arange(n + 1), n, rate) @ (limits[:, 1] - limits[:, 0])) / 2


def oracle_power(n: int, bound: float, rate: float, alpha: float) -> float:
    rare = np.flatnonzero(stats.binom.sf(np.arange(n + 1) - 1, n, bound) <= alpha)
    return float(stats.binom.sf(rare[0] - 1, n, rate)) if rare.size else 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "rate", "level"), [(1, 0.5, 0.9), (12, 0.7, 0.95), (40, 0.97, 0.99), (60, 1.0, 0.95), (90, 0.5, 0.95)]
)
def test_the_expected_width_sums_over_every_count(n, rate, level):
    assert power.expected_half_width(n, rate, level) == pytest.approx(oracle_half_width(n, rate, level), rel=1e-9)


@pytest.mark.slow
def test_a_polynomial_stands_for_many_counts():
    n, rate = 1000, 0.4  # some 270 counts, more than are computed one by one
    counts = np.arange(n + 1)
    chance = stats.binom.pmf(counts, n, rate)
    each = [np.diff(oracle_mid_p(int(x), n, 0.95))[0] if c > 1e-16 else 0.0 for x, c in zip(counts, chance, strict=True)]
    assert power.expected_half_width(n, rate) == pytest.approx(float(chance @ each) / 2, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "half", "level"), [(0.9, 0.1, 0.95), (0.5, 0.15, 0.9), (0.99, 0.05, 0.95)])
def test_one_case_fewer_would_be_too_wide(rate, half, level):
    n = power.cases_for_half_width(rate, half, level)
    assert oracle_half_width(n, rate, level) <= half < oracle_half_width(n - 1, rate, level)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "half", "level"), [(0.1, 0.002, 0.8), (0.5, 0.01, 0.99), (0.93, 0.004, 0.95)])
def test_many_cases_are_those_of_the_normal_formula(rate, half, level):
    z = stats.norm.isf((1 - level) / 2)
    assert power.cases_for_half_width(rate, half, level) == pytest.approx(z**2 * rate * (1 - rate) / half**2, rel=0.05)


@pytest.mark.slow
@given(st.integers(1, 150), st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.sampled_from([0.01, 0.05, 0.1]))
def test_power_is_that_of_enumeration(n, bound, rate, alpha):
    assert power.power_above(np.array([n]), bound, rate, alpha)[0] == pytest.approx(
        oracle_power(n, bound, rate, alpha), abs=1e-10
    )


@given(st.integers(1, 400), st.floats(0.02, 0.98), st.sampled_from([0.01, 0.05]))
def test_the_test_never_errs_more_often_than_it_says(n, bound, alpha):
    assert power.power_above(np.array([n]), bound, bound, alpha)[0] <= alpha * (1 + 1e-9)


@pytest.mark.parametrize(("bound", "rate", "wanted"), [(0.8, 0.9, 0.8), (0.5, 0.8, 0.9), (0.9, 0.99, 0.8), (0.6, 0.7, 0.5)])
def test_no_larger_number_lacks_the_power(bound, rate, wanted):
    n = power.cases_to_show(bound, rate, power=wanted)
    assert oracle_power(n - 1, bound, rate, 0.05) < wanted
    assert min(oracle_power(k, bound, rate, 0.05) for k in range(n, n + 100)) >= wanted


def test_cases_to_show_near_the_normal_formula():
    bound, rate = 0.9, 0.91
    z, more = stats.norm.isf(0.05), stats.norm.ppf(0.8)
    formula = ((z * math.sqrt(bound * (1 - bound)) + more * math.sqrt(rate * (1 - rate))) / (rate - bound)) ** 2
    assert power.cases_to_show(bound, rate) == pytest.approx(formula, rel=0.05)


def test_what_cannot_be_shown_takes_more_than_anyone_has():
    assert power.cases_to_show(0.9, 0.9) == power.MOST + 1


@given(st.integers(1, 200), st.floats(0.01, 0.99), st.floats(0.5, 0.99))
def test_so_many_cases_hold_enough_of_the_class(of_class, share, sure):
    n = power.cases_in_all(of_class, share, sure=sure)
    assert stats.binom.sf(of_class - 1, n, share) >= sure - 1e-12
    assert n == of_class or stats.binom.sf(of_class - 1, n - 1, share) < sure + 1e-12


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_search_finds_the_smallest_wherever_it_begins(wanted, near):
    assert power.least(lambda n: n >= wanted, near=near) == wanted


def root(one, other, *, upper):
    """The ratio at which the limit of a difference, put together from the distances of both limits, becomes 0."""
    (a, la, ua), (b, lb, ub) = ([mpmath.mpf(v) for v in rate] for rate in (one, other))

    def limit(r):
        if upper:
            return a - r * b + mpmath.sqrt((ua - a) ** 2 + r**2 * (b - lb) ** 2)
        return a - r * b - mpmath.sqrt((a - la) ** 2 + r**2 * (ub - b) ** 2)

    centre = a / b
    low, high = (centre, centre * 1000) if upper else (mpmath.mpf("1e-12"), centre)
    return float(mpmath.findroot(limit, (low, high), solver="anderson", tol=1e-22))


rates = st.tuples(st.floats(0.05, 0.95), st.floats(0.02, 0.9), st.floats(0.02, 0.9)).map(
    lambda r: (r[0], r[0] * (1 - r[1]), r[0] + (1 - r[0]) * r[2])
)


@pytest.mark.slow
@given(rates, rates)
def test_limits_of_a_ratio_are_roots_of_those_of_a_difference(one, other):
    low, high = ratio_interval(one, other)
    assert low == pytest.approx(root(one, other, upper=False), rel=1e-7)
    assert high == pytest.approx(root(one, other, upper=True), rel=1e-7)
    assert low <= one[0] / other[0] <= high


def test_without_false_alarms_there_is_no_upper_limit():
    low, high = ratio_interval((0.8, 0.6, 0.9), (0.0, 0.0, 0.1))
    assert 6 < low < 9
    assert math.isinf(high)
    assert predictive_limits((0.8, 0.6, 0.9), (0.0, 0.0, 0.1), 0.2)[1] == 1
    assert ratio_interval((0.0, 0.0, 0.1), (0.0, 0.0, 0.1)) == (0.0, math.inf)


shares = st.just(0.0) | st.floats(1e-290, 1)  # of counted cases; smaller ones lose digits when multiplied


@given(shares, shares, st.floats(0.001, 0.999))
def test_a_predictive_value_is_bayes_theorem(hits, alarms, prevalence):
    value = predictive_value(hits, alarms, prevalence)
    t, f, share = Fraction(hits), Fraction(alarms), Fraction(prevalence)
    if not t and not f:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(float(share * t / (share * t + (1 - share) * f)), rel=1e-12, abs=1e-300)


def coverage(n, m, hit, alarm, prevalence):
    """How often the limits hold the true value, by enumeration of all outcomes."""
    truth = prevalence * hit / (prevalence * hit + (1 - prevalence) * alarm)
    own = [(x / n, *midp(x, n)) for x in range(n + 1)]
    others = [(x / m, *midp(x, m)) for x in range(m + 1)]
    chance = np.outer(stats.binom.pmf(range(n + 1), n, hit), stats.binom.pmf(range(m + 1), m, alarm))
    held = np.array([[low <= truth <= high for b in others for low, high in [predictive_limits(a, b, prevalence)]] for a in own])
    return (chance * held).sum()


@pytest.mark.parametrize(("n", "m"), [(20, 20), (30, 60)])
@pytest.mark.parametrize(("hit", "alarm"), [(0.9, 0.1), (0.7, 0.3), (0.95, 0.03), (0.5, 0.5)])
@pytest.mark.parametrize("prevalence", [0.01, 0.3])
def test_limits_hold_the_true_value_about_as_often_as_promised(n, m, hit, alarm, prevalence):
    assert 0.93 <= coverage(n, m, hit, alarm, prevalence) <= 0.99


@pytest.mark.parametrize(("n", "hit", "alarm"), [(10, 0.96, 0.017), (40, 0.964, 0.004), (90, 0.984, 0.006), (10, 0.8, 0.004)])
@pytest.mark.parametrize("prevalence", [0.01, 0.3])
def test_near_the_ends_limits_hold_as_the_documentation_says(n, hit, alarm, prevalence):
    assert coverage(n, n, hit, alarm, prevalence) >= 0.95


PAIRS = st.lists(st.tuples(st.integers(1, 40), st.floats(0.05, 0.95)), min_size=2, max_size=6)


@pytest.mark.slow
@given(PAIRS)
def test_one_stratum_is_pearsons_chi_square_but_for_a_case(pairs):
    cases = np.array([n for n, _ in pairs], dtype=float)
    right = np.round(cases * [p for _, p in pairs])
    if not 0 < right.sum() < cases.sum():
        return
    pearson = chi2_contingency(np.stack([right, cases - right]), correction=False)
    found, df, p = right_alike(right[None], cases[None])
    assert df == pearson.dof
    assert found == pytest.approx(pearson.statistic * (cases.sum() - 1) / cases.sum(), rel=1e-9, abs=1e-9)
    assert p == pytest.approx(chi2_distribution.sf(found, df), rel=1e-9)


def arrangements(cases, right):
    """Every way in which `right` of the cases of one stratum fall into its groups, with its probability."""
    for way in product(*(range(n + 1) for n in cases)):
        if sum(way) == right:
            yield (
                np.array(way, dtype=float),
                np.prod([comb(n, r) for n, r in zip(cases, way, strict=True)]) / comb(sum(cases), right),
            )


def test_several_strata_have_the_moments_of_every_arrangement():
    cases, right = [(4, 3, 2), (1, 5, 3)], [(3, 1, 2), (0, 4, 1)]
    mean, spread = np.zeros(3), np.zeros((3, 3))
    for n, r in zip(cases, right, strict=True):
        ways = list(arrangements(n, sum(r)))
        middle = sum(p * way for way, p in ways)
        mean += middle
        spread += sum(p * np.outer(way - middle, way - middle) for way, p in ways)
    surplus = np.sum(right, axis=0) - mean
    wanted = surplus[:2] @ np.linalg.solve(spread[:2, :2], surplus[:2])  # the last group follows from the others
    found, df, p = right_alike(np.array(right, dtype=float), np.array(cases, dtype=float))
    assert (found, df) == (pytest.approx(wanted, rel=1e-12), 2)
    assert p == pytest.approx(chi2_distribution.sf(wanted, 2), rel=1e-12)


def test_groups_that_share_no_class_cannot_be_compared():
    found, df, p = right_alike(np.array([[5.0, 0.0], [0.0, 7.0]]), np.array([[9.0, 0.0], [0.0, 9.0]]))
    assert (found, df) == (0.0, 0)
    assert np.isnan(p)


def test_a_mix_of_classes_is_no_difference_between_groups():
    # both groups find 90% of one class and 50% of the other, but one has mostly the first
    cases = np.array([[100.0, 20.0], [20.0, 100.0]])
    right = cases * np.array([[0.9], [0.5]])
    assert right_alike(right, cases)[2] == pytest.approx(1.0)
    assert right_alike(right.sum(axis=0)[None], cases.sum(axis=0)[None])[2] < 1e-4


@pytest.mark.slow
def test_the_p_value_is_small_no_more_often_than_it_says():
    rng, cases = np.random.default_rng(0), np.array([[30, 12, 25, 9], [8, 40, 15, 22]])
    p = [right_alike(rng.binomial(cases, [[0.8], [0.6]]), cases)[2] for _ in range(4000)]
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(p) <= level) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 4000))


POINTS = (np.arange(200) + 0.5) / 200


def rising(x: int, k: int) -> Fraction:
    return Fraction(math.prod(range(x, x + k)))


def exact_cumulants(alphas: tuple[int, ...], values: tuple[int, ...]) -> list[Fraction]:
    """Mean, variance, third and fourth cumulant, from the mixed moments of a Dirichlet as fractions."""
    raw = []
    for k in range(1, 5):
        total = Fraction(0)
        for which in product(range(len(alphas)), repeat=k):
            times = [which.count(i) for i in range(len(alphas))]
            moment = math.prod(rising(a, t) for a, t in zip(alphas, times, strict=True)) / rising(sum(alphas), k)
            total += math.prod(values[i] for i in which) * moment
        raw.append(total)
    m, a, b, c = raw
    variance = a - m**2
    fourth = c - 4 * b * m + 6 * a * m**2 - 3 * m**4
    return [m, variance, b - 3 * a * m + 2 * m**3, fourth - 3 * variance**2]


@pytest.mark.slow
@given(st.tuples(*[st.integers(1, 30)] * 3))
def test_cumulants_are_those_of_exact_moments(alphas):
    found = dirichlet_cumulants([np.array(float(a)) for a in alphas], (1.0, -1.0, 0.0))
    known = [float(v) for v in exact_cumulants(alphas, (1, -1, 0))]
    assert [float(v) for v in (found.mean, found.variance, found.third, found.fourth)] == pytest.approx(
        known, rel=1e-9, abs=1e-15
    )


def paired_above(only_a, only_b, rest, x):
    """P(difference > x) for a flat prior of four outcomes, the share of the discordant and of a among them being Betas."""
    told = stats.beta(only_a + only_b + 2, rest + 2)
    s = told.ppf(POINTS)  # equally probable shares of discordant cases
    return float(np.mean(stats.beta.sf((1 + x / s) / 2, only_a + 1, only_b + 1)))


def enumerated_pairs(n, a, b, rule):
    """Sum over all outcomes of n cases."""
    found = 0.0
    for m in range(n + 1):
        for x in range(m + 1):
            chance = stats.multinomial.pmf([x, m - x, n - m], n, [a, b, 1 - a - b])
            if chance > 1e-6:
                better = paired_above(x, m - x, n - m, rule.margin)
                probable = paired_above(x, m - x, n - m, -rule.margin) - better if rule.equivalent else better
                found += chance * (probable >= rule.level)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "a", "b", "rule"),
    [
        (14, 0.55, 0.05, Rule(0.01, 0.95)),
        (30, 0.3, 0.05, Rule(0.05, 0.95)),
        (30, 0.2, 0.1, Rule(0.0, 0.8)),
        (40, 0.05, 0.05, Rule(0.2, 0.95, equivalent=True)),
        (40, 0.12, 0.02, Rule(0.2, 0.8, equivalent=True)),
    ],
)
def test_paired_assurance_is_that_of_enumeration(n, a, b, rule):
    assert paired_assurance(n, a, b, rule) == pytest.approx(enumerated_pairs(n, a, b, rule), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p", "q", "rule"), [(25, 0.9, 0.5, Rule(0.05, 0.95)), (40, 0.8, 0.8, Rule(0.25, 0.95, equivalent=True))]
)
def test_independent_assurance_is_that_of_enumeration(n, p, q, rule):
    x = np.arange(n + 1)
    quantiles = stats.beta.ppf(POINTS[:, None], x + 0.5, n - x + 0.5)  # of the better, by its count
    above = [
        np.mean(stats.beta.cdf(quantiles[:, :, None] - margin, x + 0.5, n - x + 0.5), axis=0)
        for margin in (rule.margin, -rule.margin)
    ]
    probable = above[1] - above[0] if rule.equivalent else above[0]
    chances = stats.binom.pmf(x, n, p)[:, None] * stats.binom.pmf(x, n, q)
    assert independent_assurance(n, p, q, rule) == pytest.approx(chances[probable >= rule.level].sum(), abs=0.02)


def test_assurance_of_many_cases_is_that_of_the_normal_formula():
    a, b, margin = 0.06, 0.04, 0.01
    z, more = stats.norm.ppf(0.95), stats.norm.ppf(0.8)
    formula = ((z + more) / (a - b - margin)) ** 2 * (a + b - (a - b) ** 2)
    found = steady(lambda n: paired_assurance(n, a, b, Rule(margin, 0.95)) >= 0.8, near=round(formula))
    assert found == pytest.approx(formula, rel=0.02)


def test_moments_of_several_classes_add_up():
    outcomes, weights = np.array([[9.0, 2.0, 47.0], [0.0, 0.0, 5.0]]), np.array([0.5, 0.5])
    each = [exact_cumulants(tuple(int(v + p) for v, p in zip(row, PAIRED_PRIOR, strict=True)), (1, -1, 0)) for row in outcomes]
    known = float(sum(c[0] for c in each) / 2), float(sum(c[1] for c in each) / 4)
    assert paired_moments(outcomes, weights) == pytest.approx(known, rel=1e-12)


@pytest.mark.slow
@given(st.integers(1, 3000), st.floats(0.001, 0.4), st.floats(0, 0.4), st.booleans())
def test_assurance_is_a_probability(n, a, b, equivalent):
    assert -1e-9 <= paired_assurance(n, a, b, Rule(0.01, 0.95, equivalent)) <= 1 + 1e-9


@pytest.mark.slow
def test_a_hundred_million_cases_follow_the_normal_formula():
    n, a, b, margin = 10**8, 0.0501, 0.04, 0.01
    z = (a - b - margin) / math.sqrt((a + b - (a - b) ** 2) / n) - stats.norm.ppf(0.95)
    assert paired_assurance(n, a, b, Rule(margin, 0.95)) == pytest.approx(stats.norm.cdf(z), abs=1e-3)
    assert independent_assurance(n, 0.9, 0.88, Rule(margin, 0.95)) == pytest.approx(1.0)
