"""What is to be drawn, before anything is drawn: points, cells, ticks. Fed to matplotlib and to SVG alike."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.levels import share
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.plots.labels import NOTHING, number
from adjudge.plots.style import LEVELS, MOST_LINES
from adjudge.stats.bands import Band

MOST_POINTS = 400
"""Points of a drawn curve."""
TOLERANCE = 0.0005
"""How far a drawn curve of the unit square may leave the true one before points are added: a fifth of a pixel."""
MOST_CLASSES = 26
"""Classes of a confusion map; with more, the others are drawn together."""
SMALL = 0.5
"""Where nothing of a reliability diagram reaches this, the picture ends at the highest."""
_CONTEXT_POINTS = 120
_COLUMNS = 2000  # strips of the unit square that a very long curve is first brought down to
_LONG = 4 * _COLUMNS


@dataclass(frozen=True, slots=True, eq=False)
class CellMap:
    """A confusion table as it is drawn: rows true, columns assigned, each row in shares of its cases."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    counts: AnyArray
    shares: FloatArray
    levels: IntArray
    classes: int
    """All classes of the table, drawn or not."""
    others: bool
    """Whether the last class stands for all that are not drawn."""
    rejected: bool
    """Whether the last column holds the cases without a decision."""

    def words(self, row: int, column: int) -> str:
        """Return the share in a cell to the percent; a dash in the row of a class without a case."""
        return share(float(self.shares[row, column]), decimals=0, most=0) if self.counts[row].any() else NOTHING

    def kind(self, row: int, column: int) -> str:
        """Return right, wrong, or undecided: where a decision was made it is one of the first two."""
        if column == len(self.rows):
            return "undecided"
        both_others = self.others and row == column == len(self.rows) - 1
        return "right" if row == column and not both_others else "undecided" if both_others else "wrong"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One curve as it is drawn; `colour` is None for one that is there for comparison only."""

    label: Any
    x: FloatArray
    y: FloatArray
    area: float
    colour: int | None = 0
    size: FloatArray | None = None
    """Share of the cases behind each point, where points are drawn."""
    band: tuple[FloatArray, FloatArray] | None = None
    """The lower and the upper side of what holds the true curve, or the limits of each point, as points (x, y)."""
    most: float = 0.0
    """Cases behind the point that has most."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveSet:
    """Curves of one kind in one picture."""

    name: str
    x_name: str
    y_name: str
    area_name: str
    lines: tuple[Line, ...]
    top: float = 1.0
    right: float = 1.0
    """How far the picture goes across: less than 1 for probabilities of a rare class, which are all small."""
    diagonal: bool = False
    level: float | None = None
    """Height of a line of reference."""
    sure: float | None = None
    """The level of the bands, where there are some."""

    @property
    def banded(self) -> Line | None:
        """The curve whose band is drawn: the only one, as several would hide each other."""
        return self.lines[0] if len(self.lines) == 1 and self.lines[0].band is not None else None

    @property
    def note(self) -> str:
        """What the band or the limits are, if there are some."""
        level = "" if self.sure is None else f"{100 * self.sure:.6g}%"
        if self.banded is None or not level:
            return ""
        return f"{level} limits of each dot" if self.banded.size is not None else f"{level} band of the whole curve"

    @property
    def named(self) -> tuple[Line, ...]:
        """The curves told apart by colour."""
        return tuple(line for line in self.lines if line.colour is not None)

    def words(self, line: Line) -> str:
        """Return what the picture says of one curve."""
        return f"{self.area_name} {number(line.area)}"


def cell_map(counts: ConfusionCounts, most: int = MOST_CLASSES) -> CellMap:
    """Return the map of a table; beyond `most` classes, those with most errors and one that holds all others."""
    drawn, others = _drawn(counts, most), counts.k > most
    classes = counts.classes
    names = [*(classes[i] for i in drawn), *(["all others"] if others else [])]
    table = _gathered(counts, drawn, len(names))
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
    columns = [*names, *(["no decision"] if counts.has_rejected else [])]
    return CellMap(tuple(names), tuple(columns), table, shares, levels(shares), counts.k, others, counts.has_rejected)


def levels(shares: FloatArray) -> IntArray:
    """Return steps of shade: 0 for nothing and nothing else, and faint shares set apart from none."""
    steps = np.rint(np.power(shares, 0.7) * LEVELS).astype(np.int64)
    return np.asarray(np.where(shares > 0, np.maximum(steps, 1), 0))


def curve_set(curves: Sequence[Curve], most: int = MOST_LINES) -> CurveSet:
    """Return the picture of some curves; of more than `most` the least areas in colour, the others behind them."""
    first = curves[0]
    order = sorted(range(len(curves)), key=lambda i: (math.isnan(curves[i].area), curves[i].area))
    colours = {i: place for place, i in enumerate(sorted(order[:most]))}
    behind = [_line(curve, None) for i, curve in enumerate(curves) if i not in colours]
    lines = (*behind, *(_line(curves[i], colours[i], banded=len(curves) == 1) for i in sorted(colours)))
    flat = first.name == "precision-recall" and len(curves) == 1
    return CurveSet(
        first.name,
        first.x_name,
        first.y_name,
        _AREAS.get(first.name, "area"),
        lines,
        *_ends(curves),
        first.name in ("roc", "reliability"),
        float(first.y[-1]) if flat and first.y.size else None,
        first.band.level if first.band is not None else None,
    )


_AREAS = {"roc": "AUC", "precision-recall": "average precision", "reliability": "calibration error"}


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return how high and how far across the picture goes: 1, or less where errors are few or all probabilities small."""
    if curves[0].name == "reliability":
        across = _reach([curve.x for curve in curves])
        limits = [curve.band.high[:, 1] for curve in curves if curve.band is not None]
        return max(across, _reach([*(curve.y for curve in curves), *limits])), across
    if curves[0].name != "risk-coverage":
        return 1.0, 1.0
    highest = max((float(curve.y.max()) for curve in curves if curve.y.size), default=1.0)
    return ticks(0.0, highest or 1.0)[-1], 1.0


def _reach(parts: Sequence[FloatArray]) -> float:
    """Return the tick from which on there is nothing; 1 where that is much of the picture."""
    highest = max((float(part.max()) for part in parts if part.size), default=1.0)
    return ticks(0.0, highest)[-1] if 0 < highest < SMALL else 1.0


def _line(curve: Curve, colour: int | None, *, banded: bool = False) -> Line:
    if curve.size is not None:
        limits = None if curve.band is None else (curve.band.low, curve.band.high)
        most = float(curve.size.max(initial=0.0))
        return Line(curve.of, curve.x, curve.y, curve.area, colour, curve.size / curve.size.sum(), limits, most)
    x, y = stepped(curve.x, curve.y) if curve.name == "precision-recall" else (curve.x, curve.y)
    kept = thinned(x, y, most=MOST_POINTS if colour is not None else _CONTEXT_POINTS)
    return Line(curve.of, x[kept], y[kept], curve.area, colour, band=sides(curve.band) if banded and curve.band else None)


def sides(band: Band) -> tuple[FloatArray, FloatArray]:
    """Return both sides of a band with as many points as are seen."""
    low, high = (side[thinned(side[:, 0], side[:, 1])] for side in (band.low, band.high))
    return low, high


def stepped(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the steps whose area is the average precision: the height of each point holds back to the one before.

    Straight lines between points would promise precision that no threshold gives (Davis and Goadrich 2006).
    """
    x, y = np.append(0.0, x), np.append(y[:1], y)  # the first height holds back to a recall of 0
    return np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]


def thinned(x: FloatArray, y: FloatArray, *, most: int = MOST_POINTS, tolerance: float = TOLERANCE) -> IntArray:
    """Return which points of a curve in the unit square to draw: both ends, and those it cannot do without.

    The point farthest from what is drawn is added until none is farther than `tolerance`, or `most` are drawn
    (Douglas and Peucker 1973). A very long curve is first brought down to the lowest and highest points of thin strips.
    """
    candidates = _outline(x, y) if x.size > _LONG else np.arange(x.size)
    kept = _farthest_first(x[candidates], y[candidates], most, tolerance)
    return np.asarray(candidates[kept])


def _outline(x: FloatArray, y: FloatArray) -> IntArray:
    strip = np.floor(x * _COLUMNS)
    starts = np.flatnonzero(np.diff(strip, prepend=np.nan) != 0)
    run = np.repeat(np.arange(starts.size), np.diff(np.append(starts, x.size)))
    extremes = []
    for extreme in (np.minimum, np.maximum):
        at = np.flatnonzero(y == extreme.reduceat(y, starts)[run])
        extremes.append(at[np.unique(run[at], return_index=True)[1]])
    return np.unique(np.concatenate([starts, np.append(starts[1:], x.size) - 1, *extremes]))


def _farthest_first(x: FloatArray, y: FloatArray, most: int, tolerance: float) -> IntArray:
    if x.size <= 2:  # noqa: PLR2004 - both ends are always drawn
        return np.arange(x.size)
    kept = {0, x.size - 1}
    waiting = [_farthest(x, y, 0, x.size - 1)]
    while waiting and len(kept) < most:
        distance, at, i, j = heapq.heappop(waiting)
        if -distance <= tolerance:
            break
        kept.add(at)
        for a, b in ((i, at), (at, j)):
            if b - a > 1:
                heapq.heappush(waiting, _farthest(x, y, a, b))
    return np.array(sorted(kept))


def _farthest(x: FloatArray, y: FloatArray, i: int, j: int) -> tuple[float, int, int, int]:
    """Return minus the distance and the place of the point farthest from the straight line between two others."""
    distance = off_line(x[i + 1 : j], y[i + 1 : j], (x[i], y[i]), (x[j], y[j]))
    at = int(np.argmax(distance))
    return -float(distance[at]), i + 1 + at, i, j


def off_line(x: FloatArray, y: FloatArray, start: tuple[float, float], end: tuple[float, float]) -> FloatArray:
    """Return how far points lie from the straight line between `start` and `end`."""
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x**2 + along_y**2
    part = np.clip(((x - start[0]) * along_x + (y - start[1]) * along_y) / length, 0, 1) if length else np.zeros(x.size)
    return np.hypot(x - start[0] - part * along_x, y - start[1] - part * along_y)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` on until `high` is reached, at most about `most` of them.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / (most - 1)))
    step = next(power * m for m in (1, 2, 2.5, 5, 10, 20) if span / (power * m) <= most - 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def _drawn(counts: ConfusionCounts, most: int) -> list[int]:
    if counts.k <= most:
        return list(range(counts.k))
    hit = counts.correct
    errors = counts.support - counts.rejected - hit + counts.assigned - hit
    order = np.lexsort((-counts.support, -errors))
    return sorted(int(i) for i in order[: most - 1])


def _gathered(counts: ConfusionCounts, drawn: Sequence[int], size: int) -> AnyArray:
    place = np.full(counts.k + 1, size - 1)
    place[list(drawn)] = np.arange(len(drawn))
    place[counts.k] = size  # the column of rejected cases
    rows, columns, values = _triples(counts)
    table = np.zeros((size, size + counts.has_rejected), dtype=values.dtype)
    np.add.at(table, (place[rows], place[columns]), values)
    return table


def _triples(counts: ConfusionCounts) -> tuple[AnyArray, AnyArray, AnyArray]:
    if isinstance(counts.cells, np.ndarray):
        rows, columns = np.nonzero(counts.cells)
        return rows, columns, counts.cells[rows, columns]
    rows, columns = counts.cells.coords
    return rows, columns, counts.cells.data
