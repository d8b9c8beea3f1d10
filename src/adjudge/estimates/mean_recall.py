"""Limits for means of shares that are independent: of recalls, arithmetic or geometric, and of precisions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.stats import binomial, mover

MANY = 10
"""Recalls from which on the pull of every recall's prior no longer averages out."""
Limits = tuple[float, float]


def _mover_jeffreys(correct: FloatArray, support: FloatArray, level: float, weights: FloatArray) -> Limits:
    each = np.array([binomial.jeffreys(c, n, level) for c, n in zip(correct, support, strict=True)])
    return mover.mover(correct / support, each[:, 0], each[:, 1], weights)


OF_RECALLS: dict[str, Callable[[FloatArray, FloatArray, float, FloatArray], Limits]] = {
    "mover-jeffreys": _mover_jeffreys,
    "unbiased-centre": mover.unbiased_centre,
}


def usual(recalls: int) -> str:
    """Return the method found to cover for the mean of so many recalls."""
    return "mover-jeffreys" if recalls < MANY else "unbiased-centre"


def mean_recall_limits(
    correct: FloatArray, support: FloatArray, level: float, method: str, weights: FloatArray | None = None
) -> Limits:
    """Return limits within [0, 1]; every recall has a case, and weighs as much as another unless `weights` say otherwise."""
    share = np.full(support.size, 1 / support.size) if weights is None else weights
    low, high = OF_RECALLS[method](correct, support, level, share)
    return max(low, 0.0), min(high, 1.0)


def geometric_limits(correct: FloatArray, support: FloatArray, level: float) -> Limits:
    """Return limits for the geometric mean of recalls: MOVER on the logarithms of their Jeffreys limits.

    A recall of 0, which has no logarithm, stands in the upper limit as half a right decision of one case more; the lower
    limit is then 0. One recall keeps its limits.
    """
    each = np.array([binomial.jeffreys(c, n, level) for c, n in zip(correct, support, strict=True)])
    shares = np.where(correct > 0, correct / support, np.minimum(0.5 / (support + 1), each[:, 1]))
    with np.errstate(divide="ignore"):
        lows, highs = np.log(each).T
    low, high = mover.mover(np.log(shares), lows, highs, np.full(support.size, 1 / support.size))
    return float(np.exp(low)), min(float(np.exp(high)), 1.0)
