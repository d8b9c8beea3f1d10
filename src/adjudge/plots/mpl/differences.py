"""Differences on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from adjudge.plots.densities import WIDTH
from adjudge.plots.differences import BAR, END, STRIP, THICK, DifferencePicture
from adjudge.plots.mpl.frames import ALIGNED, letters
from adjudge.plots.style import LIGHT, PARTS

SIZE = (6.4, 3.4)
"""Inches of a figure in which the letters have their size."""


def draw_difference(found: DifferencePicture, ax: Axes, **style: Any) -> Axes:
    """Draw what to believe of a difference: values along the x axis as ever, units down along the y axis as on the page."""
    size = letters(found.height, ax)
    _frame(found, ax, size)
    _parts(found, ax)
    _curve(found, ax, style)
    _bar(found, ax)
    for x, y, part in found.chips:
        colour, across = getattr(LIGHT, PARTS[part.kind][0]), ax.get_yaxis_transform()
        ax.plot([x / WIDTH], [y], color=colour, marker="s", markersize=0.62 * size, transform=across, clip_on=False)
    halo = [withStroke(linewidth=2.5, foreground=ax.get_facecolor())]  # where lines pass; it makes words a little longer
    for label in found.labels:
        looks: dict[str, Any] = {"color": LIGHT.muted if label.kind == "aside" else LIGHT.ink}
        looks |= {"path_effects": halo} if label.y > found.base else {}
        looks |= {"weight": "bold"} if label.kind == "head" else {}
        place: dict[str, Any] = {"ha": ALIGNED[label.anchor], "va": "baseline", "transform": ax.get_yaxis_transform()}
        ax.text(label.x / WIDTH, label.y, label.words, size=size, parse_math=False, **place, **looks)
    return ax


def _frame(found: DifferencePicture, ax: Axes, size: float) -> None:
    """Draw what the density is read against."""
    for ends in found.scale.impossible:
        looks: dict[str, Any] = {"facecolor": LIGHT.rule, "edgecolor": LIGHT.context, "hatch": "////", "linewidth": 0}
        ax.fill_between(ends, STRIP + THICK, found.base, **looks)
    for value, _ in found.ticks:
        ax.plot([value, value], [STRIP + THICK, found.height], color=LIGHT.rule, linewidth=0.8, zorder=0.5)
    if not found.zero.far:
        ax.plot([0.0, 0.0], [STRIP + THICK, found.base + END], color=LIGHT.muted, linestyle=(0, (3, 3)), linewidth=1, zorder=1.5)
    start, stop = found.scale.start, found.scale.stop
    ax.plot([start, stop], [found.base] * 2, color=LIGHT.axis, linewidth=0.8, zorder=1.6)
    ax.set_xlim(start, stop)
    ax.set_ylim(found.height, 0)
    ax.set_yticks([])
    ax.set_xticks([value for value, _ in found.ticks], [words for _, words in found.ticks], size=size)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(found.axis, color=LIGHT.muted, size=size, parse_math=False)
    ax.set_title(found.title, loc="left", size=size + 1, color=LIGHT.ink, parse_math=False)


def _parts(found: DifferencePicture, ax: Axes) -> None:
    for part in found.parts:
        colour, strength = getattr(LIGHT, PARTS[part.kind][0]), PARTS[part.kind][1]
        ends = found.within(part)
        if ends[0] < ends[1]:
            ax.fill_between(ends, STRIP, STRIP + THICK, color=colour, linewidth=0)
            if part.kind == "same":
                ax.fill_between(ends, STRIP + THICK, found.base + END, color=colour, alpha=0.12, linewidth=0, zorder=0.4)
        x, y = found.area(part)
        ax.fill_between(x, found.down(y), found.base, color=colour, alpha=strength, linewidth=0, label=part.words)


def _curve(found: DifferencePicture, ax: Axes, style: dict[str, Any]) -> None:
    looks: dict[str, Any] = {"color": LIGHT.ink, "linewidth": 1.4, "label": found.title} | style
    if found.spike is not None:
        top = STRIP + THICK + 8
        ax.plot([found.spike] * 2, [found.base, top], **(looks | {"linewidth": 2.4}))
        colour = getattr(LIGHT, PARTS[found.part_of(found.spike).kind][0])
        ax.plot([found.spike], [top], color=colour, marker="o", markersize=6)
    elif found.x.size:
        ax.plot(found.x, found.down(found.y), **looks)


def _bar(found: DifferencePicture, ax: Axes) -> None:
    """Draw the interval with its ends, and the observed difference on it."""
    down = found.base + BAR
    ax.plot([found.low, found.high], [down, down], color=LIGHT.ink, linewidth=1.2, marker="|", markersize=8, clip_on=False)
    ax.plot([found.difference], [down], color=LIGHT.ink, marker="D", markersize=5, clip_on=False)
