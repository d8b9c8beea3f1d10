"""Losses of numeric predictors against scikit-learn and numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as skm

from adjudge import ConfusionCounts, InputError, Predictions, measure
from adjudge._base.arrays import BLOCK
from adjudge._base.undefined import Undefined
from adjudge.counts.counting import count_numbers
from adjudge.metrics.on_scores import ON_NUMBERS, RAE, RSE

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
number = st.floats(-1e6, 1e6).map(lambda v: round(v, 3))
NAMES = tuple(m.name for m in ON_NUMBERS)


@given(st.lists(st.tuples(number, number, st.floats(0.1, 9)), min_size=2, max_size=60))
def test_losses_agree_with_sklearn_and_numpy(rows):
    truth, predicted, weight = (np.array(v) for v in zip(*rows, strict=True))
    assume(np.ptp(truth) > 1e-3)
    for w in (None, weight):
        predictions = Predictions(truth, predicted, weight=w)
        assert measure(predictions, "mae") == pytest.approx(skm.mean_absolute_error(truth, predicted, sample_weight=w), rel=1e-10)
        assert measure(predictions, "mse") == pytest.approx(skm.mean_squared_error(truth, predicted, sample_weight=w), rel=1e-10)
        mean = np.average(truth, weights=w)
        ones = np.ones(truth.size) if w is None else w
        for name, power in (("rae", 1), ("rse", 2)):
            top, bottom = (float(ones @ np.abs(d) ** power) for d in (truth - predicted, truth - mean))
            assert measure(predictions, name) == pytest.approx(top / bottom, rel=1e-9)


@given(
    st.lists(st.tuples(number, number), min_size=2, max_size=30), st.sampled_from([-3.0, 0.25, 8.0]), st.sampled_from([0.0, 16.0])
)
def test_relative_losses_have_no_unit(rows, scale, shift):
    truth, predicted = (np.array(v) for v in zip(*rows, strict=True))
    assume(np.ptp(truth) > 1)
    for name in ("rae", "rse"):
        moved = Predictions(scale * truth + shift, scale * predicted + shift)
        assert measure(moved, name) == pytest.approx(measure(Predictions(truth, predicted), name), rel=1e-6, abs=1e-9)


def test_always_answering_the_mean_loses_one():
    truth = np.array([1.5, 2.0, 7.25, -4.0])
    for name in ("rae", "rse"):
        assert measure(Predictions(truth, np.full(4, truth.mean())), name) == pytest.approx(1)
        assert measure(Predictions(truth, truth), name) == 0


def test_rse_is_one_less_the_coefficient_of_determination():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=BLOCK + 500)
    predicted = truth + rng.normal(size=truth.size)
    assert measure(Predictions(truth, predicted), "rse") == pytest.approx(1 - skm.r2_score(truth, predicted), rel=1e-10)


@pytest.mark.parametrize("value", [0.1, 0.3, 1e-3, 1e15 + 0.25])
@pytest.mark.parametrize("n", [3, 10, 1000])
def test_a_truth_that_does_not_vary_has_no_relative_loss(value, n):
    counts = count_numbers(Predictions(np.full(n, value), np.arange(n) / 2))
    for found in (RAE, RSE):
        loss = found.of(counts)
        assert isinstance(loss, Undefined)
        assert loss.reason == "the truth does not vary"


def test_measure_tells_why_there_is_no_relative_loss():
    value = measure(Predictions([0.5, 0.5], [0.5, 1.5]), "rae")
    assert math.isnan(value)
    assert value.reason == "the truth does not vary"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_a_finite_number_is_refused_with_its_row(name):
    for bad, told in (
        (np.nan, r"' has 1 missing value \(row 2\); pass missing=.drop"),
        (np.inf, "', row 2: inf is not a finite number"),
    ):
        with pytest.raises(InputError, match=rf"column 'predicted{told}"):
            measure(Predictions([1.5, 2.5], [1.0, bad]), name)
    with pytest.raises(InputError, match="where numbers are needed"):
        measure(Predictions(["a", "b"], ["a", "b"]), name)
    with pytest.raises(InputError, match="needs numbers, which a confusion table does not hold"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), name)
