"""Intervals of measures: one small function per method, and for each measure the default that was found to cover.

Shares of cases: mid-P. Balanced accuracy: the limits of the recalls put together (MOVER with Jeffreys limits), from
ten classes on an unbiased centre with the posterior's spread. F1 of one class: Jeffreys limits of the Jaccard index.
Macro F1: delta method on the logit with a smoothed variance.
Everything else: BCa over resampled cells, or the Jeffreys posterior where all resamples agree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.effective import effective_cells
from adjudge.estimates.estimate import OF_SHARE, Interval, limits_of_share
from adjudge.estimates.mean_recall import OF_RECALLS, mean_recall_limits, usual
from adjudge.estimates.posterior import drawn, posterior
from adjudge.metrics.averages import the_class
from adjudge.metrics.catalogue import find
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.stats import ratios, replicates

RESAMPLES = 2000
Limits = tuple[float, float]

_RESAMPLING = ("bca", "bootstrap", "posterior")
_BALANCED = ("balanced_accuracy", "informedness")
"""Measures that are an average of recalls, or move with one."""


def count_interval(
    counts: ConfusionCounts,
    name: str,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: Any = None,
    average: str | None = None,
    rng: Any = 0,
) -> Interval:
    """Return the interval of a count measure."""
    measure = find(name)
    if average is not None and (average != "macro" or not isinstance(measure, ClassMeasure)):
        msg = f"There is no interval of {measure.name} with average={average!r}; only macro averages of measures of a class do."
        raise InputError(msg)
    known = offered(measure, average)
    chosen = _default(measure, counts, average) if method == "default" else method
    if chosen not in known:
        msg = f"There is no {method!r} interval of {_called(measure, average)}. Methods are: default, {', '.join(known)}."
        raise InputError(msg)
    found = _interval(measure, counts, chosen, level, positive, average, rng)
    return replace(found, low=max(found.low, measure.low), high=min(found.high, measure.high))


def offered(measure: Measure, average: str | None = None) -> tuple[str, ...]:
    """Return the methods for a measure, or for its macro average."""
    if average is not None:
        return ("effective-wilson", *_RESAMPLING) if measure.name == "f1" else _RESAMPLING
    if _is_share(measure):
        return (*OF_SHARE, "posterior", "bootstrap", "bca")
    if measure.name in _BALANCED:
        return (*OF_RECALLS, *_RESAMPLING)
    return ("f1-jeffreys", *_RESAMPLING) if measure.name == "f1" else _RESAMPLING


def fitting(method: str, measure: Measure, average: str | None = None) -> str:
    """Return a method where it is offered for a measure, and the default where not."""
    return method if method in offered(measure, average) else "default"


def _called(measure: Measure, average: str | None) -> str:
    return measure.name if average is None else f"{average} {measure.name}"


def _default(measure: Measure, counts: ConfusionCounts, average: str | None) -> str:
    if measure.name in _BALANCED:
        return usual(int(np.count_nonzero(counts.support)))
    return offered(measure, average)[0]


def _is_share(measure: Measure) -> bool:
    rates = measure.name in ("accuracy", "error", "rejection_rate")
    return rates or (isinstance(measure, ClassMeasure) and measure.plain)


def _interval(
    measure: Measure, counts: ConfusionCounts, method: str, level: float, positive: Any, average: str | None, rng: Any
) -> Interval:
    if method in OF_SHARE:
        return limits_of_share(*_share(measure, counts, positive), level, method)
    if method in OF_RECALLS:
        return Interval(*_balanced(measure, counts, method, level), level, method)
    if method == "f1-jeffreys":
        return Interval(*_f1(counts, level, positive), level, method)
    if method == "effective-wilson":
        return Interval(*ratios.macro_f1_limits(effective_cells(counts), level), level, method)
    if method == "posterior":
        return Interval(*_believed(measure, counts, level, positive, average, rng), level, method)
    return _resampled(measure, counts, method, level, positive, average, rng)


def _believed(measure: Measure, counts: ConfusionCounts, level: float, positive: Any, average: str | None, rng: Any) -> Limits:
    """Return the central limits of the posterior under Jeffreys' prior."""
    if average is not None:
        return drawn(measure, counts, 0.5, positive, rng, macro=True).law.interval(level)
    return posterior(counts, measure.name, positive=positive, prior="jeffreys", rng=rng).law.interval(level)


def _share(measure: Measure, counts: ConfusionCounts, positive: Any) -> tuple[float, float]:
    """Return so many of so many cases, weighted ones as many as they are worth."""
    scale = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    if isinstance(measure, ClassMeasure):
        at = the_class(measure, counts, positive)
        top, bottom = measure.parts(against_rest(counts))
        return float(top[at]) * scale, float(bottom[at]) * scale
    right, none = counts.correct.sum(), counts.rejected.sum()
    hit = {"accuracy": right, "error": counts.n - right - none, "rejection_rate": none}[measure.name]
    return float(hit) * scale, float(counts.n) * scale


def _balanced(measure: Measure, counts: ConfusionCounts, method: str, level: float) -> Limits:
    seen = counts.support > 0
    support = (counts.effective_support if isinstance(counts, WeightedCounts) else counts.support)[seen].astype(np.float64)
    recall = counts.correct[seen] / counts.support[seen]
    k = recall.size
    low, high = mean_recall_limits(recall * support, support, level, method)
    if measure.name == "balanced_accuracy" or k == 1:
        return low, high
    return (k * low - 1) / (k - 1), (k * high - 1) / (k - 1)


def _f1(counts: ConfusionCounts, level: float, positive: Any) -> Limits:
    at = the_class(find("f1"), counts, positive)
    scale = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    parts = against_rest(counts)
    hit, alarm, miss = (float(v) * scale for v in (parts.hit[at], parts.alarm[at], parts.support[at] - parts.hit[at]))
    return ratios.f1_limits(hit, alarm, miss, level)


def _resampled(
    measure: Measure, counts: ConfusionCounts, method: str, level: float, positive: Any, average: str | None, rng: Any
) -> Interval:
    """Resample the cells; where all resamples agree, which is no certainty, fall back on another method and say so."""
    cells = np.rint(effective_cells(counts)).astype(np.int64)
    at = the_class(measure, counts, positive) if isinstance(measure, ClassMeasure) and average is None else None

    def statistic(tables: AnyArray) -> AnyArray:
        return of_tables(measure, tables, at)

    draws = replicates.cell_replicates(cells, statistic, RESAMPLES, np.random.default_rng(rng))
    draws = draws[np.isfinite(draws)]
    limits = replicates.percentile(draws, level) if method == "bootstrap" and draws.size else None
    if method == "bca" and draws.size:
        jackknife, times = replicates.cell_jackknife(cells, statistic)
        limits = replicates.bca(draws, float(statistic(cells)), jackknife, times, level)
    if limits is not None:
        return Interval(*limits, level, method)
    fallback = _default(measure, counts, average)
    other = "posterior" if fallback in _RESAMPLING else fallback
    told = Finding("A507", f"All resamples give the same {measure.name}, which is no certainty.", f"Its interval is by {other}.")
    return replace(_interval(measure, counts, other, level, positive, average, rng), findings=(told,))
