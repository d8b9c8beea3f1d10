"""Which picture a result has: the one place that knows, for matplotlib, for pages and for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.corrections.multipliers import ErrorCurve, Multipliers
from adjudge.corrections.operating import AccuracyRejection, OperatingPoint
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.result import Counts
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posterior import Posterior
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.accuracy_posteriors import AccuracyPosteriors, Chance
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ensembles import EnsemblesJudged
from adjudge.judgements.evaluation import MOST_CORNERS, Evaluation, Origin, judge_numbers
from adjudge.judgements.gate import Gate
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.report import Report
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.sample_size import SampleSize
from adjudge.judgements.tally_estimates import ClassVerdict
from adjudge.judgements.textbook import CorrectedT, CorrelatedT, ErrorDifference, FiveByTwo, McNemar, PairedT
from adjudge.judgements.thresholds import Operating, Thresholds
from adjudge.judgements.training import Overfitting, OverfittingAgainst, TradeOff
from adjudge.judgements.two_areas import DeLong
from adjudge.partitions.differences import PartitionDifference
from adjudge.partitions.space import PartitionSpace
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots.corrections import (
    error_picture,
    gains_forest,
    multiplier_forest,
    operating_picture,
    priors_forest,
    rejection_forest,
    rejection_picture,
)
from adjudge.plots.curves import CurveSet, curve_set
from adjudge.plots.differences import difference_picture
from adjudge.plots.drawing import Figure, NothingToDrawError
from adjudge.plots.forest import Forest
from adjudge.plots.learners import learner_forest, spread
from adjudge.plots.limits import (
    class_forest,
    estimate_forest,
    interval_forest,
    measure_forest,
    numbers_forest,
    overfitting_forest,
    posteriors_forest,
)
from adjudge.plots.maps import CellMap, cell_map
from adjudge.plots.operating import ThresholdPicture, point_picture, threshold_picture
from adjudge.plots.partitions import PartitionPicture, partition_picture
from adjudge.plots.plans import plan_picture
from adjudge.plots.posteriors import accuracy_posteriors_set, posterior_set
from adjudge.plots.rankings import ranking_forest, sets_forest
from adjudge.plots.rounds import rounds_picture
from adjudge.plots.sample_size import gate_forest, sample_size_picture
from adjudge.plots.textbook_tests import (
    against_forest,
    areas_forest,
    chance_picture,
    correlated_picture,
    errors_forest,
    five_by_two_picture,
    mcnemar_picture,
    paired_forest,
    partition_forest,
)
from adjudge.resampling.plan import Plan

KINDS = ("confusion", "densities", "roc", "precision-recall", "reliability", "partition")
"""The pictures of an evaluation."""
_OPTIONS: dict[type, tuple[str, ...]] = {
    Evaluation: ("kind",),
    PartitionSpace: ("space", "lines", "classes", "rest", "view"),
    Thresholds: ("threshold", "of", "prevalence", "miss_cost", "alarm_cost"),
}


def options(result: Any) -> tuple[str, ...]:
    """Return the names of the options that the picture of a result takes."""
    if isinstance(result, Report):
        return options(result.comparison or result.learner or result.evaluation)
    several = isinstance(result, (list, tuple, Mapping, PartitionComparison))
    return _OPTIONS.get(PartitionSpace if several else type(result), ())


@singledispatch
def picture(result: Any) -> Any:
    """Return the picture of a result, which has its drawing; refuse what has none."""
    if isinstance(result, Figure):
        return result
    msg = (
        f"There is no picture of {type(result).__name__}. Draw an Evaluation, AccuracyPosteriors, ConfusionCounts, a Curve, "
        "a Posterior, a Plan, or what estimate(), trade_off(), compare(), rank(), judge_ensembles(), error_curve(), "
        "accuracy_rejection(), estimate_priors(), recommend(), partition() or a textbook test gives."
    )
    raise NothingToDrawError(msg)


@picture.register
def _(result: Curve) -> CurveSet:
    return curve_set((result,))


@picture.register
def _(result: Evaluation, *, kind: str | None = None) -> Any:
    """Return its confusion map, the losses of numbers, the ROC curve of scores that decide nothing, or what `kind` asks for."""
    if kind is None and result.undecided is None:
        return numbers_forest(result) if result.counts is None else cell_map(result.counts)
    if kind not in (None, *KINDS):
        msg = f"kind must be one of {listed(KINDS, len(KINDS))}; got {quoted(kind)}."
        raise InputError(msg)
    ranked = result.undecided is not None
    if ranked and kind not in (None, "roc", "precision-recall"):
        msg = f"These scores decide nothing, and there is no {kind} to draw. Pass threshold= or predicted=."
        raise InputError(msg)
    if result.counts is None and not ranked:
        msg = f"This evaluation is of a numeric predictor and has no {kind} to draw. Leave kind out: its losses are drawn."
        raise InputError(msg)
    if kind == "confusion" and result.counts is not None:
        return cell_map(result.counts)
    if kind == "densities" and result.accuracy_posteriors is not None:
        return accuracy_posteriors_set(result.accuracy_posteriors)
    if kind == "partition" and result.partition is not None:
        return partition_picture(result.partition)
    if curves := result.curves.get(kind or "roc"):
        return curve_set(tuple(curves.values()))
    needs = {"densities": "it has no case to judge by", "partition": f"that takes probabilities of 2 to {MOST_CORNERS} classes"}
    why = "that takes cases of both classes" if ranked else needs.get(str(kind), "that takes scores of every class")
    msg = f"This evaluation has no {kind or 'roc'} to draw: {why}. Draw its confusion map, kind='confusion'."
    raise (NothingToDrawError if kind is None else InputError)(msg)


@picture.register
def _(result: Report, **how: Any) -> Any:
    return picture(result.comparison or result.learner or result.evaluation, **how)


@picture.register
def _(result: Thresholds, **use: Any) -> ThresholdPicture:
    return threshold_picture(result, **use)


@picture.register(PartitionSpace)
@picture.register(list)
@picture.register(tuple)
@picture.register(Mapping)
def _(result: Any, **how: Any) -> PartitionPicture:
    return partition_picture(result, **how)


@picture.register
def _(result: PartitionComparison, **how: Any) -> PartitionPicture:
    return partition_picture(result.spaces if len(result.spaces) > 1 else result.first, **result.drawing | how)


def _counted_picture(found: Counts) -> CellMap | Forest:
    if isinstance(found.tally, NumberCounts):
        return numbers_forest(judge_numbers(found.tally, Origin(found.name, found.rows), repeats=found.repeats))
    return cell_map(found.tally.confusion)


_MADE: dict[type, Callable[[Any], Any]] = {
    AccuracyRejection: rejection_picture,
    AccuracyPosteriors: accuracy_posteriors_set,
    SampleSize: sample_size_picture,
    Chance: chance_picture,
    ClassVerdict: class_forest,
    Comparison: difference_picture,
    ConfusionCounts: cell_map,
    CorrectedT: paired_forest,
    Counts: _counted_picture,
    CorrelatedT: correlated_picture,
    DeLong: areas_forest,
    EnsemblesJudged: rounds_picture,
    ErrorCurve: error_picture,
    ErrorDifference: errors_forest,
    Estimate: estimate_forest,
    FiveByTwo: five_by_two_picture,
    Gate: gate_forest,
    Interval: interval_forest,
    Multipliers: multiplier_forest,
    McNemar: mcnemar_picture,
    MeasureInterval: measure_forest,
    Operating: point_picture,
    OperatingPoint: operating_picture,
    OverSets: sets_forest,
    Overfitting: overfitting_forest,
    OverfittingAgainst: against_forest,
    PairedT: paired_forest,
    PartitionDifference: partition_forest,
    Plan: plan_picture,
    Posterior: posterior_set,
    Posteriors: posteriors_forest,
    PriorShift: priors_forest,
    Priors: priors_forest,
    Ranking: ranking_forest,
    Recommendations: gains_forest,
    Rejection: rejection_forest,
    Resampled: learner_forest,
    TradeOff: spread,
}
for _type, _make in _MADE.items():
    picture.register(_type, _make)
