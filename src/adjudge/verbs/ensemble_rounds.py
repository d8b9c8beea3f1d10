"""The errors of an ensemble after each of its rounds: every fold is fitted again and asked round by round."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, frozen
from adjudge.judgements.ensembles import SINGLE, Rounds, Staged, judge_rounds
from adjudge.judgements.resampled import Resampled
from adjudge.metrics.measure import Measure
from adjudge.resampling.global_rng import borrowed
from adjudge.resampling.isolation.job_files import Ticket, one_blas_thread, spooled
from adjudge.resampling.learner import features, fit
from adjudge.resampling.run import pays_for_processes
from adjudge.resampling.units import Job


def follow_rounds(
    name: str,
    job: Job,
    run: Resampled,
    measure: Measure,
    *,
    margin: float | None,
    level: float,
    n_jobs: int | None = None,
    executor: Executor | None = None,
) -> Rounds | None:
    """Fit a learner in each fold that answered again and follow its errors over the rounds, where it has any."""
    follow = name != SINGLE and hasattr(job.learner, "staged_predict")
    units = [unit for unit in range(len(job.plan)) if unit not in run.ran.failures]
    with _silence():
        if executor is None:
            each = _each_fold(job, units, n_jobs, follow=follow)
        else:
            each = _on_executor(job, units, executor, follow=follow)
    folds = [fold for fold in each if fold is not None]
    rounds = max((fold.judged.size for fold in folds), default=1)
    rounds = max(rounds, getattr(job.learner, "n_estimators", 1)) if follow else rounds
    return judge_rounds(name, folds, job.plan, measure, rounds=rounds, margin=margin, level=level, followed=follow)


def _each_fold(job: Job, units: Sequence[int], n_jobs: int | None, *, follow: bool) -> list[Staged | None]:
    """Fit the first fold here; hand out the others if they take longer than it takes to start workers."""
    from joblib import Parallel, delayed, effective_n_jobs

    start = time.perf_counter()
    found = [staged(job, unit, follow=follow) for unit in units[:1]]
    rest, workers = units[1:], effective_n_jobs(n_jobs)
    if not pays_for_processes(time.perf_counter() - start, len(rest), workers):
        return [*found, *(staged(job, unit, follow=follow) for unit in rest)]
    return [*found, *Parallel(n_jobs=n_jobs)(delayed(staged)(job, unit, follow=follow) for unit in rest)]


def _on_executor(job: Job, units: Sequence[int], executor: Executor, *, follow: bool) -> list[Staged | None]:
    """Let the executor fit the folds; here, should it take no more tasks."""
    try:
        with spooled(job) as ticket:
            waiting = [executor.submit(staged_from, ticket, unit, follow=follow) for unit in units]
            return [future.result() for future in waiting]
    except BrokenExecutor:
        return _each_fold(job, units, None, follow=follow)


def staged_from(ticket: Ticket, unit: int, *, follow: bool) -> Staged | None:
    """Fit one fold of a job that was written down, wherever this is called."""
    from sklearn import config_context

    with config_context(**ticket.config):
        return staged(ticket.job(), unit, follow=follow)


def staged(job: Job, unit: int, *, follow: bool) -> Staged | None:
    """Fit one fold and return its errors, round by round if asked; None where it fails, though it did not before."""
    learn, judge = job.rows(unit)
    try:
        with borrowed(), one_blas_thread(), _silence():
            model = fit(job.learner, job.X, job.y, learn, seed=job.seed_of(unit))
            said = model.staged_predict if follow else lambda cases: [model.predict(cases)]
            on = [_errors(said(features(model, job.X, rows, learn)), job.y[rows], job.numeric) for rows in (learn, judge)]
    except Exception:  # noqa: BLE001 - as in the first run, whatever a learner does, the other folds go on
        return None
    return Staged(unit, on[0], on[1], str(getattr(model, "stopped_", "")))


def _silence() -> AbstractContextManager[Any]:
    """Return what keeps learners quiet, as the first fit of a fold has told its warnings; threads share the filters of all."""
    here = threading.current_thread() is threading.main_thread()
    return warnings.catch_warnings(action="ignore") if here else nullcontext()


def _errors(said: Iterable[AnyArray], y: AnyArray, numeric: bool) -> FloatArray:  # noqa: FBT001 - one of two kinds of target
    return frozen([np.abs(each - y).mean() if numeric else (each != y).mean() for each in said])
