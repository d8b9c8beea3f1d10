"""How fast are ensembles of trees, and at what price? Against scikit-learn's own, with the errors of both on the same cases."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from adjudge.ensembles.bagging import BaggingVoter
from adjudge.ensembles.boosting import ResamplingAdaBoost
from rows import Row, at_least
from timing import best

ROUNDS = 20
Often = tuple[int, int, int]  # how often times are taken, seeds and data sets
SETS = 4
SEEDS = 5
"""Data sets and seeds over which errors are averaged: the luck of one seed is worth a per cent of accuracy."""


def rows(n: int = 100_000, few: int = 20_000, repeats: int = 2, seeds: int = SEEDS, sets: int = SETS) -> list[Row]:
    """Return one row per job; `n` cases for boosting, `few` for full trees."""
    return [*_boosted(n, (repeats, seeds, sets)), *_bagged(few, (repeats, seeds, sets))]


def data(n: int, number: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return n cases of two classes with 20 features to learn from, and half as many to test on."""
    X, y = make_classification(n + n // 2, 20, n_informative=8, flip_y=0.05, class_sep=0.7, random_state=20241101 + number)
    return X[:n], y[:n], X[n:], y[n:]


def _boosted(n: int, often: Often) -> list[Row]:
    found = []
    for depth, size in ((1, 1.0), (1, 4.0), (3, 1.0)):
        base = DecisionTreeClassifier(max_depth=depth)
        ours = ResamplingAdaBoost(base, ROUNDS, sample_size=size, random_state=0)
        theirs = AdaBoostClassifier(base, n_estimators=ROUNDS, random_state=0)
        draws = "" if size == 1 else f", {size:.0f} draws a case"
        name = f"AdaBoost, {ROUNDS} rounds, trees of depth {depth}{draws}, {n:.0e} x 20"
        found.append(_row(10, name, ours, theirs, n, often))
    return found


def _bagged(n: int, often: Often) -> list[Row]:
    found = []
    for n_jobs in (1, 2):
        ours = BaggingVoter(n_estimators=ROUNDS + 1, random_state=0, n_jobs=n_jobs)
        theirs = BaggingClassifier(n_estimators=ROUNDS + 1, random_state=0, n_jobs=n_jobs, oob_score=True)
        name = f"bagging {ROUNDS + 1} full trees with out-of-bag votes, {n_jobs} at a time, {n:.0e} x 20"
        found.append(_row(1.5, name, ours, theirs, n, often))
    return found


def _row(limit: float, name: str, ours: Any, theirs: Any, n: int, often: Often) -> Row:
    """Return a row that says the errors on test cases too: speed at the price of errors would be none."""
    repeats, seeds, many = often
    X, y, *_ = data(n)
    took = best({"ours": partial(ours.fit, X, y), "theirs": partial(theirs.fit, X, y)}, repeats)
    sets = [data(n, number) for number in range(many)]
    mine = np.mean([_error(clone(ours).set_params(random_state=seed), cases) for seed in range(seeds) for cases in sets])
    other = np.mean([_error(theirs, cases) for cases in sets])
    told = f"{name} (test error {mine:.1%}, peer {other:.1%}, {many} data set{'s' * (many > 1)})"
    return at_least(limit, told, took["ours"], f"sklearn {type(theirs).__name__}", took["theirs"])


def _error(learner: Any, cases: tuple[np.ndarray, ...]) -> float:
    X, y, X_test, y_test = cases
    return 1 - float(learner.fit(X, y).score(X_test, y_test))


if __name__ == "__main__":
    from rows import as_markdown

    print(as_markdown(rows()))
