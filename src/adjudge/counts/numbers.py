"""Numeric predictions: the sums from which the losses of a regression follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base.arrays import FloatArray, counts_cases
from adjudge._base.errors import InputError
from adjudge._base.records import dataclass, field, replace
from adjudge._base.show import Shown

if TYPE_CHECKING:
    from adjudge.predictions.model import Predictions

_BY_SIGN = 2  # the place of the distance without its sign among the products


@dataclass(frozen=True, slots=True)
class NumberCounts(Shown):
    """Total losses of a numeric predictor, and of always predicting the mean."""

    n: int
    weight: float
    mean: float
    absolute: float
    squared: float
    absolute_of_mean: float  # NaN where parts with different means were added up: it takes the cases
    squared_of_mean: float
    weight_squares: float = 0.0  # sum of squared weights: what the cases are worth follows from it
    side: float = 0.0  # weight of the cases above the mean of the truth less that of those below
    products: FloatArray = field(default_factory=lambda: np.zeros((4, 4)), compare=False, repr=False)
    """Sums of products of the absolute and the squared error, and of the distance from the mean without and with its sign."""
    off: float = 0.0  # sum of the distances from the mean with their sign: 0 but for the rounding of the mean


def count_numbers(predictions: Predictions) -> NumberCounts:
    """Sum the losses of predictions of numbers, block by block."""
    from adjudge.predictions.in_memory import number_blocks  # a loss of sums at hand loads nothing that reads files

    return _summed(lambda: (block[:3] for block in number_blocks(predictions)))


def sum_numbers(truth: FloatArray, predicted: FloatArray, weight: FloatArray) -> NumberCounts:
    """Sum the losses of numbers that are at hand."""
    return _summed(lambda: [(truth, predicted, weight)])


def _summed(blocks: Callable[[], Iterable[tuple[FloatArray, ...]]]) -> NumberCounts:
    """Sum blocks of truth, predictions and weights in two passes: the second needs the mean of the truth."""
    n, weight, total, low, high = 0, 0.0, 0.0, np.inf, -np.inf
    for truth, _, w in blocks():
        n += int(w.sum()) if counts_cases(w) else truth.size
        low, high = min(low, float(truth.min())), max(high, float(truth.max()))
        weight += float(w.sum())
        total += float((w * truth).sum())
    refuse_weightless(weight)
    mean = low if low == high else total / weight  # the mean of equal numbers may round off them
    sums, products = np.zeros(7), np.zeros((4, 4))
    for truth, predicted, w in blocks():
        residual, spread = truth - predicted, truth - mean
        worth = np.ones(w.size) if counts_cases(w) else w
        each = (np.abs(residual), residual**2, np.abs(spread), spread**2, worth, np.sign(spread), spread)
        sums += np.array([float((w * loss).sum()) for loss in each])
        errors = np.stack((np.abs(residual), residual**2, np.abs(spread), spread))
        with np.errstate(over="ignore", invalid="ignore"):  # fourth powers leave the range of floats before the losses do
            products += np.einsum("in,jn,n->ij", errors, errors, w)
    absolute, squared, absolute_of_mean, squared_of_mean, weight_squares, side, off = sums.tolist()
    of_mean = absolute_of_mean, squared_of_mean
    return NumberCounts(n, weight, mean, absolute, squared, *of_mean, weight_squares, side, products, off)


def refuse_weightless(weight: Any) -> None:
    """Refuse cases that weigh nothing in all."""
    if not weight:
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)


def add_numbers(parts: Sequence[NumberCounts]) -> NumberCounts:
    """Return the sums of all cases from those of parts, as in Chan, Golub and LeVeque (1983), Am. Stat. 37:242-247."""
    n, parts = sum(part.n for part in parts), [part for part in parts if part.weight]  # others have no mean
    weight = math.fsum(part.weight for part in parts)
    refuse_weightless(weight)
    low, high = min(part.mean for part in parts), max(part.mean for part in parts)
    mean = low if low == high else low + math.fsum(part.weight * (part.mean - low) + part.off for part in parts) / weight
    moved = [_about(part, mean) for part in parts]
    names = ("absolute", "squared", "absolute_of_mean", "squared_of_mean", "weight_squares", "side", "off")
    sums = {name: math.fsum(getattr(part, name) for part in moved) for name in names}
    return NumberCounts(n, weight, mean, **sums, products=np.sum([part.products for part in moved], axis=0))


def _about(part: NumberCounts, mean: float) -> NumberCounts:
    """Return the sums of a part about another mean; its own is rounded, so that the distances from it do not quite sum to 0."""
    by = part.mean - mean
    if by == 0:
        return part
    products, first = part.products.copy(), np.array([part.absolute, part.squared, np.nan])
    products[:3, 3] += by * first
    products[3, :3] += by * first
    further = by * (2 * part.off + by * part.weight)
    products[3, 3] += further
    products[_BY_SIGN], products[:, _BY_SIGN] = np.nan, np.nan
    squared, off = part.squared_of_mean + further, part.off + by * part.weight
    unknown = replace(part, absolute_of_mean=np.nan, side=np.nan)
    return replace(unknown, mean=mean, squared_of_mean=squared, products=products, off=off)
