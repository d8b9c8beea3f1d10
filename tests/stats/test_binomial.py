"""Limits of one proportion: oracles, SciPy, exact coverage, distributions, and rates of a few in a thousand million."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.binomial import (
    beta_quantile,
    binomial_p_value,
    clopper_pearson,
    jeffreys,
    lower_tail_inversion,
    midp,
    upper_tail_inversion,
    wald,
    wilson,
)
from adjudge.stats.power import above_chance_count

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text())
METHODS = (midp, clopper_pearson, wilson, jeffreys, wald)
HONEST = METHODS[:-1]

counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
effective = st.floats(0.1, 1e9).flatmap(lambda n: st.tuples(st.floats(0, 1).map(lambda share: share * n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def oracles(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def near(text, case):
    return pytest.approx(float(text), rel=case["tolerance"]["rtol"], abs=max(case["tolerance"]["atol"], 1e-15))


@pytest.mark.parametrize("case", oracles("error_confidence_interval"))
def test_wald_agrees_with_the_oracle(case):
    given_, low, high = case["inputs"], *(float(end) for end in case["expected"]["interval"])
    found = wald(given_["errors"], given_["n"], given_["level"])
    assert found[0] == near(max(low, 0.0), case)
    assert found[1] == near(min(high, 1.0), case)


@pytest.mark.parametrize("case", oracles("binomial_tail_inversion"))
def test_tail_inversion_agrees_with_the_oracle(case):
    k, n, delta = (case["inputs"][key] for key in ("errors", "n", "delta"))
    assert upper_tail_inversion(k, n, delta) == near(case["expected"]["upper"], case)
    assert lower_tail_inversion(k, n, delta) == near(case["expected"]["lower"], case)
    low, high = clopper_pearson(k, n, 1 - delta)
    assert low == near(case["expected"]["clopper_pearson"][0], case)
    assert high == near(case["expected"]["clopper_pearson"][1], case)


@pytest.mark.parametrize("case", oracles("above_chance_threshold"))
def test_chance_agrees_with_the_oracle(case):
    n, rate, alpha, reached = (case["inputs"][key] for key in ("n", "p", "alpha", "C"))
    expected = case["expected"]["critical_count"]
    found = above_chance_count(n, rate, alpha)
    assert found == (None if expected is None else int(expected))
    assert binomial_p_value(reached, n, rate) == near(case["expected"]["p_value"], case)
    if found is not None:
        assert binomial_p_value(found, n, rate) == near(case["expected"]["size"], case)


@pytest.mark.slow
@given(counts, levels)
def test_wilson_and_exact_limits_agree_with_scipy(pair, level):
    x, n = pair
    test = stats.binomtest(x, n)
    for method, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = test.proportion_ci(level, method=name)
        assert method(x, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.slow
@given(counts, levels)
def test_jeffreys_limits_are_quantiles_of_the_posterior(pair, level):
    x, n = pair
    low, high = jeffreys(x, n, level)
    posterior = stats.beta(x + 0.5, n - x + 0.5)
    assert low == (pytest.approx(posterior.ppf((1 - level) / 2), rel=1e-8) if x else 0.0)
    assert high == (pytest.approx(posterior.isf((1 - level) / 2), rel=1e-8) if x < n else 1.0)


@cache
def enclosed(method, n):
    """Return the limits of every count, lows and highs apart."""
    return np.array([method(x, n) for x in range(n + 1)]).T


def least_coverage(method, n, rates):
    low, high = enclosed(method, n)
    chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
    return float((chance * ((low[:, None] <= rates) & (rates <= high[:, None]))).sum(axis=0).min())


def most_coverage(method, n, rates):
    low, high = enclosed(method, n)
    chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
    return float((chance * ((low[:, None] <= rates) & (rates <= high[:, None]))).sum(axis=0).max())


TABLE_B1 = {30: (0.782, 0.922, 0.889, 0.925, 0.954), 100: (0.877, 0.927, 0.932, 0.932, 0.950)}
TABLE_B1 |= {1000: (0.939, 0.943, 0.944, 0.944, 0.951)}
MANY = pytest.param(1000, marks=pytest.mark.slow)


@pytest.mark.parametrize("n", [n if n < 1000 else MANY for n in TABLE_B1])
def test_least_coverage_is_that_of_the_design(n):
    # Rates .5 to .95 in steps of .001: exact enumeration, no simulation.
    rates = np.linspace(0.5, 0.95, 451)
    found = [least_coverage(method, n, rates) for method in (wald, wilson, jeffreys, midp, clopper_pearson)]
    assert found == pytest.approx(TABLE_B1[n], abs=6e-4)


@pytest.mark.parametrize("n", [1, 5, 17, 30, 100])
def test_clopper_pearson_never_covers_less_than_it_says(n):
    assert least_coverage(clopper_pearson, n, np.linspace(0.0001, 0.9999, 4001)) >= 0.95


def midp_ends(n):
    """Return rates just beside every mid-P limit: coverage bends between limits and is least and most beside them."""
    ends = np.unique(enclosed(midp, n))
    ends = ends[(ends > 0) & (ends < 1)]
    return np.concatenate((ends * (1 - 1e-9), ends + (1 - ends) * 1e-9))


@pytest.mark.parametrize("n", [*range(1, 61), 100, 300, MANY])
def test_midp_covers_nearly_what_it_says_everywhere(n):
    # The least is .9121 at n = 6 and .9128 from ten cases on (n = 14).
    assert least_coverage(midp, n, midp_ends(n)) >= 0.912


@pytest.mark.parametrize("n", [30, 100, 300, MANY])
def test_midp_covers_more_only_at_rates_near_0_and_1(n):
    # A count offers few limits: where fewer than five cases of a kind are expected coverage can pass .99.
    rates = midp_ends(n)
    assert most_coverage(midp, n, rates) > 0.99
    assert most_coverage(midp, n, rates[(5 / n <= rates) & (rates <= 1 - 5 / n)]) <= 0.99


@pytest.mark.parametrize("method", METHODS)
@given(counts | effective, levels)
def test_limits_are_ordered_shares_around_the_estimate(method, pair, level):
    x, n = pair
    low, high = method(x, n, level)
    assert 0 <= low <= x / n <= high <= 1


@pytest.mark.parametrize("method", METHODS)
@given(counts, levels)
def test_failures_have_the_mirrored_limits(method, pair, level):
    x, n = pair
    low, high = method(x, n, level)
    mirrored = method(n - x, n, level)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(counts | effective)
def test_surer_is_wider(method, pair):
    narrow, wide = method(*pair, 0.8), method(*pair, 0.95)
    assert wide[0] <= narrow[0] + 1e-15
    assert narrow[1] <= wide[1] + 1e-15


@given(counts, levels)
def test_midp_lies_within_clopper_pearson(pair, level):
    inner, outer = midp(*pair, level), clopper_pearson(*pair, level)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_tried_says_nothing(method):
    assert method(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("method", HONEST)
def test_certainty_is_never_shown(method):
    low, high = method(10, 10)
    assert 0.6 < low < 1
    assert high == 1.0
    assert method(0, 10)[0] == 0.0


def test_wald_has_no_width_at_the_ends():
    assert wald(10, 10) == (1.0, 1.0)


def binomial_tail(k, n, p):
    """Return P(X >= k) of few successes out of very many, in forty digits."""
    with mpmath.workdps(40):
        p = mpmath.mpf(p)
        term, total = mpmath.exp(n * mpmath.log1p(-p)), mpmath.mpf(0)
        for i in range(k):
            total, term = total + term, term * (n - i) / (i + 1) * p / (1 - p)
        return 1 - total


@pytest.mark.parametrize("k", [1, 4, 1000])
def test_rates_of_a_few_in_a_milliard_keep_their_digits(k):
    n = 10**9
    low, high = clopper_pearson(k, n)
    assert float(binomial_tail(k, n, low)) == pytest.approx(0.025, rel=1e-11)
    assert float(1 - binomial_tail(k + 1, n, high)) == pytest.approx(0.025, rel=1e-11)
    low, high = midp(k, n)
    assert float(binomial_tail(k, n, low) + binomial_tail(k + 1, n, low)) / 2 == pytest.approx(0.025, rel=1e-11)
    assert 1 - float(binomial_tail(k, n, high) + binomial_tail(k + 1, n, high)) / 2 == pytest.approx(0.025, rel=1e-11)


@pytest.mark.parametrize("method", HONEST)
def test_nearly_all_of_a_milliard_mirrors_nearly_none(method):
    n = 10**9
    (low, high), mirrored = method(n - 1000, n), method(1000, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, rel=1e-8)
    assert low < 0.999999 < high


@given(st.floats(0.01, 1e9), st.floats(0.01, 1e9), st.sampled_from([0.25, 0.025, 1e-4]), st.booleans())
def test_a_quantile_leaves_its_tail(a, b, tail, upper):
    from scipy.special import betainc, betaincc

    x = beta_quantile(a, b, tail, upper=upper)
    assert 0 <= x <= 1
    if 1e-25 < x < 0.5:
        assert (betaincc if upper else betainc)(a, b, x) == pytest.approx(tail, rel=1e-9)


@pytest.mark.slow
@given(st.integers(0, 80), st.floats(0, 1), st.floats(0.001, 0.3))
def test_the_count_above_chance_is_the_first_rare_one(n, rate, alpha):
    found = above_chance_count(n, rate, alpha)
    tails = [stats.binom.sf(c - 1, n, rate) for c in range(n + 1)]
    rare = [c for c, tail in enumerate(tails) if tail <= alpha]
    assert found == (rare[0] if rare else None)


@pytest.mark.parametrize("n", range(1, 40))
def test_a_tail_of_exactly_alpha_is_rare_enough(n):
    tails = [Fraction(sum(math.comb(n, k) for k in range(c, n + 1)), 2**n) for c in range(n + 1)]
    for c in range(1, n + 1):
        assert above_chance_count(n, 0.5, float(tails[c])) == c


def test_chance_in_a_milliard_cases():
    n = 10**9
    found = above_chance_count(n)
    assert found == pytest.approx(n / 2 + 1.6448536 * math.sqrt(n) / 2, abs=2)
    assert binomial_p_value(found, n) <= 0.05 < binomial_p_value(found - 1, n)


def test_p_values_at_the_ends():
    assert binomial_p_value(0, 10) == 1.0
    assert binomial_p_value(11, 10) == 0.0
    assert binomial_p_value(10, 10) == 2.0**-10
