"""Probabilities of cases by models that did not learn from them.

A correction fitted to the probabilities a model gives its own training cases mistakes memory for knowledge. So the cases are
split into folds, each fold is judged by a model of the others, and the correction is fitted to what those said.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import has_fit_parameter

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, quoted

_TWO = 2


def out_of_fold(estimator: Any, X: Any, y: AnyArray, *, cv: Any, weight: FloatArray | None) -> tuple[IntArray, FloatArray]:
    """Return the rows that were in a test fold, and their probabilities by the models of the other folds.

    Rows are in their own order; one tested more than once is there as often. Columns are the sorted classes of `y`.
    """
    classes, counts = np.unique(y, return_counts=True)
    _check_folds(cv, classes, counts)
    given, y, weight = indexable(X, y, weight)
    rows, parts = [], []
    for train, test in check_cv(cv, y, classifier=True).split(given, y):
        some, labels = _safe_split(estimator, given, y, train)
        model = fitted(clone(estimator), some, labels, None if weight is None else weight[train])
        others, _ = _safe_split(estimator, given, None, test, train)
        parts.append(_by_name(probabilities_of(model, others), model.classes_, classes))
        rows.append(_numbered(test))
    tested = np.concatenate(rows)
    order = np.argsort(tested, kind="stable")
    return tested[order], np.concatenate(parts)[order]


def _check_folds(cv: Any, classes: AnyArray, counts: IntArray) -> None:
    """Refuse more folds than a class has cases: the model of some fold would not know the class."""
    if isinstance(cv, str):
        msg = (
            f"cv must be a number of folds, a splitter or splits; got {quoted(cv)}. One fitted already is a FrozenEstimator(...)."
        )
        raise InputError(msg)
    folds = 5 if cv is None else cv
    if isinstance(folds, (int, np.integer)) and folds > counts.min():
        rare = classes.tolist()[counts.argmin()]
        msg = (
            f"cv={folds} folds need {folds} cases of every class; class {quoted(rare)} has {counts.min()}. Use fewer folds, or a "
            "FrozenEstimator and cases it has not seen."
        )
        raise InputError(msg)


def _numbered(test: Any) -> IntArray:
    rows = np.asarray(test)
    return np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)


def _by_name(p: FloatArray, known: AnyArray, classes: AnyArray) -> FloatArray:
    """Return columns in the order of `classes`; a class that the model did not know has the probability 0."""
    if known.tolist() == classes.tolist():
        return p
    missing = [label for label in classes.tolist() if label not in known.tolist()]
    warnings.warn(f"The model of a fold did not learn {listed(missing)}, which gets the probability 0 there.", stacklevel=2)
    found = np.zeros((len(p), classes.size))
    found[:, [classes.tolist().index(label) for label in known.tolist()]] = p
    return found


def fitted(estimator: Any, X: Any, y: AnyArray, weight: FloatArray | None) -> Any:
    """Return the estimator fitted, with weights where it takes them."""
    named = weight_name(estimator)
    if weight is None or named is None:
        return estimator.fit(X, y)
    return estimator.fit(X, y, **{named: weight})


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
        msg = f"{told}; one column for each of classes_ is needed."
        raise InputError(msg)
    return p


def is_frozen(estimator: Any) -> bool:
    """Return whether an estimator is kept as it was fitted."""
    return isinstance(estimator, FrozenEstimator)
