"""The confusion map of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adjudge._base.levels import share
from adjudge.plots.geometry import CellMap
from adjudge.plots.labels import count, named
from adjudge.plots.svg.canvas import Canvas, width_of

NARROW_CLASSES = 8
"""Classes up to which the map fits half a page, with the count in each cell."""
_BIG = 4  # classes up to which the shares are set large
_FONT = 12.0
_TURN = -45.0
_SLOPE = 0.71  # sine and cosine of the turn
_GAP = 1.5
_FAINT = 0.01  # a share below which a small cell has its shade only


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where everything goes."""

    rows: list[str]
    columns: list[str]
    left: float
    top: float
    right: float
    wide: float
    high: float
    turned: bool
    narrow: bool

    @property
    def size(self) -> tuple[float, float]:
        return self.left + self.wide * len(self.columns) + self.right, self.top + self.high * len(self.rows) + 6


def map_svg(cells: CellMap, name: str) -> str:
    """Return the map of a table as SVG."""
    plan = _planned(cells)
    canvas = Canvas(*plan.size)
    middle, down = plan.left + plan.wide * len(plan.columns) / 2, plan.top + plan.high * len(plan.rows) / 2
    canvas.text(middle, 14, "Predicted class", "lab")
    canvas.text(14, down, "True class", "lab", turn=-90)
    _names(canvas, plan)
    for i in range(len(plan.rows)):
        for j in range(len(plan.columns)):
            if plan.narrow or cells.counts[i, j]:
                _cell(canvas, cells, plan, i, j)
    return canvas.drawn(name, "Confusion map: each row in shares of its true class", " ".join(_told(cells, plan)))


def _planned(cells: CellMap) -> _Plan:
    narrow = len(cells.rows) <= NARROW_CLASSES
    longest = 14 if narrow else 18
    rows, columns = named(cells.rows, longest), named(cells.columns, longest)
    left = 36 + max(width_of(label, _FONT) for label in rows)
    widest = max(width_of(label, _FONT) for label in columns)
    wide = ((480 if narrow else 1000) - left - 14) / len(columns)
    turned = widest > wide - 4
    right = max(14.0, _SLOPE * widest - wide / 2 + 8) if turned else 14.0
    wide = ((480 if narrow else 1000) - left - right) / len(columns)
    high = max(36.0, min(140.0, 300 / len(rows))) if narrow else max(20.0, min(44.0, 640 / len(rows)))
    return _Plan(rows, columns, left, 34 + (_SLOPE * widest if turned else 10), right, wide, high, turned, narrow)


def _names(canvas: Canvas, plan: _Plan) -> None:
    for j, label in enumerate(plan.columns):
        x = plan.left + (j + 0.5) * plan.wide
        if plan.turned:
            canvas.text(x + 3, plan.top - 7, label, "tick", "start", turn=_TURN)
        else:
            canvas.text(x, plan.top - 8, label, "tick")
    for i, label in enumerate(plan.rows):
        canvas.text(plan.left - 9, plan.top + (i + 0.5) * plan.high + 4, label, "tick", "end")


def _cell(canvas: Canvas, cells: CellMap, plan: _Plan, i: int, j: int) -> None:
    words = cells.words(i, j)
    middle = plan.high / 2 - _GAP
    faint = i != j and float(cells.shares[i, j]) < _FAINT
    lines = [] if faint else [(middle + 4, words.rstrip("%"), "cell-s")]
    if plan.narrow:
        big = len(plan.rows) <= _BIG
        number = count(cells.counts[i, j].item())
        lines = [
            (middle + (1 if big else -1), words, "cell-l" if big else "cell-m"),
            (middle + (19 if big else 12), number, "cell-s"),
        ]
    kind = f"{cells.kind(i, j)}{int(cells.levels[i, j])}"
    at = plan.left + j * plan.wide + _GAP, plan.top + i * plan.high + _GAP
    canvas.cell(*at, (plan.wide - 2 * _GAP, plan.high - 2 * _GAP), kind, lines)


def _told(cells: CellMap, plan: _Plan) -> Iterator[str]:
    """Say the map to those who do not see it: how often each class is right, and what it is most taken for."""
    for i, label in enumerate(plan.rows[:NARROW_CLASSES]):
        if not cells.counts[i].sum():
            continue
        wrong = np.array(cells.counts[i], dtype=np.float64)
        wrong[i] = 0
        taken = f", most often taken for {plan.columns[int(wrong.argmax())]}" if wrong.any() else ""
        yield f"{label}: {share(float(cells.shares[i, i]))} right{taken}."
