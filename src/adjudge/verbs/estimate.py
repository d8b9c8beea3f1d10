"""Estimate how good a learner is: each verb a straight line from the data to the verdict."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.text import safe
from adjudge._base.undefined import Undefined
from adjudge.counts.numbers import NumberCounts
from adjudge.estimates.over_folds import of_table, value_of
from adjudge.judgements.resampled import MEASURES, Resampled, judge_run
from adjudge.judgements.training import Share, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure, OtherMeasure
from adjudge.resampling.answers import Answer
from adjudge.resampling.global_rng import borrowed
from adjudge.resampling.isolation.store import Kept, seed_in
from adjudge.resampling.plans import holdouts
from adjudge.resampling.run import check_workers, checked_repeats, checked_shares, chosen, job_of, run, watched
from adjudge.resampling.shortcuts import sooner
from adjudge.resampling.units import Job, Runner
from adjudge.verbs.learning import learning_cases

SHARES = (0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8)


def estimate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    by: Any = "stratified-10-fold",
    measures: Sequence[str] = MEASURES,
    groups: Any = None,
    leave_out: Sequence[str] = (),
    level: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    complete: bool = False,
    progress: bool = True,
) -> Resampled:
    """Estimate how well a learner does on cases it has not seen.

    Parameters
    ----------
    learner : classifier or regressor
        Anything with fit(X, y) and predict(X). It is cloned, never fitted itself.
    X, y : table and target
        One row and one value per case: arrays, sparse matrices, lists, frames of any library. Or the path of a .csv or .parquet
        file and the name of the column to predict: every other column is a feature, and text is encoded anew in each fold.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`. Or the .json file of a plan.
    measures : sequence of str
        Which measures to follow over the folds; see :func:`adjudge.measures`. Learners of numbers get all losses.
    groups : array-like, optional
        The group of each row, for plans that keep groups together; of a file its column.
    leave_out : sequence of str
        Columns of a file that are no features.
    level : float
        How often the intervals shall hold the truth.
    random_state : int, Generator, RandomState or None
        What to draw plans and seeds of learners with. The same number gives the same digits with any number of workers;
        of learners that draw from what all threads share (``numpy.random``, ``random``), in processes only.
    n_jobs, executor
        How many processes to use, or what else shall do the fits; in this process unless asked for.
    checkpoint : path, optional
        A folder that keeps every finished fit; a run that was broken off goes on from there.
    timeout : float, optional
        Seconds after which a fit is given up.
    isolate : bool
        Whether each fit runs in a process of its own, so that one that crashes costs its own fold only.
    complete : bool
        Whether corrections and the partition of the predictions are judged at once, as pages and JSON show them.
    progress : bool
        Whether to show how far the run is, on a terminal or in a notebook.
    """
    level, measures = checked_level(level), _names(measures)
    check_workers(n_jobs=n_jobs, executor=executor, checkpoint=checkpoint, timeout=timeout, isolate=isolate, progress=progress)
    if random_state is None and checkpoint is not None:
        random_state = seed_in(checkpoint)  # a run that names no seed goes on with the one it began with
    (learner,), X, y, by, groups = learning_cases([learner], X, y, by, groups=groups, leave_out=leave_out)
    job = job_of(learner, X, y, by, random_state=random_state, groups=groups)
    for name in () if job.numeric else measures:
        if find(name).needs == "numbers":  # refused before the learner is fitted; learners of numbers get all losses
            told = f"{name} is a measure of numbers, but the learner predicts classes; leave it out of "
            raise InputError(told, parameter("measures"), ".")
    runner = chosen(checkpoint=checkpoint, timeout=timeout, isolate=isolate, n_jobs=n_jobs, executor=executor)
    if checkpoint is None:
        runner = _shown(runner, progress=progress)
    else:
        runner = Kept(checkpoint, _shown(sooner(runner), progress=progress, total=len(job.units)))
    with borrowed():
        ran = run(job, _whole(runner) if isinstance(runner, Kept) else runner)
    ran = replace(ran, remarks=runner.findings) if isinstance(runner, Kept) else ran
    judged = judge_run(ran, learner=_named(learner), measures=measures, level=level)
    return judged.completed() if complete else judged


def _names(measures: Any) -> tuple[str, ...]:
    """Return the measures asked for, each known."""
    if not isinstance(measures, Iterable) or isinstance(measures, (bytes, Mapping)):
        msg = f"measures must list names, such as ('accuracy', 'mcc'); got {safe(repr(measures))}. See adjudge.measures()."
        raise InputError(msg)
    found = tuple(find(name).name for name in ([measures] if isinstance(measures, str) else measures))
    if not found:
        msg = "measures names nothing to follow; name at least one, or leave it out. See adjudge.measures()."
        raise InputError(msg)
    return found


def _named(learner: Any) -> str:
    """Return what to call a learner: as it prints itself, in one line."""
    return " ".join(repr(learner).split()) if hasattr(learner, "get_params") else type(learner).__name__


def _shown(runner: Runner, *, progress: bool, total: int | None = None) -> Runner:
    """Return what does the fits, with a sign of how far it is if that is wanted."""
    return watched(runner, total=total) if progress else runner


def _whole(kept: Kept) -> Runner:
    """Return a runner that keeps the answers of all units, though those had by a shortcut are not asked for again."""

    def run_all(job: Job, units: Sequence[int]) -> Iterator[Answer]:
        asked = set(units)
        yield from (answer for answer in kept(job, job.units) if answer.unit in asked)

    return run_all


def trade_off(
    learner: Any,
    X: Any,
    y: Any,
    *,
    shares: Sequence[float] = SHARES,
    repeats: int = 20,
    measure: str | None = None,
    leave_out: Sequence[str] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    progress: bool = True,
) -> TradeOff:
    """Show how the estimate moves with the share of cases kept for testing.

    Few test cases leave the estimate uncertain; many leave few to learn from, and the learner looks worse than it is.

    Parameters
    ----------
    learner, X, y, leave_out
        As for :func:`adjudge.estimate`.
    shares : sequence of float
        Shares of the cases to test on.
    repeats : int
        Random splits for each share.
    measure : str, optional
        The accuracy, or the mean absolute error of numbers, unless another is named.
    random_state : int, Generator, RandomState or None
        What to draw the splits with.
    n_jobs, executor, timeout, isolate, progress
        Who does the fits, and how; as for :func:`adjudge.estimate`, with the same digits.
    """
    shares, repeats = checked_shares(shares), checked_repeats(repeats)
    check_workers(n_jobs=n_jobs, executor=executor, timeout=timeout, isolate=isolate, progress=progress)
    (learner,), X, y, by, _ = learning_cases([learner], X, y, "holdout", leave_out=leave_out)
    first = job_of(learner, X, y, by, random_state=random_state)
    wanted = find(("mae" if first.numeric else "accuracy") if measure is None else measure)
    if first.numeric != (wanted.needs == "numbers"):
        msg = f"{wanted.name} does not fit a learner of {'numbers' if first.numeric else 'classes'}; see adjudge.measures()."
        raise InputError(msg)
    scores: Any = "none" if wanted.needs == "decisions" else "auto"
    jobs = []
    for at, share in enumerate(shares):
        seed = int(np.random.SeedSequence([first.seed, at]).generate_state(1)[0])
        named = f"subsampling-{repeats}"
        plan = holdouts(first.y, share=share, times=repeats, seed=seed, strata=not first.numeric, name=named)
        jobs.append(replace(first, plan=plan, seed=seed, scores=scores))
    runner = _shown(chosen(n_jobs=n_jobs, executor=executor, timeout=timeout, isolate=isolate), progress=progress)
    with borrowed():
        found = tuple(_share(job, wanted, runner) for job in jobs)
    return TradeOff(_named(learner), wanted.name, found, first.seed)


def _share(job: Job, wanted: Measure, runner: Runner) -> Share:
    """Try the splits of one share."""
    ran = run(job, runner, seen=False)
    found = judge_run(ran, learner="", measures=(wanted.name,))
    each = found.estimates[wanted.name].folds
    why = _why_none(found, wanted, int(np.argmax(np.isnan(each)))) if np.isnan(each).any() else ""
    return Share(job.plan.test_share, int(job.plan.judge[0].size), each, tuple(ran.failures.values()), why)


def _why_none(found: Resampled, wanted: Measure, at: int) -> str:
    """Return why a measure has no value in the split at this place, as far as its table or all answers together say."""
    if isinstance(found.counted, NumberCounts):
        return ""
    if isinstance(wanted, OtherMeasure):
        value = value_of(wanted, found.counted)
    else:
        value = of_table(wanted, list(found.counted.by_fold.values())[at], found.counted.positive)
    return value.reason if isinstance(value, Undefined) else ""
