"""What users hold, arrays, lists, series, frames of any library, as Arrow columns; narwhals is loaded once a frame comes in."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, listed, parameter, quoted, safe
from adjudge.predictions.frames import in_blocks
from adjudge.predictions.readers import interned
from adjudge.predictions.streams import joined

_TWO = 2


def arrow_of(name: str, values: Any) -> pa.Array:
    """Return `values` as one Arrow array; missing values of any kind become null."""
    rows = hasattr(values, "__len__") and (hasattr(values, "__getitem__") or hasattr(values, "__array__"))
    if not rows or isinstance(values, (str, bytes, bytearray, Mapping)) or getattr(values, "ndim", 1) == 0:
        msg = f"{quoted(name)} is {safe(type(values).__name__)}; give one value per case, e.g. a list or an array."
        raise InputError(msg)
    try:
        array = _array(name, values)
    except InputError:
        raise
    except Exception as error:  # every library has its own
        raise InputError(_mixture(name, values, error)) from error
    if isinstance(array.type, pa.BaseExtensionType):
        kind = getattr(values.to_native() if _is("Series", values) else values, "dtype", array.type)
        msg = f"column {quoted(name)} is of type {safe(kind)}, which adjudge cannot read; give it as text or as numbers."
        raise InputError(msg)
    return array


def _array(name: str, values: Any) -> pa.Array:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _one(values)
    if _is("Series", values):
        if values.implementation.is_polars() and str(values.dtype) == "Object":
            msg = "it holds Python objects"  # of which polars would give out the addresses
            raise TypeError(msg)
        return _one(values.to_arrow())
    if not isinstance(values, np.ndarray):
        return _one(pa.array(values, from_pandas=True))
    if values.ndim > _TWO:  # cases x classes
        msg = f"{quoted(name)} has {values.ndim} dimensions; give one value per case, or cases x classes."
        raise InputError(msg)
    few = interned(values) if values.dtype.kind in "OU" else None
    if few is not None:
        return pa.DictionaryArray.from_arrays(flat(few[0]), pa.array(few[1], from_pandas=True))
    return flat(values) if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat(values.ravel()), values.shape[1])


def flat(values: np.ndarray[Any, Any]) -> pa.Array:
    """Return an array as Arrow; numbers share its memory, as ``pa.array`` would first import pandas, where it is installed."""
    if values.dtype.kind in "iuf" and values.dtype.isnative and not np.ma.isMaskedArray(values):
        held = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), values.size, [None, held])
    # NaN means "missing" only beside text; in an array of floats it is a value that later checks name.
    return _one(pa.array(values, from_pandas=values.dtype.kind == "O"))


def named_columns(values: Any) -> dict[Any, Any] | None:
    """Return the columns of an eager frame by name, or None for anything else."""
    frame = _behind(values)
    return {name: frame.get_column(name) for name in frame.columns} if _is("DataFrame", frame) else None


def is_frame(values: Any) -> bool:
    """Say whether these are rows under named columns, here or in an engine, and not one column."""
    frame = _behind(values)
    stream = hasattr(frame, "__arrow_c_stream__") and hasattr(frame, "schema")  # a column has one, too, but no schema
    return _is("DataFrame", frame) or _is("LazyFrame", frame) or hasattr(frame, "scanner") or in_blocks(frame) or stream


def held(values: Any) -> Any:
    """Return a series of any library behind narwhals, and everything else as it is."""
    return _behind(values, series_only=True)


def _behind(values: Any, **only: bool) -> Any:
    """Return a frame or a series behind narwhals, and everything else as it is: what is no frame does not even load it."""
    if values is None or isinstance(values, (np.ndarray, list, tuple, dict)):
        return values
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(values, pass_through=True, **only)
    except DuplicateError as error:
        names: Any = getattr(values, "column_names", None) or getattr(values, "columns", ())
        texts = [str(name) for name in names]
        twice = [text for text in dict.fromkeys(texts) if texts.count(text) > 1]
        which = listed(twice) if twice else safe(" ".join(str(error).split()), 200)
        msg = f"The frame names columns more than once: {which}. Name each column once."
        raise InputError(msg) from error


def _is(kind: str, values: Any) -> bool:
    """Say whether a value is of a type of narwhals; before that is loaded none is."""
    nw = sys.modules.get("narwhals.stable.v2")
    return nw is not None and isinstance(values, getattr(nw, kind))


def one_column(name: str, values: Any, *, several: bool = False) -> Any:
    """Return one value per case: a column vector as a vector, a tensor as an array; rows of several only where they may be."""
    frame = named_columns(values) if is_frame(values) else None
    if frame is not None:
        first = values.iloc[:, 0] if hasattr(values, "iloc") else next(iter(frame.values()), None)
        values = first if len(frame) == 1 else np.asarray(values)
    if isinstance(values, (set, frozenset, str, bytes, Mapping)) or not hasattr(values, "__len__"):
        told = f" must hold one value per case, such as a list or an array; got {type(values).__name__}."
        raise InputError(parameter(name), told)
    nested = isinstance(values, (list, tuple)) and len(values) and isinstance(values[0], (list, tuple, np.ndarray))
    ours = isinstance(values, (np.ndarray, pa.Array)) or hasattr(values, "isna") or hasattr(values, "__arrow_c_stream__")
    if nested or (hasattr(values, "__array__") and not ours):
        try:
            values = np.asarray(values)
        except (TypeError, ValueError, RuntimeError) as error:  # every library has its own
            raise InputError(parameter(name), f" cannot be read as an array: {safe(str(error), 200)}.") from error
    shape: tuple[int, ...] = getattr(values, "shape", None) or (len(values),)
    if len(shape) == _TWO and shape[1] == 1:
        return values.ravel() if isinstance(values, np.ndarray) else np.asarray(values).ravel()
    if len(shape) > (_TWO if several else 1):
        raise InputError(parameter(name), f" must hold one value per case; got an array of shape {shape}.")
    return values


def check_labels(truth: Any, call: str) -> None:
    """Refuse fractions where the true classes belong, as scores have them."""
    values = np.asarray(truth)
    strange = values[np.isfinite(values) & (values != np.floor(values))] if values.dtype.kind == "f" else values[:0]
    if strange.size:
        told = f" holds {strange[0]:.6g}, which is no label: the true classes come first. Call {call}."
        raise InputError(parameter("y_true"), told)


def check_aligned(columns: Mapping[str, Any]) -> None:
    """Refuse series whose rows are named differently: by position they would be other cases."""
    indexed = {name: values.index for name, values in columns.items() if hasattr(getattr(values, "index", None), "equals")}
    for (first, a), (name, b) in pairwise(indexed.items()):
        if len(a) == len(b) and not a.equals(b):
            msg = f"{first} and {name} have different indices. Align them ({name}.reindex({first}.index)), "
            raise InputError(msg, "or pass arrays to compare by position.")


def declares_order(values: Any) -> bool:
    """Return whether categories were declared; polars' Categorical lists them as the rows came."""
    if _is("Series", values) and values.implementation.is_polars():
        return str(values.dtype) != "Categorical"
    return not isinstance(values, np.ndarray)


def _one(values: Any) -> pa.Array:
    return joined(values) if isinstance(values, pa.ChunkedArray) else values


def _mixture(name: str, values: Any, error: Exception) -> str:
    """Say which types a column mixes, with one row of each."""
    seen: dict[str, tuple[int, Any]] = {}
    for row, value in enumerate(values, start=1):
        seen.setdefault(type(value).__name__, (row, value))
    if isinstance(error, OverflowError):
        return f"column {quoted(name)} holds whole numbers beyond 64 bits; give them as text."
    if isinstance(error, UnicodeEncodeError):
        told = f"holds {quoted(error.object)}, which is no text in Unicode: part of a character is missing"
        return f"column {quoted(name)} {told}. Decode it by its own encoding."
    if len(seen) == 1:
        return f"column {quoted(name)} cannot be read: {safe(str(error), 200).rstrip('.')}. Give its values as text or numbers."
    told = ", ".join(f"{kind} (row {row}: {quoted(value)})" for kind, (row, value) in seen.items())
    return f"column {quoted(name)} mixes types: {told}. Give labels of one type, e.g. all as text."


def frame_columns(source: Any) -> Any:
    """Return the columns of an eager frame or of a stream, a lazy frame or a dataset as such, or None for anything else."""
    frame = _behind(source)
    if _is("LazyFrame", frame) or hasattr(frame, "scanner") or in_blocks(frame):
        return frame
    if hasattr(frame, "__arrow_c_stream__") and not _is("DataFrame", frame):
        frame = _behind(pa.table(frame))  # may be read once only
    if not _is("DataFrame", frame):
        return None
    texts = [str(name) for name in frame.columns]
    twice = [text for text in dict.fromkeys(texts) if texts.count(text) > 1]
    if twice:
        msg = f"The frame names {quoted(twice[0])} more than once; rename the columns so that each is named once."
        raise InputError(msg)
    return {str(name): frame.get_column(name) for name in frame.columns}
