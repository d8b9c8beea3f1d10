"""Quantiles, modes and far tails of distributions that are known point by point."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.undefined import Undefined
from adjudge.stats.engines import engine
from adjudge.stats.law import Engine
from adjudge.stats.offsets import DROP, Rates, tilted, tilted_centre
from adjudge.stats.root import brentq
from adjudge.stats.series import mapped, rule

_STEPS = 200
# which error, as a share of the probability, ends the search on the coarse form and on the distribution itself
_ROUGHLY, _FINALLY = 2e-2, 1e-10
_CHORD = 1e-3  # below this error the density has been found well enough
_SLIVER = 1e-6  # share of the range below which a piece is too narrow for a level density to mean anything
_LEAST = 1e-16  # share of the gap by which a point differs from the mean if it differs at all


def solve(law: Engine, above: FloatArray, sd: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return the offsets, (rows, points), that are exceeded with the probabilities `above`.

    `sd` and `skewness`, one for each row, give the start (Cornish and Fisher); most of the way is gone on the coarse law.
    """
    from scipy.special import ndtri

    z = -ndtri(above)
    start = sd[:, None] * (z + (z * z - 1) * skewness[:, None] / 6)
    quick = law.coarse()
    if quick is not law:
        start = _newton(quick, above, start, _ROUGHLY)
    return _newton(law, above, start, _FINALLY)


def _newton(law: Engine, above: FloatArray, start: FloatArray, enough: float) -> FloatArray:
    """Return the offsets by Newton's method; a step that does not halve the error is replaced by the middle of the bracket."""
    low, high = (np.broadcast_to(end[:, None], above.shape) for end in (law.low, law.high))
    x = np.clip(start, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    scale, least = np.minimum(above, 1 - above), 1e-16 * (high - low)
    missing, density, before = scale, scale, np.full(above.shape, np.inf)
    for _ in range(_STEPS):
        if (np.abs(missing) > _CHORD * scale).any():
            mass, density = law.both(x)
        else:
            mass = law.sf(x)
        missing = mass - above
        low, high = np.where(missing >= 0, x, low), np.where(missing <= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            new = x + missing / density
        good = (new >= low) & (new <= high) & (np.abs(missing) <= before / 2)
        new, before = np.where(good, new, (low + high) / 2), np.where(good, np.abs(missing), np.inf)
        new = np.where((np.abs(missing) <= enough * scale) & ~good, x, new)
        done = (np.abs(missing) <= enough * scale) | (np.abs(new - x) <= least)
        x = new
        if done.all():
            break
    return x


def peak(law: Engine) -> float:
    """Return the offset of the greatest density of one row, or the reason why there is none.

    The density is searched between the places where it may be rough; there, a local Chebyshev series has the
    slope that decides between a summit and an end.
    """
    marks = law.marks[0]
    s, rest, _ = mapped(np.linspace(-2.5, 2.5, 49))
    found = []  # between two marks the greatest density, its place, and whether it is level there
    for low, high in pairwise(marks):
        if high > low:
            grid = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
            values = law.pdf(grid[None])[0]
            at = int(values.argmax())
            middle = values[grid.size // 3 : -grid.size // 3]
            level = bool(values[at] - middle.min() <= 1e-12 * values[at]) and high - low > _SLIVER * (marks[-1] - marks[0])
            place = _summit(law.pdf, grid[at - 1] if at else low, grid[at + 1] if at + 1 < grid.size else high)
            found.append((max(float(law.pdf(np.array([[place]]))[0, 0]), float(values[at])), place, level))
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

    With the density g tilted by :math:`\theta` and its mass G above a point, what is left of the tail is
    :math:`\int_x^\infty e^{-\theta (y-x)} g(y)\, dy = \int_0^\infty \theta e^{-\theta s} (G(x) - G(x + s))\, ds`: by parts,
    since densities may be infinite and tails are not.
    """
    if gap <= 0:
        return -math.inf
    slope = _slope(plain, gap)
    moved, height = tilted(plain, np.array([[slope]]))
    law = engine(moved)
    start = float((moved.weight * moved.rest).sum()) - gap
    stop = min(float(law.high[0]), start + DROP / slope)
    marks = law.marks[0]
    ends = np.concatenate([[start], marks[(marks > start) & (marks < stop)], [stop]])
    s, rest, weight = rule(1.0)
    here = float(law.sf(np.array([[start]]))[0, 0])
    total = here * math.exp(-slope * (stop - start))
    for low, high in pairwise(ends):
        x = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
        passed = here - law.sf(x[None])[0]
        total += slope * (high - low) * float((passed * np.exp(-slope * (x - start))) @ weight)
    return float(height.sum()) - slope * start + math.log(total)


def _slope(plain: Rates, gap: float) -> float:
    """Return the tilt that centres the sum at `gap` below its greatest value."""

    def miss(log_slope: float) -> float:
        _, rest = tilted_centre(plain, np.array([[math.exp(log_slope)]]))
        return math.log(float((plain.weight * rest).sum()) / gap)

    # w rest <= b / theta, and the centre moves by at most w^2 / (a + b) per unit of theta
    large = math.log(2 * float(plain.b.sum())) - math.log(gap)
    moved = float((plain.weight * plain.rest).sum()) - gap
    small = math.log(max(moved, _LEAST * gap) / 2 / float((plain.weight**2 / (plain.a + plain.b)).sum()))
    if miss(small) <= 0:  # the gap is that of the mean, to rounding
        return math.exp(small)
    return math.exp(brentq(miss, small, large, xtol=1e-13))
