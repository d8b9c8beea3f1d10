"""What the rows of each cluster come to where several classifiers answered them: patterns of answers, sparse and by cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.records import dataclass
from adjudge.counts.clusters import ClusterCounts

MIXED = "One part names the clusters of its rows and another does not; count both with clusters, or both without."


@dataclass(frozen=True, slots=True, eq=False)
class JointClusters:
    """Sparse tables by cluster: entry `e` says that `n[e]` cases of cluster `at[e]` show pattern `pattern[e]`."""

    keys: IntArray  # the numbers of the clusters, in order
    at: IntArray
    pattern: IntArray
    n: FloatArray  # cases, or their weight
    rows: IntArray  # by cluster
    column: str | None = None  # that names the clusters

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return self.keys.size

    @property
    def singles(self) -> bool:
        """Whether every cluster has one row, so that rows are independent."""
        return bool(self.rows.max(initial=0) <= 1)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value of each pattern, times its cases, by cluster."""
        return np.asarray(np.bincount(self.at, values[self.pattern] * self.n, self.keys.size), dtype=np.float64)

    def of_one(self, truth: IntArray, predicted: IntArray, k: int) -> ClusterCounts:
        """Return the tables of one classifier by cluster; `k` stands for no decision."""
        said = predicted[self.pattern]
        return ClusterCounts(self.keys, self.at, truth[self.pattern], np.where(said == k, -1, said), self.n, self.rows)


def cluster_patterns(
    keys: IntArray, cluster: IntArray, pattern: AnyArray, weight: AnyArray | None, column: str | None
) -> JointClusters:
    """Return the patterns of rows by cluster; a pattern below 0 is that of a row that weighs nothing."""
    rows = np.bincount(cluster, minlength=keys.size)
    kept = np.flatnonzero(pattern >= 0)
    n = np.ones(kept.size) if weight is None else weight[kept].astype(np.float64)
    return JointClusters(keys, *_added(cluster[kept], pattern[kept].astype(np.int64), n), rows, column)


def add_clusters(parts: Sequence[JointClusters | None], moved: Sequence[IntArray]) -> JointClusters | None:
    """Return the clusters of all parts, `moved` having the place of each part's patterns; None where no part has any."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    if len(known) < len(parts):
        raise InputError(MIXED)
    keys = np.unique(np.concatenate([part.keys for part in known]))
    place = [np.searchsorted(keys, part.keys) for part in known]
    rows = np.zeros(keys.size, dtype=np.int64)
    for own, part in zip(place, known, strict=True):
        np.add.at(rows, own, part.rows)
    at = np.concatenate([own[part.at] for own, part in zip(place, known, strict=True)])
    pattern = np.concatenate([to[part.pattern] for to, part in zip(moved, known, strict=True)])
    return JointClusters(keys, *_added(at, pattern, np.concatenate([part.n for part in known])), rows, known[0].column)


def _added(at: IntArray, pattern: IntArray, n: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return cluster, pattern and cases of the entries that occur, in order, whatever the order of the rows."""
    wide = int(pattern.max(initial=0)) + 1
    codes, where = np.unique(at * wide + pattern, return_inverse=True)
    return codes // wide, codes % wide, np.asarray(np.bincount(where.ravel(), n, codes.size), dtype=np.float64)
