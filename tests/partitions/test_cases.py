"""Memberships and true classes as users hold them: columns, labels, values of any kind in the simplex, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from tests.partitions.made import simulated

from adjudge import InputError, memberships, partition


def test_labels_by_name_in_any_frame():
    m, truth = simulated(60)
    labels = np.array(["lo", "mid", "hi"])[truth]
    wanted = partition(truth, m)
    frame = pd.DataFrame(m, columns=["lo", "mid", "hi"])
    for given_as in (frame, pl.DataFrame(frame.to_dict("list")), frame.to_dict("list")):
        found = partition(labels, given_as)
        assert found.classes == ("lo", "mid", "hi")
        assert np.array_equal(found.scaled, wanted.scaled)
    turned = partition(labels, frame[["hi", "lo", "mid"]], classes=["lo", "mid", "hi"])
    assert np.array_equal(turned.scaled, wanted.scaled)
    assert np.array_equal(wanted.apply(m[:9]).scaled, found.apply(frame[["hi", "lo", "mid"]].head(9)).scaled)


def test_single_precision_is_brought_to_sums_of_one():
    m, truth = simulated(100)
    found = partition(truth, m.astype(np.float32))
    assert np.abs(found.memberships.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(found.scaled - partition(truth, m).scaled).max() < 1e-5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"memberships": [0.5, 1.5]}, "between 0 and 1"),
        ({"memberships": [[1.0], [1.0]]}, "at least two"),
        ({"memberships": [[0.5, np.nan], [0.5, 0.5]]}, r"memberships\[0, 1\] is nan"),
        ({"memberships": [[0.5, np.inf], [0.5, 0.5]]}, r"is inf"),
        ({"memberships": [[0.5, 0.6], [0.5, 0.5]]}, r"sums to 1\.1, not to 1"),
        ({"memberships": [[1.5, -0.5], [0.5, 0.5]]}, "below 0"),
        ({"memberships": [["a", "b"], ["c", "d"]]}, "must be numbers"),
        ({"truth": None}, "needs the true class"),
        ({"truth": [0]}, "one class for each of 2 cases"),
        ({"truth": [0, 2]}, "2 is not among the classes"),
        ({"truth": ["a", "b"]}, "Labels need classes"),
        ({"truth": "ab"}, "got str"),
        ({"classes": ["a"]}, "each of the 2 columns"),
        ({"classes": "ab"}, "must list"),
        ({"depth": 0}, "from 1 to 1"),
        ({"depth": 2}, "from 1 to 1"),
        ({"depth": True}, "depth must be"),
        ({"convention": "r"}, "'paper' or 'klar'"),
        ({"ties": "last"}, "'first' or 'random'"),
    ],
)
def test_refusals_say_what_to_do(change, said):
    given_all = {"memberships": [[0.5, 0.5], [0.2, 0.8]], "truth": [0, 1]} | change
    with pytest.raises(InputError, match=said):
        partition(given_all.pop("truth"), given_all.pop("memberships"), **given_all)


def test_columns_named_by_text_are_names_and_merely_numbered_ones_places():
    m, truth = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), [0, 1, 0]
    wanted = partition(truth, m).memberships
    for given_as in (pd.DataFrame(m, columns=["0", "1"]), {"0": m[:, 0], "1": m[:, 1]}):
        turned = partition(["0", "1", "0"], given_as, classes=["1", "0"])
        assert np.array_equal(turned.memberships, wanted[:, ::-1])
        assert turned.correct == partition(truth, given_as).correct == 1
    assert np.array_equal(partition(truth, pd.DataFrame(m)).memberships, wanted)
    assert np.array_equal(partition(["a", "b", "a"], pd.DataFrame(m), classes=["a", "b"]).memberships, wanted)
    assert np.array_equal(partition(truth, pd.DataFrame(m), classes=[1, 0]).memberships, wanted[:, ::-1])


@pytest.mark.parametrize("labels", [("a\0", "a"), (1, "1"), ((0, 1), (1, 2)), ("x", 2.5)])
def test_labels_stay_what_they_are(labels):
    m = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    found = partition([labels[0], labels[1], labels[0]], m, classes=labels)
    assert found.truth.tolist() == [0, 1, 0]
    assert found.classes == labels


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (pd.Series(["a", pd.NA, "b"]), r"y_true\[1\] is missing"),
        (pd.Series([1, None, 2], dtype="Int64"), r"y_true\[1\] is missing"),
        (["a", None, "b"], r"y_true\[1\] is missing"),
        ([["a"], ["b", "a"], ["a"]], "must hold labels"),
        (np.ma.masked_array(["a", "b", "a"], mask=[False, True, False]), "masked"),
    ],
)
def test_truths_that_are_none_are_refused(truth, said):
    with pytest.raises(InputError, match=said):
        partition(truth, [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], classes=["a", "b"])


values = st.integers(2, 5).flatmap(
    lambda g: st.lists(
        st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)), min_size=g, max_size=g), min_size=1, max_size=10
    ).map(np.array)
)


@pytest.mark.slow
@given(values, st.booleans())
def test_rows_sum_to_one_in_the_order_of_the_values(rows, ordinal):
    found = memberships(rows, ordinal=ordinal)
    assert np.all(found >= 0)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    for before, after in zip(rows, found, strict=True):
        order = np.argsort(before, kind="stable")
        assert np.all(np.diff(after[order]) >= 0)
        assert all(after[i] == after[j] for i in range(len(before)) for j in range(len(before)) if before[i] == before[j])


@pytest.mark.slow
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


@pytest.mark.parametrize("shape", [list, np.asarray, pd.Series])
def test_one_probability_of_two_classes_is_that_of_the_positive_one(shape):
    rng = np.random.default_rng(2)
    truth, p = rng.choice(["ill", "well"], 40), rng.random(40)
    wanted = partition(truth, np.column_stack([p, 1 - p]), classes=["ill", "well"])
    assert partition(truth, shape(p), positive="ill").to_dict() == wanted.to_dict()
    with pytest.raises(InputError, match="which class is positive"):
        partition(truth, shape(p))
    with pytest.raises(InputError, match="y_true has 2 columns and memberships one"):
        partition(np.column_stack([p, 1 - p]), shape(p))
