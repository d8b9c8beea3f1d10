"""Exact ranking of scores: the area under the ROC curve, and the tables curves are drawn from.

Nothing is rounded, infinities are ranks like any other and -0.0 equals 0.0.
"""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge._base.errors import InputError
from adjudge._base.records import dataclass
from adjudge._base.undefined import Undefined
from adjudge.stats.exact_sums import expansions_at
from adjudge.stats.few_values import count_few
from adjudge.stats.pairs import checked, checked_weight, doubled_by_segments, doubled_wins, no_area, whole_dot

MANY = 1 << 22  # scores from which on cutting them into segments takes less time than sorting them
EXACT_BITS = 64  # bits of a float64: a table that distinguishes all of them has not been coarsened
_FLOAT64_INTEGERS = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """How many positive and negative cases (or what weight of them) had each score, ascending.

    A coarsened table distinguishes the top `bits` bits of a float64 only: each of its values is the largest score of a bin, and
    `mixed` marks the bins that hold more than one distinct score.
    """

    values: FloatArray
    positives: AnyArray
    negatives: AnyArray
    bits: int = EXACT_BITS
    mixed: BoolArray | None = None
    rests: tuple[tuple[FloatArray, FloatArray], ...] = ()
    """What rounding left of sums of weights, so that tables add up to the same digits in any order."""

    @property
    def columns(self) -> tuple[AnyArray, ...]:
        """Values, counts of both classes and whether a bin is mixed; what rounding left of sums is a row of its own."""
        mixed = np.zeros(self.values.size, dtype=np.bool_) if self.mixed is None else self.mixed
        if not self.rests:
            return self.values, self.positives, self.negatives, mixed
        times = 1 + len(self.rests)
        counts = (np.concatenate(parts) for parts in zip((self.positives, self.negatives), *self.rests, strict=True))
        return np.tile(self.values, times), *counts, np.tile(mixed, times)

    @property
    def bound(self) -> float:
        r"""The largest possible error of `auc_of` because scores were binned; 0 when exact.

        :math:`|A_{exact} - A_{binned}| \le \frac{1}{2PN} \sum_{b\ \text{mixed}} p_b n_b`: only a pair in a mixed bin, counted as
        1/2, may be 0 or 1.
        """
        if self.mixed is None:
            return 0.0
        p, n = self.positives[self.mixed], self.negatives[self.mixed]
        count, rest = self.positives.sum().item(), self.negatives.sum().item()
        if not (count and rest):
            return 0.0
        if _whole(p, n):
            return whole_dot(p, n) / int(2 * count * rest)
        return float(((p / count) * (n / rest)).sum()) / 2


def tabulate(scores: AnyArray, positive: BoolArray, weight: AnyArray | None = None) -> ScoreTable:
    """Return for every distinct score how many (or what weight) of the `positive` and of the other cases had it."""
    scores = np.asarray(scores)
    if scores.dtype.kind in "iu" and scores.size and (scores.max() > _FLOAT64_INTEGERS or scores.min() < -_FLOAT64_INTEGERS):
        msg = "a score table holds float64, which merges integers beyond 2^53. "
        raise InputError(msg, "Use auc(), which compares them as integers, or tabulate their ranks.")
    scores, positive = checked(scores, positive)
    values, positives, negatives, rests = _counted(scores, positive, weight)
    return ScoreTable(values.astype(np.float64) + 0.0, positives, negatives, rests=rests)


def tabulate_few(scores: AnyArray, positive: BoolArray) -> ScoreTable | None:
    """Return the same of scores with few different values, which takes no sorting; None of others."""
    few = count_few(*checked(scores, positive))
    return None if few is None else ScoreTable(few[0].astype(np.float64) + 0.0, *few[1:])


def merge(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """Return the sum of two tables, in any order and grouping, both cut by the fewer bits."""
    return _binned(*(np.concatenate(pair) for pair in zip(a.columns, b.columns, strict=True)), bits=min(a.bits, b.bits))


def coarsen(table: ScoreTable, bits: int) -> ScoreTable:
    """Return the table with scores put together that agree in the top `bits` bits; a bin's value is its largest score."""
    if not 1 <= bits <= EXACT_BITS:
        raise InputError(parameter("bits"), f" must lie between 1 and {EXACT_BITS}, got {bits}. Twenty suit most scores.")
    return _binned(*table.columns, bits=min(bits, table.bits))


def auc_of(table: ScoreTable) -> float:
    r"""Return the area under the ROC curve of a table, ties counted half.

    :math:`A = \frac{1}{PN} \sum_i p_i \Bigl(\sum_{j<i} n_j + \frac{n_i}{2}\Bigr)`. Hanley and McNeil (1982), Radiology 143:29-36.
    """
    return _area(table.positives, table.negatives)


def roc_points(table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return false positive rates, true positive rates and thresholds, the highest first; the first point is (0, 0) at +inf."""
    thresholds = np.concatenate(([np.inf], table.values[::-1]))
    return _rising(table.negatives, lead=1), _rising(table.positives, lead=1), thresholds


def precision_recall_points(table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return recalls, precisions and thresholds, the highest first. Davis and Goadrich (2006), ICML, 233-240."""
    hits = np.cumsum(table.positives[::-1])
    decided = np.cumsum((table.positives + table.negatives)[::-1])
    precision = np.full(hits.size, np.nan)
    np.divide(hits, decided, out=precision, where=decided > 0)
    return _rising(table.positives), precision, table.values[::-1]


def average_precision_of(table: ScoreTable) -> float:
    r"""Return :math:`\sum_n (R_n - R_{n-1}) P_n` over falling thresholds, or say why there is none.

    Nothing is interpolated. Buckley and Voorhees (2000), SIGIR, 33-40.
    """
    recall, precision, _ = precision_recall_points(table)
    if not table.positives.any():
        return Undefined("average precision needs a positive case: there is none")
    gained = np.diff(recall, prepend=0.0)
    return float((gained * precision)[gained > 0].sum())


def auc(scores: AnyArray, positive: BoolArray, weight: AnyArray | None = None) -> float:
    r"""Return the exact area under the ROC curve without building a table, in integers, ties counted half.

    :math:`2U = 2\sum_{i \in +} (\text{negatives} \le s_i) - \text{ties}`. Mann and Whitney (1947), Ann. Math. Stat. 18:50-60.
    """
    scores, positive = checked(scores, positive)
    few = count_few(scores, positive) if weight is None else _counted(scores, positive, weight)
    if few is not None:
        return _area(*few[1:3])
    count = int(np.count_nonzero(positive))
    rest = positive.size - count
    if not (count and rest):
        return no_area(count, rest)
    won = doubled_by_segments(scores, positive) if scores.size >= MANY and scores.dtype.kind == "f" else None
    return (doubled_wins(scores, positive) if won is None else won) / (2 * count * rest)


def _area(positives: AnyArray, negatives: AnyArray) -> float:
    """Return the AUC of counts or weights in the order of their scores."""
    count, rest = positives.sum().item(), negatives.sum().item()
    if not (count and rest):
        return no_area(count, rest)
    if _whole(positives, negatives):
        return whole_dot(positives, 2 * np.cumsum(negatives) - negatives) / int(2 * count * rest)
    # Shares first: the product of two tiny or huge weights leaves the range of floats.
    p, n = positives / count, negatives / rest
    return min(float((p * (np.cumsum(n) - n / 2)).sum()), 1.0)


def _rising(counts: AnyArray, lead: int = 0) -> FloatArray:
    """Return the share of `counts` met from the last to each, after `lead` zeros."""
    risen = np.concatenate((np.zeros(lead, counts.dtype), np.cumsum(counts[::-1])))
    total = risen[-1] if risen.size else 0
    return risen / total if total else np.full(risen.size, np.nan)


def _counted(scores: AnyArray, positive: BoolArray, weight: AnyArray | None) -> tuple[AnyArray, AnyArray, AnyArray, Any]:
    """Return distinct scores, ascending, with the count or weight of either class, and what rounding left of weights."""
    few = count_few(scores, positive) if weight is None else None
    if few is not None:
        return *few, ()
    if weight is None:
        # Two sorted halves: sorting values is far cheaper than the argsort of all of them.
        (ours, p), (theirs, n) = (np.unique(scores[side], return_counts=True) for side in (positive, ~positive))
        p, n = np.append(p, np.zeros_like(n)), np.append(np.zeros_like(p), n)
        return _summed(np.append(ours, theirs), p, n)
    weight = checked_weight(weight, scores.size)
    kept = weight > 0
    scores, positive, weight = scores[kept], positive[kept], weight[kept]
    return _summed(scores, np.where(positive, weight, 0), np.where(positive, 0, weight))


def _starts(ordered: AnyArray) -> IntArray:
    """Return where each run of equal values begins."""
    new = np.ones(ordered.size, dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(new)


def _summed(values: AnyArray, positives: AnyArray, negatives: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, Any]:
    """Return the distinct values, ascending, the sums of what came with each, and what rounding left of these."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = _starts(values)
    return values[starts], *_added(positives[order], negatives[order], starts)


def _added(positives: AnyArray, negatives: AnyArray, starts: IntArray) -> tuple[AnyArray, AnyArray, Any]:
    """Return the sums of counts from one start to the next; of weights exact ones, as floats and what rounding left of them."""
    if _whole(positives, negatives):  # sums up to each end take a fraction of the time of sums of runs
        ends = np.append(starts[1:], positives.size) - 1 if starts.size else starts
        p, n = (np.diff(np.cumsum(counts)[ends], prepend=counts.dtype.type(0)) for counts in (positives, negatives))
        return p, n, ()
    where = np.repeat(np.arange(starts.size), np.diff(starts, append=positives.size))
    both = (expansions_at(where, counts.astype(np.float64), starts.size) for counts in (positives, negatives))
    (p, n), *rests = zip_longest(*both, fillvalue=np.zeros(starts.size))
    return p, n, tuple(rests)


def _binned(values: AnyArray, positives: AnyArray, negatives: AnyArray, mixed: BoolArray, *, bits: int) -> ScoreTable:
    """Return the table with scores that agree in their top `bits` bits put together."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    # Floats of one sign are ordered as their bits are, so equal top bits are neighbours here.
    starts = _starts((values + 0.0).view(np.uint64) >> np.uint64(EXACT_BITS - bits))
    largest = values[np.append(starts[1:], values.size) - 1] if values.size else values
    mixed = np.logical_or.reduceat(mixed[order], starts) | (values[starts] != largest)
    positives, negatives, rests = _added(positives[order], negatives[order], starts)
    return ScoreTable(largest, positives, negatives, bits, mixed if mixed.any() else None, rests)


def _whole(positives: AnyArray, negatives: AnyArray) -> bool:
    return positives.dtype.kind != "f" and negatives.dtype.kind != "f"


def placements(positives: AnyArray, negatives: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return the placement a positive and a negative case would have at each score, ties counted half."""
    p, n = positives.astype(np.float64), negatives.astype(np.float64)
    below, above = np.cumsum(n), np.cumsum(p[::-1])[::-1]
    return (below - n / 2) / below[-1], (above - p / 2) / above[0]


def delong_of(positives: AnyArray, negatives: AnyArray, m: float, n: float) -> tuple[float, float]:
    """Return the AUC of a table and DeLong's variance of it; NaN with effectively one case of either class.

    :math:`s_{10}^2 / (m - 1) + s_{01}^2 / (n - 1)`. DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837-845.
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

    Neighbours that only one class has are put together first, which changes no area of any resample.
    """
    kind = (positives > 0) + 2 * (negatives > 0)
    both = 3
    fresh = np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == both))
    table = np.add.reduceat(np.stack((positives, negatives)), np.flatnonzero(fresh), axis=1)
    if table.shape[1] > most:
        cases = np.cumsum(table.sum(axis=0), dtype=np.float64)
        bins = np.minimum((cases / cases[-1] * most).astype(np.int64), most - 1)
        table = np.add.reduceat(table, np.flatnonzero(np.diff(bins, prepend=-1)), axis=1)
    return table[0], table[1]


def area_jackknife(positives: AnyArray, negatives: AnyArray, m: float, n: float) -> tuple[FloatArray, FloatArray]:
    """Return what leaving a case out does to the AUC, up to a common constant, and how many cases do that.

    DeLong's structural components :math:`(V_{10} - A) / m`, :math:`(V_{01} - A) / n`. Efron and Tibshirani (1993), ch. 14.
    """
    ours, theirs = placements(positives, negatives)
    area = _moments(ours, positives)[0]
    jackknife = np.concatenate(((area - ours) / m, (area - theirs) / n))
    times = np.concatenate((positives * (m / positives.sum()), negatives * (n / negatives.sum())))
    return jackknife[times > 0], times[times > 0]


def case_influences(scores: AnyArray, positive: AnyArray, weight: AnyArray) -> FloatArray:
    """Return how every case moves the AUC of one class: its placement less the area, over the share of its side."""
    values, place = np.unique(scores, return_inverse=True)
    p, n = (np.bincount(place, weights=weight * side, minlength=values.size) for side in (positive, ~positive))
    ours, theirs = placements(p, n)
    area, total = _moments(ours, p)[0], float(weight.sum())
    return np.asarray(np.where(positive, (ours[place] - area) * (total / p.sum()), (theirs[place] - area) * (total / n.sum())))


def influence_covariance(influences: FloatArray, truth: IntArray, weight: AnyArray, sizes: FloatArray) -> FloatArray:
    r"""Return the covariances of areas from the influences of the cases on each of them, one row an area.

    :math:`\sum_y \pi_y^2 \frac{S_y}{n_y} + \frac{1}{N} \sum_y \pi_y \mu_y \mu_y^T`, over classes of shares :math:`\pi_y` and
    effective `sizes`. Hampel (1974), J. Am. Stat. Assoc. 69:383-393.
    """
    total, covariance = float(weight.sum()), np.zeros((len(influences), len(influences)))
    everyone = total if counts_cases(weight) else total**2 / float(np.square(weight).sum())
    for at in np.flatnonzero(sizes > 0):
        rows = np.flatnonzero((truth == at) & (weight > 0))
        share, w = float(weight[rows].sum()) / total, weight[rows] / weight[rows].sum()
        mean = influences[:, rows] @ w
        off = influences[:, rows] - mean[:, np.newaxis]
        within = share**2 * (off * w) @ off.T / (sizes[at] - 1) if sizes[at] > 1 else 0.0
        covariance += within + share * np.outer(mean, mean) / everyone
    return covariance


def correlations(covariance: FloatArray) -> FloatArray:
    """Return correlations between 0 and 1; 1 where one of the two has no variance and nothing is known."""
    spread = np.sqrt(np.diag(covariance))
    known = np.outer(spread, spread)
    correlation: FloatArray = np.clip(np.divide(covariance, known, out=np.ones_like(covariance), where=known > 0), 0.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation
