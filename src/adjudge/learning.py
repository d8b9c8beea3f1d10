"""Estimate how good a learner is: each verb a straight line from the data to the verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.judgements.resampled import MEASURES, Resampled, judge_run
from adjudge.judgements.trade_off import Share, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.resampling.choose import chosen
from adjudge.resampling.plans import holdouts
from adjudge.resampling.progress import watched
from adjudge.resampling.run import job_of, run
from adjudge.resampling.store import Kept, seed_in
from adjudge.resampling.units import Job, Runner

SHARES = (0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8)


def estimate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    by: Any = "stratified-10-fold",
    measures: Sequence[str] = MEASURES,
    groups: Any = None,
    level: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    progress: bool = True,
) -> Resampled:
    """Estimate how well a learner does on cases it has not seen.

    Parameters
    ----------
    learner : classifier or regressor
        Anything with fit(X, y) and predict(X). It is cloned, never fitted itself.
    X, y : table and target
        One row and one value per case: arrays, sparse matrices, lists, frames of any library.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`.
    measures : sequence of str
        Which measures to follow over the folds; see :func:`adjudge.measures`. Learners of numbers get all losses.
    groups : array-like, optional
        The group of each row, for plans that keep groups together.
    level : float
        How often the intervals shall hold the truth.
    random_state : int, Generator, RandomState or None
        What to draw plans and seeds of learners with. The same number gives the same digits with any number of workers.
    n_jobs, executor
        How many processes to use, or what else shall do the fits; in this process unless asked for.
    checkpoint : path, optional
        A folder that keeps every finished fit; a run that was broken off goes on from there.
    timeout : float, optional
        Seconds after which a fit is given up.
    isolate : bool
        Whether each fit runs in a process of its own, so that one that crashes costs its own fold only.
    progress : bool
        Whether to show how far the run is, on a terminal or in a notebook.
    """
    level = checked_level(level)
    if random_state is None and checkpoint is not None:
        random_state = seed_in(checkpoint)  # a run that names no seed goes on with the one it began with
    job = job_of(learner, X, y, by, random_state=random_state, groups=groups)
    runner = _runner(
        job, n_jobs=n_jobs, executor=executor, checkpoint=checkpoint, timeout=timeout, isolate=isolate, progress=progress
    )
    ran = run(job, runner, shortcut=checkpoint is None)
    ran = replace(ran, remarks=runner.findings) if isinstance(runner, Kept) else ran
    return judge_run(ran, learner=_named(learner), measures=measures, level=level)


def _named(learner: Any) -> str:
    """Return what to call a learner: as it prints itself, in one line."""
    return " ".join(repr(learner).split()) if hasattr(learner, "get_params") else type(learner).__name__


def _runner(
    job: Job,
    *,
    n_jobs: int | None,
    executor: Executor | None,
    checkpoint: str | os.PathLike[str] | None,
    timeout: float | None,
    isolate: bool,
    progress: bool,
) -> Runner:
    """Return what does the fits: here, one after another, unless something else was asked for."""
    runner = chosen(n_jobs=n_jobs, executor=executor, checkpoint=checkpoint, timeout=timeout, isolate=isolate)
    if progress:
        runner = watched(runner, total=None if checkpoint is None else len(job.units))
    return runner if checkpoint is None else Kept(checkpoint, runner)


def trade_off(
    learner: Any,
    X: Any,
    y: Any,
    *,
    shares: Sequence[float] = SHARES,
    repeats: int = 20,
    measure: str | None = None,
    random_state: Any = None,
) -> TradeOff:
    """Show how the estimate moves with the share of cases kept for testing.

    Few test cases leave the estimate uncertain; many leave few to learn from, and the learner looks worse than it is.

    Parameters
    ----------
    learner, X, y
        As for :func:`adjudge.estimate`.
    shares : sequence of float
        Shares of the cases to test on.
    repeats : int
        Random splits for each share.
    measure : str, optional
        The accuracy, or the mean absolute error of numbers, unless another is named.
    random_state : int, Generator, RandomState or None
        What to draw the splits with.
    """
    if repeats < 2:  # noqa: PLR2004 - one split has no spread
        msg = f"repeats must be at least 2, since one split has no spread; got {repeats}."
        raise InputError(msg)
    first = job_of(learner, X, y, "holdout", random_state=random_state)
    wanted = find(measure or ("mae" if first.numeric else "accuracy"))
    if first.numeric != (wanted.needs == "numbers"):
        msg = f"{wanted.name} does not fit a learner of {'numbers' if first.numeric else 'classes'}; see adjudge.measures()."
        raise InputError(msg)
    found = tuple(_share(first, share, at, wanted, repeats) for at, share in enumerate(shares))
    return TradeOff(_named(learner), wanted.name, found, first.seed)


def _share(first: Job, share: float, at: int, wanted: Measure, repeats: int) -> Share:
    """Try random splits that all test the same share."""
    seed = int(np.random.SeedSequence([first.seed, at]).generate_state(1)[0])
    plan = holdouts(first.y, share=share, times=repeats, seed=seed, strata=not first.numeric, name=f"subsampling-{repeats}")
    job = replace(first, plan=plan, seed=seed, scores="none" if wanted.needs == "decisions" else "auto")
    ran = run(job, seen=False)
    over = judge_run(ran, learner="", measures=(wanted.name,)).estimates[wanted.name]
    return Share(plan.test_share, int(plan.judge[0].size), over.folds, tuple(ran.failures.values()))
