"""Posterior densities, each in a row of its own above one axis.

A row has the name and interval of a distribution, what is commonly reported, the density, and below its base the mean, median and
mode; those that agree to the digits shown stand together. Lengths across are values, lengths down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from adjudge._base import share
from adjudge._base.arrays import FloatArray
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.plots.drawing import LINE, WIDTH, Area, Axis, Drawing, Item, Line, Text, box, line_of, mark, segment
from adjudge.plots.forest import Row
from adjudge.plots.labels import number
from adjudge.plots.quantities import Words, in_digits, is_share, name_of
from adjudge.plots.scales import LANE, Scale, above_axis, bar, centred, head, headed, in_turn, scale_of, uprights
from adjudge.plots.style import LETTER
from adjudge.stats.distribution import Distribution

TALL = 78.0  # units that a density is high
_HEAD, _STEP, _GAP = 24.0, 16.0, 6.0  # units down: of the head of a row, between mean, median and mode, between rows
_SIZE, _CROSS = 4.2, 4.5  # of marks
_SHAPES = {"mean": "disc", "median": "diamond", "mode": "triangle"}
_BEYOND = 0.2  # how much of a distribution may lie where an infinite density is cut
FAR = 1e-4  # how much of a distribution lies beyond either end of its drawing
POINTS = 240
Point = tuple[str, float, str]  # the name of a mean, median or mode, or of several that look alike, its value, and words
Ends = tuple[float, float]
Density = tuple[FloatArray, FloatArray, float]  # values, heights, and the peak or a height to cut it at


def posterior_set(posterior: Posterior, level: float = 0.95) -> Drawing:
    """Return the picture of one posterior; a measure that can be negative is read against 0."""
    zero = ("no difference" if " - " in posterior.quantity else "chance", 0.0)
    return density_set((posterior,), level, [zero] if posterior.distribution.support[0] < 0 else [])


def accuracy_posteriors_set(posteriors: AccuracyPosteriors, marks: Sequence[tuple[str, float]] = ()) -> Drawing:
    """Return the picture of both posteriors, what is commonly reported of them, and chance.

    After figures 1 and 2 of Brodersen et al. (2010), The balanced accuracy and its posterior distribution.
    """
    bar, seen = posteriors.conventional, posteriors.average_balanced_accuracy
    shown = {name: (each.low, each.high) for name, each in posteriors.intervals.items()}
    written = {name: in_digits(high - low, percent=True) for name, (low, high) in shown.items()}
    value, low, high = map(written["accuracy"], (bar.value, bar.low, bar.high))
    average = f"average balanced accuracy, as seen: {written['balanced_accuracy'](seen)}"
    told = {
        "accuracy": Row("", bar.value, bar.low, bar.high, f"{value} ± 2 SE over {bar.over}: {low} to {high}"),
        "balanced_accuracy": Row("", seen, seen, seen, average),
    }
    chance = ("chance", posteriors.chance_level)
    title = f"{posteriors.tested}. {posteriors.chance.statement}"
    return density_set(tuple(posteriors.posteriors.values()), posteriors.level, (chance, *marks), told, shown, title)


def density_set(
    posteriors: Sequence[Posterior],
    level: float = 0.95,
    marks: Sequence[tuple[str, float]] = (),
    reported: dict[str, Row] | None = None,
    limits: dict[str, Ends] | None = None,
    title: str = "",
) -> Drawing:
    """Return densities over the range where they and what is reported of them lie; near marks widen it.

    `limits` are those to shade; of what has none there, the central ones of the density. Reported limits may be impossible.
    """
    told = {name: row for name, row in (reported or {}).items() if row.limited}
    percent = all(is_share(p.quantity) for p in posteriors)
    shaded = [(limits or {}).get(p.quantity) or p.distribution.interval(level) for p in posteriors]
    curves = [_curve(p.distribution, each) for p, each in zip(posteriors, shaded, strict=True)]
    values = [end for each in told.values() for end in (each.low, each.high)]
    values += [end for (ends, _), inner in zip(curves, shaded, strict=True) for end in (*ends, *inner)]
    supports = [p.distribution.support for p in posteriors]
    low, high = min(low for low, _ in supports), max(high for _, high in supports)
    scale = scale_of(values, [v for _, v in marks], low=low, high=high)
    low, high = (0.0, 1.0) if percent and posteriors[0].quantity in told else (-math.inf, math.inf)  # reported may be impossible
    scale = Scale(scale.start, scale.stop, low, high, percent)
    rows, labels = list[Item](), list[Text]()
    spans, bases = list[Ends](), list[float]()  # units down to where rows begin and end, and where densities are 0
    said = [title] if title else []
    for colour, (p, (low, high), (_, curve)) in enumerate(zip(posteriors, shaded, curves, strict=True)):
        seen, written, name = told.get(p.quantity), in_digits(high - low, percent=percent), name_of(p)
        points, within = _alike(p, written), f"{100 * level:.6g}%: {written(low)} to {written(high)}"
        above = _HEAD + LINE * headed(name, within).count("\n") + (2 * LANE if seen else 0)
        base = (spans[-1][1] + _GAP if spans else 0.0) + above + TALL
        bases.append(base)
        spans.append((base - TALL - (LANE if seen else 0), base + _STEP * (len(points) + 0.75)))
        rows += _row(name, colour, curve, (low, high), points, seen, base, scale)
        labels += head(name, within, top := base - TALL - (2 * LANE if seen else 0) - 10)
        labels += [centred(scale.across(seen.value), top + LANE + 8, seen.words, "key")] if seen else []
        labels += _beside(points, base, scale)
        said.append(", ".join([f"{name}: {within}", *(words for _, _, words in points), *([seen.words] if seen else [])]))
    known = [(name, v) for name, v in marks if not math.isnan(v)]
    placed = [(f"{name} {share(v) if percent else number(v)}" if v else name, v) for name, v in known]  # 0 needs no telling
    compared, below = in_turn(placed, scale, scale.across), spans[-1][1]
    height, ticks = below + LANE * len(compared) + 4, scale.ticks(int(WIDTH / LETTER), apart=1, powers=False)
    down = [(top, base) for (top, _), base in zip(spans, bases, strict=True)]
    items: list[Item] = [box(ends, heights, "beyond") for ends in scale.impossible for heights in down]
    items += [*uprights(ticks, compared, spans, below, height), *rows]
    labels += [mark.label(scale.across(mark.at), i, below) for i, mark in enumerate(compared)]
    beyond = (scale.across((low + high) / 2) for low, high in scale.impossible)
    labels += [Text(x + 4, bases[-1] - TALL / 2, "impossible", "turned", turn=-90) for x in beyond]
    called = "Accuracy" if percent and len(posteriors) > 1 else name_of(posteriors[0])
    axis = Axis(scale.start, scale.stop, tuple(ticks), called)
    words = "; ".join([*said, *(mark.words for mark in compared)])
    whole = f"Posterior densities: {title}" if title else "Posterior densities"
    return above_axis(items, labels, axis, (0.0, WIDTH, height), (whole, words, title))


def _alike(posterior: Posterior, written: Words) -> list[Point]:
    """Return the mean, the median and the mode; those that look alike to the digits shown are one."""
    alike: dict[str, list[tuple[str, float]]] = {}
    for name, value in (("mean", posterior.mean), ("median", posterior.median), ("mode", posterior.mode)):
        alike.setdefault(written(value), []).append((name, float(value)))
    names = {words: ", ".join(name for name, _ in each) for words, each in alike.items()}
    return [(names[words], each[0][1], f"{names[words]} {words}") for words, each in alike.items()]


def _row(
    name: str, colour: int, curve: Density, limits: Ends, points: Sequence[Point], seen: Row | None, base: float, scale: Scale
) -> Iterator[Item]:
    """Yield a density above its `base`, its interval, its mean, median and mode, and what is commonly reported."""
    (x, y, ceiling), (low, high) = curve, limits

    def down(density: FloatArray | float) -> FloatArray:
        return np.asarray(base - TALL * np.minimum(density, ceiling) / ceiling)

    inside = (x >= low) & (x <= high)
    yield Area((line_of([low, *x[inside], high], [base, *down(y[inside]), base]),), f"area{colour}", styled=True)
    yield segment((scale.start, base), (scale.stop, base), "axis")
    yield segment((low, base), (high, base), f"span line{colour}")
    for i, (names, value, _) in enumerate(points):
        if not math.isnan(value):
            foot, shape = base + _STEP * (i + 0.75), _SHAPES[names.split(", ", maxsplit=1)[0]]
            yield segment((value, float(down(float(np.interp(value, x, y))))), (value, foot), f"stem line{colour}")
            yield mark(value, foot, shape, _SIZE * (1.2 if shape == "diamond" else 1.0), f"mark{colour}")
    below, ends = np.flatnonzero(y <= ceiling), []
    for at, out in ((below[0], below[0] - 1), (below[-1], below[-1] + 1)):  # beyond the upper edge it is not drawn
        part = (ceiling - y[at]) / (y[out] - y[at]) if 0 <= out < x.size else None
        ends.append((x[at], 0.0) if part is None else (x[at] + part * (x[out] - x[at]), ceiling))
    (x0, y0), (x1, y1) = ends
    drawn = slice(below[0], below[-1] + 1)
    outline = line_of([x0, *x[drawn], x1], down(np.array([y0, *y[drawn], y1])))
    yield Line(outline, f"curve line{colour}", label=name, styled=True)
    if seen:
        yield mark(seen.value, base - TALL - LANE / 2, "cross", _CROSS, "bar")
        if seen.low < seen.high:
            yield from bar(seen.low, seen.high, base - TALL - LANE / 2)


def _beside(points: Sequence[Point], base: float, scale: Scale) -> list[Text]:
    """Return what the mean, the median and the mode are, beside them."""
    at = [scale.across(value) for _, value, _ in points if not math.isnan(value)]
    x, anchor = (max(at) + 12, "start") if min(at) < WIDTH - max(at) else (min(at) - 12, "end")
    return [Text(x, base + _STEP * (i + 0.75) + 4, words, "key", anchor) for i, (_, _, words) in enumerate(points)]


def _curve(distribution: Distribution, limits: Ends) -> tuple[Ends, Density]:
    """Return the values a distribution is drawn between, its density, its peak, or a height to cut it at where it has none."""
    low, high = float(distribution.ppf(FAR)), float(distribution.isf(FAR))
    least = 1e-12 * max(abs(low), abs(high), 1e-300)
    ends = (low, high) if high - low > least else (low - max(least, 1e-9), high + max(least, 1e-9))
    return ends, density(distribution, (np.linspace(*ends, POINTS), np.clip(limits, *distribution.support)))


def density(distribution: Distribution, places: Iterable[FloatArray], within: Ends = (-math.inf, math.inf)) -> Density:
    """Return a density at all `places` that lie `within`, and its peak, or a height to cut it at where it has none."""
    (least, greatest), points = distribution.support, list(places)
    with np.errstate(divide="ignore"):
        steep = [math.isfinite(end) and not np.isfinite(distribution.pdf(end)) for end in (least, greatest)]
        if any(steep):  # points where the mass is: a density like 1 / sqrt(x) rises without end
            points.append(np.asarray(distribution.ppf(np.linspace(FAR, 1 - FAR, POINTS))))
        x = np.unique(np.concatenate(points))
        x = x[(x >= within[0]) & (x <= within[1])]
        y = np.where((x < least) | (x > greatest), 0.0, np.asarray(distribution.pdf(x)))
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    low, high = distribution.ppf(_BEYOND) if steep[0] else x[0], distribution.isf(_BEYOND) if steep[1] else x[-1]
    return x, y, float(y[(x >= low) & (x <= high)].max()) or 1.0
