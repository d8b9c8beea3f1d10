"""Rows as a frame of whichever library is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, cast, get_args

import narwhals as nw

from adjudge._base import InputError, parameter

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)  # the first that is installed, unless another is asked for


def frame(rows: Sequence[dict[str, Any]], backend: str | None = None) -> Any:
    """Return rows as a frame; a column that mixes words and numbers, as labels may, is one of words."""
    if backend is not None and backend not in BACKENDS:
        raise InputError(parameter("backend"), f" must be one of {', '.join(BACKENDS)}; got {backend!r}.")
    columns: dict[str, list[Any]] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 and not kinds <= {int, float}:
            values = [None if value is None else str(value) for value in values]
        elif float in kinds:
            values = [None if value is None else float(value) for value in values]
        columns[name] = values
    chosen = cast(Backend, backend) or next(name for name in BACKENDS if find_spec(name) is not None)
    return nw.from_dict(columns, backend=chosen).to_native()
