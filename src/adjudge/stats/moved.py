"""One rate on another scale: what a sum is when only one class has weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.undefined import Undefined
from adjudge.stats.beta import BetaLaw
from adjudge.stats.law import Law


@dataclass(frozen=True, slots=True)
class MovedBeta(Law):
    """The law of `shift` + `scale` A, scale > 0."""

    rate: BetaLaw
    scale: float
    shift: float = 0.0

    @property
    def support(self) -> tuple[float, float]:
        """From the shift to the shift plus the scale."""
        return self.shift, self.shift + self.scale

    @property
    def mean(self) -> float:
        """The mean."""
        return self.shift + self.scale * self.rate.mean

    @property
    def var(self) -> float:
        """The variance."""
        return self.scale**2 * self.rate.var

    @property
    def mode(self) -> float:
        """The peak of the density, or the reason why there is none."""
        mode = self.rate.mode
        return mode if isinstance(mode, Undefined) else self.shift + self.scale * mode

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return self._back(self.rate.sample(n, rng))

    def _there(self, x: FloatArray) -> FloatArray:
        return (x - self.shift) / self.scale

    def _back(self, y: FloatArray) -> FloatArray:
        return self.shift + self.scale * y

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.pdf(self._there(x))) / self.scale

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.cdf(self._there(x)))

    def _sf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.sf(self._there(x)))

    def _logcdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.logcdf(self._there(x)))

    def _logsf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.logsf(self._there(x)))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self._back(np.asarray(self.rate.ppf(q)))

    def _isf(self, q: FloatArray) -> FloatArray:
        return self._back(np.asarray(self.rate.isf(q)))
