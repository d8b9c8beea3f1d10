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
from adjudge.plots.drawing import Area, Axis, Drawing, Figure, Item, Line, Panel, Text, around, box, line_of, mark, segment
from adjudge.plots.labels import count, named, number
from adjudge.plots.scales import ticks
from adjudge.plots.style import MOST_LINES
from adjudge.stats.bands import Band

MOST_POINTS = 400
"""Points of a drawn curve."""
TOLERANCE = 0.0005
"""How far a drawn curve of the unit square may leave the true one before points are added: a fifth of a pixel."""
SMALL = 0.5
"""Where nothing of a reliability diagram reaches this, the picture ends at the highest."""
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
    """Share of the cases behind each point, where points are drawn."""
    band: tuple[FloatArray, FloatArray] | None = None
    """The lower and the upper side of what holds the true curve, or the limits of each point, as points (x, y)."""
    most: float = 0.0
    """Cases behind the point that has most."""


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
    """How far the picture goes across: less than 1 for probabilities of a rare class, which are all small."""
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
        level = "" if self.sure is None else f"{100 * self.sure:.6g}%"
        if self.banded is None or not level:
            return ""
        return f"{level} limits of each dot" if self.banded.size is not None else f"{level} band of the whole curve"

    @property
    def named(self) -> tuple[CurveLine, ...]:
        """The curves told apart by colour."""
        return tuple(line for line in self.lines if line.colour is not None)

    def words(self, line: CurveLine) -> str:
        """Return what the picture says of one curve."""
        return f"{self.area_name} {number(line.area)}"

    @property
    def told(self) -> tuple[str, ...]:
        """What the legend says of each curve told apart by colour."""
        room = _LONGEST - 2 - max(len(self.words(line)) for line in self.named)
        names = named([line.label for line in self.named], room)
        each = zip(self.named, names, strict=True)
        return tuple(self.words(line) if line.label is None else f"{name}: {self.words(line)}" for line, name in each)

    @property
    def panel(self) -> Panel:
        """The square of the curves, with its axes in percent."""
        x, y = ([(v, f"{100 * v:g}%") for v in ticks(0, end)] for end in (self.right, self.top))
        across, up = (
            Axis(0.0, self.right, tuple(x), self.x_name, grid=True),
            Axis(0.0, self.top, tuple(y), self.y_name, grid=True),
        )
        return Panel(_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, across, up)

    @property
    def drawing(self) -> Drawing:
        """Curves with the lines they are read against, and what each says in the legend."""
        items: list[Item] = []
        if self.diagonal:
            items.append(segment((0, 0), (self.right, min(self.right, self.top)), "ref"))
        if self.level is not None:
            items.append(segment((0, self.level), (self.right, self.level), "ref"))
        if self.banded is not None and self.banded.band is not None and self.banded.size is None:
            items.append(Area((around(*self.banded.band),), "band area0", label=self.note, styled=True))
        items += self._limits
        for line in self.lines:
            items += self._curve(line)
        legend, foot = self._legend
        told = "; ".join([*self.told, *([self.note] if self.note else [])])
        title = _TITLES.get(self.name, self.name)
        return Drawing(_WIDTH, max(_HEIGHT, foot), title, told, (*items, *legend), self.panel)

    @property
    def _limits(self) -> tuple[Line, ...]:
        """The limits of each dot, and below them a bar for the cases it stands for."""
        line = self.banded
        if line is None or line.band is None or line.size is None:
            return ()
        found = []
        tall = _TALLEST / (_HEIGHT - _TOP - _BOTTOM) * self.top / float(line.size.max())
        for (x, low), (_, high), size in zip(*(side.tolist() for side in line.band), line.size.tolist(), strict=True):
            found += [segment((x, 0), (x, size * tall), "cases"), segment((x, low), (x, high), "bar thin")]
        return tuple(found)

    def _curve(self, line: CurveLine) -> Iterator[Item]:
        at = line_of(line.x, line.y)
        if len(self.lines) == 1 and line.band is None and self.name in ("roc", "precision-recall") and len(at):
            yield Area((np.concatenate([[(at[0, 0], 0.0)], at, [(at[-1, 0], 0.0)]]),), "area0", styled=True)
        if line.colour is None:
            yield Line(at, "context")
            return
        joined = "curve thin joined" if line.size is not None else "curve"  # dots stand for themselves, the line leads the eye
        label = "" if line.size is not None else self.words(line)
        yield Line(at, f"{joined} line{line.colour}", label=label, styled=True)
        for (x, y), size in zip(at.tolist(), () if line.size is None else line.size.tolist(), strict=line.size is not None):
            yield mark(x, y, "disc", _radius(size), f"dot mark{line.colour}" if line.colour else "dot")

    @property
    def _legend(self) -> tuple[list[Item], float]:
        """The legend where the curves of good classifiers are not, and units down to its foot.

        That is low, to the right; PR curves leave the left, and dots may leave any corner or none.
        """
        keys = [(f"curve line{line.colour}", words) for line, words in zip(self.named, self.told, strict=True)]
        if self.banded is not None and self.banded.size is None:
            keys.append(("band-key", self.note))
        elif self.banded is not None:
            keys += [("bar thin", self.note), ("cases", f"cases in each bin, at most {count(self.banded.most)}")]
        others = sum(line.colour is None for line in self.lines)
        keys += [("context", counted(others, "other"))] if others else []
        room, tall = _LETTER * max(len(words) for _, words in keys) + 34, _STEP * (len(keys) - 1)
        x = _LEFT + 14 if self.name in ("precision-recall", "risk-coverage") else _WIDTH - _RIGHT - room - 6
        down = _TOP + 18 if self.name == "risk-coverage" else _HEIGHT - _BOTTOM - 14 - tall
        if self.name == "reliability":
            x, down = self._free(room, tall)
        items: list[Item] = [box((x - 6, x - 6 + room), (down - 16, down - 16 + tall + _STEP + 4), "plate", page=True)]
        for i, (style, words) in enumerate(keys):
            y = down + i * _STEP
            items.append(segment((x, y - 4), (x + 20, y - 4), style, page=True))
            items.append(Text(x + 28, y, words, "key", "start"))
        return items, down + tall + _STEP - 6

    def _free(self, room: float, tall: float) -> tuple[float, float]:
        """Return where a legend hides nothing that is drawn: in a corner, or below the picture."""
        right, low = _WIDTH - _RIGHT - room - 6, _HEIGHT - _BOTTOM - 14 - tall
        corners = ((_LEFT + 14, _TOP + 18), (right, low), (right, low - _TALLEST - 6), (right, _TOP + 18), (_LEFT + 14, low))
        ink = np.concatenate([np.linspace(start, end, _STEPS) for start, end in self._strokes()])

        def hides(corner: tuple[float, float]) -> bool:
            from_corner = ink - (corner[0] - 10, corner[1] - 20)  # the plate and a little around it
            return bool(np.any(np.all((from_corner >= 0) & (from_corner <= (room + 8, tall + 30)), axis=1)))

        return next((corner for corner in corners if not hides(corner)), (_LEFT + 14, _HEIGHT + 18))

    def _strokes(self) -> Iterator[FloatArray]:
        """Yield the two ends, on the page, of every straight line of dots: between them, across them, their limits and bars."""
        for line in self.lines:
            at = self.panel.at(line_of(line.x, line.y))
            yield from (np.stack(pair) for pair in pairwise(at))
            for point, size in zip(at, np.zeros(len(at)) if line.size is None else line.size, strict=True):
                for reach in ((_radius(size), 0.0), (0.0, _radius(size))):
                    yield np.stack([point - reach, point + reach])
        yield from (self.panel.at(line.points) for line in self._limits)


def _radius(size: float) -> float:
    return 2 + _LARGEST_DOT * math.sqrt(size)


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
