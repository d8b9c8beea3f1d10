"""Medians and their order statistics, against numpy, scipy and the definition of the binomial ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, quantile_test

from adjudge.stats.quantiles import median_interval, weighted_median


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_the_median_is_numpys(values):
    ascending = np.sort(values)
    assert weighted_median(ascending, np.ones(len(values))) == pytest.approx(float(np.median(ascending)), rel=1e-12, abs=1e-9)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=20))
def test_whole_weights_are_repeated_values(rows):
    values, weight = np.array(sorted(rows), dtype=float).T
    assert weighted_median(values, weight) == np.median(np.repeat(values, weight.astype(int)))


@pytest.mark.parametrize("n", [6, 7, 25, 100, 1001])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_limits_are_the_order_statistics_of_scipy(n, level):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    limits = median_interval(values, np.ones(n), n, level=level)
    tail = (1 - level) / 2
    ranks = [r for r in range(1, n // 2 + 1) if binom.cdf(r - 1, n, 0.5) <= tail]
    if not ranks:
        assert limits is None
        return
    assert limits == (values[ranks[-1] - 1], values[n - ranks[-1]])
    known = quantile_test(values, q=0, p=0.5).confidence_interval(level)
    assert limits == pytest.approx((known.low, known.high))


def test_too_few_cases_have_no_limits():
    assert median_interval(np.arange(5.0), np.ones(5), 5) is None


def test_a_billion_cases_take_no_memory():
    values = np.linspace(0, 1, 1001)
    low, high = median_interval(values, np.full(1001, 1e6), 1.001e9)
    assert low <= 0.5 <= high
    assert high - low <= 0.001
