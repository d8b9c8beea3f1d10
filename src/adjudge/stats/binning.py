"""Scores by the bin they fall into, without sorting: the tables of many scores, and keys put where their bin belongs.

Bins are those of `ranking.coarsen`: scores whose float64 agree in their leading bits. Arrays in, numbers out.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, BoolArray, FloatArray, IntArray
from adjudge.stats._pairs import checked, checked_weight, packed, wins_within
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen, tabulate

__all__ = ["grouped", "packed", "slots", "tabulate_binned", "wins_within"]

_WIDEST = 1 << 21
"""Bins between the lowest and the highest that are counted in plain arrays."""
_BELOW = np.int64((1 << 63) - 1)


def slots(scores: AnyArray, bits: int) -> IntArray:
    """Return the number of each score's bin: ascending with the scores, below 0 for scores below 0.

    The bits of an IEEE float order those of one sign by size; turned over below zero, they order all.

    >>> slots(np.array([-1.0, -0.0, 0.0, 1.0]), 12).tolist()
    [-1024, 0, 0, 1023]
    """
    whole = (scores.astype(np.float64, copy=False) + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    if whole.min(initial=0) < 0:
        whole ^= (whole >> 63) & _BELOW
    whole >>= EXACT_BITS - bits
    return whole


def tabulate_binned(scores: AnyArray, positive: BoolArray, weight: FloatArray | None, *, bits: int) -> ScoreTable:
    """Return ``coarsen(tabulate(scores, positive, weight), bits)``, counted without sorting where bins are dense enough."""
    scores, positive = checked(scores, positive)
    if scores.dtype.kind != "f":
        return coarsen(tabulate(scores, positive, weight), bits)
    if weight is not None:
        weight = checked_weight(weight, scores.size)
        kept = weight > 0
        scores, positive, weight = scores[kept], positive[kept], weight[kept]
    if not scores.size:
        return coarsen(tabulate(scores, positive, weight), bits)
    low, high = slots(np.array([scores.min(), scores.max()]), bits).tolist()
    if high - low >= _WIDEST:
        return coarsen(tabulate(scores, positive, weight), bits)
    return _dense(scores, positive, weight, bits, low, high - low + 1)


def _dense(scores: AnyArray, positive: BoolArray, weight: FloatArray | None, bits: int, low: int, width: int) -> ScoreTable:
    largest, smallest = np.full(width, -np.inf), np.full(width, np.inf)
    counts = np.zeros(2 * width, dtype=np.int64 if weight is None else np.float64)
    for start in range(0, scores.size, BLOCK):
        part = slice(start, start + BLOCK)
        values = scores[part].astype(np.float64)
        place = slots(values, bits) - low
        np.maximum.at(largest, place, values)
        np.minimum.at(smallest, place, values)
        place <<= 1
        place |= positive[part]
        _add(counts, place, None if weight is None else weight[part])
    there = np.flatnonzero((counts[::2] != 0) | (counts[1::2] != 0))
    mixed = smallest[there] != largest[there]
    return ScoreTable(largest[there] + 0.0, counts[1::2][there], counts[::2][there], bits, mixed if mixed.any() else None)


def _add(counts: AnyArray, place: IntArray, weight: FloatArray | None) -> None:
    """Count places, or sum their weights; as one table where it is not much larger than the rows."""
    if counts.size <= 4 * place.size:
        counts += np.bincount(place, weight, minlength=counts.size)
    else:
        np.add.at(counts, place, 1 if weight is None else weight)


def grouped(keys: AnyArray, group: IntArray, groups: int) -> tuple[AnyArray, IntArray]:
    """Return the keys by group, in the order they came in, and how many each group has.

    A sparse row turned into columns is a counting sort, the fastest that NumPy and SciPy have.
    """
    from scipy.sparse import csr_array

    row = csr_array((keys, group.astype(np.int32, copy=False), np.array([0, keys.size], dtype=np.int32)), shape=(1, groups))
    columns = row.tocsc()
    return columns.data, np.diff(columns.indptr)
