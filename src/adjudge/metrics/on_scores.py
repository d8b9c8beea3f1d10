"""Measures of scores and of probabilities, and losses of numeric predictors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge._base import InputError, Undefined, argument, quoted, ratio
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.probabilities import ProbabilityCounts, calibration_error
from adjudge.counts.tally import Tally
from adjudge.metrics.measure import OtherMeasure
from adjudge.stats.quantiles import weighted_median
from adjudge.stats.ranking import ScoreTable, average_precision_of

_NONE = "there is no case"
_NO_SCORES = "the predictions have no scores"
_CONSTANT = "the truth does not vary"
_ADDED = "counts that were added up do not hold the distances from the mean of all"


def of_class(measure: OtherMeasure, tally: Tally, at: int) -> float:
    """Return a measure of one class against the rest."""
    if measure.needs == "probabilities":
        return _of_probability(measure.name, tally, at)
    support = tally.confusion.support
    if measure.name == "auc" and support[at] in (0, tally.confusion.n):
        label = quoted(tally.confusion.classes[at])
        missing = f"no case is of class {label}" if support[at] == 0 else f"every case is of class {label}"
        return Undefined(f"AUC needs both classes: {missing}")
    if tally.scores is None:
        return Undefined(_NO_SCORES)
    if measure.name == "auc":
        return tally.scores.area(at)
    table = tally.scores.table(at)
    return average_precision_of(table) if isinstance(table, ScoreTable) else table


def _of_probability(name: str, tally: Tally, at: int) -> float:
    """Return a measure of the probability of one class, against the rest."""
    sums = tally.probabilities
    if sums is None or tally.scores is None:
        return ece(tally)
    columns = tally.scores.columns
    if at not in columns and (len(columns) > 1 or tally.confusion.k > 2):  # noqa: PLR2004 - one score speaks of two classes
        return Undefined("the class has no score column")
    column = columns.index(at) if at in columns else 1
    if column >= len(sums.by_class):
        return Undefined("there are too many classes to evaluate each probability")
    squared, log, impossible = sums.losses[column]
    of = {"ece": calibration_error(sums.by_class[column]), "brier": squared / sums.weight, "log_loss": log / sums.weight}
    return float("inf") if name == "log_loss" and impossible else float(of[name])


def averaged(measure: OtherMeasure, tally: Tally, average: str) -> float:
    """Return the average over the classes that have a case; "hand-till" over the pairs of classes."""
    if average == "hand-till":
        if measure.name != "auc":
            msg = f" is an average of AUCs; {measure.name} has 'macro' and 'weighted'."
            raise InputError(argument("average", average), msg)
        return hand_till(tally)
    each, seen = np.array([of_class(measure, tally, at) for at in range(tally.confusion.k)]), tally.confusion.support > 0
    known = each[seen]
    if not known.size or np.isnan(known).all():
        return Undefined("no class can be separated from the rest")
    weights = tally.confusion.support[seen].astype(np.float64) if average == "weighted" else None
    if np.isnan(known).any():
        at = int(np.flatnonzero(seen & np.isnan(each))[0])
        value = of_class(measure, tally, at)
        return value if isinstance(value, Undefined) else Undefined(_NO_SCORES)
    return float(np.average(known, weights=weights))


def hand_till(tally: Tally) -> float:
    """Return the mean AUC over pairs of classes (Hand and Till 2001, Mach. Learn. 45:171-186, eq. 7)."""
    if tally.scores is None:
        return Undefined(_NO_SCORES)
    areas = [area for area, _ in _pair_areas(tally)]
    undefined = next((area for area in areas if isinstance(area, Undefined)), None)
    if undefined is not None or not areas:
        return undefined or Undefined("AUC needs two classes")
    return float(np.mean(areas))


def hand_till_bound(tally: Tally) -> float:
    """Return how far the mean AUC over pairs of classes can be off because scores were binned."""
    binned = tally.scores is not None and tally.scores.pairs_binned
    return float(np.mean([bound for _, bound in _pair_areas(tally)] or [0.0])) if binned else 0.0


def _pair_areas(tally: Tally) -> list[tuple[float, float]]:
    """Return the AUC of each class that has a case against each other one, and how far it can be off."""
    assert tally.scores is not None
    seen = [int(i) for i in np.flatnonzero(tally.confusion.support > 0)]
    return [pair for at in seen for pair in tally.scores.pair_areas(at, [other for other in seen if other != at])]


def _of_sums(tally: Tally, value: Callable[[ProbabilityCounts], float]) -> float:
    """Return what sums over the probabilities come to, where there are any."""
    if tally.probabilities is None:
        return Undefined(_NO_SCORES if tally.scores is None else "the scores are not probabilities")
    return value(tally.probabilities)


def brier(tally: Tally) -> float:
    """Return the Brier score."""
    halved = 2 if tally.confusion.k <= 2 else 1  # noqa: PLR2004 - of two classes that of one of them
    return _of_sums(tally, lambda sums: sums.squared / sums.weight / halved)


def log_loss(tally: Tally) -> float:
    """Return the mean negative log-likelihood."""
    return _of_sums(tally, lambda sums: math.inf if sums.impossible else sums.log / sums.weight)


def ece(tally: Tally) -> float:
    """Return the expected calibration error of the highest probability."""
    return _of_sums(tally, lambda sums: calibration_error(sums.top))


def rae(c: NumberCounts) -> float:
    """Return the absolute error relative to that of the mean."""
    return Undefined(_ADDED) if math.isnan(c.absolute_of_mean) else ratio(c.absolute, c.absolute_of_mean, _CONSTANT)


def rmse(c: NumberCounts) -> float:
    """Return the root of the mean squared error."""
    mean = ratio(c.squared, c.weight, _NONE)
    return mean if isinstance(mean, Undefined) else math.sqrt(mean)


def r2(c: NumberCounts) -> float:
    """Return the share of the squared distances from the mean that the predictions explain."""
    left = ratio(c.squared, c.squared_of_mean, _CONSTANT)
    return left if isinstance(left, Undefined) else 1 - left


def median_absolute(c: NumberCounts) -> float:
    """Return the median of the absolute errors, from all of them or from a table of them."""
    residuals = c.sums.residuals
    if residuals is None or not residuals.known:
        return Undefined("the residuals were not kept: stored counts, or many weighted cases")
    values, weight, _ = residuals.ascending(absolute=True)
    return weighted_median(values, weight)


_PAIRS = "P(score of a case of the class > score of another case) + P(equal) / 2"
_MANY = "K classes: mean of one against the rest (macro, weighted) or of all pairs (hand-till)"
AUC = OtherMeasure("auc", _PAIRS, "scores", note=_MANY, aliases=("roc_auc",))
AVERAGE_PRECISION = OtherMeasure("average_precision", "sum over thresholds of (R_i - R_{i-1}) P_i", "scores", aliases=("ap",))
_PROBABLE: dict[str, Any] = {"needs": "probabilities", "higher_is_better": False}
_SQUARES = "mean over cases of sum_k (p_k - y_k)^2; two classes: (p - y)^2"
BRIER = OtherMeasure("brier", _SQUARES, high=2.0, of=brier, note="at most 1 with two classes", **_PROBABLE)
_NEVER_CLIPPED: dict[str, Any] = {"high": math.inf, "note": "infinite when a true class had probability 0; never clipped"}
_LIKELIHOOD = "- mean over cases of log p(true class)"
LOG_LOSS = OtherMeasure("log_loss", _LIKELIHOOD, of=log_loss, aliases=("cross_entropy",), **_NEVER_CLIPPED, **_PROBABLE)
_BINS = "sum over 15 bins of (n_b / n) |share correct - mean probability| of the highest probability"
ECE = OtherMeasure("ece", _BINS, of=ece, **_PROBABLE)
ON_SCORES = (AUC, AVERAGE_PRECISION, BRIER, LOG_LOSS, ECE)


_LOSS: dict[str, Any] = {"needs": "numbers", "high": math.inf, "higher_is_better": False}
MAE = OtherMeasure("mae", "sum |y - f| / n", of=lambda c: ratio(c.absolute, c.weight, _NONE), **_LOSS)
MSE = OtherMeasure("mse", "sum (y - f)^2 / n", of=lambda c: ratio(c.squared, c.weight, _NONE), **_LOSS)
RAE = OtherMeasure("rae", "sum |y - f| / sum |y - mean y|", of=rae, **_LOSS)
_RELATIVE = "sum (y - f)^2 / sum (y - mean y)^2"
RSE = OtherMeasure("rse", _RELATIVE, of=lambda c: ratio(c.squared, c.squared_of_mean, _CONSTANT), **_LOSS)
RMSE = OtherMeasure("rmse", "sqrt(sum (y - f)^2 / n)", of=rmse, aliases=("root_mean_squared_error",), **_LOSS)
_EXPLAINED = "1 - sum (y - f)^2 / sum (y - mean y)^2"
R2 = OtherMeasure("r2", _EXPLAINED, "numbers", -math.inf, of=r2, aliases=("r_squared", "r2_score"), note="0: as the mean")
MEDIAN_ABSOLUTE = "median_absolute_error"
_MIDDLE: dict[str, Any] = {"of": median_absolute, "aliases": ("medae", "median_ae")}
MEDAE = OtherMeasure(MEDIAN_ABSOLUTE, "median |y - f|", note="not of counts that were stored", **_MIDDLE, **_LOSS)
_SIGN = "0 is best; above 0 where predictions are too low"
_BIAS: dict[str, Any] = {"low": -math.inf, "high": math.inf, "higher_is_better": False, "note": _SIGN}
BIAS = OtherMeasure("mean_error", "sum (y - f) / n", "numbers", of=lambda c: ratio(c.bias, c.weight, _NONE), **_BIAS)
ON_NUMBERS = (RMSE, MAE, MEDAE, R2, BIAS, MSE, RAE, RSE)
