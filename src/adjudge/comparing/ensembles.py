"""One model, or many in its place: bagging and boosting against the model by itself, over the same plan."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.text import safe
from adjudge.comparing.sets import measure_of
from adjudge.comparing.two import compare, learner_name, tried
from adjudge.ensembles.bagging import BaggingAverager, BaggingVoter
from adjudge.ensembles.boosting import ResamplingAdaBoost
from adjudge.ensembles.boosting_numbers import ResamplingAdaBoostRegressor
from adjudge.ensembles.sharing import check_whole
from adjudge.judgements.comparison import given_rope
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds, Staged, judge_rounds
from adjudge.judgements.resampled import Resampled
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.resampling.chance import borrowed
from adjudge.resampling.learner import features, fit
from adjudge.resampling.run import job_of, pays_for_processes
from adjudge.resampling.spool import one_blas_thread
from adjudge.resampling.units import Job

ENSEMBLES = ("bagging", "adaboost")
"""Kinds of ensembles that can be named."""
_MOST = 4  # told apart by colour beside the single model


def judge_ensembles(
    base: Any,
    X: Any,
    y: Any,
    *,
    by: Any = "10x10-fold",
    ensembles: Any = ENSEMBLES,
    n_estimators: int = 50,
    measure: str | None = None,
    rope: float | None = None,
    level: float = 0.95,
    random_state: Any = 0,
    **running: Any,
) -> EnsemblesJudged:
    """Judge whether bagging and boosting a model are better than the model by itself, and whether they overfit.

    Parameters
    ----------
    base : classifier or regressor
        The single model, and what the ensembles are made of.
    X, y : table and target
        One row and one value per case.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`. All candidates are tried by the same plan.
    ensembles : sequence of str, or mapping {name: learner}
        Of "bagging" and "adaboost"; or ensembles of your own by name, whose errors over the rounds are followed where they
        have a `staged_predict`.
    n_estimators : int
        Models of each ensemble that is named.
    measure, rope, level
        As for :func:`adjudge.compare`. Over the rounds the error rate is followed, or the mean absolute error of numbers.
    random_state : int, Generator or RandomState
        What to draw the plan and the samples with.
    **running
        `groups`, `n_jobs`, `executor`, `timeout`, `isolate`, `progress`, as for :func:`adjudge.estimate`. To follow the rounds
        every fold is fitted a second time, with the same seeds, in `n_jobs` processes at most.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1)
    >>> judged = judge_ensembles(tree, X, y, by="5-fold", n_estimators=15, progress=False)
    >>> judged.helped["adaboost"], judged.overfitted["adaboost"]
    ('better', 'stays')
    """
    level = checked_level(level)
    rope = None if rope is None else given_rope(rope)
    first = job_of(base, X, y, by, random_state=random_state, groups=running.get("groups"))
    _check_plan(first)
    wanted = measure_of(measure, numeric=first.numeric)
    learners = {SINGLE: base} | _made(base, ensembles, n_estimators, numeric=first.numeric)
    found = tried(list(learners.values()), X, y, first.plan, measure, first.seed, level, running)
    runs = dict(zip(learners, found, strict=True))
    how: dict[str, Any] = {"measure": wanted.name, "rope": rope, "level": level}
    others = [name for name in runs if name != SINGLE]
    against = {name: compare(runs[name], runs[SINGLE], names=(name, SINGLE), **how) for name in others}
    between = tuple(compare(runs[a], runs[b], names=(a, b), **how) for a, b in combinations(others, 2))
    errors = find("mae" if first.numeric else "error")
    of_errors = rope if wanted.name in ("accuracy", errors.name) else None
    rounds = {
        name: _rounds(name, learner, first, runs[name], errors, of_errors, level, running.get("n_jobs"))
        for name, learner in learners.items()
    }
    known = {name: found for name, found in rounds.items() if found is not None}
    return EnsemblesJudged(learner_name(base), wanted.name, runs, against, between, known, level)


def _check_plan(job: Job) -> None:
    if job.plan.kind == "bootstrap":
        msg = "Rounds of the bootstrap judge overlapping cases and have no known comparison. Judge ensembles by='10x10-fold'."
        raise InputError(msg)


def _made(base: Any, ensembles: Any, n_estimators: Any, *, numeric: bool) -> dict[str, Any]:
    """Return the ensembles asked for by name, not yet fitted."""
    if isinstance(ensembles, Mapping):
        return _own(ensembles)
    check_whole("n_estimators", n_estimators, 1)
    names = _named(ensembles)
    kinds: dict[str, Any] = {
        "bagging": BaggingAverager if numeric else BaggingVoter,
        "adaboost": ResamplingAdaBoostRegressor if numeric else ResamplingAdaBoost,
    }
    more: dict[str, Any] = {"bagging": {"out_of_bag": False}}  # the folds judge
    return {name: kinds[name](base, n_estimators, **more.get(name, {})) for name in names}


def _named(ensembles: Any) -> Sequence[str]:
    listed = [ensembles] if isinstance(ensembles, str) else ensembles
    names = list(listed) if isinstance(listed, Iterable) and not isinstance(listed, bytes) else [listed]
    unknown = [name for name in names if name not in ENSEMBLES]
    if unknown or not names or len(set(names)) < len(names):
        told = "one of them twice" if not unknown and names else "nothing" if not names else safe(repr(unknown[0]))
        msg = f"ensembles names {told}; name {' and '.join(map(repr, ENSEMBLES))} or one of them, or give {{name: ensemble}}."
        raise InputError(msg)
    return names


def _own(ensembles: Mapping[Any, Any]) -> dict[str, Any]:
    names = [str(name) for name in ensembles]
    if not 1 <= len(names) <= _MOST or SINGLE in names:
        told = f"one is called {SINGLE!r}, as the model by itself is" if SINGLE in names else f"got {len(names)}"
        msg = f"ensembles must map 1 to {_MOST} names to learners; {told}."
        raise InputError(msg)
    return dict(zip(names, ensembles.values(), strict=True))


# -- over the rounds -----------------------------------------------------------------------------------------


def _rounds(
    name: str, learner: Any, first: Job, run: Resampled, measure: Measure, rope: Any, level: float, n_jobs: int | None
) -> Rounds | None:
    """Fit a learner in each fold again and follow its errors over the rounds."""
    job = Job(learner, first.X, first.y, run.plan, first.seed, first.numeric, first.classes)
    follow = name != SINGLE and hasattr(learner, "staged_predict")
    units = [unit for unit in range(len(job.plan)) if unit not in run.ran.failures]
    folds = [fold for fold in _each_fold(job, units, n_jobs, follow=follow) if fold is not None]
    rounds = max((fold.judged.size for fold in folds), default=1)
    rounds = max(rounds, getattr(learner, "n_estimators", 1)) if follow else rounds
    return judge_rounds(name, folds, job.plan, measure, rounds=rounds, rope=rope, level=level)


def _each_fold(job: Job, units: Sequence[int], n_jobs: int | None, *, follow: bool) -> list[Staged | None]:
    """Fit the first fold here; hand out the others if they take longer than it takes to start workers."""
    from joblib import Parallel, delayed, effective_n_jobs

    start = time.perf_counter()
    found = [staged(job, unit, follow=follow) for unit in units[:1]]
    rest, workers = units[1:], effective_n_jobs(n_jobs)
    if not pays_for_processes(time.perf_counter() - start, len(rest), workers):
        return [*found, *(staged(job, unit, follow=follow) for unit in rest)]
    return [*found, *Parallel(n_jobs=n_jobs)(delayed(staged)(job, unit, follow=follow) for unit in rest)]


def staged(job: Job, unit: int, *, follow: bool) -> Staged | None:
    """Fit one fold and return its errors, round by round if asked; None where it fails, though it did not before."""
    learn, judge = job.rows(unit)
    try:
        with borrowed(), one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the first fit of this fold has told them
            model = fit(job.learner, job.X, job.y, learn, seed=job.seed_of(unit))
            said = model.staged_predict if follow else lambda cases: [model.predict(cases)]
            on = [_errors(said(features(model, job.X, rows, learn)), job.y[rows], job.numeric) for rows in (learn, judge)]
    except Exception:  # noqa: BLE001 - as in the first run, whatever a learner does, the other folds go on
        return None
    return Staged(unit, on[0], on[1], str(getattr(model, "stopped_", "")))


def _errors(said: Iterable[AnyArray], y: AnyArray, numeric: bool) -> FloatArray:  # noqa: FBT001 - one of two kinds of target
    return frozen([np.abs(each - y).mean() if numeric else (each != y).mean() for each in said])
