"""A learner's estimates as a forest: its folds, and set apart what they come to, honestly and as commonly reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from adjudge._base.text import counted
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.resampled import Fold, OverFolds, Resampled
from adjudge.metrics.catalogue import find
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import decimals_for, loss, named, number
from adjudge.plots.quantities import MOST_DECIMALS, Writer, is_share

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
