"""Numeric predictions: the sums from which the losses of a regression follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.show import Shown
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import NumberBlock, number_blocks


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
    weight_squares: float = 0.0
    """Sum of squared weights: what the cases are worth follows from it."""
    side: float = 0.0
    """Weight of the cases above the mean of the truth less that of those below."""
    products: FloatArray = field(default_factory=lambda: np.zeros((4, 4)), compare=False, repr=False)
    """Sums of products of the absolute and the squared error, and of the distance from the mean without and with its sign."""


def count_numbers(predictions: Predictions) -> NumberCounts:
    """Sum the losses of predictions of numbers."""
    return _summed(lambda: number_blocks(predictions))


def sum_numbers(truth: FloatArray, predicted: FloatArray, weight: FloatArray) -> NumberCounts:
    """Sum the losses of numbers that are at hand."""
    return _summed(lambda: [NumberBlock(truth, predicted, weight, None)])


def _summed(blocks: Callable[[], Iterable[NumberBlock]]) -> NumberCounts:
    """Sum in two passes: the second needs the mean of the truth."""
    n, weight, total, low, high = 0, 0.0, 0.0, np.inf, -np.inf
    for truth, _, w, _ in blocks():
        n += truth.size
        low, high = min(low, float(truth.min())), max(high, float(truth.max()))
        weight += float(w.sum())
        total += float((w * truth).sum())
    mean = low if low == high else total / weight if weight else float("nan")  # the mean of equal numbers may round off them
    sums, products = np.zeros(6), np.zeros((4, 4))
    for truth, predicted, w, _ in blocks():
        sums += _losses(truth - predicted, w, truth - mean)
        products += _products(truth - predicted, w, truth - mean)
    absolute, squared, absolute_of_mean, squared_of_mean, weight_squares, side = sums.tolist()
    return NumberCounts(n, weight, mean, absolute, squared, absolute_of_mean, squared_of_mean, weight_squares, side, products)


def _losses(residual: FloatArray, w: FloatArray, spread: FloatArray) -> FloatArray:
    each = (np.abs(residual), residual**2, np.abs(spread), spread**2, w, np.sign(spread))
    return np.array([float((w * loss).sum()) for loss in each])


def _products(residual: FloatArray, w: FloatArray, spread: FloatArray) -> FloatArray:
    """Return sums that may be infinite: fourth powers leave the range of floats long before the losses do."""
    each = np.stack((np.abs(residual), residual**2, np.abs(spread), spread))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.einsum("in,jn,n->ij", each, each, w))
