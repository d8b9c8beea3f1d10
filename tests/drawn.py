"""Figures as both renderers draw them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.drawing import SIDE, Figure, Text
from adjudge.render.matplotlib import draw as on_axes
from adjudge.render.svg import svg as as_svg


def svg(figure: Figure, name: str) -> str:
    """Return a figure as SVG."""
    return as_svg(figure.drawing, name)


def draw(figure: Figure, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a figure with matplotlib."""
    return on_axes(figure.drawing, ax, **style)


def labels(figure: Figure) -> list[Text]:
    """Return the words of a picture above one axis but those of the axis, in units from the corner of its panel."""
    texts = [item for item in figure.drawing.items if isinstance(item, Text)]
    return [replace(text, x=text.x - SIDE, y=text.y - 4, style=text.style.removesuffix(" halo")) for text in texts]
