"""Arrays of whole numbers of any size, and of ascending scores, as few bytes of a file of counts; nothing is rounded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.stats.binning import slots
from adjudge.stats.ranking import EXACT_BITS

_WIDEST = 320  # bytes of a whole number: more than the largest sum of floats has
_MOST_DIGITS = 15  # of decimal fractions
_SINGLE = -1  # instead of digits: scores are float32
_DOUBLE = -2  # and float64


def pack_whole(values: AnyArray) -> AnyArray:
    """Return whole numbers of at least 0 as bytes, the lowest first, along a last axis."""
    width = max((int(value).bit_length() + 7) // 8 for value in values.ravel()) if values.size else 0
    data = b"".join(int(value).to_bytes(width, "little") for value in values.ravel())
    return np.frombuffer(data, dtype=np.uint8).reshape(*values.shape, width)


def unpack_whole(packed: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """Return whole numbers of that shape, as Python's integers; refuse other bytes."""
    if packed.dtype != np.uint8 or packed.shape[:-1] != shape or packed.shape[-1] > _WIDEST:
        msg = "whole numbers have the wrong shape"
        raise ValueError(msg)
    flat, width = packed.tobytes(), packed.shape[-1]
    values = np.empty(int(np.prod(shape)), dtype=object)
    values[:] = [int.from_bytes(flat[i * width : (i + 1) * width], "little") for i in range(values.size)]
    return values.reshape(shape)


def pack_ascending(tables: Sequence[FloatArray]) -> tuple[int, dict[str, AnyArray]]:
    """Return how ascending scores are written as whole numbers, and those: the first of each table, then bytes of the steps.

    Decimal fractions are counted in their last digit; the bits of others are whole numbers in the same order.
    """
    values = np.concatenate(tables) if tables else np.empty(0)
    digits = decimal_digits(values)
    if digits is None:
        with np.errstate(over="ignore"):
            digits = _SINGLE if np.array_equal(values.astype(np.float32), values) else _DOUBLE
    whole = _whole(values, digits)
    sizes = np.array([table.size for table in tables], dtype=np.int64)
    starts = (np.cumsum(sizes) - sizes)[sizes > 0]
    steps = np.delete(np.diff(whole, prepend=0), starts).view(np.uint64)
    width = (int(steps.max(initial=0)).bit_length() + 7) // 8
    planes = np.ascontiguousarray(steps.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T)
    return digits, {"first": whole[starts], "steps": planes, "sizes": sizes}


def unpack_ascending(digits: int, first: IntArray, steps: AnyArray, sizes: IntArray) -> list[FloatArray]:
    """Return tables of scores; what the numbers promise is checked before there is room for it, the scores are not."""
    some = sizes[sizes > 0] if sizes.ndim == 1 and sizes.dtype.kind == "i" else sizes[:0]
    sound = sizes.size > 0 and sizes.min() >= 0 and first.shape == some.shape and first.dtype == np.int64
    if not sound or steps.dtype != np.uint8 or steps.ndim != 2 or len(steps) > 8:  # noqa: PLR2004 - planes of bytes
        msg = "scores are not written as scores are"
        raise ValueError(msg)
    if steps.shape[1] + some.size != sum(sizes.tolist()):
        msg = "scores are not as many as they should be"
        raise ValueError(msg)
    bytes_of = np.zeros((steps.shape[1], 8), dtype=np.uint8)
    bytes_of[:, : len(steps)] = steps.T
    starts = np.cumsum(some) - some
    whole = np.insert(bytes_of.view("<i8")[:, 0], starts - np.arange(some.size), first)
    whole[starts[1:]] -= np.add.reduceat(whole, starts)[:-1] if some.size > 1 else 0
    values = _scores(np.cumsum(whole), digits)
    return np.split(values, np.cumsum(sizes)[:-1])


def decimal_digits(values: FloatArray) -> int | None:
    """Return how many digits of decimal fractions write all scores; None where they are no such fractions."""
    for digits in range(_MOST_DIGITS + 1) if np.isfinite(values).all() else ():
        with np.errstate(over="ignore"):
            whole = np.rint(values * 10.0**digits)
        if np.array_equal(whole / 10.0**digits, values) and np.abs(whole).max(initial=0) < 2.0**53:
            return digits
    return None


def _whole(values: FloatArray, digits: int) -> IntArray:
    if digits >= 0:
        return np.rint(values * 10.0**digits).astype(np.int64)
    if digits == _DOUBLE:
        return slots(values, EXACT_BITS)
    bits = (values.astype(np.float32) + np.float32(0)).view(np.int32).astype(np.int64)
    return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


def _scores(whole: IntArray, digits: int) -> FloatArray:
    if digits >= 0:
        return np.asarray(whole / 10.0**digits)
    if digits == _DOUBLE:
        return np.where(whole < 0, whole ^ np.int64((1 << 63) - 1), whole).view(np.float64)
    low = whole.astype(np.int32)
    return np.where(low < 0, low ^ np.int32(0x7FFFFFFF), low).view(np.float32).astype(np.float64)
