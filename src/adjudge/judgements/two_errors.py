"""The difference of two error rates on independent samples, as textbooks have it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.show import Shown
from adjudge._base.undefined import Undefined
from adjudge.estimates.estimate import Interval


@dataclass(frozen=True, slots=True)
class ErrorDifference(Shown):
    """How much more often the first of two classifiers errs, each on cases of its own."""

    d: float
    """The error rate of the first minus that of the second."""
    sd: float
    interval: Interval
    p_positive: float
    """How probable it is that the first errs more, by the normal law."""
    method: str = "normal approximation (Mitchell 1997, Machine Learning, eq. 5.13); too short for few errors"

    def __repr__(self) -> str:
        return f"ErrorDifference {self.d:+.6g}, {self.interval!r}; P(the first errs more) = {self.p_positive:.4g}"


def error_difference(errors1: int, n1: int, errors2: int, n2: int, *, level: float = 0.95) -> ErrorDifference:
    r"""Return the difference of two error rates on independent samples, with the interval of the normal law.

    .. math:: d = e_1 - e_2, \quad d \pm z \sqrt{\frac{e_1 (1 - e_1)}{n_1} + \frac{e_2 (1 - e_2)}{n_2}} .

    For samples of some size; ``compare(a, b, measure="error", paired=False)`` has a posterior that also holds for few cases.

    >>> found = error_difference(30, 100, 20, 100)
    >>> round(found.d, 3), round(found.interval.low, 4), round(found.interval.high, 4)
    (0.1, -0.0192, 0.2192)
    """
    from scipy.special import ndtr, ndtri

    level = checked_level(level)
    rates = [_rate(errors1, n1, "first"), _rate(errors2, n2, "second")]
    d = rates[0] - rates[1]
    sd = math.sqrt(sum(rate * (1 - rate) / n for rate, n in zip(rates, (n1, n2), strict=True)))
    half = float(ndtri((1 + level) / 2)) * sd
    p = float(ndtr(d / sd)) if sd else Undefined("neither rate varies: no error or nothing but errors in both samples")
    return ErrorDifference(d, sd, Interval(d - half, d + half, level, "wald"), p)


def _rate(errors: Any, n: Any, which: str) -> float:
    whole = all(isinstance(v, Real) and float(v).is_integer() for v in (errors, n)) and not isinstance(n, bool)
    if not whole or not 0 <= errors <= n or n < 1:
        msg = f"The {which} sample needs whole numbers, errors between 0 and n, n at least 1; got {errors!r} errors of {n!r}."
        raise InputError(msg)
    return float(errors) / float(n)
