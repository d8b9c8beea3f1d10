"""What ensembles share: a learner inside, checked input, and members: samples, clones fitted to them, and what these say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import _safe_indexing, assert_all_finite, check_consistent_length, check_random_state, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from adjudge._base import Finding, InputError, argument, check_whole, counted, listed, parameter, switch
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.ensembles.growing import BinnedTreeClassifier, bins_of, kinds_of_numbers
from adjudge.predictions.model import Predictions, Reading
from adjudge.predictions.roles import Roles
from adjudge.predictions.sources import ColumnsSource

MANY = 10_000  # cases from which on ``binned="auto"`` sorts the features of trees into bins: fewer are grown at leisure
FEWER = 127  # bins of a feature: a full tree cuts it again and again, and errs no more for having half as many places to do so
_LARGEST = 2**31 - 1
_FLOAT32 = float(np.finfo(np.float32).max)
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


def drawn(weights: FloatArray, rng: np.random.Generator, times: int) -> IntArray:
    """Return how often each case is drawn in so many draws with replacement, by chances that go with `weights`."""
    ends = np.cumsum(weights)
    # Uniform numbers in rising order, from exponential spacings (Devroye 1986, Non-Uniform Random Variate Generation, section
    # V.3.2): one walk along the summed weights counts them all, four times as fast as a search for each of them.
    rising = np.cumsum(rng.standard_exponential(times + 1))
    up_to = np.searchsorted(rising[:-1] / rising[-1] * ends[-1], ends, side="right")
    up_to[ends == ends[-1]] = times  # to the last case with a weight, and so to none after it
    return np.diff(up_to, prepend=0)


def word_of(random_state: Any) -> int:
    """Return one whole number that stands for a seed, a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LARGEST))
    return int(check_random_state(random_state).randint(_LARGEST))


def source(word: int, number: int) -> np.random.Generator:
    """Return the source of chance of one member: it depends on nothing that the others did, so any worker may fit any member."""
    return np.random.default_rng(np.random.SeedSequence([word, number]))


def seed(learner: Any, rng: np.random.Generator) -> Any:
    """Give every random_state of a learner, nested ones too, a seed of its own, in the order of their names."""
    names = sorted(name for name in learner.get_params(deep=True) if name.split("__")[-1] == "random_state")
    return learner.set_params(**{name: int(rng.integers(_LARGEST)) for name in names}) if names else learner


def is_tree(base: Any) -> bool:
    """Return whether a base learner is one of scikit-learn's own decision trees, and nothing made of one."""
    return type(base) in _TREES


def goes_by_weight(base: Any, asked: Any) -> bool:
    """Return whether a sample is handed over as weights, not as repeated rows; by "auto" where both give the same model."""
    if asked is True and not has_fit_parameter(base, "sample_weight"):
        msg = f"{type(base).__name__} takes no sample_weight; use "
        raise InputError(msg, switch("as_weights", on=False), ", which repeats the rows drawn.")
    if asked != "auto":
        return bool(asked)
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
    base: Any, X: Any, y: AnyArray, counts: IntArray, *, rng: np.random.Generator, by_weight: bool, classes: AnyArray | None
) -> Any:
    """Return a clone of `base` fitted to the cases that were drawn; where it refuses a single class, that is always said."""
    model = seed(clone(base), rng)
    rows = np.flatnonzero(counts) if by_weight else np.repeat(np.arange(counts.size), counts)
    weights = {"sample_weight": counts[rows].astype(np.float64)} if by_weight else {}
    try:
        return model.fit(rows_of(X, rows), y[rows], **weights)
    except ValueError:
        if classes is None or classes.size == 1 or (y[rows] != y[rows[0]]).any():
            raise
        return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), y[rows[:1]])


class CodedCases:
    """Cases by the bins of their features, whose ties sort in half the time, and their places among `classes`, or numbers."""

    def __init__(self, X: AnyArray, y: AnyArray, classes: AnyArray | None) -> None:
        self.bins = bins_of(X, kinds_of_numbers(y) if classes is None else y, most=FEWER)
        self.codes: npt.NDArray[np.float32] = self.bins.codes(X).T.astype(np.float32, order="C")
        self.y, self.classes = y, classes

    def fitted(self, base: Any, counts: IntArray, rng: np.random.Generator) -> Any:
        """Return a tree fitted to the cases drawn, which takes features as they are."""
        model = seed(clone(base), rng).fit(self.codes, self.y, sample_weight=counts.astype(np.float64))
        inner = np.flatnonzero(model.tree_.feature >= 0)
        thresholds = model.tree_.threshold  # a view: what is written here is what the tree compares with
        thresholds[inner] = self.bins.thresholds(model.tree_.feature[inner], thresholds[inner])
        if self.classes is not None:
            model.classes_ = self.classes
        return model


def coded(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return the place of each label among the sorted `classes`."""
    at = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    strange = classes[at] != labels
    if np.any(strange):
        said = listed(dict.fromkeys(np.asarray(labels)[strange].tolist()))
        msg = f"A model of the ensemble predicted {said}, which is no class of y."
        raise InputError(msg)
    return np.asarray(at)


def codes_said(model: Any, X: Any, classes: AnyArray) -> IntArray:
    """Return the place of the class that a member gives each case; X of a tree is its own float32 already."""
    if type(model) is DecisionTreeClassifier and _is_single(X):
        codes: IntArray = model.predict_proba(X, check_input=False).argmax(axis=1)
        return codes if len(model.classes_) == classes.size else coded(model.classes_, classes)[codes]
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
    probabilities = np.zeros((_num_samples(X), classes.size))
    if not hasattr(model, "predict_proba"):
        probabilities[np.arange(len(probabilities)), codes_said(model, X, classes)] = 1
        return probabilities
    probabilities[:, coded(model.classes_, classes)] = model.predict_proba(X)
    return probabilities


def _is_single(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float32


def out_of_bag(
    truth: AnyArray, predicted: AnyArray, times: IntArray, weights: FloatArray | None, votes: IntArray | None, classes: Any
) -> Predictions:
    """Return what was predicted of cases that count and had a model, with the votes for each of `classes` where it is classes."""
    rows = np.flatnonzero(times > 0 if weights is None else (times > 0) & (weights > 0))
    columns = {"truth": truth[rows], "predicted": predicted[rows], "row": rows}
    roles, reading = Roles("truth", "predicted", row="row", numeric=True), Reading()
    if votes is not None:
        named = tuple((label, f"votes for {label}") for label in classes.tolist())
        columns |= {name: np.ascontiguousarray(votes[rows, at]) for at, (_, name) in enumerate(named)}
        roles, reading = Roles("truth", "predicted", named, "votes", "row", numeric=False), Reading(tuple(classes.tolist()))
    if weights is not None:
        columns, roles = {**columns, "weight": weights[rows]}, replace(roles, weight="weight")
    findings: tuple[Finding, ...] = ()
    never = int(np.count_nonzero(times == 0))  # one of weight 0 is in no sample, so never among these
    if never:
        were, them = ("was", "it") if never == 1 else ("were", "them")
        message = f"{counted(never, 'case')} {were} in every sample, so that no model could predict {them} unseen."
        findings = (Finding("A951", message, "More models (n_estimators) leave out every case at least once.", never),)
    return Predictions.of(ColumnsSource("out-of-bag cases", columns), roles, reading, findings)


def staged_votes(said: Iterable[IntArray], votes: Iterable[float], classes: int) -> Iterator[FloatArray]:
    """Yield the votes of the first model, of the first two, and so on: one table that is added to."""
    total: FloatArray | None = None
    for codes, vote in zip(said, votes, strict=True):
        total = np.zeros((codes.size, classes)) if total is None else total
        total[np.arange(codes.size), codes] += vote
        yield total


class Around(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Something around a learner, which keeps its parameters as they were given."""

    estimator: Any
    _usual: Any  # the learner inside where none is given; cloned before it is fitted

    def __init__(self, **parameters: Any) -> None:
        for name, value in parameters.items():
            setattr(self, name, value)

    def _base(self) -> Any:
        return self._usual if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self._base()
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags = get_tags(inner).input_tags
        return tags


class Ensemble(Around):
    """Many copies of one learner."""

    estimators_: list[Any]
    n_estimators: int
    as_weights: Any
    binned: Any
    random_state: Any

    def _check(self) -> None:
        """Refuse parameters that make no sense, and a learner of numbers where classes are voted on or the other way round."""
        check_flag("as_weights", self.as_weights, auto=True)
        check_whole("n_estimators", self.n_estimators, 1)
        base, votes = self._base(), is_classifier(self)
        if not hasattr(base, "fit") or not hasattr(base, "predict"):
            raise InputError(parameter("estimator"), f" must be a learner with fit and predict, got {self.estimator!r}.")
        if hasattr(base, "__sklearn_tags__") and (is_regressor(base) if votes else is_classifier(base)):
            ours, theirs = ("classes", "numbers") if votes else ("numbers", "classes")
            msg = f"{type(self).__name__} predicts {ours}, and its estimator {base!r} predicts {theirs}. Use a learner of {ours}."
            raise InputError(msg)

    def _features(self, X: Any, *, reset: bool) -> Any:
        """Return X checked: frames and texts as they are, for the learner inside to judge, all else as an array."""
        tags = get_tags(self).input_tags if hasattr(self._base(), "__sklearn_tags__") else None
        is_row = isinstance(X, (list, tuple, np.ndarray)) or (hasattr(X, "to_numpy") and not hasattr(X, "columns"))
        if is_row and any(isinstance(each, str) for each in X[:1]):
            return X
        if hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            sparse_as = "csr" if tags is None or tags.sparse else False
            finite = False if tags is None else "allow-nan" if tags.allow_nan else True
            checks = {"accept_sparse": sparse_as, "ensure_all_finite": finite, "estimator": self}
            X = validate_data(self, X, reset=reset, dtype=None, **checks)
        if not is_tree(self._base()) or sparse.issparse(X):
            return X
        with np.errstate(over="ignore"):  # trees take dense features as float32: made once for all of them
            single = check_array(X, dtype=np.float32, ensure_all_finite=False, estimator=self)
        if np.isinf(single).any():
            msg = f" holds infinity or values too large for trees, which take numbers up to {_FLOAT32:.2g}. Scale such features."
            raise InputError(parameter("X"), msg)
        return single

    def _asked(self, X: Any) -> Any:
        """Return the cases that fitted models are asked about, checked."""
        check_is_fitted(self)
        return self._features(X, reset=False)

    def _weights(self, X: Any, sample_weight: Any) -> FloatArray:
        """Return chances of being drawn that sum to one."""
        n = _num_samples(X)
        if sample_weight is None:
            return np.full(n, 1 / n)
        weights: FloatArray = _check_sample_weight(sample_weight, np.empty((n, 0)), dtype=np.float64, ensure_non_negative=True)
        total = weights.sum()
        if not 0 < total < np.inf:
            msg = f" sums to {total:g}; it must be finite, and at least one case has to count."
            raise InputError(parameter("sample_weight"), msg)
        return np.asarray(weights / total)

    def _bins(self, X: Any, *, able: bool, pays: bool = True, wanted: str) -> bool:
        """Return whether features are sorted into bins, or refuse what cannot be."""
        check_flag("binned", self.binned, auto=True)
        dense = isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and bool(np.isfinite(X).all())
        if self.binned is True and not (able and dense):
            what = f"the estimator is {self._base()!r}" if not able else "X is sparse, or has missing values or text"
            msg = f" serves {wanted} and dense finite numbers; {what}. Use "
            raise InputError(switch("binned"), msg, argument("binned", "auto"), ".")
        return able and dense and (self.binned is True or (self.binned == "auto" and pays and len(X) >= MANY))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.binned is True:
            tags.input_tags.sparse = tags.input_tags.allow_nan = False
        return tags


def check_flag(name: str, value: Any, *, auto: bool = False) -> None:
    """Refuse what is neither True nor False, nor "auto" where that is a choice."""
    if not (isinstance(value, (bool, np.bool_)) or (auto and isinstance(value, str) and value == "auto")):
        known = "True, False or 'auto'" if auto else "True or False"
        raise InputError(parameter(name), f" must be {known}, got {value!r}.")


def labels_in(name: str, X: Any, y: Any) -> tuple[AnyArray, AnyArray, IntArray]:
    """Return the labels as given, the sorted classes, and the place of each label among them."""
    labels = target(name, X, y, "one class for each case")
    check_classification_targets(labels)
    return labels, *np.unique(labels, return_inverse=True)


def numbers_in(name: str, X: Any, y: Any) -> FloatArray:
    """Return the numbers to be predicted."""
    numbers = target(name, X, y, "one number for each case")
    try:
        return numbers.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(name, f" predicts numbers, and y holds {numbers.dtype} that are none.") from error


def target(name: str, X: Any, y: Any, wanted: str) -> AnyArray:
    """Return what is to be predicted as one column, checked."""
    if y is None:
        raise InputError(name, f" requires y to be passed, but the target y is None: {wanted}.")
    values: AnyArray = column_or_1d(y, warn=True)
    assert_all_finite(values, input_name="y")
    check_consistent_length(X, values)
    return values
