"""Laws without a formula of their own: the image of a law under a rising map, and the law of draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge.stats.law import Law

_NODES = 256
_KERNELS = 2000


@dataclass(frozen=True, slots=True)
class Image(Law):
    """The law of g(X) for X in [0, 1] and a rising g with known inverse: quantiles carry over, moments are integrated."""

    law: Law
    forth: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    """The derivative of `back`."""

    @property
    def support(self) -> tuple[float, float]:
        """The images of the ends."""
        low, high = self.forth(np.array(self.law.support))
        return float(low), float(high)

    @property
    def mean(self) -> float:
        """The mean."""
        return self._expect(lambda y: y)

    @property
    def var(self) -> float:
        """The variance."""
        centre = self.mean
        return self._expect(lambda y: (y - centre) ** 2)

    @property
    def mode(self) -> float:
        """The most probable value, by a search of the density between far quantiles."""
        from scipy.optimize import minimize_scalar

        bounds = (float(self.ppf(1e-9)), float(self.isf(1e-9)))
        found = minimize_scalar(lambda y: -self.pdf(y), bounds=bounds, method="bounded", options={"xatol": 1e-12})
        return float(found.x)

    def _expect(self, of: Callable[[FloatArray], FloatArray]) -> float:
        """Integrate over the angle t of x = sin(t)^2, in which a density like x^(-1/2) has no peak left."""
        low, high = (float(np.arcsin(np.sqrt(v))) for v in self.law.interval(1 - 1e-15))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        angle = (low + high) / 2 + (high - low) / 2 * nodes
        x = np.sin(angle) ** 2
        each = weights * self.law.pdf(x) * np.sin(2 * angle)
        return float((each * of(self.forth(x))).sum() / each.sum())

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.law.pdf(self.back(x)) * self.slope(x))

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.law.cdf(self.back(x)))

    def _sf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.law.sf(self.back(x)))

    def _logcdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.law.logcdf(self.back(x)))

    def _logsf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.law.logsf(self.back(x)))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self.forth(self.law.ppf(q))

    def _isf(self, q: FloatArray) -> FloatArray:
        return self.forth(self.law.isf(q))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return self.forth(self.law.sample(n, rng))


class Drawn(Law):
    """The law of draws, where no formula is known: sorted, with everything read off them."""

    __slots__ = ("draws",)

    draws: FloatArray

    def __init__(self, draws: FloatArray) -> None:
        self.draws = frozen(np.sort(draws[np.isfinite(draws)]))

    @property
    def support(self) -> tuple[float, float]:
        """The least and the greatest draw."""
        return float(self.draws[0]), float(self.draws[-1])

    @property
    def mean(self) -> float:
        """The mean of the draws."""
        return float(self.draws.mean())

    @property
    def var(self) -> float:
        """The variance of the draws."""
        return float(self.draws.var(ddof=1))

    @property
    def mode(self) -> float:
        """The middle of the shortest interval that holds half of the draws, again and again (half-sample mode)."""
        part = self.draws
        while part.size > 2:  # noqa: PLR2004 - two draws have one middle
            half = (part.size + 1) // 2
            start = int(np.argmin(part[half - 1 :] - part[: part.size - half + 1]))
            part = part[start : start + half]
        return float(part.mean())

    def _pdf(self, x: FloatArray) -> FloatArray:
        """Return a density by normal kernels of Silverman's width."""
        quarters = np.quantile(self.draws, [0.25, 0.75])
        spread = min(float(self.draws.std(ddof=1)), float(quarters[1] - quarters[0]) / 1.34)
        width = 0.9 * spread * self.draws.size**-0.2 or 1e-12
        thin = self.draws[:: max(1, self.draws.size // _KERNELS)]
        z = (x[..., None] - thin) / width
        return np.asarray(np.exp(-z * z / 2).mean(axis=-1) / (width * np.sqrt(2 * np.pi)))

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.searchsorted(self.draws, x, side="right") / self.draws.size)

    def _sf(self, x: FloatArray) -> FloatArray:
        return np.asarray((self.draws.size - np.searchsorted(self.draws, x, side="right")) / self.draws.size)

    def _logcdf(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self._cdf(x))

    def _logsf(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self._sf(x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.quantile(self.draws, q))

    def _isf(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.quantile(self.draws, 1 - q))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` draws, drawn from the draws."""
        return np.asarray(rng.choice(self.draws, n))
