"""The percentile bootstrap that people write around scikit-learn, drawn all at once.

Resampling rows with replacement and counting them is drawing the table from a multinomial distribution, so a thousand resamples
of a confusion matrix cost one draw. Resamples on which scikit-learn has no AUC are left out, as the usual loop does.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.random import Generator

from atlas import truth
from atlas.ours import NONE, Limits
from atlas.samples import Counts, Sample
from atlas.truth import Array

TABLES, ROWS = 1000, 500
"""Resamples of tables, and of rows with scores."""


def intervals(sample: Sample, names: Iterable[str], rng: Generator, level: float = 0.95) -> dict[str, Limits]:
    """Return percentile intervals of every measure, from one set of resamples."""
    drawn = resampled(sample, names, rng)
    return {name: percentiles(values, level) for name, values in drawn.items()}


def percentiles(values: Array, level: float) -> Limits:
    """Return the central interval of resampled values, those without a value left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        low, high = np.nanpercentile(values, [50 * (1 - level), 50 * (1 + level)])
    return (float(low), float(high)) if np.isfinite(low) else NONE


def resampled(sample: Sample, names: Iterable[str], rng: Generator) -> dict[str, Array]:
    """Return the values of each measure on resamples."""
    if sample.decisions is None:
        rows = rng.integers(sample.y.size, size=(ROWS, sample.y.size))
        return {name: of_rows(name, sample, rows) for name in names}
    table = sample.table
    drawn = rng.multinomial(table.sum(), table.ravel() / table.sum(), size=TABLES).reshape(TABLES, *table.shape)
    return {name: truth.values(name, drawn) for name in names}


def of_rows(name: str, sample: Sample, rows: Counts) -> Array:
    """Return a measure of scores or probabilities on each set of rows."""
    if name in ("auc", "average_precision"):
        assert sample.scores is not None
        return _mean_ranking(name, sample, sample.scores, rows)
    return loss_of_rows(name, sample)[rows].mean(1)


def loss_of_rows(name: str, sample: Sample) -> Array:
    """Return the Brier score or log loss of each row; two classes have one probability."""
    p = sample.probabilities
    assert p is not None
    if p.ndim == 1:
        of_true = np.where(sample.y == 1, p, 1 - p)
        return (1 - of_true) ** 2 if name == "brier" else -np.log(of_true)
    if name == "brier":
        return np.asarray(((p - np.eye(p.shape[1])[sample.y]) ** 2).sum(1))
    return -np.log(p[np.arange(sample.y.size), sample.y])


def _mean_ranking(name: str, sample: Sample, scores: Array, rows: Counts) -> Array:
    if scores.ndim == 1:
        return ranking(name, sample.y == 1, scores, rows)
    return np.mean([ranking(name, sample.y == k, scores[:, k], rows) for k in range(scores.shape[1])], axis=0)


def ranking(name: str, positive: Counts, scores: Array, rows: Counts) -> Array:
    """Return the AUC or average precision of resamples of scores without ties; NaN where a class is missing."""
    order = np.argsort(-scores)
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    at = place[rows] + order.size * np.arange(len(rows))[:, None]
    weight = np.bincount(at.ravel(), minlength=rows.size).reshape(rows.shape)
    positives = weight * positive[order]
    above = np.cumsum(positives, axis=1)
    total = above[:, -1].astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        if name == "auc":
            return ((weight - positives) * above).sum(1) / (total * (order.size - total))
        return np.nansum(positives * (above / np.cumsum(weight, axis=1)), axis=1) / total
