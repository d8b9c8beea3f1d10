"""Losses of numeric predictors: total loss over n, alone or against always predicting the mean."""

from __future__ import annotations

import math

from adjudge._base.undefined import Undefined, ratio
from adjudge.counts.numbers import NumberCounts
from adjudge.metrics.measure import OtherMeasure

_CONSTANT = "the truth does not vary"
_ADDED = "counts that were added up do not hold the distances from the mean of all"
_INFINITE = float("inf")


def _mae(c: NumberCounts) -> float:
    return ratio(c.absolute, c.weight, "there is no case")


def _mse(c: NumberCounts) -> float:
    return ratio(c.squared, c.weight, "there is no case")


def _rae(c: NumberCounts) -> float:
    return Undefined(_ADDED) if math.isnan(c.absolute_of_mean) else ratio(c.absolute, c.absolute_of_mean, _CONSTANT)


def _rse(c: NumberCounts) -> float:
    return ratio(c.squared, c.squared_of_mean, _CONSTANT)


MAE = OtherMeasure("mae", "sum |y - f| / n", "numbers", high=_INFINITE, higher_is_better=False, of=_mae)
MSE = OtherMeasure("mse", "sum (y - f)^2 / n", "numbers", high=_INFINITE, higher_is_better=False, of=_mse)
RAE = OtherMeasure("rae", "sum |y - f| / sum |y - mean y|", "numbers", high=_INFINITE, higher_is_better=False, of=_rae)
RSE = OtherMeasure("rse", "sum (y - f)^2 / sum (y - mean y)^2", "numbers", high=_INFINITE, higher_is_better=False, of=_rse)
ON_NUMBERS = (MAE, MSE, RAE, RSE)
