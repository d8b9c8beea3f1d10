"""The normal law, for differences of many cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.stats.law import SymmetricLaw


@dataclass(frozen=True, slots=True)
class NormalLaw(SymmetricLaw):
    """The normal law with mean `location` and standard deviation `scale`, on the whole line.

    >>> round(NormalLaw(0.1, 0.06).sf(0), 6)
    0.95221
    """

    location: float
    scale: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.location) and 0 < self.scale < math.inf):
            msg = f"location must be finite and scale positive and finite; got {self.location} and {self.scale}."
            raise InputError(msg)

    @property
    def mean(self) -> float:
        """The location."""
        return self.location

    @property
    def var(self) -> float:
        """The squared scale."""
        return self.scale**2

    @property
    def mode(self) -> float:
        """The location."""
        return self.location

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return np.asarray(rng.normal(self.location, self.scale, n))

    def _there(self, x: FloatArray) -> FloatArray:
        return np.asarray((x - self.location) / self.scale)

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-(self._there(x) ** 2) / 2) / (self.scale * math.sqrt(2 * math.pi)))

    def _cdf(self, x: FloatArray) -> FloatArray:
        from scipy.special import ndtr

        return np.asarray(ndtr(self._there(x)))

    def _sf(self, x: FloatArray) -> FloatArray:
        from scipy.special import ndtr

        return np.asarray(ndtr(-self._there(x)))

    def _logcdf(self, x: FloatArray) -> FloatArray:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(self._there(x)))

    def _logsf(self, x: FloatArray) -> FloatArray:
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(-self._there(x)))

    def _ppf(self, q: FloatArray) -> FloatArray:
        from scipy.special import ndtri

        return np.asarray(self.location + self.scale * ndtri(q))

    def _isf(self, q: FloatArray) -> FloatArray:
        from scipy.special import ndtri

        return np.asarray(self.location - self.scale * ndtri(q))
