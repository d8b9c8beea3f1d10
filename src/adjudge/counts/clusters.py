"""What the rows of each cluster come to: decisions, losses and binned scores, by which the spread of a measure is known.

Rows of one patient, prompt or site belong together, so that the clusters, and not the rows, are independent. A cluster has a
64-bit number that follows from its name, the same in every file and engine. Of more than `MOST` clusters those whose numbers
begin alike are one: they are put together at random, which leaves the spread between them as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import dataclass, field, replace
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, counts_cases
from adjudge.counts.probabilities import case_losses, rescaled

if TYPE_CHECKING:
    from adjudge.predictions.blocks import Block, Encoder

MOST = 4096
BINS = 1 << 9  # of the scores of a cluster, by octaves towards either end
MOST_COLUMNS = 10  # of scores whose bins are counted for every cluster
_PARTS = 8  # bins to an octave
_WAITING = 1 << 20  # entries that are kept apart before they are added up
_TOP = np.uint64(64 - 12)
_NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCounts:
    """Sparse tables by cluster: entry `e` says that `n[e]` cases of cluster `at[e]` are of a class and predicted as another."""

    keys: IntArray  # the numbers of the clusters, in order
    at: IntArray
    truth: IntArray
    predicted: IntArray  # -1 where there is no decision
    n: FloatArray  # cases, or their weight
    rows: IntArray  # by cluster
    losses: FloatArray | None = None  # clusters x (squared loss, log loss where it is finite)
    scored: tuple[IntArray, ...] = ()  # cluster, class of the column, whether the case is of it, and bin of its score
    scored_n: FloatArray = field(default_factory=lambda: np.zeros(0))
    names: Mapping[int, Any] = field(default_factory=dict)  # by number; what is written to files has none
    together: bool = False  # whether there were too many to be counted each by itself
    known: tuple[IntArray, IntArray] | None = None  # of those put together: the least numbers, and their rows

    @property
    def clusters(self) -> int:
        """How many clusters are counted apart."""
        return self.keys.size

    @property
    def how_many(self) -> float:
        """How many clusters there are; an estimate where they were put together."""
        if self.known is None:
            return float(self.keys.size)
        least = self.known[0].view(np.uint64)
        return (least.size - 1) / (float(least[-1]) / 2.0**64)

    @property
    def sizes(self) -> IntArray:
        """The rows of every cluster that is known by itself."""
        return self.rows if self.known is None else self.known[1]

    @property
    def cases(self) -> FloatArray:
        """The cases of each cluster, or their weight."""
        return self.sums(np.ones(self.n.size))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value of each entry, times its cases, by cluster."""
        return summed(self.at, values * self.n, self.keys.size)

    def moved(self, place: AnyArray) -> ClusterCounts:
        """Return the same by other places of the classes."""
        predicted = np.where(self.predicted < 0, _NONE, place[np.maximum(self.predicted, 0)])
        scored = () if not self.scored else (self.scored[0], place[self.scored[1]], *self.scored[2:])
        return replace(self, truth=place[self.truth], predicted=predicted, scored=scored)

    def against_rest(self, at: int) -> ClusterCounts:
        """Return the counts of a class, first, against the rest."""
        predicted = np.where(self.predicted < 0, _NONE, (self.predicted != at).astype(np.int64))
        return replace(self, truth=(self.truth != at).astype(np.int64), predicted=predicted, losses=None, scored=())


def clusters_together(parts: Sequence[ClusterCounts]) -> ClusterCounts:
    """Return what all parts come to, for any split the same; places of classes are those of all."""
    if len(parts) == 1:
        return parts[0]
    together = any(part.together for part in parts)
    if not together and np.unique(np.concatenate([part.keys for part in parts])).size > MOST:
        together = True
    parts = [_put_together(part) if together else part for part in parts]
    keys = np.unique(np.concatenate([part.keys for part in parts]))
    place = [np.searchsorted(keys, part.keys) for part in parts]
    at = [own[part.at] for own, part in zip(place, parts, strict=True)]
    entries = [np.concatenate(each) for each in (at, *([getattr(p, name) for p in parts] for name in ("truth", "predicted")))]
    (at_, truth, predicted), n = _added(entries, np.concatenate([part.n for part in parts]))
    rows, losses = np.zeros(keys.size, dtype=np.int64), None
    if all(part.losses is not None for part in parts):
        losses = np.zeros((keys.size, 2))
    for own, part in zip(place, parts, strict=True):
        np.add.at(rows, own, part.rows)
        if losses is not None:
            np.add.at(losses, own, np.asarray(part.losses))
    scored: tuple[IntArray, ...] = ()
    scored_n = np.zeros(0)
    if all(part.scored for part in parts):
        moved = [(own[part.scored[0]], *part.scored[1:]) for own, part in zip(place, parts, strict=True)]
        scored, scored_n = _added(
            [np.concatenate(each) for each in zip(*moved, strict=True)], np.concatenate([part.scored_n for part in parts])
        )
    names: dict[int, Any] = {}
    for part in parts:
        names |= {} if together else part.names
    known = _least([part.known for part in parts if part.known is not None]) if together else None
    return ClusterCounts(keys, at_, truth, predicted, n, rows, losses, scored, scored_n, names, together, known)


def _put_together(part: ClusterCounts) -> ClusterCounts:
    """Return a part whose clusters are those whose numbers begin alike, with what is known of some of them."""
    if part.together:
        return part
    unsigned = part.keys.view(np.uint64)
    known = _least([(part.keys, part.rows)])
    keys, place = np.unique((unsigned >> _TOP).astype(np.int64), return_inverse=True)
    (at, truth, predicted), n = _added([place[part.at], part.truth, part.predicted], part.n)
    rows = np.zeros(keys.size, dtype=np.int64)
    np.add.at(rows, place, part.rows)
    losses = None
    if part.losses is not None:
        losses = np.zeros((keys.size, 2))
        np.add.at(losses, place, part.losses)
    scored: tuple[IntArray, ...] = ()
    scored_n = part.scored_n
    if part.scored:
        scored, scored_n = _added([place[part.scored[0]], *part.scored[1:]], part.scored_n)
    return ClusterCounts(keys, at, truth, predicted, n, rows, losses, scored, scored_n, {}, together=True, known=known)


def _least(parts: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Return the least numbers of all parts, as unsigned ones, and how many rows each cluster has."""
    keys, place = np.unique(np.concatenate([keys for keys, _ in parts]).view(np.uint64), return_inverse=True)
    rows = np.zeros(keys.size, dtype=np.int64)
    np.add.at(rows, place, np.concatenate([rows for _, rows in parts]))
    return keys[:MOST].view(np.int64), rows[:MOST]


def _added(columns: Sequence[IntArray], n: FloatArray) -> tuple[tuple[IntArray, ...], FloatArray]:
    """Return the different rows of some columns, in order, and the sum of `n` over each."""
    lows = [int(column.min(initial=0)) for column in columns]
    spans = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, lows, strict=True)]
    code = np.zeros(n.size, dtype=np.int64)
    for column, low, span in zip(columns, lows, spans, strict=True):
        code *= span
        code += column - low
    codes, where = np.unique(code, return_inverse=True)
    back: list[IntArray] = []
    for low, span in zip(reversed(lows), reversed(spans), strict=True):
        codes, digit = np.divmod(codes, span)
        back.append(digit + low)
    return tuple(reversed(back)), summed(where, n, back[0].size)


def summed(at: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each of so many places."""
    return np.asarray(np.bincount(at, weights=values, minlength=size), dtype=np.float64)


def bins_of(scores: FloatArray, *, probable: bool) -> IntArray:
    """Return the bin of every score, in their order: an eighth of an octave of a probability towards 0 or 1, or of a number."""
    p = np.asarray(scores, dtype=np.float64)
    if not probable:
        low, high = _octaves(np.abs(p), -24, 8), BINS // 2
        return np.where(p < 0, high - 1 - low, high + low)
    p = np.clip(p, 0.0, 1.0)
    upper = p > 0.5  # noqa: PLR2004 - the middle
    low = _octaves(np.where(upper, 1 - p, p), -32, 0)
    return np.where(upper, BINS - 1 - low, low)


def middles_of(bins: IntArray) -> FloatArray:
    """Return the probability in the middle of each bin."""
    upper = bins >= BINS // 2
    place = np.where(upper, BINS - 1 - bins, bins)
    low = np.ldexp(1 + (place % _PARTS + 0.5) / _PARTS, place // _PARTS - 32)
    return np.asarray(np.where(upper, 1 - low, low), dtype=np.float64)


def _octaves(values: FloatArray, first: int, last: int) -> IntArray:
    mantissa, exponent = np.frexp(np.clip(values, 2.0**first, 2.0**last * (1 - 2.0**-50)))
    place = (exponent - 1 - first) * _PARTS + np.floor((2 * mantissa - 1) * _PARTS).astype(np.int64)
    return np.asarray(np.minimum(place, BINS // 2 - 1))


def _losses(scores: FloatArray, truth: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the squared loss of every case and, where it is finite, its log loss."""
    p = np.clip(scores.astype(np.float64), 0, 1)
    p = np.column_stack((p[:, 0], 1 - p[:, 0])) if p.shape[1] == 1 else rescaled(p, p.sum(axis=1, keepdims=True))
    own = p[np.arange(len(p)), np.minimum(truth, p.shape[1] - 1)] * (truth < p.shape[1])
    log = case_losses("log_loss", p, own, p.shape[1])
    return case_losses("brier", p, own, p.shape[1]), np.where(own > 0, log, 0.0)


def _binned(scores: FloatArray, at: IntArray, truth: IntArray, *, probable: bool) -> Iterator[tuple[IntArray, ...]]:
    """Yield cluster, class of the column, whether the case is of it, and bin of its score, for each column of scores."""
    for j, each in enumerate(scores.T):
        yield at, np.full(at.size, j), (truth == j).astype(np.int64), bins_of(each, probable=probable)


class ClusterCounter:
    """Clusters that are counted while rows stream by; classes are codes until the end."""

    def __init__(self) -> None:
        self._parts: list[ClusterCounts] = []
        self._waiting = 0

    def add(self, block: Block, encoder: Encoder) -> None:
        """Add some rows, where they name clusters."""
        keys, truth, weight = block.cluster, block.truth, block.weight
        if keys is None:
            return
        own, at = np.unique(keys, return_inverse=True)
        n = np.ones(keys.size) if weight is None else weight.astype(np.float64)
        (place, true, said), counted = _added([at, truth, np.maximum(block.predicted, _NONE)], n)
        times = weight if counts_cases(weight) else None
        rows = np.bincount(at, weights=times, minlength=own.size).astype(np.int64)
        sums: FloatArray | None = None
        scored: tuple[IntArray, ...] = ()
        scored_n = np.zeros(0)
        if block.scores is not None and encoder.scores.scale != "scores":
            sums = np.stack([summed(at, loss * n, own.size) for loss in _losses(block.scores, truth)], axis=1)
        if block.scores is not None and block.scores.shape[1] <= MOST_COLUMNS:
            binned = _binned(block.scores, at, truth, probable=encoder.scores.scale != "scores")
            each = [np.concatenate(column) for column in zip(*binned, strict=True)]
            scored, scored_n = _added(each, np.tile(n, block.scores.shape[1]))
        names = {key: encoder.clusters[key] for key in own.tolist() if key in encoder.clusters} if own.size <= MOST else {}
        self._include(ClusterCounts(own, place, true, said, counted, rows, sums, scored, scored_n, names))

    def include(self, part: ClusterCounts | None, place: IntArray) -> None:
        """Add what was counted of a part of the rows, `place` having its classes among those here."""
        if part is not None:
            self._include(part.moved(place))

    def _include(self, part: ClusterCounts) -> None:
        self._parts.append(part)
        self._waiting += part.n.size + part.scored_n.size
        if self._waiting > _WAITING:
            self._parts, self._waiting = [clusters_together(self._parts)], 0

    def counts_of(self, order: Sequence[int]) -> ClusterCounts | None:
        """Return all that was added, its classes by their place in the order to show them."""
        if (whole := self.counts) is None:
            return None
        highest = max(*order, int(whole.truth.max(initial=0)), int(whole.predicted.max(initial=0)), 0)
        place = np.zeros(highest + 1, dtype=np.int64)
        place[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
        return whole.moved(place)

    @property
    def counts(self) -> ClusterCounts | None:
        """All that was added; None of no rows."""
        if not self._parts:
            return None
        self._parts = [clusters_together(self._parts)]
        whole = self._parts[0]
        return _put_together(whole) if whole.keys.size > MOST else whole
