r"""The fewest errors that class multipliers can reach: decide for the class of the largest :math:`\kappa_i p_i`.

As one multiplier grows, every case changes its decision at most once, at a breakpoint that is known. Sorting the
breakpoints gives the number of errors for every value of that multiplier, exactly: for two classes this is the whole
answer, for more it is one step of a search. Duch and Itert (2003), section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.stats.multiplier_rule import blocks, missed, scaled, weighed

SAME = 1e-12  # breakpoints of quotients such as (3/11) / (8/11) and (6/22) / (16/22) differ by rounding only
FINITE = 1e300  # larger than any multiplier that decides something
MANY = 20_000  # breakpoints from which on it pays not to sort all of them
_BITS = 44  # of a float's mantissa, left out of the number of its bucket


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Errors against one multiplier: `errors[j]` above `begins[j]` and up to `ends[j]`.

    `at_zero` is the number of errors where the multiplier is 0, which differs from the first step only if cases
    change their decision there.
    """

    begins: FloatArray
    ends: FloatArray
    errors: AnyArray
    at_zero: float


class Choice(NamedTuple):
    """A multiplier and the errors it makes."""

    multiplier: float
    errors: float


def steps_of(breaks: FloatArray, changes: AnyArray, at_zero: float) -> Steps:
    """Return the errors between the breakpoints, where `changes` says what each breakpoint adds to them.

    >>> steps_of(np.array([2.0, 0.5]), np.array([1, -1]), 3).errors.tolist()
    [3, 2, 3]
    """
    finite = np.isfinite(breaks)
    breaks, changes = breaks[finite], changes[finite]
    order = np.argsort(breaks, kind="stable")
    breaks, changes = breaks[order], changes[order]
    last = np.append(breaks[1:] > breaks[:-1] * (1 + SAME), True)[: breaks.size]
    first = np.append(True, last[:-1])[: breaks.size]
    begins = np.append(0.0, breaks[last])
    ends = np.append(breaks[first], np.inf)
    errors = np.append(at_zero, at_zero + np.cumsum(changes)[last]).astype(changes.dtype)
    some = ends > begins  # a breakpoint at 0 leaves no first step
    return Steps(begins[some], ends[some], errors[some], at_zero)


def best_of(steps: Steps, low: float = 0.0, high: float = np.inf) -> Choice:
    """Return the multiplier of fewest errors within limits; ties go to the step nearest 1, then to its middle.

    Where the step holds 1, the multiplier is 1. The middle, in proportion, keeps away from breakpoints, where rounding decides.
    """
    begins, ends = np.maximum(steps.begins, low), np.minimum(steps.ends, high)
    open_ = np.flatnonzero((ends > begins * (1 + SAME)) & (ends > 0))
    if not open_.size:
        return Choice(low, np.inf)
    begins, ends, errors = begins[open_], ends[open_], steps.errors[open_]
    fewest = errors <= errors.min() + tolerance(errors)
    begins, ends, errors = begins[fewest], ends[fewest], errors[fewest]
    with np.errstate(divide="ignore"):
        away = np.maximum(0.0, np.maximum(np.log(begins), -np.log(ends)))
    at = int(np.argmin(away))
    return Choice(middle(float(begins[at]), float(ends[at])), errors[at].item())


def middle(begin: float, end: float) -> float:
    """Return 1 where a step holds it, otherwise the middle of the step in proportion."""
    if begin < 1 <= end:
        return 1.0
    if not begin:
        return end / 2
    return float(np.sqrt(begin) * np.sqrt(end)) if np.isfinite(end) else min(begin * 2, FINITE)


class Breaks(NamedTuple):
    """Where decisions change as one multiplier grows from 0, and what each change adds to the errors."""

    values: FloatArray
    changes: AnyArray
    at_zero: float

    def within(self, low: float, high: float) -> Breaks:
        """Return what limits leave: changes below them have happened, those above never do."""
        values, changes, at_zero = self
        if np.isfinite(high):
            kept = values < high
            values, changes = values[kept], changes[kept]
        return Breaks(np.maximum(values, low) if low else values, changes, at_zero)


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
        # Only cases that the change puts right or wrong count; a class of probability 0 never wins.
        gained = own == at
        told = (gained | ~wrong) & (mine > 0)
        with np.errstate(over="ignore"):  # a breakpoint beyond all floats is never reached
            breaks.append(values.max(axis=1)[told] / mine[told])
        signs = 1 - 2 * gained[told].astype(np.int64)
        changes.append(signs if w is None else signs * w[told])
        at_zero += weighed(wrong, w)
    found, added = np.concatenate(breaks), np.concatenate(changes)
    finite = np.isfinite(found)
    return Breaks(found, added, at_zero) if finite.all() else Breaks(found[finite], added[finite], at_zero)


def class_steps(p: FloatArray, y: IntArray, weight: FloatArray | None, multipliers: FloatArray, at: int, majority: int) -> Steps:
    """Return the errors as the multiplier of class `at` moves and all others stay as `multipliers` says."""
    return steps_of(*class_breaks(p, y, weight, multipliers, at, majority))


def best_break(breaks: Breaks, low: float, high: float) -> Choice:
    """Return what `best_of` finds among all steps; of many breakpoints only those are sorted that may hold the fewest errors."""
    if breaks.values.size > MANY:
        breaks = breaks.within(low, high)
    if breaks.values.size <= MANY:
        return best_of(steps_of(*breaks), low, high)
    steps, least = _promising(breaks)
    found = best_of(steps, low, high) if steps.begins.size else Choice(low, np.inf)
    return found if found.errors <= least else best_of(steps_of(*breaks), low, high)


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
