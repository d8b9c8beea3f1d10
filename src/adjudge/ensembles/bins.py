"""Features as small whole numbers: each value by the quantile bin it lies in.

Trees of many members look at the same values again and again. Sorted into at most 255 bins once, the cases of a node are
counted by bin instead of being sorted anew, as in Chen and Guestrin (2016) and Ke et al. (2017). A feature with no more
different values than bins loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import AnyArray, FloatArray, IntArray

MOST = 255
"""Bins of a feature, so that a code is one byte."""

SAMPLE = 20_000
"""Cases the quantiles are taken from, evenly along the table: a bin holds one in 255, give or take one in 3,000."""


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of every feature."""

    edges: tuple[FloatArray, ...]
    """Of each feature, the largest value of every bin but the last."""
    values: tuple[FloatArray | None, ...]
    """The value of each bin, where a bin has only one."""

    def codes(self, X: AnyArray) -> npt.NDArray[np.uint8]:
        """Return the bin of every value, features x cases."""
        found = np.empty(X.shape[::-1], dtype=np.uint8)
        for at, edges in enumerate(self.edges):
            found[at] = np.searchsorted(edges, np.ascontiguousarray(X[:, at], dtype=np.float64))
        return found

    def cut(self, feature: int, last: int, following: int) -> tuple[float, int]:
        """Return a threshold between two bins with none but empty ones between, and the last bin that lies below it.

        It is halfway between the two values where bins are values, as scikit-learn's trees have it, else the edge nearest to
        halfway: cases with a code fall on the same side as their values.
        """
        values, edges = self.values[feature], self.edges[feature]
        if values is not None:
            threshold = _between(values[last], values[following])
            return float(threshold), int(np.searchsorted(values, threshold, side="right")) - 1
        middle = edges[last] / 2 + edges[following - 1] / 2
        at = last + int(np.abs(edges[last:following] - middle).argmin())
        return float(edges[at]), at

    def thresholds(self, feature: IntArray, codes: FloatArray) -> FloatArray:
        """Return the edges that stand for thresholds among codes."""
        whole = np.floor(codes).astype(np.int64)
        return np.array([self.edges[f][c] for f, c in zip(feature.tolist(), whole.tolist(), strict=True)])


def bins_of(X: AnyArray, *, most: int = MOST) -> Bins:
    """Return the bins, at most so many, of every column of a table of finite numbers."""
    made = [_bins(X[:, at], most) for at in range(X.shape[1])]
    return Bins(tuple(edges for edges, _ in made), tuple(values for _, values in made))


def _bins(column: AnyArray, most: int) -> tuple[FloatArray, FloatArray | None]:
    ordered = np.sort(column[:: max(1, column.size // SAMPLE)]).astype(np.float64)
    some = _different(ordered)
    if some.size <= most and ordered.size < column.size:
        some = np.unique(column).astype(np.float64)
    if some.size <= most:
        return _between(some[:-1], some[1:]), some
    last = _different(ordered[np.arange(1, most) * ordered.size // most - 1])
    following = some[np.minimum(np.searchsorted(some, last, side="right"), some.size - 1)]
    return _between(last, following), None


def _different(ordered: FloatArray) -> FloatArray:
    return ordered[np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)]


def _between(low: Any, high: Any) -> Any:
    """Return the middle of two values, or the lower one where rounding makes the middle the higher one."""
    middle = low / 2 + high / 2
    return np.where(middle == high, low, middle)
