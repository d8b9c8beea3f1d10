"""The clusters of rows as 64-bit numbers that follow from their names alone: the same in every file, engine and process."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, argument, quoted
from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge.predictions.cells import indices_of, numbers_of
from adjudge.predictions.labels import NOTHING, is_gone
from adjudge.predictions.streams import own_texts
from adjudge.predictions.text_numbers import mixed, text_numbers

_DIGITS = "(0|-?[1-9][0-9]{0,17})"
_WHOLE = re.compile(_DIGITS)
_NOTHING = f"^(?:{'|'.join(NOTHING)})$"
MOST_NAMED = 4096  # clusters whose names are kept
_EVEN = 2.0**53  # floats up to it are whole numbers exactly


def cluster_keys(array: pa.Array, column: str) -> tuple[IntArray, dict[int, Any], BoolArray]:
    """Return the number of each row's cluster, the names by number, and which rows have none."""
    if kinds.is_nested(array.type):
        msg = f"column {quoted(column)} holds several values a row, which name no cluster; name another "
        raise InputError(msg, argument("cluster"), ".")
    if (kinds.is_integer(array.type) and not kinds.is_uint64(array.type)) or kinds.is_floating(array.type):
        if kinds.is_integer(array.type):  # as floats, large ones would lose their last digits
            gone = array.is_null().to_numpy(zero_copy_only=False)
            numbers = array.fill_null(0).to_numpy()
        else:
            numbers = numbers_of(array, column)
            gone = np.isnan(numbers)
        values, where = np.unique(np.where(gone, 0, numbers), return_inverse=True)
        held: list[Any] = values.tolist()
        if values.dtype.kind == "f" and (whole := (values == np.floor(values)) & (np.abs(values) < _EVEN)).any():
            held = [int(value) if even else value for value, even in zip(held, whole.tolist(), strict=True)]
        keys = np.array([_key(value) for value in held], dtype=np.uint64).view(np.int64)
        return keys[where], dict(zip(keys.tolist(), held, strict=True)), gone
    encoded = own_texts(array) if kinds.is_dictionary(array.type) else array.dictionary_encode()
    places = indices_of(encoded)
    if kinds.is_string(encoded.dictionary.type) or kinds.is_large_string(encoded.dictionary.type):
        keys, nothing = _of_texts(encoded.dictionary)
        few = keys.size <= MOST_NAMED
        held = [_plain(value) for value in encoded.dictionary.to_pylist()] if few else []
        names = dict(zip(keys.tolist(), held, strict=few))
        return np.append(keys, 0)[places], names, np.append(nothing, [True])[places]
    held = [_plain(value) for value in encoded.dictionary.to_pylist()]
    keys = np.array([*map(_key, held), 0], dtype=np.uint64).view(np.int64)
    gone = np.array([*(is_gone(value) for value in held), True], dtype=bool)[places]
    return keys[places], dict(zip(keys[:-1].tolist(), held, strict=True)), gone


def _plain(value: Any) -> Any:
    """Return a name as all types of columns have it: 12.0 and the text "12" are 12, and bytes are text."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (float, Decimal)) and math.isfinite(value) and value == int(value):
        return int(value) if isinstance(value, Decimal) or abs(value) < _EVEN else value
    return value


def _of_texts(texts: pa.Array) -> tuple[IntArray, BoolArray]:
    """Return the number of each text, and which stand for nothing; one that is a whole number has the number of that."""
    import pyarrow.compute as pc

    keys = text_numbers(texts)
    whole = pc.match_substring_regex(texts, rf"^{_DIGITS}$").fill_null(fill_value=False)
    at = np.flatnonzero(whole.to_numpy(zero_copy_only=False))
    if at.size:
        keys[at] = mixed(texts.filter(whole).cast(pa.int64()).to_numpy().view(np.uint64))
    nothing = pc.or_(texts.is_null(), pc.match_substring_regex(texts, _NOTHING).fill_null(fill_value=False))
    return keys.view(np.int64), nothing.to_numpy(zero_copy_only=False)


def _key(value: Any) -> int:
    """Return the number of a name; a whole number has the same as its text."""
    text = str(value)
    if isinstance(value, bool) or not _WHOLE.fullmatch(text):
        return int(text_numbers(pa.array([text.encode("utf-8", "surrogatepass")]))[0])
    return int(mixed(np.array([int(text)]).view(np.uint64))[0])


def of_missing(keys: IntArray, gone: BoolArray, names: dict[int, Any], name: str) -> tuple[AnyArray, dict[int, Any]]:
    """Return the same with rows without a cluster in one of that name."""
    key = int(np.uint64(_key(name)).view(np.int64))
    return np.where(gone, key, keys), names | {key: name}
