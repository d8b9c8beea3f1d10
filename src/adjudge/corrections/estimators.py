"""Corrections as scikit-learn classifiers around any classifier that gives probabilities.

An unfitted classifier is fitted, and what the correction needs is learnt from cases that took no part in fitting it. One that is
fitted already goes in as ``FrozenEstimator(classifier)`` (``sklearn.frozen``): scikit-learn's ``clone`` would unfit any other. It
is kept as it is, and the cases given to ``fit`` should be ones it has not seen.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.corrections.class_numbers import costs_of
from adjudge.corrections.costs import decision_labels
from adjudge.corrections.labelled import probabilities
from adjudge.corrections.multipliers import Bounds, Form, Goal, Multipliers, fit_multipliers
from adjudge.corrections.prior_estimator import PriorShiftClassifier
from adjudge.corrections.rejection import Kind, Rejection, fit_rejection
from adjudge.corrections.wrapping import Wrapping, places_of
from adjudge.stats.rejection import cheapest

__all__ = ["CostClassifier", "MultiplierClassifier", "PriorShiftClassifier", "RejectingClassifier"]


class MultiplierClassifier(Wrapping):
    r"""A classifier whose probabilities are corrected by one number per class.

    Parameters
    ----------
    estimator : classifier, optional
        What gives the probabilities; ``LogisticRegression()`` if left out. A ``FrozenEstimator`` is not fitted again.
    form, goal, bounds
        As in :func:`adjudge.fit_multipliers`.
    cv : int, splitter or iterable of splits
        The folds whose out-of-fold probabilities the correction is fitted to; a number means stratified folds in the order of the
        cases, so pass a splitter that shuffles where they are sorted. A frozen estimator needs none.
    random_state : int, RandomState, Generator or None
        Where the searches with many minima begin.

    Attributes
    ----------
    multipliers_ : Multipliers
        The correction, with its errors and losses before and after on the cases it was fitted to.
    estimator_ : classifier
        The classifier inside, fitted to all cases.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of probabilities.
    n_features_in_, feature_names_in_
        Those of the classifier inside, where it has them.

    Duch and Itert (2003), A posteriori corrections to classification methods.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> X, y = load_iris(return_X_y=True)

    One model for each class against the rest, set right together:

    >>> found = MultiplierClassifier(OneVsRestClassifier(LogisticRegression()), goal="errors", random_state=0).fit(X[:, 2:], y)
    >>> found.multipliers_.errors_before, found.multipliers_.errors
    (6, 4)
    """

    multipliers_: Multipliers

    def __init__(
        self,
        estimator: Any = None,
        *,
        form: Form = "linear",
        goal: Goal = "squared",
        bounds: Bounds | str = "usual",
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.form = form
        self.goal = goal
        self.bounds = bounds
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and the correction of its probabilities."""
        known = self._learn_apart(X, y, sample_weight, self.cv)
        self.multipliers_ = fit_multipliers(
            known.p,
            known.y,
            form=self.form,
            goal=self.goal,
            bounds=self.bounds,  # type: ignore[arg-type]  # checked there
            classes=self.classes_.tolist(),
            weight=known.weight,
            rng=self._source(),
        )
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the corrected probability of each class, in the order of `classes_`."""
        given = self._given(X)
        return self.multipliers_.apply(given)

    def predict(self, X: Any) -> AnyArray:
        """Return the class of the largest corrected probability; ties go to the majority class."""
        given = self._given(X)
        return self.multipliers_.predict(given).astype(self.classes_.dtype)

    def _source(self) -> np.random.Generator:
        """Return where chance comes from; least squares of the linear form leave it alone."""
        if self.form == "linear" and self.goal == "squared":
            return np.random.default_rng(0)
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31))


class RejectingClassifier(Wrapping):
    r"""A classifier that leaves a case undecided where that costs less than deciding it.

    Parameters
    ----------
    estimator : classifier, optional
        What gives the probabilities; ``LogisticRegression()`` if left out. A ``FrozenEstimator`` is not fitted again.
    gamma, reject_cost, max_rejection, kind
        What errors and rejections cost, and how to cut the probabilities, as in :func:`adjudge.fit_rejection`.
    costs : array-like or mapping, optional
        A K x K or K x (K + 1) table in the order of `classes_`, or {true: {decided: cost}} by name, where the decision REJECTED
        (or "REJECTED") is rejection and the right decision costs 0 unless it is named.
    cv : int, splitter or iterable of splits
        The folds whose out-of-fold probabilities the thresholds are fitted to; a number means stratified folds in the order of
        the cases, so pass a splitter that shuffles where they are sorted. A frozen estimator needs none.

    Attributes
    ----------
    rejection_ : Rejection
        The rule, with its rates on the cases it was fitted to.
    estimator_ : classifier
        The classifier inside, fitted to all cases.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of probabilities.
    n_features_in_, feature_names_in_
        Those of the classifier inside, where it has them.

    Probabilities are those of the classifier inside, unchanged. Labels are objects; read them with ``rejected=REJECTED``.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = RejectingClassifier(GaussianNB(), gamma=3).fit(X[50:, 2:3], y[50:])
    >>> found.predict([[4.0], [4.9], [6.0]]), round(found.rejection_.rejection, 2)
    (array([1, REJECTED, 2], dtype=object), 0.09)
    """

    rejection_: Rejection

    def __init__(
        self,
        estimator: Any = None,
        *,
        gamma: float | None = None,
        reject_cost: float | None = None,
        max_rejection: float | None = None,
        costs: Any = None,
        kind: Kind | None = None,
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.gamma = gamma
        self.reject_cost = reject_cost
        self.max_rejection = max_rejection
        self.costs = costs
        self.kind = kind
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and the thresholds of its probabilities."""
        known = self._learn_apart(X, y, sample_weight, self.cv)
        self.rejection_ = fit_rejection(
            known.p,
            known.y,
            gamma=self.gamma,
            costs=None if self.costs is None else costs_of(self.costs, self.classes_),
            reject_cost=self.reject_cost,
            max_rejection=self.max_rejection,
            kind=self.kind,
            classes=self.classes_.tolist(),
            weight=known.weight,
        )
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return a label for each case as an object, REJECTED where there is no decision."""
        given = self._given(X)
        return self.rejection_.apply(given)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost of the decisions: higher is better, as model selection expects."""
        given = self._given(X)
        codes = self.rejection_.codes(probabilities(given, None))
        return _gained(self.rejection_.costs, y, codes, self.classes_, sample_weight)


class CostClassifier(Wrapping):
    r"""A classifier that decides what is expected to cost least, :math:`\min_j \sum_i p_i C_{ij}`.

    Parameters
    ----------
    estimator : classifier, optional
        What gives the probabilities, which are taken at their word; ``LogisticRegression()`` if left out. A ``FrozenEstimator``
        is not fitted again.
    costs : array-like or mapping, optional
        A K x K table in the order of `classes_`, rows true and columns decided, or with a last column more for rejecting; or
        {true: {decided: cost}} by name, where the right decision costs 0 unless it is named and REJECTED, or "REJECTED", is
        rejection. Left out, every error costs 1: the most probable class.

    Attributes
    ----------
    costs_ : ndarray
        The costs, in the order of `classes_`.
    estimator_ : classifier
        The classifier inside, fitted.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of probabilities.
    n_features_in_, feature_names_in_
        Those of the classifier inside, where it has them.

    Probabilities are those of the classifier inside, unchanged. Where rejecting has a cost, labels are objects; read them with
    ``rejected=REJECTED``.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[1.0], [2.0], [3.0], [2.0], [3.0], [4.0]], ["well", "well", "well", "ill", "ill", "ill"]
    >>> found = CostClassifier(GaussianNB(), costs={"ill": {"well": 5}, "well": {"ill": 1}}).fit(X, y)
    >>> found.predict([[1.0], [2.0]]), found.costs_
    (array(['well', 'ill'], dtype='<U4'), array([[0., 5.],
           [1., 0.]]))
    """

    costs_: FloatArray

    def __init__(self, estimator: Any = None, *, costs: Any = None) -> None:
        self.estimator = estimator
        self.costs = costs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen."""
        self._learn(X, y, sample_weight)
        k = len(self.classes_)
        self.costs_ = 1 - np.eye(k) if self.costs is None else costs_of(self.costs, self.classes_)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the decision of least expected cost; of equal ones the first, and rejection last."""
        codes = self._codes(X)
        k = len(self.classes_)
        return self.classes_[codes] if self.costs_.shape[1] == k else decision_labels(codes, tuple(self.classes_.tolist()))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost of the decisions: higher is better, as model selection expects."""
        codes = self._codes(X)
        return _gained(self.costs_, y, codes, self.classes_, sample_weight)

    def _codes(self, X: Any) -> IntArray:
        given = self._given(X)
        return cheapest(probabilities(given, None), self.costs_)


def _gained(costs: FloatArray, y: Any, codes: IntArray, classes: AnyArray, weight: Any) -> float:
    """Return minus the mean cost of decisions; the code of no decision is that of the last column of costs."""
    each = costs[places_of(np.asarray(y), classes), codes]
    return -float(np.average(each, weights=weight))
