"""Curves on axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from adjudge.plots.geometry import CurveSet, Line, ticks
from adjudge.plots.labels import named
from adjudge.plots.style import LIGHT

_LONGEST_NAME = 30
_LARGEST_DOT = 400.0  # square points, for a dot that stands for every case


def draw_curves(curves: CurveSet, ax: Axes, **style: Any) -> Axes:
    """Draw curves with the lines they are read against, and what each says in the legend."""
    if curves.diagonal:
        ax.plot([0, 1], [0, 1], color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1)
    if curves.level is not None:
        ax.axhline(curves.level, color=LIGHT.axis, linestyle=(0, (3, 4)), linewidth=1)
    for line in curves.lines:
        _draw(curves, line, ax, style)
    _frame(curves, ax)
    ax.legend(frameon=False, loc="best", labelcolor=LIGHT.ink)
    for text in ax.get_legend().get_texts():  # type: ignore[union-attr]
        text.set_parse_math(False)
    return ax


def _draw(curves: CurveSet, line: Line, ax: Axes, style: dict[str, Any]) -> None:
    colour = LIGHT.context if line.colour is None else LIGHT.lines[line.colour]
    words = curves.words(line) if line.label is None else f"{curves.words(line)}: {named([line.label], _LONGEST_NAME)[0]}"
    looks: dict[str, Any] = {"color": colour, "linewidth": 1.8, "label": words} | style
    (drawn,) = ax.plot(line.x, line.y, **looks)
    if line.size is not None:
        ax.scatter(line.x, line.y, s=12 + _LARGEST_DOT * line.size, color=drawn.get_color(), zorder=3)


def _frame(curves: CurveSet, ax: Axes) -> None:
    x_ticks, y_ticks = ticks(0, 1), ticks(0, curves.top)
    ax.set_xticks(x_ticks, [f"{100 * v:g}%" for v in x_ticks])
    ax.set_yticks(y_ticks, [f"{100 * v:g}%" for v in y_ticks])
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01 * curves.top, 1.01 * curves.top)
    ax.grid(color=LIGHT.rule, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT.axis)
    ax.tick_params(colors=LIGHT.muted, length=0)
    ax.set_xlabel(curves.x_name, color=LIGHT.muted)
    ax.set_ylabel(curves.y_name, color=LIGHT.muted)
