"""Posteriors of accuracy and balanced accuracy beside what is commonly reported, and whether decisions are above chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, checked_level, counted, dataclass, parameter, plain, probable, ratio
from adjudge._base.arrays import FloatArray, IntArray, generator
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, as_counts
from adjudge.estimates.clustered import effective
from adjudge.estimates.estimate import Conventional, Interval, over_cases, over_folds, worth
from adjudge.estimates.intervals import count_interval, fitting
from adjudge.estimates.posterior import Posterior, pair, posterior
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value
from adjudge.metrics.catalogue import find
from adjudge.stats.binomial import binomial_p_value
from adjudge.stats.permutation import null_distribution, p_values
from adjudge.stats.power import above_chance_count

_NONE = 1e-12  # a share of weights that is rounding
_TWO = 2
_CLEAR = 0.1  # p-values above need no third digit


@dataclass(frozen=True, slots=True)
class Chance(Shown):
    """Whether the decisions are above chance, and how their number of correct ones compares with guessing."""

    p_value: float  # one-sided mid-P of the permutation test of the balanced accuracy: small where the decisions show skill
    significant: bool  # whether the decisions are above chance: the p-value is at most alpha
    test: str  # "Fisher" for two classes, "permutation" for more
    method: str  # how the p-value was computed: exact, from three moments, or from so many draws
    threshold: int | None  # the smallest number of correct decisions that guessing reaches with probability at most alpha, if any
    p_value_rate: float  # P(at least as many correct) if each decision were correct with probability `rate`
    no_information_rate: float  # the share of the commonest class: the accuracy of always predicting it
    p_value_nir: float  # P(at least as many correct) if each decision were correct with that probability
    alpha: float = 0.05
    rate: float = 0.5
    classes: int = 2
    right: float = math.nan  # how many decisions were correct
    cases: float = math.nan  # of how many cases; of weighted ones, how many equal ones they are worth
    seen: int = 2  # classes that have a case

    @property
    def statement(self) -> str:
        """The result of the test in words."""
        if self.seen < _TWO:
            return f"Chance cannot be tested: {'all cases are of one class' if self.seen else 'there is no case'}"
        said = "Above chance" if self.significant else "No sign of skill"
        p = max(self.p_value, 0.0)
        return f"{said} ({self.test} mid-P {probable(p, 3 if p < _CLEAR else 2)})"

    def __repr__(self) -> str:
        need = "no number is enough" if self.threshold is None else f"{self.threshold:,} are enough"
        return (
            f"{self.statement}: {self.right:,.6g} of {self.cases:,.6g} correct; "
            f"{need} at {100 * self.alpha:.6g}% against guessing at {100 * self.rate:.6g}%, p {probable(self.p_value_rate, 3)}; "
            f"against always the commonest class ({100 * self.no_information_rate:.1f}%) p {probable(self.p_value_nir, 3)}"
        )


def chance(counts: ConfusionCounts, *, alpha: float = 0.05, rate: float = 0.5, rng: Any = 0) -> Chance:
    """Test whether decisions are above chance.

    The p-value is that of a one-sided permutation test of the balanced accuracy, both margins of the table being fixed and ties
    counted half (mid-P): for two classes Fisher's exact test. A classifier that always predicts the same class gets 0.5. At a
    level of 5% decisions without skill are declared above chance in at most 7% of samples, whatever the class sizes.

    Parameters
    ----------
    counts : ConfusionCounts
        Weighted cases count as many as they are worth, class by class (Kish 1965), in whole cases. Rejected cases are left out.
    alpha : float
        How often decisions without skill may be declared above chance.
    rate : float
        The probability of a correct guess that the number of correct decisions is compared with as well; one half is correct for
        two balanced classes only.
    rng : int or numpy Generator
        Seed of the draws, which tables of some very small classes need.

    >>> chance(ConfusionCounts([[40, 5], [8, 2]])).statement
    'No sign of skill (Fisher mid-P = 0.24)'
    >>> chance(ConfusionCounts([[1000, 0], [1, 0]])).p_value
    0.5
    """
    if not 0 < alpha < 1 or not 0 < rate < 1:
        told = f" must lie strictly between 0 and 1, got {alpha} and {rate}."
        raise InputError(parameter("alpha"), " and ", parameter("rate"), told)
    counts = effective(as_counts(counts), on_counts.BALANCED_ACCURACY, level=max(1 - 2 * alpha, 0.5))
    n, correct = worth(counts), float(counts.correct.sum())
    right = correct / counts.n * n if isinstance(counts, WeightedCounts) and counts.n else correct
    commonest = ratio(np.max(counts.support), counts.n, "there is no case")
    rows, columns, recalls = decided_margins(counts)
    null = null_distribution(rows, columns, generator(rng))
    p_value = float(p_values(null, recalls.sum()))
    test = "Fisher" if np.count_nonzero((rows > 0) | (columns > 0)) <= _TWO else "permutation"
    permuted = (p_value, p_value <= alpha, test, null.method, above_chance_count(round(n), rate, alpha))
    guessed = (binomial_p_value(right, n, rate), commonest, binomial_p_value(right, n, commonest) if counts.n else 1.0)
    return Chance(*permuted, *guessed, alpha, rate, counts.k, right, float(n), int(np.count_nonzero(counts.support)))


def decided_margins(counts: ConfusionCounts) -> tuple[IntArray, IntArray, FloatArray]:
    """Return cases, predictions and recall of each class among the decided cases, in whole cases; 0 without a case."""
    cases = counts.support - counts.rejected
    known = cases > _NONE * counts.support
    recalls = np.divide(counts.correct, cases, out=np.zeros(counts.k), where=known)
    if not isinstance(counts, WeightedCounts):
        return np.asarray(cases, dtype=np.int64), np.asarray(counts.predicted, dtype=np.int64), recalls
    of = WeightedCounts(counts.squares, counts.classes, squares=counts.squares)
    squares = of.support - of.rejected
    worth = np.divide(cases, squares, out=np.zeros(counts.k), where=known & (squares > 0))
    rows = np.maximum(np.round(cases * worth), known).astype(np.int64)
    # whole predictions with the same sum, by largest remainders
    total, predicted = int(rows.sum()), np.asarray(counts.cells.T @ worth)[: counts.k]
    scaled = predicted * (total / max(predicted.sum(), np.finfo(float).tiny))
    columns: IntArray = np.floor(scaled + _NONE * total).astype(np.int64)
    columns[np.argsort(columns - scaled, kind="stable")[: total - int(columns.sum())]] += 1
    return rows, columns, recalls


def only_answer(counts: ConfusionCounts) -> Any:
    """Return the one class that is predicted for all decided cases of several classes; None where there is none such."""
    given = np.flatnonzero(counts.predicted)
    several = np.count_nonzero(counts.support - counts.rejected > _NONE * counts.support) > 1
    return counts.classes[int(given[0])] if given.size == 1 and several else None


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyPosteriors(Shown):
    """Accuracy and balanced accuracy: posteriors, what was seen, the conventional bar, and chance."""

    posteriors: dict[str, Posterior]
    intervals: dict[str, Interval]  # those of both measures, the same as everywhere else
    conventional: Conventional  # the accuracy give or take two standard errors, over folds where there are some
    average_balanced_accuracy: float  # the mean of the most probable recalls under flat priors, which are the recalls seen
    chance: Chance
    tested: str  # whether the table is one classifier's or an algorithm's, summed over folds
    prior: str  # the prior of the rates, as one would say it
    level: float = 0.95
    findings: tuple[Finding, ...] = ()

    @property
    def chance_level(self) -> float:
        """What guessing gets on average over the classes."""
        return 1 / self.chance.classes

    def __repr__(self) -> str:
        told = "\n".join(f"  {distribution!r}" for distribution in self.posteriors.values())
        return f"AccuracyPosteriors of {self.tested}, under {self.prior}\n{told}\n  {self.chance!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        names = ("intervals", "average_balanced_accuracy", "chance", "tested", "prior", "level", "findings")
        told = {name: plain(getattr(self, name)) for name in names}
        told["conventional"] = self.conventional.to_dict() | plain({"low": self.conventional.low, "high": self.conventional.high})
        return told | {"posteriors": {name: distribution.to_dict(self.level) for name, distribution in self.posteriors.items()}}


def accuracy_posteriors(
    counts: ConfusionCounts,
    *,
    by_fold: Mapping[Any, ConfusionCounts] | None = None,
    prior: Any = "jeffreys",
    level: float = 0.95,
    interval: str = "default",
) -> AccuracyPosteriors:
    """Return the posterior distributions of accuracy and balanced accuracy, given a confusion table.

    Parameters
    ----------
    counts : ConfusionCounts
    by_fold : mapping of fold -> ConfusionCounts, optional
        The folds that `counts` is the sum of.
    prior : (a, b), "jeffreys", "flat" or "dirichlet"
        As for :func:`adjudge.posterior`.
    level : float
        Of the intervals.
    interval : str
        Their method, as for :func:`adjudge.interval`.

    >>> accuracies = accuracy_posteriors(ConfusionCounts([[40, 5], [8, 2]]), prior="flat")
    >>> round(accuracies.posteriors["balanced_accuracy"].median, 6), accuracies.tested
    (0.555343, 'one classifier, 55 cases')
    """
    counts, level = as_counts(counts), checked_level(level)
    if not counts.n:
        msg = "The confusion table counts no case."
        raise InputError(msg)
    folds = [fold for fold in (by_fold or {}).values() if fold.n]
    distributions = {name: posterior(counts, name, prior=prior) for name in ("accuracy", "balanced_accuracy")}
    test, weighted = chance(counts, rate=1 / max(counts.k, 2)), isinstance(counts, WeightedCounts)
    cases = f"weighted cases worth {worth(counts):,.1f}" if weighted else counted(round(counts.n), "case")
    several, a, b = len(folds) > 1, *pair(prior)
    named = {(0.5, 0.5): "Jeffreys' prior", (1.0, 1.0): "flat priors"}.get((a, b), f"Beta({a:.4g}, {b:.4g}) priors")
    findings = distributions["balanced_accuracy"].findings
    if only_answer(counts) is None and test.p_value_rate <= test.alpha and not test.significant and test.classes > 1:
        told = f"The accuracy is above one in {test.classes}. {test.statement}: the predictions may not depend on the class."
        advice = "The accuracy comes from the common classes; read the balanced accuracy."
        findings = (Finding("A502", told, advice, test.p_value), *findings)
    methods = {name: fitting(interval, find(name)) for name in distributions}
    intervals = {name: count_interval(counts, name, level=level, method=method) for name, method in methods.items()}
    bar, average = over_folds(folds) if several else over_cases(counts), value(on_counts.BALANCED_ACCURACY, counts)
    tested = f"an algorithm, {counted(len(folds), 'fold')} summed, {cases}" if several else f"one classifier, {cases}"
    named = "flat Dirichlet priors" if isinstance(prior, str) and prior == "dirichlet" else named
    return AccuracyPosteriors(distributions, intervals, bar, average, test, tested, named, level, findings)
