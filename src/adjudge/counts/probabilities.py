"""What probabilities are worth: sums from which Brier score, log loss and reliability follow."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge._base.records import dataclass

BINS = 15  # equal ones of [0, 1] for reliability (Guo et al. 2017 use 15)
MOST_CLASSES = 200  # whose own reliability is kept
ROUNDING = 1e-9  # rows off by less than this sum to one
NOTABLE = 1e-6  # rows off by more than this were visibly not normalised
_TWO = 2
_HALVES = 2 * BINS
_EDGE = 1e-9  # of half a bin: this near an edge, rounding tells on which side of it p and 1 - p are


@dataclass(slots=True, eq=False)
class ProbabilityCounts:
    """Sums over cases; add up by field."""

    weight: float = 0.0
    squared: float = 0.0  # sum over cases of the squared distance between the probabilities and the truth
    log: float = 0.0  # sum of -log p(true class) over the cases where it is finite
    impossible: int = 0  # cases whose true class had probability 0
    rescaled: int = 0  # cases whose probabilities did not sum to one and were divided by their sum
    # by bin of the highest probability: weight, sum of that probability, weight of the cases of its class; the same by class
    top: FloatArray = field(default_factory=lambda: np.zeros((3, BINS)))
    by_class: FloatArray = field(default_factory=lambda: np.zeros((0, 3, BINS)))
    losses: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))  # by class: squared, log where finite, cases where not
    weight_squares: float = 0.0  # sum of squared weights: what the cases are worth follows from it
    squares: FloatArray = field(default_factory=lambda: np.zeros(2))  # sums of the squares: of `squared`, of `log` where finite
    class_squares: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # the same by class, of the first two of `losses`

    def add(self, given: FloatArray, truth: IntArray, weight: AnyArray | None, decided: IntArray | None = None) -> None:
        """Add a block; a single column is of class 0, the other class is 1; of equal highest probabilities that decided for."""
        p = given.astype(np.float64, copy=False)
        if p.min(initial=0) < 0 or p.max(initial=0) > 1:
            p = np.clip(p, 0, 1)
        if p.shape[1] == 1:
            self._add_single(p[:, 0], truth == 0, weight, decided)
            return
        sums = p.sum(axis=1, keepdims=True)
        off = np.abs(sums[:, 0] - 1) > NOTABLE
        self.rescaled += int(np.count_nonzero(off) if weight is None or not counts_cases(weight) else weight[off].sum())
        p = rescaled(p, sums)
        places = np.arange(truth.size)
        own = np.where(truth < p.shape[1], p[places, np.minimum(truth, p.shape[1] - 1)], 0.0)
        self._count(truth.size, weight)
        distance = (p * p).sum(axis=1) - 2 * own + 1
        log, kept, impossible = _logs(own, weight)
        self.squared += float(_weighed(distance, weight).sum())
        self.log += float(_weighed(log, kept).sum())
        self.squares += (float(_weighed(distance**2, weight).sum()), float(_weighed(log**2, kept).sum()))
        self.impossible += impossible
        best = highest(p, decided)
        self.top += _by_bin(p[places, best], best == truth, weight)
        if p.shape[1] > MOST_CLASSES:
            return
        self._make_room(p.shape[1])
        for i in range(p.shape[1]):
            hit = truth == i
            self.by_class[i] += _by_bin(p[:, i], hit, weight)
            losses = _losses(p[:, i], hit, weight)
            self.losses[i] += losses[:3]
            self.class_squares[i] += losses[3:]

    def _add_single(self, p: FloatArray, hit: BoolArray, w: AnyArray | None, decided: IntArray | None) -> None:
        """Add a block of two classes: the losses of the one are those of the other, and every bin follows from one table."""
        self._make_room(2)
        self._count(p.size, w)
        squared, log, impossible, squares, logs = _losses(p, hit, w).tolist()
        self.losses += (squared, log, impossible)
        self.class_squares += (squares, logs)
        self.squared, self.log, self.impossible = self.squared + 2 * squared, self.log + log, self.impossible + int(impossible)
        self.squares += (4 * squares, logs)
        # by halves of bins, of which one is cut at 1/2: away from an edge that of `p` tells all, that of 1 - p too
        scaled = _HALVES * p
        place = np.ceil(scaled)
        short = np.subtract(place, scaled, out=scaled)  # of the upper edge
        if short.min(initial=1) < _EDGE or short.max(initial=0) > 1 - _EDGE:
            near = (short < _EDGE) | (short > 1 - _EDGE)
            own, said = None if w is None else w[near], None if decided is None else decided[near]
            self._add_near_edges(p[near], hit[near], own, said)
            place, p, hit, w = place[~near], p[~near], hit[~near], None if w is None else w[~near]
        code = place.astype(np.int8)
        code <<= 1
        code |= hit
        code = code.astype(np.int64)
        n, total = (np.bincount(code, weights=v, minlength=2 * _HALVES + 2)[2:].reshape(_HALVES, 2) for v in (w, _weighed(p, w)))
        rows, sums = n.sum(axis=1), total.sum(axis=1)
        halves = np.stack((rows, sums, n[:, 1])), np.stack((rows, rows - sums, n[:, 0]))[:, ::-1]
        self.by_class += [_paired(each) for each in halves]
        self.top += _paired(np.where(np.arange(_HALVES) < BINS, 0.0, halves[0] + halves[1]))

    def _add_near_edges(self, p: FloatArray, hit: BoolArray, w: AnyArray | None, decided: IntArray | None) -> None:
        first = p >= 1 - p if decided is None else (p > 1 - p) | ((p == 1 - p) & (decided <= 0))
        for at, (q, own, best) in enumerate(((p, hit, first), (1 - p, ~hit, ~first))):
            self.by_class[at] += _by_bin(q, own, w)
            self.top += _by_bin(q[best], own[best], None if w is None else w[best])

    def _count(self, rows: int, weight: AnyArray | None) -> None:
        total = float(rows if weight is None else weight.sum())
        self.weight += total
        self.weight_squares += total if weight is None or counts_cases(weight) else float((weight * weight).sum())

    def _make_room(self, k: int) -> None:
        if not self.by_class.size:
            self.by_class, self.losses, self.class_squares = np.zeros((k, 3, BINS)), np.zeros((k, 3)), np.zeros((k, 2))


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


def _weighed(values: AnyArray, weight: AnyArray | None) -> AnyArray:
    """Return values times their weights; without weights, as they are."""
    return values if weight is None else weight * values


def _logs(own: FloatArray, weight: AnyArray | None) -> tuple[FloatArray, AnyArray | None, int]:
    """Return -log p where it is finite, the weights there, and how many cases of some weight have none."""
    if own.min(initial=1) > 0:
        log = np.log(own)
        return np.negative(log, out=log), weight, 0
    possible = own > 0
    if weight is None:
        return -np.log(own[possible]), None, int(np.count_nonzero(~possible))
    lost = weight[~possible] if counts_cases(weight) else weight[~possible] > 0
    return -np.log(own[possible]), weight[possible], int(lost.sum())


def _by_bin(p: FloatArray, hit: BoolArray, w: AnyArray | None) -> FloatArray:
    place = bins_of(p)
    return np.stack([np.bincount(place, weights=v, minlength=BINS) for v in (w, _weighed(p, w), _weighed(hit, w))])


def _paired(halves: FloatArray) -> FloatArray:
    """Return sums over bins from those over their halves."""
    return np.asarray(halves.reshape(-1, BINS, 2).sum(axis=2))


def _losses(p: FloatArray, hit: BoolArray, w: AnyArray | None) -> FloatArray:
    """Return squared loss, log loss, how often it is infinite, and the squares of the first two, all summed."""
    own = (~hit).astype(np.float64)
    np.abs(np.subtract(own, p, out=own), out=own)
    log, kept, impossible = _logs(own, w)
    squared = np.square(np.subtract(1, own, out=own), out=own)
    parts = ((squared, w), (log, kept))
    sums = [_weighed(v, by).sum() for v, by in parts]
    return np.array([*sums, impossible, *(_weighed(np.square(v, out=v), by).sum() for v, by in parts)])


def bins_of(p: FloatArray) -> IntArray:
    """Return the bin of each probability: (i/15, (i+1)/15], with 0 in the first."""
    scaled = p * BINS
    bins: IntArray = np.ceil(scaled, out=scaled).astype(np.int64)
    bins -= 1
    return np.clip(bins, 0, BINS - 1, out=bins)
