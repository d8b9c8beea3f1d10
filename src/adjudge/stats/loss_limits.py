r"""Limits of mean losses: on a scale that keeps them in range, and never of width 0.

From a mean loss, the mean of squared losses and how many cases there were (of weighted ones: how many they are worth).
A rare large loss that a small sample missed is what makes plain limits too narrow, and equal losses say nothing of their
spread; so limits are taken as if a little more had been seen: part of a case, half of it lost as much as one can lose.
"""

from __future__ import annotations

import math

_LARGEST = 700.0  # exponents beyond leave the range of floats


def bounded_limits(mean: float, square: float, n: float, *, high: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return t limits on the logit of a mean of losses in [0, high], as if half a case more had been seen.

    A quarter of a case with loss 0 and a quarter with loss h, so :math:`\tilde m = (n m + h / 4) / (n + 1/2)` and likewise
    the mean square; then :math:`\operatorname{logit}(\tilde m / h) \pm t_{n-1} \tilde s h / (\sqrt n\, \tilde m (h - \tilde m))`.
    The limits hold the mean itself. After Agresti and Coull (1998), Am. Stat. 52:119-126.
    """
    from scipy.special import expit, logit

    centre, variance = _padded(mean, square, n, loss=high, lost=0.25)
    half = _t(n, level) * math.sqrt(variance / n) * high / (centre * (high - centre))
    ends = [high * float(expit(float(logit(centre / high)) + side * half)) for side in (-1, 1)]
    return min(mean, ends[0]), max(mean, ends[1])


def open_limits(mean: float, square: float, n: float, *, loss: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return t limits on the logarithm of a mean of losses >= 0, as if one case more had been seen, half of it lost `loss`.

    :math:`\log \tilde m \pm t_{n-1} \tilde s / (\sqrt n\, \tilde m)`. The limits hold the mean itself.
    """
    centre, variance = _padded(mean, square, n, loss=loss, lost=0.5)
    low, high = _around(centre, math.sqrt(variance / n), _t(n, level))
    return min(mean, low), max(mean, high)


def _padded(mean: float, square: float, n: float, *, loss: float, lost: float) -> tuple[float, float]:
    """Return mean and variance with `lost` of a case at 0 and as much of one at `loss` added."""
    size = n + 2 * lost
    centre = (n * mean + lost * loss) / size
    alone = lost * loss * loss / (2 * size)  # what the added part has within itself, whatever rounds
    return centre, max((n * square + lost * loss * loss) / size - centre * centre, alone)


def error_limits(mean: float, square: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    r"""Return the hull of t limits on the logarithm of a mean error and of those of a scaled chi-square.

    The chi-square has :math:`\nu = 2 m^2 / \operatorname{Var}(m)` degrees of freedom, with :math:`\operatorname{Var}(m)`
    enlarged by :math:`(t_{n-1} / z)^2`, and :math:`\nu m / \chi^2_\nu` as limits: exact in shape for the mean square of normal
    errors. Alone, the first misses too low, the second too high. The spread is not taken smaller than :math:`m / n`, as it
    would be if half a case had lost nothing and half twice the mean. Satterthwaite (1946), Biometrics Bull. 2:110-114.
    """
    from scipy.special import gammaincinv, ndtri

    relative = max((square / mean / mean - 1) / (n - 1), n**-2)  # over the mean squared: errors near 1e-200 have no square
    t, z = _t(n, level), float(ndtri((1 + level) / 2))
    low, high = _around(mean, mean * math.sqrt(relative), t)
    shape = (z / t) ** 2 / relative
    ends = [mean * shape / max(float(gammaincinv(shape, share)), 1e-300) for share in ((1 + level) / 2, (1 - level) / 2)]
    return min(low, ends[0]), max(high, ends[1])


def ratio_limits(ratio: float, spread: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return t limits on the logarithm of a ratio of means with standard error `spread`, not taken below ratio / n."""
    return _around(ratio, max(spread, ratio / n), _t(n, level))


def average_precision_limits(value: float, n: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return the logit interval of an average precision over `n` positive cases.

    :math:`\operatorname{logit} \tilde p \pm z / \sqrt{n \tilde p (1 - \tilde p)}`, with the value shrunk by half a case either
    way so that 1 has a width. Boyd, Eng and Page (2013), ECML PKDD, LNCS 8190:451-466 (unshrunk).
    """
    from scipy.special import expit, logit, ndtri

    shrunk = (n * value + 0.5) / (n + 1)
    half = float(ndtri((1 + level) / 2)) / math.sqrt(n * shrunk * (1 - shrunk))
    low, high = (float(expit(float(logit(shrunk)) + side * half)) for side in (-1, 1))
    return min(low, value), max(high, value)


def _around(centre: float, spread: float, t: float) -> tuple[float, float]:
    """Return t limits on the logarithm."""
    factor = math.exp(min(t * spread / centre, _LARGEST))
    return centre / factor, centre * factor


def _t(n: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, (1 + level) / 2))
