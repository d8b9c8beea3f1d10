"""One model, or many in its place: bagging and boosting against the model by itself, over the same plan.

Every candidate is fitted once in each fold: it tells what it decides, and its errors round by round.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from itertools import combinations
from typing import Any

from adjudge._base import InputError, argument, check_whole, checked_level, command, parameter, safe
from adjudge._base.arrays import frozen
from adjudge._base.progress import stepped, waiting
from adjudge.ensembles.bagging import BaggingAverager, BaggingVoter
from adjudge.ensembles.boosting import ResamplingAdaBoost, ResamplingAdaBoostRegressor
from adjudge.judgements.comparison import Comparison, checked_margin, given_margin
from adjudge.judgements.decision import ASSURANCE
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds, Staged, judge_rounds, with_findings
from adjudge.judgements.paired_folds import refuse_infinite
from adjudge.judgements.resampled import Resampled
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.resampling.learner import Job, predicts_numbers
from adjudge.resampling.plan_size import affordable_plan
from adjudge.resampling.run import job_of
from adjudge.resampling.run_result import AllFailedError
from adjudge.verbs.compare import compare_runs
from adjudge.verbs.compared_sets import measure_of
from adjudge.verbs.learner_runs import folds_of, learning_cases, tried

ENSEMBLES = ("bagging", "adaboost")
"""Kinds of ensembles that can be named."""
_MOST = 4  # told apart by colour beside the single model
_TOLD = r"Of [\d,]+ models none had an error below"  # by a finding, once for all folds


def judge_ensembles(
    base: Any,
    X: Any,
    y: Any,
    *,
    by: Any = None,
    cv: Any = None,
    ensembles: Any = ENSEMBLES,
    n_estimators: int = 50,
    samme: bool = False,
    measure: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    groups: Any = None,
    leave_out: Sequence[str] = (),
    random_state: Any = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    progress: bool = True,
) -> EnsemblesJudged:
    """Decide whether bagging and boosting a model are better than the model by itself, and whether they overfit.

    Parameters
    ----------
    base : classifier or regressor
        The single model, and what the ensembles are made of.
    X, y, groups, leave_out, random_state
        As for :func:`adjudge.estimate`: arrays, or a file and the names of columns.
    by, cv : str, int, splitter, pairs of rows, or Plan, optional
        Where the test cases come from, for all candidates; as for :func:`adjudge.estimate`. Unless given, the largest of
        "10x10-fold", "5x10-fold", "3x10-fold", "10-fold" and "5-fold" that trees finish in about a minute. It is chosen by the
        numbers of rows, columns and models and by nothing that is timed: the same call has the same plan everywhere, and a
        learner slower than a tree takes longer. The result says which plan that was.
    ensembles : sequence of str, or mapping {name: learner}
        Of "bagging" and "adaboost"; or ensembles of your own by name, whose errors over the rounds are followed where they
        have a `staged_predict`.
    n_estimators : int
        Models of each ensemble that is named.
    samme : bool
        Whether the models of "adaboost" need only be better than guessing, of more than two classes; see
        :class:`adjudge.ResamplingAdaBoost`.
    measure, margin, level
        As for :func:`adjudge.compare`; the margin of numbers is 1% of the single model's value, for all. Over the rounds the
        error rate is followed, or the mean absolute error of numbers.
    n_jobs, executor, timeout, isolate, progress
        As for :func:`adjudge.estimate`. The bar is one for all candidates.

    An ensemble that fails in all folds is left out, with a finding that names it.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=1)
    >>> comparison = judge_ensembles(tree, X, y, by="5-fold", n_estimators=15, progress=False)
    >>> comparison.helped["adaboost"], comparison.overfitted["adaboost"]
    ('better', 'stays')
    """
    level = checked_level(level)
    running: dict[str, Any] = {"n_jobs": n_jobs, "executor": executor, "checkpoint": checkpoint, "timeout": timeout}
    running |= {"isolate": isolate, "progress": progress}
    margin = None if margin is None else given_margin(margin)
    (base,), X, y, by, groups = learning_cases([base], X, y, folds_of(by, cv, None), groups=groups, leave_out=leave_out)
    sized = None
    if by is None:
        by = sized = affordable_plan(X, _models(ensembles, n_estimators))
    first = job_of(base, X, y, by, random_state=random_state, groups=groups)
    if first.plan.kind == "bootstrap":
        told = "Rounds of the bootstrap test overlapping cases and have no known comparison. Compare ensembles "
        raise InputError(told, argument("by", "10x10-fold"), ".")
    wanted, errors = measure_of(measure, numeric=first.numeric), find("mae" if first.numeric else "error")
    learners = {SINGLE: base} | _made(base, ensembles, n_estimators, samme=samme, first=first)
    with waiting("fitting", progress=progress, after=0.0):
        runs, left_out = _runs(first, learners, wanted, measure, level=level, groups=groups, **running)

    def margin_of(one: Measure) -> float | None:
        """Return the margin of a measure, by the single model for all candidates; None where that has no value."""
        same = wanted.name == one.name or (one is errors and wanted.name == "accuracy")
        over = runs[SINGLE].estimates.get(one.name)
        value = 0.0 if over is None else float(over.mean_of_folds)
        return checked_margin(margin if same else None, one, value) if math.isfinite(value) else margin if same else None

    def compared(a: str, b: str) -> Comparison:
        how = {"margin": margin_of(wanted), "level": level, "assurance": ASSURANCE}
        return compare_runs(runs[a], runs[b], wanted.name, how, method=None, names=(a, b))

    names = [name for name in runs if name != SINGLE]
    against = {name: compared(name, SINGLE) for name in names}
    between = tuple(compared(a, b) for a, b in combinations(names, 2) if _comparable(runs[a], runs[b]))
    how: dict[str, Any] = {"margin": margin_of(errors), "level": level}
    followed = {name: _followed(name, learners[name], run, errors, **how) for name, run in runs.items()}
    rounds = {name: each for name, each in followed.items() if each is not None}
    name = type(base).__name__
    return with_findings(EnsemblesJudged(name, wanted.name, runs, against, between, rounds, level, left_out, sized=sized))


# -- the candidates ------------------------------------------------------------------------------------------


def _made(base: Any, ensembles: Any, n_estimators: Any, *, samme: Any, first: Job) -> dict[str, Any]:
    """Return the ensembles asked for by name, not yet fitted."""
    numeric = first.numeric
    if not isinstance(samme, bool):
        raise InputError(parameter("samme"), f" must be True or False, got {samme!r}.")
    if samme and (numeric or isinstance(ensembles, Mapping)):
        raise InputError(parameter("samme"), " is for 'adaboost' of classes; leave it out, and set it in ensembles of your own.")
    if isinstance(ensembles, Mapping):
        return _own(ensembles, first)
    check_whole("n_estimators", n_estimators, 1)
    listed = [ensembles] if isinstance(ensembles, str) else ensembles
    names = list(listed) if isinstance(listed, Iterable) and not isinstance(listed, bytes) else [listed]
    unknown = [name for name in names if name not in ENSEMBLES]
    if unknown or not names or len(set(names)) < len(names):
        told = "one of them twice" if not unknown and names else "nothing" if not names else safe(repr(unknown[0]))
        own = command("", python=", or give {name: ensemble}")
        raise InputError(parameter("ensembles"), f" names {told}; name {' and '.join(ENSEMBLES)} or one of them", own, ".")
    if samme and "adaboost" not in names:
        raise InputError(parameter("samme"), " is for 'adaboost', and ", argument("ensembles"), " does not name it.")
    pair = (BaggingAverager, ResamplingAdaBoostRegressor) if numeric else (BaggingVoter, ResamplingAdaBoost)
    kinds: dict[str, Any] = dict(zip(ENSEMBLES, pair, strict=True))
    more: dict[str, Any] = {"bagging": {"out_of_bag": False}, "adaboost": {"samme": True} if samme else {}}  # the folds judge
    return {name: kinds[name](base, n_estimators, **more[name]) for name in names}


def _models(ensembles: Any, n_estimators: Any) -> int:
    """Return how many models are fitted in each fold, as far as candidates say; what is no number is refused elsewhere."""
    kinds = ensembles.values() if isinstance(ensembles, Mapping) else [ensembles] if isinstance(ensembles, str) else ensembles
    counts = [getattr(each, "n_estimators", n_estimators if isinstance(each, str) else 1) for each in kinds]
    return 1 + sum(count if isinstance(count, int) else 1 for count in counts)


def _own(ensembles: Mapping[Any, Any], first: Job) -> dict[str, Any]:
    """Return ensembles of the caller's own by name; refuse what is no learner before any is fitted."""
    named = {str(name): learner for name, learner in ensembles.items()}
    if not 1 <= len(ensembles) <= _MOST or SINGLE in named:
        told = f"one is named {SINGLE!r}, as the model by itself is" if SINGLE in named else f"got {len(ensembles)}"
        raise InputError(parameter("ensembles"), f" must map 1 to {_MOST} names to learners; {told}.")
    for name, learner in named.items():
        if callable(getattr(learner, "fit", None)) and predicts_numbers(learner) != first.numeric:
            kinds = ("classes", "numbers") if first.numeric else ("numbers", "classes")
            raise InputError(safe(name), f" predicts {kinds[0]} and the single model {kinds[1]}; compare learners of one kind.")
        job_of(learner, first.X, first.y, first.plan, random_state=first.seed)
    return named


# -- the same plan for all -----------------------------------------------------------------------------------


def _runs(
    job: Job, learners: Mapping[str, Any], measure: Measure, asked: str | None, **running: Any
) -> tuple[dict[str, Resampled], dict[str, dict[int, str]]]:
    """Try every candidate; return the runs, and of those that are of no use why their folds failed, by numbers from 1."""
    runs: dict[str, Resampled] = {}
    left_out: dict[str, dict[int, str]] = {}
    for name, learner in stepped(learners.items(), [getattr(each, "n_estimators", 1) for each in learners.values()]):
        called, run, follow = "the single model" if name == SINGLE else name, None, _has_rounds(name, learner)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=_TOLD)
                (run,) = tried([learner], job.X, job.y, job.plan, asked, job.seed, follow=follow, **running)
            failures = run.failures
        except AllFailedError as error:
            failures = {unit + 1: why for unit, why in error.failures.items()}
        if run is not None and _comparable(run, runs.get(SINGLE, run)):
            refuse_infinite(called, run.estimates[measure.name].folds, measure)
            runs[name] = run
        elif name == SINGLE:
            raise InputError(_too_few({called: failures}))
        else:
            left_out[name] = failures
    if len(runs) == 1:
        raise InputError(_too_few(left_out))
    return runs, left_out


def _too_few(failed: Mapping[str, Mapping[int, str]]) -> str:
    """Say that nothing is left to compare, with the first reason of each candidate."""
    first = {name: next(iter(failures.items()), None) for name, failures in failed.items()}
    each = [f"{safe(name)} failed{'' if why is None else f' (fold {why[0]}: {why[1]})'}" for name, why in first.items()]
    return f"Too few folds answered to compare ensembles with the single model: {', '.join(each)}."


def _comparable(a: Resampled, b: Resampled) -> bool:
    """Say whether both answered in folds enough to be compared: two, or the one there is."""
    answered = [unit for unit in range(len(a.plan)) if unit not in a.run_result.failures and unit not in b.run_result.failures]
    return len(answered) >= min(2, len(a.plan))


# -- round by round ------------------------------------------------------------------------------------------


def _has_rounds(name: str, learner: Any) -> bool:
    return name != SINGLE and hasattr(learner, "staged_predict")


def _followed(name: str, learner: Any, run: Resampled, measure: Measure, **how: Any) -> Rounds | None:
    """Return the errors of a learner over its rounds, from the courses of its folds; None where no fold has any."""
    courses = {unit: course for unit, course in sorted(run.run_result.courses.items()) if not course.failure}
    folds = [Staged(unit, frozen(each.training), frozen(each.test), each.stopped) for unit, each in courses.items()]
    follow, rounds = _has_rounds(name, learner), max((fold.test.size for fold in folds), default=1)
    rounds = max(rounds, getattr(learner, "n_estimators", 1)) if follow else rounds
    return judge_rounds(name, folds, run.plan, measure, rounds=rounds, followed=follow, **how)
