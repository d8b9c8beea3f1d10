"""Two classifiers whose answers to the rows of a cluster are alike, simulated."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from adjudge import Predictions
from adjudge.predictions.alignment import side_by_side


def answers(rng, sizes, icc=0.3, share=0.5, correct=(0.8, 0.8), k=2):
    """Return cluster, truth and the answers of both: equally correct by default, and alike by a `share` of the clusters' effect."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    truth, common = rng.integers(0, k, cluster.size), rng.normal(size=len(sizes))
    said = []
    for p in correct:
        own = np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=len(sizes))
        ease = np.sqrt(icc) * own[cluster] + np.sqrt(1 - icc) * rng.normal(size=cluster.size)
        said.append(np.where(ease < norm.ppf(p), truth, (truth + rng.integers(1, k, cluster.size)) % k))
    return cluster, truth, *said


def scored(rng, cluster, truth, icc=0.4):
    """Return probabilities of class 1 that are alike within clusters."""
    own = np.sqrt(icc) * rng.normal(size=cluster.max() + 1)[cluster] + np.sqrt(1 - icc) * rng.normal(size=truth.size)
    return norm.cdf(own + 0.8 * (2 * truth - 1))


def aligned(truth, *said, cluster=None, scores=None, **more):
    """Return sets of the same rows side by side."""
    own = {} if cluster is None else {"cluster": cluster}
    scores = [None] * len(said) if scores is None else scores
    sets = [Predictions(truth, a, p, row=np.arange(len(truth)), **own, **more) for a, p in zip(said, scores, strict=True)]
    return side_by_side(sets, [f"m{i}" for i in range(len(said))], scores=scores[0] is not None)


def deleted(value, cluster):
    """Return the delete-one-cluster jackknife variance of a value of some rows."""
    each = np.array([value(cluster != c) for c in np.unique(cluster)])
    return (each.size - 1) / each.size * float(((each - each.mean()) ** 2).sum())
