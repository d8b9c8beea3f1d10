"""Limits for a sum of independent estimates from the limits of each: balanced accuracy, above all."""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray


def mover(values: FloatArray, lows: FloatArray, highs: FloatArray, weights: FloatArray) -> tuple[float, float]:
    r"""Return the limits of :math:`\sum w_i \theta_i` from the limits :math:`l_i \le \hat\theta_i \le u_i` of each.

    The distance of each limit from its own estimate stands for a standard error that fits that side:

    .. math:: L = \hat\theta - \sqrt{\sum w_i^2 (\hat\theta_i - l_i)^2}, \quad
              U = \hat\theta + \sqrt{\sum w_i^2 (u_i - \hat\theta_i)^2} ,

    with :math:`l_i` and :math:`u_i` exchanged where :math:`w_i < 0`. One estimate of weight 1 keeps its limits. The
    square root is at most the sum, so limits never leave the range that :math:`\sum w_i l_i` and :math:`\sum w_i u_i`
    span. Zou and Donner (2008), Stat. Med. 27:1693-1702.

    >>> low, high = mover(np.array([0.9, 0.6]), np.array([0.8, 0.4]), np.array([0.95, 0.8]), np.array([0.5, 0.5]))
    >>> round(low, 4), round(high, 4)
    (0.6382, 0.8531)
    """
    values, lows, highs, weights = (np.asarray(each, dtype=np.float64) for each in (values, lows, highs, weights))
    below = weights * np.where(weights < 0, values - highs, values - lows)
    above = weights * np.where(weights < 0, values - lows, values - highs)
    centre = float(weights @ values)
    return centre - math.hypot(*below.tolist()), centre + math.hypot(*above.tolist())


def unbiased_centre(correct: AnyArray, support: AnyArray, level: float = 0.95) -> tuple[float, float]:
    r"""Return limits for the mean of K recalls: the observed mean, give or take a posterior spread.

    .. math:: \frac1K \sum \frac{c_k}{n_k} \pm \frac{z}{K} \sqrt{\sum \frac{a_k b_k}{(a_k + b_k)^2 (a_k + b_k + 1)}},
              \quad a_k = c_k + 1,\ b_k = n_k - c_k + 1 ,

    clipped to [0, 1]. The flat prior of each class pulls its recall towards 1/2 and the pulls add up over many
    classes, so the centre is the observed mean and only the spread, which is never 0, is the posterior's. Classes without a
    case are left out; without any, (0, 1). Meant for K >= 10; below, `mover` on Jeffreys limits covers better.
    Too narrow where many classes have one to three cases: .87 in place of .95 at a mean recall of .8.

    >>> low, high = unbiased_centre(np.full(10, 18), np.full(10, 20))
    >>> round(low, 4), round(high, 4)
    (0.8556, 0.9444)
    """
    from scipy.special import ndtri

    seen = np.asarray(support) > 0
    c, n = np.asarray(correct, dtype=np.float64)[seen], np.asarray(support, dtype=np.float64)[seen]
    if not n.size:
        return 0.0, 1.0
    share = (c + 1) / (n + 2)
    spread = math.sqrt(float((share * (1 - share) / (n + 3)).sum())) / n.size
    centre, half = float((c / n).mean()), -float(ndtri((1 - level) / 2)) * spread
    return max(0.0, centre - half), min(1.0, centre + half)
