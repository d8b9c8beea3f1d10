"""Frames known by what they can do: the same rows of every kind, some at a time, and answers of partitions added up once each."""

from __future__ import annotations

import time
from contextlib import suppress
from types import SimpleNamespace
from typing import NamedTuple

import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines import _spark

import adjudge
from adjudge.predictions import frames
from adjudge.predictions.frames import TOGETHER, Blocks, Dataset, Query, added, frame_of, in_blocks, plain, streamed

ROWS = {"truth": ["a", "b", None, "a", "b"], "score": [0.5, None, 0.25, 1.0, 0.0], "n": [1, 2, 3, 4, 5]}
TABLE = pa.table(ROWS)


class Ray:
    """Blocks of rows that are asked as Ray's datasets are."""

    def __init__(self, tables):
        self.tables = tables

    def schema(self):
        return SimpleNamespace(names=self.tables[0].schema.names, types=self.tables[0].schema.types) if self.tables else None

    def count(self):
        return sum(table.num_rows for table in self.tables)

    def limit(self, rows):
        return Ray([pa.concat_tables(self.tables).slice(0, rows)])

    def select_columns(self, names):
        return Ray([table.select(names) for table in self.tables])

    def iter_batches(self, batch_size, batch_format):
        assert batch_format == "pyarrow"
        for table in self.tables:
            yield from (table.slice(at, batch_size) for at in range(0, table.num_rows, batch_size)) if batch_size else [table]

    def map_batches(self, function, batch_format, batch_size, **_):
        whole = (
            self.tables
            if batch_size is None
            else list(Ray([pa.concat_tables(self.tables)]).iter_batches(batch_size, batch_format))
        )
        return Ray([function(table) for table in whole])


class Spark:
    """Partitions that are asked as Spark's frames are; what is sent to workers and back goes through bytes."""

    def __init__(self, parts, cores=2):
        self.parts, self.cores = parts, cores
        context = SimpleNamespace(defaultParallelism=cores, accumulator=lambda _: Sum())
        self.sparkSession = SimpleNamespace(sparkContext=context if cores else None)

    def mapInArrow(self, function, _schema):  # noqa: N802 - Spark's name
        return Spark([list(function(iter(part))) for part in self.parts], self.cores)

    def coalesce(self, n):
        return self.repartition(n) if n < len(self.parts) else self

    def repartition(self, n):
        return Spark([[batch for part in self.parts[at::n] for batch in part] for at in range(n)], self.cores)

    def collect(self):
        return [(row,) for part in self.parts for batch in part for row in batch.column(0).to_pylist()]

    def toLocalIterator(self, prefetchPartitions):  # noqa: N802 - Spark's names
        assert prefetchPartitions
        return iter(self.collect())


class Asked:
    """A query as narwhals wraps it, around a frame that it need not know."""

    def __init__(self, native, names=tuple(ROWS)):
        self.native, self.names = native, list(names)

    def to_native(self):
        return self.native

    def collect_schema(self):
        return SimpleNamespace(names=lambda: self.names)

    def select(self, *names):
        return Asked(self.native, names)


def rows_of(batches):
    return pa.Table.from_batches(list(batches)).to_pydict()


class Counted(NamedTuple):
    rows: int


def count_rows(batches):
    return Counted(sum(batch.num_rows for batch in batches))


def all_rows(answers):
    return Counted(sum(answer.rows for answer in answers))


class Sum:
    """A sum over tasks as Spark's accumulators are; it can be asked at any time."""

    def __init__(self):
        self.value = 0

    def add(self, n):
        self.value += n


def arrow(rows=2):
    return TABLE.to_batches(max_chunksize=rows)


@pytest.mark.parametrize(
    ("native", "kind"),
    [(ds.dataset(TABLE), Dataset), (Ray([TABLE]), Blocks), (nw.from_native(pl.LazyFrame(ROWS)), Query)],
)
def test_a_frame_is_known_by_what_it_can_do_and_gives_the_same_rows(native, kind):
    frame = frame_of(native)
    assert type(frame) is kind
    assert frame.count() == 5
    assert list(frame.types()) == list(ROWS)
    assert rows_of(frame.first(3)) == {name: values[:3] for name, values in ROWS.items()}
    batches = list(frame.stream(["n", "truth"], 2))
    assert rows_of(batches) == {"n": ROWS["n"], "truth": ROWS["truth"]}
    assert max(batch.num_rows for batch in batches) <= 2


def test_what_is_spread_over_workers_and_what_has_an_order_is_known():
    known = {
        "dataset": frame_of(ds.dataset(TABLE)),
        "ray": frame_of(Ray([TABLE])),
        "polars": frame_of(nw.from_native(pl.LazyFrame(ROWS))),
        "spark": Query(Asked(Spark([arrow()]))),
        "dask": Query(Asked(SimpleNamespace(to_delayed=list))),
        "sql": Query(Asked(SimpleNamespace(fetch_record_batch=iter))),
    }
    assert {name for name, frame in known.items() if frame.spread} == {"ray", "spark", "dask"}
    assert {name for name, frame in known.items() if frame.ordered} == {"dataset", "ray", "polars", "dask"}


def test_only_what_can_do_all_of_it_is_in_blocks():
    assert in_blocks(Ray([]))
    assert not in_blocks(SimpleNamespace(map_batches=1, iter_batches=1))
    assert Blocks(Ray([])).types() == {}  # a dataset without rows may have no schema


@pytest.mark.parametrize(
    ("able", "stream"),
    [
        ("to_arrow_reader", lambda rows: pa.RecordBatchReader.from_batches(TABLE.schema, arrow(rows))),
        ("fetch_record_batch", lambda rows: pa.RecordBatchReader.from_batches(TABLE.schema, arrow(rows))),
        ("to_pyarrow_batches", lambda chunk_size: iter(arrow(chunk_size))),
    ],
)
def test_a_stream_is_asked_for_by_the_method_there_is(able, stream):
    batches = list(streamed(Asked(SimpleNamespace(**{able: stream}), ["n", "score"]), 2))
    assert rows_of(batches) == {"n": ROWS["n"], "score": ROWS["score"]}
    assert [batch.num_rows for batch in batches] == [2, 2, 1]


def test_partitions_of_dask_come_one_after_the_other_in_the_types_of_all_their_rows():
    frames = [pd.DataFrame({"n": [1, 2, 3]}), pd.DataFrame({"n": [4]}), pd.DataFrame({"n": pd.Series([], dtype="int64")})]
    parts = [SimpleNamespace(compute=lambda frame=frame: frame) for frame in frames]
    batches = list(streamed(Asked(SimpleNamespace(to_delayed=lambda: parts), ["n"]), 2))
    assert rows_of(batches) == {"n": [1, 2, 3, 4]}
    assert max(batch.num_rows for batch in batches) == 2
    late = pd.DataFrame({"text": pd.Series([None, None, "late"], dtype=object)})
    part = SimpleNamespace(compute=lambda: late)
    batches = list(streamed(Asked(SimpleNamespace(to_delayed=lambda: [part]), ["text"]), 2))
    assert len({batch.schema.field("text").type for batch in batches}) == 1
    assert rows_of(batches) == {"text": [None, None, "late"]}


def test_rows_of_spark_come_back_as_they_were():
    spark = Spark([arrow()[:1], arrow()[1:], []])
    assert rows_of(streamed(Asked(spark), 2)) == ROWS


def test_an_engine_without_a_stream_is_collected():
    class Collected(Asked):
        def collect(self, backend):
            assert backend == "pyarrow"
            return SimpleNamespace(to_native=lambda: TABLE)

    batches = list(streamed(Collected(object(), ["n"]), 2))
    assert rows_of(batches) == {"n": ROWS["n"]}
    assert [batch.num_rows for batch in batches] == [2, 2, 1]


def test_views_and_tensors_become_what_every_reader_knows():
    views = pa.array(["a", None, "a long text that is not held in place"]).cast(pa.string_view())
    tensors = pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float64(), [2]), pa.array([[1.0, 2.0]] * 3, pa.list_(pa.float64(), 2))
    )
    batch = plain(pa.RecordBatch.from_arrays([views, tensors], ["text", "tensor"]))
    assert batch.schema.types == [pa.large_string(), pa.list_(pa.float64(), 2)]
    assert batch.to_pydict() == {"text": views.to_pylist(), "tensor": [[1.0, 2.0]] * 3}
    assert list(Blocks(Ray([pa.table({"tensor": tensors})])).types().values()) == [pa.list_(pa.float64(), 2)]


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_answers_are_added_up_once_each_and_few_are_held(answers):
    sizes = []

    def add(parts):
        sizes.append(len(parts))
        return sum(parts)

    assert added(iter(answers), add) == sum(answers)
    assert max(sizes) <= TOGETHER


@pytest.mark.parametrize("parts", [1, 7, 8, 9, 30])
@pytest.mark.parametrize("frame", ["ray", "spark", "spark of unknown size", "large spark", "dataset"])
def test_every_partition_is_counted_once(parts, frame):
    tables, heard = [TABLE.slice(0, 1 + at % 5) for at in range(parts)], []
    batches = [table.to_batches() for table in tables]
    known = {
        "ray": lambda: Blocks(Ray(tables)),
        "spark": lambda: Query(Asked(Spark(batches, 2))),
        "spark of unknown size": lambda: Query(Asked(Spark(batches, None))),
        "large spark": lambda: Query(Asked(Spark(batches, 12))),
        "dataset": lambda: Dataset(ds.dataset(pa.concat_tables(tables))),
    }
    for told in (lambda *each: heard.append(each), None):
        answer = known[frame]().over_partitions(["n"], count_rows, all_rows, told)
        assert answer.rows == sum(table.num_rows for table in tables)
    if frame != "dataset":
        done, of, rows = zip(*heard, strict=True)
        assert sum(rows) == answer.rows
        assert sum(done) == (parts if frame == "ray" else of[-1])


def test_rows_of_spark_are_told_while_tasks_run(monkeypatch):
    monkeypatch.setattr("adjudge.predictions.frames.EVERY", 0.001)
    heard, native = [], Spark([arrow()] * 3, 3)
    collect = Spark.collect

    def slow(self):
        while not heard:  # the last task ends once the others were told
            time.sleep(0.001)
        return collect(self)

    monkeypatch.setattr(Spark, "collect", slow)
    answer = Query(Asked(native)).over_partitions(["n"], count_rows, all_rows, lambda *each: heard.append(each))
    assert answer.rows == 15
    assert heard == [(0, None, 15), (3, 3, 0)]


@pytest.mark.parametrize("parts", [1, 8, 9, 70])
def test_dask_counts_every_partition_once(parts):
    dask = pytest.importorskip("dask")
    frames = [pd.DataFrame({"n": range(1 + at % 5)}) for at in range(parts)]
    native = SimpleNamespace(to_delayed=lambda: [dask.delayed(frame) for frame in frames])
    heard = []
    answer = Query(Asked(native)).over_partitions(["n"], count_rows, all_rows, lambda *each: heard.append(each))
    assert answer.rows == sum(map(len, frames))
    assert sorted(heard) == sorted((1, parts, len(frame)) for frame in frames)
    assert Query(Asked(native)).over_partitions(["n"], count_rows, all_rows, None) == answer


def test_a_job_that_fails_on_a_worker_is_not_swallowed():
    def fails(_):
        msg = "a bad cell"
        raise ValueError(msg)

    for frame in (Blocks(Ray([TABLE])), Query(Asked(Spark([arrow()]))), Dataset(ds.dataset(TABLE))):
        with pytest.raises(ValueError, match="a bad cell"):
            frame.over_partitions(["n"], fails, sum, lambda *_: None)


class Settings(dict):
    """Settings of Spark: texts by name, nothing where none was set."""

    def set(self, name, value):
        self[name] = value

    unset = dict.pop


BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
ROWS_AT_ONCE = "spark.sql.execution.arrow.maxRecordsPerBatch"


@pytest.mark.parametrize(
    ("settings", "kind", "within"),
    [
        ({}, "double", str(2**31 - 1)),
        ({BYTES: "1000"}, "string", str(2**31 - 1)),
        ({ROWS_AT_ONCE: "500"}, "float", str(2**31 - 1)),
        ({ROWS_AT_ONCE: "0"}, "double", None),
        ({}, "array<double>", None),
        ({}, "vector", None),
    ],
)
@pytest.mark.parametrize("fails", [False, True])
def test_spark_cuts_batches_by_rows_only_while_a_query_of_short_cells_runs(settings, kind, within, fails):
    kept = Settings(settings)
    native = SimpleNamespace(sparkSession=SimpleNamespace(conf=kept), dtypes=[("truth", "string"), ("p", kind)])
    with suppress(RuntimeError), frames._cut_by_rows(native):
        assert kept.get(BYTES) == within
        if fails:
            raise RuntimeError
    assert kept == settings


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_settings_of_spark_are_left_as_they_were():
    session = _spark()
    before, rows = session.conf.get(BYTES), session.createDataFrame(pa.table({"truth": [0, 1] * 20, "predicted": [0, 1] * 20}))
    assert adjudge.evaluate(rows).estimates["accuracy"].value == 1
    assert session.conf.get(BYTES) == before
    session.conf.set(BYTES, "12345")
    adjudge.evaluate(rows)
    assert session.conf.get(BYTES) == "12345"
    session.conf.unset(BYTES)
