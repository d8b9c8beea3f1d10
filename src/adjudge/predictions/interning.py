"""Few distinct labels among many rows of a NumPy array: found without looking at every string.

Arrow encodes text faster than anything in Python, but first it must copy it out of NumPy's arrays, which
costs more than the encoding. Arrays of fixed-width text are told apart by a hash of their words, arrays of
objects by the identity of the objects; both are exact, and both give up where labels are many.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import BLOCK, AnyArray, IntArray

_MOST = 4096
_NARROW, _WIDE = 8, 20  # bits of a slot
Keys = npt.NDArray[np.uint64]
Words = npt.NDArray[np.uint32] | npt.NDArray[np.uint64]


def interned(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    """Return a code per row and the distinct labels by code (some may be equal), or None for too many."""
    if not values.size or values.ndim != 1 or not values.flags.c_contiguous:
        return None
    if values.dtype.kind == "O":
        return _by_identity(values) or _by_equality(values)
    if values.dtype.kind != "U" or not values.dtype.isnative or not values.dtype.itemsize:
        return None
    width = np.uint32 if values.dtype.itemsize % 8 else np.uint64  # one or two characters a word
    words: Words = values.view(width).reshape(values.size, -1)  # type: ignore[assignment]
    found = _by_words(words, _telling(words[:BLOCK])) or _by_words(words, list(range(words.shape[1])))
    return None if found is None else (found[0], values[found[1]].tolist())


def _by_identity(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    """Code objects by their addresses, which NumPy itself refuses to show as numbers."""
    address = (ctypes.c_uint64 * values.size).from_address(values.ctypes.data)
    with np.errstate(over="ignore"):
        found = _coded(np.ctypeslib.as_array(address) * _factors(1)[0])
    return None if found is None else (found[0], [values[i] for i in found[1]])


class _Book(dict[Any, int]):
    """Numbers for objects in order of first sight."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return len(self) - 1


def _by_equality(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    book, codes = _Book(), np.empty(values.size, dtype=np.int64)
    for start in range(0, values.size, BLOCK):
        part = values[start : start + BLOCK]
        try:
            codes[start : start + BLOCK] = np.fromiter(map(book.__getitem__, part), dtype=np.int64, count=part.size)
        except TypeError:  # a label that cannot be a key; Arrow will name it
            return None
        if len(book) > _MOST:
            return None
    return codes, list(book)


def _telling(words: Words) -> list[int]:
    """Return a few places where the first labels differ; usually these tell all of them apart."""
    vary = [int(i) for i in np.flatnonzero((words != words[0]).any(axis=0))]
    return sorted({*vary[:1], *vary[-2:]}) or [0]


def _by_words(words: Words, places: list[int]) -> tuple[IntArray, list[int]] | None:
    """Code rows by a hash of the words at some places, then make sure that equal codes are equal rows."""
    keys, factors = np.empty(len(words), dtype=np.uint64), _factors(len(places))
    for start in range(0, len(words), BLOCK):
        part = words[start : start + BLOCK]
        np.multiply(part[:, places[0]], factors[0], out=keys[start : start + BLOCK])
        for place, factor in zip(places[1:], factors[1:], strict=True):
            keys[start : start + BLOCK] += part[:, place] * factor
    found = _coded(keys)
    if found is None:
        return None
    codes, first = found
    alike = np.ascontiguousarray(words[first].T)
    for start in range(0, len(words), BLOCK):
        rows = slice(start, start + BLOCK)
        if not all((label.take(codes[rows]) == words[rows, i]).all() for i, label in enumerate(alike)):
            return None
    return codes, first


def _factors(n: int) -> Keys:
    """Return odd numbers without pattern (SplitMix64), one per word."""
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        return (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB) | np.uint64(1)


def _coded(keys: Keys) -> tuple[IntArray, list[int]] | None:
    """Return codes for hashed keys in order of first sight, and the row each was first seen in.

    A key's highest bits are its slot in a table; keys that meet in a slot make the table wider.
    """
    codes, table = np.empty(keys.size, dtype=np.int64), _Slots()
    for start in range(0, keys.size, BLOCK):
        part = keys[start : start + BLOCK]
        slots = (part >> table.shift).view(np.int64)
        if not (table.keys.take(slots) == part).all():
            fresh, rows = np.unique(part, return_index=True)
            if fresh.size > _MOST or not table.learn({int(key): start + int(row) for key, row in zip(fresh, rows, strict=True)}):
                return None
            slots = (part >> table.shift).view(np.int64)
        table.codes.take(slots, out=codes[start : start + BLOCK])
    return codes, list(table.first.values())


class _Slots:
    """A table of keys by their highest bits, without two keys in one slot."""

    def __init__(self) -> None:
        self.first: dict[int, int] = {}
        self._build(_NARROW)

    def learn(self, fresh: dict[int, int]) -> bool:
        """Take in new keys with the rows they were first seen in; say whether they found room."""
        self.first |= {key: row for key, row in fresh.items() if key not in self.first}
        if len(self.first) > _MOST:
            return False
        return any(self._build(bits) for bits in range(self.bits, _WIDE + 1))

    def _build(self, bits: int) -> bool:
        self.bits, self.shift = bits, np.uint64(64 - bits)
        keys = np.fromiter(self.first, dtype=np.uint64, count=len(self.first))
        slots = keys >> self.shift
        self.keys = (
            np.arange(1 << bits, dtype=np.uint64) ^ np.uint64(1)
        ) << self.shift  # no key of a slot has its neighbour's bits
        self.keys[slots] = keys
        self.codes = np.zeros(1 << bits, dtype=np.int64)
        self.codes[slots] = np.arange(keys.size)
        return bool(np.unique(slots).size == keys.size)
