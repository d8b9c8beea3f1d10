"""Predictions of a numeric target, given out as blocks of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import BoolArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted, safe
from adjudge.predictions.cells import numbers_of, weights_of
from adjudge.predictions.gaps import Gaps
from adjudge.predictions.model import Predictions

LARGEST = 1e150
"""Numbers beyond this have squares that sums of losses cannot hold."""
_HEAD = 5000
_FEW = 20  # so many different whole numbers may be classes


def are_numbers(predictions: Predictions) -> bool:
    """Return whether the target is measured rather than named: what the roles say, else what the first rows hold."""
    roles = predictions.roles
    if roles.predicted is None or roles.scores or predictions.reading.labels_as == "str":
        return False
    if roles.numeric is not None:
        return roles.numeric
    head = predictions.source.head(_HEAD)
    if not all(_is_number(head[name].type) for name in (roles.truth, roles.predicted)):
        return False
    truth, predicted = (_finite(head[name], name) for name in (roles.truth, roles.predicted))
    return _has_fractions(truth) or (_has_fractions(predicted) and len(np.unique(truth)) > _FEW)


def _is_number(kind: pa.DataType) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def _finite(column: pa.Array, name: str) -> FloatArray:
    values = numbers_of(column, name).astype(np.float64)
    return values[np.isfinite(values)]


def _has_fractions(values: FloatArray) -> bool:
    return bool(np.any(values != np.floor(values)))


class NumberBlock(NamedTuple):
    """Some rows of a numeric predictor."""

    truth: FloatArray
    predicted: FloatArray
    weight: FloatArray
    row: pa.Array | None


def number_blocks(predictions: Predictions, *, rows: bool = False) -> Iterator[NumberBlock]:
    """Yield truth, prediction and weight of the rows that have both numbers, refusing what is not finite; identities if asked."""
    roles, n, judged = predictions.roles, 0, 0
    if roles.predicted is None:
        msg = wording("The losses of a numeric predictor need its predictions; name the column with ", argument("predicted"), ".")
        raise InputError(msg)
    pair = [roles.truth, roles.predicted]
    named = [roles.row] if rows and roles.row is not None else []
    for batch in predictions.source.batches(named, [*pair, *([roles.weight] if roles.weight else [])]):
        truth, predicted = (numbers_of(batch[name], name).astype(np.float64) for name in pair)
        weight = np.ones(truth.size) if roles.weight is None else weights_of(batch[roles.weight], roles.weight, n)
        keep = ~(_gone(truth, pair[0], n, predictions) | _gone(predicted, pair[1], n, predictions))
        n += keep.size
        judged += int(np.count_nonzero(keep))
        row = batch[named[0]] if named else None
        if keep.all():
            yield NumberBlock(truth, predicted, weight, row)
        elif keep.any():
            kept = None if row is None else row.filter(pa.array(keep))
            yield NumberBlock(truth[keep], predicted[keep], weight[keep], kept)
    if not judged:
        msg = f"{safe(predictions.source.name)}: no rows {f'left to judge of {n:,}' if n else 'to judge'}."
        raise InputError(msg)


def _gone(values: FloatArray, name: str, before: int, predictions: Predictions) -> BoolArray:
    """Return which rows lack a number, once it is known that they may and that all others are finite."""
    endless = np.flatnonzero(np.abs(values) > LARGEST)
    if endless.size:
        at = int(endless[0])
        what = "not a finite number" if np.isinf(values[at]) else "too large: its square is no finite number. Use a larger unit"
        msg = f"column {quoted(name)}, row {before + at + 1:,}: {values[at]:g} is {what}."
        raise InputError(msg)
    gone: BoolArray = np.isnan(values)
    if gone.any() and predictions.reading.missing != "drop":
        gaps = Gaps()
        gaps.add(name, np.flatnonzero(gone), before)
        msg = wording(
            f"column {quoted(name)} has {gaps.columns[name]}; pass ", argument("missing", "drop"), " to leave such rows out."
        )
        raise InputError(msg)
    return gone
