"""Training cases against new ones, and what a page needs besides: corrections tried, and what rejecting would do."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from adjudge import ConfusionCounts, InputError, Predictions, evaluate, overfits_against, overfitting
from adjudge.judgements.evaluation import completed
from adjudge.stats.binomial import midp


def judged(right: int, wrong: int):
    return evaluate(ConfusionCounts([[right, wrong], [0, 0]], ["a", "b"]))


def test_the_bias_is_what_the_training_error_hides():
    found = overfitting(judged(99, 1), judged(80, 20))
    assert found.resubstitution.value == 0.01
    assert found.sample.value == 0.2
    assert found.bias == pytest.approx(0.19)
    assert found.verdict == "optimistic"


def test_limits_are_newcombes_square_and_add():
    found = overfitting(judged(95, 5), judged(88, 12))
    (l1, u1), (l2, u2) = midp(12, 100), midp(5, 100)
    assert found.interval.low == pytest.approx(0.07 - math.hypot(0.12 - l1, u2 - 0.05), abs=1e-12)
    assert found.interval.high == pytest.approx(0.07 + math.hypot(u1 - 0.12, 0.05 - l2), abs=1e-12)
    assert found.verdict == "no sign"


def test_equal_errors_show_no_sign_and_a_worse_training_error_is_pessimistic():
    assert overfitting(judged(90, 10), judged(90, 10)).verdict == "no sign"
    assert overfitting(judged(50, 50), judged(90, 10)).verdict == "pessimistic"


@pytest.mark.parametrize(
    ("h", "other", "overfits", "sure"),
    [
        (((100, 0), (60, 40)), ((85, 15), (85, 15)), True, True),
        (((91, 9), (84, 16)), ((90, 10), (85, 15)), True, False),
        (((90, 10), (90, 10)), ((85, 15), (80, 20)), False, False),
        (((80, 20), (70, 30)), ((90, 10), (80, 20)), False, False),
    ],
)
def test_a_model_overfits_against_another_that_is_worse_on_training_and_better_on_new_cases(h, other, overfits, sure):
    found = overfits_against(judged(*h[0]), judged(*h[1]), judged(*other[0]), judged(*other[1]))
    assert (found.overfits, found.sure) == (overfits, sure)


def test_numeric_predictions_have_no_error_rate():
    with pytest.raises(InputError, match="error rates"):
        overfitting(evaluate(Predictions([1.5, 2.5], [1.0, 2.0])), judged(1, 1))


def sharp(n=60):
    rng, y = np.random.default_rng(0), np.arange(n) % 2
    p = rng.dirichlet(np.ones(2), n)
    p[np.arange(n), y] += 0.5
    return p / p.sum(axis=1, keepdims=True), y


def test_cases_without_a_group_are_not_tried():
    p, y = sharp()
    group = [None, *(f"g{i % 9}" for i in range(59))]
    found = completed(evaluate(Predictions(y, None, p, classes=[0, 1], group=group, missing="class")))
    assert (found.recommendations, found.rejection) == ((), None)
    assert "some cases have no group" in found.correctable.about_groups
    assert found.partition_intervals is not None


def test_classes_of_unequal_size_are_judged_by_balanced_accuracy_as_well(monkeypatch):
    monkeypatch.setattr(
        "adjudge.judgements.recommendation.recommend_sampled",
        lambda known, name: SimpleNamespace(best=None, name=name, known=known),
    )
    p, _ = sharp(100)
    group = [10 * (i % 7) for i in range(100)]
    for rare, names in ((40, ["accuracy"]), (39, ["accuracy", "balanced_accuracy"])):  # sixty to forty is one and a half
        rows = Predictions(np.arange(100) < rare, None, p, classes=[False, True], group=group)
        found = completed(evaluate(rows)).recommendations
        assert [each.name for each in found] == names
        assert set(found[0].known.group.tolist()) == set(range(7))


def test_rejecting_begins_with_the_accuracy_of_all():
    p, y = sharp()
    curve = completed(evaluate(Predictions(y, None, p, classes=[0, 1]))).rejection
    assert curve.accuracy[np.argmin(curve.rejected)] == pytest.approx(accuracy_score(y, p.argmax(axis=1)))
