"""Measures of one class brought to several: one class against the rest, or averaged over the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.metrics.measure import ClassMeasure, Measure, TableMeasure, against_rest
from adjudge.metrics.on_counts import supported
from adjudge.predictions.labels import describe
from adjudge.predictions.spellings import means_positive, position

AVERAGES = ("macro", "micro", "weighted")


def by_class(measure: Measure, counts: ConfusionCounts, **knobs: float) -> FloatArray:
    """Return the measure of every class against the rest, NaN where it is undefined."""
    if isinstance(measure, ClassMeasure):
        top, bottom = measure.parts(against_rest(counts), **knobs)
        return np.asarray(np.divide(top, bottom, out=np.full(counts.k, np.nan), where=bottom > 0))
    return np.array([_of_table(measure, counts.binary(label)) for label in counts.classes])


def value(
    measure: Measure, counts: ConfusionCounts, *, positive: Any = None, average: str | None = None, **knobs: float
) -> float:
    """Return one number: of the positive class, averaged, or of the whole table."""
    if average is not None:
        return averaged(measure, counts, average, **knobs)
    if isinstance(measure, ClassMeasure):
        return of_class(measure, counts, the_class(measure, counts, positive), **knobs)
    return _of_table(measure, counts if positive is None else counts.binary(positive))


def of_class(measure: ClassMeasure, counts: ConfusionCounts, at: int, **knobs: float) -> float:
    """Return the measure of the class at one place."""
    top, bottom = measure.parts(against_rest(counts), **knobs)
    if not bottom[at] > 0:
        return Undefined(measure.reason.format(quoted(counts.classes[at])))
    return float(top[at]) / float(bottom[at])


def averaged(measure: Measure, counts: ConfusionCounts, average: str, **knobs: float) -> float:
    """Return the average over the classes that have a case, or over all decisions (micro)."""
    if average not in AVERAGES:
        msg = f"average must be one of {', '.join(map(repr, AVERAGES))}, got {average!r}."
        raise InputError(msg)
    if average == "micro":
        return _micro(measure, counts, **knobs)
    seen = supported(counts)
    each = by_class(measure, counts, **knobs)[seen]
    if not each.size:
        return Undefined("there is no case")
    if np.isnan(each).any():
        at = int(np.flatnonzero(seen)[int(np.argmax(np.isnan(each)))])
        label = counts.classes[at]
        one = (
            of_class(measure, counts, at, **knobs)
            if isinstance(measure, ClassMeasure)
            else _of_table(measure, counts.binary(label))
        )
        return one if isinstance(one, Undefined) else Undefined(f"{measure.name} of class {quoted(label)}")
    return float(np.average(each, weights=None if average == "macro" else counts.support[seen]))


def _micro(measure: Measure, counts: ConfusionCounts, **knobs: float) -> float:
    if isinstance(measure, ClassMeasure):
        top, bottom = measure.parts(against_rest(counts), **knobs)
        return float(top.sum()) / float(bottom.sum()) if bottom.sum() > 0 else Undefined("there is no case")
    tables, names = [counts.binary(label) for label in counts.classes], ("class", "rest")
    cells = sum(table.cells for table in tables)
    if not isinstance(counts, WeightedCounts):
        return _of_table(measure, ConfusionCounts(cells, names))
    squares = sum(table.squares for table in tables if isinstance(table, WeightedCounts))
    return _of_table(measure, WeightedCounts(cells, names, squares=squares))


def _of_table(measure: Measure, counts: ConfusionCounts) -> float:
    assert isinstance(measure, TableMeasure)
    return measure.of(counts)


def the_class(measure: Measure, counts: ConfusionCounts, positive: Any) -> int:
    """Return which class a measure of one class speaks of, or ask."""
    classes = counts.classes
    for label in (positive, counts.positive, means_positive(classes)):
        if label is not None:
            return position(classes, label)
    shown = describe(list(classes), [int(n) for n in counts.support])
    more = "" if counts.k == 2 else " for one class, or average='macro', 'micro' or 'weighted'"  # noqa: PLR2004
    msg = wording(f"{measure.name} speaks of one class; which? {shown}. Pass ", argument("positive"), f"{more}.")
    raise InputError(msg)
