"""One member of an ensemble: a clone of the base learner, fitted to a sample, and what it says in codes of the classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
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
_WEIGHED: dict[str, tuple[str, ...]] = {
    "sklearn.naive_bayes": ("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"),
    "sklearn.linear_model": (
        *("BayesianRidge", "ElasticNet", "GammaRegressor", "HuberRegressor", "Lasso", "LinearRegression", "LogisticRegression"),
        *("PoissonRegressor", "Ridge", "RidgeClassifier", "TweedieRegressor"),
    ),
}
"""Learners beside trees for which a case of weight 3 is that case three times; named, so that they need not be imported."""
_SOLVERS = {"auto", "svd", "cholesky", "lbfgs", "newton-cholesky"}
"""Solvers that go the same way with weights as with repeated rows; others go through the rows one by one, or by lot."""


def is_tree(base: Any) -> bool:
    """Return whether a base learner is one of scikit-learn's own decision trees, and nothing made of one."""
    return type(base) in _TREES


def goes_by_weight(base: Any, asked: Any) -> bool:
    """Return whether a sample is handed over as weights of its cases and not as repeated rows.

    Of its own accord only where the two give the same model: to trees that do not count the cases of a node, and to the learners
    listed above. Others standardise, smooth, stop or shuffle by rows, as ``GaussianNB`` smooths by the variance of all rows, and
    a class weight that is balanced counts rows too.
    """
    if asked is True and not has_fit_parameter(base, "sample_weight"):
        msg = f"{type(base).__name__} takes no sample_weight; use as_weights=False, which repeats the rows drawn."
        raise InputError(msg)
    return _by_itself(base) if asked == "auto" else bool(asked)


def _by_itself(base: Any) -> bool:
    if getattr(base, "class_weight", None) == "balanced":
        return False
    if is_tree(base):
        counts_rows = base.min_samples_split != 2 or base.min_samples_leaf != 1  # noqa: PLR2004 - the default
        return not counts_rows and base.criterion in _PLAIN
    home = ".".join(type(base).__module__.split(".")[:2])
    if type(base).__name__ not in _WEIGHED.get(home, ()) or getattr(base, "selection", "cyclic") != "cyclic":
        return False
    return getattr(base, "solver", "auto") in _SOLVERS


def rows_of(X: Any, rows: IntArray) -> Any:
    """Return some rows, whatever holds them."""
    return X[rows] if isinstance(X, np.ndarray) else _safe_indexing(X, rows)


@contextmanager
def named(number: int) -> Iterator[None]:
    """Say which member it was that could not be fitted."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        msg = f"Model {number + 1} of the ensemble could not be fitted to its sample: {error}"
        raise InputError(msg) from error


def fitted(
    base: Any,
    X: Any,
    y: AnyArray,
    counts: IntArray,
    *,
    rng: np.random.Generator,
    by_weight: bool,
    classes: AnyArray | None,
) -> Any:
    """Return a clone of `base` fitted to the cases that were drawn, each as often as it was.

    Some learners refuse a sample of a single class, though others of `classes` may come: there that class is always said.
    """
    model = seed(clone(base), rng)
    rows = np.flatnonzero(counts) if by_weight else np.repeat(np.arange(counts.size), counts)
    weights = {"sample_weight": counts[rows].astype(np.float64)} if by_weight else {}
    try:
        return model.fit(rows_of(X, rows), y[rows], **weights)
    except ValueError:
        if classes is None or classes.size == 1 or (y[rows] != y[rows[0]]).any():
            raise
        return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), y[rows[:1]])


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
    return coded(_one_each(model, X), classes)


def numbers_said(model: Any, X: Any) -> FloatArray:
    """Return the number that a member gives each case; X of a tree is its own float32 already."""
    if type(model) is DecisionTreeRegressor and _is_single(X):
        return np.asarray(model.predict(X, check_input=False), dtype=np.float64)
    return _one_each(model, X).astype(np.float64)


def _one_each(model: Any, X: Any) -> AnyArray:
    """Return what a member predicts; a column of it, as some packages give, is taken as a row."""
    said, n = np.asarray(model.predict(X)), _num_samples(X)
    if said.shape not in ((n,), (n, 1)):
        msg = f"{type(model).__name__} predicted an array of the shape {said.shape} for {n} cases; one answer for each is needed."
        raise InputError(msg)
    return said.reshape(-1)


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
