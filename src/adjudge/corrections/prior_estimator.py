"""A classifier whose probabilities follow the class priors of where it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.corrections.class_numbers import shares_of
from adjudge.corrections.priors import Priors, adjust_priors, estimate_priors
from adjudge.corrections.wrapping import Wrapping, is_frozen, places_of, weight_name

_FROM_ESTIMATOR = "from estimator"


class PriorShiftClassifier(Wrapping):
    r"""A classifier learnt where the classes were differently frequent from where it is used.

    Parameters
    ----------
    estimator : classifier, optional
        What gives the probabilities, calibrated on cases like its training cases; ``LogisticRegression()`` if left out. A
        ``FrozenEstimator`` is not fitted again.
    priors : array-like or mapping, optional
        The new priors where they are known, in the order of `classes_` or {class: prior}.
    old : array-like, mapping or "from estimator"
        The priors the classifier was learnt under. "from estimator": those it says it has (``class_prior_``, ``priors_``,
        ``class_log_prior_``, ``class_count_``), else the shares of the classes in `y`, with the weights of cases and classes it
        was fitted with. A frozen one that does not say it needs them here. They are never taken to be equal. Give
        them too where something inside the classifier weighs or draws classes in a way of its own.

    Attributes
    ----------
    old_priors_, new_priors_ : ndarray of shape (n_classes,)
        The priors it was learnt under, and those its probabilities are for: the old ones until new ones are known.
    priors_ : Priors or None
        What `adapt` estimated, with limits and a test of whether the priors have moved; None where they were not estimated.
    estimator_ : classifier
        The classifier inside, fitted.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of probabilities.
    n_features_in_, feature_names_in_
        Those of the classifier inside, where it has them.

    Before :meth:`adapt`, and without `priors`, the probabilities are those of the classifier inside. Saerens, Latinne and
    Decaestecker (2002), Neural Comput. 14:21-41.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> found = PriorShiftClassifier(GaussianNB()).fit(
    ...     [*rng.normal(0, 1, (99, 1)), *rng.normal(3, 1, (99, 1))], [0] * 99 + [1] * 99
    ... )
    >>> unlabelled = [*rng.normal(0, 1, (180, 1)), *rng.normal(3, 1, (20, 1))]
    >>> found.adapt(unlabelled).new_priors_.round(2), found.priors_.p_value < 0.001
    (array([0.9, 0.1]), True)
    """

    old_priors_: FloatArray
    new_priors_: FloatArray
    priors_: Priors | None

    def __init__(self, estimator: Any = None, *, priors: Any = None, old: Any = _FROM_ESTIMATOR) -> None:
        self.estimator = estimator
        self.priors = priors
        self.old = old

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and find the priors it was learnt under. Undoes what was adapted to."""
        labels, weights = self._learn(X, y, sample_weight)
        return self._begin(labels, weights)

    def adapt(self, X: Any = None, *, priors: Any = None, sample_weight: Any = None) -> Self:
        """Set the probabilities to new priors: those unlabelled cases `X` speak for, or `priors`.

        A frozen classifier needs no `fit` before. Estimates rely on calibrated probabilities, and on classes that look as they
        did; see :func:`adjudge.estimate_priors`. In a pipeline, `X` is what the steps before give.
        """
        if (X is None) == (priors is None):
            msg = "adapt() takes unlabelled cases or priors=, one of them."
            raise InputError(msg)
        self._begin_frozen()
        if priors is not None:
            self.new_priors_, self.priors_ = shares_of(priors, self.classes_, "priors"), None
            return self
        self.priors_ = estimate_priors(self._given(X), old=self.old_priors_, weight=sample_weight, classes=self.classes_.tolist())
        self.new_priors_ = self.priors_.priors
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class under the new priors, in the order of `classes_`."""
        given = self._given(X)
        if np.array_equal(self.new_priors_, self.old_priors_):
            return given
        return adjust_priors(given, old=self.old_priors_, new=self.new_priors_)

    def predict(self, X: Any) -> AnyArray:
        """Return the most probable class under the new priors."""
        codes = self.predict_proba(X).argmax(axis=1)
        found: AnyArray = self.classes_[codes]
        return found

    def _begin(self, y: AnyArray | None, weight: FloatArray | None) -> Self:
        self.old_priors_ = self._old(y, weight)
        self.new_priors_ = self.old_priors_ if self.priors is None else shares_of(self.priors, self.classes_, "priors")
        self.priors_ = None
        return self

    def _begin_frozen(self) -> None:
        """Begin with a frozen classifier that never saw `fit`; others must have been fitted."""
        if is_frozen(self.estimator) and not hasattr(self, "old_priors_"):
            self._keep(clone(self.estimator))
            self._begin(None, None)
        check_is_fitted(self, "old_priors_")

    def _old(self, y: AnyArray | None, weight: FloatArray | None) -> FloatArray:
        if not isinstance(self.old, str):
            return shares_of(self.old, self.classes_, "old")
        if self.old != _FROM_ESTIMATOR:
            msg = f"old must be {_FROM_ESTIMATOR!r} or one prior for each class, got {safe(repr(self.old))}."
            raise InputError(msg)
        said = _said(self.estimator_, len(self.classes_))
        if said is not None:
            return said
        if y is None or any(is_frozen(layer) for layer in _layers(self.estimator_)):
            name = type(_innermost(self.estimator_)).__name__
            msg = f"{name} does not say which class priors its training cases had. Pass them: old=[...] or old={{class: prior}}."
            raise InputError(msg)
        return _counted(self.estimator_, y, weight, self.classes_)


def _layers(estimator: Any) -> Iterator[Any]:
    """Yield a classifier and what decides inside it: the last step of a pipeline, the best of a search, what is frozen."""
    yield estimator
    if isinstance(estimator, FrozenEstimator):
        yield from _layers(estimator.estimator)
    elif isinstance(estimator, Pipeline):
        yield from _layers(estimator.steps[-1][1])
    elif hasattr(estimator, "best_estimator_"):
        yield from _layers(estimator.best_estimator_)


def _innermost(estimator: Any) -> Any:
    return list(_layers(estimator))[-1]


def _said(estimator: Any, k: int) -> FloatArray | None:
    """Return the priors a fitted classifier says it has."""
    inner = _innermost(estimator)
    for name, read in (
        ("class_prior_", np.asarray),
        ("priors_", np.asarray),
        ("class_log_prior_", np.exp),
        ("class_count_", _shares),
    ):
        values = getattr(inner, name, None)
        if values is not None and np.shape(values) == (k,):
            return _shares(read(values))
    return None


def _counted(estimator: Any, y: AnyArray, weight: FloatArray | None, classes: AnyArray) -> FloatArray:
    """Return the shares of the classes as the classifier saw them: with its weights of cases and of classes."""
    codes = places_of(y, classes)
    taken = weight if weight_name(estimator) is not None else None
    counts = np.bincount(codes, weights=taken, minlength=classes.size).astype(np.float64)
    ways = getattr(_innermost(estimator), "class_weight", None)
    if ways is None:
        return _shares(counts)
    if isinstance(ways, Mapping):
        return _shares(counts * compute_class_weight(dict(ways), classes=classes, y=y))
    return np.full(classes.size, 1 / classes.size)  # "balanced": every class weighs the same, by design


def _shares(values: Any) -> FloatArray:
    counts = np.asarray(values, dtype=np.float64)
    found: FloatArray = counts / counts.sum()
    return found
