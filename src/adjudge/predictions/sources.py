"""Where rows come from: files, frames and arrays, all given out as Arrow record batches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from adjudge._base import InputError, dataclass, field, quoted, replace, safe
from adjudge._base.arrays import BLOCK
from adjudge.predictions.file_sources import CsvSource, FileSource
from adjudge.predictions.folders import PARQUET, find_files
from adjudge.predictions.native import arrow_of, declares_order
from adjudge.predictions.parquet_source import ParquetSource

HEAD = 5000  # rows looked at before anything is counted


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
class ColumnsSource:
    """Columns held in memory (arrays, or an eager frame), converted only when asked for."""

    name: str
    columns: Mapping[str, Any]
    cells: bool = False
    levels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # declared categories that columns no longer carry
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
        arrays, errors = {}, list[InputError]()
        for name in self.names:
            values = self.columns[name]
            with suppress(TypeError, ValueError, LookupError):  # not everything can be cut
                values = values[:rows]
            try:
                arrays[name] = arrow_of(name, values)
            except InputError as error:
                arrays[name] = pa.nulls(0)  # unreadable: an error only if a role falls on it
                errors.append(error)
        if not any(len(array) for array in arrays.values()):
            if errors:
                raise errors[0]
            msg = f"{safe(self.name)}: no rows. Give one row per case."
            raise InputError(msg)
        return arrays

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

    def about(self) -> int | None:
        """Return the number of rows, where a column has a length."""
        return next((len(values) for values in self.columns.values() if hasattr(values, "__len__")), None)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories a column declares, in their order."""
        if column in self.levels:
            return self.levels[column]
        array = self.column(column)
        if not pa.types.is_dictionary(array.type) or not declares_order(self.columns[column]):
            return None
        return tuple(array.dictionary.to_pylist())

    def fingerprint(self) -> None:
        """Return nothing: arrays are not a file."""


@dataclass(frozen=True)
class DerivedSource:
    """A source made of another, with its name, columns, categories and bytes."""

    source: Source
    name: str = field(init=False, repr=False)
    names: tuple[str, ...] = field(init=False, repr=False)
    cells: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for own in ("name", "names", "cells"):
            object.__setattr__(self, own, getattr(self.source, own))

    def over(self, source: Source) -> Source:
        """Return the same made of another."""
        return replace(self, source=source)  # type: ignore[return-value]  # those that are made give out batches

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows."""
        return self.source.head(rows)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories a column declares."""
        return self.source.declared(column)

    def fingerprint(self) -> str | None:
        """Return the SHA-256 of the bytes read."""
        return self.source.fingerprint()


def open_path(path: Path) -> CsvSource | ParquetSource:
    """Return the source for a path, a folder or a pattern, by the endings of its files."""
    files = find_files(path)
    return ParquetSource(files) if files.paths[0].name.lower().endswith(PARQUET) else CsvSource(files)


def refuse_partial(source: Source, columns: Collection[str] | None = None) -> None:
    """Refuse columns, whichever they are unless some are named, that not all files have in types that go together."""
    for name, why in partial_columns(source).items():
        if columns is None or name in columns:
            raise InputError(why)


def partial_columns(source: Source) -> Mapping[str, str]:
    """Return the columns of files that are not read since not all files have them, each with a sentence on why."""
    base = base_of(source)
    return base.partial if isinstance(base, FileSource) else {}


def hash_while_read(source: Source) -> None:
    """Have the fingerprint of files made by the next reading of all rows, so that none follows for its sake."""
    base = base_of(source)
    if isinstance(base, FileSource):
        base.hashed.wanted = True


def in_parts(source: Source) -> list[Source]:
    """Return the rows of files in the parts they are counted in, each as a source made as this one is."""
    if isinstance(source, DerivedSource):
        return [source.over(part) for part in in_parts(source.source)]
    return list(source.sliced()) if isinstance(source, (CsvSource, ParquetSource)) else []


def base_of(source: Source) -> Source:
    """Return what a source was made of in the end."""
    while isinstance(source, DerivedSource):
        source = source.source
    return source
