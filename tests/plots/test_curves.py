from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import adjudge
from adjudge.plots.curves import MOST_POINTS, curve_set, off_line, stepped, thinned
from adjudge.plots.scales import ticks


def deviation(x, y, kept):
    """How far the whole curve leaves what is drawn, piece by piece."""
    pieces = pairwise(kept)
    return max((off_line(x[i : j + 1], y[i : j + 1], (x[i], y[i]), (x[j], y[j])).max() for i, j in pieces), default=0.0)


def roc_of(n, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    scores = rng.normal(truth * 1.2)
    return adjudge.roc(truth, scores if digits is None else scores.round(digits), positive=1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 1000, 20_000, 1_000_000])
def test_a_thinned_roc_curve_looks_the_same(n):
    curve = roc_of(n)
    kept = thinned(curve.x, curve.y)
    assert len(kept) <= MOST_POINTS
    assert kept[0] == 0
    assert kept[-1] == curve.x.size - 1
    assert deviation(curve.x, curve.y, kept) < 0.002  # under one pixel of the page's pictures


@pytest.mark.slow
def test_a_thinned_precision_recall_curve_looks_the_same():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200_000)
    curve = adjudge.precision_recall(truth, rng.normal(truth), positive=1)
    x, y = stepped(curve.x, curve.y)
    kept = thinned(x, y)
    assert len(kept) <= MOST_POINTS
    assert deviation(x, y, kept) < 0.005


@pytest.mark.slow
@given(st.integers(1, 60).flatmap(lambda n: arrays(np.float64, (2, n), elements=st.floats(0, 1))), st.integers(2, 30))
def test_thinning_keeps_ends_and_order_of_any_curve(points, most):
    x, y = points
    kept = thinned(x, y, most=most)
    assert kept[0] == 0
    assert kept[-1] == x.size - 1
    assert np.all(np.diff(kept) > 0)
    assert len(kept) <= max(most, 2)
    assert len(kept) == most or deviation(x, y, kept) <= 0.0005 + 1e-12


def test_the_steps_have_the_area_of_the_average_precision():
    curve = adjudge.precision_recall([0, 1, 1, 0, 1], [0.1, 0.9, 0.4, 0.5, 0.3], positive=1)
    x, y = stepped(curve.x, curve.y)
    assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(curve.area)


def test_of_many_curves_the_least_areas_are_in_colour():
    curves = [roc_of(200, seed=i) for i in range(8)]
    found = curve_set(curves)
    assert sorted(line.area for line in found.named) == sorted(curve.area for curve in curves)[:5]
    assert [line.colour for line in found.lines] == [None, None, None, 0, 1, 2, 3, 4]


def test_few_risks_get_the_whole_height():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    found = curve_set([adjudge.risk_coverage(truth, np.clip(rng.normal(0.2 + 0.6 * truth, 0.1), 0, 1), positive=1)])
    assert found.top < 0.5


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_hold_the_span(low, span):
    found = ticks(low, low + span)
    assert 2 <= len(found) <= 8
    assert found[0] <= low + 1e-6 * span + 1e-9
    assert found[-1] >= low + span * (1 - 1e-6) - 1e-6
