"""Arrow columns as NumPy arrays: numbers, vectors, and the first rows for role finding."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, argument, quoted
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.predictions.columns import Column, Kind
from adjudge.predictions.labels import LARGEST_EXACT, MANY, is_gone, parse
from adjudge.predictions.names import names_decision, names_truth
from adjudge.predictions.roles import Roles

_WIDEST = 1_000_000  # classes there may be
_Parts = tuple[int | None, list[int] | None, list[float]]

_COUNT = re.compile(r"\s*\+?\d+(\.0*)?([eE]\+?\d+)?\s*")  # as text
HEAVIEST = 1e100  # weights above this would overflow when squared
_TENS = 22  # powers of ten up to this one are exact as float64


def numbers_of(array: pa.Array, name: str) -> AnyArray:
    """Return numbers with NaN for nothing; float32 stays float32, so that ties stay what they were."""
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kinds.is_float16(array.type):
        array = array.cast(pa.float32())
    if kinds.is_decimal(array.type):
        return _nearest(array)
    if kinds.is_null(array.type) or kinds.is_boolean(array.type):
        array = array.cast(pa.float64())
    if not (kinds.is_integer(array.type) or kinds.is_floating(array.type)):
        try:
            example = quoted(next((value for value in array.to_pylist() if value is not None), None))
        except (pa.ArrowException, ValueError, OverflowError):  # nothing that Python can hold
            example = str(array.type)
        msg = f"column {quoted(name)} holds {example} where numbers are needed."
        raise InputError(msg)
    if array.null_count:
        array = array.cast(pa.float64(), safe=False) if kinds.is_integer(array.type) else array
        array = array.fill_null(np.nan)
    values = view(array)
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _nearest(array: pa.Array) -> FloatArray:
    """Return decimal numbers as the float64 nearest to each, NaN for nothing; Arrow's own cast often takes a neighbour of it."""
    array, n, gone = wide_decimals(array), len(array), view(array.is_null().cast(pa.uint8())).astype(bool)
    words = array.type.bit_width // 64
    digits = np.frombuffer(array.buffers()[1], np.int64, n * words, array.offset * words * 8).reshape(n, words)
    low, scale = digits[:, 0], array.type.scale
    exact = (low < LARGEST_EXACT) & (low > -LARGEST_EXACT) & (digits[:, 1:] == low[:, None] >> 63).all(axis=1)
    values: FloatArray = np.where(gone, np.nan, low / 10.0 ** min(max(scale, 0), _TENS))  # the nearest, as both are exact
    rest = ~gone if not 0 <= scale <= _TENS else ~gone & ~exact
    if rest.any():
        values[rest] = view(array.filter(pa.array(rest)).cast(pa.string()).cast(pa.float64()))
    return values


def wide_decimals(array: pa.Array) -> pa.Array:
    """Return decimals of 32 or 64 bits, for which Arrow has few functions, with 128."""
    return array if array.type.bit_width > 64 else array.cast(pa.decimal128(38, array.type.scale))  # noqa: PLR2004 - bits


def whole_decimals(array: pa.Array) -> pa.Array:
    """Return decimals that are whole numbers of up to 64 bits as such, and everything else as it is."""
    if not kinds.is_decimal(array.type):
        return array
    wide = wide_decimals(array)
    try:
        return wide.cast(pa.int64())
    except pa.ArrowInvalid:
        return wide


def weights_of(array: pa.Array, name: str, before: int) -> FloatArray:
    """Return weights as float64, refusing what cannot weigh a case with its row."""
    values = numbers_of(array, name).astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(values) | (values < 0) | (values > HEAVIEST))
    if bad.size:
        at = int(bad[0])
        limit = f"at most {HEAVIEST:g}" if HEAVIEST < values[at] < np.inf else "at least 0"
        msg = f"column {quoted(name)}, row {before + at + 1:,}: the weight {values[at]:g} is not a number of {limit}."
        raise InputError(msg)
    return values


def counts_of(array: pa.Array, name: str, before: int) -> IntArray:
    """Return how many cases each row stands for, refusing what is no whole number of them with its row."""
    if kinds.is_dictionary(array.type) or kinds.is_string(array.type) or kinds.is_large_string(array.type):  # cells of a file
        encoded = array if kinds.is_dictionary(array.type) else array.dictionary_encode()
        cells = ["nan" if is_gone(cell) else str(cell) for cell in encoded.dictionary.to_pylist()]
        each = [float(cell) if cell == "nan" or _COUNT.fullmatch(cell) else -1.0 for cell in cells]
        values = np.array([*each, np.nan])[indices_of(encoded)]
    else:
        values = numbers_of(array, name).astype(np.float64)
    bad = np.flatnonzero(~((values >= 0) & (values <= LARGEST_EXACT) & (values == np.floor(values))))
    if bad.size:
        at = int(bad[0])
        came = "is missing" if np.isnan(values[at]) else f"{quoted(array[at].as_py())} is no whole number from 0 to 2^53"
        msg = f"column {quoted(name)}, row {before + at + 1:,}: the count {came}. Correct it; numbers that weigh cases go to "
        raise InputError(msg, argument("weight"), ".")
    return values.astype(np.int64)


def added_up(cases: int, counts: IntArray) -> int:
    """Return the number of cases with more of them, refusing more than can be counted."""
    cases += int(counts.sum(dtype=np.float64))  # exact up to what is refused
    if cases > LARGEST_EXACT:
        raise InputError(MANY)
    return cases


def amounts_of(batch: dict[str, pa.Array], roles: Roles, before: int) -> AnyArray | None:
    """Return how much each row counts: whole numbers of cases, or weights; None where each is one case."""
    if roles.count is not None:
        return counts_of(batch[roles.count], roles.count, before)
    return None if roles.weight is None else weights_of(batch[roles.weight], roles.weight, before)


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


def column_of(name: str, array: pa.Array) -> Column:
    """Return the first rows of a column as role finding wants them; what cannot be read is text without values."""
    kind: Kind = "text"
    if kinds.is_dictionary(array.type) and is_number(array.type.value_type) and not (names_truth(name) or names_decision(name)):
        array = array.dictionary_decode()  # of labels, too, fractions are categories only where names say labels
    unreadable = np.full(len(array), None, dtype=object)
    try:
        if is_vector(array):
            return Column(name, "vector", vectors_of(array, name))
        if is_list(array.type) or kinds.is_nested(array.type) or kinds.is_null(array.type):
            words = "maps" if kinds.is_map(array.type) else "structs" if kinds.is_struct(array.type) else "no numbers at first"
            words = f"lists of {array.type.value_type}" if is_list(array.type) else words
            msg = f"column {quoted(name)} holds {words}; give one number a row, or lists of numbers, all of one length."
            return Column(name, kind, unreadable if is_list(array.type) else _objects(array), msg)
        if _first_parsed(array) is not None:
            return Column(name, kind, unreadable)
        if kinds.is_boolean(array.type) or kinds.is_integer(array.type):
            kind = "bool" if kinds.is_boolean(array.type) else "int"
        elif is_number(array.type):
            kind = "int" if kinds.is_decimal(array.type) and array.type.scale <= 0 else "float"
        else:
            return Column(name, "category" if kinds.is_dictionary(array.type) else kind, _objects(array))
        return Column(name, kind, numbers_of(array, name).astype(np.float64))
    except (InputError, pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        return Column(name, "text", unreadable, str(error) if isinstance(error, InputError) else "")


def is_number(kind: pa.DataType) -> bool:
    """Return whether a type is one of numbers."""
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def _objects(array: pa.Array, more: int = 0) -> AnyArray:
    """Return texts, and `more` of nothing; those of a dictionary are made once each, for a long one may stand in every row."""
    if kinds.is_dictionary(array.type):
        return _objects(array.dictionary, more=1)[indices_of(array)]
    values = np.full(len(array) + more, None, dtype=object)
    values[: len(array)] = [None if v is None else v if isinstance(v, str) else str(v) for v in array.to_pylist()]
    return values


# -- several numbers a cell ----------------------------------------------------------------------------------


def is_vector(array: pa.Array) -> bool:
    """Return whether each cell holds several numbers: a list, Spark's struct, or its text."""
    kind = array.type
    if is_list(kind):
        return is_number(kind.value_type)
    if kinds.is_struct(kind):
        return {field.name for field in kind} >= {"values", "indices"}
    parsed = _first_parsed(array)
    return parsed is not None and (parsed[1] is not None or len(parsed[2]) > 1)


def vectors_of(array: pa.Array, name: str, width: int | None = None) -> FloatArray:
    """Return one row per cell; sparse and dense vectors alike."""
    if not is_list(array.type):
        return _stacked([_dense(cell, name, width) for cell in array.to_pylist()], name)
    if kinds.is_fixed_size_list(array.type) and not array.null_count:
        return numbers_of(array.flatten(), name).reshape(len(array), array.type.list_size)
    return _stacked([_floats([] if cell is None else cell, cell, name) for cell in array.to_pylist()], name)


def is_list(kind: pa.DataType) -> bool:
    """Return whether a type is one of lists, of whatever layout."""
    tests = (kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list, kinds.is_list_view, kinds.is_large_list_view)
    return any(test(kind) for test in tests)


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
    if cell is None or (isinstance(cell, str) and parse(cell.strip()) is None):
        return np.empty(0)
    parts = (cell.get("size"), cell["indices"], cell["values"]) if isinstance(cell, dict) else _parsed(str(cell))
    if parts is None or parts[2] is None:
        raise _malformed(cell, name)
    size, indices, values = parts
    numbers = _floats(values, cell, name)
    if indices is None:
        return numbers
    full = size or width or max(indices, default=-1) + 1
    sound = len(indices) == numbers.size == len(set(indices)) and 0 < full <= _WIDEST
    if not sound or not all(isinstance(i, int) and 0 <= i < full for i in indices):
        raise _malformed(cell, name)
    vector = np.zeros(full)
    vector[np.asarray(indices, dtype=np.int64)] = numbers
    return vector


def _floats(values: Any, cell: Any, name: str) -> FloatArray:
    try:
        numbers: FloatArray = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise _malformed(cell, name) from error
    if numbers.ndim != 1:
        raise _malformed(cell, name)
    return numbers


def _malformed(cell: Any, name: str) -> InputError:
    msg = f"column {quoted(name)} holds {quoted(cell)} where a vector such as [0.2,0.8] is needed, "
    return InputError(msg, "or (2,[0,1],[0.2,0.8]): its size, the places from 0 on, and the numbers there.")


def _parsed(cell: str) -> _Parts | None:
    """Return (size, indices, values) of '[0.2,0.8]', '[0.2 0.8]' or '(2,[0,1],[0.2,0.8])'."""
    text = cell.strip()
    try:
        if text.startswith("("):
            size, indices, values = text[1:-1].split(",[")[0], *(part.rstrip("])") for part in text[1:-1].split(",[")[1:])
            return int(size), [int(v) for v in indices.split(",") if v], [float(v) for v in values.split(",") if v]
        return None, None, [float(v) for v in text.strip("[]").replace(",", " ").split()]
    except ValueError:
        return None


def _first_parsed(array: pa.Array) -> _Parts | None:
    """Return the parts of the first text there is, where it looks like a vector."""
    values = array.dictionary if kinds.is_dictionary(array.type) else array
    if not (kinds.is_string(values.type) or kinds.is_large_string(values.type)):
        return None
    text = next((v.strip() for v in values[:10].to_pylist() if v and v.strip()), "")
    return _parsed(text) if text[:1] in ("[", "(") and text[-1:] in ("]", ")") else None
