"""What is drawn, as plain data: lines, areas, marks and words with the names of their styles, on a page and around its axes.

Items lie in the coordinates of the panel, its data; those that are there for the page, such as keys and names, in units of
the page, to the right and down. Names of styles are those of :data:`adjudge.plots.style.LOOKS`, with spaces between.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass, replace
from adjudge.plots.style import LETTER

WIDTH, SIDE = 436.0, 22.0  # units across for which words are set, and of the margin at either side of them
LINE = 15.5  # units from one line of words to the next
_TICK_X, _TICK_Y, _NAME = 18.0, 8.0, 38.0  # units from an axis to its ticks and to its name
_EDGE = 14.0  # units from the edge of the page to the name of an axis


def _regular(sides: int, turn: float = 0.0) -> FloatArray:
    """Return the corners of a regular shape as large as a disc of radius 1, down being positive."""
    angles = turn + 2 * np.pi * np.arange(sides) / sides
    reach = math.sqrt(2 * math.pi / (sides * math.sin(2 * math.pi / sides)))
    return reach * np.column_stack([np.cos(angles), -np.sin(angles)])


SHAPES: dict[str, FloatArray] = {
    "disc": _regular(28),  # where there are no discs
    "square": np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)]),
    "diamond": np.array([(0.0, -1), (1, 0), (0, 1), (-1, 0)]),
    "triangle": np.array([(0, -1.15), (1.15, 0.95), (-1.15, 0.95)]),
    "class-square": _regular(4, math.pi / 4),
    "class-triangle": _regular(3, math.pi / 2),
    "class-diamond": _regular(4),
    "hexagon": _regular(6),
    "tick": np.array([(0.0, -1), (0, 1)]),
    "cross": np.array([(-1.0, -1), (1, 1), (-1, 1), (1, -1)]),
}
"""Marks of size 1: the corners of filled ones; of a tick and a cross the ends of their lines, two by two."""
STROKED = ("tick", "cross")  # marks that are lines


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Shape:
    """What lines, areas and marks may have: whether they lie in units of the page, and a label."""

    page: bool = False
    label: str = ""
    styled: bool = False  # whether what a user passes to ``plot`` reaches it; of an area only the colour does


@dataclass(frozen=True, slots=True, eq=False)
class Line(_Shape):
    """A line through points."""

    points: FloatArray
    style: str


@dataclass(frozen=True, slots=True, eq=False)
class Area(_Shape):
    """Filled shapes, each by its corners."""

    parts: tuple[FloatArray, ...]
    style: str


@dataclass(frozen=True, slots=True, eq=False)
class Marks(_Shape):
    """Copies of a shape around points, of a size in units of the page."""

    points: FloatArray
    shape: str
    size: float
    style: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words in their place on the page, which of their ends (or middle) is there, and degrees by which they turn clockwise."""

    x: float
    y: float
    words: str
    style: str
    anchor: str = "middle"
    turn: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A table of shaded cells with a gap around each, the first row on top; one without a style is left out."""

    styles: tuple[tuple[str, ...], ...]
    lines: tuple[tuple[tuple[tuple[float, str, str], ...], ...], ...]
    """The words in each: how far below its top in units of the page, what they are, and their style."""
    gap: float


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Separate straight lines on the page, each by its two ends, drawn as one, and what a script must know of them."""

    ends: FloatArray
    style: str
    data: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Copies of the symbols of a drawing, by name, around points of the page."""

    points: FloatArray
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Items that a script moves together."""

    items: tuple[Item, ...]
    style: str = ""
    data: tuple[tuple[str, str], ...] = ()


Item = Line | Area | Marks | Text | Cells | Strokes | Copies | Group
Layer = tuple[str, float, str]  # one shape of a symbol, its size and its style


@dataclass(frozen=True, slots=True)
class Axis:
    """Values along one side of a panel; with a `grid` a line runs through the panel at each tick, whose words may turn."""

    start: float
    stop: float
    ticks: tuple[tuple[float, str], ...] = ()
    name: str = ""
    log: bool = False
    grid: bool = False
    notched: bool = False
    top: bool = False
    turn: float = 0.0

    def part(self, values: FloatArray) -> FloatArray:
        """Return how far along the axis values lie: 0 at its start, 1 at its stop."""
        start, stop = self.start, self.stop
        if self.log:
            values, start, stop = np.log10(values), math.log10(start), math.log10(stop)
        return np.asarray((values - start) / (stop - start))


@dataclass(frozen=True, slots=True)
class Panel:
    """A box on the page with an axis of values below it, or above, perhaps as a line, and perhaps one beside it."""

    left: float
    top: float
    right: float
    bottom: float
    x: Axis
    y: Axis | None = None  # left out, heights are units down from the top of the box
    lined: bool = True

    def at(self, points: FloatArray) -> FloatArray:
        """Return where points lie on the page."""
        x = self.left + self.x.part(points[:, 0]) * (self.right - self.left)
        y = self.top + points[:, 1] if self.y is None else self.bottom - self.y.part(points[:, 1]) * (self.bottom - self.top)
        return np.column_stack([x, y])

    @property
    def rules(self) -> tuple[Line, ...]:
        """The lines of the axes."""
        lines = []
        if self.y is not None and self.y.grid:
            lines += [segment((self.left, y), (self.right, y), "grid", page=True) for y in self._along(self.y)]
        if self.x.grid:
            lines += [segment((x, self.bottom), (x, self.top), "grid", page=True) for x in self._along(self.x)]
        if self.x.notched:
            lines += [segment((x, self.bottom), (x, self.bottom + 4), "axis", page=True) for x in self._along(self.x)]
        if self.lined:
            lines.append(segment((self.left, self.bottom), (self.right, self.bottom), "axis", page=True))
        return tuple(lines)

    def words(self, width: float) -> Iterator[Text]:
        """Yield the words of the axes on a page so many units wide."""
        for x, (_, words) in zip(self._along(self.x), self.x.ticks, strict=True):
            if self.x.top and self.x.turn:
                middle = x + 3 + LINE * words.count("\n") / 3
                yield from lines_of(Text(middle, self.top - 7, words, "tick", "start", self.x.turn), above=1.0)
            else:
                anchor = "end" if x + LETTER * len(words) / 2 >= width and "\n" not in words else "middle"
                y = self.top - 8 if self.x.top else self.bottom + _TICK_X
                yield from lines_of(Text(x, y, words, "tick", anchor), above=float(self.x.top))
        if self.y is not None:
            for y, (_, words) in zip(self._along(self.y), self.y.ticks, strict=True):
                yield from lines_of(Text(self.left - _TICK_Y, y + 4, words, "tick", "end"), above=0.5)
            yield Text(_EDGE, (self.top + self.bottom) / 2, self.y.name, "lab", turn=-90)
        if self.x.name:
            half = LETTER * max(map(len, self.x.name.split("\n"))) / 2  # a long name keeps to the page
            x = min(max((self.left + self.right) / 2, half), width - half) if 2 * half < width else width / 2
            yield from lines_of(Text(x, _EDGE if self.x.top else self.bottom + _NAME, self.x.name, "lab"))

    def _along(self, axis: Axis) -> list[float]:
        """Return where the ticks of an axis lie: units across of the x axis, down of the other."""
        start, stop = (self.left, self.right) if axis is self.x else (self.bottom, self.top)
        return [float(v) for v in start + (stop - start) * axis.part(np.array([value for value, _ in axis.ticks]))]


class Figure(ABC):
    """What has a drawing."""

    __slots__ = ()

    @property
    @abstractmethod
    def drawing(self) -> Drawing:
        """What is drawn."""

    @property
    def turns(self) -> bool:
        """Whether a page can turn it, for which it needs a script."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Drawing(Figure):
    """A picture: its size in units of the page, what it is called, what it says in words, and what is drawn, in order."""

    width: float
    height: float
    title: str
    words: str
    items: tuple[Item, ...]
    panel: Panel | None = None
    heading: str = ""  # what stands above it where no page does
    symbols: tuple[tuple[str, tuple[Layer, ...]], ...] = ()
    apart: tuple[Drawing, ...] = ()  # the same in pieces, so many abreast as a page has room for, or with room to be turned
    abreast: int = 1
    wide: bool = False

    @property
    def drawing(self) -> Drawing:
        """Itself."""
        return self

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The box of the page that axes take: the panel, or with one axis as wide as the words beside it are."""
        if self.panel is None:
            return 0.0, 0.0, self.width, self.height
        if self.panel.y is None:
            return SIDE, self.panel.top, self.width - SIDE, self.panel.bottom
        return self.panel.left, self.panel.top, self.panel.right, self.panel.bottom


def segment(start: tuple[float, float], end: tuple[float, float], style: str, *, page: bool = False) -> Line:
    """Return a straight line."""
    return Line(np.array([start, end]), style, page=page)


def lines_of(text: Text, *, above: float = 0.0) -> Iterator[Text]:
    """Yield the lines of words one below the other: of those after the first, so large a part lies `above` the place."""
    lines, turn = text.words.split("\n"), math.radians(text.turn)
    for i, words in enumerate(lines):
        down = LINE * (i - above * (len(lines) - 1))
        yield replace(text, x=text.x - down * math.sin(turn), y=text.y + down * math.cos(turn), words=words)


def box(across: tuple[float, float], down: tuple[float, float], style: str, *, page: bool = False) -> Area:
    """Return an upright box between two values across and two heights."""
    (low, high), (top, foot) = across, down
    return Area((np.array([(low, top), (high, top), (high, foot), (low, foot)]),), style, page=page)


def band(low: FloatArray, high: FloatArray, style: str, *, label: str = "") -> Area:
    """Return the area between two lines."""
    return Area((np.concatenate([low, high[::-1]]),), style, label=label, styled=True)


def mark(x: float, y: float, shape: str, size: float, style: str, *, page: bool = False, label: str = "") -> Marks:
    """Return a single mark."""
    return Marks(np.array([(x, y)]), shape, size, style, page=page, label=label)


def every_item(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, those of groups too."""
    for item in items:
        if isinstance(item, Group):
            yield from every_item(item.items)
        else:
            yield item


def line_of(x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> FloatArray:
    """Return points by their two coordinates."""
    return np.column_stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)])
