"""What corrections can be tried on: the probabilities and truths of some of the cases that were counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge._base.text import counted
from adjudge.corrections.operating import AccuracyRejection, accuracy_rejection
from adjudge.counts.tally import Tally
from adjudge.judgements.drawn import DrawnCases, named
from adjudge.judgements.mending import FEWEST, FOLDS, Recommendations, recommend
from adjudge.predictions.label_columns import MISSING_CLASS

MOST_CLASSES = 12
"""Classes up to which a page tries corrections by itself."""
_TWO = 2
_UNEQUAL = 1.5  # times as many cases in the commonest class as in the rarest


@dataclass(frozen=True, slots=True, eq=False)
class Mendable:
    """Cases to try corrections on."""

    p: FloatArray
    y: IntArray
    classes: tuple[Any, ...]
    of: int
    """How many cases there were to draw from."""
    decided: IntArray | None = None
    """The place of the class each case was given; None where the highest probability decides."""
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
        support = np.bincount(self.y, minlength=len(self.classes))
        names = ("accuracy", "balanced_accuracy") if support.max() > _UNEQUAL * support.min() else ("accuracy",)
        labels, decided = (None if codes is None else named(codes, self.classes) for codes in (self.y, self.decided))
        given: dict[str, Any] = {"classes": self.classes, "decided": decided, "groups": self.group}
        return tuple(recommend(self.p, labels, measure=name, **given) for name in names)

    def rejecting(self) -> AccuracyRejection:
        """Return the accuracy of what is decided as the least sure cases are left undecided."""
        return accuracy_rejection(self.p, self.y, classes=range(len(self.classes)))


def mendable(tally: Tally, cases: DrawnCases | None) -> Mendable | None:
    """Return cases to try corrections on; None where corrections have nothing to go by."""
    scores, counts = tally.scores, tally.confusion
    if counts.n < FEWEST or not _TWO <= counts.k <= MOST_CLASSES or (counts.support == 0).any():
        return None
    if cases is None or scores is None:
        return None
    decided = None if scores.decided is None else frozen(scores.decided[cases.rows], np.int64)
    groups = _grouped(tally, None if scores.group is None else scores.group[cases.rows])
    return Mendable(p=cases.p, y=cases.y, classes=cases.classes, of=cases.of, decided=decided, **groups)


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
