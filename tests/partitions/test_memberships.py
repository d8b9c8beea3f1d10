"""Values of any kind in the simplex: their order, their zero point, their ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from adjudge import InputError, memberships

values = st.integers(2, 5).flatmap(
    lambda g: st.lists(
        st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)), min_size=g, max_size=g), min_size=1, max_size=10
    ).map(np.array)
)


@given(values, st.booleans())
def test_rows_sum_to_one_in_the_order_of_the_values(rows, ordinal):
    found = memberships(rows, ordinal=ordinal)
    assert np.all(found >= 0)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    for before, after in zip(rows, found, strict=True):
        order = np.argsort(before, kind="stable")
        assert np.all(np.diff(after[order]) >= 0)
        assert all(after[i] == after[j] for i in range(len(before)) for j in range(len(before)) if before[i] == before[j])


@given(values)
def test_ranks_are_those_of_scipy(rows):
    g = rows.shape[1]
    assert memberships(rows, ordinal=True) == pytest.approx(rankdata(rows, axis=1) / (g * (g + 1) / 2), abs=1e-15)


def test_probabilities_and_votes_are_shares_as_they_are():
    assert memberships([[6, 3, 1]]).tolist() == [[0.6, 0.3, 0.1]]
    assert memberships([[0.25, 0.75]]).tolist() == [[0.25, 0.75]]


def test_the_zero_point_is_taken_away_given_or_estimated():
    rows = np.array([[1.0, -1.0], [3.0, 0.0]])
    assert memberships(rows) == pytest.approx(np.array([[1.0, 0.0], [0.8, 0.2]]))
    assert memberships(rows, zero=-2) == pytest.approx(np.array([[0.75, 0.25], [5 / 7, 2 / 7]]))
    assert memberships([[3.0, 2.0]], zero=1) == pytest.approx(np.array([[2 / 3, 1 / 3]]))


def test_negative_distances_put_the_nearest_first():
    distances = np.array([[1.0, 4.0, 2.0], [3.0, 0.0, 4.0]])
    assert np.array_equal(memberships(-distances).argmax(axis=1), distances.argmin(axis=1))


def test_nothing_above_zero_belongs_to_all_alike():
    assert memberships([[0.0, 0.0], [0.0, 5.0]]).tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_values_near_the_largest_number_do_not_overflow():
    found = memberships([[1e308, -1e308], [1.7e308, 1.7e308]])
    assert found.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_frames_and_mappings_keep_the_order_of_their_columns():
    frame = pd.DataFrame({"b": [1.0, 2.0], "a": [3.0, 2.0]})
    assert memberships(frame).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert memberships({"b": [1, 2], "a": [3, 2]}).tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_values_apart_by_rounding_only_may_become_equal():
    found = memberships([[0.1, np.nextafter(0.1, 1)], [-3.0, 1.0]])
    assert found[0] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("given_values", "options", "said"),
    [
        ([1.0, 2.0], {}, "a row per case"),
        ([[1.0], [2.0]], {}, "at least two"),
        ([[1.0, np.nan]], {}, "is nan"),
        ([[1.0, -np.inf]], {}, "is -inf"),
        (np.empty((0, 3)), {}, "a row per case"),
        ([[1.0, 2.0]], {"zero": 1.5}, r"values\[0, 0\] is 1, below zero=1\.5"),
        ([[1.0, 2.0]], {"zero": "low"}, "finite number"),
        ([[1.0, 2.0]], {"zero": [0, 1]}, "one for all classes"),
        ([[1.0, 2.0]], {"zero": 0, "ordinal": True}, "ranks have no zero point"),
        ({"a": [1.0, 2.0], "b": [1.0]}, {}, "differ in length"),
        ("ab", {}, "must be numbers"),
        ([[1.0, 2.0]], {"ordinal": "no"}, "True or False"),
        ([[0.0, 1.0], [-1e17, 5.0]], {}, r"values\[0\] holds different values that become equal"),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), {}, "masked"),
        ({"a": np.ma.masked_array([1.0], mask=[True]), "b": [1.0]}, {}, "masked"),
        (np.array([[1.0 + 1j, 2.0]]), {}, "complex"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), {}, "more than once"),
    ],
)
def test_refusals(given_values, options, said):
    with pytest.raises(InputError, match=said):
        memberships(given_values, **options)
