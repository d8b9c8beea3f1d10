"""Heat maps: one number a cell, coloured by how far it lies from what was promised.

Orange is too little coverage or too many false claims, purple the reverse, white what was promised: colours that colour-blind
readers tell apart, and every cell has its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure as Canvas

from atlas.truth import Array

_COLOURS = ("#b35806", "#e08214", "#fdb863", "#fee8c8", "#f7f7f7", "#d8daeb", "#9e9ac8")
"""From ColorBrewer's PuOr, the neutral class in the middle of what was promised."""
_LEFT, _BELOW = 2.35, 1.1
"""Inches for the names of rows, and for the legend."""
_MANY = 12
"""Columns of all panels, above which they are narrower: a page is 1200 pixels wide."""
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "adjudge", "font.family": "DejaVu Sans", "font.size": 10.0}


@dataclass(frozen=True, slots=True)
class Scale:
    """Classes of values with their colours, and what they are called below the picture."""

    bounds: tuple[float, ...]
    colours: tuple[str, ...]
    label: str


COVERAGE = Scale((0, 0.80, 0.86, 0.90, 0.93, 0.97, 0.985, 1.0), _COLOURS, "coverage of 95% intervals, in percent of samples")


def level_scale(nominal: float, label: str) -> Scale:
    """Return the classes around a nominal level: at most that is promised."""
    bounds = (0, 0.2 * nominal, 0.6 * nominal, 1.3 * nominal, 2 * nominal, 3 * nominal, 6 * nominal, 1.0)
    return Scale(bounds, tuple(reversed(_COLOURS)), label)


@dataclass(frozen=True, slots=True)
class Panel:
    """One matrix of shares with its heading; NaN where there is no answer."""

    title: str
    values: Array


@dataclass(frozen=True, slots=True)
class Axis:
    """The names of rows or columns, and where groups of them begin."""

    names: Sequence[str]
    label: str = ""
    groups: Sequence[tuple[str, int]] = ()
    """Headings of groups of rows, each with the number of its rows."""


def draw(path: Path, title: str, panels: Sequence[Panel], rows: Axis, columns: Axis, scale: Scale) -> None:
    """Draw panels of the same rows and columns beside each other."""
    lines = 1 + max(name.count("\n") for name in columns.names)
    each = 0.62 if len(panels) * len(columns.names) <= _MANY else 0.5
    tall, wide, below = 0.34 * len(rows.names), max(each * len(columns.names), 1.65), _BELOW + 0.18 * lines
    left = max(
        _LEFT,
        (24 - _beside(rows) + 6.5 * max((len(line) for name, _ in rows.groups for line in name.split("\n")), default=0)) / 72,
    )
    width, height = left + len(panels) * (wide + 0.35), tall + below + 0.85
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=(width, height))
        for i, panel in enumerate(panels):
            x = (left + i * (wide + 0.35)) / width
            axes = canvas.add_axes((x, below / height, wide / width, tall / height))
            _panel(axes, panel, columns, scale)
            axes.set_yticks(range(len(rows.names)), rows.names if i == 0 else [""] * len(rows.names))
            _groups(axes, rows, labelled=i == 0)
        canvas.text(0.15 / width, 1 - 0.25 / height, title, fontsize=13, fontweight="bold", va="center")
        middle = (left + width - 0.35) / 2 / width
        canvas.text(middle, (_BELOW - 0.2) / height, columns.label, ha="center", va="center")
        _legend(canvas, scale, left, width, height)
        canvas.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    _tidy(path)


def _beside(rows: Axis) -> float:
    """Return where the headings of groups end, in points from the panel: left of the longest name."""
    return min(-78.0, -18 - 5.6 * max(len(name) for name in rows.names))


def _panel(axes: Axes, panel: Panel, columns: Axis, scale: Scale) -> None:
    colours = ListedColormap(scale.colours)
    colours.set_bad("#ffffff")
    grid = np.arange(panel.values.shape[1] + 1) - 0.5, np.arange(panel.values.shape[0] + 1) - 0.5
    norm = BoundaryNorm(scale.bounds, len(scale.colours))
    axes.pcolormesh(*grid, np.ma.masked_invalid(panel.values), cmap=colours, norm=norm, edgecolors="#ffffff", linewidth=1)
    axes.set_xlim(grid[0][0], grid[0][-1])
    axes.set_ylim(grid[1][-1], grid[1][0])
    for (i, j), value in np.ndenumerate(panel.values):
        dark = np.isfinite(value) and scale.colours[min(int(norm(value)), len(scale.colours) - 1)] in _COLOURS[:1]
        axes.text(j, i, _percent(value), ha="center", va="center", color="#ffffff" if dark else "#1a1a1a", fontsize=9.5)
    axes.set_xticks(range(len(columns.names)), columns.names)
    axes.set_title(panel.title, fontsize=11, fontweight="bold", pad=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _percent(value: float) -> str:
    if not np.isfinite(value):
        return "–"  # noqa: RUF001 - a dash in a picture
    return f"{100 * value:.0f}"


def _groups(axes: Axes, rows: Axis, *, labelled: bool) -> None:
    """Separate groups of rows, and name them at the left of the first panel."""
    at = 0
    for name, size in rows.groups:
        if at:
            axes.axhline(at - 0.5, color="#1a1a1a", linewidth=0.8)
        if labelled:
            axes.annotate(
                name,
                (0, 1 - (at + size / 2) / len(rows.names)),
                (_beside(rows), 0),
                xycoords="axes fraction",
                textcoords="offset points",
                ha="right",
                va="center",
                fontweight="bold",
            )
        at += size
    if labelled and rows.label:
        axes.annotate(
            rows.label,
            (0, 1),
            (-6, 9),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            color="#444444",
            fontsize=9,
        )


def _legend(canvas: Canvas, scale: Scale, left: float, width: float, height: float) -> None:
    """Draw the classes of colours with their bounds."""
    k = len(scale.colours)
    axes = canvas.add_axes((left / width, 0.28 / height, min(4.6, width - left - 0.4) / width, 0.16 / height))
    axes.pcolormesh(np.arange(k + 1), [0, 1], np.arange(k)[None], cmap=ListedColormap(scale.colours), edgecolors="#999999")
    axes.set_xticks(range(k + 1), [f"{100 * each:.3g}" for each in scale.bounds], fontsize=8.5)
    axes.set_yticks([])
    axes.tick_params(length=0, pad=2)
    axes.set_title(scale.label, fontsize=9, loc="left", pad=3)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _tidy(path: Path) -> None:
    """Leave the choice of a font to the reader, and strip what says nothing: a third of the size."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL).replace("'DejaVu Sans'", "sans-serif")
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r' id="(?:text|line2d|patch|xtick|ytick|matplotlib\.axis|axes)_\d+"', "", text)
    path.write_text("\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n", encoding="utf-8")
