"""Curves: what happens as the threshold moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass, replace
from adjudge._base.arrays import FloatArray, frozen
from adjudge.counts.probabilities import BINS, calibration_error
from adjudge.counts.scores import ScoreCounts
from adjudge.stats.bands import Band
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, auc_of, average_precision_of, precision_recall_points, roc_points


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
    """What holds the true curve, or the interval of each point."""
    binned: bool = False
    """Whether neighbouring scores were put together: the thresholds are then the lower ends of their bins."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "thresholds", *(() if self.size is None else ("size",))):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __repr__(self) -> str:
        return f"Curve {self.name!r}, {self.x.size:,} points, area {self.area:.6g}"


def cuts(table: ScoreTable) -> FloatArray:
    """Return the thresholds that the counts of a table are true of: its scores, or of binned ones the bins' lower ends."""
    if table.mixed is None:
        return table.values
    # scores of a bin agree in their first bits: the least of them has zeros in all others, or below 0, ones
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
    area, thresholds, binned = average_precision_of(table), cuts(table)[::-1], table.mixed is not None
    return Curve("precision-recall", recall, precision, thresholds, area, "Recall", "Precision", of, binned=binned)


def reliability_curve(sums: FloatArray, of: Any = None, ends: FloatArray | None = None) -> Curve:
    """Return how often it happened against how probable it was called; the area is the calibration error (ECE)."""
    used = sums[0] > 0
    weight, called, happened = (part[used] for part in sums)
    x, y, ends = called / weight, happened / weight, ((np.arange(BINS) + 1) / BINS if ends is None else ends)[used]
    return Curve("reliability", x, y, ends, calibration_error(sums), "Probability given", "Share observed", of, weight)


def quantile_reliability_curve(table: ScoreTable, of: Any = None, *, bins: int = BINS) -> Curve:
    """Return the reliability in bins of as many expected cases each; bins of equal width leave a rare class in the first one."""
    values, hits, n = np.clip(table.values, 0, 1), table.positives, table.positives + table.negatives
    expected = np.cumsum(values * n)
    if not values.size or expected[-1] <= 0:
        place = np.zeros(values.size, dtype=np.int64)
    else:
        place = np.minimum((expected - values * n / 2) / expected[-1] * bins, bins - 1).astype(np.int64)
    sums = np.array([np.bincount(place, part, bins) for part in (n, values * n, hits)], dtype=np.float64)
    highest = np.full(bins, -np.inf)
    np.maximum.at(highest, place, values)
    return reliability_curve(sums, of, highest)


def risk_coverage_curve(table: ScoreTable) -> Curve:
    """Return the share of wrong decisions among those kept; in `table` right ones are positive, and scores how sure they were."""
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
