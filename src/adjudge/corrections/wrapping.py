"""What all corrected classifiers share: a classifier inside, fitted or kept as it is, that gives probabilities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.corrections.crossfit import fitted, is_frozen, out_of_fold, probabilities_of, weight_name

_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Cases of known class, with probabilities by a model that did not learn from them."""

    p: FloatArray
    y: AnyArray
    weight: FloatArray | None


class Wrapping(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around another one, whose probabilities it takes."""

    estimator: Any
    estimator_: Any
    classes_: AnyArray

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, in the order of `classes_`."""
        return self._given(X)

    def _given(self, X: Any) -> FloatArray:
        """Return the probabilities of the classifier inside."""
        check_is_fitted(self, "estimator_")
        return probabilities_of(self.estimator_, X)

    def _inner(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def _learn(self, X: Any, y: Any, weight: Any) -> tuple[AnyArray, FloatArray | None]:
        """Fit the classifier inside, unless it is frozen, and return labels and weights as arrays."""
        labels, weights = self._checked(X, y, weight)
        self._keep(fitted(clone(self._inner()), X, labels, weights))
        places_of(labels, self.classes_)
        return labels, weights

    def _learn_apart(self, X: Any, y: Any, weight: Any, cv: Any) -> HeldOut:
        """Fit the classifier inside, and return what models that had not seen the cases said about them.

        A frozen one is taken not to have seen any of them.
        """
        inner = self._inner()
        if is_frozen(inner):
            labels, weights = self._learn(X, y, weight)
            return HeldOut(self._given(X), labels, weights)
        labels, weights = self._checked(X, y, weight)
        rows, p = out_of_fold(inner, X, labels, cv=cv, weight=weights)
        self._keep(fitted(clone(inner), X, labels, weights))
        return HeldOut(p, labels[rows], None if weights is None else weights[rows])

    def _checked(self, X: Any, y: Any, weight: Any) -> tuple[AnyArray, FloatArray | None]:
        inner = self._inner()
        if not hasattr(inner, "predict_proba"):
            msg = (
                f"{type(inner).__name__} gives no probabilities (predict_proba), and they are what is corrected. "
                "Wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
            raise InputError(msg)
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None: one class for each case."
            raise InputError(msg)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        check_consistent_length(X, labels)
        weights = None if weight is None else self._weights(X, weight)
        if not is_frozen(inner):
            _check_two(labels if weights is None else labels[weights > 0])
        return labels, weights

    def _weights(self, X: Any, weight: Any) -> FloatArray:
        inner = self._inner()
        weights: FloatArray = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        if not is_frozen(inner) and weight_name(inner) is None:
            told = f"{type(inner).__name__} takes no sample_weight and is fitted without it"
            warnings.warn(f"{told}; only the correction uses the weights.", stacklevel=6)
        return weights

    def _keep(self, estimator: Any) -> Self:
        """Take over a fitted classifier and what it knows about classes and features."""
        check_is_fitted(estimator)
        if not hasattr(estimator, "classes_"):
            msg = f"{type(estimator).__name__} has no classes_: nothing says which class a column of probabilities belongs to."
            raise InputError(msg)
        self.estimator_, self.classes_ = estimator, np.asarray(estimator.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))
            elif hasattr(self, name):
                delattr(self, name)
        return self

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self._inner()
        if hasattr(inner, "__sklearn_tags__"):
            within = get_tags(inner)
            tags.input_tags = within.input_tags
            if within.classifier_tags is not None:
                tags.classifier_tags.multi_class = within.classifier_tags.multi_class
        return tags


def places_of(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return which of the classes each label is; refuse a label that the classifier did not learn."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    strange = sorted(set(labels.tolist()) - place.keys(), key=str)
    if strange:
        msg = f"y has {listed(strange)}, which the classifier did not learn; it knows {listed(place)}."
        raise InputError(msg)
    return np.array([place[label] for label in labels.tolist()], dtype=np.int64)


def _check_two(labels: AnyArray) -> None:
    if len(np.unique(labels)) < _TWO:
        msg = f"y has {counted(len(np.unique(labels)), 'class', 'classes')} that counts; at least two classes are needed."
        raise InputError(msg)
