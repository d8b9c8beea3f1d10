"""What corrected classifiers share: a classifier inside, and probabilities of cases by models that did not learn from them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import compute_class_weight, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from adjudge._base import InputError, argument, counted, listed, parameter, quoted
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.ensembles.members import Around, target

_TWO = 2


class Wrapping(ClassifierMixin, Around):  # type: ignore[misc]
    """A classifier around another one, whose probabilities it takes."""

    _usual: Any = LogisticRegression()

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, in the order of `classes_`."""
        return self._given(X)

    def _given(self, X: Any) -> FloatArray:
        """Return the probabilities of the classifier inside."""
        check_is_fitted(self, "estimator_")
        return probabilities_of(self.estimator_, X)

    def _learn(self, X: Any, y: Any, weight: Any) -> tuple[AnyArray, FloatArray | None]:
        """Fit the classifier inside, unless it is frozen, and return labels and weights as arrays."""
        labels, weights = self._checked(X, y, weight)
        self._keep(fitted(clone(self._base()), X, labels, weights))
        places_of(labels, self.classes_)
        return labels, weights

    def _learn_apart(self, X: Any, y: Any, weight: Any, cv: Any) -> tuple[FloatArray, AnyArray, FloatArray | None]:
        """Fit the classifier inside, and return what models that had not seen the cases, as a frozen one, said about them."""
        inner = self._base()
        if isinstance(inner, FrozenEstimator):
            labels, weights = self._learn(X, y, weight)
            return self._given(X), labels, weights
        labels, weights = self._checked(X, y, weight)
        rows, p = out_of_fold(inner, X, labels, cv=cv, weight=weights)
        self._keep(fitted(clone(inner), X, labels, weights))
        return p, labels[rows], None if weights is None else weights[rows]

    def _checked(self, X: Any, y: Any, weight: Any) -> tuple[AnyArray, FloatArray | None]:
        inner = self._base()
        if not hasattr(inner, "predict_proba"):
            told = f"{type(inner).__name__} gives no probabilities (predict_proba), and they are what is corrected"
            raise InputError(told, ". Wrap it in sklearn.calibration.CalibratedClassifierCV.")
        labels = target(type(self).__name__, X, y, "one class for each case")
        check_classification_targets(labels)
        weights: FloatArray | None = None
        if weight is not None:
            weights = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
            if not isinstance(inner, FrozenEstimator) and weight_name(inner) is None:
                told = f"{type(inner).__name__} takes no sample_weight and is fitted without it"
                warnings.warn(f"{told}; only the correction uses the weights.", stacklevel=5)
        seen = np.unique(labels if weights is None else labels[weights > 0]).size
        if not isinstance(inner, FrozenEstimator) and seen < _TWO:
            msg = f" has {counted(seen, 'class', 'classes')} that counts; at least two classes are needed."
            raise InputError(parameter("y"), msg)
        return labels, weights

    def _keep(self, estimator: Any) -> None:
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

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self._base()
        if hasattr(inner, "__sklearn_tags__"):
            within = get_tags(inner)
            if within.classifier_tags is not None:
                tags.classifier_tags.multi_class = within.classifier_tags.multi_class
        return tags


def places_of(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return which of the classes each label is; refuse a label that the classifier did not learn."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    strange = sorted(set(labels.tolist()) - place.keys(), key=str)
    if strange:
        raise InputError(parameter("y"), f" has {listed(strange)}, which the classifier did not learn; it knows {listed(place)}.")
    return np.array([place[label] for label in labels.tolist()], dtype=np.int64)


def out_of_fold(estimator: Any, X: Any, y: AnyArray, *, cv: Any, weight: FloatArray | None) -> tuple[IntArray, FloatArray]:
    """Return the rows that were tested, in their own order and as often, and their probabilities by models of other folds."""
    classes, counts = np.unique(y, return_counts=True)
    folds = 5 if cv is None else cv
    if isinstance(cv, str):
        told = f" must be a number of folds, a splitter or splits; got {quoted(cv)}"
        raise InputError(parameter("cv"), told, ". One fitted already is a FrozenEstimator(...).")
    if isinstance(folds, (int, np.integer)) and folds > counts.min():
        rare = f"class {quoted(classes.tolist()[counts.argmin()])} has {counts.min()}"
        told = f" folds need {folds} cases of every class; {rare}"
        raise InputError(argument("cv", folds), told, ". Use fewer folds, or a FrozenEstimator and held-out cases.")
    given, y, weight = indexable(X, y, weight)
    rows, parts = [], []
    for train, test in check_cv(cv, y, classifier=True).split(given, y):
        some, labels = _safe_split(estimator, given, y, train)
        model = fitted(clone(estimator), some, labels, None if weight is None else weight[train])
        others, _ = _safe_split(estimator, given, None, test, train)
        p, names, learnt = probabilities_of(model, others), classes.tolist(), model.classes_.tolist()
        if learnt != names:
            missing = listed([label for label in names if label not in learnt])
            warnings.warn(f"The model of a fold did not learn {missing}, which gets the probability 0 there.", stacklevel=2)
            of_learnt, p = p, np.zeros((len(p), classes.size))
            p[:, [names.index(label) for label in learnt]] = of_learnt
        parts.append(p)
        rows.append(np.flatnonzero(test) if np.asarray(test).dtype == np.bool_ else np.asarray(test, dtype=np.int64))
    tested = np.concatenate(rows)
    order = np.argsort(tested, kind="stable")
    return tested[order], np.concatenate(parts)[order]


def fitted(estimator: Any, X: Any, y: AnyArray, weight: FloatArray | None) -> Any:
    """Return the estimator fitted, with weights where it takes them."""
    named = weight_name(estimator)
    return estimator.fit(X, y, **({} if weight is None or named is None else {named: weight}))


def weight_name(estimator: Any) -> str | None:
    """Return by which name `fit` takes weights: that of the last step in a pipeline; None if it takes none."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = None if last is None or isinstance(last, str) else weight_name(last)
        return None if inner is None else f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def probabilities_of(estimator: Any, X: Any) -> FloatArray:
    """Return the probabilities an estimator gives, one column for each of its classes, or refuse them."""
    p = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    k = len(estimator.classes_)
    if p.ndim != _TWO or p.shape[1] != k:
        told = f"{type(estimator).__name__}.predict_proba gave shape {p.shape} for {counted(k, 'class', 'classes')}"
        raise InputError(told, "; one column for each of classes_ is needed.")
    return p


def layers(estimator: Any) -> Iterator[Any]:
    """Yield a classifier and what decides inside it: the last step of a pipeline, the best of a search, what is frozen."""
    yield estimator
    if isinstance(estimator, FrozenEstimator):
        yield from layers(estimator.estimator)
    elif isinstance(estimator, Pipeline):
        yield from layers(estimator.steps[-1][1])
    elif hasattr(estimator, "best_estimator_"):
        yield from layers(estimator.best_estimator_)


def learnt_priors(estimator: Any, y: AnyArray | None, weight: FloatArray | None, classes: AnyArray) -> FloatArray:
    """Return the priors a fitted classifier says it has; else the shares of `y`, with its weights of cases and of classes."""
    *_, inner = layers(estimator)
    for name in ("class_prior_", "priors_", "class_log_prior_", "class_count_"):
        values = getattr(inner, name, None)
        if values is not None and np.shape(values) == (classes.size,):
            known = np.asarray(np.exp(values) if name == "class_log_prior_" else values, dtype=np.float64)
            return np.asarray(known / known.sum())
    if y is None or any(isinstance(layer, FrozenEstimator) for layer in layers(estimator)):
        told = f"{type(inner).__name__} does not say which class priors its training cases had"
        raise InputError(told, ". Pass them: ", argument("old", python="old=[...] or old={class: prior}"), ".")
    taken = weight if weight_name(estimator) is not None else None
    counts = np.bincount(places_of(y, classes), weights=taken, minlength=classes.size).astype(np.float64)
    by_class = getattr(inner, "class_weight", None)
    if by_class is not None and not isinstance(by_class, Mapping):
        return np.full(classes.size, 1 / classes.size)  # "balanced": every class weighs the same, by design
    counts = counts if by_class is None else counts * compute_class_weight(dict(by_class), classes=classes, y=y)
    return np.asarray(counts / counts.sum())
