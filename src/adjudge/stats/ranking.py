"""Exact ranking of scores: the area under the ROC curve, and the tables curves are drawn from.

Nothing is rounded, infinities are ranks like any other and -0.0 equals 0.0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from adjudge._base import InputError, Undefined, dataclass, parameter, replace
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge.stats.class_counts import ClassCounts, added, by_class, starts_of, within_rows
from adjudge.stats.few_values import count_few, count_few_by_class
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
    by_class: ClassCounts | None = None  # what ranks one class against each other one, where that was counted

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


def tabulate(scores: AnyArray, positive: AnyArray, weight: AnyArray | None = None, own: int | None = None) -> ScoreTable:
    """Return for every distinct score how many (or what weight) of the `positive` and of the other cases had it.

    With `own`, `positive` holds the number of the class of every case, and the positive class is this one: counted by class, too.
    """
    scores = np.asarray(scores)
    if scores.dtype.kind in "iu" and scores.size and (scores.max() > _FLOAT64_INTEGERS or scores.min() < -_FLOAT64_INTEGERS):
        msg = "a score table holds float64, which merges integers beyond 2^53. "
        raise InputError(msg, "Use auc(), which compares them as integers, or tabulate their ranks.")
    if own is not None:
        few = tabulate_few(scores, positive, own) if weight is None else None
        return few or _by_class(checked(scores, positive == own)[0], positive, weight, own)
    scores, positive = checked(scores, positive)
    values, positives, negatives, rests = _counted(scores, positive, weight)
    return ScoreTable(values.astype(np.float64) + 0.0, positives, negatives, rests=rests)


def tabulate_few(scores: AnyArray, positive: AnyArray, own: int | None = None) -> ScoreTable | None:
    """Return the same of scores with few different values, which takes no sorting; None of others."""
    if own is not None:
        each = count_few_by_class(checked(scores, positive == own)[0], positive, int(positive.max(initial=own)).bit_length())
        return None if each is None else of_counts(each[0].astype(np.float64) + 0.0, each[1], own)
    few = count_few(*checked(scores, positive))
    return None if few is None else ScoreTable(few[0].astype(np.float64) + 0.0, *few[1:])


def of_counts(
    values: FloatArray, counts: IntArray, own: int, bits: int = EXACT_BITS, mixed: BoolArray | None = None
) -> ScoreTable:
    """Return the table of ascending scores with a row of counts for every class."""
    row, of = np.nonzero(counts.T)
    return ScoreTable(
        values, counts[own], counts.sum(axis=0) - counts[own], bits, mixed, by_class=by_class(bits, row, of, counts.T[row, of])
    )


def merge(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """Return the sum of two tables, in any order and grouping, both cut by the fewer bits."""
    table = _binned(*(np.concatenate(pair) for pair in zip(a.columns, b.columns, strict=True)), bits=min(a.bits, b.bits))
    return _with_classes(table, (a, b), EXACT_BITS)


def coarsen(table: ScoreTable, bits: int) -> ScoreTable:
    """Return the table with scores put together that agree in the top `bits` bits; a bin's value is its largest score."""
    if not 1 <= bits <= EXACT_BITS:
        raise InputError(parameter("bits"), f" must lie between 1 and {EXACT_BITS}, got {bits}. Twenty suit most scores.")
    return _with_classes(_binned(*table.columns, bits=min(bits, table.bits)), (table,), bits)


def coarsen_classes(table: ScoreTable, bits: int, place: IntArray | None = None) -> ScoreTable:
    """Return the table with only its counts by class so coarsened, and the classes numbered by their `place`."""
    return _with_classes(table, (table,), bits, place)


def against_each(table: ScoreTable, own: int, others: Iterable[int]) -> Iterator[ScoreTable]:
    """Yield the tables of the scores that cases of class `own` had, and cases of each other class."""
    counts = table.by_class
    assert counts is not None
    if counts.bits < table.bits:
        table = _binned(*table.columns, bits=counts.bits)
    ours = counts.of_class(own, table.values.size)
    for other in others:
        theirs = counts.of_class(other, table.values.size)
        there = (ours > 0) | (theirs > 0)
        mixed = None if table.mixed is None else table.mixed[there]
        yield ScoreTable(table.values[there], ours[there], theirs[there], table.bits, mixed)


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


def _by_class(scores: AnyArray, classes: AnyArray, weight: AnyArray | None, own: int) -> ScoreTable:
    """Return the table of all distinct scores, counted by class."""
    if weight is None:
        cases = (np.flatnonzero(classes == i) for i in range(int(classes.max(initial=own)) + 1))
        each = [np.unique(scores[rows], return_counts=True) for rows in cases]  # gathering by index is faster than by a mask
        values, n = (np.concatenate(parts) for parts in zip(*each, strict=True))
        classes = np.repeat(np.arange(len(each)), [part.size for part, _ in each])
    else:
        weight = checked_weight(weight, scores.size)
        values, n, classes = scores[weight > 0], weight[weight > 0], classes[weight > 0]
    order = np.argsort(values, kind="stable")
    values, n, classes = values[order], n[order], classes[order]
    starts, mine = starts_of(values), classes == own
    positives, negatives, rests = _added(np.where(mine, n, 0), np.where(mine, 0, n), starts)
    counts = by_class(EXACT_BITS, within_rows(starts, values.size), classes, n)
    return ScoreTable(values[starts].astype(np.float64) + 0.0, positives, negatives, rests=rests, by_class=counts)


def _with_classes(table: ScoreTable, parts: tuple[ScoreTable, ...], bits: int, place: IntArray | None = None) -> ScoreTable:
    """Return a table with the counts by class of the parts it was made of, cut by so many bits or the fewest that one has."""
    known = [part.by_class for part in parts if part.by_class is not None]
    if len(known) < len(parts):
        return table
    bits = min(bits, table.bits, *(counts.bits for counts in known))
    largest, each = _largest(table.values, bits), []
    for part, counts in zip(parts, known, strict=True):
        row, own = counts.rows, _largest(part.values, counts.bits)
        if own.size < largest.size or counts.bits > bits:  # a score of a bin lies above the largest of the bin before
            row = np.searchsorted(largest, own)[row]
        of = counts.classes if place is None else place[counts.classes]
        each += [(row, of, n) for n in (counts.counts, *counts.rests)]
    return replace(table, by_class=by_class(bits, *(np.concatenate(column) for column in zip(*each, strict=True))))


def _largest(values: FloatArray, bits: int) -> FloatArray:
    """Return the largest score of every bin."""
    starts = starts_of(_top(values, bits))
    return values if starts.size == values.size else values[np.append(starts[1:], values.size) - 1]


def _top(values: FloatArray, bits: int) -> AnyArray:
    """Return the top bits of ascending floats: those of one sign are ordered as their bits are, so equal ones are neighbours."""
    top: AnyArray = (values + 0.0).view(np.uint64) >> np.uint64(EXACT_BITS - bits)
    return top


def _summed(values: AnyArray, positives: AnyArray, negatives: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, Any]:
    """Return the distinct values, ascending, the sums of what came with each, and what rounding left of these."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = starts_of(values)
    return values[starts], *_added(positives[order], negatives[order], starts)


def _added(positives: AnyArray, negatives: AnyArray, starts: IntArray) -> tuple[AnyArray, AnyArray, Any]:
    """Return the sums of counts from one start to the next; of weights exact ones, as floats and what rounding left of them."""
    (p, n), *rests = added((positives, negatives), starts)
    return p, n, tuple(rests)


def _binned(values: AnyArray, positives: AnyArray, negatives: AnyArray, mixed: BoolArray, *, bits: int) -> ScoreTable:
    """Return the table with scores that agree in their top `bits` bits put together."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = starts_of(_top(values, bits))
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
