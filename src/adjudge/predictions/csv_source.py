"""A CSV file as a source of rows, and the types that the texts of its cells suggest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.labels import NOTHING
from adjudge.predictions.streams import evenly, explained, input_of, joined, opened, printable, rows_of, sha256, zipped

_CSV_BLOCK = 4 << 20
_HEADER_BYTES = 1 << 16
_HEAD_BYTES = 1 << 26
"""First rows are looked at up to this many bytes: cells may be far longer than labels are."""
_LABEL_CELLS = pa.dictionary(pa.int32(), pa.string())
_NO_LABEL, _NO_NUMBER = (
    rf"^({'|'.join(re.escape(text) for text in sorted(texts))})$"
    for texts in (frozenset(NOTHING), frozenset(NOTHING) | frozenset(pacsv.ConvertOptions().null_values))
)
_FIRST = 16  # cells that settle most questions
_MOST_DIGITS = 100  # more of them name something rather than count it
_WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
_DIGITS = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]+$"
_TRUTH = r"(?i)^(true|false)$"


def typed(cells: pa.Array, decimal: str = ".") -> pa.Array:
    """Return texts as int64, float64 or bool where every one of them is such, else as text; nothing is null."""
    known = _without(cells, _NO_NUMBER)
    bare = known.drop_null()
    if not len(bare):
        return pa.nulls(len(cells))
    if _all(bare, _WHOLE) and not _long(bare):
        plain = pc.utf8_ltrim(known, characters="+")
        try:
            return plain.cast(pa.int64())
        except pa.ArrowInvalid:  # beyond 64 bits
            return plain.cast(pa.float64())
    if _all(bare, _TRUTH):
        return pc.equal(pc.utf8_lower(known), "true")
    trimmed = pc.utf8_trim_whitespace(known)
    bare = trimmed.drop_null()
    commas = decimal == ","
    named = pc.any(pc.match_substring_regex(bare, _PADDED)).as_py() or _long(bare)  # a name such as 007
    if not named and not (commas and pc.any(pc.match_substring(bare, ".")).as_py()):
        try:
            return (pc.replace_substring(trimmed, ",", ".") if commas else trimmed).cast(pa.float64())
        except pa.ArrowInvalid:
            pass
    return _without(cells, _NO_LABEL)


def _without(cells: pa.Array, nothing: str) -> pa.Array:
    gone = pc.match_substring_regex(cells, nothing)
    return pc.replace_with_mask(cells, gone, pa.nulls(pc.sum(gone).as_py() or 0, pa.string()))


def _all(cells: pa.Array, pattern: str) -> bool:
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (cells[:_FIRST], cells))


def _long(cells: pa.Array) -> bool:
    """Return whether some cell consists of more digits than a number has."""
    if pc.max(pc.binary_length(cells)).as_py() <= _MOST_DIGITS:
        return False
    digits = cells.filter(pc.match_substring_regex(cells, _DIGITS))
    return len(digits) > 0 and pc.max(pc.binary_length(digits)).as_py() > _MOST_DIGITS


@dataclass(frozen=True)
class CsvSource:
    """A CSV file, plain or gzipped; the separator is found in the header line."""

    path: Path
    cells: bool = True

    @property
    def name(self) -> str:
        """The file's own name."""
        return printable(self.path)

    @cached_property
    def _layout(self) -> pacsv.ParseOptions:
        first = self._lines[self._blank_lines].decode("utf-8", "replace")
        separator = max(",;\t|", key=lambda mark: (first.count(mark), mark == ","))
        return pacsv.ParseOptions(delimiter=separator, newlines_in_values=True)

    @cached_property
    def _blank_lines(self) -> int:
        """Return how many lines stand before the header; Arrow passes over empty ones, but not over spaces."""
        header = next((number for number, line in enumerate(self._lines) if line.strip()), None)
        if header is None:
            msg = f"{safe(self.name)}: the file is empty. Give a CSV file with a header line and one row per case."
            raise InputError(msg)
        return header

    @cached_property
    def _lines(self) -> list[bytes]:
        first = self._first_bytes
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            msg = f"{safe(self.name)}: the file is UTF-16; save it as UTF-8."
            raise InputError(msg)
        return first.removeprefix(b"\xef\xbb\xbf").splitlines()

    @cached_property
    def _first_bytes(self) -> bytes:
        with explained(self.name), opened(self.path) as file:
            return bytes(file.read(_HEADER_BYTES))

    @cached_property
    def _decimal(self) -> str:
        """Return the decimal mark: a comma where semicolons separate and numbers carry commas."""
        comma = self._layout.delimiter == ";" and re.search(rb"(^|;)-?\d+,\d+(;|\r?\n|$)", self._first_bytes, re.MULTILINE)
        return "," if comma else "."

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The header."""
        with explained(self.name), self._open(pacsv.ConvertOptions(), threads=False) as reader:
            names = tuple(reader.schema.names)
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            msg = f"{safe(self.name)}: the header names {listed(twice)} more than once; name each column once."
            raise InputError(msg)
        return names

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, with types as all of their cells suggest."""
        names, batches, have = self.names, [], 0
        options = pacsv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary()))
        with explained(self.name), self._open(options, threads=False) as reader:
            for batch in reader:
                batches.append(batch)
                have += batch.num_rows
                if have >= rows or sum(held.nbytes for held in batches) > _HEAD_BYTES:
                    break
        if not have:
            msg = f"{safe(self.name)}: no rows after the header. Give a file with one row per case."
            raise InputError(msg)
        table = pa.Table.from_batches(batches).slice(0, rows)
        texts = {}
        for name in names:
            try:
                texts[name] = joined(table.column(name)).cast(pa.string())
            except pa.ArrowInvalid as error:
                msg = f"{safe(self.name)}: column {quoted(name)} is not UTF-8 text. Save the file as UTF-8."
                raise InputError(msg) from error
        return {name: typed(text, self._decimal) for name, text in texts.items()}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks; labels are kept as the very text of their cells."""
        types = dict.fromkeys(labels, _LABEL_CELLS) | dict.fromkeys(numbers, pa.float64())
        options = pacsv.ConvertOptions(column_types=types, include_columns=list(types), decimal_point=self._decimal)
        with explained(self.name), self._open(options) as reader:
            yield from evenly(reader, list(types), rows_of(labels, numbers))

    def declared(self, column: str) -> None:
        """Return nothing: cells declare no categories."""

    def about(self) -> int | None:
        """Return about how many rows there are, by the length of the first; None for a file that is short or zipped."""
        first, size = self._first_bytes, self.path.stat().st_size
        return None if size <= len(first) or zipped(self.path) else round(size * first.count(b"\n") / len(first))

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file."""
        return sha256([self.path])

    def _open(self, options: pacsv.ConvertOptions, *, threads: bool = True) -> pacsv.CSVStreamingReader:
        """Open the file; without threads errors name the row."""
        reading = pacsv.ReadOptions(block_size=_CSV_BLOCK, skip_rows=self._blank_lines, use_threads=threads)
        return pacsv.open_csv(input_of(self.path), read_options=reading, parse_options=self._layout, convert_options=options)
