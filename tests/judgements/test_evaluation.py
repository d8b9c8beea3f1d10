"""The training cases against new ones: what the training error hides, and which of two models overfits."""

from __future__ import annotations

import math

import pytest

from adjudge import ConfusionCounts, InputError, Predictions, evaluate, overfits_against, overfitting
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
