"""Which runner does the fits: here, in processes of their own, or on workers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError
from adjudge.resampling.executors import spread
from adjudge.resampling.isolate import check_timeout, isolated
from adjudge.resampling.job_files import one_blas_thread
from adjudge.resampling.run import pays_for_processes
from adjudge.resampling.units import Answer, Job, Runner, serial


def chosen(
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
) -> Runner:
    """Return the runner that suits what was asked for.

    The plain call fits here, which is fastest. A process per task is used when it is asked for, and with a timeout or a
    checkpoint: both promise to outlive what a learner does. Workers elsewhere are used as they are given.
    """
    careful = isolate or timeout is not None
    if careful or checkpoint is not None:
        check_timeout(timeout)
    within = None if checkpoint is None else Path(checkpoint).absolute()
    workers, here = _workers(n_jobs)
    if executor is not None or (workers > 1 and not here):
        return partial(spread, n_jobs=n_jobs, executor=executor, timeout=timeout, isolate=isolate, within=within)
    if careful or checkpoint is not None:
        return partial(isolated, timeout=timeout, workers=workers, within=within)
    return partial(_where_it_pays, n_jobs=n_jobs, workers=workers) if workers > 1 else in_turn


def _workers(n_jobs: int | None) -> tuple[int, bool]:
    """Return how many workers joblib would use, and whether they would be processes of its own on this machine."""
    import joblib
    from joblib.parallel import get_active_backend

    try:
        return int(joblib.effective_n_jobs(n_jobs)), type(get_active_backend()[0]).__name__ == "LokyBackend"
    except ValueError as error:
        msg = wording(parameter("n_jobs"), f" must be a number of workers or -1 for as many as there are cores, got {n_jobs}.")
        raise InputError(msg) from error


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
