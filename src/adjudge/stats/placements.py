"""The AUC of tables of scores: DeLong's variance, bins that lose nothing, and scores kept as they come in."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, BoolArray, FloatArray, IntArray
from adjudge.stats.pairs import Wins, packed, wins_within

SEGMENTS = 256  # numbered by single bytes
LARGEST = 1 << 23  # keys of a segment; more are not brought together, for the sake of memory
_SLOTS = {4: 18, 8: 21}  # leading bits of a key that say its segment, by its bytes: exponent and ten bits more


def placements(positives: AnyArray, negatives: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return the placement a positive and a negative case would have at each score, ties counted half.

    Totals are the ends of the running sums, so that a score above all weights of the others has a placement of exactly 1.
    """
    p, n = positives.astype(np.float64), negatives.astype(np.float64)
    below, above = np.cumsum(n), np.cumsum(p[::-1])[::-1]
    return (below - n / 2) / below[-1], (above - p / 2) / above[0]


def delong_of(positives: AnyArray, negatives: AnyArray, m: float, n: float) -> tuple[float, float]:
    r"""Return the AUC of a table and DeLong's variance of it; NaN with effectively one case of either class.

    .. math:: \operatorname{Var} = \frac{s_{10}^2}{m - 1} + \frac{s_{01}^2}{n - 1} ,

    with the (weighted) variances of the placements of either class: over counts what `auc_limits.delong` finds over cases.
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837-845.
    """
    ours, theirs = placements(positives, negatives)
    (area, spread), (_, other) = _moments(ours, positives), _moments(theirs, negatives)
    return area, spread / (m - 1) + other / (n - 1) if min(m, n) > 1 else math.nan


def _moments(values: FloatArray, times: AnyArray) -> tuple[float, float]:
    """Return mean and variance of values that occur so many times; those of equal values without rounding."""
    values, times = values[times > 0], times[times > 0].astype(np.float64)
    if values.min() == values.max():
        return float(values[0]), 0.0
    mean = float(np.average(values, weights=times))
    return min(mean, 1.0), float(np.average((values - mean) ** 2, weights=times))


def grouped(positives: AnyArray, negatives: AnyArray, most: int) -> tuple[AnyArray, AnyArray]:
    """Return the table with neighbouring scores put together, at most about `most` of them.

    Neighbours that only one class has are put together first, which changes no area of any resample: a table of a
    nearly perfect ranking stays exact. Only what is still too long is cut into bins of about equally many cases.
    """
    kind = (positives > 0) + 2 * (negatives > 0)
    both = 3
    fresh = np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == both))
    positives, negatives = _summed(positives, negatives, np.flatnonzero(fresh))
    if positives.size <= most:
        return positives, negatives
    cases = np.cumsum(positives + negatives, dtype=np.float64)
    bins = np.minimum((cases / cases[-1] * most).astype(np.int64), most - 1)
    return _summed(positives, negatives, np.flatnonzero(np.diff(bins, prepend=-1)))


def _summed(positives: AnyArray, negatives: AnyArray, starts: IntArray) -> tuple[AnyArray, AnyArray]:
    return np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)


def area_jackknife(positives: AnyArray, negatives: AnyArray, m: float, n: float) -> tuple[FloatArray, FloatArray]:
    r"""Return what leaving a case out does to the AUC, up to a common constant, and how many cases do that.

    The influence of a case is :math:`(V_{10} - A) / m` or :math:`(V_{01} - A) / n`, DeLong's structural components, so the
    acceleration of BCa needs no resampling. Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 14.
    """
    ours, theirs = placements(positives, negatives)
    area = _moments(ours, positives)[0]
    jackknife = np.concatenate(((area - ours) / m, (area - theirs) / n))
    times = np.concatenate((positives * (m / positives.sum()), negatives * (n / negatives.sum())))
    return jackknife[times > 0], times[times > 0]


def case_influences(scores: AnyArray, positive: AnyArray, weight: FloatArray) -> FloatArray:
    """Return how every case moves the AUC of one class: its placement less the area, over the share of its side."""
    values, place = np.unique(scores, return_inverse=True)
    p, n = (np.bincount(place, weights=weight * side, minlength=values.size) for side in (positive, ~positive))
    ours, theirs = placements(p, n)
    area, total = _moments(ours, p)[0], float(weight.sum())
    return np.asarray(np.where(positive, (ours[place] - area) * (total / p.sum()), (theirs[place] - area) * (total / n.sum())))


def influence_covariance(influences: FloatArray, truth: IntArray, weight: FloatArray, sizes: FloatArray) -> FloatArray:
    r"""Return the covariances of areas from the influences of the cases on each of them, one row an area.

    .. math:: \sum_y \pi_y^2 \frac{S_y}{n_y} + \frac{1}{N} \sum_y \pi_y \mu_y \mu_y^T ,

    with shares :math:`\pi_y`, means :math:`\mu_y` and sample covariances :math:`S_y` (divisor n - 1) of the influences of the
    cases of each class, of effective `sizes`: with two complementary columns exactly DeLong's variance. A class of one case
    adds nothing within itself. Hampel (1974), J. Am. Stat. Assoc. 69:383-393.
    """
    total, found = float(weight.sum()), np.zeros((len(influences), len(influences)))
    everyone = total**2 / float(np.square(weight).sum())
    for at in np.flatnonzero(sizes > 0):
        rows = np.flatnonzero((truth == at) & (weight > 0))
        share, w = float(weight[rows].sum()) / total, weight[rows] / weight[rows].sum()
        mean = influences[:, rows] @ w
        off = influences[:, rows] - mean[:, np.newaxis]
        within = share**2 * (off * w) @ off.T / (sizes[at] - 1) if sizes[at] > 1 else 0.0
        found += within + share * np.outer(mean, mean) / everyone
    return found


def correlations(covariance: FloatArray) -> FloatArray:
    """Return correlations between 0 and 1; 1 where one of the two has no variance and nothing is known.

    Those below 0 count as 0: the spread of a mean must not be argued away by what few cases suggest.
    """
    spread = np.sqrt(np.diag(covariance))
    known = np.outer(spread, spread)
    found: FloatArray = np.clip(np.divide(covariance, known, out=np.ones_like(covariance), where=known > 0), 0.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def mean_limits(areas: FloatArray, low: FloatArray, high: FloatArray, correlation: FloatArray) -> tuple[float, float]:
    r"""Return limits of the mean of correlated areas from the limits of each.

    .. math:: \bar A - \frac{1}{K} \sqrt{\textstyle\sum_{ij} r_{ij} (A_i - l_i)(A_j - l_j)} ,

    likewise above: MOVER. With all correlations 1 the means of the limits, the widest possible.
    Zou and Donner (2008), Stat. Med. 27:1693-1702; Zou (2007), Psychol. Methods 12:399-413 (correlated).
    """
    below, above = areas - low, high - areas
    mean = float(areas.mean())
    down, up = (math.sqrt(float(d @ correlation @ d)) / areas.size for d in (below, above))
    return max(0.0, mean - down), min(1.0, mean + up)


class Segments:
    """The scores of one column, and which are of its class."""

    def __init__(self) -> None:
        self._from_zero, self._below = _Side(), _Side()

    def cut(self, some: AnyArray) -> None:
        """Cut the line by some scores; without, the first that are added say where.

        A sign that none of them has is left in one piece, not to be cut by whichever thread first meets it.
        """
        keys, below = packed(some, np.zeros(some.size, dtype=np.bool_))
        for side, own in ((self._from_zero, keys[~below]), (self._below, keys[below])):
            side.cut(own if own.size else keys[:1])

    def add(self, scores: AnyArray, positive: BoolArray) -> None:
        """Keep some scores: float32 or float64, none of them NaN."""
        for start in range(0, scores.size, STREAMED):
            keys, below = packed(scores[start : start + STREAMED], positive[start : start + STREAMED])
            under = np.flatnonzero(below)  # gathering by index is faster than by a mask
            if under.size:
                self._below.add(keys[under])
                keys = keys[np.flatnonzero(~below)]
            self._from_zero.add(keys)

    def doubled(self) -> int | None:
        """Return twice the pairs that positive scores win; None where scores came in an order that left a segment too large."""
        if not (self._from_zero.countable and self._below.countable):
            return None
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # NumPy counts and sorts without holding the interpreter
            above, below = (list(pool.map(side.wins, side.segments)) for side in (self._from_zero, self._below))
        # below zero the larger sizes are the lower scores, and the keys of the other cases are odd
        rising = [(w.doubled, w.even, w.odd) for w in reversed(below)] + [(w.doubled, w.odd, w.even) for w in above]
        won = others = 0
        for doubled, own, rest in rising:
            won += doubled + 2 * own * others
            others += rest
        return won


class _Side:
    """The keys of scores of one sign."""

    def __init__(self) -> None:
        self._blocks: list[tuple[AnyArray, IntArray]] = []
        """The keys of each block, and where each segment ends in it."""
        self._segment_of: AnyArray = np.empty(0, dtype=np.uint8)
        """Of each slot from `_low` on; those below and beyond are in the first and the last."""
        self._low = 0

    @property
    def countable(self) -> bool:
        """Whether all keys have one width, and no segment too many of them."""
        if len({keys.dtype for keys, _ in self._blocks}) > 1:
            return False
        stops = np.sum([stops for _, stops in self._blocks], axis=0) if self._blocks else np.zeros(1)
        return bool(np.diff(stops, prepend=0).max() <= LARGEST)

    @property
    def segments(self) -> range:
        """The segments that may have keys."""
        return range(SEGMENTS if self._blocks else 0)

    def cut(self, keys: AnyArray) -> None:
        """Cut the line so that each segment gets about as many of the keys."""
        slot = _slots(keys)
        slot = np.sort(slot[slot > 0] if slot.any() else slot)  # 0 is far from all others
        edges = np.unique(slot[np.arange(1, SEGMENTS) * slot.size // SEGMENTS])
        every = np.arange(slot[0], slot[-1] + 1)
        self._low, self._segment_of = int(slot[0]), np.searchsorted(edges, every, side="right").astype(np.uint8)

    def add(self, keys: AnyArray) -> None:
        if not keys.size:
            return
        if not self._segment_of.size:
            self.cut(keys)
        slot = _slots(keys)
        slot -= self._low
        segment = self._segment_of.take(slot, mode="clip")
        ordered = keys.take(np.argsort(segment, kind="stable"))  # of single bytes that is a counting sort
        self._blocks.append((ordered, np.cumsum(np.bincount(segment, minlength=SEGMENTS))))

    def wins(self, segment: int) -> Wins:
        """Count the pairs of one segment."""
        parts = [keys[stops[segment - 1] if segment else 0 : stops[segment]] for keys, stops in self._blocks]
        return wins_within(np.concatenate(parts))


def _slots(keys: AnyArray) -> IntArray:
    """Return the leading bits of keys."""
    leading: IntArray = (keys >> keys.dtype.type(8 * keys.itemsize - _SLOTS[keys.itemsize])).astype(np.int64)
    return leading


def doubled_by_segments(scores: AnyArray, positive: BoolArray) -> int | None:
    """Return twice the pairs that positive scores win, of many floats; None where too many of them are equal."""
    segments, starts = Segments(), range(0, scores.size, STREAMED)
    segments.cut(scores[:: len(starts)])
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda at: segments.add(scores[at : at + STREAMED], positive[at : at + STREAMED]), starts))
    return segments.doubled()
