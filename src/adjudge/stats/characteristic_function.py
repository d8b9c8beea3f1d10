r"""The characteristic function of one paired difference, D, about its mean.

The shares of the outcomes are Gammas divided by their sum, which is independent of them; so with n = p + q + r

.. math:: E\,e^{itD} = \frac{\Gamma(n)}{2\pi i} \int e^z (z - it)^{-p} (z + it)^{-q} z^{-r} dz ,

a path round all three points while they are close together, round each of them once they are apart. Equal steps along
:math:`z = \rho\,(1 + a\,(i \cos\beta \sinh u - \sin\beta\,(\cosh u - 1)))` are spectrally accurate. Each class is
integrated once and kept as Chebyshev series; while t is so small that a power series does, not even that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.stats.offsets import stirling_error
from adjudge.stats.paired_tail import log_and_excess

_POWERS = 64
"""Terms of the power series."""

_CLOSE = 2.0
"""Up to this many times n the three points are taken together."""

_GONE = 14.0
"""After this many times 1 / sd a class with many cases of two kinds has nothing left."""

_MANY, _ALONE = 30.0, 100.0
"""From so many cases the integrand is a bell, narrow beside the distances of the points: round all, or round one of them."""

_DEPTH = -38.0
"""Log of the share of the integrand that is given up at the ends of a path."""

_APART = 32
"""Terms of the series in 1/t, once the points are apart."""

_NOTHING = -36.0
"""Log of what a point adds when it need not be asked at all."""

_PLACES = np.array([1.0, -1.0, 0.0])
_KEPT = 1024
"""Classes whose series are kept: those of a ranking meet again."""


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
    """Return the coefficients of powers of it, (powers, classes), and up to which t they keep their digits.

    They are those of (1 - ax)^-p (1 - bx)^-q (1 - cx)^-r, with a, b and c the offsets, divided by n (n + 1) ...
    """
    n, (a, b, c) = alphas.sum(1), _offsets(alphas).T
    first, second, third = a + b + c, a * b + a * c + b * c, a * b * c
    spread = (alphas * _offsets(alphas) ** 2).sum(1)
    found = [np.zeros(len(n)), np.ones(len(n)), np.zeros(len(n))]
    for k in range(1, _POWERS - 1):
        one, two, three = found[:-4:-1]
        higher = (spread - second * (k - 1)) * two + third * three
        found.append((first * k * one + higher / (n + k - 1)) / ((k + 1) * (n + k)))
    return np.array(found[1:]), _radius(np.abs(found[2:]))


def _radius(sizes: FloatArray) -> FloatArray:
    """Return up to which t no term outgrows the sum by far and the last ones are nothing."""
    k = np.arange(1, len(sizes) + 1)[:, None]
    most = np.where(k > len(sizes) - 6, 1e-17, 30.0)
    return np.asarray(((most / np.maximum(sizes, 1e-300)) ** (1 / k)).min(0))


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
    if end >= _CLOSE * sum(alpha) and not close.all():
        value[~close] = _apart(alpha, t[~close])
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
    offsets, end = _offsets(alpha), _end(alpha)

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


def _end(alpha: FloatArray) -> float:
    """Return where the points come apart, or, if that is sooner, where nothing is left of so many cases."""
    n, offsets = alpha.sum(), _offsets(alpha)
    end = _GONE / math.sqrt((alpha * offsets**2).sum() / (n * (n + 1)))
    left = -(alpha * np.log1p((offsets * end / n) ** 2)).sum() / 2
    return float(min(end, _CLOSE * n) if left < 1.2 * _DEPTH else _CLOSE * n)


def _apart(alpha: tuple[float, float, float], t: FloatArray) -> AnyArray:
    """Return the sum of what each point adds: a wave, a power of t, and a series in 1/t."""
    x = 2 * _CLOSE * sum(alpha) / t - 1
    total = np.zeros(t.shape, dtype=complex)
    for point, offset in enumerate(_offsets(np.array(alpha))):
        constant, series = _around(*alpha, point)
        power = sum(alpha[:point] + alpha[point + 1 :])
        total += np.exp(constant - power * np.log(t) + 1j * offset * t) * _chebyshev(series, x)
    return total


@lru_cache(maxsize=_KEPT)
def _around(p: float, q: float, r: float, point: int) -> tuple[complex, AnyArray]:
    """Return what a path round one point gives: the logarithm of the constant, and the series in 1/t."""
    alpha = np.array([p, q, r])
    own, others, away = alpha[point], np.delete(alpha, point), np.delete(_PLACES, point) - _PLACES[point]
    size, closest = max(own, 1.0), _CLOSE * (p + q + r)
    turned = (others * (0.5j * math.pi * np.sign(away) - np.log(np.abs(away)))).sum()
    constant = complex(_log_gamma_ratio(own, others.sum()) + turned)
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


def _log_gamma_ratio(a: float, more: float) -> float:
    """Return log Gamma(a + more) - log Gamma(a), exact however large `a` is."""
    errors = stirling_error(np.array([a + more, a]))
    return float(more * math.log(a + more) + ((a - 0.5) * math.log1p(more / a) - more) + (errors[0] - errors[1]))


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
