"""Where each set of predictions is correct: how many cases all have correct, only one or none, by class; and which cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass
from adjudge._base.arrays import FloatArray
from adjudge.counts.joint import JointCounts
from adjudge.predictions.alignment import Together

MOST_CLASSES = 200  # with a row of their own, those in which the sets disagree most
MOST_CASES = 10  # on which the sets disagree that are named


@dataclass(frozen=True, slots=True)
class CorrectInClass(Shown):
    """How many cases of one class all sets predict correctly, only one of them, some but not all, or none."""

    label: Any
    cases: float
    all_correct: float
    only_correct: tuple[float, ...]  # by set: cases that it alone predicts correctly
    none_correct: float
    some_correct: float = 0.0  # of three sets or more: more than one, but not all


@dataclass(frozen=True, slots=True)
class DisagreedCase(Shown):
    """A case that some set predicts correctly and another does not."""

    case: Any  # its identity; its place, from 1, where cases were paired by position
    truth: Any
    predicted: tuple[Any, ...]  # what each set says; None for no decision


@dataclass(frozen=True, slots=True, repr=False)
class WhereCorrect(Shown):
    """Which sets of predictions are correct on which cases, in all and by true class."""

    names: tuple[str, ...]
    cases: float
    all_correct: float
    only_correct: tuple[float, ...]
    none_correct: float
    some_correct: float
    by_class: tuple[CorrectInClass, ...]  # the one with most disagreement first
    classes: int
    column: str | None = None  # that identifies the cases below
    disagreed: tuple[DisagreedCase, ...] = ()  # the first such cases


def where_correct(joint: JointCounts, cases: Together | None) -> WhereCorrect:
    """Return which sets are correct where; `cases` name some on which the sets disagree."""
    right, worth = joint.right, joint.worth
    how_many, sets = right.sum(axis=1), right.shape[1]
    alone = [(how_many == 1) & right[:, at] for at in range(sets)]
    kinds = [how_many == sets, *alone, how_many == 0, (how_many > 1) & (how_many < sets)]
    table = np.array([np.bincount(joint.truth, weights=worth * kind, minlength=joint.k) for kind in kinds], dtype=np.float64).T
    by_class = _by_class(joint.classes, table, sets)
    names = tuple(joint.names)
    total = _of(None, table.sum(axis=0), sets)
    parts = (total.all_correct, total.only_correct, total.none_correct, total.some_correct)
    column, some = (None, ()) if cases is None else (cases.column, tuple(_disagreed(cases)))
    return WhereCorrect(names, total.cases, *parts, by_class, int(np.count_nonzero(table.sum(axis=1))), column, some)


def _of(label: Any, row: FloatArray, sets: int) -> CorrectInClass:
    each = [float(value) for value in row]
    return CorrectInClass(label, float(row.sum()), each[0], tuple(each[1 : sets + 1]), each[sets + 1], each[sets + 2])


def _by_class(classes: Sequence[Any], table: FloatArray, sets: int) -> tuple[CorrectInClass, ...]:
    apart = table.sum(axis=1) - table[:, 0] - table[:, sets + 1]
    order = np.lexsort([np.arange(len(table)), -table.sum(axis=1), -apart])
    seen = [at for at in order.tolist() if table[at].sum() > 0][:MOST_CLASSES]
    return tuple(_of(classes[at], table[at], sets) for at in seen)


def _disagreed(cases: Together) -> Iterator[DisagreedCase]:
    """Yield the first cases on which the sets disagree, in the order of the rows."""
    right = np.stack([said == cases.truth for said in cases.predicted], axis=1)
    apart = right.any(axis=1) & ~right.all(axis=1)
    rows = np.flatnonzero(apart)
    for row in (rows if cases.places is None else rows[np.argsort(cases.places[rows])])[:MOST_CASES].tolist():
        said = tuple(None if each[row] < 0 else cases.classes[each[row]] for each in cases.predicted)
        yield DisagreedCase(cases.identity(row), cases.classes[cases.truth[row]], said)
