"""What a page needs besides: corrections tried, or none where they are refused, and what rejecting would do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from adjudge import Predictions, evaluate
from adjudge.judgements.completed import completed


def cases(n=60):
    rng, y = np.random.default_rng(0), np.arange(n) % 2
    p = rng.dirichlet(np.ones(2), n)
    p[np.arange(n), y] += 0.5
    return p / p.sum(axis=1, keepdims=True), y


def test_cases_without_a_group_are_not_tried():
    p, y = cases()
    group = [None, *(f"g{i % 9}" for i in range(59))]
    found = completed(evaluate(Predictions(y, None, p, classes=[0, 1], group=group, missing="class")))
    assert (found.recommendations, found.rejection) == ((), None)
    assert "some cases have no group" in found.correctable.about_groups
    assert found.partition_intervals is not None


def test_classes_of_unequal_size_are_judged_by_balanced_accuracy_as_well(monkeypatch):
    monkeypatch.setattr("adjudge.judgements.completed.recommend_sampled", lambda known, name: (name, known.group))
    p, _ = cases(100)
    group = [10 * (i % 7) for i in range(100)]
    for rare, names in ((40, ["accuracy"]), (39, ["accuracy", "balanced_accuracy"])):  # sixty to forty is one and a half
        rows = Predictions(np.arange(100) < rare, None, p, classes=[False, True], group=group)
        found = completed(evaluate(rows)).recommendations
        assert [name for name, _ in found] == names
        assert set(found[0][1].tolist()) == set(range(7))


def test_rejecting_begins_with_the_accuracy_of_all():
    p, y = cases()
    curve = completed(evaluate(Predictions(y, None, p, classes=[0, 1]))).rejection
    assert curve.accuracy[np.argmin(curve.rejected)] == pytest.approx(accuracy_score(y, p.argmax(axis=1)))
