"""What a file of counts says of itself, believed only where it can be so: whoever wrote the file, no later sum may stumble."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray

MOST = 2.0**500
"""More than sums of weights come to; their squares are finite."""
_MOST_WHOLE = 2.0**53


def must(sound: bool, why: str) -> None:  # noqa: FBT001 - reads as a sentence
    """Refuse what is not sound; the reader of the file tells it as a fault of the file."""
    if not sound:
        raise ValueError(why)


def whole(value: Any, what: str, *, least: int = 0) -> int:
    """Return a whole number of at least so much."""
    must(type(value) is int and value >= least, f"{what} is no whole number of at least {least}")
    return int(value)


def number(value: Any, what: str, *, least: float) -> float:
    """Return a number of at least so much, which may be infinite."""
    must(type(value) in (int, float) and value >= least, f"{what} is no number of at least {least:g}")
    return float(value)


def text(value: Any, what: str) -> str:
    """Return text."""
    must(isinstance(value, str), f"{what} is no text")
    return str(value)


def perhaps_text(value: Any, what: str) -> str | None:
    """Return text, or nothing."""
    return None if value is None else text(value, what)


def texts(value: Any, what: str) -> tuple[str, ...]:
    """Return a list of texts."""
    must(isinstance(value, list), f"{what} is no list")
    return tuple(text(each, what) for each in value)


def flag(value: Any, what: str) -> bool:
    """Return true or false."""
    must(isinstance(value, bool), f"{what} is neither true nor false")
    return bool(value)


def one_of(value: Any, known: Sequence[Any], what: str) -> Any:
    """Return one of the values there are."""
    must(any(value == each and type(value) is type(each) for each in known), f"{what} is unknown")
    return value


def place(value: Any, k: int, what: str) -> int | None:
    """Return a place among `k` classes, or nothing."""
    must(value is None or whole(value, what) < k, f"{what} is none of its classes")
    return None if value is None else int(value)


def finite(value: Any, what: str) -> float:
    """Return a finite number."""
    must(type(value) in (int, float) and math.isfinite(value), f"{what} is no finite number")
    return float(value)


def amounts(values: AnyArray, shape: tuple[int, ...], what: str) -> AnyArray:
    """Return an array of finite numbers of at least 0, of that shape, whole ones as int64 and others as float64."""
    must(values.shape == shape and values.dtype.kind in "if", f"{what} has the wrong shape")
    must(bool(np.all((values >= 0) & (values < np.inf))), f"{what} counts less than nothing")
    with np.errstate(over="ignore"):
        must(values.sum(dtype=np.float64) < (_MOST_WHOLE if values.dtype.kind == "i" else np.inf), f"{what} counts too much")
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64)
