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
from adjudge.stats.multiplier_rule import blocks, missed, places, weighed

_PATIENCE = 3  # exchanges of many at once that may fail to help before exchanging one at a time
_ROUNDING = 1e-13
_CANCELLED = 1e-3  # a difference that keeps 13 digits of its terms, less what is lost in sums


@dataclass(frozen=True, slots=True, eq=False)
class NormalEquations:
    r"""The squared loss as a function of :math:`\kappa`, but for a constant: :math:`\kappa P \kappa - 2 Q \kappa`."""

    matrix: FloatArray
    right: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What one pass over the cases leaves: enough for the fit and for the loss of any linear rescaling."""

    gram: FloatArray
    """Of products of probabilities."""
    own: FloatArray
    """Of the probability of each class, over its own cases."""
    sides: FloatArray
    """Of every probability, over the cases of other classes than the majority and over those of the majority."""
    weights: FloatArray
    """Of the weights of either side."""
    errors: float
    """Weight of the cases whose largest probability is another class's; ties are the majority's."""
    majority: int

    def equations(self) -> NormalEquations:
        r"""Return the system of the classes other than the majority, in class order.

        .. math:: P_{ij} = \sum_X (1 + \delta_{ij}) p_i p_j, \qquad Q_i = \sum_X p_i (1 + P_i - P_K) .

        Duch and Itert (2003), eq. 6-7, where :math:`P_i` is 1 for the class of the case and 0 for others.
        """
        others = np.delete(np.arange(self.own.size), self.majority)
        matrix = self.gram[np.ix_(others, others)]
        matrix[np.diag_indices(others.size)] *= 2
        return NormalEquations(matrix, (self.sides[0] + self.own)[others])

    def loss(self, multipliers: FloatArray) -> float | None:
        """Return the squared loss with one multiplier per class, the majority's unused; None where the sums cancel.

        Every case has the values A p with one matrix A, so that the loss is tr(A G A') - 2 (what the classes of the cases
        get) + (weight of all cases). Where the difference is small only summing over the cases keeps its digits.
        """
        at, change = self.majority, np.diag(multipliers)
        change[at] = 1 - multipliers
        change[at, at] = 1.0
        others = np.arange(multipliers.size) != at
        squares = float(np.sum((change @ self.gram) * change))
        right = float(multipliers[others] @ self.own[others] + change[at] @ self.sides[1])
        total = float(self.weights.sum())
        found = squares - 2 * right + total
        return found if found > _CANCELLED * (squares + total) else None


def case_sums(p: FloatArray, y: IntArray, *, majority: int, weight: FloatArray | None = None) -> Sums:
    """Return sums over the cases, block by block."""
    k = p.shape[1]
    gram, own, sides, weights, errors = np.zeros((k, k)), np.zeros(k), np.zeros((2, k)), np.zeros(2), 0.0
    for rows in blocks(*p.shape):
        classes, w = y[rows], None if weight is None else weight[rows]
        columns = np.ascontiguousarray(p[rows].T)
        each = columns.reshape(-1)[places(classes)]
        errors += weighed(missed(columns.T, classes, majority, own=each), w)
        side = np.empty((2, classes.size))
        side[0], side[1] = classes != majority, classes == majority
        if w is not None:
            side *= w
            each *= w
        gram += columns @ (columns if w is None else columns * w).T
        own += np.bincount(classes, weights=each, minlength=k)
        sides += side @ columns.T
        weights += side.sum(axis=1)
    return Sums(gram, own, sides, weights, errors, majority)


def normal_equations(p: FloatArray, y: IntArray, *, majority: int, weight: FloatArray | None = None) -> NormalEquations:
    """Return the system of the classes other than `majority`, in class order; see `Sums.equations`."""
    return case_sums(p, y, majority=majority, weight=weight).equations()


def least_squares(equations: NormalEquations, bounds: tuple[float, float] | None = None) -> FloatArray:
    """Return the multipliers of least squared loss, anywhere or within `bounds`.

    A class whose probability is 0 throughout has no say: its multiplier is the one of least size. The system of the
    others is positive definite, and dividing by the diagonal leaves its condition below the number of classes.
    """
    diagonal = np.diag(equations.matrix)
    used = diagonal > 0
    size = np.sqrt(diagonal[used])
    matrix = equations.matrix[np.ix_(used, used)] / np.outer(size, size)
    right = equations.right[used] / size
    low, high = bounds or (-np.inf, np.inf)
    multipliers = np.full(used.size, min(max(0.0, low), high))
    with np.errstate(over="ignore"):  # a limit beyond all floats is none
        least, most = low * size, high * size
    found, side = _in_box(matrix, right, least, most)
    multipliers[used] = np.where(side < 0, low, np.where(side > 0, high, found / size))
    return multipliers


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
