"""The distribution of one rate: a Beta, exact from priors below one to counts of 1e12, and far into its tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.binomial import beta_quantile
from adjudge.stats.distribution import Distribution
from adjudge.stats.numerics import rule
from adjudge.stats.offsets import NEAR, excess_from, log_ratio, rates

_DEEP = 1e-280  # below this the incomplete beta function nears underflow and the tail is integrated in logs
_VISIBLE = 45.0
_LARGE = 1e5  # parameters from which on quantiles are worth a second look
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class BetaDistribution(Distribution):
    """The distribution of a rate with density proportional to :math:`y^{a-1} (1-y)^{b-1}`."""

    a: float
    b: float
    support: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not (0 < self.a < math.inf and 0 < self.b < math.inf):
            msg = f"a and b must be positive and finite, got a={self.a}, b={self.b}. Counts need a prior: add 1 or 1/2 to each."
            raise InputError(msg)

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
        from scipy.special import betainc, betaincc

        return np.asarray((betaincc if upper else betainc)(self.a, self.b, np.clip(x, 0, 1)))

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
        from scipy.special import betainccinv, betaincinv

        found = np.array((betainccinv if upper else betaincinv)(self.a, self.b, q))
        if max(self.a, self.b) >= _LARGE:  # SciPy's are off by 1e-8 and more where counts are near 1e9
            inside = (q > 0) & (q < 1)
            found[inside] = [beta_quantile(self.a, self.b, float(tail), upper=upper) for tail in q[inside]]
        return found


@dataclass(frozen=True, slots=True)
class MovedBeta(Distribution):
    """The distribution of `shift` + `scale` A, scale > 0: of a sum in which only one class has weight."""

    rate: BetaDistribution
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
        return self.shift + self.scale * self.rate.sample(n, rng)

    def _rate_of(self, x: FloatArray) -> FloatArray:
        return (x - self.shift) / self.scale

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.rate.pdf(self._rate_of(x))) / self.scale

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray((self.rate.sf if upper else self.rate.cdf)(self._rate_of(x)))

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray((self.rate.logsf if upper else self.rate.logcdf)(self._rate_of(x)))

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return self.shift + self.scale * np.asarray((self.rate.isf if upper else self.rate.ppf)(q))


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
