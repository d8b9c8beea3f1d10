"""Errors over the rounds of ensembles on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.mpl.frames import frame
from adjudge.plots.rounds import RoundsPicture
from adjudge.plots.style import LIGHT

_HEADROOM = 1.02


def draw_rounds(found: RoundsPicture, ax: Axes, **style: Any) -> Axes:
    """Draw errors over the rounds: training broken, new cases whole and in their band; the keys are the legend."""
    handles: list[Any] = []
    for line in found.lines:
        looks: dict[str, Any] = {"color": LIGHT.lines[line.colour], "linewidth": 1.8, "linestyle": "--" if line.learnt else "-"}
        if line.y.size == 1:
            looks |= {"marker": "o"}
        handles += ax.plot(line.x, line.y, label=line.words, clip_on=False, **looks | style)
        if line.band is not None:
            ax.fill_between(line.x, *line.band, color=handles[-1].get_color(), alpha=0.1, linewidth=0)
    single = ax.axhline(found.single, color=LIGHT.axis, linewidth=1.2, linestyle=(0, (1, 2)), zorder=1.5)
    single.set_label(found.single_words)
    frame(found, ax, (found.across.start, found.across.stop), (found.up.start, found.up.stop))
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, _HEADROOM), "borderaxespad": 0}
    legend = ax.legend(handles=[*handles, single], frameon=False, labelcolor=LIGHT.ink, **place)
    legend.set_title("; ".join(part for part in (found.title, found.band_words and f"bands: {found.band_words}") if part))
    legend.get_title().set_parse_math(False)
    legend.get_title().set_color(LIGHT.muted)
    legend.set_alignment("left")
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax
