"""AdaBoost by resampling for numbers, the AdaBoost.R2 of Drucker (1997), Improving regressors using boosting techniques, ICML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.ensembles.boosting import Boosted
from adjudge.ensembles.members import fitted, goes_by_weight, numbers_said, rows_of, word_of
from adjudge.ensembles.rounds import Boosting, Losses, Round, split
from adjudge.ensembles.sharing import numbers_in

Loss: TypeAlias = Literal["linear", "square", "exponential"]


def losses(misses: FloatArray, loss: Loss) -> FloatArray:
    """Return the loss of each case from 0 to 1: its miss as a part of the largest one, that squared, or 1 - exp(-part)."""
    largest = misses.max(initial=0.0)
    part = misses / largest if largest > 0 else np.zeros_like(misses)
    if loss == "square":
        return np.asarray(part * part)
    return np.asarray(-np.expm1(-part)) if loss == "exponential" else part


def weighted_median(values: FloatArray, votes: FloatArray) -> FloatArray:
    """Return of each row the least value that, with all lower ones, has at least half of the votes."""
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(votes[order], axis=1)
    at = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, at]])


class ResamplingAdaBoostRegressor(RegressorMixin, Boosted):  # type: ignore[misc]
    r"""AdaBoost.R2: models in turn, each fitted to a sample drawn by weights; the weighted median of their numbers is predicted.

    A round draws d of d cases, those of weight 0 not among them, with replacement by their weights and fits a model. The loss
    :math:`L_i` of a case is how far the model misses it, as a part of the largest miss of all; e is the weighted mean of the
    losses. Weights are multiplied by :math:`(e/(1-e))^{1-L_i}` and made to sum to one again; the vote of the model is
    :math:`\ln((1-e)/e)`. A mean loss of 1/2 or more, and a model without any miss, are treated as
    :class:`~adjudge.ResamplingAdaBoost` treats such errors.

    Parameters
    ----------
    estimator : regressor, optional
        What is boosted; ``DecisionTreeRegressor(max_depth=3)`` if left out. Its random_state is set in each round.
    n_estimators : int
        Rounds at most.
    loss : {"linear", "square", "exponential"}
        The part p of the largest miss itself, its square, or 1 - exp(-p).
    early_stop : float, optional
        As of :class:`~adjudge.ResamplingAdaBoost`; judged by the mean absolute error on the cases held out.
    max_restarts, sample_size, patience, as_weights, random_state
        As of :class:`~adjudge.ResamplingAdaBoost`.

    Attributes
    ----------
    estimators_ : list of regressors
        The models kept.
    estimator_errors_, estimator_weights_ : ndarray of shape (n_models,)
        The weighted mean loss of each in its round, and its vote.
    restarts_, stopped_, held_out_rows_, held_out_errors_
        As of :class:`~adjudge.ResamplingAdaBoost`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosted = ResamplingAdaBoostRegressor(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> misses = [abs(said - y[1::2]).mean() for said in boosted.staged_predict(X[1::2])]
    >>> round(float(misses[0])), round(float(misses[-1]))
    (54, 47)
    """

    _usual: Any = DecisionTreeRegressor(max_depth=3)
    binned = False

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        loss: Loss = "linear",
        max_restarts: int = 5,
        sample_size: float = 1.0,
        early_stop: float | None = None,
        patience: int = 10,
        as_weights: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.loss = loss
        self.max_restarts = max_restarts
        self.sample_size = sample_size
        self.early_stop = early_stop
        self.patience = patience
        self.as_weights = as_weights
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost, round by round."""
        self._check()
        if self.loss not in ("linear", "square", "exponential"):
            msg = f"loss must be 'linear', 'square' or 'exponential', got {self.loss!r}."
            raise InputError(msg)
        X = self._features(X, reset=True)
        y = numbers_in(type(self).__name__, X, y)
        weights, word = self._weights(X, sample_weight), word_of(self.random_state)
        rows, held = split(self.early_stop, np.zeros(y.size), weights > 0, word)
        start = weights[rows] / weights[rows].sum()
        base, some, target = self._base(), X if not held.size else rows_of(X, rows), y[rows]
        by_weight = goes_by_weight(base, self.as_weights)

        def learn(times: IntArray, rng: np.random.Generator) -> tuple[Any, Losses]:
            model = fitted(base, some, target, times, rng=rng, by_weight=by_weight, classes=None)
            return model, losses(np.where(start > 0, np.abs(numbers_said(model, some) - target), 0.0), self.loss)

        cases, said, votes = rows_of(X, held), list[FloatArray](), list[float]()

        def judge(found: Round) -> float:
            said.append(numbers_said(found.model, cases))
            votes.append(found.vote)
            misses = np.abs(weighted_median(np.column_stack(said), np.array(votes)) - y[held])
            return float(np.average(misses, weights=weights[held]))

        boosting = Boosting(learn, start, 0.5, 1, self.n_estimators, self.max_restarts, word, self.sample_size)
        self._keep(boosting, held, judge)
        return self

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield what the ensemble of the first round says, of the first two, and so on; each model is asked once."""
        said = self._said(X)
        for number in range(1, len(self.estimators_) + 1):
            yield weighted_median(said[:, :number], self.estimator_weights_[:number])

    def predict(self, X: Any) -> FloatArray:
        """Return the median of what the models say, each counted by its vote."""
        return weighted_median(self._said(X), self.estimator_weights_)

    def _said(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        X = self._features(X, reset=False)
        return np.column_stack([numbers_said(model, X) for model in self.estimators_])
