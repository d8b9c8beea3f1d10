"""Which way a sum of rates is computed: every way against exact sums of uniform variables."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.stats.irwin_hall import above

from adjudge._base.undefined import Undefined
from adjudge.stats.engines import (
    FLAWED,
    Convolution,
    allowed,
    chain,
    engine,
    engines,
    log_upper_tail,
    pair,
    peak,
    solve,
)
from adjudge.stats.fourier import Fourier, Waves
from adjudge.stats.offsets import rates

POINTS = (0.1, 0.35, 0.5, 0.8)


def flat(k, rows=1):
    return rates(np.ones((rows, k)), np.ones((rows, k)), np.ones((rows, k)))


@pytest.mark.parametrize(("k", "kind"), [(2, Convolution), (3, Waves), (12, Fourier)])
def test_each_way_is_exact(k, kind):
    distribution = engine(flat(k))
    assert isinstance(distribution, kind)
    x = np.array([[k * share for share in POINTS]])
    assert distribution.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-12)
    assert distribution.both(x - k / 2)[0].tolist() == distribution.sf(x - k / 2).tolist()
    assert float(distribution.flaw.max()) <= allowed(k)


def test_rows_come_in_lots_each_once():
    lots = list(engines(flat(2, rows=40)))
    assert sorted(int(row) for rows, _ in lots for row in rows) == list(range(40))
    assert len(lots) > 1


def test_many_classes_may_be_off_by_the_rounding_of_each():
    assert allowed(2) == FLAWED
    assert allowed(320) == 10 * FLAWED


@pytest.mark.parametrize("k", [2, 3, 12])
def test_quantiles_are_exceeded_as_often_as_asked(k):
    wanted = np.array([[0.9, 0.5, 0.025]])
    found = solve(engine(flat(k)), wanted, np.array([math.sqrt(k / 12)]), np.zeros(1))
    assert [above(float(x) + k / 2, k) for x in found[0]] == pytest.approx(wanted[0].tolist(), abs=1e-10)


@pytest.mark.parametrize("k", [2, 3, 12])
@pytest.mark.parametrize("gap", [0.9, 1e-3, 1e-9])
def test_far_tails_have_all_their_digits(k, gap):
    """The sum comes within g of its greatest value with probability g^k / k!, for g up to 1."""
    assert log_upper_tail(flat(k), gap) == pytest.approx(k * math.log(gap) - math.lgamma(k + 1), rel=1e-9)


def test_nothing_lies_beyond_the_greatest_value():
    assert log_upper_tail(flat(2), 0.0) == -math.inf


@pytest.mark.slow
def test_the_mode_of_a_symmetric_sum_is_its_centre():
    distribution = engine(flat(3))
    assert peak(distribution.marks[0], distribution.pdf) == pytest.approx(0.0, abs=1e-6)


def test_a_level_density_has_no_mode():
    assert isinstance(peak(np.array([-0.5, 0.5]), np.ones_like), Undefined)


@pytest.mark.parametrize(("k", "way"), [(2, pair), (2, chain), (3, chain)])
def test_convolutions_are_exact(k, way):
    x = np.array([[0.1, 0.35, 0.5, 0.8]]) * k
    distribution = way(flat(k))
    assert distribution.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-11)
    assert (distribution.low[0], distribution.high[0]) == pytest.approx((-k / 2, k / 2))


def test_the_coarse_form_is_good_to_four_digits():
    distribution = pair(flat(2))
    x = np.array([[-0.4, 0.0, 0.7]])
    assert replace(distribution, step=2 * distribution.step).sf(x)[0] == pytest.approx(distribution.sf(x)[0], abs=1e-4)


def test_the_density_is_a_tent():
    x = np.array([[-0.6, 0.25]])
    assert pair(flat(2)).pdf(x)[0] == pytest.approx(1 - np.abs(x[0]), rel=1e-11)


def test_many_rough_places_are_told():
    assert chain(flat(3)) is not None
    weights = 2.0 ** -np.arange(6)[None]
    assert chain(rates(np.ones((1, 6)), np.ones((1, 6)), weights)) is None
