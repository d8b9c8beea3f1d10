"""Bins of features: where a code falls, its value falls too, and what is rare has bins of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.ensembles.growing import MOST, between, bins_of, kinds_of_numbers

numbers = st.floats(-(2.0**100), 2.0**100, width=32)


def of_one_kind(column):
    return bins_of(column[:, None], np.zeros(column.size, dtype=np.int64))


def codes_in(bins, column):
    return bins.codes(column[:, None])[0]


@given(st.lists(numbers, min_size=1, max_size=60))
def test_few_values_have_a_bin_each(values):
    column = np.array(values)
    assert codes_in(of_one_kind(column), column).tolist() == [sorted(set(values)).index(value) for value in values]


@given(st.lists(numbers, min_size=2, max_size=60), st.lists(st.integers(0, 3), min_size=60, max_size=60), st.integers(9, 30))
def test_an_edge_parts_values_as_it_parts_codes(values, kinds, most):
    column = np.array(values)
    bins = bins_of(column[:, None], np.array(kinds[: column.size]), most=most)
    codes = codes_in(bins, column)
    assert len(bins.edges[0]) < most
    for at, edge in enumerate(bins.edges[0].tolist()):
        assert ((column <= edge) == (codes <= at)).all()


@pytest.mark.parametrize("n", [1_000, 60_007])
@pytest.mark.parametrize("kind", ["smooth", "heavy", "tied"])
def test_no_bin_of_many_values_holds_much(n, kind):
    rng = np.random.default_rng(n)
    column = {"smooth": rng.normal(size=n), "heavy": rng.standard_cauchy(n), "tied": np.maximum(rng.normal(size=n), 0)}[kind]
    codes = codes_in(of_one_kind(column), column)
    counts = np.bincount(codes)
    assert counts.size <= MOST
    most = counts[1:].max() if kind == "tied" else counts.max()  # half of the values are 0 and cannot be parted
    assert most < 4 * n / MOST + 10
    assert counts[-1] == 1  # the largest value is parted from all others


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(3)
    column = np.where(np.arange(50_000) % 2, rng.uniform(100, 200, 50_000), rng.normal(size=50_000))
    mixed = rng.permutation(column)
    assert (of_one_kind(column).edges[0] == of_one_kind(mixed).edges[0]).all()


@pytest.mark.parametrize("low", [-9.0, 0.3, 9.0])
def test_a_rare_kind_has_bins_of_its_own(low):
    rng = np.random.default_rng(1)
    column = rng.normal(size=30_000)
    column[:20] = low + 0.001 * rng.random(20)
    kinds = (np.arange(30_000) < 20).astype(np.int64)
    codes = codes_in(bins_of(column[:, None], kinds), column)
    inside = (column >= column[:20].min()) & (column <= column[:20].max())
    assert not set(codes[:20].tolist()) & set(codes[~inside].tolist())
    assert np.bincount(codes[~inside]).max() < 4 * 30_000 / MOST  # and the others are parted as well as before


def test_a_hundred_kinds_share_the_bins():
    column, kinds = np.random.default_rng(2).normal(size=5_000), np.arange(5_000) % 100
    codes = codes_in(bins_of(column[:, None], kinds), column)
    assert codes.max() < MOST
    assert np.bincount(codes).max() < 4 * 5_000 / MOST + 10


def test_a_rare_value_of_many_cases_has_its_bin():
    column = np.zeros(100_000)
    column[[1, 2]] = 1, 2
    assert codes_in(of_one_kind(column), column)[:4].tolist() == [0, 1, 2, 0]


def test_extreme_numbers_are_kinds():
    assert np.bincount(kinds_of_numbers(np.arange(1_000.0))).tolist() == [10, 980, 10]
    assert np.bincount(kinds_of_numbers(np.where(np.arange(1_000) == 7, 1.0, 0.0))).tolist() == [0, 999, 1]


def test_neighbouring_numbers_are_told_apart():
    column = np.array([1.0, np.nextafter(1.0, 2)])
    assert codes_in(of_one_kind(column), column).tolist() == [0, 1]
    assert between(*column) == 1.0
