"""Partition spaces on axes; units across and down are the page's, so that everything keeps its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patheffects import withStroke

from adjudge._base.arrays import FloatArray
from adjudge.plots.choices import CORNERLESS
from adjudge.plots.densities import Label
from adjudge.plots.mpl.frames import ALIGNED, INCH, UNIT
from adjudge.plots.panels import HALF, HINT, Frame, Key, Sheet, cell_size, laid_out
from adjudge.plots.partitions import Bars, Cells, Marks, Panel, PartitionPicture
from adjudge.plots.shapes import INNER, WRONG, bar_boxes, distinct, shape, strokes, towards
from adjudge.plots.style import CELLS, LIGHT, mixed

_SIZE = {"head": 9.5, "key": 9.2, "aside": 8.8}
_STROKES: dict[str, dict[str, Any]] = {
    "rim": {"colors": LIGHT.axis, "linewidths": 1.0, "zorder": 1},
    "border": {"colors": LIGHT.muted, "linewidths": 0.8, "zorder": 1},
    "second": {"colors": LIGHT.axis, "linewidths": 0.7, "linestyles": [(0, (4, 4))], "zorder": 1},
}
_WIDTHS = {"linewidth", "linewidths", "lw"}
_KEY = 5.2


def size_of(found: PartitionPicture) -> tuple[float, float]:
    """Return the inches of a figure in which the letters have their size."""
    sheet = laid_out(found, fixed=True)
    return sheet.width * UNIT / INCH, _foot(sheet) * UNIT / INCH


def draw_partitions(found: PartitionPicture, ax: Axes, **style: Any) -> Axes:
    """Draw spaces side by side, with the keys to them below."""
    sheet = laid_out(found, fixed=True)
    unit = _axes(ax, sheet)
    there = len(ax.collections)
    for panel, frame, words in zip(found.panels, sheet.frames, sheet.corner_labels, strict=True):
        _panel(found, panel, frame, sheet, ax, style)
        for label in words:
            _write(ax, label, unit, halo=True)
    for label in sheet.labels:
        if label.words != HINT:
            _write(ax, label, unit)
    for key in sheet.keys:
        _key(ax, key, unit)
    for drawn in ax.collections[there:]:  # on small axes thin lines, unless others are asked for
        if unit < 1 and not _WIDTHS & style.keys():
            drawn.set_linewidth((unit * np.atleast_1d(drawn.get_linewidth())).tolist())
    return ax


def _foot(sheet: Sheet) -> float:
    return max([label.y for label in sheet.labels if label.words != HINT] + [key.y for key in sheet.keys]) + 10


def _axes(ax: Axes, sheet: Sheet) -> float:
    """Make the axes a sheet, and return how many points a unit has there, beside where there is room."""
    foot = _foot(sheet)
    ax.set_xlim(0, sheet.width)
    ax.set_ylim(foot, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return min(box.width / sheet.width, box.height / foot) * INCH / UNIT


def _write(ax: Axes, label: Label, unit: float, *, halo: bool = False) -> None:
    looks: dict[str, Any] = {"color": LIGHT.muted if label.kind == "aside" else LIGHT.ink}
    looks |= {"weight": "bold"} if label.kind == "head" else {}
    looks |= {"path_effects": [withStroke(linewidth=2.5, foreground=ax.get_facecolor())]} if halo else {}
    place: dict[str, Any] = {"ha": ALIGNED[label.anchor], "va": "baseline", "zorder": 4}
    ax.text(label.x, label.y, label.words, size=_SIZE[label.kind] * min(1.0, unit), parse_math=False, **place, **looks)


def _panel(found: PartitionPicture, panel: Panel, frame: Frame, sheet: Sheet, ax: Axes, style: dict[str, Any]) -> None:
    for kind, lines in strokes(found.classes):
        if lines.size:
            looks = _STROKES[kind] | ({"alpha": 0.6} if found.turns and kind != "rim" else {})
            ax.add_collection(LineCollection(list(frame.at(lines)[0]), **looks), autolim=False)
    if isinstance(panel.found, Marks):
        _marks(found, panel.found, frame, sheet, ax, style)
    elif isinstance(panel.found, Cells):
        _cells(panel.found, frame, sheet, found.most, ax, style)
    else:
        _bars(panel.found, frame, found.most, ax, style)


def _colour(kind: int) -> str:
    return LIGHT.undecided if kind == CORNERLESS else LIGHT.lines[kind]


def _layers(truth: int, assigned: int, radius: float) -> list[tuple[FloatArray, str]]:
    """Return the shapes of a mark and their colours, the lowest first; up is down on this sheet."""
    down = (1, -1)
    if truth == assigned:
        return [(shape(assigned, radius) * down, _colour(assigned))]
    ring, inside = shape(assigned, WRONG * radius) * down, shape(truth, INNER * radius) * down
    return [(ring, _colour(assigned)), (inside, _colour(truth))]


def _marks(found: PartitionPicture, marks: Marks, frame: Frame, sheet: Sheet, ax: Axes, style: dict[str, Any]) -> None:
    if found.lines is not None:
        for kind, ends in towards(marks, found.lines, found.classes):
            lines = LineCollection(list(frame.at(ends)[0]), colors=_colour(kind), linewidths=0.6, alpha=0.55, zorder=1.5)
            ax.add_collection(lines, autolim=False)
    at, away = frame.at(marks.at)
    shapes: list[FloatArray] = []
    colours: list[str] = []
    for i in distinct(marks, at, away).tolist():
        for around, colour in _layers(int(marks.truth[i]), int(marks.assigned[i]), sheet.radius):
            shapes.append(around + at[i])
            colours.append(colour)
    _fill(ax, shapes, style, facecolors=colours, edgecolors=ax.get_facecolor(), linewidths=0.45)


def _fill(ax: Axes, shapes: list[FloatArray], style: dict[str, Any], **looks: Any) -> None:
    looks = {"zorder": 3, "clip_on": False} | looks | style
    ax.add_collection(PolyCollection(shapes, **looks), autolim=False)


def _cells(cells: Cells, frame: Frame, sheet: Sheet, most: int, ax: Axes, style: dict[str, Any]) -> None:
    at, away = frame.at(cells.at)
    order = np.argsort(-np.round(away, 9), kind="stable").tolist()
    sizes = sheet.radius * cell_size(cells.cases.astype(np.float64), most)
    shapes = [shape(int(cells.truth[i]), float(sizes[i])) * (1, -1) + at[i] for i in order]
    kinds = [(int(cells.truth[i]), int(cells.level[i])) for i in order]
    shades = [mixed(LIGHT.paper, _colour(kind), CELLS[level]) for kind, level in kinds]
    _fill(ax, shapes, style, facecolors=shades, edgecolors=[_colour(kind) for kind, _ in kinds], linewidths=0.6)


def _bars(bars: Bars, frame: Frame, most: int, ax: Axes, style: dict[str, Any]) -> None:
    boxes = bar_boxes(bars, most)
    colours = [_colour(kind) for kind, _ in boxes]
    _fill(ax, [frame.at(box)[0] for _, box in boxes], style, facecolors=colours, linewidths=0, zorder=0.5)


def _key(ax: Axes, key: Key, unit: float) -> None:
    """Draw a sign and its words."""
    at = np.array([key.x, key.y - 4])
    if key.sign == "mark":
        truth, assigned = (int(n) for n in key.numbers)
        layers = _layers(truth, assigned, _KEY)
        colours = [colour for _, colour in layers]
        _fill(ax, [around + at for around, _ in layers], {}, facecolors=colours, edgecolors=ax.get_facecolor(), linewidths=0.45)
    elif key.sign == "shade":
        shade = mixed(LIGHT.paper, LIGHT.lines[0], CELLS[int(key.numbers[0])])
        _fill(ax, [shape(0, _KEY) + at], {}, facecolors=shade, edgecolors=LIGHT.lines[0], linewidths=0.6)
    elif key.sign == "cell":
        _fill(ax, [shape(0, key.half) + at], {}, facecolors=LIGHT.undecided, linewidths=0)
    else:
        looks = _STROKES.get(key.sign) or {"colors": LIGHT.lines[0], "linewidths": 0.6, "alpha": 0.55}
        ax.add_collection(LineCollection([np.add(at, [(-key.half, 0), (key.half, 0)])], **looks), autolim=False)
    _write(ax, Label(key.x + max(key.half, HALF) + 4, key.y, key.words, "start", "key"), unit)
