"""Which way to compute a sum of rates: a pair point by point, many by Fourier series, rough ones class by class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.stats.convolve import Alone, chain, pair, single
from adjudge.stats.fourier import fourier, reach
from adjudge.stats.offsets import Rates

ORDERS = (32, 64, 128, 512, 2048)
"""Fourier terms to try; a sum that needs more is too rough."""

_NODES = 1 << 13
_PAIRS = 16
_FEW = 2


class Engine(Protocol):
    """The law of a sum, in offsets from the sum of the centres; points are (rows, points)."""

    @property
    def low(self) -> FloatArray:
        """Where each law begins."""

    @property
    def high(self) -> FloatArray:
        """Where each law ends."""

    @property
    def marks(self) -> FloatArray:
        """Where each law may be rough."""

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""

    def both(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return `sf` and `pdf`."""

    def coarse(self) -> Engine:
        """Return a cheaper form of the same law, good enough to start a search from."""


def engine(rates: Rates) -> Engine:
    """Return the law of one row."""
    return next(iter(engines(rates)))[1]


def engines(rates: Rates) -> Iterator[tuple[IntArray, Engine]]:
    """Split the rows into lots, sized for the cache, and return the law of each lot."""
    rows, classes = rates.a.shape
    if classes <= _FEW:
        for lot in np.array_split(np.arange(rows), -(-rows // _PAIRS)):
            part = rates.rows(lot)
            yield lot, pair(part) if classes == _FEW else Alone(single(part, 0))
        return
    size = max(1, _NODES // (classes * 200))
    for lot in np.array_split(np.arange(rows), -(-rows // size)):
        yield from _series(rates, lot)


def _series(rates: Rates, lot: IntArray) -> Iterator[tuple[IntArray, Engine]]:
    """Give every row as many terms as it needs."""
    low, high = reach(rates.rows(lot))
    for orders in ORDERS:
        law = fourier(rates.rows(lot), (low, high), orders)
        done = law.converged
        if done.any():
            yield lot[done], law.rows(done)
        lot, low, high = lot[~done], low[~done], high[~done]
        if not lot.size:
            return
    for row in lot:
        yield np.array([row]), chain(rates.rows(slice(row, row + 1)))
