r"""What chance does to the difference of two exchangeable classifiers: swap who said what, case by case.

If neither is better, the data do not tell which answer came from which, and every swap within a case is as likely as none.
The share of swaps with a difference at least as large as the observed one is the p-value of the permutation test. Here those
equally large count half (mid-P), as in the Dirichlet posterior of paired outcomes: for the accuracy both are the same number.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray

_ALONE = 12  # steps whose signs are enumerated; the rest of them is nearly normal
_ROUNDING = 1e-9
_HALF = 0.5
_COUNTABLE = 10  # draws beyond a value that tell how probable it is, to about a third


def mid_tail(values: FloatArray, weights: FloatArray, at: float) -> float:
    """Return the share of `values` above `at`, those equal to it counted half; undefined values are left out.

    >>> mid_tail(np.array([-1.0, 0.0, 0.0, 1.0]), np.full(4, 0.25), 0.0)
    0.5
    """
    known = np.isfinite(values)
    values, weights = values[known], weights[known]
    near = np.abs(values - at) <= _ROUNDING
    return float((weights[(values > at) & ~near].sum() + weights[near].sum() / 2) / weights.sum())


def drawn_tail(values: FloatArray, at: float) -> float:
    """Return the mid-P of `at` among draws, it being one of them; where too few lie beyond it to count, that of a normal.

    A count of draws has a floor of half a draw: a lead of ten standard deviations would look no surer than one of four.

    >>> leads = np.linspace(-1, 1, 2001)
    >>> drawn_tail(leads, 0.9) > 0.05 > drawn_tail(leads, 9.0)
    True
    """
    from scipy.special import ndtr

    known = np.append(values[np.isfinite(values)], at)
    p = mid_tail(known, np.full(known.size, 1 / known.size), at)
    spread = float(known[:-1].std()) if known.size > 1 else 0.0
    if spread == 0 or min(p, 1 - p) * known.size > _COUNTABLE:
        return p
    far = float(ndtr((float(known[:-1].mean()) - at) / spread))
    return min(p, far) if p < _HALF else max(p, far)


def coin_counts(sizes: IntArray, most: int, rng: Any = 0) -> tuple[IntArray, FloatArray]:
    """Return how many of `sizes` fair coins show heads, one column a size, and how probable each row is.

    All outcomes where there are at most `most` of them. Otherwise about that many draws, of which one half mirrors the other;
    their probabilities leave room for one more, which is what was observed.
    """
    from scipy.special import gammaln

    if math.prod(int(size) + 1 for size in sizes) <= most:
        each = list(product(*(range(int(size) + 1) for size in sizes)))
        heads = np.array(each, dtype=np.int64).reshape(len(each), sizes.size)
        ways = gammaln(sizes + 1) - gammaln(heads + 1) - gammaln(sizes - heads + 1)
        return heads, np.asarray(np.prod(np.exp(ways - sizes * math.log(2)), axis=1))
    drawn = np.random.default_rng(rng).binomial(sizes, 0.5, (most // 2, sizes.size))
    heads = np.concatenate((drawn, sizes - drawn))
    return heads, np.full(len(heads), 1 / (len(heads) + 1))


def signed_tail(steps: FloatArray, at: float) -> float:
    """Return how probable it is that steps to either side, each as likely, add up to more than `at`; to `at` itself counts half.

    The signs of the largest steps are enumerated; what is left of many is normal with the variance it has.

    >>> signed_tail(np.array([1.0, 2.0]), 3.0)
    0.125
    """
    steps = np.sort(np.abs(steps[steps != 0]))[::-1]
    large, rest = steps[:_ALONE], float(np.sqrt(np.square(steps[_ALONE:]).sum()))
    sums = np.zeros(1)
    for step in large:
        sums = np.concatenate((sums + step, sums - step))
    if rest > 0:
        from scipy.special import ndtr

        return float(ndtr((sums - at) / rest).mean())
    scale = float(large.sum()) or 1.0
    return mid_tail(sums / scale, np.full(sums.size, 1 / sums.size), at / scale)


def area_steps(a: AnyArray, b: AnyArray, positive: BoolArray, weight: FloatArray) -> FloatArray:
    r"""Return what each case adds to the difference of two AUCs: swapping the ranks of a case turns its sign.

    Let :math:`\psi_{xy}` be 1 for pairs that the ranks x of the positive and y of the negative cases have in order, and half for
    ties. Positive case i adds :math:`\tfrac12 \sum_j (\psi_{aa} - \psi_{bb} - \psi_{ba} + \psi_{ab})_{ij} / mn`, negative case
    j adds :math:`\tfrac12 \sum_i (\psi_{aa} - \psi_{bb} + \psi_{ba} - \psi_{ab})_{ij} / mn`: after any swaps the difference is
    a sum of steps with signs. Bandos, Rockette and Gur (2005), Stat. Med. 24:2873-2893; ranks in place of scores: Venkatraman
    and Begg (1996), Biometrika 83:835-848.
    """
    ours, theirs = np.flatnonzero(positive), np.flatnonzero(~positive)
    sides = []
    for scores in (a, b):
        _, place, times = np.unique(scores, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(times) - times / 2)[place.ravel()]  # of ties their mean
        sides.append([_Side(ranks[rows], weight[rows]) for rows in (ours, theirs)])
    (up_a, down_a), (up_b, down_b) = sides
    gained = down_a.below(up_a) - down_b.below(up_b), down_a.below(up_b) - down_b.below(up_a)
    lost = up_b.below(down_b) - up_a.below(down_a), up_a.below(down_b) - up_b.below(down_a)
    steps = np.empty(weight.size)
    steps[ours] = weight[ours] * (gained[0] - gained[1]) / 2
    steps[theirs] = weight[theirs] * (lost[0] + lost[1]) / 2
    return steps / (float(weight[ours].sum()) * float(weight[theirs].sum()))


class _Side:
    """The ranks and weights of one class."""

    __slots__ = ("order", "ranks", "sums", "weight")

    def __init__(self, ranks: FloatArray, weight: FloatArray) -> None:
        self.ranks, self.weight = ranks, weight
        self.order = np.sort(ranks)
        self.sums = np.append(0.0, np.cumsum(weight[np.argsort(ranks, kind="stable")]))

    def below(self, other: _Side) -> FloatArray:
        """Return the weight of this side below each of another, ties counted half."""
        left, right = (self.sums[np.searchsorted(self.order, other.ranks, side=side)] for side in ("left", "right"))
        return np.asarray((left + right) / 2)


def welch(influences: FloatArray, part: IntArray, weight: FloatArray) -> tuple[float, float]:
    r"""Return the variance of a sum of weighted means, one a part, and the degrees of freedom that it is known with.

    .. math:: V = \sum_y \pi_y^2 \frac{s_y^2}{n_y}, \quad \nu = \frac{V^2}{\sum_y (\pi_y^2 s_y^2 / n_y)^2 / (n_y - 1)} ,

    where the parts have shares :math:`\pi_y` and are worth :math:`n_y` cases. Means of parts that differ add one more part, of
    all cases; a part worth one case adds nothing within itself. The degrees of freedom are undefined without any variance.
    Welch (1947), Biometrika 34:28-35; Satterthwaite (1946), Biometrics Bull. 2:110-114.
    """
    total, everyone = float(weight.sum()), float(weight.sum()) ** 2 / float(np.square(weight).sum())
    pieces, freedoms, between = [], [], 0.0
    for each in np.unique(part):
        rows = part == each
        w = weight[rows]
        worth = float(w.sum()) ** 2 / float(np.square(w).sum())
        share, mean = float(w.sum()) / total, float(np.average(influences[rows], weights=w))
        spread = float(np.average((influences[rows] - mean) ** 2, weights=w))
        between += share * mean**2
        pieces.append(share**2 * spread / (worth - 1) if worth > 1 + _ROUNDING else 0.0)
        freedoms.append(worth - 1)
    pieces.append(between / everyone)
    freedoms.append(everyone - 1)
    variance = math.fsum(pieces)
    known = [v * v / df for v, df in zip(pieces, freedoms, strict=True) if v > 0]
    return variance, variance**2 / math.fsum(known) if known else math.nan
