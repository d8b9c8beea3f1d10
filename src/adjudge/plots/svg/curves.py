"""The curves of the page."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plots.geometry import CurveSet, Line, ticks
from adjudge.plots.labels import named
from adjudge.plots.svg.canvas import Canvas, width_of

_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 16.0, 16.0, 46.0
_LARGEST_DOT = 12.0  # radius of a dot that stands for every case
_LINE = 18.0  # height of a line of the legend
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
        canvas.line(_at(curves, 0, 0), _at(curves, 1, 1), "ref")
    if curves.level is not None:
        canvas.line(_at(curves, 0, curves.level), _at(curves, 1, curves.level), "ref")
    for line in curves.lines:
        _draw(canvas, curves, line)
    words = list(_legend_words(curves))
    _legend(canvas, curves, words)
    return canvas.drawn(name, _TITLES.get(curves.name, curves.name), "; ".join(words))


def _at(curves: CurveSet, x: float, y: float) -> tuple[float, float]:
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y / curves.top * (_HEIGHT - _TOP - _BOTTOM)


def _axes(canvas: Canvas, curves: CurveSet) -> None:
    for v in ticks(0, 1):
        x, y = _at(curves, v, 0)
        canvas.line((x, y), _at(curves, v, curves.top), "grid")
        canvas.text(x, y + 18, f"{100 * v:g}%", "tick", "end" if v == 1 else "middle")
    for v in ticks(0, curves.top):
        x, y = _at(curves, 0, v)
        canvas.line((x, y), _at(curves, 1, v), "grid")
        canvas.text(x - 8, y + 4, f"{100 * v:g}%", "tick", "end")
    canvas.line(_at(curves, 0, 0), _at(curves, 1, 0), "axis")
    x, y = _at(curves, 0.5, 0)
    canvas.text(x, y + 38, curves.x_name, "lab")
    canvas.text(14, (_TOP + _HEIGHT - _BOTTOM) / 2, curves.y_name, "lab", turn=-90)


def _draw(canvas: Canvas, curves: CurveSet, line: Line) -> None:
    at = [_at(curves, float(x), float(y)) for x, y in zip(line.x, line.y, strict=True)]
    if len(curves.lines) == 1 and curves.name in ("roc", "precision-recall") and at:
        canvas.path([(at[0][0], _at(curves, 0, 0)[1]), *at, (at[-1][0], _at(curves, 0, 0)[1])], "under")
    canvas.path(at, "context" if line.colour is None else f"curve line{line.colour}")
    if line.size is not None:
        for (x, y), size in zip(at, line.size, strict=True):
            canvas.dot(x, y, 2 + _LARGEST_DOT * float(size) ** 0.5, f"dot mark{line.colour}" if line.colour else "dot")


def _legend_words(curves: CurveSet) -> Iterable[str]:
    shown = curves.named
    names = named([line.label for line in shown], 22)
    for line, name in zip(shown, names, strict=True):
        yield curves.words(line) if line.label is None else f"{name}: {curves.words(line)}"


def _legend(canvas: Canvas, curves: CurveSet, words: list[str]) -> None:
    """Write the legend where the curves of good classifiers are not: low, to the right; PR curves leave the left."""
    room = max(width_of(text, 12.5) for text in words) + 34
    x = _LEFT + 14 if curves.name == "precision-recall" else _WIDTH - _RIGHT - room - 6
    x = _LEFT + 14 if curves.name == "risk-coverage" else x
    down = _TOP + 18 if curves.name == "risk-coverage" else _HEIGHT - _BOTTOM - 14 - _LINE * (len(words) - 1)
    canvas.plate(x - 6, down - 16, (room, _LINE * len(words) + 4))
    for i, (line, text) in enumerate(zip(curves.named, words, strict=True)):
        y = down + i * _LINE
        canvas.line((x, y - 4), (x + 20, y - 4), f"curve line{line.colour}")
        canvas.text(x + 28, y, text, "key", "start")
