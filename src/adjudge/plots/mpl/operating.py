"""A threshold on the ROC curve of its class, on axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from adjudge.plots.geometry import ticks
from adjudge.plots.labels import named
from adjudge.plots.operating import X_NAME, Y_NAME, ThresholdPicture
from adjudge.plots.style import LIGHT


def draw_threshold(found: ThresholdPicture, ax: Axes, **style: Any) -> Axes:
    """Draw the curve with its band, the threshold, the cheapest one and the line of equal cost."""
    keys = dict(found.keys)
    looks: dict[str, Any] = {"color": LIGHT.lines[0], "linewidth": 1.8} | style
    corners = np.vstack([found.band[0], found.band[1][::-1]])
    ax.fill(corners[:, 0], corners[:, 1], color=looks["color"], alpha=0.15, linewidth=0, label=keys["band"])
    ax.plot([0, 1], [0, 1], color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1)
    ax.plot(found.x, found.y, **looks)
    ax.plot(*zip(*found.equal, strict=True), color=LIGHT.lines[1], linestyle="--", linewidth=1.2, label=keys["equal"])
    marks: dict[str, Any] = {"linestyle": "none", "zorder": 4, "clip_on": False}
    ax.plot(*found.best, marker="o", markersize=10, fillstyle="none", color=LIGHT.lines[1], label=keys["best"], **marks)
    if found.decided is not None:
        ax.plot(*found.decided, marker="s", markersize=8, fillstyle="none", color=LIGHT.ink, label=keys["decided"], **marks)
    ax.plot(*found.here, marker="o", markersize=7, color=LIGHT.ink, label=keys["here"], **marks)
    _frame(found, ax)
    return ax


def _frame(found: ThresholdPicture, ax: Axes) -> None:
    at = ticks(0, 1)
    for place in (ax.set_xticks, ax.set_yticks):
        place(at, [f"{100 * v:g}%" for v in at])
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.grid(color=LIGHT.rule, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(X_NAME, color=LIGHT.muted)
    ax.set_ylabel(Y_NAME, color=LIGHT.muted)
    ax.set_title(f"{named([found.of], 40)[0]} against the rest", loc="left", color=LIGHT.ink, parse_math=False)
    ax.legend(frameon=False, loc="lower right", labelcolor=LIGHT.ink)
