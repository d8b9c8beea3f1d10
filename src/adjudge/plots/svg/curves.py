"""The curves of the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from adjudge.plots.geometry import CurveSet, Line, ticks
from adjudge.plots.labels import count, named
from adjudge.plots.svg.canvas import Canvas, width_of

_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 16.0, 16.0, 46.0
_LARGEST_DOT = 12.0  # radius of a dot that stands for every case
_LINE = 18.0  # height of a line of the legend
_TALLEST = 40.0  # bar of the bin with most cases
_STEPS = 64  # points of a straight line at which a legend must not stand
_Point = tuple[float, float]
_TITLES = {
    "roc": "ROC curve",
    "precision-recall": "Precision-recall curve",
    "reliability": "Reliability of the probabilities",
    "risk-coverage": "Risk-coverage curve",
}


def curves_svg(curves: CurveSet, name: str) -> str:
    """Return curves with their axes and legend as SVG."""
    canvas = Canvas(_WIDTH, _HEIGHT)
    _axes(canvas, curves)
    if curves.diagonal:
        canvas.line(_at(curves, 0, 0), _at(curves, curves.right, min(curves.right, curves.top)), "ref")
    if curves.level is not None:
        canvas.line(_at(curves, 0, curves.level), _at(curves, curves.right, curves.level), "ref")
    if curves.banded is not None:
        _band(canvas, curves, curves.banded)
    for line in curves.lines:
        _draw(canvas, curves, line)
    words = list(_legend_words(curves))
    _legend(canvas, curves, words)
    told = [*words, *([curves.note] if curves.note else [])]
    return canvas.drawn(name, _TITLES.get(curves.name, curves.name), "; ".join(told))


def _at(curves: CurveSet, x: float, y: float) -> tuple[float, float]:
    across = x / curves.right * (_WIDTH - _LEFT - _RIGHT)
    return _LEFT + across, _HEIGHT - _BOTTOM - y / curves.top * (_HEIGHT - _TOP - _BOTTOM)


def _axes(canvas: Canvas, curves: CurveSet) -> None:
    for v in ticks(0, curves.right):
        x, y = _at(curves, v, 0)
        canvas.line((x, y), _at(curves, v, curves.top), "grid")
        canvas.text(x, y + 18, f"{100 * v:g}%", "tick", "end" if v == curves.right else "middle")
    for v in ticks(0, curves.top):
        x, y = _at(curves, 0, v)
        canvas.line((x, y), _at(curves, curves.right, v), "grid")
        canvas.text(x - 8, y + 4, f"{100 * v:g}%", "tick", "end")
    canvas.line(_at(curves, 0, 0), _at(curves, curves.right, 0), "axis")
    x, y = _at(curves, curves.right / 2, 0)
    canvas.text(x, y + 38, curves.x_name, "lab")
    canvas.text(14, (_TOP + _HEIGHT - _BOTTOM) / 2, curves.y_name, "lab", turn=-90)


def _draw(canvas: Canvas, curves: CurveSet, line: Line) -> None:
    at = [_at(curves, float(x), float(y)) for x, y in zip(line.x, line.y, strict=True)]
    if len(curves.lines) == 1 and line.band is None and curves.name in ("roc", "precision-recall") and at:
        canvas.path([(at[0][0], _at(curves, 0, 0)[1]), *at, (at[-1][0], _at(curves, 0, 0)[1])], "under")
    joined = "curve thin joined" if line.size is not None else "curve"  # dots stand for themselves, the line only leads the eye
    canvas.path(at, "context" if line.colour is None else f"{joined} line{line.colour}")
    if line.size is not None and line.colour is not None:
        for (x, y), size in zip(at, line.size, strict=True):
            canvas.dot(x, y, _radius(size), f"dot mark{line.colour}" if line.colour else "dot")


def _radius(size: float) -> float:
    return 2 + _LARGEST_DOT * math.sqrt(size)


def _band(canvas: Canvas, curves: CurveSet, line: Line) -> None:
    """Draw the region that holds the curve; of dots their limits, and below them how many cases each stands for."""
    assert line.band is not None
    if line.size is None:
        low, high = ([_at(curves, *point) for point in side.tolist()] for side in line.band)
        canvas.path([*low, *high[::-1]], "band area0")
        return
    for kind, start, end in _limits(curves, line):
        canvas.line(start, end, kind)


def _limits(curves: CurveSet, line: Line) -> Iterator[tuple[str, _Point, _Point]]:
    """Yield the bar of cases and the limits of each dot."""
    assert line.band is not None
    assert line.size is not None
    low, high = ([_at(curves, *point) for point in side.tolist()] for side in line.band)
    tallest, foot = float(line.size.max()), _at(curves, 0, 0)[1]
    for (x, bottom), (_, top), size in zip(low, high, line.size.tolist(), strict=True):
        yield "cases", (x, foot), (x, foot - _TALLEST * size / tallest)
        yield "bar thin", (x, bottom), (x, top)


def _legend_words(curves: CurveSet) -> Iterable[str]:
    shown = curves.named
    names = named([line.label for line in shown], 22)
    for line, name in zip(shown, names, strict=True):
        yield curves.words(line) if line.label is None else f"{name}: {curves.words(line)}"


def _legend(canvas: Canvas, curves: CurveSet, words: list[str]) -> None:
    """Write the legend where the curves of good classifiers are not: low, to the right; PR curves leave the left."""
    keys: list[tuple[str, str]] = [(f"curve line{line.colour}", text) for line, text in zip(curves.named, words, strict=True)]
    keys += _band_keys(curves)
    room = max(width_of(text, 12.5) for _, text in keys) + 34
    x = _LEFT + 14 if curves.name == "precision-recall" else _WIDTH - _RIGHT - room - 6
    x = _LEFT + 14 if curves.name == "risk-coverage" else x
    down = _TOP + 18 if curves.name == "risk-coverage" else _HEIGHT - _BOTTOM - 14 - _LINE * (len(keys) - 1)
    if curves.name == "reliability":
        x, down = _free(curves, room, _LINE * (len(keys) - 1))
        canvas.height = max(canvas.height, down + _LINE * len(keys) - 6)
    canvas.plate(x - 6, down - 16, (room, _LINE * len(keys) + 4))
    for i, (kind, text) in enumerate(keys):
        y = down + i * _LINE
        canvas.line((x, y - 4), (x + 20, y - 4), kind)
        canvas.text(x + 28, y, text, "key", "start")


def _free(curves: CurveSet, room: float, tall: float) -> _Point:
    """Return where a legend hides nothing that is drawn: in a corner, or below the picture."""
    right, low = _WIDTH - _RIGHT - room - 6, _HEIGHT - _BOTTOM - 14 - tall
    corners = ((_LEFT + 14, _TOP + 18), (right, low), (right, low - _TALLEST - 6), (right, _TOP + 18), (_LEFT + 14, low))
    ink = np.concatenate([np.linspace(start, end, _STEPS) for start, end in _strokes(curves)])

    def hides(corner: _Point) -> bool:
        from_corner = ink - (corner[0] - 10, corner[1] - 20)  # the plate and a little around it
        return bool(np.any(np.all((from_corner >= 0) & (from_corner <= (room + 8, tall + 30)), axis=1)))

    return next((corner for corner in corners if not hides(corner)), (_LEFT + 14, _HEIGHT + 18))


def _strokes(curves: CurveSet) -> Iterator[tuple[_Point, _Point]]:
    """Yield the two ends of every straight line drawn of dots: between them, across them, their limits and bars."""
    for line in curves.lines:
        at = [_at(curves, x, y) for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True)]
        yield from pairwise(at)
        for (x, y), size in zip(at, [0.0] * len(at) if line.size is None else line.size.tolist(), strict=True):
            yield (x - _radius(size), y), (x + _radius(size), y)
            yield (x, y - _radius(size)), (x, y + _radius(size))
    if curves.banded is not None and curves.banded.size is not None:
        yield from ((start, end) for _, start, end in _limits(curves, curves.banded))


def _band_keys(curves: CurveSet) -> list[tuple[str, str]]:
    """Return how the band, the limits and the bars of cases are explained."""
    line = curves.banded
    if line is None:
        return []
    if line.size is None:
        return [("band-key", curves.note)]
    return [("bar thin", curves.note), ("cases", f"cases in each bin, at most {count(line.most)}")]
