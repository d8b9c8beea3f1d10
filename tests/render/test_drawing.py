"""Both renderers draw any drawing alike: the same items at the same places, with styles that both know."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure as MplFigure
from tests.results import PICTURED, made, with_kind

from adjudge.plots.drawing import SHAPES, Area, Axis, Cells, Copies, Drawing, Group, Line, Marks, Panel, Text, every_item
from adjudge.plots.pictures import KINDS, picture
from adjudge.plots.style import LIGHT, LOOKS, cell_colour, css
from adjudge.render.matplotlib import draw, look_of
from adjudge.render.svg import points, svg


def styles_of(drawing):
    """Return the names of all styles that a drawing uses."""
    found = [style for _, layers in drawing.symbols for _, _, style in layers]
    for item in every_item((*drawing.items, *(drawing.panel.rules if drawing.panel else ()))):
        if isinstance(item, Cells):
            found += [style for row in item.styles for style in row]
            found += [style for row in item.lines for cell in row for _, _, style in cell]
        elif not isinstance(item, (Copies, Group)):
            found.append(item.style)
    return {name for style in found for name in style.split()}.union(*map(styles_of, drawing.apart))


values = st.floats(0, 1).map(lambda v: round(v, 4))
places = st.lists(st.tuples(values, values), min_size=2, max_size=6, unique=True).map(np.array)
styles = st.sampled_from(["curve line0", "thin line2", "ref", "bar"])
lines = st.builds(Line, places, styles, page=st.booleans())
marks = st.builds(
    Marks, places, st.sampled_from(["disc", "diamond", "square", "triangle"]), st.just(3.0), st.just("mark1"), page=st.booleans()
)
areas = st.builds(lambda at, page: Area((at,), "area1", page=page), places.filter(lambda at: len(at) > 2), st.booleans())
texts = st.builds(Text, values, values, st.text(min_size=1, max_size=9), st.sampled_from(["key", "aside halo", "head"]))
panels = st.sampled_from([
    Panel(40, 10, 440, 210, Axis(0, 1, ((0.0, "0"), (1.0, "1")), "x", grid=True), Axis(0, 1, ((0.5, "a"),), "y", grid=True)),
    Panel(60, 10, 400, 210, Axis(0, 1, ((0.5, "half"),), "x", notched=True)),
])  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(lines, marks, areas, texts), max_size=8), panels)
def test_both_draw_the_same_items_at_the_same_places(items, panel):
    drawing = Drawing(480, 260, "title", "words", tuple(items), panel)
    ax = draw(drawing, MplFigure(figsize=(6, 4)).subplots())
    left, top, right, bottom = drawing.frame
    box = ax.get_window_extent()

    def on_page(xy):
        part = (xy - (box.x0, box.y0)) / (box.width, box.height)
        return part * (right - left, top - bottom) + (left, bottom)

    drawn = [on_page(line.get_transform().transform(line.get_xydata())) for line in ax.get_lines()]
    expected = [item.points if item.page else panel.at(item.points) for item in items if isinstance(item, (Line, Marks))]
    rules = [rule.points for rule in panel.rules]
    assert len(drawn) == len(rules) + len(expected)
    for one, other in zip(drawn, [*rules, *expected], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert [text.get_text() for text in ax.texts] == [item.words for item in items if isinstance(item, Text)]
    assert len(ax.collections) == sum(isinstance(item, Area) for item in items)

    root = ET.fromstring(re.sub(r"[\x00-\x1f]", "", svg(drawing, "x")))  # noqa: S314 - our own words
    found = [element for element in root.iter() if element.tag in ("line", "path", "circle", "rect")]
    many = sum(len(item.points) if isinstance(item, Marks) else not isinstance(item, Text) for item in items)
    assert len(found) == len(rules) + many
    discs = [
        at
        for item in items
        if isinstance(item, Marks) and item.shape == "disc"
        for at in (item.points if item.page else panel.at(item.points)).tolist()
    ]
    assert [(c.get("cx"), c.get("cy")) for c in root.iter("circle")] == [(points(x), points(y)) for x, y in discs]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PICTURED, *KINDS])
def test_every_style_is_known_to_both(name):
    figure = picture(with_kind(name), kind=name) if name in KINDS else picture(made(name))
    sheet = css()
    for style in styles_of(figure.drawing):
        look_of(style)
        known = cell_colour(LIGHT, style) is not None
        assert known or not LOOKS[style] or re.search(rf"\.{style}\{{", sheet), style


def test_an_unknown_style_is_refused():
    drawing = Drawing(100, 100, "t", "w", (Text(1, 1, "x", "purple"),))
    with pytest.raises(KeyError, match=r"no look for purple.*LOOKS"):
        draw(drawing, MplFigure().subplots())


@pytest.mark.slow
def test_marks_have_known_shapes():
    for name in PICTURED:
        for item in every_item(picture(made(name)).drawing.items):
            assert not isinstance(item, Marks) or item.shape in SHAPES
