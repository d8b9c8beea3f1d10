"""The one rule by which comparisons, rankings, gates and plans decide, and how many cases it takes until it does.

Differences up to the equivalence margin (ROPE) count as none; the assurance is how often so many cases bring the true verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, TypeAlias

from adjudge._base import InputError, Shown, dataclass, parameter, wording
from adjudge.stats import special

Verdict: TypeAlias = Literal["better", "equivalent", "worse", "undecided"]
MARGIN = 0.01  # differences up to this are practically none, unless the user says otherwise
LEVEL = 0.95  # how probable a verdict must be
ASSURANCE = 0.8  # how often the cases asked for decide, if the truth is what was expected or seen
_MOST = 1e12  # cases; a need for more is no advice
_CLOSE = 0.002  # of the answer: more than two digits are worth


def verdict_of(worse: float, same: float, better: float, level: float) -> Verdict:
    """Return the outcome that is probable enough."""
    for name, probability in (("better", better), ("equivalent", same), ("worse", worse)):
        if probability >= level:
            return name  # type: ignore[return-value]
    return "undecided"


def false_verdicts(level: float) -> float:
    """Return the share of equal pairs that may be called better or worse: both sides may err."""
    return min(1.0, 2 * (1 - level))


def checked_assurance(assurance: Any) -> float:
    """Return an assurance, refusing what is none."""
    if isinstance(assurance, bool) or not isinstance(assurance, Real) or not 0 < float(assurance) < 1:
        told = f" is how often the cases shall decide, strictly between 0 and 1 such as 0.8; got {assurance!r}."
        raise InputError(wording(parameter("assurance"), told))
    return float(assurance)


def assured(difference: float, spread: float, *, margin: float, level: float) -> float:
    """Return how often the true verdict comes if the truth is `difference` and its estimates are normal with this spread."""
    from adjudge.stats.numerics import brentq

    size = abs(difference)
    if size >= margin:
        return cleared(size - margin, spread, level) if size > margin else 0.0

    def same(estimate: float) -> float:
        return float(special.ndtr((margin - estimate) / spread) - special.ndtr((-margin - estimate) / spread))

    if same(0.0) < level:
        return 0.0
    # called equivalent where the estimate is near enough to 0, up to `reach`
    reach = brentq(lambda estimate: same(estimate) - level, 0.0, margin + 10 * spread, xtol=0.0)
    return float(special.ndtr((reach - size) / spread) - special.ndtr((-reach - size) / spread))


def cleared(gap: float, spread: float, level: float) -> float:
    """Return how often an estimate clears a bound that the truth lies `gap` beyond, at a level."""
    return float(special.ndtr(gap / spread - special.ndtri(level)))


def more_until(reached: Callable[[float], float], assurance: float, cases: float) -> int | None:
    """Return about how many more than `cases` reach the assurance, `reached` rising with all cases; None where none would."""
    if cases >= _MOST or not reached(_MOST) >= assurance:  # so that nan is refused as well
        return None
    low, high = float(cases), _MOST
    while high - low > max(_CLOSE * (high - cases), _CLOSE):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(middle) >= assurance else (middle, high)
    return max(1, two_digits(high - cases))


def two_digits(n: float) -> int:
    """Return a number rounded up to two digits, all that a guess is worth."""
    step: int = 10 ** max(0, math.floor(math.log10(max(n, 1.0))) - 1)
    return int(math.ceil(n / step) * step)


@dataclass(frozen=True, slots=True)
class ErrorRate(Shown):
    """How often a method found a difference where there is none."""

    mean: float
    max: float
    over: str
    claim: str = "At 5% this method found a difference between equally good learners in"  # what the shares are shares of

    @property
    def refused(self) -> bool:
        """Whether the test is wrong so often that its answer is worth nothing."""
        return self.mean > INTOLERABLE

    @property
    def told(self) -> str:
        """The whole in one sentence, without the full stop."""
        return f"{self.claim} {self}"

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f}% on average and up to {100 * self.max:.1f}% {self.over}"


INTOLERABLE = 0.30  # mean rejection rate of a true null from which on a test says nothing
_FOLDS, _REPEATED, _SPLITS = "over 10 folds", "over 10 x 10 folds", "over 30 random splits"
_TWICE, _HELD = "over 5 x 2 folds", "on held-out cases"
_MEASURED = {
    "paired_t": {
        "folds": ErrorRate(0.072, 0.153, _FOLDS),
        "repeated folds": ErrorRate(0.568, 0.660, _REPEATED),
        "subsampling": ErrorRate(0.341, 0.430, _SPLITS),
    },
    "nadeau_bengio": {
        "folds": ErrorRate(0.013, 0.037, _FOLDS),
        "repeated folds": ErrorRate(0.049, 0.113, _REPEATED),
        "subsampling": ErrorRate(0.054, 0.110, _SPLITS),
    },
    "correlated_t": {"repeated folds": ErrorRate(0.063, 0.147, _REPEATED)},
    "five_by_two_t": {"repeated folds": ErrorRate(0.065, 0.140, _TWICE)},
    "five_by_two_f": {"repeated folds": ErrorRate(0.068, 0.170, _TWICE)},
    "mcnemar_exact": {"holdout": ErrorRate(0.021, 0.047, _HELD)},
    "mcnemar_mid": {
        "holdout": ErrorRate(0.038, 0.063, _HELD),
        "folds": ErrorRate(0.071, 0.143, "on all cases of 10 folds together"),
    },
}
_VERDICTS = "With a level of 95% this method declared one of two equally good classifiers better in"
_PAIRS = "of pairs in 36 settings, with 2 to 50 positive cases among 30 to 1,000 (10% allowed, 5% on either side)"
_OF_PAIRS = {  # tests/verbs/test_equal_pairs.py makes and checks these: seed 713, 300 pairs a setting
    "auc": (0.029, 0.083),
    "f1": (0.029, 0.087),
    "mcc": (0.035, 0.097),
    "kappa": (0.034, 0.093),
    "precision": (0.028, 0.09),
    "balanced_accuracy": (0.018, 0.073),
    "accuracy": (0.043, 0.09),
    "brier": (0.004, 0.043),
    "log_loss": (0.019, 0.067),
}


def known_error(method: str, plan_kind: str) -> ErrorRate | None:
    """Return how often a test over a kind of plan is known to reject a true null at 5%; None where that was not measured."""
    return _MEASURED.get(method, {}).get(plan_kind)


def verdict_error(measure: str) -> ErrorRate | None:
    """Return how often equally good predictions of two classes get a verdict, at 95% and a margin of 0.01; None if unknown."""
    known = _OF_PAIRS.get(measure)
    return None if known is None else ErrorRate(*known, _PAIRS, _VERDICTS)


def told(method: str) -> str:
    """Return all that is known of a test's errors as one sentence."""
    rates = "; ".join(str(rate) for rate in _MEASURED[method].values())
    return f"At 5%, two equally good learners were declared different in {rates}."
