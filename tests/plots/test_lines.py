"""A line and its keys: nothing leaves the panel, every sign has its words, and equal ratios have ticks that can be read."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.plots.drawing import Area, Axis, Line, Marks, Text, every_item
from adjudge.plots.lines import Key, below_keys, keys_above, line_picture, ratio_axis
from adjudge.plots.scales import Scale

SIGNS = ("line", "band", "dot", "level", "upright")
numbers = st.floats(-1e6, 1e6)


def scale(start=0.0, stop=1.0):
    return Scale(start, stop)


def picture(x, y, keys, limits=None, across=(0.0, 10.0), up=(0.0, 1.0)):
    line = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return line_picture("Title", line, Axis(*across), (scale(*up), "share"), keys, limits)


def in_panel(drawing, kind):
    return [item for item in every_item(drawing.items) if isinstance(item, kind) and not item.page]


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20), numbers, numbers)
def test_nothing_leaves_the_panel(points, x, y):
    keys = [Key(sign, f"the {sign}", x, y) for sign in SIGNS]
    values = np.array(points)
    drawing = picture(*values.T, keys, (values[:, 0], values[:, 1] - 1, values[:, 1] + 1))
    shapes = [part for item in in_panel(drawing, Area) for part in item.parts]
    shapes += [item.points for item in (*in_panel(drawing, Line), *in_panel(drawing, Marks))]
    assert len(shapes) >= 4
    for part in shapes:
        assert np.isfinite(part).all()
        assert (part[:, 0] >= 0).all()
        assert (part[:, 0] <= 10).all()
        assert (part[:, 1] >= 0).all()
        assert (part[:, 1] <= 1).all()


def test_points_inside_stay_where_they_are():
    drawing = picture([1, 2, 9], [0.1, 0.5, 0.9], [Key("line", "errors"), Key("dot", "the least", 2, 0.5)])
    (curve,) = [item for item in in_panel(drawing, Line) if item.styled]
    assert curve.points.tolist() == [[1, 0.1], [2, 0.5], [9, 0.9]]
    (dot,) = in_panel(drawing, Marks)
    assert dot.points.tolist() == [[2, 0.5]]


@pytest.mark.parametrize(("y", "drawn"), [(0.5, 1), (0.0, 1), (1.0, 1), (1.01, 0), (-0.01, 0), (math.nan, 0)])
def test_a_level_beyond_the_panel_is_not_drawn_at_its_edge(y, drawn):
    drawing = picture([0, 10], [0, 1], [Key("line", "a"), Key("level", "b", y=y)])
    levels = [item for item in in_panel(drawing, Line) if not item.styled]
    assert len(levels) == drawn
    assert all(item.points.tolist() == [[0, y], [10, y]] for item in levels)


@pytest.mark.parametrize(("x", "at"), [(4.0, 4.0), (-3.0, 0.0), (1e9, 10.0)])
def test_an_upright_line_beyond_the_panel_stands_at_its_edge(x, at):
    drawing = picture([0, 10], [0, 1], [Key("line", "a"), Key("upright", "b", x=x)])
    (upright,) = [item for item in in_panel(drawing, Line) if not item.styled]
    assert upright.points.tolist() == [[at, 0], [at, 1]]


@given(st.lists(st.tuples(st.sampled_from(["curve line0", "area0", "mark1", "ref", "upright"]), st.text(min_size=1)), max_size=6))
def test_every_sign_has_its_words_beside_it_on_a_line_of_its_own(keys):
    signs = keys_above(keys, 10.0)
    assert [words.words for _, words in signs] == [words for _, words in keys]
    heights = [words.y for _, words in signs]
    assert all(low + 12 <= high for low, high in pairwise(heights))  # letters are 12 units high
    for (style, _), (sign, words) in zip(keys, signs, strict=True):
        assert sign.page
        kind = {"area": Area, "mark": Marks}.get(style[:4], Line)
        assert type(sign) is kind
        corners = sign.parts[0] if kind is Area else sign.points
        assert corners[:, 0].max() < words.x
        assert abs(corners[:, 1].mean() - words.y) <= 6


@pytest.mark.parametrize("keys", [1, 2, 5])
def test_the_panel_begins_below_its_keys(keys):
    signs = keys_above([("ref", "words")] * keys, 10.0)
    drawing = below_keys([part for pair in signs for part in pair], Axis(0, 1), scale(), "share", keys, 250.0, ("t", "w"))
    assert max(words.y for _, words in signs) < drawing.panel.top
    assert drawing.panel.bottom - drawing.panel.top == 250
    assert drawing.panel.bottom < drawing.height
    assert [item.words for item in drawing.items if isinstance(item, Text)] == ["words"] * keys


def test_the_words_of_the_picture_are_those_of_its_keys():
    drawing = picture([0, 1], [0, 1], [Key("line", "errors"), Key("level", "never", y=0.5)])
    assert (drawing.title, drawing.words) == ("Title", "errors; never")


@pytest.mark.parametrize(
    ("start", "stop", "ticks"),
    [
        (0.0, 1.0, [1, 2, 5, 10]),
        (-1.0, 1.0, [0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (0.1, 0.9, [2, 5]),
        (-3.0, 3.0, [1e-3, 1e-2, 0.1, 1, 10, 100, 1000]),  # those between would be too many
        (-8.0, 8.0, [1e-6, 1e-3, 1, 1e3, 1e6]),
    ],
)
def test_ticks_of_equal_ratios(start, stop, ticks):
    axis = ratio_axis(scale(start, stop), "multiplier")
    assert [value for value, _ in axis.ticks] == pytest.approx(ticks)
    assert [told for _, told in axis.ticks] == [f"{value:g}" for value in ticks]
    assert (axis.start, axis.stop, axis.log) == (pytest.approx(10**start), pytest.approx(10**stop), True)


@given(st.floats(-12, 12), st.floats(0.5, 20))
def test_ticks_of_equal_ratios_are_few_and_inside(start, long):
    axis = ratio_axis(scale(start, start + long), "multiplier", lambda value: f"<{value:g}>")
    values = [value for value, _ in axis.ticks]
    assert 1 <= len(values) <= 7
    assert values == sorted(values)
    assert all(axis.start * (1 - 1e-9) <= value <= axis.stop * (1 + 1e-9) for value in values)
    assert all(told == f"<{value:g}>" for value, told in axis.ticks)
