"""The same hostile rows from files of four writers, read by every engine: one answer."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.counts.made import same_clusters
from tests.engines import ELSEWHERE, HERE, IBIS, _cluster, _duckdb, _ray, _spark, frame_of

import adjudge
from adjudge.counts.counting import tally

N = 240
LABELS = np.array(["ant", "bee", "cow"])


def rows():
    """Return scores that are NaN, null, minus zero and infinite, beside a dictionary of labels."""
    rng = np.random.default_rng(31)
    score = rng.normal(size=N)
    score[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, -0.0, 0.0, np.nan]
    truth = np.where(rng.normal(size=N) + np.clip(np.nan_to_num(score), -3, 3) > 0, "yes", "no")
    gone = rng.random(N) < 0.1
    gone[:8] = False
    columns = {"truth": pa.array(truth).dictionary_encode(), "score": pa.array(score, mask=gone), "n": np.arange(N)}
    return pa.table(columns), {
        "truth": "truth", "scores": "score", "scores_are": "scores", "positive": "yes", "missing_scores": "drop", "row": "n",
    }  # fmt: skip


def vectors():
    """Return lists of probabilities."""
    p = np.random.default_rng(32).dirichlet([1, 1, 1], N)
    p[0], p[1] = [-0.0, 1.0, 0.0], [1.0, 0.0, -0.0]
    return pa.table({"truth": np.arange(N) % 3, "p": p.tolist()}), {"truth": "truth", "scores": "p"}


def sites():
    """Return probabilities with a column of groups."""
    table, roles = vectors()
    sites = pa.array([f"site {i % 5}" for i in range(N)])
    return table.append_column("site", sites), roles | {"group": "site"}


def patients():
    """Return probabilities with a column of what rows belong to."""
    table, roles = vectors()
    own = pa.array([f"patient {i * i % 37}" for i in range(N)])
    return table.append_column("patient", own), roles | {"cluster": "patient"}


def written_by(writer, table, path):
    if writer == "pyarrow":
        pq.write_table(table, path, row_group_size=100)
    elif writer == "polars":
        pl.from_arrow(table).write_parquet(path, row_group_size=100)
    elif writer == "duckdb":
        _duckdb().from_arrow(table).write_parquet(str(path), row_group_size=2048)
    else:
        decoded = pa.table(
            {
                name: c.cast(pa.string()) if name == "truth" and pa.types.is_dictionary(c.type) else c
                for name, c in zip(table.column_names, table.columns, strict=True)
            }
        )
        _spark().createDataFrame(decoded).coalesce(1).write.parquet(str(path))
    return path


def read_by(engine, path):
    if engine == "dask":
        import dask.dataframe as dd

        _cluster()
        return dd.read_parquet(path)
    if engine == "ibis":
        import ibis

        return ibis.duckdb.connect().read_parquet(path if path.is_file() else path / "*.parquet")
    if engine == "pyspark":
        return _spark().read.parquet(str(path))
    if engine == "ray":
        return _ray().read_parquet(str(path))
    return (
        pl.scan_parquet(path if path.is_file() else path / "*.parquet")
        if engine == "polars"
        else _duckdb().read_parquet(str(path if path.is_file() else path / "*.parquet"))
    )


def same(found, expected, where=()):
    """Compare two results: equal, every number to its last bit."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), where
        for name, value in expected.items():
            if name not in ("name", "origin", "sha256", "fingerprint"):
                same(found[name], value, (*where, name))
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
            same(mine, theirs, (*where, i))
    else:
        assert json.dumps(found) == json.dumps(expected), where  # NaN is NaN


WRITERS = ["pyarrow", "polars", "duckdb", pytest.param("spark", marks=pytest.mark.engines)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Dask's, of pandas
@pytest.mark.parametrize("engine", ["polars", "duckdb", IBIS, *ELSEWHERE])
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("made", [rows, vectors])
def test_one_answer(made, writer, engine, tmp_path):
    table, roles = made()
    path = written_by(writer, table, tmp_path / "rows.parquet")
    found = json.loads(json.dumps(adjudge.evaluate(read_by(engine, path), **roles).to_dict()))
    expected = json.loads(json.dumps(adjudge.evaluate(path, **roles).to_dict()))
    same(found, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("engine", ELSEWHERE)
@pytest.mark.parametrize("made", [rows, vectors, sites, patients])
def test_partitions_counted_where_they_lie_give_what_a_file_gives_whose_scores_are_tables(made, engine, tmp_path, monkeypatch):
    table, roles = made()
    path = tmp_path / "rows"
    path.mkdir()
    for start in range(0, N, 100):
        pq.write_table(table.slice(start, 100), path / f"{start:03}.parquet")
    monkeypatch.setattr("adjudge.counts.counting.EXACT", 1)
    monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0)
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0)
    found, expected = (json.loads(json.dumps(adjudge.report(each, **roles).to_dict())) for each in (read_by(engine, path), path))
    if engine != "dask":  # partitions come in any order, and with them the cases that are tried and drawn
        for name in ("partition", "partition_intervals", "recommendations", "rejection"):
            assert bool(found.pop(name, None)) == bool(expected.pop(name, None)), name
        kinds = [{step["kind"] for step in each.pop("next_steps")} - {"correction"} for each in (found, expected)]
        assert kinds[0] <= kinds[1] or kinds[1] <= kinds[0]  # at most three: a correction takes the place of the last
    same(found, expected)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.float64(), pa.dictionary(pa.int32(), pa.string())])
def test_clusters_are_the_same_in_frames_of_every_engine(engine, kind):
    """A patient 12 is one patient, whatever the type of the column."""
    table, roles = vectors()
    numbers = pa.array(np.arange(N) ** 2 % 37)
    own = numbers.cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else numbers.cast(kind)
    found = adjudge.read(frame_of(engine, table.append_column("patient", own)), **roles, cluster="patient")
    expected = tally(adjudge.read(table.append_column("patient", numbers), **roles, cluster="patient"))
    same_clusters(tally(found).confusion.clusters, expected.confusion.clusters)


# -- several numbers a cell ------------------------------------------------------------------------------------


def accuracy(frame, **roles):
    return adjudge.evaluate(frame, truth="truth", scores="p", **roles).estimates["log_loss"].value


@pytest.mark.parametrize("kind", [pl.List(pl.Float64), pl.Array(pl.Float64, 3), pl.Array(pl.Float32, 3)], ids=str)
def test_vectors_of_polars(kind):
    table, _ = vectors()
    frame = pl.from_arrow(table).with_columns(pl.col("p").cast(kind))
    assert accuracy(frame.lazy()) == pytest.approx(accuracy(table), rel=1e-6 if "32" in str(kind) else 1e-15)


@pytest.mark.parametrize("kind", ["DOUBLE[]", "DOUBLE[3]"])
def test_vectors_of_duckdb(kind):
    table, _ = vectors()
    frame = _duckdb().from_arrow(table).project(f"truth, p::{kind} as p")
    assert accuracy(frame) == accuracy(table)


def test_lists_of_one_length():
    table, _ = vectors()
    fixed = table.set_column(1, "p", table.column("p").combine_chunks().cast(pa.list_(pa.float64(), 3)))
    assert accuracy(fixed) == accuracy(table)


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("large", [False, True])
class TestVectorsOfClusters:
    @pytest.fixture(autouse=True)
    def _large(self, large, monkeypatch):
        monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0 if large else 1 << 20)
        monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0 if large else 1 << 22)

    def test_dask(self):
        table, _ = vectors()
        assert accuracy(frame_of("dask", table)) == accuracy(table)

    def test_ray_lists_and_tensors(self):
        table, _ = vectors()
        assert accuracy(frame_of("ray", table)) == accuracy(table)
        p = np.array(table.column("p").to_pylist())
        tensors = _ray().from_items(
            [{"truth": int(t), "p": row} for t, row in zip(table.column("truth").to_pylist(), p, strict=True)]
        )
        assert accuracy(tensors) == accuracy(table)

    def test_spark_ml(self):
        table, _ = vectors()
        functions = pytest.importorskip("pyspark.ml.functions")
        arrays = frame_of("pyspark", table)
        assert accuracy(arrays) == accuracy(table)
        dense = arrays.withColumn("p", functions.array_to_vector("p"))
        assert accuracy(dense) == accuracy(table)
