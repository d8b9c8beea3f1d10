"""Differences of measures of scores: the t of the losses of the cases, against SciPy."""

import numpy as np
import pytest
from scipy import stats

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
