"""Fit a correction to predictions whose truth is known, and say what it does to these very cases.

Multipliers and priors follow from sums: of a file too large to hold they are fitted, and judged, in two passes over it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, dataclass, either, field, quoted, replace, safe, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.text import counted as counted_words
from adjudge.corrections import labelled, recipes
from adjudge.corrections.costs import decision_labels, shares_of
from adjudge.corrections.file import Correction, save_correction
from adjudge.corrections.labelled import Known, checked_sums
from adjudge.corrections.multipliers import Multipliers, limits_of, of_moments, rescalings, told_of
from adjudge.corrections.priors import Priors, count_priors, estimate_passes
from adjudge.corrections.recipes import BALANCED, Kind, Recipe, decided, uncorrected
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.scored import existing, find_scores
from adjudge.counts.passes import BlockPasses, CaseBlock, Moments, added, joined
from adjudge.counts.sampling import drawn_for
from adjudge.predictions.labels import Codebook, Gaps
from adjudge.predictions.model import Predictions
from adjudge.predictions.readers import LabelReader
from adjudge.predictions.sources import Source, open_path
from adjudge.stats.multiplier_rule import Outcome, squared_loss

IN_PASSES: tuple[Kind, ...] = ("multipliers", "priors")  # follow from sums over the cases; other kinds need all at once


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Shown):
    """A correction, and what it does to the cases it was fitted to: more than it will do for others."""

    kind: Kind
    correction: Correction
    cases: int
    before: dict[str, float]
    """Accuracy, error and the like without it; empty where scores only rank."""
    after: dict[str, float]
    left_out: dict[str, float] = field(default_factory=dict)
    """The same as `after`, each case by a correction fitted without it; empty where nobody asked."""
    priors: Priors | None = None
    findings: tuple[Finding, ...] = ()
    in_sample: bool = True
    """Whether it learnt from these cases; costs and priors from elsewhere did not."""
    recipe: Recipe = field(default_factory=lambda: Recipe("multipliers"), repr=False)

    __repr__ = Shown.in_words
    _untold = ("recipe",)

    def save(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]  # data, which have no title
        """Write the correction as a .json file, to be applied elsewhere; or what it does to these cases as .html or .md."""
        page = Path(path).suffix.lower() in (".html", ".htm", ".md")
        return Shown.save(self, path) if page else save_correction(self.correction, path)


def fit_cases(
    cases: Known,
    kind: Kind,
    *,
    unlabelled: Any = None,
    counted: Any = None,
    level: float = 0.95,
    follow: Callable[[Any], Any] = lambda rows: rows,
    **asked: Any,
) -> Fitted:
    """Return a correction of the named kind and the parts of its recipe in `asked`, with what it does to these cases."""
    recipe, priors = _with_priors(Recipe(kind, **asked), cases, unlabelled, counted, level, follow)
    correction = recipe.fitted(cases)
    costs = correction.costs if isinstance(correction, Rejection) else None
    balanced = recipe.weights == BALANCED
    before: dict[str, float] = {}
    if cases.p.ndim > 1:
        own = uncorrected(correction, cases.p) if cases.decided is None else cases.decided
        before = rates(cases, cases.p, own, costs, balanced=balanced)
    after = rates(cases, *decided(correction, cases.p), costs, balanced=balanced)
    findings = (*getattr(correction, "findings", ()), *(() if priors is None else priors.findings))
    return Fitted(kind, correction, cases.y.size, before, after, {}, priors, findings, recipe.is_fitted, recipe)


def _with_priors(
    recipe: Recipe, known: Known, unlabelled: Any, counted: Any, level: float, follow: Callable[[Any], Any]
) -> tuple[Recipe, Priors | None]:
    """Return the recipe with the new priors found in another file, and those; as it is where it needs none or names them."""
    if recipe.kind != "priors":
        return recipe, None
    sources = {"priors": recipe.priors, "unlabelled": unlabelled, "counted": counted}
    given = [argument(name) for name, value in sources.items() if value is not None]
    if len(given) != 1:
        ways = either([argument(name) for name in ("priors", "unlabelled")], ", ")
        came = either(given, " and ") or "none"
        raise InputError(wording("The new priors come from one of ", ways, " and ", argument("counted"), "; got ", came, "."))
    if recipe.priors is not None:
        return recipe, None
    recipes.check_probabilities(known)
    old = known.shares if recipe.old is None else shares_of(recipe.old, known.classes, "old")
    if unlabelled is not None:
        source, own = follow(open_path(Path(unlabelled))), dict(known.scores)
        named: dict[str, Any] = {}
        if own and set(own.values()) <= set(source.names):  # columns of the same names
            named = {"scores": own} if len(own) > 1 else {"scores": known.scores[0][1], "of": known.scores[0][0]}
        scored = find_scores(source, known.classes, scores_are=known.scale, **named)
        priors = estimate_passes(scored, old=old, tol=1e-10, max_iter=10_000, level=level)
    else:
        labels = labels_in(follow(open_path(Path(counted))), known.truth, known.classes)
        priors = count_priors(labels, classes=known.classes, old=old, level=level)
    return replace(recipe, priors=priors.shift().new), priors


def labels_in(source: Source, column: str, classes: tuple[Any, ...]) -> AnyArray:
    """Return the labels in one column of a source; one that is not among `classes` is refused."""
    gaps = Gaps()
    existing(source, [column])
    reader = LabelReader(Codebook.of(classes, closed=True), source.cells, gaps=gaps)
    parts, before = [np.empty(0, dtype=np.int64)], 0
    for batch in source.batches([column], []):
        parts.append(reader.read(batch[column], column, before))
        before += len(parts[-1])
    for name, gap in gaps.columns.items():
        raise InputError(safe(source.name), f": column {quoted(name)} has {gap}; leave such cases out.")
    return decision_labels(np.concatenate(parts), classes)


def fit_in_passes(
    predictions: Predictions,
    kind: Kind,
    *,
    folds: int,
    named_group: bool = False,
    unlabelled: Any = None,
    counted: Any = None,
    level: float = 0.95,
    follow: Callable[[Any], Any] = lambda rows: rows,
    **asked: Any,
) -> Fitted:
    """Return what :func:`fit_cases` would, and the rates of cases left out, in folds drawn row by row; no cases are held."""
    recipe = Recipe(kind, **asked)
    sums = _Sums(predictions, recipe, folds)
    if sums.few_groups and not named_group:  # groups that were found count only if they are as many as the folds
        alone = replace(predictions.roles, group=None)
        sums = _Sums(Predictions.of(predictions.source, alone, predictions.reading), recipe, folds)
    recipe, priors = _with_priors(recipe, sums.standing(), unlabelled, counted, level, follow)
    correction, rules, balanced = _correction(recipe, sums), [], sums.balanced
    crossed = [_correction(recipe, sums, fold) for fold in range(folds)] if recipe.is_fitted and not sums.few_groups else []
    if isinstance(correction, Multipliers):
        rules = rescalings(correction, sums.weighed())
    outcomes = [Outcome(loss or 0.0, 0.0, np.zeros(sums.k, dtype=np.int64)) for _, loss in rules]
    before, after, left_out = (_Rates(sums.k) for _ in range(3))
    totals = sums.moments().totals
    for block in sums.passes.blocks():
        given = block.decided if sums.passes.encoder.decisions_given else None
        before.add(block, block.p, uncorrected(correction, block.p) if given is None else given)
        after.add(block, *decided(correction, block.p))
        if crossed:
            left_out.add(block, *sums.each_by_its_fold(block, crossed))
        weight = labelled.balanced(block.weight, totals, block.truth) if balanced else block.weight
        each = [rule.outcome(block.p, block.truth, weight, loss=None if loss is None else 0.0) for rule, loss in rules]
        outcomes = [added(old, new) for old, new in zip(outcomes, each, strict=True)]
    findings = () if priors is None else priors.findings
    if isinstance(correction, Multipliers):
        whole = not sums.passes.weighted and not balanced
        rescaled, unchanged = outcomes
        correction = told_of(correction, rescaled, unchanged, sums.weighed().totals, whole=whole)
        findings = (*correction.findings, *findings)
    told = not recipe.is_fitted or bool(crossed)
    if not told:
        groups = counted_words(len(sums.passes.encoder.groups.book), "group")
        why = f"{folds} folds need as many groups, and there are {groups}. Use fewer folds, or leave groups out."
        why = f"there are too few clusters to hold out whole ones in {folds} folds." if sums.clustered else why
        few = f"Its gain is unknown, since it cannot be tested on held-out cases: {why}"
        findings = (*findings, Finding("A844", few, "Fit it to more cases."))
    worth = [each.values(balanced=balanced) if told else {} for each in (before, after)]
    by_others = left_out.values(balanced=balanced) if crossed else {}
    cases, fitted = sums.passes.rows, recipe.is_fitted
    return Fitted(kind, correction, cases, worth[0], worth[1], by_others, priors, findings, fitted, recipe)


class _Sums:
    """The cases by fold, summed up in one pass; by class too, where classes are to weigh alike."""

    def __init__(self, predictions: Predictions, recipe: Recipe, folds: int) -> None:
        self.passes, self.folds, self.balanced = BlockPasses(predictions), folds, recipe.weights == BALANCED
        self.parts = self.passes.parted(lambda block: self.fold(block) * block.p.shape[1] + (block.truth if self.balanced else 0))
        self.clustered = predictions.roles.cluster is not None
        by_group = predictions.roles.group is not None and not self.clustered
        if by_group:
            recipes.check_named(self.passes.encoder)
        self.few_groups = by_group and len(self.passes.encoder.groups.book) < folds
        self.k = len(self.passes.classes)
        if self.passes.weighted and self.passes.lightest == self.passes.heaviest > 0:
            self.parts = {part: sums.times(1 / self.passes.heaviest) for part, sums in self.parts.items()}
            weighted = self.passes.predictions  # weights that are all the same are none
            self.passes.predictions = Predictions.of(weighted.source, replace(weighted.roles, weight=None), weighted.reading)
        if self.clustered:
            self.few_groups = len({part // self.k for part in self.parts}) < folds
        checked_sums(self.moments())

    def fold(self, block: CaseBlock) -> IntArray:
        """Return the fold of each case: drawn for its row, or that of its group."""
        if block.group is not None:
            return np.asarray(block.group % self.folds)
        rows = np.arange(block.first, block.first + block.truth.size)
        return np.asarray(drawn_for(rows) % np.uint64(self.folds)).astype(np.int64)

    def each_by_its_fold(self, block: CaseBlock, corrections: list[Correction]) -> tuple[FloatArray, IntArray]:
        """Return what corrections make of the cases that were not fitted to them."""
        p, codes, fold = block.p.copy(), np.empty(block.truth.size, dtype=np.int64), self.fold(block)
        for part in np.unique(fold).tolist():
            out = fold == part
            p[out], codes[out] = decided(corrections[part], block.p[out])
        return p, codes

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
        weight, told = self.moments(without).totals, recipes.read_from(self.passes.encoder)
        return Known(np.eye(self.k), np.arange(self.k), self.passes.classes, weight=weight, **told)


def _correction(recipe: Recipe, sums: _Sums, without: int | None = None) -> Correction:
    """Return the correction of all cases, or of all but those of a fold."""
    if recipe.kind != "multipliers":
        return recipe.fitted(sums.standing(without))
    limits = limits_of(recipe.bounds, "linear", "squared")
    return of_moments(sums.weighed(without), int(sums.moments().totals.argmax()), sums.passes.classes, limits)


def rates(cases: Known, p: FloatArray, codes: IntArray, costs: FloatArray | None, *, balanced: bool) -> dict[str, float]:
    """Return what decisions and probabilities are worth on these cases, each weighted as it counts."""
    block = CaseBlock(cases.p, cases.y, cases.weight)
    return _Rates(len(cases.classes), costs).add(block, p, codes).values(balanced=balanced)


class _Rates:
    """What decisions are worth, case by case added up: by what they cost, or else by the squared loss of the probabilities."""

    def __init__(self, k: int, costs: FloatArray | None = None) -> None:
        self.k, self.costs = k, costs
        self.cells, self.loss = np.zeros((k, k + 1)), 0.0  # weight by true class and decision, the last being rejection

    def add(self, block: CaseBlock, p: FloatArray, codes: IntArray) -> Self:
        """Add some cases."""
        places = block.truth * (self.k + 1) + np.where(codes < 0, self.k, codes)
        self.cells += np.bincount(places, block.weight, self.cells.size).reshape(self.cells.shape)
        if self.costs is None:
            self.loss += squared_loss(p, block.truth, block.weight)
        return self

    def values(self, *, balanced: bool) -> dict[str, float]:
        """Return the means over all cases, each weighted as it counts."""
        totals, right, rejected = self.cells.sum(axis=1), self.cells.diagonal(), float(self.cells[:, -1].sum())
        size, wrong = float(totals.sum()), float(self.cells[:, :-1][~np.eye(self.k, dtype=np.bool_)].sum())
        means = {"accuracy": float(right.sum()) / size, "error": wrong / size}
        if self.costs is None:
            means["squared loss"] = self.loss / size
        else:
            dear = self.cells[:, : self.costs.shape[1]] * self.costs
            means |= {"rejected": rejected / size, "cost": math.fsum(dear.ravel()) / size}
        if balanced:
            there = totals > 0
            means["balanced accuracy"] = float((right[there] / totals[there]).mean())
        return means
