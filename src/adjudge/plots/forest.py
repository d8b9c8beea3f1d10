"""Forest plots: values with their limits, one beneath the other on one axis.

Folds of a learner, or classifiers to be ranked: a row each, with its name before it and its value behind. What they come
to is set apart below, each with its name on a line of its own. Lengths across and down are units of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from textwrap import wrap
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass, field, replace
from adjudge.plots.drawing import LINE, WIDTH, Axis, Drawing, Figure, Item, Line, Marks, Text, box, line_of, lines_of, segment
from adjudge.plots.labels import ems, in_lines, named
from adjudge.plots.quantities import Words, bounds, is_share, measure_name
from adjudge.plots.scales import LANE, Mark, Scale, above_axis, bar, head, headed, in_turn, on_page, scale_of, swarm, uprights
from adjudge.plots.style import LETTER, LETTERS

STEP = 15.0  # units down of a row
_HEADED, _APART = 36.0, 12.0  # of a row with a line of its own for its name, and between rows and what they come to
_DOT = 2.6  # radius of a dot that is one of many
_LONGEST = 144.0  # units of a name before a row, where there is no room for more
_LEAST = 170.0  # units across that names leave to the axis
_SIZES = {"diamond": 6.0, "tick": 6.0, "cross": 4.5}
_LARGE, _SMALL = 4.2, 3.2  # radius of a disc or a ring, of rows set apart and of others
_TALLEST = 40.0  # units down that dots beside each other may take
_BESIDE, _LONGER = 6.0, 4.0  # units beside names and words, and of a line beyond the rows that it joins
_JOINED = 7.0, 63.0  # units between lines that join rows, and that all of them may take


@dataclass(frozen=True, slots=True)
class Row:
    """A value, perhaps with limits and dots behind it; one that is not known has words only."""

    name: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    words: str = ""
    shape: str = "disc"  # disc, diamond, ring, tick, or cross with the bar of what is commonly reported
    colour: int = 0
    headed: bool = False  # whether it is set apart, its name and words on a line of their own
    dots: tuple[float, ...] = ()
    whole: str = ""  # the name before it was cut

    @property
    def limited(self) -> bool:
        """Whether it has limits to draw."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def valued(self) -> bool:
        """Whether it has a value to draw."""
        return math.isfinite(self.value)

    def items(self, down: float) -> Iterator[Item]:
        """Yield its interval and its mark, so many units down."""
        if self.limited and self.shape == "cross":
            yield from bar(self.low, self.high, down)
        elif self.limited:
            style = f"{'heavy' if self.headed else 'thin'} line{self.colour}"
            yield Line(line_of([self.low, self.high], [down] * 2), style, styled=True)
        if self.valued:
            style = {"ring": f"ring line{self.colour}", "tick": "bar", "cross": "bar"}.get(self.shape, f"mark{self.colour}")
            size = _SIZES.get(self.shape, _LARGE if self.headed else _SMALL)
            shape = "disc" if self.shape == "ring" else self.shape
            yield Marks(line_of([self.value], [down]), shape, size, style, label=self.whole or self.name, styled=True)


def limited_row(name: str, value: float, limits: Any, words: Words, shape: str = "disc", colour: int = 0) -> Row:
    """Return a value set apart, with limits that have a low and a high end, if there are some."""
    low, high = ends_of(limits)
    told = words(value) if limits is None else f"{words(value)}, {words(low)} to {words(high)}"
    return Row(name, value, low, high, told, shape, colour, headed=True)


def ends_of(limits: Any) -> tuple[float, float]:
    """Return the ends of an interval, NaN where there is none."""
    return (math.nan, math.nan) if limits is None else (limits.low, limits.high)


def forest_of(measure: str, rows: Sequence[Row], about: str, **more: Any) -> Forest:
    """Return values of one measure on an axis between its bounds, which says what else there is to know `about` them."""
    return Forest(rows, axis=f"{measure_name(measure)}{about}", bounds=bounds(measure), percent=is_share(measure), **more)


@dataclass(frozen=True, slots=True, eq=False)
class Forest(Figure):
    """Rows on one axis that holds all of them, those set apart last, with the values and the band they are read against."""

    rows: Sequence[Row]
    axis: str
    _: KW_ONLY
    bounds: tuple[float, float] = (-math.inf, math.inf)  # the least and greatest values there can be
    percent: bool = False
    marks: Sequence[tuple[str, float]] = ()  # words and values to compare with
    band: tuple[float, float] | None = None
    title: str = ""
    heads: tuple[str, str] | None = None  # what the names and the words of the rows are, above them
    joined: Sequence[tuple[int, int]] = ()  # the first and the last of rows, counted from 0, with a line beside them
    note: str = ""  # how to read it, on lines of its own below the rows
    scale: Scale = field(init=False)
    left: float = field(init=False)
    right: float = field(init=False)  # units across to where the axis begins and ends
    step: float = field(init=False)  # units down of a row, more where names have two lines
    joins: tuple[float, ...] = field(init=False)  # units across to the lines that join rows

    def __post_init__(self) -> None:
        parts, apart = ([row for row in self.rows if row.headed == headed] for headed in (False, True))
        lasts, columns = list[int](), list[int]()  # lines that join rows: as few columns of them as keep all apart
        for first, last in self.joined:
            columns.append(next((i for i, end in enumerate(lasts) if end < first), len(lasts)))
            lasts[columns[-1] : columns[-1] + 1] = [last]
        wide = min(_JOINED[0], _JOINED[1] / max(len(lasts), 1))
        beside = wide * len(lasts)
        words = [row.words for row in parts if row.valued]
        room = WIDTH - _LEAST - (LETTER * max(map(len, words), default=0) + beside)
        shown = in_lines([row.name for row in parts], max(_LONGEST, room) / LETTERS)
        parts = [replace(row, name=name, whole=row.name) for row, name in zip(parts, shown, strict=True)]
        over = self.heads or ("", "")
        left, right = (
            max((LETTERS * ems(line) + _BESIDE for each in side for line in each.split("\n") if line), default=0.0)
            for side in ((over[0], *shown), (over[1], *words))
        )
        right = WIDTH - right - beside
        every = [v for row in self.rows for v in (row.value, row.low, row.high, *row.dots)]
        low, high = self.bounds
        scale = scale_of(every, [v for _, v in self.marks], low=low, high=high, percent=self.percent)
        joins = tuple(right + _BESIDE + wide * column for column in columns)
        placed = {"rows": (*parts, *apart), "band": self.band if parts else None, "scale": scale, "joins": joins}
        step = STEP + LINE * max((name.count("\n") for name in shown), default=0)
        for name, value in (placed | {"left": left, "right": right, "step": step}).items():
            object.__setattr__(self, name, value)

    def across(self, value: float) -> float:
        """Return units across to a value."""
        return float(self.left + (self.right - self.left) * self.scale.part(value))

    @property
    def compared(self) -> tuple[Mark, ...]:
        """The known marks from top to bottom."""
        return in_turn([(words, v) for words, v in self.marks if math.isfinite(v)], self.scale, self.across)

    @property
    def parts(self) -> tuple[Row, ...]:
        """The rows that are not set apart."""
        return tuple(row for row in self.rows if not row.headed)

    @property
    def drawing(self) -> Drawing:
        """Rows on one axis, and what they are read against."""
        scale, parts, top, marks = self.scale, len(self.parts), LANE if self.heads else 0.0, self.compared
        foot = top + self.step * parts
        bottom, down, spans = foot + (_APART if 0 < parts < len(self.rows) else 0.0), [], [(top, foot)] if parts else []
        dots = [self._dots(row) for row in self.rows]
        for i, (row, (_, _, tall)) in enumerate(zip(self.rows, dots, strict=True)):
            bottom += LINE * headed(row.name, row.words).count("\n") if row.headed else 0.0
            down.append(bottom + _HEADED - 12 + tall / 2 if row.headed else top + self.step * (i + 0.5))
            if row.headed:
                spans.append((down[-1] - tall / 2 - 7, down[-1] + tall / 2 + 7))
                bottom += _HEADED + tall
        note = wrap(self.note, int(WIDTH / LETTER))
        height = bottom + LANE * (len(marks) + len(note)) + 4
        ticks = scale.ticks(int((self.right - self.left) / LETTER))
        items: list[Item] = [box(ends, span, "beyond") for span in spans for ends in scale.impossible]
        if self.band is not None:
            items.append(box((scale.nearest(self.band[0]), scale.nearest(self.band[1])), spans[0], "area0"))
        items += uprights(ticks, marks, spans or [(0.0, 0.0)], bottom, height)
        if 0 < parts < len(self.rows):
            items.append(segment(on_page(0, foot + _APART / 2), on_page(WIDTH, foot + _APART / 2), "grid", page=True))
        labels = []
        if self.heads:
            ends = zip((self.left - _BESIDE, WIDTH), self.heads, strict=True)
            labels = [Text(x, LANE - 6, words, "aside", "end") for x, words in ends]
        labels += [Text(0, height - 6 - LANE * up, line, "aside", "start") for up, line in enumerate(reversed(note))]
        for row, y, (across, steps, tall) in zip(self.rows, down, dots, strict=True):
            at = line_of(across, y + steps) + on_page(0, 0)
            items += [Marks(at, "disc", _DOT, f"faint mark{row.colour}", page=True)] if len(at) else []
            items += row.items(y)
            labels += self._labels(row, y, tall)
        for (first, last), x in zip(self.joined, self.joins, strict=True):
            start, end = on_page(x, down[first] - _LONGER), on_page(x, down[last] + _LONGER)
            items.append(segment(start, end, "heavy line4", page=True))
        labels += [mark.label(self.across(mark.at), i, bottom) for i, mark in enumerate(marks)]
        axis = Axis(scale.start, scale.stop, tuple(ticks), self.axis)
        title = f"Forest plot: {self.title}" if self.title else "Forest plot"
        return above_axis(items, labels, axis, (self.left, self.right, height), (title, self.words, self.title))

    @property
    def words(self) -> str:
        """What the picture says; what the rows come to first."""
        joined = ", ".join(f"{self.rows[first].whole} to {self.rows[last].whole}" for first, last in self.joined)
        rows = (*(row for row in self.rows if row.headed), *self.parts)
        told = [": ".join(filter(None, (row.whole or row.name, row.words))) for row in rows]
        said = [self.title, f"{self.note}: {joined}" if joined else self.note, *told, *(mark.words for mark in self.compared)]
        return "; ".join(each for each in said if each)

    def _dots(self, row: Row) -> tuple[FloatArray, FloatArray, float]:
        """Return units across to dots, beside each other where they would hide each other, down from the row, and in all."""
        x = np.array([self.across(v) for v in row.dots if math.isfinite(v)])
        steps = swarm(x, 2 * _DOT)
        wide = float(np.ptp(steps)) if steps.size else 0.0
        tall = min(_TALLEST, 2 * _DOT * wide) if row.headed else 0.0
        most = tall if row.headed else STEP - 2 * _DOT
        return x, steps * (min(2 * _DOT, most / wide) if wide else 0.0), tall

    def _labels(self, row: Row, down: float, tall: float) -> Iterator[Text]:
        """Yield the name and the words of a row."""
        if row.headed:
            yield from head(row.name, row.words, down - tall / 2 - 11)
            return
        yield from lines_of(Text(self.left - _BESIDE, down + 4, row.name, "aside", "end"), above=0.5)
        if row.valued:
            yield Text(WIDTH, down + 4, row.words, "key", "end")
        elif row.words:
            yield Text(self.left, down + 4, named([row.words], int((WIDTH - self.left) / LETTER))[0], "aside", "start")
