"""The distribution of a sum from its characteristic function: as a Fourier series, and that of a paired difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray
from adjudge.stats.law import Engine
from adjudge.stats.offsets import Rates, density, extent, log_gamma_ratio, mirrored
from adjudge.stats.paired_tail import log_and_excess
from adjudge.stats.series import rule

_NEGLIGIBLE = 2e-16
_SLACK = 1.02
_TINY = 1e-300
_AT_ONCE = 1024  # nodes whose turns are held together, so that they stay in the cache
_POWERS = 64  # terms of the power series
_CLOSE = 2.0  # up to this many times n the three points are taken together
_GONE = 14.0  # after this many times 1 / sd a class with many cases of two kinds has nothing left
# from so many cases the integrand is a bell, narrow beside the distances of the points: round all, or round one of them
_MANY, _ALONE = 30.0, 100.0
_DEPTH = -38.0  # log of the share of the integrand that is given up at the ends of a path
_APART = 32  # terms of the series in 1/t, once the points are apart
_NOTHING = -36.0  # log of what a point adds when it need not be asked at all
_PLACES = np.array([1.0, -1.0, 0.0])
_KEPT = 1024  # classes whose series are kept: those of a ranking meet again


@dataclass(frozen=True, slots=True, eq=False)
class Fourier(Engine):
    """One series for each row; nothing is rough between the two ends."""

    omega: FloatArray
    terms: AnyArray

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

    def rows(self, which: BoolArray) -> Fourier:
        """Return some rows."""
        return Fourier(self.marks[which], self.omega[which], self.terms[which])

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
    # the characteristic function of each row at 0, omega, 2 omega, ...
    return Fourier(np.stack([low, high], axis=1), omega, np.reshape(found, (*rates.a.shape, orders + 1)).prod(1))


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


def waves(alphas: FloatArray) -> Callable[[FloatArray], AnyArray]:
    """Return the function that gives E exp(it(D - E D)) of classes with parameters p, q and r at t > 0, (classes, t)."""
    powers, radius = _power_series(alphas)

    def value(t: FloatArray) -> AnyArray:
        near = 1j * np.minimum(t, radius[:, None])
        found = np.zeros(t.shape, dtype=complex)
        for power in powers[::-1]:
            found = found * near + power[:, None]
        for row in np.flatnonzero(t.max(1) > radius):
            far = t[row] > radius[row]
            found[row, far] = _wave(tuple(alphas[row].tolist()), t[row, far])
        return found

    return value


def _power_series(alphas: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Return the coefficients of powers of it, (powers, classes), and up to which t they keep their digits."""
    # those of (1 - ax)^-p (1 - bx)^-q (1 - cx)^-r, with a, b and c the offsets, divided by n (n + 1) ...
    n, (a, b, c) = alphas.sum(1), _offsets(alphas).T
    first, second, third = a + b + c, a * b + a * c + b * c, a * b * c
    spread = (alphas * _offsets(alphas) ** 2).sum(1)
    found = [np.zeros(len(n)), np.ones(len(n)), np.zeros(len(n))]
    for k in range(1, _POWERS - 1):
        one, two, three = found[:-4:-1]
        higher = (spread - second * (k - 1)) * two + third * three
        found.append((first * k * one + higher / (n + k - 1)) / ((k + 1) * (n + k)))
    sizes = np.abs(found[2:])
    powers = np.arange(1, len(sizes) + 1)[:, None]
    most = np.where(powers > len(sizes) - 6, 1e-17, 30.0)  # no term outgrows the sum by far, and the last ones are nothing
    return np.array(found[1:]), np.asarray(((most / np.maximum(sizes, 1e-300)) ** (1 / powers)).min(0))


def _offsets(alphas: FloatArray) -> FloatArray:
    """Return the three points as distances from the mean, none lost to rounding."""
    p, q, r = np.moveaxis(alphas, -1, 0)
    return np.asarray(np.stack([2 * q + r, -(2 * p + r), q - p], axis=-1) / (p + q + r)[..., None])


def _wave(alpha: tuple[float, float, float], t: FloatArray) -> AnyArray:
    """Return the characteristic function of one class from its series."""
    end, series = _together(*alpha)
    value = np.zeros(t.shape, dtype=complex)
    close = t <= end
    if close.any():
        value[close] = _chebyshev(series, 2 * t[close] / end - 1)
    if end >= _CLOSE * sum(alpha) and not close.all():  # what each point adds: a wave, a power of t, and a series in 1/t
        far = t[~close]
        for point, offset in enumerate(_offsets(np.array(alpha))):
            constant, series = _around(*alpha, point)
            power = sum(alpha[:point] + alpha[point + 1 :])
            wave = np.exp(constant - power * np.log(far) + 1j * offset * far)
            value[~close] += wave * _chebyshev(series, 2 * _CLOSE * sum(alpha) / far - 1)
    return value


def _chebyshev(series: AnyArray, x: FloatArray) -> AnyArray:
    """Return the values of a Chebyshev series."""
    return np.asarray(np.cos(np.arccos(x)[:, None] * np.arange(series.size)) @ series)


def _interpolated(function: Callable[[FloatArray], AnyArray], size: int) -> AnyArray:
    """Return the Chebyshev series of a function on (-1, 1)."""
    angles = math.pi * (np.arange(size) + 0.5) / size
    onto = 2 / size * np.cos(np.arange(size)[:, None] * angles)
    onto[0] /= 2
    return np.asarray(onto @ function(np.cos(angles)))


@lru_cache(maxsize=_KEPT)
def _together(p: float, q: float, r: float) -> tuple[float, AnyArray]:
    """Return where the points come apart, or nothing is left, and the series up to there: one path round all three."""
    alpha, n = np.array([p, q, r]), p + q + r
    offsets, total = _offsets(alpha), alpha.sum()
    gone = _GONE / math.sqrt((alpha * offsets**2).sum() / (total * (total + 1)))
    left = -(alpha * np.log1p((offsets * gone / total) ** 2)).sum() / 2
    end = float(min(gone, _CLOSE * total) if left < 1.2 * _DEPTH else _CLOSE * total)

    def logs(moved: AnyArray, tau: FloatArray) -> AnyArray:
        total: AnyArray = n * log_and_excess(-moved)[1] + np.zeros((tau.size, 1))
        for a, offset in zip(alpha, offsets, strict=True):
            # the linear terms of the three logarithms add up to 0
            total += a * log_and_excess(1j * offset * tau[:, None] / (1 + moved))[1]
        return total

    most = float(np.abs(offsets).max() * end)
    bend = min(0.6, math.atan2(1.2, most / n) / 2)
    shape = (bend, bend / 6, 1.0) if n < _MANY else _bell(n)
    moved, along = _path(shape, lambda moved: logs(moved, np.array([0.0, end / n])))
    whole = np.exp(logs(moved, np.zeros(1))) @ along
    terms = 40 + math.ceil(most / 2) if n < _MANY else 96
    return end, _interpolated(lambda x: (np.exp(logs(moved, (1 + x) * (end / 2 / n))) @ along) / whole, terms)


@lru_cache(maxsize=_KEPT)
def _around(p: float, q: float, r: float, point: int) -> tuple[complex, AnyArray]:
    """Return what a path round one point gives: the logarithm of the constant, and the series in 1/t."""
    alpha = np.array([p, q, r])
    own, others, away = alpha[point], np.delete(alpha, point), np.delete(_PLACES, point) - _PLACES[point]
    size, closest = max(own, 1.0), _CLOSE * (p + q + r)
    turned = (others * (0.5j * math.pi * np.sign(away) - np.log(np.abs(away)))).sum()
    constant = complex(log_gamma_ratio(own, others.sum()) + turned)
    if constant.real - others.sum() * math.log(closest) < _NOTHING:
        return constant, np.zeros(1)

    def logs(moved: AnyArray, inverse: FloatArray) -> AnyArray:
        log, excess = log_and_excess(-moved)
        total: AnyArray = size * excess + (size - own) * log + np.zeros((inverse.size, 1))
        for a, distance in zip(others, away, strict=True):
            total -= a * log_and_excess((-1j * size / distance) * inverse[:, None] * (1 + moved))[0]
        return total

    shape = (0.7, 0.07, min(0.5, 3 / math.sqrt(size))) if size < _ALONE else _bell(size)
    moved, along = _path(shape, lambda moved: logs(moved, np.array([0.0, 1 / closest])))
    whole = np.exp(logs(moved, np.zeros(1))) @ along
    return constant, _interpolated(lambda x: (np.exp(logs(moved, (1 + x) / (2 * closest))) @ along) / whole, _APART)


def _bell(size: float) -> tuple[float, float, float]:
    """Return the angle, the step and the scale of a path across a bell."""
    return 0.2, 0.1, 3 / math.sqrt(size)


def _path(shape: tuple[float, float, float], logs: Callable[[AnyArray], AnyArray]) -> tuple[AnyArray, AnyArray]:
    """Return z / rho - 1 along a path of some angle, step and scale, as far as the integrand is alive, and its slope."""
    bend, step, scale = shape
    sine, cosine = scale * math.sin(bend), scale * math.cos(bend)

    def moved(u: FloatArray) -> AnyArray:
        return np.asarray(1j * cosine * np.sinh(u) - sine * (np.cosh(u) - 1))

    looks = np.arange(-8, 8, 0.1)
    alive = looks[(logs(moved(looks)).real > _DEPTH).any(0)]
    u = step * np.arange(math.floor(alive[0] / step) - 1, math.ceil(alive[-1] / step) + 2)
    return moved(u), 1j * cosine * np.cosh(u) - sine * np.sinh(u)
