r"""Least squares for the linear rescaling of class probabilities.

With the majority class last, :math:`P(C_i|X) = \kappa_i p(C_i|X)` for the others and
:math:`P(C_K|X) = 1 - \sum_i \kappa_i p(C_i|X)`. The squared loss is quadratic in :math:`\kappa`, so one pass over
the cases leaves a small system, whose minimum is exact: free, or in a box. Duch and Itert (2003), A posteriori
corrections to classification methods, eq. 1 and 5-7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.stats.kappa_rule import blocks

_PATIENCE = 3  # exchanges of many at once that may fail to help before exchanging one at a time
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class NormalEquations:
    r"""The squared loss as a function of :math:`\kappa`: constant - 2 Q.kappa + kappa.P.kappa."""

    matrix: FloatArray
    right: FloatArray
    constant: float

    def loss(self, kappa: FloatArray) -> float:
        """Return the squared loss; rounded as sums over the cases are, which direct summation avoids."""
        return float(self.constant - 2 * self.right @ kappa + kappa @ self.matrix @ kappa)


def normal_equations(p: FloatArray, y: IntArray, *, majority: int, weight: FloatArray | None = None) -> NormalEquations:
    r"""Return the system of the classes other than `majority`, in class order.

    .. math:: P_{ij} = \sum_X (1 + \delta_{ij}) p_i p_j, \qquad Q_i = \sum_X p_i (1 + P_i - P_K) .

    Duch and Itert (2003), eq. 6-7, where :math:`P_i` is 1 for the class of the case and 0 for others.
    """
    k = p.shape[1]
    gram, right, rest = np.zeros((k, k)), np.zeros(k), 0.0
    for rows in blocks(*p.shape):
        block, own = p[rows], y[rows]
        weighed = block if weight is None else block * weight[rows, None]
        elsewhere = (own != majority).astype(np.float64)
        gram += weighed.T @ block
        right += elsewhere @ weighed
        right += np.bincount(own, weights=weighed[np.arange(own.size), own], minlength=k)
        rest += float(elsewhere.sum() if weight is None else elsewhere @ weight[rows])
    others = np.delete(np.arange(k), majority)
    matrix = gram[np.ix_(others, others)]
    matrix[np.diag_indices(k - 1)] *= 2
    return NormalEquations(matrix, right[others], 2 * rest)


def least_squares(equations: NormalEquations, bounds: tuple[float, float] | None = None) -> FloatArray:
    """Return the kappa of least squared loss, anywhere or within `bounds`.

    A class whose probability is 0 throughout has no say: its kappa is the one of least size. The system of the
    others is positive definite, and dividing by the diagonal leaves its condition below the number of classes.
    """
    diagonal = np.diag(equations.matrix)
    used = diagonal > 0
    size = np.sqrt(diagonal[used])
    matrix = equations.matrix[np.ix_(used, used)] / np.outer(size, size)
    right = equations.right[used] / size
    low, high = bounds or (-np.inf, np.inf)
    kappa = np.full(used.size, min(max(0.0, low), high))
    found, side = _in_box(matrix, right, low * size, high * size)
    kappa[used] = np.where(side < 0, low, np.where(side > 0, high, found / size))
    return kappa


def _in_box(matrix: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the minimum of x.A.x / 2 - b.x for low <= x <= high, and on which side each variable stopped.

    Every variable is free, or at a limit that holds it back; those for which that proves wrong are exchanged, many
    at once while this helps, then one at a time, which must end. Clipping the free minimum is not the same.
    Judice and Pires (1994), Comput. Oper. Res. 21:587-596.
    """
    side = np.zeros(right.size, dtype=np.int64)
    slack = _ROUNDING * np.abs(right).max(initial=0)
    fewest, patience = right.size + 1, _PATIENCE
    x = _held(matrix, right, low, high, side)
    for _ in range(20 * right.size + 20):
        slope = matrix @ x - right
        beyond = np.where(x < low - slack, -1, np.where(x > high + slack, 1, 0))
        wanted = np.where(side == 0, beyond, np.where(side * slope > slack, 0, side))
        wrong = np.flatnonzero(wanted != side)
        if not wrong.size:
            break
        patience = _PATIENCE if wrong.size < fewest else patience - 1
        fewest = min(fewest, wrong.size)
        swapped = wrong if patience >= 0 else wrong[-1:]
        side[swapped] = wanted[swapped]
        x = _held(matrix, right, low, high, side)
    return np.clip(x, low, high), side


def _held(matrix: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray, side: IntArray) -> FloatArray:
    """Return the minimum over the free variables with the others at their limits."""
    free = side == 0
    x = np.where(side < 0, low, np.where(side > 0, high, 0.0))
    x[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free] - matrix[np.ix_(free, ~free)] @ x[~free])
    return x
