"""Bytes of files and blocks of rows: what every kind of source reads through."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import BLOCK, STREAMED
from adjudge._base.errors import InputError
from adjudge._base.text import safe

_CELLS = 1 << 19  # of a block
_FEWEST = 1 << 12  # rows of a block, however wide


def rows_of(labels: Sequence[str], numbers: Sequence[str], types: Iterable[Any] = ()) -> int:
    """Return how many rows of columns of such types to work on at a time: the fewer, the more columns there are."""
    if any(kinds.is_nested(kind) if isinstance(kind, pa.DataType) else kind.is_nested() for kind in types):
        return BLOCK
    return max(_FEWEST, min(STREAMED, _CELLS // len({*labels, *numbers}))) if numbers else BLOCK


def evenly(batches: Iterable[pa.RecordBatch], names: Sequence[str], rows: int = BLOCK) -> Iterator[dict[str, pa.Array]]:
    """Cut batches of any length into blocks of one length, so that sums are the same digits for any layout."""
    waiting: list[pa.RecordBatch] = []
    have = 0
    for batch in batches:
        waiting.append(batch)
        have += batch.num_rows
        while have >= rows:
            block, rest = _cut(waiting, rows)
            waiting, have = ([rest] if rest.num_rows else []), have - rows
            yield {name: block.column(name) for name in names}
    if have:
        block, _ = _cut(waiting, rows)
        yield {name: block.column(name) for name in names}


def _cut(batches: list[pa.RecordBatch], rows: int) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Return the first block of rows, and what is left."""
    if len(batches) > 1:
        table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
        batches = [pa.RecordBatch.from_arrays([joined(column) for column in table.columns], table.column_names)]
    return _alone(batches[0].slice(0, rows)), _alone(batches[0].slice(rows))


def _alone(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows with no texts but their own: a slice keeps those of all rows before it, more with every block."""
    return pa.RecordBatch.from_arrays([own_texts(column) for column in batch.columns], batch.schema.names)


def own_texts(column: pa.Array) -> pa.Array:
    """Return a column whose dictionary has no more texts than it has rows; few texts stay, used or not, in their order."""
    if not kinds.is_dictionary(column.type) or len(column.dictionary) <= max(len(column), BLOCK):
        return column
    import pyarrow.compute as pc

    used = column.indices.unique().drop_null()
    places = pc.index_in(column.indices, value_set=used).cast(column.type.index_type)
    return pa.DictionaryArray.from_arrays(places, column.dictionary.take(used), ordered=column.type.ordered)


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn what a file reader says into one sentence about the file."""
    try:
        yield
    except MemoryError as error:
        msg = f"{safe(name)}: cannot be read: there is not enough memory for its rows; they may be far longer than labels are."
        raise InputError(msg) from error
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        first = safe(str(error).strip().split("\n")[0], 300)
        hint = " Save the file as UTF-8." if "utf" in first.lower() else ""
        msg = f"{safe(name)}: cannot be read: {first}{'' if first.endswith('.') else '.'}{hint}"
        raise InputError(msg) from error


def input_of(path: Path) -> pa.NativeFile:
    """Return the bytes of a file, unzipped; Arrow goes by the ending and knows it in small letters only."""
    file = pa.OSFile(os.fsencode(path))
    return pa.CompressedInputStream(file, "gzip") if zipped(path) else file


def zipped(path: Path) -> bool:
    """Return whether the name of a file says that it is gzipped."""
    return path.name.lower().endswith(".gz")


def printable(path: Path) -> str:
    """Return the name of a file, whatever bytes it is made of."""
    return path.name.encode("utf-8", "backslashreplace").decode("utf-8")


def joined(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece."""
    whole = column.combine_chunks()
    if not isinstance(whole, pa.ChunkedArray):
        return whole
    return pa.concat_arrays(whole.chunks) if whole.num_chunks != 1 else whole.chunk(0)


def sha256(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of files, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()
