"""Limits for one proportion."""

from __future__ import annotations

import math


def midp(successes: float, trials: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return the mid-P limits of a proportion.

    The limits are the rates at which the observed count, with half its own probability, becomes as rare as
    :math:`\alpha/2`:

    .. math:: P(X > x \mid p_L) + \tfrac12 P(X = x \mid p_L) = \alpha / 2,
              \quad P(X < x \mid p_U) + \tfrac12 P(X = x \mid p_U) = \alpha / 2 .

    Tails are incomplete beta functions, so counts need not be whole and effective sample sizes of weighted
    data serve as well. Lancaster (1961), J. Am. Stat. Assoc. 56:223-234.

    >>> [round(limit, 4) for limit in midp(0, 10)]
    [0.0, 0.2589]
    """
    from scipy.optimize import brentq

    alpha = 1 - level
    if trials <= 0:
        return 0.0, 1.0
    low = 0.0 if successes <= 0 else brentq(lambda p: _upper_tail(successes, trials, p) - alpha / 2, 0.0, 1.0, xtol=1e-15)
    missed = trials - successes
    high = 1.0 if missed <= 0 else 1 - brentq(lambda q: _upper_tail(missed, trials, q) - alpha / 2, 0.0, 1.0, xtol=1e-15)
    return float(low), float(high)


def _upper_tail(x: float, n: float, p: float) -> float:
    """Return P(X > x) + P(X = x) / 2, the mean of the two tails that include and exclude x."""
    from scipy.special import betainc

    at_least = betainc(x, n - x + 1, p) if x > 0 else 1.0
    more = betainc(x + 1, n - x, p) if x < n else 0.0
    value = (at_least + more) / 2
    return float(value) if not math.isnan(value) else 0.0
