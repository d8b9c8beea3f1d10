"""Exact sums against fractions, for numbers of any size and sign."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.exact_sums import (
    BITS,
    MOST,
    exact_products,
    exact_row_sums,
    exact_sums_at,
    expansion,
    expansions_at,
    to_floats,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
HOSTILE = [5e-324, -5e-324, 2.0**-1022, 1e308, -1e308, 1e16, 1.0, -1e16, 0.1, -0.0, 2.0**1000, 2.0**-1000]
PLACED = st.lists(st.tuples(st.integers(0, 4), FINITE | st.sampled_from(HOSTILE)), max_size=40)


def fraction(values):
    return sum((Fraction(value) for value in values), Fraction(0)) * 2**BITS


@pytest.mark.slow
@given(st.lists(FINITE | st.sampled_from(HOSTILE), max_size=50))
def test_a_sum_is_that_of_fractions(values):
    assert exact_row_sums(np.array([values], dtype=np.float64))[0] == fraction(values)


@pytest.mark.slow
@given(PLACED)
def test_sums_by_place_and_their_expansions_are_those_of_fractions(cases):
    where, values = np.array([at for at, _ in cases], dtype=np.int64), np.array([value for _, value in cases], dtype=np.float64)
    wanted = [fraction(value for at, value in cases if at == place) for place in range(5)]
    assert exact_sums_at(where, values, 5).tolist() == wanted
    assert exact_sums_at(where, values, 5000)[:5].tolist() == wanted
    if max(map(abs, wanted)) < Fraction(2) ** (1023 + BITS):
        for parts in (expansion(exact_sums_at(where, values, 5)), expansions_at(where, values, 5)):
            assert [fraction(each) for each in np.array(parts).T.tolist()] == wanted


@pytest.mark.slow
@given(st.lists(FINITE, min_size=1, max_size=30))
def test_a_sum_as_a_float_is_rounded_once(values):
    values = [value / 2**40 for value in values]
    assert to_floats(exact_row_sums(np.array([values])))[0] == math.fsum(values)


@pytest.mark.parametrize("size", [MOST - 1, MOST, MOST + 1, 3 * MOST])
def test_slices_are_joined(size):
    rng = np.random.default_rng(size)
    values = rng.normal(size=size) * 10.0 ** rng.uniform(-30, 30, size)
    sums = exact_row_sums(np.stack([values, values[::-1]]))
    assert to_floats(sums)[0] == math.fsum(values)
    assert sums[0] == sums[1]


def test_a_sum_beyond_all_floats_is_infinite():
    sums = exact_row_sums(np.full((1, 3), 1e308))
    assert sums[0] == fraction([1e308] * 3)
    assert to_floats(sums)[0] == math.inf
    assert to_floats(-sums)[0] == -math.inf


@given(st.lists(st.tuples(*[st.floats(1e-120, 1e120) | st.floats(-1e120, -1e-120)] * 2), min_size=1, max_size=20))
def test_products_and_what_rounding_left_are_those_of_fractions(pairs):
    a, b = np.array(pairs).T
    product, left = exact_products(a, b)
    assert product.tolist() == [x * y for x, y in pairs]
    assert [Fraction(p) + Fraction(rest) for p, rest in zip(product, left, strict=True)] == [
        Fraction(x) * Fraction(y) for x, y in pairs
    ]


def test_products_beyond_all_floats_leave_nothing():
    with np.errstate(over="ignore", invalid="ignore"):
        product, left = exact_products(np.array([1e300, 1e200, 1e305]), np.array([2.0, 1e200, 0.5]))
    assert product.tolist() == [2e300, math.inf, 5e304]
    assert left.tolist() == [0.0, 0.0, 0.0]
