"""Arrays become predictions: what a column is, which array holds scores, and how labels meet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge import InputError, confusion, evaluate
from adjudge.predictions.arrays import Typed, from_arrays, is_column, taken_as

TYPED = Typed("evaluate")
MEASURES = ["log_loss", "accuracy"]


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ([0, 1], True),
        (("a", "b"), True),
        (range(3), True),
        (np.zeros(3), True),
        (np.zeros((3, 2)), True),  # scores by class, or one-hot
        (pd.Series([1]), True),
        (pd.Categorical(["a"]), True),
        (pd.Index(["a"]), True),
        (pd.DataFrame({"y": [1]}), True),
        (pd.DataFrame({"truth": [1], "predicted": [1]}), False),
        (pl.Series([1]), True),
        (pl.DataFrame({"y": [1]}), True),
        (pl.DataFrame({"truth": [1], "predicted": [1]}), False),
        (pa.array([1]), True),
        (pa.chunked_array([[1]]), True),
        ("preds.csv", False),
        ({"truth": [1]}, False),
        ([{"truth": [1]}, {"truth": [1]}], False),
        (None, False),
    ],
)
def test_what_holds_one_value_per_case_is_a_column(value, is_one):
    assert is_column(value) is is_one


@pytest.mark.parametrize(
    ("truth", "values", "kind"),
    [
        (["a", "b"], ["a", "a"], "y_pred"),
        (["a", "b"], [0.2, 0.9], "y_score"),
        (["a", "b"], [0, 1], "y_pred"),  # places, with classes
        ([0, 1], [0, 0], "y_pred"),
        ([0, 1], [0.0, 1.0], "y_pred"),
        ([0, 1], [0.0, 0.5], "y_score"),
        ([0, 1], [-3.5, 2.0], "y_score"),
        ([False, True], [True, True], "y_pred"),
        ([False, True], [0.4, 0.6], "y_score"),
        ([0, 1, 2], [0, 1, 3], "y_pred"),  # a class that is never true
        ([0.5, 1.5], [0.4, 1.7], "y_pred"),  # numbers
        ([0, 1], np.array([[0.2, 0.8], [0.6, 0.4]]), "y_score"),
        ([0, 1], {0: [0.2, 0.6], 1: [0.8, 0.4]}, "y_score"),
        ([0, 1], pd.DataFrame({0: [0.2, 0.6], 1: [0.8, 0.4]}), "y_score"),
    ],
)
def test_values_say_whether_they_are_decisions_or_scores(truth, values, kind):
    found, finding = taken_as(truth, values, TYPED, "old")
    assert found == kind
    if kind == "y_score":
        assert (finding.code, finding.value) == ("A117", "scores")
        assert "Taken as scores" in str(finding.message)


def test_whole_numbers_beside_two_classes_may_be_either():
    with pytest.raises(InputError, match=r"old holds whole numbers such as 37 .* Predictions\(y_true, scores=\.\.\.\)"):
        taken_as([0, 1], [37, 62], TYPED, "old")


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.permutations(["ant", "bee", "cat"]), st.integers(0, 1000))
def test_the_order_of_named_columns_does_not_matter(order, seed):
    rng = np.random.default_rng(seed)
    truth, p = rng.choice(order, 30), rng.dirichlet(np.ones(3), 30)
    by_name = dict(zip(order, p.T, strict=True))
    wanted = evaluate(truth, y_score={label: by_name[label] for label in sorted(order)}, measures=MEASURES)
    for scores in (by_name, pd.DataFrame(by_name), pl.DataFrame(by_name)):
        found = evaluate(truth, y_score=scores, measures=MEASURES)
        assert [found[name].value for name in MEASURES] == [wanted[name].value for name in MEASURES]
    found = evaluate(truth, y_score=p, classes=order, measures=MEASURES)
    assert [found[name].value for name in MEASURES] == [wanted[name].value for name in MEASURES]


def test_names_like_the_classes_are_found_by_the_role_finder():
    rng = np.random.default_rng(1)
    truth, p = rng.choice(["ill", "well"], 50), rng.dirichlet(np.ones(2), 50)
    scores = pd.DataFrame(p, columns=["p_ill", "p_well"])
    wanted = evaluate(truth, y_score={"ill": p[:, 0], "well": p[:, 1]})
    assert evaluate(truth, y_score=scores)["log_loss"].value == wanted["log_loss"].value


def test_numbered_columns_of_a_frame_are_classes_only_where_all_labels_are_among_them():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), 60)
    for labels in ([0, 1, 2], [1, 2, 3], ["a", "b", "c"]):
        truth = np.array(labels)[rng.integers(0, 3, 60)]
        wanted = evaluate(truth, y_score=p, classes=labels)["log_loss"].value
        assert evaluate(truth, y_score=pd.DataFrame(p), classes=labels)["log_loss"].value == wanted
        assert evaluate(truth, y_score=pd.DataFrame(p))["log_loss"].value == wanted
    turned = evaluate(np.array([0, 1, 2] * 20), y_score=pd.DataFrame(p), classes=[2, 1, 0])
    assert turned["log_loss"].value == evaluate(np.array([0, 1, 2] * 20), y_score=p, classes=[0, 1, 2])["log_loss"].value


def test_numbers_are_no_places_among_classes_that_are_numbers_in_text():
    found = confusion([1, 2] * 5, [1, 1] * 5, classes=[3, 1, 2])
    assert evaluate([1, 2] * 5, [1, 1] * 5, classes=["3", "1", "2"]).counts.cells.tolist() == found.cells.tolist()


def test_places_beyond_the_classes_are_refused():
    with pytest.raises(InputError, match="classes"):
        evaluate(["a", "b"] * 5, [0, 2] * 5, classes=["a", "b"])


def test_missing_labels_are_told_by_the_name_of_the_argument():
    with pytest.raises(InputError, match=r"'y_true' has 1 missing value \(row 2\); pass missing="):
        evaluate(["a", None, "b"], ["a", "a", "b"])
    with pytest.raises(InputError, match=r"y_score"):
        evaluate([0, 1, 1], y_score=[0.2, np.nan, 0.9])
    assert evaluate(["a", None, "b"] * 4, ["a", "a", "b"] * 4, missing="drop").origin.rows == 8


def test_evidence_says_that_these_were_arrays():
    found = from_arrays([0, 1], [0, 1], typed=TYPED, roles={})
    assert found.roles.evidence["truth"] == "'y_true' (an array)"
    assert from_arrays([0, 1], [0, 1], typed=Typed("evaluate", "y"), roles={}).roles.evidence["truth"] == "'y' (beside a model)"
