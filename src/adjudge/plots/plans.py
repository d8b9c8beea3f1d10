"""Resampling plans: a line for each unit, a column for each row, thin where it learns and full where it is judged.

Of many rows a column stands for several, which are put in the order in which they are first judged: folds then lie on
the diagonal, whatever the order of the file.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.text import counted
from adjudge.plots.drawing import LETTER, SIDE, WIDTH, Area, Drawing, Item, Text
from adjudge.plots.labels import named
from adjudge.resampling.plan import Plan

_MOST_UNITS = 30  # units with a line each; of more, the first
MOST_COLUMNS = 120
STYLES = {"learnt": "mark0 faint", "partly": "mark1 faint", "judged": "mark1"}
"""Of where a unit learns, where it is judged but for less than half of the rows behind a column, and where it is judged."""
STEP, TOP = 14.0, 26.0
"""Units down from line to line, and to the first; above them stand the keys."""
_TALL, _THIN = 11.0, 3.0  # units that a box is high, of where rows are judged and of where they are learnt from
_HALF, _BESIDE, _KEY = 0.5, 6.0, 18.0


def plan_picture(plan: Plan) -> Drawing:
    """Return which rows each unit learns from, thin, and which it is judged on, full; all boxes of a kind at once."""
    drawn, many = min(len(plan), _MOST_UNITS), plan.rows > MOST_COLUMNS
    left = LETTER * len(str(drawn)) + _BESIDE
    column = np.arange(plan.rows)
    if many:  # in the order in which rows are first judged; those that never are come last
        first, place = np.full(plan.rows, len(plan)), np.empty(plan.rows, dtype=np.int64)
        for i in range(len(plan) - 1, -1, -1):
            first[plan.judge[i]] = i
        place[np.argsort(first, kind="stable")] = np.arange(plan.rows)
        column = np.minimum(place * MOST_COLUMNS // plan.rows, MOST_COLUMNS - 1)
    columns = int(column.max()) + 1
    wide, behind = (WIDTH - left) / columns, np.bincount(column, minlength=columns)
    boxes: dict[str, list[FloatArray]] = {kind: [] for kind in STYLES}
    for unit in range(drawn):
        judged = np.bincount(column[plan.judge[unit]], minlength=columns) / behind
        learnt = np.bincount(column[np.unique(plan.learn[unit])], minlength=columns) > 0
        wholly, down = judged >= _HALF, TOP + STEP * (unit + 0.5)
        kinds = (("learnt", learnt & ~wholly), ("partly", (judged > 0) & ~wholly), ("judged", wholly))
        for kind, where in kinds:
            edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]))).reshape(-1, 2)  # of columns side by side
            boxes[kind] += [_box(left + wide * start, left + wide * stop, down, kind) for start, stop in edges.tolist()]
    labels = []
    for x, kind, words in ((0.0, "learnt", "training"), (WIDTH / 4, "judged", "test")):
        boxes[kind].append(_box(x, x + _KEY, TOP - 12, kind))
        labels.append(Text(SIDE + x + _KEY + _BESIDE, TOP - 8, words, "key", "start"))
    items: list[Item] = [Area(tuple(boxes[kind]), style, page=True, styled=True) for kind, style in STYLES.items() if boxes[kind]]
    labels += [Text(SIDE + left - _BESIDE, TOP + STEP * (i + 0.5) + 4, str(i + 1), "aside", "end") for i in range(drawn)]
    foot, more = TOP + STEP * drawn, len(plan) - drawn
    rows = f"{counted(plan.rows, 'row')}{', in the order in which they are first judged' if many else ''}"
    labels.append(Text(SIDE + (left + WIDTH) / 2, foot + 16, rows, "aside"))
    note = f"{counted(more, 'unit')} more not drawn" if more > 0 else ""
    labels += [Text(SIDE + WIDTH, foot + 33, note, "aside", "end")] if note else []
    title = f"{named([plan.name], 30)[0]}: {counted(len(plan), 'unit')}"
    said = "; ".join(each for each in (title, f"{counted(drawn, 'line')} drawn", rows, note) if each)
    return Drawing(WIDTH + 2 * SIDE, foot + 40, f"Plan: {title}", said, (*items, *labels), heading=title)


def _box(left: float, right: float, down: float, kind: str) -> FloatArray:
    """Return the corners of a box on the page, all around."""
    left, right, half = SIDE + left, SIDE + right, (_THIN if kind == "learnt" else _TALL) / 2
    return np.array([(left, down - half), (right, down - half), (right, down + half), (left, down + half)])
