"""Bytes of files and blocks of rows: what every kind of source reads through."""

from __future__ import annotations

import hashlib
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, safe
from adjudge._base.arrays import BLOCK, STREAMED

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
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        first = safe(str(error).strip().split("\n")[0], 300)
        damaged = isinstance(error, (EOFError, zlib.error)) or (isinstance(error, OSError) and error.errno is None)
        hint = " Save the file as UTF-8." if "utf" in first.lower() else " Copy it again, or write it again." if damaged else ""
        msg = f"{safe(name)}: cannot be read: {first}{'' if first.endswith('.') else '.'}{hint}"
        raise InputError(msg) from error


def input_of(path: Path, told: Callable[[bytes], None] | None = None) -> pa.NativeFile:
    """Return the bytes of a file, unzipped; those that lie there are shown to `told`.

    Arrow goes by the ending itself, but knows it in small letters only.
    """
    file = pa.OSFile(os.fsencode(path)) if told is None else pa.PythonFile(_Told(path.open("rb", buffering=0), told), "r")
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


class Fingerprint:
    """The SHA-256 of files, one after the other, made while they are read if that was asked for before."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths, self.wanted = tuple(paths), False
        self._value: str | None = None
        self._beside: threading.Thread | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Fingerprint, (self.paths,)

    @property
    def known(self) -> bool:
        """Whether the files need not be read any more."""
        return self._value is not None

    def value(self) -> str:
        """Return the fingerprint, from another reading where none has made it."""
        if self._beside is not None:
            self._beside.join()
        if self._value is None:
            self._value = self._read(threading.Event())
        return self._value  # type: ignore[return-value]

    @contextmanager
    def in_stream(self) -> Iterator[Callable[[bytes], None] | None]:
        """Give out what takes all bytes of the files in order, None where nobody wants them; the last makes the fingerprint."""
        if not self.wanted or self._value is not None:
            yield None
            return
        digest, size = hashlib.sha256(), 0

        def take(data: bytes) -> None:
            nonlocal size
            digest.update(data)
            size += len(data)

        yield take
        if size == sum(path.stat().st_size for path in self.paths):  # else bytes after the end of a zipped file were left
            self._value = digest.hexdigest()

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Read the files in a thread of its own while some of their bytes are read here, in any order."""
        if not self.wanted or self._value is not None or self._beside is not None:
            yield
            return
        stopped = threading.Event()

        def run() -> None:
            with suppress(OSError):  # is met again where the value is asked for
                self._value = self._read(stopped)

        self._beside = threading.Thread(target=run, name="adjudge-sha256", daemon=True)
        self._beside.start()
        try:
            yield
        except BaseException:
            stopped.set()
            self._beside.join()
            self._beside = None
            raise

    def _read(self, stopped: threading.Event) -> str | None:
        digest = hashlib.sha256()
        for path in self.paths:
            with path.open("rb") as file:
                while not stopped.is_set() and (chunk := file.read(1 << 20)):
                    digest.update(chunk)
        return None if stopped.is_set() else digest.hexdigest()


class _Told:
    """A file whose every byte is shown to somebody as it is read."""

    def __init__(self, file: BinaryIO, told: Callable[[bytes], None]) -> None:
        self._file, self._told = file, told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self._told(data)
        return data
