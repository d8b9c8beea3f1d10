"""The exact AUC of a file with more scores than are kept, or than memory holds.

While they are counted the scores are kept in segments, for as long as there is room for them. Where there is not, or where
they come in an order that makes segments too unequal, the file is read again, a few bins at a time. The bins of the first
pass settle every pair of cases in two bins; only pairs within a bin of several scores are open. So neighbouring bins make
segments, small enough to be sorted fast, and as many segments as memory allows are filled in one more pass: a score goes, as
a key with its class in the last bit, to the place that the counts keep free for its segment. A bin that alone is too large
for memory is cut by its next bits first. Whole numbers throughout, so that nothing is rounded but the last division.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, BoolArray, IntArray, ahead
from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.counts.scores import BITS, ScoreCounts
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.stats.binning import slots, tabulate_binned
from adjudge.stats.pairs import grouped, packed, whole_dot, wins_within
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen, merge

BUDGET = 3 << 28
"""Bytes of keys held at a time when it is read again."""
SEGMENT = 1 << 17
"""Keys of a segment: few enough to be ranked within the processor's cache, many enough to be written in runs."""
_FINER = 12  # bits more for a bin that is too large
_WIDE = 8  # bytes of a key of a float64


def ranked_exactly(scores: ScoreCounts, predictions: Predictions, doubled: Mapping[int, int] | None = None) -> ScoreCounts:
    """Return the same scores with the exact AUC of every column, from reading the predictions again where need be.

    Nothing is read where the tables are exact already, nor for columns of which it is known what is `doubled`: twice the
    pairs that cases of the class win.
    """
    if not any(table.mixed is not None for table in scores.tables):
        return scores
    if any(table.positives.dtype.kind == "f" for table in scores.tables):
        msg = "Weighted cases of a file this large are ranked in bins only. Leave "
        raise InputError(msg, argument("exact"), " out: the AUC is then printed with how far it can be off. Or pass arrays.")
    known = dict(doubled or {})
    left = [at for at, table in enumerate(scores.tables) if table.mixed is not None and at not in known]
    known |= _read_again(scores, predictions, left) if left else {}
    exact: list[float | None] = []
    for at, table in enumerate(scores.tables):
        won, pairs = known.get(at), 2 * int(table.positives.sum()) * int(table.negatives.sum())
        exact.append(won / pairs if won is not None and pairs else None)  # None: the table says all there is to say
    return replace(scores, exact=tuple(exact))


def _read_again(scores: ScoreCounts, predictions: Predictions, columns: Sequence[int]) -> dict[int, int]:
    """Return twice the pairs won in some columns."""
    again, doubled = _Again(predictions), dict.fromkeys(columns, 0)
    grids = [_Grid(at, coarsen(scores.tables[at], BITS)) for at in columns]
    grids += _cut_finer(grids, again, BUDGET // _WIDE)
    try:
        won = _settled(grids, again, again.width())
    except _WiderError:
        won = _settled(grids, again, _WIDE)
    for grid, settled in zip(grids, won, strict=True):
        doubled[grid.column] += grid.tied - grid.instead_of + settled
    return doubled


def check_exact(scores: ScoreCounts | None) -> None:
    """Refuse counts whose scores were binned: there is nothing to read again."""
    if scores is not None and any(scores.bound(at) for at in scores.columns):
        msg = "Counts keep no scores to rank again, and these were binned. Leave "
        raise InputError(msg, argument("exact"), " out, or judge the predictions themselves.")


class _Again:
    """The blocks of predictions, read as often as need be."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions

    def blocks(self, columns: Sequence[int]) -> Iterator[tuple[int, AnyArray, BoolArray]]:
        """Yield scores of each of the columns, and which cases are of its class."""
        for block in ahead(Encoder(self.predictions, ranking=True).blocks()):
            assert block.scores is not None
            for at in columns:
                column = block.scores[:, at]
                narrow = column.dtype == np.float32
                yield at, column if narrow else column.astype(np.float64, copy=False), block.truth == at

    def width(self) -> int:
        """Return the bytes of a score, as the first block has them."""
        return next((scores.itemsize for _, scores, _ in self.blocks([0])), _WIDE)

    def changed(self) -> InputError:
        """Return what to say when a pass finds other scores or classes than the one before."""
        name = safe(self.predictions.source.name)
        return InputError(f"{name}: the cases changed while they were read. Judge the file when nobody writes to it.")


@dataclass(slots=True, eq=False)
class _Grid:
    """The bins of one column, or those that one of its bins was cut into, and the segments they make."""

    column: int
    table: ScoreTable
    instead_of: int = 0
    """Twice the pairs won that the bin counted before it was cut."""
    slot: IntArray = field(init=False)
    starts: IntArray = field(init=False)
    """The first bin of each segment."""
    sizes: IntArray = field(init=False)
    own: IntArray = field(init=False)
    """How many cases of each segment are of the class."""
    open: BoolArray = field(init=False)
    """Segments with pairs that are not settled."""

    def __post_init__(self) -> None:
        total = self.table.positives + self.table.negatives
        self.slot = slots(self.table.values, self.table.bits)
        # the first bin of every segment: one of many scores is alone, and none reaches over zero
        before, most = np.cumsum(total) - total, max(1, min(SEGMENT, BUDGET // _WIDE // 2))
        many, new = total > most, np.ones(self.slot.size, dtype=np.bool_)
        new[1:] = (np.diff(before // most) != 0) | many[1:] | many[:-1] | ((self.slot[1:] >= 0) & (self.slot[:-1] < 0))
        self.starts = np.flatnonzero(new)
        self.sizes, self.own = (np.add.reduceat(each, self.starts) for each in (total, self.table.positives))
        mixed = self.table.mixed
        self.open = np.zeros(self.starts.size, np.bool_) if mixed is None else np.logical_or.reduceat(mixed, self.starts)

    @property
    def tied(self) -> int:
        """Twice the pairs won if all within a bin were ties."""
        p, n = self.table.positives, self.table.negatives
        return whole_dot(p, 2 * np.cumsum(n) - n)

    def tied_within(self, segment: int) -> int:
        """Return the same for the bins of one segment."""
        ends = np.append(self.starts[1:], self.slot.size)
        part = slice(int(self.starts[segment]), int(ends[segment]))
        p, n = self.table.positives[part], self.table.negatives[part]
        return whole_dot(p, 2 * np.cumsum(n) - n)


def _cut_finer(grids: Sequence[_Grid], again: _Again, most: int) -> list[_Grid]:
    """Return the bins within bins that alone hold more scores than memory allows; those are then closed."""
    heavy = {
        (grid.column, grid.table.bits, int(grid.slot[grid.starts[i]])): (grid, i)
        for grid in grids
        for i in np.flatnonzero(grid.open & (grid.sizes > most)).tolist()
    }
    if not heavy:
        return []
    tables: dict[tuple[int, int, int], ScoreTable] = {}
    for at, scores, own in again.blocks(sorted({column for column, _, _ in heavy})):
        for key in heavy:
            column, bits, slot = key
            within = np.flatnonzero(slots(scores, bits) == slot) if column == at else np.empty(0, dtype=np.int64)
            if within.size:
                fresh = tabulate_binned(scores[within], own[within], None, bits=min(bits + _FINER, EXACT_BITS))
                tables[key] = merge(tables[key], fresh) if key in tables else fresh
    if len(tables) < len(heavy):
        raise again.changed()
    finer = []
    for key, (grid, i) in heavy.items():
        finer.append(_Grid(grid.column, tables[key], grid.tied_within(i)))
        if int(finer[-1].sizes.sum()) != grid.sizes[i] or int(finer[-1].own.sum()) != grid.own[i]:
            raise again.changed()
        grid.open[i] = False
    return finer + _cut_finer(finer, again, most)


# -- one more pass, or several ---------------------------------------------------------------------------------


class _WiderError(Exception):
    """A block has scores of more bytes than the first."""


def _settled(grids: Sequence[_Grid], again: _Again, width: int) -> list[int]:
    """Return, for each grid, what its open segments win beyond what they count as ties, with keys of so many bytes."""
    found = [0] * len(grids)
    for batch in _batches(grids, BUDGET // width):
        filling = {g: _Filling(grids[g], np.array(segments), width) for g, segments in batch.items()}
        for at, scores, own in again.blocks(sorted({grids[g].column for g in batch})):
            for g, each in filling.items():
                if grids[g].column == at and not each.add(scores, own):
                    raise again.changed()
        for g, each in filling.items():
            won = each.doubled() if each.full else None
            if won is None:
                raise again.changed()
            found[g] += won - sum(grids[g].tied_within(i) for i in batch[g])
        del filling, each  # before the next batch takes as much
    return found


def _batches(grids: Sequence[_Grid], room: int) -> Iterator[dict[int, list[int]]]:
    """Yield open segments by grid, as many at a time as there is room for their keys."""
    batch: dict[int, list[int]] = {}
    taken = 0
    for g, grid in enumerate(grids):
        for i in np.flatnonzero(grid.open).tolist():
            if batch and taken + int(grid.sizes[i]) > room:
                yield batch
                batch, taken = {}, 0
            batch.setdefault(g, []).append(i)
            taken += int(grid.sizes[i])
    if batch:
        yield batch


class _Filling:
    """Room for the keys of some segments of a grid, filled block by block."""

    def __init__(self, grid: _Grid, segments: IntArray, width: int) -> None:
        self.bits, self.low, self.n = grid.table.bits, grid.slot[0], segments.size
        local = np.full(grid.starts.size, self.n, dtype=np.int32)
        local[segments] = np.arange(self.n)
        self.span = np.uint64(grid.slot[-1] - self.low + 1)
        self.segment_of = np.full(int(self.span) + 1, self.n, dtype=np.int32)  # the last: beyond the grid
        self.segment_of[grid.slot - self.low] = np.repeat(local, np.diff(grid.starts, append=grid.slot.size))
        self.stops = np.cumsum(grid.sizes[segments])
        self.free = self.stops - grid.sizes[segments]
        self.keys = np.empty(int(self.stops[-1]), dtype=f"u{width}")
        turned = grid.slot[grid.starts] < 0  # below zero the keys of the other cases are odd
        self.odd = np.where(turned, grid.sizes - grid.own, grid.own)[segments]

    def add(self, scores: AnyArray, own: BoolArray) -> bool:
        """Put the keys of a block where they belong; return whether there was room for them."""
        if scores.itemsize > self.keys.itemsize:
            raise _WiderError
        place = (slots(scores, self.bits) - self.low).view(np.uint64)
        segment = self.segment_of.take(np.minimum(place, self.span, out=place).view(np.int64))
        here = np.flatnonzero(segment < self.n)
        if here.size < segment.size:
            scores, own, segment = scores[here], own[here], segment[here]
        keys, _ = packed(scores.astype(f"f{self.keys.itemsize}", copy=False), own)
        keys, counts = grouped(keys, segment, self.n)
        begins, self.free = self.free, self.free + counts
        if (self.free > self.stops).any():
            return False
        self.keys[np.arange(keys.size) + np.repeat(begins - (np.cumsum(counts) - counts), counts)] = keys
        return True

    @property
    def full(self) -> bool:
        """Whether every segment has all its keys."""
        return bool((self.free == self.stops).all())

    def doubled(self) -> int | None:
        """Return twice the pairs won within segments, sorting each; None where not as many are of the class as were."""
        parts = np.split(self.keys, self.stops[:-1])
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # NumPy sorts without holding the interpreter
            wins = list(pool.map(wins_within, parts))
        return sum(won.doubled for won in wins) if [won.odd for won in wins] == self.odd.tolist() else None
