"""Limits of F1: change of scale, finite differences, and the equations that limits solve.

Extremes over the region of three shares: against MOVER, constrained optimisation by SciPy, and Poisson limits.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, stats
from sklearn.metrics import f1_score

from adjudge.stats.binomial import midp
from adjudge.stats.mover import mover, steadied
from adjudge.stats.ratios import (
    DIAGONALS,
    RECALLS,
    _variance_of_mean,
    extremes,
    f1_from_jaccard,
    f1_limits,
    fbeta_limits,
    kappa,
    macro_f1,
    macro_f1_limits,
    mcc,
    shortfall,
)

squares = st.integers(2, 5).flatmap(lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 40)))
cells = st.integers(0, 200)


@given(cells, cells, cells)
def test_f1_limits_are_those_of_jaccard_on_another_scale(tp, fp, fn):
    low, high = f1_limits(tp, fp, fn)
    size = tp + fp + fn
    assert 0 <= low <= high <= 1
    if not size:
        assert (low, high) == (0.0, 1.0)
        return
    assert low <= 2 * tp / (2 * tp + fp + fn) + 1e-15
    assert 2 * tp / (2 * tp + fp + fn) <= high + 1e-15
    posterior = stats.beta(tp + 0.5, fp + fn + 0.5)
    # F1 = 2J / (1 + J) turned round is J = F1 / (2 - F1).
    assert low / (2 - low) == (pytest.approx(posterior.ppf(0.025), rel=1e-8) if tp else 0.0)
    assert high / (2 - high) == (pytest.approx(posterior.ppf(0.975), rel=1e-8) if fp + fn else 1.0)


@pytest.mark.slow
@given(cells, cells, cells, st.sampled_from([0.1, 0.5, 1.0, 2.0, 30.0]))
def test_fbeta_limits_are_the_extremes_over_the_ellipse_of_two_shares(tp, fn, fp, beta):
    low, high = fbeta_limits(tp, fn, fp, beta)
    if beta == 1:
        assert (low, high) == pytest.approx(f1_limits(tp, fp, fn, 0.95, midp), abs=1e-12)
    assert (low, high) == pytest.approx(fbeta_limits(tp, fp, fn, 1 / beta), abs=1e-9)  # truth and predictions exchanged
    ends = [midp(tp, tp + fn + fp), midp(fn, fn + fp)]
    at = [tp / (tp + fn + fp) if tp + fn + fp else 0.5, fn / (fn + fp) if fn + fp else 0.5]
    turn = np.linspace(0, 2 * np.pi, 8001)
    j, m = (
        s + np.where(part > 0, end[1] - s, s - end[0]) * part
        for s, end, part in zip(at, ends, (np.cos(turn), np.sin(turn)), strict=True)
    )
    precision_like, b = beta**2 * m + 1 - m, beta**2
    values = (1 + b) * j / ((1 + b) * j + (1 - j) * precision_like)
    assert low <= values.min() + 1e-12
    assert high >= values.max() - 1e-12
    assert (low, high) == pytest.approx((values.min(), values.max()), abs=1e-5)


def test_f1_from_jaccard_runs_from_0_to_1():
    found = [f1_from_jaccard(j) for j in np.linspace(0, 1, 50)]
    assert found[0] == 0
    assert found[-1] == 1
    assert np.all(np.diff(found) > 0)


@pytest.mark.slow
@given(squares)
def test_macro_f1_agrees_with_scikit_learn(table):
    assume(table.sum() > 0)
    truth, predicted = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    theirs = f1_score(truth, predicted, labels=np.unique(truth), average="macro")
    assert macro_f1(table) == pytest.approx(theirs, abs=1e-12)


def mean_f1(chances, seen):
    both = chances.sum(axis=0)[: len(chances)] + chances.sum(axis=1)
    return np.mean(2 * chances.diagonal()[seen] / both[seen])


def by_finite_differences(table, seen):
    """Return the multinomial delta-method variance of the mean F1 of the `seen` classes."""
    chances, step = table / table.sum(), 1e-6
    slope = np.empty(table.shape)
    for at in np.ndindex(table.shape):
        nudge = np.zeros(table.shape)
        nudge[at] = step * chances[at]
        slope[at] = (mean_f1(chances + nudge, seen) - mean_f1(chances - nudge, seen)) / (2 * nudge[at])
    return ((chances * slope**2).sum() - (chances * slope).sum() ** 2) / table.sum()


@given(squares.filter(lambda table: table.sum() > 0))
def test_shared_errors_give_the_variance_of_the_delta_method(table):
    seen, smooth = table.sum(axis=1) > 0, table + 1 / table.size
    size = smooth.sum(axis=0) + smooth.sum(axis=1) - smooth.diagonal()
    jaccard = smooth.diagonal() / size
    deviations = (2 * np.sqrt(jaccard * (1 - jaccard) / size) / (1 + jaccard) ** 2)[seen]
    assert _variance_of_mean(table.astype(float), seen, deviations) == pytest.approx(
        by_finite_differences(smooth, seen), rel=1e-6
    )


@pytest.mark.parametrize(("size", "jaccard"), [(40, 0.5), (40, 0.8), (200, 0.9), (200, 0.2)])
def test_f1_falls_short_of_its_target_by_what_is_added(size, jaccard):
    counts = np.arange(size + 1)
    expected = float(stats.binom.pmf(counts, size, jaccard) @ f1_from_jaccard(counts / size))
    found = shortfall(np.array([jaccard]), np.array([float(size)]))
    assert found == pytest.approx(f1_from_jaccard(jaccard) - expected, rel=0.1)


@pytest.mark.slow
@given(squares.filter(lambda table: table.sum() > 0))
def test_macro_limits_solve_the_equation_of_the_score_test(table):
    seen = table.sum(axis=1) > 0
    hits, sizes = table.diagonal()[seen], (table.sum(axis=0) + table.sum(axis=1) - table.diagonal())[seen]
    k, jaccard = len(hits), hits / sizes
    even = k**2 / (1 / sizes).sum()
    shares = (hits + 2 * (even * jaccard.mean() + 2) / (even + 4)) / (sizes + 2)
    deviations = 2 / (1 + shares) ** 2 * np.sqrt(shares * (1 - shares) / sizes / (1 - sizes / (sizes + 2) ** 2))
    steady = np.mean(2 * shares / (1 + shares))
    worth = steady * (1 - steady) / _variance_of_mean(table.astype(float), seen, deviations)
    estimate = np.mean(2 * jaccard / (1 + jaccard))
    centre = estimate + np.mean(2 * jaccard * (1 - jaccard) / (1 + jaccard) ** 3 / sizes)
    for end in macro_f1_limits(table):
        if abs(end - estimate) > 1e-12:  # the limits are widened to hold the estimate
            assert (centre - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * end * (1 - end) / worth, abs=1e-12)


@pytest.mark.slow
def test_the_variance_is_that_of_many_tables():
    table = np.array([[500, 60, 40], [50, 200, 30], [10, 20, 90]])
    size = table.sum(axis=0) + table.sum(axis=1) - table.diagonal()
    shares, variances = steadied(table.diagonal().astype(float), size.astype(float))
    theory = _variance_of_mean(table.astype(float), np.ones(3, dtype=bool), 2 * np.sqrt(variances) / (1 + shares) ** 2)
    drawn = np.random.default_rng(1).multinomial(table.sum(), (table / table.sum()).ravel(), 20_000).reshape(-1, 3, 3)
    assert np.var([macro_f1(each) for each in drawn]) == pytest.approx(theory, rel=0.04)


@given(squares)
def test_macro_limits_hold_the_estimate_within_0_and_1(table):
    low, high = macro_f1_limits(table)
    if not table.sum():
        assert (low, high) == (0.0, 1.0)
        return
    assert 0 <= low <= macro_f1(table) <= high <= 1
    assert low < high
    inner = macro_f1_limits(table, 0.8)
    assert low <= inner[0] + 1e-12
    assert inner[1] <= high + 1e-12


@pytest.mark.slow
@given(squares, st.randoms(use_true_random=False))
def test_macro_limits_do_not_depend_on_the_order_of_classes(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    assert macro_f1_limits(table[np.ix_(order, order)]) == pytest.approx(macro_f1_limits(table), abs=1e-12)


def test_a_perfect_table_has_a_width_that_shrinks():
    widths = []
    for n in (10, 100, 1_000_000):
        low, high = macro_f1_limits(np.diag([n, n, n]))
        assert high == 1.0
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2] > 0
    assert widths[1] < 0.05


def test_a_column_of_rejected_cases_belongs_to_no_class():
    table = np.array([[8, 1, 1], [2, 6, 2]])
    assert macro_f1(table) == pytest.approx((16 / 20 + 12 / 17) / 2)
    low, high = macro_f1_limits(table)
    assert low < macro_f1(table) < high


@pytest.mark.slow
@given(squares.filter(lambda table: table.sum() > 0), st.floats(0.05, 1))
def test_weighted_classes_are_worth_their_sizes(table, part):
    sizes = (table.sum(axis=0) + table.sum(axis=1) - table.diagonal()).astype(float)
    plain = macro_f1_limits(table)
    assert macro_f1_limits(table, 0.95, sizes) == pytest.approx(plain, abs=1e-12)
    low, high = macro_f1_limits(table, 0.95, part * sizes)
    assert low <= macro_f1(table) <= high
    assert high - low >= (plain[1] - plain[0]) * (1 - 1e-9)


def shares(*of):
    """Return values, lower and upper Jeffreys limits of hits of cases, one table."""
    hits, cases = (np.array(each, dtype=float) for each in zip(*of, strict=True))
    ends = stats.beta.ppf([[0.025], [0.975]], hits + 0.5, cases - hits + 0.5)
    low, high = np.where(hits == 0, 0, ends[0]), np.where(hits == cases, 1, ends[1])
    return tuple(each[:, np.newaxis] for each in (hits / cases, low, high))


def by_rows(a, b, c, d):
    return shares((a, a + b), (d, c + d), (a + b, a + b + c + d))


def by_diagonals(a, b, c, d):
    return shares((a, a + d), (b, b + c), (a + d, a + b + c + d))


def table_of(view, x):
    """Return the chances of the cells from three shares."""
    first, second, third = x
    if view is RECALLS:
        return np.array([[third * first, third * (1 - first)], [(1 - third) * (1 - second), (1 - third) * second]])
    return np.array([[third * first, (1 - third) * second], [(1 - third) * (1 - second), third * (1 - first)]])


def correlation(p):
    """Return MCC as what it is: the correlation of two indicators."""
    true, predicted = p[1].sum(), p[:, 1].sum()
    return (p[1, 1] - true * predicted) / np.sqrt(true * (1 - true) * predicted * (1 - predicted))


def agreement(p):
    """Return kappa as what it is: agreement beyond chance."""
    chance = p.sum(axis=1) @ p.sum(axis=0)
    return (np.trace(p) - chance) / (1 - chance)


def searched(measure, view, values, lows, highs, side):
    """Return the extreme by sequential quadratic programming in every octant, from one start each."""
    centre, best = values.ravel(), -np.inf
    for signs in itertools.product((-1, 1), repeat=3):
        axes = np.where(np.array(signs) > 0, highs.ravel() - centre, lows.ravel() - centre)
        found = optimize.minimize(
            lambda t, axes=axes: -side * measure(table_of(view, np.clip(centre + axes * t, 1e-12, 1 - 1e-12))),
            (0.6, 0.5, 0.4),
            bounds=[(0, 1)] * 3,
            constraints={"type": "ineq", "fun": lambda t: 1 - t @ t},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 100},
        )
        best = max(best, -found.fun) if found.x @ found.x <= 1 + 1e-9 else best
    return side * best


TABLES = [(0, 12, 39, 349), (40, 5, 8, 2), (1, 1, 3, 45), (8, 0, 2, 190)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "ours", "theirs", "view", "read"),
    [
        (TABLES[0], mcc, correlation, RECALLS, by_rows),
        (TABLES[1], kappa, agreement, RECALLS, by_rows),
        (TABLES[2], mcc, correlation, RECALLS, by_rows),
        (TABLES[3], kappa, agreement, RECALLS, by_rows),
        (TABLES[1], mcc, correlation, DIAGONALS, by_diagonals),
        (TABLES[2], kappa, agreement, DIAGONALS, by_diagonals),
    ],
)
def test_extremes_are_those_of_constrained_optimisation(table, ours, theirs, view, read):
    values, lows, highs = read(*table)
    low, high = extremes(ours, view, values, lows, highs)
    assert low[0] == pytest.approx(searched(theirs, view, values, lows, highs, -1), abs=1e-7)
    assert high[0] == pytest.approx(searched(theirs, view, values, lows, highs, 1), abs=1e-7)


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 60), st.integers(0, 60))
def test_of_a_sum_of_shares_they_are_the_limits_of_mover(a, b, c, d):
    values, lows, highs = by_rows(a, b, c, d)

    def informedness(cells):
        first, second, third, fourth = cells
        return first / (first + second) + fourth / (third + fourth) - 1

    low, high = extremes(informedness, RECALLS, values, lows, highs)
    expected = mover(values[:2, 0], lows[:2, 0], highs[:2, 0], np.ones(2))
    assert (low[0] + 1, high[0] + 1) == pytest.approx(expected, abs=1e-9)


def test_a_few_errors_of_billions_have_poisson_limits():
    """With as many of either class, 1 - MCC is the sum of both error rates: gamma quantiles, put together by MOVER."""
    n, errors = 1e9, np.array([3.0, 5.0])
    lows, highs = stats.gamma.ppf(0.025, errors + 0.5), stats.gamma.ppf(0.975, errors + 0.5)
    least, most = 8 - np.hypot(*(errors - lows)), 8 + np.hypot(*(highs - errors))
    low, high = extremes(mcc, RECALLS, *by_rows(n - 3, 3, 5, n - 5))
    assert n * (1 - low[0]) == pytest.approx(most, rel=1e-5)
    assert n * (1 - high[0]) == pytest.approx(least, rel=1e-5)


def test_many_tables_at_once_are_the_same_as_one_by_one():
    each = [by_rows(*table) for table in TABLES]
    together = extremes(kappa, RECALLS, *(np.concatenate(part, axis=1) for part in zip(*each, strict=True)))
    alone = np.array([extremes(kappa, RECALLS, *one) for one in each])[..., 0]
    np.testing.assert_allclose(np.array(together).T, alone, atol=1e-14)


@given(st.tuples(*[st.floats(0.001, 0.999)] * 3), st.tuples(*[st.floats(0.001, 0.999)] * 3))
@pytest.mark.parametrize("statistic", [mcc, kappa])
@pytest.mark.parametrize("view", [RECALLS, DIAGONALS])
def test_the_shares_said_to_raise_a_measure_do(view, statistic, x, y):
    """On this rests which octants are searched."""
    for at in np.flatnonzero(view.rising):
        below, above = list(x), list(x)
        below[at], above[at] = min(x[at], y[at]), max(x[at], y[at])
        values = (float(statistic(view.cells(*np.array(each)))) for each in (below, above))
        assert next(values) <= next(values) + 1e-12
