"""Scores that are kept as they come in, those near each other together: at the end every pair is counted, and none was sorted.

A score is a key, its size with its class in the last bit (see `packed`). The first scores say where to cut the line into
segments of about as many keys each; a block of keys is put in the order of its segments and left so. At the end the keys
of a segment are brought together from all blocks: pairs in two segments are settled, and those within one are few enough
for the processor's cache. Arrays in, numbers out.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, BoolArray, IntArray
from adjudge.stats._pairs import Wins, packed, wins_within

SEGMENTS = 256  # numbered by single bytes
LARGEST = 1 << 23
"""Keys of a segment; more are not brought together, for the sake of memory."""
_SLOTS = {4: 18, 8: 21}  # leading bits of a key that say its segment, by its bytes: exponent and ten bits more


class Segments:
    """The scores of one column, and which are of its class."""

    def __init__(self) -> None:
        self._from_zero, self._below = _Side(), _Side()

    def cut(self, some: AnyArray) -> None:
        """Cut the line by some scores; without, the first that are added say where.

        A sign that none of them has is left in one piece, not to be cut by whichever thread first meets it.
        """
        keys, below = packed(some, np.zeros(some.size, dtype=np.bool_))
        for side, own in ((self._from_zero, keys[~below]), (self._below, keys[below])):
            side.cut(own if own.size else keys[:1])

    def add(self, scores: AnyArray, positive: BoolArray) -> None:
        """Keep some scores: float32 or float64, none of them NaN."""
        for start in range(0, scores.size, STREAMED):
            keys, below = packed(scores[start : start + STREAMED], positive[start : start + STREAMED])
            under = np.flatnonzero(below)  # gathering by index is faster than by a mask
            if under.size:
                self._below.add(keys[under])
                keys = keys[np.flatnonzero(~below)]
            self._from_zero.add(keys)

    def doubled(self) -> int | None:
        """Return twice the pairs that positive scores win; None where scores came in an order that left a segment too large."""
        if not (self._from_zero.countable and self._below.countable):
            return None
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # NumPy counts and sorts without holding the interpreter
            above, below = (list(pool.map(side.wins, side.segments)) for side in (self._from_zero, self._below))
        # below zero the larger sizes are the lower scores, and the keys of the other cases are odd
        rising = [(w.doubled, w.even, w.odd) for w in reversed(below)] + [(w.doubled, w.odd, w.even) for w in above]
        won = others = 0
        for doubled, own, rest in rising:
            won += doubled + 2 * own * others
            others += rest
        return won


class _Side:
    """The keys of scores of one sign."""

    def __init__(self) -> None:
        self._blocks: list[tuple[AnyArray, IntArray]] = []
        """The keys of each block, and where each segment ends in it."""
        self._segment_of: AnyArray = np.empty(0, dtype=np.uint8)
        """Of each slot from `_low` on; those below and beyond are in the first and the last."""
        self._low = 0

    @property
    def countable(self) -> bool:
        """Whether all keys have one width, and no segment too many of them."""
        if len({keys.dtype for keys, _ in self._blocks}) > 1:
            return False
        stops = np.sum([stops for _, stops in self._blocks], axis=0) if self._blocks else np.zeros(1)
        return bool(np.diff(stops, prepend=0).max() <= LARGEST)

    @property
    def segments(self) -> range:
        """The segments that may have keys."""
        return range(SEGMENTS if self._blocks else 0)

    def cut(self, keys: AnyArray) -> None:
        """Cut the line so that each segment gets about as many of the keys."""
        slot = _slots(keys)
        slot = np.sort(slot[slot > 0] if slot.any() else slot)  # 0 is far from all others
        edges = np.unique(slot[np.arange(1, SEGMENTS) * slot.size // SEGMENTS])
        every = np.arange(slot[0], slot[-1] + 1)
        self._low, self._segment_of = int(slot[0]), np.searchsorted(edges, every, side="right").astype(np.uint8)

    def add(self, keys: AnyArray) -> None:
        if not keys.size:
            return
        if not self._segment_of.size:
            self.cut(keys)
        slot = _slots(keys)
        slot -= self._low
        segment = self._segment_of.take(slot, mode="clip")
        ordered = keys.take(np.argsort(segment, kind="stable"))  # of single bytes that is a counting sort
        self._blocks.append((ordered, np.cumsum(np.bincount(segment, minlength=SEGMENTS))))

    def wins(self, segment: int) -> Wins:
        """Count the pairs of one segment."""
        parts = [keys[stops[segment - 1] if segment else 0 : stops[segment]] for keys, stops in self._blocks]
        return wins_within(np.concatenate(parts))


def _slots(keys: AnyArray) -> IntArray:
    """Return the leading bits of keys."""
    leading: IntArray = (keys >> keys.dtype.type(8 * keys.itemsize - _SLOTS[keys.itemsize])).astype(np.int64)
    return leading


def doubled_by_segments(scores: AnyArray, positive: BoolArray) -> int | None:
    """Return twice the pairs that positive scores win, of many floats; None where too many of them are equal."""
    segments, starts = Segments(), range(0, scores.size, STREAMED)
    segments.cut(scores[:: len(starts)])
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda at: segments.add(scores[at : at + STREAMED], positive[at : at + STREAMED]), starts))
    return segments.doubled()
