"""What narwhals has no word for: expressions over several columns that mean the same in every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from adjudge._base.arrays import IntArray
from adjudge.predictions.cells import HEAVIEST
from adjudge.predictions.roles import Scale


def missing(column: str, kind: Any) -> nw.Expr:
    """Return where a column has no value: null, or among floats NaN."""
    gone = nw.col(column).is_null()
    return gone | nw.col(column).is_nan() if kind.is_float() else gone


def as_name(column: str, kind: Any) -> nw.Expr:
    """Return a column as text that tells the same things apart in every frame: 1.0 is 1, and what is missing is one thing."""
    values = nw.col(column)
    if kind.is_float():
        there = nw.when(~values.is_nan() & values.is_finite()).then(values).otherwise(0.0)
        text = nw.when(there.floor() == there).then(there.cast(nw.Int64).cast(nw.String)).otherwise(values.cast(nw.String))
    else:
        text = values.cast(nw.String)
    return nw.when(~missing(column, kind)).then(text).otherwise(nw.lit("(missing)")).alias(column)


def no_weight() -> nw.Expr:
    """Return where `weight` cannot weigh a case: missing, below 0, or beyond what can be squared."""
    return missing("weight", nw.Float64()) | (nw.col("weight") < 0) | (nw.col("weight") > HEAVIEST)


def any_of(conditions: Sequence[nw.Expr]) -> nw.Expr:
    """Return where at least one holds."""
    return reduce(or_, conditions)


def total(columns: Sequence[str]) -> nw.Expr:
    """Return the sum over columns."""
    return nw.sum_horizontal(*columns)


def largest(frame: nw.LazyFrame[Any], columns: Sequence[str], *, at: str, value: str = "top") -> nw.LazyFrame[Any]:
    """Add the largest of several columns and the number of the first that holds it.

    Pair by pair, each step on what the last one left: an expression that named the last step twice would double at every
    column, and Dask cannot compare a column with the horizontal maximum of others.
    """
    frame = frame.with_columns(nw.col(columns[0]).alias(value), nw.lit(0).cast(nw.Int64).alias(at))
    for i, name in enumerate(columns[1:], start=1):
        more = nw.col(name) > nw.col(value)
        frame = frame.with_columns(
            nw.when(more).then(nw.lit(i)).otherwise(nw.col(at)).alias(at),
            nw.when(more).then(nw.col(name)).otherwise(nw.col(value)).alias(value),
        )
    return frame


def code_of(column: str, labels: Mapping[int, Sequence[Any]]) -> nw.Expr:
    """Return the number whose labels hold a column's value; None among them is the missing one. Others are 0."""
    return nw.sum_horizontal(*(_among(column, each).cast(nw.Int64) * code for code, each in labels.items()))


def by_code(labels: pa.Array, codes: IntArray) -> dict[int, list[Any]]:
    """Return the labels that have each class number, as `code_of` takes them; None is the missing one."""
    found: dict[int, dict[Any, None]] = {}
    for label, code in zip(labels.to_pylist(), codes.tolist(), strict=True):
        found.setdefault(code, {})[None if label != label else label] = None  # noqa: PLR0124 - NaN is missing too
    return {code: list(each) for code, each in found.items()}


def _among(column: str, labels: Sequence[Any]) -> nw.Expr:
    named, gone = [label for label in labels if label is not None], nw.col(column).is_null()
    if len(named) == len(labels):
        return ~gone & nw.col(column).is_in(named)
    return gone | nw.col(column).is_in(named) if named else gone


def as_probabilities(frame: nw.LazyFrame[Any], columns: Sequence[str], scale: Scale) -> nw.LazyFrame[Any]:
    """Bring scores to probabilities where they stand for them, as :mod:`adjudge.predictions.score_columns` does."""
    if scale == "percentages":
        # By a column that no optimiser can see to be constant: polars turns the division by a constant into a product with
        # its reciprocal, which rounds otherwise.
        some = nw.when(nw.col(columns[0]).is_finite()).then(nw.col(columns[0])).otherwise(0.0)
        frame = frame.with_columns((some * 0.0 + 100.0).alias("hundred"))
        return frame.with_columns((nw.col(name) / nw.col("hundred")).alias(name) for name in columns)
    if scale == "votes":
        return _shares(frame, columns)
    return _softmax(frame, columns) if scale == "logits" else frame


def _shares(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> nw.LazyFrame[Any]:
    frame = frame.with_columns(total(columns).alias("votes"))
    return frame.with_columns((nw.col(name) / nw.col("votes")).alias(name) for name in columns)


def _softmax(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> nw.LazyFrame[Any]:
    """One column is a class against a logit of 0; equal infinities share what there is."""
    names = list(columns)
    if len(names) == 1:
        frame, names = frame.with_columns(nw.lit(0.0).alias("against")), [*names, "against"]
    frame = largest(frame, names, at="first", value="most")
    most = nw.col("most")
    frame = frame.with_columns(
        nw.when(nw.col(name) == most).then(nw.lit(0.0)).otherwise(nw.col(name) - most).alias(name) for name in names
    )
    frame = frame.with_columns(nw.col(name).exp().alias(name) for name in names)
    return _shares(frame, names)
