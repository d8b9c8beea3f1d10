"""Laws that are no surer of their sign than a test allows: spread around their middle until the tail beyond 0 is large enough.

With few cases a posterior may claim too much. A permutation test does not, but speaks of the tail at 0 only. Here the law
keeps its place and shape, and its spread follows the test: interval, probabilities and verdict stay those of one law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.stats.law import Law
from adjudge.stats.student import StudentLaw, quantile

_HALF = 0.5
_NODES = 4096
_COUNTABLE = 10  # draws beyond 0 that a quantile takes
_SURE = 1e-12  # tails of a test that leave nothing to widen
_REACH = 1e-12  # mass beyond its ends that a law may keep


def widened_draws(draws: FloatArray, tail: float, span: float) -> FloatArray:
    """Return draws of which no more lie on one side of 0 than a test allows, none of them beyond -`span` or `span`.

    `tail` is the p-value of a difference above 0, one less it that of one below. Where the draws claim a side that the test does
    not even favour, they are moved until they favour none.

    >>> widened_draws(np.linspace(1, 5, 41), 0.25, 9.0)[[0, 20, 40]]
    array([-3.,  3.,  9.])
    """
    middle = float(np.median(draws))
    p = tail if middle > 0 else 1 - tail
    side = 1.0 if middle > 0 else -1.0
    if middle == 0 or p < _SURE or np.count_nonzero(side * draws > 0) <= max(1 - p, _HALF) * draws.size:
        return draws
    if p >= _HALF:
        return draws - middle
    from scipy.special import ndtri

    if p * draws.size >= _COUNTABLE:
        edge = side * float(np.quantile(side * draws, p))
        factor = middle / (middle - edge) if abs(edge) < abs(middle) else 1.0
    else:  # no draw lies as far out: in standard deviations of a normal law
        spread = float(draws.std())
        factor = max(1.0, abs(middle) / spread / -float(ndtri(p))) if spread > 0 else 1.0
    return np.clip(middle + factor * (draws - middle), -span, span)


def widened_student(law: StudentLaw, p: float) -> StudentLaw:
    """Return Student's law with the scale at which at least `p` of it lies on the other side of 0 than its location.

    >>> round(widened_student(StudentLaw(-0.2, 0.01, 5), 0.25).sf(0), 12)
    0.25
    """
    at = abs(law.location)
    if at == 0 or p >= _HALF or float(law.cdf(0.0) if law.location > 0 else law.sf(0.0)) >= p:
        return law
    return StudentLaw(law.location, at / -float(quantile(np.array([p]), law.df)[0]), law.df)


def within(law: Law, low: float, high: float) -> Law:
    """Return a law that keeps between two ends: itself, or with what lay beyond put on the ends."""
    beyond = float(law.cdf(low)) + float(law.sf(high))
    return law if beyond <= _REACH else Within(law, low, high)


@dataclass(frozen=True, slots=True)
class Within(Law):
    """A law whose tails beyond `low` and `high` are put on those ends: what it says of a number that cannot lie beyond them."""

    law: Law
    low: float
    high: float

    @property
    def support(self) -> tuple[float, float]:
        """The ends."""
        return self.low, self.high

    def _nodes(self) -> FloatArray:
        return self._ppf((np.arange(_NODES) + _HALF) / _NODES)

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
        """The peak of the law between the ends, or the end next to it."""
        return float(np.clip(self.law.mode, self.low, self.high))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return `n` independent draws."""
        return np.clip(self.law.sample(n, rng), self.low, self.high)

    def _pdf(self, x: FloatArray) -> FloatArray:
        return np.where((x >= self.low) & (x <= self.high), self.law.pdf(x), 0.0)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.where(x < self.low, 0.0, np.where(x >= self.high, 1.0, self.law.cdf(x)))

    def _sf(self, x: FloatArray) -> FloatArray:
        return np.where(x < self.low, 1.0, np.where(x >= self.high, 0.0, self.law.sf(x)))

    def _logcdf(self, x: FloatArray) -> FloatArray:
        return np.where(x < self.low, -np.inf, np.where(x >= self.high, 0.0, self.law.logcdf(x)))

    def _logsf(self, x: FloatArray) -> FloatArray:
        return np.where(x < self.low, 0.0, np.where(x >= self.high, -np.inf, self.law.logsf(x)))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.clip(self.law.ppf(q), self.low, self.high))

    def _isf(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.clip(self.law.isf(q), self.low, self.high))
