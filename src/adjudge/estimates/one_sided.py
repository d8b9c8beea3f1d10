"""Limits each of which holds by itself: for claims such as "at least 0.9", where only one side can be wrong.

Shares of cases have exact bounds, which are never wrong more often than they say (binomial tail inversion); so has F1 of one
class, through the Jaccard index, and F-beta with the share of misses beside it. Means of recalls, such as the balanced
accuracy, put those of the classes together (MOVER); with Jeffreys' limits, the default of two sides, a class of few cases that
are all right would let a claim through too often.
MCC and kappa of two classes have their extremes over the exact bounds of the shares that make up the table. Everything else
has the exact bounds of a share of as many cases as it is worth (Korn and Graubard 1998); the G-mean joins to them its two-sided
interval with half of the doubt on either side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.estimate import OF_SHARE, Interval, shares_by_class
from adjudge.estimates.intervals import count_interval, fitting, offered
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.metrics.on_counts import SENSITIVITY, supported
from adjudge.stats import mover

EXACT = "tail-inversion"
OF_MEANS = "mover-tail-inversion"
_MEANS = ("balanced_accuracy", "informedness")
_APART = ("sensitivity", "fnr", "precision")  # whose classes rest on different cases


def two_sided(level: float) -> float:
    """Return the level of the two-sided interval whose ends hold one by one with `level`.

    >>> round(two_sided(0.95), 12)
    0.9
    """
    return 2 * level - 1


def one_sided(
    counts: ConfusionCounts,
    measure: Measure,
    *,
    level: float = 0.95,
    method: str = "default",
    positive: object = None,
    average: str | None = None,
) -> Interval:
    """Return a lower and an upper limit of a count measure, each of which holds the truth with `level`.

    >>> from adjudge.metrics.on_counts import ACCURACY
    >>> found = one_sided(ConfusionCounts([[45, 5], [3, 47]]), ACCURACY)
    >>> round(found.low, 4), round(found.high, 4), found.method
    (0.8603, 0.9596, 'tail-inversion')
    """
    how = {"positive": positive, "average": average}
    chosen = fitting(method, measure, average)
    if chosen == "default" and (measure.name in _MEANS or (average and measure.name in _APART)):
        return _of_means(measure, counts if positive is None else counts.binary(positive), level)
    exact = next(each for each in offered(measure, average) if each.endswith(EXACT))
    chosen = exact if chosen == "default" else chosen
    sure = level if chosen.endswith(EXACT) else two_sided(level)
    found = count_interval(counts, measure.name, level=sure, method=chosen, **how)  # type: ignore[arg-type]
    if measure.name != "g_mean" or method != "default":
        return found
    # A class with few errors makes the effective size too large: there its own limits are wider.
    other = count_interval(counts, measure.name, level=two_sided(level), positive=positive)
    return replace(found, low=min(found.low, other.low), high=max(found.high, other.high))


def _of_means(measure: Measure, counts: ConfusionCounts, level: float) -> Interval:
    """Return exact limits of every class put together; on the side of no errors not less than those of all classes at once."""
    # one error in each of eight classes is more than eight classes say one by one: with their limits alone a claim that was met
    # failed in up to 10% of simulated tables
    of = measure if isinstance(measure, ClassMeasure) else SENSITIVITY
    hits, cases = (each[supported(counts)] for each in shares_by_class(of, counts))
    bounds, k = OF_SHARE[EXACT], cases.size
    each = np.array([bounds(x, n, level) for x, n in zip(hits.tolist(), cases.tolist(), strict=True)])
    low, high = mover.mover(hits / cases, each[:, 0], each[:, 1], np.full(k, 1 / k))
    at_once = mover.unbiased_centre(hits, cases, level, limits=bounds)
    low, high = (low, max(high, at_once[1])) if measure.higher_is_better else (min(low, at_once[0]), high)
    if measure.name == "informedness":
        low, high = (k * low - 1) / (k - 1), (k * high - 1) / (k - 1)
    return Interval(max(low, measure.low), min(high, measure.high), level, OF_MEANS)
