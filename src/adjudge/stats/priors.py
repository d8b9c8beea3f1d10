r"""Class priors: posteriors for new ones, the ones that unlabelled cases speak for, and how sure those are.

:math:`q_{ni} \propto p_{ni} \frac{\pi_i}{t_i}, \qquad \ell(\pi) = \sum_n w_n \log \sum_i p_{ni} \frac{\pi_i}{t_i}` are the
posteriors under priors :math:`\pi` of a classifier learnt under t and, up to a constant, the log-likelihood of the priors, which
is concave. Saerens, Latinne and Decaestecker (2002), Neural Comput. 14:21-41. Limits of a prior are the values that cost no more
log-likelihood than half a quantile of chi-square, whatever the others are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Protocol

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.stats import special
from adjudge.stats.binomial import normal_quantile

PLAIN = 100  # steps of plain expectation maximisation before a faster way is taken
_CELLS_AT_ONCE = 1 << 18  # two megabytes of posteriors: one pass over the data serves all sums of a step
_EXTREME = 1e280  # totals beyond are worked out again in logarithms
_EXACT = 1e-13  # a gap that rounding alone can leave
_TRACE = 1e-8
_HALVINGS = 40
_RIDGE = 1e-8  # of a curvature with diagonal 1
MOST_WORK = 2e7  # cases times the cube of the classes up to which limits are found by climbing the likelihood itself
_MOST_CELLS = 1e8  # posteriors times classes near 0 or 1: ten passes over the data for each such class
_NEAR = 3  # this many half widths off 0 and 1 is far from them
_MOST_TABLES = 200_000  # ways the cases could have fallen, listed one by one
_ROUNDING = 1e-9  # relative: statistics of equal tables, added up differently
_SINGULAR = 1e-10  # eigenvalues of a curvature with diagonal 1 below this say nothing
_STEPS = 60
_FINE = 1e-9
_FAINT = 1e-290  # where the likelihood of a case would overflow when divided by
_CLOSE = 1e-8  # of the quantile of chi-square


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

    size: float  # the sum of the weights
    k: int  # how many classes there are
    cells: int  # how many posteriors there are

    def at(self, shares: FloatArray) -> Point:
        """Return the log-likelihood of `shares` and its slope."""

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return minus the second derivative of the mean log-likelihood."""


class Mixture:
    """Cases of an unknown mixture of classes: `columns` times `scale` are the densities, up to a factor for each case."""

    def __init__(self, columns: FloatArray, scale: FloatArray, weight: FloatArray) -> None:
        self.columns, self.scale, self.weight = columns, scale, weight
        self.size, self.k, self.cells = float(weight.sum()), columns.shape[1], columns.size

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
        candidate = mixture.at(mixed / mixed.sum())
        # it rose, or stayed to within rounding while the gap to its top closed
        if candidate.log > point.log + rounding or (candidate.log >= point.log - rounding and 2 * candidate.gap < point.gap):
            return candidate
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
        top = nnls(root.T, np.linalg.solve(root, target))[0]
        # the same classes once more, as a step from where we are: rounding is then that of the step
        kept, start, rise = top > 0, point.shares * unit, (point.slope - 1) / unit
        step = -start
        step[kept] = np.linalg.solve(scaled[np.ix_(kept, kept)], rise[kept] + scaled[np.ix_(kept, ~kept)] @ start[~kept])
        top = (start + step if (start + step)[kept].min(initial=0.0) >= 0 else top) / unit
    except (ValueError, RuntimeError):  # no step of this kind: plain ones go on
        return None
    return top / top.sum() if top.sum() > 0 else None


def likelihood_ratio(gain: float, df: int) -> tuple[float, float]:
    """Return twice the `gain` in log-likelihood, and how often chance alone gains so much (chi-square, `df` degrees).

    Wilks (1938), Ann. Math. Stat. 9:60-62.
    """
    statistic = max(2 * gain, 0.0)
    return statistic, float(special.chdtrc(df, statistic)) if df else 1.0


def chi_square(counts: IntArray, shares: FloatArray) -> tuple[float, int, float, str]:
    r"""Return Pearson's :math:`\sum_i (c_i - n \pi_i)^2 / (n \pi_i)`, its degrees of freedom, its p value and the method.

    The p value is exact where the tables of so many cases can be listed. Pearson (1900), Philos. Mag. 50:157-175.
    """
    possible = shares > 0
    n, seen, expected = int(counts.sum()), counts[possible], counts.sum() * shares[possible]
    df = expected.size - 1
    if counts[~possible].any():
        return math.inf, df, 0.0, "a case of a class that cannot be"
    if not n:
        return 0.0, 0, 1.0, "no cases"
    statistic = float(((seen - expected) ** 2 / expected).sum())
    if math.comb(n + df, df) > _MOST_TABLES:
        return statistic, df, float(special.chdtrc(df, statistic)), "Pearson's chi-square"
    # every way in which n cases can fall into the classes: bars between the cases, in n + df places
    bars = np.array(list(combinations(range(n + df), df)), dtype=np.int64).reshape(math.comb(n + df, df), df)
    tables = np.diff(bars, axis=1, prepend=-1, append=n + df) - 1
    tables = tables[((tables - expected) ** 2 / expected).sum(axis=1) >= statistic * (1 - _ROUNDING)]
    logs = special.gammaln(tables[:1].sum() + 1) - special.gammaln(tables + 1).sum(axis=1) + tables @ np.log(shares[possible])
    return statistic, df, min(float(np.exp(logs).sum()), 1.0), "Pearson's statistic, exact"


def profile_limits(mixture: Mixture, top: Climb, *, level: float, worth: float) -> FloatArray:
    r"""Return for every class the priors c with :math:`2 (\hat\ell - \max_{\pi_i = c} \ell(\pi)) \le \chi^2_1`.

    Venzon and Moolgavkar (1988), Appl. Stat. 37:87-94.
    """
    whole = Mixture(mixture.columns * mixture.scale, np.ones(mixture.k), mixture.weight)
    guesses = _closed_limits(mixture.curvature(top.point.shares), top.point, level, worth)
    allowed = normal_quantile(level) ** 2 * mixture.size / worth
    return np.array([_limits(_Profile(whole, top.point, i), guesses[i], allowed) for i in range(mixture.k)])


def expansion_limits(mixture: Likelihood, top: Climb, *, level: float, worth: float) -> FloatArray:
    r"""Return limits of all priors by the slope and curvature of the likelihood at its top: for many cases.

    :math:`\operatorname{logit} \pi_i \pm z \sqrt{V_{ii}} / (\pi_i (1 - \pi_i))` with :math:`V = (H^{-1} - \pi \pi^T) / n`; near 0
    and 1 the likelihood itself is followed, with the other priors moving as the expansion has them.
    """
    curvature, point = mixture.curvature(top.point.shares), top.point
    limits = _closed_limits(curvature, point, level, worth)
    sd = np.sqrt(_variance(curvature, point) / worth)
    near = np.flatnonzero(np.minimum(point.shares, 1 - point.shares) < _NEAR * normal_quantile(level) * sd)
    if near.size * mixture.cells <= _MOST_CELLS:
        allowed = normal_quantile(level) ** 2 * mixture.size / worth
        for i in near:
            limits[i] = _limits(_Ridge(mixture, point, curvature, int(i)), limits[i], allowed)
    limits[point.shares >= 1, 0] = 1 - limits[point.shares < 1, 1].max()
    return limits


def _closed_limits(curvature: FloatArray, point: Point, level: float, worth: float) -> FloatArray:
    """Return limits on the logit scale; a prior not surely above 0 has limits on its own scale, 0 the lower."""
    z, shares = normal_quantile(level), point.shares
    variance = _variance(curvature, point) / worth
    limits = np.zeros((shares.size, 2))
    for i, (share, sd) in enumerate(zip(shares.tolist(), np.sqrt(variance).tolist(), strict=True)):
        if z * sd < min(share, 1 - share):
            half = z * sd / (share * (1 - share))
            limits[i] = [float(special.expit(float(special.logit(share)) + side * half)) for side in (-1, 1)]
        else:  # up by the c with 2 s c + c^2 / v = z^2, at most 1
            cost, spread = worth * max(1 - float(point.slope[i]), 0.0) if share == 0 else 0.0, float(variance[i])
            bottom = cost + math.sqrt(cost**2 + (z * z / spread if spread > 0 else math.inf))
            raised = min(z * z / bottom, 1.0) if bottom > 0 else 1.0
            limits[i] = max(share - z * sd, 0.0), min(share + raised, 1.0)
    limits[shares >= 1] = (1 - limits[shares < 1, 1].max(), 1.0)
    return limits


def confounded(curvature: FloatArray) -> BoolArray:
    """Mark the classes whose priors can change for each other, sum kept, with no change of the likelihood."""
    return _inverse(curvature + 1)[1]


def _variance(curvature: FloatArray, point: Point) -> FloatArray:
    """Return n times the variance of each prior; infinite where the likelihood says nothing of it."""
    # The diagonal of H^-1 - pi pi' over the priors above 0. Raising another from 0 has the same formula with one class more,
    # whose inverse comes by its Schur complement S: 1 / (S_i + (1 - g_i)^2).
    free = point.shares > 0
    inverse, open_ = _inverse(curvature[np.ix_(free, free)])
    variance = np.empty(point.shares.size)
    variance[free] = np.where(open_, math.inf, np.maximum(np.diag(inverse) - point.shares[free] ** 2, 0.0))
    across = curvature[np.ix_(free, ~free)]
    rest = np.diag(curvature)[~free] - np.einsum("fi,fg,gi->i", across, inverse, across, optimize=True)
    bottom = np.maximum(rest, 0.0) + (1 - point.slope[~free]) ** 2
    variance[~free] = np.divide(1, bottom, out=np.full(bottom.size, math.inf), where=bottom > _SINGULAR)
    return variance


def _inverse(curvature: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the inverse of what a curvature says, and the classes it does not say everything of."""
    unit = np.sqrt(np.maximum(np.diag(curvature), 1.0))
    values, vectors = np.linalg.eigh(curvature / np.outer(unit, unit))
    known = values > _SINGULAR * unit.size
    inverse = (vectors[:, known] / values[known]) @ vectors[:, known].T / np.outer(unit, unit)
    return inverse, np.asarray((vectors[:, ~known] ** 2).sum(axis=1) > _SINGULAR)


class _Profile:
    """The highest likelihood with the prior of one class held; remembers the other priors for the next question."""

    def __init__(self, whole: Mixture, top: Point, i: int) -> None:
        self.held, self.rest = whole.columns[:, i], np.delete(whole.columns, i, axis=1)
        self.weight, self.top = whole.weight, top.log
        self.estimate = float(top.shares[i])
        self.others = np.delete(top.shares, i)

    def loss(self, share: float) -> tuple[float, float]:
        """Return twice the log-likelihood lost at `share` c, and its slope: a mixture of columns c a_i + (1 - c) a_j."""
        mixture = Mixture(share * self.held[:, None] + (1 - share) * self.rest, np.ones(self.rest.shape[1]), self.weight)
        if not (mixture.columns.max(axis=1) > _FAINT).all():
            return math.inf, math.inf
        even = np.full(mixture.k, 1 / mixture.k)
        start = self.others / self.others.sum() if self.others.sum() > 0 else even
        if not math.isfinite(mixture.at(start).log):  # some case would be impossible without a little of every class
            start = 0.9 * start + 0.1 * even
        point = climb(mixture, start, tol=_FINE * 1e-2 / mixture.size, max_iter=_STEPS, plain=0).point
        self.others = point.shares if 0 < share < 1 else self.others
        mixed = np.einsum("ij,j->i", self.rest, point.shares)
        slope = (self.weight * (self.held - mixed) / (share * self.held + (1 - share) * mixed)).sum()
        return 2 * (self.top - point.log), -2 * float(slope)


class _Ridge:
    """The likelihood with the prior of one class held and the others moved along the ridge of the expansion at the top."""

    def __init__(self, mixture: Likelihood, top: Point, curvature: FloatArray, i: int) -> None:
        self.mixture, self.top, self.i = mixture, top, i
        self.estimate = float(top.shares[i])
        free = (top.shares > 0) | (np.arange(mixture.k) == i)
        inverse, _ = _inverse(curvature[np.ix_(free, free)])
        sums = inverse.sum(axis=1)
        at = int(np.count_nonzero(free[:i]))
        column = inverse[at] - sums * (sums[at] / sums.sum())
        self.along = np.zeros(mixture.k)
        if column[at] > 0:
            self.along[free] = column / column[at]

    def loss(self, share: float) -> tuple[float, float]:
        """Return twice the log-likelihood lost at `share`, and the slope of that along the ridge."""
        moved = np.maximum(self.top.shares + (share - self.estimate) * self.along, 0.0)
        moved[self.i] = 0.0
        total = moved.sum()
        moved *= (1 - share) / total if total > 0 else 0.0
        moved[self.i] = share
        point = self.mixture.at(moved)
        if not math.isfinite(point.log):
            return math.inf, math.inf
        return 2 * (self.top.log - point.log), -2 * self.mixture.size * float((point.slope * self.along).sum())


def _limits(path: _Profile | _Ridge, guess: FloatArray, allowed: float) -> tuple[float, float]:
    """Return where the loss reaches what is allowed on either side of the estimate, or the end if it never does."""
    low, high = (
        end
        if path.estimate == end or path.loss(end)[0] <= allowed
        else _crossing(path.loss, path.estimate, end, float(at), allowed)
        for end, at in zip((0.0, 1.0), guess, strict=True)
    )
    return low, high


def _crossing(loss: Callable[[float], tuple[float, float]], inside: float, outside: float, at: float, allowed: float) -> float:
    """Return the root of loss(c) = allowed by Newton steps on its square root, almost a line; by halves where they leave."""
    for _ in range(_STEPS):
        if not min(inside, outside) < at < max(inside, outside):
            at = (inside + outside) / 2
        lost, slope = loss(at)
        if abs(lost - allowed) <= _CLOSE * allowed:
            return at
        inside, outside = (at, outside) if lost < allowed else (inside, at)
        if abs(outside - inside) <= _FINE * max(inside, outside):
            return at
        root = math.sqrt(max(lost, 0.0)) if math.isfinite(lost) else math.nan
        at = at - 2 * root * (root - math.sqrt(allowed)) / slope if slope and root else math.nan
    return at
