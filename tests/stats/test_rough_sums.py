"""Rough sums by their waves, against exact sums of uniform variables and quadrature over arcsine rates."""

import numpy as np
import pytest
from scipy import integrate, stats
from tests.stats.irwin_hall import above

from adjudge.stats.offsets import rates
from adjudge.stats.rough_sums import rough_sum


def flat(k):
    return rates(np.ones((1, k)), np.ones((1, k)), np.ones((1, k)))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_waves_are_exact(k):
    law = rough_sum(flat(k))
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    assert law.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-12)
    assert float(law.flaw[0]) < 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-12])
def test_what_lies_near_an_end(gap):
    law = rough_sum(flat(2))
    assert law.tail(gap, upper=True) == pytest.approx(gap**2 / 2, abs=1e-13)
    assert law.tail(gap, upper=False) == pytest.approx(gap**2 / 2, abs=1e-13)


def test_two_arcsine_rates_of_unlike_weights():
    half = np.full((1, 2), 0.5)
    law = rough_sum(rates(half, half, np.array([[1.0, 0.3]])))
    one, point = stats.beta(0.5, 0.5), 0.9
    exact = integrate.quad(lambda t: one.sf(point - 0.3 * np.sin(t) ** 2), 0, np.pi / 2, limit=400)[0] * 2 / np.pi
    assert law.sf(np.array([[point - 0.65]]))[0, 0] == pytest.approx(exact, abs=1e-7)
