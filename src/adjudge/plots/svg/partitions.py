"""The partition spaces of the page. Marks are copies of a few symbols; what can be turned says where it lies in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.plots.densities import Label
from adjudge.plots.panels import HALF, Frame, Key, Sheet, abreast, cell_size, laid_apart, laid_out
from adjudge.plots.partitions import Bars, Cells, Marks, Panel, PartitionPicture
from adjudge.plots.shapes import INNER, WRONG, bar_boxes, distinct, is_disc, shape, strokes, towards
from adjudge.plots.simplex import corners
from adjudge.plots.svg.canvas import Canvas, points

_FINE = 10_000  # parts of an edge in which places in space are told
_KEY = 5.2  # half the width of a sign


@dataclass(slots=True)
class _Solid(Canvas):
    """A sheet for what may be turned."""

    turns: bool = False
    name: str = ""

    def told(self, solid: FloatArray) -> str:
        """Return places in space as an attribute, for the script that turns them."""
        whole = np.rint(solid * _FINE).astype(np.int64).ravel().tolist()
        return f' data-p="{" ".join(map(str, whole))}"' if self.turns else ""

    def begin(self, kind: str, more: str = "") -> None:
        """Begin a group."""
        self._parts.append(f'<g class="{kind}"{more}>')

    def end(self) -> None:
        """End a group."""
        self._parts.append("</g>")

    def strokes(self, kind: str, at: FloatArray, solid: FloatArray) -> None:
        """Draw separate lines as one."""
        told = "".join(f"M{points(a)} {points(b)}L{points(c)} {points(d)}" for (a, b), (c, d) in at.tolist())
        self._parts.append(f'<path class="{kind}" d="{told}"{self.told(solid)}/>')

    def copies(self, kinds: list[str], at: FloatArray) -> None:
        """Draw copies of symbols."""
        for kind, (x, y) in zip(kinds, at.tolist(), strict=True):
            self._parts.append(f'<use href="#{self.name}-{kind}" x="{x:.1f}" y="{y:.1f}"/>')

    def symbol(self, kind: str, layers: list[tuple[int, float, str]]) -> None:
        """Make a symbol: shapes of classes on top of each other, each with its size and look."""
        self._parts.append(f'<g id="{self.name}-{kind}">')
        for of, size, look in layers:
            self.shape(of, (0.0, 0.0), size, look)
        self.end()

    def shape(self, of: int, at: tuple[float, float], size: float, look: str) -> None:
        """Draw the shape of a class."""
        if is_disc(of):
            self.dot(*at, size, look)
        else:
            around = (shape(of, size) * (1, -1) + at).tolist()
            self._parts.append(f'<path class="{look}" d="M{"L".join(f"{points(x)} {points(y)}" for x, y in around)}Z"/>')


def partitions_svg(found: PartitionPicture, name: str) -> str:
    """Return a space with the keys to it below as SVG, or several in a group, where narrow pages set them below each other."""
    if len(found.panels) == 1:
        canvas = _drawn(found, found.panels, laid_out(found), name)
        return canvas.drawn(name, found.title, found.words)
    *sheets, keys = laid_apart(found)
    parts = []
    for i, (panel, sheet) in enumerate(zip(found.panels, sheets, strict=True)):
        canvas = _drawn(found, (panel,), sheet, name, symbols=i == 0)
        parts.append(canvas.drawn(f"{name}-{i + 1}", panel.name, panel.words))
    parts.append(_drawn(found, (), keys, name, symbols=False).drawn(name, found.title, " ".join(found.notes)))
    return f'<div class="spaces by{abreast(found)}" role="group" aria-labelledby="{name}-t">{"".join(parts)}</div>'


def _drawn(found: PartitionPicture, panels: tuple[Panel, ...], sheet: Sheet, name: str, *, symbols: bool = True) -> _Solid:
    """Draw what is on a sheet; the first of several has the symbols of all."""
    canvas = _Solid(sheet.width, sheet.height, turns=found.turns, name=name)
    if symbols:
        _symbols(canvas, found, sheet.radius)
    for panel, frame, words in zip(panels, sheet.frames, sheet.corner_labels, strict=True):
        _panel(canvas, found, panel, frame, sheet)
        _corner_words(canvas, found, words)
        canvas.end()
    for label in sheet.labels:
        canvas.text(label.x, label.y, label.words, label.kind, label.anchor)
    for key in sheet.keys:
        _key(canvas, key)
    return canvas


def _symbols(canvas: _Solid, found: PartitionPicture, radius: float) -> None:
    canvas.begin("kept")
    marks = [panel.found for panel in found.panels if isinstance(panel.found, Marks)]
    for truth, assigned in sorted({pair for m in marks for pair in zip(m.truth.tolist(), m.assigned.tolist(), strict=True)}):
        canvas.symbol(f"{truth}{assigned}", _layers(truth, assigned, radius))
    canvas.end()


def _layers(truth: int, assigned: int, radius: float) -> list[tuple[int, float, str]]:
    if truth == assigned:
        return [(assigned, radius, f"outer of{assigned}")]
    return [(assigned, WRONG * radius, f"outer of{assigned}"), (truth, INNER * radius, f"inner of{truth}")]


def _panel(canvas: _Solid, found: PartitionPicture, panel: Panel, frame: Frame, sheet: Sheet) -> None:
    """Draw one space, and leave its group open for the words at the corners."""
    canvas.begin("solid", _seen(frame)) if found.turns else canvas.begin("flat")
    for kind, lines in strokes(found.classes):
        if lines.size:
            canvas.strokes(kind, frame.at(lines)[0], lines)
    if isinstance(panel.found, Marks):
        _marks(canvas, found, panel.found, frame)
    elif isinstance(panel.found, Cells):
        _cells(canvas, panel.found, frame, sheet.radius, found.most)
    else:
        _bars(canvas, panel.found, frame, found.most)


def _seen(frame: Frame) -> str:
    """Return what the script must know: from where a solid is seen, where it lies, and how words are set at its corners."""
    view = frame.view
    told = (view.azimuth, view.elevation, view.distance, frame.x, frame.y, frame.scale, frame.left, frame.right)
    words = " ".join(f"{value:.6g}" for value in frame.words)
    return f' data-view="{" ".join(map(points, told))}" data-fine="{_FINE}" data-words="{words}"'


def _marks(canvas: _Solid, found: PartitionPicture, marks: Marks, frame: Frame) -> None:
    if found.lines is not None:
        for kind, ends in towards(marks, found.lines, found.classes):
            canvas.strokes(f"toward line{kind}", frame.at(ends)[0], ends)
    at, away = frame.at(marks.at)
    drawn = distinct(marks, at, away)
    canvas.begin("marks", canvas.told(marks.at[drawn]))
    kinds = [f"{t}{a}" for t, a in zip(marks.truth[drawn].tolist(), marks.assigned[drawn].tolist(), strict=True)]
    canvas.copies(kinds, at[drawn])
    canvas.end()


def _cells(canvas: _Solid, cells: Cells, frame: Frame, radius: float, most: int) -> None:
    at, away = frame.at(cells.at)
    order: IntArray = np.argsort(-np.round(away, 9), kind="stable")
    sizes = radius * cell_size(cells.cases.astype(np.float64), most)
    canvas.begin("marks", canvas.told(cells.at[order]))
    for i in order.tolist():
        kind = int(cells.truth[i])
        canvas.begin("", f' transform="translate({points(at[i, 0])} {points(at[i, 1])})"')
        canvas.shape(kind, (0.0, 0.0), float(sizes[i]), f"cell shade{kind}{cells.level[i]} line{kind}")
        canvas.end()
    canvas.end()


def _bars(canvas: _Solid, bars: Bars, frame: Frame, most: int) -> None:
    for kind, box in bar_boxes(bars, most):
        canvas.path([(x, y) for x, y in frame.at(box)[0].tolist()], f"of{kind}")


def _corner_words(canvas: _Solid, found: PartitionPicture, words: tuple[Label, ...]) -> None:
    """Write what stands at the corners; the group of each corner says where that lies."""
    for i, corner in enumerate(corners(found.classes)):
        canvas.begin("corner", canvas.told(corner))
        for label in words[2 * i : 2 * i + 2]:
            canvas.text(label.x, label.y, label.words, f"{label.kind} halo", label.anchor)
        canvas.end()


def _key(canvas: _Solid, key: Key) -> None:
    """Draw a sign and its words."""
    at = key.x, key.y - 4
    if key.sign == "mark":
        truth, assigned = (int(n) for n in key.numbers)
        for of, size, look in _layers(truth, assigned, _KEY):
            canvas.shape(of, at, size, look)
    elif key.sign == "shade":
        canvas.shape(0, at, _KEY, f"cell shade0{int(key.numbers[0])} line0")
    elif key.sign == "cell":
        canvas.dot(*at, key.half, "of4")
    else:
        kind = f"toward line{int(key.numbers[0])}" if key.sign == "toward" else key.sign
        canvas.line((at[0] - key.half, at[1]), (at[0] + key.half, at[1]), kind)
    canvas.text(key.x + max(key.half, HALF) + 4, key.y, key.words, "key", "start")
