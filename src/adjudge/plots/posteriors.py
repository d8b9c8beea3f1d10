"""Posterior densities, each in a row of its own above one axis.

A row has the name and interval of a distribution, what is commonly reported, the density, and below its base the mean, median and
mode; those that agree to the digits shown stand together. Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.levels import share
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.plots.drawing import LETTER, WIDTH, Area, Axis, Drawing, Figure, Item, Line, Text, box, line_of, mark, segment
from adjudge.plots.labels import number
from adjudge.plots.quantities import in_digits, is_share, name_of
from adjudge.plots.scales import LANE, Mark, Scale, above_axis, bar, in_turn, scale_of, uprights
from adjudge.stats.distribution import Distribution

TALL = 78.0
"""Units that a density is high."""
_HEAD, _STEP, _GAP = 24.0, 16.0, 6.0  # units down: of the head of a row, between mean, median and mode, between rows
_SIZE, _CROSS = 4.2, 4.5  # of marks
_SHAPES = {"mean": "disc", "median": "diamond", "mode": "triangle"}
_BEYOND = 0.2  # how much of a distribution may lie where an infinite density is cut
_FAR = 1e-4  # how much of a distribution lies beyond either end of its drawing
_POINTS = 240


@dataclass(frozen=True, slots=True)
class Reported:
    """What is commonly reported of a measure: a value, perhaps with limits, which may be impossible ones."""

    words: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """The mean, the median or the mode of a distribution, or several of them where they look alike."""

    name: str
    value: float
    words: str

    @property
    def shape(self) -> str:
        """A shape of its own, told apart without colour."""
        return _SHAPES[self.name.split(", ", maxsplit=1)[0]]


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """One distribution: its density, the interval to mark, its mean, median and mode, and what is commonly reported."""

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
    """Those that look alike to the digits shown are one; a distribution without a mode has NaN for it."""
    limits: str
    base: float
    """Units down to where the density is 0."""
    reported: Reported | None = None

    @property
    def outline(self) -> tuple[FloatArray, FloatArray]:
        """The curve from base to base; where it leaves the picture it ends at the upper edge."""
        below = np.flatnonzero(self.y <= self.ceiling)
        ends = []
        for at, out in ((below[0], below[0] - 1), (below[-1], below[-1] + 1)):
            if 0 <= out < self.x.size:
                part = (self.ceiling - self.y[at]) / (self.y[out] - self.y[at])
                ends.append((self.x[at] + part * (self.x[out] - self.x[at]), self.ceiling))
            else:
                ends.append((self.x[at], 0.0))
        inside = slice(below[0], below[-1] + 1)
        (x0, y0), (x1, y1) = ends
        return np.concatenate([[x0], self.x[inside], [x1]]), np.concatenate([[y0], self.y[inside], [y1]])

    def down(self, density: FloatArray | float) -> FloatArray:
        """Return units down to a density."""
        return np.asarray(self.base - TALL * np.minimum(density, self.ceiling) / self.ceiling)

    @property
    def span(self) -> tuple[float, float]:
        """Units down to where the row's lines begin and end."""
        return self.base - TALL - (LANE if self.reported else 0), self.step(len(self.points))

    def step(self, i: int) -> float:
        """Return units down to one of the points."""
        return self.base + _STEP * (i + 0.75)

    @property
    def words(self) -> str:
        """What the row says."""
        said = [f"{self.name}: {self.limits}", *(point.words for point in self.points)]
        return ", ".join([*said, *([self.reported.words] if self.reported else [])])

    def items(self, scale: Scale) -> Iterator[Item]:
        """Yield the density, its interval, its mean, median and mode, and what is commonly reported."""
        inside = (self.x >= self.low) & (self.x <= self.high)
        under = [self.base, *self.down(self.y[inside]), self.base]
        yield Area((line_of([self.low, *self.x[inside], self.high], under),), f"area{self.colour}", styled=True)
        yield segment((scale.start, self.base), (scale.stop, self.base), "axis")
        yield segment((self.low, self.base), (self.high, self.base), f"span line{self.colour}")
        for i, point in enumerate(self.points):
            if not math.isnan(point.value):
                crest, foot = float(self.down(float(np.interp(point.value, self.x, self.y)))), self.step(i)
                yield segment((point.value, crest), (point.value, foot), f"stem line{self.colour}")
                size = _SIZE * (1.2 if point.shape == "diamond" else 1.0)
                yield mark(point.value, foot, point.shape, size, f"mark{self.colour}")
        x, y = self.outline
        yield Line(line_of(x, self.down(y)), f"curve line{self.colour}", label=self.name, styled=True)
        if self.reported:
            lane = self.base - TALL - LANE / 2
            yield mark(self.reported.value, lane, "cross", _CROSS, "bar")
            if self.reported.low < self.reported.high:
                yield from bar(self.reported.low, self.reported.high, lane)

    def labels(self, scale: Scale) -> Iterator[Text]:
        """Yield its name and interval, what is reported, and beside its mean, median and mode what they are."""
        top = self.base - TALL - (2 * LANE if self.reported else 0) - 10
        yield Text(0, top, self.name, "head", "start")
        yield Text(WIDTH, top, self.limits, "key", "end")
        if self.reported:
            half = LETTER * len(self.reported.words) / 2
            x = min(max(WIDTH * scale.part(self.reported.value), half), WIDTH - half)
            yield Text(x, self.base - TALL - LANE / 2 - LANE / 2 - 2, self.reported.words, "key")
        at = [WIDTH * scale.part(point.value) for point in self.points if not math.isnan(point.value)]
        right = min(at) < WIDTH - max(at)
        x = max(at) + 12 if right else min(at) - 12
        for i, point in enumerate(self.points):
            yield Text(x, self.step(i) + 4, point.words, "key", "start" if right else "end")


@dataclass(frozen=True, slots=True, eq=False)
class DensitySet(Figure):
    """Densities above one axis, with the values they are read against."""

    densities: tuple[Density, ...]
    scale: Scale
    level: float
    axis: str
    marks: tuple[Mark, ...] = ()
    title: str = ""

    @property
    def drawing(self) -> Drawing:
        """Each density in a row of its own, with what it is read against."""
        rows, scale = self.densities, self.scale
        below = rows[-1].span[1]
        height, ticks = below + LANE * len(self.marks) + 4, scale.ticks(int(WIDTH / LETTER), apart=1, powers=False)
        items: list[Item] = [box(ends, (row.span[0], row.base), "beyond") for ends in scale.impossible for row in rows]
        items += uprights(ticks, self.marks, [row.span for row in rows], below, height)
        items += [item for row in rows for item in row.items(scale)]
        labels = [label for row in rows for label in row.labels(scale)]
        labels += [mark.label(WIDTH * scale.part(mark.at), i, below) for i, mark in enumerate(self.marks)]
        for low, high in scale.impossible:
            x = WIDTH * scale.part((low + high) / 2)
            labels.append(Text(x + 4, rows[-1].base - TALL / 2, "impossible", "turned", turn=-90))
        axis = Axis(scale.start, scale.stop, tuple(ticks), self.axis)
        title = f"Posterior densities: {self.title}" if self.title else "Posterior densities"
        said = [*([self.title] if self.title else []), *(row.words for row in rows), *(mark.words for mark in self.marks)]
        return above_axis(items, labels, axis, (0.0, WIDTH, height), (title, "; ".join(said), self.title))


def posterior_set(posterior: Posterior, level: float = 0.95) -> DensitySet:
    """Return the picture of one posterior; a measure that can be negative is read against 0."""
    zero = ("no difference" if " - " in posterior.quantity else "chance", 0.0)
    return density_set((posterior,), level, [zero] if posterior.distribution.support[0] < 0 else [])


def accuracy_posteriors_set(posteriors: AccuracyPosteriors, marks: Sequence[tuple[str, float]] = ()) -> DensitySet:
    """Return the picture of what to believe: both posteriors, what is commonly reported of them, and chance.

    After figures 1 and 2 of Brodersen et al. (2010), The balanced accuracy and its posterior distribution.
    """
    bar, seen = posteriors.conventional, posteriors.average_balanced_accuracy
    shown = {name: (each.low, each.high) for name, each in posteriors.intervals.items()}
    written = {name: in_digits(high - low, percent=True) for name, (low, high) in shown.items()}
    value, low, high = map(written["accuracy"], (bar.value, bar.low, bar.high))
    average = f"average balanced accuracy, as seen: {written['balanced_accuracy'](seen)}"
    told = {
        "accuracy": Reported(f"{value} ± 2 SE over {bar.over}: {low} to {high}", bar.value, bar.low, bar.high),
        "balanced_accuracy": Reported(average, seen, seen, seen),
    }
    chance = ("chance", posteriors.chance_level)
    title = f"{posteriors.tested}. {posteriors.chance.statement}"
    return density_set(tuple(posteriors.posteriors.values()), posteriors.level, (chance, *marks), told, shown, title)


def density_set(
    posteriors: Sequence[Posterior],
    level: float = 0.95,
    marks: Sequence[tuple[str, float]] = (),
    reported: dict[str, Reported] | None = None,
    limits: dict[str, tuple[float, float]] | None = None,
    title: str = "",
) -> DensitySet:
    """Return densities over the range where they and what is reported of them lie; near marks widen it.

    `limits` are those to shade; of what has none there, the central ones of the density.
    """
    told = {name: each for name, each in (reported or {}).items() if math.isfinite(each.low) and math.isfinite(each.high)}
    percent = all(is_share(p.quantity) for p in posteriors)
    rows: list[Density] = []
    values = [end for each in told.values() for end in (each.low, each.high)]
    for p in posteriors:
        low, high = (limits or {}).get(p.quantity) or p.distribution.interval(level)
        ends, curve = _curve(p.distribution, (low, high))
        values += [*ends, low, high]
        written = in_digits(high - low, percent=percent)
        alike: dict[str, list[tuple[str, float]]] = {}
        for name, value in (("mean", p.mean), ("median", p.median), ("mode", p.mode)):
            alike.setdefault(written(value), []).append((name, float(value)))
        names = {words: ", ".join(name for name, _ in each) for words, each in alike.items()}
        points = tuple(Point(names[words], each[0][1], f"{names[words]} {words}") for words, each in alike.items())
        span = f"{100 * level:.6g}%: {written(low)} to {written(high)}"
        base = (rows[-1].span[1] + _GAP if rows else 0.0) + _HEAD + (2 * LANE if p.quantity in told else 0) + TALL
        rows.append(Density(name_of(p), len(rows), *curve, low, high, points, span, base, told.get(p.quantity)))
    supports = [p.distribution.support for p in posteriors]
    low, high = min(low for low, _ in supports), max(high for _, high in supports)
    scale = scale_of(values, [v for _, v in marks], low=low, high=high)
    low, high = (0.0, 1.0) if percent and rows[0].reported else (-math.inf, math.inf)  # what is reported may be impossible
    scale = Scale(scale.start, scale.stop, low, high, percent)
    axis = "Share of right decisions" if percent and len(rows) > 1 else rows[0].name
    known = [(name, v) for name, v in marks if not math.isnan(v)]
    placed = [(f"{name} {share(v) if percent else number(v)}" if v else name, v) for name, v in known]  # 0 needs no telling
    return DensitySet(tuple(rows), scale, level, axis, in_turn(placed, scale, lambda v: WIDTH * scale.part(v)), title)


def _curve(
    distribution: Distribution, limits: tuple[float, float]
) -> tuple[tuple[float, float], tuple[FloatArray, FloatArray, float]]:
    """Return the values a distribution is drawn between, its density, its peak, or a height to cut it at where it has none."""
    low, high = float(distribution.ppf(_FAR)), float(distribution.isf(_FAR))
    least = 1e-12 * max(abs(low), abs(high), 1e-300)
    ends = (low, high) if high - low > least else (low - max(least, 1e-9), high + max(least, 1e-9))
    open_ends = [not np.isfinite(distribution.pdf(end)) for end in distribution.support]
    at = [np.linspace(*ends, _POINTS), np.clip(limits, *distribution.support)]
    if any(open_ends):  # points where the mass is: a density like 1 / sqrt(1 - x) is steep there
        at.append(distribution.ppf(np.linspace(_FAR, 1 - _FAR, _POINTS)))
    x = np.unique(np.concatenate(at))
    with np.errstate(divide="ignore"):
        y = np.asarray(distribution.pdf(x))
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    ceiling = float(y.max()) or 1.0
    if any(open_ends):
        low, high = distribution.ppf(_BEYOND) if open_ends[0] else x[0], distribution.isf(_BEYOND) if open_ends[1] else x[-1]
        ceiling = float(y[(x >= low) & (x <= high)].max())
    return ends, (frozen(x), frozen(y), ceiling)
