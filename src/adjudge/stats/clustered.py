"""How far clusters of rows spread a sum of influences, against independent rows."""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge.stats import special


@dataclass(frozen=True, slots=True)
class ClusterEffect:
    """What clusters do to the variance of an estimate."""

    design_effect: float
    degrees: float
    clusters: int

    def share(self, level: float) -> float:
        """Return how many independent cases a case is worth in ordinary intervals of a level."""
        tail = (1 + level) / 2
        return float((special.ndtri(tail) / special.stdtrit(max(self.degrees, 1), tail)) ** 2 / self.design_effect)


def cluster_effect(influences: FloatArray, sizes: FloatArray, independent: float) -> ClusterEffect:
    """Return the effect of clusters, of which each adds an influence and has so much to say."""
    moved = influences[sizes > 0]
    many = moved.size
    variance = many / max(many - 1, 1) * float(((moved - moved.mean()) ** 2).sum())
    effect = variance / independent if independent > 0 else 1.0
    return ClusterEffect(max(effect, 0.3), max(many - 1, 1), many)


def intracluster_correlation(design_effect: float, sizes: FloatArray) -> float:
    """Return how alike rows of a cluster are; NaN where each has one row."""
    mean = float((sizes**2).sum() / sizes.sum())
    return (design_effect - 1) / (mean - 1) if mean > 1 else math.nan


def shrunken(correct: FloatArray, sizes: FloatArray, level: float) -> FloatArray:
    """Return the share of each cluster and its limits."""
    share = correct / sizes
    wide = special.ndtri((1 + level) / 2) * np.sqrt(share * (1 - share) / sizes)
    return np.stack([share, np.maximum(share - wide, 0.0), np.minimum(share + wide, 1.0)], axis=1)
