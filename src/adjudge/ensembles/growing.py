"""Shallow decision trees grown from counts by bin, all nodes of a level at once.

A node sends a case left where its value is at most the threshold. Nodes lie as in a heap: those of node i are 2i + 1 and
2i + 2. A node that is not split sends everything left, where its own counts stand again, so that every case ends at the
bottom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge.ensembles.bins import MOST, Bins

_WIDTH = MOST + 1
_CELLS = 1 << 20
"""Cells of the histograms held at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A tree of a fixed depth."""

    feature: IntArray
    """Of every node above the bottom."""
    threshold: FloatArray
    """Infinite where a node is not split."""
    shares: FloatArray
    """The part of each class in the nodes at the bottom."""
    leaf: IntArray
    """The node at the bottom that each of all cases falls into, by its codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What a tree is grown from: the codes of all cases, features x cases, and their classes."""

    bins: Bins
    codes: npt.NDArray[np.uint8]
    y: IntArray
    classes: int


@dataclass(slots=True, eq=False)
class _Best:
    """The best cut of each node of a level so far."""

    gain: FloatArray
    feature: IntArray
    last: IntArray
    following: IntArray


def grow(table: Table, weights: FloatArray, depth: int) -> Grown:
    """Return the tree that splits by Gini's impurity of the weighted classes, down to `depth`."""
    rows = np.flatnonzero(weights)
    given, y, w = table.codes[:, rows], table.y[rows], weights[rows]
    inner = (1 << depth) - 1
    feature, threshold = np.zeros(inner, dtype=np.int64), np.full(inner, np.inf)
    last = np.full(inner, MOST, dtype=np.int64)
    at = np.zeros(table.y.size, dtype=np.int64)
    for level in range(depth):
        here = at[rows] * table.classes + y
        nodes = 1 << level
        best = _best_cuts(given, here, w, nodes, table.classes)
        for node in np.flatnonzero(_impure(here, w, nodes, table.classes) & np.isfinite(best.gain)).tolist():
            place, chosen = nodes - 1 + node, int(best.feature[node])
            feature[place] = chosen
            threshold[place], last[place] = table.bins.cut(chosen, int(best.last[node]), int(best.following[node]))
        at = 2 * at + _beyond(table.codes, at, feature[nodes - 1 :], last[nodes - 1 :])
    return Grown(feature, threshold, _shares(at[rows] * table.classes + y, w, 1 << depth, table.classes), at)


def _beyond(codes: npt.NDArray[np.uint8], at: IntArray, feature: IntArray, last: IntArray) -> BoolArray:
    """Return which cases lie beyond the cut of the node they are in."""
    if feature.size == 1 or not at.any():
        return np.asarray(codes[feature[0]] > last[0])
    n = at.size
    return np.asarray(codes.ravel().take(feature[at] * n + np.arange(n)) > last[at])


def _impure(here: IntArray, w: FloatArray, nodes: int, classes: int) -> BoolArray:
    counts = np.bincount(here, weights=w, minlength=nodes * classes).reshape(nodes, classes)
    return np.asarray(np.count_nonzero(counts, axis=1) > 1)


def _shares(here: IntArray, w: FloatArray, nodes: int, classes: int) -> FloatArray:
    counts = np.bincount(here, weights=w, minlength=nodes * classes).reshape(nodes, classes)
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0))  # nothing falls into an empty one


def _best_cuts(given: npt.NDArray[np.uint8], here: IntArray, w: FloatArray, nodes: int, classes: int) -> _Best:
    """Return the cut of each node that leaves the least impurity; of equal ones that of the first feature and value."""
    best = _Best(np.full(nodes, -np.inf), *(np.zeros(nodes, dtype=np.int64) for _ in range(3)))
    cells, step = here * _WIDTH, max(1, _CELLS // (nodes * classes * _WIDTH))
    for start in range(0, len(given), step):
        part = range(start, min(start + step, len(given)))
        counted = [np.bincount(cells + given[at], weights=w, minlength=nodes * classes * _WIDTH) for at in part]
        _improve(best, np.stack(counted).reshape(len(part), nodes, classes, _WIDTH).astype(np.float64, copy=False), start)
    return best


def _improve(best: _Best, counts: FloatArray, start: int) -> None:
    r"""Take over cuts of some features that are better than those found before.

    The impurity left is least where :math:`\sum_k l_k^2/l + \sum_k r_k^2/r` is largest, over class counts left and right.
    """
    gain = _gains(counts)
    flat = gain.transpose(1, 0, 2).reshape(gain.shape[1], -1)
    at = flat.argmax(axis=1)
    found = flat[np.arange(at.size), at]
    features, cuts = np.divmod(at, gain.shape[2])
    for node in np.flatnonzero(found > best.gain).tolist():
        held, cut = counts[features[node], node].sum(axis=0), int(cuts[node])
        best.gain[node], best.feature[node], best.last[node] = found[node], start + features[node], cut
        best.following[node] = cut + 1 + int(np.flatnonzero(held[cut + 1 :])[0])


def _gains(counts: FloatArray) -> FloatArray:
    left = np.cumsum(counts, axis=3)[..., :-1]
    right = counts.sum(axis=3, keepdims=True) - left
    n_left, n_right = left.sum(axis=2), right.sum(axis=2)
    held = counts.sum(axis=2)[..., :-1] > 0  # else the same cut as one bin before
    allowed = held & (np.flip(np.cumsum(np.flip(counts.sum(axis=2), axis=2), axis=2), axis=2)[..., 1:] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = (left * left).sum(axis=2) / n_left + (right * right).sum(axis=2) / n_right
    return np.where(allowed, gain, -np.inf)
