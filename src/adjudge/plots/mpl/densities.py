"""Densities on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from adjudge.plots.densities import WIDTH, Density, DensitySet, Reported
from adjudge.plots.mpl.frames import ALIGNED, letters
from adjudge.plots.style import LIGHT

_MARKERS = {"disc": "o", "diamond": "D", "triangle": "^"}


def draw_densities(found: DensitySet, ax: Axes, **style: Any) -> Axes:
    """Draw densities, each in a row of its own, with their intervals shaded and what they are read against.

    Values lie along the x axis as ever; the y axis counts units down, as the page does.
    """
    size = letters(found.height, ax)
    _frame(found, ax, size)
    for row in found.densities:
        _draw(found, row, ax, style)
    paper, grey = ax.get_facecolor(), LIGHT.rule
    for label in found.labels:
        looks: dict[str, Any] = {"color": LIGHT.muted if label.kind in ("aside", "turned") else LIGHT.ink}
        looks |= {"weight": "bold"} if label.kind == "head" else {}
        looks |= {"rotation": 90, "va": "center"} if label.kind == "turned" else {"va": "baseline"}
        looks |= {"path_effects": [withStroke(linewidth=2.5, foreground=grey if label.kind == "turned" else paper)]}
        at = (label.x / WIDTH, label.y)
        ax.text(
            *at, label.words, ha=ALIGNED[label.anchor], size=size, transform=ax.get_yaxis_transform(), parse_math=False, **looks
        )
    return ax


def _frame(found: DensitySet, ax: Axes, size: float) -> None:
    for low, high in found.impossible:
        for row in found.densities:
            ax.fill_between(
                [low, high], row.top, row.base, facecolor=LIGHT.rule, edgecolor=LIGHT.context, hatch="////", linewidth=0
            )
    ticks = found.ticks
    for value, _ in ticks:
        _upright(found, value, found.height, ax, color=LIGHT.rule, linewidth=0.8, zorder=0.5)
    for i, mark in enumerate(found.marks):
        if not mark.far:
            _upright(found, mark.at, found.foot(i), ax, color=LIGHT.muted, linestyle=(0, (3, 3)), linewidth=1, zorder=1.5)
    ax.set_xlim(found.start, found.stop)
    ax.set_ylim(found.height, 0)
    ax.set_yticks([])
    ax.set_xticks([value for value, _ in ticks], [words for _, words in ticks], size=size)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(found.axis, color=LIGHT.muted, size=size, parse_math=False)
    if found.title:
        ax.set_title(found.title, loc="left", size=size + 1, color=LIGHT.ink, parse_math=False)


def _upright(found: DensitySet, value: float, foot: float, ax: Axes, **looks: Any) -> None:
    for top, bottom in found.bands(foot):
        ax.plot([value, value], [top, bottom], **looks)


def _draw(found: DensitySet, row: Density, ax: Axes, style: dict[str, Any]) -> None:
    looks: dict[str, Any] = {"color": LIGHT.lines[row.colour], "linewidth": 1.8} | style
    ax.plot([found.start, found.stop], [row.base, row.base], color=LIGHT.axis, linewidth=0.8, zorder=1.6)
    x, y = row.outline
    (line,) = ax.plot(x, row.down(y), label=row.name, **looks)
    colour = line.get_color()
    ax.plot([row.low, row.high], [row.base, row.base], color=colour, linewidth=4, alpha=0.6, solid_capstyle="butt")
    x, y = row.shaded
    ax.fill_between(x, row.down(y), row.base, color=colour, alpha=0.15, linewidth=0)
    for i, point in enumerate(row.shown):
        ax.plot([point.value] * 2, [row.crest(point.value), row.step(i)], color=colour, linewidth=0.8, alpha=0.6)
        ax.plot([point.value], [row.step(i)], color=colour, marker=_MARKERS[point.shape], markersize=5, clip_on=False)
    if row.reported:
        _bar(row.reported, row.lane, ax)


def _bar(told: Reported, down: float, ax: Axes) -> None:
    ax.plot([told.value], [down], color=LIGHT.ink, marker="x", markersize=6, clip_on=False)
    if told.low < told.high:
        ax.plot([told.low, told.high], [down, down], color=LIGHT.ink, linewidth=1.2, marker="|", markersize=8)
