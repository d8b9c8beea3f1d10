"""The same rows as a frame of every engine."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

HERE = ("polars", "duckdb", "pandas", "pyarrow")
_NEWER = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
_OWN = [
    pytest.mark.filterwarnings(f"ignore::{kind}Warning") for kind in ("Deprecation", "Future", "Resource")
]  # Ray complains of itself
ELSEWHERE = [
    pytest.param("dask", marks=pytest.mark.engines),
    pytest.param("pyspark", marks=[pytest.mark.engines, _NEWER]),
    pytest.param("ray", marks=[pytest.mark.engines, *_OWN]),
]
"""Engines that start processes of their own: behind a mark, in a step of their own."""
IBIS = pytest.param("ibis", marks=pytest.mark.engines)
"""Not in a process of its own, but with packages of its own."""
ENGINES = [*HERE, IBIS, *ELSEWHERE]


def frame_of(engine: str, table: pa.Table) -> Any:  # noqa: PLR0911 - an engine, a return
    """Return the rows of `table` where `engine` keeps them; eager frames are made lazy, so that they stream like the others."""
    import narwhals.stable.v2 as nw

    if engine == "polars":
        import polars as pl

        return pl.DataFrame(table).lazy()
    if engine == "duckdb":
        return _duckdb().from_arrow(table)
    if engine == "ibis":
        import ibis

        return ibis.memtable(table)
    if engine == "dask":
        import dask.dataframe as dd

        _cluster()
        return dd.from_pandas(table.to_pandas(), npartitions=3)
    if engine == "pyspark":
        return _spark().createDataFrame(table)
    if engine == "ray":
        third = -(-table.num_rows // 3)
        return _ray().from_arrow([table.slice(start, third) for start in range(0, table.num_rows, third)])
    return nw.from_native(table.to_pandas() if engine == "pandas" else table).lazy()


@cache
def _duckdb() -> Any:
    """One connection for all tests of a run."""
    import duckdb

    return duckdb.connect()


@cache
def _cluster() -> Any:
    """Two workers in processes of their own, for all tests of a run."""
    import atexit

    from distributed import Client

    client = Client(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    atexit.register(client.close)
    return client


@cache
def _spark() -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else whichever is first on the path
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2"}
    session = SparkSession.builder.master("local[2]").config(map=quiet).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


@cache
def _ray() -> Any:
    """Two processors of this machine, for all tests of a run."""
    import logging

    import ray
    import ray.data

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray.data
