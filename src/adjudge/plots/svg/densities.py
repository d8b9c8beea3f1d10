"""The densities of the page."""

from __future__ import annotations

import math

from adjudge.plots.densities import WIDTH, Density, DensitySet, Reported
from adjudge.plots.svg.canvas import Canvas

_SIDE, _TOP, _BOTTOM = 22.0, 4.0, 46.0
_SIZE = 4.2  # half the height of a mark
_CAP = 4.5  # half the height of the ends of a bar


def densities_svg(found: DensitySet, name: str) -> str:
    """Return densities, each in a row of its own, as SVG."""
    canvas = Canvas(WIDTH + 2 * _SIDE, _TOP + found.height + _BOTTOM)
    _frame(canvas, found)
    for density in found.densities:
        _draw(canvas, found, density)
    for label in found.labels:
        turn = -90 if label.kind == "turned" else 0
        shift = 4 if turn else 0
        canvas.text(_SIDE + label.x + shift, _TOP + label.y, label.words, f"{label.kind} halo", label.anchor, turn)
    return canvas.drawn(name, f"Posterior densities: {found.title}" if found.title else "Posterior densities", found.words)


def _at(found: DensitySet, value: float, down: float) -> tuple[float, float]:
    return _SIDE + found.across(value), _TOP + down


def _frame(canvas: Canvas, found: DensitySet) -> None:
    """Draw what the rows are read against: impossible shares, ticks, marks and the axis."""
    bottom = found.height
    for low, high in found.impossible:
        for row in found.densities:
            corners = ((low, row.top), (high, row.top), (high, row.base), (low, row.base))
            canvas.path([_at(found, v, down) for v, down in corners], "beyond")
    for value, words in found.ticks:
        _upright(canvas, found, value, bottom, "grid")
        x, y = _at(found, value, bottom)
        canvas.text(x, y + 17, words, "tick")
    for i, mark in enumerate(found.marks):
        if not mark.far:
            _upright(canvas, found, mark.at, found.foot(i), "ref")
    canvas.line(_at(found, found.start, bottom), _at(found, found.stop, bottom), "axis")
    canvas.text(_SIDE + WIDTH / 2, _TOP + bottom + 37, found.axis, "lab")


def _upright(canvas: Canvas, found: DensitySet, value: float, foot: float, kind: str) -> None:
    for top, bottom in found.bands(foot):
        canvas.line(_at(found, value, top), _at(found, value, bottom), kind)


def _draw(canvas: Canvas, found: DensitySet, row: Density) -> None:
    x, y = row.shaded
    area = [_at(found, float(a), float(b)) for a, b in zip(x, row.down(y), strict=True)]
    canvas.path([_at(found, row.low, row.base), *area, _at(found, row.high, row.base)], f"area{row.colour}")
    canvas.line(_at(found, found.start, row.base), _at(found, found.stop, row.base), "axis")
    canvas.line(_at(found, row.low, row.base), _at(found, row.high, row.base), f"span line{row.colour}")
    for i, point in enumerate(row.shown):
        if math.isnan(point.value):
            continue
        foot = _at(found, point.value, row.step(i))
        canvas.line(_at(found, point.value, row.crest(point.value)), foot, f"stem line{row.colour}")
        _mark(canvas, foot, point.shape, f"mark{row.colour}")
    x, y = row.outline
    canvas.path([_at(found, float(a), float(b)) for a, b in zip(x, row.down(y), strict=True)], f"curve line{row.colour}")
    if row.reported:
        _bar(canvas, found, row.reported, row.lane)


def _mark(canvas: Canvas, at: tuple[float, float], shape: str, kind: str) -> None:
    """Draw the mark of a mean, median or mode."""
    x, y = at
    if shape == "disc":
        canvas.dot(x, y, _SIZE, kind)
        return
    corners = {"diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)), "triangle": ((0, -1.15), (1.15, 0.95), (-1.15, 0.95))}
    canvas.path([(x + _SIZE * a, y + _SIZE * b) for a, b in corners[shape]], kind)


def _bar(canvas: Canvas, found: DensitySet, told: Reported, down: float) -> None:
    """Draw what is commonly reported: a cross, and a bar with ends where it has limits."""
    x, y = _at(found, told.value, down)
    for slope in (-_CAP, _CAP):
        canvas.line((x - _CAP, y - slope), (x + _CAP, y + slope), "bar")
    if told.low < told.high:
        canvas.line(_at(found, told.low, down), _at(found, told.high, down), "bar")
        for end in (told.low, told.high):
            canvas.line(_at(found, end, down - _CAP), _at(found, end, down + _CAP), "bar")
