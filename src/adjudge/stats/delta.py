"""Limits for any smooth measure of a table: those of a share of as many cases as the measure is worth.

A measure comes as a function of a stack of tables. It may use the diagonal and the sums of rows and columns, as all
measures here do, and must not depend on the size of the table: twice the cases have the same value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.stats.binomial import wilson

Statistic = Callable[[AnyArray], AnyArray]
ShareLimits = Callable[[float, float, float], tuple[float, float]]
"""Limits of a share from hits, cases and level."""

_STEP = 1e-5  # of what a slope changes with: central differences then have ten digits
_CELLS_AT_ONCE = 1 << 22
_BEYOND = 3  # columns from which on two cells lie off the diagonal and off the hub


def effective_limits(
    statistic: Statistic,
    cases: FloatArray,
    weights: FloatArray,
    steady: FloatArray,
    bounds: tuple[float, float],
    level: float = 0.95,
    limits: ShareLimits = wilson,
) -> tuple[float, float]:
    r"""Return limits for a measure of the table `cases` x `weights`, `cases` being counts of cases of that weight.

    With the table :math:`s = m + a` of cases m steadied by a small part `steady` of a case in each cell, weights w, and
    the measure u brought to [0, 1],

    .. math:: V = \frac{\sum s_{ij}}{\sum m_{ij}} \sum s_{ij} w_{ij}^2 \Bigl(\frac{\partial u}{\partial t_{ij}}\Bigr)^2
              \Big|_{t = sw}, \quad n^* = \frac{u(sw) (1 - u(sw))}{V} ,

    the delta method for a multinomial table; the slopes of a measure that does not depend on the size of the table average
    to 0. The limits are those of a share, Wilson's or others, for :math:`n^* u(mw)` of :math:`n^*` cases (the effective
    size of Korn and Graubard 1998, Surv. Methodol. 24:193-201), so they hold the value seen and have a width even where no
    error was seen. Where nothing can vary, :math:`n^*` is the number of cases.

    >>> accuracy = lambda tables: np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    >>> table = np.array([[8.0, 0.0], [0.0, 2.0]])
    >>> low, high = effective_limits(accuracy, table, np.ones((2, 2)), np.full((2, 2), 0.25), (0, 1))
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    low, span = bounds[0], bounds[1] - bounds[0]
    whole = cases + steady
    smooth = whole * weights
    seen, steadied = (float((statistic(table) - low) / span) for table in (cases * weights, smooth))
    slope = slopes(statistic, smooth) * weights / span
    spread = float((whole * slope**2).sum()) * float(whole.sum() / cases.sum())
    worth = steadied * (1 - steadied) / spread if spread > 0 else float(cases.sum())
    ends = limits(min(max(seen, 0.0), 1.0) * worth, worth, level)
    return low + span * ends[0], low + span * ends[1]


def slopes(statistic: Statistic, table: FloatArray) -> FloatArray:
    r"""Return the slope of a measure in each cell of a table; 0 in rows without a case.

    A measure of the diagonal and the margins has the slopes :math:`r_i + c_j`, and on the diagonal another. So the
    cells of the row and the column of the commonest class, the hub, one cell outside of both, and the diagonal give
    all slopes: some 3 K differences instead of K squared.
    """
    rows, columns = table.shape
    hub = int(np.argmax(np.minimum(table.sum(axis=1), table.sum(axis=0)[:rows])))
    other = _largest(table.sum(axis=1), {hub})
    third = _largest(table.sum(axis=0), {hub, other})
    places = [*((i, hub) for i in range(rows)), *((hub, j) for j in range(columns)), *((i, i) for i in range(rows))]
    found = _differences(statistic, table, np.array([*places, (other, third)]))
    down, along, diagonal = found[:rows], found[rows : rows + columns], found[rows + columns : -1]
    corner = down[other] + along[third] - found[-1] if rows > 1 and columns >= _BEYOND else 0.0
    slope = down[:, np.newaxis] + along - corner
    slope[:, hub], slope[hub, :] = down, along
    np.fill_diagonal(slope, diagonal)
    return np.where(table.sum(axis=1, keepdims=True) > 0, slope, 0.0)


def _largest(sums: FloatArray, but: set[int]) -> int:
    """Return where the largest sum stands, `but` places left out; 0 where none is left."""
    left = [i for i in range(sums.size) if i not in but]
    return max(left, key=lambda i: sums[i], default=0)


def _differences(statistic: Statistic, table: FloatArray, places: IntArray) -> FloatArray:
    """Return central differences at some cells, each over a small part of the sums (and hits) that the cell is in."""
    row, column = places[:, 0], places[:, 1]
    step = np.minimum(table.sum(axis=1)[row], table.sum(axis=0)[column])
    step = _STEP * np.where(row == column, table[row, column], step)
    known = np.flatnonzero(step > 0)
    found = np.zeros(len(places))
    chunk = max(1, _CELLS_AT_ONCE // table.size)
    for part in np.split(known, range(chunk, known.size, chunk)):
        at = (np.arange(part.size), row[part], column[part])
        up, down = np.repeat(table[np.newaxis], part.size, axis=0), np.repeat(table[np.newaxis], part.size, axis=0)
        up[at] += step[part]
        down[at] -= step[part]
        found[part] = (statistic(up) - statistic(down)) / (2 * step[part])
    return found
