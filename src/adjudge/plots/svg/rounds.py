"""The errors over rounds of the page."""

from __future__ import annotations

from functools import partial

from adjudge.plots.rounds import RoundsPicture
from adjudge.plots.svg.axes import rule
from adjudge.plots.svg.canvas import Canvas

_WIDTH, _PLOT = 480.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 26.0, 12.0, 46.0
_LINE = 19.0  # height of a key
_HALF = 12.0  # of a sign beside its words


def rounds_svg(found: RoundsPicture, name: str) -> str:
    """Return errors over the rounds as SVG: training broken, new cases whole and in their band."""
    canvas = Canvas(_WIDTH, _top(found) + _PLOT + _BOTTOM)
    _keys(canvas, found)
    _axes(canvas, found)
    for line in found.lines:
        if line.band is not None:
            canvas.path([_at(found, *corner) for corner in line.around], f"area{line.colour}")
    left, right = found.across.start, found.across.stop
    canvas.line(_at(found, left, found.single), _at(found, right, found.single), "ref")
    for line in found.lines:
        at = [_at(found, *point) for point in zip(line.x.tolist(), line.y.tolist(), strict=True)]
        if len(at) == 1:
            canvas.dot(*at[0], 4.2, f"mark{line.colour}")
        canvas.path(at, _kind(line.colour, broken=line.learnt))
    return canvas.drawn(name, f"Errors over the rounds: {found.title}", found.words)


def _kind(colour: int, *, broken: bool) -> str:
    return f"curve line{colour}{' broken' if broken else ''}"


def _rows(found: RoundsPicture) -> int:
    return len(found.lines) + 1 + bool(found.band_words)


def _top(found: RoundsPicture) -> float:
    return _TOP + _rows(found) * _LINE + 6


def _at(found: RoundsPicture, x: float, y: float) -> tuple[float, float]:
    across, up = found.across.part(x), found.up.part(found.up.nearest(y))
    return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _top(found) + (1 - up) * _PLOT


def _keys(canvas: Canvas, found: RoundsPicture) -> None:
    """Draw the signs and their words, one beneath the other."""
    x, down = _LEFT + _HALF, _TOP + 4
    told = [line.words for line in found.lines]
    for line in found.lines:
        canvas.path([(x - _HALF, down), (x + _HALF, down)], _kind(line.colour, broken=line.learnt))
        down += _LINE
    if found.band_words:
        corners = [(x - _HALF, down - 5), (x + _HALF, down - 5), (x + _HALF, down + 5), (x - _HALF, down + 5)]
        canvas.path(corners, f"area{found.lines[0].colour}")
        told.append(found.band_words)
        down += _LINE
    canvas.line((x - _HALF, down), (x + _HALF, down), "ref")
    for i, words in enumerate([*told, found.single_words]):
        canvas.text(x + _HALF + 8, _TOP + 8 + i * _LINE, words, "key", "start")


def _axes(canvas: Canvas, found: RoundsPicture) -> None:
    left, right, low = found.across.start, found.across.stop, found.up.start
    rule(canvas, partial(_at, found), (found.x_ticks, found.y_ticks), (left, right), low)
    canvas.text((_LEFT + _WIDTH - _RIGHT) / 2, _top(found) + _PLOT + 38, found.x_name, "lab")
    canvas.text(14, _top(found) + _PLOT / 2, found.y_name, "lab", turn=-90)
