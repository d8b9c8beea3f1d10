"""Learners tried on the columns of a file, with the digits of the same arrays."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge import InputError


@pytest.fixture
def cases(write_csv):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    path = write_csv({"one": X[:, 0], "two": X[:, 1] + y, "id": range(60), "site": np.arange(60) % 6, "y": y})
    return path, np.column_stack([X[:, 0], X[:, 1] + y]), y


HOW = {"by": "5-fold", "random_state": 3, "progress": False}


def test_a_file_and_arrays_give_the_same_estimate(cases, tmp_path):
    path, X, y = cases
    named = adjudge.estimate(GaussianNB(), path, "y", leave_out=["id", "site"], **HOW)
    plain = adjudge.estimate(GaussianNB(), X, y, **HOW)
    assert named.to_dict() == plain.to_dict()
    plan = plain.plan.save(tmp_path / "plan.json")
    again = adjudge.estimate(GaussianNB(), X, y, **HOW | {"by": plan or tmp_path / "plan.json"})
    assert again.estimates["accuracy"].folds.tolist() == plain.estimates["accuracy"].folds.tolist()


def test_learners_are_compared_and_ranked_on_a_file(cases):
    path, X, y = cases
    both = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    columns = {"leave_out": ["id", "site"]}
    assert (
        adjudge.compare_learners(*both, path, "y", **columns, **HOW).difference
        == adjudge.compare_learners(*both, X, y, **HOW).difference
    )
    ranked = adjudge.rank(list(both), path, "y", **columns, **HOW)
    assert [row.name for row in ranked.rows] == [row.name for row in adjudge.rank(list(both), X, y, **HOW).rows]


def test_columns_belong_to_files(cases):
    path, X, y = cases
    with pytest.raises(InputError, match="leave_out= names columns of a file") as refused:
        adjudge.estimate(GaussianNB(), X, y, leave_out=["id"])
    assert refused.value.parameter == "leave_out"
    with pytest.raises(InputError, match="the names of columns"):
        adjudge.estimate(GaussianNB(), path, y)
    with pytest.raises(InputError, match="There is no column 'z'"):
        adjudge.estimate(GaussianNB(), path, "z")
