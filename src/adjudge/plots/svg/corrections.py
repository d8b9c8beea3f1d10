"""The corrections of the page: a line with the keys to it above."""

from __future__ import annotations

from functools import partial

from adjudge.plots.corrections import Key, LinePicture
from adjudge.plots.svg.axes import rule
from adjudge.plots.svg.canvas import Canvas

_WIDTH, _PLOT = 480.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 26.0, 12.0, 46.0
_LINE = 19.0  # height of a key
_DOT = 4.8
_HALF = 10.0  # of a sign beside its words


def line_svg(found: LinePicture, name: str) -> str:
    """Return a line, its band and what it is read against as SVG."""
    canvas = Canvas(_WIDTH, _top(found) + _PLOT + _BOTTOM)
    for i, key in enumerate(found.keys):
        _key(canvas, key, _TOP + i * _LINE + 4)
    _axes(canvas, found)
    if found.band is not None:
        canvas.path([_at(found, *corner) for corner in found.around], "area0")
    for key in found.keys:
        _reference(canvas, found, key)
    canvas.path([_at(found, *point) for point in zip(found.x.tolist(), found.y.tolist(), strict=True)], "curve line0")
    for key in found.keys:
        if key.sign == "dot":
            canvas.dot(*_at(found, key.x, key.y), _DOT, "mark1")
    return canvas.drawn(name, found.title, found.words)


def _top(found: LinePicture) -> float:
    return _TOP + len(found.keys) * _LINE + 6


def _at(found: LinePicture, x: float, y: float) -> tuple[float, float]:
    across, up = found.part(x), found.up.part(found.up.nearest(y))
    return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _top(found) + (1 - up) * _PLOT


def _key(canvas: Canvas, key: Key, down: float) -> None:
    """Draw a sign and its words."""
    x, half = _LEFT + _HALF, _HALF
    if key.sign == "band":
        canvas.path([(x - half, down - 5), (x + half, down - 5), (x + half, down + 5), (x - half, down + 5)], "area0")
    elif key.sign == "dot":
        canvas.dot(x, down, _DOT, "mark1")
    elif key.sign == "upright":
        canvas.line((x, down - 8), (x, down + 8), "ref")
    else:
        canvas.line((x - half, down), (x + half, down), "ref" if key.sign == "level" else "curve line0")
    canvas.text(x + half + 8, down + 4, key.words, "key", "start")


def _reference(canvas: Canvas, found: LinePicture, key: Key) -> None:
    (left, right), low, high = found.ends, found.up.start, found.up.stop
    if key.sign == "upright":
        canvas.line(_at(found, key.x, low), _at(found, key.x, high), "ref")
    elif key.sign == "level" and low <= key.y <= high:
        canvas.line(_at(found, left, key.y), _at(found, right, key.y), "ref")


def _axes(canvas: Canvas, found: LinePicture) -> None:
    low = found.up.start
    rule(canvas, partial(_at, found), (found.x_ticks, found.y_ticks), found.ends, low)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    canvas.text(middle, _top(found) + _PLOT + 38, found.x_name, "lab")
    canvas.text(14, _top(found) + _PLOT / 2, found.y_name, "lab", turn=-90)
