"""Learners: estimates over folds or groups as a forest, and what random splits found against the share kept for testing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.text import counted
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.resampled import Fold, OverFolds, Resampled
from adjudge.judgements.training import Share, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import Area, Axis, Drawing, Figure, Item, Line, Marks, NothingToDrawError, Panel, around, line_of
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import decimals_for, loss, named, number
from adjudge.plots.quantities import MOST_DECIMALS, Writer, is_share
from adjudge.plots.scales import Scale, scale_of, swarm

MOST_ROWS = 30
"""Folds with a row each; of more, repetitions have a row each, or all are dots in one."""
_NAMES = {
    "mae": "Mean absolute error",
    "mse": "Mean squared error",
    "rae": "Relative absolute error",
    "rse": "Relative squared error",
    "auc": "AUC",
    "mcc": "MCC",
    "f1": "F1",
}
_POOLED, _SEEN, _ALGORITHM, _INK = 0, 1, 2, 4


def headline(result: Resampled) -> str:
    """Return the measure a learner is judged by first: accuracy, mean absolute error, or the first that was asked for."""
    return next((name for name in ("accuracy", "mae") if name in result.estimates), next(iter(result.estimates)))


def measure_name(name: str) -> str:
    """Return what a measure is called on an axis."""
    return _NAMES.get(name, name.replace("_", " ").capitalize())


def writer(name: str, width: float) -> Callable[[float], str]:
    """Return how values of a measure are written, where intervals are `width` wide."""
    if is_share(name):
        return Writer(decimals_for(width, most=MOST_DECIMALS), percent=True)
    return loss if math.isinf(find(name).high) else number


def learner_forest(result: Resampled, name: str | None = None) -> Forest:
    """Return the picture of one measure of a learner."""
    name = name or headline(result)
    over, pooled = result.estimates[name], result.pooled.estimates.get(name)
    limits = None if pooled is None else pooled.interval
    words = writer(name, limits.high - limits.low if limits else 0.0)
    measure = find(name)
    return forest(
        [*_parts(result, name, words), *_summaries(result, over, pooled, words)],
        axis=f"{measure_name(name)} ({100 * result.level:.6g}% intervals)",
        low=measure.low,
        high=measure.high,
        percent=is_share(name),
        marks=tuple(_marks(result, name)),
        band=None if limits is None else (limits.low, limits.high),
        title=named([result.learner], 60)[0],
    )


def _marks(result: Resampled, name: str) -> Iterator[tuple[str, float]]:
    baseline = result.pooled.baseline
    if name == "accuracy" and baseline is not None:
        label, share = baseline
        yield f"always {named([label], 16)[0]} {writer(name, 0.0)(share)}", share


def _parts(result: Resampled, name: str, words: Callable[[float], str]) -> Iterator[Row]:
    """Yield the folds: a row each, or a row for each repetition, or all in one."""
    if result.plan.kind in ("leave-one-out", "holdout"):
        return
    folds = result.by_fold
    if len(folds) <= MOST_ROWS:
        yield from (_fold(fold, name, words, result.unit) for fold in folds)
    elif result.plan.kind == "repeated folds" and max(result.plan.repeat) < MOST_ROWS:
        for repeat in range(1, max(result.plan.repeat) + 2):
            yield _repeat([fold for fold in folds if fold.repeat == repeat], f"repeat {repeat}", name, words)
    else:
        yield _strip(_values(folds, name), result, words)


def _fold(fold: Fold, name: str, words: Callable[[float], str], unit: str) -> Row:
    if fold.failure is not None:
        return Row(f"{unit} {fold.fold}", words=f"failed: {fold.failure}")
    estimate = fold.estimates[name]
    low, high = (math.nan, math.nan) if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
    return Row(f"{unit} {fold.fold}", estimate.value, low, high, words(estimate.value), colour=_INK)


def _values(folds: Sequence[Fold], name: str) -> tuple[float, ...]:
    known = [fold.estimates[name].value for fold in folds if fold.failure is None]
    return tuple(value for value in known if math.isfinite(value))


def _repeat(folds: Sequence[Fold], called: str, name: str, words: Callable[[float], str]) -> Row:
    values = _values(folds, name)
    if not values:
        return Row(called, words="all folds failed")
    mean = sum(values) / len(values)
    return Row(called, mean, words=words(mean), shape="tick", colour=_INK, dots=values)


def _strip(values: tuple[float, ...], result: Resampled, words: Callable[[float], str]) -> Row:
    name = f"{len(values):,} of {counted(len(result.plan), result.unit)}"
    if len(values) == len(result.plan):
        name = counted(len(values), result.unit)
    span = f"{words(min(values))} to {words(max(values))}" if values else "undefined"
    return Row(name, words=span, colour=_INK, headed=True, dots=values)


def _summaries(result: Resampled, over: OverFolds, pooled: Estimate | None, words: Callable[[float], str]) -> Iterator[Row]:
    yield _limited("This test set, pooled", over.pooled, pooled and pooled.interval, words, "diamond", _POOLED)
    if over.algorithm is not None and over.algorithm.low < over.algorithm.high:
        yield _limited("This algorithm, trained anew", over.mean_of_folds, over.algorithm, words, "diamond", _ALGORITHM)
    if over.conventional is not None:
        name = f"Mean of {over.conventional.over.replace('fold', result.unit)} ± 2 SE"
        yield _limited(name, over.conventional.value, over.conventional, words, "cross", _INK)
    forms = {".632+ bootstrap": over.bootstrap632plus, ".632 bootstrap, Efron's": over.efron632}
    for form, value in (forms | {".632 bootstrap, mean of rounds": over.bootstrap632}).items():
        if value is not None:
            yield Row(form, value, words=words(value), shape="disc", colour=_ALGORITHM, headed=True)
    seen = None if result.resubstitution is None else result.resubstitution.estimates.get(over.measure)
    if seen is not None:
        yield _limited("On the training cases", seen.value, None, words, "ring", _SEEN)


def _limited(name: str, value: float, limits: object, words: Callable[[float], str], shape: str, colour: int) -> Row:
    low, high = getattr(limits, "low", math.nan), getattr(limits, "high", math.nan)
    told = words(value) if math.isnan(low) else f"{words(value)}, {words(low)} to {words(high)}"
    return Row(name, value, low, high, told, shape, colour, headed=True)


_INK = 4


def part_forest(
    found: Mapping[Any, Estimate],
    apart: Sequence[tuple[str, Estimate | None, str]],
    *,
    what: str,
    level: float,
    marks: Sequence[tuple[str, float]] = (),
) -> Forest:
    """Return the picture of one share by fold or group; of many each is a dot.

    `apart` are names, estimates and shapes of what is set apart below; the first of them is also the band.
    """
    known = [(name, each, shape) for name, each, shape in apart if each is not None]
    band = next((each.interval for _, each, _ in known if each.interval is not None), None)
    words = Writer(decimals_for(band.high - band.low if band else 0.0, most=MOST_DECIMALS), percent=True)
    measure = next(iter(found.values())).measure if found else "accuracy"
    rows = _rows(found, what, words)
    rows += [_row(name, each, words, shape, i, headed=True) for i, (name, each, shape) in enumerate(known)]
    return forest(
        rows,
        axis=f"{measure_name(measure)} ({100 * level:.6g}% intervals)",
        low=0.0,
        high=1.0,
        percent=True,
        marks=marks,
        band=None if band is None else (band.low, band.high),
        title=f"{measure_name(measure)} by {what}",
    )


def _rows(found: Mapping[Any, Estimate], what: str, words: Writer) -> list[Row]:
    if len(found) <= MOST_ROWS:
        names = named(list(found))
        return [_row(name, each, words, "disc", _INK) for name, each in zip(names, found.values(), strict=True)]
    values = tuple(each.value for each in found.values() if math.isfinite(each.value))
    span = f"{words(min(values))} to {words(max(values))}" if values else "undefined"
    return [Row(counted(len(found), what), words=span, colour=_INK, headed=True, dots=values)]


def _row(name: str, each: Estimate, words: Writer, shape: str, colour: int, *, headed: bool = False) -> Row:
    if math.isnan(each.value):
        return Row(name, words=f"undefined: {each.reason}" if each.reason else "undefined", headed=headed)
    low, high = (math.nan, math.nan) if each.interval is None else (each.interval.low, each.interval.high)
    told = words(each.value)
    if headed and each.interval is not None:
        told = f"{told}, {words(low)} to {words(high)}"
    return Row(name, each.value, low, high, told, shape, colour, headed=headed)


_LEVELS = 60  # heights at which dots are told apart
_APART = 0.0115  # of the width, between dots beside each other
_SPAN = 5  # dots beside each other on either side, at most


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The splits that kept one share: where they lie, their mean, and one standard deviation to either side."""

    x: float
    dots_x: FloatArray
    dots_y: FloatArray
    mean: float
    low: float
    high: float
    tick: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Spread(Figure):
    """Splits by the share kept, from the smallest."""

    splits: tuple[Splits, ...]
    across: Scale
    up: Scale
    x_name: str
    y_name: str
    title: str = ""

    @property
    def means(self) -> list[tuple[float, float]]:
        """The means, from the smallest share to the largest."""
        return [(s.x, s.mean) for s in self.splits]

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """The shares that were tried, but for those too close to the one before."""
        near, found = 0.07, [(self.splits[0].x, self.splits[0].tick)]
        for s in self.splits[1:]:
            if self.across.part(s.x) - self.across.part(found[-1][0]) >= near:
                found.append((s.x, s.tick))
        return found

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.up.ticks(room=200, most=7)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(s.words for s in self.splits)

    @property
    def drawing(self) -> Drawing:
        """Splits by the share kept for testing, with their mean and a band of one standard deviation."""
        x = [s.x for s in self.splits]
        band = around(line_of(x, [s.high for s in self.splits]), line_of(x, [s.low for s in self.splits]))
        items: list[Item] = [Area((band,), "area0", label="one standard deviation", styled=True)]
        items += [Marks(line_of(s.dots_x, s.dots_y), "disc", 2.6, "faint mark4") for s in self.splits]
        items.append(Line(np.array(self.means), "curve line0", label="mean", styled=True))
        items.append(Marks(np.array(self.means), "disc", 4.2, "mark0", styled=True))
        across = Axis(self.across.start, self.across.stop, tuple(self.x_ticks), self.x_name)
        up = Axis(self.up.start, self.up.stop, tuple(self.y_ticks), self.y_name, grid=True)
        panel = Panel(62.0, 14.0, 464.0, 304.0, across, up)
        return Drawing(480.0, 350.0, f"Trade-off: {self.title}", self.words, tuple(items), panel, self.title)


def spread(found: TradeOff) -> Spread:
    """Return the picture of a trade-off; splits without a value are left out."""
    measure = find(found.measure)
    in_order = sorted(found.shares, key=lambda share: share.share)
    known = [Share(share.share, share.cases, share.values[np.isfinite(share.values)]) for share in in_order]
    shares = [share for share in known if share.values.size]
    if not shares:
        msg = f"No split has a {found.measure} to draw. Choose another measure, or leave more cases to learn from."
        raise NothingToDrawError(msg)
    across = scale_of([share.share for share in shares], low=0.0, high=1.0, percent=True)
    values = [float(v) for share in shares for v in share.values]
    up = scale_of(values, low=measure.low, high=measure.high, percent=is_share(found.measure))
    splits = tuple(_splits(share, found.measure, across, up) for share in shares)
    return Spread(
        splits, across, up, "Share of the cases kept for testing", measure_name(measure.name), named([found.learner], 60)[0]
    )


def _splits(share: Share, name: str, across: Scale, up: Scale) -> Splits:
    heights = np.array([up.part(float(v)) for v in share.values])
    sides = np.clip(swarm(heights, 1 / _LEVELS), -_SPAN, _SPAN) * _APART * (across.stop - across.start)
    spread = share.spread if share.values.size > 1 else 0.0
    low, high = max(share.mean - spread, up.start, up.low), min(share.mean + spread, up.stop, up.high)
    tick = f"{100 * share.share:.0f}%"
    words = writer(name, 2 * spread)
    told = f"{tick} kept, {share.cases:,} cases: {words(share.mean)} ± {words(spread)}"
    return Splits(share.share, frozen(share.share + sides), share.values, share.mean, low, high, tick, told)
