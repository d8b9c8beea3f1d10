"""Frames whose rows live in an engine: polars' lazy frames, DuckDB, ibis, Dask, Spark, pyarrow datasets.

An engine hands over the columns that have a role as a stream of Arrow record batches, which are read as those of a file are; one
that is spread over workers also counts its partitions where they lie. Engines are known by what they can do, none by name.
"""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import BLOCK
from adjudge._base.errors import InputError
from adjudge._base.records import dataclass
from adjudge._base.text import quoted, safe
from adjudge.predictions.streams import evenly, joined, rows_of

MOST_FETCHED = 1 << 20  # rows that are kept once they were fetched; partitions that have more of them are counted where they lie

ENGINES = ("polars", "duckdb", "dask", "pyspark")  # those that can be asked to read files
_PATTERN = set("*?[")
_REMOTE = re.compile(r"^([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])")  # pathlib makes one slash of two
_TOGETHER = 8  # answers of partitions that a worker adds up at a time
Batches: TypeAlias = Iterable[pa.RecordBatch]


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
        nw = import_module("narwhals.stable.v2")
        session = {"session": import_module("pyspark.sql").SparkSession.builder.getOrCreate()} if engine == "pyspark" else {}
        frame = nw.scan_parquet(where, backend=engine, **session)
        frame.collect_schema()  # some engines open nothing before they are asked
    except ModuleNotFoundError as error:
        msg = f"{engine} is not installed; install it, or leave the engine out: adjudge reads files itself."
        raise InputError(msg) from error
    except Exception as error:  # every engine has its own
        msg = f"{safe(local.name)}: {engine} cannot read it: {told(error)}."
        raise InputError(msg) from error
    return LazySource(local.name, frame, stays=True)


@dataclass(frozen=True)
class LazySource:
    """A frame whose rows are not here yet, or a pyarrow dataset; only the columns with a role are ever fetched."""

    name: str
    frame: Any
    stays: bool = False  # whether partitions are counted where they lie, however few rows they have
    cells: bool = False
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what was asked of the engine once already

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._schema)

    @property
    def counts_there(self) -> bool:
        """Whether partitions are counted where they lie: those of a cluster, of more rows than are sent on."""
        native = self._native
        if not (hasattr(native, "mapInArrow") or hasattr(native, "to_delayed")):
            return False
        if self.stays:
            return True
        if "rows" not in self._known:
            with _asked():
                self._known["rows"] = int(self.frame.select(import_module("narwhals.stable.v2").len()).collect().item())
        return bool(self._known["rows"] > MOST_FETCHED)

    @property
    def ordered(self) -> bool:
        """Whether rows come in one order: those of polars, Dask and datasets do, those of a query in SQL need not."""
        return _is_dataset(self.frame) or hasattr(self._native, "collect_batches") or hasattr(self._native, "to_delayed")

    @property
    def _native(self) -> Any:
        return self.frame if _is_dataset(self.frame) else self.frame.to_native()

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows; an engine without an order of rows gives out any."""
        if self._known.get("head", (0, {}))[0] != rows:
            with _asked():
                first = self.frame.head(rows)
                batches = list(first.to_batches() if _is_dataset(self.frame) else _streamed(first, rows))
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
            if _is_dataset(self.frame):
                batches = self.frame.scanner(columns=wanted, batch_size=rows).to_reader()
            else:
                batches = _streamed(self.frame.select(*wanted), rows)
            for block in evenly(batches, wanted, rows):
                n += len(block[wanted[0]])
                kept = None if kept is None or n > MOST_FETCHED else [*kept, block]
                yield block
        if kept is not None:
            self._known["kept"] = ((wanted, bool(numbers)), kept)

    def over_partitions(self, columns: Sequence[str], job: Callable[[Batches], Any], add: Callable[[list[Any]], Any]) -> Any:
        """Return what `add` makes of the answers of `job`, which is run where each partition of the columns lies."""
        native = self.frame.select(*columns).to_native()
        with _asked():
            return _over_spark(native, job, add) if hasattr(native, "mapInArrow") else _over_dask(native, job, add)

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
                kept = ((each.name, each.type) for each in self.frame.schema) if _is_dataset(self.frame) else None
                self._known["schema"] = dict(self.frame.collect_schema() if kept is None else kept)
        return self._known["schema"]  # type: ignore[no-any-return]


# -- streams ---------------------------------------------------------------------------------------------------


def _is_dataset(frame: Any) -> bool:
    return hasattr(frame, "scanner")


def _streamed(query: Any, rows: int) -> Batches:
    """Yield the rows of a query as its engine hands them over, some at a time wherever it can."""
    native, names = query.to_native(), query.collect_schema().names()
    for able, stream in _STREAMS.items():
        if hasattr(native, able):
            yield from (_plain(batch.select(names)) for batch in stream(native, rows))
            return
    table: pa.Table = query.collect(backend="pyarrow").to_native()
    yield from table.select(names).to_batches(max_chunksize=rows)


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows with texts as every reader knows them."""
    if not any(kinds.is_string_view(kind) for kind in batch.schema.types):
        return batch
    arrays = [column.cast(pa.large_string()) if kinds.is_string_view(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _of_spark(native: Any, _: int) -> Batches:
    """Yield partition after partition: rows in the bytes of Arrow's own format, since Spark would make an object of each cell."""

    def written(batches: Batches) -> Batches:  # in here, so that workers need no adjudge to send rows
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["rows"])

    for answer in native.mapInArrow(written, "rows binary").toLocalIterator(prefetchPartitions=True):
        yield from pa.ipc.open_stream(bytes(answer[0]))


def _of_pandas(frame: Any, rows: int = BLOCK) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=rows)
    return batches


_STREAMS: dict[str, Callable[[Any, int], Batches]] = {
    "collect_batches": lambda native, rows: (
        batch for frame in native.collect_batches(chunk_size=rows, maintain_order=True) for batch in frame.to_arrow().to_batches()
    ),
    "to_arrow_reader": lambda native, rows: native.to_arrow_reader(rows),
    "fetch_record_batch": lambda native, rows: native.fetch_record_batch(rows),
    "to_pyarrow_batches": lambda native, rows: native.to_pyarrow_batches(chunk_size=rows),
    "mapInArrow": _of_spark,
    "to_delayed": lambda native, rows: (batch for part in native.to_delayed() for batch in _of_pandas(part.compute(), rows)),
    "__arrow_c_stream__": lambda native, rows: pa.table(native).to_batches(max_chunksize=rows),
}
"""How rows stream, by the method an engine has for it: polars, DuckDB of two ages, ibis, Spark, Dask, frames at hand."""


# -- partitions ------------------------------------------------------------------------------------------------


def _over_spark(native: Any, job: Callable[[Batches], Any], add: Callable[[list[Any]], Any]) -> Any:
    """Run a job for each core of the cluster, over as many partitions as fall to it."""

    def answered(batches: Batches) -> Batches:
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(job(batches))], pa.binary())], ["answer"])

    cores = getattr(getattr(native.sparkSession, "sparkContext", None), "defaultParallelism", None)
    answers = (native if cores is None else native.coalesce(cores)).mapInArrow(answered, "answer binary").collect()
    return add([pickle.loads(bytes(answer[0])) for answer in answers])  # noqa: S301 - our own workers wrote it


def _over_dask(native: Any, job: Callable[[Batches], Any], add: Callable[[list[Any]], Any]) -> Any:
    """Run a job for each partition, and add answers up where they are, a few at a time."""
    delayed = import_module("dask").delayed
    sent = delayed(job)  # once, and not with every partition
    answers = [delayed(_answered)(part, sent) for part in native.to_delayed()]
    while len(answers) > 1:
        answers = [delayed(add)(answers[i : i + _TOGETHER]) for i in range(0, len(answers), _TOGETHER)]
    return add([answers[0].compute()])


def _answered(partition: Any, job: Callable[[Batches], Any]) -> Any:
    return job(_of_pandas(partition))
