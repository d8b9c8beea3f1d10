"""Bands around curves: regions that hold a whole ROC or precision-recall curve, and limits of each point of a reliability curve.

Arrays in, arrays out. The regions rest on nothing but the number of cases: no shape of the scores is assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.show import Shown
from adjudge.stats.binomial import wilson

_MOST = 1000  # points around which the region is drawn exactly; of more it is wider, by a thousandth at most
_STEP = 0.02  # of recall: upright sides of a region become curves where precision is drawn, so they get points between


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
    r"""Return how far a distribution may be from that of `cases` drawn from it, at any of its values at once.

    .. math:: P\Bigl(\sup_t |\hat F(t) - F(t)| > \varepsilon\Bigr) \le 2 e^{-2 n \varepsilon^2}

    whatever the distribution. Dvoretzky, Kiefer and Wolfowitz (1956), Ann. Math. Stat. 27:642-669, with the constant of
    Massart (1990), Ann. Probab. 18:1269-1283. At most 1; without cases 1.

    >>> round(dkw_margin(100), 4)
    0.1358
    """
    return 1.0 if cases <= 0 else min(1.0, math.sqrt(math.log(2 / (1 - level)) / (2 * cases)))


def roc_margins(negatives: float, positives: float, level: float = 0.95) -> tuple[float, float]:
    """Return how far the rates of false alarms and of hits may be off, at all thresholds at once and both together.

    The two classes are drawn independently, so each is held at the square root of the level.

    >>> [round(margin, 4) for margin in roc_margins(100, 400)]
    [0.1478, 0.0739]
    """
    return dkw_margin(negatives, math.sqrt(level)), dkw_margin(positives, math.sqrt(level))


def roc_band(fpr: FloatArray, tpr: FloatArray, negatives: float, positives: float, level: float = 0.95) -> Band:
    """Return the region that holds the whole true ROC curve with probability of at least `level`.

    Around each observed point the two margins span a rectangle; the true rates at its threshold lie in it, at all
    thresholds at once, so the true curve lies between the upper left and the lower right corners, joined by steps.
    Campbell (1994), Stat. Med. 13:499-508. Points run from (0, 0) to (1, 1).

    >>> band = roc_band(np.array([0, 0.1, 1]), np.array([0, 0.9, 1]), 1e4, 1e4)
    >>> band.high.round(3).tolist()
    [[0.0, 0.0], [0.0, 0.015], [0.085, 0.015], [0.085, 0.915], [0.985, 0.915], [0.985, 1.0], [1.0, 1.0]]
    """
    across, up = roc_margins(negatives, positives, level)
    (left, above), (right, below) = _corners(fpr, tpr)
    high = _steps(np.clip(left - across, 0, 1), np.clip(above + up, 0, 1))
    # Turned by half a circle the lower side is an upper one.
    low = 1 - _steps(np.clip(1 - right[::-1] - across, 0, 1), np.clip(1 - below[::-1] + up, 0, 1))[::-1]
    return Band(low, high, level, "dkw")


def precision_band(band: Band, prevalence: float) -> Band:
    r"""Return a band of the ROC curve carried over to recall and precision, at a prevalence :math:`\pi` taken as known.

    .. math:: \text{precision} = \frac{\pi\, t}{\pi\, t + (1 - \pi) f}

    rises with the rate of hits :math:`t` and falls with that of false alarms :math:`f`, so the sides of one region become
    those of the other. Where nobody is called, the upper side is 1 and the lower 0.
    """
    low, high = (_as_precision(_denser(side), prevalence, nobody) for side, nobody in ((band.low, 0.0), (band.high, 1.0)))
    return Band(low, high, band.level, band.method)


def share_band(x: FloatArray, hits: FloatArray, cases: FloatArray, level: float = 0.95) -> Band:
    """Return Wilson's limits of the share of hits at each x by itself."""
    limits = np.array([wilson(hit, n, level) for hit, n in zip(hits.tolist(), cases.tolist(), strict=True)]).reshape(-1, 2)
    return Band(np.column_stack([x, limits[:, 0]]), np.column_stack([x, limits[:, 1]]), level, "wilson", pointwise=True)


def _corners(x: FloatArray, y: FloatArray) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return the upper left and lower right corners of few boxes that hold all points: of few points the points themselves."""
    if x.size <= _MOST:
        return (x, y), (x, y)
    kept = np.unique(np.searchsorted((x + y) / 2, np.linspace(0, 1, _MOST)).clip(0, x.size - 1))
    kept = np.union1d(kept, [0, x.size - 1])
    return (x[kept[:-1]], y[kept[1:]]), (x[kept[1:]], y[kept[:-1]])


def _steps(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the corners of the line that from each x on is as high as its y, from (0, 0) to the right end."""
    x, y = np.append(x, 1.0), np.append(y, y[-1])
    corners = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
    corners = np.vstack([[0.0, 0.0], [0.0, y[x <= 0].max()], corners[corners[:, 0] > 0]])
    return np.asarray(corners[np.append(True, np.any(np.diff(corners, axis=0) != 0, axis=1))])


def _denser(side: FloatArray) -> FloatArray:
    """Return a line with points between those that are far apart in height."""
    steps = np.diff(side, axis=0)
    pieces = np.maximum(1, np.ceil(np.abs(steps[:, 1]) / _STEP)).astype(np.int64)
    first = np.repeat(np.cumsum(pieces) - pieces, pieces)
    part = (np.arange(pieces.sum()) - first + 1) / np.repeat(pieces, pieces)
    return np.vstack([side[:1], np.repeat(side[:-1], pieces, axis=0) + part[:, None] * np.repeat(steps, pieces, axis=0)])


def _as_precision(side: FloatArray, prevalence: float, nobody: float) -> FloatArray:
    hits, alarms = prevalence * side[:, 1], (1 - prevalence) * side[:, 0]
    called = hits + alarms
    precision = np.divide(hits, called, out=np.full(hits.size, nobody), where=called > 0)
    return np.column_stack([side[:, 1], precision])
