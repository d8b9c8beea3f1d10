"""Bins of features: where a code falls, its value falls too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.ensembles.bins import MOST, SAMPLE, bins_of

numbers = st.floats(-(2.0**100), 2.0**100, width=32)


@given(st.lists(numbers, min_size=1, max_size=60))
def test_few_values_have_a_bin_each(values):
    column = np.array(values)[:, None]
    bins = bins_of(column)
    assert bins.codes(column)[0].tolist() == [sorted(set(values)).index(value) for value in values]


@given(st.lists(numbers, min_size=2, max_size=60), st.data())
def test_a_threshold_parts_values_as_the_cut_parts_codes(values, data):
    column = np.array(values)[:, None]
    bins = bins_of(column)
    codes = np.unique(bins.codes(column)[0])
    if codes.size > 1:
        last = data.draw(st.integers(0, codes.size - 2))
        following = data.draw(st.integers(last + 1, codes.size - 1))
        threshold, cut = bins.cut(0, last, following)
        assert last <= cut < following
        assert ((column[:, 0] <= threshold) == (bins.codes(column)[0] <= cut)).all()


@pytest.mark.parametrize("n", [1_000, 3 * SAMPLE + 7])
@pytest.mark.parametrize("kind", ["smooth", "heavy", "tied"])
def test_many_values_share_bins_evenly_and_thresholds_part_them(n, kind):
    rng = np.random.default_rng(n)
    column = {"smooth": rng.normal(size=n), "heavy": rng.standard_cauchy(n), "tied": np.maximum(rng.normal(size=n), 0)}[kind]
    bins = bins_of(column[:, None])
    codes = bins.codes(column[:, None])[0]
    counts = np.bincount(codes, minlength=MOST)
    assert counts.size == MOST
    most = counts[1:].max() if kind == "tied" else counts.max()  # half of the values are 0 and cannot be parted
    assert most < 4 * n / MOST + 10
    for last, following in ((100, 101), (100, 105), (200, 254)):
        if following < len(bins.edges[0]):
            threshold, cut = bins.cut(0, last, following)
            assert last <= cut < following
            assert ((column <= threshold) == (codes <= cut)).all()


def test_a_rare_value_of_many_cases_has_its_bin():
    column = np.zeros(5 * SAMPLE)
    column[[1, 2]] = 1, 2
    assert bins_of(column[:, None]).codes(column[:, None])[0][:4].tolist() == [0, 1, 2, 0]


def test_neighbouring_numbers_are_told_apart():
    low = 1.0
    column = np.array([low, np.nextafter(low, 2)])[:, None]
    bins = bins_of(column)
    assert bins.codes(column).tolist() == [[0, 1]]
    threshold, cut = bins.cut(0, 0, 1)
    assert (threshold, cut) == (low, 0)
