"""The distribution of a sum of rates, by whichever way suits it, and its quantiles, mode and far tails.

Whatever the way, the mass must be 1; where it is not, a slower way is tried, and `Engine.flaw` says what is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.undefined import Undefined
from adjudge.stats.convolve import alone, chain, crowded, pair
from adjudge.stats.distribution import Engine
from adjudge.stats.fourier import fourier, reach, rough_sum
from adjudge.stats.numerics import bracketed, brentq, mapped, rule
from adjudge.stats.offsets import DROP, Rates, stretched, tilted, tilted_centre

ORDERS = (32, 64, 128, 512)  # Fourier terms to try; a sum that needs more is rough
FLAWED = 1e-12  # a mass further from 1 than this calls for another way, and if there is none, for a word to whoever asked
_UNSEEN = 1e-14
_MANY, _MOST = 2048, 8192  # terms for a rough sum that has no other way, and for one with no way but this
_NODES = 1 << 13
_PAIRS = 16
_FEW = 2
_STEPS = 200
# which error, as a share of the probability, ends the search on the coarse form and on the distribution itself
_ROUGHLY, _FINALLY = 2e-2, 1e-10
_CHORD = 1e-3  # below this error the density has been found well enough
_SLIVER = 1e-6  # share of the range below which a piece is too narrow for a level density to mean anything
_LEAST = 1e-16  # share of the gap by which a point differs from the mean if it differs at all


def engine(rates: Rates) -> Engine:
    """Return the distribution of one row."""
    return next(iter(engines(rates)))[1]


def engines(rates: Rates) -> Iterator[tuple[IntArray, Engine]]:
    """Yield the rows in lots, sized for the cache, with the distributions of each lot; every mass is checked to be 1."""
    for lot, distribution in _quick(rates):
        flawed = distribution.flaw > allowed(rates.a.shape[1])
        if not flawed.any():
            yield lot, distribution
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
                distribution = fourier(rates.rows(lot), (low, high), orders)
                done = distribution.converged
                if done.any():
                    yield lot[done], distribution.rows(done)
                lot, low, high = lot[~done], low[~done], high[~done]
        for row in lot:
            yield np.array([row]), _rough(rates.rows(slice(row, row + 1)))


def _rough(rates: Rates) -> Engine:
    """Return one row that no short series holds: by waves, or if tilted, by a long series or class by class."""
    distribution: Engine | None = None if rates.is_tilted else rough_sum(rates)
    if distribution is not None:
        return distribution
    series = fourier(rates, reach(rates), _MANY)
    if series.left_out[0] < _UNSEEN:
        return series
    return fourier(rates, reach(rates), _MOST) if crowded(rates) else chain(rates)


def _careful(rates: Rates, quick: Engine) -> Engine:
    """Return one row from wider windows, independent of `extent`, by the way with the best mass; the quick one if none is."""
    wide = stretched(rates)
    found = [quick, pair(wide) if wide.a.shape[1] == _FEW else _rough(wide)]
    if wide.a.shape[1] == _FEW and not wide.is_tilted:
        found += [distribution for distribution in [rough_sum(wide)] if distribution is not None]
    return min(found, key=lambda distribution: float(distribution.flaw.max()))


def solve(distribution: Engine, above: FloatArray, sd: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return the offsets, (rows, points), exceeded with the probabilities `above`, from Cornish and Fisher's start."""
    from scipy.special import ndtri

    z = -ndtri(above)
    start = sd[:, None] * (z + (z * z - 1) * skewness[:, None] / 6)
    quick = distribution.coarse()
    if quick is not distribution:
        start = _newton(quick, above, start, _ROUGHLY)
    return _newton(distribution, above, start, _FINALLY)


def _newton(distribution: Engine, above: FloatArray, start: FloatArray, enough: float) -> FloatArray:
    """Return the offsets by Newton's method; a step that does not halve the error is replaced by the middle of the bracket."""
    low, high = (np.broadcast_to(end[:, None], above.shape) for end in (distribution.low, distribution.high))
    x = np.clip(start, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    scale, least = np.minimum(above, 1 - above), 1e-16 * (high - low)
    missing, density, before = scale, scale, np.full(above.shape, np.inf)
    for _ in range(_STEPS):
        if (np.abs(missing) > _CHORD * scale).any():
            mass, density = distribution.both(x)
        else:
            mass = distribution.sf(x)
        missing = mass - above
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = missing / density
        low, high, good, new, before = bracketed(x, missing, step, (low, high), before)
        new = np.where((np.abs(missing) <= enough * scale) & ~good, x, new)
        done = (np.abs(missing) <= enough * scale) | (np.abs(new - x) <= least)
        x = new
        if done.all():
            break
    return x


def peak(distribution: Engine) -> float:
    """Return the offset of the greatest density of one row, sought between its marks, or the reason why there is none."""
    marks = distribution.marks[0]
    s, rest, _ = mapped(np.linspace(-2.5, 2.5, 49))
    found = []  # between two marks the greatest density, its place, and whether it is level there
    for low, high in pairwise(marks):
        if high > low:
            grid = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
            values = distribution.pdf(grid[None])[0]
            at = int(values.argmax())
            middle = values[grid.size // 3 : -grid.size // 3]
            level = bool(values[at] - middle.min() <= 1e-12 * values[at]) and high - low > _SLIVER * (marks[-1] - marks[0])
            place = _summit(distribution.pdf, grid[at - 1] if at else low, grid[at + 1] if at + 1 < grid.size else high)
            found.append((max(float(distribution.pdf(np.array([[place]]))[0, 0]), float(values[at])), place, level))
    best = max(value for value, _, _ in found)
    if any(level and value >= best * (1 - 1e-9) for value, _, level in found):
        return Undefined("the density is level at its greatest height")
    return next(place for value, place, _ in found if value == best)


def _summit(pdf: Callable[[FloatArray], FloatArray], start: float, stop: float) -> float:
    """Return where the slope changes sign, or the end towards which the density rises."""
    from numpy.polynomial.chebyshev import chebder, chebinterpolate, chebval

    middle, half = (start + stop) / 2, (stop - start) / 2
    slope = chebder(chebinterpolate(lambda t: pdf((middle + half * t)[None])[0], 23))
    if chebval(-1, slope) <= 0:
        return start
    if chebval(1, slope) >= 0:
        return stop
    return float(middle + half * brentq(lambda t: chebval(t, slope), -1, 1, xtol=1e-15))


def log_upper_tail(plain: Rates, gap: float) -> float:
    r"""Return log P(X > x) for one row and x above the mean, `gap` below the greatest possible sum.

    With the density tilted by :math:`\theta` and its mass G above a point, by parts, since densities may be infinite,
    :math:`\int_x^\infty e^{-\theta (y-x)} g(y)\, dy = \int_0^\infty \theta e^{-\theta s} (G(x) - G(x + s))\, ds`.
    """
    if gap <= 0:
        return -math.inf

    def miss(log_slope: float) -> float:  # from the tilt that centres the sum at `gap` below its greatest value
        return math.log(float((plain.weight * tilted_centre(plain, np.array([[math.exp(log_slope)]]))[1]).sum()) / gap)

    # w rest <= b / theta, and the centre moves by at most w^2 / (a + b) per unit of theta
    large = math.log(2 * float(plain.b.sum())) - math.log(gap)
    away = float((plain.weight * plain.rest).sum()) - gap
    small = math.log(max(away, _LEAST * gap) / 2 / float((plain.weight**2 / (plain.a + plain.b)).sum()))
    slope = math.exp(small if miss(small) <= 0 else brentq(miss, small, large, xtol=1e-13))  # at once where it is the mean's
    moved, height = tilted(plain, np.array([[slope]]))
    distribution = engine(moved)
    start = float((moved.weight * moved.rest).sum()) - gap
    stop = min(float(distribution.high[0]), start + DROP / slope)
    marks = distribution.marks[0]
    ends = np.concatenate([[start], marks[(marks > start) & (marks < stop)], [stop]])
    s, rest, weight = rule(1.0)
    here = float(distribution.sf(np.array([[start]]))[0, 0])
    total = here * math.exp(-slope * (stop - start))
    for low, high in pairwise(ends):
        x = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
        passed = here - distribution.sf(x[None])[0]
        total += slope * (high - low) * float((passed * np.exp(-slope * (x - start))) @ weight)
    return float(height.sum()) - slope * start + math.log(total)
