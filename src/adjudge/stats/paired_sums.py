r"""Weighted sums of paired differences, one for each class, from their characteristic functions.

With :math:`\Phi(t) = \prod_k E\,e^{i t w_k (D_k - E D_k)}`, offsets from the mean have

.. math:: P(X > x) = \frac12 + \frac1\pi \int_0^\infty \Im\bigl(\Phi(t)\, e^{-itx}\bigr) \frac{dt}{t}

(Gil-Pelaez 1951, Biometrika 38:481-482). Away from 0, :math:`\Phi` falls like a power, with kinks in the density wherever
classes are at 0 or at an end; so it is interpolated by Legendre series on panels that grow with t, and each series is
integrated against the wave exactly (Bakhvalov and Vasil'eva 1968, USSR Comput. Math. Math. Phys. 8:241-249). Panels are
few whatever the counts are and however unlike the classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.stats.fourier import waves
from adjudge.stats.law import Engine

_TERMS = 24  # terms of the series on each panel
_FINE, _SLOW = 40, 24.0  # so many Gauss nodes integrate such a series against a wave of up to so many radians to either side
_FIRST, _GROWTH = 1.2, 2.25  # the end of the first panel, in units of 1 / sd, and how much longer each next one is
_DEAD = 3e-14  # what is left of the characteristic function where the panels end
_LEFT_OUT = 3e-12  # what a panel may miss of any probability
# growing panels end here, and are split no further than that: for the sake of the density, and of the mass
_LONGEST, _MOST, _MOST_OF_ALL = 100, 256, 2048
# standard deviations beyond which nothing is left that could be seen, and within which the mode is searched. The first panel,
# where 1 / t has no series, must be a slow wave up to there: `_FAR` * `_FIRST` / 2 < `_SLOW`
_FAR, _WIDE = 39.0, 6.0
_BLOCK = 1 << 15


Characteristic = Callable[[FloatArray], AnyArray]


def variance(alpha: FloatArray) -> float:
    """Return the variance of one difference with parameters p, q and r."""
    p, q, _ = alpha
    n = alpha.sum()
    return float((p * (1 - p / n) + q * (1 - q / n) + 2 * (p / n) * q) / (n * (n + 1)))


def engine(alphas: FloatArray, weights: FloatArray) -> Panels:
    """Return the distribution of the sum; `alphas` has rows of p, q and r."""
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
    half, middle, known = np.diff(edges)[:, 0] / 2, edges.mean(1), interpolation()
    t, fine_t = _nodes(edges), middle[:, None] + half[:, None] * known.fine
    fine = values @ known.onto_fine.T
    mass = Terms(fine / fine_t, values / t @ known.series.T)
    density = Terms(fine, values @ known.series.T)
    return Panels(np.array([[low, *inside, high]]), sd, half, middle, mass, density, missing)


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


@dataclass(frozen=True, slots=True)
class Interpolation:
    """What turns values at Gauss nodes into Legendre series, and into values at more nodes, weighted."""

    nodes: FloatArray
    series: FloatArray
    fine: FloatArray
    onto_fine: FloatArray


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
        value[slow] = np.einsum("pn,pn->p", np.exp(-1j * turn[at, panel, None] * interpolation().fine), self.fine[panel])
        series, fast = self.series[np.nonzero(~slow)[1]], turn[~slow]
        before, now = np.sin(fast) / fast, np.sin(fast) / fast**2 - np.cos(fast) / fast
        total: AnyArray = series[:, 0] * before
        for order in range(1, series.shape[1]):
            total += (-1j) ** order * series[:, order] * now
            before, now = now, (2 * order + 1) / fast * now - before
        value[~slow] = 2 * total
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Panels(Engine):
    """One row by its characteristic function; `low` and `high` are where a search for the mode begins and ends."""

    sd: float
    half: FloatArray
    middle: FloatArray
    mass: Terms
    density: Terms
    left_out: float

    @property
    def flaw(self) -> FloatArray:
        """By how much the probabilities at the far ends of the range are not 1 and 0, or what the panels may miss if more."""
        above = 0.5 + self._integrals(self.mass, np.array([[-_FAR * self.sd, _FAR * self.sd]])).imag / math.pi
        return np.maximum(np.maximum(np.abs(above[:, 0] - 1), np.abs(above[:, 1])), self.left_out)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        above = np.clip(0.5 + self._integrals(self.mass, x).imag / math.pi, 0.0, 1.0)
        return np.where(np.abs(x) < _FAR * self.sd, above, x < 0)

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        inside = np.abs(x) < _FAR * self.sd
        return np.where(inside, np.maximum(self._integrals(self.density, x).real / math.pi, 0.0), 0.0)

    def _integrals(self, terms: Terms, x: FloatArray) -> AnyArray:
        points = np.clip(x[0], -_FAR * self.sd, _FAR * self.sd)[:, None]
        parts = np.array_split(points, 1 + points.size * self.half.size * _FINE // _BLOCK)
        found = [(terms.against(part * self.half) * np.exp(-1j * part * self.middle)) @ self.half for part in parts]
        return np.concatenate(found)[None]
