"""Columns of labels as class numbers, whatever type they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import AnyArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.predictions.cells import indices_of, numbers_of, view
from adjudge.predictions.gaps import Gaps
from adjudge.predictions.labels import MISSING, Codebook, UnknownLabelError, is_nothing, text_of, whole
from adjudge.predictions.spellings import meant

MISSING_CLASS = "(missing)"
"""The class that missing labels form when the user asks for one."""


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
            msg = wording(f"column {quoted(name)} {error}{rows}. List it in ", argument("classes"), ".")
            raise InputError(msg) from error
        if codes.min(initial=0) != MISSING:
            return codes
        gone = np.flatnonzero(codes == MISSING)
        if self.missing_is_class:
            codes[gone] = self._class_of_missing(name)
            return codes
        self.gaps.add(name, gone, before or 0)
        return codes

    def _class_of_missing(self, name: str) -> int:
        try:
            return self.book.code(MISSING_CLASS)
        except UnknownLabelError as error:
            msg = wording(
                f"column {quoted(name)} has missing labels; for ",
                argument("missing", "class"),
                f" add {MISSING_CLASS} to ",
                argument("classes"),
                ".",
            )
            raise InputError(msg) from error

    def codes(self, array: pa.Array, name: str) -> IntArray:
        """Return the codes of some rows."""
        if kinds.is_nested(array.type):
            msg = f"column {quoted(name)} holds several values a row where one label is needed."
            raise InputError(msg)
        if self.relabel:
            return self._relabelled_codes(array, name)
        kind = array.type.value_type if kinds.is_dictionary(array.type) else array.type
        self.families.setdefault(name, "cells" if self.cells else _family(kind))
        if kinds.is_integer(array.type) and not array.null_count and not self.as_text:
            return self.book.encode_whole(view(array))
        if kinds.is_floating(array.type) and not self.as_text:
            return self._float_codes(numbers_of(array, name), name)
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
        self.families.setdefault(name, "cells" if self.cells else _family_of(values))
        if self.cells or self.as_text:
            none = [v is None or v != v or (self.cells and is_nothing(v)) for v in values]  # noqa: PLR0124
            values = [None if gone else text_of(v) for v, gone in zip(values, none, strict=True)]
        return self.book.encode_values(values, indices_of(encoded), cells=self.cells and not self.as_text)

    def _float_codes(self, values: AnyArray, name: str) -> IntArray:
        gone = np.isnan(values)
        if not gone.any():
            return self.book.encode_whole(whole(values, name))
        codes = np.full(values.size, MISSING, dtype=np.int64)
        codes[~gone] = self.book.encode_whole(whole(values[~gone], name))
        return codes


def _family_of(values: Sequence[Any]) -> str:
    """Return the family of types of labels that were read already."""
    types = {type(v) for v in values if v is not None and v == v}  # noqa: PLR0124
    if types == {bool}:
        return "bool"
    return "text" if str in types else "int"


def _family(kind: pa.DataType) -> str:
    for name, test in (("bool", kinds.is_boolean), ("int", kinds.is_integer), ("float", kinds.is_floating)):
        if test(kind):
            return name
    return "text" if kinds.is_string(kind) or kinds.is_large_string(kind) else str(kind)
