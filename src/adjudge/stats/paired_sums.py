r"""Weighted sums of paired differences, one for each class, from their characteristic functions.

With :math:`\Phi(t) = \prod_k E\,e^{i t w_k (D_k - E D_k)}`, offsets from the mean have :math:`P(X > x) = \frac12 + \frac1\pi
\int_0^\infty \Im\bigl(\Phi(t)\, e^{-itx}\bigr) \frac{dt}{t}` (Gil-Pelaez 1951, Biometrika 38:481-482), by Legendre series on
panels that grow with t, each integrated against the wave exactly (Bakhvalov and Vasil'eva 1968, USSR Comput. Math. Math. Phys.
8:241-249).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.stats.fourier import Panels
from adjudge.stats.numerics import interpolation
from adjudge.stats.offsets import log_gamma_ratio
from adjudge.stats.paired_tail import log_and_excess

_FIRST, _GROWTH = 1.2, 2.25  # the end of the first panel, in units of 1 / sd, and how much longer each next one is
_DEAD = 3e-14  # what is left of the characteristic function where the panels end
_LEFT_OUT = 3e-12  # what a panel may miss of any probability
# growing panels end here, and are split no further than that: for the sake of the density, and of the mass
_LONGEST, _MOST, _MOST_OF_ALL = 100, 256, 2048
# standard deviations beyond which nothing is left that could be seen, and within which the mode is searched. The first panel,
# where 1 / t has no series, must be a slow wave up to there: `_FAR` * `_FIRST` / 2 < `_SLOW`
_FAR, _WIDE = 39.0, 6.0


Characteristic = Callable[[FloatArray], AnyArray]
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


def variance(alpha: FloatArray) -> float:
    """Return the variance of one difference with parameters p, q and r."""
    p, q, _ = alpha
    n = alpha.sum()
    return float((p * (1 - p / n) + q * (1 - q / n) + 2 * (p / n) * q) / (n * (n + 1)))


def engine(alphas: FloatArray, weights: FloatArray) -> Panels:
    """Return the distribution of the sum, its marks where a search for the mode begins and ends; rows of p, q and r."""
    sd = math.sqrt(sum(weight**2 * variance(alpha) for alpha, weight in zip(alphas, weights, strict=True)))
    whole = float(weights.sum())
    mean = float(weights @ ((alphas[:, 0] - alphas[:, 1]) / alphas.sum(1)))
    low, high = max(-_WIDE * sd, -whole - mean), min(_WIDE * sd, whole - mean)
    inside = [-mean] if low < -mean < high else []
    rows, times = np.unique(np.column_stack([alphas, weights]), axis=0, return_counts=True)  # equal classes computed once
    one = waves(rows[:, :3])

    def phi(t: FloatArray) -> AnyArray:
        return np.asarray((one(rows[:, 3:] * t) ** times[:, None]).prod(0))

    edges, values = _panels(phi, sd)
    missed = _last(values) * np.diff(edges)[:, 0] / edges[:, 1]
    # what panels that could be split no further, and all beyond the last one, may miss of a probability
    missing = float(missed[missed > _LEFT_OUT].sum() + np.abs(phi(edges.max(keepdims=True)[0])).max())
    half, middle = np.diff(edges)[:, 0] / 2, edges.mean(1)
    mass, density = interpolation().terms(half, middle, values)
    far = _FAR * sd
    return Panels(np.array([[low, *inside, high]]), (-far, far), half, middle, np.zeros(1), mass, density, missing)


def _panels(phi: Characteristic, sd: float) -> tuple[FloatArray, AnyArray]:
    """Return panels, (panels, 2), and the characteristic function at the Gauss nodes of each."""
    ends = [0.0, _FIRST / sd]
    while len(ends) < _LONGEST:  # growing until nothing is left; two looks, so that a zero in passing is not taken for the end
        looks = ends[-1] * np.array([1.0, _GROWTH**0.2])
        if (np.abs(phi(looks)) < _DEAD).all():
            break
        ends.append(ends[-1] * _GROWTH)
    edges = np.column_stack([ends[:-1], ends[1:]])
    values = phi(_nodes(edges).ravel()).reshape(len(edges), -1)
    while len(edges) < _MOST_OF_ALL:
        last = _last(values) * np.diff(edges)[:, 0]
        rough = last / edges[:, 1] > _LEFT_OUT
        if len(edges) < _MOST:  # what shows in the density, relative to its height
            rough |= last * sd > 100 * _LEFT_OUT
        if not rough.any():
            break
        cuts = edges[rough, :1] + np.diff(edges[rough]) * (np.arange(4) / 3)
        parts = np.stack([cuts[:, :-1], cuts[:, 1:]], axis=2).reshape(-1, 2)
        edges = np.concatenate([edges[~rough], parts])
        values = np.concatenate([values[~rough], phi(_nodes(parts).ravel()).reshape(len(parts), -1)])
    return edges, values


def _last(values: AnyArray) -> FloatArray:
    """Return the largest of the last coefficients of each panel: over its length, what it may miss."""
    return np.asarray(np.abs(values @ interpolation().series[-4:].T).max(1))


def _nodes(edges: FloatArray) -> FloatArray:
    return np.asarray(edges.mean(1)[:, None] + np.diff(edges) / 2 * interpolation().nodes)


def waves(alphas: FloatArray) -> Callable[[FloatArray], AnyArray]:
    """Return the function that gives E exp(it(D - E D)) of classes with parameters p, q and r at t > 0, (classes, t)."""
    # coefficients of powers of it, (powers, classes), and up to which t they keep their digits: those of
    # (1 - ax)^-p (1 - bx)^-q (1 - cx)^-r, with a, b and c the offsets, divided by n (n + 1) ...
    n, (a, b, c) = alphas.sum(1), _offsets(alphas).T
    first, second, third = a + b + c, a * b + a * c + b * c, a * b * c
    spread = (alphas * _offsets(alphas) ** 2).sum(1)
    series = [np.zeros(len(n)), np.ones(len(n)), np.zeros(len(n))]
    for k in range(1, _POWERS - 1):
        one, two, three = series[:-4:-1]
        higher = (spread - second * (k - 1)) * two + third * three
        series.append((first * k * one + higher / (n + k - 1)) / ((k + 1) * (n + k)))
    sizes = np.abs(series[2:])
    orders = np.arange(1, len(sizes) + 1)[:, None]
    most = np.where(orders > len(sizes) - 6, 1e-17, 30.0)  # no term outgrows the sum by far, and the last ones are nothing
    powers, radius = np.array(series[1:]), ((most / np.maximum(sizes, 1e-300)) ** (1 / orders)).min(0)

    def value(t: FloatArray) -> AnyArray:
        near = 1j * np.minimum(t, radius[:, None])
        wave = np.zeros(t.shape, dtype=complex)
        for power in powers[::-1]:
            wave = wave * near + power[:, None]
        for row in np.flatnonzero(t.max(1) > radius):
            far = t[row] > radius[row]
            wave[row, far] = _wave(tuple(alphas[row].tolist()), t[row, far])
        return wave

    return value


def _offsets(alphas: FloatArray) -> FloatArray:
    """Return the three points as distances from the mean, none lost to rounding."""
    p, q, r = np.moveaxis(alphas, -1, 0)
    return np.asarray(np.stack([2 * q + r, -(2 * p + r), q - p], axis=-1) / (p + q + r)[..., None])


def _wave(alpha: tuple[float, float, float], t: FloatArray) -> AnyArray:
    """Return the characteristic function of one class from its series."""
    from numpy.polynomial.chebyshev import chebval

    end, series = _together(*alpha)
    value = np.zeros(t.shape, dtype=complex)
    close = t <= end
    if close.any():
        value[close] = chebval(2 * t[close] / end - 1, series)
    if end >= _CLOSE * sum(alpha) and not close.all():  # what each point adds: a wave, a power of t, and a series in 1/t
        far = t[~close]
        for point, offset in enumerate(_offsets(np.array(alpha))):
            constant, series = _around(*alpha, point)
            power = sum(alpha[:point] + alpha[point + 1 :])
            wave = np.exp(constant - power * np.log(far) + 1j * offset * far)
            value[~close] += wave * chebval(2 * _CLOSE * sum(alpha) / far - 1, series)
    return value


@lru_cache(maxsize=_KEPT)
def _together(p: float, q: float, r: float) -> tuple[float, AnyArray]:
    """Return where the points come apart, or nothing is left, and the series up to there: one path round all three."""
    from numpy.polynomial.chebyshev import chebinterpolate

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
    return end, chebinterpolate(lambda x: (np.exp(logs(moved, (1 + x) * (end / 2 / n))) @ along) / whole, terms - 1)


@lru_cache(maxsize=_KEPT)
def _around(p: float, q: float, r: float, point: int) -> tuple[complex, AnyArray]:
    """Return what a path round one point gives: the logarithm of the constant, and the series in 1/t."""
    from numpy.polynomial.chebyshev import chebinterpolate

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
    return constant, chebinterpolate(lambda x: (np.exp(logs(moved, (1 + x) / (2 * closest))) @ along) / whole, _APART - 1)


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
