"""What probabilities are worth: sums from which Brier score, log loss and reliability follow."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray

BINS = 15
"""Equal bins of [0, 1] for reliability (Guo et al. 2017 use 15)."""
_MOST_CLASSES = 200  # classes whose own reliability is kept
_ROUNDING = 1e-9
_NOTABLE = 1e-6  # rows off by more than this were visibly not normalised


@dataclass(slots=True, eq=False)
class ProbabilityCounts:
    """Sums over cases; add up by field."""

    weight: float = 0.0
    squared: float = 0.0
    """Sum over cases of the squared distance between the probabilities and the truth."""
    log: float = 0.0
    """Sum of -log p(true class) over the cases where it is finite."""
    impossible: int = 0
    """Cases whose true class had probability 0."""
    rescaled: int = 0
    """Cases whose probabilities did not sum to one and were divided by their sum."""
    top: FloatArray = field(default_factory=lambda: np.zeros((3, BINS)))
    """By bin of the highest probability: weight, sum of that probability, weight of cases where it was right."""
    by_class: FloatArray = field(default_factory=lambda: np.zeros((0, 3, BINS)))
    """The same by class: weight, sum of the class's probability, weight of the cases truly of the class."""
    losses: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    """By class against the rest: squared loss, log loss where finite, cases where it is not."""
    weight_squares: float = 0.0
    """Sum of squared weights: what the cases are worth follows from it."""
    squares: FloatArray = field(default_factory=lambda: np.zeros(2))
    """Sums of the squares of the cases' losses: of `squared`, and of `log` where finite."""
    class_squares: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    """The same by class, for the first two of `losses`."""

    def add(self, given: FloatArray, truth: IntArray, weight: FloatArray | None) -> None:
        """Add a block; a single column is the probability of class 0, the other class is 1."""
        p = np.clip(given.astype(np.float64), 0, 1)
        if p.shape[1] == 1:
            p = np.column_stack([p[:, 0], 1 - p[:, 0]])
        else:
            sums = p.sum(axis=1, keepdims=True)
            self.rescaled += int(np.count_nonzero(np.abs(sums - 1) > _NOTABLE))
            p = np.where(np.abs(sums - 1) > _ROUNDING, p / sums, p)  # dividing by 1 - 1e-16 would only move bin edges
        w = np.ones(truth.size) if weight is None else weight
        own = np.where(truth < p.shape[1], p[np.arange(truth.size), np.minimum(truth, p.shape[1] - 1)], 0.0)
        self.weight += float(w.sum())
        self.weight_squares += float((w * w).sum())
        distance = (p * p).sum(axis=1) - 2 * own + 1
        possible = own > 0
        log, kept = -np.log(own[possible]), w[possible]
        self.squared += float((w * distance).sum())
        self.log += float((kept * log).sum())
        self.squares += (float((w * distance**2).sum()), float((kept * log**2).sum()))
        self.impossible += int(np.count_nonzero(~possible & (w > 0)))
        best = p.argmax(axis=1)
        self.top += _by_bin(p[np.arange(truth.size), best], best == truth, w)
        self._add_classes(p, truth, w)

    def _add_classes(self, p: FloatArray, truth: IntArray, w: FloatArray) -> None:
        if p.shape[1] > _MOST_CLASSES:
            return
        if not self.by_class.size:
            k = p.shape[1]
            self.by_class, self.losses, self.class_squares = np.zeros((k, 3, BINS)), np.zeros((k, 3)), np.zeros((k, 2))
        for i in range(p.shape[1]):
            hit = truth == i
            self.by_class[i] += _by_bin(p[:, i], hit, w)
            found = _losses(p[:, i], hit, w)
            self.losses[i] += found[:3]
            self.class_squares[i] += found[3:]


def _by_bin(p: FloatArray, hit: BoolArray, w: FloatArray) -> FloatArray:
    place = bins_of(p)
    return np.stack([np.bincount(place, weights=v, minlength=BINS) for v in (w, w * p, w * hit)])


def _losses(p: FloatArray, hit: BoolArray, w: FloatArray) -> FloatArray:
    """Return squared loss, log loss, how often it is infinite, and the squares of the first two, all summed."""
    own = np.where(hit, p, 1 - p)
    possible = own > 0
    log, kept, squared = -np.log(own[possible]), w[possible], (1 - own) ** 2
    impossible = np.count_nonzero(~possible & (w > 0))
    return np.array([(w * squared).sum(), (kept * log).sum(), impossible, (w * squared**2).sum(), (kept * log**2).sum()])


def bins_of(p: FloatArray) -> IntArray:
    """Return the bin of each probability: (i/15, (i+1)/15], with 0 in the first."""
    return np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
