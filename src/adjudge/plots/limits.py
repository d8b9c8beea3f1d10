"""Values with their limits as forests: intervals, estimates, how a class fared, many posteriors, and overfitting.

Few values have a line of their own for name and words; those of many tables share one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from adjudge._base.text import counted, safe
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.tally_estimates import ClassVerdict
from adjudge.judgements.training import Overfitting
from adjudge.metrics.catalogue import ALL
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots.drawing import NothingToDrawError
from adjudge.plots.forest import Forest, Row, forest
from adjudge.plots.labels import count, named, number, rounded
from adjudge.plots.learners import measure_name, writer
from adjudge.plots.quantities import METHODS, is_share

MOST_ROWS = 30
"""Tables with a row each; of more, dots in one."""
_MOST_DOTS = 200
_INK, _NEW = 4, 1  # colours
_BY_NAME = {measure.name: measure for measure in ALL}


def bounds(name: str) -> tuple[float, float]:
    """Return the least and the greatest value of a measure; what is in no catalogue has none."""
    measure = _BY_NAME.get(name)
    return (-math.inf, math.inf) if measure is None else (measure.low, measure.high)


def written(name: str, width: float) -> Callable[[float], str]:
    """Return how values of a measure are written, where intervals are `width` wide."""
    if math.isinf(bounds(name)[1]) and not is_share(name):
        return lambda value: rounded(value, width)
    return writer(name, width)


def level_of(limits: Interval | MeasureInterval | None) -> str:
    """Return the level of an interval for an axis, in brackets, or nothing."""
    return "" if limits is None else f" ({100 * limits.level:.6g}% interval)"


def interval_forest(found: Interval) -> Forest:
    """Return two limits on an axis of their own."""
    width = found.high - found.low
    words = f"{rounded(found.low, width)} to {rounded(found.high, width)}"
    row = Row(f"{100 * found.level:.6g}% interval", low=found.low, high=found.high, words=words, headed=True)
    return forest([row], axis="Value", title=f"Limits by {named([METHODS.get(found.method, found.method)], 48)[0]}")


def estimate_forest(found: Estimate) -> Forest:
    """Return an estimate between the limits of its measure."""
    of = "" if found.of is None else f" of {named([found.of], 16)[0]}"
    low, high = bounds(found.measure)
    return forest(
        [_row(f"{measure_name(found.measure)}{of}", found)],
        axis=f"{measure_name(found.measure)}{level_of(found.interval)}",
        low=low,
        high=high,
        percent=is_share(found.measure),
    )


def _row(name: str, found: Estimate, *, colour: int = 0, shape: str = "disc") -> Row:
    if found.reason is not None or not math.isfinite(found.value):
        return Row(name, words=safe(found.reason or number(found.value), 34), headed=True)
    if found.interval is None:
        return Row(name, found.value, words=written(found.measure, 0.0)(found.value), headed=True, colour=colour, shape=shape)
    low, high = found.interval.low, found.interval.high
    words = written(found.measure, high - low)
    return Row(name, found.value, low, high, f"{words(found.value)}, {words(low)} to {words(high)}", shape, colour, headed=True)


def class_forest(found: ClassVerdict) -> Forest:
    """Return how a class fared: every measure of it, one below the other."""
    each = [found.sensitivity, found.precision, found.specificity, found.f1, *([] if found.auc is None else [found.auc])]
    limits = next((one.interval for one in each if one.interval is not None), None)
    return forest(
        [_row(measure_name(one.measure), one) for one in each],
        axis=f"Value{level_of(limits)}",
        low=0.0,
        high=1.0,
        title=f"Class {named([found.label], 24)[0]}: {count(found.cases)} cases, {count(found.assigned)} assigned",
    )


def numbers_forest(result: Evaluation) -> Forest:
    """Return the losses of a numeric predictor against those of always predicting the mean."""
    each = [result.estimates[name] for name in ("rae", "rse") if name in result.estimates]
    known = [result.estimates[name] for name in ("mae", "mse") if name in result.estimates]
    widths = (0.0 if one.interval is None else one.interval.high - one.interval.low for one in known)
    told = (f"{measure_name(one.measure).lower()} {rounded(one.value, width)}" for one, width in zip(known, widths, strict=True))
    return forest(
        [_row(measure_name(one.measure), one) for one in each],
        axis=f"Error as a share of that of the mean{level_of(each[0].interval)}",
        low=0.0,
        percent=False,
        marks=[("always the mean", 1.0)],
        title="; ".join(told),
    )


def measure_forest(found: MeasureInterval) -> Forest:
    """Return a measure of a partition between its limits."""
    name, width = measure_name(found.measure), found.high - found.low
    value, low, high = (rounded(v, width) for v in (found.value, found.low, found.high))
    row = Row(name, found.value, found.low, found.high, f"{value}, {low} to {high}", headed=True)
    return forest([row], axis=f"{name} of a partition{level_of(found)}")


def overfitting_forest(found: Overfitting) -> Forest:
    """Return the error on the training cases above that on new ones."""
    rows = [
        _row("On the training cases", found.resubstitution, shape="ring"),
        _row("On new cases", found.sample, colour=_NEW, shape="diamond"),
    ]
    limits = found.interval
    bias, low, high = (rounded(100 * v, 100 * (limits.high - limits.low)) for v in (found.bias, limits.low, limits.high))
    return forest(
        rows,
        axis=f"Error{level_of(limits)}",
        low=0.0,
        high=1.0,
        percent=True,
        title=f"New minus training: {bias} points, {low} to {high}",
    )


def posteriors_forest(found: Posteriors) -> Forest:
    """Return the median of each table with its limits; of many tables, dots for their medians."""
    low, high = bounds(found.quantity)
    many = len(found) > MOST_ROWS
    few = len(found) <= _MOST_DOTS
    each = "a dot for each table" if few else f"{_MOST_DOTS} of {len(found):,}, evenly from least to greatest"
    return forest(
        [_medians(found)] if many else list(_tables(found)),
        axis=measure_name(found.quantity) + ("" if many else " (95% intervals)"),
        low=low,
        high=high,
        percent=is_share(found.quantity),
        title=f"{measure_name(found.quantity)} of {counted(len(found), 'table')}",
        heads=None if many else ("table", "median"),
        note=each if many else "",
    )


def _tables(found: Posteriors) -> Iterator[Row]:
    low, high = found.interval()
    words = written(found.quantity, float(np.median(high - low)))
    for i, value in enumerate(found.median.tolist()):
        yield Row(str(i + 1), value, float(low[i]), float(high[i]), words(value))


def _medians(found: Posteriors) -> Row:
    medians = np.sort(found.median)
    words = written(found.quantity, float(np.ptp(medians)))
    kept = medians[np.unique(np.linspace(0, medians.size - 1, min(_MOST_DOTS, medians.size)).round().astype(np.int64))]
    span = f"{words(float(medians[0]))} to {words(float(medians[-1]))}"
    return Row("Medians", words=span, headed=True, colour=_INK, dots=tuple(kept.tolist()))


def refuse_undefined(value: float, what: str) -> None:
    """Refuse to draw what has no value."""
    if math.isnan(value):
        reason = getattr(value, "reason", "it is not a number")
        msg = f"{what} is undefined ({safe(reason)}), so there is nothing to draw. Give cases of both classes."
        raise NothingToDrawError(msg)
