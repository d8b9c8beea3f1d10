"""What every distribution of one number offers (`Distribution`; `Engine` for rows of sums), and that of one rate: a Beta."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from adjudge._base import InputError, Undefined, dataclass, parameter
from adjudge._base.arrays import FloatArray
from adjudge.stats import special
from adjudge.stats.binomial import beta_quantile
from adjudge.stats.numerics import brentq, rule
from adjudge.stats.offsets import NEAR, excess_from, log_ratio, rates

_STARTS = 65
# shares of the tails that keep a search off the ends of the support, where a density may be infinite, or taken as 0
_EDGES = (1e-6, 1e-4, 1e-2)


Kind = Literal["central", "hpd"]
_DEEP = 1e-280  # below this the incomplete beta function nears underflow and the tail is integrated in logs
_VISIBLE = 45.0
_LARGE = 1e5  # parameters from which on quantiles are worth a second look
_HALF = 0.5


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
        """Return the interval that holds the number with probability `level`: equal tails, or the shortest ("hpd")."""
        tail = equal_tail(level)
        if kind == "central":
            low, high = self._central(np.array([tail]))
            return float(low[0]), float(high[0])
        if kind == "hpd":
            return shortest(self, level)
        raise InputError(parameter("kind"), f' must be "central" or "hpd", got {kind!r}.')

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


def equal_tail(level: float) -> float:
    """Return what an interval of equal tails leaves on either side."""
    if not 0 < level < 1:
        raise InputError(parameter("level"), f" must lie strictly between 0 and 1, got {level}. For 95 percent write 0.95.")
    return (1 - level) / 2


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

    @property
    def mode(self) -> float:
        """The median, which is in the middle."""
        return self.median

    def interval(self, level: float = 0.95, kind: Kind = "central") -> tuple[float, float]:
        """Return the interval that holds the number with probability `level`, however they are asked for."""
        return super().interval(level, "central" if kind == "hpd" else kind)


class CarriedDistribution(Distribution):
    """The distribution of a rising function of a number with a known one: quantiles and draws go forth, points back."""

    __slots__ = ()
    distribution: Distribution

    @property
    def support(self) -> tuple[float, float]:
        """The images of the ends."""
        low, high = self._forth(np.array(self.distribution.support))
        return float(low), float(high)

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return self._forth(self.distribution.sample(n, rng))

    @abstractmethod
    def _forth(self, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _back(self, y: FloatArray) -> FloatArray: ...

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray((self.distribution.sf if upper else self.distribution.cdf)(self._back(x)))

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray((self.distribution.logsf if upper else self.distribution.logcdf)(self._back(x)))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return self._forth((self.distribution.isf if upper else self.distribution.ppf)(q))


def _shaped(function: Callable[..., FloatArray], points: FloatArray, **side: bool) -> Any:
    unknown = np.isnan(points)
    values = function(np.where(unknown, 0.5, points).ravel(), **side).reshape(points.shape)
    values = np.where(unknown, np.nan, values) if unknown.any() else values
    return values if points.ndim else float(values)


def _probabilities(q: npt.ArrayLike) -> FloatArray:
    q = np.asarray(q, dtype=np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        raise InputError(parameter("probabilities"), f" must lie between 0 and 1, got {q.min()} to {q.max()}.")
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


@dataclass(frozen=True, slots=True)
class BetaDistribution(Distribution):
    """The distribution of a rate with density proportional to :math:`y^{a-1} (1-y)^{b-1}`."""

    a: float
    b: float
    support: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not (0 < self.a < math.inf and 0 < self.b < math.inf):
            msg = f" must be positive and finite, got {self.a} and {self.b}. Counts need a prior: add 1 or 1/2 to each."
            raise InputError(parameter("a"), " and ", parameter("b"), msg)

    @property
    def mirrored(self) -> BetaDistribution:
        """The distribution of the opposite rate: ask it for small errors, since 1 - x has lost their digits."""
        return BetaDistribution(self.b, self.a)

    @property
    def mean(self) -> float:
        """The mean, a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def var(self) -> float:
        """The variance, a b / ((a + b)^2 (a + b + 1))."""
        n = self.a + self.b
        return (self.a / n) * (self.b / n) / (n + 1)

    @property
    def mode(self) -> float:
        """The peak of the density; at an end where it rises to that end."""
        a, b = self.a, self.b
        if a > 1 and b > 1:
            return (a - 1) / (a + b - 2)
        if a == b:
            return Undefined("every rate is equally probable" if a == 1 else "the density rises to both ends alike")
        return 1.0 if a > b else 0.0

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return rng.beta(self.a, self.b, n)

    def _pdf(self, x: FloatArray) -> FloatArray:
        inside = (x >= 0) & (x <= 1)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            value = np.exp(log_density(self.a, self.b, np.where(inside, x, 0.5), np.where(inside, 1 - x, 0.5)))
        return np.where(inside, value, 0.0)

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray((special.betaincc if upper else special.betainc)(self.a, self.b, np.clip(x, 0, 1)))

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return log p, from the opposite tail where p is near 1 and in logs where p is near underflow."""
        x = np.clip(x, 0, 1)
        p, other = self._tail(x, upper=upper), self._tail(x, upper=not upper)
        with np.errstate(divide="ignore"):
            value = np.where(p < _HALF, np.log(p), np.log1p(-other))
        deep = p < _DEEP
        if deep.any():
            at, rest = x[deep], 1 - x[deep]
            value[deep] = log_lower_tail(self.b, self.a, rest, at) if upper else log_lower_tail(self.a, self.b, at, rest)
        return value

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        quantiles = np.array((special.betainccinv if upper else special.betaincinv)(self.a, self.b, q))
        if max(self.a, self.b) >= _LARGE:  # SciPy's are off by 1e-8 and more where counts are near 1e9
            inside = (q > 0) & (q < 1)
            quantiles[inside] = [beta_quantile(self.a, self.b, float(tail), upper=upper) for tail in q[inside]]
        return quantiles


@dataclass(frozen=True, slots=True)
class MovedBeta(CarriedDistribution):
    """The distribution of `shift` + `scale` A, scale > 0: of a sum in which only one class has weight."""

    distribution: BetaDistribution
    scale: float
    shift: float = 0.0

    @property
    def mean(self) -> float:
        """The mean."""
        return self.shift + self.scale * self.distribution.mean

    @property
    def var(self) -> float:
        """The variance."""
        return self.scale**2 * self.distribution.var

    @property
    def mode(self) -> float:
        """The peak of the density, or the reason why there is none."""
        mode = self.distribution.mode
        return mode if isinstance(mode, Undefined) else self.shift + self.scale * mode

    def _forth(self, x: FloatArray) -> FloatArray:
        return self.shift + self.scale * np.asarray(x)

    def _back(self, y: FloatArray) -> FloatArray:
        return (y - self.shift) / self.scale

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.distribution.pdf(self._back(x))) / self.scale


def log_lower_tail(a: float, b: float, x: FloatArray, rest: FloatArray) -> FloatArray:
    r"""Return log P(A <= x) far below the mean, where x + `rest` = 1 and the smaller of the two is exact.

    .. math:: P(A \le x) = f(x)\, x \int_0^1 (1-g)^{a-1} \Bigl(1 + \frac{x g}{1-x}\Bigr)^{b-1} dg
    """
    s, down, weight = rule(min(a, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        fall = a - 1 - (b - 1) * (x / rest)
        part = np.where(fall > _VISIBLE, _VISIBLE / np.maximum(fall, 1.0), 1.0)[:, None]
        height = (b - 1) * np.log1p((x / rest)[:, None] * part * s)
        if a != 1:  # 0 times the logarithm of 0, at the far end, is no number
            height = height + (a - 1) * np.log1p(-part * s)
        if a < 1:
            height = np.where(part < 1, height, (a - 1) * np.log(down) + (b - 1) * np.log1p((x / rest)[:, None] * s))
        inner = (np.exp(height) * (part * weight)).sum(1)
        return np.where(x > 0, log_density(a, b, x, rest) + np.log(x) + np.log(inner), -np.inf)


def log_density(a: float, b: float, y: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the log density at y, where y + `rest` = 1: measured from the mean, as `offsets` explains."""
    one = rates(np.array([[a]]), np.array([[b]]), np.ones((1, 1)))
    centre, remainder = one.centre[0], one.rest[0]
    return np.asarray(one.peak[0, 0] + _side(a, y, centre) + _side(b, rest, remainder))


def _side(a: float, y: FloatArray, centre: FloatArray) -> FloatArray:
    """Return log of (y/m)^(a-1) e^(-a t), t = y/m - 1: its linear part cancels against the other side."""
    t = (y - centre) / centre
    ratio = log_ratio(t, y, centre + 0 * y)
    if a == 1:
        return -t
    return np.where(np.abs(t) < NEAR, -a * excess_from(t, ratio) - ratio, (a - 1) * ratio - a * t)
