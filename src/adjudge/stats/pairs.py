"""Counting the pairs a ranking gets right, in whole numbers and in blocks that stay in the cache; `checked` is the door."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from adjudge._base import InputError, Undefined, parameter
from adjudge._base.arrays import BLOCK, STREAMED, AnyArray, BoolArray, IntArray

_MANY = 1 << 20  # keys from which on a second thread pays
_DENSE, _FEW = 4, 1 << 21  # keys so dense, and in so few places, are counted in less time than they are sorted
_SAMPLE = 1 << 10
_INT64_SAFE = float(1 << 62)
_INT64_MAX = (1 << 63) - 1
_RANKABLE = dict.fromkeys(("b1", "i1", "u1", "i2", "u2", "i4"), "i4") | {
    "u4": "i8", "i8": "i8", "u8": "i8", "f2": "f4", "f4": "f4", "f8": "f8",
}  # fmt: skip
SEGMENTS = 256  # numbered by single bytes
LARGEST = 1 << 23  # keys of a segment; more are not brought together, for the sake of memory
_SLOTS = {4: 18, 8: 21}  # leading bits of a key that say its segment, by its bytes: exponent and ten bits more


def checked(scores: AnyArray, positive: BoolArray) -> tuple[AnyArray, BoolArray]:
    """Return one flag and one score per case, as float32, float64, int32 or int64 in the same order and with the same ties."""
    scores, positive = np.asarray(scores), np.asarray(positive)
    if positive.dtype != np.bool_:
        msg = f" must be booleans, got {positive.dtype}. Compare first: positive = truth == 'yes'."
        raise InputError(parameter("positive"), msg)
    if scores.ndim != 1 or scores.shape != positive.shape:
        msg = f"one score and one flag per case, please: got shapes {scores.shape} and {positive.shape}."
        raise InputError(msg)
    name = _RANKABLE.get(scores.dtype.newbyteorder("=").str[1:])
    if name is None:
        msg = f" must be numbers of at most 64 bits, got {scores.dtype}. Convert them to float64."
        raise InputError(parameter("scores"), msg)
    if name == "i8" and scores.max(initial=0) > _INT64_MAX:
        # Turning the top bit over maps 0 .. 2^64-1 onto -2^63 .. 2^63-1 in order.
        scores = (scores.astype(np.uint64) ^ np.uint64(1 << 63)).view(np.int64)
    else:
        scores = scores.astype(name, copy=False)
    if scores.size and np.isnan(scores.min()):
        missing = np.flatnonzero(np.isnan(scores))
        msg = f"{missing.size} of {scores.size} scores are NaN, the first in row {missing[0]}. "
        raise InputError(msg, "A missing score has no rank: drop those rows or replace it.")
    return scores, positive


def checked_weight(weight: AnyArray, size: int) -> AnyArray:
    """Return one finite weight >= 0 per row as float64, int64 as it is (so many cases each), or refuse."""
    weight = np.asarray(weight)
    weight = weight if weight.dtype == np.int64 else weight.astype(np.float64)
    if weight.shape != (size,):
        msg = f"one weight per case, please: got shape {weight.shape} for {size} cases."
        raise InputError(msg)
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if bad.size:
        raise InputError(parameter("weights"), f" must be finite and not negative, got {weight[bad[0]]} in row {bad[0]}.")
    return weight


def no_area(positives: float, negatives: float) -> Undefined:
    """Return why there is no AUC without both classes."""
    absent = "no positive case" if negatives else "no negative case" if positives else "no case at all"
    return Undefined(f"AUC needs both classes: {absent}")


def whole_dot(left: AnyArray, right: AnyArray) -> int:
    """Return the sum of products of two arrays of counts, however large."""
    if float(left.sum()) * float(right.max(initial=0)) < _INT64_SAFE:
        return int(np.dot(left, right))
    return int(np.dot(left.astype(object), right.astype(object)))


def doubled_wins(scores: AnyArray, positive: BoolArray) -> int:
    """Return 2U, twice Mann and Whitney's count of the pairs the positive cases win.

    Scores are split at zero, where every pair is decided; below, the order of sizes is the reverse order of scores. Keys of both
    sides sort as plain integers, far faster than an argsort, and fill one array from its two ends.
    """
    starts = range(0, scores.size, BLOCK)
    blocks = (packed(scores[start : start + BLOCK], positive[start : start + BLOCK]) for start in starts)
    upper, lower = (_wins(keys) for keys in _parted(blocks, np.empty(scores.size, f"u{scores.itemsize}")))
    return upper.doubled + lower.doubled + 2 * upper.odd * lower.odd


def _parted(blocks: Iterable[tuple[AnyArray, BoolArray]], into: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return all keys that are not marked, and those that are, filling an array from its two ends."""
    head, tail = 0, into.size
    for block, marked in blocks:
        # Gathering by index avoids the branch per element that a mask costs: four times faster.
        last = block[np.flatnonzero(marked)]
        first = block[np.flatnonzero(~marked)] if last.size else block
        into[head : head + first.size] = first
        into[tail - last.size : tail] = last
        head, tail = head + first.size, tail - last.size
    return into[:head], into[head:]


class Wins(NamedTuple):
    """Twice the pairs that odd keys win, and how many keys are odd and even."""

    doubled: int
    odd: int
    even: int


def _wins(keys: AnyArray) -> Wins:
    """Count the pairs that odd keys win; many keys are split at the middle of a sample for two threads, ties kept together."""
    if keys.size < _MANY or (os.cpu_count() or 1) == 1:
        return wins_within(keys)
    middle = np.sort(keys[:: keys.size // _SAMPLE])[_SAMPLE // 2] & ~keys.dtype.type(1)
    blocks = (keys[start : start + BLOCK] for start in range(0, keys.size, BLOCK))
    halves = _parted(((block, block >= middle) for block in blocks), np.empty_like(keys))
    with ThreadPoolExecutor(2) as pool:  # NumPy sorts without holding the interpreter
        low, high = pool.map(wins_within, halves)
    # every even key of the lower part is beaten
    return Wins(low.doubled + high.doubled + 2 * high.odd * low.even, low.odd + high.odd, low.even + high.even)


def wins_within(keys: AnyArray) -> Wins:
    """Sort the keys in place and count, ties (all but the last bit agree) half; close keys are counted unsorted."""
    if not keys.size:
        return Wins(0, 0, 0)
    low, high = int(keys.min()) & ~1, int(keys.max()) | 1
    if high - low < min(_DENSE * keys.size, _FEW):
        counts = np.bincount((keys - keys.dtype.type(low)).astype(np.int64), minlength=high - low + 1)
        evens, odds = counts[::2], counts[1::2]
        return Wins(whole_dot(odds, 2 * np.cumsum(evens) - evens), int(odds.sum()), int(evens.sum()))
    keys.sort()
    places = np.arange(min(BLOCK, keys.size), dtype=keys.dtype)  # a sum within 2^16 stays below 2^31: 32-bit keys can hold it
    count = total = 0
    for start in range(0, keys.size, BLOCK):
        odd = keys[start : start + BLOCK] & keys.dtype.type(1)
        here = int(odd.sum(dtype=keys.dtype))
        odd *= places[: odd.size]
        count, total = count + here, total + start * here + int(odd.sum(dtype=keys.dtype))
    return Wins(2 * total - count * (count - 1) - _tied_pairs(keys), count, keys.size - count)


def packed(scores: AnyArray, positive: BoolArray) -> tuple[AnyArray, BoolArray]:
    """Return a key per score, its size and in the last bit who wins, and whether the score is below 0.

    The bits of IEEE floats order scores of one sign by their size; so does n for an integer n >= 0, and -n - 1 for n < 0.
    """
    below: BoolArray = np.less(scores, 0)
    sizes = scores ^ (scores >> (8 * scores.itemsize - 1)) if scores.dtype.kind == "i" else scores
    keys = sizes.view(f"u{scores.itemsize}") << np.array(1, f"u{scores.itemsize}")
    keys |= positive ^ below
    return keys, below


def grouped(keys: AnyArray, group: IntArray, groups: int) -> tuple[AnyArray, IntArray]:
    """Return the keys by group, in the order they came in, and how many each group has, by a counting sort."""
    from scipy.sparse import csr_array

    row = csr_array((keys, group.astype(np.int32, copy=False), np.array([0, keys.size], dtype=np.int32)), shape=(1, groups))
    columns = row.tocsc()
    return columns.data, np.diff(columns.indptr)


def _tied_pairs(keys: AnyArray) -> int:
    """Return how many (even, odd) pairs of sorted keys differ in the last bit only."""
    start = total = 0
    while start < keys.size:
        stop = min(start + BLOCK, keys.size)
        stop += int(np.searchsorted(keys[stop:], keys[stop - 1] | keys.dtype.type(1), side="right"))  # no tie is cut in two
        block = keys[start:stop]
        if ((block[1:] ^ block[:-1]) == 1).any():
            # The last place of every run of equal keys; in front, the place before the first run.
            ends = np.concatenate(([-1], np.flatnonzero(block[1:] != block[:-1]), [block.size - 1]))
            heads = block[ends[1:]]
            even = np.flatnonzero((heads[1:] ^ heads[:-1]) == 1)
            middle = ends[even + 1]
            total += whole_dot(middle - ends[even], ends[even + 2] - middle)
        start = stop
    return total


class Segments:
    """The scores of one column, and which are of its class."""

    def __init__(self) -> None:
        self._from_zero, self._below = _Side(), _Side()

    def cut(self, some: AnyArray) -> None:
        """Cut the line by some scores; without, the first that are added say where."""
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
