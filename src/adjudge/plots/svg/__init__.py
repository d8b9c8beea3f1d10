"""The page's pictures, drawn in Python: every word escaped, no style attributes, no script."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from adjudge._base.errors import InputError
from adjudge.plots.corrections import LinePicture
from adjudge.plots.densities import DensitySet
from adjudge.plots.differences import DifferencePicture
from adjudge.plots.forest import Forest
from adjudge.plots.geometry import CellMap, CurveSet
from adjudge.plots.operating import ThresholdPicture
from adjudge.plots.outcomes import OutcomeBars
from adjudge.plots.partitions import PartitionPicture
from adjudge.plots.plans import PlanPicture
from adjudge.plots.rounds import RoundsPicture
from adjudge.plots.svg.corrections import line_svg
from adjudge.plots.svg.curves import curves_svg
from adjudge.plots.svg.densities import densities_svg
from adjudge.plots.svg.differences import difference_svg
from adjudge.plots.svg.forest import forest_svg
from adjudge.plots.svg.matrix import map_svg
from adjudge.plots.svg.operating import threshold_svg
from adjudge.plots.svg.outcomes import outcomes_svg
from adjudge.plots.svg.partitions import partitions_svg
from adjudge.plots.svg.plans import plan_svg
from adjudge.plots.svg.rounds import rounds_svg
from adjudge.plots.svg.trade_off import spread_svg
from adjudge.plots.trade_off import Spread


@singledispatch
def svg(figure: Any, name: str) -> str:  # noqa: ARG001 - the signature of every drawing
    """Refuse what there is no picture of."""
    known = ", ".join(sorted(kind.__name__ for kind in svg.registry if kind is not object))
    msg = f"There is no picture of {type(figure).__name__}; there are those of {known}."
    raise InputError(msg)


svg.register(CellMap, map_svg)
svg.register(CurveSet, curves_svg)
svg.register(DensitySet, densities_svg)
svg.register(DifferencePicture, difference_svg)
svg.register(Forest, forest_svg)
svg.register(LinePicture, line_svg)
svg.register(OutcomeBars, outcomes_svg)
svg.register(PartitionPicture, partitions_svg)
svg.register(PlanPicture, plan_svg)
svg.register(RoundsPicture, rounds_svg)
svg.register(Spread, spread_svg)
svg.register(ThresholdPicture, threshold_svg)
