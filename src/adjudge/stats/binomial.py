"""Limits for one proportion, bounds on an error rate, and what chance alone can do.

Counts need not be whole. Upper limits come from the upper tail, so that rates of a few in 1e9 keep all their digits.
Without trials every method says (0, 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from adjudge.stats import special
from adjudge.stats.numerics import brentq

_GOOD = 1e-5  # relative error of a tail from which one Newton step is enough


Bounds = tuple[float, float]  # the lower and the upper limit


def midp(successes: float, trials: float, level: float = 0.95) -> Bounds:
    r"""Return the mid-P limits of a proportion.

    .. math:: P(X > x \mid p_L) + \tfrac12 P(X = x \mid p_L) = \alpha / 2,
              \quad P(X < x \mid p_U) + \tfrac12 P(X = x \mid p_U) = \alpha / 2 .

    Lancaster (1961), J. Am. Stat. Assoc. 56:223-234. By enumeration, 95% limits cover with at least .912 whatever the rate.
    """
    return _on_both_sides(_midp_limit, successes, trials, level)


def clopper_pearson(successes: float, trials: float, level: float = 0.95) -> Bounds:
    r"""Return the "exact" limits, which never cover less than `level`.

    :math:`P(X \ge x \mid p_L) = \alpha / 2, \; P(X \le x \mid p_U) = \alpha / 2`. Clopper and Pearson (1934), Biometrika
    26:404-413.
    """
    tail = (1 - level) / 2
    return lower_tail_inversion(successes, trials, tail), upper_tail_inversion(successes, trials, tail)


def wilson(successes: float, trials: float, level: float = 0.95) -> Bounds:
    r"""Return the limits of the score test: the rates p with :math:`|x/n - p| \le z \sqrt{p(1-p)/n}`.

    :math:`\frac{x + z^2/2 \pm z \sqrt{x (n - x) / n + z^2/4}}{n + z^2}`. The smaller root follows from the product :math:`x^2 /
    (n (n + z^2))`. Wilson (1927), J. Am. Stat. Assoc. 22:209-212.
    """
    if trials <= 0:
        return 0.0, 1.0
    square = normal_quantile(level) ** 2
    missed = max(trials - successes, 0.0)
    spread = math.sqrt(square * (successes * (missed / trials) + square / 4))
    high = (successes + square / 2 + spread) / (trials + square) if missed else 1.0
    low = successes / trials * (successes / (trials + square)) / high if successes else 0.0
    return _around(successes / trials, low, high)


def jeffreys(successes: float, trials: float, level: float = 0.95) -> Bounds:
    """Return central limits of the posterior Beta(x + 1/2, n - x + 1/2), 0 and 1 where no success and no failure was seen.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16:101-133.
    """
    return _on_both_sides(
        lambda x, n, tail, upper: beta_quantile(x + 0.5, n - x + 0.5, tail, upper=upper), successes, trials, level
    )


def wald(successes: float, trials: float, level: float = 0.95) -> Bounds:
    r"""Return the textbook limits :math:`\hat p \pm z \sqrt{\hat p (1 - \hat p) / n}`, clipped to [0, 1]. For comparison only.

    Mitchell (1997), Machine Learning, eq. 5.1; he asks for n >= 30 and :math:`n \hat p (1 - \hat p) \ge 5`.
    """
    if trials <= 0:
        return 0.0, 1.0
    share, missed = successes / trials, (trials - successes) / trials
    half = normal_quantile(level) * math.sqrt(max(share * missed, 0.0) / trials)
    return _around(share, share - half, share + half)


def upper_tail_inversion(errors: float, n: float, delta: float = 0.05) -> float:
    r"""Return the largest rate p with :math:`P(X \le errors \mid n, p) \ge \delta`. Langford (2005), JMLR 6:273-306."""
    return 1.0 if errors >= n else beta_quantile(errors + 1, n - errors, delta, upper=True)


def lower_tail_inversion(errors: float, n: float, delta: float = 0.05) -> float:
    r"""Return the smallest rate p with :math:`P(X \ge errors \mid n, p) \ge \delta`. Langford (2005), JMLR 6:273-306."""
    return 0.0 if errors <= 0 else beta_quantile(errors, max(n - errors, 0.0) + 1, delta)


def binomial_p_value(successes: float, n: float, rate: float = 0.5) -> float:
    r"""Return the one-sided :math:`P(X \ge successes \mid n, rate)`, accurate to tiny values; 1 at no successes."""
    if successes <= 0:
        return 1.0
    return float(special.betainc(successes, n - successes + 1, rate)) if successes <= n else 0.0


def beta_quantile(a: float, b: float, tail: float, *, upper: bool = False) -> float:
    """Return the x with P(Beta(a, b) <= x) = `tail`, or with P(Beta(a, b) >= x) = `tail`.

    SciPy 1.17's inverse is only a first guess (off by 1e-8 near 1e9, twice too large for Beta(1000, 999999001)); its incomplete
    beta function is accurate, so one Newton step corrects a good guess and a search replaces a bad one.
    """
    if a > max(b, 1):
        return 1 - beta_quantile(b, a, tail, upper=not upper)
    tail_at, guess_at = (special.betaincc, special.betainccinv) if upper else (special.betainc, special.betaincinv)
    guess = float(guess_at(a, b, tail))
    excess = float(tail_at(a, b, guess)) - tail
    if 0 < guess < 1 and abs(excess) < _GOOD * tail:
        # the density, to the few digits that a last small step needs
        density = math.exp((a - 1) * math.log(guess) + (b - 1) * math.log1p(-guess) - float(special.betaln(a, b)))
        return guess + (excess if upper else -excess) / density
    return _solved(lambda x: float(tail_at(a, b, x)) - tail, 0.0, 1.0)


def _on_both_sides(limit: Callable[[float, float, float, bool], float], x: float, n: float, level: float) -> Bounds:
    """Return a lower and an upper limit that leave equal tails: 0 where no success was seen, 1 where no failure was."""
    if n <= 0:
        return 0.0, 1.0
    tail = (1 - level) / 2
    return _around(x / n, limit(x, n, tail, False) if x > 0 else 0.0, limit(x, n, tail, True) if x < n else 1.0)  # noqa: FBT003


def _midp_limit(x: float, n: float, tail: float, upper: bool) -> float:  # noqa: FBT001
    """Solve P(X < x) + P(X = x) / 2 = tail (below: X > x) in p; the limits that count X = x fully and not at all enclose it."""
    tail_at = special.betaincc if upper else special.betainc

    def excess(p: float) -> float:
        some = float(tail_at(x, n - x + 1, p)) if x > 0 else 0.0
        more = float(tail_at(x + 1, n - x, p)) if x < n else 0.0
        return (some + more) / 2 - tail

    start = beta_quantile(x, max(n - x, 0.0) + 1, tail, upper=upper) if x > 0 else 0.0
    end = beta_quantile(x + 1, n - x, tail, upper=upper) if x < n else 1.0
    return _solved(excess, start, end)


def _solved(excess: Callable[[float], float], start: float, end: float) -> float:
    """Return the root between two ends; an end where rounding already hides the change of sign."""
    at_start, at_end = excess(start), excess(end)
    if at_start * at_end >= 0:
        return start if abs(at_start) <= abs(at_end) else end
    return float(brentq(excess, start, end, xtol=1e-30, rtol=1e-15, maxiter=500))


def _around(share: float, low: float, high: float) -> Bounds:
    """Return the limits within [0, 1] and around the estimate, which rounding or tiny counts may leave outside."""
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def normal_quantile(level: float) -> float:
    """Return the normal quantile that leaves (1 - level) / 2 on either side."""
    return float(-special.ndtri((1 - level) / 2))
