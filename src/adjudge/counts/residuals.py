"""Residuals of numeric predictions that streamed by: a table of them for medians, and some cases to draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray, counts_cases
from adjudge._base.records import dataclass, field
from adjudge.counts.sampling import Drawing, SampledCases, fewer

_BITS = 40  # of a float that are dropped, so that 12 bits of its fraction are kept
BOUND = 2.0**-13
"""How far a residual of the table can be off, as a share of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """How many cases have which residual (truth - predicted), rounded to 12 bits of their fraction; and some of the cases.

    A table depends on no order: added up over any parts it is the same. It holds no case by itself.
    """

    keys: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cases: SampledCases | None = None  # truth, predicted and weight in the columns of its scores
    weighted: bool = False  # whether cases have weights that are no counts: the table has none of them

    @property
    def complete(self) -> bool:
        """Whether every row is among the cases."""
        return self.cases is not None and self.cases.rows.size == int(self.cases.sizes.sum())

    @property
    def known(self) -> bool:
        """Whether quantiles can be had."""
        return self.complete or (not self.weighted and self.keys.size > 0)

    def ascending(self, *, absolute: bool = False) -> tuple[FloatArray, FloatArray, float]:
        """Return the residuals in ascending order, the weight of each, and how far they can be off as a share of them."""
        if self.complete and self.cases is not None:
            truth, predicted, weight = self.cases.scores.T
            values, bound = truth - predicted, 0.0
        else:
            magnitude = np.where(self.keys < 0, -self.keys - 1, self.keys)
            ends = [(each << _BITS).view(np.float64) for each in (magnitude, magnitude + 1)]
            values = np.where(magnitude == 0, 0.0, ends[0] + (ends[1] - ends[0]) / 2) * np.where(self.keys < 0, -1.0, 1.0)
            weight, bound = self.counts.astype(np.float64), BOUND
        values = np.abs(values) if absolute else values
        order = np.lexsort((weight, values)) if self.weighted else np.argsort(values)
        return values[order], weight[order], bound


class ResidualCounter:
    """The table and the cases while rows stream by."""

    def __init__(self, first: int = 0) -> None:
        """Begin with the row of number `first`."""
        self._drawing, self._some, self._weighted = Drawing(first), list[Residuals](), False

    def add(self, truth: FloatArray, predicted: FloatArray, weight: AnyArray | None) -> None:
        """Look at the next rows."""
        w = np.ones(truth.size) if weight is None else weight.astype(np.float64)
        self._drawing.add(np.column_stack((truth, predicted, w)), np.zeros(truth.size, dtype=np.int8), None, None)
        self._weighted |= weight is not None and not counts_cases(weight)
        if not self._weighted:
            residual = truth - predicted + 0.0  # no residual is -0
            magnitude = np.abs(residual).view(np.int64) >> _BITS
            keys, at = np.unique(np.where(residual < 0, -magnitude - 1, magnitude), return_inverse=True)
            self._some.append(Residuals(keys, np.bincount(at, weights=w).astype(np.int64)))
            self._some = [residuals_together(self._some)] if len(self._some) > 1 else self._some

    @property
    def residuals(self) -> Residuals:
        """What was counted so far."""
        table = residuals_together(self._some)
        return Residuals(table.keys, table.counts, self._drawing.kept, self._weighted)


def residuals_together(parts: Sequence[Residuals]) -> Residuals:
    """Return the residuals of all parts."""
    keys, at = np.unique(np.concatenate([part.keys for part in parts] or [np.zeros(0, dtype=np.int64)]), return_inverse=True)
    counts = np.zeros(keys.size, dtype=np.int64)
    np.add.at(counts, at, np.concatenate([part.counts for part in parts] or [counts]))
    cases = None
    for some in (part.cases for part in parts):
        cases = some if cases is None or some is None else cases.joined(some)
    return Residuals(keys, counts, None if cases is None else fewer(cases), any(part.weighted for part in parts))
