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

    def add(self, scores: AnyArray, positive: BoolArray) -> None:
        """Keep some scores: float32 or float64, none of them NaN."""
        for start in range(0, scores.size, STREAMED):
            keys, below = packed(scores[start : start + STREAMED], positive[start : start + STREAMED])
            if below.any():
                self._below.add(keys[below])
                keys = keys[~below]
            self._from_zero.add(keys)

    def doubled(self) -> int | None:
        """Return twice the pairs that positive scores win; None where scores came in an order that left a segment too large."""
        if not (self._from_zero.countable and self._below.countable):
            return None
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # NumPy counts and sorts without holding the interpreter
            above, below = (list(pool.map(side.wins, range(SEGMENTS))) for side in (self._from_zero, self._below))
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
        self._blocks: list[AnyArray] = []
        self._stops: list[IntArray] = []
        """Where each segment ends in each block."""
        self._segment_of: AnyArray = np.empty(0, dtype=np.uint8)
        """Of each slot from `_low` on; those below and beyond are in the first and the last."""
        self._low = 0

    @property
    def countable(self) -> bool:
        """Whether all keys have one width, and no segment too many of them."""
        if len({block.dtype for block in self._blocks}) > 1:
            return False
        sizes = np.diff(np.sum(self._stops, axis=0), prepend=0) if self._stops else np.zeros(1)
        return bool(sizes.max() <= LARGEST)

    def add(self, keys: AnyArray) -> None:
        if not keys.size:
            return
        slot = (keys >> keys.dtype.type(8 * keys.itemsize - _SLOTS[keys.itemsize])).astype(np.int64)
        if not self._blocks:
            self._low, self._segment_of = _cut(slot)
        slot -= self._low
        segment = self._segment_of.take(slot, mode="clip")
        self._blocks.append(keys.take(np.argsort(segment, kind="stable")))  # of single bytes that is a counting sort
        self._stops.append(np.cumsum(np.bincount(segment, minlength=SEGMENTS)))

    def wins(self, segment: int) -> Wins:
        """Count the pairs of one segment."""
        parts = [
            block[stops[segment - 1] if segment else 0 : stops[segment]]
            for block, stops in zip(self._blocks, self._stops, strict=True)
        ]
        return wins_within(np.concatenate(parts)) if parts else Wins(0, 0, 0)


def _cut(slots: IntArray) -> tuple[int, AnyArray]:
    """Return the lowest of some slots, but for that of 0, and the segment of each from it on: all get about as many scores."""
    slots = np.sort(slots[slots > 0] if slots.any() else slots)
    edges = np.unique(slots[np.arange(1, SEGMENTS) * slots.size // SEGMENTS])
    every = np.arange(slots[0], slots[-1] + 1)
    return int(slots[0]), np.searchsorted(edges, every, side="right").astype(np.uint8)
