"""Many sets of predictions, or many learners, from best to worst."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import generator
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.joint import JointCounts, tally_set
from adjudge.counts.paired import PairCounts
from adjudge.estimates.best_of import corrected_best, corrected_best_fold, corrected_best_score, joint_folds, joint_scores
from adjudge.estimates.differences import drawn_values
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import count_interval
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.score_differences import numbers_in, value_in
from adjudge.estimates.scored import score_interval
from adjudge.judgements.comparison import Comparison, checked_margin, of_set
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance
from adjudge.judgements.ranking import Candidates, Ranking, rank_candidates
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.same_folds import SameFolds, compare_folds, of_lost, same_folds
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import Together
from adjudge.stats.student import corrected_limits, inflation
from adjudge.verbs.compare import joint_of, judge_pair, learner_name, tried
from adjudge.verbs.compared_sets import distinct, measure_of, named, prepared, refuse_learners, spoken_of
from adjudge.verbs.count_pairs import are_counted, from_counts

SIMULTANEOUS = "at a level that holds for all together (Bonferroni)"


def rank(
    many: Any,
    X: Any = None,
    y: Any = None,
    *,
    measure: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    by: Any = "10x10-fold",
    by_position: bool = False,
    names: Any = None,
    random_state: Any = 0,
    rng: Any = 0,
    **further: Any,
) -> Ranking:
    """Rank many sets of predictions, or many learners; verdicts on pairs are adjusted for their number (Holm).

    Parameters
    ----------
    many : list or mapping {name: what}, or counts of all
        Sets of predictions (whatever :func:`adjudge.read` takes); estimates of learners by the same plan; or, with `X`
        and `y`, learners, which are then tried by one plan. Or what :func:`adjudge.count_pairs` made, or a file of it.
    X, y : table and target, optional
        One row and one value per case.
    measure, margin, level, assurance, by_position, names, rng
        As for :func:`adjudge.compare`.
    by, random_state
        For learners, as for :func:`adjudge.compare_learners`.
    **further
        The roles of columns, as for :func:`adjudge.read`; for learners `n_jobs` and the like, as for :func:`adjudge.estimate`.
    """
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance), "rng": rng}
    generator(rng)  # refuses what is no seed
    if X is not None or y is not None:
        items, names = named(many, names, "learners")
        told = distinct([learner_name(each) for each in items], names, "learners")
        runs = tried(items, X, y, by, measure, random_state, how["level"], further)
        return _of_runs(runs, told, measure, **how)
    if are_counted(many):
        pairs, wanted = from_counts(many, measure, names=names, by_position=by_position, **further)
        return rank_sets(pairs, wanted, **how)
    items, names = named(many, names, "sets of predictions")
    for each in items:
        refuse_learners(each)
    if any(isinstance(each, Resampled) for each in items):
        if not all(isinstance(each, Resampled) for each in items):
            msg = "Estimates of learners and sets of predictions do not rank together; give one kind."
            raise InputError(msg)
        told = distinct([each.learner.partition("(")[0] for each in items], names, "learners")
        return _of_runs(items, told, measure, **how)
    cases, wanted = prepared(items, names, measure, by_position=by_position, roles=further)
    return rank_sets(cases, wanted, **how)


def rank_sets(
    cases: Together | PairCounts, measure: Measure, *, margin: Any, level: float, assurance: float = ASSURANCE, rng: Any = 0
) -> Ranking:
    """Rank sets of predictions of the same cases."""
    joint = joint_of(cases, measure)
    m = range(len(cases.names))
    together = 1 - (1 - level) / len(m)
    values = np.array([_value(cases, joint, measure, i) for i in m])
    _check_values(values, cases.names, measure)
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)  # counts of pairs have no scores, and were refused
        limits = [_score_limits(cases, measure, i, together) for i in m]
        draws, corrected = joint_scores(cases, measure, rng=rng), corrected_best_score(cases, measure, rng=rng)
    else:
        assert joint is not None
        limits = [_count_limits(joint, measure, i, cases.positive, together) for i in m]
        draws = drawn_values(joint, measure, list(m), positive=cases.positive, rng=rng)
        corrected = corrected_best(joint, measure, positive=cases.positive, rng=rng)

    def compared(i: int, j: int) -> Comparison:
        how = {"margin": margin, "level": level, "assurance": assurance}
        return judge_pair(cases, measure, i, j, joint=joint, draws=draws, rng=rng, **how)

    margin = checked_margin(margin, measure, float(values.min()))
    told = f"pairs on the same cases, adjusted by Holm; limits {SIMULTANEOUS}"
    found = Candidates(cases.names, values, limits, draws, compared, corrected, cases.cases, told)
    ranked = rank_candidates(found, measure, level=level, margin=margin, of=spoken_of(cases, measure))
    return replace(ranked, findings=(*of_set(cases), *ranked.findings))


def _value(cases: Together | PairCounts, joint: JointCounts | None, measure: Measure, i: int) -> float:
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)
        return value_in(cases, measure, i)
    assert joint is not None
    return of_table(measure, joint.confusion(i), cases.positive)


def _check_values(values: Any, names: tuple[str, ...], measure: Measure) -> None:
    lacking = [name for name, v in zip(names, values, strict=True) if not np.isfinite(v)]
    if lacking:
        msg = wording(
            f"{measure.name} of {', '.join(lacking)} has no finite value, so that it has no rank. Choose another ",
            parameter("measure"),
            ".",
        )
        raise InputError(msg)


def _count_limits(joint: JointCounts, measure: Measure, i: int, positive: int | None, level: float) -> Interval:
    counts = joint.confusion(i)
    label = joint.classes[positive] if isinstance(measure, ClassMeasure) and positive is not None else None
    average = "macro" if isinstance(measure, ClassMeasure) and label is None else None
    return count_interval(counts, measure.name, level=level, positive=label, average=average)


def _score_limits(cases: Together, measure: OtherMeasure, i: int, level: float) -> Interval | None:
    macro = measure.name == "average_precision" and cases.positive is None
    if macro or measure.name in ("ece", "rse"):  # nobody knows their spread well enough
        return None
    counted = numbers_in(cases, i) if measure.needs == "numbers" else tally_set(cases, i)
    return score_interval(counted, measure.name, level=level)


# -- learners ------------------------------------------------------------------------------------------------


def _of_runs(
    runs: list[Resampled], names: tuple[str, ...], measure: str | None, *, margin: Any, level: float, assurance: float, rng: Any
) -> Ranking:
    wanted = measure_of(measure, numeric=runs[0].ran.numeric)
    folds = same_folds(runs, names, wanted)
    if len(folds.values) < 2:  # noqa: PLR2004 - one split has no spread
        msg = "Learners are ranked by their differences over folds; one split has none. Rank by='10x10-fold'."
        raise InputError(msg)
    values = folds.values.mean(axis=0)
    together = 1 - (1 - level) / len(names)
    limits = [_fold_limits(folds, wanted, i, together) for i in range(len(names))]
    factor = inflation(len(folds.values), test_share=folds.test_share)
    draws = joint_folds(folds.values, factor, rng=rng)
    corrected = corrected_best_fold(folds.values, folds.repeat, higher_is_better=wanted.higher_is_better, rng=rng)

    def compared(i: int, j: int) -> Comparison:
        pair = replace(folds, names=(names[i], names[j]), values=folds.values[:, [i, j]])
        return compare_folds(pair, wanted, method="correlated-t", margin=margin, level=level, assurance=assurance)

    margin = checked_margin(margin, wanted, float(values.min()))
    told = f"pairs by the correlated t over {folds.kind}, adjusted by Holm; limits {SIMULTANEOUS}"
    found = Candidates(names, values, limits, draws, compared, corrected, folds.cases, told)
    ranked = rank_candidates(found, wanted, level=level, margin=margin)
    return replace(ranked, findings=(*of_lost(folds), *ranked.findings))


def _fold_limits(folds: SameFolds, measure: Measure, i: int, level: float) -> Interval:
    low, high = corrected_limits(folds.values[:, i], test_share=folds.test_share, level=level)
    return Interval(max(low, measure.low), min(high, measure.high), level, "corrected t over folds (Nadeau-Bengio)")
