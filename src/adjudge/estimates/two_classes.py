"""Intervals of MCC and Cohen's kappa of two classes: extremes over the joint region of the shares that make up the table.

Read by rows the table is two recalls and a prevalence, read by columns two precisions and a share of predictions. The interval
joins both, so that it does not change when truth and predictions are exchanged, and excludes 0 only if the interval of the mean
recall and that of the mean precision both exclude 1/2. The intervals of the shares are mid-P: Jeffreys' lie within them and hold
the truth too seldom where less than one case of a class is expected. Limits that hold one by one also read the table by its
diagonals: few errors, spread over both classes, are rarer than each class by itself shows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import OF_SHARE
from adjudge.stats import two_classes
from adjudge.stats.two_classes import DIAGONALS, RECALLS

Limits = tuple[float, float]
ShareLimits = Callable[[float, float, float], Limits]
Part = tuple[tuple[int, ...], tuple[int, ...]]
"""Cells that are a share of cells; those of a table are counted along its rows."""

OF_TWO: dict[str, two_classes.Statistic] = {"mcc": two_classes.mcc, "kappa": two_classes.kappa}
"""Measures that have such an interval."""
_ALL = (0, 1, 2, 3)
_BY_ROWS: tuple[Part, Part, Part] = (((0,), (0, 1)), ((3,), (2, 3)), ((0, 1), _ALL))
_BY_COLUMNS: tuple[Part, Part, Part] = (((0,), (0, 2)), ((3,), (1, 3)), ((0, 2), _ALL))
_BY_DIAGONALS: tuple[Part, Part, Part] = (((0,), (0, 3)), ((1,), (1, 2)), ((0, 3), _ALL))
_TWO = 2


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
    ends = [two_classes.extremes(OF_TWO[name], RECALLS, *np.stack(by_margins, axis=-1))]
    if diagonals:
        by_diagonals = _shares(counts, _BY_DIAGONALS, level, limits)[..., np.newaxis]
        ends.append(two_classes.extremes(OF_TWO[name], DIAGONALS, *by_diagonals))
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
