"""The pages that are opened in a browser, each written by the command that a user would give."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from adjudge.cli import main

PAGES: dict[str, Callable[[Path], list[Any]]] = {}
"""What to give the command for each page, the output apart."""


def page_file(folder: Path, name: str) -> Path:
    """Return the page of that name, written whole or not at all; other processes may be writing it too."""
    page = folder / f"{name}.html"
    if not page.exists():
        own = folder / f"{name}-files"
        own.mkdir(exist_ok=True)
        made = CliRunner().invoke(main, [*map(str, PAGES[name](own)), "-o", str(page)], catch_exceptions=False)
        assert made.exit_code == 0, made.output
    return page


def _named(make: Callable[[Path], list[Any]]) -> Callable[[Path], list[Any]]:
    PAGES[make.__name__.strip("_")] = make
    return make


def write(path: Path, columns: Mapping[str, Sequence[Any]]) -> Path:
    """Write columns to a CSV file."""
    part = path.with_name(f".{path.name}.{np.random.SeedSequence().entropy}")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return part.replace(path)


def classes(names: Sequence[str], n: int, *, sure: float = 2.0, seed: int = 0) -> dict[str, Sequence[Any]]:
    """Return the columns of n cases of some classes, with decisions and probabilities."""
    rng = np.random.default_rng(seed)
    k = len(names)
    truth, logits = rng.integers(0, k, n), rng.normal(size=(n, k))
    logits[np.arange(n), truth] += sure
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    named = np.array(names, dtype=object)
    told = {"id": range(n), "truth": named[truth], "predicted": named[p.argmax(axis=1)]}
    return told | {f"p_{name}": [f"{value:.5f}" for value in p[:, i]] for i, name in enumerate(names)}


def two_classes(n: int, *, spread: float, seed: int) -> dict[str, Sequence[Any]]:
    """Return the columns of n patients, of whom three in ten are ill; the same patients for every seed."""
    ill = np.random.default_rng(0).random(n) < 0.3
    score = 1 / (1 + np.exp(-np.random.default_rng(seed).normal(np.where(ill, 1.2, -1.0), spread)))
    named = np.array(["well", "ill"], dtype=object)
    told = {"id": range(n), "truth": named[ill.astype(int)], "predicted": named[(score > 0.5).astype(int)]}
    return told | {"p_well": [f"{1 - p:.4f}" for p in score], "p_ill": [f"{p:.4f}" for p in score]}


@_named
def _dna(folder: Path) -> list[Any]:
    return ["demo"]


@_named
def _two(folder: Path) -> list[Any]:
    cases = two_classes(600, spread=1.4, seed=1)
    sites = np.random.default_rng(2).choice(["london", "paris", "rome"], 600)
    file = write(folder / "patients.csv", cases | {"site": sites, "fold": [i % 10 for i in range(600)]})
    return ["report", file, "--group", "site", "--fold", "fold", "--positive", "ill"]


@_named
def _hundred(folder: Path) -> list[Any]:
    return ["report", write(folder / "species.csv", classes([f"species number {i:02d}" for i in range(100)], 3000, sure=3))]


@_named
def _several(folder: Path) -> list[Any]:
    each = {"new": (1.4, 5), "old": (1.9, 6), "older": (2.5, 7)}
    files = [write(folder / f"{name}.csv", two_classes(400, spread=s, seed=i)) for name, (s, i) in each.items()]
    return ["report", *files]


@_named
def _estimate(folder: Path) -> list[Any]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    names = ("setosa", "versicolor", "virginica")
    file = write(folder / "iris.csv", {f"x{i}": X[:, i] for i in range(4)} | {"species": [names[c] for c in y]})
    learner = ["--learner", "sklearn.naive_bayes:GaussianNB", "--data", file, "--target", "species"]
    return ["estimate", *learner, "--by", "10-fold"]


@_named
def _four(folder: Path) -> list[Any]:
    return ["partition", write(folder / "blood.csv", classes(["a", "b", "ab", "o"], 300))]


@_named
def _numbers(folder: Path) -> list[Any]:
    rng = np.random.default_rng(3)
    truth = rng.normal(20, 5, 200)
    return ["report", write(folder / "degrees.csv", {"y_true": truth, "y_pred": truth + rng.normal(0, 1, 200)})]
