"""Tables of clusters drawn again with replacement, and what they say of a measure.

Of C clusters C - 1 are drawn, so that the variance of a mean over the draws is that of C clusters without bias (Rao and Wu 1988,
J. Am. Stat. Assoc. 83:231-241); the limits are bias-corrected and accelerated (Efron 1987), with clusters left out one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts
from adjudge.stats import bands
from adjudge.stats.bands import Statistic

METHOD = "cluster-bootstrap"
_AT_ONCE = 1 << 21  # draws of clusters, or cells of tables, held at one time


def cluster_limits(
    counts: ConfusionCounts, statistic: Statistic, *, level: float, resamples: int, rng: np.random.Generator
) -> tuple[tuple[float, float] | None, FloatArray]:
    """Return the limits of a statistic of tables, None where draws tell nothing, and its values over the draws."""
    tables = _by_cluster(counts)
    many, shape = len(tables), (counts.k, counts.k + counts.has_rejected)
    if many <= 1:
        return None, np.empty(0)

    def measured(weights: AnyArray) -> FloatArray:
        return np.asarray(statistic((weights @ tables).reshape(-1, *shape)), dtype=np.float64)

    sizes = list(_chunks(resamples, max(many, tables.shape[1])))
    each = np.full(many, 1 / many)
    draws = np.concatenate([measured(rng.multinomial(many - 1, each, size=size).astype(np.float64)) for size in sizes])
    whole = tables.sum(axis=0)
    without = np.concatenate(
        [
            np.asarray(statistic((whole - part).reshape(-1, *shape)), dtype=np.float64)
            for part in np.array_split(tables, len(list(_chunks(many, tables.shape[1]))))
        ]
    )
    draws = draws[np.isfinite(draws)]
    if not draws.size:
        return None, draws
    seen = float(np.asarray(statistic(whole.reshape(shape))))
    return bands.bca(draws, seen, without, np.ones(many), level), draws


def _by_cluster(counts: ConfusionCounts) -> FloatArray:
    """Return the cells of every cluster, a row each."""
    clusters = counts.clusters
    assert clusters is not None
    columns = counts.k + counts.has_rejected
    said = np.where(clusters.predicted < 0, counts.k, clusters.predicted)
    tables = np.zeros((clusters.clusters, counts.k * columns))
    np.add.at(tables, (clusters.at, clusters.truth * columns + said), clusters.n)
    return tables[tables.any(axis=1)]


def _chunks(whole: int, width: int) -> Iterator[int]:
    most = max(1, _AT_ONCE // max(width, 1))
    for start in range(0, whole, most):
        yield min(most, whole - start)
