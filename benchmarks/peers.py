"""The same answers from other libraries, each in the fastest of the formulations tried, with data where it would have them.

Every peer is asked for less than we give: a table without its measures, an area without its interval.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import duckdb
import numpy as np
import polars as pl

Jobs = dict[str, Callable[[], Any]]


def table_jobs(truth: np.ndarray, predicted: np.ndarray, k: int) -> Jobs:
    """Return who can count pairs of the whole numbers 0 to k - 1, by name."""
    frame = pl.DataFrame({"t": truth, "p": predicted})
    jobs: Jobs = {
        "polars group_by": partial(_polars_table, frame.lazy()),
        "duckdb GROUP BY": partial(_asked, _own(frame), "SELECT t, p, count(*) FROM own GROUP BY ALL"),
    }
    if find_spec("torchmetrics"):
        count = import_module("torchmetrics.functional.classification").multiclass_confusion_matrix
        jobs["torchmetrics confusion_matrix"] = partial(count, *_tensors(predicted, truth), k, validate_args=False)
    return jobs


def area_jobs(scores: np.ndarray, positive: np.ndarray) -> Jobs:
    """Return who can give the exact AUC with ties, by name."""
    frame = pl.DataFrame({"s": scores, "y": positive})
    jobs: Jobs = {
        "polars sort and cum_sum": partial(_polars_area, frame.lazy()),
        "duckdb rank() over scores": partial(_duckdb_area, _own(frame)),
    }
    if find_spec("torchmetrics"):
        area = import_module("torchmetrics.functional.classification").binary_auroc
        jobs["torchmetrics auroc"] = partial(area, *_tensors(scores, positive.astype(np.int64)), validate_args=False)
    return jobs


def _polars_table(frame: pl.LazyFrame) -> pl.DataFrame:
    return frame.group_by("t", "p").len().collect(engine="streaming")


def _polars_area(frame: pl.LazyFrame) -> float:
    """Sort, count negatives and positives up to each score, and keep the last row of each run of equal scores."""
    own = pl.col("y").cast(pl.Int64)
    last = (pl.col("s") != pl.col("s").shift(-1)).fill_null(value=True)
    counted = frame.sort("s").select("s", p=own.cum_sum(), q=(1 - own).cum_sum()).filter(last)
    p, q = pl.col("p"), pl.col("q")
    twice = (p.diff().fill_null(p) * (2 * q - q.diff().fill_null(q))).sum()
    return float(counted.select(twice / (2 * p.last() * q.last())).collect(engine="streaming").item())


def _duckdb_area(connection: duckdb.DuckDBPyConnection) -> float:
    """Sum the mean ranks of the positives: those of the first and of the last of equal scores, halved."""
    ranked = "SELECT y, rank() OVER (ORDER BY s) AS first, count(*) OVER (ORDER BY s) AS last FROM own"
    twice, m, n = _asked(connection, f"SELECT sum(first + last) FILTER (y), count(*) FILTER (y), count(*) FROM ({ranked})")[0]  # noqa: S608
    return float((twice / 2 - m * (m + 1) / 2) / (m * (n - m)))


def _own(frame: pl.DataFrame) -> duckdb.DuckDBPyConnection:
    """Return a database that holds `frame` in a table of its own."""
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("CREATE TABLE own AS SELECT * FROM given")
    return connection


def _asked(connection: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    return connection.execute(query).fetchall()


def _tensors(*arrays: np.ndarray) -> list[Any]:
    from_numpy = import_module("torch").from_numpy
    return [from_numpy(np.ascontiguousarray(array)) for array in arrays]
