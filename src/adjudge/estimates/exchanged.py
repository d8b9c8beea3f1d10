"""Permutation tests of a count measure: what two exchangeable classifiers would differ by.

On the same cases the answers of both are swapped, case by case; on different cases the cases themselves are dealt anew to
the two samples. The two tests hold, whatever the measure and however few the cases, where the classifiers do not differ at all
(Pitman 1937, Suppl. J. R. Stat. Soc. 4:119-130).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts
from adjudge.estimates.cells import Cells
from adjudge.estimates.effective import effective_cells
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import Measure
from adjudge.stats.swaps import coin_counts, drawn_tail, mid_tail

DRAWS = 20_000
"""Swaps that are enumerated, or drawn where there are more."""
_FEWEST = 500
_AT_ONCE = 1 << 22  # cells held at one time
_MOST = 1 << 26  # cells of all swaps, beyond the fewest
_LARGEST = 100_000_000  # cases that are dealt anew one by one; more are scaled down


@dataclass(frozen=True, slots=True, eq=False)
class InOrder:
    """The patterns of two classifiers in an order that hangs neither on who is named first nor on the order of the classes."""

    joint: JointCounts
    positive: int | None
    turned: bool
    """Whether the second classifier comes first."""
    alike: bool
    """Whether it makes no difference which comes first."""


def in_order(joint: JointCounts, i: int, j: int, positive: int | None) -> InOrder:
    """Return the patterns of classifiers `i` and `j`, each once, sorted by what was counted."""
    k, radix = joint.k, joint.k + 1
    to = np.append(_class_order(joint, i, j, positive), k)
    truth, first, second = to[joint.truth], to[joint.said[:, i]], to[joint.said[:, j]]
    forth, n, squares = _merged(joint, (truth * radix + first) * radix + second)
    back, other, _ = _merged(joint, (truth * radix + second) * radix + first)
    one, two = ((codes.tolist(), times.tolist()) for codes, times in ((forth, n), (back, other)))
    turned = two < one
    if turned:
        forth, n, squares = _merged(joint, (truth * radix + second) * radix + first)
    said = np.stack((forth // radix % radix, forth % radix), axis=1)
    names = (joint.names[j], joint.names[i]) if turned else (joint.names[i], joint.names[j])
    pair = replace(joint, names=names, truth=forth // radix**2, said=said, n=n, squares=squares)
    return InOrder(pair, None if positive is None else int(to[positive]), turned, one == two)


def _merged(joint: JointCounts, codes: IntArray) -> tuple[IntArray, AnyArray, FloatArray | None]:
    found, where = np.unique(codes, return_inverse=True)
    n = np.zeros(found.size, dtype=joint.n.dtype)
    np.add.at(n, where.ravel(), joint.n)
    if joint.squares is None:
        return found, n, None
    squares = np.zeros(found.size)
    np.add.at(squares, where.ravel(), joint.squares)
    return found, n, squares


def _class_order(joint: JointCounts, i: int, j: int, positive: int | None) -> IntArray:
    """Return a place for each class: by its cases, and by who found it and assigned it how often, whoever comes first."""
    k, worth = joint.k, joint.worth
    support = np.bincount(joint.truth, weights=worth, minlength=k)
    hits = [np.bincount(joint.truth, weights=worth * joint.right[:, c], minlength=k) for c in (i, j)]
    assigned = [np.bincount(joint.said[:, c], weights=worth, minlength=k + 1)[:k] for c in (i, j)]
    keys = [support, *(side(*both) for both in (hits, assigned) for side in (np.minimum, np.maximum))]
    named = np.arange(k) == (-1 if positive is None else positive)
    place = np.empty(k, dtype=np.int64)
    place[np.lexsort([*keys[::-1], named])] = np.arange(k)
    return place


def swap_tail(pair: JointCounts, measure: Measure, positive: int | None, *, rng: Any = 0) -> float:
    """Return the mid-P of the first classifier's lead over the second, among all swaps of what they said of the same cases.

    Cases of one class that got the same two answers are alike, so that only how many of them are swapped counts: all such
    numbers are enumerated where they are few enough, and drawn otherwise.
    """
    (first, second), worth = pair.said.T, pair.worth
    apart, radix = first != second, pair.k + 1
    codes = (pair.truth * radix + np.minimum(first, second)) * radix + np.maximum(first, second)
    groups, where = np.unique(codes[apart], return_inverse=True)
    size = np.bincount(where.ravel(), weights=worth[apart], minlength=groups.size)
    whole = np.maximum(np.rint(size), 1).astype(np.int64)
    own, low, high = groups // radix**2, groups // radix % radix, groups % radix
    truth = np.concatenate((pair.truth[~apart], own, own))
    said = np.concatenate((first[~apart], low, high)), np.concatenate((second[~apart], high, low))
    cells = max(truth.size, pair.k * (pair.k + pair.rejects))
    heads, weights = coin_counts(whole, int(np.clip(_MOST // cells, _FEWEST, DRAWS)), rng)
    sums = [Cells.of(truth, each, pair.k, rejects=pair.rejects) for each in said]
    ours = np.bincount(where.ravel(), weights=(worth * (first < second))[apart], minlength=groups.size)
    found, observed = [], _lead(measure, sums, np.concatenate((worth[~apart], ours, size - ours))[None], positive)[0]
    chunk = max(1, _AT_ONCE // cells)
    for start in range(0, len(heads), chunk):
        share = heads[start : start + chunk] * (size / whole)
        same = np.tile(worth[~apart], (len(share), 1))
        found.append(_lead(measure, sums, np.concatenate((same, share, size - share), axis=1), positive))
    leads, every = np.concatenate(found), float(weights.sum()) > 1 - 1 / (2 * len(heads))
    return mid_tail(leads, weights, float(observed)) if every else drawn_tail(leads, float(observed))


def _lead(measure: Measure, sums: list[Cells], worth: FloatArray, positive: int | None) -> FloatArray:
    one, other = (of_tables(measure, cells.tables(worth), positive) for cells in sums)
    return np.asarray(one - other)


def shuffle_tail(a: ConfusionCounts, b: ConfusionCounts, measure: Measure, positive: int | None, *, rng: Any = 0) -> float:
    """Return the mid-P of a's lead over b, among the cases of both dealt anew to two samples of the same sizes."""
    both = [effective_cells(counts) for counts in (a, b)]
    scale = min(1.0, _LARGEST / sum(float(each.sum()) for each in both))
    whole = [np.rint(each.ravel() * scale).astype(np.int64) for each in both]
    total = whole[0] + whole[1]
    seen = np.flatnonzero(total)
    draws = int(np.clip(_MOST // total.size, _FEWEST, DRAWS))
    dealt = np.random.default_rng(rng).multivariate_hypergeometric(
        total[seen], int(whole[0].sum()), size=draws, method="marginals"
    )
    dealt = np.concatenate((whole[0][None, seen], dealt))
    found, chunk = [], max(1, _AT_ONCE // total.size)
    for start in range(0, len(dealt), chunk):
        tables = np.zeros((len(dealt[start : start + chunk]), total.size))
        tables[:, seen] = dealt[start : start + chunk]
        one, other = (of_tables(measure, t.reshape(-1, *both[0].shape), positive) for t in (tables, total - tables))
        found.append(one - other)
    leads = np.concatenate(found)
    return drawn_tail(leads[1:], float(leads[0]))
