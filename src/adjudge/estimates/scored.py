"""Intervals of measures of scores, probabilities and numbers: which one each has, and those of mean losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import area_interval, macro_area_interval
from adjudge.estimates.estimate import Interval
from adjudge.metrics import on_scores
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats import auc_limits

_LOSSES = {measure.name: measure for measure in (on_scores.BRIER, on_scores.LOG_LOSS)}
_LEAST = 1e-150  # mean errors at or below this have squares that no float holds: as good as none
_FEWEST = 1.5  # effectively fewer cases are one, whose spread nobody knows
_TWO = 2


def loss_interval(tally: Tally, name: str, at: int | None = None, *, level: float = 0.95) -> Interval | None:
    """Return the interval of the Brier score or the log loss, overall or of class `at` against the rest.

    None where the log loss is infinite or 0 (a single error would then make it infinite), with one case, or without a value.
    """
    sums = tally.probabilities
    measure = _LOSSES.get(name)
    if sums is None or measure is None or not sums.weight_squares:
        return None
    mean = measure.of(tally) if at is None else on_scores.of_class(measure, tally, at)
    n = sums.weight**2 / sums.weight_squares
    if not math.isfinite(mean) or n < _FEWEST:
        return None
    columns = () if tally.scores is None else tally.scores.columns
    column = None if at is None else columns.index(at) if at in columns else 1
    square = float((sums.squares if column is None else sums.class_squares[column])[int(name != "brier")]) / sums.weight
    if name == "brier":
        # in [0, 2], or in [0, 1] for one class and for two, where the sum over classes counts every loss twice
        two = tally.confusion.k <= _TWO
        square, high = (square / 4 if at is None and two else square), (2.0 if at is None and not two else 1.0)
        return Interval(*auc_limits.bounded_limits(mean, square, n, high=high, level=level), level, "t on the logit")
    loss = _typical(sums, column)
    limits = auc_limits.open_limits(mean, square, n, loss=loss, level=level) if loss else None
    return None if limits is None else Interval(*limits, level, "t on the logarithm")


def _typical(sums: ProbabilityCounts, column: int | None) -> float:
    """Return the loss that the probabilities call for, sum p log(p)^2 / sum p |log p| over the bins of reliability."""
    bins = sums.top if not len(sums.by_class) else sums.by_class if column is None else sums.by_class[column]
    weight, mean = bins[..., 0, :].ravel(), bins[..., 1, :].ravel()
    p = mean[weight > 0] / weight[weight > 0]
    weight = weight[weight > 0]
    if bins.ndim == _TWO:  # one column speaks of the class and of the rest
        p, weight = np.concatenate((p, 1 - p)), np.concatenate((weight, weight))
    log = -np.log(p, out=np.zeros_like(p), where=p > 0)
    entropy = float((weight * p * log).sum())
    return float((weight * p * log**2).sum()) / entropy if entropy > 0 else 0.0


def precision_interval(tally: Tally, at: int, *, level: float = 0.95) -> Interval | None:
    """Return the interval of the average precision of class `at`, or None where it has no value."""
    value = on_scores.of_class(on_scores.AVERAGE_PRECISION, tally, at)
    cases = effective_support(tally)[at]
    if math.isnan(value) or not cases:
        return None
    return Interval(*auc_limits.average_precision_limits(value, cases, level), level, "logit")


def effective_support(tally: Tally) -> FloatArray:
    """Return the cases of every class, weighted ones as many as they are worth."""
    counts = tally.confusion
    return np.asarray(getattr(counts, "effective_support", counts.support), dtype=np.float64)


def number_interval(counts: NumberCounts, name: str, *, level: float = 0.95) -> Interval | None:
    r"""Return the interval of mae, mse or rae; None with one case, without any error, and for rse.

    That of rae is a delta method that knows the mean of the truth to be estimated:
    :math:`|e| - R (|d| - \bar s d)`, with distances d from the mean and the mean of their signs.
    """
    n = counts.weight**2 / counts.weight_squares if counts.weight_squares else 0.0
    total = {"mae": counts.absolute, "mse": counts.squared, "rae": counts.absolute}.get(name, 0.0)
    at = int(name == "mse")
    needed = counts.products if name == "rae" else counts.products[at, at]
    if n < _FEWEST or not total > _LEAST * counts.weight or not np.isfinite(needed).all():
        return None
    if name == "rae":
        if not counts.absolute_of_mean > _LEAST * counts.weight:
            return None
        ratio = counts.absolute / counts.absolute_of_mean
        parts = np.array([1.0, 0.0, -ratio, ratio * counts.side / counts.weight])
        variance = max(float(parts @ counts.products @ parts), 0.0) / counts.weight / (n - 1)
        spread = math.sqrt(variance) * counts.weight / counts.absolute_of_mean
        return Interval(*auc_limits.ratio_limits(ratio, spread, n, level=level), level, "delta method on the logarithm")
    limits = auc_limits.error_limits(total / counts.weight, float(counts.products[at, at]) / counts.weight, n, level=level)
    return Interval(*limits, level, "hull of t on the logarithm and chi-square")


def score_interval(
    counted: Tally | NumberCounts,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a measure that is not one of counts, or say why there is none.

    It speaks of what :func:`adjudge.measure` speaks of: of the class looked for, or of the mean over more than two classes;
    Brier score and log loss of all cases unless a class is named.
    """
    measure = find(name)
    if measure.name != "auc" and method != "default":
        one = f"There is no {method!r} interval of {measure.name}; it has one method. Leave "
        raise InputError(wording(one, argument("method"), " out."))
    if isinstance(counted, NumberCounts):
        return _known(number_interval(counted, measure.name, level=level), measure)
    if average not in (None, "macro") or (average and measure.name != "auc"):
        msg = f"There is no interval of {measure.name} with average={average!r}; only the macro average of auc has one."
        raise InputError(msg)
    if measure.needs == "probabilities":
        at = None if positive is None else position(counted.confusion.classes, positive)
        return _known(loss_interval(counted, measure.name, at, level=level), measure)
    at = None if average else _looked_for(counted, measure, positive)
    if at is None:
        found = macro_area_interval(counted, level=level, method=method)
    elif measure.name == "auc":
        found = area_interval(counted, at, level=level, method=method, rng=rng)
    else:
        found = precision_interval(counted, at, level=level)
    return _known(found, measure)


def _looked_for(counted: Tally, measure: Measure, positive: Any) -> int | None:
    """Return the class a ranking is judged by; None for all of them. Of two classes both have the same AUC."""
    classes, area = counted.confusion.classes, measure.name == "auc"
    if positive is None and counted.positive is not None:
        return counted.positive
    if positive is None and area and len(classes) > _TWO:
        return None
    if positive is None and area:
        return counted.of_interest
    return settle_positive(classes, positive, counts=counted.confusion.support.tolist(), what=f"The interval of {measure.name}")


def _known(found: Interval | None, measure: Measure) -> Interval:
    if found is not None:
        return found
    why = "it needs a finite value above 0 from two cases or more."
    if measure.name in ("ece", "rse"):
        why = "no method for it was found to hold the truth often enough. Report the value alone."
    elif measure.needs == "scores":
        why = "it needs scores and cases both of the class and of the rest."
    msg = f"{measure.name} has no interval here: {why}"
    raise InputError(msg)
