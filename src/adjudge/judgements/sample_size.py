"""How many cases a test set needs, what that assumes, and what more or fewer would give.

A bound is reached where a gate passes, a difference where a comparison decides, both with the assurance: the numbers come from
the rule of `judgements.decision`, with its level and its equivalence margin (ROPE).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arguments import argument, switch
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import counted
from adjudge.estimates.estimate import mean_recall_limits, usual
from adjudge.judgements.decision import assured, cleared
from adjudge.stats import power as powers
from adjudge.stats.power import Rule, independent_assurance, paired_assurance, paired_moments

Goal: TypeAlias = Literal["half-width", "above", "difference", "equivalence"]
_STEPS = 4  # points of the curve from one number of cases to its double
_BELOW, _BEYOND = 3, 2  # doublings below the answer and above it that the curve shows
_FEW = 30


@dataclass(frozen=True, slots=True, eq=False)
class SampleSize(Shown):
    """The number of cases that a goal takes.

    ``cases`` are those that the measure rests on: of one class where it speaks of one, on either side where two classifiers judge
    different cases. ``total`` is how many to collect in all.
    """

    goal: Goal
    cases: int
    total: int
    target: float
    """The half width, the bound or the difference asked for; for equivalence the difference that there is taken to be."""
    measure: str
    expected: tuple[float, ...]
    """What the measure is taken to be; of two classifiers both, of a mean over classes each."""
    level: float
    assurance: float | None
    """How often the goal is to be reached, if what is expected is so; None where it is a width, which is an expected one."""
    method: str
    numbers: IntArray
    """Numbers of cases around the answer."""
    reached: FloatArray
    """The half width or the assurance that each of them gives."""
    assumes: tuple[str, ...] = ()
    share: float | None = None
    """That of the class among all cases, where a measure speaks of one."""
    plausible: tuple[int | None, int | None] | None = None
    """The answer at the ends of what the pilot allows to believe; None where no number would do."""
    findings: tuple[Finding, ...] = ()
    margin: float | None = None
    """The equivalence margin, where two are compared."""

    __repr__ = Shown.in_words

    @property
    def table(self) -> tuple[tuple[int, float], ...]:
        """The answer, its halves and its doubles, with what each gives."""
        wanted = {max(1, round(self.cases * 2.0**k)) for k in range(-_BELOW, _BEYOND + 1)}
        rows = zip(self.numbers.tolist(), self.reached.tolist(), strict=True)
        return tuple((n, reached) for n, reached in rows if n in wanted)


def for_half_width(rate: float, target: float, *, level: float, measure: str = "accuracy", **known: Any) -> SampleSize:
    """Return how many cases make mid-P limits of a share as narrow as `target` to either side, on average over samples."""
    cases = _possible(powers.cases_for_half_width(rate, target, level), "such narrow limits")
    curve = _curve(cases, lambda n: powers.expected_half_width(n, rate, level))
    told, method = f"a true {measure} of {rate:.4g}", "mid-P limits, their width averaged over all counts"
    fixed = (cases, _in_all(cases, known), target, measure, (rate,), level, None)
    return SampleSize("half-width", *fixed, method, *curve, (told, *_of_share(known)), **known)


def for_mean_recall(
    rates: Mapping[Any, float], shares: Mapping[Any, float], target: float, *, level: float, **known: Any
) -> SampleSize:
    """Return how many cases make limits of the balanced accuracy that narrow, at the counts to expect of the shares."""
    recall, among = np.array([*rates.values()]), np.array([shares[label] for label in rates])
    method = usual(recall.size)

    def half(n: int) -> float:
        low, high = mean_recall_limits(n * among * recall, n * among, level, method)
        return (high - low) / 2

    cases = _possible(powers.least(lambda n: half(n) <= target), "such narrow limits")
    rarest = min(shares.values())
    told = (
        f"true recalls from {recall.min():.4g} to {recall.max():.4g}",
        f"classes in the shares given, the rarest with {rarest:.4g}: {math.ceil(cases * rarest):,} of the cases",
    )
    fixed = (cases, cases, target, "balanced_accuracy", tuple(recall.tolist()), level, None)
    return SampleSize("half-width", *fixed, f"{method} limits at the expected counts", *_curve(cases, half), told, **known)


def by_scaling(measure: str, value: float, half: float, pilot: int, target: float, *, level: float, **known: Any) -> SampleSize:
    """Return how many cases any measure needs, given the half width of its limits in a pilot: it falls as 1 / sqrt(n)."""
    needed = pilot * (half / target) * (half / target)  # a float that is too large is infinite, a power is an error
    cases = _possible(math.ceil(min(needed, powers.MOST + 1)), "such narrow limits")
    told = f"a half width of {half:.4g} with {pilot:,} cases, as in the pilot, falling as one over the root of their number"
    fixed = (cases, cases, target, measure, (value,), level, None)
    curve = _curve(cases, lambda n: half * math.sqrt(pilot / n))
    return SampleSize("half-width", *fixed, "the pilot's limits, scaled", *curve, (told,), **known)


def for_bound(
    rate: float, bound: float, *, assurance: float, level: float, measure: str = "accuracy", **known: Any
) -> SampleSize:
    """Return how many cases show that a share is above `bound`, by the exact one-sided test that a gate makes."""
    if rate <= bound:
        of = f"{'An' if measure[0] in 'aeiou' else 'A'} {measure} of {rate:.4g}"
        msg = f"{of} is not above {bound:.4g}, so that no number of cases would show it. Expect more."
        raise InputError(msg)
    alpha = 1 - level
    cases = _possible(powers.cases_to_show(bound, rate, power=assurance, alpha=alpha), "this")
    curve = _curve(cases, lambda n: float(powers.power_above(np.array([n]), bound, rate, alpha)[0]))
    told = (f"a true {measure} of {rate:.4g}", "every larger number of cases has the assurance as well", *_of_share(known))
    method = "exact binomial test, one-sided, as a gate makes it, summed over all counts"
    fixed = (cases, _in_all(cases, known), bound, measure, (rate,), level, assurance)
    return SampleSize("above", *fixed, method, *curve, told, **known)


def total_for(rate: float, target: float, *, level: float, assurance: float | None, share: float | None = None) -> int | None:
    """Return the cases in all that a half width or, with an assurance, a bound takes; None where no number would do."""
    if assurance is None:
        cases = powers.cases_for_half_width(rate, target, level)
    else:
        cases = powers.cases_to_show(target, rate, power=assurance, alpha=1 - level) if rate > target else powers.MOST + 1
    return None if cases > powers.MOST else _in_all(cases, {"share": share})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What two classifiers are compared for: a verdict on a true difference, by margin, level and assurance."""

    difference: float
    margin: float
    level: float
    assurance: float
    equivalent: bool = False

    def __post_init__(self) -> None:
        if self.equivalent and self.difference >= self.margin:
            told = f"A difference of {self.difference:g} is not within an equivalence margin (ROPE) of {self.margin:g}"
            never = f"{told}: no number of cases would decide 'practically the same'. Raise "
            raise InputError(never, argument("margin"), ", or leave ", argument("difference"), " out.")
        if not self.equivalent and self.difference <= self.margin:
            told = f"A difference of {self.difference:g} lies within the equivalence margin (ROPE) of {self.margin:g}"
            told += ": no number of cases would decide 'better'. Plan a larger "
            ways = (argument("difference"), ", a smaller ", argument("margin"), ", or ", switch("equivalent"))
            raise InputError(told, *ways, ", to show that the two are practically the same.")

    @property
    def rule(self) -> Rule:
        """When it is decided."""
        return Rule(self.margin, self.level, self.equivalent)

    def about(self, variance: float) -> int:
        """Return about how many cases it takes where one has this variance, to begin a search at."""
        from scipy.special import ndtri

        wide = float(ndtri(self.level) + ndtri((1 + self.assurance) / 2 if self.equivalent else self.assurance))
        return round(min(max(wide, 0.1) ** 2 * variance / (self.margin - self.difference) ** 2, powers.MOST)) + 1


def for_pair(only_better: float, only_worse: float, wanted: Wanted, **known: Any) -> SampleSize:
    """Return how many cases, judged by both, decide by accuracy: which is better, or that they are practically the same."""
    told = f"the better alone is right in {only_better:.4g} of the cases, the other alone in {only_worse:.4g}"
    if only_better == only_worse:
        told = f"each of the two alone is right in {only_better:.4g} of the cases"
    method = "the verdict of compare on the same cases, summed over all counts"
    variance = only_better + only_worse - (only_better - only_worse) ** 2
    reached = partial(paired_assurance, only_better=only_better, only_worse=only_worse, rule=wanted.rule)
    return _decided(wanted, reached, variance, "accuracy", (only_better, only_worse), method, (told,), known)


def for_two(better: float, worse: float, wanted: Wanted, **known: Any) -> SampleSize:
    """Return how many cases each of two classifiers needs, judged on different ones, until their accuracies are decided."""
    told = (f"true accuracies of {better:.4g} and {worse:.4g}", "equally many cases on either side")
    method = "the verdict of compare on different cases, summed over all counts"
    variance = better * (1 - better) + worse * (1 - worse)
    reached = partial(independent_assurance, better=better, worse=worse, rule=wanted.rule)
    return _decided(wanted, reached, variance, "accuracy", (better, worse), method, told, known, sides=2)


def for_mean_pair(discordant: Mapping[Any, float], shares: Mapping[Any, float], wanted: Wanted, **known: Any) -> SampleSize:
    """Return how many cases, judged by both, decide by balanced accuracy, the recalls of every class differing alike."""
    apart, among = np.array([*discordant.values()]), np.array([shares[label] for label in discordant])
    d, weights = wanted.difference, np.full(apart.size, 1 / apart.size)
    each = np.stack([(apart + d) / 2, (apart - d) / 2, 1 - apart], axis=1) * among[:, np.newaxis]

    def reached(n: int) -> float:
        mean, variance = paired_moments(n * each, weights)
        if wanted.equivalent:
            return assured(d, math.sqrt(variance), margin=wanted.margin, level=wanted.level)
        return cleared(mean - wanted.margin, math.sqrt(variance), wanted.level)

    told = (
        f"just one of the two right in {apart.min():.4g} to {apart.max():.4g} of a class's cases",
        f"classes in the shares given, the rarest with {min(shares.values()):.4g}",
    )
    method = "the verdict of compare on the same cases, at the expected counts"
    variance = float((weights**2 * (apart - d * d) / among).sum())
    return _decided(wanted, reached, variance, "balanced_accuracy", tuple(apart.tolist()), method, told, known)


def difference_by_pilots(
    measure: str, spread: Callable[[int], float], caution: Callable[[int], float], pilot: int, wanted: Wanted, **known: Any
) -> SampleSize:
    """Return how many cases decide by any measure, given the spread that a difference has in so many, by what pilots say.

    `caution` is by how much a comparison of so many cases is less sure than that spread.
    """

    def reached(n: int) -> float:
        return assured(wanted.difference, spread(n) * caution(n), margin=wanted.margin, level=wanted.level)

    told = f"a standard error of {spread(pilot):.4g} with {pilot:,} cases, as in the pilots, falling with their number"
    method = "the verdict of compare on the same cases, with the spread that the pilots show"
    return _decided(wanted, reached, spread(pilot) ** 2 * pilot, measure, (wanted.difference,), method, (told,), known)


def _decided(
    wanted: Wanted,
    reached: Callable[[int], float],
    variance: float,
    measure: str,
    expected: tuple[float, ...],
    method: str,
    told: tuple[str, ...],
    known: Mapping[str, Any],
    *,
    sides: int = 1,
) -> SampleSize:
    """Search for the number of cases; `variance` is that of one."""
    cases = _possible(powers.steady(lambda n: reached(n) >= wanted.assurance, near=wanted.about(variance)), "this")
    goal: Goal = "equivalence" if wanted.equivalent else "difference"
    fixed = (goal, cases, sides * cases, wanted.difference, measure, expected, wanted.level, wanted.assurance)
    return SampleSize(*fixed, method, *_curve(cases, reached), told, margin=wanted.margin, **known)


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
