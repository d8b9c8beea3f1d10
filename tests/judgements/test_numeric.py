"""Residuals by region, in the tails and against a normal distribution."""

import numpy as np
import pytest
from scipy.stats import norm, t

from adjudge import evaluate


def heteroscedastic(n, seed=1):
    rng = np.random.default_rng(seed)
    predicted = rng.uniform(0, 10, n)
    return predicted + rng.normal(0, 0.1 + predicted / 10, n) + (predicted > 9), predicted


def judged(truth, predicted, **more):
    return evaluate({"truth": truth, "predicted": predicted}, **more).residuals


def test_regions_have_the_t_limits_of_scipy():
    truth, predicted = heteroscedastic(1_000)
    known = judged(truth, predicted)
    assert len(known.regions) == 10
    assert sum(part.cases for part in known.regions) == 1_000
    for part in known.regions:
        own = (truth - predicted)[(predicted >= part.low) & (predicted <= part.high)]
        low, high = t.interval(1 - 0.05 / 10, own.size - 1, own.mean(), own.std(ddof=1) / np.sqrt(own.size))
        assert (part.interval.low, part.interval.high) == pytest.approx((low, high))
        assert part.rmse == pytest.approx(np.sqrt((own**2).mean()))
    assert max(known.regions, key=lambda part: part.mean_error).low > 8


def test_equal_predictions_stay_in_one_region():
    truth = np.random.default_rng(2).normal(size=100)
    regions = judged(truth, np.repeat([0.5, 1.5], 50)).regions
    assert [part.cases for part in regions] == [50, 50]


def test_the_worst_of_a_hundred_makes_its_share_of_the_squared_error():
    errors = np.append(np.full(99, 1.0), 10.0)
    known = judged(errors + 0.5, np.full(100, 0.5))
    assert known.worst_share == pytest.approx(100 / 199)
    assert known.median == 1.0
    assert np.isnan(judged(errors[50:] + 0.5, np.full(50, 0.5)).worst_share)  # of less than one case


def test_the_error_of_the_mean_is_the_spread_of_the_truth():
    truth, predicted = heteroscedastic(500)
    assert judged(truth, predicted).rmse_of_mean == pytest.approx(truth.std())


def test_normal_residuals_lie_in_their_band_and_heavy_ones_do_not():
    rng = np.random.default_rng(4)
    for errors, within in ((rng.normal(3, 2, 2_000), True), (rng.standard_cauchy(2_000), False)):
        normal, seen, low, high = judged(errors, np.zeros(2_000) + 0.0).quantiles.T
        assert np.all((low <= seen) & (seen <= high)) == within
        assert normal[0] == pytest.approx(norm.ppf(0.5 / 2_000))


def test_no_error_at_all_has_no_band():
    truth = np.linspace(0.5, 9.5, 50)
    assert judged(truth, truth).quantiles.size == 0


def test_of_many_cases_some_are_drawn():
    truth, predicted = heteroscedastic(20_000)
    known = judged(truth, predicted)
    assert (known.drawn, known.every) == (4_000, False)
    assert set(known.points[:, 0]) <= set(truth)
