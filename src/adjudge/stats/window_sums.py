"""Exact sums of floats by place that stay arrays: whole numbers of 32 bits each, which add up to the same in any order and split.

A number is cut at fixed powers of 2**32, as a sum is; what exceeds 32 bits is carried to the next. Sums of millions of places
add up as fast as those of floats do; :mod:`adjudge.stats.exact_sums` has Python's integers for few places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass

WIDTH = 32
HIGHEST = 32  # no float has parts at this place
_MOST = 1 << 20  # numbers whose parts floats add up exactly
_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class WindowSums:
    """Sums: row i is that of `parts[i, j] * 2**(32 * (low + j))`; all parts are below 2**32 and only the highest below 0."""

    parts: IntArray
    low: int = 0

    @property
    def floats(self) -> FloatArray:
        """The sums as floats."""
        below = self.parts[:, -1] < 0
        parts = self.parts
        if below.any():
            parts = _carried(np.where(below[:, np.newaxis], -parts, parts))
        total = np.zeros(len(parts))
        for j, part in enumerate(parts.T, self.low):
            total += np.ldexp(part.astype(np.float64), WIDTH * j)
        return np.where(below, -total, total)

    def at(self, where: IntArray, size: int) -> WindowSums:
        """Return the sums of these by their places."""
        total = np.zeros((size, self.parts.shape[1]), dtype=np.int64)
        for own, part in zip(total.T, self.parts.T, strict=True):
            np.add.at(own, where, part)
        return _trimmed(_carried(total), self.low)


def joined(sums: Sequence[WindowSums]) -> WindowSums:
    """Return sums one after the other."""
    low, high = min(each.low for each in sums), max(each.low + each.parts.shape[1] for each in sums)
    parts = [np.pad(each.parts, ((0, 0), (each.low - low, high - each.low - each.parts.shape[1]))) for each in sums]
    return WindowSums(np.concatenate(parts), low)


def sums_at(where: IntArray, values: FloatArray, size: int) -> WindowSums:
    """Return the exact sums of finite numbers by their places."""
    each = []
    for start in range(0, max(values.size, 1), _MOST):
        rows = slice(start, start + _MOST)
        places = list(_cut(values[rows]))
        parts = [np.bincount(where[rows], part, size).astype(np.int64) for _, part in places]
        each.append(_trimmed(_carried(np.stack(parts[::-1], axis=1)), places[-1][0]))
    if len(each) == 1:
        return each[0]
    return joined(each).at(np.tile(np.arange(size), len(each)), size)


def windows_of(values: FloatArray) -> WindowSums:
    """Return finite numbers as sums of one number each."""
    places = list(_cut(values))
    return WindowSums(_carried(np.stack([part.astype(np.int64) for _, part in places[::-1]], axis=1)), places[-1][0])


def are_whole(values: FloatArray) -> bool:
    """Return whether floats hold sums exactly, since they are whole numbers."""
    return bool((np.abs(values).max(initial=0) < _WHOLE) and (values == np.rint(values)).all())


def _cut(values: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Yield the places of the parts of numbers, from the highest to the lowest, and the parts as whole numbers."""
    rest = np.array(values, dtype=np.float64)
    place = (int(np.frexp(np.abs(rest).max(initial=0.0))[1]) - 1) // WIDTH
    while True:
        part = _shifted(rest, -place)
        np.trunc(part, out=part)
        yield place, part
        rest -= _shifted(part, place)
        if not rest.any():
            return
        place -= 1


def _shifted(values: FloatArray, places: int) -> FloatArray:
    """Return numbers times a power of 2**32, which may itself be no float."""
    return values * 2.0 ** (WIDTH * places) if abs(places) < HIGHEST - 1 else np.ldexp(values, WIDTH * places)


def _carried(parts: IntArray) -> AnyArray:
    """Return the same sums, all parts below 2**32 and only the highest below 0."""
    parts = parts.copy()
    j = 0
    while j < parts.shape[1]:
        over = parts[:, j] >> WIDTH
        if j + 1 == parts.shape[1]:
            if not (over > 0).any():
                break
            parts = np.pad(parts, ((0, 0), (0, 1)))
        parts[:, j] -= over << WIDTH
        parts[:, j + 1] += over
        j += 1
    return parts


def _trimmed(parts: IntArray, low: int) -> WindowSums:
    """Return sums without the lowest and the highest places where all of them are 0."""
    some = np.flatnonzero(parts.any(axis=0))
    first, last = (some[0], some[-1]) if some.size else (0, 0)
    return WindowSums(parts[:, first : last + 1], low + int(first) if some.size else 0)
