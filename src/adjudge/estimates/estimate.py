"""An estimate: a measure's value and, where one is known to cover, its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import quoted, safe
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.caveats import of_normal
from adjudge.estimates.effective import share_of_class
from adjudge.metrics.averages import value
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.stats import binomial


@dataclass(frozen=True, slots=True)
class Interval(Shown):
    """Two limits, how often such limits hold the truth, and the method that says so."""

    low: float
    high: float
    level: float
    method: str
    findings: tuple[Finding, ...] = ()
    """What to know before believing it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as plain Python, with findings where there are some."""
        whole: dict[str, Any] = plain({"low": self.low, "high": self.high, "level": self.level, "method": self.method})
        return whole | ({"findings": plain(self.findings)} if self.findings else {})

    def __repr__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g} ({100 * self.level:.6g}%, {safe(self.method)})"


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

    def __repr__(self) -> str:
        of = "" if self.of is None else f" of {quoted(self.of)}"
        value = repr(self.value) if isinstance(self.value, Undefined) else f"{self.value:.6g}"
        return f"{safe(self.measure)}{of} {value}" + ("" if self.interval is None else f", {self.interval!r}")


def of_accuracy(counts: ConfusionCounts, measure: Measure, level: float = 0.95, method: str = "default") -> Estimate:
    """Return accuracy, error or rejection rate with the limits of a proportion."""
    share = value(measure, counts)
    n = counts.effective_n if isinstance(counts, WeightedCounts) else counts.n
    return Estimate(measure.name, share, share_interval(share, n, level, method), cases=n)


def of_class(counts: ConfusionCounts, measure: ClassMeasure, at: int, level: float = 0.95, method: str = "default") -> Estimate:
    """Return a measure of one class, with limits where it is a plain share of cases."""
    label = counts.classes[at]
    share = value(measure, counts, positive=label)
    if not measure.plain or isinstance(share, Undefined):
        return Estimate(measure.name, share, of=label)
    hits, n = share_of_class(measure, counts, at)
    limits = limits_of_share(hits, n, level, method if method in OF_SHARE else "midp")
    return Estimate(measure.name, share, limits, of=label, cases=n)


def share_interval(share: float, n: float, level: float, method: str = "default") -> Interval | None:
    """Return the limits of a share of `n` cases by a method for shares, mid-P where another is asked for.

    Mid-P has the best worst-case coverage among the plain methods.
    """
    return None if np.isnan(share) else limits_of_share(share * n, n, level, method if method in OF_SHARE else "midp")


def limits_of_share(hits: float, n: float, level: float, method: str) -> Interval:
    """Return the limits of a share: so many of `n`."""
    low, high = OF_SHARE[method](hits, n, level)
    doubts = tuple(of_normal(hits, n, level)) if method == "wald" else ()
    return Interval(max(low, 0.0), min(high, 1.0), level, method, doubts)


def _tail_inversion(hits: float, n: float, level: float) -> tuple[float, float]:
    """Return the lower and the upper bound, each of which holds by itself (Langford 2005)."""
    return binomial.lower_tail_inversion(hits, n, 1 - level), binomial.upper_tail_inversion(hits, n, 1 - level)


OF_SHARE: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "midp": binomial.midp,
    "clopper-pearson": binomial.clopper_pearson,
    "wilson": binomial.wilson,
    "jeffreys": binomial.jeffreys,
    "wald": binomial.wald,
    "tail-inversion": _tail_inversion,
}
"""Methods for a plain share of cases."""
