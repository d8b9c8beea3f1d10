"""Scores by class against the rest, or against another: exact while they fit into memory, beyond binned with a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from adjudge._base import Undefined, dataclass, field, replace
from adjudge._base.arrays import STREAMED, AnyArray, IntArray, counts_cases
from adjudge.counts.packing import decimal_digits
from adjudge.counts.sampling import MOST_COLUMNS, Drawing, SampledCases, fewer, of_counted_rows, placed_by, regrouped
from adjudge.stats.binning import Bins, at_edges, room_for
from adjudge.stats.class_counts import MOST_RANKED
from adjudge.stats.pairs import Segments
from adjudge.stats.ranking import (
    EXACT_BITS,
    ScoreTable,
    against_each,
    auc,
    auc_of,
    coarsen,
    coarsen_classes,
    merge,
    tabulate,
    tabulate_few,
)

EXACT = 1 << 22  # scores (cases x classes) of a file kept as they are; arrays in memory are always ranked exactly
DISTINCT = 1 << 21  # distinct scores kept over all classes once a file has more than that
BY_CLASS = 1 << 23  # counts of distinct scores by class kept over all classes; more are binned, those above are not
KEPT = 5 << 27  # bytes of scores of a file kept beside their bins for the exact AUC
BITS = 22  # of the order of the scores, in binned tables
_MANY_TABLES, _MANY_VALUES = 1 << 6, 1 << 19  # of scores that a file of counts does not keep with all their digits
_BINNED = 1 << 15  # scores gathered before they are counted, once bins are all that is kept
_NO_COLUMN = "the class has no score column"
_MANY_PAIRS = f"pairs of more than {MOST_RANKED} classes are ranked only while all scores fit into memory"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCounts:
    """The scores of every class, ready to be asked for curves and areas; of a file too large to be held, tables of them."""

    columns: tuple[int, ...]  # the number of the class that each column of scores speaks of
    k: int
    scores: AnyArray | None = None
    truth: IntArray | None = None
    weight: AnyArray | None = None
    tables: tuple[ScoreTable, ...] = ()
    group: AnyArray | None = None  # the number of the group of each case that has scores here
    decided: AnyArray | None = None  # the class each of them was given, -1 for none; None where the highest score decides
    drawn: SampledCases | None = None  # some of the cases, where there were too many to keep
    exact: tuple[float | None, ...] = ()  # the AUC by column where all scores were ranked for it; None: the table has it already

    @property
    def some(self) -> SampledCases | None:
        """Some cases of every class, the same whether all were kept or not; columns of scores as in `columns`."""
        if self.scores is None or self.truth is None:
            return self.drawn
        if len(self.columns) > MOST_COLUMNS:
            return None
        if self.weight is not None and counts_cases(self.weight):
            return of_counted_rows(self.scores, self.truth, self.weight, self.k, self.group, self.decided)
        sizes = np.bincount(self.truth, minlength=self.k)
        return fewer(SampledCases(np.arange(self.truth.size), self.scores, self.truth, sizes, self.group, self.decided))

    def table(self, at: int) -> ScoreTable | Undefined:
        """Return the scores of class `at` among its own cases and the others."""
        column, flip = self._column(at)
        if column is None:
            return Undefined(_NO_COLUMN)
        if self.scores is None or self.truth is None:
            table = self.tables[column]
            if not flip:
                return table
            mixed = None if table.mixed is None else table.mixed[::-1]
            return ScoreTable(-table.values[::-1], table.negatives[::-1], table.positives[::-1], table.bits, mixed)
        scores = self.scores[:, column]
        return tabulate(-scores if flip else scores, self.truth == at, self.weight)

    def area(self, at: int) -> float:
        """Return the AUC of class `at` against the rest."""
        if self.scores is not None:
            return self.areas(at, [slice(None)])[0]
        table, column = self.table(at), self._column(at)[0]
        if isinstance(table, Undefined) or column is None:
            return Undefined(_NO_COLUMN)
        exact = self.exact[column] if self.exact else None  # turned scores of the other class have the same
        return auc_of(table) if exact is None else exact

    def areas(self, at: int, parts: Sequence[Any]) -> list[float]:
        """Return the AUC of class `at` against the rest among the rows of each part, all scores being held."""
        assert self.scores is not None
        assert self.truth is not None
        column, flip = self._column(at)
        if column is None:
            return [Undefined(_NO_COLUMN)] * len(parts)
        scores, own = self.scores[:, column], self.truth == at
        scores = -scores if flip else scores
        return [auc(scores[rows], own[rows], None if self.weight is None else self.weight[rows]) for rows in parts]

    def pair_areas(self, at: int, others: Sequence[int]) -> list[tuple[float, float]]:
        """Return the AUC of the score of class `at` between its cases and those of each other one, and how far it can be off."""
        if self.scores is not None:
            return [(area, 0.0) for area in self.areas(at, [(self.truth == at) | (self.truth == other) for other in others])]
        if at not in self.columns or not set(others) <= set(self.columns):
            return [(Undefined(_NO_COLUMN), 0.0)] * len(others)
        table, column = self.tables[self.columns.index(at)], self.columns.index
        if table.by_class is None:
            return [(Undefined(_MANY_PAIRS), 0.0)] * len(others)
        return [(auc_of(pair), pair.bound) for pair in against_each(table, column(at), map(column, others))]

    @property
    def pairs_binned(self) -> bool:
        """Whether pairs of classes are ranked by bins."""
        return any(table.by_class is not None and table.by_class.bits < EXACT_BITS for table in self.tables)

    def bound(self, at: int) -> float:
        """Return how far the AUC of class `at` can be off because scores were binned."""
        column, _ = self._column(at)
        return self.tables[column].bound if self.tables and column is not None and not self.exact else 0.0

    def _column(self, at: int) -> tuple[int | None, bool]:
        """Return the column that ranks class `at`, and whether it ranks the other of two classes instead."""
        if at in self.columns:
            return self.columns.index(at), False
        return (0, True) if len(self.columns) == 1 and self.k <= 2 else (None, False)  # noqa: PLR2004


def fine_enough(table: ScoreTable, columns: int) -> ScoreTable:
    """Return a table as fine as memory allows, of as many as there are columns."""
    return _paired(coarsen(table, BITS) if table.values.size > DISTINCT // columns else table, columns)


def _paired(table: ScoreTable, columns: int) -> ScoreTable:
    """Return a table whose counts by class are as fine as memory allows: by how much depends on all scores, in any order."""
    while table.by_class is not None and table.by_class.keys.size > max(BY_CLASS // columns, 1 << MOST_RANKED.bit_length()):
        table = coarsen_classes(table, min(BITS, table.by_class.bits - 1))
    return table


def as_tables(scores: ScoreCounts) -> ScoreCounts:
    """Return the same as tables, and a few of the cases."""
    if scores.scores is None or scores.truth is None:
        return scores
    width = len(scores.columns)
    sides = _sides(scores.truth, scores.columns)
    each = (tabulate(scores.scores[:, i], side, scores.weight, own) for i, (side, own) in enumerate(sides))
    tables = tuple(fine_enough(table, width) for table in each)
    return ScoreCounts(scores.columns, scores.k, tables=tables, drawn=scores.some)


def ranks_pairs(columns: int) -> bool:
    """Return whether tables of so many columns of scores are counted by class: two classes are one pair, many too many."""
    return 2 < columns <= MOST_RANKED  # noqa: PLR2004


def _sides(truth: AnyArray, columns: Sequence[int]) -> Iterator[tuple[AnyArray, int | None]]:
    """Yield, for each column, the column of the class of every case, and the own one; else which cases are of its class."""
    if not ranks_pairs(len(columns)):
        yield from ((truth == at, None) for at in columns)
        return
    column = np.full(max(int(truth.max(initial=0)), *columns) + 1, len(columns), dtype=np.int8)  # other classes have none
    column[list(columns)] = np.arange(len(columns))
    yield from zip(repeat(column[truth]), range(len(columns)))


def in_few_bytes(scores: ScoreCounts) -> ScoreCounts:
    """Return tables for a file: millions of scores with all their digits, of many classes, as bins with a bound."""
    tables = scores.tables
    values = np.concatenate([table.values for table in tables])
    if len(tables) <= _MANY_TABLES or values.size <= _MANY_VALUES or decimal_digits(values) is not None:
        return scores
    return replace(scores, tables=tuple(at_edges(table, BITS) for table in tables))


class ScoredRows(NamedTuple):
    """Some rows with scores; numbers of classes are codes, and -1 is no decision."""

    scores: AnyArray
    truth: AnyArray
    weight: AnyArray | None = None
    group: AnyArray | None = None
    decided: AnyArray | None = None


@dataclass(slots=True)
class ScoreCounter:
    """Scores that gather while rows stream by; class numbers are codes until the end."""

    limit: int | None = EXACT
    keep: bool = False  # whether to keep all scores beside their bins, while there is room for them
    _rows: list[ScoredRows] = field(default_factory=list)
    _held: int = 0
    _tables: list[ScoreTable] = field(default_factory=list)
    _bins: list[Bins] = field(default_factory=list)
    _segments: list[Segments] = field(default_factory=list)
    _kept: int = 0

    def add(self, rows: ScoredRows) -> None:
        """Gather one block."""
        self._rows.append(rows)
        self._held += rows.scores.size
        if self.limit is not None and self._held > self.limit:
            self._fold()

    def _gathered(self) -> ScoredRows:
        """Return all rows that are held, which are no longer."""
        parts = list(zip(*self._rows, strict=True))
        self._rows.clear()
        self._held = 0
        return ScoredRows(*(None if part[0] is None else np.concatenate(part) for part in parts))  # type: ignore[arg-type]

    def _fold(self) -> None:
        """Turn what is held into tables, as fine as memory allows."""
        scores, truth, weight, *_ = self._gathered()
        columns = scores.shape[1]
        self._bins = self._bins or _bins(columns)
        self._segments = self._segments or [Segments() for _ in range(columns) if self.keep]
        for i, (side, own) in enumerate(_sides(truth, range(columns))):
            if len(self._tables) < columns:
                self._tables.append(tabulate(scores[:0, i], side[:0], own=own))
            self._count(i, scores[:, i], side, own, weight, columns)
        if all(table.bits < EXACT_BITS for table in self._tables):
            self.limit = _BINNED

    def _count(self, i: int, scores: AnyArray, side: AnyArray, own: int | None, weight: AnyArray | None, columns: int) -> None:
        """Count a column; in bins at once where bins are what it comes to."""
        table, most = self._tables[i], DISTINCT // columns
        exact = table.bits == EXACT_BITS
        few = tabulate_few(scores, side, own) if exact and weight is None else None
        if exact and few is None and not table.values.size and _differ(scores if weight is None else scores[weight > 0], most):
            self._tables[i], exact = coarsen(table, BITS), False
        if exact:
            self._tables[i] = fine_enough(merge(table, few or tabulate(scores, side, weight, own)), columns)
            return
        self._bins[i].add(scores, side, weight)
        self._kept += scores.nbytes
        if weight is not None or self._kept > KEPT:
            self.keep = False
            self._segments.clear()
        elif self.keep:
            self._segments[i].add(scores, side if own is None else side == own)

    def tables(self) -> list[ScoreTable]:
        """Return all that was added as tables, one a column; none where nothing was."""
        if self._rows:
            self._fold()
        both = zip(self._tables, self._bins, strict=True)
        each = (table if table.bits == EXACT_BITS else merge(table, bins.table()) for table, bins in both)
        return [_paired(table, len(self._tables)) for table in each]

    def include(self, tables: Sequence[ScoreTable]) -> None:
        """Add what another counted; cuts by the fewer bits, and where together there are too many scores."""
        if not tables:
            return
        self._bins = self._bins or _bins(len(tables))
        both = zip(self._tables, tables, strict=True) if self._tables else None
        self._tables = [fine_enough(merge(*pair), len(tables)) for pair in both] if both else list(tables)

    def doubled(self) -> dict[int, int]:
        """Return twice the pairs that the cases of a class win, for columns whose scores were all kept; none is any longer."""
        whole = [i for i in range(len(self._segments)) if not self._tables[i].values.size]  # else those of the table came before
        won = {i: self._segments[i].doubled() for i in whole}
        self._segments.clear()
        return {i: each for i, each in won.items() if each is not None}

    def counts(self, order: Sequence[int], drawing: Drawing | None = None, groups: Sequence[int] = ()) -> ScoreCounts:
        """Return the counts; `order` and `groups` name the codes as they will be shown, `drawing` has some of the cases."""
        place, group_place = (np.full(max(codes, default=0) + 1, -1) for codes in (order, groups))
        place[list(order)], group_place[list(groups)] = np.arange(len(order)), np.arange(len(groups))
        if not self._tables:
            scores, truth, weight, group, decided = self._gathered()
            columns, decided, group = (
                tuple(place[: scores.shape[1]].tolist()),
                placed_by(place, decided),
                regrouped(group_place, group),
            )
            return ScoreCounts(columns, len(order), scores, place[truth], weight, group=group, decided=decided)
        tables = tuple(self.tables())
        columns = tuple(place[: len(tables)].tolist())
        drawn = None if drawing is None else drawing.kept
        drawn = None if drawn is None else replace(drawn.moved(place, len(order)), group=regrouped(group_place, drawn.group))
        return ScoreCounts(columns, len(order), tables=tables, drawn=drawn)


def _bins(columns: int) -> list[Bins]:
    """Return bins for each of so many columns."""
    classes = columns if ranks_pairs(columns) else 1
    return [Bins(BITS, room_for(columns), i if classes > 1 else None, classes) for i in range(columns)]


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
