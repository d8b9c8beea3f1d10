"""Labels of any type, turned into class numbers as they stream by; True is 1 is 1.0, and "1" is none of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, counted, dataclass, field, listed, quoted
from adjudge._base.arrays import AnyArray, IntArray

MISSING = -1  # the code of a missing label
MOST_CLASSES = 1_000_000
LARGEST_EXACT = 2**53  # whole numbers above this are not all representable as float64
MANY = "More than 2^53 cases: beyond that whole numbers are not exact in floating point. Split the evaluation."
_SPAN = 1 << 16  # whole-number labels this close together are looked up in a table
_UNSEEN = -2
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)(\.0+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_LONGEST_NUMBER = 100  # characters; a longer row of digits is a name
NOTHING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "-nan", "<NA>", "null", "NULL", "None")  # as files write a missing value
_NOTHING = frozenset(NOTHING)
_NAMED_ROWS = 3  # rows of missing values that are named


def text_of(label: Any) -> str:
    """Return the name of a label as a column header would write it: 1.0 and 1 are both '1'."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def parse(text: str) -> Any:
    """Return what a cell of a CSV file means as a label: a whole number, a truth value, nothing, or text."""
    if text in _NOTHING:
        return None
    if len(text) <= _LONGEST_NUMBER and _WHOLE.fullmatch(text) and text[:2] != "-0":
        return int(text.partition(".")[0])
    return {"true": True, "false": False}.get(text.lower(), text) if text[:1] in "tTfF" else text


def is_nothing(label: Any) -> bool:
    """Return whether a label is one of the texts that stand for a missing one."""
    return label in _NOTHING


def is_gone(value: Any, *, cells: bool = True) -> bool:
    """Return whether a value is none: null, NaN or, of `cells`, a text that files write for them."""
    return value is None or value != value or (cells and isinstance(value, str) and is_nothing(value))  # noqa: PLR0124


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return labels sorted: numbers by value, text by code point, mixtures by type first."""
    return sorted(labels, key=lambda v: (_family(v), v if _family(v) in ("number", "text") else str(v)))


def _family(label: Any) -> str:
    if isinstance(label, (bool, int, float, np.number)):
        return "number"
    return "text" if isinstance(label, str) else type(label).__name__


@dataclass(slots=True)
class Codebook:
    """Class numbers in order of first sight, shared by the truth and the decision."""

    _codes: dict[Hashable, int] = field(default_factory=dict)
    _labels: list[Any] = field(default_factory=list)
    _by_name: dict[str, int] = field(default_factory=dict)
    _texts: dict[int, str] = field(default_factory=dict)
    _headers: set[int] = field(default_factory=set)
    closed: bool = False

    @classmethod
    def of(cls, classes: Iterable[Any], *, closed: bool = False, named: bool = False) -> Codebook:
        """Return a book that knows `classes`; `named` ones are texts of a header, to be met by labels of any type."""
        book = cls()
        for code, label in enumerate(classes):
            name = text_of(label)
            if name in book._by_name or label in book._codes:
                msg = f"The class {quoted(label)} is listed twice; list each class once."
                raise InputError(msg)
            book._by_name[name] = code
            book._labels.append(label)
            if named:
                book._headers.add(code)
            else:
                book._codes[label] = code
        book.closed = closed
        return book

    @property
    def labels(self) -> list[Any]:
        """The classes by number; text all through where a column mixed whole numbers with text."""
        labels = list(self._labels)
        if any(isinstance(v, str) for code, v in enumerate(labels) if code not in self._headers):
            return [self._texts.get(i, v if isinstance(v, str) else text_of(v)) for i, v in enumerate(labels)]
        if len(self._headers) == len(labels):
            return labels
        return [parse(v) if code in self._headers else v for code, v in enumerate(labels)]

    def __len__(self) -> int:
        return len(self._labels)

    @property
    def seen(self) -> list[tuple[Any, str | None, int]]:
        """The labels that have a number, in the order of first sight, each with the text of its cell."""
        return [(label, self._texts.get(code), code) for label, code in self._codes.items()]

    def code(self, label: Any, *, cell: str | None = None) -> int:
        """Return the number of `label`, giving it one at first sight; MISSING for nothing."""
        if is_gone(label, cells=False):
            return MISSING
        known = self._codes.get(label)
        if known is not None:
            return known
        # the code a header reserved for it: by its text, or because the header means an equal value
        names = [name for name in (cell, text_of(label)) if name in self._by_name]
        if not names and not isinstance(label, str):
            names = [name for name in self._by_name if parse(name) == label]
        named = self._by_name.pop(names[0]) if names else None
        if named is None and self.closed:
            msg = f"holds {quoted(label)}, which is not among the classes {listed(self._labels)}"
            raise UnknownLabelError(msg)
        code = len(self._labels) if named is None else named
        if code >= MOST_CLASSES:
            msg = f"More than {MOST_CLASSES:,} different labels: this is not a column of classes. Name the truth with "
            raise InputError(msg, argument("truth"), ".")
        if named is None:
            self._labels.append(label)
        else:
            self._labels[named] = label
            self._headers.discard(named)
        self._codes[label] = code
        if cell is not None:
            self._texts[code] = cell
        return code

    def encode_values(self, values: Sequence[Any], indices: IntArray, *, cells: bool) -> IntArray:
        """Return codes for dictionary-encoded labels; `cells` are CSV texts still to be understood."""
        codes = [self.code(parse(v), cell=v) if cells and v is not None else self.code(v) for v in values]
        return np.array([*codes, MISSING], dtype=np.int64)[indices]

    def encode_whole(self, values: AnyArray) -> IntArray:
        """Return codes for whole numbers by a table look-up where they lie close together."""
        if values.size == 0:
            return np.empty(0, dtype=np.int64)
        low, high = int(values.min()), int(values.max())
        if high - low >= _SPAN:
            distinct, indices = np.unique(values, return_inverse=True)
            return np.array([self.code(int(v)) for v in distinct], dtype=np.int64)[indices]
        if values.dtype == np.uint64:
            offsets = (values - np.uint64(low)).astype(np.int64)
        else:
            offsets = values.astype(np.int64, copy=False) - low if low else values
        table = np.full(high - low + 1, _UNSEEN, dtype=np.int64)
        for label, code in self._codes.items():
            if isinstance(label, (bool, int, np.integer)) and low <= label <= high:
                table[int(label) - low] = code
        codes = table.take(offsets)
        if codes.min() == _UNSEEN:
            for offset in np.unique(offsets[codes == _UNSEEN]):
                table[int(offset)] = self.code(low + int(offset))
            codes = table.take(offsets)
        return codes


class UnknownLabelError(InputError):
    """A label outside the declared classes; the reader of the column adds its name."""


def bare(text: str) -> str:
    """Return a text as it looks: one Unicode form, one space for any blanks, none around, and no invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", "".join(mark for mark in text if unicodedata.category(mark) != "Cf"))
    return " ".join(text.split())


def lookalikes(labels: Iterable[Any]) -> list[tuple[str, ...]]:
    """Return groups of text labels that differ only by case, spaces, invisible characters or Unicode form."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            groups.setdefault(bare(bare(label).casefold()), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def is_moment(label: Any) -> bool:
    """Return whether a label is a date, a time or a duration, or text that says a date as ISO 8601 does."""
    return isinstance(label, date | time | timedelta) or (isinstance(label, str) and _MOMENT.fullmatch(label.strip()) is not None)


def whole(values: AnyArray, column: str) -> AnyArray:
    """Return float labels as whole numbers, refusing what a label cannot be."""
    if not np.all(np.isfinite(values)) or np.any(values != np.floor(values)):
        bad = values[~np.isfinite(values) | (values != np.floor(values))][0]
        msg = f"column {quoted(column)} holds {bad:g} among its labels: it looks like scores or measurements. Did you mean "
        more = "? To take the numbers as class names pass "
        raise InputError(msg, argument("scores", column), more, argument("labels_as", "str"), ".")
    if values.size and np.abs(values).max() >= LARGEST_EXACT:
        msg = f"column {quoted(column)} holds labels beyond 2^53 as floating point, where neighbouring whole numbers "
        raise InputError(msg, "can no longer be distinguished. Store them as integers or text.")
    return values.astype(np.int64)


def describe(labels: Sequence[Any], counts: Sequence[int] | None = None, most: int = 8) -> str:
    """Return labels with their counts for a message."""
    if counts is None:
        return listed(labels, most)
    shown = [f"{quoted(v)} ({n:,})" for v, n in zip(labels[:most], counts, strict=False)]
    rest = len(labels) - most
    return ", ".join(shown) + (f" and {counted(rest, 'more class', 'more classes')}" if rest > 0 else "")


@dataclass(slots=True)
class Gap:
    """Missing values of one column: how many, and the first rows."""

    n: int = 0
    rows: list[int] = field(default_factory=list)

    def add(self, at: IntArray, before: int) -> None:
        """Note missing values at these places of a block that starts after `before` rows."""
        self.n += int(at.size)
        self.rows += [before + int(i) + 1 for i in at[: max(0, _NAMED_ROWS - len(self.rows))]]

    def __str__(self) -> str:
        if not self.rows:  # those of a frame in an engine have no numbers
            return counted(self.n, "missing value")
        rows = ", ".join(f"{row:,}" for row in self.rows)
        more = " ..." if self.n > len(self.rows) else ""
        return f"{counted(self.n, 'missing value')} ({'row' if self.n == 1 else 'rows'} {rows}{more})"


@dataclass(slots=True)
class Gaps:
    """The gaps of every column."""

    columns: dict[str, Gap] = field(default_factory=dict)

    def add(self, column: str, at: IntArray, before: int) -> None:
        """Note missing values of `column`, if any."""
        if at.size:
            self.columns.setdefault(column, Gap()).add(at, before)
