"""The verdict on two classifiers: always three numbers, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, Undefined, argument, counted, dataclass, field, parameter, quoted, wording
from adjudge._base.arrays import FloatArray
from adjudge.counts.result import PairCounts
from adjudge.estimates.differences import Difference
from adjudge.estimates.estimate import Interval
from adjudge.estimates.posterior import of_distribution
from adjudge.judgements import decision
from adjudge.judgements.compared_clusters import ComparedClusters
from adjudge.judgements.decision import ASSURANCE, LEVEL, MARGIN, ErrorRate, Verdict, verdict_of
from adjudge.metrics.measure import Measure
from adjudge.predictions.alignment import Together
from adjudge.stats.distribution import Distribution
from adjudge.stats.paired import PairedDistribution
from adjudge.stats.power import PAIRED_PRIOR, paired_moments

if TYPE_CHECKING:
    from adjudge.judgements.overlaid import Overlaid
    from adjudge.judgements.side_by_side import SideBySide
    from adjudge.judgements.where_correct import WhereCorrect

_ROUNDING = 1e-9
FEW_APART = 10  # cases that only one of two got right, below which little can be said


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    cases: int  # different cases that the comparison rests on
    paired: bool = True
    higher_is_better: bool = True
    of: Any = None  # the class the measure speaks of, if one
    p_value: float | None = None  # of the hypothesis that there is no difference, where the method tests one
    type_i_error: ErrorRate | None = None  # how often the method is known to find a difference where there is none
    outcomes: tuple[float, ...] | None = None  # how many cases both got right, only a, only b, neither
    more_cases: int | None = None  # about how many more cases would decide it with the assurance; None if decided, or none would
    assurance: float = ASSURANCE  # how often that many cases in all decide
    pairs: int = 1  # how many pairs the verdict is adjusted for: those of a ranking
    adjusted_doubt: float | None = None  # that the likeliest of the three is not so, adjusted for all pairs of a ranking (Holm)
    findings: tuple[Finding, ...] = ()
    distribution: Distribution | None = field(default=None, repr=False)  # the posterior of the difference
    measures: SideBySide | None = None  # all measures of both; None of learners over folds and of different cases
    where_correct: WhereCorrect | None = None  # which is correct on which cases; None where no decisions were compared
    overlaid: Overlaid | None = None  # the curves of both; None without scores
    clusters: ComparedClusters | None = None  # what clusters do to the difference; None where rows are independent
    _untold, _besides = ("higher_is_better", "distribution", "overlaid"), ("verdict",)

    def __post_init__(self) -> None:
        total = self.worse + self.same + self.better
        if abs(total - 1) > _ROUNDING:
            told = f" must sum to 1, got {total}."
            raise InputError(parameter("worse"), ", ", parameter("same"), " and ", parameter("better"), told)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that says something as plain Python, ready for strict JSON."""
        told = Shown.to_dict(self)
        return told if self.clusters is not None else {name: value for name, value in told.items() if name != "clusters"}

    @property
    def false_verdicts(self) -> float:
        """How often equals are declared better or worse at this level, at most."""
        return decision.false_verdicts(self.level)

    @property
    def verdict(self) -> Verdict:
        """What is at least as probable as the level asks, in a ranking after adjusting for its pairs; else undecided."""
        if self.adjusted_doubt is not None and self.adjusted_doubt > 1 - self.level:
            return "undecided"
        return verdict_of(self.worse, self.same, self.better, self.level)


def three_numbers(distribution: Distribution, margin: float, *, higher_is_better: bool) -> tuple[float, float, float]:
    """Return the probabilities that a is worse, practically the same, and better; exactly at the margin is the same."""
    above = float(distribution.sf(margin))
    below = float(distribution.cdf(math.nextafter(-margin, -math.inf)))  # certain numbers, or draws, may lie exactly there
    worse, better = (below, above) if higher_is_better else (above, below)
    return worse, max(0.0, 1.0 - worse - better), better


def checked_margin(margin: Any, measure: Measure, value: float) -> float:
    """Return the region of practical equivalence: as given, 0.01, or 1% of b's value where a measure has no upper end."""
    own = MARGIN if math.isfinite(measure.high) or measure.needs != "numbers" else MARGIN * abs(value)
    return own if margin is None else given_margin(margin)


def given_margin(margin: Any) -> float:
    """Return a region of practical equivalence, refusing what is none."""
    if isinstance(margin, bool) or not isinstance(margin, Real) or not 0 <= float(margin) < math.inf:
        told = f" is the largest difference that does not matter, a number of at least 0 such as 0.01; got {margin!r}."
        raise InputError(wording(parameter("margin"), told))
    return float(margin)


def judge_difference(
    difference: Difference,
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
    if difference.distribution is None:
        side = 0 if not math.isfinite(difference.a) else 1
        value = (difference.a, difference.b)[side]
        reason = value.reason if isinstance(value, Undefined) else f"it is {value:g}"
        told = f"{measure.name} of {names[side]} has no value to compare: {reason}. Choose another "
        raise InputError(wording(told, parameter("measure"), "."))
    margin = checked_margin(margin, measure, difference.b)
    low, high = difference.distribution.interval(level)
    three = three_numbers(difference.distribution, margin, higher_is_better=measure.higher_is_better)
    how: dict[str, Any] = {"margin": margin, "level": level, "assurance": assurance}
    undecided = verdict_of(*three, level) == "undecided"
    more = more_cases(difference.distribution, difference.value, cases, **how) if undecided else None
    limits, values = Interval(low, high, level, difference.method), (difference.a, difference.b)
    return Comparison(
        *(measure.name, names, values, difference.value, limits, *three, margin, level, difference.method, cases),
        higher_is_better=measure.higher_is_better,
        outcomes=None if difference.outcomes is None else tuple(float(v) for v in difference.outcomes),
        more_cases=more,
        assurance=assurance,
        distribution=difference.distribution,
        findings=(*findings, *of_distribution(difference.distribution)),
        **known,
    )


def more_cases(
    distribution: Distribution, seen: float, cases: int, *, level: float, assurance: float, margin: float = 0, bound: float = 0
) -> int | None:
    """Return about how many more cases decide with the assurance on which side of `bound` it is; None where none would."""
    apart = abs(seen - bound)
    if apart == margin or not 0 < float(distribution.var) < math.inf:
        return None

    def reached(n: float) -> float:
        mean, spread = grown(distribution, seen, n / cases)
        if apart > margin:
            return decision.cleared(abs(mean - bound) - margin, spread, level)
        return decision.assured(seen - bound, spread, margin=margin, level=level)

    return decision.more_until(reached, assurance, cases)


def grown(distribution: Distribution, difference: float, times: float) -> tuple[float, float]:
    """Return centre and spread of the difference with so many times the cases; a prior that is known does not grow."""
    if not isinstance(distribution, PairedDistribution):
        return difference, math.sqrt(float(distribution.var) / times)
    seen = np.maximum(distribution.alphas - np.array(PAIRED_PRIOR), 0.0)
    mean, variance = paired_moments(times * seen, distribution.weights)
    return mean, math.sqrt(variance)


def of_pair(cases: Together | PairCounts, i: int, j: int, outcomes: FloatArray | None) -> Iterator[Finding]:
    """Yield what to know of two sets compared on the same cases."""
    yield from of_set(cases, (i, j))
    apart = np.inf if outcomes is None else float(outcomes[1] + outcomes[2])
    if apart == 0:
        told = "Both are correct on the same cases and wrong on the same cases."
        yield Finding("A705", told, "Nothing but the prior speaks for a difference.")
    elif apart < FEW_APART:
        told = f"Only {counted(round(apart), 'case tells', 'cases tell')} them apart."
        yield Finding("A706", told, "The verdict hangs on very few cases; collect more.", apart)


def of_set(cases: Together | PairCounts, which: Sequence[int] | None = None) -> Iterator[Finding]:
    """Yield what to know of sets side by side."""
    yield from cases.findings if isinstance(cases, Together) else ()
    every = range(len(cases.names)) if which is None else which
    lost = [(cases.names[at], cases.unshared[at]) for at in every if cases.unshared[at]]
    if lost:
        told = " and ".join(f"{counted(n, 'row')} of {name}" for name, n in lost)
        yield Finding("A701", f"{told} had no partner and are left out.", "Predict all cases with both.", dict(lost))
    if cases.by_position:
        told = "Rows were paired by their position, as asked; only the truths vouch for it."
        yield Finding("A702", told, wording("Keep an identity with each case and name it with ", argument("row"), "."))
    speaks = "This speaks of these models on these cases; compare_learners speaks of the algorithms"
    if cases.cases < cases.rows:
        told = f"{counted(cases.cases, 'case')} came back in {counted(cases.rows, 'row')}: each counts once."
        yield Finding("A703", told, f"{speaks}.", cases.cases)
    elif cases.folded:
        yield Finding("A704", "The answers come from folds, each of a model of its own.", f"{speaks}, less surely.")


def of_rare(support: FloatArray, classes: Sequence[Any]) -> Iterator[Finding]:
    """Yield the class with the fewest cases, where a measure hangs on it and it has few."""
    seen = np.flatnonzero(support > 0)
    least = int(seen[np.argmin(support[seen])])
    if support[least] < FEW_APART:
        told = f"Class {quoted(classes[least])} has only {counted(round(float(support[least])), 'case')}."
        yield Finding("A713", told, "The difference hangs on them; collect more cases of that class.", float(support[least]))


def of_independent(names: Sequence[str], sizes: Sequence[float]) -> Iterator[Finding]:
    """Yield what to know of two sets compared on different cases."""
    small = [name for name, size in zip(names, sizes, strict=True) if size <= 30]  # noqa: PLR2004 - as everywhere
    told = " and ".join(f"{counted(round(n), 'case')} of {name}" for name, n in zip(names, sizes, strict=True))
    told += f" are taken as independent samples{'; ' + ' and '.join(small) + ' had few' if small else ''}."
    yield Finding("A707", told, "On the same cases a paired comparison would need far fewer of them.")
