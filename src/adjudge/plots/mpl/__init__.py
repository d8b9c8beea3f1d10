"""Results drawn with matplotlib: one drawing per type of result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

from matplotlib.axes import Axes

from adjudge._base.errors import InputError
from adjudge.corrections.kappa import ErrorCurve
from adjudge.corrections.operating import AccuracyRejection
from adjudge.corrections.priors import Priors, PriorShift
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.belief import Belief
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ensembles import EnsemblesJudged
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.trade_off import TradeOff
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.corrections import error_picture, priors_forest, rejection_picture
from adjudge.plots.densities import belief_set, posterior_set
from adjudge.plots.differences import difference_picture
from adjudge.plots.geometry import cell_map, curve_set
from adjudge.plots.learners import learner_forest
from adjudge.plots.mpl.corrections import draw_line
from adjudge.plots.mpl.curves import draw_curves
from adjudge.plots.mpl.densities import draw_densities
from adjudge.plots.mpl.differences import SIZE, draw_difference
from adjudge.plots.mpl.forest import draw_forest, size_of
from adjudge.plots.mpl.matrix import draw_map
from adjudge.plots.mpl.partitions import draw_partitions
from adjudge.plots.mpl.partitions import size_of as size_of_partitions
from adjudge.plots.mpl.rounds import draw_rounds
from adjudge.plots.mpl.trade_off import draw_spread
from adjudge.plots.partitions import PartitionPicture, partition_picture
from adjudge.plots.rankings import ranking_forest
from adjudge.plots.rounds import rounds_picture
from adjudge.plots.trade_off import spread


@singledispatch
def draw(result: Any, ax: Axes | None = None, **style: Any) -> Axes:  # noqa: ARG001 - the signature of every drawing
    """Refuse what there is no picture of."""
    msg = (
        f"There is no picture of {type(result).__name__}. Draw an Evaluation, a Belief, ConfusionCounts, a Curve, a Posterior, "
        "or what estimate(), trade_off(), compare(), rank(), judge_ensembles(), error_curve(), accuracy_rejection(), "
        "estimate_priors() or partition() gives."
    )
    raise InputError(msg)


@draw.register
def _(result: ConfusionCounts, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_map(cell_map(result), _axes(ax), **style)


@draw.register
def _(result: Curve, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_curves(curve_set((result,)), _axes(ax), **style)


@draw.register
def _(result: Posterior, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_densities(posterior_set(result), _axes(ax, _LOW), **style)


@draw.register
def _(result: Belief, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_densities(belief_set(result), _axes(ax, _TALL), **style)


@draw.register
def _(result: Evaluation, ax: Axes | None = None, **style: Any) -> Axes:
    if result.counts is None:
        msg = "This evaluation is of a numeric predictor and has no confusion table to draw."
        raise InputError(msg)
    return draw_map(cell_map(result.counts), _axes(ax), **style)


@draw.register
def _(result: Resampled, ax: Axes | None = None, **style: Any) -> Axes:
    found = learner_forest(result)
    return draw_forest(found, _axes(ax, size_of(found)), **style)


@draw.register
def _(result: TradeOff, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_spread(spread(result), _axes(ax), **style)


@draw.register
def _(result: EnsemblesJudged, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_rounds(rounds_picture(result), _axes(ax, _TALL), **style)


@draw.register
def _(result: Comparison, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_difference(difference_picture(result), _axes(ax, SIZE), **style)


@draw.register
def _(result: Ranking, ax: Axes | None = None, **style: Any) -> Axes:
    found = ranking_forest(result)
    return draw_forest(found, _axes(ax, size_of(found)), **style)


@draw.register
def _(result: ErrorCurve, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_line(error_picture(result), _axes(ax), **style)


@draw.register
def _(result: AccuracyRejection, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_line(rejection_picture(result), _axes(ax), **style)


@draw.register(Priors)
@draw.register(PriorShift)
def _(result: Priors | PriorShift, ax: Axes | None = None, **style: Any) -> Axes:
    found = priors_forest(result)
    return draw_forest(found, _axes(ax, size_of(found)), **style)


@draw.register
def _(result: PartitionPicture, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_partitions(result, _axes(ax, size_of_partitions(result)), **style)


@draw.register(PartitionSpace)
@draw.register(list)
@draw.register(tuple)
@draw.register(Mapping)
def _(
    result: PartitionSpace | Sequence[PartitionSpace] | Mapping[str, PartitionSpace],
    ax: Axes | None = None,
    *,
    space: Any = "scaled",
    lines: Any = None,
    classes: Any = None,
    rest: bool = False,
    view: Any = None,
    **style: Any,
) -> Axes:
    found = partition_picture(result, space=space, lines=lines, classes=classes, rest=rest, view=view)
    return draw(found, ax, **style)


@draw.register
def _(result: PartitionComparison, ax: Axes | None = None, **style: Any) -> Axes:
    return draw(result.spaces if len(result.spaces) > 1 else result.first, ax, **result.drawing | style)


_LOW, _TALL = (6.4, 2.6), (6.4, 5.2)  # inches, for densities in one row and in two


def _axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained", figsize=size)[1]
