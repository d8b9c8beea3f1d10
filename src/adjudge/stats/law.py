"""What every law of one number can be asked, whatever it is made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.stats.root import brentq

Kind = Literal["central", "hpd"]

_STARTS = 65

_EDGES = (1e-6, 1e-4, 1e-2)
"""Shares of the tails that keep a search off the ends of the support, where a density may be infinite, or taken as 0."""


class Law(ABC):
    """A continuous law on a bounded interval. Numbers in, a float out; arrays in, an array out."""

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
        return _shaped(self._cdf, self._within_reach(x))

    def sf(self, x: npt.ArrayLike) -> Any:
        """Return the probability of more than x, small ones to their last digits."""
        return _shaped(self._sf, self._within_reach(x))

    def logcdf(self, x: npt.ArrayLike) -> Any:
        """Return the logarithm of `cdf`, also where that is too small for a float."""
        return _shaped(self._logcdf, self._within_reach(x))

    def logsf(self, x: npt.ArrayLike) -> Any:
        """Return the logarithm of `sf`, also where that is too small for a float."""
        return _shaped(self._logsf, self._within_reach(x))

    def _within_reach(self, x: npt.ArrayLike) -> FloatArray:
        """Return points no further than 1 outside the support: beyond that nothing changes, and infinity has no offset."""
        low, high = self.support
        return np.clip(np.asarray(x, dtype=np.float64), low - 1, high + 1)

    def ppf(self, q: npt.ArrayLike) -> Any:
        """Return the value that is not exceeded with probability q."""
        return _shaped(self._ppf, _probabilities(q))

    def isf(self, q: npt.ArrayLike) -> Any:
        """Return the value that is exceeded with probability q."""
        return _shaped(self._isf, _probabilities(q))

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

    def _central(self, tail: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self._ppf(tail), self._isf(tail)

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""

    @abstractmethod
    def _pdf(self, x: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _cdf(self, x: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _sf(self, x: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _logcdf(self, x: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _logsf(self, x: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _ppf(self, q: FloatArray) -> FloatArray: ...
    @abstractmethod
    def _isf(self, q: FloatArray) -> FloatArray: ...


def shortest(law: Law, level: float) -> tuple[float, float]:
    """Return the shortest interval that holds `level` of the law.

    Its ends have equal density, or one of them is an end of the support. A law with two peaks has several such
    intervals, so a first pass looks for the shortest among many; a flat law gives the central one.
    """
    spare = 1 - level
    below = spare * np.linspace(0, 1, _STARTS)
    width = law.isf(spare - below) - law.ppf(below)
    if np.ptp(width) <= 1e-9 * width[0]:
        return law.interval(level)
    best = int(width.argmin())
    ends = below[max(best - 1, 0)], below[min(best + 1, _STARTS - 1)]
    start, stop = _inside(law, ends, spare)

    def excess(tail: float) -> float:
        return float(law.pdf(law.ppf(tail)) - law.pdf(law.isf(spare - tail)))

    if excess(start) < 0 < excess(stop):
        tail = brentq(excess, start, stop, xtol=1e-12 * spare, rtol=1e-14)
    else:  # one end is an end of the support, or densities are infinite at both
        tail = min(ends, key=lambda at: float(law.isf(spare - at) - law.ppf(at)))
    return float(law.ppf(tail)), float(law.isf(spare - tail))


def _inside(law: Law, ends: tuple[float, float], spare: float) -> tuple[float, float]:
    """Return the lower tails `ends`, moved until both limits differ from the ends of the support as floats."""
    low, high = law.support
    start, stop = ends
    for edge in _EDGES:
        start, stop = (min(max(tail, edge * spare), (1 - edge) * spare) for tail in ends)
        if law.ppf(start) > low and law.isf(spare - stop) < high:
            break
    return start, stop


class SymmetricLaw(Law):
    """A law on the whole line that is symmetric: limits of equal tails are also the shortest."""

    __slots__ = ()

    @property
    def support(self) -> tuple[float, float]:
        """The whole line."""
        return -math.inf, math.inf

    def interval(self, level: float = 0.95, kind: Kind = "central") -> tuple[float, float]:
        """Return limits that hold the number with probability `level`, however they are asked for."""
        return super().interval(level, "central" if kind == "hpd" else kind)


def _shaped(function: Callable[[FloatArray], FloatArray], x: npt.ArrayLike) -> Any:
    points = np.asarray(x, dtype=np.float64)
    unknown = np.isnan(points)
    values = function(np.where(unknown, 0.5, points).ravel()).reshape(points.shape)
    values = np.where(unknown, np.nan, values) if unknown.any() else values
    return values if points.ndim else float(values)


def _probabilities(q: npt.ArrayLike) -> FloatArray:
    q = np.asarray(q, dtype=np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        msg = f"probabilities must lie between 0 and 1, got {q.min()} to {q.max()}."
        raise InputError(msg)
    return q
