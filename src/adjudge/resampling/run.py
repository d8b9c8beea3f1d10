"""Carry out a plan: every unit asked, what failed kept with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.text import counted
from adjudge.resampling.answers import Answer
from adjudge.resampling.learner import predicts_numbers
from adjudge.resampling.plan import Plan, TheRest
from adjudge.resampling.plans import plan as make_plan
from adjudge.resampling.plans import seed_of
from adjudge.resampling.run_result import Ran, gather
from adjudge.resampling.shortcuts import leave_one_out
from adjudge.resampling.target import classes_of, numbers_of, row_count
from adjudge.resampling.units import Job, Runner, serial

START = 1.0
"""Seconds that starting workers takes, as scikit-learn is imported in each."""
SEND = 0.005
"""Seconds that handing one task to a worker and taking its answer back takes."""


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
    if row_count(X) != target.size:
        msg = f"X has {counted(row_count(X), 'row')} and y {target.size:,}; give one value per row."
        raise InputError(msg)
    seed = seed_of(random_state)
    plan = make_plan(by, X, target, random_state=seed, groups=groups, numeric=numeric)
    return Job(learner, X, target, plan, seed, numeric, classes)


def run(job: Job, runner: Runner = serial, *, shortcut: bool = True, seen: bool = True) -> Ran:
    """Return what the learner said of the cases it had not seen.

    `shortcut` lets leave-one-out be worked out without refits where that gives the same answers; `seen` also asks a
    learner about the cases it learnt from.
    """
    ready = leave_one_out(job) if shortcut and job.plan.kind == "leave-one-out" else None
    last = len(job.plan)
    answers: dict[int, Answer] = {}
    if ready is not None and ready.seen is not None:
        answers[last] = Answer(last, ready.seen, None, 0.0)
    units = [*(range(last) if ready is None else ready.left), *([last] if seen and last not in answers else [])]
    answers |= {answer.unit: answer for answer in runner(job, units)}
    return gather(answers, job.plan, job.classes, untaught(job), None if ready is None else ready.table)


def untaught(job: Job) -> dict[int, tuple[Any, ...]]:
    """Return for each unit the classes of which it has no case to learn from, where there are any."""
    if job.numeric:
        return {}
    labels, sizes = np.unique(job.y, return_counts=True)
    suspects = _suspects(job.plan, int(sizes.min()))
    codes = np.searchsorted(labels, job.y) if suspects else np.zeros(0, dtype=np.int64)
    found = {}
    for unit in suspects:
        taught = np.bincount(codes[job.plan.learn[unit]], minlength=labels.size)
        if not taught.all():
            found[unit] = tuple(labels[taught == 0].tolist())
    return found


def _suspects(plan: Plan, smallest: int) -> list[int]:
    """Return the units that may miss a class: those that leave out at least as many rows as the smallest class has."""
    if not isinstance(plan.learn, TheRest):
        return list(range(len(plan)))
    return [unit for unit, judged in enumerate(plan.judge) if judged.size >= smallest]


def pays_for_processes(seconds: float, units: int, workers: int) -> bool:
    """Return whether workers would be done sooner than one task after another, given what one fit takes.

    >>> pays_for_processes(0.01, 10, 4), pays_for_processes(2.0, 10, 4)
    (False, True)
    """
    alone = seconds * units
    return workers > 1 and START + SEND * units + alone / min(workers, units) < alone
