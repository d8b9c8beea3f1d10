"""Cases of a partition: what a rule decides by - probabilities, decision values, distances, votes, ranks - in the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.partitions.cases import Cases, cases_of, columns_of, in_simplex
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Scale

_ALIKE = "Cases of a partition count alike, but these have weights; read them with the weight column left out ("
WEIGHTED = wording(_ALIKE, argument("weight", ""), ").")
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
        ranks, g = np.empty_like(matrix), matrix.shape[1]
        for j in range(g):
            own = matrix[:, j : j + 1]
            ranks[:, j] = (matrix < own).sum(axis=1) + ((matrix == own).sum(axis=1) + 1) / 2
        return np.asarray(ranks / (g * (g + 1) / 2))
    lowest = float(matrix.min())
    origin: Any = min(lowest, 0.0) if zero is None else zero
    if isinstance(origin, bool) or not isinstance(origin, (int, float, np.integer, np.floating)) or not np.isfinite(origin):
        msg = f"zero must be a finite number, one for all classes; got {origin!r}."
        raise InputError(msg)
    if lowest < origin:
        row, column = (int(place[0]) for place in np.nonzero(matrix < origin))
        msg = f"values[{row}, {column}] is {matrix[row, column]:g}, below zero={origin:g}. Give the lowest value there can be."
        raise InputError(msg)
    start = float(origin)
    if max(abs(start), float(np.abs(matrix).max())) > _LARGE:  # differences and sums would overflow
        matrix, start = matrix / 4 / _LARGE, start / 4 / _LARGE
    above = matrix - start
    steps, kept = (np.diff(np.sort(part, axis=1), axis=1) for part in (matrix, above))
    lost = (kept == 0) & (steps > _SLIGHT * np.abs(matrix).max(axis=1, keepdims=True))  # differences by rounding alone may be
    if lost.any():
        row = int(np.argmax(lost.any(axis=1)))
        came = f"values[{row}] holds different values that become equal, measured from the zero point"
        msg = f"{came}. Leave out or cut the lowest values of all, or use ordinal=True."
        raise InputError(msg)
    above[above.max(axis=1) == 0] = 1.0
    return np.asarray(above / above.sum(axis=1, keepdims=True))


def cases_in(memberships: Any, truth: Any, classes: Any) -> Cases:
    """Return checked cases from memberships and true classes, or from predictions, which hold both."""
    if not isinstance(memberships, Predictions):
        return cases_of(memberships, truth, classes)
    if truth is not None or classes is not None:
        msg = "Predictions hold their own truth and classes; leave truth= and classes= out."
        raise InputError(msg)
    if memberships.roles.weight is not None:
        raise InputError(WEIGHTED)
    encoder = Encoder(without_duplicates(memberships))
    blocks = list(encoder.blocks())
    truth, decided = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("truth", "predicted"))
    given = [block.scores for block in blocks if block.scores is not None]
    place = np.full(max(encoder.order) + 2, -1, dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    where = {code: at for at, code in enumerate(encoder.order)}
    columns = [where.get(code, -1) for code in range(given[0].shape[1])] if given else []
    rows, zero = shares(np.concatenate(given) if given else None, columns, encoder.classes, encoder.scores.scale)
    return Cases(rows, place[truth], encoder.classes, place[np.maximum(decided, -1)], zero)


def shares(
    given: AnyArray | None,
    columns: Sequence[int],
    classes: tuple[Any, ...],
    scale: Scale | None,
    whose: str = "these predictions",
) -> tuple[FloatArray, float | None]:
    """Return a membership in each class for every case, from scores whose columns speak of the classes at `columns`.

    A single column of two classes speaks for both. Scores that are no probabilities are brought into the simplex by their
    lowest value, which is returned as their zero point.
    """
    if given is None:
        msg = f"A partition needs probabilities or scores of all classes, and {whose} have none. Name them with "
        raise InputError(msg, argument("scores"), ".")
    values, at, ranks = np.asarray(given, dtype=np.float64), list(columns), scale == "scores"
    if values.shape[1] == 1 and len(classes) == 2:  # noqa: PLR2004 - the other class of two
        values, at = np.column_stack([values, -values if ranks else 1 - values]), [at[0], 1 - at[0]]
    if len(at) != len(classes):
        some = counted(len(at), "class", "classes")
        msg = f"A partition needs scores of all classes: {whose} have them of {some}, but the cases are of {listed(classes)}."
        raise InputError(msg)
    placed = np.empty_like(values)
    placed[:, at] = values
    if not ranks:
        return in_simplex(np.clip(placed, 0, 1)), None
    return memberships(placed), float(min(placed.min(), 0.0))
