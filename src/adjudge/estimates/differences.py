"""How much two classifiers differ in a measure of decisions, on the same cases or on different ones.

Shares of cases of known truth (accuracy, recall, the balanced accuracy as a mean of recalls) have an exact posterior: the
outcomes both right, only a, only b and neither follow a Dirichlet law in every class. For other measures the whole
pattern of truth and decisions is drawn from its Dirichlet posterior, cell by cell (Rubin 1981, Ann. Stat. 9:130-134), after
every class got one more case's worth of each outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts, outcomes_of
from adjudge.estimates.effective import effective_cells
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.posterior import Posterior, difference, drawn, posterior
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.stats.images import Drawn
from adjudge.stats.law import Law
from adjudge.stats.paired import paired_law

DRAWS = 20_000
MOST_CLASSES = 1_000
"""Classes whose whole tables are drawn."""
_FEWEST = 2_000
_AT_ONCE = 1 << 22  # cells drawn at one time
_MOST = 1 << 27  # cells drawn altogether, beyond the fewest draws
_PRIOR_PATTERNS = 500
_ERRED_TO = 5
_OUTCOMES = 4  # both right, one, the other, neither: the cases' worth of the prior


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The value of a measure for two classifiers, and what to believe of a minus b."""

    a: float
    b: float
    law: Law | None
    """None where one of them has no value."""
    method: str
    outcomes: FloatArray | None = None
    """Both right, only a, only b, neither, over all classes."""

    @property
    def value(self) -> float:
        """The observed difference."""
        return self.a - self.b


Event = Callable[[IntArray, IntArray, int, int], BoolArray]
"""Whether what is counted happened: from the truth, the decision, the number of classes and the class looked for."""

_EVENTS: dict[str, Event] = {
    "accuracy": lambda truth, said, _k, _at: said == truth,
    "error": lambda truth, said, k, _at: (said != truth) & (said < k),
    "rejection_rate": lambda _truth, said, k, _at: said == k,
    "balanced_accuracy": lambda truth, said, _k, _at: said == truth,
    "informedness": lambda truth, said, _k, _at: said == truth,
    "sensitivity": lambda truth, said, _k, _at: said == truth,
    "fnr": lambda truth, said, k, _at: (said != truth) & (said < k),
    "specificity": lambda _truth, said, k, at: (said != at) & (said < k),
    "fpr": lambda _truth, said, _k, at: said == at,
}
_BY_CLASS = ("balanced_accuracy", "informedness")
_DRAWN = ("mcc", "kappa", "g_mean", "fbeta")


def paired_difference(
    joint: JointCounts, measure: Measure, i: int, j: int, *, positive: int | None, draws: FloatArray | None = None, rng: Any = 0
) -> Difference:
    """Return the difference of a count measure between classifiers `i` and `j` on the same cases.

    `draws` x classifiers, if they are known already, serve where there is no formula.
    """
    a, b = (of_table(measure, joint.confusion(at), positive) for at in (i, j))
    outcomes = joint.outcomes(i, j).sum(axis=0)
    if np.isnan(a) or np.isnan(b):
        return Difference(a, b, None, "", outcomes)
    exact = _exact(joint, measure, i, j, positive)
    if exact is not None:
        return Difference(a, b, exact, "paired Dirichlet posterior", outcomes)
    values = drawn_values(joint, measure, [i, j], positive=positive, rng=rng) if draws is None else draws[:, [i, j]]
    told = f"paired Bayesian bootstrap of cells, {len(values):,} draws"
    return Difference(a, b, Drawn(values[:, 0] - values[:, 1]), told, outcomes)


def _exact(joint: JointCounts, measure: Measure, i: int, j: int, positive: int | None) -> Law | None:
    """Return the law of the difference of shares among cases of known truth; None for other measures."""
    event = _EVENTS.get(measure.name)
    averaged = isinstance(measure, ClassMeasure) and positive is None
    if event is None or (averaged and measure.name != "sensitivity"):
        return None
    at = -1 if positive is None else positive
    happened = [event(joint.truth, joint.said[:, c], joint.k, at) for c in (i, j)]
    outcomes = outcomes_of(happened[0], happened[1], joint.truth, joint.worth, joint.k)
    seen = outcomes.sum(axis=1) > 0
    if measure.name in _BY_CLASS or averaged:
        k = int(np.count_nonzero(seen))
        share = 1 / (k - 1) if measure.name == "informedness" else 1 / k
        return paired_law(outcomes[seen] + 1, np.full(k, share))
    if isinstance(measure, ClassMeasure):
        own = np.arange(joint.k) == at
        outcomes = outcomes[own if measure.name in ("sensitivity", "fnr") else ~own]
    return paired_law(outcomes.sum(axis=0, keepdims=True) + 1, np.ones(1))


def drawn_values(joint: JointCounts, measure: Measure, which: list[int], *, positive: int | None, rng: Any = 0) -> FloatArray:
    """Return draws x classifiers of a measure, from the posterior of the shares of all patterns."""
    if joint.k > MOST_CLASSES:
        told = f"{measure.name} of {joint.k:,} classes would need tables too large to draw"
        msg = f"{told}; compare by accuracy or balanced_accuracy."
        raise InputError(msg)
    truth, said, mass = _with_prior(joint, which)
    cells = max(mass.size, joint.k * (joint.k + joint.rejects)) * len(which)
    draws = int(np.clip(_MOST // cells, _FEWEST, DRAWS))
    source = np.random.default_rng(rng)
    sums = [Cells.of(truth, said[:, c], joint.k, rejects=joint.rejects) for c in range(len(which))]
    parts = []
    chunk = max(1, _AT_ONCE // (cells // len(which)))
    for start in range(0, draws, chunk):
        size = min(draws - start, chunk)
        shares = source.standard_gamma(mass, (size, mass.size))
        parts.append(np.stack([of_tables(measure, cells.tables(shares), positive) for cells in sums], axis=1))
    return np.concatenate(parts)


def _with_prior(joint: JointCounts, which: list[int]) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the patterns with one more case's worth of each outcome, shared among the classes as their cases are.

    Who errs in it errs alike to the commonest other classes, and those who err together say the same. Of many classes only the
    commonest have a share: so little is spread no thinner.
    """
    support = np.bincount(joint.truth, weights=joint.worth, minlength=joint.k)
    right = _outcomes(len(which))
    ranked = np.argsort(-support, kind="stable")
    seen = ranked[support[ranked] > 0][: max(2, _PRIOR_PATTERNS // (len(right) * min(joint.k, _ERRED_TO)))]
    truth, said, mass = [joint.truth], [joint.said[:, which]], [joint.worth]
    for c in seen:
        others = ranked[ranked != c][:_ERRED_TO] if joint.k > 1 else ranked
        for who in right:
            wrong = others if not who.all() else others[:1]
            truth.append(np.full(wrong.size, c))
            said.append(np.where(who[None, :], c, wrong[:, None]))
            mass.append(np.full(wrong.size, _OUTCOMES / len(right) * support[c] / support[seen].sum() / wrong.size))
    return np.concatenate(truth), np.concatenate(said), np.concatenate(mass)


def _outcomes(m: int) -> list[BoolArray]:
    """Return who is right: all or none, and each alone; of two classifiers these are all there are."""
    alone = [np.arange(m) == i for i in range(m)]
    return [np.ones(m, dtype=bool), *alone, np.zeros(m, dtype=bool)]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Which patterns make up which cell of a classifier's table."""

    order: IntArray
    starts: IntArray
    cells: IntArray
    shape: tuple[int, int]

    @classmethod
    def of(cls, truth: IntArray, said: IntArray, k: int, *, rejects: bool) -> Cells:
        """Return the cells of one classifier's decisions."""
        at = truth * (k + rejects) + said
        order = np.argsort(at, kind="stable")
        cells, starts = np.unique(at[order], return_index=True)
        return cls(order, starts, cells, (k, k + rejects))

    def tables(self, shares: AnyArray) -> AnyArray:
        """Return tables for draws x patterns."""
        found = np.zeros((len(shares), self.shape[0] * self.shape[1]))
        found[:, self.cells] = np.add.reduceat(shares[:, self.order], self.starts, axis=1)
        return found.reshape(len(shares), *self.shape)


def independent_difference(
    a: ConfusionCounts, b: ConfusionCounts, measure: Measure, *, positive: int | None, rng: Any = 0
) -> Difference:
    """Return the difference of a count measure between two classifiers judged on different cases."""
    one, other = (of_table(measure, counts, positive) for counts in (a, b))
    if np.isnan(one) or np.isnan(other):
        return Difference(one, other, None, "")
    seeds = np.random.default_rng(rng).spawn(2)
    own = [_own(counts, measure, positive, seed) for counts, seed in zip((a, b), seeds, strict=True)]
    found = difference(own[0], own[1])
    return Difference(one, other, found.law, f"independent posteriors, {found.method.removeprefix('exact: independent ')}")


def _own(counts: ConfusionCounts, measure: Measure, positive: int | None, seed: Any) -> Posterior:
    label = None if positive is None or not isinstance(measure, ClassMeasure) else counts.classes[positive]
    macro = isinstance(measure, ClassMeasure) and label is None
    if macro or measure.name in _DRAWN:
        return drawn(measure, counts, 1 / np.size(effective_cells(counts)), label, seed, macro=macro)
    return posterior(counts, measure.name, prior="flat", positive=label, rng=seed)
