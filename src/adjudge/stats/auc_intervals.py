"""How sure an AUC or a mean loss is: limits that hold at both ends of the scale."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.stats import special
from adjudge.stats.binomial import Bounds, normal_quantile
from adjudge.stats.numerics import brentq
from adjudge.stats.pairs import checked, no_area

_MANY = 1 << 17  # scores from which on a second thread pays
_SAMPLE = 1 << 10
_ALONE = 1.5  # a class of effectively fewer cases has but one that counts
_LARGEST = 700.0  # exponents beyond leave the range of floats


def delong(scores: AnyArray, positive: BoolArray) -> tuple[float, float]:
    r"""Return the AUC and DeLong's variance of it.

    :math:`\operatorname{Var} = \frac{S_{10}}{m} + \frac{S_{01}}{n}`, the sample variances of the placements of the positive and
    of the negative cases, from one merge of the two sorted classes. DeLong, DeLong and Clarke-Pearson (1988), Biometrics
    44:837-845; Sun and Xu (2014), IEEE Sig. Proc. Lett. 21:1389-1393.
    """
    scores, positive = checked(scores, positive)
    m = int(np.count_nonzero(positive))
    n = positive.size - m
    if not (m and n):
        return no_area(m, n), math.nan
    # twice the negatives below each positive case, and twice the positives above each negative one, in no order
    if scores.size < _MANY or (os.cpu_count() or 1) == 1:
        below, above = _merged(scores[np.flatnonzero(positive)], scores[np.flatnonzero(~positive)])
    else:
        middle = np.sort(scores[:: scores.size // _SAMPLE])[_SAMPLE // 2]
        kind = 2 * (scores >= middle).view(np.uint8) + positive.view(np.uint8)
        low_theirs, low_ours, theirs, ours = (scores[np.flatnonzero(kind == each)] for each in range(4))
        with ThreadPoolExecutor(2) as pool:  # NumPy sorts without holding the interpreter
            (lower, above_lower), (upper, above) = pool.map(_merged, (low_ours, ours), (low_theirs, theirs))
        upper += 2 * above_lower.size  # all negatives of the lower part are below
        above_lower += 2 * upper.size
        below, above = np.concatenate((lower, upper)), np.concatenate((above_lower, above))
    return int(below.sum()) / (2 * m * n), _component(below, n) + _component(above, m)


def delong_pair(scores_a: AnyArray, scores_b: AnyArray, positive: BoolArray) -> tuple[float, ...]:
    r"""Return two AUCs on the same cases, DeLong's variances of both and their covariance.

    :math:`\operatorname{Cov} = \operatorname{cov}(V^a_{10}, V^b_{10}) / m + \operatorname{cov}(V^a_{01}, V^b_{01}) / n` over the
    placements of the same positive and negative cases. DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837-845.
    """
    (a, positive), (b, _) = checked(scores_a, positive), checked(scores_b, positive)
    m = int(np.count_nonzero(positive))
    n = positive.size - m
    if not (m and n):
        area = no_area(m, n)
        return area, area, math.nan, math.nan, math.nan
    shares = []
    for scores in (a, b):
        ours, theirs = scores[positive], scores[~positive]
        below, above = _doubled_wins_of(ours, np.sort(theirs)), _doubled_wins_of(theirs, np.sort(ours))
        shares.append((below / (2 * n), 1 - above / (2 * m)))
    (ours_a, theirs_a), (ours_b, theirs_b) = shares
    joint = _covariances(ours_a, ours_b) + _covariances(theirs_a, theirs_b)
    return float(ours_a.mean()), float(ours_b.mean()), float(joint[0, 0]), float(joint[1, 1]), float(joint[0, 1])


def delong_interval(auc: float, variance: float, m: float, n: float, level: float = 0.95) -> Bounds:
    r"""Return :math:`A \pm z \sqrt{\operatorname{Var}}`, clipped to [0, 1]. For comparison: too narrow near 1."""
    half = normal_quantile(level) * math.sqrt(least_variance(auc, variance, m, n))
    return max(0.0, auc - half), min(1.0, auc + half)


def logit_delong_interval(auc: float, variance: float, m: float, n: float, level: float = 0.95, z: float | None = None) -> Bounds:
    r"""Return DeLong limits on the logit scale, around an AUC shrunk by one tied pair.

    .. math:: \operatorname{logit} \tilde A \pm z \frac{\sqrt{\operatorname{Var}}}{\tilde A (1 - \tilde A)}, \quad
              \tilde A = \frac{m n A + 1/2}{m n + 1} ,

    with Var not smaller than `least_variance`. Pepe (2003), The Statistical Evaluation of Medical Tests, p. 107 (unshrunk).
    """
    shrunk, rest = _shrunk(auc, m, n), _shrunk(1 - auc, m, n)  # 1 - shrunk would be 0 with many pairs
    half = (normal_quantile(level) if z is None else z) * math.sqrt(least_variance(auc, variance, m, n)) / (shrunk * rest)
    low, high = (float(special.expit(math.log(shrunk / rest) + side * half)) for side in (-1, 1))
    return min(low, auc), max(high, auc)


def newcombe_interval(auc: float, m: float, n: float, level: float = 0.95) -> Bounds:
    r"""Return Newcombe's score limits (his method 5): the areas :math:`\theta` with :math:`|A - \theta| \le z \sqrt{V(\theta)}`.

    .. math:: V(\theta) = \frac{\theta (1 - \theta)}{m n}
              \Bigl[1 + (N^* - 1) \Bigl(\frac{1 - \theta}{2 - \theta} + \frac{\theta}{1 + \theta}\Bigr)\Bigr],
              \quad N^* = \frac{m + n}{2} .

    Newcombe (2006), Stat. Med. 25:559-573.
    """
    z = normal_quantile(level)
    return _newcombe_low(auc, m, n, z), 1 - _newcombe_low(1 - auc, m, n, z)


def hull(auc: float, variance: float, m: float, n: float, level: float = 0.95) -> Bounds:
    r"""Return the shortest interval that holds Newcombe's limits and logit-DeLong limits with Student's quantile: the default.

    Newcombe's count half a case less of the smaller class. The degrees of freedom are those of Welch and Satterthwaite for
    placements that vary alike in both classes, plus twenty,
    :math:`\nu = \frac{(1/m + 1/n)^2}{1 / (m^2 (m - 1)) + 1 / (n^2 (n - 1))} + 20`. In simulations of 3 to 10
    cases among 50 to 1,000, AUC .5 to .99, the limits held the truth in .93 to .99 of the samples.
    """
    several = min(m, n) >= _ALONE
    low, high = newcombe_interval(auc, min(m, n) - 0.5 if several else min(m, n), max(m, n), level)
    quantile = normal_quantile(level)
    if several and variance > _floor(m, n):
        freedom = (1 / m + 1 / n) ** 2 / (1 / (m * m * (m - 1)) + 1 / (n * n * (n - 1)))
        quantile = float(-special.stdtrit(freedom + 20, (1 - level) / 2))
    other_low, other_high = logit_delong_interval(auc, variance, m, n, level, quantile)
    return min(low, other_low), max(high, other_high)


def least_variance(auc: float, variance: float, m: float, n: float) -> float:
    r"""Return DeLong's variance, or a floor where it is 0 or undefined.

    No pair out of order: :math:`1 / (2 m^2 n^2)`, as if one pair were tied. All scores tied, or one case in a class:
    :math:`\tilde A (1 - \tilde A) / \min(m, n)`, the most there can be (Birnbaum and Klose 1957, Ann. Math. Stat. 28:933-945).
    """
    unknown = math.isnan(variance) or min(m, n) < _ALONE or (variance <= 0 and 0 < auc < 1)
    most = _shrunk(auc, m, n) * _shrunk(1 - auc, m, n) / min(m, n)
    return most if unknown else max(variance, _floor(m, n))


def _floor(m: float, n: float) -> float:
    return 0.5 / (float(m) * n) ** 2


def _shrunk(auc: float, m: float, n: float) -> float:
    pairs = float(m) * n
    return (pairs * auc + 0.5) / (pairs + 1)


def _newcombe_low(auc: float, m: float, n: float, z: float) -> float:
    """Solve (A - t)^2 = z^2 V(t) below A; at A = 1 the root t = 1 is divided out."""
    if auc <= 0:
        return 0.0

    def per_side(t: float) -> float:
        return z * z * t * (1 + ((m + n) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t))) / (float(m) * n)

    def excess(t: float) -> float:
        return 1 - t - per_side(t) if auc >= 1 else (auc - t) ** 2 - (1 - t) * per_side(t)

    return float(brentq(excess, 0.0, auc, xtol=1e-16, rtol=1e-15))


def _merged(ours: AnyArray, theirs: AnyArray) -> tuple[IntArray, IntArray]:
    """Sort both classes in place, and look up the smaller in the larger."""
    ours.sort()
    theirs.sort()
    if ours.size <= theirs.size:
        below, up_to = _counts(ours, theirs)
        return below, 2 * ours.size - up_to
    up_to, below = _counts(theirs, ours)
    return below, 2 * ours.size - up_to


def _counts(few: AnyArray, many: AnyArray) -> tuple[IntArray, IntArray]:
    """Return twice how many of `many` lie below each of `few`, and of `few` below each of `many`; a tie counts once."""
    # only `few` is looked up: where it falls among `many` also says how many of it lie below each of `many`
    left = np.searchsorted(many, few, side="left")
    tied = few.size > 0 and bool((many[np.minimum(left, many.size - 1)] == few).any())
    right = np.searchsorted(many, few, side="right") if tied else left
    below, up_to = (np.cumsum(np.bincount(at, minlength=many.size + 1)[:-1]) for at in (right, left))
    return left + right, below + up_to


def _doubled_wins_of(scores: AnyArray, others: AnyArray) -> IntArray:
    order = np.argsort(scores)  # sorted look-ups stay in the cache
    ascending = scores[order]
    wins = np.empty(scores.size, dtype=np.int64)
    wins[order] = np.searchsorted(others, ascending, side="left") + np.searchsorted(others, ascending, side="right")
    return wins


def _component(doubled: IntArray, others: int) -> float:
    """Return the variance of the mean of the placements doubled / (2 others)."""
    size = doubled.size
    return float(np.var(doubled, ddof=1)) / size / (2.0 * others) ** 2 if size > 1 else math.nan


def _covariances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the 2 x 2 covariances of the means of two columns."""
    return np.full((2, 2), np.nan) if a.size == 1 else np.cov(np.stack((a, b))) / a.size


def bounded_interval(mean: float, square: float, n: float, *, high: float, level: float = 0.95) -> Bounds:
    r"""Return t limits on the logit of a mean of losses in [0, high], a quarter of a case at either end added.

    :math:`\operatorname{logit}(\tilde m / h) \pm t_{n-1} \tilde s h / (\sqrt n\, \tilde m (h - \tilde m))`.
    After Agresti and Coull (1998), Am. Stat. 52:119-126.
    """
    centre, variance = _padded(mean, square, n, loss=high, lost=0.25)
    half = _t_of_mean(n, level) * math.sqrt(variance / n) * high / (centre * (high - centre))
    ends = [high * float(special.expit(float(special.logit(centre / high)) + side * half)) for side in (-1, 1)]
    return min(mean, ends[0]), max(mean, ends[1])


def open_interval(mean: float, square: float, n: float, *, loss: float, level: float = 0.95) -> Bounds:
    r"""Return t limits on the logarithm of a mean of losses >= 0, half a case with loss 0 and half a case with `loss` added.

    :math:`\log \tilde m \pm t_{n-1} \tilde s / (\sqrt n\, \tilde m)`.
    """
    centre, variance = _padded(mean, square, n, loss=loss, lost=0.5)
    low, high = _around(centre, math.sqrt(variance / n), _t_of_mean(n, level))
    return min(mean, low), max(mean, high)


def _padded(mean: float, square: float, n: float, *, loss: float, lost: float) -> Bounds:
    """Return mean and variance with `lost` of a case at 0 and as much of one at `loss` added."""
    size = n + 2 * lost
    centre = (n * mean + lost * loss) / size
    alone = lost * loss * loss / (2 * size)  # what the added part has within itself, whatever rounds
    return centre, max((n * square + lost * loss * loss) / size - centre * centre, alone)


def error_interval(mean: float, square: float, n: float, *, level: float = 0.95) -> Bounds:
    r"""Return the hull of t limits on the logarithm of a mean error and of those of a scaled chi-square.

    Its degrees of freedom are :math:`\nu = 2 m^2 / \operatorname{Var}(m)`, :math:`\operatorname{Var}(m)` enlarged by
    :math:`(t_{n-1} / z)^2`, its limits :math:`\nu m / \chi^2_\nu`. Satterthwaite (1946), Biometrics Bull. 2:110-114.
    """
    relative = max((square / mean / mean - 1) / (n - 1), n**-2)  # over the mean squared: errors near 1e-200 have no square
    t, z = _t_of_mean(n, level), float(special.ndtri((1 + level) / 2))
    low, high = _around(mean, mean * math.sqrt(relative), t)
    shape = (z / t) ** 2 / relative
    ends = [mean * shape / max(float(special.gammaincinv(shape, share)), 1e-300) for share in ((1 + level) / 2, (1 - level) / 2)]
    return min(low, ends[0]), max(high, ends[1])


def worst_high(total: float, square: float, n: float, *, worst: float, level: float = 0.95) -> float:
    r"""Return the upper t limit of a mean loss with one more case of loss `worst` added.

    Losses with tails so heavy that they have no variance, as squared errors of Student's t with 3 degrees of freedom, are not
    held by limits that know only the cases seen: those seen are too small, mostly. `total` and `square` are means.
    """
    mean = (n * total + worst) / (n + 1)
    variance = max((n * square + worst**2) / (n + 1) - mean**2, 0.0)
    return mean + _t_of_mean(n, level) * math.sqrt(variance / n)


def mean_interval(mean: float, square: float, n: float, *, level: float = 0.95) -> Bounds:
    """Return t limits of a mean of numbers of any sign, given the mean of their squares."""
    half = _t_of_mean(n, level) * math.sqrt(max(square - mean**2, 0.0) / (n - 1))
    return mean - half, mean + half


def ratio_interval(ratio: float, spread: float, n: float, *, level: float = 0.95) -> Bounds:
    """Return t limits on the logarithm of a ratio of means with standard error `spread`, not taken below ratio / n."""
    return _around(ratio, max(spread, ratio / n), _t_of_mean(n, level))


def average_precision_interval(value: float, n: float, level: float = 0.95) -> Bounds:
    r"""Return the logit interval of an average precision over `n` positive cases, shrunk by half a case either way.

    :math:`\operatorname{logit} \tilde p \pm z / \sqrt{n \tilde p (1 - \tilde p)}`. Boyd, Eng and Page (2013), ECML PKDD, LNCS
    8190:451-466 (unshrunk).
    """
    shrunk = (n * value + 0.5) / (n + 1)
    half = float(special.ndtri((1 + level) / 2)) / math.sqrt(n * shrunk * (1 - shrunk))
    low, high = (float(special.expit(float(special.logit(shrunk)) + side * half)) for side in (-1, 1))
    return min(low, value), max(high, value)


def _around(centre: float, spread: float, t: float) -> Bounds:
    """Return t limits on the logarithm; 0 has none but itself."""
    if not centre:
        return 0.0, 0.0
    factor = math.exp(min(t * spread / centre, _LARGEST))
    return centre / factor, centre * factor


def _t_of_mean(n: float, level: float) -> float:
    return float(special.stdtrit(n - 1, (1 + level) / 2))
