r"""The law of a sum of many rates as a Fourier series on the stretch that holds its mass.

With the period T, :math:`\omega = 2\pi/T` and the characteristic function :math:`\phi = \prod_k \phi_k`,

.. math:: p(x) = \frac{1}{T} \Re\Bigl(\phi(0) + 2 \sum_{m \ge 1} \phi(m\omega) e^{-i m \omega x}\Bigr) .

The terms die out fast when the sum is smooth, which every further class makes it; `converged` says for which rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray
from adjudge.stats.offsets import Rates, density, extent, mirrored
from adjudge.stats.series import rule

_NEGLIGIBLE = 2e-16
_SLACK = 1.02
_TINY = 1e-300
_AT_ONCE = 1024
"""Nodes whose turns are held together, so that they stay in the cache."""


@dataclass(frozen=True, slots=True)
class Fourier:
    """One series for each row; points are offsets from the sum of the centres, (rows, points)."""

    low: FloatArray
    high: FloatArray
    omega: FloatArray
    terms: AnyArray

    @property
    def marks(self) -> FloatArray:
        """The two ends: nothing is rough in between."""
        return np.stack([self.low, self.high], axis=1)

    @property
    def converged(self) -> BoolArray:
        """Whether the terms left out are beneath rounding."""
        last = max(4, self.terms.shape[1] // 8)
        return np.asarray(np.abs(self.terms[:, -last:]).max(1) < _NEGLIGIBLE * np.abs(self.terms[:, 0]))

    @property
    def flaw(self) -> FloatArray:
        """How far the mass is from 1, what a density alive at the ends shows of a cut tail, and what the series leaves out."""
        ends = np.abs(self.pdf(self.marks)).max(1) * (self.high - self.low)
        return np.asarray(np.maximum(np.maximum(np.abs(self.terms[:, 0] - 1), ends), self.left_out))

    @property
    def left_out(self) -> FloatArray:
        """What the terms left out may add to a probability, if they fall like the last ones."""
        half, last = (np.abs(part).max(1) for part in np.array_split(self.terms[:, self.terms.shape[1] // 2 :], 2, axis=1))
        power = np.log(np.maximum(half, _TINY) / np.maximum(last, _TINY)) / math.log(4 / 3)
        return np.asarray(np.abs(self.terms[:, -max(4, self.terms.shape[1] // 8) :]).max(1) / (math.pi * np.maximum(power, 0.1)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        factors = np.full(self.terms.shape[1], 2.0)
        factors[0] = 1.0
        value = self._summed(self.terms * factors, x) * (self.omega / (2 * math.pi))[:, None]
        inside = (x >= self.low[:, None]) & (x <= self.high[:, None])
        return np.where(inside, np.maximum(value, 0.0), 0.0)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        x = np.clip(x, self.low[:, None], self.high[:, None])
        orders = np.arange(1, self.terms.shape[1])
        integrated = np.zeros_like(self.terms)
        integrated[:, 1:] = self.terms[:, 1:] / (1j * math.pi * orders)
        straight = (self.high[:, None] - x) * (self.omega / (2 * math.pi))[:, None] * self.terms[:, :1].real
        return np.asarray(straight + self._summed(integrated, x) - self._summed(integrated, self.high[:, None]))

    def both(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mass above x and the density."""
        return self.sf(x), self.pdf(x)

    def coarse(self) -> Fourier:
        """Return itself: the series is cheap as it is."""
        return self

    def rows(self, which: BoolArray) -> Fourier:
        """Return some rows."""
        return Fourier(self.low[which], self.high[which], self.omega[which], self.terms[which])

    def _summed(self, terms: AnyArray, x: FloatArray) -> FloatArray:
        angle = (self.omega[:, None] * x)[..., None] * np.arange(terms.shape[1])
        even = np.einsum("rm,rpm->rp", terms.real, np.cos(angle))
        return np.asarray(even + np.einsum("rm,rpm->rp", terms.imag, np.sin(angle)))


def reach(rates: Rates) -> tuple[FloatArray, FloatArray]:
    """Return the offsets between which the sum of each row has its mass."""
    return -extent(mirrored(rates)), extent(rates)


def fourier(rates: Rates, ends: tuple[FloatArray, FloatArray], orders: int) -> Fourier:
    """Return the series between two ends up to a number of terms."""
    low, high = ends
    omega = 2 * math.pi / (_SLACK * (high - low))
    return Fourier(low, high, omega, _characteristic(rates, omega, orders))


def _characteristic(rates: Rates, omega: FloatArray, orders: int) -> AnyArray:
    """Return the characteristic function of each row at 0, omega, 2 omega, ..."""
    wide = rates.high - rates.low
    turns = float((wide * omega[:, None]).max()) * orders
    s, rest, weight = rule(rates.least_exponent, min(0.05, 6 / (100 + turns)))
    # rows x rates as one list of single points with many nodes
    flat = Rates(*(np.ravel(getattr(rates, name))[:, None, None] for name in Rates.__slots__))
    width = np.ravel(wide)[:, None, None]
    with np.errstate(divide="ignore"):
        mass = (density(flat, width * s, width * rest) * (width * weight))[:, 0]
    offset = np.where(s < rest, flat.low + width * s, flat.high - width * rest)[:, 0]
    turn = np.exp(1j * np.repeat(omega, rates.a.shape[1])[:, None] * offset)
    parts = range(0, s.size, _AT_ONCE)
    found = sum(_powers(mass[:, i : i + _AT_ONCE], turn[:, i : i + _AT_ONCE], orders + 1) for i in parts)
    return np.asarray(np.reshape(found, (*rates.a.shape, orders + 1)).prod(1))


def _powers(mass: FloatArray, turn: AnyArray, count: int) -> AnyArray:
    """Return the sums of `mass` times 0, 1, 2, ... turns: short steps times long ones, as one product of matrices."""
    short = math.isqrt(count - 1) + 1
    steps = np.empty((short, *turn.shape), dtype=complex)
    steps[0] = 1
    for m in range(1, short):
        np.multiply(steps[m - 1], turn, out=steps[m])
    long, now = steps[-1] * turn, mass.astype(complex)
    leaps = np.empty((-(-count // short), *turn.shape), dtype=complex)
    for m in range(len(leaps)):
        leaps[m] = now
        now *= long
    products = np.matmul(leaps.transpose(1, 0, 2), steps.transpose(1, 2, 0))
    return np.asarray(products.reshape(len(turn), -1)[:, :count])
