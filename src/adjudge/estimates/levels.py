"""The balanced accuracy over the levels of a further variable as well as over the classes.

A variable that goes with the class, such as the site a case came from, lets a classifier be right by recognising the
variable. Averaging the recall of each class over the levels it is seen in, and then over the classes, takes that away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.shares import share
from adjudge._base.text import counted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.mean_recall import mean_recall_limits, usual

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Recalls:
    """Right decisions and cases of every class in every level that has a case, and what each weighs."""

    correct: FloatArray
    support: FloatArray
    weights: FloatArray
    """Alike over the levels a class is seen in, and over the classes."""
    levels: int
    empty: int
    """Classes, counted in each level, without a case there."""


def recalls(tables: Mapping[Any, ConfusionCounts], whole: ConfusionCounts | None = None) -> Recalls:
    """Return the recalls that can be told; weighted cases as many as they are worth. The levels make up `whole`."""
    _check(tables, whole)
    total = np.stack([table.support for table in tables.values()]).astype(np.float64)
    worth = np.stack([t.effective_support if isinstance(t, WeightedCounts) else t.support for t in tables.values()])
    seen = total > 0
    if not seen.any():
        msg = "No level has a case."
        raise InputError(msg)
    share = np.stack([table.correct for table in tables.values()])[seen] / total[seen]
    among = seen.sum(axis=0)
    weights = np.broadcast_to(1 / (np.maximum(among, 1) * np.count_nonzero(among)), seen.shape)[seen]
    cases = worth[seen].astype(np.float64)
    return Recalls(share * cases, cases, weights, len(tables), int((~seen[:, among > 0]).sum()))


def _check(tables: Any, whole: ConfusionCounts | None) -> None:
    mapping = isinstance(tables, Mapping) and len(tables) > 0
    if not mapping or not all(isinstance(table, ConfusionCounts) for table in tables.values()):
        msg = "by= takes a mapping of level -> ConfusionCounts with at least one level, or the name of a column of predictions."
        raise InputError(msg)
    classes = {table.classes for table in tables.values()} | ({whole.classes} if whole is not None else set())
    if len(classes) > 1:
        msg = "The tables of the levels must have the same classes in the same order as the whole table."
        raise InputError(msg)
    n = sum(float(table.n) for table in tables.values())
    if whole is not None and abs(n - float(whole.n)) > _ROUNDING * n:
        msg = f"The levels hold {n:g} cases and the table {float(whole.n):g}; they must be the same cases."
        raise InputError(msg)


def over_levels(tables: Mapping[Any, ConfusionCounts], level: float = 0.95) -> Estimate:
    """Return the balanced accuracy over classes and levels, its limits put together from those of the recalls."""
    found = recalls(tables)
    method = usual(found.support.size)
    limits = Interval(*mean_recall_limits(found.correct, found.support, level, method, found.weights), level, method)
    return Estimate("balanced_accuracy", float(found.weights @ (found.correct / found.support)), limits, average="groups")


def of_levels(balanced: Estimate, plain: float, seen: Recalls) -> Iterator[Finding]:
    """Say when a further variable flatters or hides what the classes alone show."""
    limits, notable = balanced.interval, 0.01
    if limits is not None and abs(balanced.value - plain) >= notable and not limits.low <= plain <= limits.high:
        over = f"Averaged over {counted(seen.levels, 'group')} as well as classes"
        told = f"{over}, the balanced accuracy is {share(balanced.value)}, "
        flattered = balanced.value < plain
        owed = "at least part of the plain one is owed to them" if flattered else "the plain one hides how well it does in most"
        yield Finding("A505", f"{told}not {share(plain)}.", f"The groups go with the class: {owed}.", balanced.value - plain)
    if seen.empty:
        told = f"{counted(seen.empty, 'class', 'classes')} without a case in some group, left out of averages there."
        yield Finding("A506", told, "Where a class is seen in one group only, the two are indistinguishable.", seen.empty)
