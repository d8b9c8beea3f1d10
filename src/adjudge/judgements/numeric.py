"""Residuals of numeric predictions: by the size of the prediction, in the tails, against a normal distribution; cases to draw."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass, field, plain
from adjudge._base.arrays import FloatArray
from adjudge.counts.numbers import NumberCounts
from adjudge.estimates.estimate import Interval
from adjudge.stats import special
from adjudge.stats.auc_intervals import mean_interval
from adjudge.stats.bands import dkw_margin
from adjudge.stats.quantiles import weighted_median

PARTS = 10  # of the predictions, from the lowest to the highest
_FEWEST = 8  # cases of a part
_WORST = 0.01  # of the cases
_QUANTILES = 200  # points of a Q-Q plot
_REGULAR = 1.4826  # times the median absolute deviation is the standard deviation of a normal distribution


@dataclass(frozen=True, slots=True)
class Region(Shown):
    """Cases whose predictions lie between two values, and the mean of what these fall short of the truth."""

    low: float
    high: float
    cases: int
    mean_error: float
    interval: Interval
    rmse: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Residuals(Shown):
    """The residuals (truth - predicted) of a numeric predictor: by region, in the tails, against a normal distribution."""

    rmse_of_mean: float  # of always predicting the mean of the truth
    regions: tuple[Region, ...] = ()  # tenths of the cases, by prediction
    worst_share: float = math.nan  # of the squared error, that the worst 1% of cases make
    median: float = math.nan  # of the residuals
    drawn: int = 0  # cases that regions and points were taken from
    every: bool = True  # whether these are all
    points: FloatArray = field(default_factory=lambda: np.empty((0, 2)))  # truth and prediction of the drawn cases
    quantiles: FloatArray = field(default_factory=lambda: np.empty((0, 4)))
    """Rows of a Q-Q plot: quantile of the normal distribution, residual, and its simultaneous bounds."""

    def to_dict(self) -> dict[str, Any]:
        """Return all but the points as plain Python, ready for JSON."""
        names = ("rmse_of_mean", "regions", "worst_share", "median", "drawn", "every")
        return {name: plain(getattr(self, name)) for name in names}


def residuals_of(counts: NumberCounts, level: float) -> Residuals:
    """Return what is known of the residuals; of stored counts only the error of the mean."""
    base, held = math.sqrt(max(counts.squared_of_mean, 0.0) / counts.weight), counts.sums.residuals
    if held is None or held.cases is None:
        return Residuals(base)
    order = np.lexsort(held.cases.scores.T[[2, 0, 1]])  # by prediction; what is summed has the same digits for any order
    truth, predicted, weight = held.cases.scores[order].T
    worst = median = math.nan
    if held.known:
        errors, mass, _ = held.ascending()
        median = weighted_median(errors, mass)
        errors, mass, _ = held.ascending(absolute=True)
        worst = _worst_share(errors, mass) if counts.n >= 1 / _WORST else math.nan
    return Residuals(
        base,
        tuple(_regions(truth, predicted, weight, level)),
        worst,
        median,
        truth.size,
        held.complete,
        np.column_stack((truth, predicted)),
        _against_normal(np.sort(truth - predicted), level),
    )


def _worst_share(errors: FloatArray, mass: FloatArray) -> float:
    """Return which part of the squared error the cases with the largest errors make."""
    squares = (errors / max(float(errors[-1]), 1e-300)) ** 2 * mass
    if not squares.sum() > 0:
        return math.nan
    left = mass.sum() - np.cumsum(mass)  # beyond each
    part = np.clip((_WORST * mass.sum() - left) / mass, 0.0, 1.0)
    return float((squares * part).sum() / squares.sum())


def _regions(truth: FloatArray, predicted: FloatArray, weight: FloatArray, level: float) -> list[Region]:
    """Return cases ordered by their predictions in parts of equal size; equal predictions stay together."""
    parts, regions, start = min(PARTS, truth.size // _FEWEST), list[Region](), 0
    for i in range(1, parts + 1):
        stop = truth.size if i == parts else int(np.searchsorted(predicted, predicted[truth.size * i // parts - 1], side="right"))
        if stop - start < min(_FEWEST, truth.size // max(parts, 1)):
            continue
        own = slice(start, stop)
        e, w = truth[own] - predicted[own], weight[own]
        mean, square, n = np.average(e, weights=w), np.average(e * e, weights=w), float(w.sum() ** 2 / (w * w).sum())
        if n > 1:
            each = 1 - (1 - level) / parts
            limits = Interval(*mean_interval(float(mean), float(square), n, level=each), level, "t, Bonferroni")
            ends = float(predicted[start]), float(predicted[stop - 1])
            regions.append(Region(*ends, stop - start, float(mean), limits, math.sqrt(square)))
        start = stop
    return regions


def _against_normal(errors: FloatArray, level: float) -> FloatArray:
    """Return ordered residuals against a normal distribution of their median and spread, in the band of Kolmogorov-Smirnov."""
    spread = _REGULAR * float(np.median(np.abs(errors - np.median(errors))))
    if not spread > 0:
        return np.empty((0, 4))
    at = np.unique(np.linspace(0, errors.size - 1, min(errors.size, _QUANTILES)).astype(np.int64))
    p, margin, centre = (at + 0.5) / errors.size, dkw_margin(errors.size, level), float(np.median(errors))
    ends = [centre + spread * special.ndtri(np.clip(p + side * margin, 1e-300, 1.0)) for side in (-1, 1)]
    return np.column_stack((special.ndtri(p), errors[at], *ends))
