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
        self.squared += float((w * ((p * p).sum(axis=1) - 2 * own + 1)).sum())
        possible = own > 0
        self.log -= float((w[possible] * np.log(own[possible])).sum())
        self.impossible += int(np.count_nonzero(~possible & (w > 0)))
        best = p.argmax(axis=1)
        self.top += _by_bin(p[np.arange(truth.size), best], best == truth, w)
        self._add_classes(p, truth, w)

    def _add_classes(self, p: FloatArray, truth: IntArray, w: FloatArray) -> None:
        if p.shape[1] > _MOST_CLASSES:
            return
        if not self.by_class.size:
            self.by_class, self.losses = np.zeros((p.shape[1], 3, BINS)), np.zeros((p.shape[1], 3))
        for i in range(p.shape[1]):
            hit = truth == i
            self.by_class[i] += _by_bin(p[:, i], hit, w)
            self.losses[i] += _losses(p[:, i], hit, w)


def _by_bin(p: FloatArray, hit: BoolArray, w: FloatArray) -> FloatArray:
    place = bins_of(p)
    return np.stack([np.bincount(place, weights=v, minlength=BINS) for v in (w, w * p, w * hit)])


def _losses(p: FloatArray, hit: BoolArray, w: FloatArray) -> FloatArray:
    own = np.where(hit, p, 1 - p)
    possible = own > 0
    log = -(w[possible] * np.log(own[possible])).sum()
    return np.array([(w * (1 - own) ** 2).sum(), log, np.count_nonzero(~possible & (w > 0))])


def bins_of(p: FloatArray) -> IntArray:
    """Return the bin of each probability: (i/15, (i+1)/15], with 0 in the first."""
    return np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
