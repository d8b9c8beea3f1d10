"""How many cases of each class had each score: beside a table of scores, what ranks one class against each other one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.stats.exact_sums import expansions_at

CLASS_BITS = 5  # of the number of a class
MOST_RANKED = (1 << CLASS_BITS) - 2  # classes with a number; one more has all others


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """Counts or weights of the cases in each row of a table of scores by class; classes that a row has none of are left out."""

    bits: int  # the rows are those of the table cut by so many bits
    keys: IntArray  # the number of the row, and that of the class in the last bits; ascending
    counts: AnyArray
    rests: tuple[FloatArray, ...] = ()  # what rounding left of sums of weights

    @property
    def rows(self) -> IntArray:
        """The number of the row of each count."""
        return self.keys >> CLASS_BITS

    @property
    def classes(self) -> IntArray:
        """The number of the class of each count."""
        return self.keys & ((1 << CLASS_BITS) - 1)

    def of_class(self, number: int, size: int) -> AnyArray:
        """Return the counts of one class by row, as many as the table has."""
        here, counts = np.flatnonzero(self.classes == number), np.zeros(size, dtype=self.counts.dtype)
        counts[self.keys[here] >> CLASS_BITS] = self.counts[here]
        return counts


def by_class(bits: int, rows: IntArray, classes: AnyArray, counts: AnyArray) -> ClassCounts:
    """Return counts or weights added up by row and class; those of weights exactly."""
    keys = rows << CLASS_BITS | classes
    if counts.dtype.kind != "f" and np.all(keys[1:] > keys[:-1]):
        return ClassCounts(bits, keys, counts)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = starts_of(keys)
    (total,), *rests = added((counts[order],), starts)
    return ClassCounts(bits, keys[starts], total, tuple(rest for (rest,) in rests))


def starts_of(ordered: AnyArray) -> IntArray:
    """Return where each run of equal values begins."""
    new = np.ones(ordered.size, dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(new)


def within_rows(starts: IntArray, size: int) -> IntArray:
    """Return the number of the run that each of so many values is in."""
    return np.repeat(np.arange(starts.size), np.diff(starts, append=size))


def added(columns: Sequence[AnyArray], starts: IntArray) -> list[tuple[AnyArray, ...]]:
    """Return the sums of columns of counts from one start to the next; of weights exact ones, then what rounding left of them."""
    if all(counts.dtype.kind != "f" for counts in columns):  # sums up to each end take a fraction of the time of sums of runs
        ends = np.append(starts[1:], columns[0].size) - 1 if starts.size else starts
        return [tuple(np.diff(np.cumsum(counts)[ends], prepend=counts.dtype.type(0)) for counts in columns)]
    where = within_rows(starts, columns[0].size)
    each = (expansions_at(where, counts.astype(np.float64), starts.size) for counts in columns)
    return list(zip_longest(*each, fillvalue=np.zeros(starts.size)))
