"""How fast are the confusion table and every count measure? Against one bare pass, scikit-learn, and tables alone of others."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics import classification_report

from adjudge import confusion
from adjudge._base.arrays import BLOCK
from adjudge.metrics.averages import value
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS
from peers import table_jobs
from rows import Row, at_least, at_most, beside
from timing import best

REPEATS = 7


def rows(n: int = 10_000_000) -> list[Row]:
    """Return one row per kind of labels and peer."""
    rng = np.random.default_rng(20240801)
    whole = [_whole(rng, n, k) for k in (2, 10, 100)]
    return [row for several in whole for row in several] + _texts(rng, n // 10)


def _made(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < 0.8, truth, rng.integers(0, k, n))


def _whole(rng: np.random.Generator, n: int, k: int) -> list[Row]:
    truth, predicted = _made(rng, n, k)
    ours = partial(_ours, truth, predicted)
    quick = best({"ours": ours, "pass": partial(_bare_pass, truth, predicted, k)}, REPEATS)
    slow = best({"ours": ours, "sklearn": partial(classification_report, truth, predicted, zero_division=0)}, 1)
    others = best({"ours": ours} | table_jobs(truth, predicted, k), 3)
    mine = min(quick["ours"], slow["ours"], others.pop("ours"))
    name = f"confusion + {len(ON_COUNTS)} measures, {n:.0e} whole numbers, {k} classes"
    return [
        at_most(1.3, name, mine, "one bincount pass", quick["pass"]),
        at_least(80, name, mine, "sklearn classification_report", slow["sklearn"]),
        *(beside(name, mine, f"{peer}, the table alone", theirs) for peer, theirs in others.items()),
    ]


def _texts(rng: np.random.Generator, n: int) -> list[Row]:
    names = np.array(["setosa", "versicolor", "virginica"])
    truth, predicted = (names[codes] for codes in _made(rng, n, 3))
    shared = [names.astype(object)[np.searchsorted(names, values)] for values in (truth, predicted)]
    kinds = {
        "text": (truth, predicted),
        "text objects, shared": shared,
        "text objects, each its own": [v.astype(object) for v in (truth, predicted)],
    }
    found = []
    for kind, (t, p) in kinds.items():
        times = best({"ours": partial(_ours, t, p), "sklearn": partial(classification_report, t, p)}, 3)
        found.append(
            at_least(
                40, f"confusion + measures, {n:.0e} {kind}", times["ours"], "sklearn classification_report", times["sklearn"]
            )
        )
    return found


def _ours(truth: np.ndarray, predicted: np.ndarray) -> list[float]:
    counts = confusion(truth, predicted)
    return [value(m, counts, average="macro" if isinstance(m, ClassMeasure) else None) for m in ON_COUNTS]


def _bare_pass(truth: np.ndarray, predicted: np.ndarray, k: int) -> np.ndarray:
    """Count pairs whose range is known: what no tool can do without."""
    table = np.zeros(k * k, dtype=np.int64)
    for start in range(0, truth.size, BLOCK):
        part = slice(start, start + BLOCK)
        table += np.bincount(truth[part] * k + predicted[part], minlength=k * k)
    return table
