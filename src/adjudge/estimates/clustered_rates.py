"""What clusters leave of the cases behind the rates of a class: its sensitivity, confusions, operating points and bins.

Each is a share of cases, to which cluster c adds :math:`(h_c - p n_c) / N`; see :mod:`adjudge.estimates.clustered`. Along the
thresholds on a score one design effect holds for all rates of a side, and one for all bins of reliability: the variances of
clusters, summed over thresholds or bins, by those of independent cases (Rao and Scott 1981, J. Am. Stat. Assoc. 76:221-230).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from adjudge._base import replace
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge.counts.clusters import ClusterCounts, middles_of, summed
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.clustered import effect_of, rounded_effect, unit_of
from adjudge.estimates.estimate import worth_by_class
from adjudge.metrics import on_counts
from adjudge.stats.clustered import ClusterEffect

_POINTS = 20  # thresholds, or bins of scores, over which design effects are averaged
_Scored: TypeAlias = tuple[IntArray, BoolArray, IntArray, FloatArray]  # cluster, whether of the class, bin of the score, cases


def worth_of_classes(counts: ConfusionCounts, level: float) -> FloatArray:
    """Return how many independent cases those of each true class are worth, for its sensitivity."""
    worth = worth_by_class(counts)
    if counts.clusters is None:
        return worth
    seen = np.flatnonzero(counts.support > 0)
    worth[seen] = worth_of_cells(counts, seen, seen, level)
    return worth


def worth_of_cells(counts: ConfusionCounts, rows: IntArray, columns: IntArray, level: float) -> FloatArray:
    """Return how many independent cases those of a true class are worth, for the share of them predicted as some class."""
    worth, clusters = worth_by_class(counts)[rows].copy(), counts.clusters
    if clusters is None:
        return worth
    for at, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        own = clusters.truth == i
        sizes, hits = clusters.sums(own.astype(np.float64)), clusters.sums((own & (clusters.predicted == j)).astype(np.float64))
        whole = float(sizes.sum())
        share = float(hits.sum()) / whole
        cases = float(worth[at])
        moved, places = (hits - share * sizes) / whole, clusters.places
        worth[at] *= rounded_effect(moved, sizes, share * (1 - share) / cases, cases, places=places).share(level)
    return worth


def share_of_calibration(counts: ConfusionCounts, at: int | None, level: float) -> float:
    """Return how many independent cases one is worth, for how far the probabilities of a class are off on average.

    What clusters move is the mean of what happened less what was predicted. That of the highest probability of each case, where
    `at` is None, they move as they do the accuracy.
    """
    clusters = counts.clusters
    if clusters is None:
        return 1.0
    scored = None if at is None else _scored(clusters, at)
    if scored is None:
        return effect_of(counts, on_counts.ACCURACY).share(level)
    place, own, binned, n = scored
    off = own - (middles_of(binned) if bool((binned >= 0).all()) else 1 - middles_of(-binned))
    off = off - float(off @ n) / float(n.sum())
    moved, sizes = summed(place, off * n, clusters.clusters), summed(place, n, clusters.clusters)
    return _of_sums(clusters, moved, sizes, float((off**2) @ n), unit_of(counts)).share(level)


def shares_of_rates(counts: ConfusionCounts, at: int, level: float) -> tuple[float, float]:
    """Return how many independent cases one of a class, and one of the others, is worth, for rates along all thresholds."""
    clusters = counts.clusters
    if clusters is None:
        return 1.0, 1.0
    scored = _scored(clusters, at)
    if scored is None:  # the rates of the decisions, then
        own, others = (effect_of(counts, each, at=at).share(level) for each in (on_counts.SENSITIVITY, on_counts.SPECIFICITY))
        return own, others
    place, belongs, binned, n = scored
    unit = unit_of(counts)
    hit, clear = (_along(clusters, place[side], binned[side], n[side], unit, level) for side in (belongs, ~belongs))
    return hit, clear


def share_of_bins(counts: ConfusionCounts, at: int | None, level: float) -> float:
    """Return how many independent cases one is worth, for what happened in bins of the scores of a class; of None correctness."""
    clusters = counts.clusters
    if clusters is None:
        return 1.0
    scored = None if at is None else _scored(clusters, at)
    if scored is None:
        return effect_of(counts, on_counts.ACCURACY).share(level)
    place, own, binned, n = scored
    effects = []
    for mine in _of_equal_size(binned, n):
        cases, hits = float(n[mine].sum()), float(n[mine & own].sum())
        if 0 < hits < cases:
            moved = summed(place[mine], (own[mine] - hits / cases) * n[mine], clusters.clusters)
            sizes, independent = summed(place[mine], n[mine], clusters.clusters), hits * (1 - hits / cases)
            effects.append((_of_sums(clusters, moved, sizes, independent, unit_of(counts)), independent))
    return _share_of(effects, level)


def _of_equal_size(binned: IntArray, n: FloatArray) -> list[BoolArray]:
    """Return the cases by groups of neighbouring bins that hold about as many each."""
    bins, where = np.unique(binned, return_inverse=True)
    cases = summed(where, n, bins.size)
    middle = (np.cumsum(cases) - cases / 2) / cases.sum()
    group = np.minimum(np.round(middle * _POINTS, 9).astype(np.int64), _POINTS - 1)[where]
    return [group == each for each in np.unique(group).tolist()]


def _along(clusters: ClusterCounts, place: IntArray, binned: IntArray, n: FloatArray, unit: float, level: float) -> float:
    """Return how many independent cases one is worth, for the share of them with a score from a threshold on."""
    groups = _of_equal_size(binned, n) if n.size else []
    sizes, above, effects = summed(place, n, clusters.clusters), np.zeros(n.size, dtype=bool), []
    for group in groups[:0:-1]:  # from the highest scores down
        above |= group
        share = float(n[above].sum() / n.sum())
        independent = share * (1 - share) * float(n.sum())
        moved = summed(place[above], n[above], clusters.clusters) - share * sizes
        effects.append((_of_sums(clusters, moved, sizes, independent, unit), independent))
    return _share_of(effects, level)


def _of_sums(clusters: ClusterCounts, moved: FloatArray, sizes: FloatArray, squares: float, unit: float) -> ClusterEffect:
    """Return the effect on a mean over cases whose sums by cluster are `moved`, and the squares of all of them so much."""
    whole = float(sizes.sum())
    return rounded_effect(moved / whole, sizes, squares * unit / whole**2, whole / unit, places=clusters.places)


def _share_of(effects: list[tuple[ClusterEffect, float]], level: float) -> float:
    """Return the share by the effect whose variances are sums over some, each with the variance of independent cases."""
    if not effects:
        return 1.0
    weights, names = [independent for _, independent in effects], ("design_effect", "degrees")
    mean, degrees = (float(np.average([getattr(effect, name) for effect, _ in effects], weights=weights)) for name in names)
    whole: ClusterEffect = replace(effects[0][0], design_effect=mean, degrees=degrees)
    return whole.share(level)


def _scored(clusters: ClusterCounts, at: int) -> _Scored | None:
    """Return the cases by score for a class; None where scores were not kept. Of the other of two classes bins are turned."""
    if not clusters.scored:
        return None
    place, of, own, binned = clusters.scored
    columns = np.unique(of).tolist()
    column, flip = (at, False) if at in columns else (columns[0], True)
    mine = of == column
    belongs: AnyArray = own[mine].astype(bool)
    return place[mine], ~belongs if flip else belongs, -binned[mine] if flip else binned[mine], clusters.scored_n[mine]
