"""Refuse the first line of a CSV file that is a row of data, and rows that repeat the header: both would be silent."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from adjudge._base import InputError, argument, listed, safe
from adjudge.predictions.columns import Column
from adjudge.predictions.labels import parse

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d{1,15}")


def refuse_headless(name: str, columns: Sequence[Column]) -> None:
    """Refuse a file of which all columns are named as a cell of theirs is; names that may be a header's are passed."""
    if len(columns) > 1 and looks_like_row(columns) and _repeated(columns) is None:
        msg = f"{_told(name, columns)}; if it is one, name the true class with "
        raise InputError(msg, argument("truth"), ".")


def refuse_repeated(name: str, columns: Sequence[Column]) -> None:
    """Refuse a file in which a row repeats the header."""
    row = _repeated(columns)
    if row is not None:
        msg = f"{safe(name)}: row {row:,} repeats the header, {listed([column.name for column in columns])}. "
        msg += "Remove the headers between the rows, or give the files one by one."
        raise InputError(msg)


def no_header(name: str, columns: Sequence[Column]) -> None:
    """Refuse names that come twice with the reason, where the first line looks like a row."""
    if columns and looks_like_row(columns, unique=False):
        msg = f"{_told(name, columns)}."
        raise InputError(msg)


def _told(name: str, columns: Sequence[Column]) -> str:
    cells = listed([column.name for column in columns])
    told = f"{safe(name)}: the first line, {cells}, looks like a row and not like a header. "
    return f"{told}Add a line that names the columns, such as truth,predicted"


def looks_like_row(columns: Sequence[Column], *, unique: bool = True) -> bool:
    """Return whether every name could be a cell of its column, and some surely is one; names that come twice need no more."""
    names = [column.name.strip() for column in columns]
    whole = [int(name) for name in names if _WHOLE.fullmatch(name)]
    counting = whole in (list(range(len(names))), list(range(1, len(names) + 1)))  # as frames name columns, or classes
    sure = False
    for name, column in zip(names, columns, strict=True):
        known = _known(name, column, numbered=unique and counting)
        if known is None:
            return False
        sure |= known
    return sure


def _known(name: str, column: Column, *, numbered: bool) -> bool | None:
    """Return whether a name surely is a cell of its column; None where it is none, and False where nothing speaks against it."""
    if column.kind == "bool":
        return isinstance(parse(name), bool) or None
    number = _NUMBER.fullmatch(name) is not None
    each = column.distinct == column.size > 1 and column.kind != "vector"  # an identity: another one in every row
    if column.numeric:
        if number and _WHOLE.fullmatch(name):
            among = bool(np.any(column.finite == float(name)))
            return among and not numbered if among or each or column.kind == "float" else None
        return (number and column.kind == "float") or None
    if column.kind in ("text", "category") and column.name in column.labels:
        return True
    return False if each and not number else None


def _repeated(columns: Sequence[Column]) -> int | None:
    """Return the first row that repeats the header, where names are in no other rows: files put one after the other."""
    same = [column.values.astype(object) == column.name for column in columns if column.kind in ("text", "category")]
    if not same or len(same) < len(columns):
        return None
    every, some = np.logical_and.reduce(same), np.logical_or.reduce(same)
    return int(np.flatnonzero(every)[0]) + 1 if every.any() and (every == some).all() else None
