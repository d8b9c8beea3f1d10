"""What do odd inputs cost? The worst of many small tables and files: few rows, many classes, empty and huge ones together."""

from __future__ import annotations

import csv
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from adjudge import ConfusionCounts, WeightedCounts, accuracy_posteriors
from processes import ran
from rows import Row, at_most

POSTERIORS, REPORT = 0.1, 3.0
"""Seconds of processors that the posteriors of a table, and the report of a file of up to 1,000 rows, may take."""
_CODE = """
import json, sys, adjudge
made = adjudge.report(sys.argv[1], progress=False, **json.loads(sys.argv[3]))
made.save(sys.argv[2] + ".html")
made.save(sys.argv[2] + ".json")
"""
_CASES = 1000
Columns = dict[str, list[str]]


def rows(tables: int = 200) -> list[Row]:
    """Return the worst table, and the worst file."""
    costs = {f"{name}, {table.k} classes": _posteriors(table) for name, table in odd_tables(tables)}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: _report(path, roles) for name, path, roles in odd_files(Path(folder))}
    table, file = (max(each, key=each.__getitem__) for each in (costs, files))
    return [
        at_most(
            1, f"posteriors of {tables} odd tables of 2 to 50 classes: the worst ({table})", costs[table], "the limit", POSTERIORS
        ),
        at_most(
            1,
            f"page and JSON of {len(files)} odd files of up to 1,000 rows: the worst ({file})",
            files[file],
            "the limit",
            REPORT,
        ),
    ]


def odd_tables(many: int, seed: int = 15) -> Iterator[tuple[str, ConfusionCounts]]:
    """Yield tables and their names, sizes of classes of every kind in turn, from no skill to perfect; some hold weights."""
    for i in range(many):
        rng = np.random.default_rng([seed, i])
        k, kind = int(rng.integers(2, 51)), list(_SIZES)[i % len(_SIZES)]
        sizes = np.asarray(_SIZES[kind](k, rng), dtype=np.int64)
        skill = rng.choice([0.0, 0.5, 0.999, 1.0], k) if rng.random() < 0.3 else rng.choice([0.0, 0.05, 0.6, 0.99, 1.0, 1.0])
        cells = np.diag(rng.binomial(sizes, skill))
        for column in rng.integers(0, k, 3):  # where the others go: half of them, half of the rest, and so on
            cells[:, column] += (sizes - cells.sum(axis=1)) // 2
        cells[np.arange(k), rng.integers(0, k, k)] += sizes - cells.sum(axis=1)
        if rng.random() < 0.15:
            factors = 10 ** rng.uniform(-6, 6, cells.shape) if rng.random() < 0.5 else rng.choice([0.1, 1 / 3])
            yield f"{i}: {kind}, weights", WeightedCounts(cells * factors, tuple(range(k)), squares=cells * factors**2)
        else:
            yield f"{i}: {kind}", ConfusionCounts(cells, tuple(range(k)))


_SIZES: Mapping[str, Callable[[int, np.random.Generator], object]] = {
    "one of a milliard, others of one": lambda k, _: [10**9] + [1] * (k - 1),
    "one case a class": lambda k, _: [1] * k,
    "empty classes": lambda k, rng: np.append(rng.choice([0, 0, 0, 1, 5, 100], k - 1), 1),
    "powers of ten": lambda k, rng: 10 ** rng.integers(0, 10, k),
    "seven orders of magnitude": lambda k, rng: 10 ** rng.uniform(0, 7, k),
    "four orders of magnitude": lambda k, rng: 10 ** rng.uniform(0, 4, k),
    "rising": lambda k, rng: np.arange(1, k + 1) ** rng.integers(1, 5),
    "all alike": lambda k, rng: np.full(k, rng.choice([1, 2, 20, 1000, 10**6])),
    "two huge, others of three": lambda k, _: ([10**8] * 2 + [3] * k)[:k],
    "few seen": lambda k, rng: np.append(rng.integers(1, 10**4, min(k, 3)), [0] * max(k - 3, 0)),
    "a few cases each": lambda k, rng: rng.integers(1, 30, k),
    "a heavy tail": lambda k, rng: np.bincount(np.minimum(rng.pareto(0.7, 200).astype(int), k - 1), minlength=k),
}


def odd_files(folder: Path, seed: int = 15) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Yield names, files of up to 1,000 rows and how they are to be read."""
    for name, (columns, roles) in _files(np.random.default_rng(seed)).items():
        path = folder / f"{name.replace(' ', '-')}.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
        yield name, path, roles


def _files(rng: np.random.Generator) -> dict[str, tuple[Columns, dict[str, str]]]:
    labels = {k: _labels(k, _CASES, rng) for k in (1, 2, 5, 13, 30, 50, 100, 400, 1000)}
    scores = {k: _scores(labels[k], rng) for k in (5, 13, 30, 50, 100, 1000)}
    long = [f"{'x' * 10_000}{label}" for label in labels[1000]]
    patients = {"patient": [f"P{i // 2}" for i in range(_CASES)]}
    folds, groups = {"fold": [str(i % 5) for i in range(_CASES)]}, {"group": [f"g{i % 30}" for i in range(_CASES)]}
    alone = {name: [f"{name}{i}" for i in range(_CASES)] for name in ("patient", "fold", "group")}
    weights = [repr(float(10**each)) for each in rng.uniform(-6, 6, _CASES)]
    wild = rng.normal(size=_CASES) * 10 ** rng.uniform(-8, 8, _CASES)
    steps = [f"{each:.9f}" for each in rng.permutation(np.linspace(0, 1, _CASES))]

    def said(k: int) -> Columns:
        wrong = rng.random(_CASES) < 0.3
        return {"truth": labels[k], "predicted": np.where(wrong, rng.permutation(labels[k]), labels[k]).tolist()}

    refused = said(5) | {"predicted": np.where(rng.random(_CASES) < 0.4, "?", said(5)["predicted"]).tolist()}
    return {
        "a label a row": (said(1000), {}),
        "1000 classes with scores": (scores[1000], {}),
        "labels of 10000 letters": ({"truth": long, "predicted": [long[0], *long[:-1]]}, {}),
        "400 classes": (said(400), {}),
        "one class": (said(1), {}),
        "13 classes in 60 rows": ({name: each[:60] for name, each in _scores(_labels(13, 60, rng), rng).items()}, {}),
        "a constant score": ({"truth": labels[2], "p_c1": ["0.5"] * _CASES}, {}),
        "a score a row": ({"truth": labels[2], "p_c1": steps}, {}),
        "50 columns of probabilities": (scores[50] | folds, {}),
        "30 groups of 30 classes": (scores[30] | groups, {}),
        "clusters of one": (scores[5] | {"patient": alone["patient"]}, {"cluster": "patient"}),
        "folds of one": (scores[5] | {"fold": alone["fold"]}, {"fold": "fold"}),
        "groups of one": ({"truth": labels[2], "p_c1": steps, "group": alone["group"]}, {"group": "group"}),
        "100 classes in groups and clusters": (scores[100] | groups | patients, {"cluster": "patient"}),
        "13 classes in folds, groups and clusters": (scores[13] | folds | groups | patients, {"cluster": "patient"}),
        "numbers of many sizes": ({"y_true": list(map(repr, wild.tolist())), "y_pred": list(map(repr, wild[::-1].tolist()))}, {}),
        "rejected cases": (refused, {"rejected": "?"}),
        "weights of many sizes": (said(50) | {"weight": weights}, {"weight": "weight"}),
        "one row": ({"truth": ["a"], "predicted": ["a"]}, {}),
    }


def _labels(classes: int, many: int, rng: np.random.Generator) -> list[str]:
    every = np.append(np.arange(classes), rng.integers(0, classes, many - classes))
    return [f"c{label}" for label in rng.permutation(every)]


def _scores(truth: list[str], rng: np.random.Generator) -> Columns:
    classes = sorted(set(truth))
    scores = rng.dirichlet(np.full(len(classes), 0.5), len(truth)).round(6)
    return {"truth": truth} | {f"p_{label}": [f"{each:.6f}" for each in scores[:, i]] for i, label in enumerate(classes)}


def _posteriors(table: ConfusionCounts) -> float:
    costs = []
    for _ in range(3):
        begun = time.process_time()
        accuracy_posteriors(table)
        costs.append(time.process_time() - begun)
    return min(costs)


def _report(path: Path, roles: Mapping[str, str]) -> float:
    return min(ran(_CODE, path, path.with_suffix(""), json.dumps(roles)).busy for _ in range(2))
