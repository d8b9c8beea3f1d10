"""Tables as pictures: confusion maps, each row in shares of its true class, and numbers that no other picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from adjudge._base import dataclass, share
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.plots.drawing import LINE, SIDE, WIDTH, Axis, Cells, Drawing, Figure, Item, Panel, Text, segment
from adjudge.plots.labels import NOTHING, count, ems, in_lines, named
from adjudge.plots.style import LETTER, LETTERS, LEVELS

MOST_CLASSES = 26  # classes of a confusion map; with more, the others are drawn together
NARROW_CLASSES = 8  # classes up to which the map fits half a page, with the count in each cell
_MOST_ROWS = 24  # of a plain table
_BIG = 4  # classes up to which the shares are set large
_NARROW, _WIDE, _SIZE = 480.0, 1000.0, 12.5  # units across of both; letters of a wide map, which keeps its size on any screen
_WIDTH_BIG, _WIDTH_SMALL = 56.0, 36.0  # units across that the words of a cell need
_TALL = 34.0  # units that two lines of a name need
_TURN = -45.0
_SLOPE = 0.71  # sine and cosine of the turn
_GAP = 1.5
_FAINT = 0.01  # a share below which a small cell has its shade only
_SHARE, _SHARE_WIDE = 0.34, 0.24  # of the width, that names of rows may take, and as much those of columns
_STEP, _TOP, _BETWEEN, _LONGEST = 19.0, 12.0, 16.0, 60  # of a plain table: units of a row, above, between columns; letters


@dataclass(frozen=True, slots=True, eq=False)
class CellMap(Figure):
    """A confusion table as it is drawn: rows true, columns assigned, each row in shares of its cases."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    counts: AnyArray
    shares: FloatArray
    levels: IntArray
    others: bool  # whether the last class stands for all that are not drawn

    def words(self, row: int, column: int) -> str:
        """Return the share in a cell to the percent; a dash in the row of a class without a case."""
        return share(float(self.shares[row, column]), decimals=0, most=0) if self.counts[row].any() else NOTHING

    def kind(self, row: int, column: int) -> str:
        """Return right, wrong, or undecided: where a decision was made it is one of the first two."""
        both_others = self.others and row == column == len(self.rows) - 1
        return "undecided" if column == len(self.rows) or both_others else "right" if row == column else "wrong"

    @property
    def drawing(self) -> Drawing:
        """Names above and before the cells, in two lines if they are long; a wide map where a narrow one has no room for them."""
        few = len(self.rows) <= NARROW_CLASSES
        narrow, panel = (True, self._panel(_NARROW, LETTERS, _SHARE)) if few else (False, None)
        wide = 0.0 if panel is None else (panel.right - panel.left) / len(self.columns)
        if panel is None or wide < _WIDTH_SMALL:
            narrow, panel = False, self._panel(_WIDE, _SIZE, _SHARE_WIDE)
        big, high = len(self.rows) <= _BIG and wide >= _WIDTH_BIG, (panel.bottom - panel.top) / len(self.rows)
        styles, lines, told = [], [], []
        rows, columns = named(self.rows), named(self.columns)
        for i, label in enumerate(rows):
            shown = [few or bool(self.counts[i, j]) for j in range(len(columns))]
            styles.append(tuple(f"{self.kind(i, j)}{int(self.levels[i, j])}" if each else "" for j, each in enumerate(shown)))
            lines.append(tuple(self._lines(i, j, high, few=few, big=big) if each else () for j, each in enumerate(shown)))
            wrong = np.where(np.arange(len(columns)) == i, 0.0, self.counts[i])
            taken = f", most often taken for {columns[int(wrong.argmax())]}" if wrong.any() else ""
            if i < NARROW_CLASSES and self.counts[i].sum():
                told.append(f"{label}: {share(float(self.shares[i, i]))} correct{taken}.")
        cells, said = Cells(tuple(styles), tuple(lines), _GAP), " ".join(told)
        title, width = "Confusion map: each row in shares of its true class", _NARROW if narrow else _WIDE
        return Drawing(width, panel.bottom + 6, title, said, (cells,), panel, wide=not narrow)

    def _panel(self, width: float, size: float, part: float) -> Panel:
        """Return the box of the cells on a page so wide, with names in letters of a size, each side a part of it at most."""
        low, high, tall = (36.0, 140.0, 300 / len(self.rows)) if width == _NARROW else (20.0, 44.0, 640 / len(self.rows))
        room, high = part * width / size, max(low, min(high, tall))
        rows = in_lines(self.rows, room, most=2 if high >= _TALL else 1)
        left, right = 36 + size * _widest(rows), 14.0
        wide = (width - left - right) / len(self.columns)
        columns = in_lines(self.columns, (wide - 6) / size, most=3)
        across = [" ".join(name.split("\n")) for name in columns]
        turned = across != named(self.columns, 60)  # unless all stand upright, with no word broken
        if turned:
            columns = in_lines(self.columns, room, most=2 if _SLOPE * wide >= _TALL else 1)
            for _ in range(3):  # the last names lean beyond their columns
                beyond = (_SLOPE * size * _widest([name]) - wide * (i + 0.5) for i, name in enumerate(columns[::-1]))
                right = max(14.0, 22 + max(beyond))
                wide = (width - left - right) / len(self.columns)
        more = LINE * max(name.count("\n") for name in columns)
        top, name = 36 + (_SLOPE * (size * _widest(columns) + more) if turned else 10 + more), "Predicted class (% of the row)"
        x = Axis(-0.5, len(columns) - 0.5, tuple(enumerate(columns)), name, top=True, turn=_TURN * turned)
        y = Axis(len(rows) - 0.5, -0.5, tuple(enumerate(rows)), "True class")
        high = max(low, min(high, 1.2 * wide))
        return Panel(left, top, width - right, top + high * len(rows), x, y, lined=False)

    def _lines(self, i: int, j: int, high: float, *, few: bool, big: bool) -> tuple[tuple[float, str, str], ...]:
        """Return the words of a cell: its share, and its count where there is room."""
        words, middle = self.words(i, j), high / 2 - _GAP
        if not few:
            return () if i != j and float(self.shares[i, j]) < _FAINT else ((middle + 4, words.rstrip("%"), "cell-s"),)
        number = count(self.counts[i, j].item())
        if big:
            return (middle + 1, words, "cell-l"), (middle + 19, number, "cell-s")
        return (middle - 1, words, "cell-m"), (middle + 12, number, "cell-n")


def _widest(names: Sequence[str]) -> float:
    """Return the width of the widest line of names, in ems."""
    return max(ems(line) for name in names for line in name.split("\n"))


def cell_map(counts: ConfusionCounts) -> CellMap:
    """Return the map of a table; of very many classes, those with most errors and one that holds all others."""
    drawn, others = list(range(counts.k)), counts.k > MOST_CLASSES
    if others:
        errors = counts.support - counts.rejected - counts.correct + counts.predicted - counts.correct
        drawn = sorted(int(i) for i in np.lexsort((-counts.support, -errors))[: MOST_CLASSES - 1])
    names = [*(counts.classes[i] for i in drawn), *(["all others"] if others else [])]
    size = len(names)
    place = np.full(counts.k + 1, size - 1)
    place[drawn] = np.arange(len(drawn))
    place[counts.k] = size  # the column of rejected cases
    if isinstance(counts.cells, np.ndarray):
        rows, columns = np.nonzero(counts.cells)
        values = counts.cells[rows, columns]
    else:
        (rows, columns), values = counts.cells.coords, counts.cells.data
    table = np.zeros((size, size + counts.has_rejected), dtype=values.dtype)
    np.add.at(table, (place[rows], place[columns]), values)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
    called = (*names, *(["no decision"] if counts.has_rejected else []))
    return CellMap(tuple(names), called, table, shares, levels(shares), others)


def levels(shares: FloatArray) -> IntArray:
    """Return steps of shade: 0 for nothing and nothing else, and faint shares set apart from none."""
    steps = np.rint(np.power(shares, 0.7) * LEVELS).astype(np.int64)
    return np.asarray(np.where(shares > 0, np.maximum(steps, 1), 0))


def table_picture(title: str, sentences: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> Drawing:
    """Return a sentence or two above rows of words and numbers: names to the left, values to the right of their columns."""
    more, rows = len(rows[_MOST_ROWS:]), rows[:_MOST_ROWS]
    shown = [tuple(named([cell], _LONGEST)[0] if cell else "" for cell in row) for row in (header, *rows)]
    wide = [LETTER * max(map(len, column)) for column in zip(*shown, strict=True)]
    width = max(WIDTH, sum(wide) + _BETWEEN * (len(wide) - 1))
    told = [line for sentence in sentences for line in wrap(sentence, int(width / LETTER))]
    items: list[Item] = [Text(SIDE, _TOP + _STEP * (i + 0.5), line, "key", "start") for i, line in enumerate(told)]
    top = _TOP + _STEP * len(told)
    for i, row in enumerate(shown if any(header) else shown[1:]):
        y, right = top + _STEP * (i + 1), SIDE + width
        items.append(Text(SIDE, y, row[0], "aside", "start"))
        for cell, room in zip(row[:0:-1], wide[:0:-1], strict=True):
            items.append(Text(right, y, cell, "key" if i or not any(header) else "aside", "end"))
            right -= room + _BETWEEN
        items.append(segment((SIDE, y + 6), (SIDE + width, y + 6), "grid", page=True))
    foot = top + _STEP * (len(shown) + 1)
    items += [Text(SIDE, foot, f"and {more:,} more", "aside", "start")] if more else []
    words = "; ".join((*sentences, *(" ".join(row) for row in rows)))
    return Drawing(width + 2 * SIDE, foot + _TOP, title, words, tuple(items), heading=title)
