"""Sums of floats without any rounding, as whole numbers of the least float: the same for any order and any grouping.

Numbers are cut into windows of 38 bits: multiples of one power of two, of which floats add up to 2^14 exactly in whatever order
numpy takes. The sums of the windows are put together as Python's integers.
The cutting is that of Rump, Ogita and Oishi (2008), SIAM J. Sci. Comput. 31:189-224.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray

BITS = 1074  # exact sums of floats are whole numbers of 2**-1074, the least float above 0
WINDOW = 38
MOST = 1 << 13  # numbers taken at a time: twice as many of one window would still have an exact sum
_LARGEST = 2.0**1000  # from here on the cutting could leave the range of floats


def exact_row_sums(values: FloatArray, room: FloatArray | None = None) -> AnyArray:
    """Return the exact sum of each row of finite numbers in units of 2**-1074, as Python's integers.

    With `room` of the same shape, both it and the numbers are overwritten.
    """
    total = np.zeros(len(values), dtype=object)
    for start in range(0, values.shape[1], MOST):
        part = values[:, start : start + MOST]
        part = np.array(part, dtype=np.float64) if room is None else part
        top = np.maximum(part.max(axis=1), -part.min(axis=1))
        if top.max(initial=0) >= _LARGEST:
            total += from_floats(part).sum(axis=1)
            continue
        for window, power in _windows(part, top, None if room is None else room[:, : part.shape[1]]):
            total[-len(window) :] += _whole(np.add.reduce(window, axis=1), power)
    return total


def exact_sums_at(where: IntArray, values: FloatArray, size: int) -> AnyArray:
    """Return the exact sums of finite numbers by their places in units of 2**-1074, as Python's integers."""
    total = np.zeros(size, dtype=object)
    for start in range(0, values.size, MOST):
        rows = slice(start, start + MOST)
        at, part = where[rows], np.array(values[rows], dtype=np.float64)[np.newaxis]
        top = np.abs(part).max(axis=1)
        if top[0] >= _LARGEST:
            np.add.at(total, at, from_floats(part[0]))
            continue
        there: Any = slice(None)
        if size > at.size:
            there, at = np.unique(at, return_inverse=True)
        cells = size if isinstance(there, slice) else there.size
        for window, power in _windows(part, top):
            total[there] += _whole(np.bincount(at, window[0], cells), power)
    return total


def exact_products(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return products rounded once, and what rounding left, by Dekker (1971), Numerische Mathematik 18:224-242.

    What it left is 0 where a factor is so large, 2**996 or more, that it cannot be cut in halves.
    """
    product = a * b
    (a, low_a), (b, low_b) = _halves(a), _halves(b)
    left = low_a * low_b - (((product - a * b) - low_a * b) - a * low_b)
    if not np.isfinite(left).all():
        left[~np.isfinite(left)] = 0.0
    return product, left


def _halves(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    spread = values * ((1 << 27) + 1)
    top = spread - (spread - values)
    return top, values - top


def to_floats(sums: AnyArray, bits: int = BITS) -> Any:
    """Return exact sums in units of 2**-bits as floats, each rounded once; inf where a float holds no such number."""

    def rounded(whole: int) -> float:
        try:
            return whole / (1 << bits)
        except OverflowError:
            return math.inf if whole > 0 else -math.inf

    return np.vectorize(rounded, otypes=[np.float64])(sums)


def from_floats(values: FloatArray) -> AnyArray:
    """Return each finite number in units of 2**-1074."""
    each = np.empty(values.size, dtype=object)
    each[:] = [int(Fraction(value) * (1 << BITS)) for value in values.ravel().tolist()]
    return each.reshape(values.shape)


def expansion(sums: AnyArray) -> list[FloatArray]:
    """Return exact sums as floats that add up to them, the first rounded once, each further one what is left of those before."""
    parts: list[FloatArray] = []
    rest = sums
    while not parts or rest.any():
        parts.append(to_floats(rest))
        if not np.isfinite(parts[-1]).all():
            break
        rest = rest - from_floats(parts[-1])
    return parts


def expansions_at(where: IntArray, values: FloatArray, size: int) -> list[FloatArray]:
    """Return the expansions of the exact sums of finite numbers by their places; most places may have one number or two."""
    where, values = where[values != 0], values[values != 0]
    parts, times = [np.zeros(size)], np.bincount(where, minlength=size)[where]
    parts[0][where[times == 1]] = values[times == 1]
    twice = np.flatnonzero(times == 2)  # noqa: PLR2004
    if twice.size:
        twice = twice[np.argsort(where[twice], kind="stable")]
        a, b = values[twice[::2]], values[twice[1::2]]
        total = a + b
        by = total - a  # Knuth's sum of two, the rest of which is exact
        parts += [np.zeros(size)]
        parts[0][where[twice[::2]]], parts[1][where[twice[::2]]] = total, (a - (total - by)) + (b - by)
    often = np.flatnonzero(times > 2)  # noqa: PLR2004
    if often.size:
        there, at = np.unique(where[often], return_inverse=True)
        for i, part in enumerate(expansion(exact_sums_at(at, values[often], there.size))):
            parts += [np.zeros(size)] if i == len(parts) else []
            parts[i][there] = part
    return parts if len(parts) == 1 or parts[-1].any() else parts[:-1]


def _windows(rest: FloatArray, top: FloatArray, room: FloatArray | None = None) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield windows of rows of numbers, of which `top` are the largest, and the powers of two that they are multiples of.

    First rows of which nothing is left are left out.
    """
    above = np.frexp(top)[1].astype(np.int64)
    window = np.empty_like(rest) if room is None else room
    while (left := rest.any(axis=1)).any():
        gone = int(left.argmax())
        rest, window, above = rest[gone:], window[gone:], above[gone:]
        offset = np.ldexp(1.5, above + (52 - WINDOW))[:, np.newaxis]
        np.add(rest, offset, out=window)
        window -= offset
        rest -= window
        above -= WINDOW
        yield window, np.maximum(above, -BITS)


def _whole(sums: AnyArray, power: IntArray) -> AnyArray:
    """Return sums that are multiples of 2**power in units of 2**-1074."""
    return np.asarray(np.ldexp(sums, -power).astype(np.int64).astype(object) << (power + BITS).astype(object))
