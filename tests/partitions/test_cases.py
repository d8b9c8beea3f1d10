"""Memberships and true classes as users hold them: named or numbered columns, labels of any kind, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.partitions.made import simulated

from adjudge import InputError, partition


def test_labels_by_name_in_any_frame():
    m, truth = simulated(60)
    labels = np.array(["lo", "mid", "hi"])[truth]
    wanted = partition(m, truth)
    frame = pd.DataFrame(m, columns=["lo", "mid", "hi"])
    for given_as in (frame, pl.DataFrame(frame.to_dict("list")), frame.to_dict("list")):
        found = partition(given_as, labels)
        assert found.classes == ("lo", "mid", "hi")
        assert np.array_equal(found.scaled, wanted.scaled)
    turned = partition(frame[["hi", "lo", "mid"]], labels, classes=["lo", "mid", "hi"])
    assert np.array_equal(turned.scaled, wanted.scaled)
    assert np.array_equal(wanted.apply(m[:9]).scaled, found.apply(frame[["hi", "lo", "mid"]].head(9)).scaled)


def test_single_precision_is_brought_to_sums_of_one():
    m, truth = simulated(100)
    found = partition(m.astype(np.float32), truth)
    assert np.abs(found.memberships.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(found.scaled - partition(m, truth).scaled).max() < 1e-5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"memberships": [0.5, 0.5]}, "a row per case"),
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
        partition(given_all.pop("memberships"), given_all.pop("truth"), **given_all)


def test_columns_named_by_text_are_names_and_merely_numbered_ones_places():
    m, truth = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), [0, 1, 0]
    wanted = partition(m, truth).memberships
    for given_as in (pd.DataFrame(m, columns=["0", "1"]), {"0": m[:, 0], "1": m[:, 1]}):
        turned = partition(given_as, ["0", "1", "0"], classes=["1", "0"])
        assert np.array_equal(turned.memberships, wanted[:, ::-1])
        assert turned.correct == partition(given_as, truth).correct == 1
    assert np.array_equal(partition(pd.DataFrame(m), truth).memberships, wanted)
    assert np.array_equal(partition(pd.DataFrame(m), ["a", "b", "a"], classes=["a", "b"]).memberships, wanted)
    assert np.array_equal(partition(pd.DataFrame(m), truth, classes=[1, 0]).memberships, wanted[:, ::-1])


@pytest.mark.parametrize("labels", [("a\0", "a"), (1, "1"), ((0, 1), (1, 2)), ("x", 2.5)])
def test_labels_stay_what_they_are(labels):
    m = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    found = partition(m, [labels[0], labels[1], labels[0]], classes=labels)
    assert found.truth.tolist() == [0, 1, 0]
    assert found.classes == labels


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (pd.Series(["a", pd.NA, "b"]), r"truth\[1\] is missing"),
        (pd.Series([1, None, 2], dtype="Int64"), r"truth\[1\] is missing"),
        (["a", None, "b"], r"truth\[1\] is missing"),
        ([["a"], ["b", "a"], ["a"]], "must hold labels"),
        (np.ma.masked_array(["a", "b", "a"], mask=[False, True, False]), "masked"),
    ],
)
def test_truths_that_are_none_are_refused(truth, said):
    with pytest.raises(InputError, match=said):
        partition([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], truth, classes=["a", "b"])
