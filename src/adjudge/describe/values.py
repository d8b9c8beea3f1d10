"""Estimates as a reader sees them: what they are called, and how many digits they deserve."""

from __future__ import annotations

import math

from adjudge._base.levels import share
from adjudge._base.text import probable, quoted
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.metrics.catalogue import find
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots.labels import NOTHING, decimals_for, loss, number, rounded
from adjudge.plots.quantities import METHODS

_PLACES, _MOST_PLACES = 3, 9
"""Decimals of bounded numbers such as an AUC, at least and at most."""
_SIGNIFICANT = 3  # digits that a value without bounds keeps, however wide its interval
_SHARES = {"accuracy", "error", "rejection_rate", "balanced_accuracy", "jaccard"}
_SHARES |= {"sensitivity", "specificity", "precision", "npv"}
_TITLES = {
    "mcc": "MCC (Matthews correlation)",
    "kappa": "Cohen's kappa",
    "g_mean": "G-mean",
    "sensitivity": "Sensitivity (recall)",
    "npv": "Negative predictive value",
    "f1": "F1",
    "jaccard": "Jaccard index",
    "auc": "AUC",
    "brier": "Brier score",
    "ece": "Calibration error (ECE)",
    "mae": "Mean absolute error",
    "mse": "Mean squared error",
    "rae": "Relative absolute error",
    "rse": "Relative squared error",
}
_AVERAGES = {"macro": "mean over classes", "hand-till": "Hand-Till, all pairs", "groups": "mean over classes and groups"}


def title(estimate: Estimate) -> str:
    """Return what an estimate is called, with the class or the average it speaks of."""
    name, about = short_title(estimate), scope(estimate)
    return f"{name}, {about}" if about else name


def short_title(estimate: Estimate) -> str:
    """Return what the measure is called."""
    return _TITLES.get(estimate.measure, estimate.measure.replace("_", " ").capitalize())


def scope(estimate: Estimate) -> str:
    """Return the class or the average an estimate speaks of, if either."""
    if estimate.of is not None:
        return f"class {quoted(estimate.of)}"
    return _AVERAGES.get(estimate.average, estimate.average) if estimate.average else ""


def formula(estimate: Estimate) -> str:
    """Return how an estimate follows from the cases."""
    written = find(estimate.measure).formula
    if estimate.average == "hand-till":
        return "mean AUC over all pairs of classes"
    return f"mean over classes of {written}" if estimate.average == "macro" else written


def value(estimate: Estimate) -> str:
    """Return the value, with as many digits as its interval allows."""
    if math.isnan(estimate.value):
        return "undefined"
    shown = _written(estimate, estimate.value)
    few = math.isinf(find(estimate.measure).high) and sum(letter.isdigit() for letter in shown.lstrip("0.-")) < _SIGNIFICANT
    return loss(float(f"{estimate.value:.{_SIGNIFICANT}g}")) if few else shown


def limits(estimate: Estimate) -> str:
    """Return the limits of an estimate, both with as many decimals as their distance allows, or a dash.

    >>> limits(Estimate("log_loss", 0.488, Interval(0.46, 0.5177, 0.95, "t")))
    '0.460 to 0.518'
    """
    interval = estimate.interval
    return NOTHING if interval is None else f"{_written(estimate, interval.low)} to {_written(estimate, interval.high)}"


def _written(estimate: Estimate, v: float) -> str:
    """Return a value of a measure, two digits of the width of its interval showing."""
    interval = estimate.interval
    width = 0.0 if interval is None else interval.high - interval.low
    if estimate.measure in _SHARES:
        return share(v, _decimals(interval))
    if math.isinf(find(estimate.measure).high):
        return _unbounded(v, width)
    return number(v, max(_PLACES, _places(width)))


def _unbounded(v: float, width: float) -> str:
    """Return a number without bounds; one that is not 0 never looks it."""
    if not (0 < width < math.inf and math.isfinite(v)):
        return loss(v)
    shown = rounded(v, width)
    return shown if v == 0 or any(digit in shown for digit in "123456789") else loss(v)


def _places(width: float) -> int:
    """Return the decimals of a number whose interval is `width` wide."""
    return min(_MOST_PLACES, math.ceil(-math.log10(width)) + 1) if 0 < width < 1 else 0


def sureness(estimate: Estimate) -> str:
    """Return the interval in words, or nothing.

    >>> sureness(Estimate("accuracy", 0.5))
    ''
    """
    return "" if estimate.interval is None else f"{percent(estimate.interval.level)} interval {limits(estimate)}"


def with_limits(estimate: Estimate) -> str:
    """Return a value and its limits close together."""
    if estimate.interval is None:
        return value(estimate)
    low, high = (_written(estimate, v).rstrip("%") for v in (estimate.interval.low, estimate.interval.high))
    return f"{value(estimate)} ({low}-{high})"


def probability(p: float, digits: int = 2) -> str:
    """Return a probability to a few digits with its sign of equality; it is never said to be 0 or 1.

    >>> probability(0.826), probability(0.9999), probability(1e-9, digits=3)
    ('= 0.83', '> 0.99', '< 0.001')
    """
    return probable(p, digits)


def method(interval: Interval | None) -> str:
    """Return how an interval was made, as a reader would call it."""
    return NOTHING if interval is None else METHODS.get(interval.method, interval.method)


def percent(level: float) -> str:
    """Return the level of an interval.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.6g}%"


def apart(one: float, other: float, decimals: int) -> tuple[str, str]:
    """Return two shares with enough digits to tell them apart, if they differ."""
    most = 6
    while decimals < most and one != other and share(one, decimals) == share(other, decimals):
        decimals += 1
    return share(one, decimals), share(other, decimals)


def percentage_points(difference: float) -> str:
    """Return the difference of two shares.

    >>> percentage_points(0.1216), percentage_points(-1e-5)
    ('12.2', '-0.001')
    """
    return number(100 * difference, 1, (0,))


def _decimals(interval: Interval | None) -> int:
    return 1 if interval is None else decimals_for(interval.high - interval.low)


def measured(found: MeasureInterval) -> str:
    """Return a measure of a partition with its limits."""
    return f"{number(found.value)} ({percent(found.level)}: {number(found.low)} to {number(found.high)})"
