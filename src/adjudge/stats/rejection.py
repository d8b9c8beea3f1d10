"""Thresholds between deciding and rejecting, and the decisions of least expected cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.ranking import ScoreTable

_EPS = float(np.finfo(np.float64).eps)


def best_pair(below: FloatArray, above: FloatArray, mass: FloatArray, most: float, slack: float) -> tuple[int, int, int]:
    """Return the two cuts of least cost, of those the ones that reject least, then the lowest; and how many pairs are as good."""
    starts = np.searchsorted(mass, mass - most, side="left")
    if starts.any():
        lower = _last_least(below, starts, slack)
    else:
        least = np.minimum.accumulate(below) + slack
        lower = np.maximum.accumulate(np.where(below <= least, np.arange(below.size), 0))
    cost = below[lower] + above
    tied = np.flatnonzero(cost <= cost.min() + slack)
    upper = int(tied[np.argmin(mass[tied] - mass[lower[tied]])])
    return int(lower[upper]), upper, _pairs(below, lower[tied], starts[tied], tied, slack)


def _last_least(values: FloatArray, starts: IntArray, slack: float) -> IntArray:
    """Return, for each place, where the least value since `starts` stands; the last place of equal ones."""
    # A stretch is covered by two overlapping ones whose length is a power of two; those of each length are made from the
    # previous length (a sparse table of which one row is kept).
    places = np.arange(values.size)
    least, doublings = places.copy(), np.frexp(places - starts + 1.0)[1] - 1
    at = places

    def later(first: IntArray, second: IntArray) -> IntArray:
        return np.where(values[second] <= values[first] + slack, second, first)

    for k in range(int(doublings.max()) + 1):
        here = np.flatnonzero(doublings == k)
        least[here] = later(at[starts[here]], at[here - (1 << k) + 1])
        at = later(at[: -(1 << k)], at[1 << k :])
    return least


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


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """Scores to decide from, and how many choices of them cost the same on the cases they were fitted to."""

    values: FloatArray
    optimal: int


def two_sided(table: ScoreTable, costs: FloatArray, *, most: float | None = None, lows: FloatArray | None = None) -> Thresholds:
    r"""Return the two thresholds of least cost: negative below the first, positive from the second on, rejected between.

    `lows` are the least scores that the bins of the table may hold, where scores were binned. With :math:`C` the `costs` (rows
    and columns: negative, positive; last column: rejected) all pairs of cuts are compared by
    :math:`\sum_{s < t_1} (C_{y-} - C_{yr}) + \sum_{s \ge t_2} (C_{y+} - C_{yr})`; :math:`C_{ii} = -1`, :math:`C_{ij} = \gamma`,
    :math:`C_{ir} = 0` is :math:`\gamma L - A`, :math:`C_{+-} = 1`, :math:`C_{-+} = \alpha` is :math:`p_{+-} + \alpha p_{-+}`, of
    Duch and Itert (2003), eqs. 14 and 16.
    """
    beyond = costs[:, :2] - costs[:, 2:]
    below, above = (_joined(table, beyond[:, column]) for column in (0, 1))
    mass = _summed(table.positives + table.negatives)
    *cuts, optimal = best_pair(below, above[-1] - above, mass, _most(most, mass[-1]), _slack(beyond, mass))
    return Thresholds(np.array([between(table.values, cut, lows) for cut in cuts]), optimal)


def one_sided(
    sure: FloatArray, kind: IntArray, beyond: FloatArray, *, weight: FloatArray | None = None, most: float | None = None
) -> Thresholds:
    """Return the threshold of least cost from which on the surest cases keep their decision; kind k costs ``beyond[k]`` more."""
    if weight is not None and not weight.all():  # a case of weight 0 is none
        sure, kind, weight = sure[weight > 0], kind[weight > 0], weight[weight > 0]
    values, place = np.unique(sure, return_inverse=True)
    total, distinct = np.zeros(values.size + 1), np.unique(beyond)
    for cost in distinct:
        chosen = (beyond == cost)[kind]
        total += cost * _summed(np.bincount(place[chosen], None if weight is None else weight[chosen], minlength=values.size))
    return _one_cut(values, total, _summed(np.bincount(place, weight, minlength=values.size)), distinct, most)


def one_sided_of(table: ScoreTable, right: float, wrong: float, *, most: float | None, lows: FloatArray | None) -> Thresholds:
    """Return the same for a table of how sure decisions were that are `right` or `wrong`, at two costs beyond rejecting."""
    total, mass = _joined(table, np.array([wrong, right])), _summed(table.positives + table.negatives)
    return _one_cut(table.values, total, mass, np.unique([right, wrong]), most, lows)


def _one_cut(
    values: FloatArray, total: FloatArray, mass: AnyArray, costs: FloatArray, most: float | None, lows: FloatArray | None = None
) -> Thresholds:
    """Return the cut from which on to decide, the first of least cost, from the costs `total` and the mass below each cut."""
    above = (total[-1] - total)[: int(np.searchsorted(mass, _most(most, mass[-1]), side="right"))]
    tied = np.flatnonzero(above <= above.min() + _slack(costs, mass))
    return Thresholds(np.array([between(values, int(tied[0]), lows) if tied[0] else 0.0]), tied.size)


def between(values: FloatArray, cut: int, lows: FloatArray | None = None) -> float:
    """Return a threshold that has the first `cut` of the ascending `values` below it, halfway to the next."""
    if cut in (0, values.size):
        return -np.inf if not cut else np.inf
    low, high = float(values[cut - 1]), float((values if lows is None else lows)[cut])
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def cheapest(p: FloatArray, costs: FloatArray) -> IntArray:
    """Return the number of the decision of least expected cost; of equal ones the first, so that rejection comes last."""
    expected = p @ costs
    rounding = 2 * len(costs) * _EPS * float(np.abs(costs).max())
    return np.asarray(np.argmax(expected <= expected.min(axis=1, keepdims=True) + rounding, axis=1))


def chow_threshold(gamma: float) -> float:
    r"""Return the probability below which rejecting costs less than deciding, :math:`\gamma / (1 + \gamma)`.

    Chow (1970), IEEE Trans. Inf. Theory 16:41-46.
    """
    return gamma / (1 + gamma)


def wilson_band(hits: FloatArray, trials: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the limits of many shares at once; see :func:`adjudge.stats.binomial.wilson`."""
    square = float(special.ndtri((1 - level) / 2)) ** 2
    missed = trials - hits
    spread = np.sqrt(square * (hits * (missed / trials) + square / 4))
    high = np.where(missed > 0, (hits + square / 2 + spread) / (trials + square), 1.0)
    return hits / trials * (hits / (trials + square)) / high, high


def _joined(table: ScoreTable, cost: FloatArray) -> FloatArray:
    """Return what the first cases cost up to each cut, at one cost for negative and one for positive ones."""
    return np.asarray(cost[0] * _summed(table.negatives) + cost[1] * _summed(table.positives), dtype=np.float64)


def _summed(counts: AnyArray) -> AnyArray:
    return np.concatenate(([0], np.cumsum(counts)))


def _most(share: float | None, total: Any) -> float:
    """Return how much may be rejected: the largest count whose share is allowed, or a little above a sum of weights."""
    if share is None:
        return float(total)
    return float(np.floor(share * total * (1 + 4 * _EPS))) if isinstance(total, np.integer) else share * total * (1 + 1e-12)


def _slack(costs: FloatArray, mass: AnyArray) -> float:
    """Return how far two sums of the same costs may differ by rounding: that of a few products, or of sums of weights."""
    steps = 8 * len(np.ravel(costs)) + (8 * np.sqrt(mass.size) if mass.dtype.kind == "f" else 0.0)
    return float(steps * _EPS * float(np.abs(costs).max()) * float(mass[-1]))
