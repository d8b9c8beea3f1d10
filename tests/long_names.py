"""Predictions for classes with names of about 30 letters, of words, with other signs between them, and in one piece."""

from __future__ import annotations

from functools import cache

import numpy as np

import adjudge

NAMES = (
    "chronic obstructive pulmonary d",
    "community_acquired-pneumonia_x",
    "Interstitial Lung Disease Other",
    "antineutrophilcytoplasmatosisx",
)
CLASSIFIERS = ("gradient boosting, calibrated p", "random forest of 500 tall trees")


@cache
def scored(k: int, seed: int = 0, *, rejected: bool = False, positive: str | None = None) -> adjudge.Predictions:
    """Return the predictions for the same 240 cases of k classes; some are perhaps not decided."""
    n = 240
    truth, p = np.random.default_rng(9).integers(0, k, n), np.random.default_rng(seed).dirichlet(np.ones(k), n)
    p[np.arange(n), truth] += 0.4
    p /= p.sum(axis=1, keepdims=True)
    labels = np.array(NAMES, dtype=object)
    decided = labels[p.argmax(axis=1)]
    decided[::9] = "?" if rejected else decided[::9]
    how = {"rejected": "?" if rejected else None, "positive": positive, "cluster": labels[np.arange(n) % len(labels)]}
    return adjudge.Predictions(labels[truth], decided, p, classes=list(NAMES[:k]), row=np.arange(n), **how)
