"""Rows that belong together though nobody said so: a column between whose values the accuracy differs, or runs of equal rows.

With clusters that are not named, intervals are too narrow. A column is reported where three things hold: it has ten values or
more, intervals of the accuracy would grow by a tenth or more, and independent rows would hardly differ so much.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, argument, dataclass, quoted, wording
from adjudge._base.arrays import FloatArray
from adjudge.counts.suspected import ByValue
from adjudge.counts.tally import Tally
from adjudge.predictions.roles import Roles
from adjudge.stats import special

FEWEST = 10  # values
WIDER = 1.1  # width of an interval with clusters, as a multiple of that without, from which on it matters
SURE = 0.01  # how often independent rows may look like this


@dataclass(frozen=True, slots=True)
class Undeclared(Shown):
    """Rows that look as if they belonged together, though no column is named as the cluster."""

    column: str | None  # None of runs of equal rows
    values: int  # of the column, or runs; of the column at least so many
    rows: float
    design_effect: float  # of the accuracy

    @property
    def wider(self) -> float:
        """How many times as wide intervals of the accuracy are with such clusters."""
        return math.sqrt(self.design_effect)


def undeclared(tally: Tally, roles: Roles | None) -> Undeclared | None:
    """Return the column with the largest effect, runs of equal rows where there is none; None where rows look independent."""
    if tally.confusion.clusters is not None or tally.undecided:
        return None
    every = list(tally.suspected)
    if roles is not None and roles.group in roles.suspected and tally.by_group:
        tables = list(tally.by_group.values())
        cases, correct = (
            np.array([float(sums) for sums in each]) for each in zip(*((t.n, t.correct.sum()) for t in tables), strict=True)
        )
        squares = sum(float(getattr(table, "squares", table.cells).sum()) for table in tables)
        every.append(ByValue(roles.group, np.arange(cases.size), cases, correct, squares))
    return _largest(map(_effect, every))


def undeclared_between(every: Iterable[ByValue], differences: FloatArray) -> Undeclared | None:
    """Return the same of two sets, where each case has a difference: 1 where only the first is correct, -1 only the other."""
    spread = float(differences.var())
    excess = float(((differences - differences.mean()) ** 4).mean()) / spread**2 - 3 if spread else 0.0
    return _largest(_effect(values, spread, excess) for values in every)


def _largest(effects: Iterable[Undeclared | None]) -> Undeclared | None:
    there = [each for each in effects if each is not None]
    return max(there, key=lambda each: (each.column is not None, each.design_effect), default=None)


def _effect(values: ByValue, spread: float | None = None, excess: float = 0.0) -> Undeclared | None:
    """Return what values do to the variance of a mean over cases, where that matters and is no luck.

    A case has the variance `spread` and the `excess` kurtosis; without these it is correct or wrong.
    """
    cases, whole = values.cases, float(values.cases.sum())
    share = float(values.correct.sum()) / whole if whole else 0.0
    if spread is None:
        spread = share * (1 - share)
        excess = 1 / spread - 6 if spread else 0.0
    if cases.size < FEWEST or not spread:
        return None
    moved = values.correct - share * cases
    effect = float((moved**2).sum()) * cases.size / (cases.size - 1) / (spread * values.squares)
    scale = values.squares / whole  # of weights, which are worth less
    variance = 2 * float((cases**2).sum()) / whole**2 + max(excess, 0.0) * scale / whole  # of independent rows: about 1
    degrees = 2 / variance
    if effect < WIDER**2 or special.chdtrc(degrees, degrees * effect) > SURE:
        return None
    return Undeclared(values.column, cases.size, whole, effect)


def of_undeclared(seen: Undeclared | None, differs: str = "the accuracy differs") -> Iterator[Finding]:
    """Yield that rows look as if they belonged together, with what differs between values and the argument that says so."""
    if seen is None:
        return
    effect = f"design effect {seen.design_effect:.3g}"
    narrow = f"If they belong together, intervals are {seen.wider:.2g} times too narrow: "
    told = f"Rows come in runs of equal truth, decision and scores ({effect})."
    how: tuple[Any, ...] = ("name their column with ", argument("cluster"), ", or leave out repetitions.")
    if seen.column is not None:
        what = f"Rows with the same {quoted(seen.column)} are alike"
        told = f"{what}: {differs} more between its values than by chance ({effect})."
        how = ("pass ", argument("cluster", seen.column), ".")
    yield Finding("A622", told, wording(narrow, *how), round(seen.design_effect, 6))
