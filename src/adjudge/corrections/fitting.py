"""Fit a correction to predictions whose truth is known, and say what it does to these very cases."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, either, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import listed, quoted, safe
from adjudge.corrections.class_numbers import shares_of
from adjudge.corrections.file import Correction, save_correction
from adjudge.corrections.priors import Priors, count_priors, estimate_passes
from adjudge.corrections.recipes import (
    BALANCED,
    Kind,
    Known,
    Recipe,
    Thresholds,
    balanced_weight,
    check_probabilities,
    decided,
    uncorrected,
)
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.scored import ScoredPasses, both, find_scores
from adjudge.counts.moments import summing_to_one
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.label_columns import MISSING_CLASS, LabelReader
from adjudge.predictions.labels import Codebook, Gaps
from adjudge.predictions.model import Predictions
from adjudge.predictions.sources import open_path

_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Shown):
    """A correction, and what it does to the cases it was fitted to: more than it will do for others."""

    kind: Kind
    correction: Correction
    cases: int
    before: dict[str, float]
    """Accuracy, error and the like without it; empty where scores only rank."""
    after: dict[str, float]
    priors: Priors | None = None
    """Where the new priors were estimated or counted."""
    findings: tuple[Finding, ...] = ()
    in_sample: bool = True
    """Whether it learnt from these cases; costs and priors from elsewhere did not."""
    left_out: dict[str, float] = field(default_factory=dict)
    """The same as `after`, each case by a correction fitted without it; empty where nobody asked."""
    recipe: Recipe = field(default_factory=lambda: Recipe("multipliers"), repr=False)
    """How to fit it again."""

    def __repr__(self) -> str:
        return self.in_words()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the correction as a .json file, to be applied elsewhere; or what it does to these cases as .html or .md."""
        page = Path(path).suffix.lower() in (".html", ".htm", ".md")
        return Shown.save(self, path) if page else save_correction(self.correction, path)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the recipe as plain Python."""
        names = ("kind", "correction", "cases", "before", "after", "left_out", "priors", "findings", "in_sample")
        return {name: plain(getattr(self, name)) for name in names}


class TooManyCasesError(InputError):
    """More cases than are to be held."""


def known(predictions: Predictions, *, most: int | None = None) -> Known:
    """Return all cases at once: a correction is fitted to them together.

    More than `most` scores are not gathered: there is another way for them (:mod:`adjudge.corrections.fitting_passes`).
    """
    encoder = Encoder(without_duplicates(predictions))
    row = encoder.roles.row
    identities = Identities(row) if row and encoder.reading.duplicates == "error" else None
    parts, held = [], 0
    for block in encoder.blocks():
        if identities is not None and block.row is not None:
            identities.add(block.row, block.fold, block.number)
        parts.append((block.truth, block.scores, block.weight, block.group, block.predicted))
        held += 0 if block.scores is None else block.scores.size
        if most is not None and held > most:
            msg = f"There are more than {most:,} scores, too many to hold."
            raise TooManyCasesError(msg)
    if identities is not None:
        identities.check()
    form, classes = encoder.scores.form, encoder.classes
    if form == "none":
        msg = wording(
            "A correction needs the probabilities of the classes, and none were found. Name their columns with ",
            argument("scores"),
            ".",
        )
        raise InputError(msg)
    place = np.empty(len(encoder.labels.book), dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    truth = place[np.concatenate([part[0] for part in parts])]
    scores = np.concatenate([np.asarray(part[1], dtype=np.float64) for part in parts])
    weight, group = (None if parts[0][at] is None else np.concatenate([np.asarray(part[at]) for part in parts]) for at in (2, 3))
    if weight is not None and weight[0] > 0 and np.all(weight == weight[0]):
        weight = None  # weights that are all the same are none
    if group is not None:
        check_named(encoder)
    codes = np.concatenate([part[4] for part in parts])
    p, of = _by_class(scores, encoder, place)
    return Known(
        p,
        truth,
        classes,
        weight=weight,
        of=of,
        truth=encoder.roles.truth,
        scores=score_columns(encoder),
        scale=encoder.scores.scale,
        group=group,
        decided=np.where(codes < 0, -1, place[np.maximum(codes, 0)]) if encoder.decisions_given else None,
    )


def score_columns(encoder: Encoder) -> tuple[tuple[Any, str], ...]:
    """Return the columns the scores were read from, by class; none where one column holds them all."""
    scores = encoder.scores
    return () if scores.form == "vector" else tuple(zip(scores.classes, scores.columns, strict=True))


def check_named(encoder: Encoder) -> None:
    """Refuse cases of no group: they are neither one group nor each its own."""
    if MISSING_CLASS in encoder.groups.book.labels:
        column = quoted(encoder.roles.group)
        msg = wording(
            f"column {column} has cases without a group. Name their groups, leave them out, or pass ",
            argument("group", ""),
            ".",
        )
        raise InputError(msg)


def _by_class(scores: FloatArray, encoder: Encoder, place: IntArray) -> tuple[FloatArray, Any]:
    """Return the scores in the order of the classes; or those that only rank, and of which class they are."""
    classes, ranks = encoder.classes, encoder.scores.scale == "scores"
    if encoder.scores.form == "single":
        at = int(place[0])
        return (scores[:, 0], classes[at]) if ranks else (both(np.clip(scores[:, 0], 0, 1), at), None)
    if ranks:
        msg = wording(
            "These scores only rank; a correction needs probabilities, percentages, votes or logits. See ",
            argument("scores_are"),
            ".",
        )
        raise InputError(msg)
    if scores.shape[1] != len(classes) or len(classes) < _TWO:
        told = f"there are {scores.shape[1]} score columns and {len(classes)} classes: {listed(classes)}"
        msg = f"Every class needs a score column and there must be two or more; {told}."
        raise InputError(msg)
    return summing_to_one(np.ascontiguousarray(scores[:, encoder.order])), None  # one layout, so that sums are the same digits


def fit_cases(
    cases: Known,
    kind: Kind,
    *,
    bounds: Any = "usual",
    weights: Any = None,
    thresholds: Thresholds | None = None,
    gamma: float | None = None,
    alpha: float | None = None,
    costs: Any = None,
    reject_cost: float | None = None,
    max_rejection: float | None = None,
    positive: Any = None,
    priors: Any = None,
    unlabelled: str | os.PathLike[str] | None = None,
    counted: str | os.PathLike[str] | None = None,
    old: Any = None,
    level: float = 0.95,
) -> Fitted:
    """Return a correction of the named kind, with what it does to the cases it was fitted to.

    "multipliers", "softmax" and "errors" are forms and goals of :func:`adjudge.fit_multipliers`, with `weights` "balanced"
    for all classes alike; "reject" is :func:`adjudge.fit_rejection`, and "costs" its rule of least expected cost; "priors" shifts
    class priors to given ones, to those "counted" in these cases, or to those estimated from an unlabelled or counted in a
    labelled file. The old priors are the shares of these cases unless given.
    """
    recipe = Recipe(
        kind, bounds, weights, thresholds, gamma, alpha, costs, reject_cost, max_rejection, positive, priors=priors, old=old
    )
    found = None
    if kind == "priors":
        found = new_priors(cases, recipe, unlabelled, counted, level)
        recipe = recipe if found is None else replace(recipe, priors=found.shift().new)
    return _judged(recipe, recipe.fitted(cases), cases, found)


def new_priors(cases: Known, recipe: Recipe, unlabelled: Any, counted: Any, level: float) -> Priors | None:
    """Return the priors found in another file; None where they are given."""
    sources = {"priors": recipe.priors, "unlabelled": unlabelled, "counted": counted}
    given = [argument(name) for name, value in sources.items() if value is not None]
    if len(given) != 1:
        msg = wording(
            "The new priors come from one of ",
            either([argument("priors"), argument("unlabelled")], ", "),
            " and ",
            argument("counted"),
            "; got ",
            either(given, " and ") or "none",
            ".",
        )
        raise InputError(msg)
    if recipe.priors is not None:
        return None
    check_probabilities(cases)
    old = cases.shares if recipe.old is None else shares_of(recipe.old, cases.names, "old")
    if unlabelled is not None:
        source, own = open_path(Path(unlabelled)), dict(cases.scores)
        named: dict[str, Any] = {}
        if own and set(own.values()) <= set(source.names):  # columns of the same names
            named = {"scores": own} if len(own) > 1 else {"scores": cases.scores[0][1], "of": cases.scores[0][0]}
        scored = find_scores(source, cases.classes, scores_are=cases.scale, **named)
        return estimate_passes(ScoredPasses(scored), old=old, tol=1e-10, max_iter=10_000, level=level)
    return count_priors(labels_in(counted, cases.truth, cases.classes), classes=cases.classes, old=old, level=level)


def labels_in(path: str | os.PathLike[str], column: str, classes: tuple[Any, ...]) -> AnyArray:
    """Return the labels in one column of a file; one that is not among `classes` is refused."""
    source, gaps = open_path(Path(path)), Gaps()
    if column not in source.names:
        msg = f"{safe(source.name)}: there is no column {quoted(column)} of labels; the columns are {listed(source.names, 12)}."
        raise InputError(msg)
    reader = LabelReader(Codebook.of(classes, closed=True), source.cells, gaps=gaps)
    parts, before = [], 0
    for batch in source.batches([column], []):
        parts.append(reader.read(batch[column], column, before))
        before += len(parts[-1])
    for name, gap in gaps.columns.items():
        msg = f"{safe(source.name)}: column {quoted(name)} has {gap}; leave such cases out."
        raise InputError(msg)
    names = np.empty(len(classes), dtype=object)
    names[:] = classes
    return names[np.concatenate(parts)] if parts else names[:0]


def _judged(recipe: Recipe, correction: Correction, cases: Known, priors: Priors | None) -> Fitted:
    after, codes = decided(correction, cases.p)
    costs = correction.costs if isinstance(correction, Rejection) else None
    told = () if priors is None else priors.findings
    balanced = recipe.weights == BALANCED
    before: dict[str, float] = {}
    if cases.p.ndim > 1:
        own = uncorrected(correction, cases.p) if cases.decided is None else cases.decided
        before = rates(cases, cases.p, own, costs, balanced=balanced)
    return Fitted(
        recipe.kind,
        correction,
        cases.y.size,
        before,
        rates(cases, after, codes, costs, balanced=balanced),
        priors=priors,
        findings=(*getattr(correction, "findings", ()), *told),
        in_sample=recipe.is_fitted,
        recipe=recipe,
    )


def rates(cases: Known, p: FloatArray, codes: IntArray, costs: FloatArray | None, *, balanced: bool) -> dict[str, float]:
    """Return what decisions and probabilities are worth on these cases, each weighted as it counts."""
    truth, values = cases.y, {"accuracy": codes == cases.y, "error": (codes != cases.y) & (codes >= 0), "rejected": codes < 0}
    told: dict[str, Any] = dict(values)
    if costs is None:
        off = p.copy()
        off[np.arange(truth.size), truth] -= 1
        told["squared loss"] = np.einsum("ij,ij->i", off, off)
        told.pop("rejected")
    else:
        told["cost"] = costs[truth, codes]  # -1, the last column, where rejected
    found = {name: float(np.average(each, weights=cases.weight)) for name, each in told.items()}
    if balanced:
        found["balanced accuracy"] = float(np.average(codes == truth, weights=balanced_weight(cases)))
    return found
