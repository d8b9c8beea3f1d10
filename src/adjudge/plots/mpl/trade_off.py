"""Trade-offs on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.mpl.frames import frame
from adjudge.plots.style import LIGHT
from adjudge.plots.trade_off import Spread


def draw_spread(found: Spread, ax: Axes, **style: Any) -> Axes:
    """Draw splits by the share kept for testing, with their mean and a band of one standard deviation."""
    looks: dict[str, Any] = {"color": LIGHT.lines[0], "linewidth": 1.8, "marker": "o", "markersize": 5, "label": "mean"} | style
    (line,) = ax.plot(*zip(*found.means, strict=True), **looks)
    x, low, high = zip(*((s.x, s.low, s.high) for s in found.splits), strict=True)
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.13, linewidth=0, label="one standard deviation")
    for splits in found.splits:
        dots = ax.scatter(
            splits.dots_x, splits.dots_y, s=10, color=LIGHT.ink, alpha=0.45, linewidths=0, zorder=1.8, clip_on=False
        )
        dots.set_label("_" if splits is not found.splits[0] else "single splits")
    frame(found, ax, (found.across.start, found.across.stop), (found.up.start, found.up.stop))
    ax.set_title(found.title, loc="left", size="medium", color=LIGHT.ink, parse_math=False)
    ax.legend(frameon=False, loc="best", labelcolor=LIGHT.ink)
    return ax
