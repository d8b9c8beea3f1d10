"""One task of a run: fit a fresh learner on some rows, ask it about others and check every answer.

Whatever chance a learner takes comes from the run's own seed, so that the answer depends on job and number alone.
"""

from __future__ import annotations

import copy
import random
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from adjudge._base import AdjudgeError, dataclass, listed, safe
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import Answer, Course, Scored, as_table, joined

Scores: TypeAlias = Literal["auto", "none"]

_CLOSE = 1e-6  # far above the rounding of probabilities, far below what more than a few cases share
_SLACK = 1e-6  # how far one probability may leave [0, 1]: rounding, not a mistake
_SUM = 1e-3  # how far probabilities may be from summing to one
_TWO = 2
_PLAIN = (int, float, str, bool, type(None))
_KNOWN = {
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "sklearn.ensemble._forest": ("ExtraTreesClassifier", "RandomForestClassifier"),
    "sklearn.linear_model._logistic": ("LogisticRegression",),
    "sklearn.naive_bayes": ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "sklearn.tree._classes": ("DecisionTreeClassifier", "ExtraTreeClassifier"),
}
"""Learners that choose the most probable class, by module."""
_lock = threading.Lock()
_kept: list[Callable[[], None]] = []  # how to put the shared generators back, while somebody uses them
_users = 0


def decides_by_probability(fitted: Any) -> bool:
    """Say whether a learner, or the last step of a pipeline, is known to choose the most probable class; subclasses are asked."""
    module, name = type(fitted).__module__, type(fitted).__qualname__
    pipeline = (module, name) == ("sklearn.pipeline", "Pipeline")
    if not (pipeline or name in _KNOWN.get(module, ())) or {"predict", "predict_proba"} & vars(fitted).keys():
        return False
    return not pipeline or decides_by_probability(fitted.steps[-1][1])


def most_probable(p: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the column of the largest probability of each case, and the cases too close to call."""
    upper = np.partition(p, -_TWO, axis=1)
    return p.argmax(axis=1), np.flatnonzero(upper[:, -1] - upper[:, -_TWO] <= _CLOSE)


class LearnerError(AdjudgeError):
    """A learner answered what no answer can be."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A learner, its data and the plan to try it by; unit len(plan) learns from all rows and is asked about all of them."""

    learner: Any
    X: Any
    y: AnyArray
    plan: Plan
    seed: int
    numeric: bool
    classes: tuple[Any, ...]
    scores: Scores = "auto"  # whether to ask for probabilities or scores as well as decisions
    follow: bool | None = None  # whether to tell errors round by round; False: of all rounds together; None: neither

    @property
    def units(self) -> range:
        """The numbers of all tasks, the last of which sees all rows."""
        return range(len(self.plan) + 1)

    def rows(self, unit: int) -> tuple[IntArray, IntArray]:
        """Return the rows that a unit learns from and those it is judged on."""
        if unit == len(self.plan):
            everything = np.arange(self.plan.rows)
            return everything, everything
        return self.plan.train[unit], self.plan.test[unit]

    def seed_of(self, unit: int) -> np.random.SeedSequence:
        """Return the source of chance for one unit, the same wherever it is done."""
        return np.random.SeedSequence([self.seed, unit])

    def answer(self, unit: int) -> Answer:
        """Fit a clone of the learner and ask it; what the learner does wrong is told in the answer, never raised."""
        start, course = time.perf_counter(), None
        try:
            with borrowed():
                fitted = fit(self.learner, self.X, self.y, self.rows(unit)[0], seed=self.seed_of(unit))
                table = self._told(unit, fitted)
                if self.follow is not None and unit < len(self.plan):
                    course = self._course(unit, fitted)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a learner does, the other units go on
            return Answer(unit, None, reason(error), time.perf_counter() - start)
        return Answer(unit, table, None, time.perf_counter() - start, course)

    def _told(self, unit: int, fitted: Any) -> pa.Table:
        """Return what a fitted learner says of the rows it is tested on."""
        learn, judge = self.rows(unit)
        last = unit == len(self.plan)
        repeat = 0 if last else self.plan.repeat[unit]
        if last or self.plan.kind != "bootstrap":
            return as_table(unit, repeat, "seen" if last else "unseen", judge, self.y, *ask(fitted, self, learn, judge))
        everything = np.arange(self.plan.rows)
        decisions = decide(fitted, self, learn, everything)
        told = as_table(unit, repeat, "unseen", judge, self.y, *ask(fitted, self, learn, judge, decided=decisions[judge]))
        return joined(told, as_table(unit, repeat, "all", everything, self.y, decisions, None))

    def _course(self, unit: int, fitted: Any) -> Course:
        """Return the errors of a fitted learner after each of its rounds, on the rows it learnt from and on the others."""
        learn, judge = self.rows(unit)

        def errors(rows: IntArray) -> tuple[float, ...]:
            cases, y = features(fitted, self.X, rows, learn), self.y[rows]
            said = fitted.staged_predict(cases) if self.follow else [fitted.predict(cases)]
            return tuple(float(np.abs(each - y).mean() if self.numeric else (each != y).mean()) for each in said)

        try:
            with silence():
                return Course(errors(learn), errors(judge), str(getattr(fitted, "stopped_", "")))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - its answers stand; that it cannot be followed is told
            return Course(failure=reason(error))


def silence() -> AbstractContextManager[Any]:
    """Return what keeps learners quiet, as the fit has told its warnings; threads share the filters of all."""
    here = threading.current_thread() is threading.main_thread()
    return warnings.catch_warnings(action="ignore") if here else nullcontext()


Runner: TypeAlias = Callable[[Job, Sequence[int]], Iterator[Answer]]
"""What does the tasks: gives out the answers of the units asked for, in any order."""


def serial(job: Job, units: Sequence[int]) -> Iterator[Answer]:
    """Do one task after another, here."""
    for unit in units:
        yield job.answer(unit)


def predicts_numbers(learner: Any) -> bool:
    """Return whether a learner says of itself that it predicts numbers."""
    from sklearn.base import is_regressor

    if hasattr(learner, "__sklearn_tags__"):
        return bool(is_regressor(learner))
    return getattr(learner, "_estimator_type", None) == "regressor"


def fit(learner: Any, X: Any, y: AnyArray, learn: IntArray, *, seed: np.random.SeedSequence) -> Any:
    """Return a clone of `learner` fitted on the rows `learn`, every seed that was None set; use :func:`borrowed` around it."""
    from sklearn.base import clone

    fresh = clone(learner, safe=False)
    if hasattr(fresh, "get_params") and not has_nothing_to_seed(fresh):
        params = sorted(fresh.get_params(deep=True).items())
        unset = [name for name, value in params if value is None and name.split("__")[-1] == "random_state"]
        splitters = {name: value for name, value in params if draws_anew(value)}
        source, largest = np.random.default_rng(seed), np.iinfo(np.int32).max
        seeds = {name: int(source.integers(largest)) for name in [*unset, *splitters]}
        if seeds:
            fresh.set_params(**{name: seeded(splitters[name], own) if name in splitters else own for name, own in seeds.items()})
    seed_shared(seed)
    fresh.fit(features(fresh, X, learn, learn), y[learn])
    return fresh


def has_nothing_to_seed(learner: Any) -> bool:
    """Return whether a fresh clone of a scikit-learn learner holds plain parameters only, and no seed to set."""
    from sklearn.base import BaseEstimator

    if getattr(type(learner), "get_params", None) is not BaseEstimator.get_params:
        return False
    held = vars(learner)
    return held.get("random_state", 0) is not None and all(type(value) in _PLAIN for value in held.values())


def features(learner: Any, X: Any, rows: IntArray, learn: IntArray) -> Any:
    """Return the rows of X, whatever holds them; of a square table of distances, the columns learnt from as well."""
    from sklearn.utils import _safe_indexing, get_tags

    shape: tuple[int, ...] = getattr(X, "shape", ())
    square = len(shape) == _TWO and shape[0] == shape[1]
    if square and hasattr(learner, "__sklearn_tags__") and get_tags(learner).input_tags.pairwise:
        return np.asarray(X)[np.ix_(rows, learn)]
    return X[rows] if type(X) is np.ndarray else _safe_indexing(X, rows)


def decide(fitted: Any, asked: Job, learn: IntArray, rows: IntArray, cases: Any = None) -> AnyArray:
    """Return the decision on each row, as a class or a number; `cases` are the features of the rows, where they are at hand."""
    cases = features(fitted, asked.X, rows, learn) if cases is None else cases
    values, n = np.asarray(fitted.predict(cases)), rows.size
    if values.shape != (n,):
        msg = f"predict gave shape {values.shape} for {n:,} cases; expected ({n},)"
        raise LearnerError(msg)
    if asked.numeric:
        if values.dtype.kind not in "iufb":
            msg = f"predict gave type {values.dtype}; expected numbers"
            raise LearnerError(msg)
        return _finite(values, (n,), "predict").astype(np.float64)
    labels = np.array(asked.classes)
    if (values.dtype.kind in "OSU") == (labels.dtype.kind in "OSU"):
        with suppress(TypeError):  # what cannot be ordered beside the classes is none of them
            known = np.asarray(labels[np.minimum(np.searchsorted(labels, values), labels.size - 1)])
            if np.all(known == values):
                return known
    unknown = [v for v in dict.fromkeys(values.tolist()) if v not in set(asked.classes)]
    missing = any(v is None or v != v for v in unknown)  # noqa: PLR0124 - NaN is the value unlike itself
    what = "a missing value" if missing else listed(unknown, 3)
    msg = f"predict gave {what}, which is not among the classes {listed(asked.classes)}"
    raise LearnerError(msg)


def ask(
    fitted: Any, asked: Job, learn: IntArray, rows: IntArray, *, decided: AnyArray | None = None
) -> tuple[AnyArray, Scored | None]:
    """Return the decision on each row and, where the learner has them, probabilities or else scores by class."""
    cases = features(fitted, asked.X, rows, learn)
    wanted, scored = not asked.numeric and asked.scores != "none", None
    if wanted and hasattr(fitted, "predict_proba"):
        scored = _probabilities(fitted.predict_proba(cases), fitted, asked.classes, rows.size)
        if decided is None and len(asked.classes) > 1 and decides_by_probability(fitted):
            at, close = most_probable(scored.values)
            decided = np.asarray(np.array(asked.classes)[at])
            if close.size:
                decided[close] = decide(fitted, asked, learn, rows[close])
    if decided is None:
        decided = decide(fitted, asked, learn, rows, cases)
    if wanted and scored is None and hasattr(fitted, "decision_function"):
        params = fitted.get_params(deep=True) if hasattr(fitted, "get_params") else {}
        pairs = any(k.split("__")[-1] == "decision_function_shape" and v == "ovo" for k, v in params.items())
        if not (pairs and len(getattr(fitted, "classes_", ())) > _TWO):  # scores of pairs cannot be matched to classes
            scored = _scores(fitted.decision_function(cases), fitted, asked.classes, rows.size)
    return decided, scored


def _own_classes(fitted: Any, classes: tuple[Any, ...], method: str) -> list[int]:
    """Return where each of the learner's classes stands among all."""
    own = getattr(fitted, "classes_", None)
    if own is None:
        msg = f"{method} gives columns, but no classes_ names them; set classes_ in fit"
        raise LearnerError(msg)
    names = np.asarray(own).tolist()
    place = {label: at for at, label in enumerate(classes)}
    unknown = [name for name in names if name not in place]
    if unknown or len(set(names)) < len(names):
        what = f"unknown ones: {listed(unknown)}" if unknown else f"some of them twice: {listed(names)}"
        msg = f"classes_ names {what}; the classes are {listed(classes)}"
        raise LearnerError(msg)
    return [place[name] for name in names]


def _finite(raw: Any, shape: tuple[int, ...], method: str) -> FloatArray:
    """Return finite numbers of the shape they have to be of."""
    values = np.asarray(raw)
    if values.shape != shape or values.dtype.kind not in "fiub":
        msg = f"{method} gave shape {values.shape} and type {values.dtype}; expected numbers of shape {shape}"
        raise LearnerError(msg)
    if bad := int(np.count_nonzero(~np.isfinite(values))):
        msg = f"{method} gave {bad:,} values that are not finite (NaN or infinite) of {values.size:,}"
        raise LearnerError(msg)
    return values.astype(np.float64, copy=False)


def _probabilities(raw: Any, fitted: Any, classes: tuple[Any, ...], n: int) -> Scored:
    at = _own_classes(fitted, classes, "predict_proba")
    values = _finite(raw, (n, len(at)), "predict_proba")
    low, high, off = values.min(), values.max(), np.abs(values.sum(axis=1) - 1).max()
    within = low >= -_SLACK and high <= 1 + _SLACK
    if not within or off > _SUM:
        why = f"rows that miss a sum of 1 by {off:g}" if within else f"values from {low:g} to {high:g}"
        msg = f"predict_proba gave {why}; these are no probabilities"
        raise LearnerError(msg)
    return Scored("probabilities", classes, _placed(values, at, len(classes), 0.0))


def _placed(values: FloatArray, at: list[int], k: int, unknown: float) -> FloatArray:
    """Return one column for each of all classes; those a learner does not know hold `unknown`."""
    if at == list(range(k)):
        return values.copy()  # some learners hand out the same array again and again
    whole = np.full((len(values), k), unknown)
    whole[:, at] = values
    return whole


def _scores(raw: Any, fitted: Any, classes: tuple[Any, ...], n: int) -> Scored:
    """Return the scores of a decision function; of two classes that of the second, as larger means it."""
    at, values = _own_classes(fitted, classes, "decision_function"), np.asarray(raw)
    if len(classes) == _TWO and len(at) == _TWO:
        values = values[:, 0] if values.shape == (n, 1) else values
        if values.shape == (n, _TWO):
            return Scored("scores", classes[1:], _finite(values, (n, _TWO), "decision_function")[:, [at.index(1)]])
        values = _finite(values, (n,), "decision_function")
        return Scored("scores", classes[1:], (values if at[1] == 1 else -values)[:, None])
    if len(at) == _TWO and values.shape == (n,) and values.dtype.kind in "fiub":
        values = np.column_stack([-values, values])
    values = _finite(values, (n, len(at)), "decision_function")
    whole = _placed(values, at, len(classes), -np.inf)  # a class never seen is the last to be chosen
    return Scored("scores", classes, whole) if len(classes) > _TWO else Scored("scores", classes[1:], whole[:, 1:])


def reason(error: BaseException) -> str:
    """Return in one line what went wrong."""
    first = str(error).strip().split("\n")[0].rstrip(". ")  # the sentence it stands in has an end of its own
    if isinstance(error, LearnerError):
        return first
    return f"{type(error).__name__}: {safe(first, 300)}" if first else type(error).__name__


# -- chance --------------------------------------------------------------------------------------------------


@contextmanager
def borrowed() -> Iterator[None]:
    """Leave the shared generators in the end as they were; within another use of this, that one sees to it."""
    global _users  # noqa: PLW0603 - the generators are the process's own, and so is who uses them
    with _lock:
        if not _users:
            numpys, pythons = np.random.get_state(legacy=False), random.getstate()  # noqa: NPY002 - what others draw from
            _kept[:] = [lambda: np.random.set_state(numpys), lambda: random.setstate(pythons)]  # noqa: NPY002
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            for put_back in _kept if not _users else ():
                put_back()


def seed_shared(source: np.random.SeedSequence) -> None:
    """Seed what all of the process draws from, by a child of `source` that leaves its own draws as they are."""
    word = int(source.spawn(1)[0].generate_state(1)[0])
    np.random.seed(word)  # noqa: NPY002
    random.seed(word)


def draws_anew(value: Any) -> bool:
    """Say whether `value` is a splitter that shuffles and has no seed."""
    splits = callable(getattr(value, "split", None)) and not isinstance(value, (str, bytes, type))
    return splits and getattr(value, "random_state", 0) is None and bool(getattr(value, "shuffle", True))


def seeded(splitter: Any, seed: int) -> Any:
    """Return a copy of a splitter that draws by `seed`."""
    made = copy.copy(splitter)
    made.random_state = seed
    return made
