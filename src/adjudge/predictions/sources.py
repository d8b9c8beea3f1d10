"""Where rows come from: files, frames and arrays, all given out as Arrow record batches.

The one module that speaks pyarrow's file formats. Files are streamed, so memory does not grow with rows.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from adjudge._base.arrays import BLOCK
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.native import arrow_of, declares_order

_CSV_BLOCK = 4 << 20
_HEADER_BYTES = 1 << 16
_LABEL_CELLS = pa.dictionary(pa.int32(), pa.string())


class Source(Protocol):
    """Rows under named columns, to be read once or many times."""

    @property
    def name(self) -> str:
        """What to call it in front of a reader: a base name, never a path."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def cells(self) -> bool:
        """Whether labels are the texts of CSV cells, still to be understood."""

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows of every column that can be read."""

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks: `labels` as they are, `numbers` as numbers."""

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories a column declares, in their order."""

    def fingerprint(self) -> str | None:
        """Return the SHA-256 of the bytes read, when there is a file."""


@dataclass(frozen=True)
class CsvSource:
    """A CSV file, plain or gzipped; the separator is found in the header line."""

    path: Path
    cells: bool = True

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.name

    @cached_property
    def _layout(self) -> pacsv.ParseOptions:
        first = self._first_bytes.splitlines()[0].decode("utf-8", "replace") if self._first_bytes.strip() else ""
        if not first.strip():
            msg = f"{safe(self.name)}: the file is empty. Give a CSV file with a header line and one row per case."
            raise InputError(msg)
        separator = max(",;\t|", key=lambda mark: (first.count(mark), mark == ","))
        return pacsv.ParseOptions(delimiter=separator, newlines_in_values=True)

    @cached_property
    def _first_bytes(self) -> bytes:
        with _explained(self.name), _opened(self.path) as file:
            return bytes(file.read(_HEADER_BYTES))

    @cached_property
    def _decimal(self) -> str:
        """Return the decimal mark: a comma where semicolons separate and numbers carry commas."""
        comma = self._layout.delimiter == ";" and re.search(rb"(^|;)-?\d+,\d+(;|\r?\n|$)", self._first_bytes, re.MULTILINE)
        return "," if comma else "."

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The header."""
        with _explained(self.name), self._open(pacsv.ConvertOptions()) as reader:
            names = tuple(reader.schema.names)
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            msg = f"{safe(self.name)}: the header names {listed(twice)} more than once; name each column once."
            raise InputError(msg)
        return names

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, with types as their cells suggest."""
        names, batches, have = self.names, [], 0
        options = pacsv.ConvertOptions(decimal_point=self._decimal)
        with _explained(self.name), self._open(options) as reader:
            for batch in reader:
                batches.append(batch)
                have += batch.num_rows
                if have >= rows:
                    break
        if not have:
            msg = f"{safe(self.name)}: no rows after the header. Give a file with one row per case."
            raise InputError(msg)
        table = pa.Table.from_batches(batches).slice(0, rows)
        garbled = [name for name in names if pa.types.is_binary(table.schema.field(name).type)]
        if garbled:
            msg = f"{safe(self.name)}: column {listed(garbled)} is not UTF-8 text. Save the file as UTF-8."
            raise InputError(msg)
        return {name: _joined(table.column(name)) for name in names}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks; labels are kept as the very text of their cells."""
        types = dict.fromkeys(labels, _LABEL_CELLS) | dict.fromkeys(numbers, pa.float64())
        options = pacsv.ConvertOptions(column_types=types, include_columns=list(types), decimal_point=self._decimal)
        with _explained(self.name), self._open(options) as reader:
            yield from evenly(reader, list(types))

    def declared(self, column: str) -> None:
        """Return nothing: cells declare no categories."""

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file."""
        return _sha256([self.path])

    def _open(self, options: pacsv.ConvertOptions) -> pacsv.CSVStreamingReader:
        reading = pacsv.ReadOptions(block_size=_CSV_BLOCK)
        return pacsv.open_csv(self.path, read_options=reading, parse_options=self._layout, convert_options=options)


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, or a folder of them read in the order of their names."""

    path: Path
    cells: bool = False

    @property
    def name(self) -> str:
        """The file's or folder's own name."""
        return self.path.name

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        if self.path.is_file():
            return (self.path,)
        found = sorted(p for p in self.path.rglob("*.parquet") if not p.name.startswith((".", "_")))
        if not found:
            msg = f"{safe(self.name)}: the folder holds no .parquet file."
            raise InputError(msg)
        return tuple(found)

    @cached_property
    def _schema(self) -> pa.Schema:
        with _explained(self.name):
            return pq.read_schema(self._files[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file."""
        return tuple(self._schema.names)

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows."""
        for batch in self._stream(list(self.names), rows):
            if batch.num_rows:
                return {name: batch.column(name) for name in self.names}
        msg = f"{safe(self.name)}: no rows. Give a file with one row per case."
        raise InputError(msg)

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks; text comes dictionary-encoded, so that no label is stored per row."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        yield from evenly(self._stream(wanted, BLOCK), wanted)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories that the writer of the file declared."""
        if not pa.types.is_dictionary(self._schema.field(column).type):
            return None
        first = next(iter(self._stream([column], 1)), None)
        return None if first is None else tuple(first.column(column).dictionary.to_pylist())

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file, or of all files in order."""
        return _sha256(self._files)

    def _stream(self, columns: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        texts = [f.name for f in self._schema if f.name in columns and _is_text(f.type)]
        for path in self._files:
            with _explained(path.name), pq.ParquetFile(path, read_dictionary=texts, page_checksum_verification=True) as file:
                absent = [name for name in columns if name not in file.schema_arrow.names]
                if absent:
                    msg = f"{safe(path.name)}: no column {listed(absent)}, which {safe(self._files[0].name)} has."
                    raise InputError(msg)
                yield from file.iter_batches(batch_size=rows, columns=columns)


@dataclass(frozen=True)
class ColumnsSource:
    """Columns held in memory (arrays, or an eager frame), converted only when asked for."""

    name: str
    columns: Mapping[str, Any]
    cells: bool = False
    _arrays: dict[str, pa.Array] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.columns)

    def column(self, name: str) -> pa.Array:
        """Return one whole column."""
        if name not in self._arrays:
            self._arrays[name] = arrow_of(name, self.columns[name])
        return self._arrays[name]

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows of the columns that Arrow can hold."""
        found = {}
        for name in self.names:
            try:
                found[name] = arrow_of(name, self.columns[name][:rows])
            except InputError:
                found[name] = pa.nulls(0)  # unreadable: an error only if a role falls on it
        if not any(len(array) for array in found.values()):
            msg = f"{safe(self.name)}: no rows. Give one row per case."
            raise InputError(msg)
        return found

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks, once their lengths are known to agree."""
        arrays = {name: self.column(name) for name in dict.fromkeys([*labels, *numbers])}
        sizes = {name: len(array) for name, array in arrays.items()}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{quoted(name)} has {size:,}" for name, size in sizes.items())
            msg = f"The columns differ in length: {told}. Give one value per case in each."
            raise InputError(msg)
        for start in range(0, max(sizes.values(), default=0), BLOCK):
            yield {name: array.slice(start, BLOCK) for name, array in arrays.items()}

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories a column declares, in their order."""
        array = self.column(column)
        if not pa.types.is_dictionary(array.type) or not declares_order(self.columns[column]):
            return None
        return tuple(array.dictionary.to_pylist())

    def fingerprint(self) -> None:
        """Return nothing: arrays are not a file."""


@dataclass(frozen=True)
class LazySource:
    """A frame whose rows are not here yet; only the columns with a role are ever fetched."""

    name: str
    names: tuple[str, ...]
    fetch: Callable[[Sequence[str], int | None], pa.Table]
    cells: bool = False

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows."""
        table = self.fetch(self.names, rows)
        if not table.num_rows:
            msg = f"{safe(self.name)}: no rows. Give one row per case."
            raise InputError(msg)
        return {name: _joined(table.column(name)) for name in self.names}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        yield from evenly(self.fetch(wanted, None).to_batches(max_chunksize=BLOCK), wanted)

    def declared(self, column: str) -> None:
        """Return nothing: an engine's categories carry no order."""

    def fingerprint(self) -> None:
        """Return nothing: a query is not a file."""


def evenly(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
    """Cut batches of any length into blocks of one length, so that sums are the same digits for any layout."""
    waiting: list[pa.RecordBatch] = []
    have = 0
    for batch in batches:
        waiting.append(batch)
        have += batch.num_rows
        while have >= BLOCK:
            block, rest = _cut(waiting)
            waiting, have = ([rest] if rest.num_rows else []), have - BLOCK
            yield {name: block.column(name) for name in names}
    if have:
        block, _ = _cut(waiting)
        yield {name: block.column(name) for name in names}


def _cut(batches: list[pa.RecordBatch]) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Return the first block of rows, and what is left."""
    if len(batches) > 1:
        joined = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
        batches = [pa.RecordBatch.from_arrays([_joined(column) for column in joined.columns], joined.column_names)]
    return batches[0].slice(0, BLOCK), batches[0].slice(BLOCK)


def open_path(path: Path) -> Source:
    """Return the source for a path, by its ending."""
    if not path.exists():
        msg = f"No file {quoted(str(path))}. Give the path of a CSV or Parquet file of predictions."
        raise InputError(msg)
    name = path.name.lower()
    if path.is_dir() or name.endswith((".parquet", ".pq")):
        return ParquetSource(path)
    if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")):
        return CsvSource(path)
    msg = f"{quoted(path.name)}: adjudge reads .csv, .csv.gz, .tsv and .parquet files, and folders of .parquet files."
    raise InputError(msg)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn what a file reader says into one sentence about the file."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
        first = safe(str(error).strip().split("\n")[0], 300)
        hint = " Save the file as UTF-8." if "utf" in first.lower() else ""
        msg = f"{safe(name)}: cannot be read: {first}{'' if first.endswith('.') else '.'}{hint}"
        raise InputError(msg) from error


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as file:
        yield file


def _joined(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    if not isinstance(whole, pa.ChunkedArray):
        return whole
    return pa.concat_arrays(whole.chunks) if whole.num_chunks != 1 else whole.chunk(0)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _sha256(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()
