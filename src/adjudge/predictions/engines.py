"""Frames whose rows live in an engine: polars' lazy frames, DuckDB, ibis, Dask, Spark, Ray, pyarrow datasets.

An engine hands over the columns that have a role as a stream of Arrow record batches, which are read as those of a file are; one
that is spread over workers also counts its partitions where they lie.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from adjudge._base import InputError, dataclass, field, parameter, quoted, safe
from adjudge.predictions.frames import Add, Frame, Job, Told, frame_of
from adjudge.predictions.streams import evenly, joined, rows_of

MOST_FETCHED = 1 << 20  # rows that are kept once they were fetched; a cluster that has more of them may count them where they lie

ENGINES = ("polars", "duckdb", "dask", "pyspark")  # those that can be asked to read files
_PATTERN = set("*?[")
_REMOTE = re.compile(r"^([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])")  # pathlib makes one slash of two


def told(error: Exception) -> str:
    """Return the first line of what an engine complains of; the others are plans and traces."""
    return f"{type(error).__name__}: {safe(str(error).strip().split(chr(10))[0], 200)}"


@contextmanager
def _asked() -> Iterator[None]:
    """Turn what an engine says into one sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # every engine has its own errors; whichever it is, the query is the user's
        absent = re.search(r"No module named '([\w.]+)'", str(error))
        why = told(error) if absent is None else f"its workers have no {absent[1]}; install adjudge and what it needs there"
        msg = f"The frame cannot be read: {why}."
        raise InputError(msg) from error


def scan(path: str | os.PathLike[str], engine: str) -> LazySource:
    """Return a file, a folder or a pattern of files that an engine reads, however large or far away."""
    if engine not in ENGINES:
        msg = f" must be one of {', '.join(ENGINES)}, got {engine!r}. A frame of any other can be given in place of a path."
        raise InputError(parameter("engine"), msg)
    place = _REMOTE.sub(r"\1://", os.fspath(path))
    local = Path(place)
    if "://" not in place and not _PATTERN & set(place) and not local.exists():
        msg = f"No file {quoted(place)}. Give the path of a CSV or Parquet file of predictions."
        raise InputError(msg)
    if local.suffix.lower() in (".csv", ".gz", ".tsv", ".txt"):
        msg = f"{safe(local.name)}: engines read Parquet files only; adjudge reads text files itself. "
        raise InputError(msg, "Leave the engine out, or read the file yourself and give the frame.")
    folder = engine == "duckdb" and local.is_dir()
    where, how = (f"{place}/**/*.parquet", {"hive_partitioning": any(local.rglob("*=*/"))}) if folder else (place, {})
    try:
        nw = import_module("narwhals.stable.v2")
        session = {"session": import_module("pyspark.sql").SparkSession.builder.getOrCreate()} if engine == "pyspark" else {}
        frame = nw.scan_parquet(where, backend=engine, **session, **how)
        frame.collect_schema()  # some engines open nothing before they are asked
    except ModuleNotFoundError as error:
        msg = f"{engine} is not installed; install it, or leave the engine out: adjudge reads files itself."
        raise InputError(msg) from error
    except Exception as error:  # every engine has its own
        msg = f"{safe(local.name)}: {engine} cannot read it: {told(error)}."
        raise InputError(msg) from error
    return LazySource(local.name, frame)


@dataclass(frozen=True)
class LazySource:
    """A frame whose rows are not here yet, or a pyarrow dataset; only the columns with a role are ever fetched."""

    name: str
    frame: Any
    cells: bool = False
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what was asked of the engine once already

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._schema)

    @property
    def spread(self) -> bool:
        """Whether rows lie on the workers of a cluster."""
        return self._frame.spread

    @property
    def ordered(self) -> bool:
        """Whether rows come in one order: those of polars, Dask and datasets do, those of a query in SQL need not."""
        return self._frame.ordered

    @property
    def rows(self) -> int:
        """The number of rows, as the engine counts them."""
        if "rows" not in self._known:
            with _asked():
                self._known["rows"] = self._frame.count()
        return int(self._known["rows"])

    def about(self) -> int | None:
        """Return the number of rows where the engine was asked for it already."""
        return self._known.get("rows")

    @property
    def _frame(self) -> Frame:
        return frame_of(self.frame)

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows; an engine without an order of rows gives out any."""
        if self._known.get("head", (0, {}))[0] != rows:
            with _asked():
                batches = list(self._frame.first(rows))
            table = pa.Table.from_batches(batches).unify_dictionaries() if batches else None
            if table is None or not table.num_rows:
                msg = f"{safe(self.name)}: no rows. Give one row per case."
                raise InputError(msg)
            self._known["head"] = (rows, {name: joined(table.column(name)) for name in self.names})
        return dict(self._known["head"][1])

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks, of one length as those of a file are; few rows are kept, to be read again."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        if self._known.get("kept", ((), []))[0] == (wanted, bool(numbers)):
            yield from self._known["kept"][1]
            return
        rows = rows_of(labels, numbers, (self._schema[name] for name in wanted))
        kept: list[dict[str, pa.Array]] | None = []
        n = 0
        with _asked():
            for block in evenly(self._frame.stream(wanted, rows), wanted, rows):
                n += len(block[wanted[0]])
                kept = None if kept is None or n > MOST_FETCHED else [*kept, block]
                yield block
        if kept is not None:
            self._known["kept"] = ((wanted, bool(numbers)), kept)

    def over_partitions(self, columns: Sequence[str], job: Job, add: Add, told: Told | None = None) -> Any:
        """Return what `add` makes of the answers of `job`, which is run where each partition of the columns lies."""
        with _asked():
            return self._frame.over_partitions(columns, job, add, told)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories that were declared for a column, if any; only an Enum has them in an order."""
        categories = getattr(self._schema.get(column), "categories", None)
        return None if categories is None else tuple(categories)

    def fingerprint(self) -> None:
        """Return nothing: a query is not a file."""

    @property
    def _schema(self) -> dict[str, Any]:
        if "schema" not in self._known:
            with _asked():
                self._known["schema"] = self._frame.types()
        return self._known["schema"]  # type: ignore[no-any-return]
