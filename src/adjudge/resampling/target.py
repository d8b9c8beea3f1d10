"""What is to be learnt: the target as an array, and its classes, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.predictions.labels import text_of

MOST_SHARE = 0.5
"""Share of different values from which on whole numbers are no classes."""
_TWO = 2


def row_count(X: Any) -> int:
    """Return how many rows there are, whatever holds them."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if not hasattr(X, "__len__") or isinstance(X, (str, bytes)):
        msg = f"X must be a table with one row per case; got {type(X).__name__}."
        raise InputError(msg)
    return len(X)


def numbers_of(y: Any) -> AnyArray:
    """Return a numeric target, refusing what is not a finite number per case."""
    values = _flat(y)
    if values.dtype.kind not in "iufb" or not np.all(np.isfinite(values)):
        kind = f"type {values.dtype}" if values.dtype.kind not in "iufb" else "missing or infinite numbers"
        msg = f"The learner predicts numbers, but y holds {kind}; give one finite number per case."
        raise InputError(msg)
    return values.astype(np.float64)


def classes_of(y: Any) -> tuple[AnyArray, tuple[Any, ...]]:
    """Return the labels as one array and the classes, sorted; refuse missing labels and what cannot be a label."""
    values = _flat(y)
    gone = lacking(values)
    if gone.any():
        msg = f"y lacks a label in {counted(int(gone.sum()), 'row')} (first: row {int(np.argmax(gone))}); leave those rows out."
        raise InputError(msg)
    try:
        classes = np.unique(values)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values.tolist()})
        msg = f"y mixes labels of types {', '.join(kinds)}; give labels of one type, e.g. all as text."
        raise InputError(msg) from None
    if values.dtype.kind == "f" and np.any(classes != np.floor(classes)):
        msg = "The learner predicts classes, but y holds fractions. Give labels, or a learner of numbers (a regressor)."
        raise InputError(msg)
    if classes.size < _TWO:
        msg = f"y holds one class only, {listed(classes.tolist())}; there is nothing to tell apart."
        raise InputError(msg)
    _refuse_same_names(classes.tolist())
    return values, tuple(classes.tolist())


def are_classes(y: Any) -> bool:
    """Return whether a target looks like classes rather than numbers, for plans made without a learner."""
    values = _flat(y)
    if values.dtype.kind not in "iuf":
        return True
    if values.dtype.kind == "f" and np.any(values != np.floor(values)):
        return False
    return np.unique(values).size <= max(_TWO, MOST_SHARE * values.size)


def _flat(y: Any) -> AnyArray:
    values = np.asarray(y)
    if values.ndim == _TWO and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = f"y must have one value per case; got shape {values.shape}. Judge one target at a time."
        raise InputError(msg)
    return values


def lacking(values: AnyArray) -> AnyArray:
    """Tell where a value is missing: None, NaN, or pandas' NA, which is neither like nor unlike itself."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.size, dtype=bool)
    unlike = [v is None or v != v for v in values.tolist()]  # noqa: PLR0124 - NaN is unlike itself
    return np.array(
        [found is not False and (not isinstance(found, (bool, np.bool)) or bool(found)) for found in unlike], dtype=bool
    )


def _refuse_same_names(classes: list[Any]) -> None:
    names = [text_of(label) for label in classes]
    if len(set(names)) < len(names):
        msg = f"Two classes are written alike among {listed(classes)}; rename one of them."
        raise InputError(msg)
