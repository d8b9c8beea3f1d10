"""Partition spaces as they are drawn: cases in a segment, a triangle or a tetrahedron, one space or several side by side.

Marks are copies of a few symbols. What can be turned says where it lies in space, for the script that turns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.drawing import Area, Copies, Drawing, Figure, Group, Item, Layer, Strokes, Text, mark, segment
from adjudge.plots.labels import told_apart
from adjudge.plots.panels import HALF, Frame, Key, Sheet, abreast, cell_size, laid_apart, laid_out
from adjudge.plots.simplex import FEWEST, FRONT, MOST, NEAREST, View, borders, corners, edges, second_borders
from adjudge.plots.spaces import (
    DIVISIONS,
    LANE,
    MOST_LINES,
    MOST_MARKS,
    Bars,
    Cells,
    Lines,
    Marks,
    Panel,
    Spaces,
    Values,
    beyond,
    chosen,
    corners_of,
    goodness_of,
    heaped,
    marks_of,
    seen_truth,
)

LONGEST_NAME = 36
"""Letters of the name above a space."""
WRONG, INNER = 1.15, 0.56
"""Sizes of the ring and of the inside of a mark whose classes differ, beside one whose classes agree."""
SHAPE_OF = ("disc", "class-square", "class-triangle", "class-diamond", "hexagon")
"""The shape of each class, the last for one without a corner."""
_FINE = 10_000  # parts of an edge in which places in space are told
_KEY = 5.2  # half the width of a sign


@dataclass(frozen=True, slots=True, eq=False)
class PartitionPicture(Spaces, Figure):
    """Spaces of the same cases and classes side by side."""

    @property
    def drawing(self) -> Drawing:
        """All on one sheet, and for pages in pieces: a space each and the keys, or one with room to be turned."""
        sheet = laid_out(self, fixed=True)
        foot = max([label.y for label in sheet.labels if "hint" not in label.style] + [key.y for key in sheet.keys]) + 10
        apart: tuple[Drawing, ...]
        if len(self.panels) == 1:
            loose = laid_out(self)
            apart = (self._on(self.panels, loose, loose.height, self.title, self.words),) if self.turns else ()
        else:
            *each, keys = laid_apart(self)
            pieces = [
                self._on((panel,), one, one.height, panel.name, panel.words) for panel, one in zip(self.panels, each, strict=True)
            ]
            pieces[1:] = [replace(piece, symbols=()) for piece in pieces[1:]]  # the first has the symbols of all
            last = self._on((), keys, keys.height, self.title, " ".join(self.notes))
            apart = (*pieces, replace(last, symbols=()))
        whole = self._on(self.panels, sheet, foot, self.title, self.words)
        return replace(whole, apart=apart, abreast=abreast(self))

    def _on(self, panels: Sequence[Panel], sheet: Sheet, height: float, title: str, words: str) -> Drawing:
        """Return spaces on a sheet."""
        items: list[Item] = []
        for panel, frame, labels in zip(panels, sheet.frames, sheet.corner_labels, strict=True):
            told = [Group(labels[2 * i : 2 * i + 2], "corner", self._at(at)) for i, at in enumerate(corners(self.classes))]
            inside = (*self._lines(frame), *self._cases(panel, frame), *told)
            items.append(Group(inside, "solid", _seen(frame)) if self.turns else Group(inside, "flat"))
        items += [*sheet.labels, *(part for key in sheet.keys for part in _sign(key))]
        return Drawing(sheet.width, height, title, words, tuple(items), symbols=self._symbols(sheet))

    def _at(self, solid: FloatArray) -> tuple[tuple[str, str], ...]:
        """Return places in space for the script that turns them."""
        return (("p", " ".join(map(str, np.rint(solid * _FINE).astype(np.int64).ravel().tolist()))),) if self.turns else ()

    def _symbols(self, sheet: Sheet) -> tuple[tuple[str, tuple[Layer, ...]], ...]:
        """Return the marks of all spaces, each once."""
        pairs, cells = set(), set()
        for found in (panel.found for panel in self.panels):
            if isinstance(found, Marks):
                pairs |= set(zip(found.truth.tolist(), found.assigned.tolist(), strict=True))
            elif isinstance(found, Cells):
                cells |= set(_cell_kinds(found))
        sizes = {n: float(sheet.radius * cell_size(np.array(float(n)), self.most)) for *_, n in cells}
        marks = [(f"{truth}{assigned}", _layers(truth, assigned, sheet.radius)) for truth, assigned in sorted(pairs)]
        return (
            *marks,
            *(
                (_cell(*kind), ((SHAPE_OF[kind[0]], sizes[kind[2]], f"cell shade{kind[0]}{kind[1]} line{kind[0]}"),))
                for kind in sorted(cells)
            ),
        )

    def _lines(self, frame: Frame) -> list[Item]:
        """Return the lines of a simplex: its edges, the borders of its regions, and of the second-best."""
        flat = np.array([[(0.0, -LANE, 0.0), (0.0, LANE, 0.0)]])
        border = borders(self.classes) if self.classes > FEWEST else flat
        behind = " through" if self.turns else ""
        each = ((f"second{behind}", second_borders(self.classes)), (f"border{behind}", border), ("rim", edges(self.classes)))
        return [Strokes(frame.at(lines)[0], style, self._at(lines)) for style, lines in each if lines.size]

    def _cases(self, panel: Panel, frame: Frame) -> list[Item]:
        """Return the cases of a space, one by one or together."""
        found = panel.found
        if isinstance(found, Bars):
            return [Area((frame.at(box)[0],), f"of{kind}", page=True, styled=True) for kind, box in bar_boxes(found, self.most)]
        at, away = frame.at(found.at)
        if isinstance(found, Cells):
            order: IntArray = np.argsort(-np.round(away, 9), kind="stable")
            kinds = _cell_kinds(found)
            copies = Copies(at[order], tuple(_cell(*kinds[i]) for i in order.tolist()))
            return [Group((copies,), "marks", self._at(found.at[order]))]
        lines: list[Item] = []
        if self.lines is not None:
            leading = towards(found, self.lines, self.classes)
            lines = [Strokes(frame.at(ends)[0], f"toward line{kind}", self._at(ends)) for kind, ends in leading]
        drawn = distinct(found, at, away)
        names = zip(found.truth[drawn].tolist(), found.assigned[drawn].tolist(), strict=True)
        copies = Copies(at[drawn], tuple(f"{truth}{assigned}" for truth, assigned in names))
        return [*lines, Group((copies,), "marks", self._at(found.at[drawn]))]


def _layers(truth: int, assigned: int, radius: float) -> tuple[Layer, ...]:
    """Return the shapes of a mark: a ring of the class assigned around the true one."""
    if truth == assigned:
        return ((SHAPE_OF[assigned], radius, f"outer of{assigned}"),)
    ring, inside = (
        (SHAPE_OF[assigned], WRONG * radius, f"outer of{assigned}"),
        (SHAPE_OF[truth], INNER * radius, f"inner of{truth}"),
    )
    return ring, inside


def _cell_kinds(cells: Cells) -> list[tuple[int, int, int]]:
    return list(zip(cells.truth.tolist(), cells.level.tolist(), cells.cases.tolist(), strict=True))


def _cell(truth: int, level: int, cases: int) -> str:
    return f"c{truth}{level}-{cases}"


def _seen(frame: Frame) -> tuple[tuple[str, str], ...]:
    """Return what the script must know: from where a solid is seen, where it lies, and how words are set at its corners."""
    view = frame.view
    told = (view.azimuth, view.elevation, view.distance, frame.x, frame.y, frame.scale, frame.left, frame.right)
    words = " ".join(f"{value:.6g}" for value in frame.words)
    return ("view", " ".join(f"{round(value, 2):g}" for value in told)), ("fine", str(_FINE)), ("words", words)


def _sign(key: Key) -> list[Item]:
    """Return a sign and its words."""
    at = key.x, key.y - 4
    words = Text(key.x + max(key.half, HALF) + 4, key.y, key.words, "key", "start")
    if key.sign == "mark":
        truth, assigned = (int(n) for n in key.numbers)
        layers = _layers(truth, assigned, _KEY)
        return [*(mark(*at, shape, size, style, page=True) for shape, size, style in layers), words]
    if key.sign == "shade":
        return [mark(*at, SHAPE_OF[0], _KEY, f"cell shade0{int(key.numbers[0])} line0", page=True), words]
    if key.sign == "cell":
        return [mark(*at, SHAPE_OF[0], key.half, "of4", page=True), words]
    style = f"toward line{int(key.numbers[0])}" if key.sign == "toward" else key.sign
    return [segment((at[0] - key.half, at[1]), (at[0] + key.half, at[1]), style, page=True), words]


def towards(marks: Marks, lines: Lines, classes: int) -> list[tuple[int, FloatArray]]:
    """Return lines from cases to the corner of their true or assigned class, by class; who has no corner has no line.

    On a segment they run beside it, at the height of the mark, so that they are as long as the corner is far.
    """
    to = marks.truth if lines == "accuracy" else marks.assigned
    found: list[tuple[int, FloatArray]] = []
    for i, corner in enumerate(corners(classes)):
        starts = marks.starts[to == i]
        if starts.size:
            ends = np.broadcast_to(corner, starts.shape)
            ends = np.column_stack([ends[:, 0], starts[:, 1:]]) if classes == FEWEST else ends
            found.append((i, np.stack([starts, ends], axis=1)))
    return found


def bar_boxes(bars: Bars, most: int) -> list[tuple[int, FloatArray]]:
    """Return the bars of a segment by class, as their corners: those of the second class upwards, of the first downwards."""
    found = []
    for (part, kind), cases in np.ndenumerate(bars.cases):
        if cases:
            low, high = part / DIVISIONS[FEWEST] - 0.5, (part + 1) / DIVISIONS[FEWEST] - 0.5
            tall = (1 if kind else -1) * max(LANE * cases / most, 0.003)
            found.append((kind, np.array([(low, 0, 0), (low, tall, 0), (high, tall, 0), (high, 0, 0)], dtype=np.float64)))
    return found


def distinct(marks: Marks, at: FloatArray, away: FloatArray) -> IntArray:
    """Return which marks to draw, and in which order: the farthest first, and only one of those that look the same.

    `at` is where they appear and `away` how far behind; in the plane the order is that of the marks.
    """
    seen = np.column_stack([np.rint(10 * at).astype(np.int64), marks.truth, marks.assigned])
    order = np.argsort(-np.round(away, 9), kind="stable")
    _, first = np.unique(seen[order][::-1], axis=0, return_index=True)
    return np.asarray(order[np.sort(order.size - 1 - first)])


def partition_picture(
    spaces: PartitionSpace | Sequence[PartitionSpace] | Mapping[str, PartitionSpace],
    *,
    space: Values = "scaled",
    lines: Lines | None = None,
    classes: Sequence[Any] | None = None,
    rest: bool = False,
    view: View | None = None,
) -> PartitionPicture:
    """Return the picture of one partition space, or of several of the same cases side by side.

    Parameters
    ----------
    spaces : PartitionSpace, several of them, or a mapping from names to them
        Several must be of the same cases in the same order, and of the same classes.
    space : {"scaled", "original"}
        Whether to draw the scaled memberships or those that came in.
    lines : {"accuracy", "separation"}, optional
        Draw a line from each case to the corner of its true class, or of its assigned class: their mean length is
        what the accuracy, or the separation, is made of.
    classes : sequence of labels, optional
        The classes to draw, one to four. Cases of others are left out, and memberships in these made to sum to 1. One class
        is drawn against the rest. Left out, up to four classes are all drawn; of more, the two that are
        most often taken for each other, against the rest.
    rest : bool
        Give the other classes a corner of their own, so that no case is left out.
    view : View, optional
        From where to look at a tetrahedron.
    """
    _check(space, lines, view)
    names, each = _named_spaces(spaces)
    first, values = each[0], [one.scaled if space == "scaled" else one.memberships for one in each]
    choice = chosen(first, classes, rest=rest)
    if view is not None and choice.corners < MOST:
        msg = f"Only a tetrahedron is seen from a view, got one for {choice.corners} corners. Leave view out."
        raise InputError(msg)
    drawn = [choice.drawn(rows, seen_truth(one), one.assigned) for one, rows in zip(each, values, strict=True)]
    cases = sum(truth.size for _, truth, _ in drawn)
    if lines is not None:
        _check_lines(lines, cases, known=first.truth is not None)
    found = marks_of(drawn) if cases <= MOST_MARKS else [heaped(rows, truth) for rows, truth, _ in drawn]
    panels = tuple(
        Panel(name, corners_of(one, choice), what, truth.size, *goodness_of(one, space), beyond(rows, assigned))
        for name, one, what, (rows, truth, assigned) in zip(names, each, found, drawn, strict=True)
    )
    seen = (view or View()) if choice.corners == MOST else FRONT
    return PartitionPicture(panels, space, seen, lines, choice, first.truth is not None)


def _check(values: Any, lines: Any, view: Any) -> None:
    if values not in get_args(Values):
        msg = f"space must be 'scaled' or 'original', got {values!r}."
        raise InputError(msg)
    if lines is not None and lines not in get_args(Lines):
        msg = f"lines must be 'accuracy' or 'separation', got {lines!r}. Leave it out to draw none."
        raise InputError(msg)
    if view is not None and not (isinstance(view, View) and view.distance > NEAREST):
        msg = f"view must be a View(azimuth, elevation, distance) from farther than {NEAREST:g} edge, got {view!r}."
        raise InputError(msg)


def _check_lines(lines: Lines, cases: int, *, known: bool) -> None:
    if cases > MOST_LINES:
        msg = f"Lines are drawn for at most {MOST_LINES:,} cases, got {cases:,}. Leave lines out, or draw some of the cases."
        raise InputError(msg)
    if lines == "accuracy" and not known:
        msg = "The true classes of these cases are not known, so no lines lead to them. Use lines='separation', or pass truth."
        raise InputError(msg)


def _named_spaces(spaces: Any) -> tuple[list[str], list[PartitionSpace]]:
    """Return spaces of the same cases, and names for them; one that stands alone needs none."""
    if isinstance(spaces, Mapping):
        names, each = told_apart([str(name) for name in spaces], LONGEST_NAME), list(spaces.values())
    else:
        each = [spaces] if isinstance(spaces, PartitionSpace) else list(spaces)
        names = [""] if len(each) == 1 else [f"({i + 1})" for i in range(len(each))]
    if not each or not all(isinstance(one, PartitionSpace) for one in each):
        got = ", ".join(dict.fromkeys(type(one).__name__ for one in each)) or "nothing"
        msg = f"There is no picture of {got} in a list or mapping. Give a PartitionSpace, or several of the same cases."
        raise InputError(msg)
    for other in each[1:]:
        _same_cases(each[0], other)
    return names, each


def _same_cases(one: PartitionSpace, other: PartitionSpace) -> None:
    if one.classes != other.classes:
        msg = f"Spaces side by side must be of the same classes, got {listed(one.classes)} beside {listed(other.classes)}."
        raise InputError(msg)
    unknown = one.truth is None or other.truth is None
    alike = one.truth is other.truth if unknown else np.array_equal(seen_truth(one), seen_truth(other))
    if len(one.scaled) != len(other.scaled) or not alike:
        msg = (
            f"Spaces side by side must be of the same cases in the same order, got {len(one.scaled):,} and "
            f"{len(other.scaled):,} whose true classes differ. Draw them in pictures of their own."
        )
        raise InputError(msg)
