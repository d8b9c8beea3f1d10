"""What one pass over predictions counts: every table the verdict needs, folds and groups apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.scores import ScoreCounts
from adjudge.predictions.labels import parse
from adjudge.predictions.roles import Scale

_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted: small tables, whatever the number of rows."""

    confusion: ConfusionCounts
    rows: int
    scale: Scale | None = None
    scores: ScoreCounts | None = None
    probabilities: ProbabilityCounts | None = None
    by_fold: dict[Any, ConfusionCounts] = field(default_factory=dict)
    by_group: dict[Any, ConfusionCounts] = field(default_factory=dict)
    positive: int | None = None
    """The class looked for, where the user named it or its label says so."""
    families: tuple[str, ...] = ()
    """The types of the truth and the decision, where they differ."""
    gaps: dict[str, int] = field(default_factory=dict)
    """Missing values by column, for what was dropped or filled."""
    dropped: int = 0
    weight_spread: float = 1.0
    unchecked_rows: bool = False
    left_out: str | None = None
    """A column of confidences among more than two classes, which speaks of none of them."""
    undecided: bool = False
    """Whether there are no decisions: scores that are no probabilities decide by themselves nothing."""

    @property
    def of_interest(self) -> int | None:
        """The class that AUC, average precision and thresholds speak of: the positive one; else of two the rarer."""
        if self.positive is not None or self.confusion.k != _TWO:
            return self.positive
        return rarest(self.confusion.support.tolist())


def rarest(cases: Sequence[float]) -> int:
    """Return which class has fewest cases; of equal ones the last.

    >>> rarest([5, 3, 3])
    2
    """
    return len(cases) - 1 - int(np.argmin(cases[::-1]))


MOST_PARTS = 10_000
"""Folds or groups counted apart."""


def in_order(codes: Iterable[int], labels: Sequence[Any]) -> list[int]:
    """Sort parts by what their labels mean: '2' before '10', numbers before text."""

    def key(code: int) -> tuple[bool, Any]:
        label = parse(labels[code]) if isinstance(labels[code], str) else labels[code]
        return (not isinstance(label, (int, float)), label if isinstance(label, (int, float)) else str(label))

    return sorted(codes, key=key)
