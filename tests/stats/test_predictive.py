"""Predictive values and their limits, against roots found numerically and by enumeration of all outcomes."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.binomial import midp
from adjudge.stats.power import predictive_limits, predictive_value, ratio_limits


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


@given(rates, rates)
def test_limits_of_a_ratio_are_roots_of_those_of_a_difference(one, other):
    low, high = ratio_limits(one, other)
    assert low == pytest.approx(root(one, other, upper=False), rel=1e-7)
    assert high == pytest.approx(root(one, other, upper=True), rel=1e-7)
    assert low <= one[0] / other[0] <= high


def test_without_false_alarms_there_is_no_upper_limit():
    low, high = ratio_limits((0.8, 0.6, 0.9), (0.0, 0.0, 0.1))
    assert 6 < low < 9
    assert math.isinf(high)
    assert predictive_limits((0.8, 0.6, 0.9), (0.0, 0.0, 0.1), 0.2)[1] == 1
    assert ratio_limits((0.0, 0.0, 0.1), (0.0, 0.0, 0.1)) == (0.0, math.inf)


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
