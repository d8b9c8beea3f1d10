"""Judges every measure of two or more sets of the same cases: the values, and by how much each set differs from one of them.

Differences are those that comparing by that measure alone would give. What would take long is left out, and said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import InputError, Undefined, argument, dataclass, safe, wording
from adjudge._base.arrays import FloatArray
from adjudge.counts.joint import JointCounts, tally_set
from adjudge.counts.result import PairCounts
from adjudge.estimates.best_of import joint_scores
from adjudge.estimates.clustered_pairs import effect_among, effective_joint
from adjudge.estimates.differences import DRAWS, Difference, drawn_measures, paired_differences
from adjudge.estimates.estimate import Interval
from adjudge.estimates.over_folds import of_table, value_of
from adjudge.estimates.redrawn import draws_for, redrawn_scores
from adjudge.estimates.score_differences import MEANS, numbers_in, score_difference
from adjudge.judgements.comparison import Comparison, checked_margin, three_numbers
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.side_by_side import MeasureDifference, MeasureRow, SideBySide
from adjudge.metrics import on_counts, on_scores
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import Together
from adjudge.stats.difference_tests import best_shares

MOST_DRAWN = 1 << 24  # cells that are drawn altogether for one set; what needs more is left out
MOST_SCORED, MOST_NUMBERS = 1 << 23, 1 << 25  # scores of all classes, or numbers, that are weighed anew altogether
MOST_RANKED = 1 << 24  # scores of all sets and classes that are ranked for the difference of AUCs
MOST_PAIRS = 30  # classes whose pairs are ranked
_QUICK = ("accuracy", "error", "rejection_rate", "balanced_accuracy", "informedness")
"""Measures of any number of classes of which no table is drawn."""
_TWO = 2
_OF_CLUSTERS = 4  # times the cells: of rows in clusters each measure has its own draws


@dataclass(frozen=True, slots=True)
class Asked:
    """What a table is made for: by which set the others are judged, with which margin and level."""

    reference: int
    margin: Any
    level: float
    rng: Any = 0


def measures_side_by_side(
    joint: JointCounts | None,
    decided: Together | PairCounts,
    scored: Together | None,
    verdict: Comparison | Ranking,
    asked: Asked,
    notes: Iterable[str],
) -> SideBySide:
    """Return all measures of sets whose `verdict` by one measure is known; `decided` and `scored` hold their cases."""
    why = list(notes)
    rows: list[MeasureRow] = []
    if joint is not None:
        rows += _of_decisions(joint, decided.positive, verdict.measure, asked, why)
    if scored is not None:
        rows += _of_scores(scored, verdict.measure, asked, why)
    names = decided.names if scored is None else scored.names
    own = _of_verdict(verdict, names, len(decided.classes), asked)
    rows = [own if row.measure == own.measure and row.average != "hand-till" else row for row in rows]
    rows = rows if any(row is own for row in rows) else [own, *rows]
    return SideBySide(tuple(names), tuple(rows), names[asked.reference], asked.level, tuple(dict.fromkeys(why)))


def _of_verdict(verdict: Comparison | Ranking, names: Sequence[str], classes: int, asked: Asked) -> MeasureRow:
    """Return the row of the measure that the verdict is by, which is known already."""
    measure = find(verdict.measure)
    average = "macro" if verdict.of is None and _speaks_of_one(measure, classes) else None
    about = {"of": verdict.of, "average": average, "higher_is_better": verdict.higher_is_better}
    if isinstance(verdict, Comparison):
        three, told = (verdict.worse, verdict.same, verdict.better), (verdict.margin, verdict.method)
        own = MeasureDifference(verdict.difference, verdict.interval, *three, *told)
        return MeasureRow(measure.name, verdict.values, (own, None), **about)
    place, best = {row.name: row for row in verdict.rows}, names[asked.reference]
    differences = []
    for name in names:
        each = verdict.comparisons.get((best, name))
        differences.append(None if each is None else _turned(each))
    values, shares = zip(*((place[name].value, place[name].p_best) for name in names), strict=True)
    return MeasureRow(measure.name, values, tuple(differences), shares, **about)


def _turned(of_best: Comparison) -> MeasureDifference:
    """Return what the other of two is in comparison with the best."""
    ends = of_best.interval
    interval, three = Interval(-ends.high, -ends.low, ends.level, ends.method), (of_best.better, of_best.same, of_best.worse)
    return MeasureDifference(-of_best.difference, interval, *three, of_best.margin, of_best.method)


def _speaks_of_one(measure: Measure, classes: int) -> bool:
    """Say whether a measure is of one class, or else the mean over classes; of two classes both have the same AUC."""
    return isinstance(measure, ClassMeasure) or (measure.needs == "scores" and not (measure is on_scores.AUC and classes == _TWO))


# -- measures of decisions -------------------------------------------------------------------------------------


def _of_decisions(joint: JointCounts, positive: int | None, known: str, asked: Asked, why: list[str]) -> Iterator[MeasureRow]:
    rejections = (on_counts.ERROR, on_counts.REJECTION_RATE) if joint.rejects else ()
    every: list[Measure] = [on_counts.ACCURACY, *rejections, *on_counts.REPORTED]
    wanted, sets = [measure for measure in every if measure.name != known], range(joint.predicted.shape[1])
    tables = [joint.confusion(at) for at in sets]
    values = {m.name: tuple(of_table(m, table, positive) for table in tables) for m in wanted}
    cells = max(joint.n.size, joint.k * (joint.k + joint.rejects))
    few = cells * DRAWS * (1 if joint.clusters is None else _OF_CLUSTERS) <= MOST_DRAWN
    compared = [m for m in wanted if few or m.name in _QUICK]
    if not few:
        why.append(f"Differences of {joint.k:,} classes and {joint.n.size:,} patterns of answers take long for {_DRAWN}")
    draws: dict[str, FloatArray] | None = None
    if len(sets) > _TWO and few:
        draws = {}
        for each_of in [compared] if joint.clusters is None else [[measure] for measure in compared]:
            worthy = effective_joint(joint, effect_among(joint, each_of[0], positive=positive), asked.level)
            draws |= drawn_measures(worthy, each_of, list(sets), positive=positive, rng=asked.rng)
    by_set = []
    for at in sets:
        how: dict[str, Any] = {"positive": positive, "draws": draws, "level": asked.level, "rng": asked.rng}
        same = at == asked.reference
        by_set.append({} if same else _named(compared, paired_differences(joint, compared, at, asked.reference, **how)))
    for measure in every:
        if measure.name == known:
            yield MeasureRow(known, (), ())
            continue
        of_one = isinstance(measure, ClassMeasure)
        of = joint.classes[positive] if of_one and positive is not None else None
        each = [_judged(found.get(measure.name), measure, values[measure.name], asked) for found in by_set]
        shares = None if draws is None else _shares(draws[measure.name], measure)
        average = "macro" if of_one and of is None else None
        yield MeasureRow(measure.name, values[measure.name], tuple(each), shares, of, average, measure.higher_is_better)


_DRAWN = "measures that are drawn, such as MCC and F1; compare by one of them for its difference."


def _named(measures: Sequence[Measure], differences: Sequence[Difference]) -> dict[str, Difference]:
    return {measure.name: each for measure, each in zip(measures, differences, strict=True)}


def _shares(draws: FloatArray, measure: Measure) -> tuple[float, ...] | None:
    """Return how often each set is the best of the draws; None where some draw has no value."""
    if np.isnan(draws).any():
        return None
    return tuple(best_shares(draws if measure.higher_is_better else -draws).tolist())


def _judged(difference: Difference | None, measure: Measure, values: Sequence[float], asked: Asked) -> MeasureDifference | None:
    """Return a difference with its interval and the three probabilities, by the margin that comparing by it would have."""
    if difference is None or difference.distribution is None:
        return None
    given = None if measure.needs == "numbers" else asked.margin  # a margin in one unit says nothing of squares or shares
    of = difference.b if len(values) == _TWO else float(np.min(values))
    margin, distribution = checked_margin(given, measure, of), difference.distribution
    three = three_numbers(distribution, margin, higher_is_better=measure.higher_is_better)
    interval = Interval(*distribution.interval(asked.level), asked.level, difference.method)
    return MeasureDifference(difference.value, interval, *three, margin, difference.method)


# -- measures of scores and of numbers -------------------------------------------------------------------------


def _of_scores(cases: Together, known: str, asked: Asked, why: list[str]) -> Iterator[MeasureRow]:
    every = on_scores.ON_SCORES if cases.classes else on_scores.ON_NUMBERS
    values = _values(cases, [measure for measure in every if measure.name != known])
    complete = [name for name in values if all(math.isfinite(value) for value in values[name])]
    drawn = [m for m in every if m.name in complete and m.name not in ("auc", "mean_error", *MEANS)]
    of_classes = 1 if cases.positive is not None else max(len(cases.classes), 1)
    if cases.rows * draws_for(cases.rows) * of_classes > (MOST_SCORED if cases.classes else MOST_NUMBERS):
        why += [_long(", ".join(m.name for m in drawn))] if drawn else []
        complete, drawn = [name for name in complete if name not in {m.name for m in drawn}], []
    draws = redrawn_scores(cases, drawn, range(len(cases.names)), asked.rng) if drawn else {}
    if "auc" in complete and cases.rows * of_classes * len(cases.names) > MOST_RANKED:
        complete.remove("auc")
        why.append(_long("auc"))
    for measure in every:
        if measure.name == known:
            yield MeasureRow(known, (), ())
            continue
        own = values[measure.name]
        comparable = measure.name in complete and measure.name != "mean_error"  # which is best at 0
        joint = draws.get(measure.name)
        each = [
            _score_judged(cases, measure, at, own, joint, asked, why) if comparable and at != asked.reference else None
            for at in range(len(own))
        ]
        shares = None
        if comparable and len(own) > _TWO and any(each):
            shares = _shares(joint if joint is not None else joint_scores(cases, measure, rng=asked.rng), measure)
        ranks = measure.needs == "scores"
        of = cases.classes[cases.positive] if ranks and cases.positive is not None else None
        average = "macro" if of is None and _speaks_of_one(measure, len(cases.classes)) else None
        yield MeasureRow(measure.name, own, tuple(each), shares, of, average, measure.higher_is_better)
    if _TWO < len(cases.classes) <= MOST_PAIRS:
        pairs = values["auc_hand_till"]
        yield MeasureRow("auc", pairs, (None,) * len(pairs), average="hand-till")


def _values(cases: Together, measures: Sequence[OtherMeasure]) -> dict[str, tuple[float, ...]]:
    """Return the measures of each set by name, undefined where its scores do not give them; the mean AUC of pairs beside them."""
    by_set: list[dict[str, float]] = []
    for at in range(len(cases.names)):
        if not cases.classes:
            summed = numbers_in(cases, at)
            by_set.append({measure.name: measure.of(summed) for measure in measures})
            continue
        if cases.scores[at] is None:
            nothing = Undefined(f"{safe(cases.names[at])} has no scores")
            by_set.append(dict.fromkeys([*(measure.name for measure in measures), "auc_hand_till"], nothing))
            continue
        counted = tally_set(cases, at)
        own = {measure.name: value_of(measure, counted) for measure in measures}
        pairs = on_scores.hand_till(counted) if _TWO < len(cases.classes) <= MOST_PAIRS else math.nan
        by_set.append(own | {"auc_hand_till": pairs})
    return {name: tuple(own[name] for own in by_set) for name in by_set[0]}


def _score_judged(
    cases: Together,
    measure: OtherMeasure,
    at: int,
    values: Sequence[float],
    draws: FloatArray | None,
    asked: Asked,
    why: list[str],
) -> MeasureDifference | None:
    pair, reference = (values[at], values[asked.reference]), asked.reference
    try:
        difference = score_difference(cases, measure, at, reference, values=pair, draws=draws, level=asked.level, rng=asked.rng)
    except InputError as error:  # a class of one case has no variance to compare by: said below the table
        why.append(f"{measure.name}: {error}")
        return None
    return _judged(difference, measure, values, asked)


def _long(names: str) -> str:
    call = argument("measure", names.split(",", maxsplit=1)[0])
    return wording(f"Differences of so many cases take long for {names}; compare by one of them for its difference: ", call, ".")
