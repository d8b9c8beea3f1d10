"""Repeated answers to the same cases: how much of their spread lies between cases, how much between answers, how they agree."""

from __future__ import annotations

import math

from adjudge._base.arrays import FloatArray
from adjudge._base.records import dataclass
from adjudge._base.show import Shown


@dataclass(frozen=True, slots=True)
class Components(Shown):
    """The variance of single answers, between cases and between the answers to a case; NaN where it cannot be known."""

    between: float
    within: float
    clamped: bool  # whether the estimate between cases was negative and is given as 0

    @property
    def share(self) -> float:
        """The share of the variance that lies between cases: the correlation of two answers to a case."""
        whole = self.between + self.within
        return self.between / whole if whole > 0 else math.nan


def components(correct: FloatArray, answers: FloatArray) -> Components:
    r"""Return the components of variance of a one-way layout with random cases, from the correct ones of so many answers each.

    With mean squares between and within :math:`k` cases of :math:`n_i` answers, :math:`N` in all,

    .. math:: \hat\sigma^2_w = MS_w, \quad \hat\sigma^2_b = (MS_b - MS_w) / n_0, \quad
        n_0 = \frac{1}{k - 1}\Bigl(N - \frac{\sum n_i^2}{N}\Bigr).

    Searle, Casella and McCulloch (1992), Variance Components, section 3.6.

    >>> import numpy as np
    >>> components(np.array([2.0, 0.0]), np.array([2.0, 2.0]))
    Components
    <BLANKLINE>
    <BLANKLINE>
    between  0.5
    within     0
    clamped   no
    """
    cases, whole = answers.size, float(answers.sum())
    if cases <= 1 or whole <= cases:
        return Components(math.nan, math.nan, clamped=False)
    share, mean = correct / answers, float(correct.sum()) / whole
    within = float((correct * (1 - share)).sum()) / (whole - cases)
    among = float((answers * (share - mean) ** 2).sum()) / (cases - 1)
    each = (whole - float((answers**2).sum()) / whole) / (cases - 1)
    between = (among - within) / each
    return Components(max(between, 0.0), within, clamped=between < 0)


def fleiss_kappa(agreeing: FloatArray, answers: FloatArray, shares: FloatArray) -> float:
    r"""Return how far answers agree beyond chance: :math:`(\bar P - P_e) / (1 - P_e)`; NaN where all are of one class.

    `agreeing` are the ordered pairs of a case's answers that agree, over the cases with two answers or more; `shares` those of
    the classes among all answers, so that :math:`P_e = \sum p_j^2`. Fleiss (1971), Psychol. Bull. 76:378-382.

    >>> import numpy as np
    >>> round(fleiss_kappa(np.array([6.0, 2.0]), np.array([3.0, 3.0]), np.array([2 / 3, 1 / 3])), 6)
    0.25
    """
    several = answers > 1
    expected = float((shares**2).sum())
    if not several.any() or expected >= 1:
        return math.nan
    observed = float((agreeing[several] / (answers[several] * (answers[several] - 1))).mean())
    return (observed - expected) / (1 - expected)
