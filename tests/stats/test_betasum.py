"""Sums of rates: stored oracles, 40-digit quadrature, closed forms and the distributions every sum obeys."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.sparing import some

from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.betasum import beta_sum, beta_sums
from adjudge.stats.distribution import BetaDistribution
from adjudge.stats.engines import chain, engine
from adjudge.stats.fourier import Fourier, Waves
from adjudge.stats.numerics import rule
from adjudge.stats.offsets import rates

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))
QUADRATURE = json.loads((ORACLES / "betasum.json").read_text(encoding="utf-8"))

shape = st.one_of(st.floats(0.5, 200), st.sampled_from([0.5, 1.0, 1.5, 2.0, 40.5]))
points = st.floats(0.02, 0.98)


def cases(*quantities):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] in quantities]


def posterior(inputs):
    if "confusion" in inputs:
        matrix = np.array(inputs["confusion"])
        right, classes = np.diag(matrix), len(matrix)
        other = 1 if inputs["prior"] == "beta" else classes - 1
        return beta_sum(right + 1, matrix.sum(1) - right + other, np.full(classes, 1 / classes))
    c = inputs.get("c", 0.5)
    return beta_sum([inputs["tp"] + 1, inputs["tn"] + 1], [inputs["fn"] + 1, inputs["fp"] + 1], [c, 1 - c])


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("posterior_balanced_accuracy", "cost_weighted_accuracy", "multiclass_balanced_accuracy"))
def test_stored_oracles(case):
    inputs, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]
    distribution = posterior(inputs)
    chance = 1 / len(inputs["confusion"]) if "confusion" in inputs else 0.5
    found = {
        "mean": distribution.mean, "var": distribution.var, "median": distribution.median, "mode": distribution.mode, "ci95": distribution.interval(), "ci99": distribution.interval(0.99),
        "hpd95": distribution.interval(kind="hpd"), "pdf": distribution.pdf(inputs["x"]), "cdf": distribution.cdf(inputs["x"]), "prob_above_chance": distribution.sf(chance),
    }  # fmt: skip
    for name, value in expected.items():
        near = tolerance["keys"].get(name, tolerance)
        exact = np.array(value, dtype=float)
        assert np.asarray(found[name]) == pytest.approx(exact, abs=near["atol"], rel=near["rtol"]), name


@pytest.mark.parametrize("case", cases("balanced_accuracy_tail"))
def test_stored_tails(case):
    distribution, x = posterior(case["inputs"]), case["inputs"]["x"]
    assert distribution.logcdf(x) / math.log(10) == pytest.approx(float(case["expected"]["log10_cdf"]), abs=1e-11)
    assert distribution.logsf(x) / math.log(10) == pytest.approx(float(case["expected"]["log10_sf"]), rel=1e-9)


@pytest.mark.parametrize("case", [c for c in QUADRATURE if "cdf" in c], ids=lambda case: case["name"])
def test_quadrature_with_forty_digits(case):
    distribution = beta_sum(case["a"], case["b"], case["weights"])
    assert distribution.cdf(case["x"]) == pytest.approx(np.array(case["cdf"], dtype=float), abs=1e-13)
    many = beta_sums([case["a"]] * 2, [case["b"]] * 2, case["weights"])
    assert [many.cdf(x)[1] for x in case["x"]] == pytest.approx(np.array(case["cdf"], dtype=float), abs=1e-13)


@pytest.mark.parametrize("case", [c for c in QUADRATURE if "logcdf" in c], ids=lambda case: case["name"])
def test_far_tails_keep_their_digits(case):
    distribution = beta_sum(case["a"], case["b"], case["weights"])
    for name, found in (("logcdf", distribution.logcdf(case["x"])), ("logsf", distribution.logsf(case["x"]))):
        exact = np.array(case[name], dtype=float)
        assert found == pytest.approx(exact, abs=1e-10, rel=1e-10), name


def test_the_second_matrix_of_brodersen():
    distribution = beta_sum([41, 3], [6, 9], [0.5, 0.5])
    assert (distribution.mean, distribution.median, distribution.mode) == pytest.approx(
        (0.561170212766, 0.555343139746, 0.540592860346), abs=1e-12
    )
    assert distribution.interval() == pytest.approx((0.451142176929, 0.701657891990), abs=1e-12)
    assert distribution.sf(0.5) == pytest.approx(0.825992412090, abs=1e-12)


def irwin_hall(classes, x):
    """Return P(mean of uniform rates <= x), exactly."""
    total = Fraction(x) * classes
    terms = ((-1) ** k * math.comb(classes, k) * (total - k) ** classes for k in range(math.floor(total) + 1))
    return float(sum(terms) / math.factorial(classes))


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 4, 6, 9, 30])
def test_classes_without_data_make_a_spline(classes):
    distribution = beta_sum(np.ones(classes), np.ones(classes), np.full(classes, 1 / classes))
    for x in (0.03125, 0.25, 0.4375, 0.5, 0.8125):
        assert distribution.cdf(x) == pytest.approx(irwin_hall(classes, x), abs=1e-14, rel=1e-9)


def moment(a, b, weights, power):
    """Return E X^power from the moments of the rates."""
    total = [1.0] + [0.0] * power
    for a_k, b_k, w in zip(a, b, weights, strict=True):
        one = [1.0]
        for j in range(power):
            one.append(one[-1] * w * (a_k + j) / (a_k + b_k + j))
        total = [sum(math.comb(p, j) * total[j] * one[p - j] for j in range(p + 1)) for p in range(power + 1)]
    return total[power]


ROUGH = [
    ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.2, 0.35, 0.45]),
    ([50.5, 30.5, 10.5], [0.5, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]),
    ([1.37, 2.2, 0.8], [0.9, 1.1, 5.0], [0.5, 0.3, 0.2]),
    ([3e8, 1.0, 1.0], [7e8, 1.0, 1.0], [1 / 3, 1 / 3, 1 / 3]),
    ([1e9 + 0.5, 1.0, 40.5], [0.5, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]),
    ([0.5, 0.5, 3.5, 1.0], [0.5, 0.5, 0.5, 1.0], [0.25, 0.25, 0.25, 0.25]),
    ([21, 31, 41, 51, 61], [1, 1, 1, 1, 1], [0.2, 0.2, 0.2, 0.2, 0.2]),
    ([5.5, 300.5, 4000.5], [0.5, 0.5, 0.5], [0.2, 0.2, 0.6]),
    ([1, 7, 2e5], [1, 1, 3e5], [0.6, 0.2, 0.2]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "weights"), ROUGH)
def test_moments_of_rough_sums(a, b, weights):
    distribution = beta_sum(a, b, weights)
    assert isinstance(distribution.engine, Waves)
    for way in (distribution.engine, chain(distribution.rates)):
        check_moments(distribution, way, a, b, weights)


def check_moments(distribution, way, a, b, weights):
    marks, (s, rest, weight) = way.marks[0], rule(0.5)
    first, second = distribution.mean * 0, 0.0
    start = distribution.mean + marks[0]
    for low, high in pairwise(marks):
        x = np.where(s < rest, low + (high - low) * s, high - (high - low) * rest)
        above = way.sf(x[None])[0] * weight * (high - low)
        first += above.sum()
        second += (above * 2 * (distribution.mean + x)).sum()
    assert start + first == pytest.approx(moment(a, b, weights, 1), abs=5e-13)
    assert start**2 + second == pytest.approx(moment(a, b, weights, 2), abs=5e-13)


def test_fourier_and_convolution_agree():
    a, b, w = np.array([[9.0, 6.0, 5.0]]), np.array([[3.0, 6.0, 2.0]]), np.full((1, 3), 1 / 3)
    plain = rates(a, b, w)
    series, step_by_step = engine(plain), chain(plain)
    assert isinstance(series, Fourier)
    x = np.linspace(-0.4, 0.3, 15)[None]
    assert series.sf(x) == pytest.approx(step_by_step.sf(x), abs=1e-13)
    assert series.pdf(x) == pytest.approx(step_by_step.pdf(x), abs=1e-12)


@pytest.mark.slow
@example(54.0, 0.5, 2.0, 1.0, 0.5)
@given(shape, shape, shape, shape, points)
def test_mirror_and_order(a1, b1, a2, b2, x):
    distribution = beta_sum([a1, a2], [b1, b2], [0.5, 0.5])
    mirror = beta_sum([b2, b1], [a2, a1], [0.5, 0.5])
    assert distribution.cdf(x) == pytest.approx(mirror.sf(1 - x), rel=1e-9, abs=1e-14)
    assert distribution.cdf(x) + distribution.sf(x) == pytest.approx(1, abs=1e-13)
    assert distribution.cdf(x) == pytest.approx(beta_sum([a2, a1], [b2, b1], [0.5, 0.5]).cdf(x), rel=1e-9, abs=1e-14)


@pytest.mark.slow
@given(shape, shape, shape, shape, st.floats(0.05, 0.95), st.floats(1e-3, 0.999))
def test_quantiles_invert(a1, b1, a2, b2, c, q):
    distribution = beta_sum([a1, a2], [b1, b2], [c, 1 - c])
    assert distribution.cdf(distribution.ppf(q)) == pytest.approx(q, abs=1e-11)
    assert distribution.sf(distribution.isf(q)) == pytest.approx(q, abs=1e-11)


@pytest.mark.slow
@given(shape, shape, shape, shape)
def test_monotone(a1, b1, a2, b2):
    distribution = beta_sums([[a1, a2]] * 99, [[b1, b2]] * 99, [0.5, 0.5])
    assert (np.diff(distribution.cdf(np.linspace(0.01, 0.99, 99))) >= -1e-14).all()


@pytest.mark.slow
@given(shape, shape, st.floats(0.05, 1.0), points)
def test_one_weighted_class_is_one_beta(a, b, weight, q):
    distribution, alone = beta_sum([a, 3], [b, 9], [weight, 0]), BetaDistribution(a, b)
    assert distribution.ppf(q) == pytest.approx(weight * alone.ppf(q), rel=1e-12)
    assert (distribution.mean, distribution.var) == pytest.approx((weight * alone.mean, weight**2 * alone.var))
    assert beta_sum([a, 3], [b, 9], [1, 0]) == alone


@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=3, max_size=4), points)
@pytest.mark.slow
def test_rows_and_single_distributions_agree(counts, q):
    a, b = np.array(counts).T + 1.0
    weights = np.full(len(a), 1 / len(a))
    distribution, distributions = beta_sum(a, b, weights), beta_sums([a, b], [b, a], weights)
    assert distributions.ppf(q)[0] == pytest.approx(distribution.ppf(q), abs=1e-12)
    assert distributions.ppf(1 - q)[1] == pytest.approx(1 - distribution.ppf(q), abs=1e-11)
    assert np.array(distributions.interval())[:, 0] == pytest.approx(np.array(distribution.interval()), abs=1e-12)
    assert (distributions.mean[0], distributions.var[0], distributions.median[0]) == pytest.approx(
        (distribution.mean, distribution.var, distribution.median), abs=1e-12
    )


@pytest.mark.parametrize("classes", [2, 3, 10, 1000])
def test_equal_classes(classes):
    one = BetaDistribution(30, 12)
    distribution = beta_sum(np.full(classes, 30), np.full(classes, 12), np.full(classes, 1 / classes))
    assert distribution.mean == pytest.approx(one.mean, rel=1e-14)
    assert distribution.var == pytest.approx(one.var / classes, rel=1e-12)


def test_a_thousand_classes_are_normal_to_second_order():
    distribution = beta_sum(np.full(1000, 5), np.full(1000, 2), np.full(1000, 1e-3))
    n, sd = 7, math.sqrt(distribution.var)
    skewness = 2 * (2 - 5) * math.sqrt(n + 1) / ((n + 2) * math.sqrt(10)) / math.sqrt(1000)
    for z in (-2, 0, 1.5):
        edgeworth = stats.norm.sf(z) + stats.norm.pdf(z) * skewness * (z * z - 1) / 6
        assert distribution.sf(distribution.mean + z * sd) == pytest.approx(edgeworth, abs=2e-4 / 2)
    assert distribution.logsf(0.9) < -500


def test_a_billion_cases_are_normal():
    distribution = beta_sum([7e8, 2e9], [3e8, 5e8], [0.5, 0.5])
    sd = math.sqrt(distribution.var)
    for z in (-3, -1, 0, 2):
        assert distribution.cdf(distribution.mean + z * sd) == pytest.approx(stats.norm.cdf(z), abs=2e-5)
    assert distribution.median == pytest.approx(distribution.mean, abs=1e-4 * sd)
    assert distribution.logcdf(distribution.mean - 40 * sd) == pytest.approx(stats.norm.logcdf(-40), rel=1e-3)


@pytest.mark.slow
def test_far_quantiles():
    distribution = beta_sum([69.5, 50.5], [1.5, 0.5], [0.5, 0.5])
    for q in (1e-300, 1e-30, 1e-9):
        assert math.log(q) == pytest.approx(distribution.logcdf(distribution.ppf(q)), rel=1e-9)
        assert distribution.isf(1 - 1e-9) == pytest.approx(distribution.ppf(1e-9), rel=1e-7)
    assert (distribution.ppf(0), distribution.ppf(1), distribution.isf(0), distribution.isf(1)) == (0, 1, 1, 0)
    assert distribution.sf(distribution.isf(1e-20)) == pytest.approx(1e-20, rel=1e-3)  # 1 - x keeps only 1e-16


@pytest.mark.slow
def test_weak_priors_pile_up_at_the_ends():
    distribution = beta_sum([0.1, 0.1], [0.1, 0.3], [0.5, 0.5])
    for q in (1e-5, 0.01, 0.3, 0.9):
        assert distribution.cdf(distribution.ppf(q)) == pytest.approx(q, rel=1e-9)


def test_the_mode_at_a_kink_and_on_a_plateau():
    assert beta_sum([1, 1], [1, 1], [0.5, 0.5]).mode == pytest.approx(0.5, abs=1e-12)
    assert isinstance(beta_sum([1, 1], [1, 1], [0.25, 0.75]).mode, Undefined)


def test_draws_come_from_the_distribution():
    distribution = beta_sum([40.5, 2.5, 3], [0.5, 8.5, 3], [0.2, 0.3, 0.5])
    draws = distribution.sample(2000, np.random.default_rng(7))
    assert stats.kstest(draws, distribution.cdf).pvalue > 1e-3


def test_outside_the_support():
    distribution = beta_sum([3, 4], [9, 2], [0.5, 0.5])
    assert (
        distribution.cdf(-1),
        distribution.cdf(2),
        distribution.sf(-1),
        distribution.sf(2),
        distribution.pdf(-0.1),
        distribution.pdf(1.1),
    ) == (0, 1, 1, 0, 0, 0)
    assert distribution.logcdf(0) == -math.inf
    assert distribution.logsf(1) == -math.inf


def test_a_prior_too_weak_for_a_sum_is_refused():
    with pytest.raises(InputError, match=r"at least 0\.0625"):
        beta_sum([1, 0.01], [1, 2], [0.5, 0.5])


def test_rows_refuse_a_percentage():
    with pytest.raises(InputError, match=r"got 95"):
        beta_sums([[1, 2]], [[1, 2]], [0.5, 0.5]).interval(95)


def test_a_kink_between_two_slopes_is_a_summit_and_no_level():
    # y = A + B with A ~ Beta(2, 1) and B uniform: density y^2 below 1 and 1 - (y - 1)^2 above
    assert beta_sum([2, 1], [1, 1], [0.5, 0.5]).mode == pytest.approx(0.5, abs=1e-9)
    assert isinstance(beta_sum([1, 1], [1, 1], [0.3, 0.7]).mode, Undefined)


@pytest.mark.parametrize("q", some([1e-4, 1e-6, 1e-12, 1e-25]))
def test_quantiles_nearer_to_an_end_than_the_nodes_of_any_rule(q):
    a, b, w = [0.0625, 0.07], [0.0625, 3.0], [0.5, 0.5]
    # near 0 the density of a rate is Gamma(a + b) / (Gamma(a) Gamma(b)) y^(a - 1), and a sum of such powers is one (Dirichlet)
    with mpmath.workdps(40):
        height = mpmath.fprod(mpmath.gammaprod([x + y], [y]) / mpmath.mpf(v) ** x for x, y, v in zip(a, b, w, strict=True))
        wanted = (q * mpmath.gamma(1 + sum(a)) / height) ** (1 / mpmath.mpf(sum(a)))
    distribution = beta_sum(a, b, w)
    assert distribution.ppf(q) == pytest.approx(float(wanted), rel=1e-10)
    assert distribution.cdf(float(wanted)) == pytest.approx(q, rel=1e-10)
    assert beta_sum(b, a, w, -1.0).logsf(-float(wanted)) == pytest.approx(math.log(q), rel=1e-10)


@pytest.mark.slow
def test_limits_of_a_sum_with_much_mass_at_its_ends():
    distribution = beta_sum([0.0625, 0.07], [0.0625, 3.0], [0.5, 0.5])
    for kind in ("central", "hpd"):
        low, high = distribution.interval(0.999, kind)
        assert 0 <= low < 1e-20
        assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(0.999, abs=1e-9)
