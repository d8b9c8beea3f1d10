"""How many cases a test set needs, by the rule of `judgements.decision`, what that assumes, and what more or fewer would give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, counted, dataclass, switch
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.estimates.estimate import mean_recall_limits, usual
from adjudge.judgements.decision import assured, cleared
from adjudge.stats import power as powers
from adjudge.stats import special
from adjudge.stats.power import Rule, independent_assurance, paired_assurance, paired_moments

Goal: TypeAlias = Literal["half-width", "above", "difference", "equivalence"]
Reached: TypeAlias = Callable[[int], float]  # the half width or the assurance that a number of cases gives
Asked: TypeAlias = tuple[Any, float, str, tuple[float, ...], float, float | None, str]  # goal, target, measure, ..., method
_STEPS = 4  # points of the curve from one number of cases to its double
_BELOW, _BEYOND = 3, 2  # doublings below the answer and above it that the curve shows
_FEW = 30


@dataclass(frozen=True, slots=True)
class PlannedClusters(Shown):
    """The clusters that a goal takes."""

    clusters: int  # to collect, in all
    intra_cluster: float
    cluster_size: float  # cases of a cluster that the measure rests on
    variation: float
    design_effect: float
    degrees: int
    independent_cases: int  # that would do as well
    fewest: int  # clusters that it takes however many cases each of them has


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSize(Shown):
    """The number of cases that a goal takes.

    ``cases`` are those that the measure rests on: of one class where it speaks of one, of each of two classifiers that are
    tested on different cases. ``total`` is how many to collect in all.
    """

    goal: Goal
    cases: int
    total: int
    target: float  # the half width, bound or difference asked for; for equivalence the difference that there is taken to be
    measure: str
    expected: tuple[float, ...]  # what the measure is taken to be; of two classifiers both, of a mean over classes each
    level: float
    assurance: float | None  # how often the goal is to be reached, if what is expected is so; None of a width
    method: str
    numbers: IntArray  # numbers of cases around the answer
    reached: FloatArray  # the half width or the assurance that each of them gives
    assumes: tuple[str, ...] = ()
    share: float | None = None  # that of the class among all cases, where a measure speaks of one
    plausible: tuple[int | None, int | None] | None = None  # the answer at the ends of the pilot's interval
    findings: tuple[Finding, ...] = ()
    margin: float | None = None  # the equivalence margin, where two are compared
    clusters: PlannedClusters | None = None  # where cases come in clusters

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python; clusters where there are some."""
        return {name: value for name, value in Shown.to_dict(self).items() if name != "clusters" or value is not None}

    @property
    def table(self) -> tuple[tuple[int, float], ...]:
        """The answer, its halves and its doubles, with what each gives."""
        wanted = {max(1, round(self.cases * 2.0**k)) for k in range(-_BELOW, _BEYOND + 1)}
        nearest = {int(np.abs(np.log(self.numbers / n)).argmin()) for n in wanted}  # clusters are whole
        return tuple((int(self.numbers[i]), float(self.reached[i])) for i in sorted(nearest))


def for_half_width(rate: float, target: float, *, level: float, measure: str = "accuracy", **known: Any) -> SampleSize:
    """Return how many cases make mid-P limits of a share as narrow as `target` to either side, on average over samples."""
    cases = _possible(powers.cases_for_half_width(rate, target, level), "such a narrow interval")
    told, method = (f"a true {measure} of {rate:.4g}",), "mid-P intervals, their width averaged over all counts"
    asked = ("half-width", target, measure, (rate,), level, None, method)
    return _sized(cases, lambda n: powers.expected_half_width(n, rate, level), asked, told, **known)


def for_mean_recall(
    rates: Mapping[Any, float], shares: Mapping[Any, float], target: float, *, level: float, **known: Any
) -> SampleSize:
    """Return how many cases make limits of the balanced accuracy that narrow, at the counts to expect of the shares."""
    recall, among = np.array([*rates.values()]), np.array([shares[label] for label in rates])
    method = usual(recall.size)

    def half(n: int) -> float:
        low, high = mean_recall_limits(n * among * recall, n * among, level, method)
        return (high - low) / 2

    cases = _possible(powers.least(lambda n: half(n) <= target), "such a narrow interval")
    rarest = min(shares.values())
    told = (
        f"true recalls from {recall.min():.4g} to {recall.max():.4g}",
        f"classes in the shares given, the rarest with {rarest:.4g}: {math.ceil(cases * rarest):,} of the cases",
    )
    asked = ("half-width", target, "balanced_accuracy", tuple(recall.tolist()), level, None)
    return _sized(cases, half, (*asked, f"{method} interval at the expected counts"), told, **known)


def by_scaling(
    measure: str,
    value: float,
    half: float,
    pilot: int,
    target: float,
    *,
    level: float,
    as_independent: bool = False,
    **known: Any,
) -> SampleSize:
    """Return how many cases any measure needs, given the half width of its limits in a pilot: it falls as 1 / sqrt(n)."""
    needed = pilot * (half / target) * (half / target)  # a float that is too large is infinite, a power is an error
    cases = _possible(math.ceil(min(needed, powers.MOST + 1)), "such a narrow interval")
    seen = "as if those of the pilot were independent" if as_independent else "as in the pilot"
    told = f"a half width of {half:.4g} with {pilot:,} cases, {seen}, falling as one over the root of their number"
    asked = ("half-width", target, measure, (value,), level, None, "the pilot's interval, scaled")
    return _sized(cases, lambda n: half * math.sqrt(pilot / n), asked, (told,), **known)


def for_bound(
    rate: float, bound: float, *, assurance: float, level: float, measure: str = "accuracy", **known: Any
) -> SampleSize:
    """Return how many cases show that a share is above `bound`, by the exact one-sided test that a gate makes."""
    if rate <= bound:
        of = f"{'An' if measure[0] in 'aeiou' else 'A'} {measure} of {rate:.4g}"
        raise InputError(
            of, f" is not above {bound:.4g}, so that no number of cases would show it. Give a larger ", argument("expected"), "."
        )
    alpha = 1 - level
    cases = _possible(powers.cases_to_show(bound, rate, power=assurance, alpha=alpha), "this")
    told = (f"a true {measure} of {rate:.4g}", "every larger number of cases has the assurance as well")
    method = "exact binomial test, one-sided, as a gate makes it, summed over all counts"
    asked = ("above", bound, measure, (rate,), level, assurance, method)
    return _sized(cases, lambda n: float(powers.power_above(np.array([n]), bound, rate, alpha)[0]), asked, told, **known)


def total_for(rate: float, target: float, *, level: float, assurance: float | None, share: float | None = None) -> int | None:
    """Return the cases in all that a half width or, with an assurance, a bound takes; None where no number would do."""
    if assurance is None:
        cases = powers.cases_for_half_width(rate, target, level)
    else:
        cases = powers.cases_to_show(target, rate, power=assurance, alpha=1 - level) if rate > target else powers.MOST + 1
    return None if cases > powers.MOST else cases if share is None else powers.cases_in_all(cases, share)


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
        wide = float(special.ndtri(self.level) + special.ndtri((1 + self.assurance) / 2 if self.equivalent else self.assurance))
        return round(min(max(wide, 0.1) ** 2 * variance / (self.margin - self.difference) ** 2, powers.MOST)) + 1


def for_pair(only_better: float, only_worse: float, wanted: Wanted, **known: Any) -> SampleSize:
    """Return how many cases, judged by both, decide by accuracy: which is better, or that they are practically the same."""
    told = f"only the better is correct in {only_better:.4g} of the cases, only the other in {only_worse:.4g}"
    if only_better == only_worse:
        told = f"each of the two alone is correct in {only_better:.4g} of the cases"
    method = "the verdict of compare on the same cases, summed over all counts"
    variance = only_better + only_worse - (only_better - only_worse) ** 2
    reached = partial(paired_assurance, only_better=only_better, only_worse=only_worse, rule=wanted.rule)
    return _decided(wanted, reached, variance, ("accuracy", (only_better, only_worse), method), (told,), **known)


def for_two(better: float, worse: float, wanted: Wanted, **known: Any) -> SampleSize:
    """Return how many cases each of two classifiers needs, judged on different ones, until their accuracies are decided."""
    told = (f"true accuracies of {better:.4g} and {worse:.4g}", "equally many cases on either side")
    method = "the verdict of compare on different cases, summed over all counts"
    variance = better * (1 - better) + worse * (1 - worse)
    reached = partial(independent_assurance, better=better, worse=worse, rule=wanted.rule)
    return _decided(wanted, reached, variance, ("accuracy", (better, worse), method), told, sides=2, **known)


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
        f"just one of the two correct in {apart.min():.4g} to {apart.max():.4g} of a class's cases",
        f"classes in the shares given, the rarest with {min(shares.values()):.4g}",
    )
    method = "the verdict of compare on the same cases, at the expected counts"
    variance = float((weights**2 * (apart - d * d) / among).sum())
    return _decided(wanted, reached, variance, ("balanced_accuracy", tuple(apart.tolist()), method), told, **known)


def difference_by_pilots(
    measure: str, spread: Callable[[int], float], caution: Callable[[int], float], pilot: int, wanted: Wanted, **known: Any
) -> SampleSize:
    """Return how many cases decide by any measure, given the spread in pilots; a comparison is `caution` times less sure."""

    def reached(n: int) -> float:
        return assured(wanted.difference, spread(n) * caution(n), margin=wanted.margin, level=wanted.level)

    told = f"a standard error of {spread(pilot):.4g} with {pilot:,} cases, as in the pilots, falling with their number"
    method = "the verdict of compare on the same cases, with the spread that the pilots show"
    return _decided(wanted, reached, spread(pilot) ** 2 * pilot, (measure, (wanted.difference,), method), (told,), **known)


def _decided(
    wanted: Wanted, reached: Reached, variance: float, asked: tuple[Any, Any, Any], told: tuple[str, ...], **known: Any
) -> SampleSize:
    """Search for the number of cases; `variance` is that of one, `asked` are measure, what is expected of it, and method."""
    cases = _possible(powers.steady(lambda n: reached(n) >= wanted.assurance, near=wanted.about(variance)), "this")
    goal = "equivalence" if wanted.equivalent else "difference"
    measure, expected, method = asked
    whole = (goal, wanted.difference, measure, expected, wanted.level, wanted.assurance, method)
    return _sized(cases, reached, whole, told, margin=wanted.margin, **known)


def of_pilot(cases: int, *, guessed: bool = False) -> Iterator[Finding]:
    """Yield what to know of numbers that come from a pilot, or from a guess how often two classifiers differ."""
    if cases and cases < _FEW:
        told = f"The pilot has {counted(cases, 'case')}, so that what it says of the measure is rough."
        yield Finding("A741", told, "Plan with the larger of the plausible numbers.", cases)
    if guessed:
        told = "How often just one of the two is correct was not given; errors are taken to be independent."
        yield Finding("A742", told, "Classifiers of the same cases mostly err together and need fewer: give both pilots.")


def _possible(cases: int, what: str) -> int:
    if cases > powers.MOST:
        msg = f"More than {powers.MOST:,} cases would be needed for {what}. Ask for less."
        raise InputError(msg)
    return cases


def _sized(cases: int, reached: Reached, asked: Asked, told: tuple[str, ...], *, sides: int = 1, **known: Any) -> SampleSize:
    """Return the answer with what numbers of cases in equal ratios give, from an eighth of it to four times it."""
    share = known.get("share")
    numbers = sorted({max(1, round(cases * 2.0 ** (k / _STEPS))) for k in range(-_BELOW * _STEPS, _BEYOND * _STEPS + 1)})
    known |= {"numbers": frozen(numbers, np.int64), "reached": frozen([reached(n) for n in numbers])}
    if share is not None:
        so_many = "with so many in all, enough are of it with a probability of 0.95"
        told = (*told, f"a class with {share:.4g} of all cases; {so_many}")
    total = sides * cases if share is None else powers.cases_in_all(cases, share)
    return SampleSize(asked[0], cases, total, *asked[1:], assumes=told, **known)
