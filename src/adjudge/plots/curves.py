"""Curves of one kind in one picture, each with as few points as show it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.text import counted
from adjudge.counts.curves import Curve
from adjudge.plots.drawing import Area, Axis, Drawing, Figure, Item, Line, Panel, Text, band, box, line_of, mark, segment
from adjudge.plots.labels import count, named, number
from adjudge.plots.scales import shares, ticks
from adjudge.plots.style import MOST_LINES
from adjudge.stats.bands import Band

MOST_POINTS = 400
"""Points of a drawn curve."""
_TOLERANCE = 0.0005  # how far a drawn curve of the unit square may leave the true one: a fifth of a pixel
_SMALL = 0.5  # where nothing of a reliability diagram reaches this, the picture ends at the highest
_CONTEXT_POINTS = 120
_COLUMNS = 2000  # strips of the unit square that a very long curve is first brought down to
_LONG = 4 * _COLUMNS
_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 16.0, 16.0, 46.0
_LARGEST_DOT = 12.0  # radius of a dot that stands for every case
_STEP = 18.0  # height of a line of the legend
_LETTER = 8.6  # units of a letter of it, on a narrow screen
_TALLEST = 40.0  # bar of the bin with most cases
_STEPS = 64  # points of a straight line at which a legend must not stand
_LONGEST = 40  # letters of it
_TITLES = {
    "roc": "ROC curve",
    "precision-recall": "Precision-recall curve",
    "reliability": "Reliability of the probabilities",
    "risk-coverage": "Risk-coverage curve",
}


@dataclass(frozen=True, slots=True, eq=False)
class CurveLine:
    """One curve as it is drawn; `colour` is None for one that is there for comparison only."""

    label: Any
    x: FloatArray
    y: FloatArray
    area: float
    colour: int | None = 0
    size: FloatArray | None = None
    """Share of the cases behind each point, where points are drawn; behind that with most are `most`."""
    band: tuple[FloatArray, FloatArray] | None = None
    """The lower and the upper side of what holds the true curve, or the limits of each point, as points (x, y)."""
    most: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CurveSet(Figure):
    """Curves of one kind in one picture."""

    name: str
    x_name: str
    y_name: str
    area_name: str
    lines: tuple[CurveLine, ...]
    top: float = 1.0
    right: float = 1.0
    diagonal: bool = False
    level: float | None = None
    """Height of a line of reference."""
    sure: float | None = None
    """The level of the bands, where there are some."""

    @property
    def banded(self) -> CurveLine | None:
        """The curve whose band is drawn: the only one, as several would hide each other."""
        return self.lines[0] if len(self.lines) == 1 and self.lines[0].band is not None else None

    @property
    def note(self) -> str:
        """What the band or the limits are, if there are some."""
        if self.banded is None or self.sure is None:
            return ""
        return f"{100 * self.sure:.6g}% {'band of the whole curve' if self.banded.size is None else 'limits of each dot'}"

    @property
    def named(self) -> tuple[CurveLine, ...]:
        """The curves told apart by colour."""
        return tuple(line for line in self.lines if line.colour is not None)

    @property
    def drawing(self) -> Drawing:
        """Curves with the lines they are read against, and what each says in the legend."""
        items: list[Item] = []
        if self.diagonal:
            items.append(segment((0, 0), (self.right, min(self.right, self.top)), "ref"))
        if self.level is not None:
            items.append(segment((0, self.level), (self.right, self.level), "ref"))
        limits, banded = list[Line](), self.banded
        if banded is not None and banded.band is not None and banded.size is None:
            items.append(band(*banded.band, "band area0", label=self.note))
        elif banded is not None and banded.band is not None and banded.size is not None:
            tall = _TALLEST / (_HEIGHT - _TOP - _BOTTOM) * self.top / float(banded.size.max())  # a bar for the cases of a dot
            for (x, low), (_, high), size in zip(*(side.tolist() for side in banded.band), banded.size.tolist(), strict=True):
                limits += [segment((x, 0), (x, size * tall), "cases"), segment((x, low), (x, high), "bar thin")]
        items += [*limits, *(item for line in self.lines for item in self._curve(line))]
        words = [f"{self.area_name} {number(line.area)}" for line in self.named]
        names = named([line.label for line in self.named], _LONGEST - 2 - max(map(len, words)))
        each = zip(self.named, names, words, strict=True)
        told = [word if line.label is None else f"{name}: {word}" for line, name, word in each]
        across = Axis(0.0, self.right, shares(self.right), self.x_name, grid=True)
        up = Axis(0.0, self.top, shares(self.top), self.y_name, grid=True)
        panel = Panel(_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, across, up)
        legend, foot = self._legend(told, panel, limits)
        said = "; ".join([*told, *([self.note] if self.note else [])])
        return Drawing(_WIDTH, max(_HEIGHT, foot), _TITLES.get(self.name, self.name), said, (*items, *legend), panel)

    def _curve(self, line: CurveLine) -> Iterator[Item]:
        at = line_of(line.x, line.y)
        if len(self.lines) == 1 and line.band is None and self.name in ("roc", "precision-recall") and len(at):
            yield Area((np.concatenate([[(at[0, 0], 0.0)], at, [(at[-1, 0], 0.0)]]),), "area0", styled=True)
        if line.colour is None:
            yield Line(at, "context")
        elif line.size is None:
            label = f"{self.area_name} {number(line.area)}"
            yield Line(at, f"curve line{line.colour}", label=label, styled=True)
        else:  # dots stand for themselves, the line leads the eye
            yield Line(at, f"curve thin joined line{line.colour}", styled=True)
            for (x, y), size in zip(at.tolist(), line.size.tolist(), strict=True):
                yield mark(x, y, "disc", _radius(size), f"dot mark{line.colour}" if line.colour else "dot")

    def _legend(self, told: Sequence[str], panel: Panel, limits: Sequence[Line]) -> tuple[list[Item], float]:
        """Return the legend where the curves of good classifiers are not, mostly low to the right, and units down to its foot."""
        keys = [(f"curve line{line.colour}", words) for line, words in zip(self.named, told, strict=True)]
        if self.banded is not None and self.banded.size is None:
            keys.append(("band-key", self.note))
        elif self.banded is not None:
            keys += [("bar thin", self.note), ("cases", f"cases in each bin, at most {count(self.banded.most)}")]
        others = sum(line.colour is None for line in self.lines)
        keys += [("context", counted(others, "other"))] if others else []
        room, tall = _LETTER * max(len(words) for _, words in keys) + 34, _STEP * (len(keys) - 1)
        left, right, top, low = _LEFT + 14, _WIDTH - _RIGHT - room - 6, _TOP + 18, _HEIGHT - _BOTTOM - 14 - tall
        x = left if self.name in ("precision-recall", "risk-coverage") else right
        y = top if self.name == "risk-coverage" else low
        if self.name == "reliability":  # a corner where it hides nothing that is drawn, or below the picture
            ink = np.concatenate([np.linspace(start, end, _STEPS) for start, end in self._strokes(panel, limits)])
            for x, y in ((left, top), (right, low), (right, low - _TALLEST - 6), (right, top), (left, low), (left, _HEIGHT + 18)):
                off = ink - (x - 10, y - 20)  # the plate and a little around it
                if not np.any(np.all((off >= 0) & (off <= (room + 8, tall + 30)), axis=1)):
                    break
        items: list[Item] = [box((x - 6, x - 6 + room), (y - 16, y - 16 + tall + _STEP + 4), "plate", page=True)]
        for i, (style, words) in enumerate(keys):
            down = y + i * _STEP
            items.append(segment((x, down - 4), (x + 20, down - 4), style, page=True))
            items.append(Text(x + 28, down, words, "key", "start"))
        return items, y + tall + _STEP - 6

    def _strokes(self, panel: Panel, limits: Sequence[Line]) -> Iterator[FloatArray]:
        """Yield the two ends, on the page, of every straight line of dots: between them, across them, their limits and bars."""
        for line in self.lines:
            at = panel.at(line_of(line.x, line.y))
            yield from (np.stack(pair) for pair in pairwise(at))
            for point, size in zip(at, np.zeros(len(at)) if line.size is None else line.size, strict=True):
                for reach in ((_radius(size), 0.0), (0.0, _radius(size))):
                    yield np.stack([point - reach, point + reach])
        yield from (panel.at(line.points) for line in limits)


def _radius(size: float) -> float:
    return 2 + _LARGEST_DOT * math.sqrt(size)


def curve_set(curves: Sequence[Curve], most: int = MOST_LINES) -> CurveSet:
    """Return the picture of some curves; of more than `most` the least areas in colour, the others behind them."""
    first, name = curves[0], curves[0].name
    order = sorted(range(len(curves)), key=lambda i: (math.isnan(curves[i].area), curves[i].area))
    colours = {i: place for place, i in enumerate(sorted(order[:most]))}
    behind = [_line(curve, None) for i, curve in enumerate(curves) if i not in colours]
    lines = (*behind, *(_line(curves[i], colours[i], banded=len(curves) == 1) for i in sorted(colours)))
    top = right = 1.0  # or less where errors are few or all probabilities small
    if name == "reliability":
        right = _reach([curve.x for curve in curves])
        limits = [curve.band.high[:, 1] for curve in curves if curve.band is not None]
        top = max(right, _reach([*(curve.y for curve in curves), *limits]))
    elif name == "risk-coverage":
        top = ticks(0.0, max((float(curve.y.max()) for curve in curves if curve.y.size), default=1.0) or 1.0)[-1]
    level = float(first.y[-1]) if name == "precision-recall" and len(curves) == 1 and first.y.size else None
    areas = {"roc": "AUC", "precision-recall": "average precision", "reliability": "calibration error"}
    diagonal, sure = name in ("roc", "reliability"), None if first.band is None else first.band.level
    return CurveSet(name, first.x_name, first.y_name, areas.get(name, "area"), lines, top, right, diagonal, level, sure)


def _reach(parts: Sequence[FloatArray]) -> float:
    """Return the tick from which on there is nothing; 1 where that is much of the picture."""
    highest = max((float(part.max()) for part in parts if part.size), default=1.0)
    return ticks(0.0, highest)[-1] if 0 < highest < _SMALL else 1.0


def _line(curve: Curve, colour: int | None, *, banded: bool = False) -> CurveLine:
    if curve.size is not None:
        limits = None if curve.band is None else (curve.band.low, curve.band.high)
        most = float(curve.size.max(initial=0.0))
        return CurveLine(curve.of, curve.x, curve.y, curve.area, colour, curve.size / curve.size.sum(), limits, most)
    x, y = stepped(curve.x, curve.y) if curve.name == "precision-recall" else (curve.x, curve.y)
    kept = thinned(x, y, most=MOST_POINTS if colour is not None else _CONTEXT_POINTS)
    return CurveLine(curve.of, x[kept], y[kept], curve.area, colour, band=sides(curve.band) if banded and curve.band else None)


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


def thinned(x: FloatArray, y: FloatArray, *, most: int = MOST_POINTS, tolerance: float = _TOLERANCE) -> IntArray:
    """Return which points of a curve in the unit square to draw: both ends, and those it cannot do without.

    The point farthest from what is drawn is added until none is farther than `tolerance`, or `most` are drawn
    (Douglas and Peucker 1973). A very long curve is first brought down to the lowest and highest points of thin strips.
    """
    candidates = np.arange(x.size)
    if x.size > _LONG:
        strip = np.floor(x * _COLUMNS)
        starts = np.flatnonzero(np.diff(strip, prepend=np.nan) != 0)
        run = np.repeat(np.arange(starts.size), np.diff(np.append(starts, x.size)))
        extremes = []
        for extreme in (np.minimum, np.maximum):
            at = np.flatnonzero(y == extreme.reduceat(y, starts)[run])
            extremes.append(at[np.unique(run[at], return_index=True)[1]])
        candidates = np.unique(np.concatenate([starts, np.append(starts[1:], x.size) - 1, *extremes]))
    x, y = x[candidates], y[candidates]
    kept = {0, x.size - 1} if x.size else set()
    waiting = [_farthest(x, y, 0, x.size - 1)] if x.size > 2 else []  # noqa: PLR2004 - both ends are always drawn
    while waiting and len(kept) < most:
        distance, farthest, i, j = heapq.heappop(waiting)
        if -distance <= tolerance:
            break
        kept.add(farthest)
        for a, b in ((i, farthest), (farthest, j)):
            if b - a > 1:
                heapq.heappush(waiting, _farthest(x, y, a, b))
    return np.asarray(candidates[sorted(kept)])


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
