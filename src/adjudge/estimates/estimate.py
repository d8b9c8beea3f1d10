"""An estimate: a measure's value and, where one is known to cover, its interval; the conventional one beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted, quoted, safe
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.caveats import of_normal
from adjudge.metrics.averages import value
from adjudge.metrics.measure import ClassMeasure, Measure, against_rest
from adjudge.stats import binomial

TIMES = 2  # standard errors on either side


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


OF_SHARE: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "midp": binomial.midp,
    "clopper-pearson": binomial.clopper_pearson,
    "wilson": binomial.wilson,
    "jeffreys": binomial.jeffreys,
    "wald": binomial.wald,
    # a lower and an upper bound, each of which holds by itself (Langford 2005)
    "tail-inversion": lambda hits, n, level: (
        binomial.lower_tail_inversion(hits, n, 1 - level),
        binomial.upper_tail_inversion(hits, n, 1 - level),
    ),
}
"""Methods for a plain share of cases."""


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


def effective_cells(counts: ConfusionCounts) -> AnyArray:
    """Return the table; the weighted cases of a class as so many as they are worth."""
    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    if not isinstance(counts, WeightedCounts):
        return cells
    worth = np.divide(counts.effective_support, counts.support, out=np.zeros(counts.k), where=counts.support > 0)
    return np.asarray(cells * worth[:, None])


def shares_by_class(measure: ClassMeasure, counts: ConfusionCounts) -> tuple[FloatArray, FloatArray]:
    """Return so many of so many cases for every class: the shares that a measure of one class is, in cases they are worth."""
    hits, cases = (np.asarray(part, dtype=np.float64) for part in measure.parts(against_rest(counts)))
    if not isinstance(counts, WeightedCounts):
        return hits, cases
    squares = measure.parts(against_rest(WeightedCounts(counts.squares, counts.classes, squares=counts.squares)))[1]
    worth = np.divide(cases, squares, out=np.zeros(counts.k), where=np.asarray(squares) > 0)
    return hits * worth, cases * worth


def share_of_class(measure: ClassMeasure, counts: ConfusionCounts, at: int) -> tuple[float, float]:
    """Return that share of one class."""
    hits, cases = shares_by_class(measure, counts)
    return float(hits[at]), float(cases[at])


def share_of_table(name: str, counts: ConfusionCounts) -> tuple[float, float]:
    """Return so many of all cases: right, wrong or rejected ones."""
    right, none = float(counts.correct.sum()), float(counts.rejected.sum())
    hits = {"accuracy": right, "error": float(counts.n) - right - none, "rejection_rate": none}[name]
    worth = counts.effective_n / counts.n if isinstance(counts, WeightedCounts) else 1.0
    return hits * worth, float(counts.n) * worth


@dataclass(frozen=True, slots=True)
class Conventional(Shown):
    """A mean and its standard error, over test cases or over folds; the limits are not clipped."""

    value: float
    error: float
    """The standard error of `value`."""
    over: str
    """What the error was taken over, such as "140 cases" or "10 folds"."""

    @property
    def low(self) -> float:
        """Two standard errors below."""
        return self.value - TIMES * self.error

    @property
    def high(self) -> float:
        """Two standard errors above, even where that is more than everything."""
        return self.value + TIMES * self.error


def over_cases(counts: ConfusionCounts) -> Conventional:
    r"""Return :math:`p \pm 2 \sqrt{p (1 - p) / n}`.

    >>> found = over_cases(ConfusionCounts([[69, 1], [1, 69]]))
    >>> round(found.value, 5), round(found.error, 5), round(found.high, 5)
    (0.98571, 0.01003, 1.00577)
    """
    n = counts.effective_n if isinstance(counts, WeightedCounts) else counts.n
    share = float(counts.correct.sum() / counts.n)
    return Conventional(share, math.sqrt(share * (1 - share) / n), counted(round(n), "case"))


def over_folds(folds: Sequence[ConfusionCounts]) -> Conventional:
    r"""Return the mean of k fold accuracies :math:`\pm 2 s / \sqrt k`, with s their standard deviation."""
    each = np.array([float(fold.correct.sum() / fold.n) for fold in folds if fold.n])
    spread = float(each.std(ddof=1)) if each.size > 1 else math.nan
    return Conventional(float(each.mean()), spread / math.sqrt(each.size), counted(each.size, "fold"))
