"""The geometry of a forest plot: values with their limits, one beneath the other on one axis.

Folds of a learner, or classifiers to be ranked: a row each, with its name before it and its value behind. What they come
to is set apart below, each with its name on a line of its own. Lengths across and down are units of the page, for
which the words are set; both drawings use the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.plots.densities import LETTER, WIDTH, Label, Mark
from adjudge.plots.labels import named
from adjudge.plots.scales import Scale, scale_of, swarm

STEP, HEADED, APART, LANE = 15.0, 36.0, 12.0, 16.0
"""Units down: of a row, of one with a line of its own for its name, between rows and what they come to, of words."""
DOT = 2.6
"""The radius of a dot that is one of many."""
_LONGEST = 18
_TALLEST = 40.0  # units down that dots beside each other may take
_BESIDE = 6.0


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

    @property
    def limited(self) -> bool:
        """Whether it has limits to draw."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def told(self) -> str:
        """What the row says."""
        return f"{self.name}: {self.words}" if self.words else self.name


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
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
        found = [(0.0, self.parts[-1].down + STEP / 2)] if self.parts else []
        found += [(row.down - self.tall(row) / 2 - 7, row.down + self.tall(row) / 2 + 7) for row in self.rows if row.headed]
        return tuple(found)

    def foot(self, i: int) -> float:
        """Return units down to where the line of a mark ends, beside its words."""
        return self.bottom + LANE * i + 10

    @property
    def height(self) -> float:
        """Units down to the axis."""
        return self.bottom + LANE * len(self.marks) + 4

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
    def labels(self) -> tuple[Label, ...]:
        """Every word of the picture but those of the axis."""
        return (*(label for row in self.rows for label in _row_labels(self, row)), *_mark_labels(self))

    @property
    def words(self) -> str:
        """What the picture says; what the rows come to first."""
        rows = [*(row for row in self.rows if row.headed), *self.parts]
        return "; ".join([*([self.title] if self.title else []), *(row.told for row in rows), *(m.words for m in self.marks)])


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
) -> Forest:
    """Return rows placed one beneath the other: those set apart last, on an axis that holds all of them.

    `low` and `high` are the least and greatest values there can be, `marks` are words and values to compare with.
    """
    parts, apart = ([row for row in rows if row.headed == headed] for headed in (False, True))
    shown = named([row.name for row in parts], _LONGEST)
    parts = [replace(row, name=name) for row, name in zip(parts, shown, strict=True)]
    every = [v for row in rows for v in (row.value, row.low, row.high, *row.dots)]
    scale = scale_of(every, [v for _, v in marks], low=low, high=high, percent=percent)
    left = max((LETTER * len(row.name) + _BESIDE for row in parts), default=0.0)
    right = WIDTH - max((LETTER * len(row.words) + _BESIDE for row in parts if _valued(row)), default=0.0)
    found = Forest((), scale, axis, left, right, 0.0, (), band if parts else None, title)
    placed, bottom = _placed(found, parts, apart)
    near = [Mark(words, v, scale.nearest(v)) for words, v in marks if math.isfinite(v)]
    return replace(found, rows=placed, bottom=bottom, marks=_in_turn(near, found))


def _valued(row: Row) -> bool:
    return math.isfinite(row.value)


def _placed(found: Forest, parts: Sequence[Row], apart: Sequence[Row]) -> tuple[tuple[Row, ...], float]:
    """Return the rows with their places, and units down to the end of the last."""
    rows = [replace(row, down=STEP * (i + 0.5)) for i, row in enumerate(parts)]
    down = STEP * len(parts) + (APART if parts and apart else 0.0)
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


def _row_labels(found: Forest, row: Row) -> Iterator[Label]:
    if row.headed:
        y = row.down - found.tall(row) / 2 - 11
        yield Label(0, y, row.name, "start", "head")
        yield Label(WIDTH, y, row.words, "end", "key")
    else:
        yield Label(found.left - _BESIDE, row.down + 4, row.name, "end", "aside")
        if _valued(row):
            yield Label(WIDTH, row.down + 4, row.words, "end", "key")
        elif row.words:
            room = int((WIDTH - found.left) / LETTER)
            yield Label(found.left, row.down + 4, named([row.words], room)[0], "start", "aside")


def _mark_labels(found: Forest) -> Iterator[Label]:
    """Set the words of each mark beside its line, in a line of words of its own."""
    for i, mark in enumerate(found.marks):
        words = f"◂ {mark.words}" if mark.far < 0 else f"{mark.words} ▸" if mark.far > 0 else mark.words
        x = found.across(mark.at)
        right = mark.far < 0 or x + LETTER * len(words) < WIDTH
        beside = 0 if mark.far else 5
        yield Label(x + beside if right else x - beside, found.foot(i) - 4, words, "start" if right else "end", "aside")
