r"""Memberships scaled to what they are worth: in each region moved towards how often the classes are true there.

At depth d a region holds the cases with the same d classes of highest membership, :math:`o_1, \dots, o_d`. Their memberships
are taken for a Dirichlet, drawn one Beta after another (Gelman et al. 1995, p. 482): of what the classes before have left,

.. math:: \varphi_j = \frac{m(o_j)}{1 - \sum_{i<j} m(o_i)} \sim
          \mathrm{B}\Bigl(\alpha_0 \bar m_j,\; \alpha_0 \bigl(1 - \textstyle\sum_{i \le j} \bar m_i\bigr)\Bigr), \quad
          \alpha_0 = \frac{\bar m_1 (1 - \bar m_1)}{v_1} - 1 ,

and moved to a Beta with the observed frequencies p in place of the means and :math:`N^s = \min(N, \alpha_0)` in place of
:math:`\alpha_0`. At depth one that is the scaling of Sondhauss and Weihs (2001), with the "- 1" that the moments need.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray, blocks
from adjudge._base.records import dataclass
from adjudge.partitions.goodness import row_sums
from adjudge.partitions.matching import moved
from adjudge.stats import special
from adjudge.stats.exact_sums import exact_sums_at, to_floats

Ties: TypeAlias = Literal["first", "random"]
MATCH, CONSTANT, SHIFT, TWO_POINTS = range(4)
"""What happens to a value: to the same quantile of another Beta; to one point; along by some amount, at most to 1; to 0 or 1."""
_ROUNDING = 16 * np.finfo(np.float64).eps
_EVEN = 0.5
LITTLE = 1e-4  # variance below which klaR shifts values
MOST = 1e4  # the largest alpha + beta of klaR
TIED = 1e-5  # memberships nearer to the highest than this share of it count as tied with it
CORNER = 1e-6  # what is left of 1 from which on it is shared in the old proportions, and below which equally


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Memberships taken apart: those of the classes of the order, what is left of 1 before each and at last, and the others."""

    tops: FloatArray
    left: FloatArray
    others: FloatArray  # a new matrix, 0 where the classes of the order stand


def split(m: FloatArray, order: IntArray) -> Split:
    """Take memberships apart; small ones are added up first, so that what is left keeps its digits."""
    (n, g), depth = m.shape, order.shape[1]
    others, tops, left = np.empty((n, g)), np.empty((depth, n)), np.empty((depth + 1, n))
    for part in blocks(n):
        others[part] = m[part]
        block, rows = others[part], np.arange(len(others[part]))
        for j in range(depth):
            tops[j, part] = block[rows, order[part, j]]
            block[rows, order[part, j]] = 0.0
        left[depth, part] = row_sums(block)
        for j in reversed(range(depth)):
            np.add(left[j + 1, part], tops[j, part], out=left[j, part])
    return Split(tops, left, others)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums over the cases of each region; a row for each region, or for each of many replicates of one."""

    n: FloatArray
    means: FloatArray  # mean memberships of the classes that name the region, in their order
    rests: FloatArray  # mean of what is left of 1 after each of them, with digits that 1 less the means would have lost
    variance: FloatArray  # of the assignment values, the memberships of the first of them
    counts: FloatArray  # cases by their true class
    own: IntArray  # the classes that name the region

    @property
    def frequencies(self) -> FloatArray:
        """How often each class that names the region is true."""
        return np.take_along_axis(self.counts / self.n[:, None], self.own, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What to do with the share of each class that names a region; regions by places in the order."""

    distributions: FloatArray  # a and b of the Beta that shares come from, and of the one where they go; first of the axes
    kind: IntArray
    value: FloatArray  # the point of CONSTANT, the amount of SHIFT


def moments(region: IntArray, own: IntArray, split: Split, truth: IntArray, g: int) -> Moments:
    """Return the moments of regions numbered from 0, named by the classes in `own`; the order of the cases changes no digit."""
    size, depth = own.shape
    n = np.bincount(region, minlength=size).astype(np.float64)
    means, rests = (
        np.stack([to_floats(exact_sums_at(region, part[j], size)) / n for j in range(depth)], axis=1)
        for part in (split.tops, split.left[1:])
    )
    off = split.left[1] - rests[region, 0]
    spread = to_floats(exact_sums_at(region, off * off, size))
    counts = np.bincount(region * g + truth, minlength=size * g).reshape(size, g).astype(np.float64)
    return Moments(n, means, rests, spread / n / less_one(n), counts, own)


def less_one(n: FloatArray) -> FloatArray:
    """Return (n - 1) / n, by which the variance of n cases is too small; half for the weight of less than two."""
    return np.maximum(1 - 1 / n, _EVEN)


def paper(regions: Moments) -> Levels:
    r"""Return the distributions of regions by their moments; :math:`\alpha_0` is infinite where all values are alike."""
    mean, rest, p = regions.means[:, 0], regions.rests[:, 0], regions.frequencies
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = mean * rest / regions.variance - 1
        # With n - 1 the variance of fewer cases than classes can be too large for any Beta; with n it never is.
        possible = mean * rest / (regions.variance * less_one(regions.n)) - 1
    none = regions.variance <= (_ROUNDING * rest) ** 2
    precision = np.where(none, np.inf, np.where(wanted > 0, wanted, possible))
    to, after = np.minimum(regions.n, precision)[:, None], 1 - np.cumsum(p, axis=1)
    after = np.where(after > _ROUNDING, after, 0.0)
    share = np.where(np.isfinite(precision)[:, None], precision[:, None], 0.0)  # points need no distribution
    distributions = np.stack([share * regions.means, share * regions.rests, to * p, to * after])
    with np.errstate(invalid="ignore"):
        point = p / (p + after)
    point = np.where(np.isnan(point), _EVEN, point)  # nothing is left to share out
    return Levels(distributions, np.where((distributions > 0).all(axis=0), MATCH, CONSTANT), point)


def klar(regions: Moments) -> Levels:
    """Return the distributions of regions at depth one, as the R package klaR chooses them."""
    mean, p = regions.means[:, 0], regions.frequencies[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = mean * (1 - mean) / regions.variance - 1
    precision = np.where(regions.variance < LITTLE, MOST, np.minimum(wanted, MOST))
    whole = np.floor(np.minimum(regions.n, precision))
    kind = np.select([(regions.variance < LITTLE) | (p == 1), p == 0, whole < 1], [SHIFT, CONSTANT, TWO_POINTS], MATCH)
    distributions = np.stack([precision * mean, precision * (1 - mean), whole * p, whole * (1 - p)])
    return Levels(distributions[:, :, None], kind[:, None], np.where(kind == SHIFT, p - mean, 0.0)[:, None])


CONVENTIONS = {"paper": paper, "klar": klar}


def pointed(levels: Levels, region: int, j: int, v: FloatArray) -> FloatArray:
    """Return the shares of class j of the order where they go to no other distribution: to one point, along, or to two points."""
    kind, value = levels.kind[region, j], levels.value[region, j]
    if kind == CONSTANT:
        return np.full(v.size, value)
    if kind == SHIFT:
        return np.asarray(np.minimum(v + value, 1.0))
    a, b, *_ = levels.distributions[:, region, j]
    return np.asarray((np.sign(special.betainc(a, b, v) - _EVEN) + 1) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The regions of one length of order, found by a chain of tables: region of the shorter order x next class."""

    places: IntArray  # for each such pair the number of the region, -1 where no case was
    moments: Moments
    levels: Levels


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Everything fitted, shorter orders first; cases are scaled in the longest region of at least `g` cases."""

    fitted: tuple[Fitted, ...]
    g: int
    corner: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """For each case and length of order the number of its region (-1 if new), and the length it is scaled at (0: none)."""

    regions: IntArray
    length: IntArray


def fit(parts: Split, truth: IntArray, order: IntArray, *, convention: str) -> Scaling:
    """Return the fit to cases; orders of every length up to that of `order` are fitted."""
    g = parts.others.shape[1]
    before, own, done = np.zeros(len(order), dtype=np.int64), np.empty((1, 0), dtype=np.int64), []
    for depth in range(1, order.shape[1] + 1):
        key = before * g + order[:, depth - 1]
        seen = np.flatnonzero(np.bincount(key, minlength=len(own) * g))
        places = np.full(len(own) * g, -1, dtype=np.int64)
        places[seen] = np.arange(seen.size)
        before, own = places[key], np.column_stack([own[seen // g], seen % g]).astype(np.int64)
        regions = moments(before, own, parts, truth, g)
        done.append(Fitted(places, regions, CONVENTIONS[convention](regions)))
    return Scaling(tuple(done), g, CORNER if convention == "klar" else 0.0)


def locate(scaling: Scaling, order: IntArray) -> Located:
    """Return the regions of cases by their orders; longer orders of new ones are new too."""
    regions, length = np.empty((len(order), len(scaling.fitted)), dtype=np.int64), np.zeros(len(order), dtype=np.int64)
    before = np.zeros(len(order), dtype=np.int64)
    for j, fitted in enumerate(scaling.fitted):
        regions[:, j] = np.where(before >= 0, fitted.places[np.maximum(before, 0) * scaling.g + order[:, j]], -1)
        before = regions[:, j]
        large = fitted.moments.n >= scaling.g if j else np.ones(fitted.moments.n.size, dtype=bool)
        length[(before >= 0) & large[before]] = j + 1
    return Located(regions, length)


def scaled(scaling: Scaling, m: FloatArray, order: IntArray, at: Located, parts: Split) -> FloatArray:
    """Return the scaled memberships; cases in no known region keep theirs. `parts` are used up."""
    if (at.length == order.shape[1]).all():
        return _scaled_at(scaling, parts, order, at.regions[:, -1])
    rows = m.copy()
    for depth in range(1, order.shape[1] + 1):
        mine = np.flatnonzero(at.length == depth)
        if mine.size:
            own = order[mine, :depth]
            rows[mine] = _scaled_at(scaling, split(m[mine], own), own, at.regions[mine, depth - 1])
    return rows


def _scaled_at(scaling: Scaling, parts: Split, order: IntArray, region: IntArray) -> FloatArray:
    """Return rows with the classes of the order scaled one by one; the others share what remains by their ratios, or alike."""
    depth = order.shape[1]
    levels = scaling.fitted[depth - 1].levels
    size = len(levels.kind)
    small = region.astype(np.uint16) if size <= np.iinfo(np.uint16).max else region  # NumPy sorts these by their digits
    by_region = np.split(np.argsort(small, kind="stable"), np.cumsum(np.bincount(region, minlength=size))[:-1])
    groups = [(i, cases) for i, cases in enumerate(by_region) if cases.size]
    shares, remains = [], np.ones(len(order))
    for j in range(depth):
        share, rest = np.empty(len(order)), np.empty(len(order))
        for region_at, cases in groups:
            whole = parts.left[j][cases]
            whole[whole == 0] = 1.0
            v, r = parts.tops[j][cases] / whole, parts.left[j + 1][cases] / whole
            if levels.kind[region_at, j] == MATCH:
                share[cases], rest[cases] = moved(tuple(levels.distributions[:, region_at, j].tolist()), v, r)
            else:
                share[cases] = pointed(levels, region_at, j, v)
                rest[cases] = 1 - share[cases]
        nothing = parts.left[j] == 0
        if nothing.any():  # then all classes from here on have equal parts
            share = np.where(nothing, 1 / (scaling.g - j), share)
            rest = np.where(nothing, 1 - 1 / (scaling.g - j), rest)
        shares.append(share * remains)
        remains = remains * rest
    out, old = parts.others, parts.left[-1]
    factor = remains / np.where(old > 0, old, 1.0)
    for some in blocks(len(out)):
        block, rows = out[some], np.arange(len(out[some]))
        block *= factor[some, None]
        alike = np.flatnonzero(old[some] <= scaling.corner)
        block[alike] = (remains[some][alike] / (out.shape[1] - depth))[:, None]
        for place, share in zip(order.T, shares, strict=True):
            block[rows, place[some]] = share[some]
    return out


def orders(m: FloatArray, depth: int, *, rng: np.random.Generator | None, decided: IntArray | None, slack: float) -> IntArray:
    """Return the codes of the `depth` classes of highest membership, within `slack` of it; equals as decided, drawn or first."""
    codes = np.empty((len(m), depth), dtype=np.int64)
    for part in blocks(len(m)):
        block = m[part]
        if slack:
            block = np.where(block >= block.max(axis=1, keepdims=True) * (1 - slack), 1.0, block)
        if decided is not None and rng is None:  # the class decided for stands above others that are as high
            chosen = (np.arange(m.shape[1]) == decided[part, None]) & (block == block.max(axis=1, keepdims=True))
            block = np.where(chosen, np.inf, block) if chosen.any() else block
        if rng is not None:
            codes[part] = np.lexsort((rng.random(block.shape), -block), axis=1)[:, :depth]
        elif depth == 1:
            codes[part, 0] = np.argmax(block, axis=1)
        else:
            codes[part] = np.argsort(-block, axis=1, kind="stable")[:, :depth]
    return codes


def tied(m: FloatArray, tops: FloatArray) -> int:
    """Return in how many cases another order of equal memberships would have led to another region."""
    count = 0
    for part in blocks(len(m)):
        equal = sum((column == tops[-1, part]).astype(np.int8) for column in m[part].T)
        inside = (tops[1:, part] == tops[:-1, part]).any(axis=0)
        count += int(np.count_nonzero((equal > 1) | inside))
    return count
