"""Numbers of cases against enumeration with scipy.stats, which shares no code with ours, and against the normal formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from adjudge.stats import power


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


@pytest.mark.parametrize(("rate", "half", "level"), [(0.9, 0.1, 0.95), (0.5, 0.15, 0.9), (0.99, 0.05, 0.95)])
def test_one_case_fewer_would_be_too_wide(rate, half, level):
    n = power.cases_for_half_width(rate, half, level)
    assert oracle_half_width(n, rate, level) <= half < oracle_half_width(n - 1, rate, level)


@pytest.mark.parametrize(("rate", "half", "level"), [(0.1, 0.002, 0.8), (0.5, 0.01, 0.99), (0.93, 0.004, 0.95)])
def test_many_cases_are_those_of_the_normal_formula(rate, half, level):
    z = stats.norm.isf((1 - level) / 2)
    assert power.cases_for_half_width(rate, half, level) == pytest.approx(z**2 * rate * (1 - rate) / half**2, rel=0.05)


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
