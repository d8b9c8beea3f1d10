"""Paired differences of one class by one integral, against SciPy's Beta and mpmath."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from adjudge.stats.paired_tail import density, log_above, log_and_excess

ALPHAS = [(10.0, 3.0, 46.0), (1.0, 1.0, 2.0), (200.5, 150.5, 1e5)]


@pytest.mark.parametrize("alpha", [a for a in ALPHAS if a[0] >= a[1]])
def test_who_leads_is_a_beta(alpha):
    """D = S (2B - 1) is below 0 where B is below one half."""
    p, q, r = alpha
    found = log_above(np.array([q, p, r]), np.zeros(1))  # the mean of -D is at or below 0
    assert np.exp(found[0]) == pytest.approx(stats.beta(p, q).cdf(0.5), rel=1e-11)


@pytest.mark.parametrize("alpha", ALPHAS[:1])
def test_the_density_is_the_slope_of_the_tail(alpha):
    x, step = np.array([0.2, 0.3]), 1e-5
    tails = [np.exp(log_above(np.array(alpha), x + side * step)) for side in (-1, 1)]
    assert density(np.array(alpha), x) == pytest.approx((tails[0] - tails[1]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize("t", [1e-9 + 1e-9j, 0.02 - 0.01j, 0.4 + 0.3j, -5 + 2j])
def test_complex_logarithms(t):
    with mpmath.workdps(40):
        exact = mpmath.log(1 - mpmath.mpc(t))
        excess = -mpmath.mpc(t) - exact
    log, found = log_and_excess(np.array([t]))
    assert complex(log[0]) == pytest.approx(complex(exact), rel=1e-13)
    assert complex(found[0]) == pytest.approx(complex(excess), rel=1e-12)
