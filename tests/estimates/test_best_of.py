"""The value of the best of many without the luck of having been chosen: known cases and simulation."""

import numpy as np
import pytest

from adjudge.estimates.best_of import corrected_best_fold, joint_folds


def test_a_clear_winner_loses_nothing():
    values = np.column_stack([np.full(10, 0.9), np.full(10, 0.5)]) + np.linspace(0, 0.01, 10)[:, None]
    assert corrected_best_fold(values, tuple(range(10)), higher_is_better=True) == pytest.approx(values[:, 0].mean())
    assert corrected_best_fold(values, tuple(range(10)), higher_is_better=False) == pytest.approx(values[:, 1].mean())


def test_the_best_of_equals_is_brought_back_to_all_of_them():
    rng = np.random.default_rng(3)
    naive, corrected = [], []
    for _ in range(60):
        values = 0.8 + 0.05 * rng.normal(size=(10, 8))
        naive.append(values.mean(axis=0).max())
        corrected.append(corrected_best_fold(values, (0,) * 10, higher_is_better=True))
    assert np.mean(naive) > 0.815
    assert abs(np.mean(corrected) - 0.8) < (np.mean(naive) - 0.8) / 2


def test_joint_draws_have_the_mean_and_the_spread_of_the_folds():
    values = np.random.default_rng(1).normal(size=(12, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 2.0]])
    draws = joint_folds(values, 0.25)
    assert draws.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.03)
    assert np.cov(draws.T) == pytest.approx(np.cov(values.T) * 0.25 * 11 / 9, abs=0.05)  # that of t with 11 degrees
