"""What rows belong to, counted in one pass: clusters, the runs of cases, and the clusters within each fold and group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adjudge._base.arrays import AnyArray, IntArray
from adjudge.counts.clusters import MOST, ClusterCounter, ClusterCounts, of_part, places_of
from adjudge.counts.runs import Answers, RunCounter, RunCounts, answers_added

if TYPE_CHECKING:
    from adjudge.predictions.blocks import Block, Encoder

_MOST_ENTRIES = 1 << 20  # of all folds or groups together; beyond them clusters whose numbers begin alike are one
_TOP = np.uint64(64 - 12)


class Belonging(NamedTuple):
    """Clusters, runs, and the clusters of each fold and of each group; None where rows name none."""

    clusters: ClusterCounts | None
    runs: RunCounts | None
    folds: Answers | None
    groups: Answers | None


class BelongingCounter:
    """What rows belong to, counted while they stream by; classes, folds and groups are codes until the end."""

    def __init__(self) -> None:
        self._clusters, self._runs = ClusterCounter(), RunCounter()
        self._folds, self._groups = _PartCounter(), _PartCounter()

    def add(self, block: Block, encoder: Encoder) -> None:
        """Add some rows."""
        self._clusters.add(block, encoder)
        self._runs.add(block, encoder)
        self._folds.add(block, block.fold)
        self._groups.add(block, block.group)

    def include(self, part: Belonging, labels: IntArray, folds: IntArray, groups: IntArray) -> None:
        """Add what was counted of a part of the rows, with the places of its classes, folds and groups among those here."""
        self._clusters.include(part.clusters, labels)
        self._runs.include(part.runs, labels)
        self._folds.include(part.folds, labels, folds)
        self._groups.include(part.groups, labels, groups)

    @property
    def counts(self) -> Belonging:
        """All that was added, by codes."""
        return Belonging(self._clusters.counts, self._runs.counts, self._folds.counts, self._groups.counts)

    def clusters_of(self, order: Sequence[int]) -> ClusterCounts | None:
        """Return the clusters of all rows, their classes by their place in the order to show them."""
        return self._clusters.counts_of(order)

    def runs_of(self, order: Sequence[int]) -> RunCounts | None:
        """Return the runs, likewise."""
        return self._runs.counts_of(order)

    def clusters_within(self, what: str, code: int, order: Sequence[int]) -> ClusterCounts | None:
        """Return the clusters of the rows of a fold or of a group."""
        counts = (self._folds if what == "fold" else self._groups).counts
        mine = None if counts is None else counts.only(counts.outer == code)
        if mine is None or not mine.n.size:
            return None
        return of_part(mine.key, mine.truth, mine.predicted, mine.n).moved(places_of(order, mine.truth, mine.predicted))


class _PartCounter:
    """Clusters within folds or groups."""

    def __init__(self) -> None:
        self._parts: list[Answers] = []
        self._waiting = 0

    def add(self, block: Block, part: IntArray | None) -> None:
        if part is None or block.cluster is None:
            return
        n: AnyArray = np.ones(part.size) if block.weight is None else block.weight.astype(np.float64)
        predicted = np.maximum(block.predicted, -1)
        keys: AnyArray = block.cluster.view(np.uint64)
        self._include(answers_added([Answers(keys, block.truth, predicted, part.astype(np.int64), n)]))

    def include(self, counted: Answers | None, labels: IntArray, parts: IntArray) -> None:
        if counted is not None:
            moved = counted.moved(labels)
            self._include(Answers(moved.key, moved.truth, moved.predicted, parts[moved.outer], moved.n))

    def _include(self, counted: Answers) -> None:
        self._parts.append(counted)
        self._waiting += counted.n.size
        if self._waiting > _MOST_ENTRIES:
            self._parts, self._waiting = [self._whole()], 0

    def _whole(self) -> Answers:
        whole = answers_added(self._parts)
        alike = whole.key < MOST  # no number of a cluster by itself is so small
        if bool(alike.all()) or (whole.n.size <= _MOST_ENTRIES and not alike.any()):
            return whole
        keys = np.where(alike, whole.key, whole.key >> _TOP)
        return answers_added([Answers(keys, whole.truth, whole.predicted, whole.outer, whole.n)])

    @property
    def counts(self) -> Answers | None:
        if not self._parts:
            return None
        self._parts = [self._whole()]
        return self._parts[0]
