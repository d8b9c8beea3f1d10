"""Whatever a rule decides by - decision values, distances, votes, ranks - as shares of classes that sum to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.partitions.cases import columns_of

_LARGE = 1e150
_SLIGHT = 1e-9


def memberships(values: Any, *, zero: float | None = None, ordinal: bool = False) -> FloatArray:
    """Return values in the simplex: each row as shares that sum to one, in the order of the values.

    Parameters
    ----------
    values : array-like, frame or mapping
        Cases x classes, the higher the more the case belongs to the class. Give distances as their negatives.
    zero : float, optional
        The value that means "not at all", taken from all values before rows are divided by their sums. Left out it is 0 where
        no value is negative (probabilities, votes), and otherwise estimated by the lowest value of all. To bring
        new cases into the same simplex, give the zero point that was used for the old ones.
    ordinal : bool
        Whether only the order within a row means something: then ranks, equal values sharing theirs, over G (G + 1) / 2.

    A row without anything above the zero point belongs to all classes alike.
    Sondhauss and Weihs (2001), whose ranks divided by G do not sum to one.

    >>> memberships([[2.0, 1.0, -1.0], [0.0, 0.0, 1.0]]).round(3)
    array([[0.6 , 0.4 , 0.  ],
           [0.25, 0.25, 0.5 ]])
    >>> memberships([[2.5, -1.0, 7.0, 0.0]], ordinal=True)
    array([[0.3, 0.1, 0.4, 0.2]])
    """
    if not isinstance(ordinal, (bool, np.bool_)):
        msg = f"ordinal must be True or False, got {ordinal!r}."
        raise InputError(msg)
    matrix, _ = columns_of(values, None)
    if ordinal:
        if zero is not None:
            msg = f"ranks have no zero point, but zero={zero!r} was given. Leave out zero= or ordinal=True."
            raise InputError(msg)
        whole = matrix.shape[1] * (matrix.shape[1] + 1) / 2
        return np.asarray(_ranks(matrix) / whole)
    return _shares(matrix, _zero(matrix, zero))


def _zero(matrix: FloatArray, zero: Any) -> float:
    lowest = float(matrix.min())
    if zero is None:
        return min(lowest, 0.0)
    if isinstance(zero, bool) or not isinstance(zero, (int, float, np.integer, np.floating)) or not np.isfinite(zero):
        msg = f"zero must be a finite number, one for all classes; got {zero!r}."
        raise InputError(msg)
    if lowest < zero:
        row, column = (int(place[0]) for place in np.nonzero(matrix < zero))
        msg = f"values[{row}, {column}] is {matrix[row, column]:g}, below zero={zero:g}. Give the lowest value there can be."
        raise InputError(msg)
    return float(zero)


def _shares(matrix: FloatArray, zero: float) -> FloatArray:
    if max(abs(zero), float(np.abs(matrix).max())) > _LARGE:  # differences and sums would overflow
        matrix, zero = matrix / 4 / _LARGE, zero / 4 / _LARGE
    above = matrix - zero
    _check_kept(matrix, above)
    above[above.max(axis=1) == 0] = 1.0
    return np.asarray(above / above.sum(axis=1, keepdims=True))


def _check_kept(matrix: FloatArray, above: FloatArray) -> None:
    """Refuse rows whose differences drown in a zero point that is far away; differences by rounding alone may."""
    steps, kept = (np.diff(np.sort(part, axis=1), axis=1) for part in (matrix, above))
    lost = (kept == 0) & (steps > _SLIGHT * np.abs(matrix).max(axis=1, keepdims=True))
    if lost.any():
        row = int(np.argmax(lost.any(axis=1)))
        came = f"values[{row}] holds different values that become equal, measured from the zero point"
        msg = f"{came}. Leave out or cut the lowest values of all, or use ordinal=True."
        raise InputError(msg)


def _ranks(matrix: FloatArray) -> FloatArray:
    """Return average ranks within rows, from 1 for the lowest."""
    ranks = np.empty_like(matrix)
    for j in range(matrix.shape[1]):
        own = matrix[:, j : j + 1]
        ranks[:, j] = (matrix < own).sum(axis=1) + ((matrix == own).sum(axis=1) + 1) / 2
    return ranks
