"""The error on training cases against the error on new ones: the bias of the first, and how surely there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge._base.show import Shown
from adjudge.estimates.estimate import Estimate, Interval


@dataclass(frozen=True, slots=True)
class Overfitting(Shown):
    """The error on the training cases, on new cases, and the bias between them."""

    resubstitution: Estimate
    sample: Estimate
    bias: float
    """Error on new cases minus error on training cases: what the training error hides."""
    interval: Interval
    verdict: str
    """"optimistic" when the training error is surely too low, "no sign" otherwise, "pessimistic" if too high."""

    def __repr__(self) -> str:
        return self.in_words()


def between(training: Estimate, test: Estimate) -> Overfitting:
    """Return by how much the error on new cases exceeds that on training cases.

    The interval of their difference is Newcombe's (1998, Stat. Med. 17:873-890) from the limits of both.
    """
    bias, interval = difference(test, training)
    verdict = "optimistic" if interval.low > 0 else "pessimistic" if interval.high < 0 else "no sign"
    return Overfitting(training, test, bias, interval, verdict)


def difference(a: Estimate, b: Estimate) -> tuple[float, Interval]:
    """Return a - b of independent error rates with its interval."""
    assert a.interval is not None
    assert b.interval is not None
    d = a.value - b.value
    low = d - math.hypot(a.value - a.interval.low, b.interval.high - b.value)
    high = d + math.hypot(a.interval.high - a.value, b.value - b.interval.low)
    return d, Interval(max(-1.0, low), min(1.0, high), a.interval.level, "Newcombe, mid-P")
