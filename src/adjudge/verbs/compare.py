"""Sets of predictions, or learners over the same plan: worse, practically the same, or better."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, TypeAlias, overload

from adjudge._base import InputError, argument, checked_level, either, parameter, safe, switch
from adjudge._base.arrays import generator
from adjudge._base.progress import waiting
from adjudge._base.signatures import takes_those_of
from adjudge.counts.confusion import ConfusionCounts, same_classes
from adjudge.counts.counting import tally
from adjudge.counts.numbers import NumberCounts, count_numbers
from adjudge.counts.tally import Tally
from adjudge.estimates.differences import independent_difference
from adjudge.estimates.score_differences import independent_scores
from adjudge.judgements.compared_clusters import clusters_of_sides, of_few_clusters
from adjudge.judgements.comparison import Comparison, judge_difference, of_independent
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance, known_error
from adjudge.judgements.paired_folds import METHODS, compare_folds, same_folds
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.textbook import mcnemar
from adjudge.metrics.averages import known_class
from adjudge.metrics.measure import ClassMeasure, OtherMeasure
from adjudge.predictions.alignment import shared_cases
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import following
from adjudge.predictions.several import models_in, numbered
from adjudge.verbs.compared_sets import (
    Cases,
    distinct,
    joint_of,
    judge_pair,
    measure_of,
    prepared,
    read_set,
    read_sets,
    refuse_learners,
)
from adjudge.verbs.count import counts_in, pairs_in
from adjudge.verbs.given import several_sets, with_models
from adjudge.verbs.learner_runs import folds_of, learning_cases, tried
from adjudge.verbs.rank import rank, rank_sets
from adjudge.verbs.side_by_side import with_all_measures
from adjudge.verbs.undeclared_between import of_undeclared_between

_TWO, _USUAL = 2, "10x10-fold"
_One: TypeAlias = Cases | ConfusionCounts | Resampled
"""What one classifier or learner said; counts, and paths that may be of counts, hold what two or more said."""


@overload
def compare(a: _One, b: _One, **asked: Any) -> Comparison: ...
@overload
def compare(a: _One, b: _One, c: _One, *more: _One, **asked: Any) -> Ranking: ...
@overload
def compare(a: Any, b: Any = None, *more: Any, **asked: Any) -> Comparison | Ranking: ...
@takes_those_of(with_models)
def compare(
    a: Any = None,
    b: Any = None,
    *more: Any,
    measure: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    paired: bool | None = None,
    by_position: bool = False,
    method: str | None = None,
    names: Sequence[str] | None = None,
    rng: Any = 0,
    progress: bool = True,
    **roles: Any,
) -> Comparison | Ranking:
    """Decide whether a is better than b; or rank three and more, as :func:`adjudge.rank` does.

    Parameters
    ----------
    a, b, *more : path, dataframe, mapping of arrays, Predictions, ConfusionCounts, or Resampled
        Sets of predictions of the same cases; or two learners' :func:`adjudge.estimate` by the same plan. Or the counts of all
        sets (:func:`adjudge.count_pairs`) or files of them, which are added up. Of arrays ``compare(y_true, a, b)`` or
        ``compare({"old": a, "new": b}, y_true)``, each taken as decisions or scores by its values; of fitted models
        ``compare(model_a, model_b, X, y)``. Learners that are not fitted go to :func:`adjudge.compare_learners`. Or one source
        of several models side by side: ``predicted=["old", "new"]`` names their columns, or ``scores=["p_old", "p_new"]``;
        without these they are found.
    measure : str, optional
        Any of :func:`adjudge.measures`; the accuracy, or the mean absolute error of numbers, if left out.
    margin : float, optional
        The equivalence margin, the largest difference that does not matter: 0.01, or 1% of b's value for errors of numbers, if
        left out.
    level : float
        How probable a verdict must be, and how often the interval shall hold the difference. Of equally good pairs up to
        2 (1 - level) are declared better or worse.
    assurance : float
        How often the `more_cases` of an undecided comparison decide, if the difference is what it looks like.
    paired : bool, optional
        Whether both predicted the same cases, as is taken for granted. False compares independent samples, and is refused
        where the cases turn out to be the same.
    by_position : bool
        Whether row i is the same case in both, where no column identifies the cases.
    method : str, optional
        For two learners' estimates, as for :func:`adjudge.compare_learners`.
    names : sequence of two str, optional
        What to call them; the names of the files if left out.
    rng : seed
        For measures whose posterior is drawn.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, for both; see :func:`adjudge.read`.
    """
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance)}
    generator(rng)  # refuses what is no seed
    given_sets = several_sets("compare", (a, b, *more), roles)
    sources, roles = given_sets.sets, given_sets.roles
    names = given_sets.names if names is None else names
    refuse_learners(*sources)
    counts = counts_in(*sources)
    if counts is not None:
        pairs, wanted = pairs_in(counts, measure, names=names, paired=paired, by_position=by_position, roles=roles)
        if len(pairs.names) > _TWO:
            return with_all_measures(rank_sets(pairs, wanted, rng=rng, **how), pairs, wanted, rng=rng, **how)
        return with_all_measures(
            judge_pair(pairs, wanted, 0, 1, joint=pairs.joint, rng=rng, **how), pairs, wanted, rng=rng, **how
        )
    if len(sources) == 1 and (models := models_in(sources[0], roles, search=True)) is not None:
        names, sources, roles = list(models) if names is None else names, list(map(numbered, models.values())), {}
    if len(sources) < _TWO:
        msg = "compare takes two sets of predictions or more, or the counts of all; evaluate and report take one."
        raise InputError(msg)
    if len(sources) > _TWO:
        if paired is False or method is not None:
            told = switch("paired", on=False) if paired is False else argument("method", method)
            raise InputError(told, f" compares two sets of predictions; {len(sources)} were given.")
        return rank(sources, measure=measure, by_position=by_position, names=names, rng=rng, progress=progress, **how, **roles)
    a, b = sources
    if isinstance(a, Resampled) or isinstance(b, Resampled):
        _refuse_reading(roles | ({} if paired is None else {"paired": paired}) | ({"by_position": True} if by_position else {}))
        return compare_runs(a, b, measure, how, method=method, names=names)
    if method is not None:
        msg = " compares learners over folds; predictions are compared in the way that fits the measure."
        raise InputError(argument("method", method), msg)
    tables = [isinstance(each, ConfusionCounts) for each in (a, b)]
    if any(tables) and not (all(tables) and paired is False):
        msg = "A confusion table does not say which cases it counts, so that two of them cannot be paired. Compare the "
        msg += "predictions themselves; or pass "
        raise InputError(msg, switch("paired", on=False), " where the two tables count different cases.")
    if paired is False:
        return _independent(a, b, measure, names=names, rng=rng, roles=roles, how=how, progress=progress)
    many = read_sets(sources, roles)
    cases, wanted = prepared(many, names, measure, by_position=by_position, roles={}, progress=progress)
    with waiting("comparing", progress=progress):
        verdict = judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), rng=rng, **how)
        verdict = replace(verdict, findings=(*of_undeclared_between(many, cases), *verdict.findings))
        return with_all_measures(verdict, cases, wanted, many=many, by_position=by_position, rng=rng, **how)


def _refuse_reading(given: dict[str, Any]) -> None:
    """Refuse what says how files are read, where none is."""
    if given:
        raise InputError(either(map(argument, given), ", "), " says how predictions are read; here none are read. Leave it out.")


def _independent(
    a: Any, b: Any, measure: str | None, *, names: Any, rng: Any, roles: Any, how: Any, progress: bool
) -> Comparison:
    """Compare two confusion tables, or two sets of predictions, of different cases."""
    counted: list[Tally | NumberCounts] = []
    both: Sequence[ConfusionCounts]
    if isinstance(a, ConfusionCounts):
        _refuse_reading({name: value for name, value in roles.items() if name != "positive"})
        wanted, both = measure_of(measure, numeric=False), (a, b)
        if isinstance(wanted, OtherMeasure):
            raise InputError(wanted.name, f" needs {wanted.needs}, which a confusion table does not hold; pass the predictions.")
        if not set(a.classes) & set(b.classes):
            msg = "The two tables have no class in common; compare classifiers of the same classes."
            raise InputError(msg)
        told, sizes = distinct(["arrays", "arrays"], names, "tables"), [a.n, b.n]
    else:
        sets = [read_set(source, roles) for source in (a, b)]
        told = distinct([each.source.name for each in sets], names, "sets")
        called = f"{safe(told[0])} and {safe(told[1])}"
        if are_numbers(sets[0]) != are_numbers(sets[1]):
            msg = f"Of {called} one predicts numbers and the other classes; compare the same kind."
            raise InputError(msg)
        wanted = measure_of(measure, numeric=are_numbers(sets[0]))
        with following("reading", progress=progress) as follow:
            sets = [follow(each) for each in sets]
            if shared := shared_cases(sets, told):
                msg = f"{called} share {shared:,} cases and are not independent: an unpaired answer would waste what the "
                raise InputError(msg, "pairs say. Leave ", switch("paired", on=False), " out.")
            ranking = wanted.needs == "scores"  # which decides nothing
            counted = [count_numbers(p) if wanted.needs == "numbers" else tally(p, ranking=ranking) for p in sets]
        sizes = [each.n if isinstance(each, NumberCounts) else each.rows for each in counted]
        both = [each.confusion for each in counted if isinstance(each, Tally)]
    of = None
    if isinstance(wanted, OtherMeasure):
        difference = independent_scores(counted[0], counted[1], wanted)
    else:
        tables = same_classes(both[0], both[1])
        at = known_class(tables[0], roles.get("positive"))
        difference = independent_difference(*tables, wanted, positive=at, level=how["level"], rng=rng)
        of = tables[0].classes[at] if isinstance(wanted, ClassMeasure) and at is not None else None
    clusters = clusters_of_sides(both, difference.effect, how["level"])
    findings = (*of_independent(told, sizes), *of_few_clusters(clusters))
    asked = {"names": told, "cases": round(sum(sizes)), "of": of, "findings": findings, "clusters": clusters}
    return judge_difference(difference, wanted, paired=False, **asked, **how)


def compare_learners(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    by: Any = _USUAL,
    cv: Any = None,
    measure: str | None = None,
    method: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    names: Sequence[str] | None = None,
    groups: Any = None,
    leave_out: Sequence[str] = (),
    random_state: Any = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    progress: bool = True,
) -> Comparison:
    """Decide whether learner a is better than learner b, over the same plan.

    Parameters
    ----------
    a, b : classifiers or regressors
        Anything with fit(X, y) and predict(X).
    X, y, by, cv, groups, leave_out, random_state
        As for :func:`adjudge.estimate`: arrays, or a file and the names of columns; ten times ten folds by default.
    measure, margin, level, assurance, names
        As for :func:`adjudge.compare`.
    method : str, optional
        "correlated-t": the Bayesian correlated t, the default over folds; "nadeau-bengio": the same with its p-value; "paired-t";
        "5x2cv-t" and "5x2cv-f" (by="5x2-fold"); "mcnemar" and "mcnemar-mid" (by="holdout", its default). Tests
        known to find differences where there are none are refused.
    n_jobs, executor, timeout, isolate, progress
        As for :func:`adjudge.estimate`.
    checkpoint
        Refused: it keeps the fits of one learner.
    """
    _check_method(method)
    told = distinct([type(a).__name__, type(b).__name__], names, "learners")
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance)}
    by = folds_of(by, cv, _USUAL)
    both, X, y, by, groups = learning_cases([a, b], X, y, by, groups=groups, leave_out=leave_out)
    running: dict[str, Any] = {"n_jobs": n_jobs, "executor": executor, "checkpoint": checkpoint, "timeout": timeout}
    running |= {"isolate": isolate, "progress": progress}
    runs = tried(both, X, y, by, measure, random_state, level=level, groups=groups, **running)
    return compare_runs(runs[0], runs[1], measure, how, method=method, names=told)


def _check_method(method: str | None) -> None:
    if method not in (None, *METHODS):
        raise InputError(parameter("method"), f" must be one of {', '.join(METHODS)}; got {method!r}.")


def compare_runs(a: Any, b: Any, measure: str | None, how: dict[str, Any], *, method: str | None, names: Any) -> Comparison:
    """Compare two learners from their runs: over folds, or case by case where each case was judged once."""
    if not (isinstance(a, Resampled) and isinstance(b, Resampled)):
        other = b if isinstance(a, Resampled) else a
        msg = f"One is a learner's estimate and the other {type(other).__name__}; compare two estimates by the same plan."
        raise InputError(msg)
    told = distinct([a.learner.partition("(")[0], b.learner.partition("(")[0]], names, "learners")
    wanted = measure_of(measure, numeric=a.run_result.numeric)
    once, by_right = a.plan.kind in ("holdout", "leave-one-out"), wanted.name in ("accuracy", "error")
    _check_method(method)
    if method is None:
        method = "mcnemar-mid" if once and by_right else "cases" if once else "correlated-t"
    elif once and not method.startswith("mcnemar"):
        msg = f"{method} compares folds with each other, and {a.plan.name} has none to compare. Use "
        raise InputError(msg, argument("by", "10x10-fold"), ".")
    tests = method.startswith("mcnemar")
    if method != "cases" and not tests:
        return compare_folds(same_folds([a, b], told, wanted), wanted, method=method, **how)
    if a.plan.fingerprint != b.plan.fingerprint:
        same_folds([a, b], told, wanted)  # says that the plans differ
    if tests and (not by_right or a.run_result.cases < a.run_result.times.sum()):
        msg = "McNemar's test counts correct and wrong on cases tested once: take the accuracy, "
        raise InputError(msg, argument("by", "holdout"), " or by folds without repeats.")
    cases, _ = prepared([a.predictions, b.predictions], told, wanted.name, by_position=False, roles={})
    comparison = judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), **how)
    if not tests or comparison.outcomes is None:
        return comparison
    tested, mid = mcnemar(round(comparison.outcomes[1]), round(comparison.outcomes[2])), method == "mcnemar-mid"
    rate = known_error("mcnemar_mid" if mid else "mcnemar_exact", a.plan.kind)
    by = f"{tested.method}; probabilities by the {comparison.method}"
    return replace(comparison, p_value=tested.p_mid if mid else tested.p_exact, type_i_error=rate, method=by)
