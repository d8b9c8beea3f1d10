"""Sums of paired differences by their characteristic functions, against SciPy's Beta and moments."""

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.numerics import interpolation
from adjudge.stats.paired_sums import engine, variance, waves

ALPHAS = [(10.0, 3.0, 46.0), (1.0, 1.0, 2.0), (200.5, 150.5, 1e5)]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_variance_is_that_of_dirichlet_shares(alpha):
    covariance = stats.dirichlet(alpha).cov()
    assert variance(np.array(alpha)) == pytest.approx(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1], rel=1e-9)


def test_one_class_through_the_characteristic_function():
    alpha = np.array([[10.0, 3.0, 46.0]])
    distribution = engine(alpha, np.ones(1))
    mean = (10 - 3) / 59
    assert distribution.sf(np.array([[-mean]]))[0, 0] == pytest.approx(stats.beta(10, 3).sf(0.5), abs=1e-11)


def test_alike_classifiers_are_even():
    distribution = engine(np.array([[4.0, 4.0, 9.0], [7.0, 7.0, 2.0]]), np.array([0.5, 0.5]))
    assert distribution.sf(np.zeros((1, 1)))[0, 0] == pytest.approx(0.5, abs=1e-12)
    assert float(distribution.flaw.max()) < 1e-10


def test_interpolation_is_exact_for_polynomials():
    known = interpolation()
    values = 3 * known.nodes**5 - known.nodes
    assert (known.onto_fine @ values).sum() == pytest.approx(0.0, abs=1e-13)
    assert (known.onto_fine @ known.nodes**2).sum() == pytest.approx(2 / 3, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [(3.0, 2.0, 5.0), (0.5, 0.5, 0.5), (40.0, 25.0, 300.0)])
def test_characteristic_functions_are_the_means_of_waves(alpha):
    shares = np.random.default_rng(8).dirichlet(alpha, 400_000)
    difference = shares[:, 0] - shares[:, 1]
    t = np.array([0.5, 3.0, 12.0]) / difference.std()
    found = waves(np.array([alpha]))(t[None])[0]
    exact = [np.exp(1j * at * (difference - (alpha[0] - alpha[1]) / sum(alpha))).mean() for at in t]
    assert found == pytest.approx(np.array(exact), abs=6e-3)
