"""What do odd inputs cost? The worst of many small tables and files: few rows, many classes, empty and huge ones together."""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from adjudge import ConfusionCounts, accuracy_posteriors
from processes import ran
from rows import Row, at_most

POSTERIORS, REPORT = 0.1, 3.0
"""Seconds of processors that the posteriors of a table, and the report of a file of up to 1,000 rows, may take."""
_CODE = "import sys, adjudge; adjudge.report(sys.argv[1]).save(sys.argv[2])"
_FILES = {"13 classes in 60 rows": (13, 60), "200 classes": (200, 1000), "a label a row": (1000, 1000)}


def rows(tables: int = 200) -> list[Row]:
    """Return the worst table, and the worst file."""
    costs = [min(_posteriors(table) for _ in range(2)) for table in _tables(tables)]
    with tempfile.TemporaryDirectory() as folder:
        files = {name: _report(Path(folder), *shape) for name, shape in _FILES.items()}
    worst = max(files, key=lambda name: files[name])
    return [
        at_most(1, f"posteriors of {tables} odd tables of 2 to 50 classes: the worst", max(costs), "the limit", POSTERIORS),
        at_most(1, f"report of an odd file of up to 1,000 rows: the worst ({worst})", files[worst], "the limit", REPORT),
    ]


def _tables(many: int) -> Iterator[ConfusionCounts]:
    """Yield tables of evenly and of very unevenly spread classes, of few rows and of millions, from no skill to perfect."""
    rng = np.random.default_rng(15)
    for i in range(many):
        k, n = int(rng.choice([2, 3, 5, 8, 13, 20, 30, 50])), int(rng.choice([5, 60, 200, 1000]))
        truth = rng.integers(0, k, n) if i % 5 < 2 else np.minimum(rng.pareto(0.7, n).astype(int), k - 1)
        said = np.where(rng.random(n) < rng.choice([0.1, 0.6, 0.99, 1.0]), truth, rng.integers(0, k, n))
        cells = np.zeros((k, k), dtype=np.int64)
        np.add.at(cells, (truth, said), 1)
        yield ConfusionCounts(cells * (int(rng.choice([1, 1_000, 1_000_000])) if i % 5 > 3 else 1), tuple(range(k)))


def _posteriors(table: ConfusionCounts) -> float:
    begun = time.process_time()
    accuracy_posteriors(table)
    return time.process_time() - begun


def _report(folder: Path, classes: int, n: int) -> float:
    rng, path = np.random.default_rng(classes), folder / "odd.csv"
    scores = rng.dirichlet(np.full(classes, 0.5), n).round(6)
    with path.open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["truth", *(f"p_c{j}" for j in range(classes))])
        for i, each in enumerate(scores.tolist()):
            write([f"c{i % classes}", *each])
    return min(ran(_CODE, path, folder / "page.html").busy for _ in range(2))
