"""What does it cost to have an engine hand over rows? Against our own pass over the same Parquet file of labels and scores."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import adjudge
from files import write
from rows import Row, beside
from timing import best


def rows(n: int = 10_000_000, repeats: int = 2) -> list[Row]:
    """Return one row per engine, for everything the verdict needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.parquet", n, score=True)
        jobs = {"own": partial(adjudge.evaluate, path)}
        jobs |= {engine: partial(adjudge.evaluate, path, engine=engine) for engine in ("polars", "duckdb")}
        took = best(jobs, repeats)
    name = f"evaluate a Parquet file of {n:.0e} rows"
    return [beside(name, took["own"], f"the same rows from {engine}", took[engine]) for engine in ("polars", "duckdb")]
