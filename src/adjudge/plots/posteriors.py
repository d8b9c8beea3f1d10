"""Which posteriors are drawn over which range: the densities of results, computed point by point."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.levels import share
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors
from adjudge.plots.densities import GAP, HEAD, LANE, TALL, Density, DensitySet, Mark, Point, Reported
from adjudge.plots.drawing import LETTER, WIDTH
from adjudge.plots.labels import decimals_for, number
from adjudge.plots.quantities import MOST_DECIMALS, Writer, is_share, name_of

_PAD = 0.06  # room beside what is drawn, as a share of it
_BEYOND = 0.2  # how much of a law may lie where an infinite density is cut
_WIDEST = 2.5  # how many times wider a picture may become to show a mark
_FAR = 1e-4  # how much of a law lies beyond either end of its drawing
_POINTS = 240


def posterior_set(posterior: Posterior, level: float = 0.95) -> DensitySet:
    """Return the picture of one posterior; a measure that can be negative is read against 0."""
    marks = []
    if posterior.law.support[0] < 0:
        marks = [("no difference" if " - " in posterior.quantity else "chance", 0.0)]
    return density_set((posterior,), level, marks)


def accuracy_posteriors_set(posteriors: AccuracyPosteriors, marks: Sequence[tuple[str, float]] = ()) -> DensitySet:
    """Return the picture of what to believe: both posteriors, what is commonly reported of them, and chance.

    After figures 1 and 2 of Brodersen et al. (2010), The balanced accuracy and its posterior distribution.
    """
    bar, seen = posteriors.conventional, posteriors.average_balanced_accuracy
    shown = {name: (each.low, each.high) for name, each in posteriors.intervals.items()}
    written = {name: _writer(limits, percent=True) for name, limits in shown.items()}
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
    ends = [_ends(p) for p in posteriors]
    shaded = [(limits or {}).get(p.quantity) or p.law.interval(level) for p in posteriors]
    start, stop = _range(posteriors, [*ends, *shaded], told, marks)
    rows: list[Density] = []
    for p, end, span in zip(posteriors, ends, shaded, strict=True):
        above = rows[-1].foot + GAP if rows else 0.0
        base = above + HEAD + 10 + (2 * LANE if p.quantity in told else 0) + TALL
        rows.append(_density(p, len(rows), end, span, level, base, told.get(p.quantity), percent=percent))
    axis = "Share of right decisions" if percent and len(rows) > 1 else rows[0].name
    words = [f"{name} {share(v) if percent else number(v)}" if v else name for name, v in marks]  # 0 needs no telling
    placed = [Mark(told, v, min(max(v, start), stop)) for told, (_, v) in zip(words, marks, strict=True) if not math.isnan(v)]
    return DensitySet(tuple(rows), start, stop, level, axis, percent, _in_turn(placed, start, stop), title)


def _in_turn(marks: Sequence[Mark], start: float, stop: float) -> tuple[Mark, ...]:
    """Return marks from top to bottom, so that the line of none passes through the words of another."""
    room = all((stop - mark.at) / (stop - start) * WIDTH > LETTER * len(mark.words) for mark in marks if not mark.far)
    return tuple(sorted(marks, key=lambda mark: mark.value, reverse=room))


def _ends(posterior: Posterior) -> tuple[float, float]:
    """Return between which values a law is drawn."""
    low, high = float(posterior.law.ppf(_FAR)), float(posterior.law.isf(_FAR))
    least = 1e-12 * max(abs(low), abs(high), 1e-300)
    return (low, high) if high - low > least else (low - max(least, 1e-9), high + max(least, 1e-9))


def _range(
    posteriors: Sequence[Posterior],
    ends: Sequence[tuple[float, float]],
    told: dict[str, Reported],
    marks: Sequence[tuple[str, float]],
) -> tuple[float, float]:
    start = min([low for low, _ in ends] + [each.low for each in told.values()])
    stop = max([high for _, high in ends] + [each.high for each in told.values()])
    span = stop - start
    near = [v for _, v in marks if max(stop, v) - min(start, v) <= _WIDEST * span]
    start, stop = min([start, *near]), max([stop, *near])
    pad = _PAD * (stop - start)
    lowest, highest = min(p.law.support[0] for p in posteriors), max(p.law.support[1] for p in posteriors)
    return max(start - pad, lowest) if start >= lowest else start - pad, min(
        stop + pad, highest
    ) if stop <= highest else stop + pad


def _density(
    posterior: Posterior,
    colour: int,
    ends: tuple[float, float],
    limits: tuple[float, float],
    level: float,
    base: float,
    reported: Reported | None,
    *,
    percent: bool,
) -> Density:
    low, high = limits
    x, y, ceiling = _curve(posterior, ends, (low, high))
    written = _writer((low, high), percent=percent)
    each = {"mean": posterior.mean, "median": posterior.median, "mode": posterior.mode}
    points = tuple(Point(name, float(v), f"{name} {written(v)}") for name, v in each.items())
    words = f"{100 * level:.6g}%: {written(low)} to {written(high)}"
    return Density(name_of(posterior), colour, frozen(x), frozen(y), ceiling, low, high, points, words, base, reported)


def _writer(limits: tuple[float, float], *, percent: bool) -> Writer:
    return Writer(decimals_for(limits[1] - limits[0], most=MOST_DECIMALS), percent)


def _curve(posterior: Posterior, ends: tuple[float, float], limits: tuple[float, float]) -> tuple[FloatArray, FloatArray, float]:
    """Return the density and the height to draw it to: its peak, or where it has none a height that shows its shape."""
    law = posterior.law
    open_ends = [not np.isfinite(law.pdf(end)) for end in law.support]
    x = [np.linspace(*ends, _POINTS), np.clip(limits, *law.support)]
    if any(open_ends):  # points where the mass is: a density like 1 / sqrt(1 - x) is steep there
        x.append(law.ppf(np.linspace(_FAR, 1 - _FAR, _POINTS)))
    at = np.unique(np.concatenate(x))
    with np.errstate(divide="ignore"):
        y = np.asarray(law.pdf(at))
    at, y = at[np.isfinite(y)], y[np.isfinite(y)]
    if any(open_ends):
        low, high = law.ppf(_BEYOND) if open_ends[0] else at[0], law.isf(_BEYOND) if open_ends[1] else at[-1]
        return at, y, float(y[(at >= low) & (at <= high)].max())
    return at, y, float(y.max()) or 1.0
