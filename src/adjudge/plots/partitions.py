"""Partition spaces as they are drawn: between two corners, in a triangle or a tetrahedron, alone or side by side.

Marks are copies of a few symbols. What can be turned says where it lies in space, for the script that turns it. Lengths
across and down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, get_args

import numpy as np

from adjudge._base import InputError, counted, dataclass, replace, share
from adjudge._base.arrays import FloatArray, IntArray
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.drawing import LINE, Copies, Drawing, Figure, Group, Item, Layer, Strokes, Text, lines_of, mark, segment
from adjudge.plots.labels import count, ems, in_lines
from adjudge.plots.segments import ABOVE, BELOW, TALL, Steps, segment_items
from adjudge.plots.simplex import (
    CORNERLESS,
    DIVISIONS,
    DOWN,
    FEWEST,
    FINE,
    FRONT,
    MOST,
    NEAREST,
    UP,
    Frame,
    View,
    borders,
    corners,
    edges,
)
from adjudge.plots.spaces import LEVELS, Cells, Choice, Lines, Marks, Panel, Values, chosen, panels_of, spaces_in
from adjudge.plots.style import LETTER, LETTERS

NARROW, WIDE = 480.0, 1000.0  # units across, of one space and of several
MOST_LINES = 5_000  # lines from cases to corners; more would be one area
SHAPE_OF = ("disc", "class-square", "class-triangle", "class-diamond", "hexagon")
"""The shape of each class, the last for one without a corner."""
_LARGEST, _SMALLEST = 5.0, 1.8  # half the width of a mark
_WRONG, _INNER = 1.15, 0.56  # sizes of the ring and the inside of a mark whose classes differ, beside one whose agree
_MANY, _SHRINK = 150, 0.16  # cases up to which marks have their full size, and the power by which they become smaller
_FULL, _THIN = 0.5, 0.3  # size of the fullest cell, of the way to the next: in a solid there must be room to see through
_LEAST = 0.28  # size of a cell with one case, beside one with most
_ABREAST, _SQUARE = 3, 4  # spaces beside each other; four stand in a square
_GAP, _SIDE, _LINE = 20.0, 12.0, 15.0  # between spaces, beside keys, and from line to line
_HEAD, _FOOT, _AROUND = 22.0, 26.0, 40.0  # room above for the name, below for the goodness, for the corners' words
_STEP, _SIGN, _HALF, _KEY = 20.0, 26.0, 10.0, 5.2  # height of a key, room for its sign, half of a line, of a mark
_AT_CORNERS = "At each corner: share correct of the cases predicted as it."
_HINT = "Drag, or use the arrow keys, to turn; Home turns back."  # for pages on which a tetrahedron can be turned
_TICKS = 16.0  # room below the strip of a segment for its ticks


Key = tuple[tuple[Layer, ...] | str, str, float]
"""A sign, by the shapes of a mark or by the style of a line, what it means, and half the width of the sign."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A picture laid out: where each simplex lies, and what is said around them."""

    width: float
    height: float
    frames: tuple[Frame, ...]
    around: tuple[Item, ...]


def _layers(truth: int, assigned: int, radius: float) -> tuple[Layer, ...]:
    """Return the shapes of a mark: a ring of the class assigned around the true one."""
    if truth == assigned:
        return ((SHAPE_OF[assigned], radius, f"outer of{assigned}"),)
    ring = SHAPE_OF[assigned], _WRONG * radius, f"outer of{assigned}"
    return ring, (SHAPE_OF[truth], _INNER * radius, f"inner of{truth}")


@dataclass(frozen=True, slots=True, eq=False)
class PartitionPicture(Figure):
    """Spaces of the same cases and classes side by side; `known` where the true classes are."""

    panels: tuple[Panel, ...]
    values: Values
    view: View
    lines: Lines | None
    choice: Choice
    known: bool

    @property
    def classes(self) -> int:
        """Corners of each simplex."""
        return len(self.panels[0].corners)

    @property
    def turns(self) -> bool:
        """Whether this is a solid, that shows more when it is turned."""
        return self.classes == MOST

    @property
    def most(self) -> int:
        """Cases in the fullest cell of all spaces, so that sizes mean the same in each."""
        return max(int(panel.found.cases.max(initial=1)) for panel in self.panels if isinstance(panel.found, Cells))

    @property
    def tallest(self) -> float:
        """The largest share of a true class in a part of a segment, of all spaces, so that heights mean the same in each."""
        every = (float(panel.found.shares.max(initial=0)) for panel in self.panels if isinstance(panel.found, Steps))
        return max(every) or 1.0

    @property
    def title(self) -> str:
        """What is drawn."""
        names = [corner.name for corner in self.panels[0].corners]
        return f"Partition space of {', '.join(names[:-1])} and {names[-1]}: {self.values} memberships"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know to read the picture."""
        scope = "." if self.choice.whole else f", over {self.choice.of} classes."
        if self.known:
            told = [f"Ac: scaled accuracy, AS: ability to separate{scope}", _AT_CORNERS]
        else:
            told = [f"AS: ability to separate{scope}", "True classes not known: colours show the predicted class."]
        if self.classes == FEWEST:
            whose, across = "true" if self.known else "predicted", f"{self.values} membership in {self.panels[0].corners[1].name}"
            told.append(f"Across: {across}. Each {whose} class adds up to 100%; the tallest step is {share(self.tallest)}.")
        return (*told, *self.choice.notes, *self._of_borders())

    @property
    def words(self) -> str:
        """What the picture says."""
        return " ".join([*(f"{panel.words}." for panel in self.panels), *self.choice.notes, *self._of_borders()])

    def _of_borders(self) -> list[str]:
        """Say what borders do not: a case is assigned by all its memberships as they came, and drawn by others."""
        of = f"Borders are of the memberships drawn; predictions are among {self.choice.of} classes."
        across = [(panel.beyond, f" in {panel.name}" if panel.name else "") for panel in self.panels if panel.beyond]
        cases = ", ".join(f"{counted(beyond, 'case')}{name}" for beyond, name in across)
        told = [] if self.choice.whole else [of]
        return [*told, f"Beyond the border of the predicted class: {cases}."] if across else told

    @property
    def abreast(self) -> int:
        """How many spaces stand beside each other where there is room."""
        return 2 if len(self.panels) == _SQUARE else min(len(self.panels), _ABREAST)

    @property
    def wide(self) -> float:
        """Units across of each space."""
        return NARROW if self.abreast == 1 else (WIDE - _GAP * (self.abreast - 1)) / self.abreast

    @property
    def edge(self) -> float:
        """The length of an edge that leaves room for words beside it."""
        if self.classes == FEWEST:
            return self.wide - 2 * 40
        narrow = 350
        side = self.wide - 2 * (46 if self.wide < narrow else 72)
        return side if self.classes < MOST else 0.9 * side

    @property
    def radius(self) -> float:
        """Half the width of a mark, or of the fullest cell: smaller where there are many, and in a smaller simplex."""
        if isinstance(self.panels[0].found, Cells):
            return (_THIN if self.turns else _FULL) * self.edge / DIVISIONS[self.classes]
        many, smaller = max(panel.cases for panel in self.panels) / _MANY, math.sqrt(min(1.0, self.wide / NARROW))
        return max(_SMALLEST, _LARGEST * smaller * math.pow(max(1.0, many), -_SHRINK))

    def size_of(self, cases: int) -> float:
        """Return half the width of a cell, by the logarithm of its cases: some hold thousands."""
        return float(self.radius * (_LEAST + (1 - _LEAST) * np.log(float(cases)) / max(math.log(self.most), 1.0)))

    @property
    def drawing(self) -> Drawing:
        """All on one sheet, and for pages in pieces: a space each and the keys, or one with room to be turned."""
        pieces = [self._on(self.panels, self.title, self.words)] if self.turns else []
        if len(self.panels) > 1:
            pieces = [self._on((panel,), panel.name, panel.words, keyed=False) for panel in self.panels]
            pieces.append(self._on((), self.title, " ".join(self.notes)))
            pieces[1:] = [replace(piece, symbols=()) for piece in pieces[1:]]  # the first has the symbols of all
        return replace(self._on(self.panels, self.title, self.words, fixed=True), apart=tuple(pieces), abreast=self.abreast)

    def laid_out(self, panels: Sequence[Panel] | None = None, *, fixed: bool = False, keyed: bool = True) -> Sheet:
        """Return where spaces go, all if left out, and the keys; what is fixed needs no room to be turned."""
        panels = self.panels if panels is None else panels
        wide, edge, flat = self.wide, self.edge, self.classes == FEWEST
        up, low = ((TALL + ABOVE) * edge, BELOW * edge + _TICKS) if flat else (3**-0.5 * edge, 3**-0.5 / 2 * edge)
        if self.classes == MOST:  # as it is seen, or however it is turned
            heights = self.view.seen(corners(MOST))[0][:, 1]
            up, low = (heights.max(), -heights.min()) if fixed else (self.view.reach, self.view.reach)
            up, low = edge * up, edge * low
        titles = dict(zip(self.panels, in_lines([panel.name for panel in self.panels], wide / LETTERS, bold=True), strict=True))
        if not any(panel.name for panel in self.panels):
            titles = dict.fromkeys(self.panels, "")
        above, below = (LINE * max(each.count("\n") for each in names) for names in (titles.values(), self._corner_names()))
        head = above + (_HEAD if any(titles.values()) else 4.0) + (0.0 if flat else _AROUND + below)
        high = head + (up + low) + _AROUND + below + _FOOT
        frames, around = [], list[Item]()
        for i, panel in enumerate(panels):
            left, top = (i % self.abreast) * (wide + _GAP), (i // self.abreast) * high
            frames.append(Frame(left + wide / 2, float(round(top + head + up)), edge, self.view, left, left + wide))
            around.append(Text(left + wide / 2, top + high - 10, panel.goodness, "key"))
            around += lines_of(Text(left + wide / 2, top + 14, titles[panel], "head")) if panel.name else []
        if not keyed:
            return Sheet(wide, high, tuple(frames), tuple(around))
        width = NARROW if len(panels) <= 1 else WIDE
        legend, height = self._legend(width, high * math.ceil(len(panels) / self.abreast), fixed=fixed)
        return Sheet(width, height, tuple(frames), (*around, *legend))

    def _at_corners(self, panel: Panel, frame: Frame) -> Iterator[Group]:
        """Yield the name of each corner, and how often that class was right."""
        outward, places = frame.outward if self.turns else 0.0, corners(self.classes)
        names = self._corner_names()
        for (x, y), corner, name, place in zip(frame.at(places)[0].tolist(), panel.corners, names, places, strict=True):
            rate = corner.rate(whole=len(self.panels) == 1)
            lines = [Text(0.0, 0.0, each, "head halo") for each in name.split("\n")]
            lines.append(Text(0.0, 0.0, rate, "aside halo"))
            down, anchor = y + (DOWN if y > frame.y else UP - LINE * (len(lines) - 2)), "middle"
            half = LETTERS * max(ems(line.words, bold="head" in line.style) for line in lines) / 2
            across = min(max(x + 2 * half * outward * (x - frame.x), frame.left + half), frame.right - half)
            if self.classes == FEWEST:
                end, anchor = (frame.left + 4, "start") if x < frame.x else (frame.right - 4, "end")
                across, down = end, y + BELOW * frame.scale + _TICKS + 20
            placed = (replace(line, x=across, y=down + i * LINE, anchor=anchor) for i, line in enumerate(lines))
            yield Group(tuple(placed), "corner", (*self._at(place), *((("wide", f"{2 * half:.6g}"),) if self.turns else ())))

    def _corner_names(self) -> list[str]:
        """Return the names of the corners, in lines that leave room for the names of the others."""
        room = self.wide / 2 - (46 if self.classes == FEWEST else 6)
        labels = [corner.name for corner in self.panels[0].corners]
        return in_lines(labels, room / LETTERS, most=2 if len(self.panels) == 1 else 3, bold=True)

    def _legend(self, width: float, start: float, *, fixed: bool) -> tuple[list[Item], float]:
        """Return the keys in lines, with notes below them, and where they end; what is fixed needs no hint."""
        items, y = list[Item](), start + 14
        for line in self._keys():
            x, deep = _SIDE, 0
            for sign, words, half in line:
                wide = max(_SIGN, 2 * half + 6)
                broken = in_lines([words], (width - 2 * _SIDE - wide) / LETTERS)[0]
                room = wide + LETTERS * max(map(ems, broken.split("\n"))) + 12
                if x > _SIDE and x + room > width:
                    x, y, deep = _SIDE, y + _STEP + LINE * deep, 0
                at = x + wide / 2
                if isinstance(sign, str):
                    items.append(segment((at - half, y - 4), (at + half, y - 4), sign, page=True))
                else:
                    items += [mark(at, y - 4, shape, size, style, page=True) for shape, size, style in sign]
                items += lines_of(Text(at + max(half, _HALF) + 4, y, broken, "key", "start"))
                x, deep = x + room, max(deep, broken.count("\n"))
            y += _STEP + LINE * deep
        notes = [words for note in self.notes for words in wrap(note, int((width - 2 * _SIDE) / LETTER))]
        below = [(words, "aside") for words in notes] + ([(_HINT, "hint aside")] if self.turns else [])
        labels = [Text(_SIDE, y + 2 + i * _LINE, words, style, "start") for i, (words, style) in enumerate(below)]
        return [*labels, *items], labels[len(notes) - 1].y + 10 if fixed else y + _LINE * len(below) - 4

    def _keys(self) -> list[list[Key]]:
        """Return the keys, in lines."""
        every, disc = [panel.found for panel in self.panels], SHAPE_OF[0]
        names, apart = [corner.name for corner in self.panels[0].corners], isinstance(every[0], Marks)
        lines: list[list[Key]] = [[(_layers(i, i, _KEY), name, _HALF) for i, name in enumerate(names)]]
        if self.classes == FEWEST:
            whose = "true class" if self.known else "predicted as"
            lines = [[(f"curve line{i}", f"{whose} {name}", _HALF) for i, name in enumerate(names)]]
            lines.append([((("square", _KEY, "of4 faint"),), "strip: what most cases there are predicted as", _HALF)])
            return [*lines, self._of_lines("half way")]
        if apart and self.known:
            lines.append([(_layers(0, 1, _KEY), "inside: true class; ring: predicted class", _HALF)])
            if any((cases.predicted == CORNERLESS).any() for cases in every if isinstance(cases, Marks)):
                lines[-1].append((_layers(0, CORNERLESS, _KEY), "predicted as a class without corner", _HALF))
        elif not apart:
            shares = [f"{round(100 * level)}%" for level in LEVELS]
            words = [f"majority's share: up to {shares[0]}", *shares[1:], "more"]
            lines.append([(((disc, _KEY, f"cell shade0{i} line0"),), word, _HALF) for i, word in enumerate(words)])
            sizes = {n: count(n) for n in (1, round(self.most**0.5))} | {self.most: f"{count(self.most)} cases in a cell"}
            halves = {n: self.size_of(n) for n in sorted(sizes)}
            lines.append([(((disc, half, "of4"),), sizes[n], half) for n, half in halves.items()])
        lines.append([*self._of_lines("border of the best class" if self.choice.whole else "border of the best drawn")])
        lines[-1].insert(1, ("second", "of the second-best", _HALF))
        return lines

    def _of_lines(self, border: str) -> list[Key]:
        """Return the keys to the border, and to the lines that lead to corners."""
        keys: list[Key] = [("border", border, _HALF)]
        if self.lines is None:
            return keys
        corner = {"scaled_accuracy": "true class (Ac)", "ability_to_separate": "predicted class (AS)"}[self.lines]
        style, start = ("curve line4", "from the mean ") if self.classes == FEWEST else ("toward line0", "")
        return [*keys, (style, f"{start}to the corner of the {corner}", _HALF)]

    def _on(self, panels: Sequence[Panel], title: str, words: str, *, fixed: bool = False, keyed: bool = True) -> Drawing:
        """Return spaces on a sheet of their own."""
        sheet, items = self.laid_out(panels, fixed=fixed, keyed=keyed), list[Item]()
        behind = " through" if self.turns else ""
        border = borders(self.classes) if self.classes > FEWEST else np.array([[(0.0, -BELOW, 0.0), (0.0, TALL + ABOVE, 0.0)]])
        second = borders(self.classes, second=True)
        lines = ((f"second{behind}", second), (f"border{behind}", border), ("rim", edges(self.classes)))
        for panel, frame in zip(panels, sheet.frames, strict=True):
            inside: list[Item] = [Strokes(frame.at(ends)[0], style, self._at(ends)) for style, ends in lines if ends.size]
            inside += self._cases(panel.found, frame)
            inside += self._at_corners(panel, frame)
            items.append(Group(tuple(inside), "solid", frame.told) if self.turns else Group(tuple(inside), "flat"))
        pairs, cells = set[tuple[int, int]](), set[tuple[int, int, int]]()  # the marks of all spaces, each once
        for cases in (panel.found for panel in self.panels):
            if isinstance(cases, Marks):
                pairs |= set(zip(cases.truth.tolist(), cases.predicted.tolist(), strict=True))
            elif isinstance(cases, Cells):
                cells |= set(cases.kinds)
        symbols = [(f"{truth}{assigned}", _layers(truth, assigned, self.radius)) for truth, assigned in sorted(pairs)]
        for truth, level, n in sorted(cells):
            layer = SHAPE_OF[truth], self.size_of(n), f"cell shade{truth}{level} line{truth}"
            symbols.append((f"c{truth}{level}-{n}", (layer,)))
        return Drawing(sheet.width, sheet.height, title, words, (*items, *sheet.around), symbols=tuple(symbols))

    def _at(self, solid: FloatArray) -> tuple[tuple[str, str], ...]:
        """Return places in space for the script that turns them."""
        return (("p", " ".join(map(str, np.rint(solid * FINE).astype(np.int64).ravel().tolist()))),) if self.turns else ()

    def _cases(self, cases: Marks | Cells | Steps, frame: Frame) -> list[Item]:
        """Return the cases of a space, one by one or together."""
        if isinstance(cases, Steps):
            return segment_items(cases, self.tallest, self.lines, lambda points: frame.at(points)[0])
        at, away = frame.at(cases.at)
        lines: list[Item] = []
        if isinstance(cases, Cells):
            order: IntArray = np.argsort(-np.round(away, 9), kind="stable")
            names = [f"c{truth}{level}-{n}" for truth, level, n in cases.kinds]
        else:
            if self.lines is not None:
                leading = cases.towards(self.lines, self.classes)
                lines = [Strokes(frame.at(ends)[0], f"toward line{kind}", self._at(ends)) for kind, ends in leading]
            order = cases.distinct(at, away)
            names = [f"{t}{a}" for t, a in zip(cases.truth.tolist(), cases.predicted.tolist(), strict=True)]
        copies = Copies(at[order], tuple(names[i] for i in order.tolist()))
        return [*lines, Group((copies,), "marks", self._at(cases.at[order]))]


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
    lines : {"scaled_accuracy", "ability_to_separate"}, optional
        Draw a line from each case to the corner of its true class, or of its assigned class: their mean length is
        what Ac, or AS, is made of. Between two corners one line for each class leads there from the mean of its cases.
    classes : sequence of labels, optional
        The classes to draw, one to four. Cases of others are left out, and memberships in these made to sum to 1. One class
        is drawn against the rest. Left out, up to four classes are all drawn; of more, the two that are
        most often taken for each other, against the rest.
    rest : bool
        Give the other classes a corner of their own, so that no case is left out.
    view : View, optional
        From where to look at a tetrahedron.
    """
    seen: Any = view
    of_lines = f"lines must be 'scaled_accuracy' or 'ability_to_separate', got {lines!r}. Leave it out to draw none."
    of_view = f"view must be a View(azimuth, elevation, distance) from farther than {NEAREST:g} edge, got {view!r}."
    _refuse(
        (space not in get_args(Values), f"space must be 'scaled' or 'original', got {space!r}."),
        (lines not in (None, *get_args(Lines)), of_lines),
        (view is not None and not (isinstance(seen, View) and seen.distance > NEAREST), of_view),
    )
    names, each = spaces_in(spaces)
    first = each[0]
    choice = chosen(first, classes, rest=rest)
    drawn = [choice.drawn_in(one, space) for one in each]
    cases = sum(truth.size for _, truth, _ in drawn)
    flat = f"Only a tetrahedron is seen from a view, got one for {choice.corners} corners. Leave view out."
    many = f"Lines are drawn for at most {MOST_LINES:,} cases, got {cases:,}. Leave lines out, or draw some of the cases."
    blind = "The true classes of these cases are not known, so no lines lead to them. Use lines='ability_to_separate'."
    _refuse(
        (view is not None and choice.corners < MOST, flat),
        (lines is not None and cases > MOST_LINES and choice.corners > FEWEST, many),
        (lines == "scaled_accuracy" and first.truth is None, blind),
    )
    panels = panels_of(names, each, drawn, choice, space)
    seen = (view or View()) if choice.corners == MOST else FRONT
    return PartitionPicture(panels, space, seen, lines, choice, first.truth is not None)


def _refuse(*checks: tuple[bool, str]) -> None:
    """Refuse what is wrong, with the words for the first of it."""
    for wrong, msg in checks:
        if wrong:
            raise InputError(msg)
