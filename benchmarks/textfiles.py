"""What does judging a CSV file cost? Against reading and counting it by polars and duckdb, and pandas with scikit-learn."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
from sklearn.metrics import classification_report

import adjudge
from files import write
from processes import ran
from rows import Row, beside
from timing import best

OURS = "import sys, adjudge; adjudge.evaluate(sys.argv[1])"
POLARS = "import sys, polars as pl; pl.scan_csv(sys.argv[1]).group_by('truth', 'predicted').len().collect(engine='streaming')"


def rows(n: int = 10_000_000, few: int = 1_000_000, repeats: int = 3) -> list[Row]:
    """Return one row per peer; `n` rows for those that read in blocks, `few` for those that read all at once."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_streamed(write(Path(folder) / "many.csv", n), n, repeats),
            _held(write(Path(folder) / "few.csv", few), few, repeats),
        ]


def _streamed(path: Path, n: int, repeats: int) -> list[Row]:
    name = f"evaluate a CSV file of {n:.0e} rows, 2 classes"
    jobs = {"ours": partial(adjudge.evaluate, path), "polars": partial(_polars, path), "duckdb": partial(_duckdb, path)}
    took = best(jobs, repeats)
    ours, theirs = (ran(code, path).megabytes for code in (OURS, POLARS))
    return [
        beside(name, took["ours"], "polars scan_csv and group_by, the table alone", took["polars"]),
        beside(name, took["ours"], "duckdb read_csv and GROUP BY, the table alone", took["duckdb"]),
        beside(f"{name}: memory", ours, "polars scan_csv and group_by", theirs, unit="MB"),
    ]


def _held(path: Path, n: int, repeats: int) -> Row:
    took = best({"ours": partial(adjudge.evaluate, path), "theirs": partial(_pandas, path)}, repeats)
    name = f"evaluate a CSV file of {n:.0e} rows, 2 classes"
    return beside(name, took["ours"], "pandas read_csv and sklearn classification_report", took["theirs"])


def _polars(path: Path) -> pl.DataFrame:
    return pl.scan_csv(path).group_by("truth", "predicted").len().collect(engine="streaming")


def _duckdb(path: Path) -> list[Any]:
    with duckdb.connect() as connection:
        return connection.execute("SELECT truth, predicted, count(*) FROM read_csv(?) GROUP BY ALL", [str(path)]).fetchall()


def _pandas(path: Path) -> str | dict[str, Any]:
    frame = pd.read_csv(path)
    return classification_report(frame["truth"], frame["predicted"])
