r"""What is fitted in each region: moments of the memberships, how often each class is true, and the laws to move between.

At depth d a region holds the cases with the same d classes of highest membership, :math:`o_1, \dots, o_d`. Their memberships
are taken for a Dirichlet, drawn one Beta after another (Gelman et al. 1995, p. 482): of what the classes before have left,

.. math:: \varphi_j = \frac{m(o_j)}{1 - \sum_{i<j} m(o_i)} \sim
          \mathrm{B}\Bigl(\alpha_0 \bar m_j,\; \alpha_0 \bigl(1 - \textstyle\sum_{i \le j} \bar m_i\bigr)\Bigr), \quad
          \alpha_0 = \frac{\bar m_1 (1 - \bar m_1)}{v_1} - 1 ,

and moved to a Beta with the observed frequencies p in place of the means and :math:`N^s = \min(N, \alpha_0)` in place of
:math:`\alpha_0`. At depth one that is the scaling of Sondhauss and Weihs (2001), with the "- 1" that the moments need.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, FloatArray, IntArray

MATCH, CONSTANT, SHIFT, TWO_POINTS = range(4)
"""What happens to a value: to the same quantile of another Beta; to one point; along by some amount, at most to 1; to 0 or 1."""
_ROUNDING = 16 * np.finfo(np.float64).eps
_EVEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Memberships taken apart: those of the classes of the order, what is left of 1 before each and at last, and the others."""

    tops: FloatArray
    left: FloatArray
    others: FloatArray
    """A new matrix, 0 where the classes of the order stand."""


def split(m: FloatArray, order: IntArray) -> Split:
    """Take memberships apart; small ones are added up first, so that what is left keeps its digits."""
    (n, g), depth = m.shape, order.shape[1]
    others, tops, left = np.empty((n, g)), np.empty((depth, n)), np.empty((depth + 1, n))
    for start in range(0, n, BLOCK):
        part = slice(start, start + BLOCK)
        others[part] = m[part]
        block, rows = others[part], np.arange(len(others[part]))
        for j in range(depth):
            tops[j, part] = block[rows, order[part, j]]
            block[rows, order[part, j]] = 0.0
        np.matmul(block, np.ones(g), out=left[depth, part])
        for j in reversed(range(depth)):
            np.add(left[j + 1, part], tops[j, part], out=left[j, part])
    return Split(tops, left, others)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums over the cases of each region; a row for each region, or for each of many replicates of one."""

    n: FloatArray
    means: FloatArray
    """Mean memberships of the classes that name the region, in their order."""
    rests: FloatArray
    """Mean of what is left of 1 after each of them, with digits that 1 less the means would have lost."""
    variance: FloatArray
    """Of the assignment values, the memberships of the first of them."""
    counts: FloatArray
    """Cases that truly are of each class."""
    own: IntArray
    """The classes that name the region."""

    @property
    def frequencies(self) -> FloatArray:
        """How often each class is true."""
        return self.counts / self.n[:, None]

    @property
    def named_frequencies(self) -> FloatArray:
        """How often each class that names the region is true."""
        return np.take_along_axis(self.frequencies, self.own, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What to do with the share of each class that names a region; regions by places in the order."""

    a: FloatArray
    b: FloatArray
    to_a: FloatArray
    to_b: FloatArray
    kind: IntArray
    value: FloatArray
    """The point of CONSTANT, the amount of SHIFT."""


def moments(region: IntArray, own: IntArray, split: Split, truth: IntArray, g: int) -> Moments:
    """Return the moments of regions numbered from 0, named by the classes in `own`."""
    size, depth = own.shape
    n = np.bincount(region, minlength=size).astype(np.float64)
    means, rests = (
        np.stack([np.bincount(region, weights=part[j], minlength=size) / n for j in range(depth)], axis=1)
        for part in (split.tops, split.left[1:])
    )
    off = split.left[1] - rests[region, 0]
    spread = np.bincount(region, weights=off * off, minlength=size)
    counts = np.bincount(region * g + truth, minlength=size * g).reshape(size, g).astype(np.float64)
    return Moments(n, means, rests, spread / n / less_one(n), counts, own)


def less_one(n: FloatArray) -> FloatArray:
    """Return (n - 1) / n, by which the variance of n cases is too small; half for the weight of less than two."""
    return np.maximum(1 - 1 / n, _EVEN)


def precision_of(found: Moments) -> FloatArray:
    r"""Return :math:`\alpha_0` of each region; infinite where the assignment values are all the same.

    With n - 1 the variance of fewer cases than classes can be too large for any Beta; with n it never is, since no
    assignment value is below 1/G.
    """
    mean, rest, n = found.means[:, 0], found.rests[:, 0], found.n
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = mean * rest / found.variance - 1
        possible = mean * rest / (found.variance * less_one(n)) - 1
    none = found.variance <= (_ROUNDING * rest) ** 2
    return np.where(none, np.inf, np.where(wanted > 0, wanted, possible))


def paper(found: Moments) -> Levels:
    """Return the laws of regions by their moments."""
    precision, p = precision_of(found), found.named_frequencies
    to, after = np.minimum(found.n, precision)[:, None], 1 - np.cumsum(p, axis=1)
    after = np.where(after > _ROUNDING, after, 0.0)
    known = np.isfinite(precision)[:, None]
    share = np.where(known, precision[:, None], 0.0)  # points need no law
    a, b, to_a, to_b = share * found.means, share * found.rests, to * p, to * after
    with np.errstate(invalid="ignore"):
        point = p / (p + after)
    point = np.where(np.isnan(point), _EVEN, point)  # nothing is left to share out
    lawful = (a > 0) & (b > 0) & (to_a > 0) & (to_b > 0)
    return Levels(a, b, to_a, to_b, np.where(lawful, MATCH, CONSTANT), point)


def pointed(levels: Levels, region: int, j: int, v: FloatArray) -> FloatArray:
    """Return the shares of class j of the order where they go to no other law: to one point, along, or to two points."""
    from scipy.special import betainc

    kind, value = levels.kind[region, j], levels.value[region, j]
    if kind == CONSTANT:
        return np.full(v.size, value)
    if kind == SHIFT:
        return np.asarray(np.minimum(v + value, 1.0))
    return np.asarray((np.sign(betainc(levels.a[region, j], levels.b[region, j], v) - _EVEN) + 1) / 2)


def classes_of(keys: IntArray, before: AnyArray, g: int) -> IntArray:
    """Return the classes that name regions: those of the shorter order they continue, and the next."""
    return np.column_stack([before[keys // g], keys % g]).astype(np.int64)
