"""Student's distribution: against 50-digit arithmetic, scipy.stats and the distributions of any distribution.

The variance of a mean over splits that share training rows. The normal distribution against SciPy's.
"""

from __future__ import annotations

import json
import math
import statistics
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.student import (
    PointDistribution,
    StudentDistribution,
    corrected_limits,
    corrected_variance,
    correlated_distribution,
    inflation,
    mean_and_spread,
    two_sided,
)

DEGREES = (1, 1.5, 2, 3, 4, 9, 29, 99, 999)
NEAR = (-1e-12, -1e-8, -1e-3, -0.3, -1.0, -2.2, -7.0)

distributions = st.builds(StudentDistribution, st.floats(-2, 2), st.floats(1e-3, 10), st.integers(1, 200))


def exact_tail(t, df):
    """Return P(T <= t) for t < 0 by the series around 0 or the incomplete beta function, to 50 digits."""
    with mp.workdps(50):
        t, df = mp.mpf(t), mp.mpf(df)
        if t > -1:
            height = mp.gamma((df + 1) / 2) / (mp.sqrt(df * mp.pi) * mp.gamma(df / 2))
            return mp.mpf(1) / 2 + t * height * mp.hyp2f1(mp.mpf(1) / 2, (df + 1) / 2, mp.mpf(3) / 2, -t * t / df)
        return mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("t", [*NEAR, -40.0, -1e3, -1e6])
def test_tails_have_all_their_digits(t, df):
    expected = exact_tail(t, df)
    distribution = StudentDistribution(0.0, 1.0, df)
    for found, log in ((distribution.cdf(t), distribution.logcdf(t)), (distribution.sf(-t), distribution.logsf(-t))):
        if expected > 1e-290:
            assert found == pytest.approx(float(expected), rel=1e-13)
        assert log == pytest.approx(float(mp.log(expected)), rel=1e-12)
    assert distribution.logsf(t) == pytest.approx(float(mp.log1p(-expected)), rel=1e-12, abs=0)


@pytest.mark.parametrize("df", [2, 9, 99])
@pytest.mark.parametrize("t", [1e120, 1e170, 1e250])
def test_logs_of_tails_go_on_where_squares_overflow(t, df):
    assert StudentDistribution(0.0, 1.0, df).logsf(t) == pytest.approx(float(mp.log(exact_tail(-t, df))), rel=1e-12)


@pytest.mark.parametrize("df", DEGREES)
def test_the_density_is_the_slope_of_the_tail(df):
    distribution = StudentDistribution(0.0, 1.0, df)
    for t in NEAR:
        with mp.workdps(50):
            slope = mp.diff(lambda x: exact_tail(x, df), mp.mpf(t), h=mp.mpf("1e-15"))
        assert distribution.pdf(t) == pytest.approx(float(slope), rel=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 5, 9, 29, 99, 999])
@pytest.mark.parametrize("q", [1e-250, 1e-160, 1e-99, 1e-30, 1e-8, 0.025, 0.2, 0.49])
def test_quantiles_give_back_their_probability(q, df):
    distribution = StudentDistribution(0.0, 1.0, df)
    assert float(exact_tail(distribution.ppf(q), df)) == pytest.approx(q, rel=1e-9)
    assert distribution.isf(q) == -distribution.ppf(q)


@pytest.mark.slow
@given(distributions, st.floats(0.001, 0.999), st.floats(-30, 30))
def test_agrees_with_scipy_where_that_is_good(distribution, q, z):
    known = stats.t(distribution.df, distribution.location, distribution.scale)
    x = distribution.location + distribution.scale * z
    assert distribution.cdf(x) == pytest.approx(known.cdf(x), rel=1e-8)
    assert distribution.sf(x) == pytest.approx(known.sf(x), rel=1e-8)
    assert distribution.pdf(x) == pytest.approx(known.pdf(x), rel=1e-9)
    assert distribution.ppf(q) == pytest.approx(known.ppf(q), rel=1e-8, abs=1e-8)


@given(distributions, st.floats(-5, 5), st.floats(0.01, 0.99))
def test_the_mirrored_distribution_is_that_of_the_opposite_number(distribution, x, level):
    other = distribution.mirrored
    assert distribution.sf(x) == other.cdf(-x)
    assert distribution.cdf(x) + distribution.sf(x) == pytest.approx(1, rel=1e-14)
    low, high = distribution.interval(level)
    assert other.interval(level) == (-high, -low)


@pytest.mark.parametrize(("df", "mean", "var"), [(1, None, None), (2, 0.5, math.inf), (9, 0.5, 4 * 9 / 7)])
def test_heavy_tails_have_no_moments(df, mean, var):
    distribution = StudentDistribution(0.5, 2.0, df)
    if mean is None:
        assert isinstance(distribution.mean, Undefined)
        assert isinstance(distribution.var, Undefined)
    else:
        assert (distribution.mean, distribution.var) == pytest.approx((mean, var))
    assert distribution.median == distribution.mode == 0.5


def test_the_shortest_interval_is_the_central_one():
    distribution = StudentDistribution(0.3, 0.2, 7)
    assert distribution.interval(0.9, "hpd") == distribution.interval(0.9)
    assert distribution.cdf(distribution.interval(0.9)[0]) == pytest.approx(0.05, rel=1e-12)
    with pytest.raises(InputError, match='"central" or "hpd"'):
        distribution.interval(0.9, "widest")


def test_both_ends_of_the_line():
    distribution = StudentDistribution(0.3, 0.2, 7)
    assert distribution.ppf([0.0, 1.0]).tolist() == [-math.inf, math.inf]
    assert StudentDistribution(0.0, 1.0, 1).ppf([0.0, 1.0]).tolist() == [-math.inf, math.inf]
    assert distribution.cdf([-math.inf, math.inf]).tolist() == [0.0, 1.0]
    assert distribution.pdf([-math.inf, math.inf]).tolist() == [0.0, 0.0]
    assert distribution.logsf([-math.inf, math.inf]).tolist() == [0.0, -math.inf]
    assert math.isnan(distribution.cdf(math.nan))


def test_draws_follow_the_distribution():
    distribution = StudentDistribution(0.3, 0.2, 7)
    draws = distribution.sample(20_000, np.random.default_rng(7))
    assert stats.kstest(draws, distribution.cdf).pvalue > 0.001


@pytest.mark.parametrize("given", [(math.nan, 1, 5), (0, 0, 5), (0, math.inf, 5), (0, 1, 0), (math.inf, 1, 5)])
def test_what_is_no_distribution_is_refused(given):
    with pytest.raises(InputError, match="PointDistribution"):
        StudentDistribution(*given)


@pytest.mark.parametrize("df", DEGREES)
def test_two_sided_probabilities(df):
    assert two_sided(2.5, df) == two_sided(-2.5, df) == pytest.approx(2 * float(exact_tail(-2.5, df)), rel=1e-13)
    assert two_sided(math.inf, df) == two_sided(-math.inf, df) == 0
    assert two_sided(0.0, df) == 1
    reason = Undefined("nothing is known")
    assert two_sided(reason, df) is reason


@given(st.floats(-2, 2), st.floats(1e-9, 1), st.floats(0.01, 0.99))
def test_a_point_holds_everything(at, off, level):
    distribution = PointDistribution(at)
    assert (distribution.cdf(at), distribution.sf(at), distribution.cdf(at - off), distribution.sf(at - off)) == (1, 0, 0, 1)
    assert (distribution.logcdf(at), distribution.logsf(at), distribution.logcdf(at - off), distribution.logsf(at - off)) == (
        0,
        -math.inf,
        -math.inf,
        0,
    )
    assert distribution.interval(level) == distribution.interval(level, "hpd") == (at, at)
    assert distribution.mean == distribution.median == distribution.mode == at
    assert distribution.var == 0
    assert (distribution.pdf(at), distribution.pdf(at + off)) == (math.inf, 0)
    assert distribution.mirrored == PointDistribution(-at)
    assert distribution.sample(3, np.random.default_rng(0)).tolist() == [at] * 3


def test_a_point_is_what_a_narrow_distribution_becomes():
    narrow, point = StudentDistribution(0.02, 1e-300, 9), PointDistribution(0.02)
    for x in (-1.0, 0.0, 0.019, 0.021, 5.0):
        assert narrow.cdf(x) == point.cdf(x)
        assert narrow.sf(x) == point.sf(x)
        assert narrow.pdf(x) == point.pdf(x)
    assert narrow.interval() == point.interval()
    assert narrow.support == point.support


ORACLES = Path(__file__).parents[1] / "oracles"
CASES = [c for c in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if c["quantity"] == "nadeau_bengio"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_agrees_with_the_worked_cases(case):
    values, ratio = np.array(case["inputs"]["differences"]), case["inputs"]["test_train_ratio"]
    expected, tolerance = case["expected"], case["tolerance"]
    share = ratio / (1 + ratio)
    variance = corrected_variance(values, test_share=share)
    assert variance == pytest.approx(float(expected["var_corrected"]), rel=tolerance["rtol"])
    t = values.mean() / np.sqrt(variance)
    assert t == pytest.approx(float(expected["t"]), rel=tolerance["rtol"])
    assert 2 * student.sf(abs(t), values.size - 1) == pytest.approx(float(expected["p_two_sided"]), rel=tolerance["rtol"])
    limits = [float(v) for v in expected["ci95"]]
    assert corrected_limits(values, test_share=share) == pytest.approx(limits, rel=tolerance["rtol"])


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0.01, 0.9))
def test_the_correction_never_shrinks_the_variance(values, share):
    d = np.array(values)
    assert corrected_variance(d, test_share=share) >= d.var(ddof=1) / d.size


@pytest.mark.slow
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=20).filter(lambda v: np.std(v) > 1e-6), st.floats(0.5, 0.99))
def test_with_next_to_nothing_tested_the_textbook_interval_returns(values, level):
    d = np.array(values)
    textbook = ttest_1samp(d, 0).confidence_interval(level)
    assert corrected_limits(d, test_share=1e-12, level=level) == pytest.approx((textbook.low, textbook.high), rel=1e-6, abs=1e-9)


def test_a_percentage_and_a_single_value_are_refused_with_advice():
    with pytest.raises(InputError, match=r"got 10\. .*0\.1"):
        corrected_variance(np.array([0.1, 0.2]), test_share=10)
    with pytest.raises(InputError, match=r"at least two.* got 1"):
        corrected_variance(np.array([0.1]), test_share=0.1)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda v: max(v) > min(v)), st.integers(-900, 900))
def test_mean_and_spread_are_exact_on_any_scale(values, power):
    d = np.ldexp(np.array(values), power)
    mean, spread = mean_and_spread(d)
    exact = [Fraction(v) for v in d.tolist()]
    unit = max(abs(v) for v in exact)
    assert mean == pytest.approx(float(statistics.mean(exact)), rel=1e-12, abs=1e-14 * float(unit))
    if spread > 1e-290:  # below it, floats have fewer digits
        relative = statistics.variance([v / unit for v in exact])
        assert (spread / float(unit)) ** 2 == pytest.approx(float(relative), rel=1e-9, abs=1e-28)


@given(st.floats(-1e300, 1e300), st.integers(2, 200))
def test_equal_values_have_no_spread(value, n):
    assert mean_and_spread(np.full(n, value)) == (value, 0.0)


@given(st.integers(2, 100), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_the_inflation_is_that_of_nadeau_and_bengio(splits, share):
    expected = Fraction(1, splits) + share / (1 - share)
    assert inflation(splits, test_share=float(share)) == pytest.approx(float(expected), rel=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda v: np.std(v) > 1e-6), st.floats(0.01, 0.9))
def test_the_distribution_has_the_corrected_limits(values, share):
    d = np.array(values)
    distribution = correlated_distribution(d, test_share=share)
    assert isinstance(distribution, StudentDistribution)
    assert distribution.interval(0.9) == pytest.approx(corrected_limits(d, test_share=share, level=0.9), rel=1e-9, abs=1e-12)


def test_values_all_alike_leave_no_doubt():
    assert correlated_distribution(np.full(10, 0.1), test_share=0.1) == PointDistribution(0.1)


places = st.floats(-5, 5)
scales = st.floats(1e-6, 1e3)


@pytest.mark.slow
@given(places, scales, st.floats(-8, 8))
def test_against_scipy(location, scale, z):
    distribution, theirs, x = StudentDistribution(location, scale), stats.norm(location, scale), location + scale * z
    for name in ("pdf", "cdf", "sf", "logcdf", "logsf"):
        assert getattr(distribution, name)(x) == pytest.approx(getattr(theirs, name)(x), rel=1e-9, abs=1e-300)


@given(places, scales, st.floats(1e-12, 1 - 1e-12))
def test_quantiles_invert(location, scale, q):
    distribution = StudentDistribution(location, scale)
    assert distribution.ppf(q) == pytest.approx(stats.norm.ppf(q, location, scale), rel=1e-9, abs=1e-9)
    assert distribution.isf(q) == pytest.approx(stats.norm.isf(q, location, scale), rel=1e-9, abs=1e-9)


def test_moments_and_limits():
    distribution = StudentDistribution(0.1, 0.06)
    assert (distribution.mean, distribution.mode, distribution.median) == (0.1, 0.1, pytest.approx(0.1))
    assert distribution.var == pytest.approx(0.0036)
    assert distribution.interval(0.9) == pytest.approx(stats.norm.interval(0.9, 0.1, 0.06))
    assert distribution.interval(0.9, "hpd") == distribution.interval(0.9)
    draws = distribution.sample(50_000, np.random.default_rng(0))
    assert stats.kstest(draws, "norm", (0.1, 0.06)).pvalue > 0.001


@pytest.mark.parametrize(("location", "scale"), [(np.nan, 1), (0, 0), (0, -1), (0, np.inf), (np.inf, 1)])
def test_what_is_no_normal_distribution_is_refused(location, scale):
    with pytest.raises(InputError, match="scale positive"):
        StudentDistribution(location, scale)
