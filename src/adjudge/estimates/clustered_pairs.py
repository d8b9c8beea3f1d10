r"""How much rows of clusters are worth where classifiers that answered the same cases are compared.

A difference of a measure moves with the patterns of answers as :math:`\sum_c z_c` does, :math:`z_c = \sum_p n_{cp}
(\partial f / \partial n_{a(p)} - \partial f / \partial n_{b(p)})` being what cluster c adds; the accuracy's are sums of b correct
less a correct. The ratio of its variance to that of independent rows is the design effect (Binder 1983, Int. Stat. Rev.
51:279-292); patterns then count as many cases as they are worth (Rao and Scott 1992, Biometrics 48:577-585).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts
from adjudge.estimates.clustered import MOST_CLASSES, STEADY, cases_of, effect_of, equal_cases, rounded_effect, scaled
from adjudge.estimates.estimate import worth
from adjudge.metrics.averages import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.alignment import Together
from adjudge.stats.clustered import ClusterEffect
from adjudge.stats.mover import slopes
from adjudge.stats.student import two_sided

_RATES = ("accuracy", "error", "rejection_rate")
_FEW = 10.0  # cases answered differently, below which how they lie in clusters is not known by themselves
_TWO = 2


def effective_joint(joint: JointCounts, effect: ClusterEffect | None, level: float) -> JointCounts:
    """Return the patterns of as many independent cases as clusters are worth at a level; without clusters as they are."""
    if joint.clusters is None or effect is None or joint.clusters.singles:
        return joint if joint.clusters is None else replace(joint, clusters=None)
    squares = np.asarray(joint.n if joint.squares is None else joint.squares, dtype=np.float64)
    return replace(joint, squares=squares / round(effect.share(level), 12), clusters=None)


def effect_among(
    joint: JointCounts, measure: Measure, which: Sequence[int] | None = None, *, positive: int | None
) -> ClusterEffect | None:
    """Return what clusters do to the differences of a measure between classifiers, all unless named; None without clusters."""
    clusters = joint.clusters
    if clusters is None:
        return None
    if clusters.singles or clusters.clusters == 1:  # of one cluster all rows are a single case
        return ClusterEffect(
            1.0 if clusters.singles else float(joint.worth.sum()), max(clusters.clusters - 1, 1), clusters.clusters
        )
    which = range(joint.predicted.shape[1]) if which is None else which
    moved = np.stack([_moves(joint, measure, i, positive) for i in which])
    say, rows = _say(joint, measure, which, positive)
    # of several, each against their mean: the sums over all pairs are the same (of two, half of their difference)
    apart = (moved[0] - moved[1])[None] if len(which) == _TWO else moved - moved.mean(axis=0)
    squares = np.asarray(joint.n if joint.squares is None else joint.squares, dtype=np.float64)
    independent = (squares * apart**2).sum(axis=1)
    each = [rounded_effect(clusters.sums(own), say, float(alone), rows) for own, alone in zip(apart, independent, strict=True)]
    said = joint.predicted[:, list(which)]
    if float(joint.n[(said != said[:, :1]).any(axis=1)].sum()) < _FEW:  # they lie no better than the answers themselves
        label = None if positive is None or not isinstance(measure, ClassMeasure) else positive
        alone = [effect_of(joint.confusion(i), measure, at=label) for i in which]
        return max([*each, *alone], key=lambda effect: effect.design_effect)
    whole = float(independent.sum())
    deff = float(sum(own.design_effect * v for own, v in zip(each, independent, strict=True))) / whole if whole > 0 else 1.0
    return replace(each[0], design_effect=deff, degrees=min(own.degrees for own in each))


def effective_sides(
    sides: Sequence[ConfusionCounts], measure: Measure, *, positive: int | None, level: float
) -> tuple[list[ConfusionCounts], ClusterEffect]:
    """Return tables of different cases, each of the independent cases its clusters are worth, and what these do to both."""
    at = positive if isinstance(measure, ClassMeasure) else None
    tables: list[ConfusionCounts] = []
    effects: list[ClusterEffect | None] = []
    for counts in sides:
        if counts.clusters is None or counts.clusters.rows.max(initial=0) <= 1:
            effects.append(None)
            tables.append(counts if counts.clusters is None else replace(counts, clusters=None))
        else:
            effects.append(effect := effect_of(counts, measure, at=at))
            tables.append(scaled(counts, effect.share(level)))
    return tables, of_sides(sides, effects)


def of_sides(sides: Sequence[ConfusionCounts], effects: Sequence[ClusterEffect | None]) -> ClusterEffect:
    """Return what clusters do to the difference of tables of different cases; a table without effect has a cluster a case."""
    sizes = [max(round(float(counts.n)), 1) for counts in sides]
    each = [ClusterEffect(1.0, max(n - 1, 1), n) if own is None else own for own, n in zip(effects, sizes, strict=True)]
    deff = float(np.average([own.design_effect for own in each], weights=[1 / worth(counts) for counts in sides]))
    return replace(
        each[0], design_effect=deff, degrees=min(own.degrees for own in each), clusters=sum(own.clusters for own in each)
    )


def _moves(joint: JointCounts, measure: Measure, i: int, positive: int | None) -> FloatArray:
    """Return by how much one more case of each pattern moves the measure of a classifier."""
    said, none = joint.predicted[:, i], joint.predicted[:, i] == joint.k
    n = np.asarray(joint.n, dtype=np.float64)
    if measure.name in _RATES or joint.k > MOST_CLASSES:
        right = joint.right[:, i]
        hits = (~right & ~none if measure.name == "error" else none if measure.name == "rejection_rate" else right).astype(float)
        return np.asarray((hits - float(hits @ n) / n.sum()) / n.sum())
    cells = np.zeros((joint.k, joint.k + joint.rejects))
    np.add.at(cells, (joint.truth, said), n)
    steady = np.where(cells.sum(axis=1, keepdims=True) > 0, STEADY / cells.size, 0.0)
    at = positive if isinstance(measure, ClassMeasure) else None
    return np.asarray(slopes(partial(of_tables, measure, at=at), cells + steady)[joint.truth, said])


def _say(joint: JointCounts, measure: Measure, which: Sequence[int], positive: int | None) -> tuple[FloatArray, float]:
    """Return how much each cluster has to say of a measure of these classifiers, and how many equal cases have as much."""
    assert joint.clusters is not None
    if measure.name in _RATES:
        return joint.clusters.sums(np.ones(joint.n.size)), float(joint.worth.sum())
    each = [cases_of(measure, joint.confusion(i), positive) for i in which]
    return np.asarray(np.mean([say for say, _ in each], axis=0)), float(np.mean([rows for _, rows in each]))


def obuchowski(joint: JointCounts, i: int, j: int, degrees: float) -> float:
    r"""Return the p-value of McNemar's test with clusters: of :math:`t = \sum_c d_c / \sqrt{\frac{C}{C - 1} \sum_c d_c^2}`.

    :math:`d_c` is how many more cases of cluster c the first predicts correctly; degrees of freedom are those of the clusters.
    Obuchowski (1998), Stat. Med. 17:1495-1507.
    """
    assert joint.clusters is not None
    each = joint.clusters.sums(joint.right[:, i].astype(np.float64) - joint.right[:, j])
    many, square = joint.clusters.clusters, float((each**2).sum())
    if square == 0 or many < _TWO:
        return 1.0
    return two_sided(float(each.sum()) / math.sqrt(many / (many - 1) * square), degrees)


def effect_of_rows(
    cases: Together, influences: FloatArray, independent: float, *, by_class: bool = False
) -> ClusterEffect | None:
    r"""Return what clusters do to a difference that each row of `cases` moves by :math:`w_r e_r / \sum w`; None without them.

    With the influences of DeLong's variance on an AUC this is Obuchowski's (1997, Biometrics 53:567-578).
    """
    if cases.cluster is None or cases.cluster_keys is None:
        return None
    many = cases.cluster_keys.size
    weight = np.ones(cases.rows) if cases.weight is None else cases.weight
    if many in (1, cases.rows):
        return ClusterEffect(1.0 if many == cases.rows else float(weight.sum() ** 2 / (weight**2).sum()), max(many - 1, 1), many)
    moved = np.bincount(cases.cluster, weight * influences, many) / weight.sum()
    each = weight / np.bincount(cases.truth, weight)[cases.truth] if by_class else weight
    say = np.asarray(np.bincount(cases.cluster, each, many), dtype=np.float64)
    return rounded_effect(np.asarray(moved, dtype=np.float64), say, independent, equal_cases(each, np.ones(cases.rows)))
