"""How many cases it takes and how often they decide, predictive values at a prevalence, and groups that are right alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.binomial import binomial_p_value, midp
from adjudge.stats.numerics import brentq

MOST = 10**8  # cases; a need for more is no advice
_REACH = 7.5  # standard deviations of a count that are summed over
_AROUND = 12  # counts beyond them, for rates near 0 and 1
_DEGREE = 32
_EACH = 2 * _DEGREE  # counts whose limits are computed one by one; of more, a polynomial through a few stands for all
_EDGE = 3  # counts from none and from all, where the width is not smooth
_ROUNDING = 1e-12
_BLOCK = 4096
_WINDOW = 64  # numbers of cases after the first that must be enough as well: power rises in small saws
_SAWS = 2_000  # cases up to which they matter
_NEGLIGIBLE = 1e-9  # directions in which the sums vary less than this, against the most, do not vary
PAIRED_PRIOR = (1.0, 1.0, 2.0)  # one case's worth of each outcome: only a, only b, and the two others together
_OWN = 0.5  # Jeffreys' prior of one rate


def expected_half_width(n: int, rate: float, level: float = 0.95) -> float:
    """Return half the width that mid-P limits from `n` cases have on average; of many counts by interpolation."""
    counts = likely(n, rate)
    if counts.size > _EACH and counts[0] > _EDGE and counts[-1] < n - _EDGE:
        ends = float(counts[0]), float(counts[-1])
        width = np.polynomial.Chebyshev.interpolate(lambda x: _widths(x, n, level), _DEGREE, domain=list(ends))(counts)
    else:
        width = _widths(counts, n, level)
    return float(chances(counts, n, rate) @ width) / 2


def _widths(counts: FloatArray, n: int, level: float) -> FloatArray:
    limits = np.array([midp(float(x), n, level) for x in counts])
    return np.asarray(limits[:, 1] - limits[:, 0])


def cases_for_half_width(rate: float, half_width: float, level: float = 0.95) -> int:
    """Return the least number of cases whose mid-P limits are expected to be no wider than `half_width` to either side."""
    about = (float(special.ndtri((1 - level) / 2)) / half_width) ** 2 * rate * (1 - rate)
    return least(lambda n: expected_half_width(n, rate, level) <= half_width, near=round(min(about, MOST)))


def critical_counts(n: IntArray, bound: float, alpha: float) -> IntArray:
    r"""Return for each n the smallest count c with :math:`P(X \ge c \mid n, bound) \le \alpha`; n + 1 where there is none."""

    def rare(c: IntArray) -> BoolArray:
        return np.asarray(_at_least(c, n, bound) <= alpha * (1 + _ROUNDING))

    z = float(-special.ndtri(alpha))
    guess = n * bound + z * np.sqrt(n * bound * (1 - bound)) + (z * z - 1) * (1 - 2 * bound) / 6
    c: IntArray = np.clip(np.ceil(guess), 0, n + 1).astype(np.int64)  # off by few, so one step at a time
    while not np.all(is_rare := rare(c)):
        c = np.where(is_rare, c, c + 1)
    while np.any(is_rare := rare(c - 1) & (c > 0)):
        c = np.where(is_rare, c - 1, c)
    return c


def above_chance_count(n: int, rate: float = 0.5, alpha: float = 0.05) -> int | None:
    r"""Return the smallest count C with :math:`P(X \ge C \mid n, rate) \le \alpha`, or None if no count is that rare.

    One more than the quantile that Brodersen et al. (2010) compare with. Tails are compared to a relative 1e-12.
    """
    count = int(critical_counts(np.array([n]), rate, alpha)[0])
    return count if count <= n else None


def power_above(n: IntArray, bound: float, rate: float, alpha: float = 0.05) -> FloatArray:
    r"""Return how often so many cases show that a rate is above `bound`, at :math:`P(X \ge c \mid bound) \le \alpha`."""
    return _at_least(critical_counts(n, bound, alpha), n, rate)


def cases_to_show(bound: float, rate: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    r"""Return the number of cases from which on a rate is shown to be above `bound` with at least the `power`, however many.

    Power rises in saws. The real :math:`c^*` with tail :math:`\alpha` is never more than one below the whole c, so that the power
    at :math:`c^* + 1` bounds it from below; from where that is enough the search goes down to the first that is not.
    """
    if _smooth_power(MOST, bound, rate, alpha) < power:
        return MOST + 1
    high = least(lambda n: _smooth_power(n, bound, rate, alpha) >= power)
    while high > 1:
        n = np.arange(max(1, high - _BLOCK), high)
        short = np.flatnonzero(power_above(n, bound, rate, alpha) < power)
        if short.size:
            return int(n[short[-1]]) + 1
        high = int(n[0])
    return high


def _smooth_power(n: int, bound: float, rate: float, alpha: float) -> float:
    """Return a power that no saw falls below: that of one more than the real count that is as rare as alpha."""
    if binomial_p_value(float(n), n, bound) > alpha:
        return 0.0
    return binomial_p_value(brentq(lambda c: binomial_p_value(c, n, bound) - alpha, 1e-9, n, xtol=1e-9) + 1, n, rate)


def cases_in_all(of_class: int, share: float, *, sure: float = 0.95) -> int:
    """Return how many cases to draw so that, with probability `sure`, at least `of_class` are of a class with that share."""
    return of_class if share >= 1 else least(lambda n: binomial_p_value(of_class, n, share) >= sure, most=100 * MOST)


def least(enough: Callable[[int], bool], *, near: int = 8, most: int = MOST) -> int:
    """Return the smallest number that is enough, where every larger one is too; one more than `most` if none is."""
    low, high, step = 0, max(near, 8), max(near // 16, 8)
    while not enough(high):
        low, high, step = high, high + step, 2 * step
        if low >= most:
            return most + 1
    while high - low > step and enough(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def steady(enough: Callable[[int], bool], *, near: int = 8, most: int = MOST) -> int:
    """Return a number that is enough as are the 64 after it, where larger ones are but for small saws (up to 2,000)."""
    n = least(enough, near=near, most=most)
    while n <= min(most, _SAWS):
        short = [k for k in range(n + 1, n + _WINDOW + 1) if not enough(k)]
        if not short:
            break
        n = short[-1] + 1
    return n


def likely(n: int, rate: float) -> FloatArray:
    """Return the counts of `n` cases that are not out of the question."""
    reach = _REACH * math.sqrt(n * rate * (1 - rate)) + _AROUND
    return np.arange(max(0, math.floor(n * rate - reach)), min(n, math.ceil(n * rate + reach)) + 1, dtype=np.float64)


def chances(counts: FloatArray, n: int, rate: float) -> FloatArray:
    """Return how probable counts are, so that they sum to one."""
    ways = special.gammaln(n + 1) - special.gammaln(counts + 1) - special.gammaln(n - counts + 1)
    log = ways + special.xlogy(counts, rate) + special.xlog1py(n - counts, -rate)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


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
        spread = np.sqrt(self.variance)
        z, skew, excess = (x - self.mean) / spread, self.third / spread**3, self.fourth / spread**4
        square = z * z
        hermite = skew / 6 * (square - 1) + excess / 24 * z * (square - 3)
        hermite += skew * skew / 72 * z * (square * (square - 10) + 15)
        return np.asarray(special.ndtr(-z) + np.exp(-square / 2) / math.sqrt(2 * math.pi) * hermite)


def dirichlet_cumulants(alphas: Sequence[AnyArray], values: Sequence[float]) -> Cumulants:
    r"""Return the cumulants of :math:`\sum_i c_i \theta_i` for Dirichlet shares, from the moments of c under their means.

    Central moments: :math:`\mu_2 / (N+1)`, :math:`2 \mu_3 / (N+1)(N+2)`, :math:`(3 N \mu_2^2 + 6 \mu_4) / (N+1)(N+2)(N+3)`.
    """
    total = sum(alphas)
    shares = [alpha / total for alpha in alphas]
    mean = np.asarray(sum(p * c for p, c in zip(shares, values, strict=True)))
    second, third, fourth = (np.asarray(sum(p * (c - mean) ** k for p, c in zip(shares, values, strict=True))) for k in (2, 3, 4))
    variance = second / (total + 1)
    fourth = (3 * total * second**2 + 6 * fourth) / ((total + 1) * (total + 2) * (total + 3)) - 3 * variance**2
    return Cumulants(mean, variance, 2 * third / ((total + 1) * (total + 2)), fourth)


def paired_moments(outcomes: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and variance of the difference that K x 3 cases give: only a right, only b, and all others, by class."""
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
    """Return how often `n` cases that both judge decide, the shares of cases that just one gets right being these."""
    apart = only_better + only_worse
    counts = likely(n, apart)
    m = counts.astype(np.int64)

    def met(x: IntArray) -> BoolArray:
        alphas = (x + PAIRED_PRIOR[0], m - x + PAIRED_PRIOR[1], n - m + PAIRED_PRIOR[2])
        return rule.met(dirichlet_cumulants(alphas, (1.0, -1.0, 0.0)))

    share = only_better / apart
    if rule.equivalent:
        middle = (m + 1) // 2
        beyond = _first(middle, m + 1, lambda x: ~met(x))
        decided = _at_least(m - beyond + 1, m, share) - _at_least(beyond, m, share)
        decided = np.where(beyond > middle, decided, 0.0)
    else:
        decided = _at_least(_first(np.zeros_like(m), m + 1, met), m, share)
    return float(chances(counts, n, apart) @ decided)


def independent_assurance(n: int, better: float, worse: float, rule: Rule) -> float:
    """Return how often `n` cases for each of two classifiers decide, judged on different ones, their rates being these."""
    counts = likely(n, worse)
    y = counts.astype(np.int64)
    other = _of_rate(y, n)

    def met(x: IntArray) -> BoolArray:
        return rule.met(_of_rate(x, n).minus(other))

    size = np.full_like(y, n)
    if rule.equivalent:
        first = _first(np.zeros_like(y), y, met)
        beyond = _first(y, size + 1, lambda x: ~met(x))
        decided = np.where(met(y), _at_least(first, size, better) - _at_least(beyond, size, better), 0.0)
    else:
        decided = _at_least(_first(np.zeros_like(y), size + 1, met), size, better)
    return float(chances(counts, n, worse) @ decided)


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
    inside = np.clip(c, 1, np.maximum(m, 1))
    return np.where(c <= 0, 1.0, np.where(c > m, 0.0, special.betainc(inside, np.maximum(m - inside, 0) + 1, share)))


Limits = tuple[float, float, float]
"""An estimate and its two limits."""


def ratio_interval(one: Limits, other: Limits) -> tuple[float, float]:
    r"""Return the limits of the ratio of two independent shares from the limits of each.

    .. math:: L = \frac{l_1 (2\theta_1 - l_1)}{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - l_1 (2\theta_1 - l_1)\, u_2 (2\theta_2 - u_2)}},
              \quad
              U = \frac{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - u_1 (2\theta_1 - u_1)\, l_2 (2\theta_2 - l_2)}}{l_2 (2\theta_2 - l_2)}

    Donner and Zou (2012), Stat. Methods Med. Res. 21:347-359, the lower one written so that nothing is divided by 0. Where
    the second share may be 0 there is no upper limit.
    """  # noqa: E501 - a formula
    (first, low, high), (second, least, most) = one, other
    product = first * second
    rise, fall = low * (2 * first - low), high * (2 * first - high)
    wide, narrow = most * (2 * second - most), least * (2 * second - least)
    below = product + math.sqrt(max(product * product - rise * wide, 0.0))
    above = product + math.sqrt(max(product * product - fall * narrow, 0.0))
    return (rise / below if below > 0 else 0.0), (above / narrow if narrow > 0 else math.inf)


def predictive_value(hits: float, alarms: float, prevalence: float) -> float:
    r"""Return the share of right calls, :math:`\pi t / (\pi t + (1 - \pi) f)`; NaN where nobody is called."""
    right, wrong = prevalence * hits, (1 - prevalence) * alarms
    return right / (right + wrong) if right + wrong > 0 else math.nan


def predictive_limits(hits: Limits, alarms: Limits, prevalence: float) -> tuple[float, float]:
    """Return the limits of a predictive value at a known prevalence: it rises with the likelihood ratio."""
    low, high = ratio_interval(hits, alarms)
    return _at(low, prevalence), _at(high, prevalence)


def _at(ratio: float, prevalence: float) -> float:
    if math.isinf(ratio):
        return 1.0 if prevalence > 0 else 0.0
    right = prevalence * ratio
    return right / (right + (1 - prevalence)) if right > 0 else 0.0


def right_alike(correct: FloatArray, cases: FloatArray) -> tuple[float, int, float]:
    r"""Return chi-square, degrees of freedom and p value of groups (columns) being right equally often within each stratum (row).

    .. math:: U_g = \sum (r_g - n_g M / N), \qquad
              V_{gh} = \sum \frac{M (N - M)}{N^2 (N - 1)} (N n_g [g = h] - n_g n_h),

    M of the N cases of a stratum being right; :math:`U' V^- U` is the generalised test of Cochran, Mantel and Haenszel.
    Landis, Heyman and Koch (1978), Int. Stat. Rev. 46:237-254.
    """
    cases, correct = np.asarray(cases, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    size, right = cases.sum(axis=1), correct.sum(axis=1)
    kept = size > 1
    cases, correct, size, right = cases[kept], correct[kept], size[kept], right[kept]
    surplus = (correct - cases * (right / size)[:, None]).sum(axis=0)
    each = right * (size - right) / (size**2 * (size - 1))
    spread = np.diag((each * size) @ cases) - cases.T @ (each[:, None] * cases)
    values, vectors = np.linalg.eigh(spread)
    free = values > _NEGLIGIBLE * max(float(values[-1]), 1e-300)
    if not free.any():
        return 0.0, 0, float("nan")
    chi2 = float(((vectors[:, free].T @ surplus) ** 2 / values[free]).sum())
    df = int(free.sum())
    return chi2, df, float(special.chdtrc(df, chi2))
