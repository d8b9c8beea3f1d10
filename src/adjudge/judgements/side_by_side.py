"""A table of every measure of two or more sets of the same cases: a row per measure, a value per set, and how each differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge._base import Shown, dataclass
from adjudge.estimates.estimate import Interval
from adjudge.metrics.by_name import ByMeasure


@dataclass(frozen=True, slots=True)
class MeasureDifference(Shown):
    """By how much a set differs from the reference in one measure, and how probably it is worse, the same or better."""

    value: float
    interval: Interval
    worse: float
    same: float
    better: float
    margin: float
    method: str


@dataclass(frozen=True, slots=True)
class MeasureRow(Shown):
    """One measure of all sets."""

    measure: str
    values: tuple[float, ...]
    differences: tuple[MeasureDifference | None, ...]  # each set minus the reference; None of itself, and where there is none
    p_best: tuple[float, ...] | None = None  # how probably each set is the best; of three sets or more
    of: Any = None  # the class the measure speaks of, if one
    average: str | None = None
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class SideBySide(ByMeasure, Shown):
    """All measures of several sets of predictions: ``measures["auc"]`` is a row, ``to_frame()`` has one per measure and set."""

    names: tuple[str, ...]
    rows: tuple[MeasureRow, ...]
    reference: str  # the set that the others are compared with: the second of two, else the best
    level: float
    notes: tuple[str, ...] = ()  # why some measures are not there, or have no difference

    def _by_measure(self) -> Mapping[str, MeasureRow]:
        return {row.measure if row.average != "hand-till" else "auc_hand_till": row for row in self.rows}
