"""What corrections can be tried on: the probabilities and truths of some of the cases that were counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.judgements.mending import FEWEST, Recommendations, recommend

MOST_CASES = 4_000
"""Cases that corrections are tried on; of more, so many are drawn."""
MOST_CLASSES = 12
"""Classes up to which a page tries corrections by itself."""
_TWO = 2
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Mendable:
    """Cases to try corrections on."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int
    """How many cases there were to draw from."""

    def recommendations(self) -> tuple[Recommendations, ...]:
        """Return what corrections gain in accuracy; and in balanced accuracy, where classes are of unequal size."""
        support = np.bincount(self.y, minlength=len(self.classes))
        names = ("accuracy", "balanced_accuracy") if support.max() > _UNEQUAL * support.min() else ("accuracy",)
        labels = np.empty(self.y.size, dtype=object)
        labels[:] = [self.classes[at] for at in self.y]
        return tuple(recommend(self.p, labels, classes=self.classes, measure=name) for name in names)


def mendable(tally: Tally) -> Mendable | None:
    """Return some of the cases counted, drawn by a fixed seed; None where corrections have nothing to go by."""
    scores, counts = tally.scores, tally.confusion
    plain = (
        scores is not None and scores.scores is not None and scores.truth is not None and not isinstance(counts, WeightedCounts)
    )
    few = counts.n < FEWEST or not _TWO <= counts.k <= MOST_CLASSES or (counts.support == 0).any()
    if not plain or few or tally.probabilities is None or counts.has_rejected:
        return None
    assert scores is not None
    assert scores.scores is not None
    assert scores.truth is not None
    n = scores.truth.size
    rows = np.arange(n) if n <= MOST_CASES else np.sort(np.random.default_rng(0).choice(n, MOST_CASES, replace=False))
    given = np.clip(scores.scores[rows].astype(np.float64), 0, 1)
    if given.shape[1] == 1:
        given, columns = np.column_stack([given[:, 0], 1 - given[:, 0]]), [scores.columns[0], 1 - scores.columns[0]]
    else:
        columns = list(scores.columns)
    sums = given.sum(axis=1, keepdims=True)
    if len(columns) != counts.k or np.any(np.abs(sums - 1) > _ROUNDING):
        return None
    p = np.empty_like(given)
    p[:, columns] = given / sums
    return Mendable(frozen(p), frozen(scores.truth[rows], np.int64), tuple(counts.classes), n)
