"""Roots against SciPy's: the same digits, the same refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq as scipys
from scipy.special import betainc

from adjudge.stats.root import brentq

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
