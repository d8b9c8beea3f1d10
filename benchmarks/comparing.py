"""What does comparing two files cost? Against evaluating one of them twice."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import adjudge
from rows import Row, at_most
from timing import best


def rows(n: int = 10_000_000) -> list[Row]:
    """Return one row per order of the second file."""
    rng = np.random.default_rng(20240902)
    truth = rng.integers(0, 3, n)
    a, b = (np.where(rng.random(n) < share, truth, rng.integers(0, 3, n)) for share in (0.8, 0.79))
    order = rng.permutation(n)
    with tempfile.TemporaryDirectory() as folder:
        first, second, mixed = (Path(folder) / f"{name}.parquet" for name in "abc")
        _write(first, np.arange(n), truth, a)
        _write(second, np.arange(n), truth, b)
        _write(mixed, order, truth[order], b[order])
        times = best(
            {
                "twice": partial(_twice, first),
                "ours": partial(adjudge.compare, first, second),
                "mixed": partial(adjudge.compare, first, mixed),
            },
            3,
        )
    peer = "evaluating one of them twice"
    return [
        at_most(2, f"compare two files of {n:.0e} rows, 3 classes", times["ours"], peer, times["twice"]),
        at_most(2, "the same, the second in another order", times["mixed"], peer, times["twice"]),
    ]


def _write(path: Path, ids: np.ndarray, truth: np.ndarray, predicted: np.ndarray) -> None:
    pq.write_table(pa.table({"id": ids, "truth": truth, "predicted": predicted}), path)


def _twice(path: Path) -> None:
    for _ in range(2):
        adjudge.evaluate(path)
