"""A few of many cases, the same few however the rows arrive: in blocks of any size, from one file or several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, IntArray

MOST_CASES = 4_000
"""Cases that are kept; of more, so many are drawn."""
_U64: TypeAlias = np.uint64


@dataclass(frozen=True, slots=True, eq=False)
class SampledCases:
    """Scores, true classes and what else is known of some cases, in the order of their rows."""

    rows: IntArray
    """Which of the cases counted they are."""
    scores: AnyArray
    truth: AnyArray
    group: AnyArray | None = None
    decided: AnyArray | None = None

    def __getitem__(self, at: AnyArray) -> SampledCases:
        """Return some of the cases."""
        group, decided = (None if part is None else part[at] for part in (self.group, self.decided))
        return SampledCases(self.rows[at], self.scores[at], self.truth[at], group, decided)

    def joined(self, other: SampledCases) -> SampledCases:
        """Return the cases of both."""
        pairs = ((self.group, other.group), (self.decided, other.decided))
        group, decided = (None if a is None or b is None else np.concatenate((a, b)) for a, b in pairs)
        rows, truth = np.concatenate((self.rows, other.rows)), np.concatenate((self.truth, other.truth))
        return SampledCases(rows, np.concatenate((self.scores, other.scores)), truth, group, decided)


def fewer(cases: SampledCases, most: int = MOST_CASES) -> SampledCases:
    """Return the `most` cases whose rows have the smallest numbers drawn for them.

    What is drawn for a row depends on its place alone, so keeping the smallest of each part and then of all kept keeps the
    smallest of all: every set of `most` cases is as likely as any other (Cohen and Kaplan 2007, PODC, 225-234).
    """
    if cases.rows.size <= most:
        return cases
    chosen = np.argpartition(drawn_for(cases.rows), most)[:most]
    return cases[np.sort(chosen)]


class Drawing:
    """The cases that `fewer` would keep of all that stream by."""

    def __init__(self) -> None:
        self._some: list[SampledCases] = []
        self._gone = 0
        self._latest = _U64(np.iinfo(_U64).max)
        """No case with a number above this can come among those kept."""

    def add(self, scores: AnyArray, truth: AnyArray, group: AnyArray | None, decided: AnyArray | None) -> None:
        """Look at the next cases."""
        for start in range(0, truth.size, STREAMED):
            stop = min(start + STREAMED, truth.size)
            near = _drawn_early(self._gone, self._gone + stop - start, self._latest)
            if near.size:
                at = near + start
                others = (None if part is None else part[at] for part in (group, decided))
                self._some.append(SampledCases(near + self._gone, scores[at], truth[at], *others))
            self._gone += stop - start
            if sum(some.rows.size for some in self._some) > 2 * MOST_CASES:
                self._latest = drawn_for(self.kept.rows).max()

    @property
    def kept(self) -> SampledCases:
        """The cases kept of those that came so far."""
        self._some = [fewer(reduce(SampledCases.joined, self._some))]
        return self._some[0]


def _drawn_early(start: int, stop: int, latest: np.uint64) -> IntArray:
    """Return which rows from `start` on may have drawn a number up to `latest`: all that have, and hardly any that have not.

    The last step of the mixing leaves the leading bits as they are, so that it need not be taken to tell.
    """
    mixed = _mixed(np.arange(start, stop).view(_U64))
    return np.flatnonzero(mixed <= latest | _U64((1 << 33) - 1))


def drawn_for(rows: IntArray) -> AnyArray:
    """Return a number of 64 bits for each row, as good as random and always the same.

    The mixing function of Steele, Lea and Flood (2014), OOPSLA, 453-472, fig. 14: no two rows share a number.
    """
    mixed = _mixed(rows.astype(_U64))
    mixed ^= mixed >> _U64(31)
    return mixed


def _mixed(rows: AnyArray) -> AnyArray:
    """Mix the numbers of rows in place, all but the last step."""
    rows += _U64(1)
    rows *= _U64(0x9E3779B97F4A7C15)
    shifted = rows >> _U64(30)
    rows ^= shifted
    rows *= _U64(0xBF58476D1CE4E5B9)
    rows ^= np.right_shift(rows, _U64(27), out=shifted)
    rows *= _U64(0x94D049BB133111EB)
    return rows
