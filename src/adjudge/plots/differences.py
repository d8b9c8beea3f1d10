"""Comparisons of two: the posterior distribution of their difference, and who is right on which cases.

Above the density stands how probable each of its three parts is, from left to right as the parts are; below it the
interval, with the observed difference. Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.textbook import CorrelatedT
from adjudge.metrics.catalogue import find
from adjudge.plots.densities import Mark, bar, placed
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
from adjudge.plots.labels import count, decimals_for, named, number, probability, rounded, told_apart
from adjudge.plots.learners import measure_name
from adjudge.plots.quantities import MOST_DECIMALS, is_share
from adjudge.plots.scales import Scale, scale_of
from adjudge.stats.law import Law

SIDES, ODDS, STRIP, TALL, BAR, END, TOLD, FOOT = 14.0, 36.0, 44.0, 100.0, 14.0, 25.0, 39.0, 56.0
"""Units down: to who is better on either side, to the probabilities, to the strip of the three parts, the height of the
density, and from its base to the interval, to the end of what it is read against, and to two lines of words."""
CHIP, THICK = 4.0, 5.0
"""Half of the side of the square in the colour of a part, before its probability; units that the strip is high."""
_TOP, _BOTTOM, _DIAMOND, _POINTS, _FEW = 4.0, 46.0, 5.5, 240, 60
_FAR, _BEYOND = 1e-4, 0.2  # how much of a distribution may lie beyond either end of its drawing, or where infinite it is cut
_HEAVY = 5.0  # how many times further than a tenth of a distribution from its median a heavy tail is drawn
_LONGEST, _GAP, _BEFORE = 17, 10.0, 12.0  # letters of a name; units between probabilities, and before each for its square


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
class DifferencePicture(Figure):
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
    def labels(self) -> tuple[Text, ...]:
        """Every word of the picture but those of the axis."""
        left, right = self.sides
        sides = (Text(0, SIDES, f"◂ {left}", "key", "start"), Text(WIDTH, SIDES, f"{right} ▸", "key", "end"))
        return (*sides, *_odds(self), *_below(self))

    @property
    def words(self) -> str:
        """What the picture says."""
        odds = ", ".join(part.words for part in self.parts)
        sides = f"{self.sides[0]} on the left, {self.sides[1]} on the right"
        return f"{self.title}; {self.axis}; {self.observed}; {odds}; {self.zero.words}; {sides}"

    @property
    def drawing(self) -> Drawing:
        """The density in its three parts, above its interval."""
        top, foot = STRIP + THICK, self.base + END
        items: list[Item] = [box(ends, (top, self.base), "beyond") for ends in self.scale.impossible]
        spans = [(part, self.within(part)) for part in self.parts]
        items += [box(ends, (top, foot), "within") for part, ends in spans if part.kind == "same" and ends[0] < ends[1]]
        items += [segment((v, top), (v, self.height), "grid") for v, _ in self.ticks]
        items += [] if self.zero.far else [segment((0.0, top), (0.0, foot), "ref")]
        items.append(segment((self.scale.start, self.base), (self.scale.stop, self.base), "axis"))
        for part, ends in spans:
            items += [box(ends, (STRIP, top), f"{part.kind} whole")] if ends[0] < ends[1] else []
            x, y = self.area(part)
            if x.size > 1:
                under = line_of([x[0], *x, x[-1]], [self.base, *self.down(y), self.base])
                items.append(Area((under,), part.kind, label=part.words))
        if self.spike is not None:
            line = line_of([self.spike] * 2, [self.base, top + 8])
            items.append(Line(line, "heavy line4", label=self.title, styled=True))
            items.append(mark(self.spike, top + 8, "disc", 4.2, f"{self.part_of(self.spike).kind} whole"))
        elif self.x.size:
            items.append(Line(line_of(self.x, self.down(self.y)), "curve edge", label=self.title, styled=True))
        items += bar(self.low, self.high, self.base + BAR)
        items.append(mark(self.difference, self.base + BAR, "diamond", _DIAMOND, "mark4"))
        items += [mark(SIDE + x, _TOP + y, "square", CHIP, f"{part.kind} whole", page=True) for x, y, part in self.chips]
        items += placed(self.labels, _TOP)
        axis = Axis(self.scale.start, self.scale.stop, tuple(self.ticks), self.axis)
        panel = Panel(SIDE, _TOP, SIDE + WIDTH, _TOP + self.height, axis)
        title = f"Posterior distribution of the difference: {self.title}"
        return Drawing(WIDTH + 2 * SIDE, panel.bottom + _BOTTOM, title, self.words, tuple(items), panel, self.title)


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
    limits = f"{100 * result.interval.level:.6g}%: {written(low)} to {written(high)}" if low < high else "without spread"
    name = measure_name(result.measure)
    name = name if name[:2].isupper() or name == "F1" else name[:1].lower() + name[1:]
    of = "" if result.of is None else f" of {named([result.of], 10)[0]}"
    a, b = told_apart(result.names, _LONGEST)
    sides = (f"{b} better", f"{a} better")
    return DifferencePicture(
        three_parts(result, higher_is_better=result.higher_is_better),
        scale,
        frozen(x),
        frozen(y),
        ceiling,
        spike,
        result.difference,
        low,
        high,
        f"Difference in {name}{of}{', percentage points' if percent else ''}",
        sides if result.higher_is_better else (sides[1], sides[0]),
        f"observed {written(result.difference)}, {limits}",
        Mark(_same(margin, percent=percent), 0.0, scale.nearest(0.0)),
        f"{a} - {b}",
    )


_NOTHING = np.empty(0), np.empty(0), 1.0


def three_parts(result: Comparison | CorrelatedT, *, higher_is_better: bool = True) -> tuple[Part, ...]:
    """Return what may be from left to right: one better, practically the same, the other better."""
    low, high = ("worse", "better") if higher_is_better else ("better", "worse")
    margin, odds = result.margin, {"worse": result.worse, "better": result.better}
    middle = [Part("same", -margin, margin, result.same)] if margin > 0 or result.same > 0 else []
    return Part(low, -math.inf, -margin, odds[low]), *middle, Part(high, margin, math.inf, odds[high])


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


def _same(margin: float, *, percent: bool) -> str:
    """Return what is said below no difference."""
    if not margin > 0:
        return "no difference"
    if not percent:
        return f"practically the same: ±{margin:.4g}"
    points = f"{100 * margin:.4g}"
    return f"practically the same: ±{points} {'point' if points == '1' else 'points'}"


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


def _odds(found: DifferencePicture) -> Iterator[Text]:
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
        yield Text(x - w / 2 + _BEFORE, ODDS, part.words, "head", "start")


def _below(found: DifferencePicture) -> Iterator[Text]:
    """Set what the interval and the middle are below them."""
    yield _centred((found.across(found.low) + found.across(found.high)) / 2, found.base + TOLD, found.observed, "key")
    zero, down = found.zero, found.base + FOOT
    if zero.far < 0:
        yield Text(0, down, f"◂ {zero.words}", "aside", "start")
    elif zero.far > 0:
        yield Text(WIDTH, down, f"{zero.words} ▸", "aside", "end")
    else:
        yield _centred(found.across(0.0), down, zero.words, "aside")


def _centred(x: float, down: float, words: str, kind: str) -> Text:
    """Return words around a place, or as near to it as the paper allows."""
    half = LETTER * len(words) / 2
    return Text(min(max(x, half), WIDTH - half), down, words, kind)


STEP = 24.0
"""Units down from bar to bar."""
_KINDS = ("same", "better", "worse", "same")
_LONGEST_BESIDE, _BESIDE, _HIGH = 13, 8.0, 14.0


@dataclass(frozen=True, slots=True)
class Bar:
    """Cases that came out alike: how many, as how long a bar, and what they come to."""

    name: str
    words: str
    kind: str
    """same, where both are right or wrong; else better or worse, of the one named first."""
    long: float
    """Units across, from the common start."""


@dataclass(frozen=True, slots=True)
class OutcomeBars(Figure):
    """Four bars with a common start, `left` units across."""

    bars: tuple[Bar, ...]
    left: float
    title: str

    @property
    def height(self) -> float:
        """Units down to the end of the last bar."""
        return STEP * len(self.bars)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(f"{bar.name}: {bar.words}" for bar in self.bars)

    @property
    def drawing(self) -> Drawing:
        """A bar for each outcome, its name before it and its cases behind."""
        start, top = SIDE + self.left, 6.0
        items: list[Item] = []
        for i, each in enumerate(self.bars):
            y = top + STEP * (i + 0.5)
            items.append(Text(start - _BESIDE, y + 4, each.name, "tick", "end"))
            if each.long > 0:
                style = each.kind if each.kind == "same" else f"{each.kind} whole"
                items.append(box((start, start + each.long), (y - _HIGH / 2, y + _HIGH / 2), style, page=True))
            items.append(Text(start + each.long + _BESIDE, y + 4, each.words, "key", "start"))
        items.append(segment((start, top), (start, top + self.height), "axis", page=True))
        title = f"Who is right on how many cases: {self.title}"
        return Drawing(WIDTH + 2 * SIDE, top + self.height + 10, title, self.words, tuple(items))


def outcome_bars(result: Comparison) -> OutcomeBars:
    """Return the picture of which cases both, only one, or neither got right."""
    if result.outcomes is None or not sum(result.outcomes) > 0:
        msg = f"This comparison of {result.measure} does not know which cases were right; compare decisions on the same cases."
        raise InputError(msg)
    a, b = told_apart(result.names, _LONGEST_BESIDE)
    names = ("both right", f"only {a}", f"only {b}", "neither")
    total, most = sum(result.outcomes), max(result.outcomes)
    words = [f"{count(cases)} ({share(cases / total)})" for cases in result.outcomes]
    left = LETTER * max(map(len, names)) + _BESIDE
    room = WIDTH - left - LETTER * max(map(len, words)) - _BESIDE
    each = zip(names, words, _KINDS, result.outcomes, strict=True)
    bars = tuple(Bar(name, told, kind, room * cases / most) for name, told, kind, cases in each)
    return OutcomeBars(bars, left, f"{a} and {b}")
