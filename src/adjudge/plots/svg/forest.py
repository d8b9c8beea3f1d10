"""The forest plots of the page."""

from __future__ import annotations

import math

from adjudge.plots.densities import WIDTH
from adjudge.plots.forest import DOT, Forest, Row
from adjudge.plots.svg.canvas import Canvas

_SIDE, _TOP, _BOTTOM = 22.0, 4.0, 46.0
_SIZE = 4.2  # half the height of a mark
_SMALL = 3.2
_CAP = 4.5  # half the height of the ends of a bar


def forest_svg(found: Forest, name: str) -> str:
    """Return rows on one axis as SVG."""
    canvas = Canvas(WIDTH + 2 * _SIDE, _TOP + found.height + _BOTTOM)
    _frame(canvas, found)
    for row in found.rows:
        _draw(canvas, found, row)
    for join in found.joins:
        canvas.line((_SIDE + join.x, _TOP + join.top), (_SIDE + join.x, _TOP + join.foot), "heavy line4")
    for label in found.labels:
        canvas.text(_SIDE + label.x, _TOP + label.y, label.words, f"{label.kind} halo", label.anchor)
    return canvas.drawn(name, f"Forest plot: {found.title}" if found.title else "Forest plot", found.words)


def _at(found: Forest, value: float, down: float) -> tuple[float, float]:
    return _SIDE + found.across(value), _TOP + down


def _frame(canvas: Canvas, found: Forest) -> None:
    """Draw what the rows are read against: impossible values, the band, ticks, marks and the axis."""
    for top, foot in found.spans:
        for low, high in found.scale.impossible:
            _box(canvas, found, (low, high), (top, foot), "beyond")
    if found.band is not None:
        _box(canvas, found, found.band, found.spans[0], "area0")
    for value, words in found.ticks:
        _upright(canvas, found, value, found.height, "grid")
        x, y = _at(found, value, found.height)
        canvas.text(x, y + 17, words, "tick")
    for i, mark in enumerate(found.marks):
        if not mark.far:
            _upright(canvas, found, mark.at, found.foot(i), "ref")
    if found.dividing is not None:
        canvas.line((_SIDE, _TOP + found.dividing), (_SIDE + WIDTH, _TOP + found.dividing), "grid")
    canvas.line(_at(found, found.scale.start, found.height), _at(found, found.scale.stop, found.height), "axis")
    canvas.text(_SIDE + (found.left + found.right) / 2, _TOP + found.height + 37, found.axis, "lab")


def _box(canvas: Canvas, found: Forest, across: tuple[float, float], down: tuple[float, float], kind: str) -> None:
    (low, high), (top, foot) = (found.scale.nearest(v) for v in across), down
    canvas.path([_at(found, v, d) for v, d in ((low, top), (high, top), (high, foot), (low, foot))], kind)


def _upright(canvas: Canvas, found: Forest, value: float, foot: float, kind: str) -> None:
    """Draw a line that leaves out the names of rows set apart; from the last row it goes on to `foot`."""
    spans = [*found.spans[:-1], (found.spans[-1][0], foot)] if found.spans else [(0.0, foot)]
    for top, bottom in spans:
        canvas.line(_at(found, value, top), _at(found, value, bottom), kind)


def _draw(canvas: Canvas, found: Forest, row: Row) -> None:
    for x, y in zip(*found.dots(row), strict=True):
        canvas.dot(_SIDE + float(x), _TOP + float(y), DOT, f"faint mark{row.colour}")
    if row.limited:
        kind = "bar" if row.shape == "cross" else f"{'heavy' if row.headed else 'thin'} line{row.colour}"
        canvas.line(_at(found, row.low, row.down), _at(found, row.high, row.down), kind)
        for end in (row.low, row.high) if row.shape == "cross" else ():
            canvas.line(_at(found, end, row.down - _CAP), _at(found, end, row.down + _CAP), kind)
    if math.isfinite(row.value):
        _mark(canvas, _at(found, row.value, row.down), row)


def _mark(canvas: Canvas, at: tuple[float, float], row: Row) -> None:
    x, y = at
    size = _SIZE if row.headed else _SMALL
    if row.shape in ("disc", "ring"):
        canvas.dot(x, y, size, f"mark{row.colour}" if row.shape == "disc" else f"ring line{row.colour}")
    elif row.shape == "diamond":
        canvas.path([(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], f"mark{row.colour}")
    elif row.shape == "tick":
        canvas.line((x, y - 6), (x, y + 6), "bar")
    else:
        for slope in (-_CAP, _CAP):
            canvas.line((x - _CAP, y - slope), (x + _CAP, y + slope), "bar")
