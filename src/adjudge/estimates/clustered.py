r"""How much rows of clusters are worth: the spread of a measure between clusters against that of independent rows.

A measure of a table moves with its cells as :math:`\sum_c z_c` does, :math:`z_c = \sum_{ij} n_{cij} \, \partial f / \partial
n_{ij}` being what cluster c adds (Binder 1983, Int. Stat. Rev. 51:279-292). The ratio of both variances is the design effect; by
it, and by as few degrees of freedom as there are clusters, cases are worth less. Every interval of independent rows then holds
for so many cases (Korn and Graubard 1998, Surv. Methodol. 24:193-201).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.counts.clusters import ClusterCounts
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.metrics.averages import of_tables
from adjudge.metrics.measure import ClassMeasure, Measure, OneAgainstRest
from adjudge.stats import ranking
from adjudge.stats.clustered import ClusterEffect, cluster_effect
from adjudge.stats.mover import slopes

MOST_CLASSES = 100  # of a table whose every cell has a slope
_RATES = ("accuracy", "error", "rejection_rate")
STEADY = 1.0  # cases that steady a table, spread over its cells


def effective(counts: ConfusionCounts, measure: Measure, *, at: int | None = None, level: float = 0.95) -> ConfusionCounts:
    """Return the table as of so many independent cases as its clusters are worth for a measure; without clusters as it is."""
    if counts.clusters is None:
        return counts
    return scaled(counts, effect_of(counts, measure, at=at).share(level))


def scaled(counts: ConfusionCounts, share: float) -> WeightedCounts:
    """Return the table, each case of it worth a share of an independent one."""
    squares = counts.squares if isinstance(counts, WeightedCounts) else counts.cells
    return WeightedCounts(counts.cells, counts.classes, counts.positive, squares=squares / share)


def effect_of(counts: ConfusionCounts, measure: Measure, *, at: int | None = None) -> ClusterEffect:
    """Return what clusters do to a measure of the table, of class `at`, or averaged over the classes."""
    assert counts.clusters is not None
    if at is not None:  # of the class against the rest
        counts, at = counts.binary(counts.classes[at]), 0
    clusters = counts.clusters
    assert clusters is not None
    if measure.name in _RATES or counts.k > MOST_CLASSES:
        return _of_rate(counts, clusters, measure.name if measure.name in _RATES else "accuracy")
    cells = np.asarray(counts.cells, dtype=np.float64)
    squares = counts.squares if isinstance(counts, WeightedCounts) else cells
    case = float(squares.sum() / cells.sum())  # the weight of one
    steady = np.where(cells.sum(axis=1, keepdims=True) > 0, STEADY * case / cells.size, 0.0)
    slope = slopes(partial(of_tables, measure, at=at), cells + steady)
    said = np.where(clusters.predicted < 0, counts.k, clusters.predicted)
    say, rows = cases_of(measure, counts, at)
    return rounded_effect(
        clusters.sums(slope[clusters.truth, said]), say, float((squares * slope**2).sum()), rows, places=clusters.places
    )


def _of_rate(counts: ConfusionCounts, clusters: ClusterCounts, name: str) -> ClusterEffect:
    right, none = clusters.truth == clusters.predicted, clusters.predicted < 0
    hits = {"accuracy": right, "error": ~(right | none), "rejection_rate": none}[name].astype(np.float64)
    whole, share = float(counts.n), float((clusters.n * hits).sum()) / float(counts.n)
    squares = float(counts.squares.sum()) if isinstance(counts, WeightedCounts) else whole
    rows = whole**2 / squares
    moved = clusters.sums(hits - share) / whole
    return rounded_effect(moved, clusters.cases, share * (1 - share) / rows, rows, places=clusters.places)


def cases_of(measure: Measure, counts: ConfusionCounts, at: int | None) -> tuple[FloatArray, float]:
    """Return how much each cluster has to say of a measure, and how many equal cases have as much to say as all."""
    assert counts.clusters is not None
    squares, say = counts.squares if isinstance(counts, WeightedCounts) else counts.cells, _say(measure, counts, at)
    return counts.clusters.sums(say), equal_cases(say, counts.clusters.n) * float(counts.n) / float(squares.sum())


def _say(measure: Measure, counts: ConfusionCounts, at: int | None) -> FloatArray:
    """Return how much a case of each entry has to say of a measure: whether that is a share of it, or its share of a class."""
    clusters = counts.clusters
    assert clusters is not None
    if at is not None and isinstance(measure, ClassMeasure):
        own, said, none = clusters.truth == at, clusters.predicted == at, clusters.predicted < 0
        parts = (own & said, own & ~said & ~none, ~own & said, ~own & ~said & ~none, own, ~own)
        return np.asarray(measure.parts(OneAgainstRest(*(part.astype(np.float64) for part in parts)))[1], dtype=np.float64)
    return np.divide(1.0, counts.support, out=np.zeros(counts.k), where=counts.support > 0)[clusters.truth]


def equal_cases(say: FloatArray, n: FloatArray) -> float:
    """Return how many equal cases have as much to say as `n` cases of each entry (Kish 1965)."""
    squares = float((n * say**2).sum())
    return float((n * say).sum()) ** 2 / squares if squares > 0 else 0.0


def area_effect(tally: Tally, at: int) -> ClusterEffect | None:
    """Return what clusters do to the AUC of a class against the rest, by bins of its scores; None where these are unknown."""
    clusters = tally.confusion.clusters
    if clusters is None or not clusters.scored or tally.scores is None:
        return None
    column, flip = (at, False) if at in tally.scores.columns else (tally.scores.columns[0], True)
    place, of, own, binned = clusters.scored
    mine = of == column
    place, own, binned, n = place[mine], own[mine].astype(bool), binned[mine], clusters.scored_n[mine]
    own = ~own if flip else own
    code = binned.astype(np.int64) * 2 + own
    cells, cases = np.bincount(code, n), [float(n[side].sum()) for side in (own, ~own)]
    if not all(cases):
        return None
    there = np.flatnonzero(cells)  # scores of a bin are equal: a few influences are those of all cases
    scores = -(there // 2) if flip else there // 2
    each = np.zeros(cells.size)
    each[there] = ranking.case_influences(scores, there % 2 == 1, cells[there]) / n.sum()
    influence = each[code]
    each = np.where(own, 1 / cases[0], 1 / cases[1])
    say, moved = (
        np.asarray(np.bincount(place, n * of, minlength=clusters.clusters), dtype=np.float64) for of in (each, influence)
    )
    unit = unit_of(tally.confusion)
    alone, rows = float((n * influence**2).sum()) * unit, equal_cases(each, n) / unit
    return rounded_effect(moved, say, alone, rows, places=clusters.places)


def loss_effect(tally: Tally, name: str) -> ClusterEffect | None:
    """Return what clusters do to the Brier score or the log loss; None where the losses are unknown."""
    clusters, sums = tally.confusion.clusters, tally.probabilities
    if clusters is None or clusters.losses is None or sums is None or not sums.weight_squares:
        return None
    losses, cases = clusters.losses[:, int(name != "brier")], clusters.cases
    mean = float(losses.sum() / cases.sum())
    square = float(sums.squares[int(name != "brier")]) / (4 if name == "brier" and tally.confusion.k <= 2 else 1)  # noqa: PLR2004
    rows = sums.weight**2 / sums.weight_squares
    variance = (square / sums.weight - mean**2) / rows
    lossy = rows * mean**2 * sums.weight / square if square > 0 else 0.0  # equal cases that have all of the loss
    moved = (losses - mean * cases) / cases.sum()
    return rounded_effect(moved, cases, max(variance, 0.0), rows, lossy, places=clusters.places)


def unit_of(counts: ConfusionCounts) -> float:
    """Return the weight of a case, as its square is to it on average: 1 of cases without weights."""
    return float(counts.squares.sum() / counts.cells.sum()) if isinstance(counts, WeightedCounts) and counts.n else 1.0


def rounded_effect(
    influences: FloatArray,
    say: FloatArray,
    independent: float,
    rows: float,
    events: float | None = None,
    *,
    places: int = 0,
) -> ClusterEffect:
    """Return the effect, whose digits are the same in whatever order rows came."""
    largest = float(np.abs(influences).max(initial=0.0))
    if largest:
        influences = np.round(influences / largest, 12) * largest
    return cluster_effect(influences, say, independent, rows=rows, events=events, places=places)
