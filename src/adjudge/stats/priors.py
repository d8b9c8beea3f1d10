r"""Class priors: posteriors for new ones, and the ones that unlabelled cases speak for.

.. math:: q_{ni} \propto p_{ni} \frac{\pi_i}{t_i}, \qquad \ell(\pi) = \sum_n w_n \log \sum_i p_{ni} \frac{\pi_i}{t_i}

are the posteriors under priors :math:`\pi` of a classifier learnt under t and, up to a constant, the log-likelihood of the
priors, which is concave. Saerens, Latinne and Decaestecker (2002), Neural Comput. 14:21-41.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge._base.arrays import FloatArray

PLAIN = 100  # steps of plain expectation maximisation before a faster way is taken
_CELLS_AT_ONCE = 1 << 18  # two megabytes of posteriors: one pass over the data serves all sums of a step
_EXTREME = 1e280  # totals beyond are worked out again in logarithms
_EXACT = 1e-13  # a gap that rounding alone can leave
_TRACE = 1e-8
_HALVINGS = 40
_RIDGE = 1e-8  # of a curvature with diagonal 1


def reweighted(p: FloatArray, old: FloatArray, new: FloatArray) -> FloatArray:
    """Return posteriors `p` of a model learnt under priors `old`, for priors `new`; a posterior of 1e-18 keeps its digits."""
    with np.errstate(all="ignore"):
        moved = np.asarray(p * np.divide(new, old, out=np.zeros_like(old), where=old > 0))
        total = moved.sum(axis=1, keepdims=True)
        moved /= total
        odd = ~((total[:, 0] > 1 / _EXTREME) & (total[:, 0] < _EXTREME))
        if odd.any():
            height = np.where((p[odd] > 0) & (old > 0), np.log(p[odd]) + np.log(new) - np.log(old), -np.inf)
            powers = np.exp(height - height.max(axis=1, keepdims=True))
            moved[odd] = powers / powers.sum(axis=1, keepdims=True)
    return moved


class Likelihood(Protocol):
    """The log-likelihood of the shares of the classes, wherever the cases are."""

    @property
    def size(self) -> float:
        """The sum of the weights."""

    @property
    def k(self) -> int:
        """How many classes there are."""

    @property
    def cells(self) -> int:
        """How many posteriors there are."""

    def at(self, shares: FloatArray) -> Point:
        """Return the log-likelihood of `shares` and its slope."""

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return minus the second derivative of the mean log-likelihood."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Cases of an unknown mixture of classes: `columns` times `scale` are the densities, up to a factor for each case."""

    columns: FloatArray
    scale: FloatArray
    weight: FloatArray

    @property
    def size(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @property
    def k(self) -> int:
        """How many classes there are."""
        return int(self.columns.shape[1])

    @property
    def cells(self) -> int:
        """How many posteriors there are."""
        return int(self.columns.size)

    def blocks(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield some cases at a time with their weights."""
        rows = max(1, _CELLS_AT_ONCE // self.k)
        for start in range(0, len(self.columns), rows):
            yield self.columns[start : start + rows], self.weight[start : start + rows]

    def at(self, shares: FloatArray) -> Point:
        r"""Return the log-likelihood of `shares` and its slope :math:`g_i = \partial \ell / \partial \pi_i / \sum w`."""
        scaled, log, sums = self.scale * shares, 0.0, np.zeros(self.k)
        with np.errstate(divide="ignore", invalid="ignore"):  # a share of 0 may make a case impossible: -inf
            for block, weight in self.blocks():
                density = np.einsum("ij,j->i", block, scaled)  # not BLAS: its threads wait for each other on a busy machine
                log += float((weight * np.log(density)).sum())
                sums += np.einsum("i,ij->j", weight / density, block)
        return Point(shares, log, self.scale * sums / self.size)

    def curvature(self, shares: FloatArray) -> FloatArray:
        r"""Return minus the second derivative of the mean log-likelihood; its product with `shares` is the slope."""
        scaled, sums = self.scale * shares, np.zeros((self.k, self.k))
        for block, weight in self.blocks():
            root = block * (np.sqrt(weight) / np.einsum("ij,j->i", block, scaled))[:, None]
            sums += root.T @ root
        return np.asarray(sums * np.outer(self.scale, self.scale) / self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Shares of the classes, their log-likelihood and its slope."""

    shares: FloatArray
    log: float
    slope: FloatArray

    @property
    def gap(self) -> float:
        r"""How much higher, at most, the mean log-likelihood can still get: by concavity :math:`\max_i g_i - 1`."""
        return float(self.slope.max()) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """The way to the most likely shares: where it ended, and the log-likelihood after each step."""

    point: Point
    history: tuple[float, ...]
    converged: bool


def climb(mixture: Likelihood, start: FloatArray, *, tol: float, max_iter: int, plain: int = PLAIN) -> Climb:
    r"""Return the most likely shares of the classes, to a :attr:`Point.gap` of `tol`.

    The first steps are expectation maximisation as Saerens et al. (2002) have it, :math:`\pi_i \leftarrow \pi_i g_i`; once `tol`
    is reached or `plain` steps are done, Newton steps within the simplex finish. No step lowers the likelihood.
    """
    point = mixture.at(start)
    history = [point.log]
    while len(history) <= min(max_iter, plain) and point.gap > tol:
        point = mixture.at(_step(point))
        history.append(point.log)
    while len(history) <= max_iter and point.gap > _EXACT:
        better = _newton(mixture, point, halvings=0 if point.gap <= tol else _HALVINGS)
        if better is None and point.gap > tol:  # one plain step, if it still rises
            plainly = mixture.at(_step(point))
            better = plainly if plainly.log > point.log else None
        if better is None:
            break
        point = better
        history.append(point.log)
    converged = bool(point.gap <= max(tol, 10 * _EXACT))
    # plain steps near 0 and never reach it: nothing where they left a trace, if that is as high
    traces = (point.shares > 0) & (point.shares < _TRACE) & (point.slope < 1)
    if converged and traces.any():
        kept = np.where(traces, 0.0, point.shares)
        bare = mixture.at(kept / kept.sum())
        if bare.log >= point.log - _rounding(point, mixture) and bare.gap <= max(point.gap, 10 * _EXACT):
            point = bare
    return Climb(point, tuple(history), converged)


def _step(point: Point) -> FloatArray:
    """Return the shares after a plain step. They sum to one but for rounding, which n cases would see n times: divided out."""
    shares = point.shares * point.slope
    return np.asarray(shares / shares.sum())


def _newton(mixture: Likelihood, point: Point, *, halvings: int) -> Point | None:
    """Return the best point on the way to the top of the second-order expansion, if one is better."""
    aim = _top(mixture.curvature(point.shares), point)
    if aim is None:
        return None
    rounding = _rounding(point, mixture)
    for halving in range(halvings + 1):
        mixed = point.shares + (aim - point.shares) / 2**halving
        found = mixture.at(mixed / mixed.sum())
        # it rose, or stayed to within rounding while the gap to its top closed
        if found.log > point.log + rounding or (found.log >= point.log - rounding and 2 * found.gap < point.gap):
            return found
    return None


def _rounding(point: Point, mixture: Likelihood) -> float:
    """Return by how much two sums of the same log-likelihood may differ."""
    return float(4 * np.finfo(np.float64).eps * (mixture.size + abs(point.log)))


def _top(curvature: FloatArray, point: Point) -> FloatArray | None:
    """Return where the expansion of the likelihood has its top among shares x >= 0."""
    # The constraint that shares sum to one is traded for a cost: the top of l / sum w - sum x over x >= 0 sums to one by itself.
    # With curvature H, and since H pi = g, its expansion is (2 g - 1)' x - x' H x / 2: least squares without negative shares.
    # Kim, Carbonetto, Stephens and Anitescu (2020), J. Comput. Graph. Stat. 29:261-273. A ridge around the point keeps
    # indistinguishable classes where they are.
    from scipy.optimize import nnls

    unit = np.sqrt(np.maximum(np.diag(curvature), 1.0))  # at the top, classes with a share have at least 1
    scaled = curvature / np.outer(unit, unit) + _RIDGE * np.eye(unit.size)
    target = (2 * point.slope - 1) / unit + _RIDGE * point.shares * unit
    try:
        root = np.linalg.cholesky(scaled)
        found = nnls(root.T, np.linalg.solve(root, target))[0]
        # the same classes once more, as a step from where we are: rounding is then that of the step
        kept, start, rise = found > 0, point.shares * unit, (point.slope - 1) / unit
        step = -start
        step[kept] = np.linalg.solve(scaled[np.ix_(kept, kept)], rise[kept] + scaled[np.ix_(kept, ~kept)] @ start[~kept])
        found = (start + step if (start + step)[kept].min(initial=0.0) >= 0 else found) / unit
    except (ValueError, RuntimeError):  # no step of this kind: plain ones go on
        return None
    return found / found.sum() if found.sum() > 0 else None
