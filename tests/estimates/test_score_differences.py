"""Differences of measures of scores: the t of the losses of the cases, against SciPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as skmetrics

import adjudge
from adjudge._base.errors import InputError
from adjudge.estimates.score_differences import mean_distribution
from adjudge.stats.student import PointDistribution


def test_the_mean_of_differences_has_the_t_test_of_scipy():
    each = np.random.default_rng(2).normal(0.3, 1.0, 40)
    distribution = mean_distribution(each, None)
    test = stats.ttest_1samp(each, 0.0, alternative="greater")
    assert distribution.cdf(0.0) == pytest.approx(test.pvalue, rel=1e-9)
    assert distribution.interval() == pytest.approx(tuple(stats.ttest_1samp(each, 0.0).confidence_interval()), rel=1e-9)


def test_differences_that_are_all_alike():
    assert isinstance(mean_distribution(np.zeros(5), None), PointDistribution)
    assert 0 < mean_distribution(np.full(5, 0.2), None).scale < 0.2


def test_repeated_answers_are_not_more_cases():
    each = np.random.default_rng(2).normal(0.3, 1.0, 40)
    once, twice = mean_distribution(each, None), mean_distribution(np.repeat(each, 2), None, repeats=2.0)
    assert (twice.location, twice.scale, twice.df) == pytest.approx((once.location, once.scale, once.df))


def test_one_case_has_no_spread():
    with pytest.raises(InputError, match=r"no spread"):
        mean_distribution(np.ones(1), None)


@pytest.mark.parametrize("name", ["rmse", "r2", "median_absolute_error"])
def test_paired_differences_of_numbers_are_those_of_scikit_learn(name):
    rng = np.random.default_rng(12)
    y = rng.normal(size=300)
    a, b = y + rng.normal(0, 0.3, 300), y + rng.normal(0, 0.6, 300)
    known = {
        "rmse": skmetrics.root_mean_squared_error,
        "r2": skmetrics.r2_score,
        "median_absolute_error": skmetrics.median_absolute_error,
    }[name]
    found = adjudge.compare({"truth": y, "predicted": a}, {"truth": y, "predicted": b}, measure=name, by_position=True)
    assert found.values == pytest.approx((known(y, a), known(y, b)))
    assert found.difference == pytest.approx(known(y, a) - known(y, b))
    drawn = [known(y[at], a[at]) - known(y[at], b[at]) for at in rng.integers(0, 300, (1_000, 300))]
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert found.interval.low == pytest.approx(low, abs=0.25 * (high - low))
    assert found.interval.high == pytest.approx(high, abs=0.25 * (high - low))
    assert found.better > 0.95


def test_the_mean_error_is_no_measure_to_compare_by():
    y = np.linspace(0.5, 9.5, 40)
    with pytest.raises(InputError, match="mean_error is best at 0"):
        adjudge.compare({"truth": y, "predicted": y + 1}, {"truth": y, "predicted": y}, measure="mean_error", by_position=True)
