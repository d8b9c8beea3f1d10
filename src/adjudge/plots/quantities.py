"""What measures and methods are called in a picture, and how values of them are written."""

from __future__ import annotations

import math
from collections.abc import Callable

from adjudge._base import share
from adjudge.estimates.posterior import Posterior
from adjudge.metrics.catalogue import ALL, find
from adjudge.metrics.measure import ClassMeasure
from adjudge.plots.labels import decimals_for, loss, named, number, rounded

MOST_DECIMALS = 4  # decimals of a percentage in a picture: more have no room
_LONGEST = 100
_BY_NAME = {measure.name: measure for measure in ALL}
NAMES = {
    "rmse": "RMSE",
    "r2": "R²",
    "median_absolute_error": "Median absolute error",
    "mean_error": "Mean error (bias)",
    "mae": "Mean absolute error",
    "mse": "Mean squared error",
    "rae": "Relative absolute error",
    "rse": "Relative squared error",
    "auc": "AUC",
    "mcc": "MCC",
    "f1": "F1",
    "npv": "Negative predictive value",
    "fpr": "False positive rate",
    "fnr": "False negative rate",
    "ece": "Expected calibration error",
}
_SHARES = {"accuracy", "error", "rejection_rate", "balanced_accuracy"}
_SHARES |= {measure.name for measure in ALL if isinstance(measure, ClassMeasure) and measure.plain}
METHODS = {
    "midp": "mid-P",
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson score",
    "jeffreys": "Jeffreys",
    "wald": "normal approximation (Wald)",
    "tail-inversion": "exact binomial bounds",
    "mover-tail-inversion": "exact bounds of the classes, put together (MOVER)",
    "effective-tail-inversion": "exact binomial bounds, effective size",
    "mover-jeffreys": "MOVER with Jeffreys intervals",
    "unbiased-centre": "Wilson around the mean recall, effective size",
    "f1-jeffreys": "Jeffreys on the Jaccard index",
    "f1-tail-inversion": "exact bounds of the Jaccard index",
    "fbeta-midp": "mid-P on the Jaccard index and the share of misses",
    "fbeta-tail-inversion": "exact bounds of the Jaccard index and the share of misses",
    "region-midp": "mid-P on recalls and prevalence, jointly",
    "region-tail-inversion": "exact bounds of recalls and prevalence, jointly",
    "effective-wilson": "Wilson, effective size",
    "mover-log": "MOVER on the logarithms",
    "mover-log-hull": "hull of MOVER on the logarithms and Wilson, effective size",
    "posterior": "posterior, Jeffreys prior",
    "bootstrap": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "cluster-bootstrap": "BCa bootstrap of clusters",
    "hull": "hull of Newcombe and logit DeLong",
    "newcombe": "Newcombe",
    "delong": "DeLong",
    "logit-delong": "logit DeLong",
    "mover": "MOVER of the classes' intervals",
    "means": "means of the classes' bounds",
    "normal-binomial": "posterior, subjects as draws of a population",
    "variational Bayes": "posterior, approximated by variational Bayes",
}
"""Methods of intervals as a reader would call them."""


def measure_name(name: str) -> str:
    """Return what a measure is called on an axis."""
    return NAMES.get(name, name.replace("_", " ").capitalize())


def name_of(posterior: Posterior) -> str:
    """Return what a posterior speaks of, short enough for the head of a row."""
    parts = [part for part in posterior.quantity.split(" - ", 1) if part]
    spoken = [part.upper() if len(part) <= len("mcc") else part.replace("_", " ") for part in parts]
    words = f"difference in {spoken[0]}" if len(spoken) > 1 and parts[0] == parts[1] else " - ".join(spoken)
    if posterior.of is not None:
        words += f" of {named([posterior.of], 60)[0]}"
    return named([words[:1].upper() + words[1:]], _LONGEST)[0]


def is_share(quantity: str) -> bool:
    """Say whether a measure, or both that a difference is taken of, are shares of cases.

    >>> is_share("accuracy - balanced_accuracy"), is_share("mcc")
    (True, False)
    """
    return _SHARES.issuperset(quantity.split(" - "))


def bounds(name: str) -> tuple[float, float]:
    """Return the least and the greatest value of a measure; what is in no catalogue has none."""
    measure = _BY_NAME.get(name)
    return (-math.inf, math.inf) if measure is None else (measure.low, measure.high)


Words = Callable[[float], str]  # how values are written


def in_digits(width: float, *, percent: bool) -> Words:
    """Return how shares, or else plain numbers, are written where their interval is `width` wide."""
    decimals = decimals_for(width, most=MOST_DECIMALS)
    return (lambda value: share(value, decimals)) if percent else (lambda value: number(value, decimals + 2))


def writer(name: str, width: float) -> Words:
    """Return how values of a measure are written, where intervals are `width` wide."""
    if is_share(name):
        return in_digits(width, percent=True)
    return loss if math.isinf(find(name).high) else number


def written(name: str, width: float) -> Words:
    """Return the same; values of a measure without an upper bound have two digits of the width."""
    unbounded = math.isinf(bounds(name)[1]) and not is_share(name)
    return (lambda value: rounded(value, width)) if unbounded else writer(name, width)
