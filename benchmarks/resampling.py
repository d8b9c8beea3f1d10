"""What does judging a learner cost beside fitting it? Against the same fits alone, scikit-learn, and refits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from adjudge import estimate, plan
from rows import Row, at_least, at_most
from timing import best

MEASURES = ("accuracy", "balanced_accuracy", "f1", "precision", "sensitivity", "mcc", "auc", "log_loss", "brier")
SCORERS = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "precision",
    "recall",
    "matthews_corrcoef",
    "roc_auc",
    "neg_log_loss",
    "neg_brier_score",
]
ROUNDS = 50
PART = 100
"""Refits of a leave-one-out loop that are timed; the others would cost the same."""


def rows(n: int = 5_000, few: int = 2_000, repeats: int = 9) -> list[Row]:
    """Return one row per job and peer; `n` cases for folds, `few` for leave-one-out and the bootstrap."""
    return [*_folds(n, repeats), *_leave_one_out(few, min(repeats, 5)), _bootstrap(few, min(repeats, 5))]


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n cases of two classes with 20 features."""
    X, y = make_classification(n, n_features=20, n_informative=8, random_state=20240901)
    return X, y


def _folds(n: int, repeats: int) -> list[Row]:
    X, y = data(n)
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    found = []
    for learner in (DecisionTreeClassifier(random_state=0), LogisticRegression(), GaussianNB()):
        times = best(
            {
                "ours": partial(estimate, learner, X, y, by=splits, measures=MEASURES, random_state=0, progress=False),
                "fits": partial(_fits, learner, X, y, splits),
                "sklearn": partial(cross_validate, learner, X, y, cv=splits, scoring=SCORERS, return_train_score=True),
            },
            repeats,
        )
        name = f"10 folds, 9 measures, {type(learner).__name__}, {n:.0e} x 20"
        found += [
            at_most(1.2, name, times["ours"], "the same 11 fits and answers alone", times["fits"]),
            at_least(1, name, times["ours"], "sklearn cross_validate, 9 metrics, with training scores", times["sklearn"]),
        ]
    return found


def _fits(learner: Any, X: np.ndarray, y: np.ndarray, splits: list[Any]) -> None:
    """Fit and ask on every fold and, as for the resubstitution error, on all rows."""
    everything = np.arange(len(y))
    for learn, judge in [*splits, (everything, everything)]:
        fitted = clone(learner).fit(X[learn], y[learn])
        fitted.predict(X[judge])
        fitted.predict_proba(X[judge])


def _leave_one_out(n: int, repeats: int) -> list[Row]:
    X, y = data(n)
    found = []
    for learner in (KNeighborsClassifier(11), KNeighborsClassifier(11, weights="distance"), GaussianNB()):
        mine = best({"ours": partial(estimate, learner, X, y, by="leave-one-out", random_state=0, progress=False)}, repeats)[
            "ours"
        ]
        theirs = best({"refits": partial(_refits, learner, X, y)}, min(repeats, 3))["refits"] * n / PART
        name = f"leave-one-out, {learner}, {n:.0e} x 20"
        found.append(at_least(100, name, mine, "a loop of refits", theirs))
    return found


def _refits(learner: Any, X: np.ndarray, y: np.ndarray) -> None:
    for (learn, judge), _ in zip(LeaveOneOut().split(X), range(PART), strict=False):
        fitted = clone(learner).fit(X[learn], y[learn])
        fitted.predict(X[judge])
        fitted.predict_proba(X[judge])


def _bootstrap(n: int, repeats: int) -> Row:
    X, y = data(n)
    rounds = plan(f"bootstrap632+-{ROUNDS}", X, y, random_state=0)
    learner = DecisionTreeClassifier(random_state=0)
    times = best(
        {
            "ours": partial(estimate, learner, X, y, by=rounds, random_state=0, progress=False),
            "loop": partial(_rounds, learner, X, y, list(zip(rounds.train, rounds.test, strict=True))),
        },
        repeats,
    )
    name = f".632 and .632+, {ROUNDS} rounds, decision tree, {n:.0e} x 20"
    return at_most(1.3, name, times["ours"], "the same fits and answers alone", times["loop"])


def _rounds(learner: Any, X: np.ndarray, y: np.ndarray, splits: list[Any]) -> None:
    for learn, judge in splits:
        fitted = clone(learner).fit(X[learn], y[learn])
        fitted.predict(X)
        fitted.predict_proba(X[judge])
    fitted = clone(learner).fit(X, y)
    fitted.predict(X)
    fitted.predict_proba(X)


if __name__ == "__main__":
    from rows import as_markdown

    print(as_markdown(rows()))
