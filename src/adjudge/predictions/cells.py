"""Arrow columns as NumPy arrays: numbers, vectors, and the first rows for role finding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.predictions.roles import Column


def numbers_of(array: pa.Array, name: str) -> AnyArray:
    """Return numbers with NaN for nothing; float32 stays float32, so that ties stay what they were."""
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kinds.is_float16(array.type):
        array = array.cast(pa.float32())
    if kinds.is_null(array.type) or kinds.is_boolean(array.type) or kinds.is_decimal(array.type):
        array = array.cast(pa.float64())
    if not (kinds.is_integer(array.type) or kinds.is_floating(array.type)):
        first = next((value for value in array.to_pylist() if value is not None), None)
        msg = f"column {quoted(name)} holds {quoted(first)} where numbers are needed."
        raise InputError(msg)
    if array.null_count:
        array = array.cast(pa.float64() if kinds.is_integer(array.type) else array.type).fill_null(np.nan)
    values = view(array)
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def view(array: pa.Array) -> AnyArray:
    """Return numbers without nulls as they lie in memory; Arrow's own ``to_numpy`` would import pandas."""
    values: AnyArray = np.from_dlpack(array)
    return values


def indices_of(encoded: pa.DictionaryArray) -> AnyArray:
    """Return the place of each row's value in the dictionary, and one past the last where there is none."""
    if not encoded.indices.null_count:
        return view(encoded.indices)
    wide = encoded.indices.cast(pa.int64())  # the place past the last may not fit into what the indices fit into
    return view(wide.fill_null(len(encoded.dictionary)))


def is_vector(array: pa.Array) -> bool:
    """Return whether each cell holds several numbers: a list, Spark's struct, or its text."""
    kind = array.type
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return True
    if kinds.is_struct(kind):
        return {field.name for field in kind} >= {"values", "indices"}
    return (
        _first_text(array)[:1] in ("[", "(") and _first_text(array)[-1:] in ("]", ")") and _parsed(_first_text(array)) is not None
    )


def vectors_of(array: pa.Array, name: str, width: int | None = None) -> FloatArray:
    """Return one row per cell; sparse and dense vectors alike."""
    rows = [_dense(cell, name, width) for cell in array.to_pylist()] if not _is_plain_list(array) else None
    if rows is not None:
        return _stacked(rows, name)
    if kinds.is_fixed_size_list(array.type) and not array.null_count:
        flat = numbers_of(array.flatten(), name)
        return flat.reshape(len(array), array.type.list_size)
    return _stacked([np.asarray(cell if cell is not None else [], dtype=np.float64) for cell in array.to_pylist()], name)


def _is_plain_list(array: pa.Array) -> bool:
    return bool(kinds.is_list(array.type) or kinds.is_large_list(array.type) or kinds.is_fixed_size_list(array.type))


def _stacked(rows: list[FloatArray], name: str) -> FloatArray:
    width = max((row.size for row in rows), default=0)
    if any(row.size not in (0, width) for row in rows):
        sizes = sorted({row.size for row in rows})
        msg = f"column {quoted(name)} holds vectors of different lengths: {sizes}. Give one number per class in each."
        raise InputError(msg)
    empty = np.full(width, np.nan)
    return np.stack([row if row.size else empty for row in rows]) if rows else np.empty((0, width))


def _dense(cell: Any, name: str, width: int | None) -> FloatArray:
    """Return one of Spark's vectors, from its struct or its text."""
    if cell is None:
        return np.empty(0)
    size, indices, values = (
        (cell.get("size"), cell["indices"], cell["values"]) if isinstance(cell, dict) else _must_parse(cell, name)
    )
    if indices is None:
        return np.asarray(values, dtype=np.float64)
    full = np.zeros(size or width or max(indices) + 1)
    full[np.asarray(indices, dtype=np.int64)] = values
    return full


def _must_parse(cell: str, name: str) -> tuple[int | None, list[int] | None, list[float]]:
    parsed = _parsed(cell)
    if parsed is None:
        msg = f"column {quoted(name)} holds {quoted(cell)} where a vector such as [0.2,0.8] is needed."
        raise InputError(msg)
    return parsed


def _parsed(cell: str) -> tuple[int | None, list[int] | None, list[float]] | None:
    """Return (size, indices, values) of '[0.2,0.8]', '[0.2 0.8]' or '(2,[0,1],[0.2,0.8])'."""
    text = cell.strip()
    try:
        if text.startswith("("):
            size, indices, values = text[1:-1].split(",[")[0], *(part.rstrip("])") for part in text[1:-1].split(",[")[1:])
            return int(size), [int(v) for v in indices.split(",") if v], [float(v) for v in values.split(",") if v]
        return None, None, [float(v) for v in text.strip("[]").replace(",", " ").split()]
    except ValueError:
        return None


def _first_text(array: pa.Array) -> str:
    values = array.dictionary if kinds.is_dictionary(array.type) else array
    if not (kinds.is_string(values.type) or kinds.is_large_string(values.type)):
        return ""
    return next((v.strip() for v in values[:10].to_pylist() if v and v.strip()), "")


def column_of(name: str, array: pa.Array) -> Column:
    """Return the first rows of a column as role finding wants them."""
    if is_vector(array):
        return Column(name, "vector", vectors_of(array, name))
    if kinds.is_dictionary(array.type):
        return Column(name, "category", _objects(array))
    for kind, test in (
        ("bool", kinds.is_boolean),
        ("int", kinds.is_integer),
        ("float", kinds.is_floating),
        ("float", kinds.is_decimal),
    ):
        if test(array.type):
            return Column(name, kind, numbers_of(array, name).astype(np.float64))  # type: ignore[arg-type]
    return Column(name, "text", _objects(array))


def _objects(array: pa.Array) -> AnyArray:
    values = np.empty(len(array), dtype=object)
    values[:] = [None if v is None else v if isinstance(v, str) else str(v) for v in array.to_pylist()]
    return values
