r"""Values of one Beta distribution moved to the same quantile of another.

The map is :math:`s = F_s^{-1}(F(v))`. Points come as pairs (v, 1 - v), so that neither end loses digits.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, blocks
from adjudge.stats import special
from adjudge.stats.distribution import log_density, log_lower_tail

MANY = 4096  # values from which on a table costs less than its values one by one
TOLERANCE = 2e-13  # how far a table may be off, in the moved value, between its nodes
_SURE = 0.4  # a tail below this is the smaller one, whatever the rounding
_DEEP = 1e-15  # tails from which on SciPy's inverse is not always right
_FEWEST, _MOST = 257, 8193  # nodes of a table
_HUGE = 1e12  # parameters from which on a Beta distribution is normal to the last digit but for its skewness
_FLAT = 0.5  # parameters below which a tail of 1e-15 lies below 1e-29
_LOWEST = -700.0  # the logarithm of what counts as nothing
_STEP = 1e-6  # how much of a quantile its last correction may be
_STEPS, _CLOSE = 60, 1e-15
_LOG_MOST = 700.0
_SMALL = 1e-3

Four: TypeAlias = tuple[Any, Any, Any, Any]
"""a and b of the distribution that values come from, and of the one where they go; positive numbers, or columns of them."""


def moved(distributions: Four, v: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the moved values and what they lack to 1; `rest` is 1 - v, and many values are looked up in a table."""
    if v.size < MANY:
        return direct(distributions, v, rest)
    inside = (v > 0) & (rest > 0)
    x = np.log(v[inside] / rest[inside])
    curve = tabulated(distributions, float(x.min()), float(x.max())) if x.size else None
    if curve is None:
        return direct(distributions, v, rest)
    s = np.where(v > 0, 1.0, 0.0)
    s_rest = 1 - s
    s[inside], s_rest[inside] = curve(x)
    return s, s_rest


def direct(distributions: Four, v: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the same by the incomplete beta function and its inverse at every value; parameters may be arrays."""
    part, low, _ = _carried(distributions, v, rest)
    return np.where(low, part, 1 - part), np.where(low, 1 - part, part)


def _carried(distributions: Four, v: FloatArray, rest: FloatArray) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return where the smaller tail ends when it is carried across, where that is the lower tail, and its mass."""
    a, b, to_a, to_b = distributions
    huge = np.minimum(a, b) > _HUGE
    usual_a, usual_b = np.where(huge, 1.0, a), np.where(huge, 1.0, b)  # SciPy takes its time over the others
    lower, upper = _tails(usual_a, usual_b, v, rest)
    if huge.any():
        z = _normal(a, b, v, rest)
        lower, upper = np.where(huge, special.ndtr(z), lower), np.where(huge, special.ndtr(-z), upper)
    tail, low = np.minimum(lower, upper), lower <= upper
    first: FloatArray = np.asarray(np.where(low, to_a, to_b), dtype=np.float64)
    second: FloatArray = np.asarray(np.where(low, to_b, to_a), dtype=np.float64)
    deep = (tail < _DEEP) & (np.where(low, v, rest) > 0)
    part = np.asarray(special.betaincinv(first, second, np.where(deep, 0.0, tail)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # one more step of Newton's: next to 1, off by 2e-10
        log_inverse = special.betaln(first, second) - (first - 1) * np.log(part) - (second - 1) * np.log1p(-part)
        step = (special.betainc(first, second, part) - tail) * np.exp(log_inverse)
    part = np.where(np.abs(step) < _STEP * np.minimum(part, 1 - part), part - step, part)  # neither NaN nor out of bounds
    if deep.any():
        part = np.array(part)
        points = [np.broadcast_to(np.asarray(each, dtype=np.float64), deep.shape)[deep] for each in (a, b, v, rest)]
        part[deep] = _moved_deep(points, low[deep], first[deep], second[deep])
    return part, low, tail


def _tails(a: Any, b: Any, v: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mass below and above points; of the larger tail 1 less the other where that is the larger beyond doubt."""
    first = v * b <= rest * a  # below the mean the lower tail is the smaller one, but near it
    p, q, x = (np.where(first, one, other) for one, other in ((a, b), (b, a), (v, rest)))
    small = np.asarray(special.betainc(p, q, x))
    large, doubtful = np.asarray(1 - small), ~(small < _SURE)
    large[doubtful] = special.betainc(q[doubtful], p[doubtful], np.where(first, rest, v)[doubtful])
    return np.where(first, small, large), np.where(first, large, small)


def _normal(a: Any, b: Any, v: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the normal deviate of points of a distribution with huge parameters, less its skewness (Cornish and Fisher 1938)."""
    n = a + b
    z = (v * (b / n) - rest * (a / n)) / np.sqrt(a / n * (b / n) / (n + 1))
    skew = 2 * ((b - a) / (n + 2)) * np.sqrt((n + 1) / a) / np.sqrt(b)
    return np.asarray(z - skew * (z * z - 1) / 6)


def _moved_deep(points: list[FloatArray], low: BoolArray, to_a: FloatArray, to_b: FloatArray) -> FloatArray:
    """Return values whose smaller tail is too small for a number, found by its logarithm; turned so that it is the lower one."""
    a, b, v, rest = points
    a, b, v, rest = np.where(low, a, b), np.where(low, b, a), np.where(low, v, rest), np.where(low, rest, v)
    distributions = np.column_stack([a, b, to_a, to_b])
    values = np.empty(to_a.size)
    for distribution in np.unique(distributions, axis=0):
        mine = (distributions == distribution).all(axis=1)
        p, q, x, over = distribution[0], distribution[1], v[mine], rest[mine]
        if p < _FLAT:  # x is so small that x^a / (a B(a, b)) is all there is
            depth = np.asarray(p * np.log(x) - np.log(p) - special.betaln(p, q))
        else:
            huge = min(p, q) > _HUGE
            depth = np.asarray(special.log_ndtr(_normal(p, q, x, over))) if huge else log_lower_tail(p, q, x, over)
        values[mine] = quantiles_of_logs(distribution[2], distribution[3], depth)
    return values


def quantiles_of_logs(a: float, b: float, depth: FloatArray) -> FloatArray:
    """Return the points below which a Beta distribution has the mass exp(depth), far below its mean."""
    # The log of the mass is a concave function of the log of the point: Newton's steps come from below and never overshoot.
    z = np.minimum((depth + np.log(a) + special.betaln(a, b)) / a, np.log(a / (a + b)))
    for _ in range(_STEPS if a >= _FLAT else 0):
        z = np.maximum(z, _LOWEST)
        x, rest = np.exp(z), -np.expm1(z)
        tail = log_lower_tail(a, b, x, rest)
        step = (depth - tail) * np.exp(tail - z - log_density(a, b, x, rest))
        step = np.where(z > _LOWEST, step, 0.0)
        z = z + step
        if np.abs(step).max() < _CLOSE:
            break
    return np.where(z <= _LOWEST + 1, 0.0, np.exp(z))


class Curve:
    r"""The map between the log-odds x of v and y of s, as polynomials of degree five between evenly spaced nodes; or many maps.

    At every node slope and bend are known, with the densities g of log-odds; between them it is off most in the middle:

    .. math:: y' = g(x) / g_s(y), \quad y'' = y' \bigl(a (1-v) - b v - (a_s (1-s) - b_s s)\, y'\bigr)
    """

    def __init__(self, x: FloatArray, values: tuple[FloatArray, FloatArray, FloatArray]) -> None:
        """Go through evenly spaced nodes x with their y, y' and y''; of many maps a row each."""
        h = (x[-1] - x[0]) / (x.size - 1)
        y, slope, bend = values[0], values[1] * h, values[2] * h * h
        rise, d0, d1, c0, c1 = np.diff(y), slope[..., :-1], slope[..., 1:], bend[..., :-1], bend[..., 1:]
        third = 10 * rise - 6 * d0 - 4 * d1 - 1.5 * c0 + 0.5 * c1
        fourth = -15 * rise + 8 * d0 + 7 * d1 + 1.5 * c0 - c1
        fifth = 6 * rise - 3 * d0 - 3 * d1 - 0.5 * c0 + 0.5 * c1
        self.start, self.per_unit = float(x[0]), 1 / h
        self.coefficients = np.stack([y[..., :-1], d0, c0 / 2, third, fourth, fifth])  # the constant first; a column a cell

    def __call__(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return moved values and what they lack to 1, for log-odds between the ends."""
        s, rest = np.empty(x.size), np.empty(x.size)
        for part in blocks(x.size):
            odds = np.exp(np.clip(self.log_odds(x[part]), -_LOG_MOST, _LOG_MOST))
            rest[part] = 1 / (1 + odds)
            np.multiply(odds, rest[part], out=s[part])
        return s, rest

    def log_odds(self, x: FloatArray) -> FloatArray:
        """Return y for x."""
        at = (x - self.start) * self.per_unit
        cell = np.clip(at.astype(np.int32), 0, self.coefficients.shape[-1] - 1)
        at -= cell
        y: FloatArray = self.coefficients[5][..., cell]
        for row in self.coefficients[4::-1]:
            y *= at
            y += row[..., cell]
        return y


def tabulated(distributions: Four, low: float, high: float) -> Curve | None:
    """Return the map between two log-odds as a table true to `TOLERANCE`, or None where none of bearable size is."""
    if not low < high:
        return None
    x = np.linspace(low, high, _FEWEST)
    values = nodes_of(distributions, x)
    while x.size <= _MOST:
        if not all(np.isfinite(part).all() for part in values):
            return None
        curve = Curve(x, values)
        between = (x[1:] + x[:-1]) / 2
        exact = nodes_of(distributions, between)
        odds = np.exp(np.clip(exact[0], -_LOG_MOST, _LOG_MOST))
        if np.abs(curve(between)[0] - odds / (1 + odds)).max() <= TOLERANCE:
            return curve
        places = np.arange(1, x.size)  # each value in the middle comes after that of its node
        values = tuple(np.insert(at, places, middle) for at, middle in zip(values, exact, strict=True))  # type: ignore[assignment]
        x = np.linspace(low, high, 2 * x.size - 1)
    return None


def nodes_of(distributions: Four, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return y, y' and y'' at log-odds x."""
    a, b, to_a, to_b = distributions
    v, rest = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    part, low, tail = _carried(distributions, v, rest)
    other, near = 1 - part, part > 1 - 2 * _SMALL
    exact = np.broadcast_arrays(np.where(low, to_b, to_a), np.where(low, to_a, to_b), tail)
    other[near] = special.betainccinv(*(each[near] for each in exact))  # so that both ends have all their digits
    other = np.where(near & (other >= _SMALL), 1 - part, other)
    s, s_rest = np.where(low, part, other), np.where(low, other, part)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = np.log(s) - np.log(s_rest)
        slope = np.exp(_log_density(a, b, v, rest) - _log_density(to_a, to_b, s, s_rest))
        bend = slope * (a * rest - b * v - (to_a * s_rest - to_b * s) * slope)
    return y, slope, bend


def _log_density(a: Any, b: Any, v: FloatArray, rest: FloatArray) -> FloatArray:
    return np.asarray(a * np.log(v) + b * np.log(rest) - special.betaln(a, b))
