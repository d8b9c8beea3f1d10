"""What a comparison shows beside its verdict: all measures of the sets, where each is correct, and their curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from adjudge._base import InputError, argument, wording
from adjudge.counts.joint import JointCounts
from adjudge.counts.result import PairCounts
from adjudge.judgements.all_measures import Asked, measures_side_by_side
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.overlaid import overlaid
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.where_correct import where_correct
from adjudge.metrics.measure import Measure
from adjudge.predictions.alignment import Together, side_by_side
from adjudge.predictions.model import Predictions
from adjudge.verbs.compared_sets import joint_of

MOST_SCORES = 1 << 24  # scores that are read for measures nobody asked for
_Verdict = TypeVar("_Verdict", bound=Comparison | Ranking)


def with_all_measures(
    verdict: _Verdict,
    cases: Together | PairCounts,
    measure: Measure,
    *,
    many: Sequence[Predictions] = (),
    by_position: bool = False,
    margin: Any = None,
    level: float,
    rng: Any = 0,
    **_: Any,
) -> _Verdict:
    """Return a verdict on sets with all their measures, where each is correct, and their curves.

    Scores, or decisions, that the verdict did not need are read from `many`, the sets; without these what `cases` hold is told.
    """
    names = cases.names
    reference = names.index(verdict.best.name) if isinstance(verdict, Ranking) else 1
    asked, notes = Asked(reference, margin, level, rng), list[Any]()
    if isinstance(cases, PairCounts):
        table = measures_side_by_side(cases.joint, cases, None, verdict, asked, notes)
        return replace(verdict, measures=table, where_correct=where_correct(cases.joint, None))
    if measure.needs == "numbers":
        return replace(verdict, measures=measures_side_by_side(None, cases, cases, verdict, asked, notes))
    again = _Again(many, names, by_position)
    decided, scored = (cases, again.scores(cases, notes)) if measure.needs == "decisions" else (again.decisions(notes), cases)
    joint: JointCounts | None = None if decided is None else joint_of(decided, measure)
    table = measures_side_by_side(joint, decided or cases, scored, verdict, asked, notes)
    correct = None if joint is None else where_correct(joint, decided)
    return replace(verdict, measures=table, where_correct=correct, overlaid=None if scored is None else overlaid(scored))


class _Again:
    """Sets that are read again for what the first reading left out; what is wrong with that is told, and left out."""

    def __init__(self, many: Sequence[Predictions], names: Sequence[str], by_position: bool) -> None:  # noqa: FBT001 - one reader
        self.many, self.names, self.by_position = many, names, by_position

    def scores(self, cases: Together, notes: list[Any]) -> Together | None:
        """Return the cases with scores; None where no set has them, or where they are too many."""
        wide = [len(cases.classes) if len(each.roles.scores) == 1 else len(each.roles.scores) for each in self.many]
        if not any(each.roles.scores for each in self.many):
            return None
        if cases.rows * int(np.sum(wide)) > MOST_SCORES:
            notes.append(
                wording("So many scores were not read; compare by one of their measures: ", argument("measure", "auc"), ".")
            )
            return None
        return self._read(notes, "Scores", scores=True, ranking=True)

    def decisions(self, notes: list[Any]) -> Together | None:
        """Return the cases with decisions; None where scores decide nothing."""
        return self._read(notes, "Decisions") if self.many else None

    def _read(self, notes: list[Any], what: str, **how: bool) -> Together | None:
        try:
            return side_by_side(self.many, self.names, by_position=self.by_position, **how)
        except InputError as error:
            notes.append(wording(f"{what} were left out: ", error.wording))
            return None
