"""The accuracy as it is commonly reported: give or take two standard errors.

Shown beside the posterior so that a reader sees what goes wrong: the bar takes no notice of where a share must end,
and shrinks to nothing when every decision is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.show import Shown
from adjudge._base.text import counted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts

TIMES = 2
"""Standard errors on either side."""


@dataclass(frozen=True, slots=True)
class Conventional(Shown):
    """A mean and its standard error, over test cases or over folds; the limits are not clipped."""

    value: float
    error: float
    """The standard error of `value`."""
    over: str
    """What the error was taken over, such as "140 cases" or "10 folds"."""

    @property
    def low(self) -> float:
        """Two standard errors below."""
        return self.value - TIMES * self.error

    @property
    def high(self) -> float:
        """Two standard errors above, even where that is more than everything."""
        return self.value + TIMES * self.error


def over_cases(counts: ConfusionCounts) -> Conventional:
    r"""Return :math:`p \pm 2 \sqrt{p (1 - p) / n}`.

    >>> found = over_cases(ConfusionCounts([[69, 1], [1, 69]]))
    >>> round(found.value, 5), round(found.error, 5), round(found.high, 5)
    (0.98571, 0.01003, 1.00577)
    """
    n = counts.effective_n if isinstance(counts, WeightedCounts) else counts.n
    share = float(counts.correct.sum() / counts.n)
    return Conventional(share, math.sqrt(share * (1 - share) / n), counted(round(n), "case"))


def over_folds(folds: Sequence[ConfusionCounts]) -> Conventional:
    r"""Return the mean of k fold accuracies :math:`\pm 2 s / \sqrt k`, with s their standard deviation."""
    each = np.array([float(fold.correct.sum() / fold.n) for fold in folds if fold.n])
    spread = float(each.std(ddof=1)) if each.size > 1 else math.nan
    return Conventional(float(each.mean()), spread / math.sqrt(each.size), counted(each.size, "fold"))
