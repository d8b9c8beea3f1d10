"""Exact sums in windows against fractions, for any split and order."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.window_sums import WIDTH, are_whole, joined, sums_at, windows_of

NUMBERS = st.lists(st.tuples(st.integers(0, 4), st.floats(-1e300, 1e300)), min_size=1, max_size=30)


def fractions(sums):
    return [sum(int(part) * Fraction(2) ** (WIDTH * (sums.low + j)) for j, part in enumerate(row)) for row in sums.parts]


@given(NUMBERS, st.integers(0, 30))
def test_sums_are_exact_in_any_split(rows, cut):
    where, values = np.array([at for at, _ in rows]), np.array([value for _, value in rows])
    cut = min(cut, values.size)
    whole = sums_at(where, values, 5)
    wanted = [sum((Fraction(value) for at, value in rows if at == place), Fraction(0)) for place in range(5)]
    assert fractions(whole) == wanted
    np.testing.assert_allclose(whole.floats, [float(each) for each in wanted], rtol=3e-16)
    split = joined([sums_at(where[:cut], values[:cut], 5), windows_of(values[cut:])]).at(np.r_[np.arange(5), where[cut:]], 5)
    assert fractions(split) == wanted
    assert split.floats.tolist() == whole.floats.tolist()


def test_the_ends_of_all_floats():
    values = np.array([5e-324, 5e-324, 1.7e308, 0.0])
    sums = sums_at(np.array([0, 0, 1, 2]), values, 3)
    assert sums.floats.tolist() == [1e-323, 1.7e308, 0.0]


def test_many_large_numbers_are_carried():
    sums = windows_of(np.full(1000, 2.0**32 - 1)).at(np.zeros(1000, dtype=np.int64), 1)
    assert sums.floats.tolist() == [1000 * (2.0**32 - 1)]
    assert sums.parts.max() < 1 << WIDTH
    assert sums_at(np.zeros((1 << 20) + 1, dtype=np.int64), np.full((1 << 20) + 1, 0.1), 1).floats[0] == float(
        Fraction(0.1) * ((1 << 20) + 1)
    )


def test_whole_numbers_are_those_that_floats_hold():
    assert are_whole(np.array([0.0, 3.0, 2.0**52]))
    assert not are_whole(np.array([0.5]))
    assert not are_whole(np.array([2.0**53]))
