"""What do clusters of rows cost? A Parquet file evaluated with a column of patients against the same file without it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from processes import ran
from rows import Row, at_most

LIMITS = {40: 1.5, 4_000: 1.5, 1_000_000: 2.5}
"""Times the processor time of the same rows without clusters, by how many patients they are of."""
_CODE = "import sys, adjudge; adjudge.evaluate(sys.argv[1], cluster=sys.argv[2], n_jobs=1)"


def rows(n: int = 2_000_000, repeats: int = 3) -> list[Row]:
    """Return one row for each number of patients."""
    rng = np.random.default_rng(20241201)
    p = rng.random(n).round(3)
    columns = {"truth": (rng.random(n) < p).astype(int), "predicted": (p > 0.5).astype(int), "p_1": p}
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        for patients, limit in LIMITS.items():
            path = Path(folder) / f"{patients}.parquet"
            names = pa.array([f"P{i:07}" for i in range(patients)]).take(pa.array(rng.integers(0, patients, n)))
            pyarrow.parquet.write_table(pa.table(columns | {"patient": names}), path)
            turns = [[ran(_CODE, path, column).busy for column in ("patient", "")] for _ in range(repeats)]
            ours, theirs = (min(each) for each in zip(*turns, strict=True))
            costs.append(at_most(limit, f"evaluate {n:.0e} rows of {patients:,} patients", ours, "without clusters", theirs))
    return costs
