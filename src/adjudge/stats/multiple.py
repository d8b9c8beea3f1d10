"""Many comparisons at once: p-values that hold together, and which of many cannot be told apart."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray


def holm(p_values: AnyArray) -> FloatArray:
    r"""Return p-values that hold together: rejecting those below 5% is wrong anywhere in at most 5%.

    The i-th smallest of m is :math:`\max_{j \le i} \min(1, (m - j + 1) p_{(j)})`. Holm (1979), Scand. J. Stat. 6:65-70.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64).ravel()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    return adjusted


def runs_alike(apart: BoolArray) -> list[tuple[int, int]]:
    """Return the longest runs first..last of ranked candidates of which no two can be told apart.

    `apart` is symmetric, in the order of the ranks. A candidate may be in several runs, or alone in one.
    """
    m, found, reached = len(apart), [], -1
    for first in range(m):
        last = first
        while last + 1 < m and not apart[first : last + 1, last + 1].any():
            last += 1
        if last > reached:
            found.append((first, last))
            reached = last
    return found


def best_shares(draws: FloatArray) -> FloatArray:
    """Return how often each column is the best of its row, ties shared; more is better."""
    best = draws == draws.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
