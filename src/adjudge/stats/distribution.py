"""What every distribution of one number offers, whatever it is made of: `Distribution`, and `Engine` for rows of sums."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.stats.numerics import brentq

_STARTS = 65
# shares of the tails that keep a search off the ends of the support, where a density may be infinite, or taken as 0
_EDGES = (1e-6, 1e-4, 1e-2)


Kind = Literal["central", "hpd"]


class Distribution(ABC):
    """A continuous distribution on a bounded interval. Numbers in, a float out; arrays in, an array out."""

    __slots__ = ()

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """The ends of the interval that can hold the number."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean."""

    @property
    @abstractmethod
    def var(self) -> float:
        """The variance."""

    @property
    @abstractmethod
    def mode(self) -> float:
        """The most probable value, or the reason why there is none."""

    @property
    def median(self) -> float:
        """The value as likely exceeded as not."""
        return float(self.ppf(0.5))

    def pdf(self, x: npt.ArrayLike) -> Any:
        """Return the density."""
        return _shaped(self._pdf, self._within_reach(x))

    def cdf(self, x: npt.ArrayLike) -> Any:
        """Return the probability of at most x, small ones to their last digits."""
        return _shaped(self._tail, self._within_reach(x), upper=False)

    def sf(self, x: npt.ArrayLike) -> Any:
        """Return the probability of more than x, small ones to their last digits."""
        return _shaped(self._tail, self._within_reach(x), upper=True)

    def logcdf(self, x: npt.ArrayLike) -> Any:
        """Return the logarithm of `cdf`, also where that is too small for a float."""
        return _shaped(self._log_tail, self._within_reach(x), upper=False)

    def logsf(self, x: npt.ArrayLike) -> Any:
        """Return the logarithm of `sf`, also where that is too small for a float."""
        return _shaped(self._log_tail, self._within_reach(x), upper=True)

    def ppf(self, q: npt.ArrayLike) -> Any:
        """Return the value that is not exceeded with probability q."""
        return _shaped(self._quantile, _probabilities(q), upper=False)

    def isf(self, q: npt.ArrayLike) -> Any:
        """Return the value that is exceeded with probability q."""
        return _shaped(self._quantile, _probabilities(q), upper=True)

    def interval(self, level: float = 0.95, kind: Kind = "central") -> tuple[float, float]:
        """Return limits that hold the number with probability `level`: equal tails, or the shortest ("hpd")."""
        if not 0 < level < 1:
            msg = f"level must lie strictly between 0 and 1, got {level}. For 95 percent write 0.95."
            raise InputError(msg)
        if kind == "central":
            low, high = self._central(np.array([(1 - level) / 2]))
            return float(low[0]), float(high[0])
        if kind == "hpd":
            return shortest(self, level)
        msg = f'kind must be "central" or "hpd", got {kind!r}.'
        raise InputError(msg)

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""

    def _within_reach(self, x: npt.ArrayLike) -> FloatArray:
        """Return points no further than 1 outside the support: beyond that nothing changes, and infinity has no offset."""
        low, high = self.support
        return np.clip(np.asarray(x, dtype=np.float64), low - 1, high + 1)

    def _central(self, tail: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self._quantile(tail, upper=False), self._quantile(tail, upper=True)

    @abstractmethod
    def _pdf(self, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return P(X > x), or P(X <= x)."""

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self._tail(x, upper=upper))

    @abstractmethod
    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        """Return the points with probability q above (or below) them."""


def shortest(distribution: Distribution, level: float) -> tuple[float, float]:
    """Return the shortest interval that holds `level`: its ends have equal density, or one is an end of the support."""
    spare = 1 - level
    below = spare * np.linspace(0, 1, _STARTS)
    width = distribution.isf(spare - below) - distribution.ppf(below)
    if np.ptp(width) <= 1e-9 * width[0]:
        return distribution.interval(level)
    best = int(width.argmin())
    ends = below[max(best - 1, 0)], below[min(best + 1, _STARTS - 1)]
    (low, high), (start, stop) = distribution.support, ends
    for edge in _EDGES:  # until both limits differ from the ends of the support as floats
        start, stop = (min(max(tail, edge * spare), (1 - edge) * spare) for tail in ends)
        if distribution.ppf(start) > low and distribution.isf(spare - stop) < high:
            break

    def excess(tail: float) -> float:
        return float(distribution.pdf(distribution.ppf(tail)) - distribution.pdf(distribution.isf(spare - tail)))

    if excess(start) < 0 < excess(stop):
        tail = brentq(excess, start, stop, xtol=1e-12 * spare, rtol=1e-14)
    else:  # one end is an end of the support, or densities are infinite at both
        tail = min(ends, key=lambda at: float(distribution.isf(spare - at) - distribution.ppf(at)))
    return float(distribution.ppf(tail)), float(distribution.isf(spare - tail))


class SymmetricDistribution(Distribution):
    """A symmetric distribution on the whole line: limits of equal tails are also the shortest."""

    __slots__ = ()
    support = (-math.inf, math.inf)

    def interval(self, level: float = 0.95, kind: Kind = "central") -> tuple[float, float]:
        """Return limits that hold the number with probability `level`, however they are asked for."""
        return super().interval(level, "central" if kind == "hpd" else kind)


def _shaped(function: Callable[..., FloatArray], points: FloatArray, **side: bool) -> Any:
    unknown = np.isnan(points)
    values = function(np.where(unknown, 0.5, points).ravel(), **side).reshape(points.shape)
    values = np.where(unknown, np.nan, values) if unknown.any() else values
    return values if points.ndim else float(values)


def _probabilities(q: npt.ArrayLike) -> FloatArray:
    q = np.asarray(q, dtype=np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        msg = f"probabilities must lie between 0 and 1, got {q.min()} to {q.max()}."
        raise InputError(msg)
    return q


@dataclass(frozen=True, slots=True, eq=False)
class Engine(ABC):
    """Distributions of sums, one for each row, in offsets from the sum of the centres; points are (rows, points)."""

    marks: FloatArray
    """Where each distribution may be rough, and its two ends: (rows, marks)."""

    @property
    def low(self) -> FloatArray:
        """Where each distribution begins."""
        return self.marks[:, 0]

    @property
    def high(self) -> FloatArray:
        """Where each distribution ends."""
        return self.marks[:, -1]

    @property
    @abstractmethod
    def flaw(self) -> FloatArray:
        """By how much the mass of each distribution is not 1."""

    @abstractmethod
    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""

    @abstractmethod
    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""

    def both(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return `sf` and `pdf`."""
        return self.sf(x), self.pdf(x)

    def coarse(self) -> Engine:
        """Return a cheaper form of the same distribution to start a search from, where there is one."""
        return self
