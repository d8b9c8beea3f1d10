"""Student's t distribution, the normal one among them, and means of scores over overlapping splits."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from adjudge._base import InputError, Undefined, dataclass, parameter
from adjudge._base.arrays import FloatArray
from adjudge.stats import special
from adjudge.stats.distribution import SymmetricDistribution, log_lower_tail

_DEEP = 1e-280  # below it a tail nears underflow and is worked out in logs
_RARE = 1e-100  # below it SciPy 1.17's quantile fails for few degrees of freedom
_FAR = 1e10
_HALF = 0.5
_TWO = 2


@dataclass(frozen=True, slots=True)
class StudentDistribution(SymmetricDistribution):
    """The distribution of `location` + `scale` T, T Student's t with `df` degrees of freedom (normal: infinitely many)."""

    location: float
    scale: float
    df: float = math.inf

    def __post_init__(self) -> None:
        if not (math.isfinite(self.location) and 0 < self.scale < math.inf and self.df > 0):
            came = f"location={self.location}, scale={self.scale}, df={self.df}"
            without = "Without a scale it is a PointDistribution."
            msg = f"location must be finite, scale positive and finite, df positive; got {came}. {without}"
            raise InputError(msg)

    @property
    def mirrored(self) -> StudentDistribution:
        """The distribution of the opposite number."""
        return StudentDistribution(-self.location, self.scale, self.df)

    @property
    def mean(self) -> float:
        """The location; tails as heavy as those of one degree of freedom have no mean."""
        return self.location if self.df > 1 else Undefined("one degree of freedom has too heavy tails for a mean")

    @property
    def var(self) -> float:
        """The variance, df / (df - 2) times the squared scale; infinite with two degrees of freedom."""
        if self.df <= 1:
            return Undefined("one degree of freedom has too heavy tails for a variance")
        return self.scale**2 / (1 - 2 / self.df) if self.df > _TWO else math.inf

    @property
    def median(self) -> float:
        """The location."""
        return self.location

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        drawn = rng.standard_normal(n) if math.isinf(self.df) else rng.standard_t(self.df, n)
        return np.asarray(self.location + self.scale * drawn)

    def _there(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return (x - self.location) / self.scale

    def _pdf(self, x: FloatArray) -> FloatArray:
        height, df = 1 / math.sqrt(2 * math.pi), self.df
        with np.errstate(over="ignore"):
            square = self._there(x) ** 2
        if math.isinf(df):
            return np.asarray(height / self.scale * np.exp(-square / 2))
        height *= float(special.poch(df / 2, _HALF)) / math.sqrt(df / 2)
        return np.asarray(height / self.scale * np.exp(-(df + 1) / 2 * np.log1p(square / df)))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return lower_tail(-self._there(x) if upper else self._there(x), self.df)

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return log_tail(-self._there(x) if upper else self._there(x), self.df)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        step = self.scale * quantile(q, self.df)
        return np.asarray(self.location - step if upper else self.location + step)


@dataclass(frozen=True, slots=True)
class PointDistribution(SymmetricDistribution):
    """A number known to be `at`: what Student's t becomes as its scale goes to 0."""

    at: float
    var: ClassVar[float] = 0.0

    @property
    def mirrored(self) -> PointDistribution:
        """The distribution of the opposite number."""
        return PointDistribution(-self.at)

    @property
    def mean(self) -> float:
        """The point."""
        return self.at

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002 - nothing is left to chance
        """Return the point `n` times."""
        return np.full(n, self.at)

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.where(x == self.at, np.inf, 0.0)

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return np.where((x < self.at) == upper, 1.0, 0.0)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:  # noqa: ARG002 - all are the point
        return np.full(q.shape, self.at)


def two_sided(t: float, df: float) -> float:
    """Return how probable a t at least this far from 0 is, on either side; undefined where t is."""
    return t if math.isnan(t) else 2 * float(lower_tail(np.array([-abs(t)]), df)[0])


def lower_tail(t: FloatArray, df: float) -> FloatArray:
    """Return P(T <= t), small ones to their last digits."""
    if math.isinf(df):
        return np.asarray(special.ndtr(t))
    if df == 1:  # SciPy 1.17 is off by 4e-9 near 0
        return np.asarray(np.arctan2(1.0, -t) / math.pi)
    return np.asarray(special.stdtr(df, t))


def log_tail(t: FloatArray, df: float) -> FloatArray:
    """Return log P(T <= t), also where that is too small for a float."""
    if math.isinf(df):
        return np.asarray(special.log_ndtr(t))
    p, other = lower_tail(t, df), lower_tail(-t, df)
    with np.errstate(divide="ignore"):
        logs = np.where(p < _HALF, np.log(p), np.log1p(-other))
    deep = p < _DEEP
    if deep.any():  # far out a power of the ratio, whose square may have no float
        ratio = -t[deep] / math.sqrt(df)
        near = np.minimum(ratio, _FAR) ** 2
        body = log_lower_tail(df / 2, _HALF, 1 / (1 + near), near / (1 + near))
        power = -df * np.log(ratio) - math.log(df / 2) - special.betaln(df / 2, _HALF)
        logs[deep] = np.where(ratio < _FAR, body, power) - math.log(_TWO)
    return logs


def quantile(q: FloatArray, df: float) -> FloatArray:
    """Return the t with P(T <= t) = q."""
    if math.isinf(df):
        return np.asarray(special.ndtri(q))
    with np.errstate(divide="ignore"):
        if df == 1:
            return np.where(q == 1, np.inf, -1 / np.tan(math.pi * q))
        rare = special.betaincinv(df / 2, _HALF, 2 * np.minimum(q, _RARE))
        quantiles = np.where(q < _RARE, -np.sqrt(df * (1 - rare) / rare), special.stdtrit(df, q))
    return np.where(q == 1, np.inf, quantiles)


def corrected_variance(values: FloatArray, *, test_share: float) -> float:
    r"""Return the variance of the mean of J correlated `values`, one per split that tests a share :math:`\rho` of its rows.

    :math:`(1 / J + \rho / (1 - \rho))\, s^2`; the second term is a heuristic. Nadeau and Bengio (2003), Mach. Learn. 52:239-281.
    """
    return float(inflation(values.size, test_share=test_share) * values.var(ddof=1))


def inflation(splits: int, *, test_share: float) -> float:
    """Return how many times the variance of one split's value the mean of all `splits` has; see `corrected_variance`."""
    if not 0 < test_share < 1:
        raise InputError(parameter("test_share"), f" must lie strictly between 0 and 1, got {test_share}. Ten folds test 0.1.")
    if splits < 2:  # noqa: PLR2004 - one value has no spread
        msg = f"The variance of a mean over splits needs at least two of them, got {splits}."
        raise InputError(msg)
    return 1 / splits + test_share / (1 - test_share)


def corrected_limits(values: FloatArray, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of the mean of correlated `values`: Student's t with J - 1 degrees of freedom."""
    return limits_around(*mean_and_spread(values), values.size, test_share=test_share, level=level)


def limits_around(mean: float, spread: float, splits: int, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the same from the mean and the standard deviation of the values of so many splits."""
    return t_limits(mean, spread * math.sqrt(inflation(splits, test_share=test_share)), splits - 1, level)


def t_limits(centre: float, error: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """Return the limits that Student's t leaves around a centre with this standard error: of the normal distribution too."""
    half = -float(quantile(np.array([(1 - level) / 2]), df)[0]) * error
    return centre - half, centre + half


def mean_and_spread(values: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation (divisor n - 1), however large or small the values; exactly 0 of equal ones."""
    numbers = values.tolist()
    low, high = min(numbers), max(numbers)
    if low == high:
        return low, 0.0
    unit = 2.0 ** (math.frexp(max(-low, high))[1] - 1)  # a power of 2 rounds nothing, and squares stay in range
    scaled = [number / unit for number in numbers]
    mean = math.fsum(scaled) / len(scaled)
    return mean * unit, math.sqrt(math.fsum((each - mean) ** 2 for each in scaled) / (len(scaled) - 1)) * unit


def correlated_distribution(values: FloatArray, *, test_share: float) -> StudentDistribution | PointDistribution:
    """Return the posterior of the mean that correlated `values` are scattered around: Student's t, J - 1 degrees of freedom.

    Corani and Benavoli (2015), Mach. Learn. 100:285-304.
    """
    factor = inflation(values.size, test_share=test_share)
    mean, spread = mean_and_spread(values)
    return StudentDistribution(mean, spread * math.sqrt(factor), values.size - 1) if spread else PointDistribution(mean)
