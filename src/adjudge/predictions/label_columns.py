"""Columns of labels as class numbers, whatever type they have; few distinct ones are found without looking at every string."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arguments import argument
from adjudge._base.arrays import BLOCK, AnyArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.predictions.cells import indices_of, numbers_of, view
from adjudge.predictions.labels import MISSING, Codebook, Gaps, UnknownLabelError, is_nothing, text_of, whole
from adjudge.predictions.spellings import meant

MISSING_CLASS = "(missing)"
"""The class that missing labels form when the user asks for one."""
_MOST = 4096  # distinct labels that are found without looking at every string
_NARROW, _WIDE = 8, 20  # bits of a slot
Keys = npt.NDArray[np.uint64]
Words = npt.NDArray[Any]


@dataclass(slots=True)
class LabelReader:
    """Turns label columns into codes of one book; remembers the family of types of each column."""

    book: Codebook
    cells: bool
    as_text: bool = False
    missing_is_class: bool = False
    gaps: Gaps = field(default_factory=Gaps)
    families: dict[str, str] = field(default_factory=dict)
    relabel: Mapping[str, Any] = field(default_factory=dict)
    """The label that another means, by the text of the other."""

    def read(self, array: pa.Array, name: str, before: int | None) -> IntArray:
        """Return the codes of some rows, MISSING where there is no label; `before` is None where rows have no numbers."""
        try:
            codes = self.codes(array, name)
        except UnknownLabelError as error:
            rows = "" if before is None else f" (rows {before + 1:,} to {before + len(array):,})"
            msg = f"column {quoted(name)} {error}{rows}. List it in "
            raise InputError(msg, argument("classes"), ".") from error
        if codes.min(initial=0) != MISSING:
            return codes
        gone = np.flatnonzero(codes == MISSING)
        if not self.missing_is_class:
            self.gaps.add(name, gone, before or 0)
            return codes
        try:
            codes[gone] = self.book.code(MISSING_CLASS)
        except UnknownLabelError as error:
            msg = f"column {quoted(name)} has missing labels; for "
            raise InputError(msg, argument("missing", "class"), f" add {MISSING_CLASS} to ", argument("classes"), ".") from error
        return codes

    def codes(self, array: pa.Array, name: str) -> IntArray:
        """Return the codes of some rows."""
        if kinds.is_nested(array.type):
            msg = f"column {quoted(name)} holds several values a row where one label is needed."
            raise InputError(msg)
        if self.relabel:
            return self._relabelled_codes(array, name)
        kind = array.type.value_type if kinds.is_dictionary(array.type) else array.type
        tests = {"bool": kinds.is_boolean, "int": kinds.is_integer, "float": kinds.is_floating}
        text = kinds.is_string(kind) or kinds.is_large_string(kind)
        family = next((own for own, test in tests.items() if test(kind)), "text" if text else str(kind))
        self.families.setdefault(name, "cells" if self.cells else family)
        if kinds.is_integer(array.type) and not array.null_count and not self.as_text:
            return self.book.encode_whole(view(array))
        if kinds.is_floating(array.type) and not self.as_text:
            numbers = numbers_of(array, name)
            gone = np.isnan(numbers)
            codes = np.full(numbers.size, MISSING, dtype=np.int64)
            codes[~gone] = self.book.encode_whole(whole(numbers[~gone] if gone.any() else numbers, name))
            return codes
        encoded = array if kinds.is_dictionary(array.type) else array.dictionary_encode()
        values = encoded.dictionary.to_pylist()
        if any(isinstance(v, (dict, list)) for v in values[:1]):
            msg = f"column {quoted(name)} holds {quoted(str(values[0]))} where one label is needed; give each class one name."
            raise InputError(msg)
        indices = indices_of(encoded)
        if self.as_text:
            values = [None if v is None or v != v or (self.cells and is_nothing(v)) else text_of(v) for v in values]  # noqa: PLR0124
        return self.book.encode_values(values, indices, cells=self.cells and not self.as_text)

    def _relabelled_codes(self, array: pa.Array, name: str) -> IntArray:
        """Return the codes of the labels that are meant."""
        if kinds.is_floating(array.type):
            numbers = numbers_of(array, name)
            whole(numbers[~np.isnan(numbers)], name)  # refuses scores
        encoded = array if kinds.is_dictionary(array.type) else array.dictionary_encode()
        values = [meant(v, self.relabel, cells=self.cells) for v in encoded.dictionary.to_pylist()]
        types = {type(v) for v in values if v is not None and v == v}  # noqa: PLR0124
        family = "bool" if types == {bool} else "text" if str in types else "int"
        self.families.setdefault(name, "cells" if self.cells else family)
        if self.cells or self.as_text:
            none = [v is None or v != v or (self.cells and is_nothing(v)) for v in values]  # noqa: PLR0124
            values = [None if gone else text_of(v) for v, gone in zip(values, none, strict=True)]
        return self.book.encode_values(values, indices_of(encoded), cells=self.cells and not self.as_text)


def interned(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    """Return a code per row and the distinct labels by code (some may be equal), or None for too many."""
    if not values.size or values.ndim != 1 or not values.flags.c_contiguous:
        return None
    if values.dtype.kind == "O":
        return _by_identity(values) or _by_equality(values)
    if values.dtype.kind != "U" or not values.dtype.isnative or not values.dtype.itemsize:
        return None
    width = np.uint32 if values.dtype.itemsize % 8 else np.uint64  # one or two characters a word
    words: Words = values.view(width).reshape(values.size, -1)
    # a few places where the first labels differ usually tell all of them apart
    vary = [int(i) for i in np.flatnonzero((words[:BLOCK] != words[0]).any(axis=0))]
    coded = _by_words(words, sorted({*vary[:1], *vary[-2:]}) or [0]) or _by_words(words, list(range(words.shape[1])))
    return None if coded is None else (coded[0], values[coded[1]].tolist())


def _by_identity(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    """Code objects by their addresses, which NumPy itself refuses to show as numbers."""
    address = (ctypes.c_uint64 * values.size).from_address(values.ctypes.data)
    with np.errstate(over="ignore"):
        coded = _coded(np.ctypeslib.as_array(address) * _factors(1)[0])
    return None if coded is None else (coded[0], [values[i] for i in coded[1]])


def _coded(keys: Keys) -> tuple[IntArray, list[int]] | None:
    """Return codes for hashed keys in order of first sight, and the row each was first seen in."""
    codes, table = np.empty(keys.size, dtype=np.int64), _Slots()
    for start in range(0, keys.size, BLOCK):
        part, out = keys[start : start + BLOCK], codes[start : start + BLOCK]
        if not table.knows(part) and not table.learn_from(part, start):
            return None
        table.code(part, out)
    return codes, list(table.first.values())


def _by_equality(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    codes = np.empty(values.size, dtype=np.int64)
    book: defaultdict[Any, int] = defaultdict()
    book.default_factory = book.__len__  # numbers in order of first sight
    for start in range(0, values.size, BLOCK):
        part = values[start : start + BLOCK]
        try:
            codes[start : start + BLOCK] = np.fromiter(map(book.__getitem__, part), dtype=np.int64, count=part.size)
        except TypeError:  # a label that cannot be a key; Arrow will name it
            return None
        if len(book) > _MOST:
            return None
    return codes, list(book)


def _by_words(words: Words, places: list[int]) -> tuple[IntArray, list[int]] | None:
    """Code rows by a hash of the words at some places, and make sure in every block that equal codes are equal rows."""
    codes, table, factors = np.empty(len(words), dtype=np.int64), _Slots(), _factors(len(places))
    alike = np.ascontiguousarray(words[:0].T)
    for start in range(0, len(words), BLOCK):
        part, out = words[start : start + BLOCK], codes[start : start + BLOCK]
        keys: Keys = np.multiply(part[:, places[0]], factors[0], dtype=np.uint64)
        for place, factor in zip(places[1:], factors[1:], strict=True):
            keys += part[:, place] * factor
        table.code(keys, out)
        if not _all_alike(alike, out, part):
            if not table.learn_from(keys, start):
                return None
            alike = np.ascontiguousarray(words[list(table.first.values())].T)
            table.code(keys, out)
            if not _all_alike(alike, out, part):
                return None  # two labels share a hash
    return codes, list(table.first.values())


def _all_alike(alike: Words, codes: IntArray, part: Words) -> bool:
    return alike.shape[1] > 0 and all((label.take(codes) == part[:, i]).all() for i, label in enumerate(alike))


def _factors(n: int) -> Keys:
    """Return odd numbers without pattern (SplitMix64), one per word."""
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        return (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB) | np.uint64(1)


class _Slots:
    """A table of hashed keys by their highest bits, with the row each was first seen in; wider where two meet in a slot."""

    def __init__(self) -> None:
        self.first: dict[int, int] = {}
        self._build(_NARROW)

    def code(self, keys: Keys, out: IntArray) -> None:
        """Write the code of each key; that of an unknown key is meaningless."""
        self.codes.take((keys >> self.shift).view(np.int64), out=out)

    def knows(self, keys: Keys) -> bool:
        """Return whether every key is in the table."""
        return bool((self.keys.take((keys >> self.shift).view(np.int64)) == keys).all())

    def learn_from(self, keys: Keys, start: int) -> bool:
        """Take in the new ones of some keys with the rows they were first seen in; say whether they found room."""
        fresh, rows = np.unique(keys, return_index=True)
        if fresh.size > _MOST:
            return False
        self.first |= {int(k): start + int(row) for k, row in zip(fresh, rows, strict=True) if int(k) not in self.first}
        return len(self.first) <= _MOST and any(self._build(bits) for bits in range(self.bits, _WIDE + 1))

    def _build(self, bits: int) -> bool:
        self.bits, self.shift = bits, np.uint64(64 - bits)
        keys = np.fromiter(self.first, dtype=np.uint64, count=len(self.first))
        slots = keys >> self.shift
        self.keys = (
            np.arange(1 << bits, dtype=np.uint64) ^ np.uint64(1)
        ) << self.shift  # no key of a slot has its neighbour's bits
        self.keys[slots] = keys
        self.codes = np.zeros(1 << bits, dtype=np.int64)
        self.codes[slots] = np.arange(keys.size)
        return bool(np.unique(slots).size == keys.size)
