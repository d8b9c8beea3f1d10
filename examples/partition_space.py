"""The standardised partition space of three chi-square classes: the example of Sondhauss and Weihs (2001).

Run ``python examples/partition_space.py``; it prints the tables of docs/partitions.md. A first argument sets the number of
data sets, and ``-o simplex.svg`` draws the rules side by side.
"""

# ruff: noqa: INP001, T201 - a script, not a package, and it prints
from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler

from adjudge import PartitionSpace, memberships, partition
from adjudge.verbs.plot import save_plot

DEGREES = (2, 8, 16)
EACH = 9  # training cases of a class, and test cases
CLASSES = ("G1", "G2", "G3")
SCALED = ("scaled_accuracy", "ability_to_separate")
SETS, SEED = 200, 20240801
FIRST = 0  # of the data sets, the one shown


@dataclass(frozen=True)
class Rules:
    """The same test cases as three rules see them, and their true conditional probabilities."""

    spaces: dict[str, PartitionSpace]
    true: NDArray[np.float64]


def drawn(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return as many cases of each class, one measurement a case."""
    y = np.repeat(np.arange(len(DEGREES)), EACH)
    return rng.chisquare(np.array(DEGREES)[y]), y


def conditional(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the true conditional probabilities of the classes, which are equally frequent."""
    densities = np.column_stack([chi2(df).pdf(x) for df in DEGREES])
    return densities / densities.sum(axis=1, keepdims=True)


def network(x: NDArray[np.float64], y: NDArray[np.int64], new: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return what a small net with linear outputs, taught the indicators of the classes, says: numbers of any sign."""
    scale = StandardScaler().fit(x[:, None])
    net = MLPRegressor(hidden_layer_sizes=(3,), activation="tanh", solver="lbfgs", alpha=0.01, max_iter=200, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(scale.transform(x[:, None]), np.eye(len(DEGREES))[y])
    return np.asarray(net.predict(scale.transform(new[:, None])))


def tried(seed: int) -> Rules:
    """Return three rules trained on one set of 27 cases, on another."""
    rng = np.random.default_rng([SEED, seed])
    (x, y), (new, truth) = drawn(rng), drawn(rng)
    true = conditional(new)
    qda = QuadraticDiscriminantAnalysis(priors=np.full(3, 1 / 3)).fit(x[:, None], y)
    rows = {
        "true Bayes": true,
        "QDA": qda.predict_proba(new[:, None]),
        "neural net": memberships(network(x, y, new, seed)),
    }
    labels = np.array(CLASSES)[truth]
    return Rules({name: partition(labels, m, classes=CLASSES) for name, m in rows.items()}, true)


def one_set(rules: Rules) -> list[str]:
    """Return a line for each rule on one data set."""
    lines = ["| | correct | CR G1 | CR G2 | CR G3 | Ac | AS | Ac, unscaled | AS, unscaled | precision |", "|" + "---|" * 10]
    for name, space in rules.spaces.items():
        raw, rates = space.unscaled, " | ".join("-" if np.isnan(v) else f"{v:.2f}" for v in space.correctness)
        numbers = (
            *(getattr(space, what) for what in SCALED),
            *(getattr(raw, what) for what in SCALED),
            space.precision(rules.true),
        )
        lines.append(f"| {name} | {space.correct:.2f} | {rates} | " + " | ".join(f"{v:.3f}" for v in numbers) + " |")
    return lines


def many_sets(sets: int) -> list[str]:
    """Return the means over many data sets, and how often the net comes out above QDA."""
    found = [tried(seed).spaces for seed in range(sets)]
    lines = ["| | correct | Ac | AS |", "|---|---|---|---|"]
    for name in found[0]:
        means = [np.mean([getattr(each[name], what) for each in found]) for what in ("correct", *SCALED)]
        lines.append(f"| {name} | " + " | ".join(f"{v:.3f}" for v in means) + " |")
    above = [np.mean([_above(each, what) for each in found]) for what in ("correct", *SCALED)]
    return [*lines, "| net above QDA | " + " | ".join(f"{v:.0%}" for v in above) + " |"]


def _above(spaces: dict[str, PartitionSpace], what: str) -> float:
    """Return 1 where the net is above QDA, 1/2 where they are equal."""
    net, qda = getattr(spaces["neural net"], what), getattr(spaces["QDA"], what)
    return float((net > qda) + (net == qda) / 2)


def main() -> None:
    """Print the tables and, where asked, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="?", type=int, default=SETS)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    shown = tried(FIRST)
    print(f"Data set {FIRST}\n", *one_set(shown), f"\nMeans over {asked.sets:,} data sets\n", *many_sets(asked.sets), sep="\n")
    if asked.output is not None:
        save_plot(shown.spaces, asked.output)


if __name__ == "__main__":
    main()
