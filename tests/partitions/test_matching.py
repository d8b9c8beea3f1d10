"""Quantiles of one Beta distribution to those of another: against mpmath, in the tails, and the table against the formula."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.partitions import matching
from adjudge.partitions.matching import MANY, Curve, direct, moved, nodes_of, tabulated

LAWS = [
    (10.0, 5.0, 3.0, 2.0),
    (1.2, 0.7, 0.5, 0.3),
    (60.0, 30.0, 12.0, 0.5),
    (3.0, 40.0, 2.0, 7.0),
    (413.0, 251.0, 2.0, 5.0),
]
parameters = st.floats(-1.5, 3.5).map(lambda exponent: 10**exponent)


def log_mass(a, b, x):
    """The log of the mass below x, by a series in fifty digits."""
    with mpmath.workdps(50):
        return mpmath.log(mpmath.betainc(a, b, 0, x, regularized=True))


@pytest.mark.parametrize("distributions", LAWS)
@pytest.mark.parametrize("v", [0.34, 0.5, 0.62, 0.8, 0.95])
def test_a_moved_value_has_the_same_mass_below_it(distributions, v):
    s, rest = direct(distributions, np.array([v]), np.array([1 - v]))
    with mpmath.workdps(50):
        turned = rest[0] < s[0]
        one = (
            (distributions[1], distributions[0], mpmath.mpf(1) - mpmath.mpf(v))
            if turned
            else (distributions[0], distributions[1], mpmath.mpf(v))
        )
        two = (
            (distributions[3], distributions[2], mpmath.mpf(rest[0]))
            if turned
            else (distributions[2], distributions[3], mpmath.mpf(s[0]))
        )
        wanted, found = log_mass(*one), log_mass(*two)
        slope = mpmath.exp(two[0] * mpmath.log(two[2]) + (two[1] - 1) * mpmath.log(1 - two[2]) - found) / mpmath.beta(*two[:2])
        off_in_log = abs((found - wanted) / slope)  # what that means for the log of the moved value
    assert float(off_in_log) < 1e-12


@pytest.mark.parametrize(("a", "b"), [(0.5, 3.0), (5.0, 2.0), (40.0, 60.0), (900.0, 4.0)])
@pytest.mark.parametrize("depth", [-40.0, -120.0, -600.0, -900.0])
def test_tails_too_small_for_a_number(a, b, depth):
    x = float(matching.quantiles_of_logs(a, b, np.array([depth]))[0])
    if x > 0:
        assert float(log_mass(a, b, mpmath.mpf(x))) == pytest.approx(depth, rel=1e-13 * max(a, 1))
    else:
        assert depth / a < -700  # the point itself is too small


@pytest.mark.slow
@given(parameters, parameters, parameters, parameters, st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_order_is_kept_and_nothing_is_lost(a, b, to_a, to_b, values):
    v = np.sort(np.array(values))
    s, rest = direct((a, b, to_a, to_b), v, 1 - v)
    assert np.all((s >= 0) & (s <= 1) & (rest >= 0))
    assert np.abs(s + rest - 1).max() < 1e-15
    assert np.diff(s).min() >= -1e-12


def test_the_ends_stay_the_ends():
    for distributions in LAWS:
        s, _ = direct(distributions, np.array([0.0, 1.0]), np.array([1.0, 0.0]))
        assert s.tolist() == [0, 1]


@given(parameters, parameters)
def test_the_same_distribution_moves_nothing(a, b):
    v = np.linspace(0.05, 0.95, 19)
    s, _ = direct((a, b, a, b), v, 1 - v)
    assert np.abs(s - v).max() < 1e-10


FAST = [(LAWS[0], -0.7, 4.0), (LAWS[1], -0.7, 4.0), (LAWS[3], -0.7, 4.0)]
LONG = [(LAWS[2], -0.7, 4.0), (LAWS[4], -0.7, 4.0), (LAWS[0], -0.7, 34.0), (LAWS[1], -0.7, 34.0)]  # thousands of nodes


@pytest.mark.parametrize(
    ("distributions", "low", "high"), [*FAST, *(pytest.param(*each, marks=pytest.mark.slow) for each in LONG)]
)
def test_a_table_is_the_formula(distributions, low, high):
    curve = tabulated(distributions, low, high)
    x = np.random.default_rng(1).uniform(low, high, 3000)
    exact, _ = direct(distributions, 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x)))
    found, rest = curve(x)
    assert np.abs(found - exact).max() < 1e-12
    assert np.abs(found + rest - 1).max() < 1e-15


@pytest.mark.slow
def test_too_far_out_in_the_tails_there_is_no_table_but_an_answer():
    assert tabulated(LAWS[4], -0.7, 34.0) is None
    x = np.linspace(-0.7, 34.0, MANY)
    v, rest = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    some = slice(None, None, 256)
    found = moved(LAWS[4], v, rest)[0][some]
    assert np.array_equal(found, direct(LAWS[4], v[some], rest[some])[0])


def test_many_values_are_looked_up_and_come_out_the_same():
    v = np.concatenate([np.random.default_rng(2).beta(6, 3, 2 * MANY), [0.0, 1.0]])
    found, rest = moved((6.0, 3.0, 4.0, 1.0), v, 1 - v)
    exact, _ = direct((6.0, 3.0, 4.0, 1.0), v, 1 - v)
    assert np.abs(found - exact).max() < 1e-12
    assert found[-2:].tolist() == [0, 1]
    assert rest[-2:].tolist() == [1, 0]


def test_a_distribution_of_huge_parameters_is_normal_but_for_its_skewness(monkeypatch):
    a, b = 1.3e12, 1.1e12
    z = np.array([-5.0, -1.0, 0.0, 0.5, 4.0])
    v = a / (a + b) + z * np.sqrt(a * b / (a + b) ** 3)
    approximate, _ = direct((a, b, 5.0, 3.0), v, 1 - v)
    monkeypatch.setattr(matching, "_HUGE", np.inf)
    exact, _ = direct((a, b, 5.0, 3.0), v, 1 - v)
    assert np.abs(approximate - exact).max() < 1e-9


def test_still_larger_parameters_give_numbers():
    v = 0.6 + np.linspace(-1e-10, 1e-10, 21)
    s, _ = direct((6e20, 4e20, 5.0, 3.0), v, 1 - v)
    assert np.all(np.diff(s) >= 0)
    assert 0 <= s[0] < 0.5 < s[-1] <= 1


@pytest.mark.slow
def test_nodes_for_many_maps_at_once_are_close():
    distributions = tuple(np.array(column)[:, None] for column in zip(*LAWS[:3], strict=True))
    nodes, x = np.linspace(-0.7, 6, 65), np.linspace(-0.7, 6, 301)
    y = Curve(nodes, nodes_of(distributions, nodes)).log_odds(x)
    exact, _ = direct(distributions, (1 / (1 + np.exp(-x)))[None], (1 / (1 + np.exp(x)))[None])
    assert np.abs(1 / (1 + np.exp(-y)) - exact).max() < 1e-5
