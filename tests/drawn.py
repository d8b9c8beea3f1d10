"""Figures as both renderers draw them."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.drawing import Figure
from adjudge.render.matplotlib import draw as on_axes
from adjudge.render.svg import svg as as_svg


def svg(figure: Figure, name: str) -> str:
    """Return a figure as SVG."""
    return as_svg(figure.drawing, name)


def draw(figure: Figure, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a figure with matplotlib."""
    return on_axes(figure.drawing, ax, **style)
