"""AdaBoost by resampling: every model is fitted to a sample in which the errors of the models before it are more common.

For numbers it is the AdaBoost.R2 of Drucker (1997), Improving regressors using boosting techniques, ICML.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from adjudge._base import InputError, check_whole, parameter
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, frozen
from adjudge.ensembles import members
from adjudge.ensembles.growing import BinnedTreeClassifier, Table, bins_of, grow, stands_for
from adjudge.ensembles.members import Ensemble, codes_said, fitted, goes_by_weight, labels_in, numbers_in, numbers_said, rows_of
from adjudge.ensembles.rounds import Boosting, Learn, Losses, Round, split

Loss: TypeAlias = Literal["linear", "square", "exponential"]
_TWO = 2
_MOST_COUNTS = 2048  # leaves times classes; with more, counting them all takes longer than sorting the cases
_SHALLOW = "a DecisionTreeClassifier of a max_depth from 1 to 6 and otherwise usual parameters"


class Boosted(Ensemble):
    """What boosting of classes and of numbers share."""

    max_restarts: int
    early_stop: float | None
    patience: int
    sample_size: float

    def _check(self) -> None:
        super()._check()
        check_whole("max_restarts", self.max_restarts, 0)
        check_whole("patience", self.patience, 1)
        size: Any = self.sample_size
        number = isinstance(size, (int, float, np.integer, np.floating)) and not isinstance(size, bool)
        if not number or not 0 < size < np.inf:
            raise InputError(parameter("sample_size"), f" must be a finite number above 0, got {size!r}.")
        share: Any = self.early_stop
        if share is not None and not (isinstance(share, (float, np.floating)) and 0 < share < 1):
            told = f" must be None or the part of the cases to hold out, between 0 and 1; got {share!r}"
            raise InputError(parameter("early_stop"), told, ". A fifth is 0.2.")

    def _boost(self, X: Any, kinds: AnyArray, sample_weight: Any, learner: Any, judge: Any, *, others: int = 1) -> Self:
        """Take on models of `learner` round by round, until the cases held out, `judge`d after each, say that it is enough."""
        weights, word = self._weights(X, sample_weight), members.word_of(self.random_state)
        rows, held = split(self.early_stop, kinds, weights > 0, word)
        start = weights[rows] / weights[rows].sum()
        limits = others / (others + 1), others, self.n_estimators, self.max_restarts
        learn = learner(X if not held.size else rows_of(X, rows), rows, start)
        boosting = Boosting(learn, start, *limits, word, self.sample_size)
        cases, taken, errors, best = rows_of(X, held), list[Round](), list[float](), 0
        for member in boosting.run():
            taken.append(member)
            if held.size:
                errors.append(float(np.average(judge(member, cases, held), weights=weights[held])))
                best = int(np.argmin(errors)) + 1  # of equally good numbers of rounds the lowest
                if len(errors) - best >= self.patience:
                    boosting.stopped = "held out"
                    break
        taken = taken[:best] if held.size else taken
        self.estimators_ = [each.model for each in taken]
        self.estimator_errors_ = frozen([each.error for each in taken])
        self.estimator_weights_ = frozen([each.vote for each in taken])
        self.held_out_errors_, self.held_out_rows_ = frozen(errors), frozen(held, np.int64)
        self.restarts_, self.stopped_ = boosting.restarts, boosting.stopped
        if boosting.stopped == "chance" and boosting.is_chance(taken[0].error):
            least = f"none had an error below {boosting.limit:.3g}, the least was {taken[0].error:.3g}"
            warnings.warn(f"Of {self.max_restarts + 1} models {least}; that one is kept, alone. {self._advice()}", stacklevel=3)
        return self

    def _advice(self) -> str:
        return "Boost a stronger learner."


class ResamplingAdaBoost(ClassifierMixin, Boosted):  # type: ignore[misc]
    r"""AdaBoost by weighted sampling: models in turn, each fitted to a sample drawn by weights, vote by their errors.

    All d cases begin with the weight 1/d, or what `sample_weight` says; those of weight 0 are not among the d. A round draws d
    cases with replacement by their weights, fits a model, and sums the weights of all cases it misclassifies: its error e. The
    weights of the others are multiplied by :math:`e/(1-e)` and all are made to sum to one again, so that those misclassified
    hold half of it. The vote of the model is :math:`\ln((1-e)/e)`.

    * An error of 1/2 or more: the weights begin anew and the round is tried again, at most `max_restarts` times; then boosting
      ends. If that is the first round, the best of the models tried is kept alone, with a warning.
    * No error at all: boosting ends. The vote would be infinite; it is made ln(d + 1) more than all votes before it together,
      so that this model decides alone.

    Parameters
    ----------
    estimator : classifier, optional
        What is boosted; ``DecisionTreeClassifier(max_depth=1)`` if left out. Its random_state is set in each round.
    n_estimators : int
        Rounds at most.
    samme : bool
        For K > 2 classes: a model need only have an error below 1 - 1/K, that of guessing, and ln(K - 1) is added to each vote;
        those misclassified then hold (K - 1)/K of the weight. Without it a model has to be correct more than half the time,
        whatever the number of classes.
    max_restarts : int
        How often a round is tried again with new weights.
    sample_size : float
        How many cases a round draws for each case there is. More draws follow the weights more closely, but a full tree that
        has seen all cases makes no error, which ends boosting: so keep to 1 with full trees.
    early_stop : float, optional
        The part of the cases to hold out, a fifth say, in the proportions of the classes. The ensemble is tested on them after
        every round; boosting ends when its error there has not fallen for `patience` rounds, and the rounds up to the least
        error are kept. That least error was chosen for being small: it flatters, so test the ensemble on other cases.
    patience : int
        Rounds without a lower error on the cases held out.
    as_weights : bool or "auto"
        As of :class:`~adjudge.BaggingVoter`.
    binned : bool or "auto"
        Whether shallow trees look for thresholds near the best cut between at most 255 bins of each feature. "auto" does so from
        10,000 cases on where the estimator is a ``DecisionTreeClassifier`` of a max_depth from 1 to 6, all else being usual, and
        X is dense and finite. Where no feature has more than 255 values it is the same tree.
    random_state : int, RandomState, Generator or None
        What samples, models and held-out cases are drawn by.

    Attributes
    ----------
    estimators_ : list of classifiers
        The models kept.
    estimator_errors_, estimator_weights_ : ndarray of shape (n_models,)
        The weighted error of each in its round, and its vote.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    restarts_ : int
        How often a model was thrown away and the weights began anew.
    stopped_ : {"rounds", "perfect", "chance", "held out"}
        What ended boosting: the number of rounds, a model without error, none better than chance, or `early_stop`.
    held_out_rows_, held_out_errors_ : ndarray
        The cases held out, and the error of the ensemble on them after each round; empty without `early_stop`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = ResamplingAdaBoost(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> round(boosted.score(X[1::2], y[1::2]), 1), boosted.stopped_
    (0.9, 'rounds')
    """

    _usual: Any = DecisionTreeClassifier(max_depth=1)

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        samme: bool = False,
        max_restarts: int = 5,
        sample_size: float = 1.0,
        early_stop: float | None = None,
        patience: int = 10,
        as_weights: Any = "auto",
        binned: Any = "auto",
        random_state: Any = None,
    ) -> None:
        rounds = {"max_restarts": max_restarts, "sample_size": sample_size, "early_stop": early_stop, "patience": patience}
        how = {"samme": samme, "as_weights": as_weights, "binned": binned, "random_state": random_state}
        super().__init__(estimator=estimator, n_estimators=n_estimators, **rounds, **how)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost, round by round."""
        self._check()
        X = self._features(X, reset=True)
        labels, self.classes_, codes = labels_in(type(self).__name__, X, y)
        votes: list[FloatArray] = []

        def judge(member: Round, cases: Any, held: IntArray) -> BoolArray:
            votes[:] = votes or [np.zeros((held.size, self.classes_.size))]
            votes[0][np.arange(held.size), codes_said(member.model, cases, self.classes_)] += member.vote
            return np.asarray(votes[0].argmax(axis=1) != codes[held])

        def learner(some: Any, rows: IntArray, _: FloatArray) -> Learn:
            return self._learner(some, labels[rows], codes[rows])

        others = max(1, self.classes_.size - 1) if self.samme else 1
        return self._boost(X, codes, sample_weight, learner, judge, others=others)

    def _check(self) -> None:
        super()._check()
        members.check_flag("samme", self.samme)

    def _learner(self, X: Any, labels: AnyArray, codes: IntArray) -> Learn:
        base, classes = self._base(), self.classes_
        pays = stands_for(base) and classes.size << base.max_depth <= _MOST_COUNTS
        if self._bins(X, able=stands_for(base), pays=pays, wanted=_SHALLOW):
            table = Table(X, bins_of(X, codes), codes, classes.size)

            def learn_binned(counts: IntArray, _: np.random.Generator) -> tuple[Any, Losses]:
                grown = grow(table, counts.astype(np.float64), base.max_depth)
                model = BinnedTreeClassifier(max_depth=base.max_depth).take(grown, classes, X.shape[1])
                return model, grown.shares.argmax(axis=1)[grown.leaf] != codes

            return learn_binned
        by_weight = goes_by_weight(base, self.as_weights)

        def learn(counts: IntArray, rng: np.random.Generator) -> tuple[Any, Losses]:
            model = fitted(base, X, labels, counts, rng=rng, by_weight=by_weight, classes=classes)
            return model, codes_said(model, X, classes) != codes

        return learn

    def _advice(self) -> str:
        many = self.classes_.size > _TWO and not self.samme
        return "With samme=True a model need only be better than guessing." if many else super()._advice()

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield what the ensemble of the first round says, of the first two, and so on; each model is asked once."""
        for votes in self._staged(X):
            yield np.asarray(self.classes_[votes.argmax(axis=1)])

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the largest sum of votes; of equal ones the first."""
        votes = self._votes(X)  # says first whether there are models
        return np.asarray(self.classes_[votes.argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the part of all votes that each class has, in the order of `classes_`; it ranks cases but is not calibrated."""
        return np.asarray(self._votes(X) / self.estimator_weights_.sum())

    def decision_function(self, X: Any) -> FloatArray:
        """Return the part of the votes of each class; of two classes how much more the second has than the first."""
        shares = self.predict_proba(X)
        return np.asarray(shares[:, 1] - shares[:, 0]) if self.classes_.size == _TWO else shares

    def _votes(self, X: Any) -> FloatArray:
        *_, votes = self._staged(X)
        return votes

    def _staged(self, X: Any) -> Iterator[FloatArray]:
        X = self._asked(X)
        said = (codes_said(model, X, self.classes_) for model in self.estimators_)
        return members.staged_votes(said, self.estimator_weights_.tolist(), self.classes_.size)


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
        As of :class:`~adjudge.ResamplingAdaBoost`; tested by the mean absolute error on the cases held out.
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
    >>> misses = [abs(predicted - y[1::2]).mean() for predicted in boosted.staged_predict(X[1::2])]
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
        rounds = {"max_restarts": max_restarts, "sample_size": sample_size, "early_stop": early_stop, "patience": patience}
        how = {"loss": loss, "as_weights": as_weights, "random_state": random_state}
        super().__init__(estimator=estimator, n_estimators=n_estimators, **rounds, **how)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost, round by round."""
        self._check()
        if self.loss not in get_args(Loss):
            raise InputError(parameter("loss"), f" must be 'linear', 'square' or 'exponential', got {self.loss!r}.")
        X = self._features(X, reset=True)
        y = numbers_in(type(self).__name__, X, y)
        base, said, votes = self._base(), list[FloatArray](), list[float]()
        by_weight = goes_by_weight(base, self.as_weights)

        def learner(some: Any, rows: IntArray, start: FloatArray) -> Learn:
            target = y[rows]

            def learn(times: IntArray, rng: np.random.Generator) -> tuple[Any, Losses]:
                model = fitted(base, some, target, times, rng=rng, by_weight=by_weight, classes=None)
                return model, losses(np.where(start > 0, np.abs(numbers_said(model, some) - target), 0.0), self.loss)

            return learn

        def judge(member: Round, cases: Any, held: IntArray) -> FloatArray:
            said.append(numbers_said(member.model, cases))
            votes.append(member.vote)
            return np.asarray(np.abs(weighted_median(np.column_stack(said), np.array(votes)) - y[held]))

        return self._boost(X, np.zeros(y.size), sample_weight, learner, judge)

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield what the ensemble of the first round says, of the first two, and so on; each model is asked once."""
        said = self._said(X)
        for number in range(1, len(self.estimators_) + 1):
            yield weighted_median(said[:, :number], self.estimator_weights_[:number])

    def predict(self, X: Any) -> FloatArray:
        """Return the median of what the models say, each counted by its vote."""
        return weighted_median(self._said(X), self.estimator_weights_)

    def _said(self, X: Any) -> FloatArray:
        X = self._asked(X)
        return np.column_stack([numbers_said(model, X) for model in self.estimators_])
