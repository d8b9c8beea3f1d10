"""Sums from their Fourier series and by waves, against exact sums and quadrature."""

import numpy as np
import pytest
from scipy import integrate, stats
from tests.stats.irwin_hall import above

from adjudge.stats.fourier import fades, fourier, reach, rough_sum
from adjudge.stats.offsets import rates


def flat(k):
    return rates(np.ones((1, k)), np.ones((1, k)), np.ones((1, k)))


@pytest.mark.parametrize(("k", "orders", "close"), [(12, 512, 1e-12), (3, 2048, 1e-9)])
def test_a_series_has_the_tails_of_the_sum(k, orders, close):
    distribution = fourier(flat(k), reach(flat(k)), orders)
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    assert distribution.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=close)
    assert bool(distribution.converged[0]) == (k == 12)


def test_what_is_left_out_bounds_the_error():
    distribution = fourier(flat(3), reach(flat(3)), 128)
    x = np.linspace(-1.4, 1.4, 29)[None]
    errors = np.abs(distribution.sf(x)[0] - [above(at + 1.5, 3) for at in x[0]])
    assert errors.max() <= distribution.flaw[0]


@pytest.mark.parametrize(("k", "enough"), [(3, False), (12, True)])
def test_a_series_that_does_not_fade_has_not_converged(k, enough):
    assert bool(fades(flat(k), reach(flat(k)), 512)[0]) is enough
    assert bool(fourier(flat(k), reach(flat(k)), 512).converged[0]) is enough


@pytest.mark.parametrize("k", [2, 3, 4])
def test_waves_are_exact(k):
    distribution = rough_sum(flat(k))
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    assert distribution.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-12)
    assert float(distribution.flaw[0]) < 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-12])
def test_what_lies_near_an_end(gap):
    distribution = rough_sum(flat(2))
    assert distribution.tail(gap, upper=True) == pytest.approx(gap**2 / 2, abs=1e-13)
    assert distribution.tail(gap, upper=False) == pytest.approx(gap**2 / 2, abs=1e-13)


def test_two_arcsine_rates_of_unlike_weights():
    half = np.full((1, 2), 0.5)
    distribution = rough_sum(rates(half, half, np.array([[1.0, 0.3]])))
    one, point = stats.beta(0.5, 0.5), 0.9
    exact = integrate.quad(lambda t: one.sf(point - 0.3 * np.sin(t) ** 2), 0, np.pi / 2, limit=400)[0] * 2 / np.pi
    assert distribution.sf(np.array([[point - 0.65]]))[0, 0] == pytest.approx(exact, abs=1e-7)
