"""Estimates as a reader sees them: what they are called, and how many digits they deserve."""

from __future__ import annotations

import math

from adjudge._base.text import quoted
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.metrics.catalogue import find
from adjudge.partitions.sure import MeasureInterval
from adjudge.plots import labels
from adjudge.plots.labels import NOTHING, decimals_for, loss, number, share

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
_METHODS = {
    "midp": "mid-P",
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson score",
    "jeffreys": "Jeffreys",
    "wald": "normal approximation (Wald)",
    "tail-inversion": "binomial tail inversion, each limit by itself",
    "mover-jeffreys": "MOVER with Jeffreys limits",
    "unbiased-centre": "Wilson around the mean recall, effective size",
    "f1-jeffreys": "Jeffreys on the Jaccard index",
    "effective-wilson": "Wilson, effective size",
    "mover-log": "MOVER on the logarithms",
    "posterior": "posterior, Jeffreys prior",
    "bootstrap": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "hull": "hull of Newcombe and logit DeLong",
    "newcombe": "Newcombe",
    "delong": "DeLong",
    "logit-delong": "logit DeLong",
    "mover": "MOVER of the classes' limits",
    "means": "means of the classes' limits",
}


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
    if estimate.measure in _SHARES:
        return share(estimate.value, _decimals(estimate.interval))
    return loss(estimate.value) if math.isinf(find(estimate.measure).high) else number(estimate.value)


def limits(estimate: Estimate) -> str:
    """Return the limits of an estimate, written as its value is, or a dash."""
    interval = estimate.interval
    if interval is None:
        return NOTHING
    if estimate.measure not in _SHARES:
        written = loss if math.isinf(find(estimate.measure).high) else number
        return f"{written(interval.low)} to {written(interval.high)}"
    decimals = _decimals(interval)
    return f"{share(interval.low, decimals)} to {share(interval.high, decimals)}"


def sureness(estimate: Estimate) -> str:
    """Return the interval in words, or nothing.

    >>> sureness(Estimate("accuracy", 0.5))
    ''
    """
    return "" if estimate.interval is None else f"{percent(estimate.interval.level)} interval {limits(estimate)}"


def with_limits(estimate: Estimate) -> str:
    """Return a share and its limits close together."""
    if estimate.interval is None:
        return value(estimate)
    decimals = _decimals(estimate.interval)
    low, high = (share(v, decimals).rstrip("%") for v in (estimate.interval.low, estimate.interval.high))
    return f"{value(estimate)} ({low}-{high})"


def probability(p: float, digits: int = 2) -> str:
    """Return a probability to a few digits with its sign of equality; it is never said to be 0 or 1.

    >>> probability(0.826), probability(0.9999), probability(1e-9, digits=3)
    ('= 0.83', '> 0.99', '< 0.001')
    """
    said = labels.probability(p, digits)
    return said if said[0] in "<>" else f"= {said}"


def method(interval: Interval | None) -> str:
    """Return how an interval was made, as a reader would call it."""
    return NOTHING if interval is None else _METHODS.get(interval.method, interval.method)


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
