"""A few of many cases, the same few however the rows arrive: in blocks of any size, from one file or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from adjudge._base.arrays import AnyArray, IntArray

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


def drawn_for(rows: IntArray) -> AnyArray:
    """Return a number of 64 bits for each row, as good as random and always the same.

    The mixing function of Steele, Lea and Flood (2014), OOPSLA, 453-472, fig. 14: no two rows share a number.
    """
    mixed = (rows.astype(_U64) + _U64(1)) * _U64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> _U64(30)
    mixed *= _U64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> _U64(27)
    mixed *= _U64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> _U64(31)))
