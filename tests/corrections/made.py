"""Cases of three classes, a table of them, their multipliers, and files read without any code of ours."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import adjudge

CLASSES = ["a", "b", "c"]


def cases(n: int, seed: int = 3):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 2.0, 1.5], n)
    y = (rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    return p, np.minimum(y, 2)


def table(p, **more):
    return pa.table({**more, **{f"p_{name}": p[:, i] for i, name in enumerate(CLASSES)}})


def multipliers(p, y, **how):
    return adjudge.fit_multipliers(np.array(CLASSES)[y], p, classes=CLASSES, **how)


def same_but_rounding(a, b):
    """Return whether corrections are the same but for the last digits: cases of a file are summed in another order."""
    one, other = a.to_dict(), b.to_dict()
    return one.keys() == other.keys() and all(
        one[name] == other[name]
        or np.allclose(np.array(one[name], dtype=float), np.array(other[name], dtype=float), rtol=1e-12, atol=0)
        for name in one
    )


def columns(path):
    """Read a written file without any code of ours."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pydict()
    with (
        gzip.open(path, "rt", encoding="utf-8", newline="")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8", newline="") as file
    ):
        rows = list(csv.reader(file))
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
