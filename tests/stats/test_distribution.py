"""What every distribution offers: shapes, refusals and shortest intervals, against SciPy."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from adjudge._base.errors import InputError
from adjudge.stats.beta import BetaDistribution
from adjudge.stats.distribution import shortest


@pytest.mark.parametrize(("a", "b"), [(3.0, 9.0), (20.5, 1.5), (2.0, 2.0)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_shortest_interval_is_that_of_a_search(a, b, level):
    theirs = stats.beta(a, b)
    found = minimize_scalar(lambda t: theirs.isf(1 - level - t) - theirs.ppf(t), bounds=(0, 1 - level), method="bounded")
    low, high = shortest(BetaDistribution(a, b), level)
    assert high - low == pytest.approx(found.fun, rel=1e-6)
    assert theirs.cdf(high) - theirs.cdf(low) == pytest.approx(level, abs=1e-12)


def test_a_decreasing_density_has_the_end_of_its_support():
    assert BetaDistribution(1.0, 9.0).interval(0.9, "hpd")[0] == 0.0
    assert BetaDistribution(1.0, 1.0).interval(0.9, "hpd") == pytest.approx((0.05, 0.95))


def test_numbers_give_numbers_arrays_arrays_and_nan_stays():
    distribution = BetaDistribution(3, 9)
    assert isinstance(distribution.cdf(0.2), float)
    found = distribution.cdf(np.array([[0.2, np.nan], [-7.0, np.inf]]))
    assert found.shape == (2, 2)
    assert np.isnan(found[0, 1])
    assert found[1].tolist() == [0.0, 1.0]
    assert distribution.median == pytest.approx(stats.beta(3, 9).median())


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_outside_is_refused(level):
    with pytest.raises(InputError, match="level must lie strictly between 0 and 1"):
        BetaDistribution(1, 1).interval(level)


def test_kinds_and_probabilities_are_checked():
    with pytest.raises(InputError, match="kind must be"):
        BetaDistribution(1, 1).interval(0.9, "tails")
    with pytest.raises(InputError, match=r"between 0 and 1, got 0.5 to 1.5"):
        BetaDistribution(1, 1).ppf([0.5, 1.5])
