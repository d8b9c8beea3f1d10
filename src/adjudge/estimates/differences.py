"""How much two classifiers differ in a measure of decisions, on the same cases or on different ones.

Shares of cases of known truth (accuracy, recall, the balanced accuracy as a mean of recalls) have an exact posterior: the
outcomes both right, only a, only b and neither follow a Dirichlet law in every class. For other measures the whole
pattern of truth and decisions is drawn from its Dirichlet posterior, cell by cell (Rubin 1981, Ann. Stat. 9:130-134), after
every class got one more case's worth of each outcome. With few cases of a class such draws are too sure of themselves: they are
spread until they claim no more than the permutation test of two exchangeable classifiers does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts, outcomes_of
from adjudge.estimates.cells import Cells
from adjudge.estimates.effective import effective_cells
from adjudge.estimates.exchanged import in_order, shuffle_tail, swap_tail
from adjudge.estimates.over_folds import of_table
from adjudge.estimates.posterior import Posterior, difference, drawn, posterior
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.stats.law import Law
from adjudge.stats.paired import paired_law
from adjudge.stats.transforms import Drawn
from adjudge.stats.widened import widened_draws

DRAWS = 20_000
MOST_CLASSES = 1_000
"""Classes whose whole tables are drawn."""
_FEWEST = 2_000
_AT_ONCE = 1 << 22  # cells drawn at one time
_MOST = 1 << 27  # cells drawn altogether, beyond the fewest draws
_PRIOR_PATTERNS = 500
_ERRED_TO = 5
_LEAST = 2.0  # cases' worth of the prior in a rare class
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
    law, size = _drawn(joint, measure, i, j, positive, draws, rng)
    return Difference(a, b, law, f"paired Bayesian bootstrap of cells, {size:,} draws, no surer than swaps of answers", outcomes)


def _drawn(
    joint: JointCounts, measure: Measure, i: int, j: int, positive: int | None, draws: FloatArray | None, rng: Any
) -> tuple[Law, int]:
    """Return the law of drawn differences, the same whichever classifier and whichever class comes first."""
    pair = in_order(joint, i, j, positive)
    if draws is None:
        values = drawn_values(pair.joint, measure, [0, 1], positive=pair.positive, rng=rng)
        each = values[:, 0] - values[:, 1]
    else:
        each = draws[:, j] - draws[:, i] if pair.turned else draws[:, i] - draws[:, j]
    size = each.size
    each = each[np.isfinite(each)]
    if pair.alike:
        each = np.concatenate((each, -each))
    tail = swap_tail(pair.joint, measure, pair.positive, rng=rng)
    each = widened_draws(each, tail, measure.high - measure.low)
    return Drawn(-each if pair.turned else each), size


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
    truth, said, mass, scale = _with_prior(joint, which)
    cells = max(mass.size, joint.k * (joint.k + joint.rejects)) * len(which)
    draws = int(np.clip(_MOST // cells, _FEWEST, DRAWS))
    source = np.random.default_rng(rng)
    sums = [Cells.of(truth, said[:, c], joint.k, rejects=joint.rejects) for c in range(len(which))]
    parts = []
    chunk = max(1, _AT_ONCE // (cells // len(which)))
    for start in range(0, draws, chunk):
        size = min(draws - start, chunk)
        shares = source.standard_gamma(mass, (size, mass.size)) * scale
        parts.append(np.stack([of_tables(measure, cells.tables(shares), positive) for cells in sums], axis=1))
    return np.concatenate(parts)


def _with_prior(joint: JointCounts, which: list[int]) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the patterns with one more case's worth of each outcome, shared among the classes as their cases are; and a scale.

    A rare class gets half a case's worth of each at least: two cases that both got right must not settle that both always are
    right. It is scaled down by as much, so that it stays as rare as it was. Who errs in the prior errs alike to the commonest
    other classes, and those who err together say the same. Of many classes only the commonest have a share: so little is
    spread no thinner.
    """
    support = np.bincount(joint.truth, weights=joint.worth, minlength=joint.k)
    right = _outcomes(len(which))
    ranked = np.argsort(-support, kind="stable")
    seen = ranked[support[ranked] > 0][: max(2, _PRIOR_PATTERNS // (len(right) * min(joint.k, _ERRED_TO)))]
    own = np.zeros(joint.k)
    own[seen] = _OUTCOMES * support[seen] / support[seen].sum()
    given = np.where(own > 0, np.maximum(own, _LEAST), 0.0)
    truth, said, mass = [joint.truth], [joint.said[:, which]], [joint.worth]
    for c in seen:
        others = ranked[ranked != c][:_ERRED_TO] if joint.k > 1 else ranked
        for who in right:
            wrong = others if not who.all() else others[:1]
            truth.append(np.full(wrong.size, c))
            said.append(np.where(who[None, :], c, wrong[:, None]))
            mass.append(np.full(wrong.size, given[c] / len(right) / wrong.size))
    every = np.concatenate(truth)
    scale = np.divide(support + own, support + given, out=np.ones(joint.k), where=support > 0)
    return every, np.concatenate(said), np.concatenate(mass), scale[every]


def _outcomes(m: int) -> list[BoolArray]:
    """Return who is right: all or none, and each alone; of two classifiers these are all there are."""
    alone = [np.arange(m) == i for i in range(m)]
    return [np.ones(m, dtype=bool), *alone, np.zeros(m, dtype=bool)]


def independent_difference(
    a: ConfusionCounts, b: ConfusionCounts, measure: Measure, *, positive: int | None, rng: Any = 0
) -> Difference:
    """Return the difference of a count measure between two classifiers judged on different cases."""
    one, other = (of_table(measure, counts, positive) for counts in (a, b))
    if np.isnan(one) or np.isnan(other):
        return Difference(one, other, None, "")
    turned = _cells(b) < _cells(a)
    first, second = (b, a) if turned else (a, b)
    seeds = np.random.default_rng(rng).spawn(2)
    own = [_own(counts, measure, positive, seed) for counts, seed in zip((first, second), seeds, strict=True)]
    found = difference(own[0], own[1])
    told = f"independent posteriors, {found.method.removeprefix('exact: independent ')}"
    if not isinstance(found.law, Drawn):
        law = difference(own[1], own[0]).law if turned else found.law
        return Difference(one, other, law, told)
    each = found.law.draws
    if _cells(a) == _cells(b):
        each = np.concatenate((each, -each))
    each = widened_draws(each, shuffle_tail(first, second, measure, positive, rng=rng), measure.high - measure.low)
    return Difference(one, other, Drawn(-each if turned else each), f"{told}, no surer than exchanges of cases")


def _cells(counts: ConfusionCounts) -> list[float]:
    """Return what one of two tables is told first by, whoever is named first."""
    return [float(counts.n), *effective_cells(counts).ravel().tolist()]


def _own(counts: ConfusionCounts, measure: Measure, positive: int | None, seed: Any) -> Posterior:
    label = None if positive is None or not isinstance(measure, ClassMeasure) else counts.classes[positive]
    macro = isinstance(measure, ClassMeasure) and label is None
    if macro or measure.name in _DRAWN:
        return drawn(measure, counts, 1 / np.size(effective_cells(counts)), label, seed, macro=macro)
    return posterior(counts, measure.name, prior="flat", positive=label, rng=seed)
