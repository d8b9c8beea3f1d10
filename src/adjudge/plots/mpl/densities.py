"""Densities on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.densities import DensitySet
from adjudge.plots.style import LIGHT


def draw_densities(found: DensitySet, ax: Axes, **style: Any) -> Axes:
    """Draw densities with their intervals shaded, and what they are read against."""
    for density in found.densities:
        looks: dict[str, Any] = {"color": LIGHT.lines[density.colour], "linewidth": 1.8} | style
        x, y = density.shaded
        limits = f"{100 * found.level:g}%: {100 * density.low:.1f}% to {100 * density.high:.1f}%"
        ax.plot(density.x, density.y, label=f"{density.name.capitalize()}, {limits}", **looks)
        ax.fill_between(x, y, color=looks["color"], alpha=0.15, linewidth=0)
        ax.axvline(density.median, ymax=0.02, color=looks["color"], linewidth=2)
    for label, value in found.shown_marks:
        ax.axvline(value, color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1, label=label)
    ax.set_xlim(found.start, found.stop)
    ax.set_ylim(0, found.top)
    ax.set_yticks([])
    ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:.4g}%")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.legend(frameon=False, loc="best", labelcolor=LIGHT.ink)
    return ax
