"""Which classes a case belongs to most, in order; cases of the same order make a region."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import BLOCK, BoolArray, FloatArray, IntArray

Ties: TypeAlias = Literal["first", "random"]


def orders(
    m: FloatArray, depth: int, *, rng: np.random.Generator | None, decided: IntArray | None = None, slack: float = 0.0
) -> IntArray:
    """Return the codes of the `depth` classes of highest membership, highest first; equal ones in the order of the columns.

    The class that was `decided` for comes first among those that share the highest membership. With `rng` equals come in
    random order. Memberships within a share `slack` of the highest count as equal to it.
    """
    found = np.empty((len(m), depth), dtype=np.int64)
    for start in range(0, len(m), BLOCK):
        part = slice(start, start + BLOCK)
        block = np.where(_near_top(m[part], slack), 1.0, m[part]) if slack else m[part]
        if decided is not None and rng is None:
            block = _decided_first(block, decided[part])
        found[part] = _block_orders(block, depth, rng)
    return found


def _near_top(m: FloatArray, slack: float) -> BoolArray:
    return np.asarray(m >= m.max(axis=1, keepdims=True) * (1 - slack))


def _decided_first(m: FloatArray, decided: IntArray) -> FloatArray:
    """Return memberships in which the class decided for stands above others that are as high."""
    top = m.max(axis=1, keepdims=True)
    chosen = (np.arange(m.shape[1]) == decided[:, None]) & (m == top)
    return np.where(chosen, np.inf, m) if chosen.any() else m


def _block_orders(m: FloatArray, depth: int, rng: np.random.Generator | None) -> IntArray:
    if rng is not None:
        return np.asarray(np.lexsort((rng.random(m.shape), -m), axis=1)[:, :depth], dtype=np.int64)
    if depth == 1:
        return np.asarray(np.argmax(m, axis=1)[:, None], dtype=np.int64)
    return np.argsort(-m, axis=1, kind="stable")[:, :depth]


def tied(m: FloatArray, tops: FloatArray) -> int:
    """Return in how many cases another order of equal memberships would have led to another region."""
    count = 0
    for start in range(0, len(m), BLOCK):
        part = slice(start, start + BLOCK)
        equal = sum((column == tops[-1, part]).astype(np.int8) for column in m[part].T)
        inside = (tops[1:, part] == tops[:-1, part]).any(axis=0)
        count += int(np.count_nonzero((equal > 1) | inside))
    return count
