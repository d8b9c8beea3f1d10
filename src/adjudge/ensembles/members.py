"""One member of an ensemble: a clone of the base learner, fitted to a sample, and what it says in codes of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed
from adjudge.ensembles.binned_tree import BinnedTreeClassifier
from adjudge.ensembles.drawing import seed

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor)
_PLAIN = {"gini", "entropy", "log_loss", "squared_error", "friedman_mse"}


def is_tree(base: Any) -> bool:
    """Return whether a base learner is one of scikit-learn's own decision trees, and nothing made of one."""
    return type(base) in _TREES


def goes_by_weight(base: Any, asked: Any) -> bool:
    """Return whether a sample is handed over as weights of its cases and not as repeated rows.

    Of its own accord only to trees that do not count the cases of a node: there the two give the same tree. Other learners
    standardise, smooth or stop by the number of rows, and a class weight that is balanced counts rows too.
    """
    if asked is True and not has_fit_parameter(base, "sample_weight"):
        msg = f"{type(base).__name__} takes no sample_weight; use as_weights=False, which repeats the rows drawn."
        raise InputError(msg)
    return _by_itself(base) if asked == "auto" else bool(asked)


def _by_itself(base: Any) -> bool:
    if not is_tree(base) or base.criterion not in _PLAIN:
        return False
    counts_rows = base.min_samples_split != 2 or base.min_samples_leaf != 1  # noqa: PLR2004 - the default
    return not counts_rows and getattr(base, "class_weight", None) != "balanced"


def rows_of(X: Any, rows: IntArray) -> Any:
    """Return some rows, whatever holds them."""
    return X[rows] if isinstance(X, np.ndarray) else _safe_indexing(X, rows)


def fitted(base: Any, X: Any, y: AnyArray, counts: IntArray, *, rng: np.random.Generator, by_weight: bool) -> Any:
    """Return a clone of `base` fitted to the cases that were drawn, each as often as it was."""
    model = seed(clone(base), rng)
    if by_weight:
        rows = np.flatnonzero(counts)
        return model.fit(rows_of(X, rows), y[rows], sample_weight=counts[rows].astype(np.float64))
    rows = np.repeat(np.arange(counts.size), counts)
    return model.fit(rows_of(X, rows), y[rows])


def coded(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return the place of each label among the sorted `classes`."""
    at = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    strange = classes[at] != labels
    if np.any(strange):
        said = listed(dict.fromkeys(np.asarray(labels)[strange].tolist()))
        msg = f"A model of the ensemble said {said}, which is no class of y."
        raise InputError(msg)
    return np.asarray(at)


def codes_said(model: Any, X: Any, classes: AnyArray) -> IntArray:
    """Return the place of the class that a member gives each case; X of a tree is its own float32 already."""
    if type(model) is DecisionTreeClassifier and _is_single(X):
        found: IntArray = model.predict_proba(X, check_input=False).argmax(axis=1)
        return found if len(model.classes_) == classes.size else coded(model.classes_, classes)[found]
    if isinstance(model, BinnedTreeClassifier):
        return model.codes_of(X)
    return coded(np.asarray(model.predict(X)), classes)


def numbers_said(model: Any, X: Any) -> FloatArray:
    """Return the number that a member gives each case; X of a tree is its own float32 already."""
    if type(model) is DecisionTreeRegressor and _is_single(X):
        return np.asarray(model.predict(X, check_input=False), dtype=np.float64)
    return np.asarray(model.predict(X), dtype=np.float64).reshape(-1)


def probabilities_said(model: Any, X: Any, classes: AnyArray) -> FloatArray:
    """Return the probability that a member gives each class; 0 for a class it has not seen, a vote where it has none."""
    found = np.zeros((_num_samples(X), classes.size))
    if not hasattr(model, "predict_proba"):
        found[np.arange(len(found)), codes_said(model, X, classes)] = 1
        return found
    found[:, coded(model.classes_, classes)] = model.predict_proba(X)
    return found


def _is_single(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float32
