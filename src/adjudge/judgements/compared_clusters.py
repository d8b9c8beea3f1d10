"""What clusters do to a difference: how many there are, and what their rows are worth where classifiers are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from adjudge._base import Finding, Shown, counted, dataclass, quoted, replace, safe
from adjudge._base.arrays import IntArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.estimate import worth
from adjudge.judgements.clusters import FEW
from adjudge.stats.clustered import ClusterEffect


@dataclass(frozen=True, slots=True)
class ComparedClusters(Shown):
    """Rows that belong together where classifiers are compared: how many clusters, and what their rows are worth."""

    column: str | None
    clusters: int
    rows: int
    largest: int  # rows of the largest cluster
    design_effect: float  # variance of the difference with clusters, as a multiple of that of independent rows
    effective_cases: float  # as many independent cases have such an interval of the difference
    degrees: float  # degrees of freedom of that variance: about the number of clusters less one

    def __repr__(self) -> str:
        named = f" of column {quoted(self.column)}" if self.column else ""
        what = f"{counted(self.rows, 'row')} of {counted(self.clusters, 'cluster')}{named}"
        return f"{what}, worth {self.effective_cases:,.1f} independent cases (design effect {self.design_effect:.3g})"


def compared_clusters(
    rows: IntArray, column: str | None, effect: ClusterEffect | None, worth: float, level: float
) -> ComparedClusters | None:
    """Return what clusters of so many rows do to a difference of cases `worth` so many; None of independent rows."""
    if effect is None:
        return None
    sizes, cases = (rows.size, int(rows.sum()), int(rows.max(initial=0))), worth * effect.share(level)
    return ComparedClusters(column, *sizes, effect.design_effect, cases, effect.degrees)


def clusters_of_pairs(pairs: Sequence[ComparedClusters | None]) -> ComparedClusters | None:
    """Return what clusters do to the differences of all pairs, on the mean; None of independent rows."""
    known = [each for each in pairs if each is not None]
    if not known:
        return None
    deff, worth = (fmean(getattr(each, name) for each in known) for name in ("design_effect", "effective_cases"))
    return replace(known[0], design_effect=deff, effective_cases=worth, degrees=min(each.degrees for each in known))


def clusters_of_sides(sides: Sequence[ConfusionCounts], effect: ClusterEffect | None, level: float) -> ComparedClusters | None:
    """Return what clusters do to the difference of two sets of different cases; rows of a set without any are one each."""
    if effect is None:
        return None
    rows = [round(float(side.n)) if side.clusters is None else int(side.clusters.rows.sum()) for side in sides]
    largest = max(1 if side.clusters is None else int(side.clusters.rows.max(initial=0)) for side in sides)
    cases = float(sum(worth(side) for side in sides)) * effect.share(level)
    return ComparedClusters(None, effect.clusters, sum(rows), largest, effect.design_effect, cases, effect.degrees)


def of_few_clusters(clusters: ComparedClusters | None) -> Iterator[Finding]:
    """Yield that there are too few clusters to know their spread."""
    if clusters is None or clusters.clusters >= FEW:
        return
    what = f" (column {quoted(clusters.column)})" if clusters.column else ""
    told = f"There are only {counted(clusters.clusters, 'cluster')}{safe(what)}: the spread of the difference is hardly known."
    advice = "Probabilities and intervals heed that as far as they can; compare on more clusters."
    yield Finding("A621", told, advice, clusters.clusters)
