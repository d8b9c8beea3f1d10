"""Integration and interpolation on intervals whose ends may be singular, and roots found inside a closing bracket."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from adjudge._base.arrays import FloatArray

ORDER = 16
_CELL = 0.125
STEP = 1 / 24  # step of the integrals: a bell across a window of 18 standard deviations is summed at every 0.6 of them
_DEEPEST = 690.0  # exp(-690) is still a normal number: powers below 0.06 keep a little mass beyond it
_MOST_STEPS = 300


Density = Callable[[FloatArray, FloatArray], FloatArray]


def reach(exponent: float) -> float:
    """Return the t beyond which an end of power `exponent` holds nothing a float64 could show."""
    return math.asinh(min(38 / min(exponent, 1.0) + 2, _DEEPEST) / math.pi)


def mapped(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return s, 1 - s and ds/dt, all to full relative accuracy."""
    grown = math.pi * np.sinh(t)
    s, rest = 1 / (1 + np.exp(-grown)), 1 / (1 + np.exp(grown))
    return s, rest, math.pi * np.cosh(t) * s * rest


@lru_cache(maxsize=64)
def rule(exponent: float, step: float = STEP) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes, their distances from 1, and weights on (0, 1) for ends no sharper than `exponent`."""
    count = math.ceil(reach(exponent) / step)
    s, rest, slope = mapped(step * np.arange(-count, count + 1, dtype=np.float64))
    return s, rest, step * slope


@lru_cache(maxsize=1)
def _matrices() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Chebyshev nodes, values -> series, and values -> series of the integral from the start of the cell."""
    from numpy.polynomial import chebyshev

    nodes = np.cos(np.pi * (np.arange(ORDER) + 0.5) / ORDER)
    to_series = 2 / ORDER * np.cos(np.outer(np.arange(ORDER), np.pi * (np.arange(ORDER) + 0.5) / ORDER))
    to_series[0] /= 2
    integrated = chebyshev.chebint(to_series, lbnd=-1)
    return nodes, to_series, integrated


@dataclass(frozen=True, slots=True)
class Table:
    """A density and the mass above each point, for rows of adjoining segments.

    `edges` has shape (rows, segments + 1); the Chebyshev series, one for each cell of t, (order, rows, segments, cells).
    """

    edges: FloatArray
    pdf_series: FloatArray
    sf_series: FloatArray
    span: float

    def density(self, segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
        """Return the density of points in `segment`, given by their distances from its ends."""
        t = self._t(from_low, to_high)
        width = (self.edges[:, segment + 1] - self.edges[:, segment])[:, None, None]
        slope = math.pi * np.cosh(t) * from_low * to_high / np.where(width > 0, width, 1.0)
        return np.maximum(self._value(self.pdf_series, segment, t), 0.0) / np.where(slope > 0, slope, np.inf)

    def above(self, segment: int, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
        """Return the mass above such points."""
        return self._value(self.sf_series, segment, self._t(from_low, to_high))

    def above_at(self, x: FloatArray) -> FloatArray:
        """Return the mass above points of shape (rows, points), wherever they lie."""
        value = np.zeros(x.shape)
        for segment in range(self.edges.shape[1] - 1):
            low, high = self.edges[:, segment, None], self.edges[:, segment + 1, None]
            within = self.above(segment, np.maximum(x - low, 0.0)[..., None], np.maximum(high - x, 0.0)[..., None])
            value = np.where((x >= low) & (x < high), within[..., 0], value)
        return np.where(x < self.edges[:, :1], self.total[:, None], value)

    @property
    def total(self) -> FloatArray:
        """The mass of each row."""
        start = self.sf_series[:, :, 0, 0]
        return np.asarray(np.einsum("kr,k->r", start, (-1.0) ** np.arange(len(start))))

    @property
    def flaw(self) -> FloatArray:
        """How far the mass of each row is from 1."""
        return np.abs(self.total - 1)

    def _t(self, from_low: FloatArray, to_high: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.arcsinh(np.log(from_low / to_high) / math.pi)
        return np.fmin(np.fmax(t, -self.span), self.span)

    def _value(self, series: FloatArray, segment: int, t: FloatArray) -> FloatArray:
        """Evaluate the series of the cell that holds each t (Clenshaw)."""
        rows, cells = series.shape[1], series.shape[3]
        place = (t + self.span) * (cells / (2 * self.span))
        cell = np.minimum(place.astype(np.intp), cells - 1)
        x = 2 * (place - cell) - 1
        index = cell + cells * np.arange(rows).reshape(rows, 1, 1)
        twice, now, before = 2 * x, np.zeros(t.shape), np.zeros(t.shape)
        for term in series[:0:-1, :, segment]:
            before *= -1
            before += twice * now
            before += term.take(index)
            now, before = before, now
        return np.asarray(series[0, :, segment].take(index) + x * now - before)


def tabulate(edges: FloatArray, exponent: float, values: Callable[[int, FloatArray, FloatArray], FloatArray]) -> Table:
    """Tabulate the density `values(segment, from_low, to_high)` and its integral."""
    span = reach(exponent)
    cells = math.ceil(2 * span / _CELL)
    nodes, to_series, to_integral = _matrices()
    half = span / cells
    t = (-span + half * (2 * np.arange(cells) + 1))[:, None] + half * nodes
    s, rest, slope = (part.ravel() for part in mapped(t))
    found = []
    for segment in range(edges.shape[1] - 1):
        width = (edges[:, segment + 1] - edges[:, segment])[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = values(segment, width * s, width * rest) * (width * slope)
        found.append(np.where(width > 0, np.nan_to_num(value), 0.0).reshape(-1, cells, ORDER))
    at_nodes = np.stack(found, axis=1)
    pdf = np.einsum("pn,rscn->prsc", to_series, at_nodes)
    rising = half * np.einsum("pn,rscn->prsc", to_integral, at_nodes)
    # from integrals from the start of each cell to the mass above, adding from the right
    mass = rising.sum(0)
    falling = -rising
    falling[0] += np.cumsum(mass.reshape(len(mass), -1)[:, ::-1], axis=1)[:, ::-1].reshape(mass.shape)
    return Table(edges, pdf, falling, span)


Curve = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""The value, of which a root is wanted, and the slope."""


def rising_root(curve: Curve, low: FloatArray, high: FloatArray, start: FloatArray, enough: float) -> FloatArray:
    """Return where a rising `curve` is within `enough` of 0, or the upper end of a bracket as narrow as floats allow.

    The curve is at most 0 at `low` and at least 0 at `high`.

    >>> two = np.array([2.0])
    >>> rising_root(lambda x: (x * x - 2, 2 * x), 0 * two, two, two, 1e-15).round(12)
    array([1.41421356])
    """
    x = np.clip(start, low, high)
    before = np.full(x.shape, np.inf)
    for _ in range(_MOST_STEPS):
        value, slope = curve(x)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            new = x - value / slope
        size = np.abs(value)
        good = (new > low) & (new < high) & (size <= before / 2)
        middle = (low + high) / 2
        new = np.where(good, new, middle)
        before = np.where(good, size, np.inf)
        done = size <= enough
        closed = ~done & ((middle <= low) | (middle >= high))
        x = np.where(done, x, np.where(closed, high, new))
        if (done | closed).all():
            break
    return x
