"""Whether groups are right equally often, given how many cases of each class they have. Arrays in, numbers out."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray

_NEGLIGIBLE = 1e-9
"""Directions in which the sums vary less than this, against the most, do not vary."""


def right_alike(correct: FloatArray, cases: FloatArray) -> tuple[float, int, float]:
    r"""Return chi-square, degrees of freedom and p value of groups being right equally often within each stratum.

    `correct` and `cases` are strata x groups. With M of the N cases of a stratum right and :math:`n_g` in group g,

    .. math:: U_g = \sum (r_g - n_g M / N), \qquad
              V_{gh} = \sum \frac{M (N - M)}{N^2 (N - 1)} (N n_g [g = h] - n_g n_h),

    summed over strata, :math:`U' V^- U` has the chi-square law where no group is better: the generalised test of Cochran,
    Mantel and Haenszel. Landis, Heyman and Koch (1978), Int. Stat. Rev. 46:237-254. Groups that share no stratum cannot be
    compared: they take no degree of freedom, and without any the p value is NaN.

    >>> chi2, df, p = right_alike(np.array([[8.0, 2.0]]), np.array([[10.0, 10.0]]))
    >>> round(chi2, 2), df, round(p, 4)
    (6.84, 1, 0.0089)
    """
    from scipy.special import chdtrc

    cases, correct = np.asarray(cases, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    size, right = cases.sum(axis=1), correct.sum(axis=1)
    kept = size > 1
    cases, correct, size, right = cases[kept], correct[kept], size[kept], right[kept]
    surplus = (correct - cases * (right / size)[:, None]).sum(axis=0)
    each = right * (size - right) / (size**2 * (size - 1))
    spread = np.diag((each * size) @ cases) - cases.T @ (each[:, None] * cases)
    values, vectors = np.linalg.eigh(spread)
    free = values > _NEGLIGIBLE * max(float(values[-1]), 1e-300)
    if not free.any():
        return 0.0, 0, float("nan")
    chi2 = float(((vectors[:, free].T @ surplus) ** 2 / values[free]).sum())
    df = int(free.sum())
    return chi2, df, float(chdtrc(df, chi2))
