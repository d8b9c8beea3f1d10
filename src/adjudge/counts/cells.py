"""Counting pairs of numbers, block by block.

A block's pairs become one number each, truth * width + decision, and ``np.bincount`` counts them: in blocks
that stay in the cache this runs at the speed of one pass over memory. Where the table would be larger than
the rows, only the cells that occur are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, FloatArray, IntArray

NONE = (1 << 32) - 1
"""The column of cases without a decision, in a cell's code."""
_TWO = 2
_SHIFT = 32  # a cell's code is truth << 32 | column
_MERGE = 1 << 20
_WIDEST = 1 << 10  # spans of whole numbers counted without looking at them first


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that occur: their codes in order, how many rows (or how much weight), and the squared weights."""

    codes: IntArray
    n: AnyArray
    squares: FloatArray | None = None

    @property
    def rows(self) -> IntArray:
        """The number of the true class of each cell."""
        return self.codes >> _SHIFT

    @property
    def columns(self) -> IntArray:
        """The number of the decided class of each cell, NONE where there was no decision."""
        return self.codes & NONE


PartCells: TypeAlias = Iterator[tuple[int, Cells]]
"""The number of a part of the rows, and the cells of the rows in it."""


def joined(parts: list[Cells]) -> Cells:
    """Return one set of cells that counts what all the parts count."""
    if len(parts) == 1:
        return parts[0]
    squares = [part.squares for part in parts if part.squares is not None]
    codes, n = np.concatenate([part.codes for part in parts]), np.concatenate([part.n for part in parts])
    return _added_up(codes, n, np.concatenate(squares) if squares else None)


def _added_up(codes: IntArray, counts: AnyArray, squares: FloatArray | None) -> Cells:
    """Return cells whose codes are in order and occur once."""
    distinct, where = np.unique(codes, return_inverse=True)
    n = np.zeros(distinct.size, dtype=counts.dtype)
    np.add.at(n, where, counts)  # exact for integers, where bincount's weights would pass through floats
    return Cells(distinct, n, None if squares is None else _weighed(where, squares, distinct.size))


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


def pairs(truth: IntArray, column: IntArray, width: int, weight: FloatArray | None = None) -> Cells:
    """Count pairs of numbers in 0..width-1; a negative `column` is no decision."""
    column = np.where(column < 0, width, column) if column.size and column.min() < 0 else column
    stride = width + 1
    if width == _TWO and weight is None and truth.size and column.max() < _TWO:  # three sums take less than counting does
        own, said, both = (int(ones.sum()) for ones in (truth, column, truth & column))
        two_by_two = np.array([truth.size - own - said + both, said - both, 0, own - both, both, 0])
        return _occurring(two_by_two, None, width, stride)
    if width * stride > 4 * truth.size:
        return _sparse(truth, column, width, weight)
    table, squares = np.zeros(width * stride, dtype=np.int64 if weight is None else np.float64), np.zeros(width * stride)
    for start in range(0, truth.size, BLOCK):
        part = slice(start, start + BLOCK)
        codes = truth[part] * stride + column[part]
        if weight is None:
            table += np.bincount(codes, minlength=table.size)
        else:
            table += np.bincount(codes, weights=weight[part], minlength=table.size)
            squares += np.bincount(codes, weights=weight[part] ** 2, minlength=table.size)
    return _occurring(table, None if weight is None else squares, width, stride)


def pairs_by_part(part: IntArray, truth: IntArray, column: IntArray, width: int, weight: FloatArray | None) -> PartCells:
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


def _occurring(table: AnyArray, squares: FloatArray | None, width: int, stride: int) -> Cells:
    at = np.flatnonzero(table)
    return Cells(_codes(at, width, stride), table[at], None if squares is None else squares[at])


def _codes(at: IntArray, width: int, stride: int) -> IntArray:
    row, column = np.divmod(at, stride)
    return row << _SHIFT | np.where(column == width, NONE, column)


def _sparse(truth: IntArray, column: IntArray, width: int, weight: FloatArray | None) -> Cells:
    packed = truth << _SHIFT | np.where(column == width, NONE, column)
    codes, where = np.unique(packed, return_inverse=True)
    if weight is None:
        return Cells(codes, np.bincount(where, minlength=codes.size))
    return Cells(codes, _weighed(where, weight, codes.size), _weighed(where, weight**2, codes.size))


def _weighed(where: IntArray, weight: FloatArray, size: int) -> FloatArray:
    """Return sums of weights by place."""
    return np.asarray(np.bincount(where, weights=weight, minlength=size), dtype=np.float64)


def whole_pairs(truth: AnyArray, column: AnyArray) -> tuple[int, Cells] | None:
    """Count pairs of whole numbers that lie close together, without encoding them first.

    Returns the least number and the cells counted from it, or None where the numbers spread too far. The
    span is taken from the first block and checked in every other: a label out of range shows in one unsigned
    maximum.
    """
    low, high = _span(truth[:BLOCK], column[:BLOCK])
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
