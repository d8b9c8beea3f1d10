"""Distributions without a formula of their own: images under a rising map, draws, and those widened to what a test allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.betasum import SumDistribution, beta_sum
from adjudge.stats.distribution import BetaDistribution, CarriedDistribution, Distribution, MovedBeta
from adjudge.stats.student import StudentDistribution, quantile

_NODES = 256
_KERNELS = 2000
_HALF = 0.5
_WIDE_NODES = 4096
_COUNTABLE = 10  # draws beyond 0 that a quantile takes
_SURE = 1e-12  # tails of a test that leave nothing to widen
_WIDER, _NEARLY_EVEN = 2.0, 0.25  # how far draws are stretched at most where a test hardly favours a side
_REACH = 1e-12  # mass beyond its ends that a distribution may keep


@dataclass(frozen=True, slots=True)
class Image(CarriedDistribution):
    """The distribution of g(X), X in [0, 1] and g rising with known inverse: moments are integrated."""

    distribution: Distribution
    forth: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    """The derivative of `back`."""

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
        return float(minimize_scalar(lambda y: -self.pdf(y), bounds=bounds, method="bounded", options={"xatol": 1e-12}).x)

    def _expect(self, of: Callable[[FloatArray], FloatArray]) -> float:
        """Integrate over the angle t of x = sin(t)^2, in which a density like x^(-1/2) has no peak left."""
        low, high = (float(np.arcsin(np.sqrt(v))) for v in self.distribution.interval(1 - 1e-15))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        angle = (low + high) / 2 + (high - low) / 2 * nodes
        x = np.sin(angle) ** 2
        each = weights * self.distribution.pdf(x) * np.sin(2 * angle)
        return float((each * of(self.forth(x))).sum() / each.sum())

    def _forth(self, x: FloatArray) -> FloatArray:
        return self.forth(x)

    def _back(self, y: FloatArray) -> FloatArray:
        return self.back(y)

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.distribution.pdf(self.back(x)) * self.slope(x))


class Drawn(Distribution):
    """The distribution of draws, where no formula is known: sorted, with everything read off them."""

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
        z = (x[..., None] - self.draws[:: max(1, self.draws.size // _KERNELS)]) / width
        return np.asarray(np.exp(-z * z / 2).mean(axis=-1) / (width * np.sqrt(2 * np.pi)))

    def _tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        below = np.searchsorted(self.draws, x, side="right")
        return np.asarray((self.draws.size - below if upper else below) / self.draws.size)

    def _quantile(self, q: FloatArray, *, upper: bool) -> FloatArray:
        return np.asarray(np.quantile(self.draws, 1 - q if upper else q))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` draws, drawn from the draws."""
        return np.asarray(rng.choice(self.draws, n))


def difference_distribution(x: Distribution, y: Distribution) -> Distribution:
    """Return the distribution of X - Y of independent sums of rates: again one, since :math:`-w A = w (1 - A) - w`."""
    a, b, weights, shift = _parts(x)
    b_y, a_y, weights_y, shift_y = _parts(y)
    moved = shift - shift_y - float(weights_y.sum())
    return beta_sum(np.concatenate([a, a_y]), np.concatenate([b, b_y]), np.concatenate([weights, weights_y]), moved)


def _parts(distribution: Distribution) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return the parameters of the rates, their weights and the shift."""
    if isinstance(distribution, SumDistribution):
        return distribution.a, distribution.b, distribution.weights, distribution.shift
    if isinstance(distribution, BetaDistribution):
        distribution = MovedBeta(distribution, 1.0)
    assert isinstance(distribution, MovedBeta)
    rate = distribution.distribution
    return np.array([rate.a]), np.array([rate.b]), np.array([distribution.scale]), distribution.shift


def widened_draws(draws: FloatArray, tail: float, span: float) -> FloatArray:
    """Return draws of which no more lie on one side of 0 than a test allows, none of them beyond -`span` or `span`.

    `tail` is the p-value of a difference above 0. Draws of a side that the test does not favour are moved until they favour none.
    """
    middle = float(np.median(draws))
    p = tail if middle > 0 else 1 - tail
    side = 1.0 if middle > 0 else -1.0
    if middle == 0 or p < _SURE or np.count_nonzero(side * draws > 0) <= max(1 - p, _HALF) * draws.size:
        return draws
    if p >= _HALF:
        return draws - middle
    if p * draws.size >= _COUNTABLE:
        edge = side * float(np.quantile(side * draws, p))
        factor = middle / (middle - edge) if abs(edge) < abs(middle) else 1.0
        if factor > _WIDER and p > _NEARLY_EVEN:  # the draws lie a little to one side of no difference: moved, not stretched
            return draws - edge
    else:  # no draw lies as far out: in standard deviations of a normal distribution
        spread = float(draws.std())
        factor = max(1.0, abs(middle) / spread / -float(special.ndtri(p))) if spread > 0 else 1.0
    return np.clip(middle + factor * (draws - middle), -span, span)


def widened_student(distribution: StudentDistribution, p: float) -> StudentDistribution:
    """Return Student's t with the scale at which at least `p` of it lies on the other side of 0 than its location."""
    at = abs(distribution.location)
    if at == 0 or p >= _HALF or float(distribution.cdf(0.0) if distribution.location > 0 else distribution.sf(0.0)) >= p:
        return distribution
    return StudentDistribution(distribution.location, at / -float(quantile(np.array([p]), distribution.df)[0]), distribution.df)


def within(distribution: Distribution, low: float, high: float) -> Distribution:
    """Return a distribution between two ends: itself, or with what lay beyond put on the ends."""
    beyond = float(distribution.cdf(low)) + float(distribution.sf(high))
    return distribution if beyond <= _REACH else Within(distribution, low, high)


@dataclass(frozen=True, slots=True)
class Within(CarriedDistribution):
    """A distribution whose tails beyond `low` and `high` are put on those ends, for a number that cannot lie beyond them."""

    distribution: Distribution
    low: float
    high: float

    @property
    def support(self) -> tuple[float, float]:
        """The ends, whether or not the distribution reaches them."""
        return self.low, self.high

    def _nodes(self) -> FloatArray:
        return self._quantile((np.arange(_WIDE_NODES) + _HALF) / _WIDE_NODES, upper=False)

    @property
    def mean(self) -> float:
        """The mean, over equally probable parts."""
        return float(self._nodes().mean())

    @property
    def var(self) -> float:
        """The variance, over equally probable parts."""
        return float(self._nodes().var())

    @property
    def mode(self) -> float:
        """The peak between the ends, or the end next to it."""
        return float(np.clip(self.distribution.mode, self.low, self.high))

    def _forth(self, x: FloatArray) -> FloatArray:
        return np.clip(x, self.low, self.high)

    def _back(self, y: FloatArray) -> FloatArray:
        return np.where(y < self.low, -np.inf, np.where(y >= self.high, np.inf, y))

    def _log_tail(self, x: FloatArray, *, upper: bool) -> FloatArray:
        return CarriedDistribution._log_tail(self, x, upper=upper) + 0.0  # no -0.0 beyond an end  # noqa: SLF001

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.where((x >= self.low) & (x <= self.high), self.distribution.pdf(x), 0.0)
