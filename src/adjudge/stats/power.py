"""How many cases it takes, predictive values at a prevalence, and whether groups are right equally often."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge.stats.binomial import midp
from adjudge.stats.root import brentq

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


def expected_half_width(n: int, rate: float, level: float = 0.95) -> float:
    r"""Return half the width that mid-P limits from `n` cases have on average.

    .. math:: \tfrac12 \sum_x \binom{n}{x} p^x (1-p)^{n-x} \bigl(U(x) - L(x)\bigr)

    Where counts are many the width, a smooth function of them, is taken from a polynomial through 33 of them.

    >>> round(expected_half_width(100, 0.9), 5)
    0.05876
    """
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
    """Return the least number of cases whose mid-P limits are expected to be no wider than `half_width` to either side.

    >>> cases_for_half_width(0.9, 0.02)
    865
    """
    from scipy.special import ndtri

    about = (float(ndtri((1 - level) / 2)) / half_width) ** 2 * rate * (1 - rate)
    return least(lambda n: expected_half_width(n, rate, level) <= half_width, near=round(min(about, MOST)))


def critical_counts(n: IntArray, bound: float, alpha: float) -> IntArray:
    r"""Return for each n the smallest count c with :math:`P(X \ge c \mid n, bound) \le \alpha`; n + 1 where there is none.

    >>> critical_counts(np.array([4, 10]), 0.5, 0.05)
    array([5, 9])
    """
    from scipy.special import betainc, ndtri

    def rare(c: IntArray) -> BoolArray:
        tail = np.where(c > n, 0.0, np.where(c <= 0, 1.0, betainc(np.clip(c, 1, n), n - np.clip(c, 1, n) + 1, bound)))
        return np.asarray(tail <= alpha * (1 + _ROUNDING))

    z = float(-ndtri(alpha))
    guess = n * bound + z * np.sqrt(n * bound * (1 - bound)) + (z * z - 1) * (1 - 2 * bound) / 6
    c: IntArray = np.clip(np.ceil(guess), 0, n + 1).astype(np.int64)  # off by few, so one step at a time
    while not np.all(found := rare(c)):
        c = np.where(found, c, c + 1)
    while np.any(found := rare(c - 1) & (c > 0)):
        c = np.where(found, c - 1, c)
    return c


def power_above(n: IntArray, bound: float, rate: float, alpha: float = 0.05) -> FloatArray:
    r"""Return how often so many cases show that a rate is above `bound`, at :math:`P(X \ge c \mid bound) \le \alpha`.

    >>> power_above(np.array([100, 200]), 0.8, 0.9).round(4)
    array([0.8761, 0.9905])
    """
    from scipy.special import betainc

    c = critical_counts(n, bound, alpha)
    return np.where(c > n, 0.0, betainc(np.clip(c, 1, n), n - np.clip(c, 1, n) + 1, rate))


def cases_to_show(bound: float, rate: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    r"""Return the number of cases from which on a rate is shown to be above `bound` with at least the `power`, however many.

    Power rises in saws, since counts are whole. The real :math:`c^*` with tail :math:`\alpha` (an incomplete beta function) is
    never more than one below the whole c, so that the power at :math:`c^* + 1`, which has no saws, bounds it from below:
    where that is enough, so is every larger number, and from there the search goes down to the first that is not.

    >>> cases_to_show(0.8, 0.9)
    94
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
    from scipy.special import betainc

    def excess(c: float) -> float:
        return float(betainc(c, n - c + 1, bound)) - alpha

    if excess(float(n)) > 0:
        return 0.0
    c = float(brentq(excess, 1e-9, n, xtol=1e-9)) + 1
    return float(betainc(c, n - c + 1, rate)) if c <= n else 0.0


def cases_in_all(of_class: int, share: float, *, sure: float = 0.95) -> int:
    r"""Return how many cases to draw so that, with probability `sure`, at least `of_class` are of a class with that share.

    The least n with :math:`P(X \ge k \mid n, s) \ge` sure; :math:`k / s` cases would be enough in half of all draws only.

    >>> cases_in_all(100, 0.1)
    1161
    """
    from scipy.special import betainc

    def enough(n: int) -> bool:
        return n >= of_class and float(betainc(of_class, n - of_class + 1, share)) >= sure

    return of_class if share >= 1 else least(enough, most=100 * MOST)


def least(enough: Callable[[int], bool], *, near: int = 8, most: int = MOST) -> int:
    """Return the smallest number that is enough, where every larger one is too; one more than `most` if none is.

    The search begins around `near`, and reaches out twice as far each time.
    """
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
    """Return a number that is enough as are the 64 after it, where larger ones are but for small saws.

    Of more than 2,000 the saws are smaller than any answer is good for, and the first that is enough is taken.
    """
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
    from scipy.special import gammaln, xlog1py, xlogy

    log = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1) + xlogy(counts, rate) + xlog1py(n - counts, -rate)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


Limits = tuple[float, float, float]
"""An estimate and its two limits."""


def ratio_limits(one: Limits, other: Limits) -> tuple[float, float]:
    r"""Return the limits of the ratio of two independent shares from the limits of each.

    .. math:: L = \frac{l_1 (2\theta_1 - l_1)}{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - l_1 (2\theta_1 - l_1)\, u_2 (2\theta_2 - u_2)}},
              \quad
              U = \frac{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - u_1 (2\theta_1 - u_1)\, l_2 (2\theta_2 - l_2)}}{l_2 (2\theta_2 - l_2)}

    Donner and Zou (2012), Stat. Methods Med. Res. 21:347-359, the lower one written so that nothing is divided by 0. Where
    the second share may be 0 there is no upper limit.

    >>> [round(limit, 3) for limit in ratio_limits((0.8, 0.7, 0.9), (0.1, 0.05, 0.2))]
    [3.937, 16.124]
    """  # noqa: E501 - a formula
    (first, low, high), (second, least, most) = one, other
    product = first * second
    rise, fall = low * (2 * first - low), high * (2 * first - high)
    wide, narrow = most * (2 * second - most), least * (2 * second - least)
    below = product + math.sqrt(max(product * product - rise * wide, 0.0))
    above = product + math.sqrt(max(product * product - fall * narrow, 0.0))
    return (rise / below if below > 0 else 0.0), (above / narrow if narrow > 0 else math.inf)


def predictive_value(hits: float, alarms: float, prevalence: float) -> float:
    r"""Return the share of right calls, :math:`\pi t / (\pi t + (1 - \pi) f)`; NaN where nobody is called.

    >>> predictive_value(0.5, 0.5, 0.2)
    0.2
    """
    right, wrong = prevalence * hits, (1 - prevalence) * alarms
    return right / (right + wrong) if right + wrong > 0 else math.nan


def predictive_limits(hits: Limits, alarms: Limits, prevalence: float) -> tuple[float, float]:
    r"""Return the limits of a predictive value at a prevalence :math:`\pi` taken as known.

    .. math:: \frac{\pi}{\pi + (1 - \pi) / \lambda}, \quad \lambda = t / f ,

    rises with the likelihood ratio :math:`\lambda`, so it has the limits of that (`ratio_limits`).

    >>> [round(limit, 3) for limit in predictive_limits((0.8, 0.7, 0.9), (0.1, 0.05, 0.2), 0.1)]
    [0.304, 0.642]
    """
    low, high = ratio_limits(hits, alarms)
    return _at(low, prevalence), _at(high, prevalence)


def _at(ratio: float, prevalence: float) -> float:
    if math.isinf(ratio):
        return 1.0 if prevalence > 0 else 0.0
    right = prevalence * ratio
    return right / (right + (1 - prevalence)) if right > 0 else 0.0


def right_alike(correct: FloatArray, cases: FloatArray) -> tuple[float, int, float]:
    r"""Return chi-square, degrees of freedom and p value of groups being right equally often within each stratum.

    `correct` and `cases` are strata x groups. With M of the N cases of a stratum right and :math:`n_g` in group g,

    .. math:: U_g = \sum (r_g - n_g M / N), \qquad
              V_{gh} = \sum \frac{M (N - M)}{N^2 (N - 1)} (N n_g [g = h] - n_g n_h),

    summed over strata, :math:`U' V^- U` is chi-square where no group is better: the generalised test of Cochran,
    Mantel and Haenszel. Landis, Heyman and Koch (1978), Int. Stat. Rev. 46:237-254. Groups that share no stratum cannot be
    compared: they take no degree of freedom, and without any the p value is NaN.

    >>> chi2, df, p = right_alike(np.array([[8.0, 2.0]]), np.array([[10.0, 10.0]]))
    >>> round(chi2, 2), df, round(p, 4)
    (6.84, 1, 0.0089)
    """
    from scipy.special import chdtrc

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
    return chi2, df, float(chdtrc(df, chi2))
