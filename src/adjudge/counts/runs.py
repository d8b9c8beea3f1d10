"""Repeated answers to the same cases: how often each case was answered how, and the table of each run.

Cases and runs have 64-bit numbers that follow from their names, the same in every file and process. Of more than `MOST` cases
those with the least numbers are kept, each with all its answers: a random sample, the same however the rows are split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import InputError, argument, dataclass, field, quoted, replace
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.clusters import places_of

if TYPE_CHECKING:
    from adjudge.predictions.blocks import Block, Encoder

MOST = 1 << 16  # cases whose answers are kept
MOST_RUNS = 1000
_WAITING = 1 << 20  # entries that are kept apart before they are added up
_NONE = -1
_COLUMNS = ("key", "truth", "predicted", "outer")


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Entry `e` says that `n[e]` answers to case `key[e]`, or of that run, are of a true class and predicted as another."""

    key: AnyArray  # its number, as of 64 bits without a sign; entries follow it
    truth: IntArray
    predicted: IntArray  # -1 where there is no decision
    outer: IntArray  # the cluster that the case is of; 0 of a run
    n: IntArray

    @property
    def first(self) -> IntArray:
        """Where the entries of each case begin."""
        return np.flatnonzero(np.diff(self.key, prepend=~self.key[:1]))

    def sums(self, values: AnyArray) -> FloatArray:
        """Return the sum of a value of each entry, times its answers, by case."""
        return np.asarray(np.add.reduceat(values * self.n, self.first), dtype=np.float64)

    def only(self, keep: AnyArray) -> Answers:
        """Return some entries."""
        return Answers(*(getattr(self, name)[keep] for name in (*_COLUMNS, "n")))

    def moved(self, place: AnyArray) -> Answers:
        """Return the same by other places of the classes."""
        predicted = np.where(self.predicted < 0, _NONE, place[np.maximum(self.predicted, 0)])
        return replace(self, truth=place[self.truth], predicted=predicted)


@dataclass(frozen=True, slots=True, eq=False)
class RunCounts:
    """Answers by case and by run, whose rows count alike; `names` are those of the cases and runs, by number."""

    cases: Answers
    runs: Answers
    names: Mapping[int, Any] = field(default_factory=dict)
    sampled: bool = False  # whether there were more cases than are kept

    @property
    def how_many(self) -> float:
        """How many cases there are; an estimate where some of them are kept."""
        kept = self.cases.key[self.cases.first]
        return (kept.size - 1) / (float(kept[-1]) / 2.0**64) if self.sampled else float(kept.size)

    def moved(self, place: AnyArray) -> RunCounts:
        """Return the same by other places of the classes."""
        return replace(self, cases=self.cases.moved(place), runs=self.runs.moved(place))


def runs_together(parts: Sequence[RunCounts]) -> RunCounts:
    """Return what all parts come to, for any split the same; places of classes are those of all."""
    if len(parts) == 1:
        return parts[0]
    cases, runs = (answers_added([getattr(part, name) for part in parts]) for name in ("cases", "runs"))
    names = {key: name for part in parts for key, name in part.names.items()}
    kept, sampled = cases.key[cases.first], any(part.sampled for part in parts)
    if kept.size > MOST:
        cases, sampled = cases.only(cases.key <= kept[MOST - 1]), True
        known = {*cases.key.tolist(), *runs.key.tolist()}
        names = {key: name for key, name in names.items() if key in known}
    return RunCounts(cases, runs, names, sampled)


def answers_added(parts: Sequence[Answers]) -> Answers:
    """Return entries that are added up where all but their number is the same, in order."""
    import pyarrow as pa

    from adjudge.predictions.cells import view  # Arrow, which counts in memory do without
    from adjudge.predictions.native import flat

    columns = {name: flat(np.concatenate([getattr(part, name) for part in parts])) for name in (*_COLUMNS, "n")}
    table = pa.table(columns).group_by(list(_COLUMNS), use_threads=False).aggregate([("n", "sum")])
    table = table.sort_by([(name, "ascending") for name in _COLUMNS])
    return Answers(*(view(table[name].combine_chunks()) for name in (*_COLUMNS, "n_sum")))


class RunCounter:
    """Repeated answers that are counted while rows stream by; classes are codes until the end."""

    def __init__(self) -> None:
        self._parts: list[RunCounts] = []
        self._waiting = 0
        self._met: set[int] = set()  # the runs

    def add(self, block: Block, encoder: Encoder) -> None:
        """Add some rows, where they name runs."""
        case, run = block.case, block.run
        if case is None or run is None:
            return
        predicted, ones = np.maximum(block.predicted, _NONE), np.ones(case.size, dtype=np.int64)
        outer = case if block.cluster is None else block.cluster
        by_case = answers_added([Answers(case.view(np.uint64), block.truth, predicted, outer, ones)])
        by_run = answers_added([Answers(run.view(np.uint64), block.truth, predicted, np.zeros_like(run), ones)])
        names = {key % (1 << 64): name for key, name in block.names.items()}
        self._met.update(by_run.key[by_run.first].tolist())
        if len(self._met) > MOST_RUNS:
            msg = f"column {quoted(encoder.roles.run)} has more than {MOST_RUNS:,} values: it names no runs. Name another with "
            raise InputError(msg, argument("run"), ".")
        self._include(RunCounts(by_case, by_run, names))

    def include(self, part: RunCounts | None, place: IntArray) -> None:
        """Add what was counted of a part of the rows, `place` having its classes among those here."""
        if part is not None:
            self._include(part.moved(place))

    def _include(self, part: RunCounts) -> None:
        self._parts.append(part)
        self._waiting += part.cases.n.size
        if self._waiting > _WAITING:
            self._parts, self._waiting = [runs_together(self._parts)], 0

    def counts_of(self, order: Sequence[int]) -> RunCounts | None:
        """Return all that was added, its classes by their place in the order to show them; None of no rows."""
        if (whole := self.counts) is None:
            return None
        codes = (values for part in (whole.cases, whole.runs) for values in (part.truth, part.predicted))
        return whole.moved(places_of(order, *codes))

    @property
    def counts(self) -> RunCounts | None:
        """All that was added; None of no rows."""
        if not self._parts:
            return None
        self._parts = [runs_together(self._parts)]
        return self._parts[0]
