"""The confusion map on axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from adjudge.plots.geometry import CellMap
from adjudge.plots.labels import count, named
from adjudge.plots.style import LIGHT, shade, text_on

_LONGEST_NAME = 18
_WITH_COUNTS = 8  # classes up to which a cell has room for its count
_STRAIGHT = 40  # letters of all columns, each as long as the longest, up to which names stand upright


def draw_map(cells: CellMap, ax: Axes, **style: Any) -> Axes:
    """Draw each row in shares of its true class."""
    rows, columns = cells.counts.shape
    colours = np.array([[to_rgb(_colour(cells, i, j)) for j in range(columns)] for i in range(rows)])
    ax.imshow(colours, **({"aspect": "auto"} | style))
    for i in range(rows):
        for j in range(columns):
            _write(cells, ax, i, j)
    _name(cells, ax)
    return ax


def _colour(cells: CellMap, i: int, j: int) -> str:
    return shade(LIGHT, cells.kind(i, j), int(cells.levels[i, j]))


def _write(cells: CellMap, ax: Axes, i: int, j: int) -> None:
    few = len(cells.rows) <= _WITH_COUNTS
    if not few and not cells.counts[i, j]:
        return
    words = cells.words(i, j)
    words = f"{words}\n{count(cells.counts[i, j].item())}" if few else words.rstrip("%")
    ax.text(j, i, words, ha="center", va="center", color=text_on(_colour(cells, i, j)), fontsize=10 if few else 6.5)


def _name(cells: CellMap, ax: Axes) -> None:
    rows, columns = named(cells.rows, _LONGEST_NAME), named(cells.columns, _LONGEST_NAME)
    upright = len(columns) * max(map(len, columns)) <= _STRAIGHT
    turned: dict[str, Any] = {} if upright else {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xticks(range(len(columns)), columns, parse_math=False, **turned)
    ax.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, colors=LIGHT.muted)
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=LIGHT.paper, linewidth=2)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("Predicted class (% of the row)", color=LIGHT.muted)
    ax.xaxis.set_label_position("top")
    ax.set_ylabel("True class", color=LIGHT.muted)
