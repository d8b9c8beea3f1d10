"""What every distribution offers: shapes, refusals and shortest intervals, against SciPy."""

from __future__ import annotations

import json
import math
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar

from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.distribution import BetaDistribution, MovedBeta, shortest

CASES = [
    case
    for case in json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
    if case["quantity"] == "posterior_accuracy"
]
shapes = st.one_of(st.floats(0.3, 300), st.sampled_from([0.5, 1.0, 1.5, 2.0, 50.5]))


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
    with pytest.raises(InputError, match=r"^level .*between 0 and 1"):
        BetaDistribution(1, 1).interval(level)


def test_kinds_and_probabilities_are_checked():
    with pytest.raises(InputError, match="kind must be"):
        BetaDistribution(1, 1).interval(0.9, "tails")
    with pytest.raises(InputError, match=r"0 and 1.* 0\.5 to 1\.5"):
        BetaDistribution(1, 1).ppf([0.5, 1.5])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_stored_oracles(case):
    inputs, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]
    distribution = BetaDistribution(inputs["C"] + inputs["prior"][0], inputs["I"] + inputs["prior"][1])
    found = {
        "mean": distribution.mean, "var": distribution.var, "median": distribution.median, "mode": distribution.mode, "ci95": distribution.interval(), "ci99": distribution.interval(0.99),
        "hpd95": distribution.interval(kind="hpd"), "pdf": distribution.pdf(inputs["x"]), "cdf": distribution.cdf(inputs["x"]), "prob_above_half": distribution.sf(0.5),
    }  # fmt: skip
    for name, value in expected.items():
        if value is not None:
            near = {"abs": 1e-11, "rel": 1e-10} if name == "hpd95" else {"abs": tolerance["atol"], "rel": tolerance["rtol"]}
            assert np.asarray(found[name]) == pytest.approx(np.array(value, dtype=float), **near), name


def test_a_flat_density_has_no_mode_and_its_shortest_interval_is_the_central_one():
    assert isinstance(BetaDistribution(1, 1).mode, Undefined)
    assert BetaDistribution(1, 1).mode.reason == "every rate is equally probable"
    assert BetaDistribution(1, 1).interval(kind="hpd") == BetaDistribution(1, 1).interval()


@pytest.mark.parametrize(
    ("a", "b", "mode"), [(1, 3, 0.0), (3, 1, 1.0), (0.5, 2, 0.0), (2, 0.5, 1.0), (0.5, 0.7, 0.0), (3, 5, 1 / 3)]
)
def test_modes_at_the_ends(a, b, mode):
    assert BetaDistribution(a, b).mode == mode


def test_a_distribution_that_rises_to_both_ends_has_no_one_mode():
    assert isinstance(BetaDistribution(0.5, 0.5).mode, Undefined)


@pytest.mark.slow
@given(shapes, shapes, st.floats(0.001, 0.999))
def test_agrees_with_scipy_stats(a, b, x):
    distribution, peer = BetaDistribution(a, b), stats.beta(a, b)
    assert distribution.pdf(x) == pytest.approx(peer.pdf(x), rel=1e-10, abs=1e-250)
    assert distribution.cdf(x) == pytest.approx(peer.cdf(x), rel=1e-10, abs=1e-250)
    assert distribution.sf(x) == pytest.approx(peer.sf(x), rel=1e-10, abs=1e-250)
    assert distribution.ppf(x) == pytest.approx(peer.ppf(x), rel=1e-8)
    assert (distribution.mean, distribution.var) == pytest.approx((peer.mean(), peer.var()), rel=1e-12)


def _log_below(a, b, x):
    """Return log P(A <= x) by the hypergeometric series with 60 digits."""
    with mp.workdps(60):
        a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
        series = mp.log(mp.hyp2f1(a + b, 1, a + 1, x, maxterms=10**6))
        return float(series + a * mp.log(x) + b * mp.log(1 - x) - mp.log(a) - mp.log(mp.beta(a, b)))


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [
        (70, 2, 0.5),
        (700, 20, 0.2),
        (700, 20, 0.01),
        (3, 9, 1e-200),
        (1e6, 1e6, 0.45),
        (2e4, 3e4, 0.1),
        (50.5, 0.5, 1e-9),
        (0.5, 0.5, 1e-300),
    ],
)
def test_logarithms_far_below_the_smallest_float(a, b, x):
    assert BetaDistribution(a, b).logcdf(x) == pytest.approx(_log_below(a, b, x), rel=1e-13, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "x"), [(0.5, 300, 0.999), (1, 500, 0.99), (3, 1e9, 5e-7)])
def test_logarithms_of_the_upper_tail(a, b, x):
    with mp.workdps(60):
        exact = _log_below(b, a, 1 - mp.mpf(x))
    assert BetaDistribution(a, b).logsf(x) == pytest.approx(exact, rel=1e-12)


def test_small_errors_keep_their_digits_at_1e9():
    # P(Beta(4, N + 1) > x) is the chance of fewer than 4 successes in N + 4 trials
    with mp.workdps(40):
        trials = 10**9 + 4
        few = lambda x: sum(mp.binomial(trials, k) * x**k * (1 - x) ** (trials - k) for k in range(4))  # noqa: E731
        exact = mp.findroot(lambda x: few(x) - 0.5, (mp.mpf("3.6e-9"), mp.mpf("3.7e-9")))
    assert BetaDistribution(1e9 + 1, 4).mirrored.median == pytest.approx(float(exact), rel=1e-13)


@given(shapes, shapes, st.floats(0.01, 0.99))
def test_mirror(a, b, x):
    distribution = BetaDistribution(a, b)
    assert distribution.cdf(x) == pytest.approx(distribution.mirrored.sf(1 - x), rel=1e-10)
    assert distribution.logcdf(x) == pytest.approx(distribution.mirrored.logsf(1 - x), rel=1e-10, abs=1e-12)
    assert distribution.cdf(x) + distribution.sf(x) == pytest.approx(1, abs=1e-14)


@pytest.mark.slow
@given(shapes, shapes, st.floats(0.01, 0.99))
def test_quantiles_invert(a, b, q):
    distribution = BetaDistribution(a, b)
    for x, back in ((distribution.ppf(q), distribution.cdf), (distribution.isf(q), distribution.sf)):
        assert back(x) == pytest.approx(q, abs=1e-12 + distribution.pdf(x) * np.spacing(x))  # x itself is rounded


@pytest.mark.slow
@given(shapes, shapes, st.floats(0.05, 0.99))
def test_the_shortest_interval_holds_the_level_and_is_no_longer_than_the_central(a, b, level):
    distribution = BetaDistribution(a, b)
    low, high = distribution.interval(level, kind="hpd")
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(level, abs=1e-10)
    central = distribution.interval(level)
    assert high - low <= (central[1] - central[0]) * (1 + 1e-9)


def test_counts_of_1e12_are_normal():
    distribution = BetaDistribution(6e11, 4e11)
    sd = math.sqrt(distribution.var)
    assert distribution.var == pytest.approx(0.24 / 1e12, rel=1e-11)
    assert distribution.sf(distribution.mean + 2 * sd) == pytest.approx(stats.norm.sf(2), rel=1e-5)
    assert distribution.pdf(distribution.mean) == pytest.approx(stats.norm.pdf(0) / sd, rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [(1e3, 999_999_001), (1e6, 2e6)])
def test_quantiles_of_probabilities_near_the_smallest_float(a, b):
    x = BetaDistribution(a, b).ppf(1e-300)
    steepness = a / x - b / (1 - x)  # of the logarithm of the tail
    assert abs(_log_below(a, b, x) - math.log(1e-300)) / steepness < 1e-13 * x


@pytest.mark.parametrize("q", [1e-300, 1e-250])
def test_a_quantile_of_1e12_cases_far_out_is_that_of_a_normal_distribution(q):
    # Beta(a, a) = 1/2 + tanh(y) / 2 with y nearly normal: variance 1 / (4 a + 1), the rest of a relative order of z^2 / a
    z = float(mp.findroot(lambda z: mp.log(mp.ncdf(z)) - mp.log(q), stats.norm.ppf(q)))
    assert 0.5 - BetaDistribution(1e12, 1e12).ppf(q) == pytest.approx(-z / math.sqrt(8e12 + 4), rel=1e-8)


def test_scalars_give_floats_and_arrays_keep_their_shape():
    distribution = BetaDistribution(3, 9)
    assert isinstance(distribution.cdf(0.3), float)
    assert distribution.logsf(np.full((2, 3), 0.3)).shape == (2, 3)


def test_outside_the_support():
    distribution = BetaDistribution(3, 9)
    assert (
        distribution.pdf(-1),
        distribution.pdf(2),
        distribution.cdf(-1),
        distribution.cdf(2),
        distribution.sf(-1),
        distribution.sf(2),
    ) == (0, 0, 0, 1, 1, 0)
    assert distribution.logcdf(0) == -math.inf
    assert distribution.logsf(1) == -math.inf
    assert BetaDistribution(0.5, 2).pdf(0) == math.inf


def test_a_moved_rate_is_the_same_rate_elsewhere():
    distribution, moved = BetaDistribution(3, 9), MovedBeta(BetaDistribution(3, 9), 0.5, -1.0)
    assert moved.support == (-1.0, -0.5)
    assert (moved.mean, moved.var, moved.mode) == pytest.approx(
        (-1 + distribution.mean / 2, distribution.var / 4, -1 + distribution.mode / 2)
    )
    assert moved.interval() == pytest.approx(tuple(-1 + limit / 2 for limit in distribution.interval()))
    assert (moved.cdf(-0.9), moved.sf(-0.9)) == pytest.approx((distribution.cdf(0.2), distribution.sf(0.2)))
    assert (moved.logcdf(-0.9), moved.logsf(-0.9)) == pytest.approx((distribution.logcdf(0.2), distribution.logsf(0.2)))
    assert moved.pdf(-0.9) == pytest.approx(2 * distribution.pdf(0.2))
    assert isinstance(MovedBeta(BetaDistribution(1, 1), 0.5).mode, Undefined)
    assert moved.sample(3, np.random.default_rng(1)) == pytest.approx(-1 + distribution.sample(3, np.random.default_rng(1)) / 2)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, -1), (math.nan, 1), (math.inf, 1)])
def test_impossible_shapes_are_refused(a, b):
    with pytest.raises(InputError, match="Counts need a prior"):
        BetaDistribution(a, b)


def test_refusals_say_what_to_do():
    with pytest.raises(InputError, match=r"got 95\. .*0\.95"):
        BetaDistribution(1, 2).interval(95)
    with pytest.raises(InputError, match=r'^kind .*"central" or "hpd"'):
        BetaDistribution(1, 2).interval(kind="short")
    with pytest.raises(InputError, match="between 0 and 1"):
        BetaDistribution(1, 2).ppf([0.5, 1.5])


@pytest.mark.parametrize("b", [0.001, 0.5, 1.0, 5.0, 1e6])
@pytest.mark.parametrize("x", [1e-281, 3e-290, 1e-300, 3e-308])
def test_a_density_that_neither_rises_nor_falls_at_0_has_logs_far_below_it(b, x):
    with mp.workdps(40):
        wanted = float(mp.log(-mp.expm1(b * mp.log1p(-mp.mpf(x)))))
    assert BetaDistribution(1, b).logcdf(x) == pytest.approx(wanted, rel=1e-14)
    assert BetaDistribution(b, 1).mirrored.logcdf(np.array([x, 0.0])) == pytest.approx([wanted, -math.inf], rel=1e-14)
