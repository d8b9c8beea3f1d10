"""Corrections as scikit-learn classifiers around any classifier that gives probabilities.

They are learnt from cases that took no part in fitting it; where it is a ``FrozenEstimator``, give ``fit`` cases it has not seen.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from adjudge._base import InputError, argument, parameter, safe, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.corrections.costs import costs_of, decision_labels, shares_of
from adjudge.corrections.labelled import probabilities
from adjudge.corrections.multipliers import CLOSED, Bounds, Form, Goal, fit_multipliers
from adjudge.corrections.priors import Priors, adjust_priors, estimate_priors
from adjudge.corrections.rejection import Kind, fit_rejection
from adjudge.corrections.wrapping import Wrapping, learnt_priors, places_of
from adjudge.stats.rejection import cheapest

_FROM_ESTIMATOR = "from estimator"


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
    estimator_, classes_, n_features_in_, feature_names_in_
        The classifier inside, fitted to all cases, its classes in the order of the columns of probabilities, and its features.

    Duch and Itert (2003), A posteriori corrections to classification methods.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> X, y = load_iris(return_X_y=True)

    One model for each class against the rest, put together:

    >>> model = MultiplierClassifier(OneVsRestClassifier(LogisticRegression()), goal="errors", random_state=0).fit(X[:, 2:], y)
    >>> model.multipliers_.errors_before, model.multipliers_.errors
    (6, 4)
    """

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
        super().__init__(estimator=estimator, form=form, goal=goal, bounds=bounds, cv=cv, random_state=random_state)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and the correction of its probabilities."""
        p, labels, weight = self._learn_apart(X, y, sample_weight, self.cv)
        rng: Any = self.random_state
        if (self.form, self.goal) == CLOSED:  # leaves chance alone
            rng = 0
        elif not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(check_random_state(rng).randint(2**31))
        how: dict[str, Any] = {"form": self.form, "goal": self.goal, "bounds": self.bounds, "rng": rng}
        self.multipliers_ = fit_multipliers(labels, p, classes=self.classes_.tolist(), weight=weight, **how)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the corrected probability of each class, in the order of `classes_`."""
        given = self._given(X)
        return self.multipliers_.apply(given)

    def predict(self, X: Any) -> AnyArray:
        """Return the class of the largest corrected probability; ties go to the majority class."""
        given = self._given(X)
        return self.multipliers_.predict(given).astype(self.classes_.dtype)


class Costly(Wrapping):
    """A classifier whose decisions have costs."""

    def _decided(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Return the code of each decision and the costs; that of no decision is of their last column."""
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost of the decisions: higher is better, as model selection expects."""
        codes, costs = self._decided(X)
        return -float(np.average(costs[places_of(np.asarray(y), self.classes_), codes], weights=sample_weight))


class RejectingClassifier(Costly):
    r"""A classifier that leaves a case undecided where that costs less than deciding it.

    Parameters
    ----------
    estimator, cv
        As of :class:`MultiplierClassifier`.
    gamma, reject_cost, max_rejection, costs, kind
        What errors and rejections cost, in the order of `classes_` or by name, and how to cut the probabilities, as in
        :func:`adjudge.fit_rejection`.

    Attributes
    ----------
    rejection_ : Rejection
        The rule, with its rates on the cases it was fitted to.
    estimator_, classes_, n_features_in_, feature_names_in_
        As of :class:`MultiplierClassifier`.

    Probabilities are those of the classifier inside, unchanged. Labels are objects; read them with ``rejected=REJECTED``.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RejectingClassifier(GaussianNB(), gamma=3).fit(X[50:, 2:3], y[50:])
    >>> model.predict([[4.0], [4.9], [6.0]]), round(model.rejection_.rejection, 2)
    (array([1, REJECTED, 2], dtype=object), 0.09)
    """

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
        prices = {"gamma": gamma, "reject_cost": reject_cost, "max_rejection": max_rejection, "costs": costs}
        super().__init__(estimator=estimator, kind=kind, cv=cv, **prices)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and the thresholds of its probabilities."""
        p, labels, weight = self._learn_apart(X, y, sample_weight, self.cv)
        prices = {"gamma": self.gamma, "reject_cost": self.reject_cost, "max_rejection": self.max_rejection}
        costs = None if self.costs is None else costs_of(self.costs, self.classes_)
        cases = {"classes": self.classes_.tolist(), "weight": weight}
        self.rejection_ = fit_rejection(labels, p, costs=costs, kind=self.kind, **prices, **cases)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return a label for each case as an object, REJECTED where there is no decision."""
        given = self._given(X)
        return self.rejection_.apply(given)

    def _decided(self, X: Any) -> tuple[IntArray, FloatArray]:
        p = probabilities(self._given(X), None)
        return self.rejection_.codes(p), self.rejection_.costs


class CostClassifier(Costly):
    r"""A classifier that decides what is expected to cost least, :math:`\min_j \sum_i p_i C_{ij}`.

    Parameters
    ----------
    estimator : classifier, optional
        As of :class:`MultiplierClassifier`; its probabilities are taken at their word.
    costs : array-like or mapping, optional
        As in :func:`adjudge.decide`, in the order of `classes_`. Left out, every error costs 1: the most probable class.

    Attributes
    ----------
    costs_ : ndarray
        The costs, in the order of `classes_`.
    estimator_, classes_, n_features_in_, feature_names_in_
        As of :class:`MultiplierClassifier`.

    Probabilities are those of the classifier inside, unchanged. Where rejecting has a cost, labels are objects; read them with
    ``rejected=REJECTED``.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[1.0], [2.0], [3.0], [2.0], [3.0], [4.0]], ["well", "well", "well", "ill", "ill", "ill"]
    >>> model = CostClassifier(GaussianNB(), costs={"ill": {"well": 5}, "well": {"ill": 1}}).fit(X, y)
    >>> model.predict([[1.0], [2.0]]), model.costs_
    (array(['well', 'ill'], dtype='<U4'), array([[0., 5.],
           [1., 0.]]))
    """

    def __init__(self, estimator: Any = None, *, costs: Any = None) -> None:
        super().__init__(estimator=estimator, costs=costs)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen."""
        self._learn(X, y, sample_weight)
        self.costs_ = 1 - np.eye(len(self.classes_)) if self.costs is None else costs_of(self.costs, self.classes_)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the decision of least expected cost; of equal ones the first, and rejection last."""
        codes, costs = self._decided(X)
        rejects = costs.shape[1] > len(self.classes_)
        return decision_labels(codes, tuple(self.classes_.tolist())) if rejects else self.classes_[codes]

    def _decided(self, X: Any) -> tuple[IntArray, FloatArray]:
        p = probabilities(self._given(X), None)
        return cheapest(p, self.costs_), self.costs_


class PriorShiftClassifier(Wrapping):
    r"""A classifier trained where the classes were differently frequent from where it is used.

    Parameters
    ----------
    estimator : classifier, optional
        As of :class:`MultiplierClassifier`; its probabilities must be calibrated on cases like its training cases.
    priors : array-like or mapping, optional
        The new priors where they are known, in the order of `classes_` or {class: prior}.
    old : array-like, mapping or "from estimator"
        The priors the classifier was trained under. "from estimator": those it says it has (``class_prior_``, ``priors_``,
        ``class_log_prior_``, ``class_count_``), else the shares of the classes in `y`, with the weights of cases and classes it
        was fitted with. A frozen one that does not say it needs them here. They are never taken to be equal. Give
        them too where something inside the classifier weighs or draws classes in a way of its own.

    Attributes
    ----------
    old_priors_, new_priors_ : ndarray of shape (n_classes,)
        The priors it was trained under, and those its probabilities are for: the old ones until new ones are known.
    priors_ : Priors or None
        What `adapt` estimated, with intervals and a test of whether the priors have moved; None where they were not estimated.
    estimator_, classes_, n_features_in_, feature_names_in_
        As of :class:`MultiplierClassifier`.

    Before :meth:`adapt`, and without `priors`, the probabilities are those of the classifier inside. Saerens, Latinne and
    Decaestecker (2002), Neural Comput. 14:21-41.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> model = PriorShiftClassifier(GaussianNB()).fit(
    ...     [*rng.normal(0, 1, (99, 1)), *rng.normal(3, 1, (99, 1))], [0] * 99 + [1] * 99
    ... )
    >>> unlabelled = [*rng.normal(0, 1, (180, 1)), *rng.normal(3, 1, (20, 1))]
    >>> model.adapt(unlabelled).new_priors_.round(2), model.priors_.p_value < 0.001
    (array([0.9, 0.1]), True)
    """

    priors_: Priors | None

    def __init__(self, estimator: Any = None, *, priors: Any = None, old: Any = _FROM_ESTIMATOR) -> None:
        super().__init__(estimator=estimator, priors=priors, old=old)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, unless it is frozen, and find the priors it was trained under. Undoes what was adapted to."""
        return self._begin(*self._learn(X, y, sample_weight))

    def adapt(self, X: Any = None, *, priors: Any = None, sample_weight: Any = None) -> Self:
        """Set the probabilities to new priors: those unlabelled cases `X` speak for, or `priors`.

        A frozen classifier needs no `fit` before. Estimates rely on calibrated probabilities, and on classes that look as they
        did; see :func:`adjudge.estimate_priors`. In a pipeline, `X` is what the steps before give.
        """
        if (X is None) == (priors is None):
            raise InputError(wording("adapt() takes unlabelled cases or ", argument("priors"), ", one of them."))
        if isinstance(self.estimator, FrozenEstimator) and not hasattr(self, "old_priors_"):  # one that never saw `fit`
            self._keep(clone(self.estimator))
            self._begin(None, None)
        check_is_fitted(self, "old_priors_")
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
        return np.asarray(self.classes_[codes])

    def _begin(self, y: AnyArray | None, weight: FloatArray | None) -> Self:
        if not isinstance(self.old, str):
            self.old_priors_ = shares_of(self.old, self.classes_, "old")
        elif self.old == _FROM_ESTIMATOR:
            self.old_priors_ = learnt_priors(self.estimator_, y, weight, self.classes_)
        else:
            msg = f" must be {_FROM_ESTIMATOR!r} or one prior for each class, got {safe(repr(self.old))}."
            raise InputError(parameter("old"), msg)
        self.new_priors_ = self.old_priors_ if self.priors is None else shares_of(self.priors, self.classes_, "priors")
        self.priors_ = None
        return self
