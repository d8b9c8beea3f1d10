"""Bootstrap replicates of measures on counts, and the limits they give.

Drawing n cases with replacement and counting them is drawing one multinomial table, so a replicate costs
what its cells cost, for any number of cases. A statistic takes a stack of tables, resamples first, and
returns one value, or one row of values, per table. Replicates without a value are NaN and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray

_CELLS_AT_ONCE = 1 << 22  # cells of the tables held at one time: 32 MB


def cell_replicates(
    table: AnyArray,
    statistic_of_tables: Callable[[AnyArray], AnyArray],
    resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> FloatArray:
    r"""Return the statistic of `resamples` tables drawn from the whole counts of `table`.

    .. math:: T^* \sim \operatorname{Multinomial}(n, T / n),

    or, `stratified`, every row on its own with its total kept. Empty cells stay empty: a table with all cases in one cell
    has equal replicates. Efron (1979), Ann. Stat. 7:1-26.

    >>> accuracy = lambda tables: np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    >>> float(cell_replicates(np.diag([3, 4]), accuracy, 5, np.random.default_rng(1)).min())
    1.0
    """
    table = np.asarray(table)
    draw = _draw_rows if stratified else _draw_cells
    chunk = max(1, _CELLS_AT_ONCE // max(table.size, 1))
    sizes = [min(chunk, resamples - start) for start in range(0, resamples, chunk)]
    return np.concatenate([np.asarray(statistic_of_tables(draw(table, size, rng)), dtype=np.float64) for size in sizes])


def dirichlet_replicates(
    parameters: FloatArray, statistic_of_tables: Callable[[AnyArray], AnyArray], draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return the statistic of tables of shares drawn from a Dirichlet law, up to their size; cells of parameter 0 stay empty."""
    chunk = max(1, _CELLS_AT_ONCE // max(parameters.size, 1))
    sizes = [min(chunk, draws - start) for start in range(0, draws, chunk)]
    drawn = (rng.standard_gamma(parameters, (size, *parameters.shape)) for size in sizes)
    return np.concatenate([np.asarray(statistic_of_tables(tables), dtype=np.float64) for tables in drawn])


def cell_jackknife(table: AnyArray, statistic_of_tables: Callable[[AnyArray], AnyArray]) -> tuple[FloatArray, FloatArray]:
    """Return the statistic with one case left out, and how many cases give that value: once per cell with a case."""
    table = np.asarray(table)
    places = np.flatnonzero(table)
    chunk = max(1, _CELLS_AT_ONCE // max(table.size, 1))
    parts = [places[start : start + chunk] for start in range(0, places.size, chunk)]
    values = [np.asarray(statistic_of_tables(_one_less(table, part)), dtype=np.float64) for part in parts]
    return np.concatenate(values) if values else np.empty(0), table.ravel()[places].astype(np.float64)


def percentile(replicates: FloatArray, level: float = 0.95) -> tuple[float, float] | None:
    """Return the central `level` of the replicates, or None when all are equal and say nothing of the spread.

    The caller then needs an exact method. Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.
    """
    known = _that_differ(replicates)
    return None if known is None else _quantiles(known, (1 - level) / 2, (1 + level) / 2)


def bca(
    replicates: FloatArray, estimate: float, jackknife: FloatArray, multiplicities: FloatArray, level: float = 0.95
) -> tuple[float, float] | None:
    r"""Return bias-corrected and accelerated limits, or None when the replicates say nothing.

    Quantiles of the replicates at

    .. math:: \Phi\Bigl(z_0 + \frac{z_0 \pm z}{1 - a (z_0 \pm z)}\Bigr), \quad
              z_0 = \Phi^{-1}\bigl(\#(\theta^* < \hat\theta) + \tfrac12 \#(\theta^* = \hat\theta)\bigr), \quad
              a = \frac{\sum w_i (\bar\theta - \theta_i)^3}{6 \bigl(\sum w_i (\bar\theta - \theta_i)^2\bigr)^{3/2}} ,

    counts as shares, with jackknife values :math:`\theta_i` of multiplicities :math:`w_i`. z_0 = a = 0 is the percentile
    interval. None when all replicates are equal or all on one side of the estimate. Efron (1987), J. Am. Stat. Assoc. 82:171-185.
    """
    from scipy.special import ndtr, ndtri

    known = _that_differ(replicates)
    if known is None:
        return None
    bias = float(ndtri((np.mean(known < estimate) + np.mean(known <= estimate)) / 2))
    pull, z = _acceleration(jackknife, multiplicities), float(ndtri((1 + level) / 2))
    if not math.isfinite(bias):
        return None
    at = [float(ndtr(bias + (bias + side * z) / (1 - pull * (bias + side * z)))) for side in (-1, 1)]
    return _quantiles(known, at[0], at[1])


def binned_auc_replicates(
    pos_hist: AnyArray, neg_hist: AnyArray, resamples: int, rng: np.random.Generator, *, stratified: bool = False
) -> FloatArray:
    r"""Return AUCs of cases drawn again from histograms of the two classes over the same ascending bins.

    One multinomial over all bins of both classes, so class sizes vary as they would; `stratified`, one for each class,
    so they stay. Two cases of one bin count as tied: centre the replicates on the exact AUC,
    ``replicates - binned_auc + exact``. NaN where a class was not drawn.
    """
    both = np.stack((np.asarray(pos_hist), np.asarray(neg_hist)))
    return cell_replicates(both, _binned_areas, resamples, rng, stratified=stratified)


def binned_auc(pos_hist: AnyArray, neg_hist: AnyArray) -> float:
    """Return the AUC of two histograms, to the last bit what an equal replicate has."""
    return float(_binned_areas(np.stack((np.asarray(pos_hist), np.asarray(neg_hist)))[np.newaxis])[0])


def _binned_areas(histograms: AnyArray) -> FloatArray:
    """Return sum p_b (N_below + n_b / 2) / (P N) of each pair of histograms, in shares that cannot overflow."""
    positives, negatives = histograms[:, 0].astype(np.float64), histograms[:, 1].astype(np.float64)
    pairs = positives.sum(axis=1) * negatives.sum(axis=1)
    wins = np.einsum("rb,rb->r", positives, np.cumsum(negatives, axis=1) - negatives / 2)
    return np.asarray(np.divide(wins, pairs, out=np.full(pairs.size, np.nan), where=pairs > 0))


def _draw_cells(table: AnyArray, size: int, rng: np.random.Generator) -> IntArray:
    """Draw whole tables; cells without a case are not drawn at all."""
    flat = table.ravel()
    places = np.flatnonzero(flat)
    drawn = np.zeros((size, flat.size), dtype=np.int64)
    if places.size:
        counts = flat[places]
        drawn[:, places] = rng.multinomial(round(float(counts.sum())), counts / counts.sum(), size=size)
    return drawn.reshape(size, *table.shape)


def _draw_rows(table: AnyArray, size: int, rng: np.random.Generator) -> IntArray:
    """Draw every row on its own."""
    return np.stack([_draw_cells(row, size, rng) for row in table], axis=1)


def _one_less(table: AnyArray, places: IntArray) -> AnyArray:
    """Return one copy of the table for each place, with one case less there."""
    copies = np.repeat(table.reshape(1, -1), places.size, axis=0)
    copies[np.arange(places.size), places] -= 1
    return copies.reshape(places.size, *table.shape)


def _that_differ(replicates: FloatArray) -> FloatArray | None:
    """Return the replicates that have a value, unless all of them are the same."""
    values = np.asarray(replicates, dtype=np.float64)
    known = values[~np.isnan(values)]
    return known if known.size and known.min() < known.max() else None


def _quantiles(values: FloatArray, low: float, high: float) -> tuple[float, float]:
    found = np.quantile(values, [low, high])
    return float(found[0]), float(found[1])


def _acceleration(jackknife: FloatArray, multiplicities: FloatArray) -> float:
    """Return the skewness of the jackknife values over 6 sqrt(n); 0 when they are all equal."""
    known = ~np.isnan(jackknife)
    values, weights = np.asarray(jackknife)[known], np.asarray(multiplicities, dtype=np.float64)[known]
    if not values.size or values.min() == values.max():
        return 0.0
    off = float(np.average(values, weights=weights)) - values
    off /= np.abs(off).max()  # the ratio has no unit, and powers of tiny numbers would be 0
    return float((weights * off**3).sum() / (6 * (weights * off**2).sum() ** 1.5))
