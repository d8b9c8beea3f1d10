"""Exact ranking of scores: the area under the ROC curve, and the tables curves are drawn from.

Scores are compared as they are stored: nothing is rounded, infinities are ranks like any other
and -0.0 equals 0.0. `auc` is the fast way to one number; a `ScoreTable` adds up over batches and
carries the curves. Arrays in, numbers out; no class names, no frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats._pairs import checked, checked_weight, doubled_wins, packed, whole_dot, wins_within
from adjudge.stats.placements import doubled_by_segments

MANY = 1 << 22
"""Scores from which on cutting them into segments takes less time than sorting them."""
EXACT_BITS = 64
"""Bits of a float64: a table that distinguishes all of them has not been coarsened."""

_FLOAT64_INTEGERS = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """How many positive and negative cases had each score.

    `values` ascends strictly. The counts are int64, or float64 sums of weights. A coarsened table
    tells scores apart by the top `bits` bits of their float64 only; each of its values is then the
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
    _refuse_wide_integers(np.asarray(scores))
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
        return _no_area(count, rest)
    won = doubled_by_segments(scores, positive) if scores.size >= MANY and scores.dtype.kind == "f" else None
    return (doubled_wins(scores, positive) if won is None else won) / (2 * count * rest)


def _area(positives: AnyArray, negatives: AnyArray) -> float:
    """Return the AUC of counts or weights in the order of their scores."""
    count, rest = positives.sum().item(), negatives.sum().item()
    if not (count and rest):
        return _no_area(count, rest)
    if _whole(positives, negatives):
        return whole_dot(positives, 2 * np.cumsum(negatives) - negatives) / int(2 * count * rest)
    # Shares first: the product of two tiny or huge weights leaves the range of floats.
    p, n = positives / count, negatives / rest
    return min(float((p * (np.cumsum(n) - n / 2)).sum()), 1.0)


def _no_area(count: float, rest: float) -> Undefined:
    absent = "no positive case" if rest else "no negative case" if count else "no case at all"
    return Undefined(f"AUC needs both classes: {absent}")


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


def _refuse_wide_integers(scores: AnyArray) -> None:
    """Raise when integers are too large for the float64 values of a table to tell them apart."""
    if scores.dtype.kind not in "iu" or not scores.size:
        return
    if scores.max() > _FLOAT64_INTEGERS or scores.min() < -_FLOAT64_INTEGERS:
        msg = (
            "a score table holds float64, which merges integers beyond 2^53. "
            "Use auc(), which compares them as integers, or tabulate their ranks."
        )
        raise InputError(msg)


__all__ = ["Bins", "grouped", "packed", "room_for", "slots", "tabulate_binned", "wins_within"]

_WIDEST = 1 << 17
"""Bins of one sign with room of their own; of 22 bits, they go from any score up and down nineteen orders of magnitude."""
_ROOM = 1 << 20
"""The same of all tables together."""
_ASIDE = 1 << 13
"""Scores put aside before they are sorted, or four times as many as there is room for bins."""
_SAMPLE = 1 << 10  # of scores, for their middle
_BELOW = np.int64((1 << 63) - 1)


def slots(scores: AnyArray, bits: int) -> IntArray:
    """Return the number of each score's bin: ascending with the scores, below 0 for scores below 0.

    The bits of an IEEE float order those of one sign by size; turned over below zero, they order all.

    >>> slots(np.array([-1.0, -0.0, 0.0, 1.0]), 12).tolist()
    [-1024, 0, 0, 1023]
    """
    whole = (scores.astype(np.float64, copy=False) + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    if whole.min(initial=0) < 0:
        whole ^= (whole >> 63) & _BELOW
    whole >>= EXACT_BITS - bits
    return whole


def tabulate_binned(scores: AnyArray, positive: BoolArray, weight: FloatArray | None, *, bits: int) -> ScoreTable:
    """Return ``coarsen(tabulate(scores, positive, weight), bits)``, without sorting most of the scores."""
    bins = Bins(bits)
    bins.add(scores, positive, weight)
    return bins.table()


def room_for(columns: int) -> int:
    """Return how many bins of one sign there is room for in each of so many tables."""
    return max(1, min(_WIDEST, _ROOM // columns))


class Bins:
    """Scores counted by bin as they come in: what ``tabulate_binned`` of all of them would be.

    Around the middle of the first scores there is room for `most` bins of either sign, and scores in them are counted without
    being sorted. Those farther out are put aside, and sorted a good many at a time.
    """

    def __init__(self, bits: int, most: int | None = None) -> None:
        self.bits = bits
        self.most = _WIDEST if most is None else most
        self._windows: tuple[_Window, ...] = ()
        self._zeros: AnyArray = np.zeros(2, dtype=np.int64)
        self._aside: list[tuple[AnyArray, BoolArray, FloatArray | None]] = []
        self._waiting = 0
        self._far: ScoreTable | None = None

    def add(self, scores: AnyArray, positive: BoolArray, weight: FloatArray | None = None) -> None:
        """Count some scores, or add up their weights; those of weight 0 are left out."""
        scores, positive = checked(scores, positive)
        if weight is not None:
            weight = checked_weight(weight, scores.size)
            kept = weight > 0
            scores, positive, weight = scores[kept], positive[kept], weight[kept]
        if scores.dtype.kind != "f":
            self._put_aside(scores, positive, weight)
            return
        if not self._windows and scores.size:
            low = max(0, _middle(scores, self.bits) - self.most // 2)
            self._windows = tuple(_Window(start, self.most) for start in (low, -low - self.most))
        for start in range(0, scores.size, STREAMED):
            part = slice(start, start + STREAMED)
            self._add(scores[part].astype(np.float64), positive[part], None if weight is None else weight[part])

    def _add(self, values: FloatArray, positive: BoolArray, weight: FloatArray | None) -> None:
        slot = slots(values, self.bits)
        for window in self._windows:
            place = window.places(slot)
            if place.min(initial=window.elsewhere) == window.elsewhere:
                continue
            far = np.flatnonzero(place == window.elsewhere) if place.max() == window.elsewhere else None
            window.count(place, values, positive, weight)
            if far is None:
                return
            slot, values, positive, weight = slot[far], values[far], positive[far], None if weight is None else weight[far]
        self._put_aside(values, positive, weight)

    def _put_aside(self, scores: AnyArray, positive: BoolArray, weight: FloatArray | None) -> None:
        other = np.flatnonzero(scores)
        if other.size < scores.size:  # 0 is far from all other scores, and many may be 0
            zero = np.flatnonzero(scores == 0)
            found = np.bincount(positive[zero], None if weight is None else weight[zero], minlength=2)
            self._zeros = self._zeros + found
            scores, positive, weight = scores[other], positive[other], None if weight is None else weight[other]
        if scores.size:
            self._aside.append((scores, positive, weight))
            self._waiting += scores.size
        if self._waiting > max(_ASIDE, 4 * self.most):
            self._sort()

    def _sort(self) -> None:
        scores, positive = (np.concatenate([part[i] for part in self._aside]) for i in range(2))
        weights = [weight for _, _, weight in self._aside if weight is not None]
        table = coarsen(tabulate(scores, positive, np.concatenate(weights) if weights else None), self.bits)
        self._far = table if self._far is None else merge(self._far, table)
        self._aside, self._waiting = [], 0

    def table(self) -> ScoreTable:
        """Return the table of all scores counted."""
        if self._aside:
            self._sort()
        tables = [window.table(self.bits) for window in self._windows]
        if self._zeros.any():
            tables.append(ScoreTable(np.zeros(1), self._zeros[1:], self._zeros[:1], self.bits))
        if self._far is not None:
            tables.append(self._far)
        return reduce(merge, tables) if tables else coarsen(tabulate(np.empty(0), np.empty(0, dtype=np.bool_)), self.bits)


def _middle(scores: AnyArray, bits: int) -> int:
    """Return about the median bin of the sizes of scores other than 0."""
    some = np.sort(np.abs(scores[:: max(1, scores.size // _SAMPLE)]))
    some = some[some > 0] if some[-1] > 0 else some
    return int(slots(some[[some.size // 2]], bits)[0])


class _Window:
    """As many bins as there is room for, from `low` on."""

    def __init__(self, low: int, most: int) -> None:
        self.low, self.elsewhere = low, most
        self.counts: AnyArray = np.zeros(2, dtype=np.int64)
        """Of the other and of the positive cases by turns; the last two of all that are elsewhere."""
        self.largest, self.smallest = np.full(1, -np.inf), np.full(1, np.inf)

    def places(self, slot: IntArray) -> IntArray:
        """Return the place of each bin."""
        place = (slot - self.low).view(np.uint64)  # below the first is far above as unsigned
        return np.minimum(place, np.uint64(self.elsewhere), out=place).view(np.int64)

    def count(self, place: IntArray, values: FloatArray, positive: BoolArray, weight: FloatArray | None) -> None:
        """Count scores in their places; `place` is overwritten."""
        if self.largest.size == 1:
            self._furnish(weighted=weight is not None)
        beyond = values > self.largest.take(place)
        beyond |= values < self.smallest.take(place)
        new = np.flatnonzero(beyond)  # soon few
        np.maximum.at(self.largest, place[new], values[new])
        np.minimum.at(self.smallest, place[new], values[new])
        place <<= 1
        place |= positive
        np.add.at(self.counts, place, 1 if weight is None else weight)

    def _furnish(self, *, weighted: bool) -> None:
        """Make the room, now that there is something to put into it."""
        self.counts = np.zeros(2 * self.elsewhere + 2, dtype=np.float64 if weighted else np.int64)
        self.largest, self.smallest = np.full(self.elsewhere + 1, -np.inf), np.full(self.elsewhere + 1, np.inf)

    def table(self, bits: int) -> ScoreTable:
        """Return the bins that occur."""
        there = np.flatnonzero(self.smallest[:-1] <= self.largest[:-1])
        largest, mixed = self.largest[there], self.smallest[there] != self.largest[there]
        positives, negatives = self.counts[1::2][there], self.counts[::2][there]
        return ScoreTable(largest + 0.0, positives, negatives, bits, mixed if mixed.any() else None)


def grouped(keys: AnyArray, group: IntArray, groups: int) -> tuple[AnyArray, IntArray]:
    """Return the keys by group, in the order they came in, and how many each group has.

    A sparse row turned into columns is a counting sort, the fastest that NumPy and SciPy have.
    """
    from scipy.sparse import csr_array

    row = csr_array((keys, group.astype(np.int32, copy=False), np.array([0, keys.size], dtype=np.int32)), shape=(1, groups))
    columns = row.tocsc()
    return columns.data, np.diff(columns.indptr)
