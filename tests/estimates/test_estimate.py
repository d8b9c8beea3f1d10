"""Intervals of shares: the equations that define them, what they must never do, and the findings that go with them."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge import ConfusionCounts, Predictions, evaluate
from adjudge.estimates.estimate import limits_of_share, share_interval
from adjudge.stats.binomial import midp


def tail(x: int, n: int, p: float) -> float:
    """Return P(X > x) + P(X = x) / 2 by adding up the binomial in exact fractions."""
    q = Fraction(p)
    each = [comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(x, n + 1)]
    return float(sum(each[1:], each[0] / 2))


@pytest.mark.slow
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.8, 0.95, 0.99]))
def test_limits_solve_their_equations_against_theory(counts, level):
    x, n = counts
    low, high = midp(x, n, level)
    assert 0 <= low <= x / n <= high <= 1
    if x > 0:
        assert tail(x, n, low) == pytest.approx((1 - level) / 2, rel=1e-9)
    if x < n:
        assert tail(n - x, n, 1 - high) == pytest.approx((1 - level) / 2, rel=1e-6)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_limits_of_the_complement_are_the_complements_of_the_limits(counts):
    x, n = counts
    low, high = midp(x, n)
    mirrored = midp(n - x, n)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([-1, 0, 1]))
def test_the_last_bit_of_a_share_of_whole_cases_does_not_move_its_limits(counts, bit):
    hits, n = counts
    share = nextafter(hits / n, bit * inf) if bit else hits / n
    assert share_interval(share, n, 0.95) == limits_of_share(hits, n, 0.95, "default")


def test_certainty_is_never_shown():
    low, high = midp(10, 10)
    assert high == 1.0
    assert low < 1.0


def test_no_cases_say_nothing():
    assert midp(0, 0) == (0.0, 1.0)


def test_large_counts_have_narrow_limits():
    low, high = midp(999_999_000, 1_000_000_000)
    assert low < 0.999999 < high
    assert high - low < 2e-7


@pytest.mark.slow
def test_weights_use_the_effective_number_of_cases():
    plain = evaluate(Predictions([0, 1] * 50, [0, 1, 1, 1] * 25))
    same = evaluate(Predictions([0, 1] * 50, [0, 1, 1, 1] * 25, weight=[3.0] * 100))
    uneven = evaluate(Predictions([0, 1] * 50, [0, 1, 1, 1] * 25, weight=[1.0, 10.0] * 50))
    width = [e.estimates["accuracy"].interval.high - e.estimates["accuracy"].interval.low for e in (plain, same, uneven)]
    assert width[1] == pytest.approx(width[0], abs=1e-9)
    assert width[2] > width[0] * 0.5
    assert uneven.estimates["accuracy"].cases == pytest.approx(550**2 / (50 + 5000))


def test_an_estimate_says_why_it_has_no_value():
    found = evaluate(ConfusionCounts([[3, 0], [2, 0]], ["a", "b"]), positive="b")
    assert found.estimates["precision"].interval is None
    assert "never predicted" in found.estimates["precision"].reason


def test_a_normal_approximation_outside_its_range_names_the_exact_limits():
    assert limits_of_share(50, 100, 0.95, "wald").findings == ()
    (found,) = limits_of_share(0, 40, 0.95, "wald").findings
    assert found.code == "A504"
    assert f"{stats.beta(1, 40).ppf(0.975):.4g}" in str(found.advice)
