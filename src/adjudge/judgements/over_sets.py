"""Two learners over several data sets, and which is better on the next one: data sets, not cases or folds, are the draws.

Of one difference per data set signs and signed ranks answer; of those of every fold, a hierarchical model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, checked_level, counted, listed, parameter, quoted, safe
from adjudge._base.arrays import FloatArray, frozen, generator
from adjudge._base.records import dataclass, replace
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.comparison import given_margin
from adjudge.judgements.decision import Verdict, verdict_of
from adjudge.stats import difference_tests
from adjudge.stats.hierarchical import hierarchical_posterior
from adjudge.stats.student import corrected_variance

ALPHA = 0.05
FEW_SETS = 5  # data sets below which the prior says more of their spread than they do
WILCOXON = "Wilcoxon's signed-rank test, zeros ranked and left out (Pratt)"
SIGN = "Bayesian sign test"
SIGNED_RANK = f"Bayesian signed-rank test, {difference_tests.DRAWS:,} draws"
HIERARCHICAL = "hierarchical model, corrected t within data sets, normal between them"
MOST_SETS = "on more data sets than not"
TYPICAL = "on the typical data set: pairs of data sets, half the sum of their differences"
NEXT = "on the next data set"
MEAN = "on the typical data set: the mean difference over all data sets like these"
LIKELIEST = "which of the three is the likeliest on the next data set"
"""The questions that three numbers answer."""
_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class ThreeNumbers(Shown):
    """How probable it is that a is worse than, practically the same as, or better than b."""

    worse: float
    same: float
    better: float
    method: str
    error: float = 0.0  # the largest standard error of the three, where they were found by drawing
    question: str = ""  # where a is worse, the same or better


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy(Shown):
    """What the folds of all data sets say together."""

    worse: float  # probability that a is worse on the next data set, by more than the margin
    same: float
    better: float
    mu: Estimate  # the mean difference over data sets
    spread: Estimate  # the standard deviation of the difference over data sets: posterior median
    shrunken: dict[str, Estimate]  # the difference on each data set, drawn towards the others as far as it is badly known itself
    typical: ThreeNumbers  # of the mean difference over data sets
    likeliest: ThreeNumbers  # of which outcome is the most probable on the next data set: what Corani et al. (2017) print
    method: str = HIERARCHICAL
    question: str = NEXT


@dataclass(frozen=True, slots=True, eq=False)
class OverSets(Shown):
    """Two learners over several data sets; `better` always speaks of a."""

    names: tuple[str, ...]
    means: FloatArray  # the difference on each data set, a minus b
    wilcoxon_p: float  # two-sided p value that the differences lie symmetrically around 0
    sign: ThreeNumbers  # whether most data sets are worse, the same, or better; each counts alike, however large its difference
    signed_rank: ThreeNumbers  # whether the typical data set is worse, the same, or better
    hierarchical: Hierarchy | None  # of the next data set, where the differences of folds were given
    margin: float
    level: float
    findings: tuple[Finding, ...] = ()
    _besides = ("n_sets", "methods", "verdict", "summary")

    @property
    def n_sets(self) -> int:
        """How many data sets there are."""
        return len(self.names)

    @property
    def methods(self) -> tuple[str, ...]:
        """How the numbers were found, the one that decides last."""
        return (WILCOXON, SIGN, SIGNED_RANK, *(() if self.hierarchical is None else (HIERARCHICAL,)))

    @property
    def verdict(self) -> Verdict:
        """What is at least as probable as the level asks, by the hierarchical model or else by signed ranks."""
        return verdict_of(self.decisive.worse, self.decisive.same, self.decisive.better, self.level)

    @property
    def summary(self) -> str:
        """The verdict as a sentence."""
        where, three = "the typical data set" if self.hierarchical is None else "the next data set", self.decisive
        if self.verdict == "undecided":
            told = f"worse with probability {three.worse:.3f}, the same {three.same:.3f}, better {three.better:.3f}"
            return f"Undecided: on {where} a is {told}."
        if self.verdict == "equivalent":
            return f"a and b are practically the same on {where}, with probability {three.same:.3f}."
        return f"a is {self.verdict} on {where}, with probability {max(three.worse, three.better):.3f}."

    @property
    def decisive(self) -> ThreeNumbers | Hierarchy:
        """The three numbers that decide."""
        return self.hierarchical or self.signed_rank

    @property
    def answers(self) -> tuple[ThreeNumbers | Hierarchy, ...]:
        """Three numbers for each question, with the question that they answer."""
        model = self.hierarchical
        return (self.sign, self.signed_rank, *(() if model is None else (model.typical, model.likeliest, model)))

    def __repr__(self) -> str:
        told = self.answers
        lines = [f"{counted(self.n_sets, 'data set')}, a minus b, margin {self.margin:g}: {self.summary}"]
        lines += [
            f"  worse {one.worse:.3f}, same {one.same:.3f}, better {one.better:.3f} {one.question}: {one.method}" for one in told
        ]
        return "\n".join([*lines, f"  p = {self.wilcoxon_p:.3g}: {WILCOXON}", *(f"  {finding}" for finding in self.findings)])


def compare_over_sets(
    differences: Mapping[Any, Any], *, margin: float = 0.01, test_share: float | None = None, level: float = 0.95, rng: Any = 0
) -> OverSets:
    """Decide which of two learners is better over several data sets.

    Parameters
    ----------
    differences : mapping of data set -> number, or -> sequence of numbers
        What a scored minus what b scored, of a measure where more is better: one number per data set, or the difference on
        every fold of its cross-validation.
    margin : float
        Differences up to this are practically none.
    test_share : float, optional
        The share of a data set's rows that one fold tests, 0.1 for ten folds. Needed with differences on folds.
    level : float
        How probable an outcome must be to be the verdict, and how much the intervals hold.
    rng : seed
        For the draws of the signed-rank test.

    >>> comparison = compare_over_sets({"glass": 0.03, "iris": 0.0, "sonar": 0.05, "vowel": 0.04, "wine": 0.02, "yeast": 0.06})
    >>> comparison.verdict, comparison.wilcoxon_p
    ('better', 0.0625)
    """
    margin, level = given_margin(margin), checked_level(level)
    values = _checked(differences)
    scales = _scales(values, test_share)
    means = frozen([float(np.mean(each)) for each in values.values()])
    hierarchical = None if scales is None else _hierarchy(values, means, scales, float(test_share or 0), margin, level)
    draws = difference_tests.signed_rank_test(means, generator(rng), margin=margin)
    sign = ThreeNumbers(*difference_tests.sign_test(means, margin=margin), SIGN, question=MOST_SETS)
    ranks = ThreeNumbers(*draws, SIGNED_RANK, max(difference_tests.drawn_error(p) for p in draws), TYPICAL)
    comparison = OverSets(tuple(values), means, difference_tests.wilcoxon_p(means), sign, ranks, hierarchical, margin, level)
    return replace(comparison, findings=tuple(_findings(comparison, scales)))


def _checked(differences: Any) -> dict[str, FloatArray]:
    """Return the differences by name of the data set, or refuse."""
    if not isinstance(differences, Mapping):
        msg = f"Give the differences by name of the data set, {{'iris': 0.01, ...}}; got {type(differences).__name__}."
        raise InputError(msg)
    values = {safe(name): _numbers(name, given) for name, given in differences.items()}
    if len(values) < max(2, len(differences)):
        told = "two names look alike" if len(differences) > 1 else f"got {len(differences)}"
        msg = f"A comparison over data sets needs at least two of them, with different names; {told}."
        raise InputError(msg)
    single = [name for name, each in values.items() if each.ndim == 0]
    if single and len(single) < len(values):
        other = next(name for name, each in values.items() if each.ndim)
        msg = f"{quoted(single[0])} has one number and {quoted(other)} one per fold. Give the same kind for all data sets."
        raise InputError(msg)
    return values


def _numbers(name: Any, given: Any) -> FloatArray:
    try:
        each = np.asarray(given)
        each = each if each.dtype.kind in "iuf" else np.asarray(each, dtype=np.float64) if each.dtype.kind == "O" else each
    except (TypeError, ValueError):
        each = np.zeros(0, dtype=str)
    if each.dtype.kind not in "iuf" or each.ndim > 1 or (each.ndim and each.size <= 1):
        msg = f"Data set {quoted(name)} needs one number, or one for each of at least two folds; got {safe(repr(given))}."
        raise InputError(msg)
    if not np.all(np.isfinite(each)):
        msg = f"Data set {quoted(name)} has a difference that is missing or infinite. Leave the data set out, or correct it."
        raise InputError(msg)
    return each.astype(np.float64)


def _scales(values: Mapping[str, FloatArray], test_share: Any) -> FloatArray | None:
    """Return the root of the corrected variance of each mean over folds, 0 where all folds agree; None where there are none."""
    with_folds = next(iter(values.values())).ndim > 0
    if with_folds and test_share is None:
        msg = "Differences on folds need test_share, the share of rows that one fold tests: "
        raise InputError(msg, argument("test_share", 0.1), " for ten folds.")
    if not with_folds:
        if test_share is not None:
            msg = " speaks of folds, but each data set has one number. Give a difference per fold, or leave it out."
            raise InputError(parameter("test_share"), msg)
        return None
    if isinstance(test_share, bool) or not isinstance(test_share, Real):
        msg = f" must be a number strictly between 0 and 1, got {test_share!r}. Ten folds test 0.1."
        raise InputError(parameter("test_share"), msg)
    variances = np.array([corrected_variance(each, test_share=float(test_share)) for each in values.values()])
    still = [np.ptp(each) <= _NO_SPREAD * np.abs(each).max() for each in values.values()]
    return np.sqrt(np.where(still, 0.0, variances))  # and not what rounding left


def _hierarchy(
    values: Mapping[str, FloatArray], means: FloatArray, scales: FloatArray, test_share: float, margin: float, level: float
) -> Hierarchy | None:
    """Return what the folds of all data sets say together; None where nothing tells how well a difference is known."""
    # Where all folds agree, Corani et al. (2017) give them differences spread evenly over the margin; here they get the variance
    # of that, margin^2 / 3, or without a margin the best known other scale, and nothing is drawn.
    known, degrees = scales[scales > 0], np.array([each.size - 1.0 for each in values.values()])
    if not known.size and not margin:
        return None
    inflation = 1 / (degrees + 1) + test_share / (1 - test_share)
    scales = np.where(scales > 0, scales, margin * np.sqrt(inflation / 3) if margin else known.min())
    # as wide as what was seen: the spread over data sets must be free to be that, and free to be 0
    prior = max(float(means.std(ddof=1)), float(np.sqrt((scales**2).mean())))
    posterior = hierarchical_posterior(means, scales, degrees, prior_scale=prior)

    def told(name: str, value: float, low: float, high: float) -> Estimate:
        return Estimate(name, float(value), Interval(float(low), float(high), level, HIERARCHICAL))

    shrunken = {name: told("difference", *row) for name, row in zip(values, posterior.shrunken(level=level), strict=True)}
    mean = told("mean difference", posterior.mu, *posterior.mu_limits(level))
    spread = told("spread over data sets", posterior.tau_limits(0.0)[0], *posterior.tau_limits(level))
    typical, likeliest = (
        ThreeNumbers(*three, HIERARCHICAL, question=question)
        for three, question in ((posterior.typical(margin=margin), MEAN), (posterior.likeliest(margin=margin), LIKELIEST))
    )
    return Hierarchy(*posterior.following(margin=margin), mean, spread, shrunken, typical, likeliest)


def _findings(comparison: OverSets, scales: FloatArray | None) -> Iterator[Finding]:
    """Yield what to know of few data sets, of folds that agree, and of answers that seem to contradict each other."""
    differ = difference_tests.n_differing(comparison.means)
    least = difference_tests.smallest_p(differ)
    if least > ALPHA:
        told = f"Only {counted(differ, 'data set')} with a difference: Wilcoxon's p value cannot fall below {least:.3g}."
        yield Finding("A720", told, "Add data sets; six that differ can reach 0.03. Until then, read the probabilities.", differ)
    if scales is not None and comparison.hierarchical is None:
        told = "On every data set all folds have the same difference, and the margin is 0: nothing tells how well it is known."
        yield Finding("A722", told, "Give a margin above 0 for the hierarchical model.", comparison.n_sets)
    still = [] if scales is None else sorted(name for name, scale in zip(comparison.names, scales, strict=True) if not scale)
    if comparison.hierarchical is not None and still:
        told = f"All folds of {listed(still)} have the same difference."
        instead = "as if spread over the margin" if comparison.margin else "as well known as the best known other one"
        yield Finding("A721", told, f"No difference is known exactly: it was taken {instead}.", len(still))
    if comparison.hierarchical is not None and comparison.n_sets < FEW_SETS:
        told = f"{counted(comparison.n_sets, 'data set')} say little of how much data sets differ; the prior decides with them."
        yield Finding("A723", told, f"Add data sets: below {FEW_SETS} the hierarchical model leans on it.", comparison.n_sets)
    if comparison.wilcoxon_p <= ALPHA and comparison.verdict == "equivalent":
        told = f"The difference is beyond chance (p = {comparison.wilcoxon_p:.2g}), but too small to matter."
        advice = "The p value asks whether there is any difference; the margin, whether it counts."
        yield Finding("A724", told, advice, comparison.margin)
    shrunken = {} if comparison.hierarchical is None else comparison.hierarchical.shrunken
    limits = {name: one.interval for name, one in shrunken.items() if one.interval is not None}
    better = [name for name, interval in limits.items() if interval.low > comparison.margin]
    worse = [name for name, interval in limits.items() if interval.high < -comparison.margin]
    if better and worse:
        told = f"a is better on {listed(better)} and worse on {listed(worse)}."
        yield Finding("A725", told, "No learner wins everywhere: ask how these data sets differ.", len(better) + len(worse))
