"""Numeric predictions: the sums from which the losses of a regression follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.show import Shown
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import number_blocks


@dataclass(frozen=True, slots=True)
class NumberCounts(Shown):
    """Total losses of a numeric predictor, and of always answering the mean."""

    n: int
    weight: float
    mean: float
    absolute: float
    squared: float
    absolute_of_mean: float
    squared_of_mean: float


def count_numbers(predictions: Predictions) -> NumberCounts:
    """Sum the losses in two passes: the second needs the mean of the truth."""
    n, weight, total, low, high = 0, 0.0, 0.0, np.inf, -np.inf
    for truth, _, w in number_blocks(predictions):
        n += truth.size
        low, high = min(low, float(truth.min())), max(high, float(truth.max()))
        weight += float(w.sum())
        total += float((w * truth).sum())
    mean = low if low == high else total / weight if weight else float("nan")  # the mean of equal numbers may round off them
    sums = np.zeros(4)
    for truth, predicted, w in number_blocks(predictions):
        sums += _losses(truth - predicted, w, truth - mean)
    return NumberCounts(n, weight, mean, *(float(v) for v in sums))


def _losses(residual: FloatArray, w: FloatArray, spread: FloatArray) -> FloatArray:
    each = (np.abs(residual), residual**2, np.abs(spread), spread**2)
    return np.array([float((w * loss).sum()) for loss in each])
