"""Some of the cases that were counted, always the same: what corrections are tried on, and what is drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.tally import Tally

_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCases:
    """Probabilities and true classes of cases that count alike."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int
    """How many cases there were to draw from."""
    decided: IntArray | None = None
    """The place of the class each case was given; None where the highest probability decides."""
    group: IntArray | None = None
    """The number of the group of each case, where there are groups."""

    @property
    def labels(self) -> AnyArray:
        """The true classes."""
        return named(self.y, self.classes)


def named(codes: IntArray, classes: tuple[Any, ...]) -> AnyArray:
    """Return labels by their places among the classes."""
    labels = np.empty(codes.size, dtype=object)
    labels[:] = [classes[at] for at in codes]
    return labels


def drawn_cases(tally: Tally) -> DrawnCases | None:
    """Return cases with the probabilities of all classes; None where there are none, or where cases do not count alike."""
    some = None if tally.scores is None else tally.scores.some
    counts = tally.confusion
    if tally.scores is None or some is None or tally.probabilities is None:
        return None
    if isinstance(counts, WeightedCounts) or counts.has_rejected:
        return None
    given, columns = np.clip(some.scores.astype(np.float64), 0, 1), list(tally.scores.columns)
    if given.shape[1] == 1:
        given, columns = np.column_stack([given[:, 0], 1 - given[:, 0]]), [columns[0], 1 - columns[0]]
    sums = given.sum(axis=1, keepdims=True)
    if len(columns) != counts.k or np.any(np.abs(sums - 1) > _ROUNDING):
        return None
    p = np.empty_like(given)
    p[:, columns] = given / sums
    decided, group = (None if part is None else frozen(part, np.int64) for part in (some.decided, some.group))
    return DrawnCases(frozen(p), frozen(some.truth, np.int64), tuple(counts.classes), int(counts.n), decided, group)
