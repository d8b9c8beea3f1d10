"""One model, bagging and boosting on five well-known sets, compared over the same ten folds.

Run ``python examples/ensembles.py``; it prints the tables of docs/ensembles.md. Names of sets after it leave out the others.
"""

# ruff: noqa: INP001, T201 - a script, not a package, and it prints
from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from adjudge import EnsemblesJudged, judge_ensembles
from adjudge.describe.values import sure

DATA = Path(__file__).parent / "data"
SETS = ("sonar", "ionosphere", "vehicle", "glass", "letter")
BASES: dict[str, Any] = {
    "decision trees": DecisionTreeClassifier(),
    "trees of three levels": DecisionTreeClassifier(max_depth=3),
    "naive Bayes": GaussianNB(var_smoothing=1e-3),
}
PLAN, MODELS, SEED = "10-fold", 50, 0  # glass has a class of nine cases, too few for stratified folds


def cases_of(name: str) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return the inputs and the class of each case."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return np.array([row[:-1] for row in rows], dtype=np.float64), np.array([row[-1] for row in rows])


def compared(name: str, base: str, *, models: int = MODELS) -> EnsemblesJudged:
    """Return the verdict on ensembles of a learner on one set."""
    X, y = cases_of(name)
    return judge_ensembles(BASES[base], X, y, by=PLAN, n_estimators=models, random_state=SEED, progress=False)


def row(name: str, found: EnsemblesJudged) -> str:
    """Return one line of the table: accuracies, the probabilities of a gain, and the verdicts."""
    cells = [name, f"{next(iter(found.against.values())).values[1]:.1%}"]
    for kind, against in found.against.items():
        three = " / ".join(sure(p, against.level).removeprefix("= ") for p in (against.better, against.same, against.worse))
        cells += [f"{against.values[0]:.1%}", three, against.verdict, found.overfitted[kind]]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a table for each learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    chosen = parser.parse_args().sets
    kinds = [f"{kind} | better / same / worse | verdict | rounds" for kind in ("bagging", "AdaBoost")]
    for base in BASES:
        print(f"\n{base}\n\n| set | single | {' | '.join(kinds)} |\n|---|---:{2 * '|---:|---|---|---'}|", flush=True)
        for name in chosen:
            print(row(name, compared(name, base)), flush=True)


if __name__ == "__main__":
    main()
