"""Frames whose rows live in an engine: polars' lazy frames, DuckDB, Dask, Spark and whatever else narwhals speaks to.

No other module knows an engine by name, and this one only what is needed to have it read files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from adjudge._base.arrays import BLOCK, AnyArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted, safe
from adjudge.predictions.streams import evenly, explained, joined

MOST_FETCHED = 1 << 20
"""Rows of a lazy frame that are fetched, so that each can be looked at; more of them are reduced where they live."""

ENGINES = ("polars", "duckdb", "dask", "pyspark")
"""Those that can be asked to read files."""
_PATTERN = set("*?[")
_REMOTE = re.compile(r"^([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])")  # pathlib makes one slash of two


def collect(query: nw.LazyFrame[Any]) -> pa.Table:
    """Run a query where its rows live, and return what comes of it."""
    with _asked():
        table: pa.Table = query.collect(backend="pyarrow").to_native()
        return table.select(query.collect_schema().names())  # pandas and Dask add their index


@contextmanager
def _asked() -> Iterator[None]:
    """Turn what an engine says into one sentence."""
    try:
        yield
    except Exception as error:  # every engine has its own errors; whichever it is, the query is the user's
        msg = f"The frame cannot be read: {told(error)}."
        raise InputError(msg) from error


def told(error: Exception) -> str:
    """Return the first line of what an engine complains of; the others are plans and traces."""
    return f"{type(error).__name__}: {safe(str(error).strip().split(chr(10))[0], 200)}"


def scan(path: str | os.PathLike[str], engine: str) -> LazySource:
    """Return a file, a folder or a pattern of files that an engine reads and counts itself, however large or far away."""
    if engine not in ENGINES:
        msg = f"engine must be one of {', '.join(ENGINES)}, got {engine!r}. A frame of any other can be given in place of a path."
        raise InputError(msg)
    place = _REMOTE.sub(r"\1://", os.fspath(path))
    local = Path(place)
    if "://" not in place and not _PATTERN & set(place) and not local.exists():
        msg = f"No file {quoted(place)}. Give the path of a CSV or Parquet file of predictions."
        raise InputError(msg)
    if local.suffix.lower() in (".csv", ".gz", ".tsv", ".txt"):
        msg = (
            f"{safe(local.name)}: an engine reads Parquet here. What the cells of a text file mean is for adjudge to say: leave "
            "the engine out, or give a frame of the engine that you have read yourself."
        )
        raise InputError(msg)
    where = f"{place}/*.parquet" if engine == "duckdb" and local.is_dir() else place
    try:
        session = {"session": import_module("pyspark.sql").SparkSession.builder.getOrCreate()} if engine == "pyspark" else {}
        frame = nw.scan_parquet(where, backend=engine, **session)  # type: ignore[arg-type]
        frame.collect_schema()  # some engines open nothing before they are asked
    except ModuleNotFoundError as error:
        msg = f"{engine} is not installed; install it, or leave the engine out: adjudge reads files itself."
        raise InputError(msg) from error
    except Exception as error:  # every engine has its own
        msg = f"{safe(local.name)}: {engine} cannot read it: {told(error)}."
        raise InputError(msg) from error
    return LazySource(local.name, frame, stays=True)


def arrays(table: pa.Table) -> dict[str, AnyArray]:
    """Return numbers and truth values as NumPy arrays; engines differ in how they type a count."""
    return {name: _numbers(joined(table.column(name))) for name in table.column_names}


def _numbers(column: pa.Array) -> AnyArray:
    kind = np.bool_ if pa.types.is_boolean(column.type) else np.float64
    return np.array(column.to_pylist() if pa.types.is_decimal(column.type) else column, dtype=kind)


@dataclass(frozen=True)
class LazySource:
    """A frame whose rows are not here yet; only the columns with a role are ever fetched."""

    name: str
    frame: nw.LazyFrame[Any]
    stays: bool = False
    """Whether rows stay where they are, however few."""
    cells: bool = False
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was asked of the engine once already."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._schema)

    @property
    def rows(self) -> int:
        """How many rows there are: one query, once."""
        if "rows" not in self._known:
            self._known["rows"] = int(collect(self.frame.select(nw.len().alias("n"))).column("n")[0].as_py())
        return int(self._known["rows"])

    @property
    def large(self) -> bool:
        """Whether rows are counted where they live: more of them than are ever fetched, or any where that was asked for."""
        return self.stays or self.rows > MOST_FETCHED

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows; an engine without an order of rows gives out any."""
        if self._known.get("head", (0, {}))[0] != rows:
            table = collect(self.frame.head(rows))
            if not table.num_rows:
                msg = f"{safe(self.name)}: no rows. Give one row per case."
                raise InputError(msg)
            self._known["head"] = (rows, {name: joined(table.column(name)) for name in self.names})
        return dict(self._known["head"][1])

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        with explained(self.name):
            yield from evenly(collect(self.frame.select(*wanted)).to_batches(max_chunksize=BLOCK), wanted)

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories that were declared for a column, if any; only an Enum has them in an order."""
        kind = self._schema.get(column)
        return tuple(kind.categories) if isinstance(kind, nw.Enum) else None

    def fingerprint(self) -> None:
        """Return nothing: a query is not a file."""

    @property
    def _schema(self) -> Mapping[str, Any]:
        if "schema" not in self._known:
            with _asked():
                self._known["schema"] = dict(self.frame.collect_schema())
        return self._known["schema"]  # type: ignore[no-any-return]

    def kind_of(self, column: str) -> Any:
        """Return the type of a column, in narwhals' words."""
        return self._schema[column]
