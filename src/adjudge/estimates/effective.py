"""How many equally weighted cases weighted ones are worth: (sum w)^2 / sum w^2, of whichever cases a number rests on."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.metrics.measure import ClassMeasure, against_rest


def effective_cells(counts: ConfusionCounts) -> AnyArray:
    """Return the table; the weighted cases of a class as so many as they are worth."""
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    if not isinstance(counts, WeightedCounts):
        return cells
    worth = np.divide(counts.effective_support, counts.support, out=np.zeros(counts.k), where=counts.support > 0)
    return np.asarray(cells * worth[:, None])


def shares_by_class(measure: ClassMeasure, counts: ConfusionCounts) -> tuple[FloatArray, FloatArray]:
    """Return so many of so many cases for every class: the shares that a measure of one class is, in cases they are worth."""
    hits, cases = (np.asarray(part, dtype=np.float64) for part in measure.parts(against_rest(counts)))
    if not isinstance(counts, WeightedCounts):
        return hits, cases
    squares = measure.parts(against_rest(WeightedCounts(counts.squares, counts.classes, squares=counts.squares)))[1]
    worth = np.divide(cases, squares, out=np.zeros(counts.k), where=np.asarray(squares) > 0)
    return hits * worth, cases * worth


def share_of_class(measure: ClassMeasure, counts: ConfusionCounts, at: int) -> tuple[float, float]:
    """Return that share of one class."""
    hits, cases = shares_by_class(measure, counts)
    return float(hits[at]), float(cases[at])


def share_of_table(name: str, counts: ConfusionCounts) -> tuple[float, float]:
    """Return so many of all cases: right, wrong or rejected ones."""
    right, none = float(counts.correct.sum()), float(counts.rejected.sum())
    hits = {"accuracy": right, "error": float(counts.n) - right - none, "rejection_rate": none}[name]
    worth = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    return hits * worth, float(counts.n) * worth
