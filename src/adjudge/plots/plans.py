"""The geometry of a plan: a line for each unit, a column for each row, thin where it learns and full where it is judged.

Of many rows a column stands for several, which are put in the order in which they are first judged: folds then lie on
the diagonal, whatever the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.text import counted
from adjudge.plots.drawing import LETTER, SIDE, WIDTH, Area, Drawing, Figure, Item, Text
from adjudge.plots.labels import named
from adjudge.resampling.plan import Plan

MOST_UNITS = 30
"""Units with a line each; of more, the first."""
MOST_COLUMNS = 120
STEP, TALL, THIN = 14.0, 11.0, 3.0
"""Units down: from line to line, of where rows are judged, and of where they are learnt from."""
HEAD, FOOT = 18.0, 40.0
"""Units down: above the lines, for the keys, and below them, for words."""
_HALF, _BESIDE = 0.5, 6.0
_PARTLY, _WHOLLY = 1, 2
_TOP = 8.0
_STYLES = {"learnt": "mark0 faint", "partly": "mark1 faint", "judged": "mark1"}


@dataclass(frozen=True, slots=True)
class Box:
    """Columns side by side that are all treated alike: units across to both ends, down to the middle, and what they are."""

    left: float
    right: float
    down: float
    kind: str
    """learnt, judged, or partly: judged, but for less than half of the rows behind the columns."""

    @property
    def tall(self) -> float:
        """Units that it is high."""
        return THIN if self.kind == "learnt" else TALL

    @property
    def corners(self) -> FloatArray:
        """Its corners, all around."""
        top, foot = self.down - self.tall / 2, self.down + self.tall / 2
        return np.array([(self.left, top), (self.right, top), (self.right, foot), (self.left, foot)])


@dataclass(frozen=True, slots=True, eq=False)
class PlanPicture(Figure):
    """Units one beneath the other, rows side by side."""

    units: tuple[str, ...]
    boxes: tuple[Box, ...]
    left: float
    """Units across to the first column."""
    axis: str
    title: str
    note: str

    @property
    def height(self) -> float:
        """Units down to the end of the picture."""
        return self.bottom + FOOT

    @property
    def bottom(self) -> float:
        """Units down to the axis."""
        return HEAD + STEP * len(self.units)

    @property
    def keys(self) -> tuple[Box, ...]:
        """The signs above the lines."""
        return Box(0.0, 18.0, 6.0, "learnt"), Box(WIDTH / 4, WIDTH / 4 + 18.0, 6.0, "judged")

    @property
    def labels(self) -> tuple[Text, ...]:
        """Every word of the picture."""
        return tuple(_labels(self))

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(each for each in (self.title, f"{counted(len(self.units), 'line')} drawn", self.axis, self.note) if each)

    @property
    def drawing(self) -> Drawing:
        """Which rows each unit learns from, thin, and which it is judged on, full; all boxes of a kind at once."""
        items: list[Item] = []
        for kind, style in _STYLES.items():
            parts = tuple(each.corners + np.array([SIDE, _TOP]) for each in (*self.boxes, *self.keys) if each.kind == kind)
            items += [Area(parts, style, page=True, styled=True)] if parts else []
        items += [replace(label, x=SIDE + label.x, y=_TOP + label.y) for label in self.labels]
        size = WIDTH + 2 * SIDE, _TOP + self.height
        return Drawing(*size, f"Plan: {self.title}", self.words, tuple(items), heading=self.title)


def plan_picture(plan: Plan) -> PlanPicture:
    """Return which rows each unit learns from and which it is judged on."""
    drawn = min(len(plan), MOST_UNITS)
    names = tuple(str(i + 1) for i in range(drawn))
    left = LETTER * len(names[-1]) + _BESIDE
    many = plan.rows > MOST_COLUMNS
    column = np.minimum(_order(plan) * MOST_COLUMNS // plan.rows, MOST_COLUMNS - 1) if many else np.arange(plan.rows)
    boxes = [box for i in range(drawn) for box in _line(plan, i, column, left)]
    order = ", in the order in which they are first judged" if many else ""
    more = len(plan) - drawn
    return PlanPicture(
        names,
        tuple(boxes),
        left,
        f"{counted(plan.rows, 'row')}{order}",
        f"{named([plan.name], 30)[0]}: {counted(len(plan), 'unit')}",
        f"{counted(more, 'unit')} more not drawn" if more > 0 else "",
    )


def _order(plan: Plan) -> IntArray:
    """Return the place of each row in the order in which rows are first judged; those that never are come last."""
    first = np.full(plan.rows, len(plan))
    for i in range(len(plan) - 1, -1, -1):
        first[plan.judge[i]] = i
    place = np.empty(plan.rows, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(plan.rows)
    return place


def _line(plan: Plan, unit: int, column: IntArray, left: float) -> Iterator[Box]:
    """Yield one unit's boxes: where it learns, and on top of that where it is judged."""
    columns = int(column.max()) + 1
    behind = np.bincount(column, minlength=columns)
    judged = np.bincount(column[plan.judge[unit]], minlength=columns) / behind
    learnt = np.bincount(column[np.unique(plan.learn[unit])], minlength=columns) > 0
    level = np.where(judged >= _HALF, _WHOLLY, np.where(judged > 0, _PARTLY, 0))
    wide, down = (WIDTH - left) / columns, HEAD + STEP * (unit + 0.5)
    kinds = (("learnt", learnt & (level < _WHOLLY)), ("partly", level == _PARTLY), ("judged", level == _WHOLLY))
    for kind, where in kinds:
        edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]])))
        for start, stop in edges.reshape(-1, 2).tolist():
            yield Box(left + wide * start, left + wide * stop, down, kind)


def _labels(found: PlanPicture) -> Iterator[Text]:
    for box, words in zip(found.keys, ("training", "test"), strict=True):
        yield Text(box.right + _BESIDE, box.down + 4, words, "key", "start")
    for i, name in enumerate(found.units):
        yield Text(found.left - _BESIDE, HEAD + STEP * (i + 0.5) + 4, name, "aside", "end")
    yield Text((found.left + WIDTH) / 2, found.bottom + 16, found.axis, "aside")
    if found.note:
        yield Text(WIDTH, found.bottom + 33, found.note, "aside", "end")
