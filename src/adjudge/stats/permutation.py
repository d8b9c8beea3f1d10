"""Whether decisions without skill would do as well: the permutation test of the balanced accuracy.

Given both margins of the table every assignment of predictions to cases is equally probable; for two classes this is Fisher's
exact test. Ties count half (mid-P, Lancaster 1961). The distribution of the sum of recalls is enumerated where that is cheap;
otherwise a gamma distribution has its first three moments (Hoeffding 1951), and rows and columns of few cases are drawn.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.stats import special

MOST_EXCESS = 1.4  # how far the plain exact P may exceed a p-value: at a level of 5% no margins give more than 7% false alarms
_HIGHEST_LEVEL = 0.1  # of a test; larger p-values are plain mid-P
_MOST_STATES = 20_000  # tables enumerated at once
_MOST_ENUMERATED = 8  # columns of a table whose kind is enumerated
_MOST_STEPS = 400_000  # values of one hypergeometric count that are added up
_FAR = 12.0  # standard deviations: the rest of a distribution weighs less than 1e-30
_COARSE = 0.35  # steps in standard deviations from which on they are seen by a smooth distribution
_MOST_WORK = 40_000  # of one draw, in cases
_DRAWN_CELLS = 2_000_000  # cases drawn in all
_PER_CLASS = 4  # a hypergeometric count costs as much as so many cases
_FEWEST_DRAWS, _MOST_DRAWS = 400, 10_000
_LISTED, _PER_KIND = 1_000_000, 8  # samples are drawn case by case from so many cases, and for so many of each kind at most
_SPARSE = 32  # so many times as many numbers to choose from are not shuffled
_NUMPY = 1_000_000_000  # cases from which on numpy draws no hypergeometric counts
_SAME = 1e-13  # sums of recalls that differ by less differ by rounding
_ROUNDING = 1e-14  # share of its terms below which a variance is rounding
_SYMMETRIC = 1e-5  # a skewness that no digit shows
_MIXED = np.random.default_rng(64).integers(-(2**62), 2**62, _MOST_ENUMERATED + 1) * 2 + 1


def p_values(null: Null, t: Any) -> FloatArray:
    """Return the one-sided mid-P of each sum of recalls `t`; of p-values up to 0.1 at least 1/1.4 of the exact P."""
    mid, exact = null.tails(t)
    return np.maximum(mid, np.minimum(exact / MOST_EXCESS, _HIGHEST_LEVEL))


def null_distribution(rows: AnyArray, columns: AnyArray, rng: Any = 0) -> Null:
    """Return how the sum of recalls of K classes is distributed without skill, both margins being fixed."""
    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    hit = (rows > 0) & (columns > 0)  # classes that can be hit; all others are the last, which weighs nothing
    n, m = (np.append(of[hit], of[~hit].sum()) for of in (rows, columns))
    w = np.append(1 / n[:-1], 0.0)
    if w.size == 1:
        return Values(np.zeros(1), np.ones(1))
    return _one_count(n, m, w) or _enumerated(n, m, w) or _drawn(n, m, w, np.random.default_rng(rng))


def within_strata(rows: AnyArray, columns: AnyArray, weights: FloatArray, t: float) -> float:
    r"""Return the one-sided P of :math:`t = \sum_{gi} w_{gi} X_{gi}`, the predictions being permuted within each stratum g."""
    mean, variance, third = (part.sum() for part in moments(rows, columns, weights))
    return float(_smooth(np.zeros(1), (mean, variance, third), "three moments").tails(t)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A discrete distribution; between its values tails are interpolated, as weighted cases may lie there."""

    values: FloatArray
    weights: FloatArray
    method: str = "exact"
    beyond: Mixture | None = None
    """The distribution of values that are larger than any that was drawn."""

    def tails(self, t: Any) -> tuple[FloatArray, FloatArray]:
        """Return P(more) + P(as much) / 2, and P(at least as much)."""
        order = np.argsort(self.values, kind="stable")
        values, weights = self.values[order], self.weights[order]
        starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > _SAME * max(1.0, float(np.abs(values).max())))
        values, weights = values[starts], np.add.reduceat(weights, starts)
        exact = np.cumsum(weights[::-1])[::-1]
        exact = exact / exact[0]
        mid = exact - weights / weights.sum() / 2
        mid[-1] = exact[-1] / 2
        near = np.interp(t, values, mid), np.interp(t, values, exact)
        if self.beyond is None:
            return near
        far, tails = np.asarray(t) > values[-1] + _SAME, self.beyond.tails(t)
        return np.where(far, np.minimum(near[0], tails[0]), near[0]), np.where(far, np.minimum(near[1], tails[1]), near[1])


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Smooth distributions with three known moments, one or as many as there were draws."""

    mean: FloatArray
    sd: FloatArray
    skewness: FloatArray
    method: str
    step: float = 0.0
    """The distance of two values, where it is coarse."""

    def tails(self, t: Any) -> tuple[FloatArray, FloatArray]:
        """Return P(more) + P(as much) / 2, and P(at least as much): the tail from half a step before."""
        mid = self._tail(np.asarray(t, dtype=np.float64))
        return mid, self._tail(np.asarray(t, dtype=np.float64) - self.step / 2) if self.step else mid

    def _tail(self, t: FloatArray) -> FloatArray:
        at = t[..., None] - self.mean
        at[np.abs(at) < _SAME * np.maximum(1.0, np.abs(self.mean))] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(self.sd > 0, at / self.sd, np.copysign(np.inf, at))
        z[np.broadcast_to(self.sd == 0, z.shape) & (at == 0)] = 0.0
        tails: FloatArray = gamma_tail(z, np.where(self.sd > 0, self.skewness, 0.0)).mean(axis=-1)
        return tails


Null: TypeAlias = Values | Mixture
"""How the sum of recalls is distributed without skill."""


def gamma_tail(z: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return P(Z > z) of a standardised gamma distribution with a skewness, which is Pearson's type III."""
    some = np.abs(skewness) > _SYMMETRIC
    skewed = np.where(some, skewness, 1.0)
    shape = 4 / skewed**2
    at = np.maximum(shape + z * np.copysign(np.sqrt(shape), skewed), 0.0)
    above, below = special.gammaincc(shape, at), special.gammainc(shape, at)
    return np.asarray(np.where(some, np.where(skewed > 0, above, below), special.ndtr(-z)))


def moments(n: AnyArray, m: AnyArray, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return mean, variance and third central moment of :math:`\sum_i w_i X_i`, the diagonal of a table with fixed margins.

    With :math:`d_{ij} = \delta_{ij} w_i - w_i m_i / N - w_j n_j / N + \sum_k w_k n_k m_k / N^2`, :math:`\sum n_i m_j d_{ij}^2 /
    (N - 1)` and :math:`N \sum n_i m_j d_{ij}^3 / ((N-1)(N-2))`. Hoeffding (1951), Ann. Math. Stat. 22:558-566.
    """
    n, m = np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64)
    total = np.maximum(n.sum(axis=-1), 1.0)
    each = total[..., None]
    mean = (w * n * m / each).sum(axis=-1)
    u, v = w * m / each - (mean / total)[..., None], w * n / each
    rows, columns = _sums_of_powers(n, u), _sums_of_powers(m, v)
    shift = u + v
    square = rows[2] * columns[0] + 2 * rows[1] * columns[1] + rows[0] * columns[2]
    square = square + (n * m * w * (w - 2 * shift)).sum(axis=-1)
    cube = rows[3] * columns[0] + 3 * rows[2] * columns[1] + 3 * rows[1] * columns[2] + rows[0] * columns[3]
    off = w - shift
    cube = (n * m * (off * off * off + shift * shift * shift)).sum(axis=-1) - cube
    variance = np.maximum(square / np.maximum(total - 1, 1.0), 0.0)
    variance = np.where(variance > _ROUNDING * (n * m * w**2).sum(axis=-1) / total, variance, 0.0)
    return mean, variance, cube / np.maximum(total - 1, 1.0) * np.where(total > 2, total / np.maximum(total - 2, 1.0), 0.0)  # noqa: PLR2004


def _sums_of_powers(cases: FloatArray, by: FloatArray) -> list[FloatArray]:
    """Return the sums of `cases` times `by` to the power of 0, 1, 2 and 3, over the last axis."""
    sums = [cases.sum(axis=-1)]
    for _ in range(3):
        cases = cases * by  # a third power of numpy is a logarithm, and ten times slower
        sums.append(cases.sum(axis=-1))
    return sums


def _smooth(mean: FloatArray, moved: tuple[FloatArray, FloatArray, FloatArray], method: str, step: float = 0.0) -> Mixture:
    """Return the mixture of distributions that lie at `mean`, each moved by one with the given moments."""
    at, variance, third = (np.atleast_1d(part) for part in moved)
    sd = np.sqrt(variance)
    return Mixture(mean + at, sd, np.divide(third, sd**3, out=np.zeros_like(sd), where=sd > 0), method, step)


def _one_count(n: IntArray, m: IntArray, w: FloatArray) -> Null | None:
    """Return the distribution where one hypergeometric count says all: of one class that can be hit, or of two and no other."""
    two = n.size == 3 and n[-1] == m[-1] == 0  # noqa: PLR2004 - two classes and what is neither
    if n.size > 2 and not two:  # noqa: PLR2004
        return None
    drawn, marked, total = int(n[0]), int(m[0]), int(n.sum())
    low, high = max(0, drawn + marked - total), min(drawn, marked)
    sd = np.sqrt(drawn / total * marked * (1 - drawn / total) * (total - marked) / max(total - 1, 1))
    if high - low > _MOST_STEPS:
        middle = drawn / total * marked
        low, high = max(low, int(middle - _FAR * sd)), min(high, int(middle + _FAR * sd) + 1)
    if high - low > _MOST_STEPS:
        return _smooth(np.zeros(1), moments(n, m, w), "three moments")
    x = np.arange(low, high + 1, dtype=np.float64)
    ratios = (drawn - x[:-1]) * (marked - x[:-1]) / ((x[:-1] + 1) * (total - drawn - marked + x[:-1] + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(logs - logs.max())
    return Values(x * w[0] + ((n[1] - m[0] + x) * w[1] if two else 0.0), weights / weights.sum())


def _enumerated(n: IntArray, m: IntArray, w: FloatArray) -> Null | None:
    """Return the distribution over all tables with these margins, row by row; None where there are too many of them."""
    if n.size > _MOST_ENUMERATED:
        return None
    order = np.argsort(n, kind="stable")
    states, t, weights = m[None, :].astype(np.int64), np.zeros(1), np.ones(1)
    for i in order[:-1]:
        step = _one_row(states, int(n[i]))
        if step is None:
            return None
        parents, cells, chances = step
        states, t = states[parents] - cells, t[parents] + w[i] * cells[:, i]
        # equal states are put together: rounding does not distinguish two sums, and 64 bits that wrap around do 20,000 states
        keys = np.column_stack([states, np.round(t / _SAME).astype(np.int64)]) @ _MIXED[: states.shape[1] + 1]
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        states, t = states[first], t[first]
        weights = np.asarray(np.bincount(which, weights[parents] * chances), dtype=np.float64)
    last = order[-1]
    return Values(t + w[last] * states[:, last], weights)


def _one_row(states: IntArray, size: int) -> tuple[IntArray, IntArray, FloatArray] | None:
    """Return every way to fill a row of `size` cases from what is left of the columns, column by column, with its probability."""

    def log_choose(n: IntArray, k: IntArray) -> FloatArray:
        return np.asarray(special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0))

    parents, weights = np.arange(len(states)), np.ones(len(states))
    left, pool = np.full(len(states), size), states.sum(axis=1)
    cells = np.zeros((len(states), states.shape[1]), dtype=np.int64)
    for j in range(states.shape[1]):
        here = states[parents, j]
        low, high = np.maximum(0, left - (pool - here)), np.minimum(left, here)
        ways = high - low + 1
        if ways.sum() > _MOST_STATES:
            return None
        at = np.repeat(np.arange(len(parents)), ways)
        x = np.arange(len(at)) - np.repeat(np.cumsum(ways) - ways, ways) + low[at]
        logs = log_choose(here[at], x) + log_choose(pool[at] - here[at], left[at] - x) - log_choose(pool[at], left[at])
        weights = weights[at] * np.exp(logs)
        cells = cells[at]
        cells[:, j] = x
        parents, left, pool = parents[at], left[at] - x, (pool - here)[at]
    return parents, cells, weights


def _drawn(n: IntArray, m: IntArray, w: FloatArray, rng: np.random.Generator) -> Null:
    """Return the distribution from its moments; rows and columns of few cases are drawn where their steps would show."""
    few, step = _few(n, m, w)
    rows, columns = (n < few) & (w > 0), (m < few) & (w > 0)
    work = _work(n, m, rows, columns)
    if not work:
        return _smooth(np.zeros(1), moments(n, m, w), "three moments", step)
    draws = int(np.clip(_DRAWN_CELLS // work, _FEWEST_DRAWS, _MOST_DRAWS))
    method = f"{draws:,} draws"
    rest = np.where(rows, n, 0)
    took = _sample(m, int(rest.sum()), draws, rng)
    # what drawn rows add to the sum and leave of the columns
    at, said, true = _met(np.where(rows, took, 0), np.broadcast_to(rest, took.shape), rng)
    t, left = np.bincount(at, w[said] * (said == true), minlength=draws), m - took
    more, still = _small_columns(n, left, w, (rows, columns), rng)
    mixture = _smooth(t + more, moments(still, np.where(columns, 0, left), w), method, step)
    if mixture.sd.any():
        return mixture
    return Values(mixture.mean, np.full(draws, 1 / draws), method, _smooth(np.zeros(1), moments(n, m, w), method))


def _few(n: IntArray, m: IntArray, w: FloatArray) -> tuple[int, float]:
    """Return the size of rows and columns below which they are drawn, and the step of the rest where it stays coarse."""
    # the least size for which the steps of the rest are fine, or the largest for which drawing is quick
    best, step, most = 0, 0.0, int(max(n.max(), m.max()))
    for few in (0, *(2**i for i in range(1, max(most.bit_length(), 1) + 1))):
        rows, columns = (n < few) & (w > 0), (m < few) & (w > 0)
        if _work(n, m, rows, columns) > _MOST_WORK:
            break
        left, right = np.where(rows, 0, n), np.where(columns, 0, m)
        kept = (left > 0) & (right > 0)
        left, right = left * (right.sum() / n.sum()), right * (left.sum() / n.sum())
        sd = float(np.sqrt(moments(left, right, w)[1]))
        best, step = few, float(w[kept].max(initial=0.0))
        if not sd or step <= _COARSE * sd:  # what is drawn may leave nothing open
            return few, 0.0
    return best, step


def _work(n: IntArray, m: IntArray, rows: AnyArray, columns: AnyArray) -> int:
    """Return what a draw costs: the cases of the rows, of the columns as many as the rows leave, and a sample of classes."""
    drawn = int(n[rows].sum())
    cases = drawn + round(float(m[columns].sum()) * (1 - drawn / int(n.sum())))
    return cases + _PER_CLASS * n.size if cases else 0


def _small_columns(
    n: IntArray, left: IntArray, w: FloatArray, which: tuple[AnyArray, AnyArray], rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Return what drawn columns add to the sum, from rows that were not drawn, and what they leave of those."""
    rows, columns = which
    open_rows = np.where(rows, 0, n)
    draws, wanted = len(left), np.where(columns, left, 0)
    sums = wanted.sum(axis=1)
    size = int(sums.max(initial=0))
    took = _sample(open_rows, size, draws, rng)
    # the cases of columns whose class is no open row meet none of it; a column of its own has those that a draw has too many
    columns_met = np.column_stack([np.where(open_rows > 0, wanted, 0), size - sums])
    at, said, true = _met(columns_met, took, rng)
    spare = said == n.size
    used = took - np.bincount((true + n.size * at)[spare], minlength=took.size).reshape(took.shape)
    more = np.bincount(at, np.append(w, 0.0)[said] * (said == true), minlength=draws)
    return np.asarray(more, dtype=np.float64), np.asarray(open_rows - used)


def _sample(sizes: IntArray, size: int, draws: int, rng: np.random.Generator) -> IntArray:
    """Return how many of each kind are among `size` cases, drawn without replacement; of a milliard it makes no difference."""
    total = int(sizes.sum())
    if size == total:
        return np.broadcast_to(sizes, (draws, sizes.size))
    if total < _NUMPY:
        one_by_one = total <= _LISTED and min(size, total - size) < _PER_KIND * sizes.size
        return rng.multivariate_hypergeometric(sizes, size, size=draws, method="count" if one_by_one else "marginals")
    return np.minimum(rng.multinomial(size, sizes / total, size=draws), sizes)


def _met(cases: IntArray, places: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Put cases at random on different places, both counted by kind; return the draw, the kind and the kind of place of each."""
    (draws, kinds), sums, size = cases.shape, cases.sum(axis=1), int(places.sum(axis=1).max(initial=0))
    at, kind = np.repeat(np.arange(draws), sums), np.repeat(np.tile(np.arange(kinds), draws), cases.ravel())
    many = int(sums.max(initial=0))
    filled = np.arange(many) < sums[:, None]
    if many * _SPARSE > size:
        every = np.repeat(np.tile(np.arange(places.shape[1]), draws), places.ravel()).reshape(draws, size)
        return at, kind, rng.permuted(every, axis=1, out=every)[:, :many][filled]
    bounds = np.cumsum(places, axis=1) + size * np.arange(draws)[:, None]
    place = _different(many, size, draws, rng)[filled] + size * at
    return at, kind, np.searchsorted(bounds.ravel(), place, side="right") - places.shape[1] * at


def _different(many: int, size: int, draws: int, rng: np.random.Generator) -> IntArray:
    """Return `many` different numbers below `size`, many times as large, for each draw, in random order."""
    numbers = rng.integers(max(size, 1), size=(draws, many))
    while True:  # those drawn twice are drawn anew: no number is treated unlike another
        order = np.argsort(numbers, axis=1, kind="stable")
        rising = np.take_along_axis(numbers, order, axis=1)
        draw, at = np.nonzero(rising[:, 1:] == rising[:, :-1])
        if not draw.size:
            return numbers
        numbers[draw, order[draw, at + 1]] = rng.integers(size, size=draw.size)
