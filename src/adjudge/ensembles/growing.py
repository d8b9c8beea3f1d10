"""Shallow decision trees grown from counts by bin, all nodes of a level at once.

A node sends a case left where its value is at most the threshold. Nodes lie as in a heap: those of node i are 2i + 1 and
2i + 2. A node that is not split sends everything left, where its own counts stand again, so that every case ends at the
bottom.

Counts by bin say between which bins a node is cut best. Where exactly is then looked for among the values of the two bins, so
that thresholds lie between neighbouring values, as those of trees that sort all cases do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.ensembles.bins import MOST, Bins, between

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
    missing_left: BoolArray
    """Whether a missing value goes left, where more of the cases learnt from went, as in scikit-learn's trees."""
    shares: FloatArray
    """The part of each class in the nodes at the bottom."""
    leaf: IntArray
    """The node at the bottom that each of all cases falls into."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What a tree is grown from: the values and the codes of all cases, features x cases, and their classes."""

    values: AnyArray
    codes: npt.NDArray[np.uint8]
    y: IntArray
    classes: int


@dataclass(slots=True, eq=False)
class _Best:
    """The best cut of each node of a level so far: after which bin, before which, and the counts of the classes below them."""

    gain: FloatArray
    feature: IntArray
    last: IntArray
    following: IntArray
    below: FloatArray
    total: FloatArray


def table_of(X: AnyArray, bins: Bins, y: IntArray, classes: int) -> Table:
    """Return the table of finite numbers with their bins."""
    return Table(np.ascontiguousarray(X.T), bins.codes(X), y, classes)


def grow(table: Table, weights: FloatArray, depth: int) -> Grown:
    """Return the tree that splits by Gini's impurity of the weighted classes, down to `depth`."""
    rows = np.flatnonzero(weights)
    given, y, w = table.codes[:, rows], table.y[rows], weights[rows]
    inner = (1 << depth) - 1
    feature, threshold = np.zeros(inner, dtype=np.int64), np.full(inner, np.inf)
    missing_left = np.ones(inner, dtype=np.bool_)
    at = np.zeros(table.y.size, dtype=np.int64)
    for level in range(depth):
        nodes = 1 << level
        here = slice(nodes - 1, 2 * nodes - 1)
        best = _best_cuts(given, at[rows] * table.classes + y, w, nodes, table.classes)
        feature[here] = best.feature
        threshold[here] = _thresholds(table, best, rows, at[rows], w)
        at = 2 * at + (_taken(table.values, feature[here], at) > threshold[here][at])
        sizes = np.bincount(at[rows], minlength=2 * nodes)
        missing_left[here] = sizes[::2] > sizes[1::2]
    shares = _shares(at[rows] * table.classes + y, w, 1 << depth, table.classes)
    return Grown(feature, threshold, missing_left, shares, at)


def _taken(table: AnyArray, feature: IntArray, at: IntArray, rows: IntArray | None = None) -> AnyArray:
    """Return of every case what stands in the row of the table that its node asks about."""
    if feature.size == 1:
        return np.asarray(table[feature[0]] if rows is None else table[feature[0], rows])
    n = table.shape[1]
    return np.asarray(table.ravel().take(feature[at] * n + (np.arange(n) if rows is None else rows)))


def _shares(here: IntArray, w: FloatArray, nodes: int, classes: int) -> FloatArray:
    counts = np.bincount(here, weights=w, minlength=nodes * classes).reshape(nodes, classes)
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0))  # nothing falls into an empty one


def _best_cuts(given: npt.NDArray[np.uint8], here: IntArray, w: FloatArray, nodes: int, classes: int) -> _Best:
    """Return the cut of each node that leaves the least impurity; of equal ones that of the first feature and value."""
    gain, at = np.full(nodes, -np.inf), np.zeros((3, nodes), dtype=np.int64)
    best = _Best(gain, at[0], at[1], at[2], np.zeros((nodes, classes)), np.zeros((nodes, classes)))
    cells, step = here * _WIDTH, max(1, _CELLS // (nodes * classes * _WIDTH))
    for start in range(0, len(given), step):
        part = range(start, min(start + step, len(given)))
        counted = [np.bincount(cells + given[at], weights=w, minlength=nodes * classes * _WIDTH) for at in part]
        _improve(best, np.stack(counted).reshape(len(part), nodes, classes, _WIDTH).astype(np.float64, copy=False), start)
    best.gain[np.count_nonzero(best.total, axis=1) < 2] = -np.inf  # noqa: PLR2004 - of one class only
    return best


def _improve(best: _Best, counts: FloatArray, start: int) -> None:
    """Take over cuts of some features that are better than those found before."""
    gain = _gains(counts)
    flat = gain.transpose(1, 0, 2).reshape(gain.shape[1], -1)
    at = flat.argmax(axis=1)
    found = flat[np.arange(at.size), at]
    features, cuts = np.divmod(at, gain.shape[2])
    for node in np.flatnonzero(found > best.gain).tolist():
        held, cut = counts[features[node], node], int(cuts[node])
        best.gain[node], best.feature[node], best.last[node] = found[node], start + features[node], cut
        best.following[node] = cut + 1 + int(np.flatnonzero(held.sum(axis=0)[cut + 1 :])[0])
        best.below[node], best.total[node] = held[:, :cut].sum(axis=1), held.sum(axis=1)


def _gains(counts: FloatArray) -> FloatArray:
    left = np.cumsum(counts, axis=3)[..., :-1]
    right = counts.sum(axis=3, keepdims=True) - left
    held = counts.sum(axis=2)[..., :-1] > 0  # else the same cut as one bin before
    allowed = held & (np.flip(np.cumsum(np.flip(counts.sum(axis=2), axis=2), axis=2), axis=2)[..., 1:] > 0)
    return np.where(allowed, _purity(left, axis=2) + _purity(right, axis=2), -np.inf)


def _purity(counts: FloatArray, *, axis: int) -> FloatArray:
    r"""Return :math:`\sum_k n_k^2 / n` over class counts; the impurity left is least where it is largest, both sides together."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((counts * counts).sum(axis=axis) / counts.sum(axis=axis))


def _thresholds(table: Table, best: _Best, rows: IntArray, at: IntArray, w: FloatArray) -> FloatArray:
    """Return the best threshold of each node, among the values of the two bins it is cut between; infinite if it is not split."""
    found = np.full(best.gain.size, np.inf)
    codes = _taken(table.codes, best.feature, at, rows)
    near = np.flatnonzero((codes >= best.last[at]) & (codes <= best.following[at]))
    values = _taken(table.values, best.feature, at[near], rows[near]).astype(np.float64)
    order = np.lexsort((values, at[near]))
    near, values = near[order], values[order]
    ends = np.searchsorted(at[near], np.arange(found.size + 1))
    for node in np.flatnonzero(np.isfinite(best.gain)).tolist():
        part = slice(ends[node], ends[node + 1])
        counts = np.zeros((values[part].size, table.classes))
        counts[np.arange(len(counts)), table.y[rows[near[part]]]] = w[near[part]]
        found[node] = _threshold(values[part], best.below[node] + np.cumsum(counts, axis=0), best.total[node])
    return found


def _threshold(values: FloatArray, left: FloatArray, total: FloatArray) -> float:
    """Return the threshold between ordered values that leaves the least impurity; `left` are the class counts up to each."""
    cuts = np.flatnonzero(np.diff(values))
    gain = _purity(left[cuts], axis=1) + _purity(total - left[cuts], axis=1)
    cut = cuts[int(gain.argmax())]
    return float(between(values[cut], values[cut + 1]))
