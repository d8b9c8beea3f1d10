"""A Parquet file, or a folder of them, as a source of rows; files are streamed, so memory does not grow with rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import BLOCK
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.streams import evenly, explained, input_of, joined, printable, rows_of, sha256


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, or a folder of them read in the order of their names."""

    path: Path
    cells: bool = False

    @property
    def name(self) -> str:
        """The file's or folder's own name."""
        return printable(self.path)

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
        nested = any(kinds.is_nested(self._schema.field(name).type) for name in wanted if name in self.names)
        rows = BLOCK if nested else rows_of(labels, numbers)
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

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file, or of all files in order."""
        return sha256(self._files)

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
