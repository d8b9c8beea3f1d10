"""Above chance or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.show import Shown
from adjudge._base.text import probable
from adjudge._base.undefined import ratio
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, as_counts
from adjudge.estimates.posterior import posterior
from adjudge.stats.binomial import above_chance_count, binomial_p_value


@dataclass(frozen=True, slots=True)
class Chance(Shown):
    """Whether the decisions beat guessing, by count, against the commonest class, and class by class."""

    threshold: int | None
    """The smallest number of right decisions that guessing reaches with probability at most alpha; None if there is none."""
    significant: bool
    p_value: float
    """P(at least as many right by guessing)."""
    no_information_rate: float
    """The share of the commonest class: what always answering it would get."""
    p_value_nir: float
    p_above_chance: float
    """Posterior probability that the balanced accuracy is above 1/K."""
    alpha: float = 0.05
    rate: float = 0.5
    classes: int = 2
    right: float = math.nan
    """How many decisions were right."""
    cases: float = math.nan
    """Of how many cases; of weighted ones, how many equal ones they are worth."""

    def __repr__(self) -> str:
        said = "Better than chance" if self.significant else "Not surely better than chance"
        need = "no number would do" if self.threshold is None else f"{self.threshold:,} would do"
        return (
            f"{said}: {self.right:,.6g} of {self.cases:,.6g} right, {need} at {100 * self.alpha:.6g}%, "
            f"p {probable(self.p_value, 3)}; "
            f"against always the commonest class ({100 * self.no_information_rate:.1f}%) p {probable(self.p_value_nir, 3)}; "
            f"P(balanced accuracy above 1/{self.classes}) {probable(self.p_above_chance)}"
        )


def chance(counts: ConfusionCounts, *, alpha: float = 0.05, rate: float = 0.5, prior: Any = (1, 1)) -> Chance:
    """Judge whether decisions are better than chance.

    Parameters
    ----------
    counts : ConfusionCounts
    alpha : float
        How often guessing may be called better than chance.
    rate : float
        How often a guess is right; one half is right for two balanced classes only.
    prior
        That of the balanced accuracy, as for :func:`adjudge.posterior`.
    """
    if not 0 < alpha < 1 or not 0 < rate < 1:
        msg = f"alpha and rate must lie strictly between 0 and 1, got {alpha} and {rate}."
        raise InputError(msg)
    counts = as_counts(counts)
    weighted = isinstance(counts, WeightedCounts)
    n = counts.effective_n if isinstance(counts, WeightedCounts) else counts.n
    right = float(counts.correct.sum() / counts.n * n) if weighted else float(counts.correct.sum())
    threshold, p_value = above_chance_count(round(n), rate, alpha), binomial_p_value(right, n, rate)
    commonest = ratio(np.max(counts.support), counts.n, "there is no case")
    return Chance(
        threshold,
        p_value <= alpha,
        p_value,
        commonest,
        binomial_p_value(right, n, commonest) if counts.n else 1.0,
        float(posterior(counts, prior=prior).sf(1 / counts.k)),
        alpha,
        rate,
        counts.k,
        right,
        float(n),
    )
