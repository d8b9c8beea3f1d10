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
from adjudge.stats.exact_sums import exact_products
from adjudge.stats.window_sums import WindowSums, are_whole, joined, sums_at, windows_of

if TYPE_CHECKING:
    from adjudge.predictions.blocks import Block, Encoder
    from adjudge.predictions.roles import Scale

MOST = 4096
BINS = 1 << 9  # of the scores of a cluster, by octaves towards either end
MOST_COLUMNS = 10  # of scores whose bins are counted for every cluster
LOSSES = 2  # the squared one and, where it is finite, the log loss
_PARTS = 8  # bins to an octave
_WAITING = 1 << 20  # entries that are kept apart before they are added up
_TOP = np.uint64(64 - 12)
_GRID = 2.0**96  # losses of cases are multiples of its inverse
_SPARSE = 4  # times as many codes as there are rows are counted by sorting
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
    scored: tuple[AnyArray, ...] = ()  # cluster, class of the column, whether the case is of it, and bin of its score
    scored_n: FloatArray = field(default_factory=lambda: np.zeros(0))
    names: Mapping[int, Any] = field(default_factory=dict)  # by number; files have them only where that was asked for
    together: bool = False  # whether there were too many to be counted each by itself
    known: tuple[IntArray, IntArray] | None = None  # of those put together: the least numbers, and their rows
    exact: Mapping[str, WindowSums] = field(default_factory=dict)
    """The same sums to their last bit, by the names of "n", "losses" and "scored_n"; none of those that are whole numbers."""

    @property
    def clusters(self) -> int:
        """How many clusters are counted apart."""
        return self.keys.size

    @property
    def places(self) -> int:
        """Into how many places clusters were put together at random; 0 where each is counted apart."""
        return MOST if self.together else 0

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
        """Return the same by other places of the classes, entries in the order of these."""
        predicted = np.where(self.predicted < 0, _NONE, place[np.maximum(self.predicted, 0)])
        (at, truth, predicted), n, exact = _added((self.at, place[self.truth], predicted), _amounts([self], "n"))
        moved = replace(self, at=at, truth=truth, predicted=predicted, n=n)
        sums = dict(self.exact) | _kept(n=exact)
        if self.scored:
            scored = (self.scored[0], place[self.scored[1]], *self.scored[2:])
            small, scored_n, exact = _added(scored, _amounts([self], "scored_n"))
            moved = replace(moved, scored=_small(small), scored_n=scored_n)
            sums |= _kept(scored_n=exact)
        return replace(moved, exact=sums)

    def against_rest(self, at: int) -> ClusterCounts:
        """Return the counts of a class, first, against the rest."""
        predicted = np.where(self.predicted < 0, _NONE, (self.predicted != at).astype(np.int64))
        columns = (self.at, (self.truth != at).astype(np.int64), predicted)
        (own, truth, said), n, exact = _added(columns, _amounts([self], "n"))
        table = replace(self, at=own, truth=truth, predicted=said, n=n, exact=_kept(n=exact))
        return replace(table, losses=None, scored=(), scored_n=np.zeros(0))


def places_of(order: Sequence[int], *codes: IntArray) -> IntArray:
    """Return the place of each class in the order to show them, by its code."""
    place = np.zeros(max(*order, *(int(each.max(initial=0)) for each in codes), 0) + 1, dtype=np.int64)
    place[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return place


def of_part(key: AnyArray, truth: IntArray, predicted: IntArray, n: AnyArray) -> ClusterCounts:
    """Return the clusters of a fold or group by their decisions; `key` is the number of the cluster of each, without a sign."""
    keys, at = np.unique(key, return_inverse=True)
    rows = np.rint(np.bincount(at, weights=n)).astype(np.int64)
    alike = bool((keys < MOST).all())  # of their numbers only the beginning is left
    known = (rows[:0], rows[:0]) if alike else None
    return ClusterCounts(keys.view(np.int64), at, truth, predicted, n.astype(np.float64), rows, together=alike, known=known)


def clusters_together(parts: Sequence[ClusterCounts]) -> ClusterCounts:
    """Return what all parts come to, for any split the same; places of classes are those of all."""
    if len(parts) == 1:
        return parts[0]
    together = any(part.together for part in parts)
    if not together and np.unique(np.concatenate([part.keys for part in parts])).size > MOST:
        together = True
    known = None
    if together:
        known = _least([(part.keys, part.rows) if part.known is None else part.known for part in parts])
    own = [_buckets(part.keys) if together and not part.together else part.keys for part in parts]
    keys = np.unique(np.concatenate(own))
    names = {} if together else {key: name for part in parts for key, name in part.names.items()}
    return replace(
        _sum_over(parts, [np.searchsorted(keys, each) for each in own], keys), names=names, together=together, known=known
    )


def _put_together(part: ClusterCounts) -> ClusterCounts:
    """Return a part whose clusters are those whose numbers begin alike, with what is known of some of them."""
    keys, place = np.unique(_buckets(part.keys), return_inverse=True)
    return replace(_sum_over([part], [place], keys), together=True, known=_least([(part.keys, part.rows)]))


def _sum_over(parts: Sequence[ClusterCounts], places: Sequence[IntArray], keys: IntArray) -> ClusterCounts:
    """Return the sums over parts, whose clusters have these places among those of the keys."""
    columns = [np.concatenate([own[part.at] for own, part in zip(places, parts, strict=True)])]
    columns += [np.concatenate([getattr(part, name) for part in parts]) for name in ("truth", "predicted")]
    (at, truth, predicted), n, exact = _added(columns, _amounts(parts, "n"))
    sums, whole = _kept(n=exact), np.concatenate(places)
    rows = np.zeros(keys.size, dtype=np.int64)
    np.add.at(rows, whole, np.concatenate([part.rows for part in parts]))
    losses = None
    if all(part.losses is not None for part in parts):
        where = (whole[:, np.newaxis] * LOSSES + np.arange(LOSSES)).ravel()
        flat, exact = _sums(where, _amounts(parts, "losses"), keys.size * LOSSES)
        losses, sums = flat.reshape(-1, LOSSES), sums | _kept(losses=exact)
    scored: tuple[AnyArray, ...] = ()
    scored_n = np.zeros(0)
    if all(part.scored for part in parts):
        moved = [(own[part.scored[0]], *part.scored[1:]) for own, part in zip(places, parts, strict=True)]
        columns = [np.concatenate(each) for each in zip(*moved, strict=True)]
        scored, scored_n, exact = _added(columns, _amounts(parts, "scored_n"))
        scored, sums = _small(scored), sums | _kept(scored_n=exact)
    return ClusterCounts(keys, at, truth, predicted, n, rows, losses, scored, scored_n, exact=sums)


def _buckets(keys: IntArray) -> IntArray:
    """Return where the number of each cluster begins."""
    return (keys.view(np.uint64) >> _TOP).astype(np.int64)


def _least(parts: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Return the least numbers of all parts, as unsigned ones, and how many rows each cluster has."""
    keys, place = np.unique(np.concatenate([keys for keys, _ in parts]).view(np.uint64), return_inverse=True)
    rows = np.zeros(keys.size, dtype=np.int64)
    np.add.at(rows, place, np.concatenate([rows for _, rows in parts]))
    return keys[:MOST].view(np.int64), rows[:MOST]


def _amounts(parts: Sequence[ClusterCounts], name: str) -> FloatArray | WindowSums:
    """Return the sums of all parts one after the other; as floats where these are whole numbers."""
    each = [np.ravel(getattr(part, name)) for part in parts]
    if not any(name in part.exact for part in parts):
        return np.concatenate(each)
    return joined([part.exact.get(name) or windows_of(own) for part, own in zip(parts, each, strict=True)])


def _kept(**exact: WindowSums | None) -> dict[str, WindowSums]:
    return {name: sums for name, sums in exact.items() if sums is not None}


def _sums(where: IntArray, amounts: FloatArray | WindowSums, size: int) -> tuple[FloatArray, WindowSums | None]:
    """Return sums by their places as floats, and to their last bit where they are no whole numbers."""
    if isinstance(amounts, np.ndarray):
        floats = summed(where, amounts, size)
        if are_whole(amounts) and are_whole(floats):
            return floats, None
        sums = sums_at(where, amounts, size)
    else:
        sums = amounts.at(where, size)
    floats = sums.floats
    return floats, None if sums.low >= 0 and are_whole(floats) else sums


def _added(
    columns: Sequence[AnyArray], amounts: FloatArray | WindowSums | None
) -> tuple[tuple[AnyArray, ...], FloatArray, WindowSums | None]:
    """Return the different rows of some columns, in order, and the sum of amounts over each; without these how many there are."""
    lows = [int(column.min(initial=0)) for column in columns]
    spans = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, lows, strict=True)]
    code = np.zeros(columns[0].size, dtype=np.int64)
    for column, low, span in zip(columns, lows, spans, strict=True):
        code *= span
        code += column
        code -= low
    exact = None
    if amounts is None:
        code.sort()
        starts = np.flatnonzero(np.diff(code, prepend=_NONE))
        codes, n = code[starts], np.diff(starts, append=code.size).astype(np.float64)
    else:
        codes, where = np.unique(code, return_inverse=True)
        n, exact = _sums(where, amounts, codes.size)
    back: list[AnyArray] = []
    for low, span in zip(reversed(lows), reversed(spans), strict=True):
        codes, digit = np.divmod(codes, span)
        back.append(digit + low)
    return tuple(reversed(back)), n, exact


def _small(scored: Sequence[AnyArray]) -> tuple[AnyArray, ...]:
    """Return columns of binned scores, of which there may be millions, in few bytes."""
    kinds = (np.int32, np.int32, np.int8, np.int16)
    return tuple(column.astype(kind) for column, kind in zip(scored, kinds, strict=True))


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
        self._waiting = self._held = 0  # entries that are not added up yet, and those that are
        self._highest: np.uint64 | None = None  # of the numbers still to be known, where clusters are put together

    def add(self, block: Block, encoder: Encoder) -> None:
        """Add some rows, where they name clusters."""
        self.add_rows(block, encoder.scores.scale, encoder.clusters)

    def add_rows(self, block: Block, scale: Scale | None, names: Mapping[int, Any]) -> None:
        """Add some rows whose scores are of a scale, and whose clusters have these names."""
        if block.cluster is None:
            return
        truth, weight = block.truth, block.weight
        keys, at, known = self._clusters(block.cluster, weight)
        n = None if weight is None else weight.astype(np.float64)
        (place, true, said), counted, exact = _added([at, truth, np.maximum(block.predicted, _NONE)], n)
        sums = _kept(n=exact)
        times = weight if counts_cases(weight) else None
        rows = np.bincount(at, weights=times, minlength=keys.size).astype(np.int64)
        losses: FloatArray | None = None
        scored: tuple[AnyArray, ...] = ()
        scored_n = np.zeros(0)
        probable = scale != "scores"
        if block.scores is not None and probable:
            where = np.concatenate([at * LOSSES + i for i in range(LOSSES)])
            weighed = _weighed(where, np.concatenate(_losses(block.scores, truth)), weight)
            flat, exact = _sums(*weighed, keys.size * LOSSES)
            losses, sums = flat.reshape(-1, LOSSES), sums | _kept(losses=exact)
        if block.scores is not None and block.scores.shape[1] <= MOST_COLUMNS:
            binned = _binned(block.scores, at, truth, probable=probable)
            columns = [np.concatenate(column) for column in zip(*binned, strict=True)]
            scored, scored_n, exact = _added(columns, None if n is None else np.tile(n, block.scores.shape[1]))
            scored, sums = _small(scored), sums | _kept(scored_n=exact)
        own = {} if known else {key: names[key] for key in keys.tolist() if key in names}
        counts = ClusterCounts(keys, place, true, said, counted, rows, losses, scored, scored_n, own)
        self._include(replace(counts, together=known is not None, known=known, exact=sums))

    def _clusters(
        self, numbers: IntArray, weight: AnyArray | None
    ) -> tuple[IntArray, IntArray, tuple[IntArray, IntArray] | None]:
        """Return the keys of the clusters of some rows, the place of each row's, and what is known of those put together."""
        if self._highest is None:
            keys, at = np.unique(numbers, return_inverse=True)
            if keys.size <= MOST:
                return keys, at, None
        unsigned = numbers.view(np.uint64)
        some = slice(None) if self._highest is None else unsigned <= self._highest
        own, place = np.unique(numbers[some], return_inverse=True)
        times = weight[some] if weight is not None and counts_cases(weight) else None
        known = _least([(own, np.bincount(place, times, own.size).astype(np.int64))])
        if self._highest is None:
            self._highest = known[0].view(np.uint64)[-1]
        keys, at = np.unique(_buckets(numbers), return_inverse=True)
        return keys, at, known

    def include(self, part: ClusterCounts | None, place: IntArray) -> None:
        """Add what was counted of a part of the rows, `place` having its classes among those here."""
        if part is not None:
            self._include(part.moved(place))

    def _include(self, part: ClusterCounts) -> None:
        self._parts.append(part)
        self._waiting += part.n.size + part.scored_n.size
        if self._waiting > max(_WAITING, self._held):
            self._add_up()

    def _add_up(self) -> None:
        whole = clusters_together(self._parts)
        if whole.known is not None:
            self._highest = whole.known[0].view(np.uint64)[-1]
        self._parts, self._waiting, self._held = [whole], 0, whole.n.size + whole.scored_n.size

    def counts_of(self, order: Sequence[int]) -> ClusterCounts | None:
        """Return all that was added, its classes by their place in the order to show them."""
        if (whole := self.counts) is None:
            return None
        return whole.moved(places_of(order, whole.truth, whole.predicted))

    @property
    def counts(self) -> ClusterCounts | None:
        """All that was added; None of no rows."""
        if not self._parts:
            return None
        self._add_up()
        whole = self._parts[0]
        return _put_together(whole) if whole.keys.size > MOST and not whole.together else whole


def _weighed(where: IntArray, losses: FloatArray, weight: AnyArray | None) -> tuple[IntArray, FloatArray]:
    """Return losses on a grid times weights; of whole ones, as equal rows would add up, in two parts that are exact."""
    if weight is None:
        return where, np.rint(losses * _GRID) / _GRID
    each = np.tile(weight.astype(np.float64), LOSSES)
    if not counts_cases(weight):
        return where, losses * each
    return np.tile(where, 2), np.concatenate(exact_products(np.rint(losses * _GRID) / _GRID, each))
