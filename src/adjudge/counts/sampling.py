"""Some of many cases, up to a number equal for every class, of which rare ones lose none: the same however rows arrive."""

from __future__ import annotations

from functools import reduce
from typing import TypeAlias

import numpy as np

from adjudge._base.arrays import STREAMED, AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass, replace

MOST_CASES = 4_000  # that are kept; of more, about so many are drawn, and at least one of every class
MOST_COLUMNS = 1_000  # of scores, beyond which no cases are kept: nothing is drawn or fitted with so many classes
_CLUSTERS = (1 << 31) - 3  # numbers of clusters
_U64: TypeAlias = np.uint64
_LAST = np.iinfo(_U64).max
_UNCOUNTED = np.zeros(0, dtype=np.int64)  # sizes of classes while rows stream by: they are counted over all of them


@dataclass(frozen=True, slots=True, eq=False)
class SampledCases:
    """Scores, true classes and what else is known of some cases, in the order of their rows."""

    rows: IntArray  # which of the cases counted they are
    scores: AnyArray
    truth: AnyArray
    sizes: IntArray  # how many cases of each class there were to draw from
    group: AnyArray | None = None  # the number of the group; below -1 that of a cluster, which is the same everywhere
    decided: AnyArray | None = None

    @property
    def kept(self) -> IntArray:
        """How many cases of each class there are here."""
        return np.bincount(self.truth, minlength=self.sizes.size)

    @property
    def weight(self) -> FloatArray:
        """How many of all cases each of these stands for: weights of a class sum to its size."""
        return np.asarray((self.sizes / np.maximum(self.kept, 1))[self.truth])

    def __getitem__(self, at: AnyArray) -> SampledCases:
        """Return some of the cases, which stand for as many as these."""
        group, decided = (None if part is None else part[at] for part in (self.group, self.decided))
        return SampledCases(self.rows[at], self.scores[at], self.truth[at], self.sizes, group, decided)

    def joined(self, other: SampledCases) -> SampledCases:
        """Return the cases of both."""
        pairs = ((self.group, other.group), (self.decided, other.decided))
        group, decided = (None if a is None or b is None else np.concatenate((a, b)) for a, b in pairs)
        rows, truth = np.concatenate((self.rows, other.rows)), np.concatenate((self.truth, other.truth))
        sizes = np.zeros(max(self.sizes.size, other.sizes.size), dtype=np.int64)  # either may know of more classes
        for own in (self.sizes, other.sizes):
            sizes[: own.size] += own
        return SampledCases(rows, np.concatenate((self.scores, other.scores)), truth, sizes, group, decided)

    def moved(self, place: IntArray, k: int) -> SampledCases:
        """Return the same by the places of `k` classes instead of their numbers; a class without a case may have none."""
        sizes, known = np.zeros(k, dtype=np.int64), np.flatnonzero(self.sizes)
        sizes[place[known]] = self.sizes[known]
        return replace(self, truth=place[self.truth], sizes=sizes, decided=placed_by(place, self.decided))


def placed_by(place: IntArray, decided: AnyArray | None) -> AnyArray | None:
    """Return decisions by the places of their classes instead of their numbers, -1 for none."""
    return None if decided is None else small(np.where(decided < 0, -1, place[np.maximum(decided, 0)]))


def small(codes: AnyArray) -> AnyArray:
    """Return class or group numbers in as few bytes as will do: they are kept for every case."""
    if codes.dtype == np.int8:
        return codes
    few = np.iinfo(np.int8)
    return codes.astype(np.int8 if codes.max(initial=0) <= few.max and codes.min(initial=0) >= few.min else np.int32)


def cluster_numbers(keys: IntArray) -> AnyArray:
    """Return numbers below -1 that stand for clusters where groups have theirs; of thousands hardly two share one."""
    return (-2 - keys % _CLUSTERS).astype(np.int32)


def by_appearance(clusters: AnyArray) -> IntArray:
    """Return the number of the cluster of each case, from 0 in the order in which they come, whatever they are called."""
    _, first, own = np.unique(clusters, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[own], dtype=np.int64)


def regrouped(place: IntArray, group: AnyArray | None) -> AnyArray | None:
    """Return the places of groups instead of their numbers; numbers of clusters stay."""
    return group if group is not None and group.min(initial=0) < -1 else placed_by(place, group)


def quotas(sizes: IntArray, most: int = MOST_CASES) -> IntArray:
    """Return how many cases of each class to keep: all up to a number equal for every class, which only falls as classes grow."""
    if sizes.sum() <= most:
        return sizes
    ascending = np.sort(sizes[sizes > 0])
    left = most - np.concatenate(([0], np.cumsum(ascending)[:-1]))  # when all smaller classes are kept whole
    each = left // np.arange(ascending.size, 0, -1)
    level = each[np.argmax(each < ascending)]  # the first class that is too large sets the number for itself and all larger
    return np.minimum(sizes, max(int(level), 1))


def fewer(cases: SampledCases, most: int = MOST_CASES) -> SampledCases:
    """Return the cases of each class whose rows have the smallest numbers drawn for them, as many as its quota.

    What is drawn for a row depends on its place alone, so keeping the smallest of each part and then of all kept keeps the
    smallest of all: every set of so many cases of a class is as likely as any other (Cohen and Kaplan 2007, PODC, 225-234).
    """
    return picked(cases, quotas(cases.sizes, most))


def of_counted_rows(
    scores: AnyArray, truth: AnyArray, times: IntArray, k: int, group: AnyArray | None, decided: AnyArray | None
) -> SampledCases:
    """Return some of the cases of rows that stand for so many `times` one; a row may come several times."""
    sizes, ends = np.zeros(k, dtype=np.int64), np.cumsum(times)
    np.add.at(sizes, truth, times)
    source, numbers = np.random.default_rng(sizes), []
    for own, most in enumerate(quotas(sizes).tolist()):
        size, rows = int(sizes[own]), np.flatnonzero(truth == own)
        among = np.arange(size) if most == size else source.choice(size, most, replace=False, shuffle=False)
        own_ends = np.cumsum(times[rows])
        at = np.searchsorted(own_ends, among, side="right")
        numbers.append(among - own_ends[at] + ends[rows[at]])
    cases = np.sort(np.concatenate(numbers))
    at = np.searchsorted(ends, cases, side="right")
    others = (None if part is None else part[at] for part in (group, decided))
    return SampledCases(cases, scores[at], truth[at], sizes, *others)


def picked(cases: SampledCases, wanted: IntArray) -> SampledCases:
    """Return so many cases of each class, those with the smallest numbers drawn for them."""
    return cases if np.all(cases.kept <= wanted) else cases[_places(cases, wanted)]


def _places(cases: SampledCases, wanted: IntArray) -> IntArray:
    """Return where the cases of each class stand that have the smallest numbers, in order."""
    drawn, kept = drawn_for(cases.rows), np.zeros(cases.rows.size, dtype=np.bool_)
    order, stop = np.argsort(cases.truth, kind="stable"), np.cumsum(cases.kept)
    for own, most in zip(np.split(order, stop[:-1]), wanted.tolist(), strict=True):
        if most < own.size:
            own = own[np.argpartition(drawn[own], most)[:most]]  # noqa: PLW2901
        kept[own] = True
    return np.flatnonzero(kept)


def alike(cases: SampledCases) -> IntArray:
    """Return which of the cases can count alike: classes are thinned, to one case at least, until as frequent as among all."""
    heaviest = cases.weight.max(initial=1.0)
    return _places(cases, np.maximum(np.rint(cases.sizes / heaviest).astype(np.int64), 1))


class Drawing:
    """The cases that `fewer` would keep of all that stream by."""

    def __init__(self, first: int = 0, before: Drawing | None = None) -> None:
        """Begin with the case of number `first`; what was looked at `before` will be included with these."""
        self._some: list[SampledCases] = []
        self._gone, self._held = first, 0  # the number of the next case, and how many are held
        self._room = 2 * MOST_CASES
        self._latest: AnyArray = np.zeros(0, dtype=_U64) if before is None else before._latest.copy()  # noqa: SLF001
        """No case of a class with a number above this can come among those kept."""
        self._sizes = np.zeros(self._latest.size, dtype=np.int64)

    def add(self, scores: AnyArray, truth: AnyArray, group: AnyArray | None, decided: AnyArray | None) -> None:
        """Look at the next cases."""
        if scores.shape[1] > MOST_COLUMNS:
            return
        for start in range(0, truth.size, STREAMED):
            part = slice(start, min(start + STREAMED, truth.size))
            own = truth[part]
            seen = np.bincount(own)
            new = seen.size - self._sizes.size
            if new > 0:
                self._sizes = np.append(self._sizes, np.zeros(new, dtype=np.int64))
                self._latest = np.append(self._latest, np.full(new, _LAST, dtype=_U64))
            self._sizes[: seen.size] += seen
            # the last step of the mixing leaves the leading bits as they are, so that it need not be taken to tell
            mixed = _mixed(np.arange(self._gone, self._gone + own.size).view(_U64))
            latest = self._latest | _U64((1 << 33) - 1)
            near = np.flatnonzero(mixed <= latest.max(initial=0))
            near = near[mixed[near] <= latest[own[near]]]
            if near.size or not self._some:  # of none that are kept, the sizes of classes are
                at = near + start
                others = (None if each is None else each[at] for each in (group, decided))
                self._some.append(SampledCases(near + self._gone, scores[at], truth[at], _UNCOUNTED, *others))
                self._held += near.size
            self._gone += part.stop - start
            if self._held > self._room:
                self._thin()

    def include(self, cases: SampledCases) -> None:
        """Look at cases that another drawing kept of others."""
        sizes = np.zeros(max(self._sizes.size, cases.sizes.size), dtype=np.int64)
        for own in (self._sizes, cases.sizes):
            sizes[: own.size] += own
        self._sizes = sizes
        self._some.append(replace(cases, sizes=_UNCOUNTED))

    def _thin(self) -> None:
        """Keep the cases that can still be among those kept, and set the number beyond which none of a class can."""
        kept = self.kept
        assert kept is not None
        full = (kept.sizes > kept.kept) & (kept.kept >= quotas(kept.sizes))
        self._latest[full] = 0
        own = full[kept.truth]
        np.maximum.at(self._latest, kept.truth[own], drawn_for(kept.rows[own]))
        self._room = 2 * max(MOST_CASES, self._held)

    @property
    def kept(self) -> SampledCases | None:
        """The cases kept of those that came so far; None where none were kept."""
        if not self._some:
            return None
        some = reduce(SampledCases.joined, self._some)
        if np.any(some.rows[1:] < some.rows[:-1]):  # they came from several drawings
            some = some[np.argsort(some.rows)]
        some = fewer(replace(some, sizes=self._sizes.copy()))
        self._some, self._held = [replace(some, sizes=_UNCOUNTED)], some.rows.size
        return some


def drawn_for(rows: IntArray) -> AnyArray:
    """Return a number of 64 bits for each row, no two the same (Steele, Lea and Flood 2014, OOPSLA, 453-472, fig. 14)."""
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
