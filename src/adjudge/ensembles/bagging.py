"""Bagging: models of samples with replacement, which vote or whose numbers are averaged.

Breiman (1996), Bagging predictors, Mach. Learn. 24:123-140. The cases that a sample left out judge the model it made.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, repeat
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from adjudge._base import InputError, parameter
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.ensembles import members
from adjudge.ensembles.members import Ensemble, codes_said, drawn, goes_by_weight, is_tree, numbers_said, probabilities_said

Ties: TypeAlias = Literal["lowest", "probability"]
_TREES = "decision trees of scikit-learn that do not count the cases of a node"
_Said: TypeAlias = tuple[IntArray, AnyArray, FloatArray | None]
"""The cases that the sample of a model left out, what the model said of each, and how probable it finds the classes."""


def _member(
    number: int,
    base: Any,
    X: Any,
    y: AnyArray,
    *,
    drawn_by: tuple[int, FloatArray],
    by_weight: bool,
    coded: members.CodedCases | None,
    classes: AnyArray | None,
    out_of_bag: bool,
    probabilities: bool,
) -> tuple[Any, _Said]:
    """Return a model fitted to a sample, and what it says of the cases that were not drawn."""
    word, weights = drawn_by
    rng = members.source(word, number)
    counts = drawn(weights, rng, int(np.count_nonzero(weights)))
    with members.named(number):
        if coded is not None:
            model = coded.fitted(base, counts, rng)
        else:
            model = members.fitted(base, X, y, counts, rng=rng, by_weight=by_weight, classes=classes)
    unseen = np.flatnonzero(counts == 0) if out_of_bag else np.empty(0, dtype=np.int64)
    if not unseen.size:
        return model, (unseen, np.empty(0), None)
    cases = members.rows_of(X, unseen)
    if classes is None:
        return model, (unseen, numbers_said(model, cases), None)
    sure = probabilities_said(model, cases, classes) if probabilities else None
    return model, (unseen, codes_said(model, cases, classes), sure)


class _Bagging(Ensemble):
    """What both kinds of bagging share."""

    _drawn_by: tuple[int, FloatArray]

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        as_weights: Any = "auto",
        binned: Any = "auto",
        out_of_bag: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        how = {"as_weights": as_weights, "binned": binned, "out_of_bag": out_of_bag, "n_jobs": n_jobs}
        super().__init__(estimator=estimator, n_estimators=n_estimators, random_state=random_state, **how)

    @property
    def estimators_samples_(self) -> list[IntArray]:
        """The rows each model was fitted to, each as often as it was drawn, in their own order."""
        check_is_fitted(self)
        word, weights = self._drawn_by
        times = int(np.count_nonzero(weights))
        counts = (drawn(weights, members.source(word, number), times) for number in range(len(self.estimators_)))
        return [np.repeat(np.arange(weights.size), each) for each in counts]

    def _check(self) -> None:
        super()._check()
        members.check_flag("out_of_bag", self.out_of_bag)

    def _members(self, X: Any, y: AnyArray, weights: FloatArray, codes: AnyArray) -> list[_Said]:
        """Fit all models, to places of the classes or numbers, and return the cases each had not seen and what it said."""
        base, classes = self._base(), getattr(self, "classes_", None)
        by_weight = goes_by_weight(base, self.as_weights)
        able = is_tree(base) and goes_by_weight(base, "auto")  # parameters that mean the same for bins as for values
        able = able and getattr(base, "class_weight", None) is None and base.monotonic_cst is None and base.splitter == "best"
        coded = members.CodedCases(X, codes, classes) if self._bins(X, able=able, wanted=_TREES) else None
        drawn_by = members.word_of(self.random_state), weights
        asked: dict[str, Any] = {"drawn_by": drawn_by, "by_weight": by_weight, "coded": coded, "classes": classes}
        asked |= {"out_of_bag": self.out_of_bag, "probabilities": getattr(self, "ties", None) == "probability"}
        pool = Parallel(n_jobs=self.n_jobs, prefer="threads" if is_tree(base) else None)
        made = list(pool(delayed(_member)(number, base, X, y, **asked) for number in range(self.n_estimators)))
        self._drawn_by, self.estimators_ = drawn_by, [model for model, _ in made]
        return [said for _, said in made]

    def _judge(self, truth: AnyArray, predicted: AnyArray, times: IntArray, *, weighted: bool, votes: Any = None) -> None:
        """Keep what models said of cases they had not seen; `times` is how many of them each case has."""
        drawn_by = self._drawn_by[1]
        weights = drawn_by * np.count_nonzero(drawn_by) if weighted else None
        self.out_of_bag_ = members.out_of_bag(truth, predicted, times, weights, votes, getattr(self, "classes_", None))
        self.never_out_of_bag_ = int(np.count_nonzero(times == 0))

    def _each(self, ask: Any, X: Any, *more: Any) -> Iterator[AnyArray]:
        """Yield what each model says, in order, so that sums are the same with any number of workers."""
        at_a_time = effective_n_jobs(self.n_jobs)  # so that nothing is left running where only some answers are wanted
        with Parallel(n_jobs=self.n_jobs, prefer="threads") as pool:
            for start in range(0, len(self.estimators_), at_a_time):
                yield from pool(delayed(ask)(model, X, *more) for model in self.estimators_[start : start + at_a_time])


class BaggingVoter(ClassifierMixin, _Bagging):  # type: ignore[misc]
    """Models of samples with replacement, each with one vote; the class with the most votes wins.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted to each sample; a ``DecisionTreeClassifier()`` if left out. Its random_state is set for each model.
    n_estimators : int
        How many models vote.
    ties : {"lowest", "probability"}
        Who wins where classes have equally many votes: the first of them in the order of `classes_`, or the one whose mean
        probability over all models is largest.
    as_weights : bool or "auto"
        Whether a sample is handed over as `sample_weight`, how often each case was drawn, or as repeated rows. "auto" takes
        weights where the result is the same: for plain decision trees, and linear models and naive Bayes named in the guide.
    binned : bool or "auto"
        Whether decision trees choose thresholds between at most 127 bins of each feature, found once, and not anew among all
        values in every node. "auto" does from 10,000 cases on; False grows the very trees of scikit-learn.
    out_of_bag : bool
        Whether each case is also voted on by the models it was held out from.
    n_jobs : int, optional
        Workers, as joblib counts them; trees are grown in threads, other learners where joblib runs them.
    random_state : int, RandomState, Generator or None
        What samples and models are drawn by. The same seed gives the same digits with any number of workers.

    Attributes
    ----------
    estimators_, estimators_samples_ : list
        The models, and the rows each was fitted to.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of the columns of votes.
    out_of_bag_ : Predictions
        What models predicted for cases held out from them, with their votes, for :func:`adjudge.evaluate`. About 37 of
        100 models vote on a case, so that the whole ensemble may be a little better.
    never_out_of_bag_ : int
        Cases that every model had seen, which are not among them.

    Given `sample_weight`, cases are drawn by chances that go with it, as many as have a weight above 0. Weights are chances and
    not copies: 3 for every case is the same as 1. A sample of one class, which some learners refuse, makes a model that always
    says it.

    >>> import adjudge
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> voter = BaggingVoter(n_estimators=100, random_state=0).fit(X, y)
    >>> voter.predict(X[[0, 70, 149]]), voter.predict_proba(X[[70]]).round(1)
    (array([0, 1, 2]), array([[0. , 0.6, 0.4]]))
    >>> evaluation = adjudge.evaluate(voter.out_of_bag_)
    >>> round(adjudge.measure(voter.out_of_bag_, "accuracy"), 2)
    0.95
    """

    _usual: Any = DecisionTreeClassifier()

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        ties: Ties = "lowest",
        as_weights: Any = "auto",
        binned: Any = "auto",
        out_of_bag: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        how: dict[str, Any] = {"as_weights": as_weights, "binned": binned, "out_of_bag": out_of_bag}
        super().__init__(estimator, n_estimators, **how, n_jobs=n_jobs, random_state=random_state)
        self.ties = ties

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the samples and fit a model to each."""
        self._check()
        if self.ties not in ("lowest", "probability"):
            raise InputError(parameter("ties"), f" must be 'lowest' or 'probability', got {self.ties!r}.")
        X = self._features(X, reset=True)
        labels, self.classes_, codes = members.labels_in(type(self).__name__, X, y)
        votes = np.zeros((labels.size, self.classes_.size), dtype=np.int64)
        sure = np.zeros(votes.shape) if self.ties == "probability" else None
        for unseen, said, likely in self._members(X, labels, self._weights(X, sample_weight), codes):
            votes[unseen, said.astype(np.int64)] += 1
            if sure is not None and likely is not None:
                sure[unseen] += likely
        if self.out_of_bag:
            winners = self.classes_[_winners(votes, sure)]
            self._judge(labels, winners, votes.sum(axis=1), weighted=sample_weight is not None, votes=votes)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the most votes."""
        X, votes = self._voted(X)
        sure: FloatArray | None = None
        if self.ties == "probability":
            tied = np.flatnonzero(np.count_nonzero(votes == votes.max(axis=1, keepdims=True), axis=1) > 1)
            if tied.size:
                sure = np.zeros(votes.shape)
                sure[tied] = sum(self._each(probabilities_said, members.rows_of(X, tied), self.classes_))
        return np.asarray(self.classes_[_winners(votes, sure)])

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield what the first model says, the vote of the first two, and so on; each model is asked once."""
        X = self._asked(X)
        by_sureness = self.ties == "probability"
        more = self._each(probabilities_said, X, self.classes_) if by_sureness else repeat(np.zeros(()))
        sure = None
        for votes, likely in zip(self._staged(X), more, strict=by_sureness):
            sure = (likely if sure is None else sure + likely) if by_sureness else None
            yield np.asarray(self.classes_[_winners(votes, sure)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the part of the votes that each class has, in the order of `classes_`."""
        return self._voted(X)[1] / len(self.estimators_)

    def _voted(self, X: Any) -> tuple[Any, FloatArray]:
        """Return the cases as they are asked about, and the votes of all models."""
        X = self._asked(X)
        *_, votes = self._staged(X)
        return X, votes

    def _staged(self, X: Any) -> Iterator[FloatArray]:
        return members.staged_votes(self._each(codes_said, X, self.classes_), [1.0] * len(self.estimators_), self.classes_.size)


def _winners(votes: AnyArray, sure: FloatArray | None) -> IntArray:
    """Return the class with the most votes; of several the most probable one, or the first."""
    if sure is None:
        return np.asarray(votes.argmax(axis=1))
    return np.asarray(np.where(votes == votes.max(axis=1, keepdims=True), sure, -1.0).argmax(axis=1))


class BaggingAverager(RegressorMixin, _Bagging):  # type: ignore[misc]
    """Models of samples with replacement, the mean of whose numbers is predicted.

    Parameters
    ----------
    estimator : regressor, optional
        What is fitted to each sample; a ``DecisionTreeRegressor()`` if left out. Its random_state is set for each model.
    n_estimators : int
        How many models are averaged.
    as_weights, binned, out_of_bag, n_jobs, random_state
        As of :class:`BaggingVoter`.

    Attributes
    ----------
    estimators_, estimators_samples_, never_out_of_bag_
        As of :class:`BaggingVoter`.
    out_of_bag_ : Predictions
        The mean of what models predicted for a case held out from them, for :func:`adjudge.evaluate`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> averager = BaggingAverager(n_estimators=100, random_state=0).fit(X, y)
    >>> round(averager.score(X, y), 1), averager.never_out_of_bag_
    (0.9, 0)
    """

    _usual: Any = DecisionTreeRegressor()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the samples and fit a model to each."""
        self._check()
        X = self._features(X, reset=True)
        numbers = members.numbers_in(type(self).__name__, X, y)
        total, times = np.zeros(numbers.size), np.zeros(numbers.size, dtype=np.int64)
        for unseen, said, _ in self._members(X, numbers, self._weights(X, sample_weight), numbers):
            total[unseen] += said
            times[unseen] += 1
        if self.out_of_bag:
            self._judge(numbers, total / np.maximum(times, 1), times, weighted=sample_weight is not None)
        return self

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield what the first model says, the mean of the first two, and so on; each model is asked once."""
        for number, total in enumerate(accumulate(self._each(numbers_said, self._asked(X))), 1):
            yield np.asarray(total / number)

    def predict(self, X: Any) -> FloatArray:
        """Return the mean of what the models say."""
        return np.asarray(sum(self._each(numbers_said, self._asked(X))) / len(self.estimators_))
