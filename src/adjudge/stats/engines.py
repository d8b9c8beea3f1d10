"""Which way to compute a sum of rates, and whether it went well.

A pair is integrated point by point, many rates are a Fourier series, rough sums are taken apart into waves, and rough ones
that are tilted are convolved class by class. Whatever the way, the mass must be 1; where it is not, a slower way is tried, and
`Engine.flaw` says what is left.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge._base.arrays import IntArray
from adjudge.stats.convolve import alone, chain, crowded, pair
from adjudge.stats.fourier import fourier, reach
from adjudge.stats.law import Engine
from adjudge.stats.offsets import Rates, stretched
from adjudge.stats.rough_sums import rough_sum

ORDERS = (32, 64, 128, 512)  # Fourier terms to try; a sum that needs more is rough
FLAWED = 1e-12  # a mass further from 1 than this calls for another way, and if there is none, for a word to whoever asked
_UNSEEN = 1e-14
_MANY, _MOST = 2048, 8192  # terms for a rough sum that has no other way, and for one with no way but this
_NODES = 1 << 13
_PAIRS = 16
_FEW = 2


def engine(rates: Rates) -> Engine:
    """Return the distribution of one row."""
    return next(iter(engines(rates)))[1]


def engines(rates: Rates) -> Iterator[tuple[IntArray, Engine]]:
    """Yield the rows in lots, sized for the cache, with the distributions of each lot; every mass is checked to be 1."""
    for lot, law in _quick(rates):
        flawed = law.flaw > allowed(rates.a.shape[1])
        if not flawed.any():
            yield lot, law
            continue
        for row, bad in zip(lot, flawed, strict=True):
            one = rates.rows(slice(row, row + 1))
            quick = next(_quick(one))[1]
            yield np.array([row]), _careful(one, quick) if bad and one.a.shape[1] > 1 else quick


def allowed(classes: int) -> float:
    """Return how far a mass may be from 1: a product of many masses has the rounding of each."""
    return FLAWED * max(1.0, classes / 32)


def _quick(rates: Rates) -> Iterator[tuple[IntArray, Engine]]:
    rows, classes = rates.a.shape
    if classes <= _FEW:
        for lot in np.array_split(np.arange(rows), -(-rows // _PAIRS)):
            part = rates.rows(lot)
            yield lot, pair(part) if classes == _FEW else alone(part)
        return
    size = max(1, _NODES // (classes * 200))
    for whole in np.array_split(np.arange(rows), -(-rows // size)):
        lot, (low, high) = whole, reach(rates.rows(whole))
        for orders in ORDERS:  # as many terms for each row as it needs
            if lot.size:
                law = fourier(rates.rows(lot), (low, high), orders)
                done = law.converged
                if done.any():
                    yield lot[done], law.rows(done)
                lot, low, high = lot[~done], low[~done], high[~done]
        for row in lot:
            yield np.array([row]), _rough(rates.rows(slice(row, row + 1)))


def _rough(rates: Rates) -> Engine:
    """Return one row that no short series holds: by waves, or if tilted, by a long series or class by class."""
    law: Engine | None = None if rates.is_tilted else rough_sum(rates)
    if law is not None:
        return law
    series = fourier(rates, reach(rates), _MANY)
    if series.left_out[0] < _UNSEEN:
        return series
    return fourier(rates, reach(rates), _MOST) if crowded(rates) else chain(rates)


def _careful(rates: Rates, quick: Engine) -> Engine:
    """Return one row from wider windows, independent of `extent`, by the way with the best mass; the quick one if none is."""
    wide = stretched(rates)
    found = [quick, pair(wide) if wide.a.shape[1] == _FEW else _rough(wide)]
    if wide.a.shape[1] == _FEW and not wide.is_tilted:
        found += [law for law in [rough_sum(wide)] if law is not None]
    return min(found, key=lambda law: float(law.flaw.max()))
