"""What a correction does to cases it had not seen: both confusion tables, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.show import Shown, plain
from adjudge.corrections.recipes import Known, uncorrected
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.probabilities import case_losses
from adjudge.judgements.crossfit import Judged
from adjudge.metrics import on_counts
from adjudge.metrics.averages import value

_DIGITS = 6  # of sums of weights: all cases of a class are again a whole number


@dataclass(frozen=True, slots=True, eq=False)
class BeforeAfter(Shown):
    """Decisions without a correction and with it, the correction being fitted without the case."""

    name: str
    before: ConfusionCounts
    after: ConfusionCounts
    brier: tuple[float, float]
    """The Brier score without and with it."""

    @property
    def measures(self) -> dict[str, tuple[float, float]]:
        """Errors in 1,000 cases, accuracy, balanced accuracy and Brier score, each without and with the correction."""
        tables = (self.before, self.after)
        found = {m.name: tuple(value(m, table) for table in tables) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
        wrong = (1000 * float(table.n - table.correct.sum() - table.rejected.sum()) / table.n for table in tables)
        return {"errors_per_1000": (next(wrong), next(wrong)), **found, "brier": self.brier}

    def to_dict(self) -> dict[str, Any]:
        """Return both tables and what follows from them as plain Python."""
        return {"name": self.name, "before": self.before.to_dict(), "after": self.after.to_dict(), **plain(self.measures)}


def before_after(cases: Known, name: str, found: Judged) -> BeforeAfter:
    """Return what one correction did, as it was fitted with the fold of each case left out."""
    given = uncorrected(found.correction, cases.p) if cases.decided is None else cases.decided
    rejects = bool((given < 0).any() or (found.decided < 0).any())
    before, after = (_table(cases, codes, rejects=rejects) for codes in (given, found.decided))
    return BeforeAfter(name, before, after, (_brier(cases, cases.p), _brier(cases, found.p)))


def _table(cases: Known, codes: IntArray, *, rejects: bool) -> ConfusionCounts:
    k, at = len(cases.classes), (cases.y, np.where(codes < 0, len(cases.classes), codes))
    if cases.weight is None:
        return ConfusionCounts(_added(at, 1, (k, k + rejects)), tuple(cases.classes))
    cells, squares = (np.round(_added(at, cases.weight**power, (k, k + rejects)), _DIGITS) for power in (1, 2))
    return WeightedCounts(cells, tuple(cases.classes), squares=squares)


def _added(at: tuple[IntArray, IntArray], values: Any, shape: tuple[int, int]) -> AnyArray:
    table = np.zeros(shape, dtype=np.asarray(values).dtype)
    np.add.at(table, at, values)
    return table


def _brier(cases: Known, p: FloatArray) -> float:
    own = p[np.arange(cases.y.size), cases.y]
    return float(np.average(case_losses("brier", p, own, p.shape[1]), weights=cases.weight))
