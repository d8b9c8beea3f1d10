"""Estimate how good a learner is: each verb a straight line from the data to the verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from adjudge._base import InputError, Undefined, argument, command, parameter
from adjudge._base.progress import stepped, waiting
from adjudge.counts.numbers import NumberCounts
from adjudge.estimates.over_folds import of_table, value_of
from adjudge.judgements.ensembles import EnsemblesJudged
from adjudge.judgements.resampled import MEASURES, Resampled, Share, TradeOff, estimate_run
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import OtherMeasure
from adjudge.resampling.learner import borrowed
from adjudge.resampling.plans import holdouts
from adjudge.resampling.run import checked_repeats, checked_shares, chosen, job_of, run, watched
from adjudge.verbs.learner_clusters import refuse_both
from adjudge.verbs.learner_runs import USUAL, estimate_learner, folds_of, learner_text, learning_cases, measure_names

SHARES = (0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8)


class _Asked(TypedDict, total=False):
    """What estimates of one learner and of ensembles take alike."""

    by: Any
    cv: Any
    measures: Sequence[str]
    groups: Any
    cluster: Any
    leave_out: Sequence[str]
    level: float
    random_state: Any
    n_jobs: int | None
    executor: Executor | None
    checkpoint: str | os.PathLike[str] | None
    timeout: float | None
    isolate: bool
    rounds: int | None
    samme: bool
    complete: bool
    progress: bool


@overload
def estimate(learner: Any, X: Any, y: Any, *, ensemble: None = None, **asked: Unpack[_Asked]) -> Resampled: ...
@overload
def estimate(learner: Any, X: Any, y: Any, *, ensemble: Any, **asked: Unpack[_Asked]) -> EnsemblesJudged: ...
def estimate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    by: Any = USUAL,
    cv: Any = None,
    measures: Sequence[str] = MEASURES,
    groups: Any = None,
    cluster: Any = None,
    leave_out: Sequence[str] = (),
    level: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    ensemble: Any = None,
    rounds: int | None = None,
    samme: bool = False,
    complete: bool = False,
    progress: bool = True,
) -> Resampled | EnsemblesJudged:
    """Estimate how well a learner does on held-out cases.

    Parameters
    ----------
    learner : classifier or regressor
        Anything with fit(X, y) and predict(X). It is cloned, never fitted itself.
    X, y : table and target
        One row and one value per case: arrays, sparse matrices, lists, frames of any library. Or the path of a .csv or .parquet
        file and the name of the column to predict: every other column is a feature, and text is encoded anew in each fold.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`. Or the .json file of a plan.
    cv : int, splitter or pairs of rows, optional
        The same in scikit-learn's word, in place of `by`: 5, or ``StratifiedKFold(5)``. Folds of a number are shuffled.
    measures : sequence of str
        Which measures to follow over the folds; see :func:`adjudge.measures`. Learners of numbers get all losses.
    groups : array-like, optional
        The group of each row, for plans that keep groups together; of a file its column.
    cluster : array-like or str, optional
        What each row belongs to, such as its patient, or the column that says so; found by its name unless ``""``. Folds keep
        clusters together (stratified-grouped-10-fold), intervals heed them, and the column is no feature.
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
    ensemble : sequence of str, or mapping {name: learner}, optional
        "bagging" and "adaboost", or one of them, or ensembles of your own: :func:`adjudge.judge_ensembles` compares them with
        the single model, by one measure.
    rounds, samme
        Of ensembles: the models of each, 50 by default; and `samme` of :func:`adjudge.judge_ensembles`.
    complete : bool
        Whether corrections and the partition of the predictions are computed at once, as pages and JSON show them.
    progress : bool
        Whether to show how far the run is, on a terminal or in a notebook.
    """
    by = folds_of(by, cv, USUAL)
    refuse_both(cluster, groups, ensemble)
    asked: dict[str, Any] = {"groups": groups, "leave_out": leave_out, "level": level, "random_state": random_state}
    asked |= {"n_jobs": n_jobs, "executor": executor, "timeout": timeout, "isolate": isolate, "progress": progress}
    if ensemble is not None:
        from adjudge.verbs.judge_ensembles import judge_ensembles

        names = measure_names(measures)
        if checkpoint is not None or (len(names) > 1 and names != MEASURES):
            one = argument("measures", python="measure") if checkpoint is None else parameter("checkpoint")
            told = f" compares several learners by one measure and takes {'one' if checkpoint is None else 'no'} "
            raise InputError(parameter("ensemble"), told, one, "; estimate each by itself for more.")
        more: dict[str, Any] = {"measure": None if names == MEASURES else names[0], "samme": samme}
        more |= {} if rounds is None else {"n_estimators": rounds}
        return judge_ensembles(learner, X, y, by=by, ensembles=ensemble, **more, **asked)
    if rounds is not None or samme:
        told = " is for adaboost" if rounds is None else " counts the models of an ensemble"
        example = argument("ensemble", ["bagging", "adaboost"])
        raise InputError(parameter("samme" if rounds is None else "rounds"), f"{told}; name one with ", example, ".")
    return estimate_learner(
        learner, X, y, by=by, measures=measures, cluster=cluster, checkpoint=checkpoint, complete=complete, **asked
    )


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

    Few test cases leave the estimate uncertain; many leave few training cases, and the learner looks worse than it is.

    Parameters
    ----------
    learner, X, y, leave_out, random_state, n_jobs, executor, timeout, isolate, progress
        As for :func:`adjudge.estimate`, with the same digits whoever does the fits.
    shares : sequence of float
        Shares of the cases to test on.
    repeats : int
        Random splits for each share.
    measure : str, optional
        The accuracy, or the mean absolute error of numbers, unless another is named.
    """
    shares, repeats = checked_shares(shares), checked_repeats(repeats)
    runner = chosen(n_jobs=n_jobs, executor=executor, timeout=timeout, isolate=isolate, progress=progress)
    (learner,), X, y, by, _ = learning_cases([learner], X, y, "holdout", leave_out=leave_out)
    first = job_of(learner, X, y, by, random_state=random_state)
    wanted = find(("mae" if first.numeric else "accuracy") if measure is None else measure)
    if first.numeric != (wanted.needs == "numbers"):
        msg = f"{wanted.name} does not fit a learner of {'numbers' if first.numeric else 'classes'}; see "
        raise InputError(msg, command("adjudge measures", python="adjudge.measures()"), ".", parameter="measure")
    scores: Any = "none" if wanted.needs == "decisions" else "auto"
    jobs = []
    for at, share in enumerate(shares):
        seed = int(np.random.SeedSequence([first.seed, at]).generate_state(1)[0])
        plan = holdouts(first.y, share=share, times=repeats, seed=seed, strata=not first.numeric, name=f"subsampling-{repeats}")
        jobs.append(replace(first, plan=plan, seed=seed, scores=scores))
    runner, points = watched(runner, progress=progress), []
    with borrowed(), waiting("fitting", progress=progress, after=0.0):
        for job in stepped(jobs, [1 - job.plan.test_share for job in jobs]):
            ran = run(job, runner, seen=False)
            counts, estimates = estimate_run(ran, (wanted.name,))
            each, why = estimates[wanted.name].folds, ""
            if np.isnan(each).any() and not isinstance(counts, NumberCounts):  # its table, or all answers, say why
                if isinstance(wanted, OtherMeasure):
                    value = value_of(wanted, counts)
                else:
                    table = list(counts.by_fold.values())[int(np.argmax(np.isnan(each)))]
                    value = of_table(wanted, table, counts.positive)
                why = value.reason if isinstance(value, Undefined) else ""
            points.append(Share(job.plan.test_share, int(job.plan.test[0].size), each, tuple(ran.failures.values()), why))
    return TradeOff(learner_text(learner), wanted.name, tuple(points), first.seed)
