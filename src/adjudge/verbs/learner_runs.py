"""A learner run by a plan, on arrays or on the columns of a file: what all verbs that try learners share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge._base import InputError, argument, checked_level, command, either, parameter, safe, wording
from adjudge._base.progress import stepped, waiting
from adjudge.judgements.resampled import MEASURES, Resampled, judge_run, measures_of_classes
from adjudge.metrics.catalogue import find
from adjudge.resampling.features import read_features, understanding_text
from adjudge.resampling.identity import row_count
from adjudge.resampling.isolation.store import Kept, seed_in
from adjudge.resampling.learner import borrowed
from adjudge.resampling.plan import Plan
from adjudge.resampling.run import chosen, job_of, run, watched
from adjudge.resampling.shortcuts import sooner
from adjudge.verbs.learner_clusters import LearningClusters, in_file, in_table, of_values

USUAL = "stratified-10-fold"
_AT_ONCE = 0.0  # fits are shown from the first second on, as those of one learner are


def folds_of(by: Any, cv: Any, usual: str | None) -> Any:
    """Return where the test cases come from, said by `by` or, in scikit-learn's word, by `cv`; refuse both."""
    if cv is None:
        return by
    if not (by is None or isinstance(by, str)) or by != usual:
        raise InputError(
            parameter("by"), " and ", parameter("cv"), " say the same: where test cases come from. Give one of them."
        )
    return cv


def measure_names(measures: Any) -> tuple[str, ...]:
    """Return the measures asked for, each known."""
    told = " names nothing to follow; name at least one, or leave it out. See "
    if isinstance(measures, (bytes, Mapping)) or not isinstance(measures, Iterable):
        told, measures = f" must list names, such as ('accuracy', 'mcc'); got {safe(repr(measures))}. See ", ()
    names = tuple(find(name, "measures").name for name in ([measures] if isinstance(measures, str) else measures))
    if not names:
        raise InputError(parameter("measures"), told, command("adjudge measures", python="adjudge.measures()"), ".")
    return names


def estimate_learner(
    learner: Any,
    X: Any,
    y: Any,
    *,
    by: Any,
    measures: Sequence[str] = MEASURES,
    groups: Any = None,
    cluster: Any = None,
    leave_out: Sequence[str] = (),
    level: float = 0.95,
    random_state: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    complete: bool = False,
    progress: bool = True,
    follow: bool | None = None,
    **running: Any,
) -> Resampled:
    """Return how well one learner does on cases it has not seen; the parameters are those of :func:`adjudge.estimate`.

    `follow` asks for the errors after each round of an ensemble too, or of what has no rounds for those of each fold.
    """
    level, names = checked_level(level), measure_names(measures)
    runner = chosen(checkpoint=checkpoint, progress=progress, **running)
    if random_state is None and checkpoint is not None:
        random_state = seed_in(checkpoint)  # a run that names no seed goes on with the one it began with
    (learner,), X, y, by, groups, clusters = _clustered_cases([learner], X, y, by, cluster, groups=groups, leave_out=leave_out)
    try:
        job = job_of(learner, X, y, by, random_state=random_state, groups=groups)
    except InputError:
        if clusters is None or not clusters.found:
            raise
        job, clusters = job_of(learner, X, y, by, random_state=random_state), replace(clusters, torn=True)
    job = replace(job, follow=follow)
    if not job.numeric:  # refused before the learner is fitted; learners of numbers get all losses
        measures_of_classes(names)
    if checkpoint is None:
        runner = watched(runner, progress=progress)
    else:
        runner = Kept(checkpoint, watched(sooner(runner), total=len(job.units), progress=progress))
    with borrowed():
        ran = run(job, runner, shortcut=checkpoint is None and follow is None)
    ran = replace(ran, remarks=runner.findings) if isinstance(runner, Kept) else ran
    ran = ran if clusters is None else clusters.among(ran)
    judged = judge_run(ran, learner=learner_text(learner), measures=names, level=level)
    if not complete:
        return judged
    with waiting("trying corrections", progress=progress):
        return judged.completed()


def _clustered_cases(
    learners: list[Any], X: Any, y: Any, by: Any, cluster: Any, *, groups: Any, leave_out: Sequence[str]
) -> tuple[list[Any], Any, Any, Any, Any, LearningClusters | None]:
    """Return what :func:`learning_cases` does and the clusters, given or found by name unless somebody names groups."""
    of_file, clusters = isinstance(X, (str, os.PathLike)), None
    if groups is not None:
        return (*learning_cases(learners, X, y, by, groups=groups, leave_out=leave_out), None)
    if of_file:
        column, left = in_file(X, y, cluster, leave_out), list(leave_out)
        unused = in_file(X, y, None, leave_out) if cluster == "" else None
        left += [] if unused is None else [unused]
        learners, X, y, by, values = learning_cases(learners, X, y, by, groups=column, leave_out=left)
        clusters = of_values(values, column, found=cluster is None)
    else:
        X, clusters = in_table(X, cluster)
        learners, X, y, by, _ = learning_cases(learners, X, y, by, leave_out=leave_out)
    if clusters is None:
        return learners, X, y, by, None, None
    clusters = clusters.checked(row_count(X))
    return learners, X, y, clusters.plan_of(by, y, USUAL), clusters.values, clusters


def tried(
    learners: Sequence[Any], X: Any, y: Any, by: Any, measure: str | None, random_state: Any, **asked: Any
) -> list[Resampled]:
    """Return the run of each learner by one plan."""
    if asked.get("checkpoint") is not None:
        msg = "A checkpoint keeps the fits of one learner. Estimate each with its own checkpoint and compare(found_a, found_b)."
        raise InputError(msg)
    numeric = measure is not None and find(measure).needs == "numbers"
    wanted: dict[str, Any] = {} if measure is None or numeric else {"measures": (measure,)}
    runs: list[Resampled] = []
    with waiting("fitting", progress=asked.get("progress", True), after=_AT_ONCE):
        for learner in stepped(learners):
            plan = runs[0].plan if runs else by
            runs.append(estimate_learner(learner, X, y, by=plan, random_state=random_state, **wanted, **asked))
    return runs


def learning_cases(
    learners: Sequence[Any], X: Any, y: Any, by: Any, *, groups: Any = None, leave_out: Sequence[str] = ()
) -> tuple[list[Any], Any, Any, Any, Any]:
    """Return learners, X, y, plan and groups; X may be the path of a file and y, groups and `leave_out` its columns."""
    if isinstance(by, (str, os.PathLike)) and os.fspath(by).endswith(".json"):
        by = Plan.load(by)
    if not isinstance(X, (str, os.PathLike)):
        if leave_out:
            raise InputError(argument("leave_out"), " names columns of a file; leave columns of a table out of X itself.")
        return list(learners), X, y, by, groups
    if not isinstance(y, str) or not (groups is None or isinstance(groups, str)):
        named = either([parameter("y"), parameter("groups")], " and ")
        raise InputError(wording("Of a file, ", named, " are the names of columns, such as ", argument("y", "species")), ".")
    cases = read_features(X, target=y, groups=groups, leave_out=leave_out)
    return [understanding_text(learner, cases) for learner in learners], cases.X, cases.y, by, cases.groups


def learner_text(learner: Any) -> str:
    """Return what to call a learner: as it prints itself, in one line."""
    return " ".join(repr(learner).split()) if hasattr(learner, "get_params") else type(learner).__name__
