"""Memberships and true classes as users hold them, checked once and brought to numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed, safe
from adjudge.predictions.native import frame_columns, named_columns
from adjudge.predictions.spellings import position

_SUMS = 1e-3  # how far a row may be from summing to one
_ROUNDING = 1e-9  # what is off by less is left alone, so that ties stay ties
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows in the simplex, the codes of the true classes where they are known, and the labels of the columns."""

    memberships: FloatArray
    truth: IntArray | None
    classes: tuple[Any, ...]
    decided: IntArray | None = None
    """What the rule itself decided, where that is told."""
    zero: float | None = None
    """The zero point of values that were brought into the simplex, where it was estimated."""


def cases_of(memberships: Any, truth: Any, classes: Any) -> Cases:
    """Return checked cases from memberships and true classes."""
    values, names = columns_of(memberships, classes)
    rows = in_simplex(values)
    numbered = names is None
    labels = tuple(range(rows.shape[1])) if names is None else names
    if len(labels) != rows.shape[1] or len(set(labels)) != len(labels):
        msg = f"classes must name each of the {rows.shape[1]} columns of memberships once; got {listed(labels)}."
        raise InputError(msg)
    return Cases(rows, None if truth is None else codes_of(truth, labels, len(rows), numbered=numbered), labels)


def in_order(cases: Cases, classes: tuple[Any, ...]) -> Cases:
    """Return cases whose columns stand in the order of `classes`."""
    if cases.classes == classes:
        return cases
    if len(cases.classes) != len(classes):
        msg = f"the new cases are of {listed(cases.classes)}, but the space is of {listed(classes)}. Give a column for each."
        raise InputError(msg)
    columns = np.array([position(cases.classes, label) for label in classes])
    place = np.append(np.argsort(columns), -1)
    codes = (None if part is None else place[part] for part in (cases.truth, cases.decided))
    return Cases(cases.memberships[:, columns], next(codes), classes, next(codes))


def columns_of(values: Any, classes: Any) -> tuple[FloatArray, tuple[Any, ...] | None]:
    """Return a matrix of numbers and the names of its columns; named columns are put in the order of `classes`.

    Arrays, and frames whose columns are merely numbered, go by position.
    """
    columns: dict[Any, Any] | None = None
    if isinstance(values, Mapping):
        columns = dict(values)
    elif frame_columns(values) is not None:  # refuses names that come twice
        columns = named_columns(values)
    names = None if classes is None else _labels(classes)
    if columns is None:
        return _numbers(values), names
    known = tuple(columns)
    # Frames call columns without names 0, 1, ...; texts such as "0" are names.
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in known)
    if known and whole and known == tuple(range(len(known))) and (names is None or set(names) != set(known)):
        return _numbers(_side_by_side(list(columns.values()))), names
    names = known if names is None else names
    if not names:
        msg = "memberships have no columns; give one for each class."
        raise InputError(msg)
    if len(names) != len(known):
        msg = f"memberships have columns {listed(known)}, but classes are {listed(names)}; name each column once."
        raise InputError(msg)
    return _numbers(_side_by_side([columns[known[position(known, name)]] for name in names])), names


def _side_by_side(columns: list[Any]) -> AnyArray:
    try:
        lengths = {len(column) for column in columns}
    except TypeError as error:
        msg = f"the columns of memberships must hold a number for every case ({safe(error)})."
        raise InputError(msg) from error
    if len(lengths) > 1:
        msg = f"the columns of memberships differ in length: {listed(sorted(lengths))}. Give a number in each for every case."
        raise InputError(msg)
    for column in columns:
        _check_whole(column)
    return np.column_stack([np.asarray(column) for column in columns])


def _check_whole(values: Any) -> None:
    """Refuse what NumPy would read as numbers although something is hidden in it."""
    if np.ma.is_masked(values):
        msg = "memberships have masked values. Leave such cases out, or give them a finite value."
        raise InputError(msg)
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        msg = "memberships must be real numbers; got complex ones. Give their real parts or their sizes, whichever is meant."
        raise InputError(msg)


def _labels(classes: Any) -> tuple[Any, ...]:
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        msg = f"classes must list the label of each column of memberships; got {classes!r}."
        raise InputError(msg)
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in classes)
    if not all(isinstance(name, Hashable) for name in names):
        msg = f"classes must be labels, such as text or numbers; got {listed(names)}."
        raise InputError(msg)
    return names


def _numbers(values: Any) -> FloatArray:
    """Return a new matrix of finite numbers, cases by classes."""
    _check_whole(values)
    try:
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        msg = f"memberships must be numbers, a row per case and a column per class; got {type(values).__name__} ({safe(error)})."
        raise InputError(msg) from error
    if matrix.ndim != _TWO or matrix.shape[1] < _TWO or not len(matrix):
        msg = f"memberships must have a row per case and a column per class, at least two; got shape {matrix.shape}."
        raise InputError(msg)
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(matrix.sum())
    if suspect and not np.isfinite(matrix).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(matrix)))
        msg = f"memberships[{row}, {column}] is {matrix[row, column]}. Leave such cases out, or give them a finite value."
        raise InputError(msg)
    return matrix


def in_simplex(matrix: FloatArray) -> FloatArray:
    """Return rows that sum to one, refusing others; `matrix` is ours to change."""
    if matrix.min() < -_ROUNDING:
        row, column = (int(place[0]) for place in np.nonzero(matrix < -_ROUNDING))
        came = f"memberships[{row}, {column}] is {matrix[row, column]:g}, below 0"
        msg = f"{came}. Bring decision values, distances or votes into the simplex first: memberships(values)."
        raise InputError(msg)
    np.maximum(matrix, 0.0, out=matrix)
    sums = matrix @ np.ones(matrix.shape[1])
    worst = np.abs(sums - 1).max()
    if worst > _SUMS:
        row = int(np.argmax(np.abs(sums - 1) > _SUMS))
        msg = f"memberships[{row}] sums to {sums[row]:.6g}, not to 1. Bring values into the simplex first: memberships(values)."
        raise InputError(msg)
    return matrix if worst <= _ROUNDING else matrix / sums[:, None]


def codes_of(truth: Any, labels: tuple[Any, ...], rows: int, *, numbered: bool) -> IntArray:
    """Return the place of each true class among the labels."""
    if isinstance(truth, (str, bytes)) or not isinstance(truth, Iterable):
        msg = f"truth must hold one class for each of {counted(rows, 'case')}; got {type(truth).__name__}."
        raise InputError(msg)
    if np.ma.is_masked(truth):
        msg = "truth has masked values; leave such cases out."
        raise InputError(msg)
    if hasattr(truth, "__array__"):
        given = np.asarray(truth)
    else:  # NumPy would make 1 of a list the text "1" beside other text, and cut zeros off text
        held = list(truth)
        whole = bool(held) and all(isinstance(label, (int, np.integer)) for label in held)
        given = np.asarray(held) if whole else np.fromiter(held, dtype=object, count=len(held))
    if given.shape != (rows,):
        msg = f"truth must hold one class for each of {counted(rows, 'case')}; got shape {given.shape}."
        raise InputError(msg)
    if numbered and given.dtype.kind not in "iub":
        msg = f"truth must hold columns of memberships, whole numbers from 0 to {len(labels) - 1}; got {given.dtype}. "
        raise InputError(msg + "Labels need classes=[...].")
    if numbered and given.min() >= 0 and given.max() < len(labels):
        return given.astype(np.int64)
    distinct, places = _distinct(given)
    return np.array([position(labels, label) for label in distinct], dtype=np.int64)[places]


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124 - NaN is the value unlike itself
    except (TypeError, ValueError):  # what cannot even be compared, such as pandas' NA
        return True


def _distinct(given: AnyArray) -> tuple[list[Any], IntArray]:
    """Return the different labels, and which of them each is; mixtures cannot be sorted."""
    labels = given.tolist() if given.dtype == object else []
    if given.dtype == object:
        if not all(isinstance(label, Hashable) for label in labels):
            msg = "truth must hold labels, such as text or numbers."
            raise InputError(msg)
        missing = np.array([_is_missing(label) for label in labels])
    else:
        missing = np.isnan(given) if given.dtype.kind == "f" else np.zeros(1, dtype=bool)
    if missing.any():
        msg = f"truth[{int(np.argmax(missing))}] is missing. Leave cases out whose class is not known."
        raise InputError(msg)
    if given.dtype != object:
        distinct, places = np.unique(given, return_inverse=True)
        return distinct.tolist(), places
    first = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return list(first), np.array([first[label] for label in labels], dtype=np.int64)
