"""Limits for a sum of independent estimates from the limits of each: balanced accuracy, above all."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.stats.binomial import wilson


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


def unbiased_centre(
    correct: AnyArray,
    support: AnyArray,
    level: float = 0.95,
    weights: AnyArray | None = None,
    limits: Callable[[float, float, float], tuple[float, float]] = wilson,
) -> tuple[float, float]:
    r"""Return limits for the mean of K recalls: those of a share of as many cases as the observed mean is worth.

    .. math:: \hat\mu = \frac1K \sum \frac{c_k}{n_k}, \quad
              n^* = \frac{\bar s (1 - \bar s)}{V}, \quad V = \frac{1}{K^2} \sum v_k ,

    with the shares :math:`s_k` and variances :math:`v_k` of `steadied`; the limits are Wilson's for :math:`n^* \hat\mu` of
    :math:`n^*` cases (the effective size of Korn and Graubard 1998, Surv. Methodol. 24:193-201). A flat prior, worth two
    cases, would pull each recall towards 1/2, and the pulls add up over many classes; so the centre is the observed mean,
    and in the variance alone two cases are added to a class, at the mean recall. Classes without a case are left out; without
    any, (0, 1). Meant for K >= 10; below, `mover` on Jeffreys limits covers better. With `weights`, which sum to 1, the
    means are weighted ones, and V sums :math:`w_k^2 v_k`; `limits` of a share other than Wilson's may be asked for.

    In simulations of 10 to 1000 classes of 3 to 100 cases on average, with half an error expected or thousands, the limits
    held the truth in .91 to .98 of the tables.

    >>> low, high = unbiased_centre(np.full(10, 18), np.full(10, 20))
    >>> round(low, 4), round(high, 4)
    (0.8494, 0.9349)
    """
    seen = np.asarray(support) > 0
    c, n = np.asarray(correct, dtype=np.float64)[seen], np.asarray(support, dtype=np.float64)[seen]
    if not n.size:
        return 0.0, 1.0
    w = np.full(n.size, 1 / n.size) if weights is None else np.asarray(weights, dtype=np.float64)[seen]
    shares, variances = steadied(c, n)
    centre, steady = min(math.fsum(w * (c / n)), 1.0), float(w @ shares)
    worth = steady * (1 - steady) / float(w**2 @ variances)
    return limits(centre * worth, worth, level)


def steadied(hits: FloatArray, cases: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return K shares, each drawn by two cases towards their mean, and from them the variances of the observed shares.

    .. math:: s_k = \frac{c_k + 2 \mu}{n_k + 2}, \quad
              v_k = \frac{s_k (1 - s_k)}{n_k} \cdot \frac{(n_k + 2)^2}{(n_k + 2)^2 - n_k} .

    One case says nothing of its own variance, so it borrows from the others. The last factor makes :math:`v_k` unbiased
    where all shares are :math:`\mu`, which is the observed mean with two hits and two misses added to the
    :math:`K^2 / \sum 1/n_k` cases it is worth (as Agresti and Coull 1998, Am. Stat. 52:119-126), hence neither 0 nor 1.

    >>> shares, variances = steadied(np.array([1.0, 8.0]), np.array([1.0, 10.0]))
    >>> shares.round(3), variances.round(3)
    (array([0.794, 0.782]), array([0.184, 0.018]))
    """
    worth = cases.size**2 / float((1 / cases).sum())
    middle = (worth * float((hits / cases).mean()) + 2) / (worth + 4)
    shares, whole = (hits + 2 * middle) / (cases + 2), (cases + 2) ** 2
    return shares, shares * (1 - shares) / cases * (whole / (whole - cases))
