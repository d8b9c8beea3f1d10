"""Splice junctions: nearest neighbours corrected by class multipliers, as in Duch and Itert (2003), section 2.

Run ``python examples/dna_multipliers.py``; it prints the tables of docs/replications.md.
"""

# ruff: noqa: INP001, T201 - a script, not a package, and it prints
from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adjudge import mcnemar
from adjudge.corrections.multipliers import fit_multipliers

DATA = Path(__file__).parent / "data" / "dna_knn_votes.csv.gz"
CLASSES = ("ei", "ie", "n")
PAPER = 11  # neighbours
GRID = np.arange(0.90125, 1.2, 0.0025), np.arange(0.50125, 1.1, 0.0025)  # between round numbers, where votes tie


@dataclass(frozen=True)
class Votes:
    """Shares of the votes, true classes, and how many cases have both."""

    p: NDArray[np.float64]
    truth: NDArray[np.str_]
    cases: NDArray[np.int64]

    def correct(self, decided: NDArray[np.str_]) -> int:
        """Return how many cases a decision is correct for."""
        return int(self.cases[decided == self.truth].sum())

    def line(self, decided: NDArray[np.str_]) -> str:
        """Return the share of correct decisions and the number of wrong ones."""
        return f"{100 * self.correct(decided) / self.cases.sum():.2f}% | {self.cases.sum() - self.correct(decided)}"


def read(k: int, part: str) -> Votes:
    """Return the votes of `k` neighbours for the training cases, each without its own, or for the test cases."""
    with gzip.open(DATA, "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["k"], row["part"]) == (str(k), part)]
    votes = np.array([[float(row[name]) for name in CLASSES] for row in rows])
    truth, cases = np.array([row["truth"] for row in rows]), np.array([int(row["cases"]) for row in rows])
    return Votes(votes / votes.sum(axis=1, keepdims=True), truth, cases)


def largest(p: NDArray[np.float64], ties: str) -> NDArray[np.str_]:
    """Return the class of the largest share: of equal ones n, then the `first` or the `last` of the others."""
    order = [2, 0, 1] if ties == "first" else [2, 1, 0]
    return np.array(CLASSES)[np.array(order)[p[:, order].argmax(axis=1)]]


def rescaled(p: NDArray[np.float64], a: float, b: float) -> NDArray[np.float64]:
    """Return the shares times their multipliers, the rest for the majority class: eq. 1 of the paper."""
    others = p[:, :2] * [a, b]
    return np.column_stack([others, 1 - others.sum(axis=1)])


def fewest_on_grid(votes: Votes) -> tuple[float, float]:
    """Return the multipliers of eq. 1 with the fewest errors among many."""
    tried = [(votes.correct(largest(rescaled(votes.p, a, b), "first")), -a, -b) for a in GRID[0] for b in GRID[1]]
    _, a, b = max(tried)
    return -a, -b


def corrections(training: Votes, test: Votes) -> Iterator[str]:
    """Yield what each correction does to the training and the test cases."""
    how = {"classes": CLASSES, "weight": training.cases}
    free = fit_multipliers(training.truth, training.p, bounds=None, **how)
    box = fit_multipliers(training.truth, training.p, **how)
    multipliers = fit_multipliers(training.truth, training.p, goal="errors", **how)
    a, b = fewest_on_grid(training)
    yield "| | multiplier of ei | multiplier of ie | training | errors | test | errors |"
    yield "|---|---|---|---|---|---|---|"
    for ties in ("last", "first"):
        told = [votes.line(largest(votes.p, ties)) for votes in (training, test)]
        yield f"| before, equal votes of ei and ie to the {ties} | 1 | 1 | {' | '.join(told)} |"
    for name, found in (
        ("least squares, anywhere", free),
        ("least squares, 0 to 1", box),
        ("fewest errors, class multipliers", multipliers),
    ):
        told = [votes.line(found.predict(votes.p)) for votes in (training, test)]
        yield f"| {name} | {found.multipliers[0]:.4f} | {found.multipliers[1]:.4f} | {' | '.join(told)} |"
    told = [votes.line(largest(rescaled(votes.p, a, b), "first")) for votes in (training, test)]
    yield f"| fewest errors, eq. 1, on a grid | {a:.4f} | {b:.4f} | {' | '.join(told)} |"


def gains(training: Votes, test: Votes) -> Iterator[str]:
    """Yield what least squares corrects and makes wrong among the test cases, by where equal votes went before."""
    found = fit_multipliers(training.truth, training.p, classes=CLASSES, weight=training.cases, bounds=None)
    after = found.predict(test.p) == test.truth
    yield "| equal votes of ei and ie before | corrected | made wrong | McNemar's exact p |"
    yield "|---|---|---|---|"
    for ties in ("last", "first"):
        before = largest(test.p, ties) == test.truth
        won, lost = int(test.cases[after & ~before].sum()), int(test.cases[before & ~after].sum())
        yield f"| to the {ties} | {won} | {lost} | {mcnemar(won, lost).p_exact:.3f} |"


def areas(training: Votes, test: Votes) -> Iterator[str]:
    """Yield the area under the ROC curve of each class, before and after eq. 1."""
    from sklearn.metrics import roc_auc_score

    found = fit_multipliers(training.truth, training.p, classes=CLASSES, weight=training.cases, bounds=None)
    after = rescaled(test.p, *found.multipliers)
    yield "| class | AUC before | AUC after |"
    yield "|---|---|---|"
    for i, name in enumerate(CLASSES):
        told = (f"{roc_auc_score(test.truth == name, p[:, i], sample_weight=test.cases):.4f}" for p in (test.p, after))
        yield f"| {name} | {' | '.join(told)} |"


def neighbours() -> Iterator[str]:
    """Yield what other numbers of neighbours come to, without any correction and with least squares."""
    yield "| k | training, leave-one-out | errors | test | errors | test, least squares | errors |"
    yield "|---|---|---|---|---|---|---|"
    for k in (5, PAPER, 21, 41):
        training, test = read(k, "training"), read(k, "test")
        found = fit_multipliers(training.truth, training.p, classes=CLASSES, weight=training.cases, bounds=None)
        told = [votes.line(largest(votes.p, "first")) for votes in (training, test)]
        yield f"| {k} | {' | '.join(told)} | {test.line(found.predict(test.p))} |"


def main() -> None:
    """Print the tables."""
    training, test = read(PAPER, "training"), read(PAPER, "test")
    for table in (corrections(training, test), gains(training, test), areas(training, test), neighbours()):
        print("\n".join(table), end="\n\n")


if __name__ == "__main__":
    main()
