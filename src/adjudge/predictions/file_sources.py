"""CSV files, with the types that the texts of their cells suggest, and Parquet files as sources of rows, all of them streamed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.types as kinds

from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.labels import NOTHING
from adjudge.predictions.streams import evenly, explained, input_of, joined, printable, rows_of, sha256, zipped

_CSV_BLOCK = 4 << 20
_HEADER_BYTES = 1 << 16
_HEAD_BYTES = 1 << 26  # first rows are looked at up to this many bytes: cells may be far longer than labels are
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
class _FileSource:
    """A file, or several in the order of their names."""

    path: Path
    cells: bool = False

    @property
    def name(self) -> str:
        """The file's or folder's own name."""
        return printable(self.path)

    @property
    def _files(self) -> tuple[Path, ...]:
        return (self.path,)

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file, or of all files in order."""
        return sha256(self._files)


@dataclass(frozen=True)
class CsvSource(_FileSource):
    """A CSV file, plain or gzipped; the separator is found in the header line."""

    cells: bool = True

    @cached_property
    def _layout(self) -> tuple[int, pacsv.ParseOptions]:
        """Return how many blank lines precede the header (Arrow passes over empty ones, but not over spaces), and its format."""
        if self._first_bytes.startswith((b"\xff\xfe", b"\xfe\xff")):
            msg = f"{safe(self.name)}: the file is UTF-16; save it as UTF-8."
            raise InputError(msg)
        lines = self._first_bytes.removeprefix(b"\xef\xbb\xbf").splitlines()
        header = next((number for number, line in enumerate(lines) if line.strip()), None)
        if header is None:
            msg = f"{safe(self.name)}: the file is empty. Give a CSV file with a header line and one row per case."
            raise InputError(msg)
        text = lines[header].decode("utf-8", "replace")
        separator = max(",;\t|", key=lambda mark: (text.count(mark), mark == ","))
        return header, pacsv.ParseOptions(delimiter=separator, newlines_in_values=True)

    @cached_property
    def _first_bytes(self) -> bytes:
        with explained(self.name), gzip.open(self.path) if zipped(self.path) else self.path.open("rb") as file:
            return bytes(file.read(_HEADER_BYTES))

    @cached_property
    def _decimal(self) -> str:
        """Return the decimal mark: a comma where semicolons separate and numbers carry commas."""
        comma = self._layout[1].delimiter == ";" and re.search(rb"(^|;)-?\d+,\d+(;|\r?\n|$)", self._first_bytes, re.MULTILINE)
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

    def _open(self, options: pacsv.ConvertOptions, *, threads: bool = True) -> pacsv.CSVStreamingReader:
        """Open the file; without threads errors name the row."""
        blank, layout = self._layout
        reading = pacsv.ReadOptions(block_size=_CSV_BLOCK, skip_rows=blank, use_threads=threads)
        return pacsv.open_csv(input_of(self.path), read_options=reading, parse_options=layout, convert_options=options)


@dataclass(frozen=True)
class ParquetSource(_FileSource):
    """A Parquet file, or a folder of them read in the order of their names."""

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        if self.path.is_file():
            return (self.path,)
        with explained(self.name):
            files = [(path, path.relative_to(self.path).parts) for path in self.path.rglob("*.parquet") if path.is_file()]
        found = sorted(path for path, parts in files if not any(part.startswith((".", "_")) for part in parts))
        if not found:
            msg = f"{safe(self.name)}: the folder holds no .parquet file."
            raise InputError(msg)
        keyed = (part for path in found for part in path.relative_to(self.path).parts[:-1] if "=" in part)
        if (folder := next(keyed, None)) is not None:
            column = quoted(folder.partition("=")[0])
            msg = (
                f"{safe(self.name)}: folder {quoted(folder)} keeps column {column} in its name. Write that column into the files."
            )
            raise InputError(msg)
        return tuple(found)

    @cached_property
    def _schema(self) -> pa.Schema:
        import pyarrow.parquet as pq  # a file of text does without

        with explained(printable(self._files[0])):
            schema = pq.read_schema(input_of(self._files[0]))
        _refuse_twins(self.name, schema.names, dict.fromkeys(schema.names))
        return schema

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file."""
        return tuple(self._schema.names)

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, from as many files of a folder as it takes."""
        batches, have = [], 0
        for batch in self._stream(list(self.names), rows):
            batches.append(batch)
            have += batch.num_rows
            if have >= rows:
                break
        if not have:
            msg = f"{safe(self.name)}: no rows. Give a file with one row per case."
            raise InputError(msg)
        if len(batches) == 1:
            return {name: batches[0].column(name) for name in self.names}
        table = pa.Table.from_batches(batches).unify_dictionaries().slice(0, rows)
        return {name: joined(table.column(name)) for name in self.names}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks; text comes dictionary-encoded, so that no label is stored per row."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        rows = rows_of(labels, numbers, (self._schema.field(name).type for name in wanted if name in self.names))
        with explained(self.name):
            yield from evenly(self._stream(wanted, rows), wanted, rows)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories that the writer of the file declared."""
        if not kinds.is_dictionary(self._schema.field(column).type):
            return None
        first = next(iter(self._stream([column], 1)), None)
        return None if first is None else tuple(first.column(column).dictionary.to_pylist())

    def about(self) -> int:
        """Return how many rows there are, as the files themselves say."""
        import pyarrow.parquet as pq

        with explained(self.name):
            return sum(int(pq.read_metadata(input_of(path)).num_rows) for path in self._files)

    def _stream(self, columns: list[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow.parquet as pq

        texts = [field.name for field in self._schema if field.name in columns and _is_text(field.type)]
        types: dict[str, pa.DataType] = {}
        for path in self._files:
            name = printable(path)
            with explained(name):
                names = pq.read_schema(input_of(path)).names
                absent = [column for column in columns if column not in names]
                if absent:
                    msg = f"{safe(name)}: no column {listed(absent)}, which {safe(printable(self._files[0]))} has."
                    raise InputError(msg)
                _refuse_twins(name, names, columns)
                with pq.ParquetFile(
                    input_of(path), read_dictionary=texts, pre_buffer=False, page_checksum_verification=True
                ) as file:
                    schema = file.schema_arrow
                    for column in columns if not types else ():
                        kind = schema.field(column).type  # categories get room for those of all files
                        wide = kinds.is_dictionary(kind)
                        types[column] = pa.dictionary(pa.int32(), kind.value_type, kind.ordered) if wide else kind
                    # threads of Arrow's own would hold now more, now less, and take turns with those that count
                    for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
                        yield self._alike(batch, types, name)

    def _alike(self, batch: pa.RecordBatch, types: Mapping[str, pa.DataType], file: str) -> pa.RecordBatch:
        """Return the columns with the types they have in the first file."""
        if all(batch.column(name).type == kind for name, kind in types.items()):
            return batch.select(list(types))
        arrays = []
        for name, kind in types.items():
            array = batch.column(name)
            arrays.append(array if array.type == kind else _recast(array, kind))
            if arrays[-1] is None:
                first = safe(printable(self._files[0]))
                one, other = (each.value_type if kinds.is_dictionary(each) else each for each in (array.type, kind))
                msg = (
                    f"{safe(file)}: column {quoted(name)} is {one}, but in {first} it is {other}; "
                    "write all files with the same types."
                )
                raise InputError(msg)
        return pa.RecordBatch.from_arrays(arrays, list(types))


def _refuse_twins(file: str, names: Sequence[str], columns: Iterable[str]) -> None:
    twice = [name for name in columns if names.count(name) > 1]
    if twice:
        msg = f"{safe(file)}: {listed(twice)} names more than one column; name each column once."
        raise InputError(msg)


def _recast(array: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return the same values as another type; None where that would change any."""
    if kinds.is_null(array.type):
        return pa.nulls(len(array), kind)
    if kinds.is_dictionary(array.type) and kinds.is_dictionary(kind) and array.type.value_type == kind.value_type:
        return _with_index(array, kind)
    plain = array.dictionary_decode() if kinds.is_dictionary(array.type) else array
    target = kind.value_type if kinds.is_dictionary(kind) else kind
    if kinds.is_floating(plain.type):
        fits = kinds.is_floating(target) and target.bit_width >= plain.type.bit_width
    elif kinds.is_integer(plain.type):
        fits = kinds.is_integer(target) or kinds.is_floating(target)
    else:
        fits = plain.type == target or (_is_text(plain.type) and _is_text(target))
    if not fits:
        return None
    try:
        same = plain if plain.type == target else plain.cast(target)
        return same if target == kind else _with_index(same.dictionary_encode(), kind)
    except pa.ArrowInvalid:
        return None


def _with_index(array: pa.DictionaryArray, kind: pa.DictionaryType) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(array.indices.cast(kind.index_type), array.dictionary, ordered=kind.ordered)


def _is_text(kind: pa.DataType) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))
