"""When to stop boosting: cases held out, on which the ensemble is judged after every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted
from adjudge.ensembles.drawing import source

_SPLIT = 2**32 - 1  # a number that no round has


@dataclass(slots=True, eq=False)
class Watch:
    """The errors on cases held out so far."""

    patience: int
    errors: list[float] = field(default_factory=list)

    @property
    def best(self) -> int:
        """How many rounds make the least error; of equally good numbers the lowest."""
        return int(np.argmin(self.errors)) + 1

    def is_over(self, error: float) -> bool:
        """Take note of an error, and return whether the least one lies too long ago."""
        self.errors.append(error)
        return len(self.errors) - self.best >= self.patience


def check_share(early_stop: Any) -> None:
    """Refuse a part to hold out that is none."""
    if early_stop is None or (isinstance(early_stop, (float, np.floating)) and 0 < early_stop < 1):
        return
    msg = f"early_stop must be None or the part of the cases to hold out, between 0 and 1; got {early_stop!r}. A fifth is 0.2."
    raise InputError(msg)


def split(early_stop: float | None, kinds: AnyArray, counts: BoolArray, word: int) -> tuple[IntArray, IntArray]:
    """Return the rows to learn from and those held out, the same part of every class.

    Cases that do not count are not held out, and one that does is always left to learn from.
    """
    if early_stop is None:
        return np.arange(kinds.size), np.empty(0, dtype=np.int64)
    mixed = source(word, _SPLIT).permutation(kinds.size)
    held = []
    for kind in np.unique(kinds[counts]):
        rows = mixed[(kinds[mixed] == kind) & counts[mixed]]
        held.append(rows[: min(round(early_stop * rows.size), rows.size - 1)])
    out = np.sort(np.concatenate(held))
    if not out.size:
        msg = f"early_stop={early_stop} of {counted(kinds.size, 'sample')} holds out none; give a larger part, or more of them."
        raise InputError(msg)
    return np.setdiff1d(np.arange(kinds.size), out, assume_unique=True), out
