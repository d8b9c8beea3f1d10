"""Counting the pairs a ranking gets right: how many negative cases each positive one outscores.

The arithmetic under `ranking`: whole numbers throughout, in blocks that stay in the cache.
Arguments are trusted; `checked` is the door.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined

_MANY = 1 << 20  # keys from which on a second thread pays
_DENSE, _FEW = 4, 1 << 21  # keys so dense, and in so few places, are counted in less time than they are sorted
_SAMPLE = 1 << 10
_INT64_SAFE = float(1 << 62)
_INT64_MAX = (1 << 63) - 1
_RANKABLE = dict.fromkeys(("b1", "i1", "u1", "i2", "u2", "i4"), "i4") | {
    "u4": "i8", "i8": "i8", "u8": "i8", "f2": "f4", "f4": "f4", "f8": "f8",
}  # fmt: skip


def checked(scores: AnyArray, positive: BoolArray) -> tuple[AnyArray, BoolArray]:
    """Return one flag and one score per case, as float32, float64, int32 or int64 in the same order and with the same ties."""
    scores, positive = np.asarray(scores), np.asarray(positive)
    if positive.dtype != np.bool_:
        msg = f"positive must be booleans, got {positive.dtype}. Compare first: positive = truth == 'yes'."
        raise InputError(msg)
    if scores.ndim != 1 or scores.shape != positive.shape:
        msg = f"one score and one flag per case, please: got shapes {scores.shape} and {positive.shape}."
        raise InputError(msg)
    name = _RANKABLE.get(scores.dtype.newbyteorder("=").str[1:])
    if name is None:
        msg = f"scores must be numbers of at most 64 bits, got {scores.dtype}. Convert them to float64."
        raise InputError(msg)
    if name == "i8" and scores.max(initial=0) > _INT64_MAX:
        # Turning the top bit over maps 0 .. 2^64-1 onto -2^63 .. 2^63-1 in order.
        scores = (scores.astype(np.uint64) ^ np.uint64(1 << 63)).view(np.int64)
    else:
        scores = scores.astype(name, copy=False)
    if scores.size and np.isnan(scores.min()):
        missing = np.flatnonzero(np.isnan(scores))
        msg = (
            f"{missing.size} of {scores.size} scores are NaN, the first in row {missing[0]}. "
            "A missing score has no rank: drop those rows or replace it."
        )
        raise InputError(msg)
    return scores, positive


def checked_weight(weight: FloatArray, size: int) -> FloatArray:
    """Return one finite weight >= 0 per case as float64, or refuse."""
    weight = np.asarray(weight, dtype=np.float64)
    if weight.shape != (size,):
        msg = f"one weight per case, please: got shape {weight.shape} for {size} cases."
        raise InputError(msg)
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if bad.size:
        msg = f"weights must be finite and not negative, got {weight[bad[0]]} in row {bad[0]}."
        raise InputError(msg)
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

    Scores are split at zero. Across the split every pair is decided; below it the order of sizes is the reverse order of scores,
    so there the keys have the negative cases win. Keys of both sides sort as plain integers, far faster than an argsort; they
    fill one array from its two ends.
    """
    keys = np.empty(scores.size, f"u{scores.itemsize}")
    head, tail = 0, scores.size
    for start in range(0, scores.size, BLOCK):
        block, below = packed(scores[start : start + BLOCK], positive[start : start + BLOCK])
        # Gathering by index avoids the branch per element that a mask costs: four times faster.
        minus = block[np.flatnonzero(below)]
        plus = block[np.flatnonzero(~below)] if minus.size else block
        keys[head : head + plus.size] = plus
        keys[tail - minus.size : tail] = minus
        head, tail = head + plus.size, tail - minus.size
    upper, lower = _wins(keys[:head]), _wins(keys[head:])
    return upper.doubled + lower.doubled + 2 * upper.odd * lower.odd


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
    halves, head, tail = np.empty_like(keys), 0, keys.size
    for start in range(0, keys.size, BLOCK):
        block = keys[start : start + BLOCK]
        below = block < middle
        less, more = block[np.flatnonzero(below)], block[np.flatnonzero(~below)]
        halves[head : head + less.size] = less
        halves[tail - more.size : tail] = more
        head, tail = head + less.size, tail - more.size
    with ThreadPoolExecutor(2) as pool:  # NumPy sorts without holding the interpreter
        low, high = pool.map(wins_within, (halves[:head], halves[head:]))
    # every even key of the lower part is beaten
    return Wins(low.doubled + high.doubled + 2 * high.odd * low.even, low.odd + high.odd, low.even + high.even)


def wins_within(keys: AnyArray) -> Wins:
    """Sort the keys in place and count; keys tie when all but the last bit agree.

    Within a tie the even come first and count as beaten, twice, until each pair is taken off once. Keys that lie close
    together are counted one by one instead of sorted.
    """
    if not keys.size:
        return Wins(0, 0, 0)
    low, high = int(keys.min()) & ~1, int(keys.max()) | 1
    if high - low < min(_DENSE * keys.size, _FEW):
        counts = np.bincount((keys - keys.dtype.type(low)).astype(np.int64), minlength=high - low + 1)
        evens, odds = counts[::2], counts[1::2]
        return Wins(whole_dot(odds, 2 * np.cumsum(evens) - evens), int(odds.sum()), int(evens.sum()))
    keys.sort()
    odd, places = _odd(keys)
    return Wins(2 * places - odd * (odd - 1) - _tied_pairs(keys), odd, keys.size - odd)


def packed(scores: AnyArray, positive: BoolArray) -> tuple[AnyArray, BoolArray]:
    """Return a key per score, its size and in the last bit who wins, and whether the score is below 0.

    The bits of IEEE floats order scores of one sign by their size: their top bit is the sign, and -0.0 equals 0.0 without it.
    So does n for an integer n >= 0, and -n - 1 for n < 0, which unlike -n cannot overflow.
    """
    below: BoolArray = np.less(scores, 0)
    sizes = scores ^ (scores >> (8 * scores.itemsize - 1)) if scores.dtype.kind == "i" else scores
    keys = sizes.view(f"u{scores.itemsize}") << np.array(1, f"u{scores.itemsize}")
    keys |= positive ^ below
    return keys, below


def grouped(keys: AnyArray, group: IntArray, groups: int) -> tuple[AnyArray, IntArray]:
    """Return the keys by group, in the order they came in, and how many each group has.

    A sparse row turned into columns is a counting sort, the fastest that NumPy and SciPy have.
    """
    from scipy.sparse import csr_array

    row = csr_array((keys, group.astype(np.int32, copy=False), np.array([0, keys.size], dtype=np.int32)), shape=(1, groups))
    columns = row.tocsc()
    return columns.data, np.diff(columns.indptr)


def _odd(keys: AnyArray) -> tuple[int, int]:
    """Return how many keys are odd, and the sum of their indices."""
    # Within a block of 2^16 the sum stays below 2^31, so 32-bit keys can hold it.
    places = np.arange(min(BLOCK, keys.size), dtype=keys.dtype)
    count = total = 0
    for start in range(0, keys.size, BLOCK):
        odd = keys[start : start + BLOCK] & keys.dtype.type(1)
        here = int(odd.sum(dtype=keys.dtype))
        odd *= places[: odd.size]
        count, total = count + here, total + start * here + int(odd.sum(dtype=keys.dtype))
    return count, total


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
