"""The geometry of a comparison: what to believe of a minus b, and how much of it lies on either side of practically the same.

Above the density stands how probable each of its three parts is, from left to right as the parts are; below it the
interval, with the observed difference. Lengths across are values, lengths down are units of the page; both drawings
use the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge.judgements.comparison import Comparison
from adjudge.metrics.catalogue import find
from adjudge.plots.densities import LETTER, WIDTH, Label, Mark
from adjudge.plots.labels import decimals_for, named, number, probability, rounded, told_apart
from adjudge.plots.learners import measure_name
from adjudge.plots.quantities import MOST_DECIMALS, is_share
from adjudge.plots.scales import Scale, scale_of
from adjudge.stats.law import Law

SIDES, ODDS, STRIP, TALL, BAR, END, TOLD, FOOT = 14.0, 36.0, 44.0, 100.0, 14.0, 25.0, 39.0, 56.0
"""Units down: to who is better on either side, to the probabilities, to the strip of the three parts, the height of the
density, and from its base to the interval, to the end of what it is read against, and to two lines of words."""
CHIP = 4.0
"""Half of the side of the square in the colour of a part, before its probability."""
THICK = 5.0
"""Units that the strip is high."""

_POINTS, _FEW = 240, 60
_FAR = 1e-4  # how much of a law may lie beyond either end of its drawing
_HEAVY = 5.0  # how many times further than a tenth of a law from its median a heavy tail is drawn
_BEYOND = 0.2  # how much of a law may lie where an infinite density is cut
_LONGEST = 17  # letters of a name
_GAP, _BEFORE = 10.0, 12.0  # units between probabilities beside each other, and before each for its square


@dataclass(frozen=True, slots=True)
class Part:
    """What may be: a is worse, practically the same or better, between which values, and how probably."""

    kind: str
    """worse, same or better; always of a."""
    low: float
    high: float
    probability: float

    @property
    def words(self) -> str:
        """How probable it is."""
        told = probability(self.probability)
        return f"P({self.kind}) {told}" if told[0] in "<>" else f"P({self.kind}) = {told}"


@dataclass(frozen=True, slots=True, eq=False)
class DifferencePicture:
    """A density of a minus b in three parts, its interval, and what it is read against."""

    parts: tuple[Part, ...]
    """From left to right; where every difference matters there is none in the middle."""
    scale: Scale
    x: FloatArray
    y: FloatArray
    """The density; empty where nothing is known of it."""
    ceiling: float
    """The density as high as the picture; what is higher leaves it."""
    spike: float | None
    """The difference, where there is no doubt about it."""
    difference: float
    low: float
    high: float
    axis: str
    sides: tuple[str, str]
    """Who is better to the left and to the right."""
    observed: str
    zero: Mark
    title: str

    @property
    def base(self) -> float:
        """Units down to where the density is 0."""
        return STRIP + THICK + TALL

    @property
    def height(self) -> float:
        """Units down to the axis."""
        return self.base + FOOT + 6

    def across(self, value: float) -> float:
        """Return units across to a value, or to the edge that it lies beyond."""
        return WIDTH * self.scale.part(self.scale.nearest(value))

    def down(self, density: FloatArray) -> FloatArray:
        """Return units down to a density."""
        room = 8.0  # below the strip
        return np.asarray(self.base - (TALL - room) * np.minimum(density, self.ceiling) / self.ceiling)

    def within(self, part: Part) -> tuple[float, float]:
        """Return the ends of a part, as far as they are in the picture."""
        return self.scale.nearest(part.low), self.scale.nearest(part.high)

    def area(self, part: Part) -> tuple[FloatArray, FloatArray]:
        """Return the part of the curve that lies in a part."""
        inside = (self.x >= part.low) & (self.x <= part.high)
        return self.x[inside], self.y[inside]

    def part_of(self, value: float) -> Part:
        """Return the part that a value lies in; at the edge of the middle it is in the middle."""
        return min((part for part in self.parts if part.low <= value <= part.high), key=lambda part: part.kind != "same")

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written, with their sign; of shares, in percentage points."""
        start, stop = max(self.scale.start, self.scale.low), min(self.scale.stop, self.scale.high)
        possible = replace(self.scale, start=start, stop=stop)
        found = possible.ticks(int((self.across(stop) - self.across(start)) / LETTER))
        return [(v, signed(words.rstrip("%"), v)) for v, words in found]

    @property
    def chips(self) -> tuple[tuple[float, float, Part], ...]:
        """Units across and down to the middle of a square before each probability, and the part whose colour it has."""
        each = zip(_odds(self), self.parts, strict=True)
        return tuple((label.x - _BEFORE / 2 - 1, label.y - CHIP, part) for label, part in each)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every word of the picture but those of the axis."""
        left, right = self.sides
        sides = (Label(0, SIDES, f"◂ {left}", "start", "key"), Label(WIDTH, SIDES, f"{right} ▸", "end", "key"))
        return (*sides, *_odds(self), *_below(self))

    @property
    def words(self) -> str:
        """What the picture says."""
        odds = ", ".join(part.words for part in self.parts)
        sides = f"{self.sides[0]} on the left, {self.sides[1]} on the right"
        return f"{self.title}; {self.axis}; {self.observed}; {odds}; {self.zero.words}; {sides}"


def difference_picture(result: Comparison) -> DifferencePicture:
    """Return the picture of a comparison; the axis is a minus b, whether more or less is better."""
    law, margin = result.law, result.margin
    low, high = result.interval.low, result.interval.high
    ends = (low, high) if law is None else ends_of(law, (low, high))
    spike = None if law is None or ends[0] < ends[1] else ends[0]
    around = ends if spike is None else (spike - 2 * margin, spike + 2 * margin)
    measure = find(result.measure)
    widest, percent = measure.high - measure.low, is_share(result.measure)
    values = (*around, low, high, result.difference)
    scale = scale_of(values, (0.0, -margin, margin), low=-widest, high=widest, percent=percent)
    x, y, ceiling = _NOTHING
    if law is not None and spike is None:
        x, y, ceiling = density_of(law, scale, (*ends, -margin, 0.0, margin, low, high))
    written = _writer(result.measure, high - low, percent=percent)
    a, b = told_apart(result.names, _LONGEST)
    sides = (f"{b} better", f"{a} better")
    return DifferencePicture(
        _parts(result),
        scale,
        frozen(x),
        frozen(y),
        ceiling,
        spike,
        result.difference,
        low,
        high,
        _axis(result, percent=percent),
        sides if result.higher_is_better else (sides[1], sides[0]),
        _observed(result, written),
        Mark(_same(margin, percent=percent), 0.0, scale.nearest(0.0)),
        f"{a} - {b}",
    )


_NOTHING = np.empty(0), np.empty(0), 1.0


def _parts(result: Comparison) -> tuple[Part, ...]:
    margin = result.margin
    low, high = ("worse", "better") if result.higher_is_better else ("better", "worse")
    middle = [Part("same", -margin, margin, result.same)] if margin > 0 or result.same > 0 else []
    odds = {"worse": result.worse, "better": result.better}
    return (Part(low, -math.inf, -margin, odds[low]), *middle, Part(high, margin, math.inf, odds[high]))


def ends_of(law: Law, limits: tuple[float, float]) -> tuple[float, float]:
    """Return between which values a law is drawn: nearly all of it, but of heavy tails no more than shows their shape.

    A law with all of its mass in one point begins and ends there.
    """
    low, tenth, middle = (float(v) for v in law.ppf(np.array([_FAR, 0.1, 0.5])))
    high, ninth = (float(v) for v in law.isf(np.array([_FAR, 0.1])))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return middle, middle
    low, high = max(low, middle + _HEAVY * (tenth - middle)), min(high, middle + _HEAVY * (ninth - middle))
    return min(low, limits[0]), max(high, limits[1])


def density_of(law: Law, scale: Scale, edges: tuple[float, ...]) -> tuple[FloatArray, FloatArray, float]:
    """Return the density over the whole picture and the height to draw it to: its peak, or where it has none less.

    The first two `edges` are where nearly all of it lies, and most points.
    """
    beyond = np.nextafter(law.support, (-math.inf, math.inf))  # where the density falls to 0 at once
    at = [np.linspace(edges[0], edges[1], _POINTS), np.linspace(scale.start, scale.stop, _FEW)]
    at.append(np.array([*edges, *law.support, *beyond]))
    with np.errstate(divide="ignore"):
        steep = not np.isfinite([law.pdf(end) for end in law.support if math.isfinite(end)]).all()
    if steep:  # points where the mass is: a density like 1 / sqrt(x) rises without end
        at.append(np.asarray(law.ppf(np.linspace(_FAR, 1 - _FAR, _POINTS))))
    x = np.unique(np.concatenate(at))
    x = x[(x >= scale.start) & (x <= scale.stop)]
    with np.errstate(divide="ignore"):
        y = np.where((x < law.support[0]) | (x > law.support[1]), 0.0, np.asarray(law.pdf(x)))
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    if not steep:
        return x, y, float(y.max())
    return x, y, float(y[(x >= law.ppf(_BEYOND)) & (x <= law.isf(_BEYOND))].max())


def _axis(result: Comparison, *, percent: bool) -> str:
    name = measure_name(result.measure)
    name = name if name[:2].isupper() or name == "F1" else name[:1].lower() + name[1:]
    of = "" if result.of is None else f" of {named([result.of], 10)[0]}"
    return f"Difference in {name}{of}{', percentage points' if percent else ''}"


def _same(margin: float, *, percent: bool) -> str:
    """Return what is said below no difference."""
    if not margin > 0:
        return "no difference"
    if not percent:
        return f"practically the same: ±{margin:.4g}"
    points = f"{100 * margin:.4g}"
    return f"practically the same: ±{points} {'point' if points == '1' else 'points'}"


def _observed(result: Comparison, written: Callable[[float], str]) -> str:
    """Return what the interval says."""
    low, high = result.interval.low, result.interval.high
    limits = f"{100 * result.interval.level:.6g}%: {written(low)} to {written(high)}" if low < high else "without spread"
    return f"observed {written(result.difference)}, {limits}"


def _writer(measure: str, width: float, *, percent: bool) -> Callable[[float], str]:
    """Return how differences are written, with their sign, where their interval is `width` wide."""
    if not percent and math.isinf(find(measure).high):
        return lambda v: signed(rounded(v, width), v)
    scale, more = (100, 0) if percent else (1, 2)
    decimals = decimals_for(width, most=MOST_DECIMALS) + more
    return lambda v: signed(number(scale * v, decimals, (0,)), v)


def signed(words: str, value: float) -> str:
    """Return a number with its sign; nothing is neither more nor less.

    >>> signed("2.5", 2.5), signed("-2.5", -2.5), signed("0", 0)
    ('+2.5', '-2.5', '0')
    """
    return f"+{words}" if value > 0 and words[0].isdigit() else words


def _odds(found: DifferencePicture) -> Iterator[Label]:
    """Set how probable each part is above it, and apart from the others; before each there is room for a square."""
    wide = [LETTER * len(part.words) + _BEFORE for part in found.parts]
    at = [sum(map(found.across, found.within(part))) / 2 for part in found.parts]
    for i in range(len(at)):
        before = sum(wide[:i]) + _GAP * i
        after = sum(wide[i + 1 :]) + _GAP * (len(at) - 1 - i)
        at[i] = min(max(at[i], before + wide[i] / 2), WIDTH - after - wide[i] / 2)
        if i:
            at[i] = max(at[i], at[i - 1] + (wide[i - 1] + wide[i]) / 2 + _GAP)
    for x, w, part in zip(at, wide, found.parts, strict=True):
        yield Label(x - w / 2 + _BEFORE, ODDS, part.words, "start", "head")


def _below(found: DifferencePicture) -> Iterator[Label]:
    """Set what the interval and the middle are below them."""
    yield _centred((found.across(found.low) + found.across(found.high)) / 2, found.base + TOLD, found.observed, "key")
    zero, down = found.zero, found.base + FOOT
    if zero.far < 0:
        yield Label(0, down, f"◂ {zero.words}", "start", "aside")
    elif zero.far > 0:
        yield Label(WIDTH, down, f"{zero.words} ▸", "end", "aside")
    else:
        yield _centred(found.across(0.0), down, zero.words, "aside")


def _centred(x: float, down: float, words: str, kind: str) -> Label:
    """Return words around a place, or as near to it as the paper allows."""
    half = LETTER * len(words) / 2
    return Label(min(max(x, half), WIDTH - half), down, words, "middle", kind)
