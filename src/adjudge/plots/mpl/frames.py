"""How every picture looks on axes, whatever the user's settings: letters, colours, and a quiet grid in place of a box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import matplotlib as mpl
from cycler import cycler
from matplotlib import style
from matplotlib.axes import Axes

from adjudge.plots.densities import WIDTH
from adjudge.plots.style import LIGHT

LETTERS = 9.5
"""Points of the letters, where there is room."""
UNIT, INCH = 0.72, 72.0
"""Points of a unit of the page at that size, and of an inch."""
ALIGNED = {"start": "left", "middle": "center", "end": "right"}
"""What the ends of words are called here."""
_LOOK: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib, so that a picture is the same everywhere
    "font.size": LETTERS,
    "axes.titlesize": LETTERS + 1,
    "axes.labelsize": LETTERS,
    "xtick.labelsize": LETTERS - 0.5,
    "ytick.labelsize": LETTERS - 0.5,
    "legend.fontsize": LETTERS - 0.5,
    "legend.title_fontsize": LETTERS - 0.5,
    "axes.prop_cycle": cycler(color=LIGHT.lines),
    "axes.facecolor": LIGHT.paper,
    "figure.facecolor": LIGHT.paper,
    "axes.edgecolor": LIGHT.axis,
    "axes.labelcolor": LIGHT.muted,
    "axes.titlecolor": LIGHT.ink,
    "text.color": LIGHT.ink,
    "xtick.color": LIGHT.muted,
    "ytick.color": LIGHT.muted,
    "lines.solid_capstyle": "butt",
    "hatch.linewidth": 0.6,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw as all our pictures are drawn; the user's settings are back afterwards. Only the resolution stays theirs."""
    with style.context(["default", _LOOK | {"figure.dpi": mpl.rcParams["figure.dpi"]}]):
        yield


def letters(height: float, ax: Axes) -> float:
    """Return the size of letters for which the words of a picture so many units high keep apart, on axes of any size."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return LETTERS * min(1.0, box.height * INCH / height / UNIT, box.width * INCH / WIDTH / UNIT)


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
