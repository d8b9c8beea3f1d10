"""The axes that pictures of lines share: a quiet grid, words in place of numbers, and no box."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from matplotlib.axes import Axes

from adjudge.plots.style import LIGHT


class Framed(Protocol):
    """What is told along the axes of a picture."""

    @property
    def x_ticks(self) -> Iterable[tuple[float, str]]:
        """Places across, with their words."""

    @property
    def y_ticks(self) -> Iterable[tuple[float, str]]:
        """Places up, with their words."""

    @property
    def x_name(self) -> str:
        """What goes across."""

    @property
    def y_name(self) -> str:
        """What goes up."""


def frame(found: Framed, ax: Axes, across: tuple[float, float], up: tuple[float, float]) -> None:
    """Set limits, ticks, grid and names."""
    ax.set_xlim(*across)
    ax.set_ylim(*up)
    for place, ticks in ((ax.set_xticks, found.x_ticks), (ax.set_yticks, found.y_ticks)):
        place([value for value, _ in ticks], [words for _, words in ticks])
    ax.grid(axis="y", color=LIGHT.rule, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(found.x_name, color=LIGHT.muted, parse_math=False)
    ax.set_ylabel(found.y_name, color=LIGHT.muted)
