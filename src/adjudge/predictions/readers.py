"""Columns of labels as class numbers, whatever type they have, and columns of scores as a matrix in the order of the classes."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, argument, dataclass, field, listed, quoted
from adjudge._base.arrays import BLOCK, AnyArray, BoolArray, FloatArray, IntArray
from adjudge.predictions.cells import indices_of, numbers_of, vectors_of, view, whole_decimals
from adjudge.predictions.labels import MISSING, Codebook, Gaps, UnknownLabelError, is_gone, text_of, whole
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.spellings import meant, same

MISSING_CLASS = "(missing)"  # the class that missing labels form when the user asks for one
_MOST = 4096  # distinct labels that are found without looking at every string
Form = Literal["none", "single", "vector", "block"]
_DOUBLE, _SINGLE = 1e-3, 1e-2  # how far rows of probabilities may be from summing to one
_DECIMALS = (2, 3, 4)  # to so few cells may have been rounded
_CLOSE = 1e-7  # how far a number may be from a rounded one and still be it
_SLACK = 1e-6  # how far one probability may leave [0, 1]: rounding of a softmax, not a mistake


@dataclass(slots=True)
class LabelReader:
    """Turns label columns into codes of one book; remembers the family of types of each column."""

    book: Codebook
    cells: bool
    as_text: bool = False
    missing_is_class: bool = False
    gaps: Gaps = field(default_factory=Gaps)
    families: dict[str, str] = field(default_factory=dict)
    relabel: Mapping[str, Any] = field(default_factory=dict)  # the label that another means, by the text of the other

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
            msg = f"column {quoted(name)} holds several values a row where one label is needed. Store one."
            raise InputError(msg)
        array = whole_decimals(array)
        if not self.relabel:
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
        elif kinds.is_floating(array.type):
            numbers = numbers_of(array, name)
            whole(numbers[~np.isnan(numbers)], name)  # refuses scores
        encoded = array if kinds.is_dictionary(array.type) else array.dictionary_encode()
        values = [int(v) if isinstance(v, Decimal) and v == int(v) else v for v in encoded.dictionary.to_pylist()]
        if any(isinstance(v, (dict, list)) for v in values[:1]):
            msg = f"column {quoted(name)} holds {quoted(str(values[0]))} where one label is needed; give each class one name."
            raise InputError(msg)
        if self.relabel:
            values = [meant(v, self.relabel, cells=self.cells) for v in values]
            types = {type(v) for v in values if not is_gone(v, cells=False)}
            family = "bool" if types == {bool} else "text" if str in types else "int"
            self.families.setdefault(name, "cells" if self.cells else family)
        if self.cells or self.as_text:
            values = [None if is_gone(v, cells=self.cells) else text_of(v) for v in values]
        return self.book.encode_values(values, indices_of(encoded), cells=self.cells and not self.as_text)


def interned(values: AnyArray) -> tuple[IntArray, list[Any]] | None:
    """Return a code per row and the distinct labels by code, compared by bytes or by address; None for too many."""
    if type(values) not in (np.ndarray, np.memmap):  # whose cells may be more than their bytes, such as masked ones
        return None
    if not values.size or values.ndim != 1 or not values.flags.c_contiguous:
        return None
    if values.dtype.kind == "O":
        coded = _coded(pa.uint64(), values.size, (ctypes.c_uint64 * values.size).from_address(values.ctypes.data))
        if coded is None:
            return _by_equality(values)
        return view(coded.indices), [ctypes.cast(at, ctypes.py_object).value for at in coded.dictionary.to_pylist()]
    readable = values.dtype.kind == "U" and values.dtype.isnative and values.dtype.itemsize
    coded = _coded(pa.binary(values.dtype.itemsize), values.size, values) if readable else None
    if coded is None:
        return None
    return view(coded.indices), np.frombuffer(coded.dictionary.buffers()[1], values.dtype, len(coded.dictionary)).tolist()


def _coded(kind: pa.DataType, n: int, memory: Any) -> pa.DictionaryArray | None:
    """Return the cells of an array as Arrow tells them apart, without a copy; None where there are too many."""
    cells = pa.Array.from_buffers(kind, n, [None, pa.py_buffer(memory)])
    some = (cells[start : start + BLOCK] for start in (0, n // 2, max(n - BLOCK, 0)))  # before all of them are gone through
    coded = None if any(len(each.unique()) > _MOST for each in some) else cells.dictionary_encode()
    return None if coded is None or len(coded.dictionary) > _MOST else coded


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


# -- scores ----------------------------------------------------------------------------------------------------


def brought_to_scale(scores: AnyArray, scale: Scale, columns: tuple[str, ...], first_row: int) -> AnyArray:
    """Return scores that rank as given, as probabilities unless they are plain; those given stay bit by bit, for their ties."""
    if scale == "percentages":
        scores = scores / 100
    elif scale == "votes":
        if scores.shape[1] == 1:
            msg = f"column {listed(columns)}: the votes for one class alone say nothing; give those of every class with "
            raise InputError(msg, argument("scores"), ".")
        _refuse(scores < 0, scores, "below 0", columns, first_row)
        totals = scores.sum(axis=1, keepdims=True, dtype=np.float64)
        empty = np.flatnonzero(totals[:, 0] == 0)
        if empty.size:
            msg = f"row {first_row + int(empty[0]) + 1:,}: all votes in {listed(columns)} are 0; a case needs at least one vote."
            raise InputError(msg)
        scores = np.asarray(scores / totals)
    elif scale == "logits":
        scores = softmax(scores)
    if scale != "scores":
        if scores.min(initial=0) < -_SLACK:
            _refuse(scores < -_SLACK, scores, "below 0", columns, first_row)
        if scores.max(initial=0) > 1 + _SLACK:
            _refuse(scores > 1 + _SLACK, scores, "above 1", columns, first_row)
    if scores.shape[1] > 1 and scale in ("probabilities", "percentages"):
        _check_sums(scores, columns, first_row)
    return scores


def softmax(scores: AnyArray) -> FloatArray:
    """Return exp(s) / sum exp(s), row by row, without overflow; one column is a class against a logit of 0."""
    if scores.shape[1] == 1:
        return softmax(np.column_stack([scores[:, 0], np.zeros(len(scores))]))[:, :1]
    top = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # infinite logits share what there is
        shifted = np.exp(np.where(scores == top, 0.0, scores.astype(np.float64) - top))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def _refuse(bad: BoolArray, scores: AnyArray, where: str, columns: tuple[str, ...], first_row: int) -> None:
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        name = columns[column] if len(columns) == scores.shape[1] else columns[0]
        msg = f"column {listed([name])}, row {first_row + row + 1:,}: the probability {float(scores[row, column]):g} is "
        msg += f"{where} ({int(bad.sum()):,} in this block). If these are not probabilities, say what they are with "
        raise InputError(msg, argument("scores_are"), ".")


def _check_sums(scores: AnyArray, columns: tuple[str, ...], first_row: int) -> None:
    """Refuse rows that are farther from summing to one than rounding, of floats or to a few decimals, takes them."""
    k, sums = scores.shape[1], scores.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    bad = np.flatnonzero(off > (_DOUBLE if scores.dtype == np.float64 else _SINGLE * float(np.sqrt(k))))
    if not bad.size:
        return
    decimals = next((d for d in _DECIMALS if np.allclose(scores, np.round(scores, d), rtol=0, atol=_CLOSE)), None)
    if decimals is None or off.max() > k / 2 * 10.0**-decimals + 1e-9:
        row = int(bad[0])
        msg = f"row {first_row + row + 1:,}: the probabilities in {listed(columns)} sum to {sums[row]:.6g}, not to 1 "
        msg += f"({bad.size:,} such rows in this block). If they are votes, logits or plain scores, say so with "
        raise InputError(msg, argument("scores_are"), ".")


@dataclass(frozen=True, slots=True)
class ScoreReader:
    """Turns score columns into rows x classes, class `i` of the codebook in column `i`; a single score speaks of class 0."""

    form: Form
    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    scale: Scale
    gaps: Gaps = field(default_factory=Gaps)

    def read(self, batch: dict[str, pa.Array], before: int) -> tuple[AnyArray | None, BoolArray | None]:
        """Return the scores, and which rows lacked some, if any; what stands in those rows is to be replaced."""
        if self.form == "none":
            return None, None
        name, gone = self.columns[0], None
        if self.form == "vector":
            raw = vectors_of(batch[name], name, len(self.classes))
            if raw.shape[1] != len(self.classes):
                msg = f"column {quoted(name)} holds {raw.shape[1]} numbers a row for {len(self.classes)} classes."
                raise InputError(msg)
        else:  # column by column in memory: sums over a few classes of each row are many times as fast so
            raw = np.stack([numbers_of(batch[name], name) for name in self.columns]).T
        if np.isnan(raw.min(initial=0)):
            gone = np.asarray(np.isnan(raw).any(axis=1))
            for i, name in enumerate(self.columns):
                part = raw if self.form == "vector" else raw[:, [i]]
                self.gaps.add(name, np.flatnonzero(np.isnan(part).any(axis=1)), before)
            raw = raw.copy()
            raw[gone] = (100 if self.scale == "percentages" else 1) / raw.shape[1]
        return brought_to_scale(raw, self.scale, self.columns, before), gone

    def worst(self, truth: IntArray) -> AnyArray:
        """Return scores that are as wrong as can be, for cases of these classes."""
        low, high = (-np.inf, np.inf) if self.scale == "scores" else (0.0, 1.0)
        if self.form == "single":
            return np.where(truth == 0, low, high)[:, None]
        worst = np.full((truth.size, len(self.classes)), low)
        worst[np.arange(truth.size), np.where(truth == 0, 1, 0)] = high
        return worst


def matched(roles: Roles, classes: tuple[Any, ...] | None, declared: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the classes and columns of a block of scores, in the order the user listed or the data declared."""
    own = {text_of(label): (label, name) for label, name in roles.scores}
    if classes is None:
        place = {text_of(label): i for i, label in enumerate(declared)}
        pairs = sorted(own.values(), key=lambda pair: place.get(text_of(pair[0]), len(place)))
        return tuple(label for label, _ in pairs), tuple(name for _, name in pairs)
    ordered = [next((pair for pair in own.values() if same(pair[0], label)), None) for label in classes]
    absent = [label for label, pair in zip(classes, ordered, strict=True) if pair is None]
    if absent:
        named = listed(label for label, _ in roles.scores)
        msg = f"There is no score column for class {listed(absent)}; the score columns are for {named}."
        raise InputError(msg)
    return classes, tuple(pair[1] for pair in ordered if pair is not None)
