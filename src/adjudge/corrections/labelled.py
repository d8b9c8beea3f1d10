"""Probabilities of cases and, beside them, their true classes: checked once, before a correction is fitted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, safe
from adjudge.predictions.native import named_columns
from adjudge.predictions.positive import position
from adjudge.stats._pairs import checked_weight

_SUMS = 1e-3  # how far a row may be from summing to one
_ROUNDING = 1e-9  # what is off by less is left alone, so that ties stay ties


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Cases by classes, with the column of each case's class and of the reference class."""

    p: FloatArray
    y: IntArray
    weight: FloatArray | None
    classes: tuple[Any, ...]
    totals: FloatArray
    """Weight of each class."""
    majority: int

    def count(self, number: float) -> float:
        """Return a number of cases as a whole number where no weights make it anything else."""
        return round(number) if self.weight is None else number


def labelled(
    p: npt.ArrayLike,
    y: Iterable[Any],
    *,
    classes: Sequence[Any] | None = None,
    weight: npt.ArrayLike | None = None,
    majority: int | None = None,
) -> Labelled:
    """Return checked cases; the reference class is the most frequent, the first of equals, unless `majority` names a column."""
    p, classes = in_order(p, classes)
    given = probabilities(p, None)
    rows, k = given.shape
    names = tuple(range(k)) if classes is None else _names(classes, k)
    own = _columns(_flat(y, rows), names, given=classes is not None)
    w = None if weight is None else checked_weight(_weights(weight), rows)
    totals = np.bincount(own, weights=w, minlength=k).astype(np.float64)
    if not totals.any():
        msg = "all weights are 0. Leave weight out for cases that count alike."
        raise InputError(msg)
    return Labelled(given, own, w, names, totals, int(totals.argmax()) if majority is None else _column(majority, k))


def in_order(p: Any, classes: Sequence[Any] | None) -> tuple[Any, Sequence[Any] | None]:
    """Return columns that have names in the order of `classes`, or with their names as classes where none are given.

    Arrays, and frames whose columns are merely numbered, go by position.
    """
    columns = dict(p) if isinstance(p, Mapping) else named_columns(p)
    if columns is None or [str(name) for name in columns] == [str(i) for i in range(len(columns))]:
        return p, classes
    names = tuple(columns) if classes is None else _listed(classes)
    known = tuple(columns)
    return np.column_stack([np.asarray(columns[known[position(known, label)]]) for label in names]), names


def _weights(weight: Any) -> AnyArray:
    try:
        return np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"weight must hold a number for each case; got {safe(error)}."
        raise InputError(msg) from error


def _listed(classes: Any) -> tuple[Any, ...]:
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        msg = f"classes must list the label of each column of p; got {classes!r}."
        raise InputError(msg)
    return tuple(classes)


def probabilities(p: npt.ArrayLike, k: int | None) -> FloatArray:
    """Return rows of probabilities that sum to one, `k` in each; refuse what is none."""
    try:
        values = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"p must hold numbers, one row per case and one column per class; got {type(p).__name__} ({safe(error)})."
        raise InputError(msg) from error
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):  # noqa: PLR2004 - cases by classes
        msg = f"p must have a row per case and a column per class, at least two; got shape {values.shape}."
        raise InputError(msg)
    if k is not None and values.shape[1] != k:
        msg = f"p has {counted(values.shape[1], 'column')}, but the correction was fitted to {counted(k, 'class', 'classes')}."
        raise InputError(msg)
    lowest = values.min()
    if not lowest >= -_ROUNDING:  # NaN is neither
        row, column = (int(place[0]) for place in np.nonzero(~(values >= -_ROUNDING)))
        came = f"p[{row}, {column}] is {values[row, column]:g}"
        msg = f"{came}, no probability. Leave such cases out, or bring scores to probabilities."
        raise InputError(msg)
    return _summing_to_one(np.maximum(values, 0.0) if lowest < 0 else values)


def _summing_to_one(values: FloatArray) -> FloatArray:
    sums = values @ np.ones(values.shape[1])
    off = np.abs(sums - 1)
    worst = off.max()
    if not worst <= _SUMS:
        row = int(np.flatnonzero(~(off <= _SUMS))[0])
        msg = f"p[{row}] sums to {sums[row]:.6g}, not to 1. Divide each row by its sum if these are shares."
        raise InputError(msg)
    return values if worst <= _ROUNDING else values / sums[:, None]


def _flat(y: Iterable[Any], rows: int) -> AnyArray:
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        msg = f"y must hold one class for each of {counted(rows, 'row')} of p; got {type(y).__name__}."
        raise InputError(msg)
    labels = np.asarray(y if hasattr(y, "__len__") else list(y))
    if labels.shape != (rows,):
        msg = f"y must hold one class for each of {counted(rows, 'row')} of p; got shape {labels.shape}."
        raise InputError(msg)
    return labels


def _names(classes: Sequence[Any], k: int) -> tuple[Any, ...]:
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in _listed(classes))
    if not all(isinstance(name, Hashable) for name in names):
        msg = f"classes must be labels, such as text or numbers; got {listed(names)}."
        raise InputError(msg)
    if len(names) != k or len(set(names)) != k:
        msg = f"classes must name each of the {k} columns of p once; got {listed(names)}."
        raise InputError(msg)
    return names


def _columns(labels: AnyArray, names: tuple[Any, ...], *, given: bool) -> IntArray:
    """Return the column of each label."""
    if not given and labels.dtype.kind not in "iub":
        msg = (
            f"y must hold columns of p, whole numbers from 0 to {len(names) - 1}; got {labels.dtype}. Labels need classes=[...]."
        )
        raise InputError(msg)
    if labels.dtype == object:
        found, places = labels.tolist(), np.arange(labels.size)
    else:
        distinct, places = _distinct(labels, len(names), given=given)
        found = distinct.tolist()
    at = {name: column for column, name in enumerate(names)}
    strange = [label for label in found if not isinstance(label, Hashable) or label not in at]
    if strange:
        shown = dict.fromkeys(label if isinstance(label, Hashable) else repr(label) for label in strange)
        msg = f"y has {listed(shown)}, but the columns of p are {listed(names)}."
        raise InputError(msg)
    return np.array([at[label] for label in found], dtype=np.int64)[places]


def _distinct(labels: AnyArray, k: int, *, given: bool) -> tuple[AnyArray, IntArray]:
    """Return the different labels, and which of them each is; columns in range need no sorting."""
    if not given and labels.min() >= 0 and labels.max() < k:
        return np.arange(k), labels.astype(np.int64)
    distinct, places = np.unique(labels, return_inverse=True)
    return distinct, places


def _column(majority: Any, k: int) -> int:
    if isinstance(majority, bool) or not isinstance(majority, (int, np.integer)) or not 0 <= majority < k:
        msg = f"majority must be a column of p, from 0 to {k - 1}; got {majority!r}."
        raise InputError(msg)
    return int(majority)
