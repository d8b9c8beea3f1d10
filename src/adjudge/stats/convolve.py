r"""The distribution of a rate (density f) added to another part (density g, upper tail G), point by point.

.. math:: P(U + V > x) = \int f(u)\, G(x - u)\, du, \qquad p(x) = \int f(u)\, g(x - u)\, du ,

taken over the overlap of the two windows. Everything has shape (rows, points, nodes).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.stats.distribution import Engine
from adjudge.stats.numerics import STEP, Table, rule, tabulate
from adjudge.stats.offsets import Rates, density

_SAME = 1e-12
_ROUNDING = 2e-15  # share of its parts by which the place of an end may be out
_NARROW = 0.1
_MOST = 12  # rough places of a sum up to which it is convolved class by class


@dataclass(frozen=True, slots=True)
class Single(Table):
    """One rate for every row: its density in closed form, its tail from a table."""

    rate: Rates

    def density(self, segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the density at points of the window."""
        return density(self.rate, from_low, to_high)


def single(rates: Rates, k: int) -> Single:
    """Return rate `k` of every row, tabulated."""
    rate = rates.column(k)
    edges = np.concatenate([rate.low[:, 0], rate.high[:, 0]], axis=1)
    table = tabulate(edges, rates.least_exponent, lambda _, low, high: density(rate, low, high))
    return Single(table.edges, table.pdf_series, table.sf_series, table.span, rate)


@dataclass(frozen=True, slots=True, eq=False)
class Alone(Engine):
    """One rate as a distribution of its own; its marks are its two ends."""

    part: Single

    @property
    def flaw(self) -> FloatArray:
        """How far the mass of each row is from 1."""
        return self.part.flaw

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        return self.part.above_at(x)

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        inside = (x >= self.low[:, None]) & (x <= self.high[:, None])
        x = np.clip(x, self.low[:, None], self.high[:, None])[..., None]
        with np.errstate(divide="ignore"):
            value = self.part.density(0, x - self.low[:, None, None], self.high[:, None, None] - x)[..., 0]
        return np.where(inside, value, 0.0)


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

    def coarse(self) -> Convolution:
        """Return the same with half the nodes, good to four digits."""
        return replace(self, step=2 * self.step)

    def _integrated(self, x: FloatArray, *, above: bool = False, density: bool = False) -> tuple[FloatArray, FloatArray]:
        starts, end = self.other.edges[:, :1], self.first.edges[:, 1:]
        higher = self.first.above_at(_snapped(x - starts, end, starts)) if above else np.zeros(x.shape)
        here = np.zeros(x.shape)
        for segment in range(self.other.edges.shape[1] - 1):
            weight, at_first, at_other = self._overlap(x[..., None], segment)
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                mass = weight * self.first.density(0, *at_first)
                if above:
                    higher = higher + _total(weight, mass, self.other.above(segment, *at_other))
                if density:
                    here = here + _total(weight, mass, self.other.density(segment, *at_other))
        return higher, here

    def _overlap(self, x: FloatArray, segment: int) -> tuple[FloatArray, tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """Return weights, and the nodes as seen from the ends of both windows."""
        s, rest, weight = rule(self.exponent, self.step)
        begin, end = self.first.edges[:, 0, None, None], self.first.edges[:, 1, None, None]
        start, stop = (self.other.edges[:, at, None, None] for at in (segment, segment + 1))
        from_x, to_x = _snapped(x - stop, begin, stop), _snapped(x - start, end, start)
        low, high = np.maximum(begin, from_x), np.minimum(end, to_x)
        width = np.maximum(high - low, 0.0)
        up, down = width * s, width * rest
        at_first = (low - begin) + up, (end - high) + down
        at_other = (to_x - high) + down, (low - from_x) + up
        return width * weight, at_first, at_other

    def tabulated(self) -> Table:
        """Return the distribution as a part of a larger sum."""
        edges = self.marks

        def values(segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
            start, stop = edges[:, segment, None, None], edges[:, segment + 1, None, None]
            x = np.where(from_low < to_high, start + from_low, stop - to_high)
            return self.pdf(x[:, 0])[:, None]

        return tabulate(edges, self.exponent, values)


def _snapped(place: FloatArray, end: FloatArray, shift: FloatArray) -> FloatArray:
    """Return places, those that only rounding keeps from an end at it: a rule takes what is singular at an end, not beside it."""
    return np.where(np.abs(place - end) <= _ROUNDING * (np.abs(end) + np.abs(shift)), end, place)


def _total(weight: FloatArray, mass: FloatArray, g: FloatArray) -> FloatArray:
    """Add the nodes up; where the windows do not meet, the weights are 0 and the values mean nothing."""
    return np.where(weight[..., 0] > 0, np.einsum("rpn,rpn->rp", mass, g), 0.0)


def alone(rates: Rates) -> Alone:
    """Return the only rate of every row."""
    part = single(rates, 0)
    return Alone(part.edges, part)


def pair(rates: Rates) -> Convolution:
    """Return the sum of two rates for every row."""
    ends = rates.low[:, :1], rates.high[:, :1]
    shifts = rates.low[:, 1:], rates.high[:, 1:]
    marks = np.sort(np.concatenate([end + shift for end in ends for shift in shifts], axis=1))
    return Convolution(marks, single(rates, 0), single(rates, 1), rates.least_exponent)


def chain(rates: Rates) -> Convolution:
    """Return the sum of K rates of one row, adding the narrow ones first."""
    order = np.argsort((rates.high - rates.low)[0])
    rates = rates.rows((slice(None), order))
    part: Table = single(rates, 0)
    rough = _hard(rates, 0)
    for k in range(1, len(order) - 1):
        rough = _roughened(rough, part.edges[0], rates, k)
        part = _added(part, rough, rates, k).tabulated()
    last = len(order) - 1
    return _added(part, _roughened(rough, part.edges[0], rates, last), rates, last)


def _added(part: Table, rough: list[float], rates: Rates, k: int) -> Convolution:
    """Return a part plus rate `k`; of rough places that only rounding keeps apart one is left."""
    low, high = (part.edges[0, [0, -1]] + [rates.low[0, k], rates.high[0, k]]).tolist()
    least = _SAME * (high - low)
    inside = [place for place in rough if low + least < place < high - least]
    return Convolution(np.array([[low, *_distinct(inside, least), high]]), single(rates, k), part, rates.least_exponent)


def _hard(rates: Rates, k: int) -> list[float]:
    """Return the ends of rate `k` where its density breaks off, rather than fading."""
    return [float(rates.low[0, k])] * bool(rates.at_low[0, k] == 0) + [float(rates.high[0, k])] * bool(rates.at_high[0, k] == 0)


def _roughened(rough: list[float], edges: FloatArray, rates: Rates, k: int) -> list[float]:
    """Return where the sum of a part, rough in some places, and rate `k` may be rough."""
    # it is where both are; one that is narrow beside the other turns each rough place into a layer, with two ends
    low, high = float(rates.low[0, k]), float(rates.high[0, k])
    whole = float(edges[-1] - edges[0])
    ends = [low, high] if high - low < _NARROW * whole else _hard(rates, k)
    base = [float(edges[0]), float(edges[-1])] if whole < _NARROW * (high - low) else rough
    return _distinct(sorted(place + end for place in base for end in ends), _SAME * (whole + high - low))


def crowded(rates: Rates) -> bool:
    """Tell a sum of one row with so many rough places that a convolution class by class would take minutes."""
    order = np.argsort((rates.high - rates.low)[0])
    rates = rates.rows((slice(None), order))
    rough, edges = _hard(rates, 0), np.array([rates.low[0, 0], rates.high[0, 0]])
    for k in range(1, len(order)):
        rough = _roughened(rough, edges, rates, k)
        edges = edges + np.array([rates.low[0, k], rates.high[0, k]])
        if len(rough) > _MOST:
            return True
    return False


def _distinct(places: list[float], least: float) -> list[float]:
    """Return rising places that are further than `least` apart."""
    kept: list[float] = []
    for place in places:
        if not kept or place > kept[-1] + least:
            kept.append(place)
    return kept
