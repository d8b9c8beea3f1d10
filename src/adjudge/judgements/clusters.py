"""What clusters do to an evaluation: how many there are, what their rows are worth, and how each of them fares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge._base import Finding, Shown, counted, dataclass, field, plain, quoted, safe
from adjudge.counts.tally import Tally
from adjudge.estimates.clustered import area_effect, effect_of, loss_effect
from adjudge.estimates.estimate import Estimate, Interval, of_accuracy, worth
from adjudge.metrics import on_counts
from adjudge.stats.clustered import ClusterEffect, intracluster_correlation, shrunken

MOST_DRAWN = 400  # different clusters that are shown one by one: drawing more towards all would take long
FEW = 10  # clusters below which their spread is hardly known


@dataclass(frozen=True, slots=True)
class MeasureEffect(Shown):
    """What clusters do to one measure."""

    design_effect: float  # its variance with clusters, as a multiple of that of independent rows
    effective_cases: float  # as many independent cases have such an interval: few clusters know little of the design effect
    degrees: float  # degrees of freedom of the variance: about the number of clusters less one


@dataclass(frozen=True, slots=True, eq=False)
class ClustersJudged(Shown):
    """Rows that belong together: how many clusters, what their rows are worth, how each fares."""

    column: str | None
    clusters: float  # about how many, where they were too many to be counted each by itself
    rows: int
    largest: int  # rows of the largest cluster
    intra_cluster: float  # correlation of correctness within clusters
    effects: dict[str, MeasureEffect]  # by measure
    level: float = 0.95
    whole: Estimate | None = field(default=None, repr=False)  # the accuracy of all, against which each is shown
    each: tuple[Estimate, ...] = field(default=(), repr=False)  # the accuracy of each, drawn towards that of all; `of` names it
    seen: tuple[float, ...] = field(default=(), repr=False)  # the accuracy of each as it was seen

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the names of clusters as plain Python."""
        names = ("column", "clusters", "rows", "largest", "intra_cluster", "effects")
        return {name: plain(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        main = next(iter(self.effects.values()))
        told = f"{counted(self.rows, 'row')} of {self.clusters:,.0f} clusters worth {main.effective_cases:,.1f} independent cases"
        return f"{told} (design effect {main.design_effect:.3g}, intra-cluster correlation {self.intra_cluster:.3g})"


def judge_clusters(tally: Tally, column: str | None, level: float, method: str = "default") -> ClustersJudged | None:
    """Return what clusters do to the measures of what was counted; None without clusters."""
    counts, clusters = tally.confusion, tally.confusion.clusters
    if clusters is None:
        return None
    cases, effects = worth(counts), {}
    by_measure: dict[str, ClusterEffect | None] = {}
    if not tally.undecided:
        by_measure = {m.name: effect_of(counts, m) for m in (on_counts.ACCURACY, on_counts.BALANCED_ACCURACY)}
    if tally.of_interest is not None:
        by_measure["auc"] = area_effect(tally, tally.of_interest)
    by_measure |= {name: loss_effect(tally, name) for name in ("brier", "log_loss")}
    for name, effect in by_measure.items():
        if effect is not None:
            effects[name] = MeasureEffect(effect.design_effect, cases * effect.share(level), effect.degrees)
    sizes = clusters.sizes.astype(np.float64)
    main = next(iter(effects.values())).design_effect if effects else math.nan
    correlation = intracluster_correlation(main, sizes)
    each: tuple[Estimate, ...] = ()
    seen: tuple[float, ...] = ()
    if not clusters.together and not tally.undecided and _different(tally) <= MOST_DRAWN:
        weigh = clusters.cases > 0
        n, right = clusters.cases[weigh], clusters.sums((clusters.truth == clusters.predicted).astype(np.float64))[weigh]
        names = [clusters.names.get(key, f"cluster {i + 1}") for i, key in enumerate(clusters.keys.tolist()) if weigh[i]]
        made = [
            Estimate("accuracy", float(value), Interval(float(low), float(high), level, "beta-binomial"), of=name, cases=many)
            for (value, low, high), name, many in zip(shrunken(right, n, level), names, n.tolist(), strict=True)
        ]
        shares = (right / n).tolist()
        order = sorted(range(len(made)), key=lambda i: (shares[i], str(names[i])))
        each, seen = tuple(made[i] for i in order), tuple(shares[i] for i in order)
    rows = int(clusters.rows.sum())
    whole = None if tally.undecided else of_accuracy(counts, on_counts.ACCURACY, level, method)
    largest = int(sizes.max(initial=0))
    return ClustersJudged(column, clusters.how_many, rows, largest, correlation, effects, level, whole, each, seen)


def _different(tally: Tally) -> int:
    """Return how many clusters differ in their cases or in how many of these are correct: others are drawn alike."""
    clusters = tally.confusion.clusters
    assert clusters is not None
    right = clusters.sums((clusters.truth == clusters.predicted).astype(np.float64))
    return int(np.unique(np.stack([right, clusters.cases]), axis=1).shape[1])


def of_clusters(judged: ClustersJudged | None) -> Iterator[Finding]:
    """Yield what to know of the clusters."""
    if judged is None:
        return
    what = "" if judged.column is None else f" (column {quoted(judged.column)})"
    if judged.clusters < FEW:
        told = f"There are only {counted(round(judged.clusters), 'cluster')}{safe(what)}: their spread is hardly known."
        yield Finding("A621", told, "Intervals heed that as far as they can; evaluate more clusters.", judged.clusters)
