"""Features as small whole numbers: each value by the bin it lies in.

Trees of many members look at the same values again and again. Sorted into at most 255 bins once, the cases of a node are
counted by bin instead of being sorted anew, as in Chen and Guestrin (2016) and Ke et al. (2017). A feature with no more
different values than bins loses nothing.

Bins of equally many cases would swallow what is rare: a class of one case in a thousand lies within one of them. Half of the
bins are therefore shared out among the classes, and the bins of all cases and of each class grow from single cases at both
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import AnyArray, FloatArray, IntArray

MOST = 255
"""Bins of a feature, so that a code is one byte."""

_FEWEST = 4
"""Cuts that a class needs to be worth any: of more classes than a quarter of the cuts only the rarest have their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of every feature."""

    edges: tuple[FloatArray, ...]
    """Of each feature, what no value of a bin but the last exceeds."""

    def codes(self, X: AnyArray) -> npt.NDArray[np.uint8]:
        """Return the bin of every value, features x cases."""
        found = np.empty(X.shape[::-1], dtype=np.uint8)
        for at, edges in enumerate(self.edges):
            found[at] = np.searchsorted(edges, np.ascontiguousarray(X[:, at], dtype=np.float64))
        return found

    def thresholds(self, feature: IntArray, codes: FloatArray) -> FloatArray:
        """Return the edges that stand for thresholds among codes."""
        whole = np.floor(codes).astype(np.int64)
        return np.array([self.edges[f][c] for f, c in zip(feature.tolist(), whole.tolist(), strict=True)])


def bins_of(X: AnyArray, kinds: IntArray, *, most: int = MOST) -> Bins:
    """Return the bins, at most so many, of every column of a table of finite numbers whose rows are of some `kinds`."""
    groups = _rarest(kinds, most // (2 * _FEWEST))
    return Bins(tuple(_edges(np.ascontiguousarray(X[:, at]), groups, most) for at in range(X.shape[1])))


def kinds_of_numbers(y: FloatArray) -> IntArray:
    """Return whether a number to be predicted lies below all but a hundredth of them, above, or neither."""
    low, high = np.quantile(y, (0.01, 0.99))
    return np.asarray(1 + (y > high) - (y < low), dtype=np.int64)


def between(low: Any, high: Any) -> Any:
    """Return the middle of two values, or the lower one where rounding makes the middle the higher one."""
    middle = low / 2 + high / 2
    return np.where(middle == high, low, middle)


def _rarest(kinds: IntArray, most: int) -> list[IntArray]:
    """Return the rows of each kind, of the rarest first, and of no more than `most` kinds."""
    counts = np.bincount(kinds)
    chosen = sorted(np.flatnonzero(counts).tolist(), key=counts.__getitem__)[:most]
    return [np.flatnonzero(kinds == kind) for kind in chosen]


def _edges(column: AnyArray, groups: list[IntArray], most: int) -> FloatArray:
    ordered = np.sort(column)
    changes = np.flatnonzero(np.diff(ordered)) + 1
    if changes.size >= most:
        changes = _chosen(column, ordered, groups, most - 1)
    return np.asarray(between(ordered[changes - 1].astype(np.float64), ordered[changes].astype(np.float64)))


def _chosen(column: AnyArray, ordered: AnyArray, groups: list[IntArray], most: int) -> IntArray:
    """Return the places at which the ordered values are cut: up to half of them by the cases of each kind, the rest by all."""
    own = most // (2 * len(groups))
    first = np.unique(np.concatenate([_places(ordered, np.sort(column[rows]), own) for rows in groups]))
    places = np.union1d(first, _places(ordered, ordered, most - first.size))
    return places[(places > 0) & (places < column.size)]


def _places(ordered: AnyArray, some: AnyArray, most: int) -> IntArray:
    """Return where to cut all ordered values so that `some` of them fall into at most so many parts."""
    ranks = _ranks(some.size, most)
    low = ranks <= some.size // 2
    below = np.searchsorted(ordered, some[ranks[low]], side="left")
    above = np.searchsorted(ordered, some[ranks[~low] - 1], side="right")
    return np.concatenate([below, above])


def _ranks(n: int, most: int) -> IntArray:
    """Return at most so many numbers from 0 to n: evenly apart, but 0, 1, 2, 4, 8 and so on at one end, the same at the other."""
    doubled = 1 << np.arange((n // most).bit_length()) if most > 2 * _FEWEST else np.arange(0)
    ends = np.concatenate([[0], doubled])
    left = max(most - 2 * ends.size, 0)
    even = np.arange(1, left + 1) * n // (left + 1)
    return np.unique(np.concatenate([ends, even, n - ends]))
