"""Results drawn with matplotlib: one drawing per type of result."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from matplotlib.axes import Axes

from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.evaluation import Evaluation
from adjudge.plots.densities import density_set
from adjudge.plots.geometry import cell_map, curve_set
from adjudge.plots.mpl.curves import draw_curves
from adjudge.plots.mpl.densities import draw_densities
from adjudge.plots.mpl.matrix import draw_map


@singledispatch
def draw(result: Any, ax: Axes | None = None, **style: Any) -> Axes:  # noqa: ARG001 - the signature of every drawing
    """Refuse what there is no picture of."""
    msg = f"There is no picture of {type(result).__name__}. Draw an Evaluation, ConfusionCounts, a Curve or a Posterior."
    raise InputError(msg)


@draw.register
def _(result: ConfusionCounts, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_map(cell_map(result), _axes(ax), **style)


@draw.register
def _(result: Curve, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_curves(curve_set((result,)), _axes(ax), **style)


@draw.register
def _(result: Posterior, ax: Axes | None = None, **style: Any) -> Axes:
    return draw_densities(density_set((result,)), _axes(ax), **style)


@draw.register
def _(result: Evaluation, ax: Axes | None = None, **style: Any) -> Axes:
    if result.counts is None:
        msg = "This evaluation is of a numeric predictor and has no confusion table to draw."
        raise InputError(msg)
    return draw_map(cell_map(result.counts), _axes(ax), **style)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]
