"""Corrections on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.corrections import Key, LinePicture
from adjudge.plots.mpl.frames import frame
from adjudge.plots.style import LIGHT

_DASHED: dict[str, Any] = {"color": LIGHT.axis, "linewidth": 1, "zorder": 1.5}
_DOT, _HEADROOM = 1, 1.02


def draw_line(found: LinePicture, ax: Axes, **style: Any) -> Axes:
    """Draw a line, its band and what it is read against; the keys are the legend."""
    looks: dict[str, Any] = {"color": LIGHT.lines[0], "linewidth": 1.8} | style
    (line,) = ax.plot(found.x, found.y, **looks)
    looks = {"color": line.get_color(), "alpha": 0.13, "linewidth": 0}
    signs: dict[str, Any] = {"line": line}
    if found.band is not None:
        signs["band"] = ax.fill_between(*found.band, **looks)
    signs |= {key.sign: _drawn(key, ax) for key in found.keys if key.sign not in signs}
    _frame(found, ax)
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, _HEADROOM), "borderaxespad": 0}
    handles, words = [signs[key.sign] for key in found.keys], [key.words for key in found.keys]
    legend = ax.legend(handles, words, frameon=False, labelcolor=LIGHT.ink, **place)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax


def _drawn(key: Key, ax: Axes) -> Any:
    """Draw a dot or a line of reference, and return it."""
    if key.sign == "dot":
        dot: dict[str, Any] = {"color": LIGHT.lines[_DOT], "marker": "o", "linestyle": "", "zorder": 3, "clip_on": False}
        return ax.plot([key.x], [key.y], **dot)[0]
    if key.sign == "upright":
        return ax.axvline(key.x, linestyle=(0, (1, 2)), **_DASHED)
    return ax.axhline(key.y, linestyle=(0, (5, 3)), **_DASHED)


def _frame(found: LinePicture, ax: Axes) -> None:
    if found.logarithmic:
        ax.set_xscale("log")
        ax.minorticks_off()
    frame(found, ax, found.ends, (found.up.start, found.up.stop))
