"""Some of the cases that were counted, drawn by a fixed seed: what corrections are tried on, and what is drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.tally import Tally

MOST_CASES = 4_000
"""Cases that are kept; of more, so many are drawn."""
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCases:
    """Probabilities and true classes of cases that count alike."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    rows: IntArray
    """Which of the cases counted they are."""
    of: int
    """How many cases there were to draw from."""

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
    scores, counts = tally.scores, tally.confusion
    if scores is None or scores.scores is None or scores.truth is None or tally.probabilities is None:
        return None
    if isinstance(counts, WeightedCounts) or counts.has_rejected:
        return None
    n = scores.truth.size
    rows = np.arange(n) if n <= MOST_CASES else np.sort(np.random.default_rng(0).choice(n, MOST_CASES, replace=False))
    given, columns = np.clip(scores.scores[rows].astype(np.float64), 0, 1), list(scores.columns)
    if given.shape[1] == 1:
        given, columns = np.column_stack([given[:, 0], 1 - given[:, 0]]), [columns[0], 1 - columns[0]]
    sums = given.sum(axis=1, keepdims=True)
    if len(columns) != counts.k or np.any(np.abs(sums - 1) > _ROUNDING):
        return None
    p = np.empty_like(given)
    p[:, columns] = given / sums
    return DrawnCases(frozen(p), frozen(scores.truth[rows], np.int64), tuple(counts.classes), frozen(rows, np.int64), n)
