"""A drawing on axes of matplotlib, with the looks that a page has, whatever the user's settings.

Values keep the coordinates of the panel. All else lies in units of the page; on smaller axes letters are smaller.
"""

from __future__ import annotations

from itertools import count
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import style as mpl_style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Affine2D, Transform

from adjudge._base.arrays import FloatArray
from adjudge.plots import drawing as items
from adjudge.plots.drawing import SHAPES, STROKED, Drawing
from adjudge.plots.style import LIGHT, LOOKS, Look, cell_colour, text_on

UNIT, INCH = 0.75, 72.0  # points of a unit of the page where there is room, and of an inch
_LETTERS = 12.0  # units of letters that have no other size
_HEAD, _LINE, _MARGIN = 26.0, 17.0, 6.0  # units above a drawing for its heading, for each further line, and around it
_LETTER = 8.2  # units of a letter of the heading
_BOLD = 600  # the weight from which on letters are bold
_ALIGNED = {"start": "left", "middle": "center", "end": "right"}
_LOOK: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib, so that a picture is the same everywhere
    "axes.facecolor": LIGHT.paper,
    "figure.facecolor": LIGHT.paper,
    "lines.solid_capstyle": "butt",
    "lines.scale_dashes": False,
}


def draw(drawing: Drawing, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw on axes, on those of a new figure of the drawing's size where none are given; `style` reaches its data."""
    # the user's settings are back afterwards; only the resolution stays theirs
    with mpl_style.context(["default", _LOOK | {"figure.dpi": mpl.rcParams["figure.dpi"]}]):
        if ax is None:  # a figure on which the drawing has its place and all its words theirs
            from matplotlib import pyplot as plt

            heading, (left, top, right, bottom) = _heading(drawing), drawing.frame
            above = _HEAD + _LINE * heading.count("\n") if heading else 0.0
            width, height = drawing.width + 2 * _MARGIN, drawing.height + above + 2 * _MARGIN
            corner = (left + _MARGIN) / width, 1 - (bottom + above + _MARGIN) / height
            figure = plt.figure(figsize=(width * UNIT / INCH, height * UNIT / INCH))
            ax = figure.add_axes((*corner, (right - left) / width, (bottom - top) / height))
        return _Sheet(drawing, ax, style).drawn()


def _heading(drawing: Drawing) -> str:
    """Return the heading in lines that fit the page."""
    return "\n".join(wrap(drawing.heading, int((drawing.width - drawing.frame[0]) / _LETTER)))


def look_of(style: str) -> Look:
    """Return how an item looks that has one style or several."""
    names = style.split()
    unknown = [name for name in names if name not in LOOKS and cell_colour(LIGHT, name) is None]
    if unknown:
        msg = f"There is no look for {', '.join(unknown)}. Add it to adjudge.plots.style.LOOKS."
        raise KeyError(msg)
    combined = {key: value for name, look in LOOKS.items() if name in names for key, value in look.items()}
    shade = next((colour for name in names if (colour := cell_colour(LIGHT, name))), None)
    return combined if shade is None else combined | {"fill": shade}


def _colour(name: Any) -> str:
    if name == "none" or str(name).startswith("#"):
        return str(name)
    return LIGHT.lines[int(name[4:])] if name.startswith("line") else str(getattr(LIGHT, name))


def _keyed(label: str) -> str:
    """Return a label for a legend, which would read mathematics and leave out what begins with an underscore; "_" for none."""
    words = label.replace("$", r"\$") or "_"
    return f" {words}" if words.startswith("_") and label else words


class _Sheet:
    """Axes on which one drawing is made."""

    def __init__(self, drawing: Drawing, ax: Axes, style: dict[str, Any]) -> None:
        self.drawing, self.ax, self.style = drawing, ax, style
        left, top, right, bottom = drawing.frame
        size = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        room = min(size.width / (right - left), size.height / (bottom - top)) * INCH
        self.unit = min(UNIT, room)  # points of a unit; less than usual on small axes
        flat = Affine2D().translate(-left, -bottom).scale(1 / (right - left), -1 / (bottom - top))
        self.page: Transform = flat + ax.transAxes
        self.order = (2 + i / 1000 for i in count())

    def drawn(self) -> Axes:
        """Draw it all, in order."""
        drawing, ax = self.drawing, self.ax
        self._axes()
        for item in items.every_item((*(drawing.panel.rules if drawing.panel else ()), *drawing.items)):
            self._draw(item)
        if heading := _heading(drawing):
            _, top, _, bottom = drawing.frame
            look: dict[str, Any] = {"size": 13 * self.unit, "color": LIGHT.ink, "parse_math": False}
            ax.set_title(heading, loc="left", y=(bottom + 4) / (bottom - top), pad=0, **look)
        return ax

    def _axes(self) -> None:
        """Set limits, ticks and names; lines are drawn with everything else."""
        ax, panel = self.ax, self.drawing.panel
        ax.spines[:].set_visible(False)
        ax.set_autoscale_on(False)
        if panel is None:
            ax.set_axis_off()
            ax.set_aspect("equal")
            ax.set_xlim(0, self.drawing.width)
            ax.set_ylim(self.drawing.height, 0)
            return
        ax.tick_params(colors=LIGHT.muted, length=0, pad=5 * self.unit)
        if panel.x.log:
            ax.set_xscale("log")
            ax.minorticks_off()
        left, _, right, _ = self.drawing.frame
        start, stop = panel.x.start, panel.x.stop
        if (left, right) != (panel.left, panel.right):  # names and words lie within the axes, beside the panel
            value = (stop - start) / (panel.right - panel.left)
            start, stop = start + (left - panel.left) * value, stop + (right - panel.right) * value
        ax.set_xlim(start, stop)
        self._ticks(panel.x, "x")
        if panel.y is None:
            ax.set_ylim(panel.bottom - panel.top, 0)
            ax.set_yticks([])
        else:
            ax.set_ylim(panel.y.start, panel.y.stop)
            self._ticks(panel.y, "y")
        if panel.x.top:
            ax.xaxis.tick_top()
            ax.xaxis.set_label_position("top")
        ax.xaxis.label.set_x((panel.left + panel.right - 2 * left) / 2 / (right - left))

    def _ticks(self, axis: items.Axis, which: str) -> None:
        place, name = getattr(self.ax, f"set_{which}ticks"), getattr(self.ax, f"set_{which}label")
        turned = {"rotation": -axis.turn, "ha": "left", "rotation_mode": "anchor"} if axis.turn else {}
        words: dict[str, Any] = {"size": _LETTERS * self.unit, "parse_math": False}
        place([value for value, _ in axis.ticks], [told for _, told in axis.ticks], **words, **turned)
        name(axis.name, size=12.5 * self.unit, color=LIGHT.muted, parse_math=False)

    def _draw(self, item: items.Item) -> None:
        order = next(self.order)
        match item:
            case items.Text():
                self._write(item, order)
            case items.Line():
                self._plot(item.points, item, order, **self._stroke(look_of(item.style)))
            case items.Marks():
                self._plot(item.points, item, order, linestyle="none", **self._marker(item))
            case items.Area():
                looks = self._filled(look_of(item.style))
                looks |= {"color": self.style["color"]} if item.styled and "color" in self.style else {}
                where = self.page if item.page else self.ax.transData
                area = PolyCollection(item.parts, transform=where, zorder=order, clip_on=False, **looks)
                area.set_label(_keyed(item.label))
                self.ax.add_collection(area, autolim=False)
            case items.Strokes():
                look = self._stroke(look_of(item.style))
                lines = LineCollection(list(item.ends), transform=self.page, zorder=order, clip_on=False, **look)
                self.ax.add_collection(lines, autolim=False)
            case items.Copies():
                self._copy(item, order)
            case items.Cells():
                self._cells(item, order)
            case items.Group():
                pass  # its items are drawn one by one

    def _plot(self, at: FloatArray, item: items.Line | items.Marks, order: float, **looks: Any) -> None:
        looks |= {"label": _keyed(item.label), "zorder": order, "clip_on": False} | (self.style if item.styled else {})
        looks |= {"transform": self.page} if item.page else {}
        self.ax.add_line(Line2D(at[:, 0], at[:, 1], **looks)) if item.page else self.ax.plot(at[:, 0], at[:, 1], **looks)

    def _stroke(self, look: Look) -> dict[str, Any]:
        wide = float(look.get("stroke-width", 1)) * self.unit
        dash = [float(part) * self.unit for part in str(look.get("stroke-dasharray", "")).split()]
        line = (0, tuple(dash)) if dash else "-"
        alpha = look.get("stroke-opacity", 1)
        return {"color": _colour(look.get("stroke", "ink")), "linewidth": wide, "linestyle": line, "alpha": alpha}

    def _filled(self, look: Look) -> dict[str, Any]:
        """Return how a shape is filled, and its edge."""
        fill, edge = _colour(look.get("fill", "ink")), _colour(look.get("stroke", "none"))
        inside = "none" if fill == "none" else to_rgba(fill, float(look.get("fill-opacity", 1)))
        wide = 0.0 if edge == "none" else float(look.get("stroke-width", 1)) * self.unit
        return {"facecolor": inside, "edgecolor": edge, "linewidth": wide}

    def _marker(self, marks: items.Marks) -> dict[str, Any]:
        look = look_of(marks.style)
        reach = float(np.abs(SHAPES[marks.shape]).max()) if marks.shape != "disc" else 1.0
        size = {"markersize": 2 * reach * marks.size * self.unit}
        if marks.shape in STROKED:
            stroke = self._stroke(look)
            wide = {"color": stroke["color"], "markeredgewidth": stroke["linewidth"]}
            return size | wide | {"marker": {"tick": "|", "cross": "x"}[marks.shape]}
        drawn = self._filled(look)
        around = SHAPES[marks.shape] * (1, -1)
        kind: Any = "o" if marks.shape == "disc" else Path(np.concatenate([around, around[:1]]), closed=True)
        colour = drawn["edgecolor"] if drawn["facecolor"] == "none" else drawn["facecolor"]
        inside = drawn["facecolor"] if look.get("fill") in ("none", "paper") else colour
        looks = size | {"marker": kind, "color": colour, "markeredgewidth": drawn["linewidth"]}
        looks |= {"markeredgecolor": drawn["edgecolor"]} if drawn["edgecolor"] != "none" else {}
        return looks | ({"markerfacecolor": inside} if inside is not colour else {})

    def _write(self, text: items.Text, order: float, **more: Any) -> None:
        look = look_of(text.style)
        if look.get("display") == "none":
            return
        looks: dict[str, Any] = {"size": float(look.get("font-size", _LETTERS)) * self.unit}
        looks |= {"color": _colour(look.get("fill", "ink"))} | more
        looks |= {"weight": "bold"} if float(look.get("font-weight", 0)) > _BOLD else {}
        if "stroke" in look and look["stroke"] != "none":
            wide = float(look["stroke-width"]) * self.unit
            looks |= {"path_effects": [withStroke(linewidth=wide, foreground=_colour(look["stroke"]))]}
        place: dict[str, Any] = {"ha": _ALIGNED[text.anchor], "va": "baseline", "rotation": -text.turn}
        place |= {"rotation_mode": "anchor", "transform": self.page, "zorder": order, "parse_math": False}
        self.ax.text(text.x, text.y, text.words, **place, **looks)

    def _copy(self, copies: items.Copies, order: float) -> None:
        """Draw copies of symbols, each of its shapes on top of each other."""
        looks = {style: self._filled(look_of(style)) for _, layers in self.drawing.symbols for *_, style in layers}
        symbols, placed = dict(self.drawing.symbols), zip(copies.symbols, copies.points, strict=True)
        every = ((at, layer) for name, at in placed for layer in symbols[name])
        shapes = [(SHAPES[shape] * size + at, looks[style]) for at, (shape, size, style) in every]
        each = {f"{name}s": [look[name] for _, look in shapes] for name in ("facecolor", "edgecolor", "linewidth")}
        given: dict[str, Any] = {"zorder": order, "clip_on": False, "transform": self.page} | each | self.style
        self.ax.add_collection(PolyCollection([corners for corners, _ in shapes], **given), autolim=False)

    def _cells(self, cells: items.Cells, order: float) -> None:
        """Draw cells as an image, with lines of paper between them, and the words of each in its middle."""
        ax, panel = self.ax, self.drawing.panel
        assert panel is not None
        colours = [[cell_colour(LIGHT, style) or LIGHT.paper for style in row] for row in cells.styles]
        rows, columns = len(colours), len(colours[0])
        image = np.array([[to_rgb(colour) for colour in row] for row in colours])
        limits = ax.get_xlim(), ax.get_ylim()
        place: dict[str, Any] = {"aspect": "auto", "zorder": order, "extent": (-0.5, columns - 0.5, rows - 0.5, -0.5)}
        ax.imshow(image, **(place | self.style))
        ax.set(xlim=limits[0], ylim=limits[1])
        lines: dict[str, Any] = {"colors": LIGHT.paper, "linewidths": 2 * cells.gap * self.unit, "zorder": order}
        ax.vlines(np.arange(columns + 1) - 0.5, -0.5, rows - 0.5, **lines)
        ax.hlines(np.arange(rows + 1) - 0.5, -0.5, columns - 0.5, **lines)
        wide, high = (panel.right - panel.left) / columns, (panel.bottom - panel.top) / rows
        for i, row in enumerate(cells.lines):
            for j, lines_of in enumerate(row):
                for down, words, style in lines_of:
                    at = panel.left + (j + 0.5) * wide, panel.top + i * high + cells.gap + down
                    self._write(items.Text(*at, words, style), next(self.order), color=text_on(colours[i][j]))
