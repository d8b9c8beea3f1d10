"""Files larger than memory: one pass against a bare scan, and the exact AUC against polars, each in a process of its own.

The scores are float32 probabilities, nearly all different, in row groups of a million. Counting does far more than the scan
it is held against: decisions, losses, reliability and bins of scores. So does the exact AUC, which comes after such a pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from processes import Ran, ran
from rows import Row, at_least, at_most, within

TURNS = 2
GROUP = 1_000_000
SCHEMA = pa.schema([("truth", pa.int8()), ("score", pa.float32())])
SCAN = """
import sys
import pyarrow.parquet as pq
with pq.ParquetFile(sys.argv[1], pre_buffer=False) as file:
    print(sum(batch.num_rows for batch in file.iter_batches(batch_size=1 << 16, columns=["truth", "score"])))
"""
COUNTED = """
import sys
import adjudge
from adjudge.counts.counting import tally
predictions = adjudge.read(sys.argv[1], truth="truth", scores="score", positive=1)
counted = tally(predictions)
"""
RANKED = COUNTED.replace("tally(predictions)", "tally(predictions, exact=True)") + "print(counted.scores.area(1))"
POLARS = """
import sys
import polars as pl
last = pl.col("score") != pl.col("score").shift(-1)
counts = pl.scan_parquet(sys.argv[1]).sort("score").select(
    p=pl.col("truth").cast(pl.Int64).cum_sum(), n=(1 - pl.col("truth").cast(pl.Int64)).cum_sum(), last=last.fill_null(True)
)
before = [pl.col(name).shift(1, fill_value=0) for name in "pn"]
steps = counts.filter("last").select(
    area=((pl.col("p") - before[0]).cast(pl.Float64) * (pl.col("n") + before[1]) / 2).sum(),
    pairs=pl.col("p").last().cast(pl.Float64) * pl.col("n").last(),
)
print(steps.select(pl.col("area") / pl.col("pairs")).collect().item())
"""
"""The fastest of three: sorting, against grouping by score and against ranks."""


def rows(n: int = 100_000_000) -> list[Row]:
    """Return times and memory of a file of `n` rows."""
    jobs = {"scan": SCAN, "counted": COUNTED, "ranked": RANKED, "polars": POLARS}
    with tempfile.TemporaryDirectory() as folder:
        took = _in_turns(jobs, _write(Path(folder) / "x.parquet", n))
    name = f"Parquet file of {n:.0e} rows and float32 scores"
    counted, ranked = took["counted"], took["ranked"]
    return [
        at_most(2.5, f"{name}: everything counted in one pass", counted.seconds, "bare pyarrow scan", took["scan"].seconds),
        within(250, f"{name}: memory of the pass", counted.megabytes),
        at_least(1.5, f"{name}: counted, and the exact AUC", ranked.seconds, "polars, the AUC alone", took["polars"].seconds),
        within(600, f"{name}: memory of the exact AUC", ranked.megabytes),
    ]


def _in_turns(jobs: Mapping[str, str], path: Path) -> dict[str, Ran]:
    """Return the quickest turn of each job, and the most memory of any."""
    turns = [{name: ran(code, path) for name, code in jobs.items()} for _ in range(TURNS)]
    each = {name: [turn[name] for turn in turns] for name in jobs}
    return {
        name: Ran(min(r.seconds for r in took), min(r.busy for r in took), max(r.megabytes for r in took))
        for name, took in each.items()
    }


def _write(path: Path, n: int) -> Path:
    rng = np.random.default_rng(20250301)
    with pq.ParquetWriter(path, SCHEMA) as writer:
        for start in range(0, n, GROUP):
            truth = rng.random(min(GROUP, n - start)) < 0.3
            score = 1 / (1 + np.exp(-(rng.standard_normal(truth.size) + truth)))
            columns = [pa.array(truth.astype(np.int8)), pa.array(score.astype(np.float32))]
            writer.write_table(pa.Table.from_arrays(columns, schema=SCHEMA), row_group_size=GROUP)
    return path
