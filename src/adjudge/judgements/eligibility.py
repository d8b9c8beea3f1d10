"""What corrections can be tried on: the probabilities and truths of some of the cases that were counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, IntArray, frozen
from adjudge._base.text import counted
from adjudge.corrections.operating import AccuracyRejection, accuracy_rejection
from adjudge.corrections.recipes import Known
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.judgements.case_sample import DrawnCases
from adjudge.judgements.recommendation import FEWEST, FOLDS, Recommendations, recommend_sampled
from adjudge.predictions.label_columns import MISSING_CLASS

MOST_CLASSES = 12
"""Classes up to which a page tries corrections by itself."""
_TWO = 2
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest


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
