"""Axes of values, and dots that would hide each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.plots.scales import Scale, scale_of, swarm

VALUES = st.lists(st.floats(-100, 100), min_size=1, max_size=20)


@given(VALUES)
def test_every_value_lies_on_the_axis(values):
    scale = scale_of(values)
    assert scale.start < scale.stop
    assert all(0 <= scale.part(v) <= 1 for v in values)


@given(VALUES)
def test_ticks_lie_on_the_axis_in_order_and_differ(values):
    found = scale_of(values).ticks(room=60)
    at = [value for value, _ in found]
    assert at == sorted(at)
    assert len({words for _, words in found}) == len(found)


def test_possible_values_leave_nothing_impossible():
    assert scale_of([0.97, 1.0], low=0, high=1).stop == 1
    assert scale_of([0.97, 1.0], low=0, high=1).impossible == ()


def test_a_value_beyond_what_is_possible_widens_the_axis():
    scale = scale_of([0.97, 1.02], low=0, high=1, percent=True)
    assert scale.impossible == ((1, scale.stop),)
    assert scale.stop > 1.02
    assert all(value <= 1 for value, _ in scale.ticks(room=60))
    assert scale_of([-0.01, 0.1], low=0, high=1).impossible[0][1] == 0


def test_near_values_to_compare_with_are_on_the_axis_and_far_ones_are_not():
    assert scale_of([0.8, 0.9], [0.7]).start < 0.7
    assert scale_of([0.8, 0.9], [0.1]).start > 0.7
    assert scale_of([0.8, 0.9], [0.1]).nearest(0.1) == scale_of([0.8, 0.9]).start


@pytest.mark.parametrize("values", [[0.0], [1.0, 1.0], [5e6], [float("nan"), 0.3], [float("inf")]])
def test_values_alone_or_unknown_still_have_an_axis(values):
    scale = scale_of(values)
    assert scale.start < scale.stop
    assert len(scale.ticks(room=60)) >= 2


@pytest.mark.parametrize(("around", "words"), [(3e9, "3e+9"), (2e-20, "2e-20"), (0.25, "0.24")])
def test_ticks_of_any_size_are_short(around, words):
    found = [told for _, told in scale_of([0.9 * around, 1.1 * around]).ticks(room=60)]
    assert words in [told.rstrip("0") if "e" not in told else told for told in found]
    assert max(map(len, found)) <= 9


def test_fewer_letters_leave_fewer_ticks():
    scale = Scale(0.0, 1.0, percent=True)
    assert len(scale.ticks(room=100)) > len(scale.ticks(room=20))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40))
def test_dots_keep_apart_and_centred(values):
    at = np.array(values)
    steps = swarm(at, 5.0)
    heaps = np.rint(at / 5)
    assert len({*zip(heaps, steps, strict=True)}) == at.size
    for heap in np.unique(heaps):
        assert steps[heaps == heap].sum() == pytest.approx(0)


def test_dots_apart_stay_in_line():
    assert not swarm(np.arange(0, 100, 10.0), 5).any()
