"""The curves of several sets of predictions for one class, to be laid over each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base import Shown, dataclass, field, replace
from adjudge._base.arrays import FloatArray
from adjudge.counts.curves import Curve, one_against_rest, precision_recall_curve, reliability_curve
from adjudge.counts.joint import tally_set
from adjudge.counts.tally import Tally
from adjudge.judgements.curves import spaced
from adjudge.predictions.alignment import Together
from adjudge.stats.ranking import ScoreTable

MOST_POINTS = 2000  # of each curve
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Overlaid(Shown):
    """Curves by kind, "roc", "precision-recall" and "reliability", and by the name of the set; of one class against the rest."""

    of: Any
    why: str  # why it is this class
    share: float  # of the cases that are of the class
    curves: dict[str, dict[str, Curve]] = field(default_factory=dict, repr=False)
    of_class: bool = True  # whether reliability is that of the class; else of the highest probability
    _untold = ("curves",)


def overlaid(cases: Together) -> Overlaid | None:
    """Return the curves of the sets that have scores; None where fewer than two have."""
    some = [at for at, scores in enumerate(cases.scores) if scores is not None]
    if len(some) < _TWO:
        return None
    tallies = {cases.names[at]: tally_set(cases, at) for at in some}
    at, why = _class_of(cases, list(tallies.values()))
    curves: dict[str, dict[str, Curve]] = {"roc": {}, "precision-recall": {}, "reliability": {}}
    of_class = len(cases.classes) == _TWO or cases.positive is not None
    for name, counted in tallies.items():
        assert counted.scores is not None
        table, roc = counted.scores.table(at), one_against_rest(counted.scores, at, name)
        if roc is not None and isinstance(table, ScoreTable):
            curves["roc"][name], curves["precision-recall"][name] = _some(roc), _some(precision_recall_curve(table, name))
        if (sums := _reliability(counted, at, of_class=of_class)) is not None:
            curves["reliability"][name] = reliability_curve(sums, name)
    kept = {kind: by_name for kind, by_name in curves.items() if len(by_name) >= _TWO}
    share = float(np.mean(cases.truth == at))
    return Overlaid(cases.classes[at], why, share, kept, of_class) if kept else None


def _class_of(cases: Together, tallies: list[Tally]) -> tuple[int, str]:
    """Return the class to draw, and why: the positive one, of two the one scores speak of, else that with most errors."""
    if cases.positive is not None:
        return cases.positive, "the positive class"
    if len(cases.classes) == _TWO:
        return next(columns[-1] for columns in cases.columns if columns), "the class that the scores speak of"
    wrong = np.sum([each.confusion.support - each.confusion.correct for each in tallies], axis=0)
    scored = set.intersection(*(set(columns) for columns in cases.columns if columns))
    return max(scored or {0}, key=lambda at: (float(wrong[at]), -at)), "the class with most errors"


def _some(curve: Curve) -> Curve:
    """Return a curve with as many points as a picture needs."""
    kept = spaced(curve, MOST_POINTS)
    return replace(curve, x=curve.x[kept], y=curve.y[kept], thresholds=curve.thresholds[kept])


def _reliability(counted: Tally, at: int, *, of_class: bool) -> FloatArray | None:
    """Return the sums behind a reliability curve; None of scores that are no probabilities."""
    sums, scores = counted.probabilities, counted.scores
    if sums is None or scores is None:
        return None
    if not of_class:
        return sums.top
    column = scores.columns.index(at) if at in scores.columns else len(scores.columns)
    return sums.by_class[column] if column < len(sums.by_class) else None
