"""Parquet files as a source of rows, streamed: one, or several as one table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, dataclass, field, listed, quoted, replace, safe
from adjudge.predictions.common_types import SharedColumns, recast, shared_columns
from adjudge.predictions.file_sources import FileSource
from adjudge.predictions.folders import FileSlice, in_parts
from adjudge.predictions.streams import evenly, explained, input_of, joined, rows_of

PART = 1 << 19  # rows of a part that is counted by itself
LARGE = 1 << 24  # scores from which on parts are counted apart: a second process then takes less time than it saves
_LABELS = 0.25  # what counting the labels of a row takes, beside counting a score


@dataclass(frozen=True)
class ParquetSource(FileSource):
    """A Parquet file, or several read in the order of their names."""

    shared: SharedColumns | None = field(default=None, repr=False, compare=False)  # told to parts, which then need not ask

    @cached_property
    def _columns(self) -> SharedColumns:
        """The columns of all files, and those that folders name and not all files hold."""
        if self.shared is not None:
            return self.shared
        columns = shared_columns(self._schemas())
        named = {name: column.type for name, column in self.files.columns.items() if name not in columns.types}
        partial = {name: why for name, why in columns.partial.items() if name not in named}
        return SharedColumns({**columns.types, **named}, partial, frozenset(named))

    def _schemas(self) -> Iterator[tuple[str, pa.Schema]]:
        import pyarrow.parquet as pq  # a file of text does without

        for at, (path, name) in enumerate(zip(self.files.paths, self.files.called, strict=True)):
            with explained(name):
                known = pq.read_metadata(input_of(path))
                schema = known.schema.to_arrow_schema()
                rows = sum(known.row_group(group).num_rows for group in range(known.num_row_groups))
            if rows != known.num_rows:  # the end of the file, which says so, has no checksum
                msg = f"{safe(name)}: it is damaged: it says that it has {known.num_rows:,} rows and that it has {rows:,}."
                raise InputError(msg, " Copy it again, or write it again.")
            if not at:
                _refuse_twins(name, schema.names, dict.fromkeys(schema.names))
            yield name, schema

    @property
    def _types(self) -> dict[str, pa.DataType]:
        return self._columns.types

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that all files have in types that go together, and those that folders name."""
        return tuple(self._types)

    @property
    def partial(self) -> Mapping[str, str]:
        """Why the other columns are not read: some file lacks them, or has them in a type of its own."""
        return self._columns.partial

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, from as many files of a folder as it takes."""
        batches, have = [], 0
        with self.steady():
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
        with explained(self.name), self.steady(), self.hashed.beside():
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
            parts.append(replace(self, slices=part, first=first, shared=self._columns))
            first += sum(size[FileSlice(cut.file, i, i + 1)] for cut in part for i in range(cut.start, cut.stop or 0))
        return parts

    def is_large(self, columns: int) -> bool:
        """Return whether counting so many columns of scores in several processes pays."""
        return self.about() * max(columns, _LABELS) >= LARGE

    def _stream(self, columns: list[str], rows: int, some: Iterable[tuple[int, int]] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all files, or of `some` with how many of each."""
        import pyarrow.parquet as pq

        files = self.files
        for column in columns:
            if column in self.partial:
                raise InputError(self.partial[column])
        types = {column: _roomy(self._types[column]) for column in columns}
        texts = [name for name, kind in types.items() if kinds.is_dictionary(kind) and name not in self._columns.named]
        if self.slices:
            cuts = [(cut, sys.maxsize) for cut in self.slices]
        elif some is None:
            cuts = [(FileSlice(at), sys.maxsize) for at in range(len(files.paths))]
        else:
            cuts = [(FileSlice(at), most) for at, most in some]
        for (at, start, stop), most in cuts:
            name, left = files.called[at], most
            with explained(name):
                names = pq.read_schema(input_of(files.paths[at])).names
            both = [column for column in files.columns if column in names]
            read = list(dict.fromkeys([*(column for column in columns if column not in self._columns.named), *both]))
            _refuse_twins(name, names, read)
            opened = {"read_dictionary": texts, "pre_buffer": False, "page_checksum_verification": True}
            with explained(name), pq.ParquetFile(input_of(files.paths[at]), **opened) as file:
                how: dict[str, Any] = {} if stop is None else {"row_groups": list(range(start, stop))}
                # threads of Arrow's own would hold now more, now less, and take turns with those that count
                for batch in file.iter_batches(batch_size=min(rows, most), columns=read, use_threads=False, **how):
                    batch.validate(full=True)  # a damaged page names places that its dictionary does not have
                    for column in both:
                        files.checked(at, column, batch.column(column))
                    yield self._alike(batch, types, at)
                    left -= batch.num_rows
                    if left <= 0:
                        break

    def _alike(self, batch: pa.RecordBatch, types: Mapping[str, pa.DataType], at: int) -> pa.RecordBatch:
        """Return the columns of a file with the types they have in all files."""
        arrays = []
        for name, kind in types.items():
            if name in self._columns.named:
                arrays.append(self.files.columns[name].rows(at, batch.num_rows))
                continue
            arrays.append(recast(batch.column(name), kind))
            if arrays[-1] is None:  # whole numbers beyond those that fractions can stand beside
                file, own = safe(self.files.called[at]), batch.column(name).type
                msg = f"{file}: column {quoted(name)} is {own}, and not all of its numbers can be {kind}, as other files need; "
                raise InputError(msg, "write all files with the same types.")
        return pa.RecordBatch.from_arrays(arrays, list(types))


def _roomy(kind: pa.DataType) -> pa.DataType:
    """Return the type in which a column is read: texts and categories in dictionaries with room for those of all files."""
    if kinds.is_dictionary(kind):
        return pa.dictionary(pa.int32(), kind.value_type, kind.ordered)
    return pa.dictionary(pa.int32(), kind) if kinds.is_string(kind) or kinds.is_large_string(kind) else kind


def _refuse_twins(file: str, names: Sequence[str], columns: Iterable[str]) -> None:
    twice = [name for name in columns if names.count(name) > 1]
    if twice:
        msg = f"{safe(file)}: {listed(twice)} names more than one column; name each column once."
        raise InputError(msg)
