"""Curves, folds and groups as plain Python, no larger than a reader can use, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge._base.arrays import IntArray
from adjudge._base.show import plain
from adjudge._base.text import safe
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value

MOST_POINTS = 200
"""Points of one curve; of many curves, fewer of each."""
_ALL_POINTS = 2000  # of all curves of a kind
_FEWEST = 25
_MOST_CELLS = 100_000  # of the tables of all folds, or of all groups


def plain_curves(curves: Mapping[str, Mapping[Any, Curve]]) -> dict[str, Any]:
    """Return curves by kind and class: some of their points, each of them exact, and their areas."""
    return {
        kind: {safe(label): _plain_curve(curve, _points(len(found))) for label, curve in found.items()}
        for kind, found in curves.items()
    }


def _points(curves: int) -> int:
    return max(_FEWEST, min(MOST_POINTS, _ALL_POINTS // max(curves, 1)))


def _plain_curve(curve: Curve, most: int) -> dict[str, Any]:
    kept = spaced(curve, most)
    told = {name: getattr(curve, name)[kept] for name in ("x", "y", "thresholds")}
    told |= {} if curve.size is None else {"cases": curve.size[kept]}
    told |= {"x_name": curve.x_name, "y_name": curve.y_name, "area": curve.area, "points": curve.x.size}
    return plain(told)  # type: ignore[no-any-return]


def spaced(curve: Curve, most: int) -> IntArray:
    """Return which points to keep: all, or `most` of them about equally far from each other along the curve.

    >>> flat = Curve("roc", np.linspace(0, 1, 9), np.zeros(9), np.zeros(9), 0.0, "x", "y")
    >>> spaced(flat, 3).tolist()
    [0, 4, 8]
    """
    n = curve.x.size
    if n <= most:
        return np.arange(n)
    steps = np.hypot(np.diff(curve.x), np.diff(curve.y))
    way = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])
    wanted = np.linspace(0, way[-1], most)
    return np.unique(np.concatenate([[0], np.searchsorted(way, wanted[1:-1]), [n - 1]]))


def plain_tables(found: Mapping[Any, ConfusionCounts]) -> dict[str, Any]:
    """Return folds or groups: cases, right ones, accuracy, balanced accuracy and, where that is not too much, every cell."""
    cells = sum(counts.k**2 for counts in found.values()) <= _MOST_CELLS
    return {safe(label): _plain_table(counts, cells=cells) for label, counts in found.items()}


def _plain_table(counts: ConfusionCounts, *, cells: bool) -> dict[str, Any]:
    measures = {m.name: value(m, counts) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
    told: dict[str, Any] = plain({"cases": counts.n, "right": counts.correct.sum()} | measures)
    return told | (counts.to_dict() if cells else {})
