"""The clusters of rows as 64-bit numbers that follow from their names alone: the same in every file, engine and process."""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, argument, quoted
from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge.predictions.cells import indices_of, view
from adjudge.predictions.labels import is_gone

_WHOLE = re.compile(r"(0|-?[1-9]\d{0,17})")
MOST_NAMED = 4096  # clusters whose names are kept
_WIDEST = 10**18  # whole numbers of more digits are texts


def cluster_keys(array: pa.Array, column: str) -> tuple[IntArray, dict[int, Any], BoolArray]:
    """Return the number of each row's cluster, the names by number where these are few, and which rows have none."""
    if kinds.is_nested(array.type):
        msg = f"column {quoted(column)} holds several values a row, which name no cluster; name another "
        raise InputError(msg, argument("cluster"), ".")
    array = array.cast(pa.float32()) if kinds.is_float16(array.type) else array
    encoded = array if kinds.is_dictionary(array.type) else array.dictionary_encode()
    values, places = encoded.dictionary, indices_of(encoded)
    if kinds.is_dictionary(array.type):  # which may hold the names of a whole file
        used = np.flatnonzero(np.bincount(places, minlength=len(values))[: len(values)])
        moved = np.full(len(values) + 1, used.size)
        moved[used] = np.arange(used.size)
        values, places = values.take(pa.array(used)), moved[places]
    whole = view(values) if kinds.is_integer(values.type) and not values.null_count else np.zeros(0)
    if whole.size and int(whole.min()) > -_WIDEST and int(whole.max()) < _WIDEST:
        held: list[Any] = whole.tolist() if whole.size <= MOST_NAMED else []
        keys, none = _mixed(np.append(whole.astype(np.int64), 0).view(np.uint64)).view(np.int64), np.zeros(whole.size, dtype=bool)
    else:
        held = [_plain(value) for value in values.to_pylist()]
        keys, none = np.array([*map(_key, held), 0], dtype=np.uint64).view(np.int64), np.array([*map(is_gone, held)], dtype=bool)
    names = dict(zip(keys[:-1].tolist(), held, strict=True)) if 0 < len(held) <= MOST_NAMED else {}
    return keys[places], names, np.append(none, True)[places]


def _plain(value: Any) -> Any:
    """Return a name as all types of columns have it: 12.0 is 12, and bytes are text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (float, Decimal)) and value == value and abs(float(value)) < _WIDEST and value == int(value):  # noqa: PLR0124 - NaN
        return int(value)
    return value


def _key(value: Any) -> int:
    """Return the number of a name; a whole number has the same as its text."""
    text = str(value)
    if isinstance(value, bool) or not _WHOLE.fullmatch(text):
        return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    return int(_mixed(np.array([int(text)], dtype=np.int64).view(np.uint64))[0])


def _mixed(numbers: AnyArray) -> AnyArray:
    """Return whole numbers as numbers without pattern (SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def of_missing(keys: IntArray, gone: BoolArray, names: dict[int, Any], name: str) -> tuple[AnyArray, dict[int, Any]]:
    """Return the same with rows without a cluster in one of that name."""
    key = int(np.uint64(_key(name)).view(np.int64))
    return np.where(gone, key, keys), names | {key: name}
