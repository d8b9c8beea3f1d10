"""Medians of weighted values, and the order statistics between which a median lies."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.stats import special


def weighted_median(values: FloatArray, weight: FloatArray) -> float:
    """Return the median of ascending values: the mean of both where half of the weight lies on either side.

    >>> weighted_median(np.array([1.0, 2.0, 4.0, 8.0]), np.ones(4))
    3.0
    """
    sums = np.cumsum(weight)
    low, high = (int(np.searchsorted(sums, sums[-1] / 2, side=side)) for side in ("left", "right"))
    return float((values[min(low, values.size - 1)] + values[min(high, values.size - 1)]) / 2)


def median_interval(values: FloatArray, weight: FloatArray, n: float, *, level: float = 0.95) -> tuple[float, float] | None:
    r"""Return the order statistics of ascending values that hold the median with probability `level`; None of too few cases.

    Of `n` cases the ranks r and n + 1 - r with the largest r for which :math:`P(B \le r - 1) \le (1 - level) / 2`,
    B binomial with one half: exact whatever the distribution. Thompson (1936), Ann. Math. Stat. 7:122-128. Weighted cases count
    as many as they are worth (Woodruff 1952, J. Am. Stat. Assoc. 47:635-646).
    """
    cases = max(int(n), 1)
    tail = (1 - level) / 2
    if special.bdtr(0, cases, 0.5) > tail:
        return None
    most = max(int(special.bdtrik(tail, cases, 0.5)), 0)
    most -= int(special.bdtr(most, cases, 0.5) > tail)  # the inverse may round up
    rank, sums = most + 1, np.cumsum(weight) / weight.sum()
    # a rank of n cases is reached where so large a part of the weight lies at or below it
    shares = (rank / cases, (cases + 1 - rank) / cases)
    at = [np.searchsorted(sums, min(share, 1.0) * (1 - 1e-12), side="left") for share in shares]
    low, high = (float(values[min(int(place), values.size - 1)]) for place in at)
    return low, high
