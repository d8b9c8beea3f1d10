"""Paired differences by their integrals: of one class and of several, against SciPy's Beta, moments and mpmath."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from adjudge.stats.paired_sums import engine, interpolation, variance
from adjudge.stats.paired_tail import Points, density, log_above, log_and_excess

ALPHAS = [(10.0, 3.0, 46.0), (1.0, 1.0, 2.0), (200.5, 150.5, 1e5)]


def points(x):
    return Points(x, 1 + x, 1 - x)


@pytest.mark.parametrize("alpha", [a for a in ALPHAS if a[0] >= a[1]])
def test_who_leads_is_a_beta(alpha):
    """D = S (2B - 1) is below 0 where B is below one half."""
    p, q, r = alpha
    found = log_above(np.array([q, p, r]), points(np.zeros(1)))  # the mean of -D is at or below 0
    assert np.exp(found[0]) == pytest.approx(stats.beta(p, q).cdf(0.5), rel=1e-11)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_variance_is_that_of_dirichlet_shares(alpha):
    covariance = stats.dirichlet(alpha).cov()
    assert variance(np.array(alpha)) == pytest.approx(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1], rel=1e-9)


@pytest.mark.parametrize("alpha", ALPHAS[:1])
def test_the_density_is_the_slope_of_the_tail(alpha):
    x, step = np.array([0.2, 0.3]), 1e-5
    tails = [np.exp(log_above(np.array(alpha), points(x + side * step))) for side in (-1, 1)]
    assert density(np.array(alpha), points(x)) == pytest.approx((tails[0] - tails[1]) / (2 * step), rel=1e-6)


def test_one_class_through_the_characteristic_function():
    alpha = np.array([[10.0, 3.0, 46.0]])
    law = engine(alpha, np.ones(1))
    mean = (10 - 3) / 59
    assert law.sf(np.array([[-mean]]))[0, 0] == pytest.approx(stats.beta(10, 3).sf(0.5), abs=1e-11)


def test_alike_classifiers_are_even():
    law = engine(np.array([[4.0, 4.0, 9.0], [7.0, 7.0, 2.0]]), np.array([0.5, 0.5]))
    assert law.sf(np.zeros((1, 1)))[0, 0] == pytest.approx(0.5, abs=1e-12)
    assert float(law.flaw.max()) < 1e-10


@pytest.mark.parametrize("t", [1e-9 + 1e-9j, 0.02 - 0.01j, 0.4 + 0.3j, -5 + 2j])
def test_complex_logarithms(t):
    with mpmath.workdps(40):
        exact = mpmath.log(1 - mpmath.mpc(t))
        excess = -mpmath.mpc(t) - exact
    log, found = log_and_excess(np.array([t]))
    assert complex(log[0]) == pytest.approx(complex(exact), rel=1e-13)
    assert complex(found[0]) == pytest.approx(complex(excess), rel=1e-12)


def test_interpolation_is_exact_for_polynomials():
    known = interpolation()
    values = 3 * known.nodes**5 - known.nodes
    assert (known.onto_fine @ values).sum() == pytest.approx(0.0, abs=1e-13)
    assert (known.onto_fine @ known.nodes**2).sum() == pytest.approx(2 / 3, rel=1e-13)
