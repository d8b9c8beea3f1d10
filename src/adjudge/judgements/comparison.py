"""The verdict on two classifiers: always three numbers, and what they come to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.undefined import Undefined
from adjudge.estimates.caveats import of_law
from adjudge.estimates.differences import Difference
from adjudge.estimates.estimate import Interval
from adjudge.judgements.decision import (
    ASSURANCE,
    LEVEL,
    MARGIN,
    Verdict,
    assured,
    cleared,
    false_verdicts,
    more_until,
    verdict_of,
)
from adjudge.judgements.error_rates import ErrorRate
from adjudge.metrics.measure import Measure
from adjudge.stats.decisions import PAIRED_PRIOR, paired_moments
from adjudge.stats.law import Law
from adjudge.stats.paired import PairedLaw

_ROUNDING = 1e-9


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
    margin: float
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
    """About how many more labelled cases would decide it with the assurance, if the difference is what it looks like.

    None when decided, and where no number would: a difference just as large as the margin.
    """
    assurance: float = ASSURANCE
    """How often that many cases in all decide."""
    pairs: int = 1
    """How many pairs the verdict is adjusted for: those of a ranking."""
    adjusted_doubt: float | None = None
    """The probability that the likeliest of the three is not so, adjusted for all pairs of a ranking (Holm)."""
    findings: tuple[Finding, ...] = ()
    law: Law | None = field(default=None, repr=False)
    """What to believe of the difference."""

    def __post_init__(self) -> None:
        total = self.worse + self.same + self.better
        if abs(total - 1) > _ROUNDING:
            msg = f"worse, same and better must sum to 1, got {total}."
            raise InputError(msg)

    @property
    def false_verdicts(self) -> float:
        """How often equals are called better or worse at this level, at most."""
        return false_verdicts(self.level)

    @property
    def verdict(self) -> Verdict:
        """What is at least as probable as the level asks, in a ranking after adjusting for its pairs; else undecided."""
        if self.adjusted_doubt is not None and self.adjusted_doubt > 1 - self.level:
            return "undecided"
        return verdict_of(self.worse, self.same, self.better, self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the law as plain Python, ready for JSON."""
        names = ("measure", "names", "values", "difference", "interval", "worse", "same", "better", "margin", "level", "method")
        more = ("cases", "paired", "of", "p_value", "type_i_error", "outcomes", "more_cases", "assurance", "pairs")
        last = ("adjusted_doubt", "findings")
        return {name: plain(getattr(self, name)) for name in (*names, *more, *last)} | {"verdict": self.verdict}

    def __repr__(self) -> str:
        return self.in_words()


def three_numbers(law: Law, margin: float, *, higher_is_better: bool) -> tuple[float, float, float]:
    """Return the probabilities that a is worse, practically the same, and better; exactly at the margin is the same."""
    above, below = float(law.sf(margin)), _below(law, -margin)
    worse, better = (below, above) if higher_is_better else (above, below)
    return worse, max(0.0, 1.0 - worse - better), better


def _below(law: Law, x: float) -> float:
    """Return the probability of less than `x`: a number known for certain, or draws, may lie exactly there."""
    return float(law.cdf(math.nextafter(x, -math.inf)))


def checked_margin(margin: Any, measure: Measure, value: float) -> float:
    """Return the region of practical equivalence: as given, 0.01, or 1% of b's value where a measure has no upper end."""
    if margin is None:
        return MARGIN if math.isfinite(measure.high) or measure.needs != "numbers" else MARGIN * abs(value)
    return given_margin(margin)


def given_margin(margin: Any) -> float:
    """Return a region of practical equivalence, refusing what is none."""
    if isinstance(margin, bool) or not isinstance(margin, Real) or not 0 <= float(margin) < math.inf:
        msg = wording(
            parameter("margin"),
            f" is the largest difference that does not matter, a number of at least 0 such as 0.01; got {margin!r}.",
        )
        raise InputError(msg)
    return float(margin)


def judge_difference(
    found: Difference,
    measure: Measure,
    *,
    names: tuple[str, str],
    cases: int,
    margin: Any = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    findings: tuple[Finding, ...] = (),
    **known: Any,
) -> Comparison:
    """Return the verdict on a difference; `known` are further fields of a `Comparison`."""
    if found.law is None:
        side = 0 if not math.isfinite(found.a) else 1
        value = (found.a, found.b)[side]
        reason = value.reason if isinstance(value, Undefined) else f"it is {value:g}"
        msg = wording(
            f"{measure.name} of {names[side]} has no value to compare: {reason}. Choose another ", parameter("measure"), "."
        )
        raise InputError(msg)
    margin = checked_margin(margin, measure, found.b)
    low, high = found.law.interval(level)
    three = three_numbers(found.law, margin, higher_is_better=measure.higher_is_better)
    decided = verdict_of(*three, level) != "undecided"
    how: dict[str, Any] = {"margin": margin, "level": level, "assurance": assurance}
    more = None if decided else more_cases(found.law, found.value, cases, **how)
    outcomes = None if found.outcomes is None else tuple(float(v) for v in found.outcomes)
    return Comparison(
        measure.name,
        names,
        (found.a, found.b),
        found.value,
        Interval(low, high, level, found.method),
        *three,
        margin,
        level,
        found.method,
        cases,
        higher_is_better=measure.higher_is_better,
        outcomes=outcomes,
        more_cases=more,
        assurance=assurance,
        law=found.law,
        findings=(*findings, *of_law(found.law)),
        **known,
    )


def more_cases(law: Law, difference: float, cases: int, *, margin: float, level: float, assurance: float) -> int | None:
    """Return about how many more cases would decide with the assurance, if the difference is what it looks like.

    That is: of test sets with so many cases in all, drawn where the difference is this one, a share of `assurance` brings its
    verdict. None where no number would: a difference just as large as the margin.
    """
    if not 0 < float(law.var) < math.inf:
        return None

    def reached(n: float) -> float:
        mean, spread = grown(law, difference, n / cases)
        if abs(difference) > margin:
            return cleared(abs(mean) - margin, spread, level)
        return assured(difference, spread, margin=margin, level=level)

    return more_until(reached, assurance, cases) if abs(difference) != margin else None


def more_beyond(law: Law, difference: float, bound: float, cases: int, *, level: float, assurance: float) -> int | None:
    """Return about how many more cases would say on which side of `bound` the difference is, with the assurance."""
    if not 0 < float(law.var) < math.inf or difference == bound:
        return None

    def reached(n: float) -> float:
        mean, spread = grown(law, difference, n / cases)
        return cleared(abs(mean - bound), spread, level)

    return more_until(reached, assurance, cases)


def grown(law: Law, difference: float, times: float) -> tuple[float, float]:
    """Return centre and spread of the difference with so many times the cases.

    The prior does not grow with them, where it is known; else the spread falls as 1 / sqrt(n).
    """
    if not isinstance(law, PairedLaw):
        return difference, math.sqrt(float(law.var) / times)
    seen = np.maximum(law.alphas - np.array(PAIRED_PRIOR), 0.0)
    mean, variance = paired_moments(times * seen, law.weights)
    return mean, math.sqrt(variance)
