"""The confusion table: rows are the true classes, columns the assigned ones."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from adjudge._base import InputError, Shown, argument, dataclass, field, listed, plain, quoted, replace, safe
from adjudge._base.arrays import AnyArray, FloatArray, frozen
from adjudge.counts.cells import NONE, SHIFT, Cells, joined
from adjudge.predictions.labels import LARGEST_EXACT, MANY, text_of
from adjudge.predictions.spellings import position
from adjudge.stats.exact_sums import expansion, from_floats

if TYPE_CHECKING:
    from scipy.sparse import coo_array

    from adjudge.counts.clusters import ClusterCounts

DENSE = 1000  # most classes of a full table; with more, only cells that occur are kept


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionCounts(Shown):
    """How often each class was predicted for the cases of each class.

    Parameters
    ----------
    cells : array-like
        K x K whole numbers, rows true and columns predicted; or K x (K + 1), whose last column counts
        cases without a decision. A scipy sparse array is kept sparse.
    classes : sequence, optional
        The labels of the K classes; 0..K-1 if left out.
    positive : label, optional
        The class that measures of one class speak of when asked for no other.
    """

    cells: Any
    classes: Sequence[Any] = ()
    positive: Any = None
    clusters: ClusterCounts | None = field(default=None, repr=False)
    """The same by cluster, where rows belong together."""

    _cell_type: ClassVar[npt.DTypeLike] = np.int64

    def __post_init__(self) -> None:
        sparse = hasattr(self.cells, "tocoo")
        try:
            table: Any = _summed(self.cells) if sparse else np.asarray(self.cells)
        except ValueError as error:
            msg = "A confusion table has as many cells in every row; these rows differ in length."
            raise InputError(msg) from error
        if table.ndim != 2 or table.shape[1] not in (table.shape[0], table.shape[0] + 1) or not table.shape[0]:  # noqa: PLR2004
            msg = f"A confusion table is K x K, or K x (K + 1) with the rejected cases last; got shape {table.shape}."
            raise InputError(msg)
        checked = self._checked(table.data if sparse else table)
        table = _coo(checked, table.coords, table.shape) if sparse else frozen(checked, self._cell_type)
        classes = tuple(range(table.shape[0])) if self.classes is None or not len(self.classes) else tuple(self.classes)  # type: ignore[redundant-expr]
        if len(classes) != table.shape[0]:
            msg = f"The table has {table.shape[0]} rows, but {len(classes)} classes are named; name one class per row."
            raise InputError(msg)
        if any(label is None for label in classes):
            msg = "None is no name for a class: it stands for a missing label. Give the class a name."
            raise InputError(msg)
        if len(set(classes)) < len(classes):
            again = next(label for at, label in enumerate(classes) if label in classes[:at])
            msg = f"The class {quoted(again)} is named twice; name each class once."
            raise InputError(msg)
        object.__setattr__(self, "cells", table)
        object.__setattr__(self, "classes", classes)
        if self.positive is not None:
            object.__setattr__(self, "positive", classes[position(classes, self.positive)])

    def _checked(self, values: AnyArray) -> AnyArray:
        return whole_counts(values)

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def n(self) -> Any:
        """All cases, rejected ones included."""
        value = self.support.sum()  # as `correct` is summed, so that no share of weights exceeds 1
        return operator.index(value) if isinstance(value, (int, np.integer)) else float(value)

    @cached_property
    def correct(self) -> AnyArray:
        """Cases predicted correctly, by true class."""
        return frozen(self.cells.diagonal()[: self.k], self._cell_type)

    @cached_property
    def support(self) -> AnyArray:
        """Cases whose true class is each class, rejected ones included."""
        return frozen(self.cells.sum(axis=1), self._cell_type)

    @cached_property
    def predicted(self) -> AnyArray:
        """Cases predicted as each class."""
        return frozen(self.cells.sum(axis=0)[: self.k], self._cell_type)

    @cached_property
    def rejected(self) -> AnyArray:
        """Cases without a decision, by true class."""
        if not self.has_rejected:
            return frozen(np.zeros(self.k), self._cell_type)
        table = self.cells if isinstance(self.cells, np.ndarray) else self.cells.tocsc()[:, [self.k]].toarray()
        return frozen(table[:, -1], self._cell_type)

    @property
    def has_rejected(self) -> bool:
        """Whether the table has a column of cases without a decision."""
        return bool(self.cells.shape[1] > self.k)

    def binary(self, positive: Any) -> ConfusionCounts:
        """Return the 2 x 2 table of `positive` against the rest, the positive class first."""
        at = position(self.classes, positive)
        label = self.classes[at]
        others = [label for i, label in enumerate(self.classes) if i != at]
        rest = others[0] if len(others) == 1 else f"not {text_of(label)}"
        table = _made_of(lambda table: _two_by_two(table, at), [self], (label, rest), label)
        return table if self.clusters is None else replace(table, clusters=self.clusters.against_rest(at))

    def __add__(self, other: object) -> ConfusionCounts:
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        if type(other) is not type(self):
            msg = "Weighted and unweighted counts do not add up; weight both or neither."
            raise InputError(msg)
        a, b = same_classes(self, other)
        if isinstance(a, WeightedCounts) and isinstance(b, WeightedCounts):
            return from_cells(joined([a.exact, b.exact]), a.classes, range(a.k), rejected=a.has_rejected)
        return ConfusionCounts(a.cells + b.cells, a.classes)

    def __radd__(self, other: object) -> ConfusionCounts:
        return self if other == 0 else NotImplemented  # so that sum(tables) works

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        if self.classes != other.classes or self.cells.shape != other.cells.shape:
            return False
        differ = self.cells != other.cells
        return not (differ.any() if isinstance(differ, np.ndarray) else differ.nnz)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as lists; one with many classes as the cells that occur: rows, columns, counts."""
        told = {"classes": plain(self.classes), "rejected_column": self.has_rejected}
        if isinstance(self.cells, np.ndarray):
            return told | {"cells": plain(self.cells)}
        return told | {"sparse_cells": [plain(v) for v in (*self.cells.coords, self.cells.data)]}

    def __repr__(self) -> str:
        width = " and a column of rejected cases" if self.has_rejected else ""
        kind = f"{type(self).__name__} of {self.n:,} cases, {self.k} classes{width}"
        head = f"{kind} (rows: true class, columns: predicted class): {listed(self.classes)}"
        return f"{head}\n{self.cells}" if isinstance(self.cells, np.ndarray) and self.k <= 12 else head  # noqa: PLR2004


@dataclass(frozen=True, eq=False, repr=False)
class WeightedCounts(ConfusionCounts):
    """Sums of weights instead of counts, with the squares that say how many cases they are worth."""

    squares: Any = None
    rests: tuple[tuple[Any, Any], ...] = ()
    """What rounding left of sums of weights and of squares, so that tables add up to the same digits in any order."""

    _cell_type: ClassVar[npt.DTypeLike] = np.float64

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.squares is None or np.shape(self.squares) != self.cells.shape:
            msg = "Weighted counts need the sum of squared weights of each cell beside the sum of weights."
            raise InputError(msg)
        squares = _summed(self.squares) if hasattr(self.squares, "tocoo") else frozen(self.squares)
        object.__setattr__(self, "squares", squares)

    def _checked(self, values: AnyArray) -> AnyArray:
        values = np.asarray(values, dtype=np.float64)
        if not np.all(np.isfinite(values)) or np.any(values < 0):
            msg = "Weights must be numbers of at least 0."
            raise InputError(msg)
        return values

    @property
    def exact(self) -> Cells:
        """The cells that occur with exact sums of weights."""
        rows, columns = self.cells.nonzero()
        parts = zip((self.cells, self.squares), *self.rests, strict=True)
        sums = [np.sum([from_floats(_at(each, rows, columns)) for each in part], axis=0) for part in parts]
        return Cells(rows << SHIFT | np.where(columns == self.k, NONE, columns), *sums)

    @property
    def effective_n(self) -> float:
        r"""The number of equally weighted cases worth as much: :math:`(\sum w)^2 / \sum w^2` (Kish 1965)."""
        return float(self.n**2 / self.squares.sum()) if self.n else 0.0

    @property
    def effective_support(self) -> FloatArray:
        """The same, by true class; 0 where there is none."""
        squares = np.asarray(self.squares.sum(axis=1))
        return np.asarray(np.divide(self.support**2, squares, out=np.zeros(self.k), where=squares > 0))


def table_of(cells: Any, squares: Any, classes: Sequence[Any], positive: Any = None) -> ConfusionCounts:
    """Return counts, or where there are sums of squared weights weighted ones."""
    if squares is None:
        return ConfusionCounts(cells, classes, positive)
    return WeightedCounts(cells, classes, positive, squares=squares)


def _made_of(
    change: Callable[..., Any], tables: Sequence[ConfusionCounts], classes: Sequence[Any], positive: Any = None
) -> ConfusionCounts:
    """Return the table that `change` makes of others; where these are weighted, the same of their squared weights beside it."""
    squared = [replace(table, cells=table.squares) for table in tables if isinstance(table, WeightedCounts)]
    return table_of(change(*tables), change(*squared) if squared else None, classes, positive)


def as_counts(table: Any) -> ConfusionCounts:
    """Return a confusion table; a plain one, as nested lists or an array, gets classes 0, 1, ..."""
    if isinstance(table, ConfusionCounts):
        return table
    try:
        cells = np.asarray(table) if isinstance(table, (list, tuple, np.ndarray)) else None
    except ValueError:
        cells = None
    if cells is None or cells.ndim != 2:  # noqa: PLR2004 - rows and columns
        msg = f"A confusion table has as many cells in each row as there are classes; got {safe(repr(table), 80)}."
        raise InputError(msg)
    return ConfusionCounts(cells)


def whole_counts(values: AnyArray) -> AnyArray:
    """Return counts as int64, refusing what is no count; a leading dimension more is one of many tables."""
    values = np.asarray(values)
    kind = values.dtype.kind
    if kind not in "iub" and (kind != "f" or not np.all(np.isfinite(values) & (values == np.floor(values)))):
        msg = "Cells must be whole numbers. For weighted cases use confusion(..., "
        raise InputError(msg, argument("weight"), ").")
    if np.any(values < 0):
        msg = f"Cells count cases and cannot be negative; got {values.min()}."
        raise InputError(msg)
    if values.sum(dtype=np.float64) > LARGEST_EXACT or values.astype(np.int64).sum() > LARGEST_EXACT:
        raise InputError(MANY)
    return values.astype(np.int64)


def from_cells(cells: Cells, classes: Sequence[Any], order: Sequence[int], *, rejected: bool) -> ConfusionCounts:
    """Return the table of counted cells; `order` names the code of each class."""
    k = len(order)
    rank = np.full(max(*order, int(cells.rows.max(initial=0)), 0) + 2, -1, dtype=np.int64)
    rank[np.asarray(order, dtype=np.int64)] = np.arange(k)
    rows, columns = rank[cells.rows], np.where(cells.columns == NONE, k, rank[np.minimum(cells.columns, rank.size - 1)])
    shape = (k, k + rejected)
    if cells.squares is None:
        return ConfusionCounts(placed(cells.n, rows, columns, shape), classes)
    both = zip_longest(expansion(cells.n), expansion(cells.squares), fillvalue=np.zeros(cells.n.size))
    (n, squares), *rests = [tuple(placed(each, rows, columns, shape) for each in parts) for parts in both]
    return WeightedCounts(n, classes, squares=squares, rests=tuple(rests))


def placed(values: AnyArray, rows: AnyArray, columns: AnyArray, shape: tuple[int, int]) -> Any:
    """Return a table with these values in its cells, each named once; of many classes a sparse one."""
    if shape[0] > DENSE:
        return _coo(values, (rows, columns), shape)
    table = np.zeros(shape, dtype=values.dtype)
    table[rows, columns] = values
    return table


def _coo(values: AnyArray, at: Any, shape: tuple[int, int]) -> coo_array:
    from scipy.sparse import coo_array

    table = coo_array((values, at), shape=shape, copy=True)
    for part in (table.data, *table.coords):
        part.setflags(write=False)
    return table


def _summed(cells: Any) -> coo_array:
    """Return a sparse table in which each cell stands once."""
    table = cells.tocoo(copy=True)
    table.sum_duplicates()
    return _coo(table.data, table.coords, table.shape)


def _at(table: Any, rows: AnyArray, columns: AnyArray) -> FloatArray:
    return np.asarray(table[rows, columns] if isinstance(table, np.ndarray) else table.tocsr()[rows, columns]).ravel()


def _two_by_two(counts: ConfusionCounts, at: int) -> AnyArray:
    hit, none = counts.correct[at], counts.rejected[at]
    others, elsewhere, others_none = (np.delete(v, at).sum() for v in (counts.support, counts.predicted, counts.rejected))
    miss = np.clip(counts.support[at] - none - hit, 0, elsewhere)  # differences of sums of weights may round below 0
    alarm, right = np.clip(counts.predicted[at] - hit, 0, others), min(elsewhere - miss, others)
    table = [[hit, miss, none], [alarm, right, others_none]]
    return np.array(table if counts.has_rejected else [row[:2] for row in table])


def same_classes(a: ConfusionCounts, b: ConfusionCounts) -> tuple[ConfusionCounts, ConfusionCounts]:
    """Return two tables with the classes of both, in the order of the first."""
    classes, rejects = tuple(dict.fromkeys([*a.classes, *b.classes])), a.has_rejected or b.has_rejected
    return recast(a, classes, rejects=rejects), recast(b, classes, rejects=rejects)


def recast(counts: ConfusionCounts, classes: Sequence[Any], *, rejects: bool = False) -> ConfusionCounts:
    """Return a table with `classes`, which hold all of its own, in their order."""
    shape = (len(classes), len(classes) + (rejects or counts.has_rejected))
    at = {label: i for i, label in enumerate(classes)}
    rank = np.array([*(at[label] for label in counts.classes), len(classes)])
    clusters = None if counts.clusters is None else counts.clusters.moved(rank)
    if not isinstance(counts, WeightedCounts):
        return ConfusionCounts(_moved(counts.cells, rank, shape), classes, counts.positive, clusters)
    parts = ((counts.cells, counts.squares), *counts.rests)
    (cells, squares), *rests = [(_moved(n, rank, shape), _moved(squared, rank, shape)) for n, squared in parts]
    return WeightedCounts(cells, classes, counts.positive, clusters, squares=squares, rests=tuple(rests))


def _moved(cells: Any, rank: AnyArray, shape: tuple[int, int]) -> Any:
    rows, columns = cells.nonzero()
    values = cells[rows, columns] if isinstance(cells, np.ndarray) else cells.data[cells.data != 0]
    return placed(values, rank[rows], rank[columns], shape)
