"""The one rule by which comparisons, rankings, gates and plans decide, and how many cases it takes until it does.

A verdict comes where the evidence for it is at least as probable as the level asks; differences up to the equivalence margin
(ROPE) count as none. The assurance is how often a test set of a given size brings the true verdict: level and margin guard
against wrong verdicts, the assurance against none at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, TypeAlias

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError

Verdict: TypeAlias = Literal["better", "equivalent", "worse", "undecided"]
MARGIN = 0.01
"""Differences up to this are practically none, unless the user says otherwise."""
LEVEL = 0.95
"""How probable a verdict must be."""
ASSURANCE = 0.8
"""How often the cases asked for decide, if the truth is what was expected or seen."""
_MOST = 1e12  # cases; a need for more is no advice
_CLOSE = 0.002  # of the answer: more than two digits are worth
_STEPS = 60


def verdict_of(worse: float, same: float, better: float, level: float) -> Verdict:
    """Return the outcome that is probable enough."""
    for name, probability in (("better", better), ("equivalent", same), ("worse", worse)):
        if probability >= level:
            return name  # type: ignore[return-value]
    return "undecided"


def false_verdicts(level: float) -> float:
    """Return the share of equal pairs that may be called better or worse: both sides may err.

    >>> round(false_verdicts(0.95), 12)
    0.1
    """
    return min(1.0, 2 * (1 - level))


def checked_assurance(assurance: Any) -> float:
    """Return an assurance, refusing what is none."""
    if isinstance(assurance, bool) or not isinstance(assurance, Real) or not 0 < float(assurance) < 1:
        msg = wording(
            parameter("assurance"),
            f" is how often the cases shall decide, strictly between 0 and 1 such as 0.8; got {assurance!r}.",
        )
        raise InputError(msg)
    return float(assurance)


# -- how often a verdict comes ---------------------------------------------------------------------------------


def assured(difference: float, spread: float, *, margin: float, level: float) -> float:
    """Return how often the true verdict comes if the truth is `difference` and estimates of it have this standard error.

    The estimate is taken for normal, and so is what is believed of the difference. A difference that is just as large as the
    margin has no true verdict.

    >>> round(assured(0.03, 0.01, margin=0.01, level=0.95), 4), assured(0.01, 0.01, margin=0.01, level=0.95)
    (0.6388, 0.0)
    """
    size = abs(difference)
    if size == margin:
        return 0.0
    return cleared(size - margin, spread, level) if size > margin else _equivalent(size, spread, margin, level)


def cleared(gap: float, spread: float, level: float) -> float:
    """Return how often an estimate clears a bound that the truth lies `gap` beyond, at a level.

    >>> round(cleared(0.02, 0.01, 0.95), 4)
    0.6388
    """
    from scipy.special import ndtr, ndtri

    return float(ndtr(gap / spread - ndtri(level)))


def _equivalent(size: float, spread: float, margin: float, level: float) -> float:
    """Return how often a difference is called equivalent: where the estimate is near enough to 0, up to `reach`."""
    from scipy.special import ndtr

    def same(estimate: float) -> float:
        return float(ndtr((margin - estimate) / spread) - ndtr((-margin - estimate) / spread))

    if same(0.0) < level:
        return 0.0
    reach, beyond = 0.0, margin + spread * 10
    for _ in range(_STEPS):
        middle = (reach + beyond) / 2
        reach, beyond = (middle, beyond) if same(middle) >= level else (reach, middle)
    return float(ndtr((reach - size) / spread) - ndtr((-reach - size) / spread))


# -- how many cases until then ---------------------------------------------------------------------------------


def more_until(reached: Callable[[float], float], assurance: float, cases: float, *, most: float = _MOST) -> int | None:
    """Return about how many more than `cases` reach the assurance, `reached` rising with all cases.

    None where none would, up to `most` in all.
    """
    if cases >= most or not reached(most) >= assurance:  # so that nan is refused as well
        return None
    low, high = float(cases), most
    while high - low > max(_CLOSE * (high - cases), _CLOSE):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(middle) >= assurance else (middle, high)
    return max(1, two_digits(high - cases))


def two_digits(n: float) -> int:
    """Return a number rounded up to two digits, all that a guess is worth.

    >>> two_digits(3.2), two_digits(1234)
    (4, 1300)
    """
    step: int = 10 ** max(0, math.floor(math.log10(max(n, 1.0))) - 1)
    return int(math.ceil(n / step) * step)
