"""Shallow decision trees grown from counts by bins of the features, all nodes of a level at once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from adjudge._base import InputError, dataclass, parameter
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray

MOST = 255  # bins of a feature, so that a code is one byte
DEEPEST = 6  # a tree of this depth has 64 leaves; deeper ones are grown sooner by sorting
_FEWEST = 4  # cuts that a class needs to be worth any: of more classes than a quarter of the cuts only the rarest have their own
_WIDTH = MOST + 1
_CELLS = 1 << 20  # cells of the histograms held at a time


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of every feature."""

    edges: tuple[FloatArray, ...]  # of each feature, what no value of a bin but the last exceeds

    def codes(self, X: AnyArray) -> npt.NDArray[np.uint8]:
        """Return the bin of every value, features x cases."""
        codes = np.empty(X.shape[::-1], dtype=np.uint8)
        for at, edges in enumerate(self.edges):
            codes[at] = np.searchsorted(edges, np.ascontiguousarray(X[:, at], dtype=np.float64))
        return codes

    def thresholds(self, feature: IntArray, codes: FloatArray) -> FloatArray:
        """Return the edges that stand for thresholds among codes."""
        whole = np.floor(codes).astype(np.int64)
        return np.array([self.edges[f][c] for f, c in zip(feature.tolist(), whole.tolist(), strict=True)])


def bins_of(X: AnyArray, kinds: IntArray, *, most: int = MOST) -> Bins:
    """Return the bins, at most so many, of every column of a table of finite numbers whose rows are of some `kinds`."""
    counts = np.bincount(kinds)
    rarest = sorted(np.flatnonzero(counts).tolist(), key=counts.__getitem__)[: most // (2 * _FEWEST)]
    groups = [np.flatnonzero(kinds == kind) for kind in rarest]
    return Bins(tuple(_edges(np.ascontiguousarray(X[:, at]), groups, most) for at in range(X.shape[1])))


def kinds_of_numbers(y: FloatArray) -> IntArray:
    """Return whether a number to be predicted lies below all but a hundredth of them, above, or neither."""
    low, high = np.quantile(y, (0.01, 0.99))
    return np.asarray(1 + (y > high) - (y < low), dtype=np.int64)


def between(low: Any, high: Any) -> Any:
    """Return the middle of two values, or the lower one where rounding makes the middle the higher one."""
    middle = low / 2 + high / 2
    return np.where(middle == high, low, middle)


def _edges(column: AnyArray, groups: list[IntArray], most: int) -> FloatArray:
    """Return the edges of the bins of a column: up to half of them by the cases of each kind, the rest by all."""
    ordered = np.sort(column)
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    if cuts.size >= most:
        own = (most - 1) // (2 * len(groups))
        first = np.unique(np.concatenate([_places(ordered, np.sort(column[rows]), own) for rows in groups]))
        cuts = np.union1d(first, _places(ordered, ordered, most - 1 - first.size))
        cuts = cuts[(cuts > 0) & (cuts < column.size)]
    return np.asarray(between(ordered[cuts - 1].astype(np.float64), ordered[cuts].astype(np.float64)))


def _places(ordered: AnyArray, some: AnyArray, most: int) -> IntArray:
    """Return where to cut all ordered values so that `some` of them fall into at most so many parts."""
    n = some.size  # ranks lie evenly apart, but at 0, 1, 2, 4, 8 and so on at one end, and the same at the other
    doubled = 1 << np.arange((n // most).bit_length()) if most > 2 * _FEWEST else np.arange(0)
    ends = np.concatenate([[0], doubled])
    left = max(most - 2 * ends.size, 0)
    ranks = np.unique(np.concatenate([ends, np.arange(1, left + 1) * n // (left + 1), n - ends]))
    low = ranks <= some.size // 2
    below = np.searchsorted(ordered, some[ranks[low]], side="left")
    above = np.searchsorted(ordered, some[ranks[~low] - 1], side="right")
    return np.concatenate([below, above])


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A tree of a fixed depth: features and thresholds by node, infinite where it is not split, and shares of classes by leaf."""

    feature: IntArray
    threshold: FloatArray
    missing_left: BoolArray  # whether a missing value goes left, where more of the cases learnt from went, as in scikit-learn
    shares: FloatArray
    leaf: IntArray  # the leaf that each of all cases falls into


class Table:
    """What a tree is grown from: finite numbers and their bins, features x cases, and the classes of the cases."""

    def __init__(self, X: AnyArray, bins: Bins, y: IntArray, classes: int) -> None:
        self.values, self.codes, self.y, self.classes = np.ascontiguousarray(X.T), bins.codes(X), y, classes


@dataclass(slots=True, eq=False)
class _Best:
    """The best cut of each node of a level so far: after which bin, before which, and the counts of the classes below them."""

    gain: FloatArray
    feature: IntArray
    last: IntArray
    following: IntArray
    below: FloatArray
    total: FloatArray


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
    leaves = (1 << depth, table.classes)
    counts = np.bincount(at[rows] * table.classes + y, weights=w, minlength=leaves[0] * leaves[1]).reshape(leaves)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.asarray(np.divide(counts, total, out=np.zeros(leaves), where=total > 0))  # nothing falls into an empty one
    return Grown(feature, threshold, missing_left, shares, at)


def _taken(table: AnyArray, feature: IntArray, at: IntArray, rows: IntArray | None = None) -> AnyArray:
    """Return of every case what stands in the row of the table that its node asks about."""
    if feature.size == 1:
        return np.asarray(table[feature[0]] if rows is None else table[feature[0], rows])
    n = table.shape[1]
    return np.asarray(table.ravel().take(feature[at] * n + (np.arange(n) if rows is None else rows)))


def _best_cuts(given: npt.NDArray[np.uint8], here: IntArray, w: FloatArray, nodes: int, classes: int) -> _Best:
    """Return the cut of each node that leaves the least impurity; of equal ones that of the first feature and value."""
    at = np.zeros((3, nodes), dtype=np.int64)
    best = _Best(np.full(nodes, -np.inf), at[0], at[1], at[2], np.zeros((nodes, classes)), np.zeros((nodes, classes)))
    cells, step = here * _WIDTH, max(1, _CELLS // (nodes * classes * _WIDTH))
    for start in range(0, len(given), step):
        part = range(start, min(start + step, len(given)))
        counted = [np.bincount(cells + given[at], weights=w, minlength=nodes * classes * _WIDTH) for at in part]
        counts = np.stack(counted).reshape(len(part), nodes, classes, _WIDTH).astype(np.float64, copy=False)
        left = np.cumsum(counts, axis=3)[..., :-1]
        right = counts.sum(axis=3, keepdims=True) - left
        allowed = counts.sum(axis=2)[..., :-1] > 0  # else the same cut as one bin before
        allowed &= np.flip(np.cumsum(np.flip(counts.sum(axis=2), axis=2), axis=2), axis=2)[..., 1:] > 0
        gain = np.where(allowed, _purity(left, axis=2) + _purity(right, axis=2), -np.inf)
        flat = gain.transpose(1, 0, 2).reshape(nodes, -1)
        best_here = flat.argmax(axis=1)
        gains = flat[np.arange(nodes), best_here]
        features, cuts = np.divmod(best_here, gain.shape[2])
        for node in np.flatnonzero(gains > best.gain).tolist():
            held, cut = counts[features[node], node], int(cuts[node])
            best.gain[node], best.feature[node], best.last[node] = gains[node], start + features[node], cut
            best.following[node] = cut + 1 + int(np.flatnonzero(held.sum(axis=0)[cut + 1 :])[0])
            best.below[node], best.total[node] = held[:, :cut].sum(axis=1), held.sum(axis=1)
    best.gain[np.count_nonzero(best.total, axis=1) < 2] = -np.inf  # noqa: PLR2004 - of one class only
    return best


def _purity(counts: FloatArray, *, axis: int) -> FloatArray:
    r"""Return :math:`\sum_k n_k^2 / n` over class counts; the impurity left is least where it is largest, both sides together."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((counts * counts).sum(axis=axis) / counts.sum(axis=axis))


def _thresholds(table: Table, best: _Best, rows: IntArray, at: IntArray, w: FloatArray) -> FloatArray:
    """Return the best threshold of each node, among the values of the two bins it is cut between; infinite if it is not split."""
    thresholds = np.full(best.gain.size, np.inf)
    codes = _taken(table.codes, best.feature, at, rows)
    near = np.flatnonzero((codes >= best.last[at]) & (codes <= best.following[at]))
    values = _taken(table.values, best.feature, at[near], rows[near]).astype(np.float64)
    order = np.lexsort((values, at[near]))
    near, values = near[order], values[order]
    ends = np.searchsorted(at[near], np.arange(thresholds.size + 1))
    for node in np.flatnonzero(np.isfinite(best.gain)).tolist():
        part = slice(ends[node], ends[node + 1])
        counts = np.zeros((values[part].size, table.classes))
        counts[np.arange(len(counts)), table.y[rows[near[part]]]] = w[near[part]]
        cuts = np.flatnonzero(np.diff(values[part]))
        left = (best.below[node] + np.cumsum(counts, axis=0))[cuts]
        cut = ends[node] + cuts[int((_purity(left, axis=1) + _purity(best.total[node] - left, axis=1)).argmax())]
        thresholds[node] = between(values[cut], values[cut + 1])
    return thresholds


class BinnedTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree by Gini's impurity, which looks for thresholds near the best cut between at most 255 bins of a feature.

    Where no feature has more values than that, it is scikit-learn's tree of the same `max_depth`, but of equally good splits the
    first is taken. Node i sends a case on to node 2i + 1 where its value is at most the threshold, else to 2i + 2.
    """

    def __init__(self, *, max_depth: int = 1) -> None:
        self.max_depth = max_depth

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sort the features into bins and grow the tree."""
        X, y = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(y)
        depth: Any = self.max_depth
        if not isinstance(depth, (int, np.integer)) or isinstance(depth, bool) or not 1 <= depth <= DEEPEST:
            msg = f" of a binned tree must be a whole number from 1 to {DEEPEST}, got {depth!r}."
            raise InputError(parameter("max_depth"), msg)
        weights = np.ones(len(y)) if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        X, y, weights = X[weights != 0], y[weights != 0], weights[weights != 0]
        if not len(y):
            raise InputError(parameter("sample_weight"), " is 0 for every case; at least one has to count.")
        classes, codes = np.unique(y, return_inverse=True)
        return self.take(grow(Table(X, bins_of(X, codes), codes, classes.size), weights, self.max_depth), classes, X.shape[1])

    def take(self, grown: Grown, classes: AnyArray, features: int) -> Self:
        """Take over a tree that is grown already."""
        self.classes_, self.n_features_in_, self.shares_ = classes, features, grown.shares
        self.feature_, self.threshold_, self.missing_left_ = grown.feature, grown.threshold, grown.missing_left
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the commonest class of each case's leaf; of equal ones the first."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the part of each class in the leaf, in the order of `classes_`."""
        check_is_fitted(self)
        return np.asarray(self.shares_[self._leaf(validate_data(self, X, dtype=np.float32, reset=False))])

    def codes_of(self, X: AnyArray) -> IntArray:
        """Return the places of the classes predicted for an array that has been checked."""
        return np.asarray(self.shares_.argmax(axis=1)[self._leaf(X)])

    def _leaf(self, X: AnyArray) -> IntArray:
        at, rows = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
        for level in range(self.max_depth):
            place = at + ((1 << level) - 1)
            value = X[rows, self.feature_[place]]
            at = 2 * at + ((value > self.threshold_[place]) | (np.isnan(value) & ~self.missing_left_[place]))
        return at


def stands_for(base: Any) -> bool:
    """Return whether a base learner is a plain tree of a depth up to 6; beside depth and seed its parameters are the usual."""
    if type(base) is not DecisionTreeClassifier or base.max_depth not in range(1, DEEPEST + 1):
        return False
    usual = DecisionTreeClassifier(max_depth=base.max_depth, random_state=base.random_state)
    return bool(base.get_params() == usual.get_params())
