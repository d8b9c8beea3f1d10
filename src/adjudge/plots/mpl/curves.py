"""Curves on axes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from adjudge._base.text import counted
from adjudge.plots.geometry import CurveSet, Line, ticks
from adjudge.plots.labels import named
from adjudge.plots.style import LIGHT

_LONGEST_NAME = 30
_LARGEST_DOT = 400.0  # square points, for a dot that stands for every case
_OTHERS = "others"  # the mark of curves that share a line of the legend
_UNNAMED = "_nolegend_"  # what matplotlib leaves out of legends
_GAP, _LEAST = 0.04, 0.3  # shares of the height: between legend and dots, and what is left to the dots


def draw_curves(curves: CurveSet, ax: Axes, **style: Any) -> Axes:
    """Draw curves with the lines they are read against, and what each says in the legend."""
    if curves.diagonal:
        ax.plot([0, curves.right], [0, curves.right], color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1)
    if curves.level is not None:
        ax.axhline(curves.level, color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1)
    if curves.banded is not None:
        _band(curves, curves.banded, ax, style)
    for line in curves.lines:
        _draw(curves, line, ax, style)
    _frame(curves, ax)
    _legend(curves, ax)
    return ax


def _legend(curves: CurveSet, ax: Axes) -> None:
    """Explain the curves in a free corner; dots and their limits may leave none, and then get room above them."""
    found = _explained(ax, "best")
    if curves.name == "reliability" and _hides(found, ax):
        found = _explained(ax, "upper left", columns=2)
        if found.get_window_extent().width > ax.get_window_extent().width:
            found = _explained(ax, "upper left")
        high = found.get_window_extent().height / ax.get_window_extent().height
        ax.set_ylim(top=ax.get_ylim()[0] + (curves.top - ax.get_ylim()[0]) * 1.04 / max(1 - high - _GAP, _LEAST))


def _explained(ax: Axes, place: Literal["best", "upper left"], columns: int = 1) -> Legend:
    """Return the legend, what stands for several curves last and all keys in full colour."""
    handles, words = ax.get_legend_handles_labels()
    order = sorted(range(len(words)), key=lambda i: handles[i].get_gid() == _OTHERS)
    keys, told = [handles[i] for i in order], [words[i] for i in order]
    found: Legend = ax.legend(keys, told, frameon=False, loc=place, labelcolor=LIGHT.ink, ncols=columns)
    for text, key in zip(found.get_texts(), found.legend_handles, strict=True):
        text.set_parse_math(False)
        if isinstance(key, Line2D):
            key.set_alpha(1)
    return found


def _hides(legend: Legend, ax: Axes) -> bool:
    """Say whether a legend stands on a curve or on the limits of a dot; that it stands on the diagonal does no harm."""
    box = legend.get_window_extent()
    lines = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_child")]
    return any(line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False) for line in lines)


def _draw(curves: CurveSet, line: Line, ax: Axes, style: dict[str, Any]) -> None:
    colour = LIGHT.context if line.colour is None else LIGHT.lines[line.colour]
    looks: dict[str, Any] = {"color": colour, "linewidth": 1.8, "label": _words(curves, line)} | style
    if line.colour is None:
        looks |= {"color": colour, "linewidth": 1.0, "zorder": 1.5, "gid": _OTHERS}
    (drawn,) = ax.plot(line.x, line.y, **looks)
    if line.size is not None:  # dots stand for themselves, the line only leads the eye
        drawn.set(alpha=0.35, linewidth=1.0)
    if line.size is not None:
        ax.scatter(
            line.x, line.y, s=12 + _LARGEST_DOT * line.size, color=drawn.get_color(), zorder=1.6 if line.colour is None else 3
        )


def _words(curves: CurveSet, line: Line) -> str:
    """Return what the legend says of a curve; those behind the named ones share a line of it."""
    if line.colour is None:
        others = [other for other in curves.lines if other.colour is None]
        return counted(len(others), "other") if line is others[0] else _UNNAMED
    return curves.words(line) if line.label is None else f"{curves.words(line)}: {named([line.label], _LONGEST_NAME)[0]}"


def _band(curves: CurveSet, line: Line, ax: Axes, style: dict[str, Any]) -> None:
    """Draw the region that holds the curve, or the limits of each dot."""
    assert line.band is not None
    low, high = line.band
    colour = style.get("color", LIGHT.lines[line.colour or 0])
    if line.size is None:
        corners = np.vstack([low, high[::-1]])
        ax.fill(corners[:, 0], corners[:, 1], color=colour, alpha=0.15, linewidth=0, label=curves.note)
    else:
        gap = np.full_like(low, np.nan)  # one line with gaps, which a legend looking for room sees as it does curves
        x, y = np.stack([low, high, gap], axis=1).reshape(-1, 2).T
        ax.plot(x, y, color=LIGHT.ink, linewidth=1.0, label=curves.note, zorder=2.5)


def _frame(curves: CurveSet, ax: Axes) -> None:
    x_ticks, y_ticks = ticks(0, curves.right), ticks(0, curves.top)
    ax.set_xticks(x_ticks, [f"{100 * v:g}%" for v in x_ticks])
    ax.set_yticks(y_ticks, [f"{100 * v:g}%" for v in y_ticks])
    ax.set_xlim(-0.01 * curves.right, 1.01 * curves.right)
    ax.set_ylim(-0.01 * curves.top, 1.01 * curves.top)
    ax.grid(color=LIGHT.rule, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(curves.x_name, color=LIGHT.muted)
    ax.set_ylabel(curves.y_name, color=LIGHT.muted)
