"""Overfitting, and how many cases to keep for testing."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import ConfusionCounts, InputError, Predictions, evaluate, overfits_against, overfitting
from adjudge._base.undefined import Undefined
from adjudge.judgements.training import Share, TradeOff
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


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_mean_and_spread_are_those_of_the_textbook(values):
    share = Share(0.5, 10, np.array(values))
    assert share.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert share.spread == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert share.middle == pytest.approx(tuple(np.percentile(values, (25, 75))))


def test_splits_without_a_value_leave_none_with_its_reason():
    share = Share(0.5, 10, np.array([0.5, np.nan, np.nan]), reason="one class only")
    for value in (share.mean, share.spread, *share.middle):
        assert isinstance(value, Undefined)
        assert value.reason == "it has no value in 2 of 3 splits: one class only"
    assert "undefined: it has no value in 2 of 3 splits: one class only" in repr(TradeOff("x", "mcc", (share,), 0))
    assert Share(0.5, 10, np.array([np.nan])).mean.reason == "it has no value in 1 of 1 split"


def test_one_split_has_no_spread():
    share = Share(0.5, 1, np.array([0.5]), ("it failed",))
    assert (share.mean, share.spread.reason) == (0.5, "fewer than two splits answered")
    assert "(1 case)" in repr(TradeOff("x", "mcc", (share,), 0))


def test_infinite_losses_have_an_infinite_mean_and_no_spread():
    share = Share(0.5, 10, np.array([1.0, math.inf, 2.0]))
    assert share.mean == math.inf
    assert share.spread.reason == "the measure is infinite in some split"
    assert share.middle[0] in (1.0, 2.0)
