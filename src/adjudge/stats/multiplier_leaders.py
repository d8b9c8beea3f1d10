"""Which cases are decided wrongly as one multiplier after another moves: of each case the three largest values are kept.

Without the class that moves two of them are left: what decides, and whether it is tied. Most moves touch few cases' largest
three, so that a move costs a look at one column and not at all of them; numbers are the same to the last digit.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray, blocks
from adjudge.stats.multiplier_rule import winners

_KEPT = 3
_FEW_MOVED = 4  # multipliers up to which it pays to go on from the last ones


class Leaders:
    """The classes of the largest rescaled probabilities of each case, for the multipliers asked for last."""

    def __init__(self, p: FloatArray, y: IntArray, majority: int) -> None:
        self.p, self.y, self.majority = p, y, majority
        self.multipliers = np.ones(p.shape[1])
        self.values, self.classes = np.empty((_KEPT, y.size)), np.empty((_KEPT, y.size), dtype=np.int32)
        self._find_all()

    def wrong(self, multipliers: FloatArray) -> BoolArray:
        """Return which cases are decided wrongly."""
        self._go_to(multipliers)
        return self._wrong(self.own < self.values[0], self.values[0] == self.values[1])

    def without(self, multipliers: FloatArray, at: int) -> tuple[BoolArray, FloatArray]:
        """Return which cases are decided wrongly where class `at` is never decided for, and the largest value of the others."""
        target = multipliers.copy()
        target[at] = self.multipliers[at]  # where it stands is of no matter
        self._go_to(target)
        first = self.classes[0] == at
        top = np.where(first, self.values[1], self.values[0])
        second = np.where(first | (self.classes[1] == at), self.values[2], self.values[1])
        return self._wrong((self.own < top) | (self.y == at), top == second, at), top

    def _wrong(self, wrong: BoolArray, tied: BoolArray, at: int | None = None) -> BoolArray:
        """Return the same with cases decided in full where the class of the case is one of several largest."""
        rows = np.flatnonzero(tied & ~wrong)
        for part in blocks(rows.size, self.p.shape[1]):
            some = rows[part]
            values = self.p[some] * self.multipliers
            if at is not None:
                values[:, at] = -1.0
            wrong[some] = winners(values, self.majority) != self.y[some]
        return wrong

    def _go_to(self, multipliers: FloatArray) -> None:
        """Let these be the multipliers."""
        changed = np.flatnonzero(self.multipliers != multipliers)
        self.multipliers = multipliers.copy()
        if changed.size > _FEW_MOVED:
            self._find_all()
        else:
            for at in changed.tolist():
                self._move(at)

    def _move(self, at: int) -> None:
        """Put class `at` where its multiplier has moved it to, in the cases in which it is or becomes one of the largest."""
        moved = self.p[:, at] * self.multipliers[at]
        np.copyto(self.own, moved, where=self.y == at)
        least, was = self.values[-1], (self.classes == at).any(axis=0)
        above = moved >= least
        self._sort(np.flatnonzero(above & was), at, moved)
        entering = np.flatnonzero((moved > least) & ~was)
        self.classes[-1, entering] = at
        self._sort(entering, at, moved)
        self._find(np.flatnonzero(was & ~above))

    def _sort(self, rows: IntArray, at: int, moved: FloatArray) -> None:
        """Set the value of a class that is among the largest of these cases, and put them in order."""
        values, classes = self.values[:, rows], self.classes[:, rows]
        values = np.where(classes == at, moved[rows], values)
        order = np.argsort(-values, axis=0)
        self.values[:, rows] = np.take_along_axis(values, order, axis=0)
        self.classes[:, rows] = np.take_along_axis(classes, order, axis=0)

    def _find_all(self) -> None:
        every = np.arange(self.y.size)
        self.own = self.p[every, self.y] * self.multipliers[self.y]
        self._find(every)

    def _find(self, rows: IntArray) -> None:
        """Find the largest values of these cases among those of all classes."""
        for part in blocks(rows.size, self.p.shape[1]):
            some = rows[part]
            values, each = self.p[some] * self.multipliers, np.arange(some.size)
            for place in range(_KEPT):
                best = values.argmax(axis=1)
                self.values[place, some], self.classes[place, some] = values[each, best], best
                values[each, best] = -1.0
