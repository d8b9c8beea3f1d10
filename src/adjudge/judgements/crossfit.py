"""Corrections fitted on some folds and judged on the others: the gains, and what the best does before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.show import Shown, plain
from adjudge.corrections.file import Correction
from adjudge.corrections.recipes import Known, Recipe, decided, uncorrected
from adjudge.corrections.rejection import Rejection
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.joint import outcomes_of
from adjudge.counts.probabilities import case_losses
from adjudge.estimates.score_differences import mean_law
from adjudge.judgements.candidates import SHARES, Prices
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value
from adjudge.stats.law import Law
from adjudge.stats.paired import paired_law
from adjudge.stats.student import PointLaw

_DIGITS = 6  # of sums of weights: all cases of a class are again a whole number


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one correction did to cases that took no part in fitting it."""

    each: FloatArray
    """What each case adds to the gain."""
    law: Law
    method: str
    in_sample: float
    rejected: float | None
    correction: Correction
    """Fitted on all cases."""
    p: FloatArray
    """The probabilities as corrections that had not seen the case leave them."""
    decided: IntArray
    """The decisions of corrections that had not seen the case, -1 for none."""
    always: int | None
    """The only class that it decides for on all cases, fitted on all of them; None where there are several."""

    @property
    def gain(self) -> float:
        """More is better."""
        return float(self.each.sum())

    @property
    def p_gain(self) -> float:
        """How probable a gain is; what makes no difference to any case is none."""
        if not self.each.any():
            return 0.0
        return float(self.law.at > 0) if isinstance(self.law, PointLaw) else float(self.law.sf(0.0))


def cross_fitted(cases: Known, recipe: Recipe, fold: IntArray) -> tuple[FloatArray, IntArray]:
    """Return probabilities and decisions of corrections fitted without the fold of the case; -1 where none was made."""
    p, codes = cases.p.copy(), np.empty(cases.y.size, dtype=np.int64)
    for part in np.unique(fold):
        out = fold == part
        p[out], codes[out] = decided(recipe.fitted(cases.only(~out)), cases.p[out])
    return p, codes


class Crossed:
    """Corrections on the same cases, with the same folds, against the decisions given or those of the highest probability."""

    def __init__(self, cases: Known, measure: str, prices: Prices | None, fold: IntArray) -> None:
        self.cases, self.measure, self.prices, self.fold = cases, measure, prices, fold
        self.stratum = cases.y if measure == "balanced_accuracy" else np.zeros_like(cases.y)
        sizes = np.bincount(self.stratum, cases.weight)
        one = 1.0 if cases.weight is None else cases.weight
        self.share: FloatArray = one / (sizes[self.stratum] * np.count_nonzero(sizes))
        """How much of the measure is one case: classes count alike in balanced accuracy, else all cases do."""

    def before(self, correction: Correction) -> float:
        """Return the value without a correction, ties going where this one lets them go."""
        return float(self.share @ self._without(correction))

    @property
    def groups(self) -> int | None:
        """How many groups there are."""
        return None if self.cases.group is None else int(self.cases.group.max()) + 1

    def of(self, recipe: Recipe) -> Judged:
        """Fit with each fold left out, and once on all cases."""
        p, codes = cross_fitted(self.cases, recipe, self.fold)
        whole = recipe.fitted(self.cases)
        without, (fitted, decisions) = self._without(whole), decided(whole, self.cases.p)
        after, seen = self._values(p, codes), self._values(fitted, decisions)
        each, flattering = self._gains(without, after, codes < 0), self._gains(without, seen, decisions < 0)
        law, method = self._law(each, after, without)
        return Judged(
            each=self.share * each,
            law=law,
            method=method,
            in_sample=float(self.share @ flattering),
            rejected=float(self.share @ (codes < 0)) if isinstance(whole, Rejection) else None,
            correction=whole,
            p=p,
            decided=codes,
            always=int(decisions[0]) if decisions[0] >= 0 and (decisions == decisions[0]).all() else None,
        )

    def alike(self, found: Judged) -> bytes:
        """Return what two corrections share that come to the same for every case: decisions, or probabilities."""
        decides = self.prices is not None or self.measure in SHARES
        return (found.decided if decides else found.p).tobytes()

    def of_choice(self, tried: list[Judged]) -> float:
        """Return what choosing gained: in each fold, by the correction of the largest gain in all others, or by none."""
        folds = int(self.fold.max()) + 1
        gains = np.array([np.bincount(self.fold, found.each, folds) for found in tried] + [np.zeros(folds)])
        chosen = np.argmax(gains.sum(axis=1, keepdims=True) - gains, axis=0)
        return float(gains[chosen, np.arange(folds)].sum())

    def _without(self, correction: Correction) -> FloatArray:
        """Return the value of each case as it was decided, or would be by the highest probability."""
        given = self.cases.decided
        return self._values(self.cases.p, uncorrected(correction, self.cases.p) if given is None else given)

    def _values(self, p: FloatArray, codes: IntArray) -> FloatArray:
        truth = self.cases.y
        if self.prices is not None:
            return np.asarray(self.prices.table[truth, codes])  # -1, the last column, where rejected
        if self.measure in SHARES:
            return np.asarray(codes == truth, dtype=np.float64)
        own = np.maximum(p[np.arange(truth.size), truth], np.finfo(np.float64).tiny)  # one impossible case decides nothing
        return case_losses(self.measure, p, own, len(self.cases.classes))

    def _gains(self, without: FloatArray, after: FloatArray, rejected: BoolArray) -> FloatArray:
        """Return how much better each case is off, more being better.

        Where rejecting costs nothing, any rejection saves costs; a rule is worth something only as far as it saves more than
        rejecting as many cases at random, which takes the same share off the cost of every case. How many are rejected is itself
        found on these cases; the last term makes the spread of the gains know that, and leaves their mean alone.
        """
        if self.measure in SHARES:
            return after - without
        if self.prices is None or not self.prices.free:
            return without - after
        share, left = float(self.share @ rejected), self.prices.table[self.cases.y, -1]
        saved = (rejected - share) * float(self.share @ (left - without))
        return np.asarray((1 - share) * without + share * left - after + saved)

    def _law(self, each: FloatArray, after: FloatArray, without: FloatArray) -> tuple[Law, str]:
        """Return what to believe of the gain, and how that was found."""
        if self.cases.group is not None:
            return self._law_of_groups(each, self.cases.group), "cross-fitted, t of groups"
        if self.measure not in SHARES:
            return mean_law(each, self.cases.weight), "cross-fitted, paired"
        if self.cases.weight is not None and self.measure == "accuracy":
            return self._law_of_sample(after, without), "cross-fitted, paired by class"
        ones = np.ones(after.size)
        outcomes = outcomes_of(after > 0, without > 0, self.stratum, ones, int(self.stratum.max()) + 1)
        return paired_law(outcomes[outcomes.sum(axis=1) > 0] + 1), "cross-fitted, paired"

    def _law_of_sample(self, after: FloatArray, without: FloatArray) -> Law:
        r"""Return the law of a gain in accuracy from some cases of each class, with :math:`W_c = N_c / N` of all cases.

        The gain is :math:`\sum_c W_c d_c`, and that of each class has a posterior of its own, so that no change among few cases
        of a large class is not taken for none among all. How frequent classes happened to be among all N cases adds
        :math:`W_c (d_c - d)^2 / N` to the variance, by the law of total variance: the cases of a class are worth less by that.
        """
        y, totals = self.cases.y, self.cases.totals
        outcomes = outcomes_of(after > 0, without > 0, y, np.ones(y.size), totals.size)
        known = totals > 0
        outcomes, weights = outcomes[known], totals[known] / totals.sum()
        alone = [paired_law(row[None] + 1) for row in outcomes]
        gains, spreads = (np.array([getattr(law, name) for law in alone]) for name in ("mean", "var"))
        within = weights**2 * spreads
        between = weights * (gains - weights @ gains) ** 2 / totals.sum()
        return paired_law(outcomes * (within / (within + between))[:, None] + 1, weights)

    def _law_of_groups(self, each: FloatArray, group: IntArray) -> Law:
        r"""Return the law of a gain over groups whose cases are not independent: Student's t of what each group adds.

        With :math:`u_g` the sum over its cases of share times the difference to the mean of the class (or of all cases), the
        variance is :math:`\frac{G}{G-1} \sum_g u_g^2`: the linearised variance of a ratio between clusters, Cochran (1977),
        Sampling Techniques, section 11.8. The mean of :math:`\bar d + G u_g` has just this.
        """
        sizes = np.bincount(self.stratum, self.share)
        mean = np.bincount(self.stratum, self.share * each) / np.where(sizes > 0, sizes, 1.0)
        added = np.bincount(group, self.share * (each - mean[self.stratum]))
        return mean_law(np.asarray(float(self.share @ each) + added.size * added, dtype=np.float64), None)


@dataclass(frozen=True, slots=True, eq=False)
class BeforeAfter(Shown):
    """Decisions without a correction and with it, the correction being fitted without the case."""

    name: str
    before: ConfusionCounts
    after: ConfusionCounts
    brier: tuple[float, float]
    """The Brier score without and with it."""

    @property
    def measures(self) -> dict[str, tuple[float, float]]:
        """Errors in 1,000 cases, accuracy, balanced accuracy and Brier score, each without and with the correction."""
        tables = (self.before, self.after)
        found = {m.name: tuple(value(m, table) for table in tables) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
        wrong = (1000 * float(table.n - table.correct.sum() - table.rejected.sum()) / table.n for table in tables)
        return {"errors_per_1000": (next(wrong), next(wrong)), **found, "brier": self.brier}

    def to_dict(self) -> dict[str, Any]:
        """Return both tables and what follows from them as plain Python."""
        return {"name": self.name, "before": self.before.to_dict(), "after": self.after.to_dict(), **plain(self.measures)}


def before_after(cases: Known, name: str, found: Judged) -> BeforeAfter:
    """Return what one correction did, as it was fitted with the fold of each case left out."""
    given = uncorrected(found.correction, cases.p) if cases.decided is None else cases.decided
    rejects = bool((given < 0).any() or (found.decided < 0).any())
    before, after = (_table(cases, codes, rejects=rejects) for codes in (given, found.decided))
    return BeforeAfter(name, before, after, (_brier(cases, cases.p), _brier(cases, found.p)))


def _table(cases: Known, codes: IntArray, *, rejects: bool) -> ConfusionCounts:
    k, at = len(cases.classes), (cases.y, np.where(codes < 0, len(cases.classes), codes))
    if cases.weight is None:
        return ConfusionCounts(_added(at, 1, (k, k + rejects)), tuple(cases.classes))
    cells, squares = (np.round(_added(at, cases.weight**power, (k, k + rejects)), _DIGITS) for power in (1, 2))
    return WeightedCounts(cells, tuple(cases.classes), squares=squares)


def _added(at: tuple[IntArray, IntArray], values: Any, shape: tuple[int, int]) -> AnyArray:
    table = np.zeros(shape, dtype=np.asarray(values).dtype)
    np.add.at(table, at, values)
    return table


def _brier(cases: Known, p: FloatArray) -> float:
    own = p[np.arange(cases.y.size), cases.y]
    return float(np.average(case_losses("brier", p, own, p.shape[1]), weights=cases.weight))
