"""Forest plots: values with their limits, one beneath the other on one axis.

Folds of a learner, or classifiers to be ranked: a row each, with its name before it and its value behind. What they come
to is set apart below, each with its name on a line of its own. Lengths across and down are units of the page, for
which the words are set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.densities import Mark, bar, mark_label, placed
from adjudge.plots.drawing import (
    LETTER,
    SIDE,
    WIDTH,
    Axis,
    Drawing,
    Figure,
    Item,
    Line,
    Marks,
    Panel,
    Text,
    box,
    line_of,
    segment,
)
from adjudge.plots.labels import named, told_apart
from adjudge.plots.scales import Scale, scale_of, swarm

STEP, HEADED, APART, LANE = 15.0, 36.0, 12.0, 16.0
"""Units down: of a row, of one with a line of its own for its name, between rows and what they come to, of words."""
DOT = 2.6
"""The radius of a dot that is one of many."""
LONGEST = 18
"""Letters of a name before a row, where there is no room for more."""
_LEAST = 170.0  # units across that names leave to the axis
_TOP, _BOTTOM = 4.0, 46.0
_SIZES = {"diamond": 6.0, "tick": 6.0, "cross": 4.5}
_LARGE, _SMALL = 4.2, 3.2  # radius of a disc or a ring, of rows set apart and of others
_TALLEST = 40.0  # units down that dots beside each other may take
_BESIDE = 6.0
_JOINED = 7.0, 63.0  # units between lines that join rows, and that all of them may take


@dataclass(frozen=True, slots=True)
class Join:
    """An upright line beside rows that belong together: units across to it, down to its ends, and which rows they are."""

    x: float
    top: float
    foot: float
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """A value, perhaps with limits; one that is not known has words only."""

    name: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    words: str = ""
    shape: str = "disc"
    """disc, diamond, ring, tick, or cross with the bar of what is commonly reported."""
    colour: int = 0
    headed: bool = False
    """Whether it is set apart, its name and words on a line of their own."""
    dots: tuple[float, ...] = ()
    """Single values behind it."""
    down: float = 0.0
    """Units down to it."""
    whole: str = ""
    """The name before it was cut."""

    @property
    def limited(self) -> bool:
        """Whether it has limits to draw."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def told(self) -> str:
        """What the row says."""
        name = self.whole or self.name
        return f"{name}: {self.words}" if self.words else name


@dataclass(frozen=True, slots=True, eq=False)
class Forest(Figure):
    """Rows on one axis, with the values and the band they are read against."""

    rows: tuple[Row, ...]
    scale: Scale
    axis: str
    left: float
    right: float
    """Units across to where the axis begins and ends."""
    bottom: float
    """Units down to the end of the last row."""
    marks: tuple[Mark, ...] = ()
    band: tuple[float, float] | None = None
    title: str = ""
    heads: tuple[str, str] | None = None
    """What the names and the words of the rows are, above them."""
    joins: tuple[Join, ...] = ()
    note: str = ""
    """How to read it, on a line of its own below the rows."""

    @property
    def top(self) -> float:
        """Units down to the first row."""
        return LANE if self.heads else 0.0

    def across(self, value: float) -> float:
        """Return units across to a value."""
        return self.left + (self.right - self.left) * self.scale.part(value)

    @property
    def parts(self) -> tuple[Row, ...]:
        """The rows that are not set apart."""
        return tuple(row for row in self.rows if not row.headed)

    @property
    def dividing(self) -> float | None:
        """Units down to the line between the rows and what they come to."""
        first = next((row for row in self.rows if row.headed), None)
        return None if first is None or not self.parts else self.parts[-1].down + STEP / 2 + APART / 2

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """Units down to the ends of upright lines, which leave out the names of rows set apart."""
        found = [(self.top, self.parts[-1].down + STEP / 2)] if self.parts else []
        found += [(row.down - self.tall(row) / 2 - 7, row.down + self.tall(row) / 2 + 7) for row in self.rows if row.headed]
        return tuple(found)

    def foot(self, i: int) -> float:
        """Return units down to where the line of a mark ends, beside its words."""
        return self.bottom + LANE * i + 10

    @property
    def height(self) -> float:
        """Units down to the axis."""
        return self.bottom + LANE * (len(self.marks) + bool(self.note)) + 4

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.scale.ticks(int((self.right - self.left) / LETTER))

    def tall(self, row: Row) -> float:
        """Return units down that the dots of a row take."""
        return _tall([self.across(v) for v in row.dots]) if row.headed else 0.0

    def dots(self, row: Row) -> tuple[FloatArray, FloatArray]:
        """Return units across and down to the dots of a row, beside each other where they would hide each other."""
        at = np.array([self.across(v) for v in row.dots if math.isfinite(v)])
        steps = swarm(at, 2 * DOT)
        most = self.tall(row) if row.headed else STEP - 2 * DOT
        return at, row.down + steps * _step(steps, most)

    @property
    def labels(self) -> tuple[Text, ...]:
        """Every word of the picture but those of the axis."""
        heads = []
        if self.heads:
            names, words = self.heads
            heads = [Text(self.left - _BESIDE, LANE - 6, names, "aside", "end"), Text(WIDTH, LANE - 6, words, "aside", "end")]
        heads += [Text(0, self.height - 6, self.note, "aside", "start")] if self.note else []
        rows = (label for row in self.rows for label in _row_labels(self, row))
        marks = (mark_label(mark, self.across(mark.at), self.foot(i)) for i, mark in enumerate(self.marks))
        return (*heads, *rows, *marks)

    @property
    def words(self) -> str:
        """What the picture says; what the rows come to first."""
        rows = [row.told for row in (*(row for row in self.rows if row.headed), *self.parts)]
        joined = f"{self.note}: {', '.join(join.words for join in self.joins)}" if self.joins else self.note
        said = [self.title, joined, *rows, *(mark.words for mark in self.marks)]
        return "; ".join(each for each in said if each)

    @property
    def drawing(self) -> Drawing:
        """Rows on one axis, and what they are read against."""
        items: list[Item] = [box(ends, span, "beyond") for span in self.spans for ends in self.scale.impossible]
        if self.band is not None:
            low, high = (self.scale.nearest(v) for v in self.band)
            items.append(box((low, high), self.spans[0], "area0"))
        uprights = [(v, self.height, "grid") for v, _ in self.ticks]
        uprights += [(mark.at, self.foot(i), "ref") for i, mark in enumerate(self.marks) if not mark.far]
        for value, foot, style in uprights:
            *above, last = self.spans or ((0.0, foot),)  # a line leaves out the names of rows set apart
            items += [segment((value, top), (value, bottom), style) for top, bottom in (*above, (last[0], foot))]
        if self.dividing is not None:
            down = _TOP + self.dividing
            items.append(segment((SIDE, down), (SIDE + WIDTH, down), "grid", page=True))
        for row in self.rows:
            items += _row_items(self, row)
        for join in self.joins:
            ends = (SIDE + join.x, _TOP + join.top), (SIDE + join.x, _TOP + join.foot)
            items.append(segment(*ends, "heavy line4", page=True))
        items += placed(self.labels, _TOP)
        axis = Axis(self.scale.start, self.scale.stop, tuple(self.ticks), self.axis)
        panel = Panel(SIDE + self.left, _TOP, SIDE + self.right, _TOP + self.height, axis)
        title = f"Forest plot: {self.title}" if self.title else "Forest plot"
        return Drawing(WIDTH + 2 * SIDE, panel.bottom + _BOTTOM, title, self.words, tuple(items), panel, self.title)


def forest(
    rows: Sequence[Row],
    *,
    axis: str,
    low: float = -math.inf,
    high: float = math.inf,
    percent: bool = False,
    marks: Sequence[tuple[str, float]] = (),
    band: tuple[float, float] | None = None,
    title: str = "",
    heads: tuple[str, str] | None = None,
    joined: Sequence[tuple[int, int]] = (),
    note: str = "",
) -> Forest:
    """Return rows placed one beneath the other: those set apart last, on an axis that holds all of them.

    `low` and `high` are the least and greatest values there can be, `marks` are words and values to compare with, `joined` are
    the first and the last of rows, counted from 0, to be joined by a line beside them.
    """
    parts, apart = ([row for row in rows if row.headed == headed] for headed in (False, True))
    columns = _columns(joined)
    beside = LETTER * max((len(row.words) for row in parts if _valued(row)), default=0) + _apart(columns) * (
        max(columns, default=-1) + 1
    )
    longest = max(LONGEST, int((WIDTH - _LEAST - beside) / LETTER))
    shown = told_apart([row.name for row in parts], longest)
    parts = [replace(row, name=name, whole=row.name) for row, name in zip(parts, shown, strict=True)]
    every = [v for row in rows for v in (row.value, row.low, row.high, *row.dots)]
    scale = scale_of(every, [v for _, v in marks], low=low, high=high, percent=percent)
    ends = _ends(parts, heads, columns)
    found = Forest((), scale, axis, *ends, 0.0, (), band if parts else None, title, heads, (), note)
    placed, bottom = _placed(found, parts, apart)
    near = [Mark(words, v, scale.nearest(v)) for words, v in marks if math.isfinite(v)]
    found = replace(found, rows=placed, bottom=bottom, marks=_in_turn(near, found))
    return replace(found, joins=_joins(found, joined, columns))


def _ends(parts: Sequence[Row], heads: tuple[str, str] | None, columns: Sequence[int]) -> tuple[float, float]:
    """Return units across to the ends of the axis, which leave room for names, words, and lines that join rows."""
    over = heads or ("", "")
    names = [over[0], *(row.name for row in parts)]
    words = [over[1], *(row.words for row in parts if _valued(row))]
    left, right = (max((LETTER * len(each) + _BESIDE for each in side if each), default=0.0) for side in (names, words))
    return left, WIDTH - right - _apart(columns) * (max(columns, default=-1) + 1)


def _columns(joined: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many lines stand before each one beside the rows: as few as keep all apart."""
    ends: list[int] = []
    found = []
    for first, last in joined:
        free = next((i for i, end in enumerate(ends) if end < first), len(ends))
        ends[free : free + 1] = [last]
        found.append(free)
    return found


def _apart(columns: Sequence[int]) -> float:
    wide, most = _JOINED
    return min(wide, most / (max(columns, default=0) + 1))


def _joins(found: Forest, joined: Sequence[tuple[int, int]], columns: Sequence[int]) -> tuple[Join, ...]:
    """Return the lines from the middle of their first row to that of their last, and a little further."""
    apart, longer, rows = _apart(columns), 4.0, found.parts
    ends = [
        (rows[first], rows[last], found.right + _BESIDE + apart * column)
        for (first, last), column in zip(joined, columns, strict=True)
    ]
    return tuple(Join(x, one.down - longer, other.down + longer, f"{one.name} to {other.name}") for one, other, x in ends)


def _valued(row: Row) -> bool:
    return math.isfinite(row.value)


def _placed(found: Forest, parts: Sequence[Row], apart: Sequence[Row]) -> tuple[tuple[Row, ...], float]:
    """Return the rows with their places, and units down to the end of the last."""
    rows = [replace(row, down=found.top + STEP * (i + 0.5)) for i, row in enumerate(parts)]
    down = found.top + STEP * len(parts) + (APART if parts and apart else 0.0)
    for row in apart:
        tall = found.tall(row)
        rows.append(replace(row, down=down + HEADED - 12 + tall / 2))
        down += HEADED + tall
    return tuple(rows), down


def _tall(at: Sequence[float]) -> float:
    steps = swarm(np.array([v for v in at if math.isfinite(v)]), 2 * DOT)
    return float(min(_TALLEST, 2 * DOT * np.ptp(steps))) if steps.size else 0.0


def _step(steps: FloatArray, most: float) -> float:
    """Return units between dots beside each other: as far apart as `most` units allow for all of them."""
    wide = float(np.ptp(steps)) if steps.size else 0.0
    return min(2 * DOT, most / wide) if wide else 0.0


def _in_turn(marks: Sequence[Mark], found: Forest) -> tuple[Mark, ...]:
    """Return marks from top to bottom, so that the line of none passes through the words of another."""
    ends = [(found.across(mark.at), LETTER * len(mark.words)) for mark in marks if not mark.far]
    return tuple(sorted(marks, key=lambda mark: mark.value, reverse=all(x + wide < WIDTH for x, wide in ends)))


def _row_labels(found: Forest, row: Row) -> Iterator[Text]:
    if row.headed:
        y = row.down - found.tall(row) / 2 - 11
        yield Text(0, y, row.name, "head", "start")
        yield Text(WIDTH, y, row.words, "key", "end")
    else:
        yield Text(found.left - _BESIDE, row.down + 4, row.name, "aside", "end")
        if _valued(row):
            yield Text(WIDTH, row.down + 4, row.words, "key", "end")
        elif row.words:
            room = int((WIDTH - found.left) / LETTER)
            yield Text(found.left, row.down + 4, named([row.words], room)[0], "aside", "start")


def _row_items(found: Forest, row: Row) -> Iterator[Item]:
    """Yield the dots behind a row, its interval and its mark."""
    x, y = found.dots(row)
    if x.size:
        yield Marks(line_of(x + SIDE, y + _TOP), "disc", DOT, f"faint mark{row.colour}", page=True)
    if row.limited and row.shape == "cross":
        yield from bar(row.low, row.high, row.down)
    elif row.limited:
        line = line_of([row.low, row.high], [row.down] * 2)
        yield Line(line, f"{'heavy' if row.headed else 'thin'} line{row.colour}", styled=True)
    if _valued(row):
        style = {"ring": f"ring line{row.colour}", "tick": "bar", "cross": "bar"}.get(row.shape, f"mark{row.colour}")
        size = _SIZES.get(row.shape, _LARGE if row.headed else _SMALL)
        shape = "disc" if row.shape == "ring" else row.shape
        yield Marks(line_of([row.value], [row.down]), shape, size, style, label=row.name, styled=True)
