"""The exact AUC of a file with more scores than memory holds: it is read again, as many bins at a time as can be sorted.

Bins settle all pairs but those within them; neighbouring ones make a segment of keys, scores with the class in the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from adjudge._base import InputError, argument, safe
from adjudge._base.arrays import AnyArray, BoolArray, IntArray, ahead
from adjudge.counts.scores import BITS, ScoreCounts
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.model import Predictions
from adjudge.stats.binning import slots, tabulate_binned
from adjudge.stats.pairs import grouped, packed, whole_dot, wins_within
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen, merge

BUDGET = 3 << 28  # bytes of keys held at a time when it is read again
SEGMENT = 1 << 17  # keys of a segment: few enough to be ranked within the processor's cache, many enough to be written in runs
_FINER = 12  # bits more for a bin that is too large
_WIDE = 8  # bytes of a key of a float64


def ranked_exactly(scores: ScoreCounts, predictions: Predictions, doubled: Mapping[int, int] | None = None) -> ScoreCounts:
    """Return the same scores with exact AUCs; what is not known as `doubled`, twice the pairs a class wins, is read again."""
    if not any(table.mixed is not None for table in scores.tables):
        return scores
    if predictions.roles.weight is not None or predictions.roles.count is not None:
        msg = "Weighted or counted cases of a file this large are ranked in bins only. Leave "
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
    doubled = dict.fromkeys(columns, 0)
    grids = [_Grid(at, coarsen(scores.tables[at], BITS)) for at in columns]
    grids += _cut_finer(grids, predictions, BUDGET // _WIDE)
    width = next((first.itemsize for _, first, _ in _blocks(predictions, [0])), _WIDE)  # of the first block
    try:
        won = _settled(grids, predictions, width)
    except _WiderError:
        won = _settled(grids, predictions, _WIDE)
    for grid, settled in zip(grids, won, strict=True):
        doubled[grid.column] += grid.tied() - grid.instead_of + settled
    return doubled


def check_exact(scores: ScoreCounts | None) -> None:
    """Refuse counts whose scores were binned: there is nothing to read again."""
    if scores is not None and any(scores.bound(at) for at in scores.columns):
        msg = "Counts keep no scores to rank again, and these were binned. Leave "
        raise InputError(msg, argument("exact"), " out, or evaluate the predictions themselves.")


def _blocks(predictions: Predictions, columns: Sequence[int]) -> Iterator[tuple[int, AnyArray, BoolArray]]:
    """Yield scores of each of the columns, and which cases are of its class, block by block."""
    for block in ahead(Encoder(predictions, ranking=True).blocks()):
        assert block.scores is not None
        for at in columns:
            column = block.scores[:, at]
            narrow = column.dtype == np.float32
            yield at, column if narrow else column.astype(np.float64, copy=False), block.truth == at


def _changed(predictions: Predictions) -> InputError:
    """Return what to say when a pass finds other scores or classes than the one before."""
    name = safe(predictions.source.name)
    return InputError(f"{name}: the file changed while it was read. Evaluate it again when nothing writes to it.")


class _Grid:
    """The bins of one column, or those that one of its bins was cut into, and the segments they make."""

    def __init__(self, column: int, table: ScoreTable, instead_of: int = 0) -> None:
        self.column, self.table = column, table
        self.instead_of = instead_of  # twice the pairs won that the bin counted before it was cut
        total, self.slot = table.positives + table.negatives, slots(table.values, table.bits)
        # the first bin of every segment: one of many scores is alone, and none reaches over zero
        before, most = np.cumsum(total) - total, max(1, min(SEGMENT, BUDGET // _WIDE // 2))
        many, new = total > most, np.ones(self.slot.size, dtype=np.bool_)
        new[1:] = (np.diff(before // most) != 0) | many[1:] | many[:-1] | ((self.slot[1:] >= 0) & (self.slot[:-1] < 0))
        self.starts = np.flatnonzero(new)
        self.sizes, self.own = (np.add.reduceat(each, self.starts) for each in (total, table.positives))  # of each segment
        mixed = np.zeros(total.size, np.bool_) if table.mixed is None else table.mixed
        self.open = np.logical_or.reduceat(mixed, self.starts)  # segments with pairs that are not settled

    def tied(self, segment: int | None = None) -> int:
        """Return twice the pairs won if all within a bin were ties: of all bins, or of those of one segment."""
        ends = np.append(self.starts[1:], self.slot.size)
        part = slice(None) if segment is None else slice(int(self.starts[segment]), int(ends[segment]))
        p, n = self.table.positives[part], self.table.negatives[part]
        return whole_dot(p, 2 * np.cumsum(n) - n)


def _cut_finer(grids: Sequence[_Grid], predictions: Predictions, most: int) -> list[_Grid]:
    """Return the bins within bins that alone hold more scores than memory allows; those are then closed."""
    heavy = {
        (grid.column, grid.table.bits, int(grid.slot[grid.starts[i]])): (grid, i)
        for grid in grids
        for i in np.flatnonzero(grid.open & (grid.sizes > most)).tolist()
    }
    if not heavy:
        return []
    tables: dict[tuple[int, int, int], ScoreTable] = {}
    for at, scores, own in _blocks(predictions, sorted({column for column, _, _ in heavy})):
        for key in heavy:
            column, bits, slot = key
            within = np.flatnonzero(slots(scores, bits) == slot) if column == at else np.empty(0, dtype=np.int64)
            if within.size:
                fresh = tabulate_binned(scores[within], own[within], None, bits=min(bits + _FINER, EXACT_BITS))
                tables[key] = merge(tables[key], fresh) if key in tables else fresh
    if len(tables) < len(heavy):
        raise _changed(predictions)
    finer = []
    for key, (grid, i) in heavy.items():
        finer.append(_Grid(grid.column, tables[key], grid.tied(i)))
        if int(finer[-1].sizes.sum()) != grid.sizes[i] or int(finer[-1].own.sum()) != grid.own[i]:
            raise _changed(predictions)
        grid.open[i] = False
    return finer + _cut_finer(finer, predictions, most)


class _WiderError(Exception):
    """A block has scores of more bytes than the first."""


def _settled(grids: Sequence[_Grid], predictions: Predictions, width: int) -> list[int]:
    """Return, for each grid, what its open segments win beyond what they count as ties, with keys of so many bytes."""
    wins = [0] * len(grids)
    for batch in _batches(grids, BUDGET // width):
        filling = {g: _Filling(grids[g], np.array(segments), width) for g, segments in batch.items()}
        for at, scores, own in _blocks(predictions, sorted({grids[g].column for g in batch})):
            for g, each in filling.items():
                if grids[g].column == at and not each.add(scores, own):
                    raise _changed(predictions)
        for g, each in filling.items():
            won = each.doubled()
            if won is None:
                raise _changed(predictions)
            wins[g] += won - sum(grids[g].tied(i) for i in batch[g])
        del filling, each  # before the next batch takes as much
    return wins


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

    def doubled(self) -> int | None:
        """Return twice the pairs won within segments, sorting each; None where they lack keys, or others are of the class."""
        if (self.free != self.stops).any():
            return None
        parts = np.split(self.keys, self.stops[:-1])
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # NumPy sorts without holding the interpreter
            wins = list(pool.map(wins_within, parts))
        return sum(won.doubled for won in wins) if [won.odd for won in wins] == self.odd.tolist() else None
