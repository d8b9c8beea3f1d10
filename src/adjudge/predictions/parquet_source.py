"""Parquet files as a source of rows, streamed: one, or several as one table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.errors import InputError
from adjudge._base.records import dataclass, replace
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.file_sources import FileSource
from adjudge.predictions.folders import FileSlice, FolderColumn, in_parts
from adjudge.predictions.streams import evenly, explained, input_of, joined, rows_of

PART = 1 << 19  # rows of a part that is counted by itself
LARGE = 1 << 24  # scores from which on parts are counted apart: a second process then takes less time than it saves
_LABELS = 0.25  # what counting the labels of a row takes, beside counting a score


@dataclass(frozen=True)
class ParquetSource(FileSource):
    """A Parquet file, or several read in the order of their names."""

    @cached_property
    def _added(self) -> dict[str, FolderColumn]:
        """The columns that folders name and files do not hold."""
        return {name: column for name, column in self.files.columns.items() if name not in self._first.names}

    @cached_property
    def _first(self) -> pa.Schema:
        import pyarrow.parquet as pq  # a file of text does without

        with explained(self.files.called[0]):
            schema = pq.read_schema(input_of(self.files.paths[0]))
        _refuse_twins(self.files.called[0], schema.names, dict.fromkeys(schema.names))
        return schema

    @cached_property
    def _types(self) -> dict[str, pa.DataType]:
        fields = ((field.name, field.type) for field in self._first)
        return {**dict(fields), **{name: column.type for name, column in self._added.items()}}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file, and those that folders name."""
        return tuple(self._types)

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, from as many files of a folder as it takes."""
        batches, have = [], 0
        for batch in self._stream(list(self.names), rows, self.files.looked_at(rows)):
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
        rows = rows_of(labels, numbers, (self._types[name] for name in wanted if name in self._types))
        with explained(self.name), self.hashed.beside():
            yield from evenly(self._stream(wanted, rows), wanted, rows)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories that the writer of the file declared."""
        if not kinds.is_dictionary(self._types[column]):
            return None
        first = next(iter(self._stream([column], 1)), None)
        return None if first is None else tuple(first.column(column).dictionary.to_pylist())

    def about(self) -> int:
        """Return how many rows there are, as the files themselves say."""
        import pyarrow.parquet as pq

        with explained(self.name):
            return sum(int(pq.read_metadata(input_of(path)).num_rows) for path in self.files.paths)

    def sliced(self) -> list[ParquetSource]:
        """Return parts of the rows, by a rule that knows the files only."""
        import pyarrow.parquet as pq

        groups = []
        for at, (path, name) in enumerate(zip(self.files.paths, self.files.called, strict=True)):
            with explained(name):
                known = pq.read_metadata(input_of(path))
            groups += [(FileSlice(at, i, i + 1), known.row_group(i).num_rows) for i in range(known.num_row_groups)]
        parts, first, size = [], 0, dict(groups)
        for part in in_parts(groups, PART):
            parts.append(replace(self, slices=part, first=first))
            first += sum(size[FileSlice(cut.file, i, i + 1)] for cut in part for i in range(cut.start, cut.stop or 0))
        return parts

    def is_large(self, columns: int) -> bool:
        """Return whether counting so many columns of scores in several processes pays."""
        return self.about() * max(columns, _LABELS) >= LARGE

    def _stream(self, columns: list[str], rows: int, some: Iterable[tuple[int, int]] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all files, or of `some` with how many of each."""
        import pyarrow.parquet as pq

        files, added = self.files, {name: column for name, column in self._added.items() if name in columns}
        held = [column for column in columns if column not in added]
        texts = [name for name in held if name in self._types and _is_text(self._types[name])]
        types: dict[str, pa.DataType] = {}
        if self.slices:
            cuts = [(cut, sys.maxsize) for cut in self.slices]
            if self.slices[0].file:  # the first file says what the types are
                with explained(files.called[0]), pq.ParquetFile(input_of(files.paths[0]), read_dictionary=texts) as first:
                    types = _roomy(first.schema_arrow, held)
        elif some is None:
            cuts = [(FileSlice(at), sys.maxsize) for at in range(len(files.paths))]
        else:
            cuts = [(FileSlice(at), most) for at, most in some]
        for (at, start, stop), most in cuts:
            name, left = files.called[at], most
            with explained(name):
                names = pq.read_schema(input_of(files.paths[at])).names
            if absent := [column for column in held if column not in names]:
                msg = f"{safe(name)}: no column {listed(absent)}, which {safe(files.called[0])} has."
                raise InputError(msg)
            both = [column for column in files.columns if column in names]
            read = list(dict.fromkeys([*held, *both]))
            _refuse_twins(name, names, read)
            opened = {"read_dictionary": texts, "pre_buffer": False, "page_checksum_verification": True}
            with explained(name), pq.ParquetFile(input_of(files.paths[at]), **opened) as file:
                types = types or _roomy(file.schema_arrow, held)
                how: dict[str, Any] = {} if stop is None else {"row_groups": list(range(start, stop))}
                # threads of Arrow's own would hold now more, now less, and take turns with those that count
                for batch in file.iter_batches(batch_size=min(rows, most), columns=read, use_threads=False, **how):
                    for column in both:
                        files.checked(at, column, batch.column(column))
                    own = self._alike(batch, types, name)
                    for column, values in added.items():
                        own = own.append_column(column, values.rows(at, batch.num_rows))
                    yield own.select(columns)
                    left -= batch.num_rows
                    if left <= 0:
                        break

    def _alike(self, batch: pa.RecordBatch, types: Mapping[str, pa.DataType], file: str) -> pa.RecordBatch:
        """Return the columns with the types they have in the first file."""
        if all(batch.column(name).type == kind for name, kind in types.items()):
            return batch.select(list(types))
        arrays = []
        for name, kind in types.items():
            array = batch.column(name)
            arrays.append(array if array.type == kind else _recast(array, kind))
            if arrays[-1] is None:
                first = safe(self.files.called[0])
                one, other = (each.value_type if kinds.is_dictionary(each) else each for each in (array.type, kind))
                msg = f"{safe(file)}: column {quoted(name)} is {one}, but in {first} it is {other}; "
                raise InputError(msg, "write all files with the same types.")
        return pa.RecordBatch.from_arrays(arrays, list(types))


def _roomy(schema: pa.Schema, columns: Sequence[str]) -> dict[str, pa.DataType]:
    """Return the types of columns; categories get room for those of all files."""
    types = {column: schema.field(column).type for column in columns}
    wide = {name: kind for name, kind in types.items() if kinds.is_dictionary(kind)}
    return types | {name: pa.dictionary(pa.int32(), kind.value_type, kind.ordered) for name, kind in wide.items()}


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
