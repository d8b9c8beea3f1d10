"""Figures as both renderers draw them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from adjudge.plots.drawing import SIDE, Area, Figure, Line, Marks, Text
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


def shapes(figure: Figure, kind: type[Any], style: str = "") -> list[Any]:
    """Return the lines, areas or marks among the values of a picture whose style begins so."""
    every = [item for item in figure.drawing.items if isinstance(item, kind) and item.style.startswith(style)]
    return [item for item in every if not item.page]


def curve(figure: Figure, style: str = "curve") -> Any:
    """Return the values along a curve and its heights."""
    return shapes(figure, Line, style)[0].points.T


def dot(figure: Figure) -> tuple[float, float]:
    """Return where the dot of what was seen lies."""
    return tuple(shapes(figure, Marks, "mark1")[0].points[0].tolist())


def band(figure: Figure) -> tuple[Any, Any, Any]:
    """Return the values along the band of a line, and its limits there."""
    high, low = np.split(shapes(figure, Area, "area0")[0].parts[0], 2)
    return high[:, 0], low[::-1, 1], high[:, 1]


def references(figure: Figure) -> list[list[list[float]]]:
    """Return the ends of the lines that values are read against."""
    return [line.points.tolist() for line in shapes(figure, Line, "ref")]


def keys(figure: Figure) -> list[str]:
    """Return what the signs of a picture say."""
    return [item.words for item in figure.drawing.items if isinstance(item, Text) and item.style == "key"]
