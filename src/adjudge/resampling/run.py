"""Carry out a plan: what was asked is checked, a runner chosen, every unit asked, and what failed kept with its reason."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

import numpy as np

from adjudge._base import InputError, parameter, safe
from adjudge._base.progress import Bar, someone_watches, stepped, within_bar
from adjudge.resampling.executors import spread
from adjudge.resampling.identity import classes_of, numbers_of
from adjudge.resampling.isolation.fork_server import isolated
from adjudge.resampling.isolation.job_files import one_blas_thread
from adjudge.resampling.learner import Job, Runner, predicts_numbers, serial
from adjudge.resampling.plan import TheRest
from adjudge.resampling.plans import plan as make_plan
from adjudge.resampling.plans import seed_of
from adjudge.resampling.run_result import Answer, RunResult, gather
from adjudge.resampling.shortcuts import leave_one_out

START = 1.0  # seconds that starting workers takes, as scikit-learn is imported in each
SEND = 0.005  # seconds that handing one task to a worker and taking its answer back takes
_TWO = 2


def job_of(learner: Any, X: Any, y: Any, by: Any, *, random_state: Any = None, groups: Any = None) -> Job:
    """Return everything a run needs, checked."""
    for method in ("fit", "predict"):
        if not callable(getattr(learner, method, None)) or isinstance(learner, type):
            named = isinstance(learner, type)
            what = f"the class {learner.__name__} itself" if named else f"{type(learner).__name__} without {method}()"
            msg = f"A learner is an instance with fit(X, y) and predict(X), e.g. GaussianNB(); got {what}."
            raise InputError(msg)
    numeric = predicts_numbers(learner)
    target, classes = (numbers_of(y), ()) if numeric else classes_of(y)
    seed = seed_of(random_state)
    plan = make_plan(by, X, target, random_state=seed, groups=groups, numeric=numeric)
    return Job(learner, X, target, plan, seed, numeric, classes)


def run(job: Job, runner: Runner = serial, *, shortcut: bool = True, seen: bool = True) -> RunResult:
    """Return what the learner said of cases it had not seen, with `seen` also of those it had; `shortcut` spares refits."""
    last = len(job.plan)
    ready = leave_one_out(job) if shortcut and job.plan.kind == "leave-one-out" else None
    done = set() if ready is None else {*ready.units, *([] if ready.seen is None else [last])}
    left = [unit for unit in (job.units if seen else range(last)) if unit not in done]
    answers = {answer.unit: answer for answer in runner(job, left)} if left else {}
    if ready is not None and ready.seen is not None:
        answers[last] = Answer(last, ready.seen, None, 0.0)
    return gather(answers, job.plan, job.classes, untaught(job), None if ready is None else ready.table)


def untaught(job: Job) -> dict[int, tuple[Any, ...]]:
    """Return for each unit the classes of which it has no case to learn from, where there are any."""
    if job.numeric:
        return {}
    labels, sizes = np.unique(job.y, return_counts=True)
    # Only a unit that leaves out at least as many rows as the smallest class has may miss a class.
    rest, smallest = isinstance(job.plan.train, TheRest), int(sizes.min())
    suspects = [unit for unit, judged in enumerate(job.plan.test) if not rest or judged.size >= smallest]
    codes = np.searchsorted(labels, job.y) if suspects else np.zeros(0, dtype=np.int64)
    absent = {}
    for unit in suspects:
        taught = np.bincount(codes[job.plan.train[unit]], minlength=labels.size)
        if not taught.all():
            absent[unit] = tuple(labels[taught == 0].tolist())
    return absent


def pays_for_processes(seconds: float, units: int, workers: int) -> bool:
    """Return whether workers would be done sooner than one task after another, given what one fit takes."""
    alone = seconds * units
    return workers > 1 and START + SEND * units + alone / min(workers, units) < alone


def checked_repeats(repeats: Any) -> int:
    """Return how many random splits to make for each share."""
    if not _is_whole(repeats) or repeats < _TWO:
        _refuse("repeats", "must be at least 2, a whole number, since one split has no spread", repeats, "20 is usual")
    return int(repeats)


def checked_shares(shares: Any) -> tuple[float, ...]:
    """Return the shares of cases to test on, finite numbers at least; whether rows are left is seen when they are known."""
    if not isinstance(shares, Iterable) or isinstance(shares, (str, bytes, Mapping)):
        _refuse("shares", "must list the shares of cases to test on", shares, "Pass for example (0.1, 0.2, 0.5)")
    given = tuple(shares)
    odd = [share for share in given if not _is_number(share) or not math.isfinite(share)]
    if odd or not given:
        came = odd[0] if odd else shares
        _refuse("shares", "must list numbers between 0 and 1, at least one", came, "Pass for example (0.1, 0.2, 0.5)")
    return tuple(float(share) for share in given)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _refuse(name: str, told: str, came: Any, advice: str) -> NoReturn:
    raise InputError(parameter(name), f" {told}; got {safe(repr(came))}. {advice}.")


def chosen(
    *,
    n_jobs: Any = None,
    executor: Any = None,
    checkpoint: Any = None,
    timeout: Any = None,
    isolate: Any = False,
    progress: Any = True,
) -> Runner:
    """Return the runner that suits, refusing what says neither who does the fits nor how.

    Fits are done here, in a process each where one may end its own, or by workers elsewhere as they are given.
    """
    import joblib
    from joblib.parallel import get_active_backend

    if n_jobs is not None and (not _is_whole(n_jobs) or n_jobs == 0):
        told = "must be a whole number of workers or -1 for as many as there are cores"
        _refuse("n_jobs", told, n_jobs, "Leave it out to fit in this process")
    if executor is not None and not (callable(getattr(executor, "submit", None)) and not isinstance(executor, type)):
        _refuse("executor", "must have submit(), as a ProcessPoolExecutor() has", executor, "Pass one, or n_jobs")
    if checkpoint is not None and (not isinstance(checkpoint, (str, os.PathLike)) or not os.fspath(checkpoint)):
        _refuse("checkpoint", "must be the path of a folder", checkpoint, "Name one, such as 'run.adj'")
    if timeout is not None and not (_is_number(timeout) and timeout > 0 and math.isfinite(timeout)):
        _refuse("timeout", "must be a number of seconds above 0", timeout, "Leave it out to wait for every fit")
    for name, flag in (("isolate", isolate), ("progress", progress)):
        if not isinstance(flag, (bool, np.bool)):
            _refuse(name, "must be True or False", flag, "Leave it out if in doubt")
    careful = isolate or timeout is not None or checkpoint is not None
    if careful and not hasattr(os, "fork"):
        msg = "A process per task needs Linux or macOS. Run without isolate, timeout and checkpoint, or with n_jobs."
        raise InputError(msg)
    within = None if checkpoint is None else Path(checkpoint).absolute()
    workers, here = int(joblib.effective_n_jobs(n_jobs)), type(get_active_backend()[0]).__name__ == "LokyBackend"
    if executor is not None or (workers > 1 and not here):
        return partial(spread, n_jobs=n_jobs, executor=executor, timeout=timeout, isolate=isolate, within=within)
    if careful:
        return partial(isolated, timeout=timeout, workers=workers, within=within)
    return partial(_where_it_pays, n_jobs=n_jobs, workers=workers) if workers > 1 else in_turn


def in_turn(job: Job, units: Sequence[int]) -> Iterator[Answer]:
    """Do one task after another, here, with the digits that any number of workers would give."""
    with one_blas_thread():
        yield from serial(job, units)


def _where_it_pays(job: Job, units: Sequence[int], *, n_jobs: int | None, workers: int) -> Iterator[Answer]:
    """Do the first task here; hand out the others if they take longer than it takes to start workers."""
    first = next(in_turn(job, units[:1]), None)
    if first is None:
        return
    yield first
    rest = units[1:]
    worth = pays_for_processes(first.seconds, len(rest), workers)
    yield from spread(job, rest, n_jobs=n_jobs) if worth else in_turn(job, rest)


def watched(runner: Runner, *, total: int | None = None, progress: bool = True) -> Runner:
    """Return a runner that shows how far it is, if asked; units of `total` that it is not asked for count as done before."""
    if not progress:
        return runner

    def run(job: Job, units: Sequence[int]) -> Iterator[Answer]:
        if within_bar():  # of several runs
            yield from stepped(runner(job, units), [1.0] * len(units))
            return
        of, failed = len(units) if total is None else total, 0
        with Bar("fitting", of, of - len(units)) if someone_watches() else nullcontext() as shown:
            for answer in runner(job, units):
                failed += answer.failure is not None
                if shown is not None:
                    shown.step(note=f"{failed} failed" if failed else "")
                yield answer

    return run
