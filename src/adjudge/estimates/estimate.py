"""An estimate: a measure's value and, where one is known to cover, its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.show import Shown
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.metrics.averages import value
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.stats.binomial import midp


@dataclass(frozen=True, slots=True)
class Interval(Shown):
    """Two limits, how often such limits hold the truth, and the method that says so."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class Estimate(Shown):
    """A measure's value on these cases, with its interval where there is one."""

    measure: str
    value: float
    interval: Interval | None = None
    of: Any = None
    """The class it speaks of, if one."""
    average: str | None = None
    cases: float | None = None
    """How many cases the value is a share of."""

    @property
    def reason(self) -> str | None:
        """Why there is no value, if there is none."""
        return self.value.reason if isinstance(self.value, Undefined) else None


def of_accuracy(counts: ConfusionCounts, measure: Measure, level: float = 0.95) -> Estimate:
    """Return accuracy, error or rejection rate with the mid-P limits of a proportion."""
    share = value(measure, counts)
    n = counts.effective_n if isinstance(counts, WeightedCounts) else counts.n
    return Estimate(measure.name, share, share_interval(share, n, level), cases=n)


def of_class(counts: ConfusionCounts, measure: ClassMeasure, at: int, level: float = 0.95) -> Estimate:
    """Return a measure of one class, with limits where it is a plain share of cases."""
    label = counts.classes[at]
    share = value(measure, counts, positive=label)
    if not measure.plain or isinstance(share, Undefined):
        return Estimate(measure.name, share, of=label)
    top, bottom = measure.parts(against_rest(counts))
    n = float(bottom[at])
    if isinstance(counts, WeightedCounts):
        n *= counts.effective_n / counts.n  # the cases of a share are worth as much as cases at large
    return Estimate(measure.name, share, share_interval(float(top[at]) / float(bottom[at]), n, level), of=label, cases=n)


def share_interval(share: float, n: float, level: float) -> Interval | None:
    """Return the mid-P limits of a share of `n` cases (best worst-case coverage among the plain methods)."""
    if np.isnan(share):
        return None
    low, high = midp(share * n, n, level)
    return Interval(low, high, level, "mid-P")
