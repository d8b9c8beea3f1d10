"""Predictions of a numeric target, given out as blocks of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted, safe
from adjudge.predictions.cells import numbers_of
from adjudge.predictions.model import Predictions


def are_numbers(predictions: Predictions) -> bool:
    """Return whether the truth among the first rows is measured rather than named: numbers with fractions."""
    head, roles = predictions.source.head(5000), predictions.roles
    if roles.predicted is None or roles.scores or predictions.reading.labels_as == "str":
        return False
    columns = [head[name] for name in (roles.truth, roles.predicted)]
    if not all(str(column.type) in ("float", "double", "halffloat") or _whole(column) for column in columns):
        return False
    return _fractions(numbers_of(columns[0], roles.truth))


def _whole(column: object) -> bool:
    return str(getattr(column, "type", "")).startswith(("int", "uint"))


def _fractions(values: FloatArray) -> bool:
    known = values[np.isfinite(values)]
    return bool(np.any(known != np.floor(known)))


def number_blocks(predictions: Predictions) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Yield truth, prediction and weight, refusing what is not a finite number."""
    roles, before = predictions.roles, 0
    if roles.predicted is None:
        msg = "The losses of a numeric predictor need its predictions; name the column with --predicted."
        raise InputError(msg)
    names = [roles.truth, roles.predicted, *([roles.weight] if roles.weight else [])]
    for batch in predictions.source.batches([], names):
        columns = [numbers_of(batch[name], name).astype(np.float64) for name in names]
        for name, values in zip(names, columns, strict=True):
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                msg = f"column {quoted(name)}, row {before + int(bad[0]) + 1:,}: {values[bad[0]]:g} is not a finite number."
                raise InputError(msg)
        before += columns[0].size
        yield columns[0], columns[1], columns[2] if roles.weight else np.ones(columns[0].size)
    if not before:
        msg = f"{safe(predictions.source.name)}: no rows to judge."
        raise InputError(msg)
