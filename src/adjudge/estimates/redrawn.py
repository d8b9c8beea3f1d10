"""Measures of scores and of numbers under weights that are drawn by the thousand: sorted and binned once, summed for each draw.

Sums are floats, to rounding; what is reported of the cases as they are is counted elsewhere, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.counts.joint import columns_of, normalised, scores_of
from adjudge.counts.numbers import sum_roughly
from adjudge.counts.probabilities import BINS, bins_of, calibration_error, highest
from adjudge.metrics import on_scores
from adjudge.metrics.measure import OtherMeasure
from adjudge.predictions.alignment import Together
from adjudge.stats.quantiles import weighted_median

DRAWS = 1_000
_FEWEST = 200
_MOST = 1 << 25  # weights drawn altogether, beyond the fewest draws
Valued = Callable[[FloatArray], list[float]]  # of weights, the values of some measures


def draws_for(rows: int) -> int:
    """Return how often the weights of so many rows are drawn."""
    return int(np.clip(_MOST // rows, _FEWEST, DRAWS))


def redrawn_scores(cases: Together, measures: Sequence[OtherMeasure], which: Sequence[int], rng: Any) -> dict[str, FloatArray]:
    """Return draws x sets of each measure, the weights of the cases drawn anew each time, the same for all sets and measures."""
    source, draws = np.random.default_rng(rng), draws_for(cases.rows)
    own = np.ones(cases.rows) if cases.weight is None else cases.weight
    worth = 1.0 if cases.weight is None else float(cases.weight.sum() / np.square(cases.weight).sum())
    mass, each = own * worth * (cases.cases / cases.rows), [valued(cases, measures, at) for at in which]
    weights = (source.standard_gamma(mass) for _ in range(draws))
    if cases.grouped and cases.cluster_keys is not None:  # a weight for each cluster: its rows come and go together
        many, place = cases.cluster_keys.size, cases.cluster
        weights = (own * source.standard_exponential(many)[place] for _ in range(draws))
    values = np.array([[of(weight) for of in each] for weight in weights], dtype=np.float64)
    return {measure.name: values[:, :, at] for at, measure in enumerate(measures)}


def valued(cases: Together, measures: Sequence[OtherMeasure], i: int) -> Valued:
    """Return what gives the values of set `i` for weights of the cases."""
    if measures[0].needs == "numbers":
        return _of_numbers(cases, measures, i)
    each = [_calibration(cases, i) if measure is on_scores.ECE else _precision(cases, i) for measure in measures]
    return lambda weight: [of(weight) for of in each]


def _of_numbers(cases: Together, measures: Sequence[OtherMeasure], i: int) -> Valued:
    """Return losses of numbers: the median from errors that were sorted once, all others from the same sums."""
    errors = np.abs(cases.truth - cases.predicted[i])
    order = np.argsort(errors)
    ascending, summed = errors[order], any(measure is not on_scores.MEDAE for measure in measures)

    def values(weight: FloatArray) -> list[float]:
        sums: Any = sum_roughly(cases.truth, cases.predicted[i], weight) if summed else None
        median = on_scores.MEDAE
        return [weighted_median(ascending, weight[order]) if each is median else float(each.of(sums)) for each in measures]

    return values


def _precision(cases: Together, i: int) -> Callable[[FloatArray], float]:
    """Return the average precision of the positive class, or its mean over the classes that have a case."""
    seen = [cases.positive] if cases.positive is not None else np.unique(cases.truth).tolist()
    each = []
    for at in seen:
        scores = scores_of(cases, i, at)
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        each.append((order, cases.truth[order] == at, np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), ranked.size - 1)))

    def value(weight: FloatArray) -> float:
        return float(np.mean([_area(weight[order], own, last) for order, own, last in each]))

    return value


def _area(weight: FloatArray, own: Any, last: IntArray) -> float:
    """Return the sum over thresholds of the recall gained there times the precision; `last` ends each run of equal scores."""
    hits, decided = np.cumsum(weight * own)[last], np.cumsum(weight)[last]
    gained = np.diff(hits, prepend=0.0)
    up = gained > 0
    return float((gained[up] * (hits[up] / decided[up])).sum() / hits[-1]) if hits[-1] > 0 else np.nan


def _calibration(cases: Together, i: int) -> Callable[[FloatArray], float]:
    """Return the calibration error of the highest probability."""
    p = normalised(cases, i)
    columns = columns_of(cases, i)
    said = cases.predicted[i]
    best = highest(p, np.where(said < 0, -1, columns[said]))
    top = p[np.arange(len(p)), best]
    right, place = best == columns[cases.truth], bins_of(top)

    def value(weight: FloatArray) -> float:
        each = (weight, weight * top, weight * right)
        return calibration_error(np.stack([np.bincount(place, part, minlength=BINS) for part in each]))

    return value
