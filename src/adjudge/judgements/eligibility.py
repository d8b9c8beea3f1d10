"""What corrections can be tried on: probabilities and truths of some of the cases that were counted, always the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import counted, dataclass, replace
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.sampling import alike, by_appearance
from adjudge.counts.tally import Tally
from adjudge.predictions.readers import MISSING_CLASS

FOLDS = 5
FEWEST = 50  # cases below which nobody should choose between corrections
_ROUNDING = 1e-3
MOST_CLASSES = 12  # classes up to which a page tries corrections by itself


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCases:
    """Probabilities and true classes of some cases, with how many of all cases each stands for."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int  # how many cases there were to draw from
    decided: IntArray | None = None  # the place of the class each case was given; None where the highest probability decides
    group: IntArray | None = None  # the number of the group of each case, where there are groups
    weight: FloatArray | None = None  # how many of all cases each stands for, alike in a class; None where all cases are here
    alike: IntArray | None = None  # which can count alike: classes are as frequent among them as among all; None for every one
    clustered: bool = False  # whether groups are clusters

    @property
    def counting_alike(self) -> DrawnCases:
        """The cases that can count alike, for what knows no weights."""
        if self.alike is None:
            return self
        at = self.alike
        decided, group = (None if part is None else part[at] for part in (self.decided, self.group))
        return DrawnCases(self.p[at], self.y[at], self.classes, self.of, decided, group, clustered=self.clustered)


def drawn_cases(tally: Tally) -> DrawnCases | None:
    """Return cases with the probabilities of all classes; None where there are none, or where cases have weights of their own."""
    some, counts = None if tally.scores is None else tally.scores.some, tally.confusion
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
    clustered = counts.clusters is not None and some.group is not None
    if clustered and some.group is not None:
        group = frozen(by_appearance(some.group), np.int64)
    parts = (tuple(counts.classes), int(counts.n), decided, group, weight, kept, clustered)
    return DrawnCases(frozen(p), frozen(some.truth, np.int64), *parts)


@dataclass(frozen=True, eq=False)
class Correctable:
    """Cases to try corrections on."""

    cases: DrawnCases  # with groups where there are as many as folds: then they are left out whole
    about_groups: str = ""  # what to know of groups that were not used, if anything
    refused: bool = False  # whether nothing is tried, for what `about_groups` says


def correctable(tally: Tally, cases: DrawnCases | None) -> Correctable | None:
    """Return cases to try corrections on; None where corrections have nothing to go by."""
    if cases is None or tally.confusion.k <= 1 or uncorrectable(tally, cases):
        return None
    if cases.group is None:
        return Correctable(cases)
    if cases.clustered:
        one = "" if np.unique(cases.group).size > 1 else "Corrections were not tried: all cases are of one cluster."
        return Correctable(cases, about_groups=one, refused=bool(one))
    if MISSING_CLASS in tally.by_group:
        told = "Corrections were not tried: some cases have no group, and whether cases are independent is unknown."
        return Correctable(cases, about_groups=told, refused=True)
    many = np.unique(cases.group).size
    if many < FOLDS:  # such as sites
        told = f"{counted(many, 'group')} {'is' if many == 1 else 'are'} too few to be left out in turn"
        return Correctable(replace(cases, group=None), about_groups=f"{told}: cases were taken one by one.")
    return Correctable(cases)


def uncorrectable(tally: Tally, cases: DrawnCases | None, *, repeats: float = 1.0) -> str:
    """Return why no correction is tried, in words, or nothing."""
    counts = tally.confusion
    if tally.scores is None or tally.probabilities is None or counts.k <= 1:
        return ""  # decisions alone, or scores that only rank, leave nothing to correct
    many = counts.k > MOST_CLASSES
    reasons = {
        "cases come back in several folds, so that their answers are not independent": repeats > 1,
        f"there are {counts.k:,} classes, and each of more than {MOST_CLASSES} would need its own multiplier": many,
        f"there are fewer than {FEWEST} cases to try them on": counts.n < FEWEST,
        "some class has no case to try them on": bool((counts.support == 0).any()),
        "cases have weights, and gains are tested on cases that count alike": isinstance(counts, WeightedCounts),
        "some cases were left without a decision": counts.has_rejected,
        "the cases were counted where they are, and none was kept to try them on": tally.scores.some is None,
        "the probabilities of a case do not cover all classes, or do not sum to 1": cases is None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
