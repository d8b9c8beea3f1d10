"""How often so many cases decide between two classifiers, and many comparisons at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.stats.power import chances, likely

PAIRED_PRIOR = (1.0, 1.0, 2.0)  # one case's worth of each outcome: only a, only b, and the two others together
_OWN = 0.5  # Jeffreys' prior of one rate


@dataclass(frozen=True, slots=True, eq=False)
class Cumulants:
    """The first four cumulants of a distribution, or of many at once."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray
    fourth: FloatArray

    def minus(self, other: Cumulants) -> Cumulants:
        """Return those of the difference from an independent one."""
        even = self.variance + other.variance, self.third - other.third, self.fourth + other.fourth
        return Cumulants(self.mean - other.mean, *even)

    def sf(self, x: float) -> FloatArray:
        """Return the probability of more than `x`, by the Edgeworth series."""
        from scipy.special import ndtr

        spread = np.sqrt(self.variance)
        z, skew, excess = (x - self.mean) / spread, self.third / spread**3, self.fourth / spread**4
        square = z * z
        hermite = skew / 6 * (square - 1) + excess / 24 * z * (square - 3)
        hermite += skew * skew / 72 * z * (square * (square - 10) + 15)
        return np.asarray(ndtr(-z) + np.exp(-square / 2) / math.sqrt(2 * math.pi) * hermite)


def dirichlet_cumulants(alphas: Sequence[AnyArray], values: Sequence[float]) -> Cumulants:
    r"""Return the cumulants of :math:`\sum_i c_i \theta_i` for Dirichlet shares, from the moments of c under their means.

    With :math:`\mu_k = \sum_i p_i (c_i - \bar c)^k` and N the sum of the parameters the central moments are
    :math:`\mu_2 / (N+1)`, :math:`2 \mu_3 / (N+1)(N+2)` and :math:`(3 N \mu_2^2 + 6 \mu_4) / (N+1)(N+2)(N+3)`.
    """
    total = sum(alphas)
    shares = [alpha / total for alpha in alphas]
    mean = np.asarray(sum(p * c for p, c in zip(shares, values, strict=True)))
    second, third, fourth = (np.asarray(sum(p * (c - mean) ** k for p, c in zip(shares, values, strict=True))) for k in (2, 3, 4))
    variance = second / (total + 1)
    fourth = (3 * total * second**2 + 6 * fourth) / ((total + 1) * (total + 2) * (total + 3)) - 3 * variance**2
    return Cumulants(mean, variance, 2 * third / ((total + 1) * (total + 2)), fourth)


def paired_moments(outcomes: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and variance of the difference that K x 3 cases give: only a right, only b, and all others, by class.

    >>> mean, variance = paired_moments(np.array([[9.0, 2.0, 47.0]]), np.ones(1))
    >>> round(mean, 4), round(variance, 6)
    (0.1129, 0.003126)
    """
    each = dirichlet_cumulants([outcomes[:, i] + prior for i, prior in enumerate(PAIRED_PRIOR)], (1.0, -1.0, 0.0))
    return float(weights @ each.mean), float(weights**2 @ each.variance)


@dataclass(frozen=True, slots=True)
class Rule:
    """When a difference is decided: better by more than the margin or, where asked for, practically the same."""

    margin: float
    level: float
    equivalent: bool = False

    def met(self, difference: Cumulants) -> BoolArray:
        """Return whether the rule's verdict comes."""
        better = difference.sf(self.margin)
        if not self.equivalent:
            return np.asarray(better >= self.level)
        return np.asarray(difference.sf(-self.margin) - better >= self.level)


def paired_assurance(n: int, only_better: float, only_worse: float, rule: Rule) -> float:
    """Return how often `n` cases that both judge decide, the shares of cases that just one gets right being these.

    Of the n cases m are right for one of the two only, binomial with the sum of the two shares; of these the better one has x,
    binomial with its part of the sum. From a whole x on the verdict is *better*; between two it is *equivalent*.

    >>> round(paired_assurance(1400, 0.06, 0.03, Rule(0.01, 0.95)), 3)
    0.808
    """
    apart = only_better + only_worse
    counts = likely(n, apart)
    m = counts.astype(np.int64)

    def met(x: IntArray) -> BoolArray:
        return rule.met(
            dirichlet_cumulants((x + PAIRED_PRIOR[0], m - x + PAIRED_PRIOR[1], n - m + PAIRED_PRIOR[2]), (1.0, -1.0, 0.0))
        )

    share = only_better / apart
    if rule.equivalent:
        middle = (m + 1) // 2
        beyond = _first(middle, m + 1, lambda x: ~met(x))
        found = _at_least(m - beyond + 1, m, share) - _at_least(beyond, m, share)
        found = np.where(beyond > middle, found, 0.0)
    else:
        found = _at_least(_first(np.zeros_like(m), m + 1, met), m, share)
    return float(chances(counts, n, apart) @ found)


def independent_assurance(n: int, better: float, worse: float, rule: Rule) -> float:
    """Return how often `n` cases for each of two classifiers decide, judged on different ones, their rates being these.

    >>> round(independent_assurance(1200, 0.9, 0.85, Rule(0.01, 0.95)), 3)
    0.908
    """
    counts = likely(n, worse)
    y = counts.astype(np.int64)
    other = _of_rate(y, n)

    def met(x: IntArray) -> BoolArray:
        return rule.met(_of_rate(x, n).minus(other))

    size = np.full_like(y, n)
    if rule.equivalent:
        first = _first(np.zeros_like(y), y, met)
        beyond = _first(y, size + 1, lambda x: ~met(x))
        found = np.where(met(y), _at_least(first, size, better) - _at_least(beyond, size, better), 0.0)
    else:
        found = _at_least(_first(np.zeros_like(y), size + 1, met), size, better)
    return float(chances(counts, n, worse) @ found)


def _of_rate(x: IntArray, n: int) -> Cumulants:
    return dirichlet_cumulants((x + _OWN, n - x + _OWN), (1.0, 0.0))


def _first(low: IntArray, high: IntArray, holds: Callable[[IntArray], BoolArray]) -> IntArray:
    """Return the smallest whole numbers from `low` on for which something holds, as it does from there on; `high` if none."""
    low, high = low.copy(), high.copy()
    while np.any(low < high):
        middle = (low + high) // 2
        yes = holds(np.clip(middle, 0, np.maximum(high - 1, 0)))
        high, low = np.where(yes & (low < high), middle, high), np.where(yes | (low >= high), low, middle + 1)
    return high


def _at_least(c: IntArray, m: IntArray, share: float) -> FloatArray:
    """Return the probability of at least `c` of `m`."""
    from scipy.special import betainc

    inside = np.clip(c, 1, np.maximum(m, 1))
    return np.where(c <= 0, 1.0, np.where(c > m, 0.0, betainc(inside, np.maximum(m - inside, 0) + 1, share)))


def holm(p_values: AnyArray) -> FloatArray:
    r"""Return p-values that hold together: rejecting those below 5% is wrong anywhere in at most 5%.

    The i-th smallest of m is :math:`\max_{j \le i} \min(1, (m - j + 1) p_{(j)})`. Holm (1979), Scand. J. Stat. 6:65-70.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64).ravel()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    return adjusted


def runs_alike(apart: BoolArray) -> list[tuple[int, int]]:
    """Return the longest runs first..last of ranked candidates of which no two are significantly different.

    `apart` is symmetric, in the order of the ranks. A candidate may be in several runs, or alone in one.
    """
    m, found, reached = len(apart), [], -1
    for first in range(m):
        last = first
        while last + 1 < m and not apart[first : last + 1, last + 1].any():
            last += 1
        if last > reached:
            found.append((first, last))
            reached = last
    return found


def best_shares(draws: FloatArray) -> FloatArray:
    """Return how often each column is the best of its row, ties shared; more is better."""
    best = draws == draws.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
