"""Bands around curves, and bootstrap replicates of measures on counts with the limits they give."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adjudge._base import Shown, dataclass
from adjudge._base.arrays import AnyArray, FloatArray, IntArray, frozen
from adjudge.stats import special
from adjudge.stats.binomial import wilson

_MOST = 1000  # points around which the region is drawn exactly; of more it is wider, by a thousandth at most
_STEP = 0.02  # of recall: upright sides of a region become curves where precision is drawn, so they get points between
_CELLS_AT_ONCE = 1 << 22  # cells of the tables held at one time: 32 MB

Statistic = Callable[[AnyArray], AnyArray]  # of many tables at once


@dataclass(frozen=True, slots=True, eq=False)
class Band(Shown):
    """Two lines with the curve between them, each as points (x, y); or the limits of each point by itself."""

    low: FloatArray
    high: FloatArray
    level: float
    method: str
    pointwise: bool = False
    """Whether the level is that of each point by itself; else of the whole curve at once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", frozen(self.low))
        object.__setattr__(self, "high", frozen(self.high))


def dkw_margin(cases: float, level: float = 0.95) -> float:
    r"""Return how far a distribution may be from that of `cases` drawn from it, at all values at once: at most 1.

    :math:`P(\sup_t |\hat F(t) - F(t)| > \varepsilon) \le 2 e^{-2 n \varepsilon^2}`. Dvoretzky, Kiefer and Wolfowitz (1956), Ann.
    Math. Stat. 27:642-669, with the constant of Massart (1990), Ann. Probab. 18:1269-1283.
    """
    return 1.0 if cases <= 0 else min(1.0, math.sqrt(math.log(2 / (1 - level)) / (2 * cases)))


def roc_margins(negatives: float, positives: float, level: float = 0.95) -> tuple[float, float]:
    """Return how far the rates of false alarms and of hits may be off, at all thresholds at once, both together."""
    return dkw_margin(negatives, math.sqrt(level)), dkw_margin(positives, math.sqrt(level))


def roc_band(fpr: FloatArray, tpr: FloatArray, negatives: float, positives: float, level: float = 0.95) -> Band:
    """Return the region that holds the whole true ROC curve with probability of at least `level`.

    The margins span a rectangle around each point; its upper left and lower right corners are joined by steps.
    Campbell (1994), Stat. Med. 13:499-508.
    """
    across, up = roc_margins(negatives, positives, level)
    left, above, right, below = fpr, tpr, fpr, tpr
    if fpr.size > _MOST:  # the upper left and lower right corners of few boxes that hold all points
        kept = np.unique(np.searchsorted((fpr + tpr) / 2, np.linspace(0, 1, _MOST)).clip(0, fpr.size - 1))
        kept = np.union1d(kept, [0, fpr.size - 1])
        left, above, right, below = fpr[kept[:-1]], tpr[kept[1:]], fpr[kept[1:]], tpr[kept[:-1]]
    high = _steps(np.clip(left - across, 0, 1), np.clip(above + up, 0, 1))
    # Turned by half a circle the lower side is an upper one.
    low = 1 - _steps(np.clip(1 - right[::-1] - across, 0, 1), np.clip(1 - below[::-1] + up, 0, 1))[::-1]
    return Band(low, high, level, "dkw")


def precision_band(band: Band, prevalence: float) -> Band:
    r"""Return a band of the ROC curve carried over to recall and precision, at a prevalence taken as known.

    Precision :math:`\pi t / (\pi t + (1 - \pi) f)` rises with the hits and falls with the false alarms, so sides become sides.
    """
    sides = []
    for side, nobody in ((band.low, 0.0), (band.high, 1.0)):
        steps = np.diff(side, axis=0)
        pieces = np.maximum(1, np.ceil(np.abs(steps[:, 1]) / _STEP)).astype(np.int64)  # points between those far apart in height
        first = np.repeat(np.cumsum(pieces) - pieces, pieces)
        part = (np.arange(pieces.sum()) - first + 1) / np.repeat(pieces, pieces)
        between = np.repeat(side[:-1], pieces, axis=0) + part[:, None] * np.repeat(steps, pieces, axis=0)
        dense = np.vstack([side[:1], between])
        hits, alarms = prevalence * dense[:, 1], (1 - prevalence) * dense[:, 0]
        called = hits + alarms
        precision = np.divide(hits, called, out=np.full(hits.size, nobody), where=called > 0)
        sides.append(np.column_stack([dense[:, 1], precision]))
    return Band(sides[0], sides[1], band.level, band.method)


def share_band(x: FloatArray, hits: FloatArray, cases: FloatArray, level: float = 0.95) -> Band:
    """Return Wilson's limits of the share of hits at each x by itself."""
    limits = np.array([wilson(hit, n, level) for hit, n in zip(hits.tolist(), cases.tolist(), strict=True)]).reshape(-1, 2)
    return Band(np.column_stack([x, limits[:, 0]]), np.column_stack([x, limits[:, 1]]), level, "wilson", pointwise=True)


def _steps(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the corners of the line that from each x on is as high as its y, from (0, 0) to the right end."""
    x, y = np.append(x, 1.0), np.append(y, y[-1])
    corners = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
    corners = np.vstack([[0.0, 0.0], [0.0, y[x <= 0].max()], corners[corners[:, 0] > 0]])
    return np.asarray(corners[np.append(True, np.any(np.diff(corners, axis=0) != 0, axis=1))])


def cell_replicates(
    table: AnyArray, statistic: Statistic, resamples: int, rng: np.random.Generator, *, stratified: bool = False
) -> FloatArray:
    r"""Return the statistic of `resamples` tables drawn from the whole counts of `table`: :math:`T^* \sim Multinomial(n, T / n)`.

    Or, `stratified`, every row on its own with its total kept. Efron (1979), Ann. Stat. 7:1-26.
    """
    values = []
    for size in _chunks(resamples, table.size):
        drawn = np.stack([_draw_cells(row, size, rng) for row in table], axis=1) if stratified else _draw_cells(table, size, rng)
        values.append(np.asarray(statistic(drawn), dtype=np.float64))
    return np.concatenate(values)


def _chunks(whole: int, cells: int) -> list[int]:
    """Return how many tables of so many cells to hold at a time."""
    most = max(1, _CELLS_AT_ONCE // max(cells, 1))
    return [min(most, whole - start) for start in range(0, whole, most)]


def dirichlet_replicates(parameters: FloatArray, statistic: Statistic, draws: int, rng: np.random.Generator) -> FloatArray:
    """Return the statistic of tables of Dirichlet shares, up to their size; cells of parameter 0 stay empty."""
    drawn = (rng.standard_gamma(parameters, (size, *parameters.shape)) for size in _chunks(draws, parameters.size))
    return np.concatenate([np.asarray(statistic(tables), dtype=np.float64) for tables in drawn])


def cell_jackknife(table: AnyArray, statistic: Statistic) -> tuple[FloatArray, FloatArray]:
    """Return the statistic with one case left out, and how many cases give that value: once per cell with a case."""
    places = np.flatnonzero(table)
    values = [np.empty(0)]
    for part in np.split(places, np.cumsum(_chunks(places.size, table.size))[:-1]) if places.size else ():
        copies = np.repeat(table.reshape(1, -1), part.size, axis=0)
        copies[np.arange(part.size), part] -= 1
        values.append(np.asarray(statistic(copies.reshape(part.size, *table.shape)), dtype=np.float64))
    return np.concatenate(values), table.ravel()[places].astype(np.float64)


def percentile(replicates: FloatArray, level: float = 0.95) -> tuple[float, float] | None:
    """Return the central `level` of the replicates, or None when all are equal and say nothing of the spread.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.
    """
    known = _that_differ(replicates)
    return None if known is None else _quantiles(known, (1 - level) / 2, (1 + level) / 2)


def bca(
    replicates: FloatArray, estimate: float, jackknife: FloatArray, multiplicities: FloatArray, level: float = 0.95
) -> tuple[float, float] | None:
    r"""Return bias-corrected and accelerated limits, or None when the replicates are equal or all on one side of the estimate.

    .. math:: \Phi\Bigl(z_0 + \frac{z_0 \pm z}{1 - a (z_0 \pm z)}\Bigr), \quad
              z_0 = \Phi^{-1}\bigl(\#(\theta^* < \hat\theta) + \tfrac12 \#(\theta^* = \hat\theta)\bigr), \quad
              a = \frac{\sum w_i (\bar\theta - \theta_i)^3}{6 \bigl(\sum w_i (\bar\theta - \theta_i)^2\bigr)^{3/2}} ,

    with jackknife values :math:`\theta_i` of multiplicities :math:`w_i`. Efron (1987), J. Am. Stat. Assoc. 82:171-185.
    """
    known = _that_differ(replicates)
    if known is None:
        return None
    bias = float(special.ndtri((np.mean(known < estimate) + np.mean(known <= estimate)) / 2))
    if not math.isfinite(bias):
        return None
    there, pull, z = ~np.isnan(jackknife), 0.0, float(special.ndtri((1 + level) / 2))
    values, weights = np.asarray(jackknife)[there], np.asarray(multiplicities, dtype=np.float64)[there]
    if values.size and values.min() < values.max():
        off = float(np.average(values, weights=weights)) - values
        off /= np.abs(off).max()  # the ratio has no unit, and powers of tiny numbers would be 0
        pull = float((weights * off**3).sum() / (6 * (weights * off**2).sum() ** 1.5))
    at = [float(special.ndtr(bias + (bias + side * z) / (1 - pull * (bias + side * z)))) for side in (-1, 1)]
    return _quantiles(known, at[0], at[1])


def binned_areas(histograms: AnyArray) -> FloatArray:
    """Return the AUC of each pair of histograms, positives first, over the same ascending bins; NaN without a class.

    sum p_b (N_below + n_b / 2) / (P N), in shares that cannot overflow. Two cases of one bin count as tied.
    """
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


def _that_differ(replicates: FloatArray) -> FloatArray | None:
    """Return the replicates that have a value, unless all of them are the same."""
    known = replicates[~np.isnan(replicates)]
    return known if known.size and known.min() < known.max() else None


def _quantiles(values: FloatArray, low: float, high: float) -> tuple[float, float]:
    quantiles = np.quantile(values, [low, high])
    return float(quantiles[0]), float(quantiles[1])
