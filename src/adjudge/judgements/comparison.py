"""The verdict on two classifiers: always three numbers, and what they come to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, TypeAlias

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.undefined import Undefined
from adjudge.estimates.differences import Difference
from adjudge.estimates.estimate import Interval
from adjudge.judgements.error_rates import ErrorRate
from adjudge.metrics.measure import Measure
from adjudge.stats.law import Law

Verdict: TypeAlias = Literal["better", "equivalent", "worse", "undecided"]
ROPE = 0.01
"""Differences up to this are practically none, unless the user says otherwise."""
_ROUNDING = 1e-9
_MOST = 1e12  # cases; a need for more is no advice


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Shown):
    """How probable it is that a is worse than, practically the same as, or better than b.

    ``difference`` is a minus b in the measure's own units; ``better`` always speaks of a being better, whether more or less
    of the measure is.
    """

    measure: str
    names: tuple[str, str]
    values: tuple[float, float]
    difference: float
    interval: Interval
    worse: float
    same: float
    better: float
    rope: float
    level: float
    method: str
    cases: int
    """Different cases that the comparison rests on."""
    paired: bool = True
    higher_is_better: bool = True
    of: Any = None
    """The class the measure speaks of, if one."""
    p_value: float | None = None
    """Of the hypothesis that there is no difference, where the method tests one."""
    type_i_error: ErrorRate | None = None
    """How often the method is known to find a difference where there is none."""
    outcomes: tuple[float, ...] | None = None
    """How many cases both got right, only a, only b, neither."""
    more_cases: int | None = None
    """About how many more labelled cases would decide it, were the difference what it looks like; None when decided."""
    findings: tuple[Finding, ...] = ()
    law: Law | None = field(default=None, repr=False)
    """What to believe of the difference."""

    def __post_init__(self) -> None:
        total = self.worse + self.same + self.better
        if abs(total - 1) > _ROUNDING:
            msg = f"worse, same and better must sum to 1, got {total}."
            raise InputError(msg)

    @property
    def verdict(self) -> Verdict:
        """What is at least as probable as the level asks; undecided where nothing is."""
        return verdict_of(self.worse, self.same, self.better, self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the law as plain Python, ready for JSON."""
        names = ("measure", "names", "values", "difference", "interval", "worse", "same", "better", "rope", "level", "method")
        more = ("cases", "paired", "of", "p_value", "type_i_error", "outcomes", "more_cases", "findings")
        return {name: plain(getattr(self, name)) for name in (*names, *more)} | {"verdict": self.verdict}

    def __repr__(self) -> str:
        return self.in_words()


def verdict_of(worse: float, same: float, better: float, level: float) -> Verdict:
    """Return the outcome that is probable enough."""
    for name, probability in (("better", better), ("equivalent", same), ("worse", worse)):
        if probability >= level:
            return name  # type: ignore[return-value]
    return "undecided"


def three_numbers(law: Law, rope: float, *, higher_is_better: bool) -> tuple[float, float, float]:
    """Return the probabilities that a is worse, practically the same, and better; exactly at the rope is the same."""
    above, below = float(law.sf(rope)), _below(law, -rope)
    worse, better = (below, above) if higher_is_better else (above, below)
    return worse, max(0.0, 1.0 - worse - better), better


def _below(law: Law, x: float) -> float:
    """Return the probability of less than `x`: a number known for certain, or draws, may lie exactly there."""
    return float(law.cdf(math.nextafter(x, -math.inf)))


def checked_rope(rope: Any, measure: Measure, value: float) -> float:
    """Return the region of practical equivalence: as given, 0.01, or 1% of b's value where a measure has no upper end."""
    if rope is None:
        return ROPE if math.isfinite(measure.high) or measure.needs != "numbers" else ROPE * abs(value)
    return given_rope(rope)


def given_rope(rope: Any) -> float:
    """Return a region of practical equivalence, refusing what is none."""
    if isinstance(rope, bool) or not isinstance(rope, Real) or not 0 <= float(rope) < math.inf:
        msg = f"rope is the largest difference that does not matter, a number of at least 0 such as 0.01; got {rope!r}."
        raise InputError(msg)
    return float(rope)


def judge_difference(
    found: Difference,
    measure: Measure,
    *,
    names: tuple[str, str],
    cases: int,
    rope: Any = None,
    level: float = 0.95,
    **known: Any,
) -> Comparison:
    """Return the verdict on a difference; `known` are further fields of a `Comparison`."""
    if found.law is None:
        side = 0 if not math.isfinite(found.a) else 1
        value = (found.a, found.b)[side]
        reason = value.reason if isinstance(value, Undefined) else f"it is {value:g}"
        msg = f"{measure.name} of {names[side]} has no value to compare: {reason}. Choose another --measure."
        raise InputError(msg)
    rope = checked_rope(rope, measure, found.b)
    low, high = found.law.interval(level)
    three = three_numbers(found.law, rope, higher_is_better=measure.higher_is_better)
    decided = verdict_of(*three, level) != "undecided"
    more = None if decided else more_cases(found.law, found.value, rope, level, cases)
    outcomes = None if found.outcomes is None else tuple(float(v) for v in found.outcomes)
    return Comparison(
        measure.name,
        names,
        (found.a, found.b),
        found.value,
        Interval(low, high, level, found.method),
        *three,
        rope,
        level,
        found.method,
        cases,
        higher_is_better=measure.higher_is_better,
        outcomes=outcomes,
        more_cases=more,
        law=found.law,
        **known,
    )


def more_cases(law: Law, difference: float, rope: float, level: float, cases: int) -> int | None:
    """Return about how many more cases would decide, the difference staying what it is while its spread falls as 1 / sqrt(n).

    None where no number would: a difference just as large as the rope.
    """
    from scipy.special import ndtr

    now, most = float(law.var) ** 0.5, _MOST

    def decided(n: float) -> bool:
        spread = now * math.sqrt(cases / n)
        above, below = (1 - float(ndtr((end - difference) / spread)) for end in (rope, -rope))
        return max(above, 1 - below, below - above) >= level

    if not math.isfinite(now) or now <= 0 or not decided(most):
        return None
    low, high = float(cases), most
    while high / low > 1.001:  # noqa: PLR2004 - three digits are more than the answer is worth
        middle = math.sqrt(low * high)
        low, high = (low, middle) if decided(middle) else (middle, high)
    return max(1, _rounded(high - cases))


def _rounded(n: float) -> int:
    """Return a number with the two digits that an estimate like this has."""
    step: int = 10 ** max(0, math.floor(math.log10(max(n, 1.0))) - 1)
    return int(math.ceil(n / step) * step)
