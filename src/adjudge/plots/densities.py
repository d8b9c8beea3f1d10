"""Posterior densities.

Each law has a row of its own on one axis of values: its name and interval, what is commonly reported, the density, and
below its base the mean, median and mode, one beneath the other; those that agree to the digits shown stand together.
Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.drawing import (
    LETTER,
    SIDE,
    WIDTH,
    Area,
    Axis,
    Drawing,
    Figure,
    Item,
    Line,
    Panel,
    Text,
    box,
    line_of,
    mark,
    segment,
)
from adjudge.plots.quantities import equally_long
from adjudge.plots.scales import Scale, ticks

HEAD, LANE, TALL, STEP, GAP = 14.0, 16.0, 78.0, 16.0, 6.0
"""Units down: to the name, of a line of words, of a density, between mean, median and mode, between rows."""

_TOP, _BOTTOM = 4.0, 46.0
_SIZE, _CAP = 4.2, 4.5  # half the height of a mark, and of the ends of a bar


@dataclass(frozen=True, slots=True)
class Reported:
    """What is commonly reported of a measure: a value, perhaps with limits, which may be impossible ones."""

    words: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """The mean, the median or the mode of a law, or several of them where they look alike."""

    name: str
    value: float
    words: str

    @property
    def shape(self) -> str:
        """A shape of its own, told apart without colour."""
        first = self.name.split(", ", maxsplit=1)[0]
        return {"mean": "disc", "median": "diamond"}.get(first, "triangle")


@dataclass(frozen=True, slots=True)
class Mark:
    """A value to compare with, such as chance; one too far away is pointed at from the edge, `at`."""

    words: str
    value: float
    at: float

    @property
    def far(self) -> int:
        """-1 or 1 where the value lies beyond the left or right edge, else 0."""
        return (self.value > self.at) - (self.value < self.at)


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """One law: its density, the interval to mark, its mean, median and mode, and what is commonly reported."""

    name: str
    colour: int
    x: FloatArray
    y: FloatArray
    """The density; where it has no bound, finite all the same."""
    ceiling: float
    """The density as high as the row; what is higher leaves the picture."""
    low: float
    high: float
    points: tuple[Point, ...]
    """The mean, the median and the mode; a law without one has NaN for it."""
    limits: str
    base: float
    """Units down to where the density is 0."""
    reported: Reported | None = None

    @property
    def shaded(self) -> tuple[FloatArray, FloatArray]:
        """The part of the curve between the limits."""
        inside = (self.x >= self.low) & (self.x <= self.high)
        return self.x[inside], self.y[inside]

    @property
    def outline(self) -> tuple[FloatArray, FloatArray]:
        """The curve from base to base; where it leaves the picture it ends at the upper edge."""
        below = np.flatnonzero(self.y <= self.ceiling)
        first, last = below[0], below[-1] + 1
        ends = [self._way_out(at, first, last) for at in (first, last - 1)]
        (x0, y0), (x1, y1) = ends
        return np.concatenate([[x0], self.x[first:last], [x1]]), np.concatenate([[y0], self.y[first:last], [y1]])

    def _way_out(self, at: int, first: int, last: int) -> tuple[float, float]:
        """Return the end of the outline beyond the point `at`: on the base, or on the upper edge."""
        out = at - 1 if at == first and first > 0 else at + 1 if at == last - 1 and last < self.x.size else None
        if out is None:
            return float(self.x[at]), 0.0
        part = (self.ceiling - self.y[at]) / (self.y[out] - self.y[at])
        return float(self.x[at] + part * (self.x[out] - self.x[at])), self.ceiling

    def down(self, density: FloatArray | float) -> FloatArray:
        """Return units down to a density."""
        return np.asarray(self.base - TALL * np.minimum(density, self.ceiling) / self.ceiling)

    def crest(self, value: float) -> float:
        """Return units down to the curve at a value."""
        return float(self.down(float(np.interp(value, self.x, self.y))))

    @property
    def lane(self) -> float:
        """Units down to what is commonly reported."""
        return self.base - TALL - LANE / 2

    @property
    def top(self) -> float:
        """Units down to where the row's lines begin."""
        return self.base - TALL - (LANE if self.reported else 0)

    @property
    def shown(self) -> tuple[Point, ...]:
        """The points that are drawn: those that look alike to the digits shown are one, of all their names."""
        alike: dict[str, list[Point]] = {}
        for point in self.points:
            alike.setdefault(point.words.removeprefix(point.name), []).append(point)
        return tuple(_together(each) for each in alike.values())

    @property
    def foot(self) -> float:
        """Units down to the end of the row."""
        return self.step(len(self.shown))

    def step(self, i: int) -> float:
        """Return units down to one of the points shown."""
        return self.base + STEP * (i + 0.75)

    @property
    def words(self) -> str:
        """What the row says."""
        said = [f"{self.name}: {self.limits}", *(point.words for point in self.shown)]
        return ", ".join([*said, *([self.reported.words] if self.reported else [])])


@dataclass(frozen=True, slots=True, eq=False)
class DensitySet(Figure):
    """Densities above one axis, with the values they are read against."""

    densities: tuple[Density, ...]
    start: float
    stop: float
    level: float
    axis: str
    percent: bool
    marks: tuple[Mark, ...] = ()
    title: str = ""

    @property
    def impossible(self) -> tuple[tuple[float, float], ...]:
        """The parts of the axis that no share can reach."""
        if not self.percent or self.densities[0].reported is None:
            return ()
        return Scale(self.start, self.stop, 0.0, 1.0).impossible

    def bands(self, foot: float) -> Iterator[tuple[float, float]]:
        """Yield units down to the ends of upright lines, which leave out the heads of rows; the last reaches `foot`."""
        for row, below in zip(self.densities, (*self.densities[1:], None), strict=True):
            yield row.top, foot if below is None else row.foot

    def foot(self, i: int) -> float:
        """Return units down to where the line of a mark ends, beside its words."""
        return self.densities[-1].foot + LANE * i + 10

    @property
    def height(self) -> float:
        """Units down to the axis."""
        return self.densities[-1].foot + LANE * len(self.marks) + 4

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round values within the picture and how they are written, as many as there is room for."""
        for most in (6, 5, 4):
            found = self._ticks(most)
            if sum(len(words) + 1 for _, words in found) * LETTER < WIDTH:
                return found
        return self._ticks(3)

    def _ticks(self, most: int) -> list[tuple[float, str]]:
        found = [v for v in ticks(self.start, self.stop, most) if self.start <= v <= self.stop]
        found = [v for v in found if not self.impossible or 0 <= v <= 1]
        return list(zip(found, equally_long(found, percent=self.percent), strict=True))

    def across(self, value: float) -> float:
        """Return units across to a value."""
        return WIDTH * (value - self.start) / (self.stop - self.start)

    @property
    def labels(self) -> tuple[Text, ...]:
        """Every word of the picture but those of the axis."""
        rows = [label for density in self.densities for label in _row_labels(self, density)]
        marks = [mark_label(mark, self.across(mark.at), self.foot(i)) for i, mark in enumerate(self.marks)]
        down = self.densities[-1].base - TALL / 2
        middles = [self.across((low + high) / 2) for low, high in self.impossible]
        return (*rows, *marks, *(Text(x + 4, down, "impossible", "turned", turn=-90) for x in middles))

    @property
    def words(self) -> str:
        """What the picture says."""
        marks = [mark.words for mark in self.marks]
        return "; ".join([*([self.title] if self.title else []), *(d.words for d in self.densities), *marks])

    @property
    def drawing(self) -> Drawing:
        """Each density in a row of its own, with what it is read against."""
        items: list[Item] = [box(ends, (row.top, row.base), "beyond") for ends in self.impossible for row in self.densities]
        items += [segment((v, top), (v, foot), "grid") for v, _ in self.ticks for top, foot in self.bands(self.height)]
        for i, each in enumerate(self.marks):
            if not each.far:
                items += [segment((each.at, top), (each.at, foot), "ref") for top, foot in self.bands(self.foot(i))]
        for row in self.densities:
            items += _row_items(self, row)
        items += placed(self.labels, _TOP)
        axis = Axis(self.start, self.stop, tuple(self.ticks), self.axis)
        panel = Panel(SIDE, _TOP, SIDE + WIDTH, _TOP + self.height, axis)
        title = f"Posterior densities: {self.title}" if self.title else "Posterior densities"
        return Drawing(WIDTH + 2 * SIDE, panel.bottom + _BOTTOM, title, self.words, tuple(items), panel, self.title)


def placed(labels: Iterable[Text], top: float) -> list[Text]:
    """Return words that are set beside a panel of one axis where they stand on the page, free of lines behind them."""
    return [replace(label, x=SIDE + label.x, y=top + label.y, style=f"{label.style} halo") for label in labels]


def bar(low: float, high: float, down: float) -> list[Item]:
    """Return an interval as a bar with ends."""
    ends = [segment((end, down - _CAP), (end, down + _CAP), "bar") for end in (low, high)]
    return [segment((low, down), (high, down), "bar"), *ends]


def _row_items(found: DensitySet, row: Density) -> list[Item]:
    """Return a density, its interval, its mean, median and mode, and what is commonly reported."""
    x, y = row.shaded
    colour = f"line{row.colour}"
    shaded = line_of([row.low, *x, row.high], [row.base, *row.down(y), row.base])
    items: list[Item] = [
        Area((shaded,), f"area{row.colour}", styled=True),
        segment((found.start, row.base), (found.stop, row.base), "axis"),
        segment((row.low, row.base), (row.high, row.base), f"span {colour}"),
    ]
    for i, point in enumerate(row.shown):
        if not math.isnan(point.value):
            foot = row.step(i)
            size = _SIZE * (1.2 if point.shape == "diamond" else 1.0)
            items.append(segment((point.value, row.crest(point.value)), (point.value, foot), f"stem {colour}"))
            items.append(mark(point.value, foot, point.shape, size, f"mark{row.colour}"))
    x, y = row.outline
    items.append(Line(line_of(x, row.down(y)), f"curve {colour}", label=row.name, styled=True))
    if row.reported:
        items.append(mark(row.reported.value, row.lane, "cross", _CAP, "bar"))
        if row.reported.low < row.reported.high:
            items += bar(row.reported.low, row.reported.high, row.lane)
    return items


def _together(alike: Sequence[Point]) -> Point:
    """Return points that look alike as one."""
    first, names = alike[0], ", ".join(point.name for point in alike)
    return Point(names, first.value, f"{names}{first.words.removeprefix(first.name)}")


def _row_labels(found: DensitySet, density: Density) -> Iterator[Text]:
    y = density.base - TALL - (2 * LANE if density.reported else 0) - 10
    yield Text(0, y, density.name, "head", "start")
    yield Text(WIDTH, y, density.limits, "key", "end")
    if density.reported:
        half = LETTER * len(density.reported.words) / 2
        x = min(max(found.across(density.reported.value), half), WIDTH - half)
        yield Text(x, density.lane - LANE / 2 - 2, density.reported.words, "key")
    at = [found.across(point.value) for point in density.shown if not math.isnan(point.value)]
    right = min(at) < WIDTH - max(at)
    x = max(at) + 12 if right else min(at) - 12
    for i, point in enumerate(density.shown):
        yield Text(x, density.step(i) + 4, point.words, "key", "start" if right else "end")


def mark_label(mark: Mark, x: float, foot: float) -> Text:
    """Return the words of a mark beside its line, which ends at `foot`, or at the edge beyond which it lies."""
    words = f"◂ {mark.words}" if mark.far < 0 else f"{mark.words} ▸" if mark.far > 0 else mark.words
    right = mark.far < 0 or x + LETTER * len(words) < WIDTH
    beside = 0 if mark.far else 5
    return Text(x + beside if right else x - beside, foot - 4, words, "aside", "start" if right else "end")
