"""Cases and correct ones by value of columns that may be clusters, and by run of equal rows: whether rows belong together.

Nothing is made of them but a finding: intervals are those of independent rows until a column is named as the cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjudge._base import dataclass
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, counts_cases
from adjudge._base.one_order import mixed

if TYPE_CHECKING:
    from adjudge.predictions.blocks import Block, Encoder

MOST = 4096  # values counted apart; of more those whose numbers begin alike are one, as of clusters
RUNS_IN = 1 << 16  # first rows in which runs are looked for
_COLUMNS = 8  # of scores that rows of a run have in common
_ALIKE = 0.1  # rows equal to the one before, by rows, from which on there are runs
_OWN = 0.9  # different rows by runs: equal rows that come back further on are of few scores, not of runs
_TURNS = 0.2  # runs whose score is above that of the one before, and those below; where rows are sorted by score there are few
_TOP = np.uint64(64 - 12)


@dataclass(frozen=True, slots=True, eq=False)
class ByValue:
    """How many cases each value of a column has, and how many of them are correct."""

    column: str | None  # None of runs of equal rows
    keys: IntArray
    cases: FloatArray
    correct: FloatArray
    squares: float  # of the weights of cases
    together: bool = False  # whether values were too many to be counted apart


def by_value(name: str | None, keys: IntArray, right: AnyArray, weight: AnyArray | None = None) -> ByValue:
    """Return the cases of each value, and how many are correct; or by how many more of them one set is than another."""
    own, at = _distinct(keys)
    cases = np.asarray(np.bincount(at, weight, minlength=own.size), dtype=np.float64)
    correct = np.asarray(np.bincount(at, right if weight is None else right * weight, minlength=own.size), dtype=np.float64)
    squares = cases.sum() if weight is None or counts_cases(weight) else (weight**2).sum()
    return ByValue(name, own, cases, correct, float(squares))


class SuspectCounter:
    """Columns that may be clusters, counted while rows stream by; runs of equal rows among the first."""

    def __init__(self, encoder: Encoder, *, runs: bool = True) -> None:
        self.columns = encoder.suspected
        self.counted: dict[str | None, ByValue] = {}
        self.runs = _Runs() if runs and encoder.suspecting and encoder.roles.count is None else None

    def add(self, block: Block) -> None:
        """Add some rows."""
        right = block.truth == block.predicted
        for name, (keys, gone) in zip(self.columns, block.suspected, strict=True):
            keep = ~gone if gone.any() else slice(None)
            weight = None if block.weight is None else block.weight[keep]
            self.include([by_value(name, keys[keep], right[keep], weight)])
        if self.runs is not None and block.scores is not None and block.weight is None and self.runs.rows < RUNS_IN:
            keys = self.runs.add(block.truth, block.predicted, block.scores)
            self.include([by_value(None, keys, right[: keys.size])])

    def include(self, parts: Sequence[ByValue]) -> None:
        """Add what was counted of some rows."""
        for part in parts:
            known = self.counted.get(part.column)
            self.counted[part.column] = _bounded(part if known is None else _both(known, part))

    def values(self) -> tuple[ByValue, ...]:
        """Return what was counted, runs only where rows come in such."""
        runs = self.runs is None or not self.runs.rows or self.runs.there  # those of a part are there, else it gives none
        return tuple(each for name, each in self.counted.items() if name is not None or runs)


class _Runs:
    """Rows one after the other with the same truth, decision and scores."""

    def __init__(self) -> None:
        self.rows = self.runs = self.up = self.down = 0
        self._last = np.empty((0, 0))
        self._first: list[FloatArray] = []  # rows of the runs

    def add(self, truth: IntArray, predicted: IntArray, scores: AnyArray) -> IntArray:
        """Return the numbers of the runs of rows, as far as runs are looked for."""
        held = np.column_stack((truth, predicted, scores[:, :_COLUMNS]))[: RUNS_IN - self.rows].astype(np.float64)
        before = held[:1] + np.nan if not self.rows else self._last
        moved = np.concatenate((before, held))
        begins = ~(moved[1:] == moved[:-1]).all(axis=1)
        step = (moved[1:, 2] - moved[:-1, 2])[begins]
        self.up, self.down = self.up + int((step > 0).sum()), self.down + int((step < 0).sum())
        self._first.append(held[begins])
        number = self.runs - 1 + np.cumsum(begins)
        self.rows, self.runs, self._last = self.rows + len(held), self.runs + int(begins.sum()), held[-1:]
        return np.asarray(mixed(number.view(np.uint64)).view(np.int64))

    @property
    def there(self) -> bool:
        """Whether rows come in runs, each of its own scores, in no order of these."""
        if self.rows - self.runs < _ALIKE * self.rows or min(self.up, self.down) < _TURNS * self.runs:
            return False
        return len(np.unique(np.concatenate(self._first), axis=0)) >= _OWN * self.runs


def _distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different numbers in order, and the place of each row's: of many rows faster than sorting them."""
    from adjudge.predictions.cells import indices_of, view  # Arrow, which counts in memory do without
    from adjudge.predictions.native import flat

    encoded = flat(keys).dictionary_encode()
    order = np.argsort(own := view(encoded.dictionary))
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return own[order], place[indices_of(encoded)]


def _both(a: ByValue, b: ByValue) -> ByValue:
    a, b = (_put_together(each) if a.together or b.together else each for each in (a, b))
    keys, at = np.unique(np.concatenate((a.keys, b.keys)), return_inverse=True)
    cases, correct = (
        np.asarray(np.bincount(at, np.concatenate(pair), minlength=keys.size), dtype=np.float64)
        for pair in ((a.cases, b.cases), (a.correct, b.correct))
    )
    return ByValue(a.column, keys, cases, correct, a.squares + b.squares, a.together)


def _bounded(values: ByValue) -> ByValue:
    return _put_together(values) if values.keys.size > MOST else values


def _put_together(values: ByValue) -> ByValue:
    """Return values put together at random, by their numbers."""
    if values.together:
        return values
    keys, at = np.unique((values.keys.view(np.uint64) >> _TOP).astype(np.int64), return_inverse=True)
    cases, correct = (np.asarray(np.bincount(at, each), dtype=np.float64) for each in (values.cases, values.correct))
    return ByValue(values.column, keys, cases, correct, values.squares, together=True)
