"""How many equally weighted cases weighted ones are worth: (sum w)^2 / sum w^2, of whichever cases a number rests on."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.metrics.measure import ClassMeasure, against_rest


def effective_cells(counts: ConfusionCounts) -> AnyArray:
    """Return the table; the weighted cases of a class as so many as they are worth."""
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    if not isinstance(counts, WeightedCounts):
        return cells
    worth = np.divide(counts.effective_support, counts.support, out=np.zeros(counts.k), where=counts.support > 0)
    return np.asarray(cells * worth[:, None])


def share_of_class(measure: ClassMeasure, counts: ConfusionCounts, at: int) -> tuple[float, float]:
    """Return so many of so many cases: the share a measure of one class is, in cases it is worth."""
    top, bottom = (float(part[at]) for part in measure.parts(against_rest(counts)))
    if not isinstance(counts, WeightedCounts) or not bottom:
        return top, bottom
    squares = float(measure.parts(against_rest(WeightedCounts(counts.squares, counts.classes, squares=counts.squares)))[1][at])
    worth = bottom / squares if squares else 0.0
    return top * worth, bottom * worth


def share_of_table(name: str, counts: ConfusionCounts) -> tuple[float, float]:
    """Return so many of all cases: right, wrong or rejected ones."""
    right, none = float(counts.correct.sum()), float(counts.rejected.sum())
    hits = {"accuracy": right, "error": float(counts.n) - right - none, "rejection_rate": none}[name]
    worth = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    return hits * worth, float(counts.n) * worth
