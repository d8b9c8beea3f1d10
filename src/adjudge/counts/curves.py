"""Curves: what happens as the threshold moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.show import Shown
from adjudge.counts.probabilities import BINS
from adjudge.counts.scores import ScoreCounts
from adjudge.stats.bands import Band
from adjudge.stats.ranking import (
    EXACT_BITS,
    ScoreTable,
    auc_of,
    average_precision_of,
    precision_recall_points,
    roc_points,
)


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
    band: Band | None = None
    """What holds the true curve, or the limits of each point."""
    binned: bool = False
    """Whether neighbouring scores were put together: the thresholds are then the lower ends of their bins."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "thresholds"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.size is not None:
            object.__setattr__(self, "size", frozen(self.size))

    def __repr__(self) -> str:
        return f"Curve {self.name!r}, {self.x.size:,} points, area {self.area:.6g}"


def cuts(table: ScoreTable) -> FloatArray:
    """Return the thresholds that the counts of a table are true of: its scores, or where they were binned the bins' lower ends.

    Scores of a bin agree in their first bits. The least of them has zeros in all others, or below 0, ones.
    """
    if table.mixed is None:
        return table.values
    rest = np.uint64((1 << (EXACT_BITS - table.bits)) - 1)
    bits = (table.values + 0.0).view(np.uint64)
    ends = np.where(table.values < 0, bits | rest, bits & ~rest).view(np.float64)
    return np.where(table.mixed, ends, table.values)


def roc_curve(table: ScoreTable, of: Any = None) -> Curve:
    """Return true positive rate against false positive rate; a case is called positive from the threshold on."""
    fpr, tpr, _ = roc_points(table)
    thresholds = np.append(np.inf, cuts(table)[::-1])
    names = ("False positive rate", "True positive rate")
    return Curve("roc", fpr, tpr, thresholds, auc_of(table), *names, of, binned=table.mixed is not None)


def precision_recall_curve(table: ScoreTable, of: Any = None) -> Curve:
    """Return precision against recall; the area is the average precision, not a trapezoid."""
    recall, precision, _ = precision_recall_points(table)
    area, thresholds = average_precision_of(table), cuts(table)[::-1]
    return Curve(
        "precision-recall", recall, precision, thresholds, area, "Recall", "Precision", of, binned=table.mixed is not None
    )


def reliability_curve(sums: FloatArray, of: Any = None) -> Curve:
    """Return how often it happened against how probable it was called; the area is the calibration error (ECE)."""
    weight, called, happened = sums
    return _reliability(weight, called, happened, (np.arange(BINS) + 1) / BINS, of)


def _reliability(weight: FloatArray, called: FloatArray, happened: FloatArray, ends: FloatArray, of: Any) -> Curve:
    used = weight > 0
    w = weight[used]
    x, y = called[used] / w, happened[used] / w
    error = float((np.abs(x - y) * w).sum() / w.sum()) if w.size else float("nan")
    return Curve("reliability", x, y, ends[used], error, "Probability given", "Share that happened", of, w)


def quantile_reliability_curve(table: ScoreTable, of: Any = None, *, bins: int = BINS) -> Curve:
    """Return the reliability of the probabilities of a class in bins of as many expected cases of it each.

    Bins of equal width leave nearly all cases of a rare class in the first one. Here the sum of the probabilities is the same
    in every bin, so that each expects as many cases of the class; equal probabilities are never parted. Of scores that were
    put together the highest stands for all, a thousandth above at most.
    """
    values, hits, n = np.clip(table.values, 0, 1), table.positives, table.positives + table.negatives
    expected = np.cumsum(values * n)
    if not values.size or expected[-1] <= 0:
        place = np.zeros(values.size, dtype=np.int64)
    else:
        place = np.minimum((expected - values * n / 2) / expected[-1] * bins, bins - 1).astype(np.int64)
    weight, called, happened = (np.asarray(np.bincount(place, part, bins), np.float64) for part in (n, values * n, hits))
    highest = np.full(bins, -np.inf)
    np.maximum.at(highest, place, values)
    return _reliability(weight, called, happened, highest, of)


def risk_coverage_curve(table: ScoreTable) -> Curve:
    """Return the share of wrong decisions among those kept, against the share kept, surest cases first.

    In `table` the "positive" cases are the right decisions and the scores how sure they were.
    """
    right, wrong = (np.cumsum(side[::-1], dtype=np.float64) for side in (table.positives, table.negatives))
    kept = right + wrong
    coverage, risk = kept / kept[-1], wrong / kept
    area = float(np.sum(np.diff(coverage, prepend=0.0) * risk))
    return Curve("risk-coverage", coverage, risk, cuts(table)[::-1], area, "Coverage", "Risk", binned=table.mixed is not None)


def one_against_rest(scores: ScoreCounts, at: int, of: Any) -> Curve | None:
    """Return the ROC curve of one class, or nothing where it has none; its area is the exact one where that was found."""
    table = scores.table(at)
    if not isinstance(table, ScoreTable) or not table.positives.sum() or not table.negatives.sum():
        return None
    curve = roc_curve(table, of)
    return replace(curve, area=scores.area(at)) if scores.exact else curve
