"""A shallow decision tree grown from counts by bins of the features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.ensembles.bins import bins_of
from adjudge.ensembles.growing import Grown, grow, table_of

DEEPEST = 6
"""A tree of this depth has 64 leaves; deeper ones are grown sooner by sorting."""


class BinnedTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree by Gini's impurity, which looks for thresholds near the best cut between at most 255 bins of a feature.

    Where no feature has more different values than that, it is the tree of scikit-learn's ``DecisionTreeClassifier`` of the
    same depth; where equally good splits are left to chance there, the first feature and the lowest threshold are taken here.
    With more values it seldom is another one.

    Parameters
    ----------
    max_depth : int
        Splits on the way to a leaf, from 1 to 6.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of probabilities.
    feature_, threshold_ : ndarray of shape (2 ** max_depth - 1,)
        Node i sends a case on to node 2i + 1 where the value of its feature is at most the threshold, else to 2i + 2; a node
        that is not split has an infinite one.
    missing_left_ : ndarray of shape (2 ** max_depth - 1,)
        Whether a missing value is sent on as if it were at most the threshold: to where more of the cases went.
    shares_ : ndarray of shape (2 ** max_depth, n_classes)
        The part of each class in the leaves.
    """

    classes_: AnyArray
    feature_: IntArray
    threshold_: FloatArray
    missing_left_: BoolArray
    shares_: FloatArray

    def __init__(self, *, max_depth: int = 1) -> None:
        self.max_depth = max_depth

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sort the features into bins and grow the tree."""
        X, y = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(y)
        check_depth(self.max_depth)
        weights = np.ones(len(y)) if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        X, y, weights = X[weights != 0], y[weights != 0], weights[weights != 0]
        if not len(y):
            msg = "sample_weight is 0 for every case; at least one has to count."
            raise InputError(msg)
        classes, codes = np.unique(y, return_inverse=True)
        grown = grow(table_of(X, bins_of(X, codes), codes, classes.size), weights, self.max_depth)
        return self.take(grown, classes, X.shape[1])

    def take(self, grown: Grown, classes: AnyArray, features: int) -> Self:
        """Take over a tree that is grown already."""
        self.classes_, self.n_features_in_ = classes, features
        self.feature_, self.threshold_, self.missing_left_ = grown.feature, grown.threshold, grown.missing_left
        self.shares_ = grown.shares
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the commonest class of each case's leaf; of equal ones the first."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.codes_of(validate_data(self, X, dtype=np.float32, reset=False))])

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


def check_depth(depth: Any) -> None:
    """Refuse a depth that a binned tree cannot have."""
    if not isinstance(depth, (int, np.integer)) or isinstance(depth, bool) or not 1 <= depth <= DEEPEST:
        msg = f"max_depth of a binned tree must be a whole number from 1 to {DEEPEST}, got {depth!r}."
        raise InputError(msg)


def stands_for(base: Any) -> bool:
    """Return whether a binned tree does all that a base learner asks for.

    A plain ``DecisionTreeClassifier`` of a depth up to 6; beside the depth and the seed all its parameters are the usual ones.
    """
    if type(base) is not DecisionTreeClassifier or base.max_depth not in range(1, DEEPEST + 1):
        return False
    usual = DecisionTreeClassifier(max_depth=base.max_depth, random_state=base.random_state)
    return bool(base.get_params() == usual.get_params())
