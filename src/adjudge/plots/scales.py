"""Pictures above one axis of values: where it begins and ends, its ticks, and what is read against it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass, replace
from adjudge.plots.drawing import LINE, SIDE, WIDTH, Axis, Drawing, Item, Panel, Text, lines_of, segment
from adjudge.plots.labels import ems, in_lines
from adjudge.plots.simplex import heap_heights
from adjudge.plots.style import LETTER, LETTERS

LANE = 16.0  # units down of a line of words
_PAD = 0.06  # room beside what is drawn, as a share of it
_LONGEST = 9  # digits of a tick before it is written with a power of ten
_WIDEST = 2.5  # how many times longer an axis may become to show a value to compare with
_TOP, _BOTTOM = 4.0, 46.0  # units above and below the panel
_MOST_WORDS = 120  # letters of the name of an axis or a row
_CAP = 4.5  # half the height of the ends of a bar


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` on until `high` is reached, at most about `most` of them.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / (most - 1)))
    step = next(power * m for m in (1, 2, 2.5, 5, 10, 20) if span / (power * m) <= most - 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def shares(end: float = 1.0) -> tuple[tuple[float, str], ...]:
    """Return round shares up to `end` as percentages."""
    return tuple((v, f"{100 * v:g}%") for v in ticks(0, end))


def equally_long(values: Sequence[float], *, percent: bool) -> list[str]:
    """Return ticks with as few decimals as tell every one of them exactly.

    >>> equally_long([0.9, 0.925, 0.95], percent=True)
    ['90.0%', '92.5%', '95.0%']
    """
    scale, sign = (100, "%") if percent else (1, "")
    near = 1e-6 * min((b - a for a, b in pairwise(values)), default=1.0)
    digits = next((d for d in range(13) if all(abs(round(scale * v, d) - scale * v) <= scale * near for v in values)), 13)
    return [f"{scale * v:.{digits}f}{sign}" for v in values]


@dataclass(frozen=True, slots=True)
class Scale:
    """Values along a line from `start` to `stop`; none can be less than `low` or more than `high`."""

    start: float
    stop: float
    low: float = -math.inf
    high: float = math.inf
    percent: bool = False

    def part(self, value: Any) -> Any:
        """Return how far along the line a value lies: 0 at its start, 1 at its stop."""
        return (value - self.start) / (self.stop - self.start)

    def nearest(self, value: float) -> float:
        """Return the value nearest to one that may lie beyond the ends."""
        return min(max(value, self.start), self.stop)

    def across(self, value: float) -> float:
        """Return units across a picture to a value, or to the edge that it lies beyond."""
        return float(WIDTH * self.part(self.nearest(value)))

    @property
    def impossible(self) -> tuple[tuple[float, float], ...]:
        """The parts of the line that no value can reach."""
        parts = ((self.start, min(self.low, self.stop)), (max(self.high, self.start), self.stop))
        return tuple((low, high) for low, high in parts if low < high)

    def ticks(self, room: int, most: int = 6, *, apart: int = 2, powers: bool = True) -> list[tuple[float, str]]:
        """Return round possible values and how they are written, as many as `room` letters allow, so many `apart`."""
        start, stop = max(self.start, self.low), min(self.stop, self.high)
        at, words = list[float](), list[str]()
        for wanted in range(most, 2, -1):
            at = [v for v in ticks(self.start, self.stop, wanted) if start <= v <= stop]
            words = equally_long(at, percent=self.percent)
            if max(map(len, words), default=0) > _LONGEST and powers and not self.percent:
                words = [f"{Decimal(f'{value:.12g}').normalize():e}" for value in at]  # losses may be of any size
            if sum(len(each) + apart for each in words) <= room:
                break
        return list(zip(at, words, strict=True))

    def axis(self, name: str, room: int, most: int = 6, *, grid: bool = False, notched: bool = False) -> Axis:
        """Return an axis of these values with as many ticks as there is room for."""
        return Axis(self.start, self.stop, tuple(self.ticks(room, most)), name, grid=grid, notched=notched)


def scale_of(
    values: Iterable[float], near: Sequence[float] = (), *, low: float = -math.inf, high: float = math.inf, percent: bool = False
) -> Scale:
    """Return an axis that holds all finite values, and those to compare with that lie near.

    Beside them there is some room, but not beyond what is possible unless a value is.
    """
    known = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    start, stop = min(known), max(known)
    if stop - start <= 1e-12 * max(abs(start), abs(stop)):
        about = 0.05 * abs(start) or 0.05
        start, stop = start - about, stop + about
    near = [v for v in near if math.isfinite(v) and max(stop, v) - min(start, v) <= _WIDEST * (stop - start)]
    start, stop = min([start, *near]), max([stop, *near])
    pad = _PAD * (stop - start)
    first = max(start - pad, low) if min([*known, *near]) >= low else start - pad
    last = min(stop + pad, high) if max([*known, *near]) <= high else stop + pad
    return Scale(first, last, low, high, percent)


def swarm(at: FloatArray, apart: float) -> FloatArray:
    """Return steps to the side by which dots nearer than `apart` are kept from hiding each other, as many to either side.

    >>> swarm(np.array([1.0, 1.1, 5.0, 0.9]), 1).tolist()
    [-1.0, 0.0, 0.0, 1.0]
    """
    _, heap, sizes = np.unique(np.rint(at / apart), return_inverse=True, return_counts=True)
    return np.asarray(heap_heights(heap) - (sizes[heap] - 1) / 2)


@dataclass(frozen=True, slots=True)
class Mark:
    """A value to compare with, such as chance; one too far away is pointed at from the edge, `at`."""

    words: str
    value: float
    at: float

    @property
    def far(self) -> int:
        """-1 or 1 where the value lies beyond the left or right edge, else 0."""
        return (self.value > self.at) - (self.value < self.at)

    def label(self, x: float, i: int, below: float) -> Text:
        """Return its words on line `i` below all rows, beside its line, or at the edge beyond which it lies."""
        words = f"◂ {self.words}" if self.far < 0 else f"{self.words} ▸" if self.far > 0 else self.words
        right, wide = self.far < 0 or x + LETTER * len(words) < WIDTH, LETTERS * ems(words)
        beside = 0 if self.far else 5
        if not right and x - beside < wide:  # neither side has room
            return Text(min(x, WIDTH - wide), below + LANE * i + 10 - 4, words, "aside", "start")
        return Text(x + beside if right else x - beside, below + LANE * i + 10 - 4, words, "aside", "start" if right else "end")


def in_turn(marks: Sequence[tuple[str, float]], scale: Scale, across: Callable[[float], float]) -> tuple[Mark, ...]:
    """Return known marks from top to bottom, so that the line of none passes through the words of another."""
    placed = [Mark(words, value, scale.nearest(value)) for words, value in marks]
    room = all(across(mark.at) + LETTER * len(mark.words) < WIDTH for mark in placed if not mark.far)
    return tuple(sorted(placed, key=lambda mark: mark.value, reverse=room))


def uprights(
    ticks: Sequence[tuple[float, str]], marks: Sequence[Mark], spans: Sequence[tuple[float, float]], below: float, height: float
) -> list[Item]:
    """Return upright lines through `spans` of units down: those of ticks to the axis, those of marks to their words `below`."""
    *above, (last, _) = spans
    lines = [(value, height, "grid") for value, _ in ticks]
    lines += [(mark.at, below + LANE * i + 10, "ref") for i, mark in enumerate(marks) if not mark.far]
    return [segment((x, top), (x, end), style) for x, foot, style in lines for top, end in (*above, (last, foot))]


def centred(x: float, down: float, words: str, style: str) -> Text:
    """Return words around a place, or as near to it as the paper allows."""
    half = LETTER * len(words) / 2
    return Text(min(max(x, half), WIDTH - half), down, words, style)


def bar(low: float, high: float, down: float) -> list[Item]:
    """Return an interval as a bar with ends."""
    ends = [segment((end, down - _CAP), (end, down + _CAP), "bar") for end in (low, high)]
    return [segment((low, down), (high, down), "bar"), *ends]


def on_page(x: float, y: float) -> tuple[float, float]:
    """Return where units across and down from the corner of such a picture lie on the page."""
    return SIDE + x, _TOP + y


def above_axis(
    items: Iterable[Item],
    labels: Iterable[Text],
    axis: Axis,
    ends: tuple[float, float, float],
    told: tuple[str, str, str],
    above: float = 0.0,
) -> Drawing:
    """Return items above an axis with `ends` left, right and below, and more room `above` them.

    `told` are the title, the words and the heading.
    """
    left, right, height = ends
    axis, more = in_room(axis)
    panel = Panel(*on_page(left, above), *on_page(right, above + height), axis)
    title, words, heading = told
    placed = [replace(each, x=SIDE + each.x, y=_TOP + above + each.y, style=f"{each.style} halo") for each in labels]
    return Drawing(WIDTH + 2 * SIDE, panel.bottom + _BOTTOM + more, title, words, (*items, *placed), panel, heading)


def in_room(axis: Axis) -> tuple[Axis, float]:
    """Return an axis whose name fits the page, in two lines if it is long, and the units down that these take more."""
    name = in_lines([axis.name], (WIDTH + 2 * SIDE - 8) / LETTERS, longest=_MOST_WORDS)[0] if axis.name else ""
    return replace(axis, name=name), LINE * name.count("\n")


def headed(name: str, words: str) -> str:
    """Return the name above a row, in lines of which the last has room for the words of the row, on the right."""
    if LETTERS * (ems(name, bold=True) + ems(words)) + 12 <= WIDTH:
        return name
    return in_lines([name], WIDTH / LETTERS, longest=_MOST_WORDS, bold=True)[0] + "\n"


def head(name: str, words: str, down: float) -> list[Text]:
    """Return the lines of the name above a row and its words, the last of them so far down."""
    lines = lines_of(Text(0, down, headed(name, words), "head", "start"), above=1.0)
    return [*(line for line in lines if line.words), Text(WIDTH, down, words, "key", "end")]
