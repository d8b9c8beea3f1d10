"""How many more cases would decide a rule of a gate, with the assurance, if the value is what it looks like.

Rates with exact limits are counted as they are planned. For other measures of decisions the limits and the posterior of so many
times the cases are computed anew; whatever else has limits, these are taken to narrow as 1 / sqrt(n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Interval, share_of_class
from adjudge.judgements.decision import cleared, more_until, two_digits
from adjudge.judgements.rules import Rule
from adjudge.metrics.averages import the_class
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.stats.power import MOST, cases_in_all, cases_to_show

_FEW_CLASSES = 20  # up to which limits are computed anew


def more_of_rate(
    rule: Rule, value: float, measure: Measure, counts: ConfusionCounts, of: Any, *, level: float, assurance: float
) -> int | None:
    """Return about how many more cases let exact tests say on which side of its bound a rate is.

    Where it rests on a share of the cases, so many in all that enough of them are among these.
    """
    bound, cases = rule.bound, _worth(counts)
    if value == bound or not 0 < bound < 1:
        return None
    rate, limit = (value, bound) if value > bound else (1 - value, 1 - bound)
    needed = cases_to_show(limit, rate, power=assurance, alpha=1 - level)
    share = 1.0
    if isinstance(measure, ClassMeasure):
        share = share_of_class(measure, counts, the_class(measure, counts, of))[1] / cases
    return max(1, two_digits(cases_in_all(needed, share) - cases)) if needed <= MOST else None


def more_of_counts(
    rule: Rule,
    value: float,
    counts: ConfusionCounts,
    bounds: Callable[[ConfusionCounts], Interval],
    holds: Callable[[ConfusionCounts], float | None],
    *,
    level: float,
    assurance: float,
) -> int | None:
    """Return about how many more cases decide a rule about decisions; `bounds` and `holds` are those of any counts."""
    if counts.k > _FEW_CLASSES:
        return more_by_scaling(rule, value, bounds(counts), _worth(counts), level=level, assurance=assurance)

    def grown(times: float) -> tuple[Interval, float | None]:
        more = _times(counts, times)
        return bounds(more), holds(more)

    return _more(rule, value, grown, _worth(counts), level=level, assurance=assurance)


def more_by_scaling(rule: Rule, value: float, limits: Interval, cases: float, *, level: float, assurance: float) -> int | None:
    """Return about how many more cases decide a rule about anything with limits."""

    def grown(times: float) -> tuple[Interval, None]:
        low, high = (value + (end - value) / math.sqrt(times) for end in (limits.low, limits.high))
        return replace(limits, low=low, high=high), None

    return _more(rule, value, grown, cases, level=level, assurance=assurance)


def _more(
    rule: Rule,
    value: float,
    grown: Callable[[float], tuple[Interval, float | None]],
    cases: float,
    *,
    level: float,
    assurance: float,
) -> int | None:
    """Return about how many more cases bring a limit beyond the bound and, where it is known, the probability to the level."""
    from scipy.special import ndtri

    bound, above = rule.bound, value > rule.bound
    if value == bound or not math.isfinite(value):
        return None

    def reached(n: float) -> float:
        limits, probability = grown(n / cases)
        wide = max(value - limits.low if above else limits.high - value, (limits.high - limits.low) / 2)
        often = cleared(abs(value - bound), wide / float(ndtri(level)), level) if wide > 0 else 1.0
        if probability is None:
            return often
        sure = probability if above == rule.upward else 1 - probability
        return min(often, cleared(float(ndtri(sure)), 1.0, level))

    return more_until(reached, assurance, cases)


def _times(counts: ConfusionCounts, times: float) -> WeightedCounts:
    """Return counts of so many times the cases."""
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    squares = counts.squares if isinstance(counts, WeightedCounts) else cells
    return WeightedCounts(cells * times, counts.classes, squares=squares * times)


def _worth(counts: ConfusionCounts) -> float:
    """Return how many cases counts are worth."""
    return float(counts.effective_n if isinstance(counts, WeightedCounts) else counts.n)
