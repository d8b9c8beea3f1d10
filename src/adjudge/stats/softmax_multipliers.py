r"""Least squares for the softmax rescaling :math:`P_i = \exp(\kappa_i p_i) / \sum_j \exp(\kappa_j p_j)`, from several starts.

Duch and Itert (2003), eq. 2 and 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray, blocks
from adjudge._base.records import dataclass
from adjudge.stats.multiplier_rule import missed, places, residuals, scaled, softmax, squared_loss, weighed
from adjudge.stats.multiplier_search import fewest_errors

_PATIENCE = 3  # exchanges of many at once that may fail to help before exchanging one at a time
_ROUNDING = 1e-13
_CANCELLED = 1e-3  # a difference that keeps 13 digits of its terms, less what is lost in sums
LARGEST = 1e4  # where the search for multipliers ends: the loss of some data falls for ever
ROUNDS = 10  # rounds of rescaling and softmax at most
_SETTLED = 1e-4  # a round that lowers the loss by a smaller share is the last
_STARTS = 8
_OUTRIGHT = LARGEST / 10  # multipliers by which decisions are as good as certain
_SEARCHED = 4_000  # cases on which all starts are tried; the best goes on with all cases
_NEWTON = 12
_FLAT = 1e-13  # slope, as a share of the cases, that only rounding leaves
_CLIMB = 1e-12  # rise of the loss that is rounding
_ROUGH, _FINE = 1e-8, 1e-15  # share of the loss that a step must gain for the descent to go on


class NormalEquations(NamedTuple):
    r"""The squared loss as a function of :math:`\kappa`, but for a constant: :math:`\kappa P \kappa - 2 Q \kappa`."""

    matrix: FloatArray
    right: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What one pass over the cases leaves: enough for the fit and for the loss of any linear rescaling."""

    gram: FloatArray  # of products of probabilities
    own: FloatArray  # of the probability of each class, over its own cases
    sides: FloatArray  # of every probability, over the cases of other classes than the majority and over those of the majority
    weights: FloatArray  # of either side
    errors: float  # weight of the cases whose largest probability is another class's; ties are the majority's
    majority: int

    def equations(self) -> NormalEquations:
        r"""Return the system of the classes other than the majority, in class order.

        :math:`P_{ij} = \sum_X (1 + \delta_{ij}) p_i p_j, \qquad Q_i = \sum_X p_i (1 + P_i - P_K)`. Duch and Itert (2003), eq.
        6-7, where :math:`P_i` is 1 for the class of the case and 0 for others.
        """
        others = np.delete(np.arange(self.own.size), self.majority)
        matrix = self.gram[np.ix_(others, others)]
        matrix[np.diag_indices(others.size)] *= 2
        return NormalEquations(matrix, (self.sides[0] + self.own)[others])

    def loss(self, multipliers: FloatArray) -> float | None:
        """Return the squared loss, tr(A G A') - 2 (what the own classes get) + (weight); None where the sums cancel."""
        at, change = self.majority, np.diag(multipliers)
        change[at] = 1 - multipliers
        change[at, at] = 1.0
        others = np.arange(multipliers.size) != at
        squares = float(np.sum((change @ self.gram) * change))
        right = float(multipliers[others] @ self.own[others] + change[at] @ self.sides[1])
        total = float(self.weights.sum())
        squared = squares - 2 * right + total
        return squared if squared > _CANCELLED * (squares + total) else None


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


def least_squares(equations: NormalEquations, bounds: tuple[float, float] | None = None) -> FloatArray:
    """Return the multipliers of least squared loss, within `bounds`; of a class that is 0 throughout the smallest."""
    diagonal = np.diag(equations.matrix)
    used = diagonal > 0
    size = np.sqrt(diagonal[used])
    matrix = equations.matrix[np.ix_(used, used)] / np.outer(size, size)
    right = equations.right[used] / size
    low, high = bounds or (-np.inf, np.inf)
    multipliers = np.full(used.size, min(max(0.0, low), high))
    with np.errstate(over="ignore"):  # a limit beyond all floats is none
        least, most = low * size, high * size
    solution, side = _in_box(matrix, right, least, most)
    multipliers[used] = np.where(side < 0, low, np.where(side > 0, high, solution / size))
    return multipliers


def _in_box(matrix: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the minimum of x.A.x / 2 - b.x for low <= x <= high, and on which side each variable stopped."""
    # Every variable is free, or at a limit that holds it back; those for which that proves wrong are exchanged, many at once
    # while this helps, then one at a time, which must end. Clipping the free minimum is not the same.
    # Judice and Pires (1994), Comput. Oper. Res. 21:587-596.
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


Limits: TypeAlias = tuple[float, float]


class _Problem:
    """The squared loss with its slope and curvature in the multipliers of the classes `moving`."""

    def __init__(self, p: FloatArray, y: IntArray, weight: FloatArray | None, moving: IntArray, limits: Limits) -> None:
        self.p, self.y, self.weight, self.moving, self.limits = p, y, weight, moving, limits
        self.size = float(len(p) if weight is None else weight.sum())

    def full(self, multipliers: FloatArray) -> FloatArray:
        """Return one multiplier per class; those that do not move are 1."""
        whole = np.ones(self.p.shape[1])
        whole[self.moving] = multipliers
        return whole

    def loss(self, multipliers: FloatArray) -> tuple[float, FloatArray]:
        r"""Return the loss and its slope :math:`2 \sum_X p_i P_i (r_i - \sum_c P_c r_c)` with :math:`r = P - [y]`."""
        whole, loss, slope = self.full(multipliers), 0.0, np.zeros(self.p.shape[1])
        for rows in blocks(*self.p.shape):
            p, w = np.asfortranarray(self.p[rows]), None if self.weight is None else self.weight[rows]
            model, off, mean = _residuals(p, self.y[rows], whole)
            loss += weighed((off * off).sum(axis=1), w)
            off -= mean
            off *= model
            off *= p
            slope += off.sum(axis=0) if w is None else w @ off
        return loss, 2 * slope[self.moving]

    def curvature(self, multipliers: FloatArray) -> FloatArray:
        r"""Return the second derivatives, with :math:`u_i = p_i P_i`, :math:`a = P + r` and :math:`m = P \cdot r`.

        .. math:: 2 \sum_X \delta_{ij} p_i u_i (a_i - m) - u_i u_j (a_i + a_j - m - P \cdot a) .
        """
        k = self.p.shape[1]
        whole, diagonal, outer = self.full(multipliers), np.zeros(k), np.zeros((k, k))
        for rows in blocks(*self.p.shape):
            p = np.asfortranarray(self.p[rows])
            model, off, mean = _residuals(p, self.y[rows], whole)
            u, a = p * model, model + off
            wu = u if self.weight is None else u * self.weight[rows, None]
            diagonal += (wu * p * (a - mean)).sum(axis=0)
            shared = mean + (model * a).sum(axis=1, keepdims=True)
            outer += wu.T @ (u * (a - shared)) + (wu * a).T @ u
        return np.asarray(2 * (np.diag(diagonal) - outer)[np.ix_(self.moving, self.moving)])


def fit_softmax(
    p: FloatArray,
    y: IntArray,
    *,
    majority: int,
    last_free: bool = False,
    limits: Limits = (0.0, np.inf),
    weight: FloatArray | None = None,
    rng: np.random.Generator,
) -> FloatArray:
    """Return one multiplier per class of least squared loss, within `limits`; the majority's is 1 unless `last_free`."""
    moving = np.arange(p.shape[1]) if last_free else np.delete(np.arange(p.shape[1]), majority)
    whole = _Problem(p, y, weight, moving, (limits[0], min(limits[1], LARGEST)))
    part = whole
    if len(p) > _SEARCHED:
        some = np.sort(rng.choice(len(p), _SEARCHED, replace=False))
        part = _Problem(p[some], y[some], None if weight is None else weight[some], moving, whole.limits)
    ends = [_descended(part, start, _ROUGH) for start in _starts(part, majority, rng)]
    best = _settled(whole, np.asarray(min(ends, key=lambda end: float(end.fun)).x))
    if part is not whole:
        # The sample may mislead: what changes nothing, kept within the limits, gets a second chance on all cases.
        again = _descended(whole, np.clip(np.ones(moving.size), *whole.limits), _ROUGH)
        if again.fun < whole.loss(best)[0]:
            best = _settled(whole, again.x)
    return whole.full(best)


def fit_rounds(p: FloatArray, y: IntArray, *, weight: FloatArray | None = None, **how: Any) -> FloatArray:
    """Return the multipliers of each round of fitting, rescaling and softmax, until one lowers the loss by less than 0.01%."""
    rounds: list[FloatArray] = []
    left = np.inf
    while len(rounds) < ROUNDS:
        multipliers = fit_softmax(p, y, weight=weight, **how)
        p = np.ascontiguousarray(softmax(scaled(p, multipliers)))
        loss = squared_loss(p, y, weight)
        if rounds and loss > left * (1 - _SETTLED):
            break
        rounds.append(multipliers)
        left = loss
    return np.array(rounds)


def _residuals(p: FloatArray, y: IntArray, whole: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the model's probabilities, how far off they are, and the mean of that under the model."""
    model = softmax(scaled(p, whole))
    off = residuals(model, y)
    return model, off, (model * off).sum(axis=1, keepdims=True)


def _starts(problem: _Problem, majority: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return where to begin: nothing changed, the linear solution, and places drawn over the orders of size that occur."""
    k = problem.p.shape[1]
    linear = np.ones(k)
    sums = case_sums(problem.p, problem.y, majority=majority, weight=problem.weight)
    linear[np.arange(k) != majority] = least_squares(sums.equations(), (0.0, np.inf))
    drawn = np.exp(rng.uniform(np.log(0.1), np.log(50), (_STARTS, k)))
    starts = np.vstack([np.ones(k), linear, drawn])
    if problem.moving.size == k:
        # where every class has its own multiplier, large ones decide outright and the loss is twice the errors; the fewest of
        # those are another minimum, which no descent finds but by chance
        outright = fewest_errors(problem.p, problem.y, majority=majority, weight=problem.weight, rng=rng)
        starts = np.vstack([starts, outright * (_OUTRIGHT / outright.max())])
    starts[:, ~problem.p.any(axis=0)] = 1.0  # no say, so no reason to move
    return list(np.clip(starts[:, problem.moving], *problem.limits))


def _descended(problem: _Problem, start: FloatArray, precision: float) -> Any:
    from scipy.optimize import minimize

    how = {"ftol": precision, "gtol": 1e-9, "maxiter": 500}
    return minimize(problem.loss, start, jac=True, method="L-BFGS-B", bounds=[problem.limits] * start.size, options=how)


def _settled(problem: _Problem, near: FloatArray) -> FloatArray:
    """Return the minimum from a place near it: by Newton's steps, and where they lead nowhere by a descent before them."""
    minimum = _polished(problem, near)
    slope, (low, high) = problem.loss(minimum)[1], problem.limits
    pulled = ~(((minimum <= low) & (slope >= 0)) | ((minimum >= high) & (slope <= 0)))
    if np.abs(slope[pulled]).max(initial=0) <= _FLAT * problem.size:
        return minimum
    return _polished(problem, np.asarray(_descended(problem, minimum, _FINE).x))


def _polished(problem: _Problem, multipliers: FloatArray) -> FloatArray:
    """Return the minimum after Newton steps for multipliers off their bounds, while they flatten the slope and never climb."""
    (loss, slope), (low, high) = problem.loss(multipliers), problem.limits
    for _ in range(_NEWTON):
        curvature = problem.curvature(multipliers)
        held = ((multipliers <= low) & (slope >= 0)) | ((multipliers >= high) & (slope <= 0))
        free = np.flatnonzero(~held & (np.diag(curvature) > 0))
        square = curvature[np.ix_(free, free)]
        if not free.size or np.linalg.eigvalsh(square)[0] <= 0:  # the loss is not bowl-shaped here
            break
        moved = multipliers.copy()
        moved[free] -= np.linalg.solve(square, slope[free])
        if (moved < low).any() or (moved > high).any():
            break
        left, new = problem.loss(moved)
        if np.abs(new[free]).max() >= np.abs(slope[free]).max() or left > loss * (1 + _CLIMB):
            break
        multipliers, loss, slope = moved, left, new
    return multipliers
