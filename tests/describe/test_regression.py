"""What the evaluation of a numeric predictor says first."""

import numpy as np
import pytest

from adjudge import evaluate
from adjudge.describe.evaluation import sentences


def told(truth, predicted, **more):
    return sentences(evaluate({"truth": truth, "predicted": predicted}, **more))


def errors(n, seed=1):
    return np.random.default_rng(seed).normal(size=n)


def test_the_first_sentence_is_the_rmse_against_the_mean_and_r2():
    truth = 100 * errors(400)
    first = told(truth, truth + 10 * errors(400, 2))[0]
    assert first.startswith("RMSE ")
    assert f"over 400 cases, against {truth.std():.0f}" in first
    assert "for always predicting the mean; R² 0.9" in first


@pytest.mark.parametrize(("shift", "said"), [(5, "too high by"), (-5, "too low by"), (0, None)])
def test_a_sure_bias_is_told_with_what_to_do(shift, said):
    truth = 10 * errors(200)
    lines = [line for line in told(truth, truth + shift + errors(200, 2)) if line.startswith("Predictions are")]
    assert len(lines) == (said is not None)
    assert all(said in line and "interval" in line for line in lines)


def test_outliers_and_few_cases_are_worries():
    truth = errors(200)
    wrong = np.where(np.arange(200) < 2, 50.0, 0.1)
    assert "the worst 1% of cases make" in told(truth, truth + wrong * np.sign(errors(200, 3)))[-1]
    assert "there are only 12 cases" in told(truth[:12], truth[:12] + errors(12, 2))[-1]


def test_a_constant_truth_has_no_r2():
    lines = told(np.full(40, 2.5), 2.5 + errors(40))
    assert "R² undefined, as the truth does not vary" in lines[0]
    assert len(lines) <= 4
