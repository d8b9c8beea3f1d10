"""Curves: what happens as the threshold moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.show import Shown
from adjudge.counts.probabilities import BINS
from adjudge.counts.scores import ScoreCounts
from adjudge.stats.ranking import ScoreTable, auc_of, average_precision_of, precision_recall_points, roc_points


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Shown):
    """Points of a curve in the order of falling thresholds, and its area.

    `size` is how many cases stand behind each point, where that differs from point to point.
    """

    name: str
    x: FloatArray
    y: FloatArray
    thresholds: FloatArray
    area: float
    x_name: str
    y_name: str
    of: Any = None
    size: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("x", "y", "thresholds"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.size is not None:
            object.__setattr__(self, "size", frozen(self.size))

    def __repr__(self) -> str:
        return f"Curve {self.name!r}, {self.x.size:,} points, area {self.area:.6g}"


def roc_curve(table: ScoreTable, of: Any = None) -> Curve:
    """Return true positive rate against false positive rate; a case is called positive from the threshold on."""
    fpr, tpr, thresholds = roc_points(table)
    return Curve("roc", fpr, tpr, thresholds, auc_of(table), "False positive rate", "True positive rate", of)


def precision_recall_curve(table: ScoreTable, of: Any = None) -> Curve:
    """Return precision against recall; the area is the average precision, not a trapezoid."""
    recall, precision, thresholds = precision_recall_points(table)
    area = average_precision_of(table)
    return Curve("precision-recall", recall, precision, thresholds, area, "Recall", "Precision", of)


def reliability_curve(sums: FloatArray, of: Any = None) -> Curve:
    """Return how often it happened against how probable it was called; the area is the calibration error (ECE)."""
    weight, called, happened = sums
    used = weight > 0
    w = weight[used]
    x, y = called[used] / w, happened[used] / w
    error = float((np.abs(x - y) * w).sum() / w.sum()) if w.size else float("nan")
    edges = (np.arange(BINS)[used] + 1) / BINS
    return Curve("reliability", x, y, edges, error, "Probability given", "Share that happened", of, w)


def risk_coverage_curve(table: ScoreTable) -> Curve:
    """Return the share of wrong decisions among those kept, against the share kept, surest cases first.

    In `table` the "positive" cases are the right decisions and the scores how sure they were.
    """
    right, wrong = (np.cumsum(side[::-1], dtype=np.float64) for side in (table.positives, table.negatives))
    kept = right + wrong
    coverage, risk = kept / kept[-1], wrong / kept
    area = float(np.sum(np.diff(coverage, prepend=0.0) * risk))
    return Curve("risk-coverage", coverage, risk, table.values[::-1], area, "Coverage", "Risk")


def one_against_rest(scores: ScoreCounts, at: int, of: Any) -> Curve | None:
    """Return the ROC curve of one class, or nothing where it has none."""
    table = scores.table(at)
    return roc_curve(table, of) if isinstance(table, ScoreTable) and table.positives.sum() and table.negatives.sum() else None
