"""Scores counted by bin as they come in, without sorting most of them: coarse tables of any number of scores."""

from __future__ import annotations

from functools import reduce

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge._base.records import replace
from adjudge.stats.pairs import checked, checked_weight
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen, merge, of_counts, tabulate

# bins of one sign with room of their own; of 22 bits, they go from any score up and down nineteen orders of magnitude
_WIDEST = 1 << 17
_ROOM = 1 << 20  # the same of all tables together
_ASIDE = 1 << 13  # scores put aside before they are sorted, or four times as many as there is room for bins
_SAMPLE = 1 << 10  # of scores, for their middle
_BELOW = np.int64((1 << 63) - 1)


def slots(scores: AnyArray, bits: int) -> IntArray:
    """Return the number of each score's bin: ascending with the scores, below 0 for scores below 0."""
    whole = (scores.astype(np.float64, copy=False) + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    if whole.min(initial=0) < 0:
        whole ^= (whole >> 63) & _BELOW
    whole >>= EXACT_BITS - bits
    return whole


def at_edges(table: ScoreTable, bits: int) -> ScoreTable:
    """Return the coarsened table with each bin at its lower edge, as one of several scores: which they were is forgotten."""
    coarse = coarsen(table, bits)
    whole = slots(coarse.values, coarse.bits) << (EXACT_BITS - coarse.bits)
    edges = np.where(whole < 0, whole ^ _BELOW, whole).view(np.float64)
    edges[np.isnan(edges)] = -np.inf  # the bin of -inf has no other number
    return replace(coarse, values=edges, mixed=np.ones(edges.size, dtype=np.bool_))


def tabulate_binned(scores: AnyArray, positive: BoolArray, weight: AnyArray | None, *, bits: int) -> ScoreTable:
    """Return ``coarsen(tabulate(scores, positive, weight), bits)``, without sorting most of the scores."""
    bins = Bins(bits)
    bins.add(scores, positive, weight)
    return bins.table()


def room_for(columns: int) -> int:
    """Return how many bins of one sign there is room for in each of so many tables."""
    return max(1, min(_WIDEST, _ROOM // columns))


class Bins:
    """Scores counted by bin as they come in: what ``tabulate_binned`` of all of them would be.

    Around the middle of the first scores `most` bins of either sign are counted without sorting; the rest is put aside and
    sorted. With `own`, what is added as positive is the number of the class, up to `classes`, as in ``tabulate``.
    """

    def __init__(self, bits: int, most: int | None = None, own: int | None = None, classes: int = 1) -> None:
        self.bits, self.own, self._wide = bits, own, classes.bit_length()
        self.most = _WIDEST if most is None else most
        self._windows: tuple[_Window, ...] = ()
        self._zeros: AnyArray = np.zeros(1 << self._wide, dtype=np.int64)
        self._aside: list[tuple[AnyArray, AnyArray, AnyArray | None]] = []
        self._waiting = 0
        self._far: ScoreTable | None = None

    def add(self, scores: AnyArray, positive: AnyArray, weight: AnyArray | None = None) -> None:
        """Count some scores, or add up their weights; those of weight 0 are left out."""
        scores = checked(scores, positive if self.own is None else positive == self.own)[0]
        positive = np.asarray(positive)
        if weight is not None:
            weight = checked_weight(weight, scores.size)
            kept = weight > 0
            scores, positive, weight = scores[kept], positive[kept], weight[kept]
        if scores.dtype.kind != "f" or not counts_cases(weight):  # weights are added up exactly where they are sorted
            self._put_aside(scores, positive, weight)
            return
        if not self._windows and scores.size:  # around about the median bin of the sizes of scores other than 0
            some = np.sort(np.abs(scores[:: max(1, scores.size // _SAMPLE)]))
            some = some[some > 0] if some[-1] > 0 else some
            low = max(0, int(slots(some[[some.size // 2]], self.bits)[0]) - self.most // 2)
            self._windows = tuple(_Window(start, self.most, self._wide) for start in (low, -low - self.most))
        for start in range(0, scores.size, STREAMED):
            part = slice(start, start + STREAMED)
            values, own, w = scores[part].astype(np.float64), positive[part], None if weight is None else weight[part]
            slot = slots(values, self.bits)
            for window in self._windows:
                place = window.places(slot)
                if place.min(initial=window.elsewhere) == window.elsewhere:
                    continue
                far = np.flatnonzero(place == window.elsewhere)
                window.count(place, values, own, w)
                slot, values, own, w = slot[far], values[far], own[far], None if w is None else w[far]
                if not far.size:
                    break
            self._put_aside(values, own, w)

    def _put_aside(self, scores: AnyArray, positive: AnyArray, weight: AnyArray | None) -> None:
        other = np.flatnonzero(scores) if counts_cases(weight) else np.arange(scores.size)
        if other.size < scores.size:  # 0 is far from all other scores, and many may be 0
            zero = np.flatnonzero(scores == 0)
            zeros = np.bincount(positive[zero], None if weight is None else weight[zero], minlength=self._zeros.size)
            self._zeros = self._zeros + zeros.astype(np.int64)
            scores, positive, weight = scores[other], positive[other], None if weight is None else weight[other]
        if scores.size:
            self._aside.append((scores, positive, weight))
            self._waiting += scores.size
        if self._waiting > max(_ASIDE, 4 * self.most):
            self._sort()

    def _sort(self) -> None:
        scores, positive = (np.concatenate([part[i] for part in self._aside]) for i in range(2))
        weights = [weight for _, _, weight in self._aside if weight is not None]
        table = coarsen(tabulate(scores, positive, np.concatenate(weights) if weights else None, self.own), self.bits)
        self._far = table if self._far is None else merge(self._far, table)
        self._aside, self._waiting = [], 0

    def table(self) -> ScoreTable:
        """Return the table of all scores counted."""
        if self._aside:
            self._sort()
        tables = [window.table(self.bits, self.own) for window in self._windows if window.largest.size > 1]
        if self._zeros.any():
            tables.append(_table(np.zeros(1), self._zeros[:, np.newaxis], self.own, self.bits, None))
        tables += [] if self._far is None else [self._far]
        none: AnyArray = np.empty(0, dtype=np.bool_ if self.own is None else np.int64)
        return reduce(merge, tables) if tables else coarsen(tabulate(np.empty(0), none, own=self.own), self.bits)


class _Window:
    """As many bins as there is room for, from `low` on."""

    def __init__(self, low: int, most: int, wide: int) -> None:
        self.low, self.elsewhere, self.wide = low, most, wide
        self.counts: AnyArray = np.zeros(1 << wide, dtype=np.int64)
        """Of the other and of the positive cases, or of all classes by turns; the last of all that are elsewhere."""
        self.largest, self.smallest = np.full(1, -np.inf), np.full(1, np.inf)

    def places(self, slot: IntArray) -> IntArray:
        """Return the place of each bin."""
        place = (slot - self.low).view(np.uint64)  # below the first is far above as unsigned
        return np.minimum(place, np.uint64(self.elsewhere), out=place).view(np.int64)

    def count(self, place: IntArray, values: FloatArray, positive: AnyArray, weight: AnyArray | None) -> None:
        """Count scores in their places; `place` is overwritten."""
        if self.largest.size == 1:  # there is something to make room for
            self.counts = np.zeros(self.elsewhere + 1 << self.wide, dtype=np.int64)
            self.largest, self.smallest = np.full(self.elsewhere + 1, -np.inf), np.full(self.elsewhere + 1, np.inf)
        beyond = values > self.largest.take(place)
        beyond |= values < self.smallest.take(place)
        new = np.flatnonzero(beyond)  # soon few
        np.maximum.at(self.largest, place[new], values[new])
        np.minimum.at(self.smallest, place[new], values[new])
        place <<= self.wide
        place |= positive
        np.add.at(self.counts, place, 1 if weight is None else weight)

    def table(self, bits: int, own: int | None) -> ScoreTable:
        """Return the bins that occur."""
        there = np.flatnonzero(self.smallest[:-1] <= self.largest[:-1])
        largest, mixed = self.largest[there], self.smallest[there] != self.largest[there]
        counts = np.stack([self.counts[i :: 1 << self.wide][there] for i in range(1 << self.wide)])
        return _table(largest + 0.0, counts, own, bits, mixed if mixed.any() else None)


def _table(values: FloatArray, counts: IntArray, own: int | None, bits: int, mixed: BoolArray | None) -> ScoreTable:
    """Return the table of bins with a row of counts for every class, or for other and positive cases."""
    return ScoreTable(values, counts[1], counts[0], bits, mixed) if own is None else of_counts(values, counts, own, bits, mixed)
