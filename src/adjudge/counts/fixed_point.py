"""Sums over cases as whole numbers, so that they are the same for any order, any split into parts and any tree of additions.

A case's term is rounded to a fixed grid: a loss to a multiple of 2**-115 of its largest value, a probability to one of 2**-65.
Windows of at most 40 bits of it are added as floats, exactly, a slice of rows at a time, and kept as integers. Whole weights
(each row stands for so many cases) multiply the rounded terms, exactly. Other weights multiply the terms themselves, rounded once
as any product of floats is, and these products are added without a grid.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, counts_cases
from adjudge.stats.exact_sums import BITS, MOST, WINDOW, exact_row_sums, exact_sums_at

CASES = 128  # sums over cases are whole numbers of 2**-128, those of weights of 2**-1074
SLICE = MOST  # rows of a slice at most
BATCH = 1 << 22  # rows whose windows int64 holds the sums of
_STEP = 2.0**WINDOW
_HALF = 27  # bits of a half of a float
_COARSE, _FINE = 25, 40  # bits of the two windows of a probability
_ONE = 1 << 39  # what counts a case beside the coarse windows, which come to less over a slice


def bits_of(weight: AnyArray | None) -> int:
    """Return the bits of the fraction that sums are kept with."""
    return CASES if counts_cases(weight) else BITS


def in_units(values: AnyArray, weight: AnyArray | None) -> AnyArray:
    """Return whole numbers of cases in the units of sums."""
    return np.asarray(values.astype(object) << bits_of(weight))


def weight_sums(rows: int, weight: AnyArray | None) -> AnyArray:
    """Return the sum of the weights and of their squares, for whole weights and none the number of cases, in units."""
    if counts_cases(weight):
        return in_units(np.full(2, rows if weight is None else weight.sum()), weight)
    assert weight is not None
    return exact_row_sums(np.stack((weight, weight * weight)))


class LossSums:
    """Sums of losses and of their squares, by class, over a batch of rows."""

    def __init__(self, highest: tuple[int, ...], classes: int, *, whole: bool) -> None:
        """Take for each quantity the power of two that it does not exceed."""
        self._bits = np.array([WINDOW + 1 - power for power in highest])
        self._scale = np.ldexp(1.0, self._bits)[:, np.newaxis, np.newaxis]
        self._windows = np.zeros((3, len(highest), classes), dtype=np.int64)
        self._exact = np.zeros((len(highest), classes), dtype=object)
        self._shift = BITS - CASES if whole else 0

    def add(self, terms: FloatArray, weight: AnyArray | None, room: FloatArray, classes: slice = slice(None)) -> None:
        """Add terms of some classes, quantities by classes by rows, which are overwritten, as `room` of the same shape is."""
        if weight is None:
            terms *= self._scale
            np.rint(terms, out=room)
            self._windows[0, :, classes] += np.add.reduce(room, axis=-1).astype(np.int64)
            for i in range(1, len(self._windows)):
                terms -= room
                terms *= _STEP
                np.rint(terms, out=room)
                self._windows[i, :, classes] += np.add.reduce(room, axis=-1).astype(np.int64)
            return
        if counts_cases(weight):
            grid = self._scale * _STEP**2
            terms *= grid
            np.rint(terms, out=terms)
            terms /= grid
        for product in _products(terms, weight):
            self._exact[:, classes] += exact_row_sums(product.reshape(-1, weight.size)).reshape(terms.shape[:-1])

    def sums(self) -> AnyArray:
        """Return the sums, classes by quantities, in units."""
        first, second, third = self._windows.astype(object)
        total = (((first << WINDOW) + second) << WINDOW) + third
        return np.asarray(
            (total << (CASES - 2 * WINDOW - self._bits.astype(object))[:, np.newaxis]) + (self._exact >> self._shift)
        ).T


class BinSums:
    """Cases and sums of their probabilities by bin, over a batch of rows."""

    def __init__(self, cells: int, *, whole: bool) -> None:
        self._n, self._coarse, self._fine = np.zeros((3, cells), dtype=np.int64)
        self._exact = np.zeros((2, cells), dtype=object)
        self._shift = BITS - CASES if whole else 0

    def add(self, code: IntArray, p: FloatArray, weight: AnyArray | None, room: FloatArray) -> None:
        """Add probabilities in [0, 1] by the codes of their bins; `room` for two vectors of them is overwritten."""
        cells = self._n.size
        if weight is None:
            scaled, window = room
            np.multiply(p, 1 << _COARSE, out=scaled)
            np.rint(scaled, out=window)
            scaled -= window
            window += _ONE  # so that one table has both the cases and their coarse windows
            both = np.bincount(code, window, cells).astype(np.int64)
            n = both >> (_ONE.bit_length() - 1)
            self._n += n
            both -= n * _ONE
            self._coarse += both
            scaled *= 1 << _FINE
            np.rint(scaled, out=scaled)
            self._fine += np.bincount(code, scaled, cells).astype(np.int64)
            return
        if counts_cases(weight):
            grid = 2.0 ** (_COARSE + _FINE)
            p = np.rint(p * grid) / grid
            np.add.at(self._n, code, weight)
        else:
            self._exact[0] += exact_sums_at(code, weight, cells)
        for product in _products(p, weight):
            self._exact[1] += exact_sums_at(code, product, cells)

    def sums(self) -> AnyArray:
        """Return cases and sums of probabilities, in units."""
        n, coarse, fine = (each.astype(object) for each in (self._n, self._coarse, self._fine))
        p = ((coarse << _FINE) + fine) << (CASES - _COARSE - _FINE)
        return np.asarray(np.stack((n << CASES, p)) + (self._exact >> self._shift))


def _products(terms: FloatArray, weight: AnyArray) -> list[FloatArray]:
    """Return terms times weights; of whole weights as numbers that are exact and sum up to the products."""
    if not counts_cases(weight):
        return [terms * weight]
    low = weight & ((1 << _HALF) - 1)
    halves = [low] if np.array_equal(low, weight) else [low, weight - low]
    spread = terms * ((1 << _HALF) + 1)  # Dekker (1971), Numerische Mathematik 18:224-242
    top = spread - (spread - terms)
    return [half * part for half in halves for part in (top, terms - top)]
