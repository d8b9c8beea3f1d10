"""Many sets of predictions, or many learners, from best to worst."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, checked_level, parameter
from adjudge._base.arrays import generator
from adjudge._base.progress import stepped, waiting
from adjudge._base.signatures import takes_those_of
from adjudge.counts.joint import tally_set
from adjudge.counts.result import PairCounts
from adjudge.estimates.best_of import corrected_best, corrected_best_fold, corrected_best_score, joint_folds, joint_scores
from adjudge.estimates.clustered_pairs import effect_among, effective_joint
from adjudge.estimates.differences import drawn_values
from adjudge.estimates.estimate import OF_RECALLS, Interval
from adjudge.estimates.intervals import count_interval, offered
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.score_differences import numbers_in, value_in
from adjudge.estimates.scored import score_interval
from adjudge.judgements.compared_clusters import clusters_of_pairs, of_few_clusters
from adjudge.judgements.comparison import Comparison, checked_margin, of_set
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance
from adjudge.judgements.paired_folds import compare_folds, of_lost, same_folds
from adjudge.judgements.ranking import Candidates, Ranking, rank_candidates
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.tally_estimates import MOST_INTERVALS
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import Together
from adjudge.predictions.arrays import is_column
from adjudge.predictions.fitted import is_model
from adjudge.stats.student import corrected_limits, inflation
from adjudge.verbs.compared_sets import (
    distinct,
    joint_of,
    judge_pair,
    measure_of,
    prepared,
    read_sets,
    refuse_learners,
    refuse_too_many,
    spoken_of,
)
from adjudge.verbs.count import counts_in, pairs_in
from adjudge.verbs.given import several_sets, with_models
from adjudge.verbs.learner_runs import folds_of, learning_cases, tried
from adjudge.verbs.side_by_side import with_all_measures

_USUAL = "10x10-fold"
_SIMULTANEOUS = "at a level that holds for all together (Bonferroni)"


@takes_those_of(with_models)
def rank(
    many: Any,
    X: Any = None,
    y: Any = None,
    *more: Any,
    measure: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    by: Any = _USUAL,
    cv: Any = None,
    by_position: bool = False,
    names: Any = None,
    random_state: Any = 0,
    rng: Any = 0,
    groups: Any = None,
    leave_out: Sequence[str] = (),
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    progress: bool = True,
    **roles: Any,
) -> Ranking:
    """Rank many sets of predictions, or many learners; verdicts on pairs are adjusted for their number (Holm).

    Parameters
    ----------
    many : list or mapping {name: what}, or counts of all
        Sets of predictions (whatever :func:`adjudge.read` takes); estimates of learners by the same plan; or, with `X`
        and `y`, learners, which are then tried by one plan. Or what :func:`adjudge.count_pairs` made, or a file of it.
    X, y : table and target, optional
        As for :func:`adjudge.estimate`. Of arrays `many` is the truth and all others are predictions: ``rank(y_true, a, b, c)``;
        or ``rank({"a": a, "b": b, "c": c}, y_true)``.
    measure, margin, level, assurance, by_position, names, rng
        As for :func:`adjudge.compare`.
    by, cv, random_state
        For learners, as for :func:`adjudge.compare_learners`.
    groups, leave_out, executor, timeout, isolate
        For learners, as for :func:`adjudge.estimate`; so `n_jobs`. A `checkpoint` is refused: it keeps the fits of one learner.
    progress : bool
        Whether to show how far it is, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, for all; see :func:`adjudge.read`.
    """
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance), "rng": rng}
    generator(rng)  # refuses what is no seed
    mapped = isinstance(many, Mapping) and (X is None) != (y is None) and not any(map(is_model, many.values()))
    if mapped or (is_column(many) and X is not None):
        given_sets = several_sets("rank", [many, *(each for each in (X, y, *more) if each is not None)], roles)
        many, X, y, roles = given_sets.sets, None, None, given_sets.roles
        names = given_sets.names if names is None else names
    if X is not None or y is not None:
        items, names = _listed(many, names, "learners")
        told = distinct([type(each).__name__ for each in items], names, "learners")
        items, X, y, by, groups = learning_cases(items, X, y, folds_of(by, cv, _USUAL), groups=groups, leave_out=leave_out)
        running: dict[str, Any] = {"executor": executor, "checkpoint": checkpoint, "timeout": timeout, "isolate": isolate}
        running["progress"] = progress
        runs = tried(items, X, y, by, measure, random_state, level=how["level"], groups=groups, **running, **roles)
        return _of_runs(runs, told, measure, **how)
    counts = counts_in(many)
    if counts is not None:
        pairs, wanted = pairs_in(counts, measure, names=names, paired=None, by_position=by_position, roles=roles)
        return with_all_measures(rank_sets(pairs, wanted, **how), pairs, wanted, **how)
    items, names = _listed(many, names, "sets of predictions")
    refuse_learners(*items)
    if any(isinstance(each, Resampled) for each in items):
        if not all(isinstance(each, Resampled) for each in items):
            msg = "Estimates of learners and sets of predictions do not rank together; give one kind."
            raise InputError(msg)
        told = distinct([each.learner.partition("(")[0] for each in items], names, "learners")
        return _of_runs(items, told, measure, **how)
    sets = read_sets(items, roles)
    cases, wanted = prepared(sets, names, measure, by_position=by_position, roles={}, progress=progress)
    with waiting("ranking", progress=progress):
        return with_all_measures(rank_sets(cases, wanted, **how), cases, wanted, many=sets, by_position=by_position, **how)


def _listed(many: Any, names: Any, what: str) -> tuple[list[Any], Any]:
    """Return what is to be ranked, and the names given, by themselves or by a mapping."""
    if isinstance(many, Mapping):
        items, names = list(many.values()), list(many) if names is None else names
    elif isinstance(many, (str, bytes)) or not isinstance(many, Sequence):
        msg = f"rank() takes a list or a mapping {{name: {what}}}; got {type(many).__name__}."
        raise InputError(msg)
    else:
        items = list(many)
    if len(items) <= 1:
        msg = f"rank() takes at least two {what}; got {len(items)}."
        raise InputError(msg)
    refuse_too_many(len(items))
    return items, names


def rank_sets(
    cases: Together | PairCounts, measure: Measure, *, margin: Any, level: float, assurance: float = ASSURANCE, rng: Any = 0
) -> Ranking:
    """Rank sets of predictions of the same cases."""
    joint = joint_of(cases, measure)
    m = range(len(cases.names))
    together = 1 - (1 - level) / len(m)
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)  # counts of pairs have no scores, and were refused
        values = np.array([value_in(cases, measure, i) for i in m])
    else:
        assert joint is not None
        values = np.array([of_table(measure, joint.confusion(i), cases.positive) for i in m])
    lacking = [name for name, v in zip(cases.names, values, strict=True) if not np.isfinite(v)]
    if lacking:
        told = f"{measure.name} of {', '.join(lacking)} has no finite value, so that it has no rank. Choose another "
        raise InputError(told, parameter("measure"), ".")
    limits: list[Interval | None] = [None] * len(m)
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)
        unknown = cases.grouped if measure.needs == "numbers" else measure.name == "average_precision" and cases.positive is None
        if not unknown and measure.name not in (
            "ece",
            "rse",
        ):  # whose spread nobody knows well enough; sums of numbers have no clusters
            counted = (numbers_in(cases, i) if measure.needs == "numbers" else tally_set(cases, i, clusters=True) for i in m)
            limits = [score_interval(each, measure.name, level=together) for each in counted]
        works: Any = (partial(joint_scores, cases, measure), partial(corrected_best_score, cases, measure))
    else:
        assert joint is not None
        label = joint.classes[cases.positive] if isinstance(measure, ClassMeasure) and cases.positive is not None else None
        average = "macro" if isinstance(measure, ClassMeasure) and label is None else None
        how: dict[str, Any] = {"level": together, "positive": label, "average": average}
        # as one set alone has them
        quick = label is not None or joint.k <= MOST_INTERVALS or offered(measure, average)[0] in OF_RECALLS
        limits = [count_interval(joint.confusion(i), measure.name, **how) if quick else None for i in m]
        worthy = effective_joint(joint, effect_among(joint, measure, positive=cases.positive), level)
        draw, correct = partial(drawn_values, worthy, measure, list(m)), partial(corrected_best, worthy, measure)
        works = (partial(draw, positive=cases.positive), partial(correct, positive=cases.positive))
    draws, corrected = (work(rng=rng) for work in stepped(works))

    def compared(i: int, j: int) -> Comparison:
        asked = {"margin": margin, "level": level, "assurance": assurance, "pairs": len(m) * (len(m) - 1) // 2}
        return judge_pair(cases, measure, i, j, joint=joint, draws=draws, rng=rng, **asked)

    margin = checked_margin(margin, measure, float(values.min()))
    told = f"pairs on the same cases, adjusted by Holm; intervals {_SIMULTANEOUS}"
    candidates = Candidates(cases.names, values, limits, draws, compared, corrected, cases.cases, told)
    ranked = rank_candidates(candidates, measure, level=level, margin=margin, of=spoken_of(cases, measure))
    clusters = clusters_of_pairs([each.clusters for each in ranked.comparisons.values()])
    return replace(ranked, clusters=clusters, findings=(*of_set(cases), *of_few_clusters(clusters), *ranked.findings))


def _of_runs(
    runs: list[Resampled], names: tuple[str, ...], measure: str | None, *, margin: Any, level: float, assurance: float, rng: Any
) -> Ranking:
    """Rank learners from their runs by one plan."""
    wanted = measure_of(measure, numeric=runs[0].run_result.numeric)
    folds = same_folds(runs, names, wanted)
    if len(folds.values) <= 1:
        msg = "Learners are ranked by their differences over folds; one split has none. Rank "
        raise InputError(msg, argument("by", "10x10-fold"), ".")
    values = folds.values.mean(axis=0)
    together = 1 - (1 - level) / len(names)
    ends = [corrected_limits(each, test_share=folds.test_share, level=together) for each in folds.values.T]
    by = "corrected t over folds (Nadeau-Bengio)"
    limits = [Interval(max(low, wanted.low), min(high, wanted.high), together, by) for low, high in ends]
    draws = joint_folds(folds.values, inflation(len(folds.values), test_share=folds.test_share), rng=rng)
    corrected = corrected_best_fold(folds.values, folds.repeat, higher_is_better=wanted.higher_is_better, rng=rng)

    def compared(i: int, j: int) -> Comparison:
        pair = replace(folds, names=(names[i], names[j]), values=folds.values[:, [i, j]])
        return compare_folds(pair, wanted, method="correlated-t", margin=margin, level=level, assurance=assurance)

    margin = checked_margin(margin, wanted, float(values.min()))
    told = f"pairs by the correlated t over {folds.kind}, adjusted by Holm; intervals {_SIMULTANEOUS}"
    candidates = Candidates(names, values, limits, draws, compared, corrected, folds.cases, told)
    ranked = rank_candidates(candidates, wanted, level=level, margin=margin)
    return replace(ranked, findings=(*of_lost(folds), *ranked.findings))
