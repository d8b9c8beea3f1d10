r"""How good membership vectors are: measures of where they lie in the simplex.

Distances are Euclidean, in units of that from a corner to the centroid, :math:`\sqrt{(G-1)/G}`, so that the centroid scores 0;
with the :math:`(G-1)/G` that Sondhauss and Weihs (2001) print it would not.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from adjudge._base import Shown, Undefined, dataclass
from adjudge._base.arrays import FloatArray, IntArray, blocks, frozen
from adjudge.stats.exact_sums import exact_row_sums, to_floats

MEASURES = ("scaled_accuracy", "ability_to_separate", "confidence", "non_resemblance", "correct")
_SHORT = 32
_UNKNOWN = "the true classes are not known"


@dataclass(frozen=True, slots=True, eq=False)
class Goodness(Shown):
    """The measures of one set of vectors."""

    correct: float
    correctness: FloatArray
    """Share of cases predicted correctly, of all and by the predicted class; NaN for one never predicted."""
    scaled_accuracy: float
    """Ac: how near the vectors lie to the corners of the true classes."""
    ability_to_separate: float
    """AS: how near they lie to the corners of the predicted classes."""
    confidence: float
    """The mean of the highest membership."""
    non_resemblance: float
    """Mean squared distance from the centroid over that of a corner: how different the memberships of one case are."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "correctness", frozen(self.correctness))


def goodness(rows: FloatArray, truth: IntArray | None, assigned: IntArray) -> Goodness:
    """Return the measures of vectors in the simplex, for codes of the true classes (if known) and of those assigned."""
    n, g = rows.shape
    sums: Any = 0  # exact, so that the order of the cases changes no digit
    for part in blocks(n):
        block = rows[part]
        to_truth = np.zeros(len(block)) if truth is None else distances(block, truth[part])
        squares = np.einsum("ij,ij->i", block, block)
        sums = sums + exact_row_sums(np.stack([to_truth, distances(block, assigned[part]), highest(block), squares]))
    to_truth, to_assigned, top, squares = to_floats(sums).tolist()
    correct: float = Undefined(_UNKNOWN)
    accuracy: float = Undefined(_UNKNOWN)
    correctness = np.full(g, np.nan)
    if truth is not None:
        correct, accuracy = float(np.mean(truth == assigned)), score(to_truth / n, g)
        of_class, right = np.bincount(assigned, minlength=g), np.bincount(assigned[truth == assigned], minlength=g)
        correctness = np.where(of_class > 0, right / np.maximum(of_class, 1), np.nan)
    resemblance = (squares / n - 1 / g) / (1 - 1 / g)
    return Goodness(correct, correctness, accuracy, score(to_assigned / n, g), top / n, resemblance)


def score(distance: Any, g: int) -> Any:
    """Return a mean distance from corners of `g` classes as a score."""
    return 1 - distance / np.sqrt((g - 1) / g).item()


def within(measures: FloatArray, g: int) -> FloatArray:
    """Return measures, in the order of `MEASURES` along the last axis, cut to what vectors of `g` classes can have."""
    farthest = score(np.sqrt(2), g)
    return np.clip(measures, [farthest, farthest, 1 / g, 0.0, 0.0], 1.0)


def distances(rows: FloatArray, corners: IntArray) -> FloatArray:
    """Return the distance of each row from its corner."""
    off = rows.copy()
    off[np.arange(len(off)), corners] -= 1
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", off, off)))


def highest(rows: FloatArray) -> FloatArray:
    """Return the largest value of each row; column by column where rows are short, which is several times faster."""
    return np.asarray(reduce(np.maximum, rows.T) if rows.shape[1] <= _SHORT else rows.max(axis=1))


def row_sums(rows: FloatArray) -> FloatArray:
    """Return the sum of each row, whatever rows stand around it: a product of matrices rounds rows by their place."""
    return np.asarray(reduce(np.add, rows.T) if rows.shape[1] <= _SHORT else rows.sum(axis=1))


def mean_distance(a: FloatArray, b: FloatArray) -> float:
    """Return the mean distance between rows of two matrices."""
    total: Any = 0
    for part in blocks(len(a)):
        off = a[part] - b[part]
        total = total + exact_row_sums(np.sqrt(np.einsum("ij,ij->i", off, off))[None])
    return float(to_floats(total)[0]) / len(a)
