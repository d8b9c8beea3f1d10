"""Medical data with as many ill as well for training, used where one in six is ill: Duch and Itert (2003), section 2.1.

Run ``python examples/prior_shift.py``; it prints the table of docs/replications.md. A first argument sets the number of splits.
"""

# ruff: noqa: INP001, T201 - a script, not a package, and it prints
from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from adjudge.corrections.priors import adjust_priors, estimate_priors

DATA = Path(__file__).parent / "data"
ILL = {"pima": "pos", "breastcancer": "malignant", "heart_statlog": "present", "birthwt": "low", "glaucoma": "glaucoma"}
SETS = (*ILL, "wdbc")
LEARNERS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "naive Bayes": GaussianNB,
}
RATIO = 5  # well to ill where the classifier is used
EVEN, NEW = (0.5, 0.5), (RATIO / (RATIO + 1), 1 / (RATIO + 1))
SPLITS, SEED = 100, 20240701


@dataclass(frozen=True)
class Split:
    """Accuracies on the test cases of one split, and what share of ill the cases without labels spoke for."""

    plain: float
    known: float
    estimated: float
    ill: float


def read(name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the inputs and who is ill; cases with something missing are left out."""
    if name == "wdbc":
        bunch = load_breast_cancer()
        return bunch.data, bunch.target == 0
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] == ILL[name] for row in rows])


def parts(ill: NDArray[np.bool_], rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return training cases, as many ill as well, and test cases, five well to one ill.

    Half of the rarer class is for training; the test cases are as many of the rest as keep the ratio.
    """
    sick, well = (rng.permutation(np.flatnonzero(group)) for group in (ill, ~ill))
    m = min(sick.size, well.size) // 2
    tested = min(sick.size - m, (well.size - m) // RATIO)
    return np.append(sick[:m], well[:m]), np.append(sick[m : m + tested], well[m : m + RATIO * tested])


def split(X: NDArray[np.float64], ill: NDArray[np.bool_], learner: Any, rng: np.random.Generator) -> Split:
    """Return what one random split comes to."""
    trained, tested = parts(ill, rng)
    p = learner.fit(X[trained], ill[trained]).predict_proba(X[tested])
    found = estimate_priors(p, old=EVEN)
    answers = [p, adjust_priors(p, old=EVEN, new=NEW), found.shift().apply(p)]
    plain, known, estimated = (float(np.mean((q[:, 1] > q[:, 0]) == ill[tested])) for q in answers)
    return Split(plain, known, estimated, float(found.priors[1]))


def measured(name: str, learner: str, splits: int = SPLITS) -> list[Split]:
    """Return what random splits of one set come to; each set and learner has random numbers of its own."""
    X, ill = read(name)
    rng = np.random.default_rng([SEED, SETS.index(name), list(LEARNERS).index(learner)])
    return [split(X, ill, LEARNERS[learner](), rng) for _ in range(splits)]


def means(found: list[Split]) -> list[float]:
    """Return the mean accuracy as trained, with the known priors and with the estimated ones."""
    return [float(np.mean([getattr(one, how) for one in found])) for how in ("plain", "known", "estimated")]


def row(name: str, learner: str, found: list[Split]) -> str:
    """Return the means over the splits as a row of the table."""
    low, middle, high = np.quantile([one.ill for one in found], (0.1, 0.5, 0.9))
    worse = np.mean([one.estimated < one.plain for one in found]), np.mean([one.estimated < NEW[0] for one in found])
    told = [name, learner, *(f"{100 * mean:.1f}%" for mean in (*means(found), NEW[0]))]
    told += [f"{middle:.2f} ({low:.2f} to {high:.2f})", *(f"{100 * share:.0f}%" for share in worse)]
    return f"| {' | '.join(told)} |"


def summary(all_means: list[list[float]]) -> Iterator[str]:
    """Yield what the rows of the table come to."""
    plain, known, estimated = np.array(all_means).T
    trivial, n, lost = NEW[0], len(all_means), 100 * (known - estimated)
    more, most = np.sum(known > plain), np.sum(known > plain + 0.1)
    yield f"- Known priors raise the accuracy in {more} of {n} rows, by more than 10 points in {most}."
    also = f"- Estimated priors raise it in {np.sum(estimated > plain)} of {n}"
    yield f"{also} and give away {lost.mean():.1f} points of it on average, at most {lost.max():.1f}."
    below = [np.sum(accuracies < trivial) for accuracies in (plain, estimated, known)]
    always = f"- Always saying well is better than the classifier as trained in {below[0]} of {n} rows"
    yield f"{always}, than with estimated priors in {below[1]}, and still than with known priors in {below[2]}."


def main() -> None:
    """Print the table and what it comes to."""
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    print("| data | learner | as trained | known priors | estimated priors | always well | estimated share of ill", end=" ")
    print("| worse than as trained | worse than always well |\n|---|---|---|---|---|---|---|---|---|")
    every = []
    for name, learner in product(SETS, LEARNERS):
        found = measured(name, learner, splits)
        every.append(means(found))
        print(row(name, learner, found))
    print("", *summary(every), sep="\n")


if __name__ == "__main__":
    main()
