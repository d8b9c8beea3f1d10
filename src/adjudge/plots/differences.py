"""Comparisons of two: the posterior distribution of their difference, and who is right on which cases.

Above the density stands how probable each of its three parts is, from left to right as the parts are; below it the
interval, with the observed difference. Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import probable
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.textbook import CorrelatedT
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import LETTER, SIDE, WIDTH, Area, Axis, Drawing, Figure, Item, Line, Text, box, line_of, mark, segment
from adjudge.plots.labels import count, decimals_for, named, number, rounded, signed, told_apart
from adjudge.plots.quantities import MOST_DECIMALS, Words, is_share, measure_name
from adjudge.plots.scales import Mark, Scale, above_axis, bar, centred, on_page, scale_of
from adjudge.stats.distribution import Distribution

STRIP, THICK, TALL = 44.0, 5.0, 100.0  # units down to the strip of the three parts, how high that is, and of the density below it
BASE = STRIP + THICK + TALL  # units down to where the density is 0
ROOM = 8.0  # units between the strip and a density of full height
_SIDES, _ODDS = 14.0, 36.0  # units down to who is better on either side, and to the probabilities
_BAR, _END, _TOLD, _FOOT = 14.0, 25.0, 39.0, 56.0  # from the base to the interval, the end of lines, and two lines of words
_CHIP, _DIAMOND, _POINTS, _FEW = 4.0, 5.5, 240, 60
_FAR, _BEYOND = 1e-4, 0.2  # how much of a distribution may lie beyond either end of its drawing, or where infinite it is cut
_HEAVY = 5.0  # how many times further than a tenth of a distribution from its median a heavy tail is drawn
_LONGEST, _GAP, _BEFORE = 17, 10.0, 12.0  # letters of a name; units between probabilities, and before each for its square


@dataclass(frozen=True, slots=True)
class Part:
    """What may be: a is worse, practically the same or better (`kind`), between which values, and how probably."""

    kind: str
    low: float
    high: float
    probability: float

    @property
    def words(self) -> str:
        """How probable it is."""
        return f"P({self.kind}) {probable(self.probability)}"


@dataclass(frozen=True, slots=True, eq=False)
class DifferencePicture(Figure):
    """A density of a minus b in three parts, its interval, and what it is read against."""

    parts: tuple[Part, ...]  # from left to right; where every difference matters there is none in the middle
    scale: Scale
    x: FloatArray
    y: FloatArray  # the density; empty where nothing is known of it
    ceiling: float  # the density as high as the picture; what is higher leaves it
    spike: float | None  # the difference, where there is no doubt about it
    difference: float
    low: float
    high: float
    axis: str
    sides: tuple[str, str]  # who is better to the left and to the right
    observed: str
    zero: Mark
    title: str

    def across(self, value: float) -> float:
        """Return units across to a value, or to the edge that it lies beyond."""
        return float(WIDTH * self.scale.part(self.scale.nearest(value)))

    def within(self, part: Part) -> tuple[float, float]:
        """Return the ends of a part, as far as they are in the picture."""
        return self.scale.nearest(part.low), self.scale.nearest(part.high)

    @property
    def drawing(self) -> Drawing:
        """The density in its three parts, above its interval."""
        scale, top, foot, height = self.scale, STRIP + THICK, BASE + _END, BASE + _FOOT + 6
        start, stop = max(scale.start, scale.low), min(scale.stop, scale.high)
        possible = replace(scale, start=start, stop=stop).ticks(int((self.across(stop) - self.across(start)) / LETTER))
        ticks = [(v, signed(words.rstrip("%"), v)) for v, words in possible]
        items: list[Item] = [box(ends, (top, BASE), "beyond") for ends in scale.impossible]
        spans = [(part, self.within(part)) for part in self.parts]
        items += [box(ends, (top, foot), "within") for part, ends in spans if part.kind == "same" and ends[0] < ends[1]]
        items += [segment((v, top), (v, height), "grid") for v, _ in ticks]
        items += [] if self.zero.far else [segment((0.0, top), (0.0, foot), "ref")]
        items += [segment((scale.start, BASE), (scale.stop, BASE), "axis"), *self._density(spans)]
        items += bar(self.low, self.high, BASE + _BAR)
        items.append(mark(self.difference, BASE + _BAR, "diamond", _DIAMOND, "mark4"))
        odds = self._odds()
        for label, part in zip(odds, self.parts, strict=True):
            at = on_page(label.x - _BEFORE / 2 - 1, label.y - _CHIP)
            items.append(mark(*at, "square", _CHIP, f"{part.kind} whole", page=True))
        (left, right), zero = self.sides, self.zero
        labels = [Text(0, _SIDES, f"◂ {left}", "key", "start"), Text(WIDTH, _SIDES, f"{right} ▸", "key", "end"), *odds]
        middle = (self.across(self.low) + self.across(self.high)) / 2
        labels.append(centred(middle, BASE + _TOLD, self.observed, "key"))
        nothing, below = self.across(0.0), BASE + _FOOT
        labels.append(zero.label(nothing, 0, below - 6) if zero.far else centred(nothing, below, zero.words, "aside"))
        said = ", ".join(part.words for part in self.parts)
        words = f"{self.title}; {self.axis}; {self.observed}; {said}; {zero.words}; {left} on the left, {right} on the right"
        title = f"Posterior distribution of the difference: {self.title}"
        axis = Axis(scale.start, scale.stop, tuple(ticks), self.axis)
        return above_axis(items, labels, axis, (0.0, WIDTH, height), (title, words, self.title))

    def _density(self, spans: list[tuple[Part, tuple[float, float]]]) -> list[Item]:
        """Return the strip and the area of each part, and the curve, or a spike where there is no doubt."""
        top, items = STRIP + THICK, list[Item]()
        down = np.asarray(BASE - (TALL - ROOM) * np.minimum(self.y, self.ceiling) / self.ceiling)
        for part, ends in spans:
            items += [box(ends, (STRIP, top), f"{part.kind} whole")] if ends[0] < ends[1] else []
            inside = (self.x >= part.low) & (self.x <= part.high)
            if np.count_nonzero(inside) > 1:
                x = self.x[inside]
                under = line_of([x[0], *x, x[-1]], [BASE, *down[inside], BASE])
                items.append(Area((under,), part.kind, label=part.words))
        if self.spike is not None:
            at = self.spike
            kinds = [part.kind for part in self.parts if part.low <= at <= part.high]  # at the edge it is in the middle
            items.append(Line(line_of([at] * 2, [BASE, top + ROOM]), "heavy line4", label=self.title, styled=True))
            items.append(mark(at, top + ROOM, "disc", 4.2, f"{'same' if 'same' in kinds else kinds[0]} whole"))
        elif self.x.size:
            items.append(Line(line_of(self.x, down), "curve edge", label=self.title, styled=True))
        return items

    def _odds(self) -> list[Text]:
        """Return how probable each part is, above it and apart from the others; before each there is room for a square."""
        wide = [LETTER * len(part.words) + _BEFORE for part in self.parts]
        at = [sum(map(self.across, self.within(part))) / 2 for part in self.parts]
        for i in range(len(at)):
            before, after = sum(wide[:i]) + _GAP * i, sum(wide[i + 1 :]) + _GAP * (len(at) - 1 - i)
            at[i] = min(max(at[i], before + wide[i] / 2), WIDTH - after - wide[i] / 2)
            if i:
                at[i] = max(at[i], at[i - 1] + (wide[i - 1] + wide[i]) / 2 + _GAP)
        each = zip(at, wide, self.parts, strict=True)
        return [Text(x - w / 2 + _BEFORE, _ODDS, part.words, "head", "start") for x, w, part in each]


def difference_picture(result: Comparison) -> DifferencePicture:
    """Return the picture of a comparison; the axis is a minus b, whether more or less is better."""
    measure, percent = find(result.measure), is_share(result.measure)
    low, high = result.interval.low, result.interval.high
    decimals = decimals_for(high - low, most=MOST_DECIMALS) + (0 if percent else 2)

    def written(v: float) -> str:
        if not percent and math.isinf(measure.high):
            return signed(rounded(v, high - low), v)
        return signed(number(100 * v if percent else v, decimals, (0,)), v)

    name = measure_name(result.measure)
    name = name if name[:2].isupper() or name == "F1" else name[:1].lower() + name[1:]
    of = "" if result.of is None else f" of {named([result.of], 10)[0]}"
    axis = f"Difference in {name}{of}{', percentage points' if percent else ''}"
    level, widest = result.interval.level, measure.high - measure.low
    return _picture(result, (low, high), ("observed", result.difference), level, written, axis, widest, percent=percent)


def correlated_picture(found: CorrelatedT) -> DifferencePicture:
    """Return what to believe of the difference of two learners over splits."""
    low, high = found.distribution.interval()
    return _picture(
        found, (low, high), ("mean", found.mean), 0.95, lambda v: signed(rounded(v, high - low), v), "Difference", math.inf
    )


def _picture(
    result: Comparison | CorrelatedT,
    limits: tuple[float, float],
    seen: tuple[str, float],
    level: float,
    written: Words,
    axis: str,
    widest: float,
    *,
    percent: bool = False,
) -> DifferencePicture:
    """Return the picture of what is believed of a difference, its parts from left to right."""
    (low, high), (called, difference), distribution, margin = limits, seen, result.distribution, result.margin
    ends = limits if distribution is None else _ends(distribution, limits)
    spike = None if distribution is None or ends[0] < ends[1] else ends[0]
    around = ends if spike is None else (spike - 2 * margin, spike + 2 * margin)
    scale = scale_of((*around, low, high, difference), (0.0, -margin, margin), low=-widest, high=widest, percent=percent)
    x, y, ceiling = np.empty(0), np.empty(0), 1.0
    if distribution is not None and spike is None:
        x, y, ceiling = _density(distribution, scale, (*ends, -margin, 0.0, margin, low, high))
    more = getattr(result, "higher_is_better", True)
    a, b = told_apart(getattr(result, "names", ("a", "b")), _LONGEST)
    (left, right), (less, greater) = ((b, a), ("worse", "better")) if more else ((a, b), ("better", "worse"))
    odds = {"worse": result.worse, "better": result.better}
    middle = [Part("same", -margin, margin, result.same)] if margin > 0 or result.same > 0 else []
    parts = Part(less, -math.inf, -margin, odds[less]), *middle, Part(greater, margin, math.inf, odds[greater])
    points = f"{100 * margin:.4g}" if percent else f"{margin:.4g}"
    unit = "" if not percent else " point" if points == "1" else " points"
    same = f"practically the same: ±{points}{unit}" if margin > 0 else "no difference"
    span = f"{100 * level:.6g}%: {written(low)} to {written(high)}" if low < high else "without spread"
    told = f"{called} {written(difference)}, {span}"
    zero, shown = Mark(same, 0.0, scale.nearest(0.0)), (frozen(x), frozen(y), ceiling, spike)
    sides = f"{left} better", f"{right} better"
    return DifferencePicture(parts, scale, *shown, difference, low, high, axis, sides, told, zero, f"{a} - {b}")


def _ends(distribution: Distribution, limits: tuple[float, float]) -> tuple[float, float]:
    """Return between which values a distribution is drawn: nearly all of it; of heavy tails no more than shows their shape."""
    low, tenth, middle = (float(v) for v in distribution.ppf(np.array([_FAR, 0.1, 0.5])))
    high, ninth = (float(v) for v in distribution.isf(np.array([_FAR, 0.1])))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return middle, middle
    low, high = max(low, middle + _HEAVY * (tenth - middle)), min(high, middle + _HEAVY * (ninth - middle))
    return min(low, limits[0]), max(high, limits[1])


def _density(distribution: Distribution, scale: Scale, edges: tuple[float, ...]) -> tuple[FloatArray, FloatArray, float]:
    """Return the density, most points between the first two `edges`, and its peak, or where it has none a height to cut it at."""
    beyond = np.nextafter(distribution.support, (-math.inf, math.inf))  # where the density falls to 0 at once
    at = [np.linspace(edges[0], edges[1], _POINTS), np.linspace(scale.start, scale.stop, _FEW)]
    at.append(np.array([*edges, *distribution.support, *beyond]))
    with np.errstate(divide="ignore"):
        steep = not np.isfinite([distribution.pdf(end) for end in distribution.support if math.isfinite(end)]).all()
    if steep:  # points where the mass is: a density like 1 / sqrt(x) rises without end
        at.append(np.asarray(distribution.ppf(np.linspace(_FAR, 1 - _FAR, _POINTS))))
    x = np.unique(np.concatenate(at))
    x = x[(x >= scale.start) & (x <= scale.stop)]
    with np.errstate(divide="ignore"):
        y = np.where((x < distribution.support[0]) | (x > distribution.support[1]), 0.0, np.asarray(distribution.pdf(x)))
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    if not steep:
        return x, y, float(y.max())
    return x, y, float(y[(x >= distribution.ppf(_BEYOND)) & (x <= distribution.isf(_BEYOND))].max())


_STEP, _LONGEST_BESIDE, _BESIDE, _HIGH = 24.0, 13, 8.0, 14.0  # of bars: units from one to the next, of names, and of height


def outcome_bars(result: Comparison) -> Drawing:
    """Return how many cases both, only one, or neither got right: a bar each, its name before it and its cases behind."""
    if result.outcomes is None or not sum(result.outcomes) > 0:
        msg = f"This comparison of {result.measure} does not know which cases were right; compare decisions on the same cases."
        raise InputError(msg)
    a, b = told_apart(result.names, _LONGEST_BESIDE)
    names = ("both right", f"only {a}", f"only {b}", "neither")
    total, most = sum(result.outcomes), max(result.outcomes)
    words = [f"{count(cases)} ({share(cases / total)})" for cases in result.outcomes]
    left = LETTER * max(map(len, names)) + _BESIDE
    room, start, top = WIDTH - left - LETTER * max(map(len, words)) - _BESIDE, SIDE + left, 6.0
    items: list[Item] = []
    styles = "same", "better whole", "worse whole", "same"
    for i, (name, told, style, cases) in enumerate(zip(names, words, styles, result.outcomes, strict=True)):
        y, long = top + _STEP * (i + 0.5), room * cases / most
        items.append(Text(start - _BESIDE, y + 4, name, "tick", "end"))
        if long > 0:
            items.append(box((start, start + long), (y - _HIGH / 2, y + _HIGH / 2), style, page=True))
        items.append(Text(start + long + _BESIDE, y + 4, told, "key", "start"))
    foot = top + _STEP * len(names)
    items.append(segment((start, top), (start, foot), "axis", page=True))
    said = "; ".join(f"{name}: {told}" for name, told in zip(names, words, strict=True))
    return Drawing(WIDTH + 2 * SIDE, foot + 10, f"Who is right on how many cases: {a} and {b}", said, tuple(items))
