"""Counting pairs of numbers, block by block: each becomes one number, truth * width + decision, and `bincount` counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, IntArray, counts_cases
from adjudge._base.records import dataclass, field, replace
from adjudge.stats.exact_sums import exact_sums_at

NONE = (1 << 32) - 1  # the column of cases without a decision, in a cell's code
_TWO = 2
SHIFT = 32  # a cell's code is truth << 32 | column
_MERGE = 1 << 20
_WIDEST = 1 << 10  # spans of whole numbers counted without looking at them first


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that occur: their codes in order, how many rows, or exact sums of weights and of squared weights."""

    codes: IntArray
    n: AnyArray
    squares: AnyArray | None = None

    @property
    def rows(self) -> IntArray:
        """The number of the true class of each cell."""
        return self.codes >> SHIFT

    @property
    def columns(self) -> IntArray:
        """The number of the decided class of each cell, NONE where there was no decision."""
        return self.codes & NONE


def joined(parts: list[Cells]) -> Cells:
    """Return one set of cells that counts what all the parts count, their codes in order."""
    if len(parts) == 1:
        return parts[0]
    codes, where = np.unique(np.concatenate([part.codes for part in parts]), return_inverse=True)
    n = added_at(where, [part.n for part in parts], codes.size)
    return Cells(codes, n, added_at(where, [part.squares for part in parts], codes.size))


def renumbered(cells: Cells, place: IntArray) -> Cells:
    """Return the same by other numbers of the classes, class i having `place[i]`."""
    columns = np.where(cells.columns == NONE, NONE, place[np.where(cells.columns == NONE, 0, cells.columns)])
    return joined([replace(cells, codes=place[cells.rows] << SHIFT | columns), Cells(cells.codes[:0], cells.n[:0])])


def added_at(where: IntArray, parts: Sequence[AnyArray | None], size: int) -> Any:
    """Return the sums of values by place, exact for whole numbers, which `bincount` would make floats of; None of no values."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    values = np.concatenate(known)
    total = np.zeros(size, dtype=values.dtype)
    np.add.at(total, where, values)
    return total


def weighed_at(where: IntArray, weight: AnyArray | None, size: int) -> tuple[AnyArray, Any]:
    """Return how many cases have each place; of weighted rows exact sums of their weights and squared weights."""
    if weight is None:
        return np.bincount(where, minlength=size), None
    if counts_cases(weight):
        return added_at(where, [weight], size), None
    return exact_sums_at(where, weight, size), exact_sums_at(where, weight * weight, size)


def tabulated(columns: Sequence[AnyArray], radix: int, weight: AnyArray | None, size: int) -> tuple[AnyArray, Any]:
    """Return the same of codes that have the columns as their digits, block by block."""
    whole = counts_cases(weight)
    n, squares = np.zeros(size, dtype=np.int64 if whole else object), None if whole else np.zeros(size, dtype=object)
    for start in range(0, columns[0].size, BLOCK):
        part = slice(start, start + BLOCK)
        codes = coded([column[part] for column in columns], radix)
        more, squared = weighed_at(codes, None if weight is None else weight[part], size)
        n += more
        if squares is not None:
            squares += squared
    return n, squares


def coded(columns: Sequence[AnyArray], radix: int) -> IntArray:
    """Return one number for each row, whose digits to the base `radix` are the columns."""
    codes = columns[0].astype(np.int64)
    for column in columns[1:]:
        codes *= radix
        codes += column
    return codes


@dataclass(slots=True)
class CellCounter:
    """Cells that add up while rows stream by."""

    _parts: list[Cells] = field(default_factory=list)
    _waiting: int = 0

    def add(self, cells: Cells) -> None:
        """Add some cells; merge now and then, so that memory follows the cells and not the rows."""
        self._parts.append(cells)
        self._waiting += cells.codes.size
        if self._waiting > _MERGE:
            self._parts, self._waiting = [joined(self._parts)], 0

    @property
    def cells(self) -> Cells:
        """All that was added."""
        return joined(self._parts) if self._parts else Cells(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def pairs(truth: IntArray, column: IntArray, width: int, weight: AnyArray | None = None) -> Cells:
    """Count pairs of numbers in 0..width-1; a negative `column` is no decision."""
    column = np.where(column < 0, width, column) if column.size and column.min() < 0 else column
    stride = width + 1
    if width == _TWO and weight is None and truth.size and column.max() < _TWO:  # three sums take less than counting does
        own, said, both = (int(ones.sum()) for ones in (truth, column, truth & column))
        two_by_two = np.array([truth.size - own - said + both, said - both, 0, own - both, both, 0])
        return _occurring(two_by_two, None, width, stride)
    if width * stride > 4 * truth.size:
        codes, where = np.unique(truth << SHIFT | np.where(column == width, NONE, column), return_inverse=True)
        return Cells(codes, *weighed_at(where, weight, codes.size))
    return _occurring(*tabulated((truth, column), stride, weight, width * stride), width, stride)


def pairs_by_part(
    part: IntArray, truth: IntArray, column: IntArray, width: int, weight: AnyArray | None
) -> Iterator[tuple[int, Cells]]:
    """Count pairs apart for each number of `part`, in order; all at once where the tables are smaller than the rows."""
    size = width * (width + 1)
    if weight is None and part.size and (int(part.max()) + 1) * size <= part.size:
        column = np.where(column < 0, width, column) if column.min() < 0 else column
        table = np.bincount((part * width + truth) * (width + 1) + column)
        at = np.flatnonzero(table)
        which, cell = np.divmod(at, size)
        packed, counts = _codes(cell, width, width + 1), table[at]
        for start, stop in pairwise([*np.flatnonzero(np.diff(which, prepend=-1)).tolist(), at.size]):
            yield int(which[start]), Cells(packed[start:stop], counts[start:stop])
        return
    order = np.argsort(part, kind="stable")
    codes, starts = np.unique(part[order], return_index=True)
    for code, rows in zip(codes.tolist(), np.split(order, starts[1:]), strict=True):
        yield code, pairs(truth[rows], column[rows], width, None if weight is None else weight[rows])


def _occurring(table: AnyArray, squares: AnyArray | None, width: int, stride: int) -> Cells:
    at = np.flatnonzero(table)
    return Cells(_codes(at, width, stride), table[at], None if squares is None else squares[at])


def _codes(at: IntArray, width: int, stride: int) -> IntArray:
    row, column = np.divmod(at, stride)
    return row << SHIFT | np.where(column == width, NONE, column)


def whole_pairs(truth: AnyArray, column: AnyArray) -> tuple[int, Cells] | None:
    """Return the least of whole numbers and the pairs of them, counted without encoding; None where they spread too far."""
    low, high = _span(truth[:BLOCK], column[:BLOCK])  # checked in every other block
    for _ in range(2):
        if high - low >= _WIDEST:
            return None
        table = _table(truth, column, low, high - low + 1)
        if table is not None:
            return low, _occurring(table, None, high - low + 1, high - low + 1)
        low, high = _span(truth, column)
    return None  # pragma: no cover - the second table always holds the span of all rows


def _span(truth: AnyArray, column: AnyArray) -> tuple[int, int]:
    return min(int(truth.min()), int(column.min())), max(int(truth.max()), int(column.max()))


def _table(truth: AnyArray, column: AnyArray, low: int, width: int) -> IntArray | None:
    table = np.zeros(width * width, dtype=np.int64)
    room = np.empty((2, BLOCK), dtype=np.int64)
    for start in range(0, truth.size, BLOCK):
        rows = slice(start, min(start + BLOCK, truth.size))
        true, decided = _from_low(truth[rows], low, room[0]), _from_low(column[rows], low, room[1])
        if max(true.view(np.uint64).max(), decided.view(np.uint64).max()) >= width:  # below 0 is far above as unsigned
            return None
        code = np.multiply(true, width, out=room[0, : true.size])
        code += decided
        table += np.bincount(code, minlength=table.size)
    return table


def _from_low(values: AnyArray, low: int, room: IntArray) -> IntArray:
    """Return values - low as int64: a narrow type could hold neither `low` nor the difference."""
    if not low and values.dtype == np.int64:
        return values
    return np.subtract(values, low, out=room[: values.size], dtype=np.int64, casting="unsafe")
