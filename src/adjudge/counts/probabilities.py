"""What probabilities are worth: sums from which Brier score, log loss and reliability follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge._base.records import dataclass, field
from adjudge.counts.fixed_point import BATCH, CASES, SLICE, BinSums, LossSums, bits_of, in_units, weight_sums
from adjudge.stats.exact_sums import to_floats

BINS = 15  # equal ones of [0, 1] for reliability (Guo et al. 2017 use 15)
MOST_CLASSES = 200  # whose own reliability is kept
ROUNDING = 1e-9  # rows off by less than this sum to one
NOTABLE = 1e-6  # rows off by more than this were visibly not normalised
TERMS = 4  # squared loss, log loss where it is finite, and their squares
SUMS = (
    "weight_sums",
    "case_sums",
    "class_sums",
    "top_sums",
    "place_sums",
    "bin_sums",
    "class_impossible",
    "impossible",
    "rescaled",
)
"""The fields that add up."""
MOST_PLACES = 20  # of the true class among the highest probabilities that are counted
_TWO = 2
_ALL = slice(None)
_BLOCK = 1 << 17  # probabilities of all classes worked on at a time
_HALVES = 2 * BINS
_EDGE = 1e-9  # of half a bin: this near an edge, rounding tells on which side of it p and 1 - p are
_OF_CASE, _OF_CLASS = (1, 10, 2, 20), (0, 10, 0, 20)  # the powers of two that they do not exceed


def _none(*shape: int) -> Callable[[], AnyArray]:
    return lambda: np.zeros(shape, dtype=object)


@dataclass(slots=True, eq=False)
class ProbabilityCounts:
    """Sums over cases, as whole numbers of 2**-bits: they add up by field, to the same numbers in any order.

    Each loss is rounded to a multiple of 2**-115 of its largest value (2**10 for the log loss), each probability to one of
    2**-65. That moves a mean loss by less than 1e-28, the mean probability of a bin by less than 2e-20; terms below count as 0.
    Weights other than whole numbers know no such grid: the sums of the products, each rounded once, are exact.
    """

    bits: int = CASES
    weight_sums: AnyArray = field(
        default_factory=_none(2)
    )  # weights, and squared weights: what the cases are worth follows from it
    case_sums: AnyArray = field(default_factory=_none(TERMS))
    class_sums: AnyArray = field(default_factory=_none(0, TERMS))
    # by bin of the highest probability: weight, sum of that probability, weight of the cases of its class; the same by class
    top_sums: AnyArray = field(default_factory=_none(3, BINS))
    # weight of the cases whose true class has the highest probability, the second highest, ...; of several columns alone
    place_sums: AnyArray = field(default_factory=_none(0))
    bin_sums: AnyArray = field(default_factory=_none(0, 3, BINS))
    class_impossible: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # the same as `impossible` by class
    impossible: int = 0  # cases whose true class had probability 0
    rescaled: int = 0  # cases whose probabilities did not sum to one and were divided by their sum
    share: float = 1.0  # of the rows that are cases of their own, where cases come back: squared weights count for so much more
    _read: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def weight(self) -> float:
        """The number of cases, or the sum of their weights."""
        return float(self._floats("weight_sums")[0])

    @property
    def weight_squares(self) -> float:
        """The sum of squared weights."""
        return float(self._floats("weight_sums")[1]) / self.share

    @property
    def squared(self) -> float:
        """The sum over cases of the squared distance between the probabilities and the truth."""
        return float(self._floats("case_sums")[0])

    @property
    def log(self) -> float:
        """The sum of -log p(true class) over the cases where it is finite."""
        return float(self._floats("case_sums")[1])

    @property
    def squares(self) -> FloatArray:
        """Sums of the squares: of `squared`, of `log` where finite."""
        return self._floats("case_sums")[2:]

    @property
    def losses(self) -> FloatArray:
        """By class: squared loss, log loss where finite, cases where not."""
        return np.column_stack((self._floats("class_sums")[:, :2], self.class_impossible))

    @property
    def class_squares(self) -> FloatArray:
        """Sums of the squares of the first two of `losses`."""
        return self._floats("class_sums")[:, 2:]

    @property
    def top(self) -> FloatArray:
        """By bin of the highest probability: weight, sum of that probability, weight of the cases of its class."""
        return self._floats("top_sums")

    @property
    def places(self) -> FloatArray:
        """The weight of the cases whose true class has the highest probability, the second highest, and so on."""
        return self._floats("place_sums")

    @property
    def by_class(self) -> FloatArray:
        """The same by class."""
        return self._floats("bin_sums")

    def _floats(self, name: str) -> FloatArray:
        """Return exact sums as floats, each rounded once."""
        if name not in self._read:
            self._read[name] = to_floats(getattr(self, name), self.bits)
        return np.asarray(self._read[name])

    def add(self, given: FloatArray, truth: IntArray, weight: AnyArray | None, decided: IntArray | None = None) -> None:
        """Add a block; a single column is of class 0, the other class is 1; of equal highest probabilities that decided for."""
        self._read.clear()
        self.bits, classes = bits_of(weight), max(given.shape[1], 2)
        if not self.bin_sums.size and classes <= MOST_CLASSES:
            self.class_sums, self.bin_sums = np.zeros((classes, TERMS), dtype=object), np.zeros((classes, 3, BINS), dtype=object)
            self.class_impossible = np.zeros(classes, dtype=np.int64)
        if given.shape[1] > 1 and not self.place_sums.size:
            self.place_sums = np.zeros(min(given.shape[1], MOST_PLACES), dtype=object)
        self.weight_sums = self.weight_sums + weight_sums(len(given), weight)
        for start in range(0, len(given), BATCH):
            parts = (None if part is None else part[start : start + BATCH] for part in (given, truth, weight, decided))
            (self._add_single if given.shape[1] == 1 else self._add_several)(*parts)  # type: ignore[arg-type]

    def _add_single(self, given: FloatArray, truth: IntArray, weight: AnyArray | None, decided: IntArray | None) -> None:
        """Add rows of two classes: the losses of the one are those of the other, and every bin follows from one table."""
        whole = counts_cases(weight)
        losses, bins = LossSums(_OF_CLASS, 1, whole=whole), BinSums(2 * _HALVES + 2, whole=whole)
        room, impossible, edges = np.empty((2, TERMS, 1, min(len(given), SLICE))), 0, []
        for rows in _slices(len(given), SLICE):
            p, hit, w = _within(given[rows, 0]), truth[rows] == 0, None if weight is None else weight[rows]
            space = room[..., : p.size]
            impossible += int(np.sum(_add_losses(losses, p[np.newaxis], hit[np.newaxis], w, space)))
            # by halves of bins, of which one is cut at 1/2: away from an edge that of `p` tells all, that of 1 - p too
            scaled, place = space[0, :2, 0]
            np.multiply(p, _HALVES, out=scaled)
            np.ceil(scaled, out=place)
            short = np.subtract(place, scaled, out=scaled)  # of the upper edge
            code = _coded(place, hit)
            if short.min() < _EDGE or short.max() > 1 - _EDGE:
                near = np.flatnonzero((short < _EDGE) | (short > 1 - _EDGE))
                code[near] = 0  # which is read as nothing
                edges.append(near + rows.start)
            bins.add(code.astype(np.int64), p, w, space[1, :2, 0])
        sums, (n, total) = losses.sums(), bins.sums()[:, 2:].reshape(2, _HALVES, 2)
        self.class_sums += sums
        self.case_sums = self.case_sums + sums[0] * np.array([2, 1, 4, 1], dtype=object)
        self.class_impossible += impossible
        self.impossible += impossible
        every, called = n.sum(axis=1), total.sum(axis=1)
        halves = np.stack((every, called, n[:, 1])), np.stack((every, every - called, n[:, 0]))[:, ::-1]
        self.bin_sums += np.stack([_paired(each) for each in halves])
        self.top_sums = self.top_sums + _paired(np.where(np.arange(_HALVES) < BINS, 0, halves[0] + halves[1]))
        if edges:
            near = np.concatenate(edges)
            own, said = (None if part is None else part[near] for part in (weight, decided))
            self._add_near_edges(_within(given[near, 0]), truth[near] == 0, own, said)

    def _add_near_edges(self, p: FloatArray, hit: BoolArray, w: AnyArray | None, decided: IntArray | None) -> None:
        """Add probabilities so near an edge of a bin that rounding tells on which side of it they and the rest are."""
        rest = 1 - p
        first = p >= rest if decided is None else (p > rest) | ((p == rest) & (decided <= 0))
        by_class, top = _BinCounter(2, whole=counts_cases(w)), _BinCounter(1, whole=counts_cases(w))
        both, hits = np.stack((p, rest)), np.stack((hit, ~hit))
        best, right = np.where(first, p, rest)[np.newaxis], np.where(first, hit, ~hit)[np.newaxis]
        for rows in _slices(p.size, SLICE):
            own, room = None if w is None else w[rows], np.empty((2, 2, both[:, rows].shape[1]))
            by_class.add(both[:, rows], hits[:, rows], own, room)
            top.add(best[:, rows], right[:, rows], own, room[:, :1])
        self.bin_sums += by_class.sums()
        self.top_sums = self.top_sums + top.sums()[0]

    def _add_several(self, given: FloatArray, truth: IntArray, weight: AnyArray | None, decided: IntArray | None) -> None:
        """Add rows with a probability of each class."""
        k, whole = given.shape[1], counts_cases(weight)
        step = max(min(SLICE, _BLOCK // k, len(given)), 1)
        losses, top, kept = LossSums(_OF_CASE, 1, whole=whole), _BinCounter(1, whole=whole), k <= MOST_CLASSES
        each, bins = LossSums(_OF_CLASS, k * kept, whole=whole), _BinCounter(k * kept, whole=whole)
        some = max(SLICE // step, 1)  # classes at a time
        room, places = np.empty((2, TERMS, some, step)), _PlaceCounter(self.place_sums.size, whole=whole)
        for rows in _slices(len(given), step):
            true, w = truth[rows], None if weight is None else weight[rows]
            p = _within(np.ascontiguousarray(given[rows].T, dtype=np.float64))  # classes by cases
            places.add(p, true, w)
            p = self._summing_to_one(p, w)
            space, known = room[..., : p.shape[1]], true < k
            own = np.where(known, p[np.minimum(true, k - 1), np.arange(p.shape[1])], 0.0)
            terms, highest_p = space[0, :, :1], p.max(axis=0)
            right = (own == highest_p) & known
            if np.count_nonzero(p == highest_p) > p.shape[1]:  # some are tied
                right = highest(p.T, None if decided is None else decided[rows]) == true
            np.maximum(added_in_order(p * p) - 2 * own + 1, 0, out=terms[0, 0])  # rounding may leave less than nothing
            self.impossible += int(np.sum(_add_logs(losses, own[np.newaxis], terms, w, space[1, :, :1])))
            top.add(highest_p[np.newaxis], right[np.newaxis], w, space[0, :2, :1].reshape(2, 1, -1))
            for start in range(0, k, some) if kept else ():
                group = slice(start, min(start + some, k))
                part, hit = space[:, :, : group.stop - start], true == np.arange(start, group.stop)[:, np.newaxis]
                self.class_impossible[group] += _add_losses(each, p[group], hit, w, part, group)
                bins.add(p[group], hit, w, part[0, :2], start)
        self.case_sums = self.case_sums + losses.sums()[0]
        self.top_sums = self.top_sums + top.sums()[0]
        self.place_sums = self.place_sums + places.sums()
        if kept:
            self.class_sums += each.sums()
            self.bin_sums += bins.sums()

    def _summing_to_one(self, p: FloatArray, weight: AnyArray | None) -> FloatArray:
        """Return classes by cases so that the probabilities of each case sum to one, and count those that did not."""
        sums = added_in_order(p)
        off = np.abs(sums - 1)
        if off.max(initial=0) > NOTABLE:
            notable = off > NOTABLE
            self.rescaled += int(
                np.count_nonzero(notable) if weight is None or not counts_cases(weight) else weight[notable].sum()
            )
        return rescaled(p, sums[np.newaxis])


class _BinCounter:
    """Bins of the probabilities of some classes: weight, sum of probabilities, weight of the cases of the class."""

    def __init__(self, classes: int, *, whole: bool) -> None:
        self._classes, self._bins = classes, BinSums(2 * BINS * classes, whole=whole)

    def add(self, p: FloatArray, hit: BoolArray, weight: AnyArray | None, room: FloatArray, first: int = 0) -> None:
        """Add probabilities of classes from the `first` on by cases, and whether each case is of the class."""
        place = np.multiply(p, BINS, out=room[0])
        np.ceil(place, out=place)
        np.maximum(place, 1, out=place)
        offsets = np.arange(2 * BINS * first - 2, 2 * BINS * (first + len(p)) - 2, 2 * BINS)
        code = np.add(_coded(place, hit), offsets[:, np.newaxis])
        w = None if weight is None else np.broadcast_to(weight, p.shape).ravel()
        self._bins.add(code.ravel(), p.ravel(), w, room.reshape(2, -1))

    def sums(self) -> AnyArray:
        """Return classes by quantities by bins."""
        n, called = self._bins.sums().reshape(2, self._classes, BINS, 2)
        return np.stack((n.sum(axis=2), called.sum(axis=2), n[..., 1]), axis=1)


class _PlaceCounter:
    """Cases by the place of their true class in the order of falling probability.

    Classes of equal probability share the places they take alike, which is where each would stand on average in a random order.
    """

    def __init__(self, places: int, *, whole: bool) -> None:
        self._places, self._bins = places, BinSums(places + 1, whole=whole)  # the last for all places beyond
        self._alone = np.zeros(places + 1, dtype=np.int64)  # cases without weights whose true class shares its place with none

    def add(self, p: FloatArray, true: IntArray, weight: AnyArray | None) -> None:
        """Add probabilities, classes by cases; a class without one is beyond all places."""
        known = np.flatnonzero(true < len(p))
        own = p[true[known], known]
        p = p if known.size == true.size else p[:, known]
        higher, same = np.add.reduce(p > own, axis=0, dtype=np.int32), p == own
        if weight is None and np.count_nonzero(same) == known.size:
            self._alone += np.bincount(np.minimum(higher, self._places), minlength=self._places + 1)
            return
        alike = np.add.reduce(same, axis=0, dtype=np.int32)
        case = np.repeat(np.arange(known.size), alike)
        first = np.cumsum(alike) - alike
        place, part = higher[case] + np.arange(case.size) - first[case], 1 / alike[case]
        for rows in _slices(case.size, SLICE):
            w = None if weight is None else weight[known[case[rows]]]
            self._bins.add(np.minimum(place[rows], self._places), part[rows], w, np.empty((2, part[rows].size)))

    def sums(self) -> AnyArray:
        """Return the weight of the cases at each place."""
        return np.asarray((self._bins.sums()[1] + in_units(self._alone, None))[: self._places])


def _coded(place: FloatArray, hit: BoolArray) -> AnyArray:
    """Return twice the place of a bin, and one more for a hit; small numbers take less time."""
    code = place.astype(np.int8)
    code <<= 1
    code |= hit
    return code


def _slices(rows: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, rows, step))


def _within(p: FloatArray) -> FloatArray:
    """Return probabilities in [0, 1], what lies beyond for rounding moved there."""
    p = p.astype(np.float64, copy=False)
    return np.clip(p, 0, 1) if p.min(initial=0) < 0 or p.max(initial=0) > 1 else p


def added_in_order(columns: FloatArray) -> FloatArray:
    """Return the sums over classes, one after the other: numpy adds in pairs where a block has one case, and rounds otherwise."""
    if columns.shape[1] == 1:
        return np.asarray(np.add.accumulate(columns, axis=0)[-1])
    return np.asarray(np.add.reduce(columns, axis=0))


def _add_losses(
    sums: LossSums, p: FloatArray, hit: BoolArray, weight: AnyArray | None, room: FloatArray, at: slice = _ALL
) -> Any:
    """Add the losses of classes by cases against the rest; return how many log losses of each class are infinite."""
    terms, own = room[0], room[1, 0]
    np.subtract(~hit, p, out=own)
    np.abs(own, out=own)
    np.subtract(1, own, out=terms[0])
    np.square(terms[0], out=terms[0])
    return _add_logs(sums, own, terms, weight, room[1], at)


def _add_logs(
    sums: LossSums, own: FloatArray, terms: FloatArray, weight: AnyArray | None, room: FloatArray, at: slice = _ALL
) -> Any:
    """Add squared losses, which are the first of `terms`, and log losses; return how many of the latter are infinite."""
    impossible: Any = 0
    if own.min() <= 0:
        lost = own <= 0
        counted = lost if weight is None else lost * weight if counts_cases(weight) else lost & (weight > 0)
        impossible = counted.sum(axis=-1)
        own[lost] = 1
    np.log(own, out=terms[1])
    np.negative(terms[1], out=terms[1])
    np.square(terms[:2], out=terms[2:])
    sums.add(terms, weight, room, at)
    return impossible


def highest(p: FloatArray, decided: IntArray | None) -> IntArray:
    """Return the column of the highest probability of each case: of equal ones that of the decision, else the first."""
    best: IntArray = p.argmax(axis=1)
    if decided is None:
        return best
    places, said = np.arange(best.size), np.clip(decided, 0, p.shape[1] - 1)
    tied = (said == decided) & (p[places, said] == p[places, best])
    return np.where(tied, said, best)


def rescaled(p: FloatArray, sums: FloatArray) -> FloatArray:
    """Return rows of probabilities that sum to one; dividing by 1 - 1e-16 would only move bin edges."""
    off = ~(np.abs(sums - 1) <= ROUNDING)
    return np.where(off, p / sums, p) if off.any() else p


def case_losses(name: str, p: FloatArray, own: FloatArray, k: int) -> FloatArray:
    """Return the loss of each case whose true class has the probability `own`: "brier", halved for two classes, or "log_loss"."""
    if name == "brier":
        return np.asarray(((p * p).sum(axis=1) - 2 * own + 1) / (_TWO if k <= _TWO else 1))
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(own))


def calibration_error(sums: FloatArray) -> float:
    """Return the expected calibration error (ECE) of bins: their weight, sum of probabilities, and weight of what happened."""
    weight, called, happened = (part[sums[0] > 0] for part in sums)
    return float((np.abs(called / weight - happened / weight) * weight).sum() / weight.sum()) if weight.size else float("nan")


def _paired(halves: AnyArray) -> AnyArray:
    """Return sums over bins from those over their halves."""
    return np.asarray(halves.reshape(-1, BINS, 2).sum(axis=2))


def bins_of(p: FloatArray) -> IntArray:
    """Return the bin of each probability: (i/15, (i+1)/15], with 0 in the first."""
    scaled = p * BINS
    bins: IntArray = np.ceil(scaled, out=scaled).astype(np.int64)
    bins -= 1
    return np.clip(bins, 0, BINS - 1, out=bins)
