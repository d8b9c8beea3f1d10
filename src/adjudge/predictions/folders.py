"""Which files a path, a folder or a pattern names, and the columns that the names of their folders hold, as Hive writes them."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, dataclass, field, listed, quoted, safe
from adjudge.predictions.streams import explained, printable

PARQUET = (".parquet", ".pq")
_TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")  # of a folder, where a .txt may say anything
_ENDINGS = (*PARQUET, *_TEXTS, ".txt", ".txt.gz")
_ADVICE = "Give the path of a CSV or Parquet file of predictions."
_MISSING = ("", "__HIVE_DEFAULT_PARTITION__")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_SPREAD = 32  # files of a partitioned folder whose first rows are looked at


@dataclass(frozen=True)
class FolderColumn:
    """A column that the names of folders hold: a value for each file, None where it is missing."""

    values: tuple[str | None, ...]

    @cached_property
    def numbers(self) -> tuple[int | None, ...] | None:
        """The values as whole numbers, None where some are not or all are missing."""
        known = [value for value in self.values if value is not None]
        if not known or not all(_WHOLE.fullmatch(value) for value in known):
            return None
        return tuple(None if value is None else int(value) for value in self.values)

    @cached_property
    def _texts(self) -> pa.Array:
        return pa.array(sorted({str(value) for value in self.numbers or self.values if value is not None}), pa.string())

    @property
    def type(self) -> pa.DataType:
        """Whole numbers, else text."""
        return pa.string() if self.numbers is None else pa.int64()

    def rows(self, file: int, n: int, *, as_text: bool = False) -> pa.Array:
        """Return the value of a file for `n` rows, text encoded by a dictionary that all files share."""
        value = (self.numbers or self.values)[file]
        if self.numbers is not None and not as_text:
            return pa.nulls(n, pa.int64()) if value is None else pa.array(np.full(n, value, dtype=np.int64))
        place = None if value is None else self._texts.index(str(value)).as_py()
        codes = pa.nulls(n, pa.int32()) if place is None else pa.array(np.full(n, place, dtype=np.int32))
        return pa.DictionaryArray.from_arrays(codes, self._texts)

    def stray(self, file: int, column: pa.Array) -> Any:
        """Return a value of the file's own column that is another than the name of its folder says; () if there is none."""
        value, number = self.values[file], None if self.numbers is None else self.numbers[file]
        for own in column.unique().to_pylist():
            text = own.decode("utf-8", "replace") if isinstance(own, bytes) else str(own)
            text = text.lower() if isinstance(own, bool) else text
            if (own is None or text == "") if value is None else (text == value or (number is not None and own == number)):
                continue
            return own
        return ()


class FileSlice(NamedTuple):
    """Some of a file: row groups of Parquet or bytes of text from `start` on; all of it where there is no `stop`."""

    file: int
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class Files:
    """Files that are read as one table, in the order of their names."""

    name: str
    paths: tuple[Path, ...]
    called: tuple[str, ...]  # what each is called in messages
    columns: Mapping[str, FolderColumn] = field(default_factory=dict)

    def looked_at(self, rows: int) -> Iterator[tuple[int, int]]:
        """Yield which files tell what the columns are, and how many rows of each.

        The rows of one partition have one value in its columns, so those of several are looked at.
        """
        n = len(self.paths)
        some = [i * n // _SPREAD for i in range(_SPREAD)] if n > _SPREAD else range(n)
        if self.columns:
            yield from ((file, -(-rows // len(some))) for file in some)
        yield from ((file, rows) for file in range(n) if not self.columns or file not in some)

    def checked(self, file: int, column: str, own: pa.Array) -> None:
        """Refuse a column that a file holds and the name of its folder says otherwise."""
        stray = self.columns[column].stray(file, own)
        if stray != ():
            said = self.columns[column].values[file]
            msg = f"{safe(self.called[file])}: column {quoted(column)} holds {quoted(stray)}, but the name of its folder says "
            raise InputError(msg, f"{'that it is missing' if said is None else quoted(said)}; leave one of the two out.")


def in_parts(slices: Iterable[tuple[FileSlice, int]], least: int) -> list[tuple[FileSlice, ...]]:
    """Return slices, given with their sizes, in parts of at least that size, each of them in order; the last may be smaller."""
    parts: list[tuple[FileSlice, ...]] = []
    part: list[FileSlice] = []
    held = 0
    for each, size in slices:
        before = part[-1] if part else None
        if before is not None and (before.file, before.stop) == (each.file, each.start):
            part[-1] = FileSlice(each.file, before.start, each.stop)
        else:
            part.append(each)
        held += size
        if held >= least:
            parts.append(tuple(part))
            part, held = [], 0
    return [*parts, tuple(part)] if part else parts


def find_files(path: Path) -> Files:
    """Return the file at a path, those in a folder, or those that a pattern names; what is there by that name comes first."""
    try:
        there, folder = path.exists(), path.is_dir()
        base = path if folder else next(parent for parent in (*path.parents, Path()) if parent.exists())
    except (OSError, ValueError) as error:  # too long, not allowed, or with a NUL inside
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        msg = f"{quoted(str(path))} cannot be opened: {safe(why)}. {_ADVICE}"
        raise InputError(msg) from error
    if there and not folder:
        if not path.name.lower().endswith(_ENDINGS):
            msg = f"{quoted(path.name)}: adjudge reads .csv, .csv.gz, .tsv and .parquet files, and folders of them."
            raise InputError(msg)
        return Files(printable(path), (path,), (printable(path),))
    if not there and not glob.has_magic(str(path)):
        msg = f"No file {quoted(str(path))}. {_ADVICE}"
        raise InputError(msg)
    name = printable(path) if folder else _printable(path.relative_to(base))
    with explained(name):
        files = sorted(_below(base) if folder else _matching(base, path.relative_to(base)))
    if not files:
        if folder:
            msg = f"{safe(name)}: the folder holds no .csv, .csv.gz, .tsv or .parquet file."
        else:
            msg = f"No .csv, .csv.gz, .tsv or .parquet file matches {quoted(str(path))}. {_ADVICE}"
        raise InputError(msg)
    called = tuple(_printable(file.relative_to(base)) for file in files)
    kinds = [file.name.lower().endswith(PARQUET) for file in files]
    if len(set(kinds)) > 1:
        one, other = (called[kinds.index(kind)] for kind in (False, True))
        msg = f"{safe(name)}: {safe(one)} is text and {safe(other)} is Parquet; give files of one kind, "
        raise InputError(msg, "by a pattern such as '*.csv'.")
    return Files(name, tuple(files), called, _folder_columns(name, called))


def _printable(path: Path) -> str:
    return "/".join(printable(Path(part)) for part in path.parts)


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files of predictions in a folder and those below, but for what is hidden, as engines do."""
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") or (part[0] == "_" and "=" not in part) for part in file.relative_to(folder).parts)
        if not hidden and file.name.lower().endswith((*PARQUET, *_TEXTS)) and file.is_file():
            yield file


def _matching(base: Path, pattern: Path) -> set[Path]:
    """Return the files of predictions that a pattern names, and those in the folders that it names."""
    wanted = tuple(ending for ending in _ENDINGS if ending in (*PARQUET, *_TEXTS) or pattern.name.lower().endswith(ending))
    unhidden = not any(part.startswith("_") for part in pattern.parts)
    files: set[Path] = set()
    for name in glob.iglob(str(pattern), root_dir=base, recursive=True):  # noqa: PTH207 - Path.glob finds hidden files, too
        file = base / name
        if unhidden and any(part.startswith("_") and "=" not in part for part in Path(name).parts):
            continue
        if file.is_dir():
            files.update(_below(file))
        elif file.name.lower().endswith(wanted):
            files.add(file)
    return files


def _folder_columns(name: str, called: Sequence[str]) -> dict[str, FolderColumn]:
    """Return the columns that the names of folders hold, such as year=2026, by name; all files must have the same ones."""
    pairs = [[part.partition("=") for part in file.split("/")[:-1] if part.find("=") > 0] for file in called]
    keys = [tuple(unquote(key) for key, _, _ in each) for each in pairs]
    other = next((i for i, own in enumerate(keys) if own != keys[0]), None)
    if other is not None:
        one, two = (f"{safe(called[i])} lies in folders that name {listed(keys[i]) or 'no column'}" for i in (0, other))
        msg = f"{safe(name)}: {one}, but {two}; give every file the same columns, in the same order, in the names of its folders."
        raise InputError(msg)
    if len(set(keys[0])) < len(keys[0]):
        msg = f"{safe(name)}: the folders of {safe(called[0])} name a column more than once; name each column once."
        raise InputError(msg)
    texts = [[unquote(value) for _, _, value in each] for each in pairs]
    by_column = zip(*([None if text in _MISSING else text for text in each] for each in texts), strict=True)
    return {key: FolderColumn(values) for key, values in zip(keys[0], by_column, strict=True)}
