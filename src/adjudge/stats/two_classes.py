r"""Limits for measures of a table of two classes that mix recalls and class sizes: MCC and Cohen's kappa.

Such a table is three independent shares: the recall of either class and the share of the first class; or, read by columns,
two precisions and a share of predictions; or the accuracy and the share of the first class among right and among wrong
predictions. The limits of the three shares span a region, and the limits of a measure are its extremes in that region. For a
sum of shares these are the limits of MOVER (Zou and Donner 2008, Stat. Med. 27:1693-1702), so that of two recalls the region
says the same as the interval of informedness: MCC, kappa and informedness are 0 in the same tables, and their limits lie on
the same side of 0. Arrays of tables in, arrays of limits out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from adjudge._base.arrays import FloatArray

Cells = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Chances of the cells: class 0 predicted as 0 and as 1, class 1 predicted as 0 and as 1."""
Statistic = Callable[[Cells], FloatArray]

_FIRST, _GRID = 33, 13  # points along each angle: so many at first that no second peak is missed, then around the highest
_BESIDE = 2  # steps to either side that are searched again: the highest point of a slanting ridge may lie beyond the next one
_ROUNDS = 13  # each searches a box a third as wide: angles to 1e-6, so values to 1e-12


class View(NamedTuple):
    """Three shares that make up a table, and which of them raise MCC and kappa whatever the others are."""

    cells: Callable[[FloatArray, FloatArray, FloatArray], Cells]
    rising: tuple[bool, bool, bool]


def _of_recalls(first: FloatArray, second: FloatArray, share: FloatArray) -> Cells:
    return share * first, share * (1 - first), (1 - share) * (1 - second), (1 - share) * second


def _of_diagonals(right: FloatArray, wrong: FloatArray, accuracy: FloatArray) -> Cells:
    return accuracy * right, (1 - accuracy) * wrong, (1 - accuracy) * (1 - wrong), accuracy * (1 - right)


RECALLS = View(_of_recalls, (True, True, False))
"""The recalls of both classes and the share of the first; of a transposed table, precisions and predictions."""
DIAGONALS = View(_of_diagonals, (False, False, True))
"""The share of the first class among right and among wrong predictions, and the accuracy."""


def mcc(cells: Cells) -> FloatArray:
    """Return Matthews' correlation coefficient of chances; NaN where a margin is 0."""
    a, b, c, d = cells
    return np.asarray((a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d)))


def kappa(cells: Cells) -> FloatArray:
    """Return Cohen's kappa of chances; NaN where both margins are of one class."""
    a, b, c, d = cells
    return np.asarray(2 * (a * d - b * c) / ((a + b) * (b + d) + (c + d) * (a + c)))


def extremes(
    statistic: Statistic, view: View, values: FloatArray, lows: FloatArray, highs: FloatArray, *, rounds: int = _ROUNDS
) -> tuple[FloatArray, FloatArray]:
    r"""Return the least and the largest value of a measure in the region that the limits of three shares span.

    `values`, `lows` and `highs` are arrays 3 x tables of the shares :math:`\hat\theta_i` and their limits. The region is

    .. math:: \sum_{i=1}^{3} \Bigl(\frac{\theta_i - \hat\theta_i}{d_i}\Bigr)^2 \le 1, \quad
              d_i = u_i - \hat\theta_i \text{ above, } \hat\theta_i - l_i \text{ below} :

    an ellipsoid with its own half-axes in every octant. A share that raises the measure is above its value where the measure is
    largest, and below where it is least; of the others both sides are tried. In each octant the surface has two
    angles, which a grid searches that shrinks around its best point. The value at the centre counts as well.

    >>> shares = np.array([[0.9], [0.8], [0.5]])
    >>> low, high = extremes(mcc, RECALLS, shares, shares - 0.1, shares + 0.1)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.561, 0.8471)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (_extreme(statistic, view, values, lows, highs, side, rounds) for side in (-1, 1))
        middle = statistic(view.cells(*values))
    return np.fmin(low, middle), np.fmax(high, middle)


def _extreme(
    statistic: Statistic, view: View, values: FloatArray, lows: FloatArray, highs: FloatArray, side: int, rounds: int
) -> FloatArray:
    """Return the least (side -1) or the largest (side 1) value on the surface."""
    ways = [(side,) if rising else (-1, 1) for rising in view.rising]
    above = np.array(list(product(*ways))).T[:, np.newaxis] > 0
    axes = np.where(above, (highs - values)[..., np.newaxis], (lows - values)[..., np.newaxis])[..., np.newaxis, np.newaxis]
    centre = values[..., np.newaxis, np.newaxis, np.newaxis]
    start, span = np.zeros((2, *axes.shape[1:3])), np.full((2, *axes.shape[1:3]), np.pi / 2)
    best = np.full(axes.shape[1:3], -np.inf)
    for points in (_FIRST, *[_GRID] * (rounds - 1)):
        steps = np.linspace(0, 1, points)
        turn, tilt = start[..., np.newaxis] + span[..., np.newaxis] * steps
        flat = np.cos(tilt)[..., np.newaxis, :]
        parts = (np.cos(turn)[..., np.newaxis] * flat, np.sin(turn)[..., np.newaxis] * flat, np.sin(tilt)[..., np.newaxis, :])
        at = (np.clip(mid + axis * part, 0.0, 1.0) for mid, axis, part in zip(centre, axes, parts, strict=True))
        reached = (side * statistic(view.cells(*at))).reshape(*best.shape, -1)
        reached[np.isnan(reached)] = -np.inf
        top = reached.argmax(axis=-1)
        best = np.maximum(best, reached.max(axis=-1))
        middle, width = start + span * steps[np.array(np.divmod(top, points))], span * (_BESIDE / (points - 1))
        start = np.maximum(middle - width, 0.0)
        stop = np.minimum(middle + width, np.pi / 2)
        pole = stop[1] >= np.pi / 2  # where every turn is the same point, and each leads another way
        start[0], stop[0] = np.where(pole, 0.0, start[0]), np.where(pole, np.pi / 2, stop[0])
        span = stop - start
    return np.asarray(side * best.max(axis=-1))
