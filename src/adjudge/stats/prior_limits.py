"""How sure estimated class priors are: limits by the likelihood, and whether priors moved at all.

Limits of a prior are the values that cost no more log-likelihood than half a quantile of chi-square, whatever the others are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from adjudge._base.arrays import BoolArray, FloatArray, IntArray
from adjudge.stats.binomial import normal_quantile
from adjudge.stats.priors import Climb, Likelihood, Mixture, Point, climb

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


def likelihood_ratio(gain: float, df: int) -> tuple[float, float]:
    """Return twice the `gain` in log-likelihood, and how often chance alone gains so much (chi-square, `df` degrees).

    Wilks (1938), Ann. Math. Stat. 9:60-62.
    """
    from scipy.special import chdtrc

    statistic = max(2 * gain, 0.0)
    return statistic, float(chdtrc(df, statistic)) if df else 1.0


def chi_square(counts: IntArray, shares: FloatArray) -> tuple[float, int, float, str]:
    r"""Return Pearson's :math:`\sum_i (c_i - n \pi_i)^2 / (n \pi_i)`, its degrees of freedom, its p value and the method.

    The p value is exact where the tables of so many cases can be listed. Pearson (1900), Philos. Mag. 50:157-175.
    """
    from scipy.special import chdtrc, gammaln

    possible = shares > 0
    n, seen, expected = int(counts.sum()), counts[possible], counts.sum() * shares[possible]
    df = expected.size - 1
    if counts[~possible].any():
        return math.inf, df, 0.0, "a case of a class that cannot be"
    statistic = float(((seen - expected) ** 2 / expected).sum())
    if math.comb(n + df, df) > _MOST_TABLES:
        return statistic, df, float(chdtrc(df, statistic)), "Pearson's chi-square"
    # every way in which n cases can fall into the classes: bars between the cases, in n + df places
    bars = np.array(list(combinations(range(n + df), df)), dtype=np.int64).reshape(-1, df)
    tables = np.diff(bars, axis=1, prepend=-1, append=n + df) - 1
    tables = tables[((tables - expected) ** 2 / expected).sum(axis=1) >= statistic * (1 - _ROUNDING)]
    logs = gammaln(tables[:1].sum() + 1) - gammaln(tables + 1).sum(axis=1) + tables @ np.log(shares[possible])
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
    from scipy.special import expit, logit

    z, shares = normal_quantile(level), point.shares
    variance = _variance(curvature, point) / worth
    limits = np.zeros((shares.size, 2))
    for i, (share, sd) in enumerate(zip(shares.tolist(), np.sqrt(variance).tolist(), strict=True)):
        if z * sd < min(share, 1 - share):
            half = z * sd / (share * (1 - share))
            limits[i] = [float(expit(float(logit(share)) + side * half)) for side in (-1, 1)]
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
    found = np.empty(point.shares.size)
    found[free] = np.where(open_, math.inf, np.maximum(np.diag(inverse) - point.shares[free] ** 2, 0.0))
    across = curvature[np.ix_(free, ~free)]
    rest = np.diag(curvature)[~free] - np.einsum("fi,fg,gi->i", across, inverse, across, optimize=True)
    bottom = np.maximum(rest, 0.0) + (1 - point.slope[~free]) ** 2
    found[~free] = np.divide(1, bottom, out=np.full(bottom.size, math.inf), where=bottom > _SINGULAR)
    return found


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
        found = climb(mixture, start, tol=_FINE * 1e-2 / mixture.size, max_iter=_STEPS, plain=0).point
        self.others = found.shares if 0 < share < 1 else self.others
        mixed = np.einsum("ij,j->i", self.rest, found.shares)
        slope = (self.weight * (self.held - mixed) / (share * self.held + (1 - share) * mixed)).sum()
        return 2 * (self.top - found.log), -2 * float(slope)


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
        found = self.mixture.at(moved)
        if not math.isfinite(found.log):
            return math.inf, math.inf
        return 2 * (self.top.log - found.log), -2 * self.mixture.size * float((found.slope * self.along).sum())


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
