"""Exact ranking of scores: the area under the ROC curve, and the tables curves are drawn from.

Scores are compared as they are stored: nothing is rounded, infinities are ranks like any other
and -0.0 equals 0.0. `auc` is the fast way to one number; a `ScoreTable` adds up over batches and
carries the curves. Arrays in, numbers out; no class names, no frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.pairs import checked, checked_weight, doubled_wins, no_area, whole_dot
from adjudge.stats.placements import doubled_by_segments

MANY = 1 << 22  # scores from which on cutting them into segments takes less time than sorting them
EXACT_BITS = 64  # bits of a float64: a table that distinguishes all of them has not been coarsened
_FLOAT64_INTEGERS = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """How many positive and negative cases had each score.

    `values` ascends strictly. The counts are int64, or float64 sums of weights. A coarsened table
    distinguishes scores by the top `bits` bits of their float64 only; each of its values is then the
    largest score of a bin, and `mixed` marks the bins that hold more than one distinct score.
    """

    values: FloatArray
    positives: AnyArray
    negatives: AnyArray
    bits: int = EXACT_BITS
    mixed: BoolArray | None = None

    @property
    def bound(self) -> float:
        r"""The largest possible error of `auc_of` because scores were binned; 0 when exact.

        .. math:: |A_{exact} - A_{binned}| \le \frac{1}{2PN} \sum_{b\ \text{mixed}} p_b n_b

        Proof: :math:`PN \cdot A` adds 1, 1/2 or 0 for every (positive, negative) pair. A pair in
        two bins keeps its order, because bins are disjoint intervals: no error. A pair in a bin
        of one distinct score is a tie both ways: no error. A pair in a mixed bin is counted as
        1/2 and may be 0 or 1: an error of at most 1/2, and bin b holds :math:`p_b n_b` pairs.
        Which bins are mixed survives `merge` and `coarsen`, so the bound holds after any number
        of either. It concerns the AUC only.
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


def tabulate(scores: AnyArray, positive: BoolArray, weight: FloatArray | None = None) -> ScoreTable:
    """Count, for every distinct score, the `positive` and the other cases that had it.

    With `weight` the weights are added up instead; cases of weight 0 are left out.

    >>> tabulate(np.array([0.5, 0.5, 0.9]), np.array([True, False, True])).positives
    array([1, 1])
    """
    scores = np.asarray(scores)
    if scores.dtype.kind in "iu" and scores.size and (scores.max() > _FLOAT64_INTEGERS or scores.min() < -_FLOAT64_INTEGERS):
        msg = (
            "a score table holds float64, which merges integers beyond 2^53. "
            "Use auc(), which compares them as integers, or tabulate their ranks."
        )
        raise InputError(msg)
    scores, positive = checked(scores, positive)
    values, positives, negatives = _counted(scores, positive, weight)
    return ScoreTable(values.astype(np.float64) + 0.0, positives, negatives)


def merge(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """Add two tables up, in any order and grouping; the coarser one decides how fine the sum is.

    Bins of two tables may overlap unless they are cut alike, so both are cut by the fewer bits.
    """
    columns = [np.concatenate(pair) for pair in zip(_columns(a), _columns(b), strict=True)]
    return _binned(*columns, bits=min(a.bits, b.bits))


def coarsen(table: ScoreTable, bits: int) -> ScoreTable:
    """Group neighbouring scores into bins: those whose float64 agree in the top `bits` bits.

    One bit is the sign, eleven are the exponent, the rest begin the mantissa, so bins are narrow
    where scores are small. A bin's value is its largest score. `ScoreTable.bound` says how far the
    AUC can have moved; ``coarsen(merge(a, b), k)`` is ``merge(coarsen(a, k), coarsen(b, k))``.
    """
    if not 1 <= bits <= EXACT_BITS:
        msg = f"bits must lie between 1 and {EXACT_BITS}, got {bits}. Twenty suit most scores."
        raise InputError(msg)
    return _binned(*_columns(table), bits=min(bits, table.bits))


def auc_of(table: ScoreTable) -> float:
    r"""Return the area under the ROC curve of a table, ties counted half.

    .. math:: A = \frac{1}{PN} \sum_i p_i \Bigl(\sum_{j<i} n_j + \frac{n_i}{2}\Bigr)

    Counts are summed as integers without overflow, so the only rounding is the last division.
    Hanley and McNeil (1982), Radiology 143:29-36.

    >>> auc_of(tabulate(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True])))
    0.875
    """
    return _area(table.positives, table.negatives)


def roc_points(table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return false positive rates, true positive rates and thresholds, the highest first.

    A case is decided positive when its score >= threshold. The first point is (0, 0), "nobody is
    positive", at threshold +inf: read it as "above every score" should +inf itself be a score.
    The rate of a class without cases is NaN throughout.
    """
    thresholds = np.concatenate(([np.inf], table.values[::-1]))
    return _rising(table.negatives, lead=1), _rising(table.positives, lead=1), thresholds


def precision_recall_points(table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return recalls, precisions and thresholds, the highest threshold first.

    One point per distinct score; none is invented at recall 0, where precision has no value.
    Recall is NaN without positive cases. Davis and Goadrich (2006), ICML, 233-240.
    """
    hits = np.cumsum(table.positives[::-1])
    decided = np.cumsum((table.positives + table.negatives)[::-1])
    precision = np.full(hits.size, np.nan)
    np.divide(hits, decided, out=precision, where=decided > 0)
    return _rising(table.positives), precision, table.values[::-1]


def average_precision_of(table: ScoreTable) -> float:
    r"""Return :math:`\sum_n (R_n - R_{n-1}) P_n` over falling thresholds, or say why there is none.

    Tied cases share one threshold, so their order does not matter, and nothing is interpolated.
    Buckley and Voorhees (2000), SIGIR, 33-40.
    """
    recall, precision, _ = precision_recall_points(table)
    if not table.positives.any():
        return Undefined("average precision needs a positive case: there is none")
    gained = np.diff(recall, prepend=0.0)
    return float((gained * precision)[gained > 0].sum())


def auc(scores: AnyArray, positive: BoolArray, weight: FloatArray | None = None) -> float:
    r"""Return the exact area under the ROC curve without building a table.

    The chance that a positive case outscores a negative one, ties counted half: Mann and Whitney's
    U over the number of pairs, :math:`2U = 2\sum_{i \in +} (\text{negatives} \le s_i) - \text{ties}`,
    in integers. Mann and Whitney (1947), Ann. Math. Stat. 18:50-60. NaN scores are refused.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True]))
    0.875
    """
    scores, positive = checked(scores, positive)
    if weight is not None:
        return _area(*_counted(scores, positive, weight)[1:])
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


def _counted(scores: AnyArray, positive: BoolArray, weight: FloatArray | None) -> tuple[AnyArray, ...]:
    """Return distinct scores, ascending, with the count or weight of either class."""
    if weight is None:
        # Two sorted halves: sorting values is far cheaper than the argsort of all of them.
        (ours, p), (theirs, n) = _runs(scores[positive]), _runs(scores[~positive])
        p, n = np.append(p, np.zeros_like(n)), np.append(np.zeros_like(p), n)
        return _summed(np.append(ours, theirs), p, n)
    weight = checked_weight(weight, scores.size)
    kept = weight > 0
    scores, positive, weight = scores[kept], positive[kept], weight[kept]
    return _summed(scores, np.where(positive, weight, 0.0), np.where(positive, 0.0, weight))


def _runs(values: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the distinct values, ascending, and how often each occurs."""
    values = np.sort(values)
    starts = _starts(values)
    return values[starts], np.diff(starts, append=values.size)


def _starts(ordered: AnyArray) -> IntArray:
    """Return where each run of equal values begins."""
    new = np.ones(ordered.size, dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(new)


def _summed(values: AnyArray, positives: AnyArray, negatives: AnyArray) -> tuple[AnyArray, ...]:
    """Return the distinct values, ascending, and the sums of what came with each."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = _starts(values)
    sums = (np.add.reduceat(counts[order], starts) for counts in (positives, negatives))
    return values[starts], *sums


def _columns(table: ScoreTable) -> tuple[AnyArray, ...]:
    mixed = np.zeros(table.values.size, dtype=np.bool_) if table.mixed is None else table.mixed
    return table.values, table.positives, table.negatives, mixed


def _binned(values: AnyArray, positives: AnyArray, negatives: AnyArray, mixed: BoolArray, *, bits: int) -> ScoreTable:
    """Return the table with scores that agree in their top `bits` bits put together."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    # Floats of one sign are ordered as their bits are, so equal top bits are neighbours here.
    starts = _starts((values + 0.0).view(np.uint64) >> np.uint64(EXACT_BITS - bits))
    largest = values[np.append(starts[1:], values.size) - 1] if values.size else values
    mixed = np.logical_or.reduceat(mixed[order], starts) | (values[starts] != largest)
    return ScoreTable(
        largest,
        np.add.reduceat(positives[order], starts),
        np.add.reduceat(negatives[order], starts),
        bits,
        mixed if mixed.any() else None,
    )


def _whole(positives: AnyArray, negatives: AnyArray) -> bool:
    return positives.dtype.kind != "f" and negatives.dtype.kind != "f"
