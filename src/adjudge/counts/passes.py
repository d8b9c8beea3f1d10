"""Predictions gone through block by block, as often as need be: sums over cases that are never all held, enough to fit to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from adjudge._base import InputError, argument, counted, dataclass, field, fields, listed
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.counts.cells import CellCounter, Cells, pairs
from adjudge.counts.probabilities import ROUNDING, rescaled
from adjudge.predictions.blocks import Block, Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.model import Predictions, unwatched
from adjudge.predictions.sources import ColumnsSource
from adjudge.stats.multiplier_rule import Outcome, Rescaling, winners
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen, merge, tabulate

GATHERED = 1 << 21  # scores gathered before they are counted, and distinct ones kept of a file; more are put into bins
_STEP = 2  # bits fewer at a time, until bins are few enough


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What one pass leaves of the cases; parts of them add up."""

    cases: int  # how many have a weight above 0
    totals: FloatArray  # weight of each true class
    squares: float  # sum of the squared weights: what the cases are worth follows from it
    certain: float  # weight of the cases with a probability of exactly 1
    by_class: FloatArray  # sums of the probabilities (columns) over the cases of each true class (rows)
    gram: FloatArray  # sums of the products of two probabilities

    @property
    def size(self) -> float:
        """The sum of the weights."""
        return float(self.totals.sum())

    def __add__(self, other: Moments) -> Moments:
        return Moments(*(getattr(self, name.name) + getattr(other, name.name) for name in fields(self)))

    def times(self, factor: float) -> Moments:
        """Return the same cases with every weight multiplied."""
        rest = (factor * part for part in (self.certain, self.by_class, self.gram))
        return Moments(self.cases, factor * self.totals, factor**2 * self.squares, *rest)  # type: ignore[arg-type]

    def ordered(self, order: Sequence[int]) -> Moments:
        """Return the same with the classes in another order."""
        both = np.ix_(order, order)
        return Moments(self.cases, self.totals[list(order)], self.squares, self.certain, self.by_class[both], self.gram[both])


def moments_of(p: FloatArray, truth: IntArray, weight: FloatArray | None) -> Moments:
    """Return the sums over some cases."""
    k, columns = p.shape[1], by_columns(p)
    weighed = columns if weight is None else columns * weight
    sums = [np.bincount(truth, weights=column, minlength=k) for column in weighed]
    sure = np.flatnonzero(p.reshape(-1) == 1) // k
    return Moments(
        truth.size if weight is None else int(np.count_nonzero(weight)),
        np.bincount(truth, weights=weight, minlength=k).astype(np.float64),
        float(truth.size if weight is None else (weight * weight).sum()),
        float(sure.size if weight is None else weight[sure].sum()),
        np.stack(sums, axis=1).astype(np.float64),
        weighed @ columns.T,
    )


def by_columns(p: FloatArray) -> FloatArray:
    """Return classes by cases: what goes over a few classes of each case goes over whole rows then, many times as fast."""
    return np.ascontiguousarray(p.T)


def summing_to_one(p: FloatArray) -> FloatArray:
    """Return probabilities, none below 0, whose rows sum to one; rows that do but for rounding stay as they are."""
    near = np.abs(by_columns(p).sum(axis=0) - 1) <= ROUNDING
    if near.all() and p.min() >= 0:
        return p
    p = np.maximum(p, 0.0)
    return rescaled(p, p.sum(axis=1, keepdims=True))


def joined(parts: Iterable[Moments], k: int) -> Moments:
    """Return the sums over all parts, of none where there is no case."""
    return reduce(Moments.__add__, parts, Moments(0, np.zeros(k), 0.0, 0.0, np.zeros((k, k)), np.zeros((k, k))))


class Densities(NamedTuple):
    r"""Of the density :math:`d_n = \sum_i v_i p_{ni}` of each case: :math:`\sum w \log d`, and its derivatives by v."""

    log: float
    first: FloatArray  # sum of w p_i / d
    second: FloatArray  # sum of w p_i p_j / d^2, without the sign


def densities_of(p: FloatArray, weight: FloatArray | None, v: FloatArray) -> Densities:
    """Return the sums over some cases; a case of weight 0 is none."""
    if weight is not None and not weight.all():
        p, weight = p[weight > 0], weight[weight > 0]
    columns = by_columns(p)
    with np.errstate(divide="ignore", invalid="ignore"):  # numbers of 0 may make a case impossible: -inf
        density = (columns * v[:, None]).sum(axis=0)
        log, scaled = np.log(density), columns / density
        if weight is None:
            return Densities(float(log.sum()), scaled.sum(axis=1), scaled @ scaled.T)
        weighed = scaled * weight
        return Densities(float((weight * log).sum()), weighed.sum(axis=1), weighed @ scaled.T)


@dataclass(frozen=True, slots=True, eq=False)
class CaseBlock:
    """Some cases: probabilities and classes in class order, and what else is known of each."""

    p: FloatArray
    truth: IntArray
    weight: FloatArray | None = None
    decided: IntArray | None = None  # the place of the class each case was given, -1 for none
    group: IntArray | None = None  # the number of its group; of its cluster, where there are clusters
    first: int = 0  # how many cases came before


class Passes(ABC):
    """Cases that come in blocks, the same in every pass."""

    def __init__(self) -> None:
        self.taken = 0  # how many passes were made
        self._moments: Moments | None = None

    @property
    @abstractmethod
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""

    @property
    @abstractmethod
    def weighted(self) -> bool:
        """Whether cases have weights."""

    @property
    def positive(self) -> int | None:
        """The place of the class looked for, where it was named or its label says so."""
        return None

    @abstractmethod
    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases."""

    @property
    def most_distinct(self) -> int | None:
        """How many distinct scores are kept apart; None: all."""
        return GATHERED

    def moments(self) -> Moments:
        """Return the sums over all cases, found in one pass and remembered."""
        if self._moments is None:
            self._moments = self.parted(lambda _: None)[0]
        return self._moments

    def parted(self, part_of: Callable[[CaseBlock], IntArray | None]) -> dict[int, Moments]:
        """Return, in one pass, the sums over the cases of each part; None: all are of part 0."""
        sums: dict[int, Moments] = {}
        for block in self.blocks():
            parts, weight = part_of(block), block.weight
            for part in [0] if parts is None else np.unique(parts).tolist():
                rows = slice(None) if parts is None else parts == part
                own = moments_of(block.p[rows], block.truth[rows], None if weight is None else weight[rows])
                sums[part] = sums[part] + own if part in sums else own
        if not sums:
            msg = "There are no cases. Give at least one row of probabilities."
            raise InputError(msg)
        return sums

    def outcomes(self, rules: Sequence[tuple[Rescaling, float | None]]) -> list[Outcome]:
        """Return, in one pass, what rescalings are worth; a loss that is known is not summed again."""
        sums = [Outcome(0.0, 0.0, np.zeros(len(self.classes), dtype=np.int64)) for _ in rules]
        for block in self.blocks():
            each = [rule.outcome(block.p, block.truth, block.weight, loss=None if loss is None else 0.0) for rule, loss in rules]
            sums = [added(old, new) for old, new in zip(sums, each, strict=True)]
        return [outcome if loss is None else outcome._replace(loss=loss) for outcome, (_, loss) in zip(sums, rules, strict=True)]

    def densities(self, v: FloatArray) -> Densities:
        """Return, in one pass, the sums of the logarithm of a mixture and its derivatives."""
        log, first, second = 0.0, np.zeros(v.size), np.zeros((v.size, v.size))
        for block in self.blocks():
            part = densities_of(block.p, block.weight, v)
            log, first, second = log + part.log, first + part.first, second + part.second
        return Densities(log, first, second)

    def sure(self) -> ScoreTable:
        """Return, in one pass, the highest probabilities of the cases decided rightly and wrongly."""
        table = TableCounter(self.most_distinct)
        for block in self.blocks():
            if block.decided is None or (block.decided < 0).any():
                msg = "Some cases were not decided, so that they are neither correct nor wrong."
                raise InputError(msg, " Leave them out, or the column of decisions.")
            table.add(by_columns(block.p).max(axis=0), np.asarray(block.truth == block.decided), block.weight)
        return table.table()

    def scored(self, at: int) -> ScoreTable:
        """Return, in one pass, the probabilities of class `at` among its own cases and the others."""
        table = TableCounter(self.most_distinct)
        for block in self.blocks():
            table.add(block.p[:, at], block.truth == at, block.weight)
        return table.table()

    def tops(self) -> list[ScoreTable]:
        """Return, in one pass, the highest probabilities of right and wrong cases, for each class that is the most probable."""
        k = len(self.classes)
        tables = [TableCounter(None if self.most_distinct is None else self.most_distinct // k) for _ in range(k)]
        for block in self.blocks():
            top = winners(block.p, 0)  # the first of equals
            for at, table in enumerate(tables):
                rows = np.flatnonzero(top == at)
                table.add(block.p[rows, at], block.truth[rows] == at, None if block.weight is None else block.weight[rows])
        return [table.table() for table in tables]

    def decisions(self, decide: Callable[[FloatArray], IntArray]) -> Cells:
        """Return, in one pass, how often a rule decides what about the cases of each class; -1 is no decision."""
        cells, k = CellCounter(), len(self.classes)
        for block in self.blocks():
            cells.add(pairs(block.truth, decide(block.p), k, block.weight))
        return cells.cells

    def held(self) -> tuple[FloatArray, FloatArray | None]:
        """Return the probabilities and weights of all cases whose weight is above 0, for those who know that they are few."""
        parts = [(b.p, b.weight) if b.weight is None else (b.p[b.weight > 0], b.weight[b.weight > 0]) for b in self.blocks()]
        p = np.concatenate([part[0] for part in parts])
        return p, np.concatenate([np.asarray(part[1]) for part in parts]) if self.weighted else None


def added(a: Outcome, b: Outcome) -> Outcome:
    """Return what a rule is worth on the cases of both."""
    return Outcome(a.loss + b.loss, a.errors + b.errors, a.negative + b.negative)


class BlockPasses(Passes):
    """Predictions whose rows come in blocks: of a file, or of arrays."""

    def __init__(self, predictions: Predictions) -> None:
        super().__init__()
        self.predictions = without_duplicates(predictions)
        self.encoder = Encoder(self.predictions)  # that of the last pass
        self.rows = 0
        self.lightest, self.heaviest = np.inf, 0.0
        self._used: list[int] = []
        self._order: list[int] = []
        self._classes: tuple[Any, ...] = ()

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        if not self._classes:
            self.moments()
        return self._classes

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return self.predictions.roles.weight is not None

    @property
    def positive(self) -> int | None:
        """The place of the class looked for, where it was named or its label says so."""
        return self.encoder.positive(self.classes)

    @property
    def most_distinct(self) -> int | None:
        """How many distinct scores are kept apart; all of those that are in memory anyway."""
        return None if isinstance(unwatched(self.predictions.source), ColumnsSource) else GATHERED

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases. The order of the two classes of a single score is known only after the first pass."""
        self.encoder, self.rows = (encoder := Encoder(self.predictions)), 0
        if encoder.scores.form == "none":
            msg = "The probabilities of the classes are needed, and none were found. Name their columns with "
            raise InputError(msg, argument("scores"), ".")
        if encoder.scores.scale == "scores":
            msg = "These scores only rank; probabilities, percentages, votes or logits are needed. See "
            raise InputError(msg, argument("scores_are"), ".")
        self.taken += 1
        row, first = encoder.roles.row, not self._order
        identities = Identities(row) if first and row and encoder.reading.duplicates == "error" else None
        self._used = self._order or ([0, 1] if encoder.scores.form == "single" else _columns_of(encoder))
        for block in encoder.blocks(singly=True):
            if identities is not None and block.row is not None:
                identities.add(block.row, block.fold, block.number, block.run)
            if block.weight is not None:
                self.lightest = min(self.lightest, float(block.weight.min()))
                self.heaviest = max(self.heaviest, float(block.weight.max()))
            yield _in_order(block, self._used, encoder, self.rows)
            self.rows += block.truth.size
        if identities is not None:
            identities.check()
        self._order, self._classes = _columns_of(encoder), encoder.classes

    def parted(self, part_of: Callable[[CaseBlock], IntArray | None]) -> dict[int, Moments]:
        """Return, in one pass, the sums over the cases of each part, in class order though it was not known before."""
        sums = super().parted(part_of)
        turned = [self._used.index(code) for code in self._order]
        return {part: moments.ordered(turned) for part, moments in sums.items()}


def _columns_of(encoder: Encoder) -> list[int]:
    """Return the column of each class in the order to show them; a single score has one for the other class too."""
    return [min(code, 1) for code in encoder.order] if encoder.scores.form == "single" else encoder.order


def _in_order(block: Block, order: list[int], encoder: Encoder, before: int) -> CaseBlock:
    """Return a block with a column for each class, in the order of the codes."""
    assert block.scores is not None
    p, truth = np.asarray(block.scores, dtype=np.float64), block.truth
    if encoder.scores.form == "single":
        own = np.clip(p[:, 0], 0, 1)
        p, truth = np.column_stack([own, 1 - own])[:, order], np.minimum(truth, 1)
    else:
        columns, classes = p.shape[1], encoder.classes
        if columns != len(classes) or columns <= 1:
            told = f"there are {counted(columns, 'column')} and {counted(len(classes), 'class', 'classes')}: {listed(classes)}"
            msg = f"Every class needs a column of probabilities and there must be two or more; {told}."
            raise InputError(msg)
        p = summing_to_one(np.ascontiguousarray(p[:, order]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    decided = np.where(block.predicted < 0, -1, place[np.clip(block.predicted, 0, len(order) - 1)])
    return CaseBlock(p, place[truth], block.weight, decided, block.group if block.cluster is None else block.cluster, before)


@dataclass(slots=True)
class TableCounter:
    """A table of scores that grows with the blocks, as fine as `most` distinct scores allow."""

    most: int | None
    _held: list[tuple[AnyArray, BoolArray, FloatArray | None]] = field(default_factory=list)
    _size: int = 0
    _table: ScoreTable | None = None

    def add(self, scores: AnyArray, positive: BoolArray, weight: FloatArray | None) -> None:
        """Gather a block; count what was gathered once it is much."""
        self._held.append((scores, positive, weight))
        self._size += scores.size
        if self.most is not None and self._size > self.most:
            self._count()

    def _count(self) -> None:
        scores, positive = (np.concatenate([part[i] for part in self._held]) for i in (0, 1))
        weights = [part[2] for part in self._held if part[2] is not None]
        fresh = tabulate(scores, positive.astype(np.bool_), np.concatenate(weights) if weights else None)
        table = fresh if self._table is None else merge(self._table, fresh)
        bits = min(table.bits, EXACT_BITS)
        while self.most is not None and table.values.size > self.most and bits > _STEP:
            bits -= _STEP
            table = coarsen(table, bits)
        self._table, self._held, self._size = table, [], 0

    def table(self) -> ScoreTable:
        """Return what was counted."""
        if self._held or self._table is None:
            self._count()
        assert self._table is not None
        return self._table
