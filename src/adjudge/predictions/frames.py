"""What a frame can be asked for, whoever holds its rows: types, the first rows, a stream of them, or a job done where they lie.

Frames are known by what they can do, none by name: those that narwhals knows, pyarrow's datasets, and datasets in blocks.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from importlib import import_module
from threading import Event, Thread
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import BLOCK
from adjudge._base.records import dataclass

_BYTES, _ROWS = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Bytes", "Records"))  # settings of Spark
TOGETHER = 8  # answers of partitions that are added up at a time
EVERY = 0.2  # seconds between two looks at how many rows Spark's tasks have counted
Batches: TypeAlias = Iterable[pa.RecordBatch]
Job: TypeAlias = Callable[[Batches], Any]
Add: TypeAlias = Callable[[list[Any]], Any]
Told: TypeAlias = Callable[[int, int | None, int], None]  # hears of partitions done, of how many if known, and of rows in them


class Frame(Protocol):
    """Rows under named columns, wherever they are."""

    @property
    def spread(self) -> bool:
        """Whether rows lie in partitions on workers, where jobs can be done."""

    @property
    def ordered(self) -> bool:
        """Whether rows come in one order."""

    def types(self) -> dict[str, Any]:
        """Return the type of each column, Arrow's or that of narwhals."""

    def count(self) -> int:
        """Return the number of rows."""

    def first(self, rows: int) -> Batches:
        """Yield the first rows."""

    def stream(self, columns: Sequence[str], rows: int) -> Batches:
        """Yield the rows of some columns, about so many at a time wherever the engine can."""

    def over_partitions(self, columns: Sequence[str], job: Job, add: Add, told: Told | None) -> Any:
        """Return what `add` makes of the answers of `job`, which is run where each partition of the columns lies.

        Whoever is `told` of rows hears of those that answers say they are of.
        """


def frame_of(native: Any) -> Frame:
    """Return what can be asked of a frame."""
    return Dataset(native) if hasattr(native, "scanner") else Blocks(native) if in_blocks(native) else Query(native)


def in_blocks(native: Any) -> bool:
    """Return whether these are blocks of rows on workers, such as Ray's: there is no query language, only functions of blocks."""
    return all(hasattr(native, name) for name in ("map_batches", "iter_batches", "select_columns"))


@dataclass(frozen=True)
class Dataset:
    """A dataset of pyarrow's."""

    native: Any
    spread = False
    ordered = True

    def types(self) -> dict[str, Any]:
        """Return the type of each column."""
        return {each.name: each.type for each in self.native.schema}

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.native.count_rows())

    def first(self, rows: int) -> Batches:
        """Yield the first rows."""
        yield from map(_sound, self.native.head(rows, **self._checked()).to_batches())

    def stream(self, columns: Sequence[str], rows: int) -> Batches:
        """Yield the rows of some columns."""
        yield from map(_sound, self.native.scanner(columns=list(columns), batch_size=rows, **self._checked()).to_reader())

    def _checked(self) -> dict[str, Any]:
        """Return the options of the dataset's own format by which checksums of pages are verified, of Parquet files only."""
        options: Any = copy(getattr(getattr(self.native, "format", None), "default_fragment_scan_options", None))
        if not hasattr(options, "page_checksum_verification"):
            return {}
        options.page_checksum_verification = True
        return {"fragment_scan_options": options}

    def over_partitions(self, columns: Sequence[str], job: Job, add: Add, told: Told | None) -> Any:  # noqa: ARG002 - none lie elsewhere
        """Return the answer of all rows."""
        return add([job(self.stream(columns, BLOCK))])


@dataclass(frozen=True)
class Blocks:
    """Blocks of rows in the object store of a cluster."""

    native: Any
    spread = True
    ordered = True

    def types(self) -> dict[str, Any]:
        """Return the type of each column."""
        schema = self.native.schema()
        return {} if schema is None else dict(zip(schema.names, map(_storage, schema.types), strict=True))

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.native.count())

    def first(self, rows: int) -> Batches:
        """Yield the first rows."""
        return _of_blocks(self.native.limit(rows), rows)

    def stream(self, columns: Sequence[str], rows: int) -> Batches:
        """Yield the rows of some columns, block after block."""
        return _of_blocks(self.native.select_columns(list(columns)), rows)

    def over_partitions(self, columns: Sequence[str], job: Job, add: Add, told: Told | None) -> Any:
        """Run a job for each block; a worker adds some answers up, and the others are added here as they arrive."""
        as_they_are: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}
        answers = self.native.select_columns(list(columns)).map_batches(partial(_block_answered, job=job), **as_they_are)
        sums = answers.map_batches(partial(_block_added, add=add), batch_format="pyarrow", batch_size=TOGETHER)

        def each() -> Iterator[Any]:
            for table in sums.iter_batches(batch_format="pyarrow", batch_size=None):
                for stored, parts in zip(table.column("answer"), table.column("parts"), strict=True):
                    answer = pickle.loads(stored.as_buffer())  # noqa: S301 - our own workers wrote it
                    if told is not None:
                        told(parts.as_py(), None, rows_in(answer))
                    yield answer

        return added(each(), add)


@dataclass(frozen=True)
class Query:
    """A lazy frame that narwhals knows: a query, of an engine here or on a cluster."""

    native: Any

    @property
    def spread(self) -> bool:
        """Whether rows lie in partitions on workers."""
        return any(hasattr(self.native.to_native(), able) for able in ("mapInArrow", "to_delayed"))

    @property
    def ordered(self) -> bool:
        """Whether rows come in one order: those of polars and Dask do, those of a query in SQL need not."""
        return any(hasattr(self.native.to_native(), able) for able in ("collect_batches", "to_delayed"))

    def types(self) -> dict[str, Any]:
        """Return the type of each column."""
        return dict(self.native.collect_schema())

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.native.select(import_module("narwhals.stable.v2").len()).collect().item())

    def first(self, rows: int) -> Batches:
        """Yield the first rows; an engine without an order of rows gives out any."""
        return streamed(self.native.head(rows), rows)

    def stream(self, columns: Sequence[str], rows: int) -> Batches:
        """Yield the rows of some columns."""
        return streamed(self.native.select(*columns), rows)

    def over_partitions(self, columns: Sequence[str], job: Job, add: Add, told: Told | None) -> Any:
        """Run a job where each partition lies."""
        native = self.native.select(*columns).to_native()
        return (_over_spark if hasattr(native, "mapInArrow") else _over_dask)(native, job, add, told)


# -- streams ---------------------------------------------------------------------------------------------------


def streamed(query: Any, rows: int) -> Batches:
    """Yield the rows of a query as its engine hands them over, some at a time wherever it can."""
    native, names = query.to_native(), query.collect_schema().names()
    for able, stream in _STREAMS.items():
        if hasattr(native, able):
            yield from (plain(batch.select(names)) for batch in stream(native, rows))
            return
    table: pa.Table = query.collect(backend="pyarrow").to_native()
    yield from table.select(names).to_batches(max_chunksize=rows)


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows with texts and tensors as every reader knows them."""
    arrays = []
    for column in batch.columns:
        stored = column.storage if isinstance(column.type, pa.BaseExtensionType) else column
        arrays.append(stored.cast(pa.large_string()) if kinds.is_string_view(stored.type) else stored)
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _sound(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose dictionaries have every place that is named; those of damaged pages do not."""
    batch.validate(full=True)
    return batch


def _storage(kind: Any) -> Any:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _of_blocks(native: Any, rows: int) -> Batches:
    for table in native.iter_batches(batch_size=rows, batch_format="pyarrow"):
        yield from map(plain, table.to_batches())


def _of_spark(native: Any, _: int) -> Batches:
    """Yield partition after partition: rows in the bytes of Arrow's own format, since Spark would make an object of each cell."""

    def written(batches: Batches) -> Batches:  # in here, so that workers need no adjudge to send rows
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["rows"])

    with _cut_by_rows(native):
        answers = native.mapInArrow(written, "rows binary").toLocalIterator(prefetchPartitions=True)
    for answer in answers:
        yield from pa.ipc.open_stream(bytes(answer[0]))


def _of_ibis(native: Any, rows: int) -> Batches:
    """Yield the rows of a query some at a time; all at once where ibis would ask DuckDB 2 for a method that it no longer has."""
    connection = getattr(native.get_backend(), "con", None) if hasattr(native, "get_backend") else None
    gone = hasattr(connection, "to_arrow_reader") and not hasattr(connection, "fetch_record_batch")
    return native.to_pyarrow().to_batches(rows) if gone else native.to_pyarrow_batches(chunk_size=rows)  # type: ignore[no-any-return]


def _of_pandas(frame: Any, rows: int = BLOCK) -> Batches:
    """Yield the rows of a frame some at a time, so that it is not held a second time; types are those of all its rows."""
    schema = pa.Schema.from_pandas(frame, preserve_index=False)
    for start in range(0, max(len(frame), 1), rows):
        yield from pa.Table.from_pandas(frame.iloc[start : start + rows], schema, preserve_index=False).to_batches()


_STREAMS: dict[str, Callable[[Any, int], Batches]] = {
    "collect_batches": lambda native, rows: (
        batch for frame in native.collect_batches(chunk_size=rows, maintain_order=True) for batch in frame.to_arrow().to_batches()
    ),
    "to_arrow_reader": lambda native, rows: native.to_arrow_reader(rows),
    "fetch_record_batch": lambda native, rows: native.fetch_record_batch(rows),
    "to_pyarrow_batches": _of_ibis,
    "mapInArrow": _of_spark,
    "to_delayed": lambda native, rows: (batch for part in native.to_delayed() for batch in _of_pandas(part.compute(), rows)),
    "__arrow_c_stream__": lambda native, rows: pa.table(native).to_batches(max_chunksize=rows),
}
"""How rows stream, by the method an engine has for it: polars, DuckDB of two ages, ibis, Spark, Dask, frames at hand."""


# -- partitions ------------------------------------------------------------------------------------------------


def added(answers: Iterable[Any], add: Add) -> Any:
    """Return answers added up as they arrive, a few at a time, so that few are held."""
    waiting: list[Any] = []
    for answer in answers:
        waiting.append(answer)
        if len(waiting) == TOGETHER:
            waiting = [add(waiting)]
    return add(waiting)


def rows_in(answer: Any) -> int:
    """Return how many rows an answer is of; what tells of none, such as a complaint, is of 0."""
    return int(getattr(answer, "rows", 0))


def _over_spark(native: Any, job: Job, add: Add, told: Told | None) -> Any:
    """Run a job for each core of the cluster, over as many partitions as fall to it; of many answers, some workers add up.

    Rows are told as tasks end, where the driver can be asked for sums over tasks: Spark Connect cannot.
    """
    context = getattr(native.sparkSession, "sparkContext", None)
    rows = None if told is None or context is None else context.accumulator(0)

    def answered(batches: Batches) -> Batches:
        answer = job(map(plain, batches))
        if rows is not None:
            rows.add(rows_in(answer))
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(answer)], pa.binary())], ["answer"])

    def summed(batches: Batches) -> Batches:
        answers = (pickle.loads(answer.as_buffer()) for batch in batches for answer in batch.column("answer"))  # noqa: S301 - ours
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(added(answers, add))], pa.binary())], ["answer"])

    cores = getattr(context, "defaultParallelism", None)
    answers = (native if cores is None else native.coalesce(cores)).mapInArrow(answered, "answer binary")
    if cores is None or cores > TOGETHER:
        answers = answers.repartition(TOGETHER).mapInArrow(summed, "answer binary")
    with _cut_by_rows(native), _asking(rows, told) as heard:
        parts = [pickle.loads(bytes(answer[0])) for answer in answers.collect()]  # noqa: S301 - our own workers wrote it
    if told is not None:
        told(len(parts), len(parts), sum(map(rows_in, parts)) - sum(heard))
    return add(parts)


@contextmanager
def _cut_by_rows(native: Any) -> Iterator[None]:
    """Let Spark cut batches by their rows alone while a query runs, unless cells are long or nobody bounds the rows.

    Spark 4 measures the bytes of a batch after every row, which takes twice the time of all else that it does.
    """
    settings = getattr(native.sparkSession, "conf", None)
    if (
        settings is None
        or any("<" in kind or kind == "vector" for _, kind in native.dtypes)
        or int(settings.get(_ROWS, None) or 1) < 1
    ):
        yield
        return
    before = settings.get(_BYTES, None)
    settings.set(_BYTES, str((1 << 31) - 1))  # which Spark takes for no bound
    try:
        yield
    finally:
        settings.unset(_BYTES) if before is None else settings.set(_BYTES, before)


@contextmanager
def _asking(rows: Any, told: Told | None) -> Iterator[list[int]]:
    """Ask a sum over tasks every now and then how many rows it has come to, and tell of them; yield those that were told."""
    heard: list[int] = []
    ended = Event()

    def ask() -> None:
        while not ended.wait(EVERY):
            if new := rows.value - sum(heard):
                heard.append(new)
                told(0, None, new)  # type: ignore[misc]  # whoever asks is told

    asking = None if rows is None else Thread(target=ask, daemon=True)
    if asking is not None:
        asking.start()
    try:
        yield heard
    finally:
        ended.set()
        if asking is not None:
            asking.join()


def _over_dask(native: Any, job: Job, add: Add, told: Told | None) -> Any:
    """Run a job for each partition, and add answers up where they are, a few at a time."""
    dask = import_module("dask")
    sent = dask.delayed(job)  # once, and not with every partition
    answers = [dask.delayed(_answered)(part, sent) for part in native.to_delayed()]
    leaves = answers
    while len(answers) > 1:
        answers = [dask.delayed(add)(answers[i : i + TOGETHER]) for i in range(0, len(answers), TOGETHER)]
    done = [] if told is None else [dask.delayed(rows_in)(each) for each in leaves]
    keys = {each.key for each in done}

    def heard(key: Any, rows: Any, *_: Any) -> None:
        if told is not None and key in keys:
            told(1, len(leaves), rows)

    with import_module("dask.callbacks").Callback(posttask=heard):  # of threads and processes here, which do it all in there
        whole, *done = dask.persist(answers[0], *done)  # on a cluster this returns at once, and the answers are no longer held
    futures = {future: key for each in done for key, future in each.dask.items() if hasattr(future, "add_done_callback")}
    for future, rows in import_module("distributed").as_completed(futures, with_results=True) if futures else ():
        heard(futures[future], rows)
    return add([whole.compute()])


def _answered(partition: Any, job: Job) -> Any:
    return job(_of_pandas(partition))


def _block_answered(table: pa.Table, job: Job) -> pa.Table:
    return _as_table(job(map(plain, table.to_batches())), 1)


def _block_added(table: pa.Table, add: Add) -> pa.Table:
    answers = (pickle.loads(answer.as_buffer()) for answer in table.column("answer"))  # noqa: S301 - our own workers wrote it
    return _as_table(added(answers, add), sum(table.column("parts").to_pylist()))


def _as_table(answer: Any, parts: int) -> pa.Table:
    return pa.table({"answer": pa.array([pickle.dumps(answer)], pa.large_binary()), "parts": [parts]})
