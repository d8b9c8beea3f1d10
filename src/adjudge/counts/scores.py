"""Scores by class: exact while they fit into memory, binned with a bound on the error beyond.

Class `i` against the rest is a table of scores with how many cases of the class and of the others had each;
class `i` against class `j` is the same over the cases of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.undefined import Undefined
from adjudge.counts.sampling import MOST_COLUMNS, Drawing, SampledCases, fewer
from adjudge.stats.binning import Bins, room_for
from adjudge.stats.pairs import Segments
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, auc, auc_of, coarsen, merge, tabulate

if TYPE_CHECKING:
    from adjudge.predictions.sources import Source

EXACT = 1 << 22
"""Scores (cases x classes) of a file kept as they are; arrays in memory are always ranked exactly."""
DISTINCT = 1 << 21
"""Distinct scores kept over all classes once a file has more than that."""
KEPT = 5 << 27
"""Bytes of scores of a file kept beside their bins for the exact AUC."""
BITS = 22
"""Of the order of the scores, in binned tables."""
GATHERED = 5 << 19
"""Scores gathered before they are counted, of a file known to have more than are kept: some more than may differ."""
_BINNED = 1 << 15  # the same once bins are all that is kept


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCounts:
    """The scores of every class, ready to be asked for curves and areas.

    `scores` has one column per entry of `columns`, the number of the class it speaks of. A file too
    large for that has `tables` instead.
    """

    columns: tuple[int, ...]
    k: int
    scores: AnyArray | None = None
    truth: IntArray | None = None
    weight: FloatArray | None = None
    tables: tuple[ScoreTable, ...] = ()
    group: AnyArray | None = None
    """The number of the group of each case that has scores here."""
    decided: AnyArray | None = None
    """The class each of them was given, -1 for none; None where the highest score decides."""
    drawn: SampledCases | None = None
    """Some of the cases, where there were too many to keep."""
    exact: tuple[float | None, ...] = ()
    """The AUC by column where all scores were ranked for it; None: the table has it already."""

    @property
    def some(self) -> SampledCases | None:
        """Some cases of every class, the same whether all were kept or not; columns of scores as in `columns`."""
        if self.scores is None or self.truth is None:
            return self.drawn
        if len(self.columns) > MOST_COLUMNS:
            return None
        sizes = np.bincount(self.truth, minlength=self.k)
        return fewer(SampledCases(np.arange(self.truth.size), self.scores, self.truth, sizes, self.group, self.decided))

    def table(self, at: int) -> ScoreTable | Undefined:
        """Return the scores of class `at` among its own cases and the others."""
        column, flip = self._column(at)
        if column is None:
            return Undefined("the class has no score column")
        if self.scores is None or self.truth is None:
            return _turned(self.tables[column]) if flip else self.tables[column]
        scores = -self.scores[:, column] if flip else self.scores[:, column]
        return tabulate(scores, self.truth == at, self.weight)

    def area(self, at: int) -> float:
        """Return the AUC of class `at` against the rest."""
        column, flip = self._column(at)
        if column is None:
            return Undefined("the class has no score column")
        if self.scores is None or self.truth is None:
            found = self.exact[column] if self.exact else None
            if found is not None:
                return found  # turned scores of the other class have the same
            return auc_of(_turned(self.tables[column]) if flip else self.tables[column])
        return auc(-self.scores[:, column] if flip else self.scores[:, column], self.truth == at, self.weight)

    def areas(self, at: int, parts: Sequence[IntArray]) -> list[float]:
        """Return the AUC of class `at` against the rest among the rows of each part, all scores being held."""
        assert self.scores is not None
        assert self.truth is not None
        column, flip = self._column(at)
        if column is None:
            return [Undefined("the class has no score column")] * len(parts)
        scores, own = self.scores[:, column], self.truth == at
        scores = -scores if flip else scores
        return [auc(scores[rows], own[rows], None if self.weight is None else self.weight[rows]) for rows in parts]

    def pair_area(self, i: int, j: int) -> float:
        """Return the AUC of the score of class `i` between the cases of classes `i` and `j`."""
        column, flip = self._column(i)
        if self.scores is None or self.truth is None:
            return Undefined("pairs of classes are ranked only while all scores fit into memory")
        if column is None:
            return Undefined("the class has no score column")
        rows: BoolArray = (self.truth == i) | (self.truth == j)
        scores = self.scores[rows, column]
        return auc(-scores if flip else scores, self.truth[rows] == i, None if self.weight is None else self.weight[rows])

    def bound(self, at: int) -> float:
        """Return how far the AUC of class `at` can be off because scores were binned."""
        column, _ = self._column(at)
        return self.tables[column].bound if self.tables and column is not None and not self.exact else 0.0

    def _column(self, at: int) -> tuple[int | None, bool]:
        """Return the column that ranks class `at`, and whether it ranks the other of two classes instead."""
        if at in self.columns:
            return self.columns.index(at), False
        return (0, True) if len(self.columns) == 1 and self.k <= 2 else (None, False)  # noqa: PLR2004


def _turned(table: ScoreTable) -> ScoreTable:
    mixed = None if table.mixed is None else table.mixed[::-1]
    return ScoreTable(-table.values[::-1], table.negatives[::-1], table.positives[::-1], table.bits, mixed)


def fine_enough(table: ScoreTable, columns: int) -> ScoreTable:
    """Return a table as fine as memory allows, of as many as there are columns."""
    return coarsen(table, BITS) if table.values.size > DISTINCT // columns else table


def gathered_of(source: Source, columns: int, most: int) -> int:
    """Return how many scores of a file to gather before counting them: `most`, or fewer where it says that it has more."""
    from adjudge.predictions.model import WatchedSource
    from adjudge.predictions.sources import ParquetSource

    file = source.source if isinstance(source, WatchedSource) else source
    larger = isinstance(file, ParquetSource) and file.about() * columns > most
    return min(GATHERED, most) if larger else most


def as_tables(scores: ScoreCounts) -> ScoreCounts:
    """Return the same as tables, and a few of the cases."""
    if scores.scores is None or scores.truth is None:
        return scores
    given, truth, weight = scores.scores, scores.truth, scores.weight
    each = (tabulate(given[:, i], truth == at, weight) for i, at in enumerate(scores.columns))
    tables = tuple(fine_enough(table, len(scores.columns)) for table in each)
    return ScoreCounts(scores.columns, scores.k, tables=tables, drawn=scores.some)


@dataclass(slots=True)
class ScoreCounter:
    """Scores that gather while rows stream by; class numbers are codes until the end."""

    limit: int | None = EXACT
    keep: bool = False
    """Whether to keep all scores beside their bins, while there is room for them."""
    _scores: list[AnyArray] = field(default_factory=list)
    _truth: list[AnyArray] = field(default_factory=list)
    _weight: list[FloatArray] = field(default_factory=list)
    _group: list[AnyArray] = field(default_factory=list)
    _decided: list[AnyArray] = field(default_factory=list)
    _held: int = 0
    _tables: list[ScoreTable] = field(default_factory=list)
    _bins: list[Bins] = field(default_factory=list)
    _segments: list[Segments] = field(default_factory=list)
    _kept: int = 0

    def add(
        self,
        scores: AnyArray,
        truth: IntArray,
        weight: FloatArray | None,
        *,
        group: IntArray | None = None,
        decided: IntArray | None = None,
    ) -> None:
        """Gather one block."""
        self._scores.append(scores)
        self._truth.append(small(truth))
        if weight is not None:
            self._weight.append(weight)
        for gathered, part in ((self._group, group), (self._decided, decided)):
            if part is not None:
                gathered.append(small(part))
        self._held += scores.size
        if self.limit is not None and self._held > self.limit:
            self._fold()

    def _fold(self) -> None:
        """Turn what is held into tables, as fine as memory allows."""
        scores, truth, weight, *_ = self._all()
        for part in (self._scores, self._truth, self._weight, self._group, self._decided):
            part.clear()
        self._held = 0
        assert scores is not None
        assert truth is not None
        columns = scores.shape[1]
        self._tables = self._tables or [tabulate(scores[:0, 0], truth[:0] == 0)] * columns
        self._bins = self._bins or [Bins(BITS, room_for(columns)) for _ in range(columns)]
        self._segments = self._segments or [Segments() for _ in range(columns) if self.keep]
        for i in range(columns):
            self._count(i, scores[:, i], truth == i, weight, DISTINCT // columns)
        if all(table.bits < EXACT_BITS for table in self._tables):
            self.limit = _BINNED

    def _count(self, i: int, scores: AnyArray, own: BoolArray, weight: FloatArray | None, most: int) -> None:
        """Count a column; in bins at once where bins are what it comes to."""
        table = self._tables[i]
        exact = table.bits == EXACT_BITS
        if exact and not table.values.size and _differ(scores if weight is None else scores[weight > 0], most):
            self._tables[i], exact = coarsen(table, BITS), False
        if exact:
            self._tables[i] = fine_enough(merge(table, tabulate(scores, own, weight)), len(self._tables))
            return
        self._bins[i].add(scores, own, weight)
        self._kept += scores.nbytes
        if weight is not None or self._kept > KEPT:
            self.keep = False
            self._segments.clear()
        elif self.keep:
            self._segments[i].add(scores, own)

    def doubled(self) -> dict[int, int]:
        """Return twice the pairs that the cases of a class win, for columns whose scores were all kept; none is any longer."""
        whole = [i for i in range(len(self._segments)) if not self._tables[i].values.size]  # else those of the table came before
        won = {i: self._segments[i].doubled() for i in whole}
        self._segments.clear()
        return {i: each for i, each in won.items() if each is not None}

    def _all(self) -> Iterator[AnyArray | None]:
        """Return scores, true classes, weights, groups and decisions of all that is held."""
        parts = (self._scores, self._truth, self._weight, self._group, self._decided)
        return (np.concatenate(part) if part else None for part in parts)

    def counts(self, order: Sequence[int], drawing: Drawing | None = None) -> ScoreCounts:
        """Return the counts; `order` names the code of each class as it will be shown, `drawing` has some of the cases."""
        place = placed(order)
        if not self._tables:
            scores, truth, weight, group, decided = self._all()
            assert scores is not None
            columns, decided = tuple(place[: scores.shape[1]].tolist()), _placed(decided, place)
            return ScoreCounts(columns, len(order), scores, place[truth], weight, group=group, decided=decided)
        if self._scores:
            self._fold()
        columns, both = tuple(place[: len(self._tables)].tolist()), zip(self._tables, self._bins, strict=True)
        tables = tuple(table if table.bits == EXACT_BITS else merge(table, bins.table()) for table, bins in both)
        drawn = None if drawing is None else drawing.kept
        if drawn is not None:
            sizes, decided = resized(drawn.sizes, place, len(order)), _placed(drawn.decided, place)
            drawn = replace(drawn, truth=place[drawn.truth], sizes=sizes, decided=decided)
        return ScoreCounts(columns, len(order), tables=tables, drawn=drawn)


def resized(sizes: IntArray, place: IntArray, k: int) -> IntArray:
    """Return the sizes of `k` classes by their places; a class without a case may have none."""
    total = np.zeros(k, dtype=np.int64)
    known = np.flatnonzero(sizes)
    total[place[known]] = sizes[known]
    return total


def placed(order: Sequence[int]) -> IntArray:
    """Return where the class of each code is shown, -1 for codes that are no class."""
    place = np.full(max(order) + 1, -1)
    place[list(order)] = np.arange(len(order))
    return place


def _differ(scores: AnyArray, most: int) -> bool:
    """Return whether there are more than `most` different scores; sort them only where marks in a table do not tell."""
    bits = (3 * scores.size).bit_length()
    marks = np.zeros(1 << bits, dtype=np.bool_)
    for start in range(0, scores.size, STREAMED):
        hashed = scores[start : start + STREAMED].view(f"u{scores.itemsize}") * np.uint64(0x9E3779B97F4A7C15)
        hashed >>= np.uint64(64 - bits)
        marks[hashed.view(np.int64)] = True
    if np.count_nonzero(marks) > most + 1:  # -0.0 and 0.0 may leave two marks, all others one at the most
        return True
    ordered = np.sort(scores)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1 > most


def _placed(decided: AnyArray | None, place: IntArray) -> AnyArray | None:
    """Return decisions by the places of their classes instead of their codes, -1 for none."""
    return None if decided is None else small(np.where(decided < 0, -1, place[np.maximum(decided, 0)]))


def small(codes: AnyArray) -> AnyArray:
    """Return class or group numbers in as few bytes as will do: they are kept for every case."""
    if codes.dtype == np.int8:
        return codes
    return codes.astype(np.int8 if codes.max(initial=0) <= np.iinfo(np.int8).max else np.int32)
