r"""The distribution of a sum of rates, by whichever way suits it, and its quantiles, mode and far tails.

One way adds a rate (density f) to another part (density g, upper tail G), point by point over the overlap of their windows:
:math:`P(U + V > x) = \int f(u)\, G(x - u)\, du, \; p(x) = \int f(u)\, g(x - u)\, du`, with arrays (rows, points, nodes). Whatever
the way, the mass must be 1; where it is not, a slower way is tried, and `Engine.flaw` says what is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from adjudge._base import Undefined, dataclass, replace
from adjudge._base.arrays import FloatArray, IntArray
from adjudge.stats import special
from adjudge.stats.distribution import Engine
from adjudge.stats.fourier import fades, fourier, reach, rough_sum
from adjudge.stats.numerics import STEP, Table, bracketed, brentq, mapped, rule, tabulate
from adjudge.stats.offsets import DROP, Rates, density, log_gamma_ratio, stretched, tilted, tilted_centre

_SAME = 1e-12
_ROUNDING = 2e-15  # share of its parts by which the place of an end may be out
_NARROW = 0.1
_CROWDED = 12  # rough places of a sum up to which it is convolved class by class
ORDERS = (32, 64, 128, 512)  # Fourier terms to try; a sum that needs more is rough
FLAWED = 1e-12  # a mass further from 1 than this calls for another way, and if there is none, for a word to whoever asked
_UNSEEN = 1e-14
_MANY, _MOST = 2048, 8192  # terms for a rough sum that has no other way, and for one with no way but this
_NODES = 1 << 13
_PAIRS = 16
_TWO = 2
_STEPS = 200
# which error, as a share of the probability, ends the search on the coarse form and on the distribution itself
_ROUGHLY, _FINALLY = 2e-2, 1e-10
_CHORD = 1e-3  # below this error the density has been found well enough
_SLIVER = 1e-6  # share of the range below which a piece is too narrow for a level density to mean anything
_LEAST = 1e-16  # share of the gap by which a point differs from the mean if it differs at all


@dataclass(frozen=True, slots=True)
class Single(Table):
    """One rate for every row: its density in closed form, its tail from a table."""

    rate: Rates

    def density(self, segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the density at points of the window."""
        return density(self.rate, from_low, to_high)


def single(rates: Rates, k: int) -> Single:
    """Return rate `k` of every row, tabulated."""
    rate = rates.rows((slice(None), k, None, None))  # shaped to broadcast over points and nodes
    edges = np.concatenate([rate.low[:, 0], rate.high[:, 0]], axis=1)
    table = tabulate(edges, rates.least_exponent, lambda _, low, high: density(rate, low, high))
    return Single(table.edges, table.pdf_series, table.sf_series, table.span, rate)


@dataclass(frozen=True, slots=True, eq=False)
class Convolution(Engine):
    """A rate plus another part."""

    first: Single
    other: Table
    exponent: float
    step: float = STEP

    @property
    def flaw(self) -> FloatArray:
        """How far the mass of either part is from 1, row by row."""
        return np.maximum(self.first.flaw, self.other.flaw)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        return self._integrated(x, above=True)[0]

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        return self._integrated(x, density=True)[1]

    def both(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mass above x and the density, for little more than the price of one."""
        return self._integrated(x, above=True, density=True)

    def _integrated(self, x: FloatArray, *, above: bool = False, density: bool = False) -> tuple[FloatArray, FloatArray]:
        starts, end = self.other.edges[:, :1], self.first.edges[:, 1:]
        higher = self.first.above_at(_snapped(x - starts, end, starts)) if above else np.zeros(x.shape)
        here, (s, rest, weights) = np.zeros(x.shape), rule(self.exponent, self.step)
        begin, finish = self.first.edges[:, 0, None, None], self.first.edges[:, 1, None, None]
        for segment in range(self.other.edges.shape[1] - 1):
            # weights, and the nodes as seen from the ends of both windows
            start, stop = (self.other.edges[:, at, None, None] for at in (segment, segment + 1))
            from_x, to_x = _snapped(x[..., None] - stop, begin, stop), _snapped(x[..., None] - start, finish, start)
            low, high = np.maximum(begin, from_x), np.minimum(finish, to_x)
            width = np.maximum(high - low, 0.0)
            up, down, weight = width * s, width * rest, width * weights
            at_first = (low - begin) + up, (finish - high) + down
            at_other = (to_x - high) + down, (low - from_x) + up
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                mass = weight * self.first.density(0, *at_first)
                if above:
                    higher = higher + _total(weight, mass, self.other.above(segment, *at_other))
                if density:
                    here = here + _total(weight, mass, self.other.density(segment, *at_other))
        return higher, here

    def tabulated(self) -> Table:
        """Return the distribution as a part of a larger sum."""
        edges = self.marks

        def values(segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
            start, stop = edges[:, segment, None, None], edges[:, segment + 1, None, None]
            return self.pdf(np.where(from_low < to_high, start + from_low, stop - to_high)[:, 0])[:, None]

        return tabulate(edges, self.exponent, values)


def _snapped(place: FloatArray, end: FloatArray, shift: FloatArray) -> FloatArray:
    """Return places, those that only rounding keeps from an end at it: a rule takes what is singular at an end, not beside it."""
    return np.where(np.abs(place - end) <= _ROUNDING * (np.abs(end) + np.abs(shift)), end, place)


def _total(weight: FloatArray, mass: FloatArray, g: FloatArray) -> FloatArray:
    """Add the nodes up; where the windows do not meet, the weights are 0 and the values mean nothing."""
    return np.where(weight[..., 0] > 0, np.einsum("rpn,rpn->rp", mass, g), 0.0)


def pair(rates: Rates) -> Convolution:
    """Return the sum of two rates for every row."""
    ends = rates.low[:, :1], rates.high[:, :1]
    shifts = rates.low[:, 1:], rates.high[:, 1:]
    marks = np.sort(np.concatenate([end + shift for end in ends for shift in shifts], axis=1))
    return Convolution(marks, single(rates, 0), single(rates, 1), rates.least_exponent)


def chain(rates: Rates) -> Convolution | None:
    """Return the sum of K rates of one row, narrow ones added first; None where it has too many rough places to be quick."""
    rates = rates.rows((slice(None), np.argsort((rates.high - rates.low)[0])))
    first, *others = places = list(_rough_places(rates))
    if any(len(rough) > _CROWDED for rough in places):
        return None
    whole = _added(single(rates, 0), first, rates, 1)
    for k, rough in enumerate(others, 2):
        whole = _added(whole.tabulated(), rough, rates, k)
    return whole


def _added(part: Table, rough: list[float], rates: Rates, k: int) -> Convolution:
    """Return a part plus rate `k`; of rough places that only rounding keeps apart one is left."""
    low, high = (part.edges[0, [0, -1]] + [rates.low[0, k], rates.high[0, k]]).tolist()
    least = _SAME * (high - low)
    inside = [place for place in rough if low + least < place < high - least]
    return Convolution(np.array([[low, *_distinct(inside, least), high]]), single(rates, k), part, rates.least_exponent)


def _hard(rates: Rates, k: int) -> list[float]:
    """Return the ends of rate `k` where its density breaks off, rather than fading."""
    return [float(rates.low[0, k])] * bool(rates.at_low[0, k] == 0) + [float(rates.high[0, k])] * bool(rates.at_high[0, k] == 0)


def _rough_places(rates: Rates) -> Iterator[list[float]]:
    """Yield where the sum of the first two rates may be rough, of the first three, and so on."""
    # it is where both parts are; one that is narrow beside the other turns each rough place into a layer, with two ends
    rough, edges = _hard(rates, 0), [float(rates.low[0, 0]), float(rates.high[0, 0])]
    for k in range(1, rates.a.shape[1]):
        low, high = float(rates.low[0, k]), float(rates.high[0, k])
        whole = edges[1] - edges[0]
        ends = [low, high] if high - low < _NARROW * whole else _hard(rates, k)
        base = edges if whole < _NARROW * (high - low) else rough
        rough = _distinct(sorted(place + end for place in base for end in ends), _SAME * (whole + high - low))
        edges = [edges[0] + low, edges[1] + high]
        yield rough


def _distinct(places: list[float], least: float) -> list[float]:
    """Return rising places that are further than `least` apart."""
    kept: list[float] = []
    for place in places:
        if not kept or place > kept[-1] + least:
            kept.append(place)
    return kept


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
            yield np.array([row]), _careful(one, quick) if bad else quick


def allowed(classes: int) -> float:
    """Return how far a mass may be from 1: a product of many masses has the rounding of each."""
    return FLAWED * max(1.0, classes / 32)


def _quick(rates: Rates) -> Iterator[tuple[IntArray, Engine]]:
    rows, classes = rates.a.shape
    if classes == _TWO:
        for lot in np.array_split(np.arange(rows), -(-rows // _PAIRS)):
            yield lot, pair(rates.rows(lot))
        return
    size = max(1, _NODES // (classes * 200))
    for whole in np.array_split(np.arange(rows), -(-rows // size)):
        lot, (low, high) = whole, reach(rates.rows(whole))
        for orders in ORDERS:  # as many terms for each row as it needs
            if lot.size and (orders < ORDERS[-1] or fades(rates.rows(lot), (low, high), orders).any()):
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
    return chain(rates) or fourier(rates, reach(rates), _MOST)


def _careful(rates: Rates, quick: Engine) -> Engine:
    """Return one row from wider windows, independent of `extent`, by the way with the best mass; the quick one if none is."""
    wide = stretched(rates)
    candidates = [quick, pair(wide) if wide.a.shape[1] == _TWO else _rough(wide)]
    if wide.a.shape[1] == _TWO and not wide.is_tilted:
        candidates += [distribution for distribution in [rough_sum(wide)] if distribution is not None]
    return min(candidates, key=lambda distribution: float(distribution.flaw.max()))


def solve(distribution: Engine, above: FloatArray, sd: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return the offsets, (rows, points), exceeded with the probabilities `above`, from Cornish and Fisher's start."""
    z = -special.ndtri(above)
    start = sd[:, None] * (z + (z * z - 1) * skewness[:, None] / 6)
    if isinstance(distribution, Convolution):  # half the nodes are good to four digits
        start = _newton(replace(distribution, step=2 * distribution.step), above, start, _ROUGHLY)
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


def peak(marks: FloatArray, pdf: Callable[[FloatArray], FloatArray]) -> float:
    """Return the place of the greatest density of one row, sought between its marks, or the reason why there is none."""
    s, rest, _ = mapped(np.linspace(-2.5, 2.5, 49))
    low, high = (marks[part][np.diff(marks) > 0][:, None] for part in (slice(-1), slice(1, None)))
    grids = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
    heights = pdf(grids.reshape(1, -1)).reshape(grids.shape)
    peaks = []  # between two marks the greatest density, its place, and whether it is level there
    for start, stop, grid, values in zip(low[:, 0], high[:, 0], grids, heights, strict=True):
        at = int(values.argmax())
        if values[at] < heights.max() / 2:  # no peak between its points makes up for that
            continue
        middle = values[grid.size // 3 : -grid.size // 3]
        level = bool(values[at] - middle.min() <= 1e-12 * values[at]) and stop - start > _SLIVER * (marks[-1] - marks[0])
        place = _summit(pdf, grid[at - 1] if at else start, grid[at + 1] if at + 1 < grid.size else stop)
        peaks.append((max(float(pdf(np.array([[place]]))[0, 0]), float(values[at])), place, level))
    best = max(value for value, _, _ in peaks)
    if any(level and value >= best * (1 - 1e-9) for value, _, level in peaks):
        return Undefined("the density is level at its greatest height")
    return next(place for value, place, _ in peaks if value == best)


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
    if 0 < total < math.inf and np.isfinite(height).all():
        return float(height.sum()) - slope * start + math.log(total)
    # nodes are nearer to the end than any float, and each density is a power of that distance
    betas = zip(plain.a[0].tolist(), plain.b[0].tolist(), plain.weight[0].tolist(), strict=True)
    return math.fsum(log_gamma_ratio(a, b) + b * math.log(gap / w) for a, b, w in betas) - math.lgamma(1 + float(plain.b.sum()))
