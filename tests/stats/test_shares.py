"""Distributions of shares by points, and of the mean of independent ones: Beta distributions and drawing."""

import numpy as np
import pytest
from scipy import special, stats

from adjudge.stats.shares import ShareDistribution, mean_of


def beta(a, b):
    logits = np.linspace(-14, 14, 1201)
    return ShareDistribution.of(logits, stats.beta.cdf(special.expit(logits), a, b), a / (a + b))


def test_a_beta_distribution():
    one = beta(8, 3)
    assert one.limits(0.9) == pytest.approx(stats.beta(8, 3).interval(0.9), abs=1e-6)
    shares = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    assert one.below(shares) == pytest.approx(stats.beta.cdf(shares, 8, 3), abs=1e-7)


def test_the_mean_of_two_by_quadrature():
    both = mean_of([beta(8, 3), beta(4, 5)])
    x = (np.arange(200_000) + 0.5) / 200_000
    for share in (0.35, 0.5, 0.6, 0.7):
        wanted = np.mean(stats.beta.pdf(x, 8, 3) * stats.beta.cdf(2 * share - x, 4, 5))
        assert both.below(np.array([share]))[0] == pytest.approx(wanted, abs=1e-6)
    assert both.mean == pytest.approx((8 / 11 + 4 / 9) / 2)


def test_the_mean_of_many_is_normal():
    many = mean_of([beta(8, 3)] * 40)
    sd = stats.beta(8, 3).std() / np.sqrt(40)
    assert many.limits(0.5) == pytest.approx(stats.norm(8 / 11, sd).interval(0.5), abs=2e-4)


def test_one_and_what_is_known_exactly():
    one = beta(2, 2)
    assert mean_of([one]) is one
    point = ShareDistribution(np.array([0.25]), np.ones(1), 0.25, logits=False)
    assert point.limits(0.95) == (0.25, 0.25)
    assert mean_of([point, point]).mean == 0.25
    assert mean_of([point, point]).below(np.array([0.2, 0.3])).tolist() == [0.0, 1.0]


def test_near_certainty_keeps_its_digits():
    logits = np.linspace(10, 30, 801)
    sure = ShareDistribution.of(logits, stats.norm.cdf(logits, 20, 1), float(special.expit(20)))
    low, _ = mean_of([sure, sure]).limits(0.95)
    assert 1 - low < 1e-7
