"""What is drawn, as plain data: where axes put values and words, and shapes of one size."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.plots.drawing import (
    SHAPES,
    SIDE,
    STROKED,
    Area,
    Axis,
    Drawing,
    Figure,
    Group,
    Panel,
    Text,
    band,
    box,
    every_item,
    line_of,
    mark,
    segment,
)
from adjudge.plots.style import LETTER


def area(around):
    """Return the area within corners, by the formula of Gauss."""
    x, y = np.asarray(around).T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@pytest.mark.parametrize("name", ["disc", "class-square", "class-triangle", "class-diamond", "hexagon"])
def test_regular_shapes_are_as_large_as_a_disc(name):
    assert area(SHAPES[name]) == pytest.approx(np.pi)
    np.testing.assert_allclose(SHAPES[name].mean(axis=0), 0, atol=1e-12)
    reach = np.hypot(*SHAPES[name].T)
    assert reach.max() == pytest.approx(reach.min())


def test_marks_that_are_lines_have_ends_two_by_two():
    assert all(len(SHAPES[name]) % 2 == 0 for name in STROKED)
    assert SHAPES["class-triangle"][:, 1].argmin() == 0  # on its foot: down is positive


def test_values_lie_along_an_axis():
    assert Axis(2, 6).part(np.array([2, 3, 6, 8])).tolist() == [0, 0.25, 1, 1.5]
    assert Axis(1, 1000, log=True).part(np.array([1, 10, 1000])).tolist() == pytest.approx([0, 1 / 3, 1])
    assert Axis(1, 0).part(np.array([1.0, 0.75])).tolist() == [0, 0.25]


def test_a_panel_puts_points_on_the_page():
    points = np.array([(0.0, 0.0), (1.0, 10.0), (0.5, 5.0)])
    both = Panel(40, 10, 240, 110, Axis(0, 1), Axis(0, 10))
    assert both.at(points).tolist() == [[40, 110], [240, 10], [140, 60]]
    one = Panel(40, 10, 240, 110, Axis(0, 1))  # heights are units down from the top
    assert one.at(points).tolist() == [[40, 10], [240, 20], [140, 15]]


def test_rules_stand_at_ticks():
    x, y = Axis(0, 1, ((0.25, "a"),), grid=True, notched=True), Axis(0, 10, ((5.0, "b"),), grid=True)
    found = [(rule.style, rule.points.tolist()) for rule in Panel(40, 10, 240, 110, x, y).rules]
    assert found == [
        ("grid", [[40, 60], [240, 60]]),
        ("grid", [[90, 110], [90, 10]]),
        ("axis", [[90, 110], [90, 114]]),
        ("axis", [[40, 110], [240, 110]]),
    ]
    assert Panel(40, 10, 240, 110, Axis(0, 1, ((0.25, "a"),)), lined=False).rules == ()


def test_words_keep_to_the_page():
    long = "n" * 30
    panel = Panel(140, 10, 240, 110, Axis(0, 1, ((0.0, "0"), (1.0, "a thousand")), long), Axis(0, 1, ((1.0, "all"),), "share"))
    zero, thousand, every, share, name = panel.words(260)
    assert (zero.anchor, zero.x, thousand.anchor, thousand.x) == ("middle", 140, "end", 240)
    assert (every.x < 140, every.y, every.anchor) == (True, 14, "end")
    assert (share.words, share.turn) == ("share", -90)
    assert name.x - LETTER * len(long) / 2 >= 0
    assert name.x + LETTER * len(long) / 2 <= 260
    assert [text.words for text in Panel(40, 10, 240, 110, Axis(0, 1)).words(260)] == []


def test_words_on_top_stand_above_and_may_turn():
    (text,) = Panel(40, 50, 240, 110, Axis(0, 1, ((0.5, "a"),), top=True, turn=-40)).words(260)
    assert (text.y < 50, text.turn, text.anchor) == (True, -40, "start")
    (text,) = Panel(40, 50, 240, 110, Axis(0, 1, ((0.5, "a"),), top=True)).words(260)
    assert (text.x, text.y < 50, text.anchor) == (140, True, "middle")


def test_the_frame_is_what_axes_take():
    both = Panel(40, 10, 240, 110, Axis(0, 1), Axis(0, 10))
    frames = [Drawing(260, 150, "t", "w", (), panel).frame for panel in (None, both, Panel(60, 10, 240, 110, Axis(0, 1)))]
    assert frames == [(0, 0, 260, 150), (40, 10, 240, 110), (SIDE, 10, 260 - SIDE, 110)]


def test_parts_of_a_picture():
    low, high = line_of([0, 1], [0, 1]), line_of([0, 1], [2, 4])
    assert isinstance(band(low, high, "area1"), Area)
    assert area(band(low, high, "area1").parts[0]) == pytest.approx(2.5)  # the mean of heights 2 and 3
    assert area(box((1, 3), (10, 40), "area1").parts[0]) == 60
    assert segment((0, 1), (2, 3), "ref", page=True).page
    assert mark(1, 2, "disc", 3.0, "mark1").points.tolist() == [[1, 2]]


def test_items_of_groups_are_items_too():
    a, b, c = (Text(0, 0, words, "key") for words in "abc")
    assert list(every_item((a, Group((Group((b,)), c))))) == [a, b, c]


def test_a_figure_needs_a_drawing_and_a_drawing_is_its_own():
    with pytest.raises(TypeError, match="abstract"):
        Figure()
    whole = Drawing(1, 1, "t", "w", ())
    assert whole.drawing is whole
    assert not whole.turns
