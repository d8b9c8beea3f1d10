"""A rate added to another part: class by class, against exact sums of uniform variables."""

import numpy as np
import pytest
from tests.stats.irwin_hall import above

from adjudge.stats.convolve import chain, crowded, pair
from adjudge.stats.offsets import rates


def flat(k):
    return rates(np.ones((1, k)), np.ones((1, k)), np.ones((1, k)))


@pytest.mark.parametrize(("k", "way"), [(2, pair), (2, chain), (3, chain)])
def test_convolutions_are_exact(k, way):
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    distribution = way(flat(k))
    assert distribution.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-11)
    assert (distribution.low[0], distribution.high[0]) == pytest.approx((-k / 2, k / 2))


def test_the_coarse_form_is_good_to_four_digits():
    distribution = pair(flat(2))
    x = np.array([[-0.4, 0.0, 0.7]])
    assert distribution.coarse().sf(x)[0] == pytest.approx(distribution.sf(x)[0], abs=1e-4)


def test_the_density_is_a_tent():
    x = np.array([[-0.6, 0.25]])
    assert pair(flat(2)).pdf(x)[0] == pytest.approx(1 - np.abs(x[0]), rel=1e-11)


def test_many_rough_places_are_told():
    assert not crowded(flat(3))
    weights = 2.0 ** -np.arange(6)[None]
    assert crowded(rates(np.ones((1, 6)), np.ones((1, 6)), weights))
