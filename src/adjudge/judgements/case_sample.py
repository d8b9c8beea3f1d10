"""Some of the cases that were counted, always the same: what corrections are tried on, and what is drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.sampling import alike
from adjudge.counts.tally import Tally

_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCases:
    """Probabilities and true classes of some cases, with how many of all cases each stands for."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int
    """How many cases there were to draw from."""
    decided: IntArray | None = None
    """The place of the class each case was given; None where the highest probability decides."""
    group: IntArray | None = None
    """The number of the group of each case, where there are groups."""
    weight: FloatArray | None = None
    """How many of all cases each stands for, the same for all of a class; None where all cases are here."""
    alike: IntArray | None = None
    """Which of these cases can count alike: classes are as frequent among them as among all; None for every one."""

    @property
    def labels(self) -> AnyArray:
        """The true classes."""
        return named(self.y, self.classes)

    @property
    def counting_alike(self) -> DrawnCases:
        """The cases that can count alike, for what knows no weights."""
        if self.alike is None:
            return self
        at = self.alike
        decided, group = (None if part is None else part[at] for part in (self.decided, self.group))
        return DrawnCases(self.p[at], self.y[at], self.classes, self.of, decided, group)


def named(codes: IntArray, classes: tuple[Any, ...]) -> AnyArray:
    """Return labels by their places among the classes."""
    labels = np.empty(codes.size, dtype=object)
    labels[:] = [classes[at] for at in codes]
    return labels


def drawn_cases(tally: Tally) -> DrawnCases | None:
    """Return cases with the probabilities of all classes; None where there are none, or where cases have weights of their own."""
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
    weight = kept = None
    if np.any(some.kept < some.sizes):
        weight, kept = frozen(some.weight), frozen(alike(some), np.int64)
    return DrawnCases(frozen(p), frozen(some.truth, np.int64), tuple(counts.classes), int(counts.n), decided, group, weight, kept)
