"""Differences: stored oracles, and what must hold for any two distributions.

Distributions that follow a test: the tail it asks for, no more, and nothing beyond the ends.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.betasum import beta_sum
from adjudge.stats.distribution import BetaDistribution
from adjudge.stats.student import StudentDistribution
from adjudge.stats.transforms import Drawn, difference_distribution, widened_draws, widened_student, within

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
shape = st.one_of(st.floats(0.5, 100), st.sampled_from([0.5, 1.0, 1.5, 30.5]))


def cases(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def balanced(counts):
    tp, fn, fp, tn = counts
    return beta_sum([tp + 1, tn + 1], [fn + 1, fp + 1], [0.5, 0.5])


def check(distribution, case):
    expected, tolerance = case["expected"], case["tolerance"]
    near = {"abs": tolerance["atol"], "rel": tolerance["rtol"]}
    assert distribution.sf(0) == pytest.approx(float(expected["prob_a_better"]), **near)
    assert distribution.mean == pytest.approx(float(expected["mean_difference"]), **near)
    assert np.array(distribution.interval()) == pytest.approx(np.array(expected["diff_ci95"], dtype=float), **near)
    if "prob_a_better_by_005" in expected:
        assert distribution.sf(0.05) == pytest.approx(float(expected["prob_a_better_by_005"]), **near)


@pytest.mark.parametrize("case", cases("prob_better_accuracy_independent"))
def test_accuracies(case):
    i = case["inputs"]
    check(
        difference_distribution(BetaDistribution(i["C_a"] + 1, i["I_a"] + 1), BetaDistribution(i["C_b"] + 1, i["I_b"] + 1)), case
    )


@pytest.mark.parametrize("case", cases("prob_better_balanced_independent"))
def test_balanced_accuracies(case):
    check(difference_distribution(balanced(case["inputs"]["a"]), balanced(case["inputs"]["b"])), case)


@pytest.mark.slow
@given(shape, shape, shape, shape, st.floats(-0.9, 0.9))
def test_the_other_way_round(a1, b1, a2, b2, x):
    first, second = BetaDistribution(a1, b1), BetaDistribution(a2, b2)
    distribution, other = difference_distribution(first, second), difference_distribution(second, first)
    assert distribution.sf(x) == pytest.approx(other.cdf(-x), rel=1e-8, abs=1e-13)
    assert distribution.support == (-1, 1)
    assert distribution.mean == pytest.approx(first.mean - second.mean, abs=1e-15)
    assert distribution.var == pytest.approx(first.var + second.var, rel=1e-12)


@given(shape, shape)
def test_a_distribution_against_itself(a, b):
    distribution = difference_distribution(BetaDistribution(a, b), BetaDistribution(a, b))
    assert distribution.sf(0) == pytest.approx(0.5, abs=1e-13)
    low, high = distribution.interval()
    assert low == pytest.approx(-high, abs=1e-12)


def test_whole_numbers_in_closed_form():
    # P(A > B) for Beta(2, 1) and Beta(1, 1): the integral of y 2y dy
    assert difference_distribution(BetaDistribution(2, 1), BetaDistribution(1, 1)).sf(0) == pytest.approx(2 / 3, abs=1e-14)


def test_a_rate_against_a_balanced_accuracy_and_a_difference_of_differences():
    rate, both = BetaDistribution(30.5, 4.5), beta_sum([20.5, 7.5], [2.5, 0.5], [0.5, 0.5])
    distribution = difference_distribution(rate, both)
    again = difference_distribution(distribution, difference_distribution(both, rate))
    assert again.mean == pytest.approx(2 * distribution.mean, abs=1e-14)
    assert again.var == pytest.approx(2 * distribution.var, rel=1e-12)
    scaled = difference_distribution(beta_sum([3, 1], [9, 1], [0.5, 0]), rate)
    assert scaled.support == (-1, 0.5)


def test_a_hopeless_case_keeps_its_digits():
    # two rates with nothing in common: P(A > B) is far beneath rounding
    distribution = difference_distribution(BetaDistribution(3, 999), BetaDistribution(999, 3))
    assert distribution.logsf(0) < -1000
    assert distribution.logsf(0) == pytest.approx(
        difference_distribution(BetaDistribution(999, 3), BetaDistribution(3, 999)).logcdf(0), rel=1e-12
    )


@pytest.mark.slow
@given(st.integers(0, 1000), st.floats(-3, 3), st.floats(0.001, 0.999))
def test_draws_claim_no_more_than_the_test(seed, place, tail):
    draws = np.random.default_rng(seed).normal(place, 1, 501) / 4
    wide = widened_draws(draws, tail, 2.0)
    above, below = np.mean(wide > 0), np.mean(wide < 0)
    assert above <= max(1 - tail, 0.5) + 1 / 500
    assert below <= max(tail, 0.5) + 1 / 500
    assert np.abs(wide).max() <= 2.0
    mirrored = widened_draws(-draws, 1 - tail, 2.0)
    assert np.sort(-mirrored) == pytest.approx(np.sort(wide), abs=1e-9)
    if np.mean(draws > 0) <= 1 - tail and np.mean(draws < 0) <= tail:
        assert wide is draws


def test_draws_keep_their_middle_and_reach_the_tail():
    draws = np.random.default_rng(1).normal(0.4, 0.1, 20_000)
    wide = widened_draws(draws, 0.08, 1.0)
    assert np.median(wide) == pytest.approx(np.median(draws))
    assert np.mean(wide <= 0) == pytest.approx(0.08, abs=1e-3)
    distribution = Drawn(wide)
    low, high = distribution.interval(0.84)
    assert low == pytest.approx(0.0, abs=5e-3)  # interval and probabilities are those of one distribution
    assert high > Drawn(draws).interval(0.84)[1]


@given(st.floats(-0.9, 0.9).filter(lambda d: abs(d) > 1e-6), st.floats(1e-4, 0.5), st.floats(1, 200), st.floats(1e-6, 0.499))
def test_students_distribution_claims_no_more_than_the_test(location, scale, df, p):
    distribution = StudentDistribution(location, scale, df)
    wide = widened_student(distribution, p)
    other = wide.cdf(0.0) if location > 0 else wide.sf(0.0)
    own = distribution.cdf(0.0) if location > 0 else distribution.sf(0.0)
    assert other == pytest.approx(max(p, own), rel=1e-6)
    assert (wide.location, wide.df) == (location, df)
    assert wide.scale >= scale * (1 - 1e-9)
    assert widened_student(distribution.mirrored, p) == wide.mirrored


def test_a_distribution_is_kept_between_two_ends():
    narrow = StudentDistribution(0.1, 0.01, 30)
    assert within(narrow, -1.0, 1.0) is narrow
    wide = StudentDistribution(0.3, 0.4, 1.0)
    distribution = within(wide, -1.0, 1.0)
    assert distribution.interval(0.95) == (-1.0, 1.0)
    assert distribution.interval(0.5) == pytest.approx(wide.interval(0.5))
    assert (distribution.cdf(0.2), distribution.sf(0.2), distribution.pdf(0.2)) == (wide.cdf(0.2), wide.sf(0.2), wide.pdf(0.2))
    assert (
        distribution.cdf(-1.5),
        distribution.sf(-1.5),
        distribution.cdf(1.0),
        distribution.sf(1.0),
        distribution.pdf(2.0),
    ) == (0.0, 1.0, 1.0, 0.0, 0.0)
    assert (distribution.logcdf(0.2), distribution.logsf(0.2)) == (wide.logcdf(0.2), wide.logsf(0.2))
    draws = distribution.sample(200_000, np.random.default_rng(2))
    assert np.abs(draws).max() == 1.0
    assert distribution.mean == pytest.approx(draws.mean(), abs=0.005)
    assert distribution.var == pytest.approx(draws.var(), abs=0.005)
    assert distribution.median == wide.median
    assert distribution.mode == 0.3
