"""The choices of the R package klaR 1.7-3 (b.scal, betascale, ucpm) where they differ from the paper, for comparison.

Parameters are rounded down, regions of little spread or without errors are shifted, never to below but perhaps to above
their frequencies, and memberships within 1e-5 of the highest count as tied.
"""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.partitions.fitting import CONSTANT, MATCH, SHIFT, TWO_POINTS, Levels, Moments

LITTLE = 1e-4
"""Variance below which values are shifted."""
MOST = 1e4
"""The largest alpha + beta."""
TIED = 1e-5
"""Memberships nearer to the highest than this share of it count as tied with it."""
CORNER = 1e-6
"""What is left of 1 from which on it is shared in the old proportions, and below which equally."""


def precision_of(found: Moments) -> FloatArray:
    """Return alpha + beta of each region."""
    mean = found.means[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = mean * (1 - mean) / found.variance - 1
    return np.where(found.variance < LITTLE, MOST, np.minimum(wanted, MOST))


def klar(found: Moments) -> Levels:
    """Return the laws of regions at depth one."""
    precision, mean, p = precision_of(found), found.means[:, 0], found.named_frequencies[:, 0]
    whole = np.floor(np.minimum(found.n, precision))
    kind = np.select(
        [(found.variance < LITTLE) | (p == 1), p == 0, whole < 1],
        [SHIFT, CONSTANT, TWO_POINTS],
        MATCH,
    )
    by = np.where(kind == SHIFT, p - mean, 0.0)
    laws = (precision * mean, precision * (1 - mean), whole * p, whole * (1 - p))
    a, b, to_a, to_b = (column[:, None] for column in laws)
    return Levels(a, b, to_a, to_b, kind[:, None], by[:, None])
