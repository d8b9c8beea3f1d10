"""How many cases a test set needs, what that assumes, and what more or fewer would give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import counted
from adjudge.estimates.mean_recall import mean_recall_limits, usual
from adjudge.stats import power as powers

Goal: TypeAlias = Literal["half-width", "above", "difference"]
_WIDTH: Goal = "half-width"
_ABOVE: Goal = "above"
_APART: Goal = "difference"
_STEPS = 4  # points of the curve from one number of cases to its double
_BELOW, _BEYOND = 3, 2  # doublings below the answer and above it that the curve shows
_FEW = 30


@dataclass(frozen=True, slots=True, eq=False)
class CasesNeeded(Shown):
    """The number of cases that a goal takes.

    ``cases`` are those that the measure rests on: of one class where it speaks of one, on either side where two classifiers judge
    different cases. ``total`` is how many to collect in all.
    """

    goal: Goal
    cases: int
    total: int
    target: float
    """The half width, the bound or the difference asked for."""
    measure: str
    expected: tuple[float, ...]
    """What the measure is taken to be; of two classifiers both, of a mean over classes each."""
    level: float
    power: float | None
    """How often the goal is to be reached; None where it is a width, which is an expected one."""
    method: str
    numbers: IntArray
    """Numbers of cases around the answer."""
    reached: FloatArray
    """The half width or the power that each of them gives."""
    assumes: tuple[str, ...] = ()
    share: float | None = None
    """That of the class among all cases, where a measure speaks of one."""
    plausible: tuple[int | None, int | None] | None = None
    """The answer at the ends of what the pilot allows to believe; None where no number would do."""
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return self.in_words()

    @property
    def table(self) -> tuple[tuple[int, float], ...]:
        """The answer, its halves and its doubles, with what each gives."""
        wanted = {max(1, round(self.cases * 2.0**k)) for k in range(-_BELOW, _BEYOND + 1)}
        rows = zip(self.numbers.tolist(), self.reached.tolist(), strict=True)
        return tuple((n, reached) for n, reached in rows if n in wanted)


def for_half_width(rate: float, target: float, *, level: float, measure: str = "accuracy", **known: Any) -> CasesNeeded:
    """Return how many cases make mid-P limits of a share as narrow as `target` to either side, on average over samples."""
    cases = _possible(powers.cases_for_half_width(rate, target, level), "such narrow limits")
    numbers, reached = _curve(cases, lambda n: powers.expected_half_width(n, rate, level))
    told = f"a true {measure} of {rate:.4g}"
    fixed = (_WIDTH, cases, _in_all(cases, known), target, measure, (rate,), level, None)
    return CasesNeeded(
        *fixed, "mid-P limits, their width averaged over all counts", numbers, reached, (told, *_of_share(known)), **known
    )


def for_mean_recall(
    rates: Mapping[Any, float], shares: Mapping[Any, float], target: float, *, level: float, **known: Any
) -> CasesNeeded:
    """Return how many cases make limits of the balanced accuracy that narrow, the classes coming with their shares.

    The width is that of the limits at the counts one expects, which need not be whole.
    """
    recall, among = np.array([*rates.values()]), np.array([shares[label] for label in rates])
    method = usual(recall.size)

    def half(n: int) -> float:
        low, high = mean_recall_limits(n * among * recall, n * among, level, method)
        return (high - low) / 2

    cases = _possible(powers.least(lambda n: half(n) <= target), "such narrow limits")
    numbers, reached = _curve(cases, half)
    rarest = min(shares, key=lambda label: shares[label])
    told = (
        f"true recalls from {recall.min():.4g} to {recall.max():.4g}",
        f"classes in the shares given, the rarest with {shares[rarest]:.4g}: {math.ceil(cases * shares[rarest]):,} of the cases",
    )
    fixed = (_WIDTH, cases, cases, target, "balanced_accuracy", tuple(recall.tolist()), level, None)
    return CasesNeeded(*fixed, f"{method} limits at the expected counts", numbers, reached, told, **known)


def by_scaling(measure: str, value: float, half: float, pilot: int, target: float, *, level: float, **known: Any) -> CasesNeeded:
    """Return how many cases any measure needs, given the half width of its limits in a pilot: it falls as 1 / sqrt(n)."""
    cases = _possible(math.ceil(pilot * (half / target) ** 2), "such narrow limits")
    numbers, reached = _curve(cases, lambda n: half * math.sqrt(pilot / n))
    told = f"a half width of {half:.4g} with {pilot:,} cases, as in the pilot, falling as one over the root of their number"
    fixed = (_WIDTH, cases, cases, target, measure, (value,), level, None)
    return CasesNeeded(*fixed, "the pilot's limits, scaled", numbers, reached, (told,), **known)


def for_bound(rate: float, bound: float, *, power: float, level: float, measure: str = "accuracy", **known: Any) -> CasesNeeded:
    """Return how many cases show that a share is above `bound`, by the exact one-sided test that a gate makes."""
    if rate <= bound:
        of = f"{'An' if measure[0] in 'aeiou' else 'A'} {measure} of {rate:.4g}"
        msg = f"{of} is not above {bound:.4g}, so that no number of cases would show it. Expect more."
        raise InputError(msg)
    alpha = 1 - level
    cases = _possible(powers.cases_to_show(bound, rate, power=power, alpha=alpha), "this")
    numbers, reached = _curve(cases, lambda n: float(powers.power_above(np.array([n]), bound, rate, alpha)[0]))
    told = (f"a true {measure} of {rate:.4g}", "every larger number of cases has the power as well", *_of_share(known))
    fixed = (_ABOVE, cases, _in_all(cases, known), bound, measure, (rate,), level, power)
    return CasesNeeded(
        *fixed, "exact binomial test, one-sided, its power summed over all counts", numbers, reached, told, **known
    )


def total_for(rate: float, target: float, *, level: float, power: float | None, share: float | None = None) -> int | None:
    """Return the cases in all that a half width or, with a power, a bound takes; None where no number would do."""
    if power is None:
        cases = powers.cases_for_half_width(rate, target, level)
    else:
        cases = powers.cases_to_show(target, rate, power=power, alpha=1 - level) if rate > target else powers.MOST + 1
    return None if cases > powers.MOST else _in_all(cases, {"share": share})


def for_pair(only_better: float, only_worse: float, *, power: float, level: float, **known: Any) -> CasesNeeded:
    """Return how many cases, judged by both, tell which of two classifiers is right more often."""
    alpha = 1 - level
    cases = _possible(powers.cases_to_tell_apart(only_better, only_worse, power=power, alpha=alpha), "this")
    numbers, reached = _curve(cases, lambda n: powers.paired_power(n, only_better, only_worse, alpha))
    told = f"the better alone is right in {only_better:.4g} of the cases, the other alone in {only_worse:.4g}"
    fixed = (_APART, cases, cases, only_better - only_worse, "accuracy", (only_better, only_worse), level, power)
    return CasesNeeded(
        *fixed, "McNemar's mid-P test, two-sided, its power summed over all counts", numbers, reached, (told,), **known
    )


def for_two(better: float, worse: float, *, power: float, level: float, **known: Any) -> CasesNeeded:
    """Return how many cases each of two classifiers needs, judged on different ones, to tell which is right more often."""
    alpha = 1 - level
    cases = _possible(powers.cases_to_tell_apart_independent(better, worse, power=power, alpha=alpha), "this")
    numbers, reached = _curve(cases, lambda n: powers.independent_power(n, better, worse, alpha))
    method = f"pooled z test, two-sided, {'summed over all counts' if cases <= powers.MOST_PAIRS else 'by the normal curve'}"
    told = (f"true accuracies of {better:.4g} and {worse:.4g}", "equally many cases on either side")
    fixed = (_APART, cases, 2 * cases, better - worse, "accuracy", (better, worse), level, power)
    return CasesNeeded(*fixed, method, numbers, reached, told, **known)


def of_pilot(cases: int, *, guessed: bool = False) -> Iterator[Finding]:
    """Yield what to know of numbers that come from a pilot, or from a guess how often two classifiers differ."""
    if cases and cases < _FEW:
        told = f"The pilot has {counted(cases, 'case')}, so that what it says of the measure is rough."
        yield Finding("A741", told, "Plan with the larger of the plausible numbers.", cases)
    if guessed:
        told = "How often just one of the two is right was not given; errors are taken to be independent."
        yield Finding("A742", told, "Classifiers of the same cases mostly err together and need fewer: give both pilots.")


def _in_all(cases: int, known: Mapping[str, Any]) -> int:
    share = known.get("share")
    return cases if share is None else powers.cases_in_all(cases, share)


def _of_share(known: Mapping[str, Any]) -> tuple[str, ...]:
    share = known.get("share")
    if share is None:
        return ()
    return (f"a class with {share:.4g} of all cases; with so many in all, enough are of it with a probability of 0.95",)


def _possible(cases: int, what: str) -> int:
    if cases > powers.MOST:
        msg = f"More than {powers.MOST:,} cases would be needed for {what}. Ask for less."
        raise InputError(msg)
    return cases


def _curve(cases: int, reached: Callable[[int], float]) -> tuple[IntArray, FloatArray]:
    """Return numbers of cases in equal ratios from an eighth of the answer to four times it, and what each gives."""
    steps = range(-_BELOW * _STEPS, _BEYOND * _STEPS + 1)
    numbers = sorted({max(1, round(cases * 2.0 ** (k / _STEPS))) for k in steps})
    return frozen(numbers, np.int64), frozen([reached(n) for n in numbers])
