"""How do costs grow with rows, classes and workers? Slopes of their logarithms, of whole jobs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import adjudge
from adjudge.stats.ranking import auc
from files import write, write_models
from processes import ran
from rows import Growth, grows
from timing import best

IN_ROWS = 1.1
"""Rows are read and sorted once: a little more than proportional."""
IN_CLASSES = 1.0
IN_WORKERS = -0.7
"""Two workers take at most 62 % of the time of one."""
CLASSES = (2, 10, 100, 1000)
IN_SETS = 2.0
"""Every two sets are judged: half the square of their number."""
IN_PARTS = 1.2
COMPARED = "import sys, adjudge; adjudge.compare(*sys.argv[1:], progress=False)"
REPORTED = "import sys, adjudge; adjudge.report(sys.argv[1], progress=False).to_html()"


def growth(largest: int = 10_000_000, repeats: int = 3, forest: int = 5_000, load: int = 10) -> list[Growth]:
    """Return how costs grow up to `largest` rows, of `forest` cases to learn from and `load` times the files and classes."""
    sizes = [largest // 100, largest // 10, largest]
    rows = [*_with_rows(sizes, repeats), *_with_classes(largest // 10, repeats), _with_workers(forest, repeats)]
    return [*rows, *_with_sets(load), *_with_columns(load), *_with_compared_classes(load)]


def _with_sets(load: int) -> Iterable[Growth]:
    sets = [3, 3 * load // 3, 3 * load]
    with tempfile.TemporaryDirectory() as folder:
        paths = write_models(Path(folder), sets[-1], 10_000, 3)
        took = {m: ran(COMPARED, *paths[:m]) for m in sets}
    yield grows(IN_SETS, "compare files of 10,000 rows against their number", {m: each.busy for m, each in took.items()})
    name = "compare files of 10,000 rows against their number: memory"
    yield grows(1, name, {m: each.megabytes for m, each in took.items()}, unit="MB")


def _with_columns(load: int) -> Iterable[Growth]:
    classes = [50, 50 * load // 3, 50 * load]
    with tempfile.TemporaryDirectory() as folder:
        took = {k: ran(REPORTED, write_models(Path(folder) / str(k), 1, 10_000, k)[0]) for k in classes}
    yield grows(IN_PARTS, "report and page of 10,000 rows against columns of scores", {k: each.busy for k, each in took.items()})


def _with_compared_classes(load: int) -> Iterable[Growth]:
    classes = [1_000, 1_000 * load, 1_000 * load * load]
    with tempfile.TemporaryDirectory() as folder:
        took = {}
        for k in classes:
            both = write_models(Path(folder) / str(k), 2, 100_000, k, score=False)
            took[k] = ran(COMPARED, *both)
    yield grows(IN_PARTS, "compare two files of 100,000 rows against classes", {k: each.busy for k, each in took.items()})
    name = "compare two files of 100,000 rows against classes: memory"
    yield grows(1, name, {k: each.megabytes for k, each in took.items()}, unit="MB")


def _with_rows(sizes: list[int], repeats: int) -> Iterable[Growth]:
    rng = np.random.default_rng(20241202)
    labels = {n: _labels(rng, n, 10) for n in sizes}
    yield _grown(
        IN_ROWS,
        "confusion of arrays against rows, 10 classes",
        {n: partial(adjudge.confusion, *labels[n]) for n in sizes},
        repeats,
    )
    ranked = {n: _ranked(rng, n) for n in sizes}
    yield _grown(IN_ROWS, "exact AUC of arrays against rows", {n: partial(auc, *ranked[n]) for n in sizes}, repeats)
    with tempfile.TemporaryDirectory() as folder:
        for score, told in ((False, "labels alone"), (True, "labels and two scores")):
            paths = {n: write(Path(folder) / f"{n}.parquet", n, score=score) for n in sizes}
            jobs = {n: partial(adjudge.evaluate, path) for n, path in paths.items()}
            yield _grown(IN_ROWS, f"evaluate a Parquet file against rows, {told}", jobs, repeats)


def _with_classes(n: int, repeats: int) -> Iterable[Growth]:
    rng = np.random.default_rng(20241203)
    labels = {k: _labels(rng, n, k) for k in CLASSES}
    jobs = {k: partial(adjudge.confusion, *labels[k]) for k in CLASSES}
    yield _grown(IN_CLASSES, f"confusion of {n:.0e} rows against classes", jobs, repeats)
    whole = {k: partial(adjudge.evaluate, dict(zip(("truth", "predicted"), labels[k], strict=True))) for k in CLASSES}
    yield _grown(IN_CLASSES, f"evaluate {n:.0e} rows against classes", whole, repeats)


def _with_workers(n: int, repeats: int) -> Growth:
    X, y = make_classification(n, n_features=20, n_informative=8, random_state=20241204)
    learner = RandomForestClassifier(50, random_state=0)
    judged = partial(adjudge.estimate, learner, X, y, by="10-fold", random_state=0, progress=False)
    jobs = {workers: partial(judged, n_jobs=workers) for workers in (1, 2)}
    return _grown(IN_WORKERS, f"10 folds of a forest, {n:.0e} x 20, against workers", jobs, repeats)


def _grown(limit: float, name: str, jobs: Mapping[int, Callable[[], object]], repeats: int) -> Growth:
    took = best({str(size): job for size, job in jobs.items()}, repeats)
    return grows(limit, name, {size: took[str(size)] for size in jobs})


def _labels(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < 0.8, truth, rng.integers(0, k, n))


def _ranked(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    positive = rng.random(n) < 0.3
    return rng.standard_normal(n) + positive, positive
