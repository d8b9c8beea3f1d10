"""Which classes of a partition space get a corner, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.simplex import FEWEST, MOST
from adjudge.predictions.spellings import position

REST = "all others"
CORNERLESS = MOST
"""The number of a class that has no corner."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Classes with a corner, by their numbers in the space."""

    classes: tuple[int, ...]
    of: int
    """All classes of the space."""
    rest: bool
    """Whether the other classes share a corner, the last one."""
    notes: tuple[str, ...] = ()
    """What a reader must know about cases and classes that are not drawn as they are."""

    @property
    def corners(self) -> int:
        """Corners of the simplex."""
        return len(self.classes) + self.rest

    @property
    def whole(self) -> bool:
        """Whether every class has its own corner."""
        return len(self.classes) == self.of

    def drawn(self, values: FloatArray, truth: IntArray, assigned: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
        """Return memberships in the corners, and the corners of the true and the assigned classes, of the cases drawn.

        A class without a corner is numbered :data:`CORNERLESS`.
        """
        place = np.full(self.of, len(self.classes) if self.rest else CORNERLESS)
        place[list(self.classes)] = np.arange(len(self.classes))
        if self.whole:
            return values[:, list(self.classes)], place[truth], place[assigned]
        part = values[:, list(self.classes)]
        if self.rest:
            others = np.setdiff1d(np.arange(self.of), self.classes)
            part = np.column_stack([part, values[:, others].sum(axis=1)])
        total = part.sum(axis=1)
        kept = (total > 0) & (place[truth] < self.corners)
        return part[kept] / total[kept, None], place[truth[kept]], place[assigned[kept]]


def seen_truth(space: PartitionSpace) -> IntArray:
    """Return the classes that the insides of marks show: the true ones, or where they are not known the assigned."""
    return space.assigned if space.truth is None else space.truth


def chosen(space: PartitionSpace, labels: Sequence[Any] | None, *, rest: bool) -> Choice:
    """Return which classes to draw: those asked for; else all, or of many the two most often taken for each other."""
    of = len(space.classes)
    if labels is not None:
        return _asked(space, _numbers(space, labels), rest=rest)
    if of <= MOST:
        _check_rest(of, of, rest=rest)
        return Choice(tuple(range(of)), of, rest=False)
    note = f"Of {of} classes the two most often taken for each other; {REST} share a corner."
    return Choice(_most_confused(space), of, rest=True, notes=(note,))


def _numbers(space: PartitionSpace, labels: Any) -> tuple[int, ...]:
    """Return the numbers of the classes asked for; the text of a label finds it too."""
    if not isinstance(labels, str) and not hasattr(labels, "__iter__"):
        msg = f"classes must be a sequence of labels, got {labels!r}. Put one class in a list: it is drawn against the rest."
        raise InputError(msg)
    asked = [labels] if isinstance(labels, str) else list(labels)
    try:
        found = tuple(position(space.classes, label) for label in asked)
    except InputError:
        found = ()
    if len(set(found)) < len(asked):
        msg = f"classes must name different classes of the space, got {listed(asked)}. It has {listed(space.classes)}."
        raise InputError(msg)
    return found


def _check_rest(classes: int, of: int, *, rest: bool) -> None:
    if rest and classes == of:
        msg = f"All {of} classes are drawn, so there is no rest to give a corner. Leave rest out, or choose fewer classes."
        raise InputError(msg)


def _asked(space: PartitionSpace, classes: tuple[int, ...], *, rest: bool) -> Choice:
    of = len(space.classes)
    _check_rest(len(classes), of, rest=rest)
    rest = rest or (len(classes) == 1 and of > 1)
    if not FEWEST <= len(classes) + rest <= MOST:
        msg = f"A simplex has two to four corners, got {len(classes) + rest}. Choose one to four classes, or three and the rest."
        raise InputError(msg)
    others = counted(of - len(classes), "class", "classes")
    if len(classes) == of:
        return Choice(classes, of, rest=False)
    if rest:
        return Choice(classes, of, rest=True, notes=(f"{REST.capitalize()}: {others} together.",))
    left = int(np.count_nonzero(~np.isin(seen_truth(space), classes)))
    out = f"Left out: {counted(left, 'case')} of {others}, and cases without membership in those drawn."
    return Choice(classes, of, rest=False, notes=(out, "Memberships in the classes drawn are made to sum to 1."))


def _most_confused(space: PartitionSpace) -> tuple[int, int]:
    """Return the two classes most often taken for each other, the first of several such."""
    of = len(space.classes)
    table = np.bincount(seen_truth(space) * of + space.assigned, minlength=of * of).reshape(of, of)
    both = np.triu(table + table.T, 1)
    one, other = np.unravel_index(int(np.argmax(both)), both.shape)
    return (int(one), int(other)) if both.any() else (0, 1)
