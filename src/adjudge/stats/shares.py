"""Distributions of shares that are known by points, and those of the mean of several independent ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.numerics import brentq

CELLS = 1 << 14  # of the ranges of all shares together, when their mean is taken
_TAIL, _RISE = 1e-14, 1e-15  # of probability that lies beyond the ends, and between points that differ


@dataclass(frozen=True, slots=True, eq=False)
class ShareDistribution:
    """How probably a share lies below each of some points, between which a monotone cubic is drawn."""

    points: FloatArray  # shares, or their logits
    probabilities: FloatArray
    mean: float
    logits: bool = True

    @classmethod
    def of(cls, points: FloatArray, below: FloatArray, mean: float, *, logits: bool = True) -> ShareDistribution:
        """Return the distribution known at points, in order; what is beyond rounding is put right."""
        below = np.maximum.accumulate(np.clip(below, 0.0, 1.0))
        inside = np.flatnonzero((below > _TAIL) & (below < 1 - _TAIL))
        first, last = (max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 2, below.size)) if inside.size else (0, below.size)
        known = below[first:last].copy()
        known[0], known[-1] = 0.0, 1.0
        rises = np.append(True, np.diff(known) > _RISE)
        return cls(points[first:last][rises], known[rises], mean, logits)

    @property
    def ends(self) -> tuple[float, float]:
        """The shares between which it lies."""
        low, high = float(self.points[0]), float(self.points[-1])
        return (float(special.expit(low)), float(special.expit(high))) if self.logits else (low, high)

    def below(self, shares: FloatArray) -> FloatArray:
        """Return the probability that the share lies below each of some values."""
        with np.errstate(divide="ignore"):
            at = special.logit(np.clip(shares, 0.0, 1.0)) if self.logits else shares
        low, high = float(self.points[0]), float(self.points[-1])
        if self.points.size == 1:
            return np.where(at < low, 0.0, 1.0)
        from scipy.interpolate import PchipInterpolator

        known = PchipInterpolator(self.points, self.probabilities)(np.clip(at, low, high))
        return np.where(at < low, 0.0, np.where(at >= high, 1.0, known))

    def limits(self, level: float) -> tuple[float, float]:
        """Return the central interval."""
        low, high = self.ends
        if not low < high:
            return self.mean, self.mean

        def at(p: float) -> float:
            return brentq(lambda share: float(self.below(np.array([share]))[0]) - p, low, high, xtol=1e-13)

        return at((1 - level) / 2), at((1 + level) / 2)


def mean_of(shares: Sequence[ShareDistribution], cells: int = CELLS) -> ShareDistribution:
    """Return the distribution of the mean of independent shares, each cut into equal cells and their sums convolved."""
    if len(shares) == 1:
        return shares[0]
    lows, highs = np.array([each.ends for each in shares]).T
    step = float((highs - lows).sum()) / cells
    mean = float(np.mean([each.mean for each in shares]))
    if not step > 0:
        return ShareDistribution(np.array([mean]), np.ones(1), mean, logits=False)
    size = 1 << int(np.ceil(np.log2(cells + 2 * len(shares) + 2)))
    whole = np.ones(size // 2 + 1, dtype=np.complex128)
    for each, low, high in zip(shares, lows, highs, strict=True):
        edges = low + step * np.arange(int(np.ceil((high - low) / step)) + 1)
        whole *= np.fft.rfft(np.diff(each.below(edges), prepend=0.0)[1:], size)
    below = np.cumsum(np.fft.irfft(whole, size))
    ends = float(lows.sum()) + step * (np.arange(size) + (len(shares) + 1) / 2)  # where the cells of a sum end
    return ShareDistribution.of(ends / len(shares), below, mean, logits=False)
