r"""The fewest errors that class multipliers can reach: decide for the class of the largest :math:`\kappa_i p_i`.

As one multiplier grows, every case changes its decision at most once; sorting these breakpoints gives the errors for every value
of it, exactly. Duch and Itert (2003), section 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from adjudge._base.arrays import BLOCK, AnyArray, BoolArray, FloatArray, IntArray, blocks
from adjudge._base.records import dataclass
from adjudge.stats.multiplier_leaders import Leaders
from adjudge.stats.multiplier_rule import missed, scaled, weighed

SAME = 1e-12  # breakpoints of quotients such as (3/11) / (8/11) and (6/22) / (16/22) differ by rounding only
FINITE = 1e300  # larger than any multiplier that decides something
MANY = 20_000  # breakpoints from which on it pays not to sort all of them
_BITS = 44  # of a float's mantissa, left out of the number of its bucket
_TWO = 2
_MANY_CLASSES = 13  # from which on it pays to keep the largest values of every case
_SWEEPS = 50
_SEARCHED = 50_000  # cases among which all starts are tried; the best go on among all cases
_FINISHED = 2  # how many of them
_WORK = 2_000_000  # numbers looked at by all starts of a search together, about
_AT_ONCE = 1 << 17  # probabilities that starts look at together: what a cache holds
_NEAR = 0.05
_FEWEST_STARTS, _MOST_STARTS = 4, 40
_SMALL, _MORE_STARTS = 20_000, 60  # the fewer the cases, the more ends a search can have and the less a start takes


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Errors against one multiplier: `errors[j]` above `begins[j]` and up to `ends[j]`, `at_zero` where it is 0."""

    begins: FloatArray
    ends: FloatArray
    errors: AnyArray
    at_zero: float


class Choice(NamedTuple):
    """A multiplier and the errors it makes."""

    multiplier: float
    errors: float


def steps_of(breaks: FloatArray, changes: AnyArray, at_zero: float) -> Steps:
    """Return the errors between finite breakpoints, where `changes` says what each breakpoint adds to them."""
    order = np.argsort(breaks)
    if changes.dtype.kind == "f" and (breaks[order[1:]] == breaks[order[:-1]]).any():
        order = np.argsort(breaks, kind="stable")  # sums of weights depend on the order of ties, counts do not
    breaks, changes = breaks[order], changes[order]
    last = np.append(breaks[1:] > breaks[:-1] * (1 + SAME), True)[: breaks.size]
    first = np.append(True, last[:-1])[: breaks.size]
    begins = np.append(0.0, breaks[last])
    ends = np.append(breaks[first], np.inf)
    errors = np.append(at_zero, at_zero + np.cumsum(changes)[last]).astype(changes.dtype)
    some = ends > begins  # a breakpoint at 0 leaves no first step
    return Steps(begins[some], ends[some], errors[some], at_zero)


def best_of(steps: Steps, low: float = 0.0, high: float = np.inf) -> Choice:
    """Return the multiplier of fewest errors within limits; ties go to the step nearest 1, then to its middle in proportion."""
    begins, ends = np.maximum(steps.begins, low), np.minimum(steps.ends, high)
    open_ = np.flatnonzero((ends > begins * (1 + SAME)) & (ends > 0))
    if not open_.size:
        return Choice(low, np.inf)
    begins, ends, errors = begins[open_], ends[open_], steps.errors[open_]
    fewest = errors <= errors.min() + tolerance(errors)
    begins, ends, errors = begins[fewest], ends[fewest], errors[fewest]
    with np.errstate(divide="ignore"):
        away = np.maximum(0.0, np.maximum(np.log(begins), -np.log(ends)))
    at = [int(np.argmin(away))]
    return Choice(middles(begins[at], ends[at]).item(), errors[at].item())


def middles(begins: FloatArray, ends: FloatArray) -> FloatArray:
    """Return 1 where a step holds it, otherwise the middle of the step in proportion."""
    with np.errstate(over="ignore", invalid="ignore"):  # of steps that end nowhere
        middle = np.where(np.isfinite(ends), np.sqrt(begins) * np.sqrt(ends), np.minimum(begins * 2, FINITE))
    return np.where((begins < 1) & (ends >= 1), 1.0, np.where(begins == 0, ends / 2, middle))


class Breaks(NamedTuple):
    """Where decisions change as one multiplier grows from 0, and what each change adds to the errors."""

    values: FloatArray
    changes: AnyArray
    at_zero: float


def class_breaks(
    p: FloatArray, y: IntArray, weight: FloatArray | None, multipliers: FloatArray, at: int, majority: int
) -> Breaks:
    """Return where decisions change as the multiplier of class `at` moves and all others stay as `multipliers` says."""
    breaks, changes, at_zero = [np.empty(0)], [np.empty(0, dtype=np.int64 if weight is None else np.float64)], 0.0
    for rows in blocks(*p.shape):
        own, mine, w = y[rows], p[rows, at], None if weight is None else weight[rows]
        values = scaled(p[rows], multipliers)
        values[:, at] = -1.0
        wrong = missed(values, own, majority)
        some = _told(wrong, values.max(axis=1), mine, own == at, w)
        breaks.append(some[0])
        changes.append(some[1])
        at_zero += weighed(wrong, w)
    return _finite(np.concatenate(breaks), np.concatenate(changes), at_zero)


def _told(wrong: BoolArray, top: FloatArray, mine: FloatArray, gained: BoolArray, weight: FloatArray | None) -> tuple[Any, Any]:
    """Return breakpoints and changes of the cases that a class puts right or wrong; one of probability 0 never wins."""
    told = np.flatnonzero((gained | ~wrong) & (mine > 0))
    with np.errstate(over="ignore"):  # a breakpoint beyond all floats is never reached
        breaks = top[told] / mine[told]
    signs = 1 - 2 * gained[told].astype(np.int64)
    return breaks, signs if weight is None else signs * weight[told]


def _finite(breaks: FloatArray, changes: AnyArray, at_zero: float) -> Breaks:
    finite = np.isfinite(breaks)
    return Breaks(breaks, changes, at_zero) if finite.all() else Breaks(breaks[finite], changes[finite], at_zero)


def best_break(breaks: Breaks, low: float, high: float) -> Choice:
    """Return what `best_of` finds among all steps; of many breakpoints only those are sorted that may hold the fewest errors."""
    if breaks.values.size > MANY:  # changes below the limits have happened, those above never do
        values, changes, at_zero = breaks
        if np.isfinite(high):
            values, changes = values[values < high], changes[values < high]
        breaks = Breaks(np.maximum(values, low) if low else values, changes, at_zero)
    if breaks.values.size <= MANY:
        return best_of(steps_of(*breaks), low, high)
    steps, least = _promising(breaks)
    choice = best_of(steps, low, high) if steps.begins.size else Choice(low, np.inf)
    return choice if choice.errors <= least else best_of(steps_of(*breaks), low, high)


def _promising(breaks: Breaks) -> tuple[Steps, float]:
    """Return the steps that may have the fewest errors, and how many errors at least one of them should not exceed."""
    # The bits of positive floats are in the order of the floats: their first ones name a bucket, 256 to every doubling. Counts by
    # bucket give the errors between buckets, and how far they can fall within one. A bucket that cannot go below the least
    # between buckets is not looked into; the one after each of the others is, since a step may end there.
    keys = breaks.values.view(np.int64) >> _BITS
    keys -= keys.min()
    net = np.bincount(keys, weights=breaks.changes)
    falling = breaks.changes < 0
    falls = np.bincount(keys[falling], weights=breaks.changes[falling], minlength=net.size)
    after = breaks.at_zero + np.cumsum(net)
    before = np.append(breaks.at_zero, after[:-1])
    used = np.flatnonzero(np.bincount(keys))
    slack = tolerance(np.append(after, breaks.at_zero)) if breaks.changes.dtype.kind == "f" else 0.0
    least = min(breaks.at_zero, float(after[used].min())) + slack
    chosen = np.zeros(net.size, dtype=np.bool_)
    chosen[used] = (before + falls)[used] <= least + slack
    looked = chosen.copy()
    looked[used[1:]] |= chosen[used[:-1]]
    looked[0] = True  # where the first step ends
    kept = np.flatnonzero(looked[keys])
    order = kept[np.argsort(breaks.values[kept], kind="stable")]
    values, changes, keys = breaks.values[order], breaks.changes[order], keys[order]
    summed = np.cumsum(changes)
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    skipped = before[keys[first]] - (summed - changes)[first]
    errors = (summed + np.repeat(skipped, np.diff(np.append(first, keys.size)))).astype(changes.dtype)
    following = np.append(values[1:], np.inf)
    some = chosen[keys] & (following > values * (1 + SAME))
    begins, ends = np.append(0.0, values[some]), np.append(values[0], following[some])
    open_ = ends > begins
    errors = np.append(changes.dtype.type(breaks.at_zero), errors[some])[open_]
    return Steps(begins[open_], ends[open_], errors, breaks.at_zero), least


def tolerance(errors: AnyArray) -> float:
    """Return how far sums of weights may differ by rounding; counts do not."""
    return 0.0 if errors.dtype.kind in "iu" else 1e-12 * float(np.abs(errors).max(initial=0))


def fewest_errors(
    p: FloatArray,
    y: IntArray,
    *,
    majority: int,
    low: float = 0.0,
    high: float = np.inf,
    weight: FloatArray | None = None,
    rng: np.random.Generator,
) -> FloatArray:
    """Return one multiplier per class, the majority's 1, that make few errors: the fewest where there are two classes.

    With more classes every multiplier in turn is set to its best until none helps, from several starts, of many cases at first
    among a sample: a search, which may miss the fewest. Ties go to the multipliers nearest 1.
    """
    search = _Search(p, y, weight, majority, low, high)
    plain = np.array([search.anchored(np.full(p.shape[1], value)) for value in (1.0, 0.0)])
    descended, left = search.descended(plain if p.shape[1] == _TWO else _starts(search, plain, rng))
    ends, counts = np.vstack([plain, descended]), np.append(search.errors(plain), left)
    best = ends[counts <= counts.min() + tolerance(counts)]
    with np.errstate(divide="ignore"):
        return search.nearer_one(best[np.argmin(np.abs(np.log(best)).sum(axis=1))])


def _starts(search: _Search, plain: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return where to begin: no correction, the majority alone, and near breakpoints; with many cases what a sample prefers."""
    # the ends of a search among some cases are close to those among all, from where few steps are left
    rows = len(search.p)
    some = search if rows <= _SEARCHED else search.among(np.sort(rng.choice(rows, _SEARCHED, replace=False)))
    size = some.p.size
    number = int(np.clip(_WORK // size, _FEWEST_STARTS, _MOST_STARTS)) + min(_SMALL // size, _MORE_STARTS)
    starts = np.vstack([plain, search.anchored(_drawn(some.p, search.majority, number, rng))])
    if some is search:
        return starts
    ends, left = some.descended(starts)
    return np.vstack([plain[:1], ends[np.argsort(left, kind="stable")[:_FINISHED]]])


class _Search:
    """Moves one multiplier at a time."""

    def __init__(self, p: FloatArray, y: IntArray, weight: FloatArray | None, majority: int, low: float, high: float) -> None:
        self.p, self.y, self.weight, self.majority, self.low, self.high = p, y, weight, majority, low, high
        # Of two classes only the ratio counts, and one multiplier sets it.
        self.movable = [at for at in range(p.shape[1]) if at != majority or p.shape[1] > _TWO]
        self.leaders = Leaders(p, y, majority) if p.shape[1] >= _MANY_CLASSES else None

    def among(self, rows: IntArray) -> _Search:
        """Return the search among some of the cases."""
        weight = None if self.weight is None else self.weight[rows]
        return _Search(self.p[rows], self.y[rows], weight, self.majority, self.low, self.high)

    def anchored(self, multipliers: FloatArray) -> FloatArray:
        """Return multipliers within the limits, the majority's 1."""
        clipped = np.clip(multipliers, self.low, min(self.high, FINITE))
        clipped[..., self.majority] = 1.0
        return clipped

    def errors(self, multipliers: FloatArray) -> FloatArray:
        """Return the errors that the decisions of each row of multipliers really make, rounding and all."""
        if self.leaders is not None:
            return np.array([self._sum(self.leaders.wrong(each)) for each in multipliers])
        total = np.zeros(len(multipliers))
        for rows in blocks(*self.p.shape):
            p, y, weight = self.p[rows], self.y[rows], None if self.weight is None else self.weight[rows]
            total += [weighed(missed(scaled(p, each), y, self.majority), weight) for each in multipliers]
        return total

    def best_moves(self, multipliers: FloatArray, at: int, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return, for each row of multipliers, the best for class `at` within its limits, and the errors it makes."""
        breaks = (self._breaks(each, at) for each in multipliers)
        best = [best_break(*each) for each in zip(breaks, low.tolist(), high.tolist(), strict=True)]
        return np.array([one.multiplier for one in best]), np.array([one.errors for one in best])

    def _breaks(self, multipliers: FloatArray, at: int) -> Breaks:
        """Return what `class_breaks` does."""
        if self.leaders is None:
            return class_breaks(self.p, self.y, self.weight, multipliers, at, self.majority)
        wrong, top = self.leaders.without(multipliers, at)
        return _finite(*_told(wrong, top, self.p[:, at].copy(), self.y == at, self.weight), self._sum(wrong))

    def _sum(self, wrong: BoolArray) -> float:
        """Return how many cases are wrong; weights are added up block by block, as where all classes are looked at."""
        if self.weight is None:
            return float(np.count_nonzero(wrong))
        return sum((weighed(wrong[rows], self.weight[rows]) for rows in blocks(*self.p.shape)), 0.0)

    def descended(self, starts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return multipliers none of which can be improved alone, and their errors: of few cases all starts move at once."""
        together = _AT_ONCE // self.p.size
        few = together >= _TWO and len(self.p) <= min(MANY, BLOCK // self.p.shape[1])
        cases = _Cases(self.p, self.y, self.weight, self.majority) if few else self
        multipliers, left, step = starts.copy(), np.empty(len(starts)), together if few else 1
        for first in range(0, len(starts), step):
            active = np.arange(first, min(first + step, len(starts)))
            left[active], idle = cases.errors(multipliers[active]), np.zeros(len(starts), dtype=np.int64)
            for at in self.movable * _SWEEPS:
                before = left[active]
                self._move(cases, multipliers, left, active, at)
                # what has just been set to its best needs no second look
                idle[active] = np.where(left[active] < before, 1, idle[active] + 1)
                active = active[idle[active] < len(self.movable)]
                if not active.size:
                    break
        return multipliers, left

    def _move(self, cases: _Search | _Cases, multipliers: FloatArray, left: FloatArray, active: IntArray, at: int) -> None:
        """Set one multiplier of every active row to its best, where that makes fewer errors."""
        low, high = self._limits(multipliers[active], at)
        some = low * (1 + SAME) < high
        active, low, high = active[some], low[some], high[some]
        if not active.size:
            return
        moved = multipliers[active]
        moved[:, at], errors = cases.best_moves(moved, at, low, high)
        with np.errstate(over="ignore", invalid="ignore"):
            moved /= moved[:, [self.majority]]
        better = np.flatnonzero((errors < left[active]) & np.isfinite(moved).all(axis=1))
        if not better.size:
            return
        moved = np.clip(moved[better], self.low, self.high)
        moved[:, self.majority] = 1.0
        counts = cases.errors(moved)
        fewer = counts < left[active[better]]
        multipliers[active[better[fewer]]], left[active[better[fewer]]] = moved[fewer], counts[fewer]

    def nearer_one(self, multipliers: FloatArray) -> FloatArray:
        """Return the multipliers with those set to 1 that need not differ from it."""
        left = self.errors(multipliers[None])
        for at in np.flatnonzero((multipliers != 1) & (self.low <= 1) & (self.high >= 1)):
            plain = multipliers.copy()
            plain[at] = 1.0
            if self.errors(plain[None]) <= left:
                multipliers = plain
        return multipliers

    def _limits(self, multipliers: FloatArray, at: int) -> tuple[FloatArray, FloatArray]:
        """Return how far a multiplier of each row may go; to move the majority's is to divide all others by it."""
        if at != self.majority:
            return np.full(len(multipliers), self.low), np.full(len(multipliers), self.high)
        others = np.delete(multipliers, at, axis=1)
        return others.max(axis=1) / self.high, others.min(axis=1) / self.low if self.low else np.full(len(multipliers), np.inf)


class _Cases:
    """Few cases under many rows of multipliers at once: arrays of rows by cases, a class at a time."""

    def __init__(self, p: FloatArray, y: IntArray, weight: FloatArray | None, majority: int) -> None:
        self.columns, self.y, self.weight = np.ascontiguousarray(p.T), y, weight
        self.own = p[np.arange(y.size), y]
        rank = np.arange(1, p.shape[1] + 1)
        rank[majority] = 0
        self.loses_ties = rank[:, None] < rank[y]  # a class comes before that of the case: the majority, then the first

    def errors(self, multipliers: FloatArray) -> FloatArray:
        """Return the errors of each row of multipliers."""
        own = multipliers[:, self.y]
        own *= self.own
        return self._sums(self._ahead(multipliers, own, range(len(self.columns)))[0])

    def best_moves(self, multipliers: FloatArray, at: int, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what `_Search.best_moves` does; a case that changes nothing has its breakpoint at infinity."""
        own, gained, mine = multipliers[:, self.y], self.y == at, self.columns[at]
        own *= self.own
        own[:, gained] = -1.0
        wrong, top = self._ahead(multipliers, own, (k for k in range(len(self.columns)) if k != at))
        told = (gained | ~wrong) & (mine > 0)
        with np.errstate(over="ignore"):
            unsorted = np.divide(top, mine, out=np.full(top.shape, np.inf), where=told)
        exact, order = self.weight is None, np.argsort(unsorted, axis=1)
        breaks = np.take_along_axis(unsorted, order, axis=1)
        if not exact:  # sums of weights depend on the order of ties, counts do not
            tied = ((breaks[:, 1:] == breaks[:, :-1]) & (breaks[:, 1:] < np.inf)).any(axis=1)
            order[tied] = np.argsort(unsorted[tied], axis=1, kind="stable")
        changes = (np.where(gained, -1.0, 1.0) * (1.0 if self.weight is None else self.weight))[order]
        edge = np.zeros((len(breaks), 1))
        begins, ends = np.hstack([edge, breaks]), np.hstack([breaks, edge + np.inf])
        changes[breaks == np.inf] = 0.0
        errors = np.hstack([edge, np.cumsum(changes, axis=1)])
        errors += self._sums(wrong)[:, None]
        steps = ends > begins * (1 + SAME)  # none begins at infinity
        steps[:, 0] = ends[:, 0] > 0
        np.maximum(begins, low[:, None], out=begins)
        np.minimum(ends, high[:, None], out=ends)
        steps &= (ends > begins * (1 + SAME)) & (ends > 0)
        errors[~steps] = np.inf
        slack = 0.0 if exact else 1e-12 * np.abs(np.where(steps, errors, 0.0)).max(axis=1, keepdims=True)
        fewest = np.nonzero(steps & (errors <= errors.min(axis=1, keepdims=True) + slack))
        away = np.full(errors.shape, np.inf)
        with np.errstate(divide="ignore"):
            away[fewest] = np.maximum(0.0, np.maximum(np.log(begins[fewest]), -np.log(ends[fewest])))
        chosen = np.arange(len(breaks)), np.argmin(away, axis=1)
        return middles(begins[chosen], ends[chosen]), errors[chosen]

    def _ahead(self, multipliers: FloatArray, own: FloatArray, classes: Iterable[int]) -> tuple[BoolArray, FloatArray]:
        """Return where one of the classes comes before the `own` value, and the largest value of these classes."""
        ahead, top = np.zeros(own.shape, dtype=np.bool_), np.full(own.shape, -1.0)
        for k in classes:
            value = multipliers[:, [k]] * self.columns[k]
            ahead |= value > own
            ahead |= (value == own) & self.loses_ties[k]
            np.maximum(top, value, out=top)
        return ahead, top

    def _sums(self, wrong: BoolArray) -> FloatArray:
        return wrong.sum(axis=1, dtype=float) if self.weight is None else np.array([weighed(row, self.weight) for row in wrong])


def _drawn(p: FloatArray, majority: int, number: int, rng: np.random.Generator) -> FloatArray:
    """Return starts near which, for every class, some case stands between it and the majority."""
    # near and not there: at a breakpoint the errors depend on how ties are broken and numbers rounded
    k = p.shape[1]
    drawn = [(rng.integers(len(p), size=k), rng.normal(0, _NEAR, k)) for _ in range(number)]
    rows, off = np.array([at for at, _ in drawn]), np.array([off for _, off in drawn])
    own = p[rows, np.arange(k)]
    with np.errstate(over="ignore"):
        ratio = np.divide(p[rows, majority], own, out=np.ones(own.shape), where=own > 0)
        ratio *= np.exp(off)
    return np.asarray(ratio)
