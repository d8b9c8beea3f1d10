"""What corrections can be tried on: probabilities and truths of some of the cases that were counted, always the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge._base.arguments import wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.text import counted
from adjudge.corrections.fitting import Fitted, rates
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.operating import AccuracyRejection, accuracy_rejection
from adjudge.corrections.recipes import BALANCED, Known
from adjudge.corrections.rejection import Rejection
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.sampling import alike
from adjudge.counts.tally import Tally
from adjudge.judgements.candidates import dealt
from adjudge.judgements.crossfit import cross_fitted
from adjudge.judgements.recommendation import FEWEST, FOLDS, Recommendations, recommend_sampled
from adjudge.predictions.label_columns import MISSING_CLASS

_ROUNDING = 1e-3
MOST_CLASSES = 12
"""Classes up to which a page tries corrections by itself."""
_TWO = 2
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCases:
    """Probabilities and true classes of some cases, with how many of all cases each stands for."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int
    """How many cases there were to draw from."""
    decided: IntArray | None = None
    """The place of the class each case was given; None where the highest probability decides."""
    group: IntArray | None = None
    """The number of the group of each case, where there are groups."""
    weight: FloatArray | None = None
    """How many of all cases each stands for, the same for all of a class; None where all cases are here."""
    alike: IntArray | None = None
    """Which of these cases can count alike: classes are as frequent among them as among all; None for every one."""

    @property
    def labels(self) -> AnyArray:
        """The true classes."""
        return named(self.y, self.classes)

    @property
    def counting_alike(self) -> DrawnCases:
        """The cases that can count alike, for what knows no weights."""
        if self.alike is None:
            return self
        at = self.alike
        decided, group = (None if part is None else part[at] for part in (self.decided, self.group))
        return DrawnCases(self.p[at], self.y[at], self.classes, self.of, decided, group)


def named(codes: IntArray, classes: tuple[Any, ...]) -> AnyArray:
    """Return labels by their places among the classes."""
    labels = np.empty(codes.size, dtype=object)
    labels[:] = [classes[at] for at in codes]
    return labels


def drawn_cases(tally: Tally) -> DrawnCases | None:
    """Return cases with the probabilities of all classes; None where there are none, or where cases have weights of their own."""
    some = None if tally.scores is None else tally.scores.some
    counts = tally.confusion
    if tally.scores is None or some is None or tally.probabilities is None:
        return None
    if isinstance(counts, WeightedCounts) or counts.has_rejected:
        return None
    given, columns = np.clip(some.scores.astype(np.float64), 0, 1), list(tally.scores.columns)
    if given.shape[1] == 1:
        given, columns = np.column_stack([given[:, 0], 1 - given[:, 0]]), [columns[0], 1 - columns[0]]
    sums = given.sum(axis=1, keepdims=True)
    if len(columns) != counts.k or np.any(np.abs(sums - 1) > _ROUNDING):
        return None
    p = np.empty_like(given)
    p[:, columns] = given / sums
    decided, group = (None if part is None else frozen(part, np.int64) for part in (some.decided, some.group))
    weight = kept = None
    if np.any(some.kept < some.sizes):
        weight, kept = frozen(some.weight), frozen(alike(some), np.int64)
    return DrawnCases(frozen(p), frozen(some.truth, np.int64), tuple(counts.classes), int(counts.n), decided, group, weight, kept)


@dataclass(frozen=True, eq=False)
class Correctable:
    """Cases to try corrections on."""

    cases: DrawnCases
    group: IntArray | None = None
    """The group of each case, where there are as many as folds: then groups are left out whole."""
    about_groups: str = ""
    """What to know of groups that were not used, if anything."""
    refused: bool = False
    """Whether nothing is tried, for what `about_groups` says."""

    def recommendations(self) -> tuple[Recommendations, ...]:
        """Return what corrections gain in accuracy; and in balanced accuracy, where classes are of unequal size."""
        if self.refused:
            return ()
        some = self.cases
        known = Known(some.p, some.y, some.classes, some.weight, group=self._numbered, decided=some.decided)
        names = ("accuracy", "balanced_accuracy") if known.totals.max() > _UNEQUAL * known.totals.min() else ("accuracy",)
        return tuple(recommend_sampled(known, name) for name in names)

    @property
    def _numbered(self) -> IntArray | None:
        """The groups of these cases, numbered from 0."""
        return None if self.group is None else np.unique(self.group, return_inverse=True)[1].astype(np.int64)

    def rejecting(self) -> AccuracyRejection:
        """Return the accuracy of what is decided as the least sure cases are left undecided; of cases that count alike."""
        some = self.cases.counting_alike
        return accuracy_rejection(some.p, some.y, classes=range(len(some.classes)))


def correctable(tally: Tally, cases: DrawnCases | None) -> Correctable | None:
    """Return cases to try corrections on; None where corrections have nothing to go by."""
    counts = tally.confusion
    if counts.n < FEWEST or not _TWO <= counts.k <= MOST_CLASSES or (counts.support == 0).any():
        return None
    return None if cases is None else Correctable(cases, **_grouped(tally, cases.group))


def uncorrectable(tally: Tally, cases: DrawnCases | None, *, repeats: float = 1.0) -> str:
    """Return why no correction is tried, in words, or nothing."""
    counts = tally.confusion
    if tally.scores is None or tally.probabilities is None or counts.k < _TWO:
        return ""  # decisions alone, or scores that only rank, leave nothing to correct
    reasons = {
        "cases come back in several folds, so that their answers are not independent": repeats > 1,
        f"there are {counts.k:,} classes, and each of more than {MOST_CLASSES} would need its own multiplier": (
            counts.k > MOST_CLASSES
        ),
        f"there are fewer than {FEWEST} cases to try them on": counts.n < FEWEST,
        "some class has no case to try them on": bool((counts.support == 0).any()),
        "cases have weights, and gains are judged on cases that count alike": isinstance(counts, WeightedCounts),
        "some cases were left without a decision": counts.has_rejected,
        "the cases were counted where they are, and none was kept to try them on": tally.scores.some is None,
        "the probabilities of a case do not cover all classes, or do not sum to 1": cases is None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _grouped(tally: Tally, group: AnyArray | None) -> dict[str, Any]:
    """Return the groups to leave out whole; a few parts, such as sites, are none, and cases of no group cannot be judged."""
    if group is None:
        return {}
    if MISSING_CLASS in tally.by_group:
        told = "Corrections were not tried: some cases have no group, and whether cases are independent is unknown."
        return {"about_groups": told, "refused": True}
    many = np.unique(group).size
    if many < FOLDS:
        return {"about_groups": f"{counted(many, 'group')} are too few to be left out in turn: cases were taken one by one."}
    return {"group": frozen(group, np.int64)}


def with_left_out(found: Fitted, cases: Known) -> Fitted:
    """Return the same fit with the rates of cases left out in turn; where that cannot be had, without the flattering ones.

    What was fitted to no case flatters nobody and stays as it is.
    """
    if not found.in_sample:
        return found
    recipe, fitted = found.recipe, found.correction
    if isinstance(fitted, Multipliers):
        recipe = replace(recipe, majority=fitted.majority)
    try:
        p, codes = cross_fitted(cases, recipe, dealt(cases.y, FOLDS, 0, cases.group))
    except InputError as error:
        why = wording("What it gains is not told, since it cannot be judged on cases left out: ", error.wording)
        told = Finding("A844", why, "Fit it to more cases.")
        return replace(found, before={}, after={}, findings=(*found.findings, told))
    costs = fitted.costs if isinstance(fitted, Rejection) else None
    return replace(found, left_out=rates(cases, p, codes, costs, balanced=recipe.weights == BALANCED))
