"""Plans on axes; units across and down are the page's."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from adjudge.plots.densities import WIDTH
from adjudge.plots.mpl.frames import ALIGNED, INCH, UNIT, letters
from adjudge.plots.plans import Box, PlanPicture
from adjudge.plots.style import LIGHT

_KINDS = {"learnt": (LIGHT.lines[0], 0.4), "partly": (LIGHT.lines[1], 0.4), "judged": (LIGHT.lines[1], 1.0)}


def size_of(found: PlanPicture) -> tuple[float, float]:
    """Return the inches of a figure in which the letters have their size."""
    return 6.4, (found.height + 24) * UNIT * 1.25 / INCH


def draw_plan(found: PlanPicture, ax: Axes, **style: Any) -> Axes:
    """Draw which rows each unit learns from, thin, and which it is judged on, full."""
    size = letters(found.height, ax)
    ax.set_xlim(0, WIDTH)
    ax.set_ylim(found.height, 0)
    ax.set_axis_off()
    for kind, (colour, alpha) in _KINDS.items():
        corners = [_corners(box) for box in (*found.boxes, *found.keys) if box.kind == kind]
        looks: dict[str, Any] = {"facecolors": colour, "alpha": alpha, "linewidths": 0} | style
        ax.add_collection(PolyCollection(corners, **looks), autolim=False)
    for label in found.labels:
        place: dict[str, Any] = {"ha": ALIGNED[label.anchor], "va": "baseline"}
        ax.text(label.x, label.y, label.words, size=size, color=LIGHT.ink if label.kind == "key" else LIGHT.muted, **place)
    ax.set_title(found.title, loc="left", size=size + 1, color=LIGHT.ink, parse_math=False)
    return ax


def _corners(box: Box) -> list[tuple[float, float]]:
    top, foot = box.down - box.tall / 2, box.down + box.tall / 2
    return [(box.left, top), (box.right, top), (box.right, foot), (box.left, foot)]
