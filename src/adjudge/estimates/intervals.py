"""Intervals of measures: one small function per method, and for each measure the default that was found to cover.

Shares of cases: mid-P. Balanced accuracy: the limits of the recalls put together (MOVER with Jeffreys limits), from
ten classes on an unbiased centre with the posterior's spread. F1 of one class: Jeffreys limits of the Jaccard index.
Macro F1: delta method on the logit with a smoothed variance. AUC: the hull of Newcombe's and the logit DeLong limits.
Everything else: BCa over resampled cells, or the Jeffreys posterior where all resamples agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Interval
from adjudge.estimates.posterior import drawn, effective_cells, posterior
from adjudge.metrics.averages import the_class
from adjudge.metrics.catalogue import find
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.stats import auc_limits, binomial, mover, ratios, replicates

RESAMPLES = 2000
MANY_CLASSES = 10
"""Classes from which on the pull of every class's prior no longer averages out."""
Limits = tuple[float, float]

_OF_SHARE: dict[str, Callable[[float, float, float], Limits]] = {
    "midp": binomial.midp,
    "clopper-pearson": binomial.clopper_pearson,
    "wilson": binomial.wilson,
    "jeffreys": binomial.jeffreys,
    "wald": binomial.wald,
}
_OF_AREA: dict[str, Callable[..., Limits]] = {
    "delong": auc_limits.delong_limits,
    "logit-delong": auc_limits.logit_delong_limits,
    "hull": auc_limits.hull,
}


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
    chosen = _default(measure, counts, average) if method == "default" else method
    low, high, used = _limits(measure, counts, chosen, level, positive, average, rng)
    return Interval(max(low, measure.low), min(high, measure.high), level, used)


def _default(measure: Measure, counts: ConfusionCounts, average: str | None) -> str:
    if measure.name == "f1":
        return "f1-jeffreys" if average is None else "logit-delta"
    if average is not None:
        return "bca"
    if _is_share(measure):
        return "midp"
    if measure.name in ("balanced_accuracy", "informedness"):
        return "mover-jeffreys" if np.count_nonzero(counts.support) < MANY_CLASSES else "unbiased-centre"
    return "bca"


def _is_share(measure: Measure) -> bool:
    rates = measure.name in ("accuracy", "error", "rejection_rate")
    return rates or (isinstance(measure, ClassMeasure) and measure.plain)


def _limits(
    measure: Measure, counts: ConfusionCounts, method: str, level: float, positive: Any, average: str | None, rng: Any
) -> tuple[float, float, str]:
    if method in _OF_SHARE and _is_share(measure) and average is None:
        return (*_OF_SHARE[method](*_share(measure, counts, positive), level), method)
    if method in ("mover-jeffreys", "unbiased-centre") and measure.name in ("balanced_accuracy", "informedness"):
        return (*_balanced(measure, counts, method, level), method)
    if method == "f1-jeffreys" and measure.name == "f1":
        return (*_f1(counts, level, positive), "Jeffreys on the Jaccard index")
    if method == "logit-delta" and measure.name == "f1":
        return (*ratios.macro_f1_limits(effective_cells(counts), level), method)
    if method == "posterior":
        return (
            *posterior(counts, measure.name, positive=positive, prior="jeffreys", rng=rng).law.interval(level),
            "posterior, Jeffreys prior",
        )
    if method in ("bootstrap", "bca"):
        return _resampled(measure, counts, method, level, positive, average, rng)
    known = ", ".join(
        [*_OF_SHARE, "mover-jeffreys", "unbiased-centre", "f1-jeffreys", "logit-delta", "posterior", "bootstrap", "bca"]
    )
    msg = f"There is no {method!r} interval of {measure.name}. Methods are: default, {known}."
    raise InputError(msg)


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
    if method == "unbiased-centre":
        low, high = mover.unbiased_centre(recall * support, support, level)
    else:
        each = np.array([binomial.jeffreys(r * n, n, level) for r, n in zip(recall, support, strict=True)])
        low, high = mover.mover(recall, each[:, 0], each[:, 1], np.full(k, 1 / k))
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
) -> tuple[float, float, str]:
    """Resample the cells; where all resamples agree, fall back and say so."""
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
        return (*limits, f"{'BCa' if method == 'bca' else 'percentile'} bootstrap, {RESAMPLES:,} resamples of the cells")
    fallback = drawn(measure, counts, 0.5, positive, rng, macro=average is not None).law.interval(level)
    return (*fallback, "draws from the Jeffreys posterior (all resamples agree)")


def area_interval(tally: Tally, at: int, *, level: float = 0.95, method: str = "default") -> Interval | None:
    """Return the interval of the AUC of one class against the rest, or None where scores were binned or weighted."""
    scores = tally.scores
    if scores is None or scores.scores is None or scores.truth is None or scores.weight is not None:
        return None
    column = scores.columns.index(at) if at in scores.columns else 0
    values = scores.scores[:, column] if at in scores.columns else -scores.scores[:, 0]
    positive = scores.truth == at
    m = int(positive.sum())
    n = positive.size - m
    if not m or not n:
        return None
    chosen = "hull" if method == "default" else method
    area, variance = auc_limits.delong(values, positive)
    if chosen == "newcombe":
        return Interval(*auc_limits.newcombe_limits(area, m, n, level), level, chosen)
    if chosen not in _OF_AREA:
        msg = f"There is no {method!r} interval of auc. Methods are: default, newcombe, {', '.join(_OF_AREA)}."
        raise InputError(msg)
    told = "hull of Newcombe and logit DeLong" if chosen == "hull" else chosen
    return Interval(*_OF_AREA[chosen](area, variance, m, n, level), level, told)
