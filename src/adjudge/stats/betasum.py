"""The distribution of a weighted sum of independent Beta rates, without simulation: balanced accuracy, cost-weighted accuracy.

Brodersen et al. (2010), ICPR, 3121-3124; their equation 7 is a convolution on a grid, here it is integrated.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adjudge._base import InputError, Undefined, dataclass, parameter
from adjudge._base.arrays import BoolArray, FloatArray, IntArray, frozen
from adjudge.stats.distribution import BetaDistribution, Distribution, Engine, MovedBeta, equal_tail
from adjudge.stats.engines import engine, engines, log_upper_tail, peak, solve
from adjudge.stats.fourier import Waves
from adjudge.stats.numerics import brentq
from adjudge.stats.offsets import Rates, double_double_centre, mirrored, offset_from, rates, two_sum

TAIL = 1e-3  # probabilities below this are worth the tilted integral that keeps their digits
ROUNDED = 1e-15  # probabilities as near one as this are one, to rounding
FAR = 1e-6  # quantiles of smaller probabilities are sought in logarithms
LEAST = 0.0625  # below this, more than rounding lies closer to an end than the smallest float
NEAR_END = 1e-7  # share of the range within which the distance from the end matters more than that from the centre
_ALIKE = 1e-10  # how far two ways to the same probability may be apart
_CLOSEST = -650.0  # log of the smallest gap from an end: its tilt is still a float


@dataclass(frozen=True, slots=True, eq=False)
class SumDistribution(Distribution):
    """The distribution of `shift` plus a weighted sum of two or more independent Beta rates. Made by `beta_sum`."""

    a: FloatArray
    b: FloatArray
    weights: FloatArray
    shift: float
    rates: Rates
    engine: Engine
    centre: tuple[float, float]

    @property
    def support(self) -> tuple[float, float]:
        """From the shift to the shift plus all weights."""
        return self.shift, self.shift + float(self.weights.sum())

    @property
    def mean(self) -> float:
        """The weighted sum of the means."""
        return self.centre[0] + self.centre[1]

    @property
    def var(self) -> float:
        """The sum of the variances, weights squared."""
        return float(_shape(self.a, self.b, self.weights)[0])

    @property
    def flaw(self) -> float:
        """To how much probabilities are good: by how much the mass is not 1, at most 1e-12 unless every way to it failed."""
        return float(self.engine.flaw.max())

    @property
    def mode(self) -> float:
        """The place of the greatest density, or the reason why there is none."""
        place = peak(self.engine.marks[0], self.engine.pdf)
        return place if isinstance(place, Undefined) else float(self._value(np.array(place)))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return np.asarray(self.shift + rng.beta(self.a, self.b, (n, self.a.size)) @ self.weights)

    def _value(self, offset: FloatArray) -> FloatArray:
        low, high = self.support
        return np.clip(self.centre[0] + (self.centre[1] + offset), low, high)

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.engine.pdf(offset_from(self.centre, x)[None])[0])

    def _plain(self, x: FloatArray, *, upper: bool) -> FloatArray:
        above = np.asarray(np.clip(self.engine.sf(offset_from(self.centre, x)[None])[0], 0.0, 1.0))
        return above if upper else 1 - above

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return p, with the small ones computed anew from their logarithms, those near one from the opposite tail."""
        p = self._plain(x, upper=upper)
        small = (p < TAIL) | self._at_end(x, upper=upper)
        large = (p > 1 - TAIL) & (p < 1 - ROUNDED) & ~small
        if small.any() or large.any():
            p = p.copy()
            p[small] = np.exp(self._tilted(x[small], upper=upper))
            p[large] = -np.expm1(self._tilted(x[large], upper=not upper))
        return p

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        """Return log p: small ones by the tilted integral, those near one from the opposite tail."""
        p = self._plain(x, upper=upper)
        small = (p < TAIL) | self._at_end(x, upper=upper)
        large = ((p > 1 - TAIL) | self._at_end(x, upper=not upper)) & ~small
        value = np.log(np.where(small, 1.0, p))
        value[small] = self._tilted(x[small], upper=upper)
        value[large] = np.log1p(-np.exp(self._tilted(x[large], upper=not upper)))
        return value

    def _at_end(self, x: FloatArray, *, upper: bool) -> BoolArray:
        """Tell points so near an end, beside the centre, that the offset from the centre has lost their distance from it."""
        low, high = self.support
        rest = float((self.rates.weight * (self.rates.rest if upper else self.rates.centre)).sum())
        return np.asarray((high - x if upper else x - low) < NEAR_END * min(rest, high - low))

    def _tilted(self, x: FloatArray, *, upper: bool) -> FloatArray:
        low, high = self.support
        return np.array([self._tilted_at(float(gap), upper=upper) for gap in (high - x if upper else x - low)])

    def _tilted_at(self, gap: float, *, upper: bool) -> float:
        plain = self.rates if upper else mirrored(self.rates)
        low, high = self.support
        if isinstance(self.engine, Waves):
            seen = self.engine.tail(gap, upper=upper)
            if seen > FAR:
                return math.log(min(seen, 1.0))
        x = np.array([high - gap if upper else low + gap])
        p = max(float(self._plain(x, upper=upper)[0]), 1e-300)
        if gap >= float((plain.weight * plain.rest).sum()):
            # a tail this side of the mean belongs to a distribution with nearly all its mass at the other end
            return math.log(p)
        log_p = log_upper_tail(plain, gap)
        # digits of a small probability are welcome, another probability is not
        return log_p if self._at_end(x, upper=upper)[0] or abs(math.exp(min(log_p, 1.0)) - p) < _ALIKE else math.log(p)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        """Return the points with probability q above (or below) them."""
        above = np.clip(q if upper else 1 - q, FAR, 1 - FAR)
        x = self._value(solve(self.engine, above[None], *_shape(self.a[None], self.b[None], self.weights)[1:])[0])
        for side, end in zip((False, True), self.support, strict=True):
            beyond = q if side == upper else 1 - q
            for i in np.flatnonzero(((beyond < FAR) | self._at_end(x, upper=side)) & (beyond < 1)):
                x[i] = self._far(float(beyond[i]), float(x[i]), upper=side)
            x[q == (0 if side == upper else 1)] = end
        return x

    def _far(self, q: float, near: float, *, upper: bool) -> float:
        """Return the point with only q beyond it, starting from one `near` the centre: in the log of the gap."""
        low, high = self.support
        end, inward = (high, -1.0) if upper else (low, 1.0)
        if q == 0:
            return end

        def miss(log_gap: float) -> float:
            return self._tilted_at(math.exp(log_gap), upper=upper) - math.log(q)

        most = math.log(high - low)
        stop = min(math.log(max(abs(end - near), NEAR_END * (high - low))) + 1e-6, most)
        while miss(stop) < 0 and stop < most:
            stop = min(stop + 1, most)
        start = max(stop - 1, _CLOSEST)
        while miss(start) > 0:
            if start == _CLOSEST:  # the whole of q lies nearer to the end than any float
                return end
            start = max(2 * start - stop, _CLOSEST)
        return end + inward * math.exp(brentq(miss, start, stop, xtol=1e-13))

    def _central(self, tail: FloatArray) -> tuple[FloatArray, FloatArray]:
        both = self._quantile(np.concatenate([1 - tail, tail]), upper=True)
        return both[: tail.size], both[tail.size :]


@dataclass(frozen=True, slots=True, eq=False)
class SumDistributions:
    """The distributions of many sums, one for each row of `a` and `b`, good to 1e-12. Made by `beta_sums`."""

    a: FloatArray
    b: FloatArray
    weights: FloatArray
    lots: tuple[tuple[IntArray, Engine], ...]

    @property
    def mean(self) -> FloatArray:
        """The weighted sums of the means."""
        return (self.a / (self.a + self.b)) @ self.weights

    @property
    def var(self) -> FloatArray:
        """The sums of the variances, weights squared."""
        return _shape(self.a, self.b, self.weights)[0]

    @property
    def flaw(self) -> FloatArray:
        """To how much the probabilities of each row are good."""
        flaws = np.empty(len(self.a))
        for rows, distribution in self.lots:
            flaws[rows] = distribution.flaw
        return flaws

    @property
    def median(self) -> FloatArray:
        """The values as likely exceeded as not."""
        return self.ppf(0.5)

    def sf(self, x: npt.ArrayLike) -> FloatArray:
        """Return the probability of more than `x`, one number or one for each row."""
        high, low = double_double_centre(self.a, self.b, self.weights)
        offset = offset_from((high, low), np.broadcast_to(np.asarray(x, dtype=np.float64), high.shape))
        tails = np.empty(high.shape)
        for rows, distribution in self.lots:
            tails[rows] = distribution.sf(offset[rows, None])[:, 0]
        return np.clip(tails, 0.0, 1.0)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """Return the probability of at most `x`, one number or one for each row."""
        return 1 - self.sf(x)

    def ppf(self, q: float) -> FloatArray:
        """Return the values that are not exceeded with probability `q`."""
        if q < FAR:  # 1 - q would lose its digits
            return np.array([beta_sum(a, b, self.weights).ppf(q) for a, b in zip(self.a, self.b, strict=True)])
        return self._exceeded(np.array([1 - q]))[:, 0]

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return the bounds that leave equal tails."""
        tail = equal_tail(level)
        bounds = self._exceeded(np.array([1 - tail, tail]))
        return bounds[:, 0], bounds[:, 1]

    def _exceeded(self, above: FloatArray) -> FloatArray:
        high, low = double_double_centre(self.a, self.b, self.weights)
        _, sd, skewness = _shape(self.a, self.b, self.weights)
        values = np.empty((len(sd), above.size))
        far = (above < FAR) | (above > 1 - FAR)
        for rows, distribution in self.lots:
            wanted = np.broadcast_to(above[~far], (rows.size, above.size - far.sum()))
            offset = solve(distribution, wanted, sd[rows], skewness[rows])
            values[np.ix_(rows, ~far)] = high[rows, None] + (low[rows, None] + offset)
        if far.any():
            one_by_one = (beta_sum(a, b, self.weights) for a, b in zip(self.a, self.b, strict=True))
            values[:, far] = [distribution.isf(above[far]) for distribution in one_by_one]
        return np.clip(values, 0.0, self.weights.sum())


def beta_sum(a: npt.ArrayLike, b: npt.ArrayLike, weights: npt.ArrayLike, shift: float = 0.0) -> Distribution:
    """Return the distribution of `shift` plus the weighted sum of independent Beta(a, b) rates; of one class a (scaled) Beta."""
    a, b, weights = _weighted(a, b, weights)
    if a.size == 1:
        one = BetaDistribution(float(a[0]), float(b[0]))
        return one if weights[0] == 1 and shift == 0 else MovedBeta(one, float(weights[0]), shift)
    plain = rates(a[None], b[None], weights[None])
    high, low = double_double_centre(a, b, weights)
    total, lost = two_sum(high, np.asarray(shift, dtype=np.float64))
    return SumDistribution(a, b, weights, shift, plain, engine(plain), (float(total), float(low + lost)))


def beta_sums(a: npt.ArrayLike, b: npt.ArrayLike, weights: npt.ArrayLike) -> SumDistributions:
    """Return the distributions of many such sums: `a` and `b` have one row for each, two or more weights are shared."""
    a, b, weights = _weighted(a, b, weights)
    return SumDistributions(a, b, weights, tuple(engines(rates(a, b, np.broadcast_to(weights, a.shape)))))


def _weighted(a: npt.ArrayLike, b: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the classes that have a weight, or refuse priors too weak for a sum."""
    kept = np.asarray(weights) > 0
    a, b, weights = frozen(np.asarray(a)[..., kept]), frozen(np.asarray(b)[..., kept]), frozen(np.asarray(weights)[kept])
    if weights.size > 1 and min(a.min(), b.min()) < LEAST:
        msg = f" of a sum must be at least {LEAST}, got {min(a.min(), b.min())}: weaker priors put all mass at 0 and 1."
        raise InputError(parameter("a"), " and ", parameter("b"), msg)
    return a, b, weights


def _shape(a: FloatArray, b: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the variance, the standard deviation and the skewness of each row."""
    n = a + b
    each = (a / n) * (b / n) / (n + 1)
    third = 2 * each * ((b - a) / n) / (n + 2)
    variance = np.asarray(each @ weights**2)
    sd = np.sqrt(variance)
    return variance, sd, (third @ weights**3) / sd**3
