"""Quadrature and interpolation on intervals whose ends may be singular, waves integrated by panels, and roots in brackets."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.records import dataclass

ORDER = 16
_CELL = 0.125
STEP = 1 / 24  # step of the integrals: a bell across a window of 18 standard deviations is summed at every 0.6 of them
_DEEPEST = 690.0  # exp(-690) is still a normal number: powers below 0.06 keep a little mass beyond it
_MOST_STEPS = 300

_TERMS = 24  # terms of the Legendre series on each panel
_FINE, _SLOW = 40, 24.0  # so many Gauss nodes integrate such a series against a wave of up to so many radians to either side
_BLOCK = 1 << 15


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

    nodes = chebyshev.chebpts1(ORDER)
    to_series = np.asarray(2 / ORDER * chebyshev.chebvander(nodes, ORDER - 1).T, dtype=np.float64)
    to_series[0] /= 2
    return nodes, to_series, np.asarray(chebyshev.chebint(to_series, lbnd=-1), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Table:
    """A density and the mass above each point, for rows of adjoining segments with `edges` (rows, segments + 1)."""

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
    segments = []
    for segment in range(edges.shape[1] - 1):
        width = (edges[:, segment + 1] - edges[:, segment])[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = values(segment, width * s, width * rest) * (width * slope)
        segments.append(np.where(width > 0, np.nan_to_num(value), 0.0).reshape(-1, cells, ORDER))
    at_nodes = np.stack(segments, axis=1)
    pdf = np.einsum("pn,rscn->prsc", to_series, at_nodes)
    rising = half * np.einsum("pn,rscn->prsc", to_integral, at_nodes)
    # from integrals from the start of each cell to the mass above, adding from the right
    mass = rising.sum(0)
    falling = -rising
    falling[0] += np.cumsum(mass.reshape(len(mass), -1)[:, ::-1], axis=1)[:, ::-1].reshape(mass.shape)
    return Table(edges, pdf, falling, span)


Curve = Callable[[FloatArray], tuple[FloatArray, FloatArray]]  # the value, of which a root is wanted, and the slope


@dataclass(frozen=True, slots=True)
class Interpolation:
    """What turns values at Gauss nodes into Legendre series, and into values at more nodes, weighted."""

    nodes: FloatArray
    series: FloatArray
    fine: FloatArray
    onto_fine: FloatArray

    def terms(self, half: FloatArray, middle: FloatArray, values: AnyArray) -> tuple[Terms, Terms]:
        """Return what gives the mass above points and the density, of values at the nodes of panels."""
        t, fine_t = (middle[:, None] + half[:, None] * nodes for nodes in (self.nodes, self.fine))
        fine = values @ self.onto_fine.T
        return Terms(fine / fine_t, values / t @ self.series.T), Terms(fine, values @ self.series.T)


@lru_cache(maxsize=1)
def interpolation() -> Interpolation:
    """Return nodes of a panel and what interpolates on it."""
    from numpy.polynomial.legendre import leggauss, legvander

    nodes, weights = leggauss(_TERMS)
    fine, fine_weights = leggauss(_FINE)
    series = (np.arange(_TERMS) + 0.5)[:, None] * legvander(nodes, _TERMS - 1).T * weights
    return Interpolation(nodes, series, fine, fine_weights[:, None] * (legvander(fine, _TERMS - 1) @ series))


@dataclass(frozen=True, slots=True)
class Terms:
    """What is integrated over each panel: weighted values for slow waves, a Legendre series for fast ones."""

    fine: AnyArray
    series: AnyArray

    def against(self, turn: FloatArray) -> AnyArray:
        r"""Return the integrals over each panel, stretched to (-1, 1), against waves that turn this much: (points, panels).

        Those of Legendre series against fast waves: :math:`\int P_l(s) e^{-iks} ds = 2 (-i)^l j_l(k)`.
        """
        value = np.empty(turn.shape, dtype=complex)
        slow = np.abs(turn) <= _SLOW
        at, panel = np.nonzero(slow)
        # nodes of both signs share cosine and sine; parts of complex numbers are added up as real ones, several times faster
        half = _FINE // 2
        angle = turn[at, panel, None] * interpolation().fine[:half]
        front, back = self.fine[:, :half], self.fine[:, : half - 1 : -1]
        even, odd, cosine, sine = front + back, front - back, np.cos(angle), np.sin(angle)
        sums = ((cosine, even.real), (cosine, even.imag), (sine, odd.imag), (sine, odd.real))
        parts = [np.einsum("pn,pn->p", wave, height[panel]) for wave, height in sums]
        value[slow] = parts[0] + parts[2] + 1j * (parts[1] - parts[3])
        series, fast = self.series[np.nonzero(~slow)[1]], turn[~slow]
        before, now = np.sin(fast) / fast, np.sin(fast) / fast**2 - np.cos(fast) / fast
        total: AnyArray = series[:, 0] * before
        for order in range(1, series.shape[1]):
            total += (-1j) ** order * series[:, order] * now
            before, now = now, (2 * order + 1) / fast * now - before
        value[~slow] = 2 * total
        return value

    def integrals(self, away: FloatArray, half: FloatArray, middle: FloatArray) -> AnyArray:
        """Return the sums over panels of the integrals against the waves of points `away`: one column, or one for each panel."""
        parts = np.array_split(away, 1 + len(away) * half.size * _FINE // _BLOCK)
        return np.concatenate([(self.against(part * half) * np.exp(-1j * part * middle)) @ half for part in parts])


def rising_root(curve: Curve, low: FloatArray, high: FloatArray, start: FloatArray, enough: float) -> FloatArray:
    """Return where a rising `curve` is within `enough` of 0, or the upper end of a bracket as narrow as floats allow."""
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


def bracketed(
    x: FloatArray, miss: FloatArray, step: FloatArray, ends: tuple[FloatArray, FloatArray], before: FloatArray
) -> tuple[FloatArray, FloatArray, AnyArray, FloatArray, FloatArray]:
    """Return the ends that close on where a falling `miss` is 0, whether Newton's `step` is good, the next points, their errors.

    A step that leaves the bracket or does not halve the error of the one `before` is replaced by the middle of the bracket.
    """
    low, high, new = np.where(miss >= 0, x, ends[0]), np.where(miss <= 0, x, ends[1]), x + step
    good = (new >= low) & (new <= high) & (np.abs(miss) <= before / 2)
    return low, high, good, np.where(good, new, (low + high) / 2), np.where(good, np.abs(miss), np.inf)


def brentq(
    f: Callable[[float], Any], a: float, b: float, *, xtol: float = 2e-12, rtol: float = 2**-50, maxiter: int = 100
) -> float:
    """Return the root of a function whose values at both ends differ in sign. Brent (1973), chapter 4.

    Raises ValueError if they do not, RuntimeError if the bracket is still too wide after `maxiter` steps.
    """
    previous, current, other = float(a), float(b), 0.0
    f_previous, f_current, f_other = float(f(a)), float(f(b)), 0.0
    if f_previous == 0:
        return previous
    if f_current == 0:
        return current
    if math.copysign(1, f_previous) == math.copysign(1, f_current):
        msg = "f(a) and f(b) must have different signs"
        raise ValueError(msg)
    step_before = step = 0.0
    for _ in range(maxiter):
        if f_previous != 0 and f_current != 0 and math.copysign(1, f_previous) != math.copysign(1, f_current):
            other, f_other = previous, f_previous
            step_before = step = current - previous
        if abs(f_other) < abs(f_current):  # the best point so far is the current one
            previous, current, other = current, other, current
            f_previous, f_current, f_other = f_current, f_other, f_current
        delta, half = (xtol + rtol * abs(current)) / 2, (other - current) / 2
        if f_current == 0 or abs(half) < delta:
            return current
        tried = math.inf
        if abs(step_before) > delta and abs(f_current) < abs(f_previous):
            if previous == other:
                tried = -f_current * (current - previous) / (f_current - f_previous)
            else:
                slope = (f_previous - f_current) / (previous - current)
                slope_other = (f_other - f_current) / (other - current)
                drop, bottom = f_other * slope_other - f_previous * slope, slope_other * slope * (f_other - f_previous)
                tried = -f_current * drop / bottom if bottom else math.inf  # products of tiny values are 0
        good = 2 * abs(tried) < min(abs(step_before), 3 * abs(half) - delta)
        step_before, step = (step, tried) if good else (half, half)
        previous, f_previous = current, f_current
        current += step if abs(step) > delta else math.copysign(delta, half)
        f_current = float(f(current))
    msg = f"no root to within the tolerance after {maxiter} steps; the last point was {current}"
    raise RuntimeError(msg)
