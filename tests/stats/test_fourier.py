"""Sums from their Fourier series, and characteristic functions of paired differences, against exact sums and draws."""

import numpy as np
import pytest
from tests.stats.irwin_hall import above

from adjudge.stats.fourier import fourier, reach, waves
from adjudge.stats.offsets import rates


def flat(k):
    return rates(np.ones((1, k)), np.ones((1, k)), np.ones((1, k)))


@pytest.mark.parametrize(("k", "orders", "close"), [(12, 512, 1e-12), (3, 2048, 1e-9)])
def test_a_series_has_the_tails_of_the_sum(k, orders, close):
    law = fourier(flat(k), reach(flat(k)), orders)
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    assert law.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=close)
    assert bool(law.converged[0]) == (k == 12)


def test_what_is_left_out_bounds_the_error():
    law = fourier(flat(3), reach(flat(3)), 128)
    x = np.linspace(-1.4, 1.4, 29)[None]
    errors = np.abs(law.sf(x)[0] - [above(at + 1.5, 3) for at in x[0]])
    assert errors.max() <= law.flaw[0]


@pytest.mark.parametrize("alpha", [(3.0, 2.0, 5.0), (0.5, 0.5, 0.5), (40.0, 25.0, 300.0)])
def test_characteristic_functions_are_the_means_of_waves(alpha):
    shares = np.random.default_rng(8).dirichlet(alpha, 400_000)
    difference = shares[:, 0] - shares[:, 1]
    t = np.array([0.5, 3.0, 12.0]) / difference.std()
    found = waves(np.array([alpha]))(t[None])[0]
    exact = [np.exp(1j * at * (difference - (alpha[0] - alpha[1]) / sum(alpha))).mean() for at in t]
    assert found == pytest.approx(np.array(exact), abs=6e-3)
