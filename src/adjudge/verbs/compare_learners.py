"""Two learners over the same plan: worse, practically the same, or better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge._base.arguments import argument, parameter
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance, known_error
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.same_folds import METHODS, compare_folds, same_folds
from adjudge.judgements.textbook import mcnemar
from adjudge.verbs.compared_sets import distinct, joint_of, judge_pair, measure_of, prepared
from adjudge.verbs.learner_runs import learning_cases, tried


def compare_learners(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    by: Any = "10x10-fold",
    measure: str | None = None,
    method: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    names: Sequence[str] | None = None,
    groups: Any = None,
    leave_out: Sequence[str] = (),
    random_state: Any = 0,
    **running: Any,
) -> Comparison:
    """Judge whether learner a is better than learner b, over the same plan.

    Parameters
    ----------
    a, b : classifiers or regressors
        Anything with fit(X, y) and predict(X).
    X, y, groups, leave_out
        As for :func:`adjudge.estimate`: arrays, or a file and the names of columns.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`. Ten times ten folds unless another plan is given.
    measure, margin, level, assurance, names
        As for :func:`adjudge.compare`.
    method : str, optional
        "correlated-t": the Bayesian correlated t, the default over folds; "nadeau-bengio": the same with its p-value; "paired-t";
        "5x2cv-t" and "5x2cv-f" (by="5x2-fold"); "mcnemar" and "mcnemar-mid" (by="holdout", its default). Tests
        known to find differences where there are none are refused.
    random_state : int, Generator or RandomState
        What to draw the plan and the seeds of the learners with.
    **running
        `n_jobs`, `executor`, `timeout`, `isolate`, `progress`, as for :func:`adjudge.estimate`.
    """
    if method is not None:
        _check_method(method)
    told = distinct([type(a).__name__, type(b).__name__], names, "learners")
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance)}
    both, X, y, by, groups = learning_cases([a, b], X, y, by, groups=groups, leave_out=leave_out)
    runs = tried(both, X, y, by, measure, random_state, level, running | {"groups": groups})
    return compare_runs(runs[0], runs[1], measure, how, method=method, names=told)


def _check_method(method: str) -> None:
    if method not in METHODS:
        raise InputError(parameter("method"), f" must be one of {', '.join(METHODS)}; got {method!r}.")


def compare_runs(a: Any, b: Any, measure: str | None, how: dict[str, Any], *, method: str | None, names: Any) -> Comparison:
    """Compare two learners from their runs: over folds, or case by case where each case was judged once."""
    if not (isinstance(a, Resampled) and isinstance(b, Resampled)):
        other = b if isinstance(a, Resampled) else a
        msg = f"One is a learner's estimate and the other {type(other).__name__}; compare two estimates by the same plan."
        raise InputError(msg)
    told = distinct([a.learner.partition("(")[0], b.learner.partition("(")[0]], names, "learners")
    wanted = measure_of(measure, numeric=a.ran.numeric)
    once, by_right = a.plan.kind in ("holdout", "leave-one-out"), wanted.name in ("accuracy", "error")
    if method is None:
        method = "mcnemar-mid" if once and by_right else "cases" if once else "correlated-t"
    else:
        _check_method(method)
        if once and not method.startswith("mcnemar"):
            msg = f"{method} compares folds with each other, and {a.plan.name} has none to compare. Use "
            raise InputError(msg, argument("by", "10x10-fold"), ".")
    tests = method.startswith("mcnemar")
    if method != "cases" and not tests:
        return compare_folds(same_folds([a, b], told, wanted), wanted, method=method, **how)
    if a.plan.fingerprint != b.plan.fingerprint:
        same_folds([a, b], told, wanted)  # says that the plans differ
    if tests and (not by_right or a.ran.cases < a.ran.times.sum()):
        msg = "McNemar's test counts right and wrong on cases judged once: take the accuracy, "
        raise InputError(msg, argument("by", "holdout"), " or by folds without repeats.")
    cases, _ = prepared([a.predictions, b.predictions], told, wanted.name, by_position=False, roles={})
    found = judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), **how)
    if not tests or found.outcomes is None:
        return found
    tested, mid = mcnemar(round(found.outcomes[1]), round(found.outcomes[2])), method == "mcnemar-mid"
    rate = known_error("mcnemar_mid" if mid else "mcnemar_exact", a.plan.kind)
    by = f"{tested.method}; probabilities by the {found.method}"
    return replace(found, p_value=tested.p_mid if mid else tested.p_exact, type_i_error=rate, method=by)
