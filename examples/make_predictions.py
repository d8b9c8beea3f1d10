"""Make the files in `predictions`: what the snippets of README and docs read.

``python examples/make_predictions.py`` writes them again; all is seeded, so that they come out the same. Patients and prompts are
simulated: rows of one patient, and answers to one prompt, are alike.
"""

# ruff: noqa: INP001 - a script, not a package

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
PIMA = HERE / "data" / "pima.csv.gz"
YOUNG, HALF = 30, 0.5
_NAMES = ("well", "ill")
_TOPICS = ("delivery", "payment", "refund")


def main(folder: Path = HERE / "predictions") -> None:
    """Write all files."""
    with gzip.open(PIMA, "rt", encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    X = np.array([line[:-1] for line in lines], dtype=float)
    y = np.array([line[-1] for line in lines])
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
    train.sort()
    test.sort()
    age = X[:, header.index("age")]
    models = {
        "predictions": make_pipeline(StandardScaler(), LogisticRegression()),
        "old": GaussianNB(),
        "older": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    }
    decided = {}
    for name, model in models.items():
        model.fit(X[train], y[train])
        decided[name] = model.predict(X[test])
        _write(folder / f"{name}.csv", test, age, y, model.predict_proba(X[test]))
    _write(folder / "training.csv", train, age, y, models["predictions"].predict_proba(X[train]))
    new, old = decided["predictions"], decided["old"]
    _table(folder / "models.csv", ("id", "truth", "new", "old"), zip(test, y[test], new, old, strict=True))
    cells = Counter(zip(y[test], new, strict=True))
    _table(folder / "cells.csv", ("truth", "predicted", "n"), ((*cell, n) for cell, n in sorted(cells.items())))
    _progression(folder / "progression.csv")
    _patients(folder)
    _prompts(folder / "prompts.csv")


def _write(path: Path, rows: NDArray[np.intp], age: NDArray[np.float64], y: NDArray[np.str_], p: NDArray[np.float64]) -> None:
    """Write the predictions of `rows`: classes are neg and pos, in this order."""
    bands = np.where(age[rows] < YOUNG, "under 30", "30 and over")
    decided = np.array(["neg", "pos"])[(p[:, 1].round(4) > HALF).astype(int)]
    shares = ((f"{1 - b:.4f}", f"{b:.4f}") for b in p[:, 1].round(4))
    lines = ((a, b, t, d, *s) for a, b, t, d, s in zip(rows, bands, y[rows], decided, shares, strict=True))
    _table(path, ("id", "age_band", "truth", "predicted", "p_neg", "p_pos"), lines)


def _progression(path: Path) -> None:
    """Write predictions of numbers: how far diabetes has progressed after a year, each case held out once."""
    X, y = load_diabetes(return_X_y=True)
    predicted = cross_val_predict(Ridge(0.1), X, y, cv=10)
    lines = ((case, f"{truth:g}", f"{guess:.1f}") for case, (truth, guess) in enumerate(zip(y, predicted, strict=True)))
    _table(path, ("id", "progression", "pred"), lines)


def _patients(folder: Path) -> None:
    """Write what two models say of 25 images of each of 40 patients, some of whom are hard for both."""
    rng, patients, images = np.random.default_rng(7), 40, 25
    ill = rng.random((patients, images)) < rng.beta(2, 3, (patients, 1))
    ease = rng.normal(0, 1.2, (patients, 1)) + rng.normal(0, 0.5, (patients, images))
    for name, skill in (("patients", 1.7), ("patients_old", 1.5)):
        clear = skill + ease + rng.normal(0, 0.4, (patients, 1)) + rng.normal(0, 1.0, (patients, images))
        p = (1 / (1 + np.exp(-np.where(ill, clear, -clear)))).round(3)
        lines = (
            (
                f"{patient + 1}-{image + 1}",
                f"P{patient + 1:02d}",
                *(_NAMES[bool(v)] for v in (truth, share > HALF)),
                f"{share:.3f}",
            )
            for (patient, image), truth, share in zip(np.ndindex(ill.shape), ill.flat, p.flat, strict=True)
        )
        _table(folder / f"{name}.csv", ("id", "patient", "truth", "predicted", "p_ill"), lines)


def _prompts(path: Path) -> None:
    """Write what a language model answers to each of 120 prompts in five runs: most answers are steady, some change."""
    rng, prompts, runs = np.random.default_rng(11), 120, 5
    truth = rng.integers(len(_TOPICS), size=prompts)
    steady = rng.beta(3.0, 0.6, prompts)  # how often the answer to a prompt is correct
    other = (truth + rng.integers(1, len(_TOPICS), prompts)) % len(_TOPICS)
    correct = rng.random((prompts, runs)) < steady[:, None]
    said = np.where(correct, truth[:, None], other[:, None])
    lines = (
        (f"q{prompt + 1:03d}", run + 1, _TOPICS[truth[prompt]], _TOPICS[said[prompt, run]])
        for prompt, run in np.ndindex(said.shape)
    )
    _table(path, ("prompt", "run", "truth", "predicted"), lines)


def _table(path: Path, header: tuple[str, ...], lines: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)


if __name__ == "__main__":
    main()
