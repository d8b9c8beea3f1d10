"""Class priors against exact fractions, QuaPy, the conditions of a concave top, and a general optimiser."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, minimize

from adjudge import estimate_priors
from adjudge.stats.priors import (
    PLAIN,
    Mixture,
    _variance,
    chi_square,
    climb,
    confounded,
    expansion_limits,
    likelihood_ratio,
    profile_limits,
    reweighted,
)

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))
QUAPY = json.loads((ORACLES / "quapy_emq.json").read_text(encoding="utf-8"))["cases"]

parts = st.floats(0.01, 1) | st.sampled_from([1e-18, 1e-9, 0.0])


@st.composite
def tables(draw, least=1):
    """Return posteriors and old priors of some classes."""
    k = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(parts, min_size=k, max_size=k).filter(any), min_size=least, max_size=12))
    return np.array([np.array(row) / sum(row) for row in rows]), draw(shares(k))


def shares(k):
    return st.lists(st.floats(0.05, 1), min_size=k, max_size=k).map(lambda v: np.array(v) / sum(v))


def mixture(p, old, weight=None):
    return Mixture(np.asarray(p, dtype=float), 1 / np.asarray(old, dtype=float), np.ones(len(p)) if weight is None else weight)


def settled(p, old, weight=None):
    return climb(mixture(p, old, weight), np.asarray(old, dtype=float), tol=1e-12, max_iter=5000)


def slopes(p, old, found):
    """Return the derivatives of the mean log-likelihood by each prior, in 50 digits."""
    with mpmath.workdps(50):
        ratio = [[mpmath.mpf(float(v)) / mpmath.mpf(float(t)) for v, t in zip(row, old, strict=True)] for row in p]
        density = [mpmath.fsum(a * mpmath.mpf(float(s)) for a, s in zip(row, found, strict=True)) for row in ratio]
        return [float(mpmath.fsum(r[i] / d for r, d in zip(ratio, density, strict=True)) / len(ratio)) for i in range(len(old))]


# -- new posteriors --------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(tables(), st.data())
def test_new_posteriors_are_those_of_fractions(table, data):
    p, old = table
    new = data.draw(shares(old.size))
    for row, found in zip(p, reweighted(p, old, new), strict=True):
        exact = [Fraction(float(v)) * Fraction(float(n)) / Fraction(float(t)) for v, n, t in zip(row, new, old, strict=True)]
        wanted = [float(v / sum(exact)) for v in exact]
        assert found.tolist() == pytest.approx(wanted, rel=1e-14, abs=0)


@pytest.mark.slow
@given(tables(), st.data())
def test_there_and_back_is_the_identity(table, data):
    p, old = table
    new = data.draw(shares(old.size))
    assert reweighted(reweighted(p, old, new), new, old) == pytest.approx(p, rel=1e-12, abs=0)


@pytest.mark.slow
@given(tables())
def test_unchanged_priors_change_nothing(table):
    p, old = table
    assert reweighted(p, old, old) == pytest.approx(p, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("p", "old", "new"),
    [
        ([1.0, 5e-324], [0.5, 0.5], [0.0, 1.0]),
        ([1.0, 1e-320, 0.0], [0.4, 0.3, 0.3], [0.0, 1e-12, 1 - 1e-12]),
        ([0.5, 0.5], [1e-310, 1.0], [0.5, 0.5]),
        ([1e-300, 1.0], [1.0, 1e-200], [1e-200, 1.0]),
    ],
)
def test_products_beyond_the_range_of_floats_are_still_right(p, old, new):
    with mpmath.workdps(50):
        exact = [mpmath.mpf(a) * mpmath.mpf(n) / mpmath.mpf(t) for a, t, n in zip(p, old, new, strict=True)]
        wanted = [float(v / mpmath.fsum(exact)) for v in exact]
    found = reweighted(np.array([p]), np.array(old), np.array(new))[0]
    assert found.tolist() == pytest.approx(wanted, rel=1e-12, abs=0)


# -- the most likely priors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["quantity"] == "prior_em"])
def test_expectation_maximisation_agrees_with_the_oracle(case):
    p, old = np.array(case["inputs"]["posteriors"]), np.array(case["inputs"]["train_priors"])
    expected = case["expected"]
    for steps, wanted in expected["after_iterations"].items():
        for tol in (0.0, 1e-10):
            found = climb(mixture(p, old), old, tol=tol, max_iter=int(steps)).point.shares
            assert found == pytest.approx(np.array(wanted, dtype=float), rel=1e-12, abs=1e-13)
    top = climb(mixture(p, old), old, tol=1e-10, max_iter=10_000)
    assert top.converged
    assert top.point.shares == pytest.approx(np.array(expected["fixed_point"], dtype=float), rel=1e-12, abs=1e-12)
    assert top.point.log == pytest.approx(float(expected["log_likelihood"]), rel=1e-12)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in QUAPY])
def test_every_step_agrees_with_quapy(case):
    p, old = np.array(case["p"]), np.array(case["old"])
    for steps, wanted in case["after"].items():
        assert climb(mixture(p, old), old, tol=0, max_iter=int(steps)).point.shares == pytest.approx(wanted, rel=1e-11, abs=1e-13)
    assert settled(p, old).point.shares == pytest.approx(case["settled"], abs=1e-6)  # 20,000 steps still creep to a bound


@pytest.mark.slow
@given(tables(least=2))
def test_the_top_satisfies_the_conditions_of_a_concave_likelihood(table):
    p, old = table
    top = settled(p, old)
    found = top.point.shares
    assert top.converged
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, rel=1e-12)
    for share, slope in zip(found, slopes(p, old, found), strict=True):
        assert slope <= 1 + 1e-9
        assert share * (1 - slope) <= 1e-9


@pytest.mark.slow
@given(tables(least=2))
def test_the_likelihood_never_falls(table):
    history = np.array(settled(*table).history)
    assert (np.diff(history) >= -1e-13 * (len(table[0]) + np.abs(history[1:]))).all()


@pytest.mark.slow
@given(tables(least=2), st.randoms(use_true_random=False))
def test_the_order_of_classes_and_cases_does_not_matter(table, shuffled):
    p, old = table
    order = shuffled.sample(range(old.size), old.size)
    rows = shuffled.sample(range(len(p)), len(p))
    first, second = settled(p, old), settled(p[np.ix_(rows, order)], old[order])
    assert second.point.log == pytest.approx(first.point.log, rel=1e-10, abs=1e-10)
    steps = [climb(mixture(*t), t[1], tol=0, max_iter=7).point.shares for t in ((p, old), (p[np.ix_(rows, order)], old[order]))]
    assert steps[1] == pytest.approx(steps[0][order], rel=1e-12)


@pytest.mark.slow
@given(tables(least=2), st.lists(st.integers(1, 5), min_size=12, max_size=12))
def test_a_whole_weight_is_that_many_cases(table, counts):
    p, old = table
    times = np.array(counts[: len(p)])
    one = climb(mixture(p, old, times.astype(float)), old, tol=0, max_iter=9)
    other = climb(mixture(np.repeat(p, times, axis=0), old), old, tol=0, max_iter=9)
    assert one.point.shares == pytest.approx(other.point.shares, rel=1e-12)
    assert one.point.log == pytest.approx(other.point.log, rel=1e-11, abs=1e-12)


def test_a_general_optimiser_finds_no_more():
    rng = np.random.default_rng(5)
    p, old = rng.dirichlet(np.full(5, 0.7), 300), np.full(5, 0.2)

    def minus(free):
        raised = np.exp(free - free.max())
        return -np.log(p @ (raised / raised.sum() / old)).sum()

    found = minimize(minus, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    top = settled(p, old)
    assert top.point.log == pytest.approx(-found.fun, rel=1e-9)
    raised = np.exp(found.x)
    assert top.point.shares == pytest.approx(raised / raised.sum(), abs=1e-6)


@pytest.mark.slow
def test_classes_that_overlap_settle_long_before_plain_steps_would():
    rng = np.random.default_rng(3)
    x = rng.normal(0.3 * (rng.random(4000) < 0.8))
    p = np.stack([1 / (1 + np.exp(0.3 * x - 0.045)), 1 / (1 + np.exp(0.045 - 0.3 * x))], axis=1)
    plain = climb(mixture(p, [0.5, 0.5]), np.array([0.5, 0.5]), tol=1e-10, max_iter=PLAIN)
    whole = settled(p, np.array([0.5, 0.5]))
    assert not plain.converged
    assert whole.converged
    assert PLAIN < len(whole.history) < PLAIN + 20
    assert whole.history[: PLAIN + 1] == plain.history
    assert slopes(p, [0.5, 0.5], whole.point.shares) == pytest.approx([1, 1], abs=1e-10)


def test_certain_posteriors_count():
    p = np.repeat(np.eye(3), [5, 3, 2], axis=0)
    assert settled(p, np.array([0.2, 0.2, 0.6])).point.shares == pytest.approx([0.5, 0.3, 0.2], rel=1e-14)


def test_classes_that_cannot_be_told_apart_keep_their_ratio():
    p = np.array([[0.2, 0.4, 0.4], [0.8, 0.1, 0.1], [0.3, 0.35, 0.35], [0.1, 0.45, 0.45]])
    top = settled(p, np.full(3, 1 / 3))
    assert top.converged
    assert top.point.shares[1] == pytest.approx(top.point.shares[2], rel=1e-6)


def test_many_blocks_add_up_to_one_pass():
    rng = np.random.default_rng(8)
    p, old = rng.dirichlet(np.ones(7), 100_000), np.full(7, 1 / 7)
    point = mixture(p, old).at(rng.dirichlet(np.ones(7)))
    ratio = p / old
    density = ratio @ point.shares
    assert point.log == pytest.approx(np.log(density).sum(), rel=1e-11)
    assert point.slope == pytest.approx((ratio / density[:, None]).mean(axis=0), rel=1e-11)
    curvature = np.einsum("ni,nj,n->ij", ratio, ratio, density**-2.0) / len(p)
    assert mixture(p, old).curvature(point.shares) == pytest.approx(curvature, rel=1e-10)


def mixture_and_top(p, old, weight=None):
    mixture = Mixture(p, 1 / old, np.ones(len(p)) if weight is None else weight)
    return mixture, climb(mixture, old, tol=1e-13, max_iter=2000)


def limits(p, old, level=0.95, find=profile_limits):
    mixture, top = mixture_and_top(p, old)
    return find(mixture, top, level=level, worth=len(p))


def normal_classes(n, new, old, distance, rng):
    """Return posteriors, under `old` priors, of unit normal classes on a line drawn with `new` ones."""
    k = len(new)
    x = rng.normal(distance * rng.choice(k, n, p=new))
    density = np.asarray(old) * np.exp(-((x[:, None] - distance * np.arange(k)) ** 2) / 2)
    return density / density.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("counts", "shares"), [([5], [1.0]), ([0, 12], [0.0, 1.0]), ([0, 300_000, 0], [0.0, 1.0, 0.0])])
def test_cases_that_could_only_be_of_one_class_say_nothing_against_it(counts, shares):
    statistic, df, p, _ = chi_square(np.array(counts), np.array(shares))
    assert (statistic, df, p) == (0.0, 0, 1.0)


def binomial_limits(count, n, level):
    """Return the shares at which twice the binomial log-likelihood ratio reaches the quantile of chi-square."""
    best = stats.binom.logpmf(count, n, count / n)

    def excess(share):
        return 2 * (best - stats.binom.logpmf(count, n, share)) - stats.chi2.ppf(level, 1)

    low = brentq(excess, 1e-12, count / n, xtol=1e-14) if count else 0.0
    return low, brentq(excess, count / n, 1 - 1e-12, xtol=1e-14) if count < n else 1.0


@pytest.mark.parametrize("counts", [(5, 3, 2), (1, 0, 30), (40, 60), (0, 12), (7, 7, 7, 7)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_certain_posteriors_have_the_limits_of_binomial_counts(counts, level):
    k, n = len(counts), sum(counts)
    found = limits(np.repeat(np.eye(k), counts, axis=0), np.full(k, 1 / k), level)
    wanted = [binomial_limits(count, n, level) for count in counts]
    assert found == pytest.approx(np.array(wanted), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_two_classes_have_the_limits_of_their_one_likelihood(seed):
    rng = np.random.default_rng(seed)
    old, new = ([0.5, 0.5], [0.9, 0.1]) if seed % 2 else ([0.3, 0.7], [0.02, 0.98])
    p = normal_classes(60, new, old, 1.5, rng)

    def loss(share):
        return -2 * np.log(p @ (np.array([share, 1 - share]) / old)).sum()

    grid = np.linspace(1e-9, 1 - 1e-9, 20_001)
    best = grid[np.argmin([loss(share) for share in grid])]
    least = loss(best)
    low, high = limits(p, np.array(old))[0]
    for limit, end in ((low, 0.0), (high, 1.0)):
        if limit == end:
            assert loss(end) - least < stats.chi2.ppf(0.95, 1)
        else:
            assert loss(limit) - least == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)
    assert low <= best <= high


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_three_classes_have_the_limits_a_general_optimiser_finds(seed):
    rng = np.random.default_rng(100 + seed)
    old = np.array([0.2, 0.3, 0.5])
    new = ([0.6, 0.3, 0.1], [0.5, 0.5, 0.0], [0.05, 0.05, 0.9], [1 / 3, 1 / 3, 1 / 3])[seed]
    p = normal_classes(80, new, old, 1.8, rng)
    ratio = p / old
    mixture, top = mixture_and_top(p, old)
    allowed = top.point.log - stats.chi2.ppf(0.95, 1) / 2
    constraints = [
        {"type": "eq", "fun": lambda x: x.sum() - 1},
        {"type": "ineq", "fun": lambda x: np.log(np.maximum(ratio @ x, 1e-300)).sum() - allowed},
    ]
    found = profile_limits(mixture, top, level=0.95, worth=len(p))
    for i, side in product(range(3), (0, 1)):
        sign = 1 if side == 0 else -1
        start = 0.98 * top.point.shares + 0.02 / 3
        bounds = [(0, 1)] * 3
        best = minimize(lambda x, i=i, sign=sign: sign * x[i], start, method="SLSQP", bounds=bounds, constraints=constraints)
        assert found[i, side] == pytest.approx(best.x[i], abs=2e-5)


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([0.5, 0.9, 0.99]))
def test_limits_hold_the_estimate_stay_in_range_and_widen_with_the_level(seed, k, level):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.5), 25)
    old = rng.dirichlet(np.full(k, 5.0))
    share = mixture_and_top(p, old)[1].point.shares
    found, wider = limits(p, old, level), limits(p, old, (1 + level) / 2)
    assert (found[:, 0] <= share + 1e-9).all()
    assert (found[:, 1] >= share - 1e-9).all()
    assert found.min() >= 0
    assert found.max() <= 1
    assert (wider[:, 0] <= found[:, 0] + 1e-7).all()
    assert (wider[:, 1] >= found[:, 1] - 1e-7).all()


@pytest.mark.slow
def test_for_many_cases_the_expansion_is_the_profile():
    rng = np.random.default_rng(4)
    old = np.array([0.25, 0.25, 0.5])
    p = normal_classes(40_000, [0.7, 0.28, 0.02], old, 2.0, rng)
    profile, expansion = (limits(p, old, find=find) for find in (profile_limits, expansion_limits))
    widths = profile[:, 1] - profile[:, 0]
    assert np.abs(profile - expansion).max(axis=1) / widths == pytest.approx(np.zeros(3), abs=0.02)


@pytest.mark.parametrize("find", [profile_limits, expansion_limits])
def test_a_handful_among_many_has_the_limits_of_its_count(find):
    found = limits(np.repeat(np.eye(3), [1, 4, 9995], axis=0), np.full(3, 1 / 3), find=find)
    assert found[:2] == pytest.approx(np.array([binomial_limits(count, 10_000, 0.95) for count in (1, 4)]), rel=1e-6, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_near_nothing_the_expansion_still_follows_the_likelihood(seed):
    rng = np.random.default_rng(200 + seed)
    old = np.full(4, 0.25)
    p = normal_classes(2000, [0.5, 0.49, 0.008, 0.002], old, 1.5, rng)
    profile, expansion = (limits(p, old, find=find)[2:] for find in (profile_limits, expansion_limits))
    assert np.abs(profile - expansion).max() <= 0.1 * (profile[:, 1] - profile[:, 0]).max()


@pytest.mark.parametrize("free", [(0, 1), (0, 1, 2)])
def test_the_variance_of_priors_is_that_of_the_constrained_information(free):
    rng = np.random.default_rng(21)
    old = np.full(3, 1 / 3)
    p = normal_classes(400, [0.5, 0.3, 0.2] if len(free) == 3 else [0.6, 0.4, 0.0], old, 3.0, rng)
    mixture, top = mixture_and_top(p, old)
    assert np.flatnonzero(top.point.shares).tolist() == list(free)
    ratio = p / old
    scored = ratio / (ratio @ top.point.shares)[:, None]
    basis = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])  # shares that move and still sum to one
    covariance = basis @ np.linalg.inv(basis.T @ (scored.T @ scored / len(p)) @ basis) @ basis.T
    found = _variance(mixture.curvature(top.point.shares), top.point)
    checked = [2] if len(free) == 2 else [0, 1, 2]  # a class at 0 is raised with all others free
    assert found[checked] == pytest.approx(np.diag(covariance)[checked], rel=1e-8)


def test_a_prior_of_nothing_has_an_upper_limit_both_ways():
    rng = np.random.default_rng(7)
    old = np.full(3, 1 / 3)
    p = normal_classes(3000, [0.5, 0.5, 0.0], old, 2.5, rng)
    mixture, top = mixture_and_top(p, old)
    assert top.point.shares[2] == 0
    profile, expansion = (find(mixture, top, level=0.95, worth=3000) for find in (profile_limits, expansion_limits))
    assert profile[2, 0] == expansion[2, 0] == 0
    assert 0 < profile[2, 1] < 0.01
    assert expansion[2, 1] == pytest.approx(profile[2, 1], rel=0.02)


def test_a_prior_of_everything_has_a_lower_limit_both_ways():
    p = np.repeat([[0.9, 0.1], [0.6, 0.4]], 200, axis=0)
    mixture, top = mixture_and_top(p, np.array([0.5, 0.5]))
    assert top.point.shares.tolist() == [1, 0]
    profile, expansion = (find(mixture, top, level=0.95, worth=400) for find in (profile_limits, expansion_limits))
    for found in (profile, expansion):
        assert found[0, 1] == 1
        assert found[0, 0] == pytest.approx(1 - found[1, 1], abs=1e-8)
    assert expansion[0, 0] == pytest.approx(profile[0, 0], abs=0.005)


def test_cases_that_say_nothing_leave_everything_open():
    p = np.tile([0.2, 0.3, 0.5], (30, 1))
    mixture, top = mixture_and_top(p, np.array([0.2, 0.3, 0.5]))
    assert top.point.shares == pytest.approx([0.2, 0.3, 0.5])
    for find in (profile_limits, expansion_limits):
        assert find(mixture, top, level=0.95, worth=30) == pytest.approx(np.array([[0, 1]] * 3))
    assert confounded(mixture.curvature(top.point.shares)).all()


@pytest.mark.parametrize(
    ("columns", "old", "alike"),
    [
        ([1, 2], [0.25, 0.25, 1 / 6, 1 / 3], [False, False, True, True]),  # the same ratio to the old priors
        ([1, 2], [0.25, 0.25, 0.25, 0.25], [False] * 4),  # one always speaks up more: the other has prior 0
        ([3, 0], [0.25, 0.25, 0.25, 0.25], [False] * 4),  # no case speaks for the last: prior 0
    ],
)
def test_only_classes_that_rise_and_fall_together_are_confounded(columns, old, alike):
    first = np.random.default_rng(9).dirichlet(np.ones(3), 100)
    p = np.column_stack([first[:, :2], first[:, 2:] * np.array(columns) / 3])
    mixture, top = mixture_and_top(p, np.array(old))
    assert confounded(mixture.curvature(top.point.shares)).tolist() == alike


# -- moved at all? ---------------------------------------------------------------------------------------------


@given(st.floats(0, 400), st.integers(1, 30))
def test_the_likelihood_ratio_is_judged_by_chi_square(gain, df):
    statistic, p_value = likelihood_ratio(gain, df)
    assert statistic == 2 * gain
    assert p_value == pytest.approx(stats.chi2.sf(2 * gain, df), rel=1e-9)


@pytest.mark.slow
@given(st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(lambda c: 0 < sum(c) < 13), st.integers(0, 1000))
def test_the_exact_test_adds_up_all_tables(counts, seed):
    k, n = len(counts), sum(counts)
    shares = np.random.default_rng(seed).dirichlet(np.full(k, 4.0))
    statistic, df, p_value, told = chi_square(np.array(counts), shares)

    def pearson(tables):
        return stats.chisquare(tables, np.broadcast_to(n * shares, np.shape(tables)), axis=-1).statistic

    every = np.array([table for table in product(range(n + 1), repeat=k) if sum(table) == n])
    chances = stats.multinomial.pmf(every, n, shares / shares.sum())
    wanted = chances[pearson(every) >= statistic * (1 - 1e-9)].sum()
    assert statistic == pytest.approx(pearson(counts), rel=1e-9, abs=1e-12)
    assert (df, told) == (k - 1, "Pearson's statistic, exact")
    assert p_value == pytest.approx(wanted, rel=1e-9)


def test_even_chances_agree_with_the_binomial_test():
    assert chi_square(np.array([3, 14]), np.array([0.5, 0.5]))[2] == pytest.approx(stats.binomtest(3, 17).pvalue, rel=1e-12)


def test_many_tables_are_judged_by_chi_square():
    counts, shares = np.array([300, 250, 260, 190]), np.array([0.3, 0.25, 0.25, 0.2])
    wanted = stats.chisquare(counts, 1000 * shares)
    statistic, df, p_value, told = chi_square(counts, shares)
    assert (statistic, p_value) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-10)
    assert (df, told) == (3, "Pearson's chi-square")


def test_a_class_that_cannot_be_is_left_out_or_decides():
    assert chi_square(np.array([4, 0, 6]), np.array([0.5, 0, 0.5])) == chi_square(np.array([4, 6]), np.array([0.5, 0.5]))
    assert chi_square(np.array([4, 1, 6]), np.array([0.5, 0, 0.5]))[:3] == (np.inf, 1, 0.0)


def test_posteriors_next_to_nothing_leave_limits_that_hold_the_prior():
    """Classifiers that are all but certain: the likelihood of a case may be too small to divide by."""
    rng = np.random.default_rng(0)
    certain = rng.random(120) < 0.8
    p = np.where(certain[:, None], [1.0, 1e-310], [1e-312, 1.0])
    found = estimate_priors(p, old=[0.5, 0.5])
    (low, high), _ = found.interval
    assert 0.6 < low < certain.mean() < high < 0.9


@pytest.mark.parametrize("shares", [[0.5, 0.5], [1.0, 0.0], [0.2, 0.3, 0.5]])
def test_no_case_says_nothing_against_any_shares(shares):
    assert chi_square(np.zeros(len(shares), dtype=np.int64), np.array(shares))[:3] == (0.0, 0, 1.0)
