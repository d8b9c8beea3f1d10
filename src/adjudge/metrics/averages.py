"""Measures brought to several classes, one against the rest or averaged, and to many tables at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge._base import InputError, Undefined, argument, dataclass, parameter, quoted, wording
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, table_of
from adjudge.metrics.measure import ClassMeasure, Measure, OneAgainstRest, TableMeasure, against_rest
from adjudge.metrics.on_counts import supported
from adjudge.predictions.labels import describe
from adjudge.predictions.spellings import means_positive, position

_NO_CASE = "there is no case"
AVERAGES = ("macro", "micro", "weighted")


def checked_beta(beta: Any) -> float:
    """Return the weight of recall in F-beta, or refuse what is none."""
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not 0 < beta < float("inf"):
        raise InputError(parameter("beta"), f" must be a finite number above 0, got {beta!r}.")
    return float(beta)


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
        raise InputError(parameter("average"), f" must be one of {', '.join(map(repr, AVERAGES))}, got {average!r}.")
    if average == "micro" and isinstance(measure, ClassMeasure):
        top, bottom = measure.parts(against_rest(counts), **knobs)
        return float(top.sum()) / float(bottom.sum()) if bottom.sum() > 0 else Undefined(_NO_CASE)
    if average == "micro":
        tables, names = [counts.binary(label) for label in counts.classes], ("class", "rest")
        squares = [table.squares for table in tables if isinstance(table, WeightedCounts)]
        return _of_table(measure, table_of(sum(table.cells for table in tables), sum(squares) if squares else None, names))
    seen = supported(counts)
    each = by_class(measure, counts, **knobs)[seen]
    if not each.size:
        return Undefined(_NO_CASE)
    if np.isnan(each).any():
        at = int(np.flatnonzero(seen)[int(np.argmax(np.isnan(each)))])
        one = value(measure, counts, positive=counts.classes[at], average=None, **knobs)
        return one if isinstance(one, Undefined) else Undefined(f"{measure.name} of class {quoted(counts.classes[at])}")
    return float(np.average(each, weights=None if average == "macro" else counts.support[seen]))


def _of_table(measure: Measure, counts: ConfusionCounts) -> float:
    assert isinstance(measure, TableMeasure)
    return measure.of(counts)


def known_class(counts: ConfusionCounts, positive: Any) -> int | None:
    """Return the place of the positive class: as given, as the table has it, or as the labels mean it."""
    label = next((label for label in (positive, counts.positive, means_positive(counts.classes)) if label is not None), None)
    return None if label is None else position(counts.classes, label)


def the_class(measure: Measure, counts: ConfusionCounts, positive: Any) -> int:
    """Return which class a measure of one class speaks of, or ask."""
    if (at := known_class(counts, positive)) is not None:
        return at
    shown = describe(list(counts.classes), [int(n) for n in counts.support])
    more = "" if counts.k == 2 else " for one class, or average='macro', 'micro' or 'weighted'"  # noqa: PLR2004
    msg = wording(f"{measure.name} speaks of one class; which? {shown}. Pass ", argument("positive"), f"{more}.")
    raise InputError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """What measures of tables need of each of them, of an array ... x K x K or K x (K + 1)."""

    hit: AnyArray
    support: AnyArray
    assigned: AnyArray
    rejected: AnyArray


def margins_of(tables: AnyArray) -> Margins:
    """Return the diagonals and the sums of rows and columns of many tables."""
    k = tables.shape[-2]
    hit, support = np.diagonal(tables, axis1=-2, axis2=-1)[..., :k], tables.sum(axis=-1)
    return Margins(hit, support, tables[..., :k].sum(axis=-2), tables[..., k:].sum(axis=-1))


def of_tables(measure: Measure, tables: AnyArray, at: int | None = None) -> FloatArray:
    """Return the measure of every table of an array, ... x K x K or K x (K + 1); of class `at`, or the mean over the classes."""
    return of_margins(measure, margins_of(tables if isinstance(measure, ClassMeasure) else tables.astype(np.float64)), at)


def of_margins(measure: Measure, margins: Margins, at: int | None = None) -> FloatArray:
    """Return the measure of many tables, of which the margins are known."""
    hit, support, assigned, rejected = margins.hit, margins.support, margins.assigned, margins.rejected
    seen, n, correct = support > 0, support.sum(axis=-1), hit.sum(axis=-1)

    def mean(each: AnyArray) -> AnyArray:
        return np.asarray(np.where(seen, each, 0).sum(axis=-1) / seen.sum(axis=-1))

    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(measure, ClassMeasure):
            alarm, others = assigned - hit, support.sum(axis=-1, keepdims=True) - support
            quiet = others - (rejected.sum(axis=-1, keepdims=True) - rejected) - alarm
            top, bottom = measure.parts(OneAgainstRest(hit, support - rejected - hit, alarm, quiet, support, others))
            each = np.asarray(top / bottom)
            return np.asarray(mean(each) if at is None else each[..., at])

        def recalls() -> AnyArray:
            return np.asarray(hit / np.where(seen, support, 1))

        def informedness() -> AnyArray:
            classes = seen.sum(axis=-1)
            return np.asarray((classes * mean(recalls()) - 1) / (classes - 1))

        def above_chance(most: Callable[[AnyArray], AnyArray]) -> AnyArray:
            chance = (support * assigned).sum(axis=-1)
            return np.asarray((n * correct - chance) / most(chance))

        def spreads(_: AnyArray) -> AnyArray:
            decided = n * n - (assigned**2).sum(axis=-1) - rejected.sum(axis=-1) ** 2
            return np.asarray(np.sqrt((n * n - (support**2).sum(axis=-1)) * decided))

        of: dict[str, Callable[[], AnyArray]] = {  # of many classes what one measure does not need would take long
            "accuracy": lambda: correct / n,
            "error": lambda: (support - rejected - hit).sum(axis=-1) / n,
            "rejection_rate": lambda: rejected.sum(axis=-1) / n,
            "balanced_accuracy": lambda: mean(recalls()),
            "informedness": informedness,
            "g_mean": lambda: np.exp(mean(np.log(np.where(seen, recalls(), 1)))),
            "mcc": lambda: np.clip(above_chance(spreads), -1, 1),
            "kappa": lambda: above_chance(lambda chance: n * n - chance),
        }
        if measure.name not in of:
            msg = f"{measure.name} cannot be measured on many tables at once."
            raise InputError(msg)
        return np.asarray(of[measure.name]())
