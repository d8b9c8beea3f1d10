"""Rates measured from their centre: densities, Stirling's error and exact sums, against SciPy, mpmath and fractions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats import offsets


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (3.0, 9.0), (1e6, 2e3)])
def test_the_density_is_that_of_a_beta(a, b):
    one = offsets.rates(np.array([[a]]), np.array([[b]]), np.full((1, 1), 2.0))
    column = one.rows((slice(None), 0, None, None))
    width = column.high - column.low
    share = np.linspace(0.2, 0.8, 7)
    x = a / (a + b) + (column.low + width * share)[0, 0] / 2
    found = offsets.density(column, width * share, width * (1 - share))[0, 0]
    assert found == pytest.approx(stats.beta(a, b).pdf(x) / 2, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("n", [0.1, 1.0, 14.9, 15.1, 1e3, 1e9])
def test_stirlings_error_to_its_last_digits(n):
    with mpmath.workdps(40):
        exact = mpmath.loggamma(n) - (mpmath.mpf(n) - 0.5) * mpmath.log(n) + n - mpmath.log(2 * mpmath.pi) / 2
        assert float(offsets.stirling_error(np.array([n]))[0]) == pytest.approx(float(exact), rel=1e-12, abs=1e-16)


@pytest.mark.parametrize(("a", "more"), [(0.5, 0.25), (1e9, 3.5), (7.0, 1e5)])
def test_ratios_of_gamma_functions(a, more):
    with mpmath.workdps(40):
        exact = mpmath.loggamma(mpmath.mpf(a) + mpmath.mpf(more)) - mpmath.loggamma(a)
        assert offsets.log_gamma_ratio(a, more) == pytest.approx(float(exact), rel=1e-14)


@given(st.floats(-1e10, 1e10), st.floats(-1e10, 1e10))
def test_sums_and_products_lose_nothing(x, y):
    one, two = np.array([x]), np.array([y])
    total, lost = offsets.two_sum(one, two)
    assert Fraction(float(total[0])) + Fraction(float(lost[0])) == Fraction(x) + Fraction(y)
    if abs(x * y) > 1e-200 or not x * y:
        product, lost = offsets.two_product(one, two)
        assert abs(Fraction(float(product[0])) + Fraction(float(lost[0])) - Fraction(x) * Fraction(y)) < Fraction(1, 10**200)


def test_a_centre_in_two_numbers():
    a, b, w = np.array([1e9, 3.0]), np.array([1.0, 7.0]), np.array([0.1, 0.9])
    exact = sum(Fraction(c) * Fraction(x) / (Fraction(x) + Fraction(y)) for x, y, c in zip(a, b, w, strict=True))
    high, low = offsets.double_double_centre(a, b, w)
    assert abs(float(Fraction(float(high)) + Fraction(float(low)) - exact)) < 1e-31


def test_a_tilted_centre_solves_its_equation():
    plain = offsets.rates(np.array([[3.0, 40.0]]), np.array([[9.0, 2.0]]), np.array([[0.5, 0.5]]))
    centre, rest = offsets.tilted_centre(plain, np.array([[25.0]]))
    assert centre + rest == pytest.approx(1.0, abs=1e-15)
    assert plain.a / centre - plain.b / rest + 12.5 == pytest.approx(0.0, abs=1e-11)
