"""What all ensembles share: a learner inside, many fitted copies of it, and a look at what comes in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier, is_regressor
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_array, validate_data

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.ensembles.members import is_tree

MANY = 10_000
"""Cases from which on ``binned="auto"`` sorts the features of trees into bins: fewer are grown at leisure."""
_LARGEST = float(np.finfo(np.float32).max)


class Ensemble(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Many copies of one learner."""

    estimator: Any
    estimators_: list[Any]
    n_estimators: int
    as_weights: Any
    binned: Any
    random_state: Any
    _usual: Any
    """The learner inside where none is given; cloned before it is fitted."""

    def _base(self) -> Any:
        return self._usual if self.estimator is None else self.estimator

    def _check(self) -> None:
        """Refuse parameters that make no sense, and a learner of numbers where classes are voted on or the other way round."""
        check_flag("as_weights", self.as_weights, auto=True)
        check_whole("n_estimators", self.n_estimators, 1)
        base, votes = self._base(), is_classifier(self)
        if not hasattr(base, "fit") or not hasattr(base, "predict"):
            msg = f"estimator must be a learner with fit and predict, got {self.estimator!r}."
            raise InputError(msg)
        if hasattr(base, "__sklearn_tags__") and (is_regressor(base) if votes else is_classifier(base)):
            ours, theirs = ("classes", "numbers") if votes else ("numbers", "classes")
            msg = f"{type(self).__name__} predicts {ours}, and its estimator {base!r} predicts {theirs}. Use a learner of {ours}."
            raise InputError(msg)

    def _features(self, X: Any, *, reset: bool) -> Any:
        """Return X checked: frames and texts as they are, for the learner inside to judge, all else as an array."""
        tags = get_tags(self).input_tags if hasattr(self._base(), "__sklearn_tags__") else None
        is_row = isinstance(X, (list, tuple, np.ndarray)) or (hasattr(X, "to_numpy") and not hasattr(X, "columns"))
        if is_row and any(isinstance(each, str) for each in X[:1]):
            return X
        if hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            sparse_as = "csr" if tags is None or tags.sparse else False
            finite = False if tags is None else "allow-nan" if tags.allow_nan else True
            checks = {"accept_sparse": sparse_as, "ensure_all_finite": finite, "estimator": self}
            X = validate_data(self, X, reset=reset, dtype=None, **checks)
        if not is_tree(self._base()) or sparse.issparse(X):
            return X
        with np.errstate(over="ignore"):  # trees take dense features as float32: made once for all of them
            single = check_array(X, dtype=np.float32, ensure_all_finite=False, estimator=self)
        if np.isinf(single).any():
            msg = f"X holds infinity or values too large for trees, which take numbers up to {_LARGEST:.2g}. Scale such features."
            raise InputError(msg)
        return single

    def _weights(self, X: Any, sample_weight: Any) -> FloatArray:
        """Return chances of being drawn that sum to one."""
        n = _num_samples(X)
        if sample_weight is None:
            return np.full(n, 1 / n)
        weights: FloatArray = _check_sample_weight(sample_weight, np.empty((n, 0)), dtype=np.float64, ensure_non_negative=True)
        total = weights.sum()
        if not 0 < total < np.inf:
            msg = f"sample_weight sums to {total:g}; it must be finite, and at least one case has to count."
            raise InputError(msg)
        return np.asarray(weights / total)

    def _bins(self, X: Any, *, able: bool, pays: bool = True, wanted: str) -> bool:
        """Return whether features are sorted into bins, or refuse what cannot be."""
        check_flag("binned", self.binned, auto=True)
        dense = isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and bool(np.isfinite(X).all())
        if self.binned is True and not (able and dense):
            what = f"the estimator is {self._base()!r}" if not able else "X is sparse, or has missing values or text"
            msg = f"binned=True serves {wanted} and dense finite numbers; {what}. Use binned='auto'."
            raise InputError(msg)
        return able and dense and (self.binned is True or (self.binned == "auto" and pays and len(X) >= MANY))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self._base()
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags = get_tags(inner).input_tags
        if self.binned is True:
            tags.input_tags.sparse = tags.input_tags.allow_nan = False
        return tags


def check_flag(name: str, value: Any, *, auto: bool = False) -> None:
    """Refuse what is neither True nor False, nor "auto" where that is a choice."""
    if not (isinstance(value, (bool, np.bool_)) or (auto and isinstance(value, str) and value == "auto")):
        msg = f"{name} must be True, False or 'auto', got {value!r}." if auto else f"{name} must be True or False, got {value!r}."
        raise InputError(msg)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number, or less than `least`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        msg = f"{name} must be a whole number of at least {least}, got {value!r}."
        raise InputError(msg)


def labels_in(name: str, X: Any, y: Any) -> tuple[AnyArray, AnyArray, IntArray]:
    """Return the labels as given, the sorted classes, and the place of each label among them."""
    labels = _target(name, X, y, "one class for each case")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return labels, classes, codes


def numbers_in(name: str, X: Any, y: Any) -> FloatArray:
    """Return the numbers to be predicted."""
    numbers = _target(name, X, y, "one number for each case")
    try:
        return numbers.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} predicts numbers, and y holds {numbers.dtype} that are none."
        raise InputError(msg) from error


def _target(name: str, X: Any, y: Any, wanted: str) -> AnyArray:
    if y is None:
        msg = f"{name} requires y to be passed, but the target y is None: {wanted}."
        raise InputError(msg)
    values: AnyArray = column_or_1d(y, warn=True)
    assert_all_finite(values, input_name="y")
    check_consistent_length(X, values)
    return values
