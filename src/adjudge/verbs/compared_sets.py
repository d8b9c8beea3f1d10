"""Sets of predictions of the same cases: read, named, put side by side, and the verdict on two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from adjudge._base import InputError, argument, command, either, parameter, quoted, safe
from adjudge._base.arrays import FloatArray
from adjudge.counts.joint import JointCounts, count_joint
from adjudge.counts.result import PairCounts
from adjudge.estimates.clustered_pairs import obuchowski
from adjudge.estimates.differences import paired_difference
from adjudge.estimates.score_differences import MEANS, score_difference
from adjudge.judgements.compared_clusters import ComparedClusters, compared_clusters, of_few_clusters
from adjudge.judgements.comparison import Comparison, judge_difference, of_pair, of_rare
from adjudge.judgements.decision import LEVEL, MARGIN, verdict_error
from adjudge.judgements.textbook import mcnemar
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import Together, side_by_side
from adjudge.predictions.blocks import REJECTED
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.read import read
from adjudge.stats.clustered import ClusterEffect

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMELESS = ("arrays", "frame")
_BY_RIGHT = ("accuracy", "error", "balanced_accuracy", "informedness")
"""Measures that differ only where one of two is correct and the other is not."""
_OF_ALL = ("accuracy", "error", "rejection_rate", *MEANS)
"""Measures in which every case has the same say, of whichever class it is."""
_TWO = 2
MOST_SETS = 200
_SECONDS = 0.013  # of a processor, for one pair of 10,000 cases


class Frame(Protocol):
    """A table of any dataframe library."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


Cases: TypeAlias = Predictions | Mapping[str, Any] | Frame
"""What surely holds predictions; a path may be that of a file of counts."""


def distinct(defaults: Sequence[str], given: Any, what: str) -> tuple[str, ...]:
    """Return a name for each of what is compared: those given, or those found, told apart where two are the same."""
    if given is not None:
        listed = isinstance(given, (list, tuple)) or (hasattr(given, "__iter__") and not isinstance(given, (str, bytes)))
        names = tuple(str(name) for name in given) if listed else ()
        if len(names) != len(defaults) or len(set(names)) < len(names):
            told = f" must be {len(defaults)} different names, one for each of the {what}; got {given!r}."
            raise InputError(parameter("names"), told)
        return names
    shown = [_LETTERS[i % 26] if name in _NAMELESS else safe(name) for i, name in enumerate(defaults)]
    apart = [name if shown.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(shown)]
    return tuple(apart) if len(set(apart)) == len(apart) else tuple(f"{name} ({i + 1})" for i, name in enumerate(shown))


def measure_of(name: str | None, *, numeric: bool) -> Measure:
    """Return the measure to compare by: the accuracy, or the mean absolute error of numbers, unless another is named."""
    measure = find(name or ("mae" if numeric else "accuracy"))
    if numeric != (measure.needs == "numbers"):
        msg = f"{measure.name} does not fit predictions of {'numbers' if numeric else 'classes'}; see "
        raise InputError(msg, command("adjudge measures", python="adjudge.measures()"), ".", parameter="measure")
    if measure.name == "mean_error":
        msg = "mean_error is best at 0, so that neither more nor less of it is better. Compare by rmse, mae or r2."
        raise InputError(msg, parameter="measure")
    return measure


def refuse_too_many(n: int) -> None:
    """Refuse more sets than can be judged pair by pair, before any is read."""
    if n > MOST_SETS:
        pairs, most = n * (n - 1) // 2, MOST_SETS * (MOST_SETS - 1) // 2
        msg = f"{n:,} sets of predictions are {pairs:,} pairs to compare, some {pairs * _SECONDS / 60:,.0f} minutes. "
        msg += f"At most {MOST_SETS} are compared at once ({most:,} pairs). Evaluate each alone and compare the best of them."
        raise InputError(msg)


def refuse_learners(*sources: Any) -> None:
    """Refuse a learner where predictions belong."""
    for each in sources:
        if callable(getattr(each, "fit", None)):
            told = " is a learner, not predictions; use compare_learners(a, b, X, y) or rank(..., X, y)."
            raise InputError(quoted(type(each).__name__), told)


def read_set(source: Any, roles: Mapping[str, Any]) -> Predictions:
    """Return predictions, read with roles that hold for all sets."""
    return source if isinstance(source, Predictions) else read(source, **roles)


def read_sets(sources: Sequence[Any], roles: Mapping[str, Any]) -> list[Predictions]:
    """Return several sets of predictions, read with roles that hold for all; refuse roles where nothing is read."""
    if roles and all(isinstance(source, Predictions) for source in sources):
        msg = "These are Predictions already: say "
        raise InputError(msg, either(map(argument, roles), ", "), " where they are made.")
    return [read_set(source, roles) for source in sources]


def prepared(
    sources: Sequence[Any],
    names: Any,
    measure: str | None,
    *,
    by_position: bool,
    roles: Mapping[str, Any],
    progress: bool = False,
) -> tuple[Together, Measure]:
    """Return the cases that all sets have, and the measure they are compared by."""
    with following("reading", progress=progress) as follow:
        many = [follow(each) for each in read_sets(sources, roles)]
        told = distinct([each.source.name for each in many], names, "sets")
        wanted = measure_of(measure, numeric=are_numbers(many[0]))
        scores, ranking = wanted.needs in ("scores", "probabilities"), wanted.needs == "scores"
        cases = side_by_side(many, told, scores=scores, ranking=ranking, by_position=by_position)
    for name, held, scale in zip(cases.names, cases.scores, cases.scales, strict=True):
        if scores and held is None:
            msg = f"{wanted.name} needs scores, and {safe(name)} has none. Name them with "
            raise InputError(msg, argument("scores"), ", or choose another ", parameter("measure"), ".")
        if wanted.needs == "probabilities" and scale == "scores":
            raise InputError(wanted.name, f" needs probabilities; the scores of {safe(name)} are none.")
    return cases, wanted


def spoken_of(cases: Together | PairCounts, measure: Measure) -> Any:
    """Return the class a measure speaks of, or None."""
    one = isinstance(measure, ClassMeasure) or measure.needs == "scores"
    return cases.classes[cases.positive] if one and cases.positive is not None else None


def joint_of(cases: Together | PairCounts, measure: Measure) -> JointCounts | None:
    """Return the table of patterns of truth and decisions; numbers have none."""
    if isinstance(cases, PairCounts):
        return cases.joint
    undecided = any(bool(np.all(said == REJECTED)) for said in cases.predicted) and not cases.rejects
    return count_joint(cases) if measure.needs != "numbers" and not undecided else None


def judge_pair(
    cases: Together | PairCounts,
    measure: Measure,
    i: int,
    j: int,
    *,
    joint: JointCounts | None,
    draws: FloatArray | None = None,
    pairs: int = 1,
    rng: Any = 0,
    **how: Any,
) -> Comparison:
    """Return the verdict on two of several sets of the same cases; `draws` of all, if known, `how` as for `judge_difference`.

    Of so many `pairs` that are adjusted for each other, clusters count what they are worth at the level that decides every pair.
    """
    sure = 1 - (1 - how.get("level", LEVEL)) / pairs
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)  # counts of pairs have no scores, and were refused
        difference = score_difference(cases, measure, i, j, level=sure, rng=rng)
    else:
        assert joint is not None
        difference = paired_difference(joint, measure, i, j, positive=cases.positive, draws=draws, level=sure, rng=rng)
    outcomes = None if joint is None else joint.outcomes(i, j).sum(axis=0)
    by_right = measure.name in _BY_RIGHT and not (measure.name == "error" and cases.rejects)
    grouped = joint is not None and joint.clusters is not None and not joint.clusters.singles
    single = joint is not None and joint.squares is None and cases.rows == cases.cases and not grouped
    tested = None
    if by_right and measure.name in ("accuracy", "error") and joint is not None and outcomes is not None:
        if grouped and difference.effect is not None:
            tested = obuchowski(joint, i, j, difference.effect.degrees)
        elif single:
            tested = mcnemar(round(float(outcomes[1])), round(float(outcomes[2]))).p_mid
    clusters = _clusters(cases, joint, difference.effect, sure)
    findings = [*of_pair(cases, i, j, outcomes if by_right else None), *of_few_clusters(clusters)]
    if measure.name not in _OF_ALL and measure.needs != "numbers":  # hangs on every class, of which one may be rare
        held: Any = cases if joint is None else joint
        support = np.bincount(held.truth, weights=None if joint is None else joint.worth, minlength=len(held.classes))
        findings += of_rare(support.astype(np.float64), held.classes)
    how |= {"names": (cases.names[i], cases.names[j]), "cases": cases.cases, "of": spoken_of(cases, measure)}
    how |= {"p_value": tested, "clusters": clusters}
    judged = judge_difference(replace(difference, outcomes=outcomes), measure, findings=tuple(findings), **how)
    two = len(cases.classes) == _TWO and not (measure.name in ("f1", "precision") and cases.positive is None)
    measured = single and two and (judged.margin, judged.level) == (MARGIN, LEVEL)  # as verdict_error was
    return replace(judged, type_i_error=verdict_error(measure.name)) if measured else judged


def _clusters(
    cases: Together | PairCounts, joint: JointCounts | None, effect: ClusterEffect | None, level: float
) -> ComparedClusters | None:
    """Return what clusters do to a difference of these cases."""
    if joint is not None and joint.clusters is not None:
        return compared_clusters(joint.clusters.rows, joint.clusters.column, effect, float(joint.worth.sum()), level)
    if isinstance(cases, PairCounts) or cases.cluster is None:
        return None
    weight = np.ones(cases.rows) if cases.weight is None else cases.weight
    worth = float(weight.sum() ** 2 / (weight**2).sum()) * cases.cases / cases.rows
    return compared_clusters(np.bincount(cases.cluster), cases.cluster_column, effect, worth, level)
