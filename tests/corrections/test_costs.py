"""The label of no decision wherever decisions are read, and decisions of least expected cost."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, Predictions, confusion, evaluate, measure
from adjudge.corrections.costs import REJECTED, decide, expected_cost

LABELS = {"whole": (0, 1), "text": ("no", "yes"), "truth values": (False, True), "negative": (-1, 1)}


def objects(*values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    "form", [objects, lambda *v: list(v), lambda *v: pd.Series(objects(*v))], ids=["array", "list", "series"]
)
def test_rejected_goes_with_labels_of_every_type(labels, listed, form):
    a, b = labels
    counts = confusion([a, b, a, b], form(a, REJECTED, b, b), classes=labels if listed else None, rejected=REJECTED)
    assert counts.classes == labels
    assert counts.cells.tolist() == [[1, 1, 0], [0, 1, 1]]


def test_rejected_is_understood_by_predictions_and_what_follows():
    found = Predictions(["a", "b", "a", "b"], objects("a", REJECTED, "b", "b"), rejected=REJECTED)
    assert measure(found, "rejection_rate") == 0.25
    assert measure(found, "accuracy") == 0.5
    assert evaluate(found).counts.rejected.tolist() == [0, 1]


def test_many_rows_of_objects_are_read_alike():
    names = objects("a", "b", REJECTED)
    codes = np.random.default_rng(0).integers(0, 3, 200_000)
    truth = np.array(["a", "b"])[np.random.default_rng(1).integers(0, 2, codes.size)]
    counts = confusion(truth, names[codes], rejected=REJECTED)
    expected = [[int(((truth == label) & (codes == j)).sum()) for j in range(3)] for label in "ab"]
    assert counts.cells.tolist() == expected


def test_there_is_one_rejected():
    assert repr(REJECTED) == str(REJECTED) == "REJECTED"
    assert pickle.loads(pickle.dumps(REJECTED)) is REJECTED  # noqa: S301
    assert copy.copy(REJECTED) is REJECTED
    assert copy.deepcopy([REJECTED])[0] is REJECTED
    assert (objects(0, REJECTED, "a", None, 1.5) == REJECTED).tolist() == [False, True, False, False, False]
    assert (objects(0, REJECTED) != REJECTED).tolist() == [True, False]
    assert [REJECTED] == [REJECTED]
    assert REJECTED != 0
    assert np.isnan(float(REJECTED))


# -- decisions ---------------------------------------------------------------------------------------------


def test_errors_against_rejections():
    p = [[0.9, 0.1], [0.65, 0.35], [0.2, 0.8]]
    assert decide(p, [[0, 1, 0.3], [1, 0, 0.3]], classes=["a", "b"]).tolist() == ["a", REJECTED, "b"]
    assert decide(p, [[0, 1], [1, 0]], classes=["a", "b"]).tolist() == ["a", "a", "b"]
    assert decide(p, [[0, 1], [5, 0]], classes=["a", "b"]).tolist() == ["a", "b", "b"]


def test_ties_go_to_the_first_class_and_rejection_comes_last():
    p = [[0.5, 0.5]]
    assert decide(p, [[0, 1, 0.5], [1, 0, 0.5]]).tolist() == [0]
    assert decide(p, [[0, 1, 0.49], [1, 0, 0.49]]).tolist() == [REJECTED]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=5),
    st.permutations(range(3)),
)
def test_the_order_of_the_classes_does_not_matter(rows, order):
    p = np.array(rows, dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    costs = np.array([[0, 1.1, 3.7, 0.83], [2.3, 0, 1.9, 0.91], [5.3, 4.1, 0, 0.77]])  # no ties among these
    names = np.array(["a", "b", "c"])
    turned = costs[np.ix_(order, [*order, 3])]
    here = decide(p, costs, classes=names.tolist())
    there = decide(p[:, order], turned, classes=names[order].tolist())
    assert here.tolist() == there.tolist()


def test_expected_costs_by_hand():
    found = expected_cost([[0.25, 0.75]], [[0, 1, 0.5], [4, 0, 0.5]])
    assert found.tolist() == [[3.0, 0.25, 0.5]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "mapping"])
def test_named_columns_are_matched_by_name(frame):
    p = frame({"yes": [0.9, 0.2], "no": [0.1, 0.8]})
    costs = [[0, 1], [1, 0]]
    assert decide(p, costs).tolist() == ["yes", "no"]
    assert decide(p, costs, classes=["no", "yes"]).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("p", "costs", "said"),
    [
        ([[0.5, 0.6]], [[0, 1], [1, 0]], "sums to 1.1, not to 1"),
        ([[1.5, -0.5]], [[0, 1], [1, 0]], r"p\[0, 1\] is -0\.5, no probability"),
        ([[0.5, np.nan]], [[0, 1], [1, 0]], r"p\[0, 1\] is nan, no probability"),
        ([[0.5, 0.5], [1.0]], [[0, 1], [1, 0]], "uneven rows"),
        ([[1.0]], [[0]], "a column per class, at least two"),
        ([], [[0, 1], [1, 0]], r"a row per case.*shape \(0,\)"),
        ([["a", "b"]], [[0, 1], [1, 0]], "must hold numbers"),
        ([[0.5, 0.5]], [[0, 1, 2, 3], [1, 0, 2, 3]], r"got shape \(2, 4\)"),
        ([[0.5, 0.5]], [[0, np.inf], [1, 0]], "finite"),
        ([[0.5, 0.5]], [[0, "dear"], [1, 0]], "table of numbers"),
    ],
)
def test_what_cannot_be_used_is_refused(p, costs, said):
    with pytest.raises(InputError, match=said):
        decide(p, costs)


def test_classes_must_fit_the_columns():
    with pytest.raises(InputError, match="each of the 2 columns of p once; got 'a', 'b', 'c'"):
        decide([[0.5, 0.5]], [[0, 1], [1, 0]], classes=["a", "b", "c"])
    with pytest.raises(InputError, match="not among the classes"):
        decide({"a": [0.5], "b": [0.5]}, [[0, 1], [1, 0]], classes=["a", "c"])


def test_labels_with_rejections_become_plain_json():
    counts = confusion([0, 1], objects(0, REJECTED), rejected=REJECTED)
    assert json.loads(json.dumps(counts.to_dict(), allow_nan=False))["rejected_column"]
