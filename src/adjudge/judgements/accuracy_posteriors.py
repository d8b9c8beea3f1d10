"""What to believe of one confusion table: posteriors beside what is commonly reported, and chance.

The table may be one classifier's, or the sum over the folds of an algorithm's; which of them is named, because the
second says less than it seems: its folds share training cases, which no posterior of the sum knows of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import checked_level
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, as_counts
from adjudge.estimates.estimate import Conventional, Interval, over_cases, over_folds
from adjudge.estimates.intervals import count_interval, fitting
from adjudge.estimates.posterior import Posterior, pair, posterior
from adjudge.judgements.chance import Chance, chance, only_answer
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value
from adjudge.metrics.catalogue import find


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyPosteriors(Shown):
    """Accuracy and balanced accuracy: posteriors, what was seen, the conventional bar, and chance."""

    posteriors: dict[str, Posterior]
    intervals: dict[str, Interval]
    """Those of both measures, the same as everywhere else."""
    conventional: Conventional
    """The accuracy give or take two standard errors, over folds where there are some."""
    average_balanced_accuracy: float
    """The mean of the most probable recalls under flat priors, which are the recalls seen."""
    chance: Chance
    tested: str
    """Whether the table is one classifier's or an algorithm's, summed over folds."""
    prior: str
    """The prior of the rates, as one would say it."""
    level: float = 0.95
    findings: tuple[Finding, ...] = ()

    @property
    def chance_level(self) -> float:
        """What guessing gets on average over the classes."""
        return 1 / self.chance.classes

    def __repr__(self) -> str:
        told = "\n".join(f"  {found!r}" for found in self.posteriors.values())
        return f"AccuracyPosteriors of {self.tested}, under {self.prior}\n{told}\n  {self.chance!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        names = ("intervals", "average_balanced_accuracy", "chance", "tested", "prior", "level", "findings")
        told = {name: plain(getattr(self, name)) for name in names}
        bar = self.conventional
        told["conventional"] = bar.to_dict() | {"low": plain(bar.low), "high": plain(bar.high)}
        return told | {"posteriors": {name: found.summary(self.level) for name, found in self.posteriors.items()}}


def accuracy_posteriors(
    counts: ConfusionCounts,
    *,
    by_fold: Mapping[Any, ConfusionCounts] | None = None,
    prior: Any = "jeffreys",
    level: float = 0.95,
    interval: str = "default",
) -> AccuracyPosteriors:
    """Return what a confusion table lets one believe of accuracy and balanced accuracy.

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

    >>> found = accuracy_posteriors(ConfusionCounts([[40, 5], [8, 2]]), prior="flat")
    >>> round(found.posteriors["balanced_accuracy"].median, 6), found.tested
    (0.555343, 'one classifier, 55 cases')
    """
    counts, level = as_counts(counts), checked_level(level)
    if not counts.n:
        msg = "The confusion table counts no case."
        raise InputError(msg)
    folds = [fold for fold in (by_fold or {}).values() if fold.n]
    laws = {name: posterior(counts, name, prior=prior) for name in ("accuracy", "balanced_accuracy")}
    found = chance(counts, rate=1 / max(counts.k, 2))
    cases = _cases(counts)
    return AccuracyPosteriors(
        laws,
        {name: count_interval(counts, name, level=level, method=fitting(interval, find(name))) for name in laws},
        over_folds(folds) if len(folds) > 1 else over_cases(counts),
        value(on_counts.BALANCED_ACCURACY, counts),
        found,
        f"an algorithm, {counted(len(folds), 'fold')} summed, {cases}" if len(folds) > 1 else f"one classifier, {cases}",
        _named(prior),
        level,
        (*(_of_chance(found) if only_answer(counts) is None else ()), *laws["balanced_accuracy"].findings),
    )


def _cases(counts: ConfusionCounts) -> str:
    if isinstance(counts, WeightedCounts):
        return f"weighted cases worth {counts.effective_n:,.1f}"
    return counted(round(counts.n), "case")


def _named(prior: Any) -> str:
    if isinstance(prior, str) and prior == "dirichlet":
        return "flat Dirichlet priors"
    a, b = pair(prior)
    return {(0.5, 0.5): "Jeffreys' prior", (1.0, 1.0): "flat priors"}.get((a, b), f"Beta({a:.4g}, {b:.4g}) priors")


def _of_chance(found: Chance) -> Iterator[Finding]:
    """Say when a high accuracy comes from the commonest class."""
    if found.p_value_rate <= found.alpha and not found.significant and found.classes > 1:
        told = f"The accuracy is above one in {found.classes}. {found.statement}: the predictions may not depend on the class."
        yield Finding("A502", told, "The accuracy comes from the common classes; read the balanced accuracy.", found.p_value)
