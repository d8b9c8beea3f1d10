"""Extremes over the region of three shares: against MOVER, constrained optimisation by SciPy, and Poisson limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from adjudge.stats.mover import mover
from adjudge.stats.ratios import DIAGONALS, RECALLS, extremes, kappa, mcc


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
