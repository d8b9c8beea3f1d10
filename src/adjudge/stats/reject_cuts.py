"""Where to cut ordered cases so that deciding some and rejecting the rest costs least: every cut is tried.

Cuts are numbered 0..m between m distinct scores: cut i has the first i scores below it. What deciding costs beyond rejecting
adds up over the scores below one cut and above another, so the best pair needs one pass, not all pairs. Arrays in, cuts out;
no scores, no classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Cuts:
    """Decided one way below `lower`, the other way from `upper` on, rejected between; `optimal` pairs are equally good."""

    lower: int
    upper: int
    optimal: int


def best_cut(above: FloatArray, mass: FloatArray, most: float, slack: float) -> Cuts:
    """Return the cut from which on to decide, the first of those of least cost: it rejects least.

    `above` holds what deciding all scores from each cut on costs beyond rejecting them, `mass` how much lies below each cut,
    of which at most `most` may be rejected. Costs that differ by at most `slack` are equal but for rounding.
    """
    allowed = above[: int(np.searchsorted(mass, most, side="right"))]
    tied = np.flatnonzero(allowed <= allowed.min() + slack)
    return Cuts(0, int(tied[0]), tied.size)


def best_pair(below: FloatArray, above: FloatArray, mass: FloatArray, most: float, slack: float) -> Cuts:
    """Return the two cuts of least cost; of those the ones that reject least, then the lowest.

    `below` holds what deciding all scores before each cut costs beyond rejecting them; the rest as for `best_cut`. For every
    upper cut the best lower one is the least of `below` among the cuts at most `most` away.
    """
    starts = np.searchsorted(mass, mass - most, side="left")
    lower = _last_least(below, slack) if not starts.any() else _last_least_since(below, starts, slack)
    cost = below[lower] + above
    tied = np.flatnonzero(cost <= cost.min() + slack)
    upper = int(tied[np.argmin(mass[tied] - mass[lower[tied]])])
    return Cuts(int(lower[upper]), upper, _pairs(below, lower[tied], starts[tied], tied, slack))


def _last_least(values: FloatArray, slack: float) -> IntArray:
    """Return, for each place, where the least value so far stands; the last place of equal ones."""
    least = np.minimum.accumulate(values) + slack
    return np.maximum.accumulate(np.where(values <= least, np.arange(values.size), 0))


def _last_least_since(values: FloatArray, starts: IntArray, slack: float) -> IntArray:
    """Return the same among the places from `starts` on.

    A stretch is covered by two overlapping ones whose length is a power of two; those of each length are made from the
    previous length (a sparse table of which one row is kept).
    """
    places = np.arange(values.size)
    found, doublings = places.copy(), np.frexp(places - starts + 1.0)[1] - 1
    at = places
    for k in range(int(doublings.max()) + 1):
        here = np.flatnonzero(doublings == k)
        found[here] = _later(values, at[starts[here]], at[here - (1 << k) + 1], slack)
        at = _later(values, at[: -(1 << k)], at[1 << k :], slack)
    return found


def _later(values: FloatArray, first: IntArray, second: IntArray, slack: float) -> IntArray:
    return np.where(values[second] <= values[first] + slack, second, first)


def _pairs(below: FloatArray, lower: IntArray, starts: IntArray, upper: IntArray, slack: float) -> int:
    """Return how many lower cuts are as good as `lower`, summed over the upper cuts."""
    levels = np.unique(below[lower])
    levels = levels[np.diff(levels, prepend=-np.inf) > slack]
    level = np.searchsorted(levels, below + slack, side="right") - 1
    as_good = np.flatnonzero((level >= 0) & (below <= levels[level] + slack))
    stride = below.size
    keys = np.sort(level[as_good] * stride + as_good)
    row = level[lower] * stride
    return int((np.searchsorted(keys, row + upper, side="right") - np.searchsorted(keys, row + starts, side="left")).sum())
