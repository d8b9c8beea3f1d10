"""Which picture a result has: the one place that knows, for matplotlib, for pages and for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from adjudge._base import InputError, argument, either, listed, parameter, quoted
from adjudge.counts.curves import Curve
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.result import Counts
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.evaluation import MOST_CORNERS, Evaluation
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.report import Report
from adjudge.judgements.thresholds import Thresholds
from adjudge.judgements.top_k import FEWEST
from adjudge.metrics.catalogue import MeasureTable
from adjudge.partitions.space import PartitionSpace
from adjudge.plots import NothingToDrawError, corrections, intervals, learners, textbook
from adjudge.plots.clusters import clusters_picture
from adjudge.plots.curves import curve_set, threshold_picture
from adjudge.plots.differences import correlated_picture, difference_picture
from adjudge.plots.drawing import Figure
from adjudge.plots.learners import plan_picture
from adjudge.plots.overlaid import KINDS as OF_ALL
from adjudge.plots.overlaid import overlaid_picture
from adjudge.plots.partitions import PartitionPicture, partition_picture
from adjudge.plots.population import population_forest
from adjudge.plots.posteriors import accuracy_posteriors_set, posterior_set
from adjudge.plots.regression import agreement_picture, quantile_picture, residual_picture
from adjudge.plots.scores import gains_picture, score_picture, top_k_picture
from adjudge.plots.tables import cell_map
from adjudge.plots.where_correct import where_correct_picture

KINDS_OF_NUMBERS = {"agreement": agreement_picture, "residuals": residual_picture, "quantiles": quantile_picture}
_OF_CLASSES = (
    "confusion",
    "densities",
    "roc",
    "precision-recall",
    "reliability",
    "scores",
    "lift",
    "top-k",
    "clusters",
    "partition",
)
KINDS = (*_OF_CLASSES, *KINDS_OF_NUMBERS)  # the pictures of an evaluation
_OF_PARTS: dict[str, tuple[str, Callable[..., Any]]] = {  # by kind what of the evaluation is drawn, and by whom
    "confusion": ("counts", cell_map),
    "densities": ("accuracy_posteriors", accuracy_posteriors_set),
    "scores": ("thresholds", score_picture),
    "lift": ("gains", gains_picture),
    "top-k": ("top_k", top_k_picture),
    "clusters": ("clusters", clusters_picture),
    "partition": ("partition", partition_picture),
}
_RANKING = ("roc", "precision-recall", "scores", "lift")  # those of scores that decide nothing
_OPTIONS: dict[type, tuple[str, ...]] = {
    Comparison: ("kind",),
    Evaluation: ("kind",),
    PartitionSpace: ("space", "lines", "classes", "rest", "view"),
    Ranking: ("kind",),
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
def _(result: Curve) -> Figure:
    return curve_set((result,))


@picture.register
def _(result: Evaluation, *, kind: str | None = None) -> Any:
    """Return its confusion map, the losses of numbers, the ROC curve of scores that decide nothing, or what `kind` asks for."""
    if kind is None and result.undecided is None:
        return intervals.losses_forest(result.estimates) if result.counts is None else cell_map(result.counts)
    if kind not in (None, *KINDS):
        raise InputError(parameter("kind"), f" must be one of {listed(KINDS, len(KINDS))}; got {quoted(kind)}.")
    ranked = result.undecided is not None
    if ranked and kind not in (None, *_RANKING):
        ways = either([argument("threshold"), argument("predicted")])
        msg = f"These scores decide nothing, and there is no {kind} to draw. Pass "
        raise InputError(msg, ways, ".")
    if result.counts is None and not ranked:
        known, make = result.residuals, KINDS_OF_NUMBERS.get(str(kind))
        if make is not None and known is not None and known.drawn and (kind != "quantiles" or len(known.quantiles)):
            return make(known)
        msg = f"This evaluation is of a numeric predictor and has no {kind} to draw. Leave kind out: its losses are drawn."
        raise InputError(msg)
    field, make = _OF_PARTS.get(str(kind), ("", None))
    if make is not None and (part := getattr(result, field)) not in (None, ()):
        return make(part)
    if curves := result.curves.get(kind or "roc"):
        return curve_set(tuple(curves.values()))
    needs = {"densities": "it has no case", "partition": f"that takes probabilities of 2 to {MOST_CORNERS} classes"}
    needs["clusters"] = "that takes a column of clusters"
    needs["top-k"] = f"that takes probabilities of {FEWEST} classes or more"
    why = "that takes cases of both classes" if ranked else needs.get(str(kind), "that takes scores of every class")
    msg = f"This evaluation has no {kind or 'roc'} to draw: {why}. Draw its confusion map, kind='confusion'."
    raise (NothingToDrawError if kind is None else InputError)(msg)


@picture.register
def _(result: Comparison, *, kind: str | None = None) -> Figure:
    """Return the posterior of the difference, where each is correct ("correct"), or the curves of both over each other."""
    return difference_picture(result) if kind is None else _of_sets(result, kind)


@picture.register
def _(result: Ranking, *, kind: str | None = None) -> Figure:
    """Return all candidates with their intervals, where each is correct ("correct"), or the curves of all over each other."""
    return intervals.ranking_forest(result) if kind is None else _of_sets(result, kind)


def _of_sets(result: Comparison | Ranking, kind: str) -> Figure:
    if kind not in ("correct", *OF_ALL):
        raise InputError(
            parameter("kind"), f" must be correct, {listed(OF_ALL, len(OF_ALL))} of a comparison; got {quoted(kind)}."
        )
    if kind == "correct" and result.where_correct is not None:
        return where_correct_picture(result.where_correct)
    if kind != "correct" and result.overlaid is not None:
        return overlaid_picture(result.overlaid, kind)
    needs = "decisions of classes" if kind == "correct" else "scores of two sets or more"
    msg = f"This comparison has no {kind} to draw: that takes {needs}. Leave kind out to draw its verdict."
    raise InputError(msg)


@picture.register
def _(result: Report, **how: Any) -> Any:
    return picture(result.comparison or result.learner or result.evaluation, **how)


@picture.register
def _(result: PartitionComparison, **how: Any) -> PartitionPicture:
    return partition_picture(result.spaces if len(result.spaces) > 1 else result.first, **result.drawing | how)


@picture.register
def _(result: Counts) -> Figure:
    if not isinstance(result.tally, NumberCounts):
        return cell_map(result.tally.confusion)
    if not result.losses:
        msg = "These counts of numbers were not evaluated. Draw what evaluate() gives of them."
        raise NothingToDrawError(msg)
    return intervals.losses_forest(result.losses)


for _make in (
    *(accuracy_posteriors_set, cell_map, correlated_picture, overlaid_picture, plan_picture, posterior_set, threshold_picture),
    *(corrections.error_picture, corrections.gains_forest, corrections.multiplier_forest, corrections.operating_picture),
    *(corrections.priors_forest, corrections.rejection_forest, corrections.rejection_picture),
    *(intervals.class_forest, intervals.differences_forest, intervals.estimate_forest, intervals.gate_forest),
    *(intervals.interval_forest, intervals.measure_forest, intervals.overfitting_forest, intervals.posteriors_forest),
    *(
        population_forest,
        where_correct_picture,
        intervals.sets_forest,
        learners.learner_forest,
        learners.rounds_picture,
        learners.spread,
    ),
    gains_picture,
    *(textbook.chance_picture, textbook.five_by_two_picture, textbook.mcnemar_picture, textbook.sample_size_picture),
):
    picture.register(_make)  # by the type of its first argument
for _type in (PartitionSpace, list, tuple, Mapping):
    picture.register(_type, partition_picture)
picture.register(MeasureTable, picture.dispatch(object))  # a tuple, but of no partitions
