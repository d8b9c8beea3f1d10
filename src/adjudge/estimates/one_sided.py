"""Limits each of which holds by itself: for claims such as "at least 0.9", where only one side can be wrong.

Shares of cases have exact bounds, which are never wrong more often than they say (binomial tail inversion). Means of recalls,
such as the balanced accuracy, put those of the classes together (MOVER); with Jeffreys' limits, the default of two sides, a
class of few cases that are all right would let a claim through too often. Everything else takes a two-sided interval with half
of the doubt on either side.
"""

from __future__ import annotations

import numpy as np

from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.effective import shares_by_class
from adjudge.estimates.estimate import Interval
from adjudge.estimates.intervals import count_interval, fitting, offered
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.metrics.on_counts import SENSITIVITY, supported
from adjudge.stats import binomial, mover

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
    if method == "default" and EXACT in offered(measure, average):
        return count_interval(counts, measure.name, level=level, method=EXACT, **how)  # type: ignore[arg-type]
    if method == "default" and positive is None and (measure.name in _MEANS or (average and measure.name in _APART)):
        return _of_means(measure, counts, level)
    chosen = fitting(method, measure, average)
    return count_interval(counts, measure.name, level=two_sided(level), method=chosen, **how)  # type: ignore[arg-type]


def _of_means(measure: Measure, counts: ConfusionCounts, level: float) -> Interval:
    """Return exact limits of every class put together."""
    of = measure if isinstance(measure, ClassMeasure) else SENSITIVITY
    hits, cases = (each[supported(counts)] for each in shares_by_class(of, counts))
    alpha, pairs = 1 - level, list(zip(hits.tolist(), cases.tolist(), strict=True))
    lows = np.array([binomial.lower_tail_inversion(x, n, alpha) for x, n in pairs])
    highs = np.array([binomial.upper_tail_inversion(x, n, alpha) for x, n in pairs])
    k = cases.size
    low, high = mover.mover(hits / cases, lows, highs, np.full(k, 1 / k))
    if measure.name == "informedness":
        low, high = (k * low - 1) / (k - 1), (k * high - 1) / (k - 1)
    return Interval(max(low, measure.low), min(high, measure.high), level, OF_MEANS)
