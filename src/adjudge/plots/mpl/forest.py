"""Forest plots on axes."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from adjudge.plots.densities import WIDTH
from adjudge.plots.forest import Forest, Row
from adjudge.plots.mpl.frames import ALIGNED, INCH, UNIT, letters
from adjudge.plots.style import LIGHT

_MARKERS = {"disc": "o", "diamond": "D", "ring": "o", "tick": "|", "cross": "x"}
_AXIS = 46.0  # units below the rows, for the axis


def size_of(found: Forest) -> tuple[float, float]:
    """Return the inches of a figure in which the letters have their size."""
    return 6.4, max(2.2, (found.height + _AXIS) * UNIT * 1.25 / INCH)


def draw_forest(found: Forest, ax: Axes, **style: Any) -> Axes:
    """Draw rows on one axis; units across and down are the page's, so that words keep their places.

    The x axis counts values as ever, but reaches to both sides as far as names and words need.
    """
    size = letters(found.height, ax)
    _frame(found, ax, size)
    for row in found.rows:
        _draw(found, row, ax, style)
    for join in found.joins:
        ax.plot([_value(found, join.x)] * 2, [join.top, join.foot], color=LIGHT.ink, linewidth=2.4, solid_capstyle="butt")
    halo = [withStroke(linewidth=2.5, foreground=ax.get_facecolor())]  # where lines pass; it makes words a little longer
    for label in found.labels:
        looks: dict[str, Any] = {"color": LIGHT.muted, "path_effects": halo} if label.kind == "aside" else {"color": LIGHT.ink}
        looks |= {"weight": "bold"} if label.kind == "head" else {}
        place: dict[str, Any] = {"ha": ALIGNED[label.anchor], "va": "baseline", "transform": ax.get_yaxis_transform()}
        ax.text(label.x / WIDTH, label.y, label.words, size=size, parse_math=False, **place, **looks)
    return ax


def _value(found: Forest, across: float) -> float:
    """Return the value, or where there would be one, at units across."""
    scale = found.scale
    return scale.start + (across - found.left) / (found.right - found.left) * (scale.stop - scale.start)


def _frame(found: Forest, ax: Axes, size: float) -> None:
    """Draw what the rows are read against."""
    _boxes(found, ax)
    for value, _ in found.ticks:
        _upright(found, value, found.height, ax, color=LIGHT.rule, linewidth=0.8, zorder=0.5)
    for i, mark in enumerate(found.marks):
        if not mark.far:
            _upright(found, mark.at, found.foot(i), ax, color=LIGHT.muted, linestyle=(0, (3, 3)), linewidth=1, zorder=1.5)
    if found.dividing is not None:
        ax.axhline(found.dividing, color=LIGHT.rule, linewidth=0.8, zorder=0.5)
    ends = [found.scale.start, found.scale.stop]
    ax.plot(ends, [found.height] * 2, color=LIGHT.axis, linewidth=0.8, clip_on=False)
    _axis(found, ax, size)


def _boxes(found: Forest, ax: Axes) -> None:
    looks: dict[str, Any] = {"facecolor": LIGHT.rule, "edgecolor": LIGHT.context, "hatch": "////", "linewidth": 0}
    for top, foot in found.spans:
        for ends in found.scale.impossible:
            ax.fill_between(ends, top, foot, **looks)
    if found.band is not None:
        ax.fill_between(found.band, *found.spans[0], color=LIGHT.lines[0], alpha=0.13, linewidth=0, zorder=0.4)


def _axis(found: Forest, ax: Axes, size: float) -> None:
    ax.set_xlim(_value(found, 0), _value(found, WIDTH))
    ax.set_ylim(found.height, 0)
    ax.set_yticks([])
    ax.set_xticks([value for value, _ in found.ticks], [words for _, words in found.ticks], size=size)
    ax.spines[:].set_visible(False)
    ax.tick_params(colors=LIGHT.muted, length=0)
    middle = (found.left + found.right) / 2 / WIDTH
    ax.set_xlabel(found.axis, color=LIGHT.muted, size=size, x=middle, parse_math=False)
    if found.title:
        ax.set_title(found.title, loc="left", size=size + 1, color=LIGHT.ink, parse_math=False)


def _upright(found: Forest, value: float, foot: float, ax: Axes, **looks: Any) -> None:
    spans = [*found.spans[:-1], (found.spans[-1][0], foot)] if found.spans else [(0.0, foot)]
    for top, bottom in spans:
        ax.plot([value, value], [top, bottom], **looks)


def _draw(found: Forest, row: Row, ax: Axes, style: dict[str, Any]) -> None:
    colour = LIGHT.lines[row.colour]
    if row.dots:
        x, y = found.dots(row)
        ax.scatter([_value(found, float(v)) for v in x], y, s=10, color=colour, alpha=0.45, linewidths=0)
    if row.limited:
        looks: dict[str, Any] = {"color": colour, "linewidth": 2.4 if row.headed and row.shape != "cross" else 1.2}
        looks |= {"marker": "|", "markersize": 8} if row.shape == "cross" else {"solid_capstyle": "butt"}
        ax.plot([row.low, row.high], [row.down] * 2, **(looks | style))
    if math.isfinite(row.value):
        looks = {"color": colour, "marker": _MARKERS[row.shape], "label": row.name, "clip_on": False}
        looks |= {"markersize": 6 if row.headed else 4.5}
        looks |= {"markerfacecolor": ax.get_facecolor()} if row.shape == "ring" else {}
        ax.plot([row.value], [row.down], **(looks | style))
