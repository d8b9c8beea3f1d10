"""Results drawn with matplotlib: one drawing per kind of picture, all in one style."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from matplotlib.axes import Axes

from adjudge._base.errors import InputError
from adjudge.plots.corrections import LinePicture
from adjudge.plots.densities import DensitySet
from adjudge.plots.differences import DifferencePicture
from adjudge.plots.forest import Forest
from adjudge.plots.geometry import CellMap, CurveSet
from adjudge.plots.mpl.corrections import draw_line
from adjudge.plots.mpl.curves import draw_curves
from adjudge.plots.mpl.densities import draw_densities
from adjudge.plots.mpl.differences import SIZE, draw_difference
from adjudge.plots.mpl.forest import draw_forest
from adjudge.plots.mpl.forest import size_of as size_of_forest
from adjudge.plots.mpl.frames import house_style
from adjudge.plots.mpl.matrix import draw_map
from adjudge.plots.mpl.operating import draw_threshold
from adjudge.plots.mpl.partitions import draw_partitions
from adjudge.plots.mpl.partitions import size_of as size_of_partitions
from adjudge.plots.mpl.plans import draw_plan
from adjudge.plots.mpl.plans import size_of as size_of_plan
from adjudge.plots.mpl.rounds import draw_rounds
from adjudge.plots.mpl.trade_off import draw_spread
from adjudge.plots.operating import ThresholdPicture
from adjudge.plots.partitions import PartitionPicture
from adjudge.plots.pictures import options, picture
from adjudge.plots.plans import PlanPicture
from adjudge.plots.rounds import RoundsPicture
from adjudge.plots.trade_off import Spread

_LOW, _TALL = (6.4, 2.6), (6.4, 5.2)  # inches, for densities in one row and in two


@singledispatch
def draw(result: Any, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the picture of a result, on axes of their own where none are given."""
    how = {name: style.pop(name) for name in options(result) if name in style}
    found = picture(result, **how)
    with house_style():
        return drawing(found, _axes(ax, _size(found)), **style)


@singledispatch
def drawing(found: Any, ax: Axes, **style: Any) -> Axes:  # noqa: ARG001 - the signature of every drawing
    """Refuse what is no picture."""
    msg = f"There is no drawing of {type(found).__name__} on axes."
    raise InputError(msg)


drawing.register(CellMap, draw_map)
drawing.register(CurveSet, draw_curves)
drawing.register(DensitySet, draw_densities)
drawing.register(DifferencePicture, draw_difference)
drawing.register(Forest, draw_forest)
drawing.register(LinePicture, draw_line)
drawing.register(PartitionPicture, draw_partitions)
drawing.register(PlanPicture, draw_plan)
drawing.register(RoundsPicture, draw_rounds)
drawing.register(Spread, draw_spread)
drawing.register(ThresholdPicture, draw_threshold)


def _size(found: Any) -> tuple[float, float] | None:
    """Return the inches of a figure in which a picture's letters have their size; None for what fits any."""
    if isinstance(found, Forest):
        return size_of_forest(found)
    if isinstance(found, PartitionPicture):
        return size_of_partitions(found)
    if isinstance(found, PlanPicture):
        return size_of_plan(found)
    if isinstance(found, DensitySet):
        return _LOW if len(found.densities) == 1 else _TALL
    return {DifferencePicture: SIZE, RoundsPicture: _TALL}.get(type(found))


def _axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained", figsize=size)[1]
