r"""How many clusters of cases a goal takes: the plan for independent cases, times the design effect.

Rows of a patient are alike. With an intra-cluster correlation :math:`\rho`, :math:`m` cases of a cluster and a coefficient of
variation :math:`v` of their number, a variance grows by :math:`1 + ((1 + v^2) m - 1) \rho` (Donner and Klar 2000, Design and
Analysis of Cluster Randomization Trials; Eldridge, Ashby and Kerry 2006, Int. J. Epidemiol. 35:1292-1300), and is known by as
many degrees of freedom as there are clusters less one, so that quantiles of Student's t stand in the place of normal ones. A
pilot says better how well a design effect is known: a plan for intervals as wide as its own takes as many clusters as it has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, counted, dataclass, either, replace, wording
from adjudge._base.arrays import FloatArray, IntArray, frozen
from adjudge.estimates.clustered import effect_of
from adjudge.judgements.clusters import FEW
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.sample_size import PlannedClusters, SampleSize
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.spellings import position
from adjudge.stats import power as powers
from adjudge.stats import special
from adjudge.stats.clustered import ClusterEffect, cluster_effect, intracluster_correlation

_FEWEST = 2  # clusters whose spread is known at all
_ROUGH = 30  # clusters of a pilot below which a correlation is rough


@dataclass(frozen=True, slots=True)
class Clustering(Shown):
    """How cases are collected: clusters of so many, alike by so much."""

    intra_cluster: float
    cluster_size: float  # cases of a cluster that the measure rests on, on average over clusters that have such cases
    variation: float = 0.0  # coefficient of variation of their number
    having: float = 1.0  # share of clusters that have such cases
    collected: float | None = None  # cases of a cluster in all, where the measure rests on some of them
    pilot: ClusterEffect | None = None  # what is known of the design effect, where one showed it

    @property
    def design_effect(self) -> float:
        """What the variance of independent cases is multiplied by."""
        return 1 + (self.moments - 1) * self.intra_cluster

    @property
    def moments(self) -> float:
        """Cases in the cluster of a case, on average over cases."""
        return (1 + self.variation**2) * self.cluster_size

    def worth(self, clusters: int, wide: Callable[[float], float]) -> float:
        """Return how many independent cases so many clusters are worth, `wide` being a sum of quantiles at degrees of freedom."""
        cases = clusters * self.cluster_size
        if self.moments == 1:
            return cases
        degrees = float(clusters - 1)
        if self.pilot is None:
            return cases / self.design_effect * (wide(math.inf) / wide(degrees)) ** 2
        grown = clusters / self.pilot.clusters
        degrees, skew = min(max(self.pilot.degrees * grown, 1.0), degrees), self.pilot.skew / math.sqrt(grown)
        effect = ClusterEffect(self.design_effect, degrees, clusters, self.moments, skew)
        return cases * effect.share_at((wide(degrees) / wide(math.inf)) ** 2)

    def clusters_for(self, cases: int, wide: Callable[[float], float]) -> int:
        """Return the fewest clusters that are worth so many independent cases."""

        def enough(clusters: int) -> bool:
            return clusters >= _FEWEST and self.worth(clusters, wide) >= cases * (1 - 1e-12)

        near = cases * self.design_effect / self.cluster_size
        return powers.least(enough, near=round(min(near, powers.MOST)))


def effect_in(pilot: Evaluation, measure: Measure) -> ClusterEffect | None:
    """Return what the clusters of a pilot do to a measure; None without clusters."""
    counts, known = pilot.counts, pilot.clusters
    if counts is None or counts.clusters is None or known is None:
        return None
    at = position(counts.classes, pilot.positive) if isinstance(measure, ClassMeasure) and pilot.positive is not None else None
    if measure.needs == "decisions":
        return effect_of(counts, measure, at=at)
    seen = known.effects.get(measure.name)
    return None if seen is None else ClusterEffect(seen.design_effect, seen.degrees, round(known.clusters))


def of_pilot(pilot: Evaluation, measure: Measure) -> Clustering | None:
    """Return how the cases of a pilot, those that the measure rests on, lie in clusters; None without clusters."""
    effect, counts = effect_in(pilot, measure), pilot.counts
    if effect is None or counts is None or counts.clusters is None:
        return None
    clusters, at = counts.clusters, None
    if isinstance(measure, ClassMeasure) and pilot.positive is not None:
        at = position(counts.classes, pilot.positive)
    sizes = clusters.cases if at is None else clusters.sums((clusters.truth == at).astype(np.float64))
    own = sizes[sizes > 0]
    return replace(_lying(effect, own), having=own.size / sizes.size, collected=float(clusters.cases.mean()))


def clustering_of(
    pilots: Sequence[Evaluation], measure: Measure, asked: dict[str, Any], share: float | None = None
) -> tuple[Clustering | None, tuple[Finding, ...]]:
    """Return how cases lie in clusters, as given or as the pilots show, of two that of the larger correlation."""
    seen = [(each, pilot) for pilot in pilots if (each := of_pilot(pilot, measure)) is not None]
    if seen:
        shown, pilot = max(seen, key=lambda both: both[0].intra_cluster)
        assert pilot.clusters is not None
        findings = () if "intra_cluster" in asked else tuple(of_pilot_clusters(pilot.clusters.clusters))
        return replace(shown, **asked), findings
    if not asked:
        return None, ()
    if not {"intra_cluster", "cluster_size"} <= set(asked):
        both = either([argument("intra_cluster"), argument("cluster_size")], " and ")
        raise InputError(wording("Of clusters give ", both), ", or a pilot whose rows name their clusters.")
    return Clustering(**asked, having=1.0 if share is None else share), ()


def of_differences(apart: FloatArray, cluster: IntArray, asked: dict[str, Any]) -> tuple[Clustering, tuple[Finding, ...]]:
    """Return how the cases of two pilots lie in clusters, by how alike differences in correctness are within these."""
    sizes = np.bincount(cluster).astype(np.float64)
    moved, own = np.bincount(cluster, apart - apart.mean()).astype(np.float64), sizes > 0
    effect = cluster_effect(moved / apart.size, sizes, float(apart.var()) / apart.size)
    findings = () if "intra_cluster" in asked else tuple(of_pilot_clusters(int(own.sum())))
    return replace(_lying(effect, sizes[own]), **asked), findings


def _lying(effect: ClusterEffect, sizes: FloatArray) -> Clustering:
    """Return how cases lie in clusters of these sizes, which do so much to the variance."""
    alike = intracluster_correlation(effect.design_effect, sizes)
    mean = float(sizes.mean())
    return Clustering(0.0 if math.isnan(alike) else min(max(alike, 0.0), 1.0), mean, float(sizes.std()) / mean, pilot=effect)


def clustered(size: SampleSize, clustering: tuple[Clustering | None, tuple[Finding, ...]]) -> SampleSize:
    """Return the same goal for cases in such clusters, if there are any, with what is to be known of them."""
    if clustering[0] is None:
        return size
    return in_clusters(replace(size, findings=(*size.findings, *clustering[1])), clustering[0])


def in_clusters(size: SampleSize, clustering: Clustering) -> SampleSize:
    """Return the same goal for cases that come in clusters; `size` is that of independent ones."""
    sides = 1 if size.share is not None else size.total // size.cases
    tails = [(1 + size.level) / 2] if size.assurance is None else [size.level]
    if size.assurance is not None:
        tails.append((1 + size.assurance) / 2 if size.goal == "equivalence" and size.target == 0 else size.assurance)

    def wide(degrees: float) -> float:
        if math.isinf(degrees):
            return float(sum(special.ndtri(tail) for tail in tails))
        return float(sum(special.stdtrit(sides * degrees, tail) for tail in tails))

    def cases_for(independent: int) -> int:
        return math.ceil(clustering.clusters_for(independent, wide) * clustering.cluster_size - 1e-9)

    def collected(independent: int | None) -> int | None:
        if independent is None:
            return None
        clusters = clustering.clusters_for(independent, wide)
        if size.share is None:
            return sides * math.ceil(clusters * clustering.cluster_size - 1e-9)
        clusters = powers.cases_in_all(clusters, clustering.having)
        return math.ceil(clusters * (clustering.collected or clustering.cluster_size) - 1e-9)

    clusters, total = clustering.clusters_for(size.cases, wide), collected(size.cases)
    assert total is not None
    if total > powers.MOST:
        msg = f"More than {powers.MOST:,} cases would be needed in such clusters. Ask for less, or for a smaller "
        raise InputError(msg, argument("cluster_size"), ".")
    cases = cases_for(size.cases)
    reached = {cases_for(n): often for n, often in zip(size.numbers.tolist(), size.reached.tolist(), strict=True)}
    reached[cases] = float(size.reached[size.numbers == size.cases][0])
    numbers = sorted(reached)
    needed = powers.cases_in_all(clusters, clustering.having) if size.share is not None else sides * clusters
    effect, least = clustering.design_effect, math.ceil(size.cases * clustering.intra_cluster)
    given = clustering.intra_cluster, clustering.cluster_size, clustering.variation
    planned = PlannedClusters(needed, *given, effect, sides * (clusters - 1), size.cases, max(sides * least, _FEWEST))
    return replace(
        size,
        cases=cases,
        total=total,
        numbers=frozen(numbers, np.int64),
        reached=frozen([reached[n] for n in numbers], np.float64),
        method=f"{size.method}; of clusters by their design effect, with Student's t",
        assumes=(*size.assumes, _assumed(size, clustering)),
        plausible=None if size.plausible is None else (collected(size.plausible[0]), collected(size.plausible[1])),
        findings=(*size.findings, *_of_clusters(clusters)),
        clusters=planned,
    )


def _assumed(size: SampleSize, clustering: Clustering) -> str:
    """Return what is assumed of the clusters."""
    of = "differences in correctness" if size.goal in ("difference", "equivalence") else "correctness"
    told = f"an intra-cluster correlation of {clustering.intra_cluster:.3g} (of {of}) and {clustering.cluster_size:.4g} cases of "
    told += "the class in each cluster that has them" if size.share is not None else "each cluster"
    told += f", with a coefficient of variation of {clustering.variation:.3g}" if clustering.variation else ""
    return f"{told}: a design effect of {clustering.design_effect:.3g}"


def _of_clusters(clusters: int) -> Iterator[Finding]:
    """Yield what to know of few clusters."""
    if clusters < FEW:
        told = f"The plan has only {counted(clusters, 'cluster')}, whose spread will hardly be known."
        yield Finding("A743", told, "Plan fewer cases of each cluster, and more clusters.", clusters)


def of_pilot_clusters(clusters: float) -> Iterator[Finding]:
    """Yield what to know of an intra-cluster correlation that a pilot shows."""
    if clusters < _ROUGH:
        told = f"The pilot has {counted(round(clusters), 'cluster')}, so that the intra-cluster correlation it shows is rough."
        yield Finding("A744", told, "Plan with a larger one as well.", clusters)
