"""A drawing as SVG: every word escaped, styles by class, no style attributes, no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

import numpy as np

from adjudge._base import safe
from adjudge._base.arrays import FloatArray
from adjudge.plots import drawing as items
from adjudge.plots.drawing import SHAPES, STROKED, Drawing, Panel

_BOX = 4  # corners


def svg(drawing: Drawing, name: str) -> str:
    """Return a drawing whose ids begin with `name`; one in pieces as a group, so that a narrow page sets them in a column."""
    *pieces, last = drawing.apart or (drawing,)
    each = [_sheet(piece, f"{name}-{i}", name) for i, piece in enumerate(pieces, start=1)]
    inside = "".join([*each, _sheet(last, name, name)])
    if not pieces:
        return inside
    return f'<div class="spaces by{drawing.abreast}" role="group" aria-labelledby="{name}-t">{inside}</div>'


def points(value: float) -> str:
    """Return a length with two decimals at most, so that the same picture is always the same bytes: 12.0 is 12."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _sheet(drawing: Drawing, own: str, name: str) -> str:
    """Return one element; its title and its words say it to readers who do not see it."""
    head = f'<svg viewBox="0 0 {points(drawing.width)} {points(drawing.height)}" role="img" aria-labelledby="{own}-t {own}-d">'
    title, words = escape(safe(drawing.title, 200)), escape(safe(drawing.words, 1000))
    told = f'<title id="{own}-t">{title}</title><desc id="{own}-d">{words}</desc>'
    marks = ((symbol, "".join(_mark(0.0, 0.0, *layer) for layer in layers)) for symbol, layers in drawing.symbols)
    symbols = "".join(f'<g id="{name}-{symbol}">{shapes}</g>' for symbol, shapes in marks)
    kept = f'<g class="kept">{symbols}</g>' if symbols else ""
    panel = drawing.panel
    axes: tuple[items.Item, ...] = () if panel is None else (*panel.rules, *panel.words(drawing.width))
    drawn = "".join(part for item in (*axes, *drawing.items) for part in _drawn(item, panel, name))
    return f"{head}{told}{kept}{drawn}</svg>"


def _drawn(item: items.Item, panel: Panel | None, name: str) -> Iterator[str]:
    """Yield the elements of an item."""
    match item:
        case items.Text():
            yield _text(item)
        case items.Line():
            yield _line(_placed(item.points, panel, page=item.page), item.style)
        case items.Area():
            parts = [_placed(part, panel, page=item.page) for part in item.parts]
            if len(parts) == 1 and _upright(parts[0]):
                (x, y), (w, h) = (map(points, each.tolist()) for each in (parts[0].min(axis=0), np.ptp(parts[0], axis=0)))
                yield f'<rect class="{item.style}" x="{x}" y="{y}" width="{w}" height="{h}"/>'
            else:
                yield f'<path class="{item.style}" d="{"".join(_through(part, around=True) for part in parts)}"/>'
        case items.Marks():
            for x, y in _placed(item.points, panel, page=item.page).tolist():
                yield _mark(x, y, item.shape, item.size, item.style)
        case items.Cells():
            assert panel is not None
            yield from _cells(item, panel)
        case items.Strokes():
            told = "".join(f"M{points(a)} {points(b)}L{points(c)} {points(d)}" for (a, b), (c, d) in item.ends.tolist())
            yield f'<path class="{item.style}" d="{told}"{_data(item.data)}/>'
        case items.Copies():
            for symbol, (x, y) in zip(item.symbols, item.points.tolist(), strict=True):
                yield f'<use href="#{name}-{symbol}" x="{x:.1f}" y="{y:.1f}"/>'
        case items.Group():
            inside = "".join(part for each in item.items for part in _drawn(each, panel, name))
            yield f'<g class="{item.style}"{_data(item.data)}>{inside}</g>'


def _placed(at: FloatArray, panel: Panel | None, *, page: bool) -> FloatArray:
    return at if page or panel is None else panel.at(at)


def _data(data: Iterable[tuple[str, str]]) -> str:
    return "".join(f' data-{name}="{escape(value)}"' for name, value in data)


def _text(text: items.Text) -> str:
    place = f'x="{points(text.x)}" y="{points(text.y)}"'
    if text.turn:
        place = f'transform="translate({points(text.x)} {points(text.y)}) rotate({points(text.turn)})"'
    return f'<text class="{text.style}" text-anchor="{text.anchor}" {place}>{escape(safe(text.words, 1000))}</text>'


def _line(at: FloatArray, style: str) -> str:
    """Return a straight line, or a path; a curve is a path however few its points, as scripts may draw it anew."""
    if len(at) == 2 and "curve" not in style:  # noqa: PLR2004 - both ends
        (x1, y1), (x2, y2) = (map(points, end) for end in at.tolist())
        return f'<line class="{style}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
    return f'<path class="{style}" d="{_through(at)}"/>'


def _through(at: FloatArray, *, around: bool = False) -> str:
    """Return the way through points; around an upright box it is short, as there may be thousands."""
    if around and _upright(at):
        (x, y), (right, foot) = at[0].tolist(), at[2].tolist()
        return f"M{points(x)} {points(y)}h{points(right - x)}v{points(foot - y)}h{points(x - right)}z"
    return "M" + "L".join(f"{points(x)} {points(y)}" for x, y in at.tolist())


def _upright(at: FloatArray) -> bool:
    """Say whether corners are those of a box, the first two at one height."""
    return len(at) == _BOX and np.array_equal(at[[0, 1, 2, 3], [1, 0, 1, 0]], at[[1, 2, 3, 0], [1, 0, 1, 0]])


def _mark(x: float, y: float, shape: str, size: float, style: str) -> str:
    if shape == "disc":
        return f'<circle class="{style}" cx="{points(x)}" cy="{points(y)}" r="{points(size)}"/>'
    corners = SHAPES[shape] * size + (x, y)
    if shape in STROKED:
        return "".join(_line(corners[i : i + 2], style) for i in range(0, len(corners), 2))
    return f'<path class="{style}" d="{_through(corners)}Z"/>'


def _cells(cells: items.Cells, panel: Panel) -> Iterator[str]:
    """Yield a group for each cell: its box, and the lines of words in its middle."""
    wide = (panel.right - panel.left) / len(cells.styles[0])
    high = (panel.bottom - panel.top) / len(cells.styles)
    w, h = wide - 2 * cells.gap, high - 2 * cells.gap
    size = f'width="{points(w)}" height="{points(h)}" rx="{points(min(4, w / 8))}"'
    for i, (styles, row) in enumerate(zip(cells.styles, cells.lines, strict=True)):
        for j, (style, lines) in enumerate(zip(styles, row, strict=True)):
            if style:
                x, y = panel.left + j * wide + cells.gap, panel.top + i * high + cells.gap
                words = "".join(_text(items.Text(x + w / 2, y + down, told, kind)) for down, told, kind in lines)
                yield f'<g class="{style}"><rect x="{points(x)}" y="{points(y)}" {size}/>{words}</g>'
