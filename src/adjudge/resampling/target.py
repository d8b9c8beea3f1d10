"""What is to be learnt: the target as an array, and its classes, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.predictions.labels import LARGEST_EXACT, text_of

MOST_SHARE = 0.5
"""Share of different values from which on whole numbers are no classes."""
_TWO = 2


def row_count(X: Any) -> int:
    """Return how many rows there are, whatever holds them."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if shape is not None or not hasattr(X, "__len__") or isinstance(X, (str, bytes, Mapping, AbstractSet)):
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
    _refuse_other_labels(values)
    classes = np.unique(values)
    if values.dtype.kind == "f":
        _refuse_measurements(classes)
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


def _refuse_other_labels(values: AnyArray) -> None:
    """Refuse labels of types that learners do not take or take for something else."""
    if values.dtype.kind in "biufU":
        return
    held = values.dtype.kind == "O"
    kinds = sorted({"str" if isinstance(v, str) else type(v).__name__ for v in values.tolist()}) if held else [str(values.dtype)]
    if len(kinds) > 1:
        msg = f"y mixes labels of types {', '.join(kinds)}; give labels of one type, e.g. all as text."
        raise InputError(msg)
    if kinds != ["str"]:
        size = " of more than 64 bits" if kinds == ["int"] else ""
        text = "label.decode()" if "S" in values.dtype.str or kinds == ["bytes"] else "str(label)"
        msg = f"y holds labels of type {kinds[0]}{size}; give numbers, truth values or text, e.g. [{text} for label in y]."
        raise InputError(msg)


def _refuse_measurements(classes: AnyArray) -> None:
    """Refuse floating-point numbers that name no class."""
    if np.any(classes != np.floor(classes)):
        msg = "The learner predicts classes, but y holds fractions. Give labels, or a learner of numbers (a regressor)."
        raise InputError(msg)
    if np.abs(classes).max() >= LARGEST_EXACT:
        odd = classes[np.argmax(np.abs(classes))]
        msg = f"y holds the label {odd:g}: from 2^53 on floating point does not tell whole numbers apart. Give integers or text."
        raise InputError(msg)


def _flat(y: Any) -> AnyArray:
    """Return the target as an array of one value per case, numbers as numbers whatever they came in."""
    hidden = int(np.ma.getmaskarray(y).sum()) if isinstance(y, np.ma.MaskedArray) else 0
    if hidden:
        msg = f"y is masked in {counted(hidden, 'row')}; leave those rows out."
        raise InputError(msg)
    try:
        values = np.asarray(y)
    except ValueError as error:
        msg = "y must have one value per case; got rows of different lengths. Judge one target at a time."
        raise InputError(msg) from error
    if values.ndim == _TWO and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = f"y must have one value per case; got shape {values.shape}. Judge one target at a time."
        raise InputError(msg)
    if not values.size:
        msg = "y is empty; give one value per case."
        raise InputError(msg)
    return _as_numbers(values) if values.dtype.kind == "O" or values.dtype == np.longdouble else values


def _as_numbers(values: AnyArray) -> AnyArray:
    """Return numbers and truth values kept as objects in an array of their own type, which learners take; others as they are."""
    if values.dtype == np.longdouble:
        return values.astype(np.float64)
    kinds = {type(v) for v in values.tolist()}
    if not all(issubclass(kind, (bool, int, float, np.bool, np.integer, np.floating)) for kind in kinds):
        return values
    made = np.array(values.tolist())
    whole = all(issubclass(kind, (int, np.integer)) for kind in kinds)
    return values if whole and made.dtype.kind not in "biu" else made  # beyond 64 bits they are not numbers a learner can take


def lacking(values: AnyArray) -> AnyArray:
    """Tell where a value is missing: None, NaN, or pandas' NA, which is neither like nor unlike itself."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.size, dtype=bool)
    unlike = [_is_none(v) for v in values.tolist()]
    return np.array(
        [found is not False and (not isinstance(found, (bool, np.bool)) or bool(found)) for found in unlike], dtype=bool
    )


def _is_none(value: Any) -> Any:
    """Say whether a value is None or unlike itself, in whatever form its own comparison says so."""
    try:
        return value is None or value != value  # noqa: PLR0124 - NaN is unlike itself
    except ArithmeticError:  # a Decimal that may not even be compared
        return True


def _refuse_same_names(classes: list[Any]) -> None:
    names = [text_of(label) for label in classes]
    if len(set(names)) < len(names):
        msg = f"Two classes are written alike among {listed(classes)}; rename one of them."
        raise InputError(msg)
