"""Scores of few different values counted without sorting: each is looked up in a small table, by a hash of its bits.

Votes, leaves of trees and rounded probabilities have tens or thousands of values among millions of scores.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, IntArray

FEW = 1 << 12  # values at the most
LEAST = 1 << 15  # scores from which on looking at some of them pays
_SAMPLE = 1 << 12
_BITS = 15  # of a hash: a table of so many short numbers stays in the processor's nearest caches
_BLOCK = 1 << 14  # scores worked on at a time, for the same reason
_WIDE = 8
_MIX = {4: np.uint32(0x9E3779B1), 8: np.uint64(0x9E3779B97F4A7C15)}  # 2^32 and 2^64 by the golden ratio, odd


def count_few(scores: AnyArray, positive: BoolArray) -> tuple[AnyArray, IntArray, IntArray] | None:
    """Return the distinct scores, ascending, with the count of either class; None where they are many, or too few scores."""
    few = count_few_by_class(scores, positive, 1)
    return None if few is None else (few[0], few[1][1], few[1][0])


def count_few_by_class(scores: AnyArray, classes: AnyArray, bits: int) -> tuple[AnyArray, IntArray] | None:
    """Return the same with a row of counts for every class, which are numbers of so many bits.

    Scores are numbers of 32 or 64 bits without NaN; -0.0 is 0.0.
    """
    if scores.size < LEAST:
        return None
    known = np.unique(scores[:: scores.size // _SAMPLE] + scores.dtype.type(0))
    if known.size > _SAMPLE // 2:
        return None
    table, counts = Lookup(known), np.zeros(known.size << bits, dtype=np.int64)
    for start in range(0, scores.size, _BLOCK):
        part = scores[start : start + _BLOCK]
        place = table.places(part)
        if place is None:  # some were not in the sample
            known = np.append(known, np.setdiff1d(part, known) + scores.dtype.type(0))
            if known.size > FEW:
                return None
            table, counts = Lookup(known), np.append(counts, np.zeros((known.size << bits) - counts.size, dtype=np.int64))
            place = table.places(part)
            assert place is not None
        place <<= bits
        place |= classes[start : start + _BLOCK]
        counts += np.bincount(place, minlength=counts.size)
    order = np.argsort(known)
    return known[order], np.stack([counts[i :: 1 << bits][order] for i in range(1 << bits)])


class Lookup:
    """The places of known values, found by their bits; the few whose hashes meet another's are searched for."""

    def __init__(self, known: AnyArray) -> None:
        self.known, self.order = known, np.argsort(known)
        self.ascending = known[self.order]
        self.table = np.zeros(1 << _BITS, dtype=np.int16)
        self.table[self._hashed(known)] = np.arange(known.size)

    @staticmethod
    def _hashed(values: AnyArray) -> IntArray:
        width = values.itemsize
        hashed = values.view(f"u{width}") * _MIX[width]
        hashed >>= hashed.dtype.type(8 * width - _BITS)
        indices: IntArray = hashed.view(np.int64) if width == _WIDE else hashed.astype(np.int64)
        return indices

    def places(self, values: AnyArray) -> IntArray | None:
        """Return where each of the values stands among those known; None where one is not."""
        place: IntArray = self.table.take(self._hashed(values)).astype(np.int64)
        other = np.flatnonzero(self.known.take(place, mode="clip") != values)
        if other.size:
            at = np.minimum(np.searchsorted(self.ascending, values[other]), self.known.size - 1)
            if np.any(self.ascending[at] != values[other]):
                return None
            place[other] = self.order[at]
        return place
