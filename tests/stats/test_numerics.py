"""Quadrature and tables against closed forms, and roots with the digits of scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq as scipys
from scipy.special import betainc

from adjudge.stats.numerics import brentq, mapped, rising_root, rule, tabulate


@pytest.mark.parametrize("power", [0.5, 0.25, 1.0])
def test_a_power_at_an_end_is_integrated(power):
    s, rest, weight = rule(power)
    assert (weight * s ** (power - 1)).sum() == pytest.approx(1 / power, rel=1e-12)
    assert (weight * rest ** (power - 1)).sum() == pytest.approx(1 / power, rel=1e-12)


def test_nodes_keep_both_distances():
    s, rest, _ = mapped(np.array([-2.5, 0.0, 2.5]))
    assert s[0] == pytest.approx(rest[2], rel=1e-14)
    assert s[0] < 1e-8
    assert s[1] == rest[1] == 0.5


def test_a_table_has_the_density_and_the_mass_above():
    theirs = stats.beta(2.5, 4.0)
    table = tabulate(np.array([[0.0, 1.0]]), 1.0, lambda _, low, high: theirs.pdf(np.where(low < high, low, 1 - high)))
    x = np.linspace(0.01, 0.99, 25)[None]
    assert table.total == pytest.approx(1.0, abs=1e-13)
    assert table.above_at(x)[0] == pytest.approx(theirs.sf(x[0]), abs=1e-13)
    assert table.density(0, x[..., None], 1 - x[..., None])[0, :, 0] == pytest.approx(theirs.pdf(x[0]), rel=1e-9)


def test_roots_of_many_curves_at_once():
    goal = np.array([2.0, 1e-9, 1e9])
    found = rising_root(lambda x: (x**3 - goal, 3 * x * x), np.zeros(3), np.full(3, 1e4), np.ones(3), 0.0)
    assert found == pytest.approx(np.cbrt(goal), rel=1e-13)


TOLERANCES = [(2e-12, 2**-50), (1e-30, 1e-15), (1e-13, 2**-50), (1e-9, 1e-14)]


@given(st.floats(1e-3, 1e4), st.floats(1e-3, 1e4), st.floats(1e-9, 1 - 1e-9), st.sampled_from(TOLERANCES))
def test_quantiles_of_a_beta_have_scipys_digits(a, b, p, tolerances):
    xtol, rtol = tolerances

    def excess(x):
        return float(betainc(a, b, x)) - p

    assert brentq(excess, 0.0, 1.0, xtol=xtol, rtol=rtol, maxiter=2000) == scipys(
        excess, 0.0, 1.0, xtol=xtol, rtol=rtol, maxiter=2000
    )


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=5), st.floats(-9, 0), st.floats(0.1, 9), st.sampled_from(TOLERANCES))
def test_polynomials_and_steps_have_scipys_digits(coefficients, low, high, tolerances):
    xtol, rtol = tolerances
    for f in (lambda x: float(np.polyval(coefficients, x)), lambda x: 1.0 if x > coefficients[0] / 2 else -1e-9):
        try:
            theirs = scipys(f, low, high, xtol=xtol, rtol=rtol)
        except (ValueError, RuntimeError) as error:
            with pytest.raises(type(error)):
                brentq(f, low, high, xtol=xtol, rtol=rtol)
        else:
            assert brentq(f, low, high, xtol=xtol, rtol=rtol) == theirs


def test_a_root_at_an_end_is_that_end():
    assert brentq(lambda x: x, 0.0, 1.0) == 0.0
    assert brentq(lambda x: x - 1, 0.0, 1.0) == 1.0


def test_ends_of_one_sign_and_too_few_steps_are_refused():
    with pytest.raises(ValueError, match="different signs"):
        brentq(lambda x: x + 2, 0.0, 1.0)
    with pytest.raises(RuntimeError, match="after 3 steps"):
        brentq(lambda x: math.expm1(x) - 2, 0.0, 50.0, maxiter=3)
