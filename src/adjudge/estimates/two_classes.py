"""Intervals of means of recalls and precisions, and of MCC and Cohen's kappa of two classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import OF_SHARE
from adjudge.stats import binomial, mover, ratios
from adjudge.stats.ratios import DIAGONALS, RECALLS

OF_TWO: dict[str, ratios.Statistic] = {"mcc": ratios.mcc, "kappa": ratios.kappa}  # measures that have such an interval
_ALL = (0, 1, 2, 3)
_TWO = 2
MANY = 10  # recalls from which on the pull of every recall's prior no longer averages out


Limits = tuple[float, float]
ShareLimits = Callable[[float, float, float], Limits]
Part = tuple[tuple[int, ...], tuple[int, ...]]
"""Cells that are a share of cells; those of a table are counted along its rows."""

_BY_ROWS: tuple[Part, Part, Part] = (((0,), (0, 1)), ((3,), (2, 3)), ((0, 1), _ALL))
_BY_COLUMNS: tuple[Part, Part, Part] = (((0,), (0, 2)), ((3,), (1, 3)), ((0, 2), _ALL))
_BY_DIAGONALS: tuple[Part, Part, Part] = (((0,), (0, 3)), ((1,), (1, 2)), ((0, 3), _ALL))


def is_two_by_two(counts: ConfusionCounts) -> bool:
    """Return whether the table has two classes and no rejected case."""
    return counts.k == _TWO and not counts.rejected.any()


def joint_limits(counts: ConfusionCounts, name: str, level: float) -> Limits:
    """Return the two-sided interval, from mid-P intervals of the shares by rows and by columns."""
    return _extremes(counts, name, level, OF_SHARE["midp"], diagonals=False)


def joint_bounds(counts: ConfusionCounts, name: str, level: float) -> Limits:
    """Return a lower and an upper limit that hold one by one, from exact limits of the shares."""
    return _extremes(counts, name, level, OF_SHARE["tail-inversion"], diagonals=True)


def _extremes(counts: ConfusionCounts, name: str, level: float, limits: ShareLimits, *, diagonals: bool) -> Limits:
    by_margins = [_shares(counts, parts, level, limits) for parts in (_BY_ROWS, _BY_COLUMNS)]
    ends = [ratios.extremes(OF_TWO[name], RECALLS, *np.stack(by_margins, axis=-1))]
    if diagonals:
        by_diagonals = _shares(counts, _BY_DIAGONALS, level, limits)[..., np.newaxis]
        ends.append(ratios.extremes(OF_TWO[name], DIAGONALS, *by_diagonals))
    return float(min(low.min() for low, _ in ends)), float(max(high.max() for _, high in ends))


def _shares(counts: ConfusionCounts, parts: tuple[Part, ...], level: float, limits: ShareLimits) -> FloatArray:
    """Return value, lower and upper limit (rows) of every share (columns); weighted cases as many as they are worth."""
    cells = np.asarray(counts.cells[:, :_TWO], dtype=np.float64).ravel()
    squares = np.asarray(counts.squares[:, :_TWO]).ravel() if isinstance(counts, WeightedCounts) else cells
    found = []
    for hits, cases in parts:
        whole, hit = float(cells[list(cases)].sum()), float(cells[list(hits)].sum())
        share, size = (hit / whole, whole * (whole / float(squares[list(cases)].sum()))) if whole else (0.5, 0.0)
        found.append((share, *limits(share * size, size, level)))
    return np.array(found).T


def _jeffreys(correct: FloatArray, support: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    low, high = np.array([binomial.jeffreys(c, n, level) for c, n in zip(correct, support, strict=True)]).T
    return low, high


OF_RECALLS: dict[str, Callable[[FloatArray, FloatArray, float, FloatArray], Limits]] = {
    "mover-jeffreys": lambda correct, support, level, weights: mover.mover(
        correct / support, *_jeffreys(correct, support, level), weights
    ),
    "unbiased-centre": mover.unbiased_centre,
}


def usual(recalls: int) -> str:
    """Return the method found to cover for the mean of so many recalls."""
    return "mover-jeffreys" if recalls < MANY else "unbiased-centre"


def mean_recall_limits(
    correct: FloatArray, support: FloatArray, level: float, method: str, weights: FloatArray | None = None
) -> Limits:
    """Return limits within [0, 1]; every recall has a case, and weighs as much as another unless `weights` say otherwise."""
    share = np.full(support.size, 1 / support.size) if weights is None else weights
    low, high = OF_RECALLS[method](correct, support, level, share)
    return max(low, 0.0), min(high, 1.0)


def geometric_limits(correct: FloatArray, support: FloatArray, level: float) -> Limits:
    """Return limits for the geometric mean of recalls: MOVER on the logarithms of their Jeffreys limits.

    A recall of 0, which has no logarithm, stands in the upper limit as half a right decision of one case more; the lower
    limit is then 0. One recall keeps its limits.
    """
    each = _jeffreys(correct, support, level)
    shares = np.where(correct > 0, correct / support, np.minimum(0.5 / (support + 1), each[1]))
    with np.errstate(divide="ignore"):
        lows, highs = np.log(each[0]), np.log(each[1])
    low, high = mover.mover(np.log(shares), lows, highs, np.full(support.size, 1 / support.size))
    return float(np.exp(low)), min(float(np.exp(high)), 1.0)
