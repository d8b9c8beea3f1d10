"""Fit a correction to a file too large to hold: sums over its cases, and what the correction does to them, in two passes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.findings import Finding
from adjudge._base.text import counted as counted_words
from adjudge.corrections.file import Correction
from adjudge.corrections.fitting import Fitted, check_named, new_priors, score_columns
from adjudge.corrections.labelled import checked_sums
from adjudge.corrections.multipliers import Multipliers, limits_of, of_moments, rule_of, sums_of, told_of, unchanged_rule
from adjudge.corrections.priors import Priors
from adjudge.corrections.recipes import BALANCED, Kind, Known, Recipe, decided, uncorrected
from adjudge.counts.moments import Moments, joined
from adjudge.counts.passes import BlockPasses, CaseBlock, added
from adjudge.counts.sampling import drawn_for
from adjudge.predictions.model import Predictions
from adjudge.stats.multiplier_rule import Outcome, Rescaling

IN_PASSES: tuple[Kind, ...] = ("multipliers", "priors")
"""What follows from sums over the cases; the other kinds need all cases at once."""


def fit_in_passes(
    predictions: Predictions,
    kind: Kind,
    *,
    folds: int,
    named_group: bool = False,
    unlabelled: Any = None,
    counted: Any = None,
    level: float = 0.95,
    **asked: Any,
) -> Fitted:
    """Return what :func:`adjudge.corrections.fitting.fit_cases` would, and the rates of cases left out; no cases are held.

    Folds are dealt row by row, since a case cannot wait for all others: the rates of cases left out are those of another deal.
    Groups that were found, not named, count only if they are as many as `folds`.
    """
    recipe = Recipe(kind, **asked)
    sums = _Sums(predictions, recipe, folds)
    if sums.by_group and not named_group and sums.few_groups:
        alone = replace(predictions.roles, group=None)
        sums = _Sums(Predictions.of(predictions.source, alone, predictions.reading), recipe, folds)
    priors = None
    if kind == "priors":
        priors = new_priors(sums.standing(), recipe, unlabelled, counted, level)
        recipe = recipe if priors is None else replace(recipe, priors=priors.shift().new)
    return _judged(sums, recipe, priors)


class _Sums:
    """The cases by fold, summed up in one pass; by class too, where classes are to weigh alike."""

    def __init__(self, predictions: Predictions, recipe: Recipe, folds: int) -> None:
        self.passes, self.folds = BlockPasses(predictions), folds
        self.by_group, self.balanced = predictions.roles.group is not None, recipe.weights == BALANCED
        self.parts = self.passes.parted(self._part)
        if self.by_group:
            check_named(self.passes.encoder)
        self.k = len(self.passes.classes)
        if self.passes.weighted and self.passes.lightest == self.passes.heaviest > 0:
            self.parts = {part: sums.times(1 / self.passes.heaviest) for part, sums in self.parts.items()}
            weighted = self.passes.predictions  # weights that are all the same are none
            self.passes.predictions = Predictions.of(weighted.source, replace(weighted.roles, weight=None), weighted.reading)
        checked_sums(self.moments())

    def _part(self, block: CaseBlock) -> IntArray:
        first = self.fold(block) * block.p.shape[1]
        return np.asarray(first + block.truth if self.balanced else first)

    def fold(self, block: CaseBlock) -> IntArray:
        """Return the fold of each case: drawn for its row, or that of its group."""
        if block.group is not None:
            return np.asarray(block.group % self.folds)
        rows = np.arange(block.first, block.first + block.truth.size)
        return np.asarray(drawn_for(rows) % np.uint64(self.folds)).astype(np.int64)

    @property
    def few_groups(self) -> bool:
        """Whether groups cannot be left out in turn."""
        return len(self.passes.encoder.groups.book) < self.folds

    def moments(self, without: int | None = None) -> Moments:
        """Return the sums over all cases, or all but those of a fold."""
        return joined((sums for part, sums in self.parts.items() if part // self.k != without), self.k)

    def weighed(self, without: int | None = None) -> Moments:
        """Return the same with every class weighing 1, where classes are to weigh alike."""
        whole = self.moments(without)
        if not self.balanced:
            return whole
        kept = (sums for part, sums in self.parts.items() if part // self.k != without and sums.size > 0)
        return joined((sums.times(1 / whole.totals[sums.totals.argmax()]) for sums in kept), self.k)

    def standing(self, without: int | None = None) -> Known:
        """Return a case for each class that weighs as much as all of the class: enough to count priors."""
        encoder, totals = self.passes.encoder, self.moments(without).totals
        return Known(
            np.eye(self.k),
            np.arange(self.k),
            self.passes.classes,
            weight=totals,
            truth=encoder.roles.truth,
            scores=score_columns(encoder),
            scale=encoder.scores.scale,
        )


def _correction(recipe: Recipe, sums: _Sums, without: int | None = None) -> Correction:
    """Return the correction of all cases, or of all but those of a fold."""
    if recipe.kind != "multipliers":
        return recipe.fitted(sums.standing(without))
    limits = limits_of(recipe.bounds, "linear", "squared")
    return of_moments(sums.weighed(without), int(sums.moments().totals.argmax()), sums.passes.classes, limits)


@dataclass(slots=True)
class _Rates:
    """What decisions and probabilities are worth, case by case added up."""

    right: FloatArray
    """Weight of the cases of each class decided rightly."""
    totals: FloatArray
    decided: float = 0.0
    loss: float = 0.0

    def add(self, block: CaseBlock, p: FloatArray, codes: IntArray) -> None:
        """Add some cases."""
        truth, w = block.truth, np.ones(block.truth.size) if block.weight is None else block.weight
        off = p.copy()
        off[np.arange(truth.size), truth] -= 1
        self.right += np.bincount(truth, w * (codes == truth), self.right.size)
        self.totals += np.bincount(truth, w, self.totals.size)
        self.decided += float(w[codes >= 0].sum())
        self.loss += float((w * np.einsum("ij,ij->i", off, off)).sum())

    def values(self, *, balanced: bool) -> dict[str, float]:
        """Return the means over all cases, each weighted as it counts."""
        size, right = float(self.totals.sum()), float(self.right.sum())
        found = {"accuracy": right / size, "error": (self.decided - right) / size, "squared loss": self.loss / size}
        if balanced:
            there = self.totals > 0
            found["balanced accuracy"] = float((self.right[there] / self.totals[there]).mean())
        return found


class _Worth:
    """What a correction does to the cases, gathered in the second pass."""

    def __init__(self, sums: _Sums, recipe: Recipe, correction: Correction) -> None:
        self.sums, self.recipe, self.correction = sums, recipe, correction
        self.totals = sums.moments().totals
        self.before, self.after, self.left_out = (_Rates(np.zeros(sums.k), np.zeros(sums.k)) for _ in range(3))
        self.crossed = [_correction(recipe, sums, fold) for fold in range(sums.folds)] if self.tells_left_out else []
        self.rules: list[tuple[Rescaling, float | None]] = []
        if isinstance(correction, Multipliers):
            known = sums_of(sums.weighed(), correction.majority)
            rules = (rule_of(correction), unchanged_rule(correction.majority, sums.k))
            self.rules = [(rule, known.loss(rule.multipliers[0])) for rule in rules]
        self.outcomes = [Outcome(loss or 0.0, 0.0, np.zeros(sums.k, dtype=np.int64)) for _, loss in self.rules]

    @property
    def tells_left_out(self) -> bool:
        """Whether it learns from the cases, and parts of them can be left out."""
        return self.recipe.is_fitted and not (self.sums.by_group and self.sums.few_groups)

    def add(self, block: CaseBlock) -> None:
        """Add some cases."""
        given = self.sums.passes.decisions_given and block.decided is not None
        self.before.add(block, block.p, block.decided if given else uncorrected(self.correction, block.p))  # type: ignore[arg-type]
        self.after.add(block, *decided(self.correction, block.p))
        if self.crossed:
            self.left_out.add(block, *self._crossed(block))
        weight = block.weight
        if self.sums.balanced:
            weight = (1.0 if weight is None else weight) / self.totals[block.truth]
        each = [rule.outcome(block.p, block.truth, weight, loss=None if loss is None else 0.0) for rule, loss in self.rules]
        self.outcomes = [added(old, new) for old, new in zip(self.outcomes, each, strict=True)]

    def _crossed(self, block: CaseBlock) -> tuple[FloatArray, IntArray]:
        """Return what corrections make of the cases that were not fitted to them."""
        p, codes, fold = block.p.copy(), np.empty(block.truth.size, dtype=np.int64), self.sums.fold(block)
        for part in np.unique(fold).tolist():
            out = fold == part
            p[out], codes[out] = decided(self.crossed[part], block.p[out])
        return p, codes


def _judged(sums: _Sums, recipe: Recipe, priors: Priors | None) -> Fitted:
    worth = _Worth(sums, recipe, _correction(recipe, sums))
    for block in sums.passes.blocks():
        worth.add(block)
    correction, findings = worth.correction, () if priors is None else priors.findings
    if isinstance(correction, Multipliers):
        plain = not sums.passes.weighted and not sums.balanced
        after, before = worth.outcomes
        correction = told_of(correction, after, before, sums.weighed().totals, whole=plain)
        findings = (*correction.findings, *findings)
    told = not recipe.is_fitted or bool(worth.crossed)
    if not told:
        groups = counted_words(len(sums.passes.encoder.groups.book), "group")
        why = f"{sums.folds} folds need as many groups, and there are {groups}. Use fewer folds, or leave groups out."
        few = f"What it gains is not told, since it cannot be judged on cases left out: {why}"
        findings = (*findings, Finding("A844", few, "Fit it to more cases."))
    left_out = worth.left_out.values(balanced=sums.balanced) if worth.crossed else {}
    return Fitted(
        recipe.kind,
        correction,
        sums.passes.rows,
        worth.before.values(balanced=sums.balanced) if told else {},
        worth.after.values(balanced=sums.balanced) if told else {},
        priors=priors,
        findings=findings,
        in_sample=recipe.is_fitted,
        left_out=left_out,
        recipe=recipe,
    )
