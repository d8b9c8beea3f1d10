"""Comparisons of two: the posterior distribution of their difference, and who is right on which cases.

Above the density stands how probable each of its three parts is, from left to right as the parts are; below it the
interval, with the observed difference. Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from adjudge._base import InputError, dataclass, probable, replace, share
from adjudge._base.arrays import FloatArray
from adjudge.estimates.estimate import Interval
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.textbook import CorrelatedT
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import LINE, SIDE, WIDTH, Area, Axis, Drawing, Item, Line, Text, box, line_of, mark, segment
from adjudge.plots.labels import count, decimals_for, distinct_names, ems, in_lines, margin_words, named, number, rounded, signed
from adjudge.plots.posteriors import FAR, POINTS, density
from adjudge.plots.quantities import MOST_DECIMALS, Words, is_share, measure_name
from adjudge.plots.scales import Mark, Scale, above_axis, bar, centred, on_page, scale_of
from adjudge.plots.style import LETTER, LETTERS
from adjudge.stats.distribution import Distribution

STRIP, THICK, TALL = 44.0, 5.0, 100.0  # units down to the strip of the three parts, how high that is, and of the density below it
BASE = STRIP + THICK + TALL  # units down to where the density is 0
ROOM = 8.0  # units between the strip and a density of full height
_SIDES, _ODDS = 14.0, 36.0  # units down to who is better on either side, and to the probabilities
_BAR, _END, _TOLD, _FOOT = 14.0, 25.0, 39.0, 56.0  # from the base to the interval, the end of lines, and two lines of words
_CHIP, _DIAMOND, _FEW = 4.0, 5.5, 60
_HEAVY = 5.0  # how many times further than a tenth of a distribution from its median a heavy tail is drawn
_LONGEST, _GAP, _BEFORE = 60, 10.0, 12.0  # letters of a name; units between probabilities, and before each for its square


@dataclass(frozen=True, slots=True)
class Part:
    """What may be: a is worse, practically the same or better (`kind`), between which values, and how probably."""

    kind: str
    low: float
    high: float
    probability: float
    shown: tuple[float, float]  # its ends, as far as they are in the picture

    @property
    def words(self) -> str:
        """How probable it is."""
        return f"P({self.kind}) {probable(self.probability)}"


def difference_picture(result: Comparison) -> Drawing:
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
    of = "" if result.of is None else f" of {named([result.of], 60)[0]}"
    axis = f"Difference in {name}{of}{', percentage points' if percent else ''}"
    return _picture(result, result.interval, ("observed", result.difference), written, axis, measure.high - measure.low)


def correlated_picture(posterior: CorrelatedT) -> Drawing:
    """Return the posterior of the difference of two learners over splits."""
    low, high = posterior.distribution.interval()
    interval, seen = Interval(low, high, 0.95, "posterior"), ("mean", posterior.mean)
    return _picture(posterior, interval, seen, lambda v: signed(rounded(v, high - low), v), "Difference", math.inf)


def _picture(
    result: Comparison | CorrelatedT, interval: Interval, seen: tuple[str, float], written: Words, axis: str, widest: float
) -> Drawing:
    """Return the posterior density of a difference in its three parts, above its interval."""
    (called, difference), distribution, margin = seen, result.distribution, result.margin
    low, high, percent = interval.low, interval.high, isinstance(result, Comparison) and is_share(result.measure)
    ends = (low, high) if distribution is None else _ends(distribution, (low, high))
    spike = None if distribution is None or ends[0] < ends[1] else ends[0]
    around = ends if spike is None else (spike - 2 * margin, spike + 2 * margin)
    scale = scale_of((*around, low, high, difference), (0.0, -margin, margin), low=-widest, high=widest, percent=percent)
    a, b = distinct_names(getattr(result, "names", ("a", "b")), _LONGEST)
    more, title = getattr(result, "higher_is_better", True), f"{a} - {b}"
    short = in_lines([a, b], WIDTH / LETTERS - ems("◂  better"), most=1)
    left, right = (f"{name} better" for name in (short[::-1] if more else short))
    parts, zero = _parts(result, scale, more=more), Mark("no difference", 0.0, scale.nearest(0.0))
    if margin > 0:
        zero = replace(zero, words=f"practically the same: ±{margin_words(margin, percent=percent)}")
    span = f"{100 * interval.level:.6g}%: {written(low)} to {written(high)}" if low < high else "without spread"
    observed = f"{called} {written(difference)}, {span}"
    start, stop = max(scale.start, scale.low), min(scale.stop, scale.high)
    possible = replace(scale, start=start, stop=stop).ticks(int((scale.across(stop) - scale.across(start)) / LETTER))
    ticks, height, below = tuple((v, signed(words.rstrip("%"), v)) for v, words in possible), BASE + _FOOT + 6, BASE + _FOOT
    x, y, ceiling = np.empty(0), np.empty(0), 1.0
    if distribution is not None and spike is None:
        beyond = np.nextafter(distribution.support, (-math.inf, math.inf))  # where the density falls to 0 at once
        known = np.array([*ends, -margin, 0.0, margin, low, high, *distribution.support, *beyond])
        evenly = np.linspace(*ends, POINTS), np.linspace(scale.start, scale.stop, _FEW)
        x, y, ceiling = density(distribution, (*evenly, known), (scale.start, scale.stop))
    curve = line_of(x, BASE - (TALL - ROOM) * np.minimum(y, ceiling) / ceiling)
    items = [*_behind(scale, parts, zero, ticks, height), *_above(parts, curve, spike, title), *bar(low, high, BASE + _BAR)]
    items.append(mark(difference, BASE + _BAR, "diamond", _DIAMOND, "mark4"))
    above = LINE if LETTERS * ems(f"◂ {left}{right} ▸") + _GAP > WIDTH else 0.0  # long names on lines of their own
    labels = [Text(0, _SIDES - above, f"◂ {left}", "key", "start"), Text(WIDTH, _SIDES, f"{right} ▸", "key", "end")]
    for part, at in zip(parts, _places(parts, scale), strict=True):
        labels.append(Text(at, _ODDS, part.words, "head", "start"))
        square = on_page(at - _BEFORE / 2 - 1, above + _ODDS - _CHIP)
        items.append(mark(*square, "square", _CHIP, f"{part.kind} whole", page=True))
    labels.append(centred((scale.across(low) + scale.across(high)) / 2, BASE + _TOLD, observed, "key"))
    at = scale.across(0.0)
    labels.append(zero.label(at, 0, below - 6) if zero.far else centred(at, below, zero.words, "aside"))
    said = ", ".join(part.words for part in parts)
    words = f"{title}; {axis}; {observed}; {said}; {zero.words}; {left} on the left, {right} on the right"
    told = f"Posterior distribution of the difference: {title}", words, title
    return above_axis(items, labels, Axis(scale.start, scale.stop, ticks, axis), (0.0, WIDTH, height), told, above)


def _parts(result: Comparison | CorrelatedT, scale: Scale, *, more: bool) -> list[Part]:
    """Return what may be, from left to right; where every difference matters there is nothing in the middle."""
    margin, edge = result.margin, scale.nearest
    low, high = ("worse", "better") if more else ("better", "worse")
    odds = {"worse": result.worse, "same": result.same, "better": result.better}
    each = [(low, -math.inf, -margin), ("same", -margin, margin), (high, margin, math.inf)]
    kept = (part for part in each if part[0] != "same" or margin > 0 or result.same > 0)
    return [Part(kind, start, stop, odds[kind], (edge(start), edge(stop))) for kind, start, stop in kept]


def _behind(scale: Scale, parts: Sequence[Part], zero: Mark, ticks: Sequence[tuple[float, str]], height: float) -> Iterator[Item]:
    """Yield what the density is read against: what is impossible or practically the same, ticks, no difference, the base."""
    top, foot = STRIP + THICK, BASE + _END
    yield from (box(ends, (top, BASE), "beyond") for ends in scale.impossible)
    yield from (box(part.shown, (top, foot), "within") for part in parts if part.kind == "same" and part.shown[0] < part.shown[1])
    yield from (segment((v, top), (v, height), "grid") for v, _ in ticks)
    if not zero.far:
        yield segment((0.0, top), (0.0, foot), "ref")
    yield segment((scale.start, BASE), (scale.stop, BASE), "axis")


def _above(parts: Sequence[Part], curve: FloatArray, spike: float | None, title: str) -> Iterator[Item]:
    """Yield the strip and the area of each part, and the curve, or a spike where there is no doubt."""
    top = STRIP + THICK
    for part in parts:
        if part.shown[0] < part.shown[1]:
            yield box(part.shown, (STRIP, top), f"{part.kind} whole")
        inside = curve[(curve[:, 0] >= part.low) & (curve[:, 0] <= part.high)]
        if len(inside) > 1:
            yield Area((np.vstack([(inside[0, 0], BASE), inside, (inside[-1, 0], BASE)]),), part.kind, label=part.words)
    if spike is not None:
        kinds = [part.kind for part in parts if part.low <= spike <= part.high]  # at the edge it is in the middle
        yield Line(line_of([spike] * 2, [BASE, top + ROOM]), "heavy line4", label=title, styled=True)
        yield mark(spike, top + ROOM, "disc", 4.2, f"{'same' if 'same' in kinds else kinds[0]} whole")
    elif len(curve):
        yield Line(curve, "curve edge", label=title, styled=True)


def _places(parts: Sequence[Part], scale: Scale) -> list[float]:
    """Return where to tell how probable each part is: above it, apart from the others, with room for a square before it."""
    wide = [LETTER * len(part.words) + _BEFORE for part in parts]
    at = [sum(map(scale.across, part.shown)) / 2 for part in parts]
    for i in range(len(at)):
        before, after = sum(wide[:i]) + _GAP * i, sum(wide[i + 1 :]) + _GAP * (len(at) - 1 - i)
        at[i] = min(max(at[i], before + wide[i] / 2), WIDTH - after - wide[i] / 2)
        if i:
            at[i] = max(at[i], at[i - 1] + (wide[i - 1] + wide[i]) / 2 + _GAP)
    return [x - w / 2 + _BEFORE for x, w in zip(at, wide, strict=True)]


def _ends(distribution: Distribution, limits: tuple[float, float]) -> tuple[float, float]:
    """Return between which values a distribution is drawn: nearly all of it; of heavy tails no more than shows their shape."""
    low, tenth, middle = (float(v) for v in distribution.ppf(np.array([FAR, 0.1, 0.5])))
    high, ninth = (float(v) for v in distribution.isf(np.array([FAR, 0.1])))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return middle, middle
    low, high = max(low, middle + _HEAVY * (tenth - middle)), min(high, middle + _HEAVY * (ninth - middle))
    return min(low, limits[0]), max(high, limits[1])


_STEP, _WIDEST, _BESIDE, _HIGH = 24.0, 160.0, 8.0, 14.0  # of bars: units from one to the next, of names, beside them, of height


def outcome_bars(result: Comparison) -> Drawing:
    """Return how many cases both, only one, or neither got right: a bar each, its name before it and its cases behind."""
    if result.outcomes is None or not sum(result.outcomes) > 0:
        msg = f"This comparison of {result.measure} does not know which cases were correct; compare decisions on the same cases."
        raise InputError(msg)
    a, b = in_lines(list(result.names), (WIDTH - _WIDEST / 2) / LETTERS, most=1)
    names = ("both correct", f"only {a}", f"only {b}", "neither")
    total, most = sum(result.outcomes), max(result.outcomes)
    words = [f"{count(cases)} ({share(cases / total)})" for cases in result.outcomes]
    left = LETTERS * max(map(ems, names)) + _BESIDE
    above = left > _WIDEST  # long names stand above their bars
    left, step, high = (0.0, _STEP + LINE, LINE) if above else (left, _STEP, 0.0)
    room, start, top = WIDTH - left - LETTERS * max(map(ems, words)) - _BESIDE, SIDE + left, 6.0
    items: list[Item] = []
    styles = "same", "better whole", "worse whole", "same"
    for i, (name, told, style, cases) in enumerate(zip(names, words, styles, result.outcomes, strict=True)):
        y, long = top + step * i + _STEP / 2 + high, room * cases / most
        at, anchor = ((start, y - _HIGH / 2 - 4), "start") if above else ((start - _BESIDE, y + 4), "end")
        items.append(Text(*at, name, "tick", anchor))
        if long > 0:
            items.append(box((start, start + long), (y - _HIGH / 2, y + _HIGH / 2), style, page=True))
        items.append(Text(start + long + _BESIDE, y + 4, told, "key", "start"))
    foot = top + step * len(names)
    items += [] if above else [segment((start, top), (start, foot), "axis", page=True)]
    said = "; ".join(f"{name}: {told}" for name, told in zip(names, words, strict=True))
    return Drawing(WIDTH + 2 * SIDE, foot + 10, f"Cases that {a} and {b} got correct", said, tuple(items))
