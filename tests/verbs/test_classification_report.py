"""The drop-in against scikit-learn's own: the same numbers, and intervals that :func:`adjudge.interval` gives."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import classification_report as theirs

import adjudge
from adjudge import InputError, classification_report

pairs = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=40)
)


def numbers_of(nested):
    """The same as scikit-learn's, without what was added."""
    kept = {name: row for name, row in nested.items() if name != "accuracy_interval"}
    return {n: {c: v for c, v in row.items() if c != "interval"} if isinstance(row, dict) else row for n, row in kept.items()}


def agree(ours, own):
    assert list(ours) == list(own)
    for name, row in own.items():
        if isinstance(row, dict):
            assert ours[name] == pytest.approx(row, abs=1e-12, nan_ok=True), name
        else:
            assert ours[name] == pytest.approx(row, abs=1e-12), name


@pytest.mark.parametrize("text", [False, True])
@given(cases=pairs, zero=st.sampled_from([0.0, 1.0]), weighted=st.booleans())
def test_numbers_are_those_of_scikit_learn(text, cases, zero, weighted):
    truth, predicted = ([f"class {label}" if text else label for label in side] for side in zip(*cases, strict=True))
    weight = np.arange(1, len(truth) + 1) / 4 if weighted else None
    how = {"sample_weight": weight, "zero_division": zero, "output_dict": True}
    agree(numbers_of(classification_report(truth, predicted, **how)), theirs(truth, predicted, **how))


@given(cases=pairs, labels=st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True))
def test_some_labels_and_those_no_case_has(cases, labels):
    truth, predicted = zip(*cases, strict=True)
    if not set(labels) & {*truth, *predicted}:
        with pytest.raises(InputError, match="labels"):
            classification_report(truth, predicted, labels=labels)
        return
    how = {"labels": labels, "zero_division": 0.0, "output_dict": True}
    agree(numbers_of(classification_report(truth, predicted, **how)), theirs(truth, predicted, **how))


def test_undefined_values_left_out_of_averages():
    truth, predicted = [0, 0, 1, 1, 1], [0, 1, 1, 1, 2]
    how = {"zero_division": math.nan, "output_dict": True}
    agree(numbers_of(classification_report(truth, predicted, **how)), theirs(truth, predicted, **how))


@given(cases=pairs)
def test_intervals_hold_their_values(cases):
    truth, predicted = zip(*cases, strict=True)
    nested = classification_report(truth, predicted, output_dict=True)
    low, high = nested["accuracy_interval"]
    assert low <= nested["accuracy"] <= high
    for name, row in nested.items():
        for column, limits in row["interval"].items() if isinstance(row, dict) else ():
            if limits is not None and name != "macro avg":
                assert limits[0] - 1e-9 <= row[column] <= limits[1] + 1e-9, (name, column)


def test_intervals_are_those_of_the_library():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 90)
    predicted = np.where(rng.random(90) < 0.6, truth, rng.integers(0, 3, 90))
    nested = classification_report(truth, predicted, output_dict=True, level=0.9)
    counts = adjudge.confusion(truth, predicted)
    for column, name in {"precision": "precision", "recall": "sensitivity", "f1-score": "f1"}.items():
        own = adjudge.interval(counts, name, positive=2, level=0.9)
        assert nested["2"]["interval"][column] == (own.low, own.high)
        own = adjudge.interval(counts, name, average="macro", level=0.9)
        assert nested["macro avg"]["interval"][column] == (own.low, own.high)
    assert nested["weighted avg"]["interval"]["recall"] == nested["accuracy_interval"]


def test_one_tiny_perfect_class_beside_a_huge_one():
    nested = classification_report([0] * 100_000 + [1], [0] * 100_000 + [1], output_dict=True)
    assert nested["1"]["recall"] == 1
    assert nested["1"]["interval"]["recall"][0] < 0.2
    assert nested["0"]["interval"]["recall"][0] > 0.9999


def test_the_text_has_the_rows_and_columns_of_scikit_learn():
    truth, predicted = ["ill", "well", "well", "ill"] * 9, ["ill", "ill", "well", "ill"] * 9
    ours, own = classification_report(truth, predicted), theirs(truth, predicted)
    bare = re.sub(r"\(\d\.\d\d-\d\.\d\d\)", "", ours).replace("95% intervals in brackets.", "")
    assert bare.split() == own.split()
    lines = [line for line in ours.splitlines() if "(" in line]
    assert len({line.rindex(")") for line in lines[:2]}) == 1
    assert max(map(len, ours.splitlines())) <= 80


def test_names_replace_labels_and_long_ones_are_cut():
    text = classification_report([0, 1, 1], [0, 1, 0], target_names=["a" * 60, "b"], digits=3)
    assert "a" * 39 + "…" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"target_names": ["one"]}, "2 different names"),
        ({"target_names": ["accuracy", "b"]}, "another name"),
        ({"labels": [1, 1]}, "different classes"),
        ({"digits": -1}, "whole number"),
        ({"zero_division": 0.3}, "0, 1 or NaN"),
        ({"level": 2}, "level"),
    ],
)
def test_bad_arguments_are_refused(how, told):
    with pytest.raises(InputError, match=told):
        classification_report([0, 1, 1], [0, 1, 0], **how)


def test_lengths_must_agree():
    with pytest.raises(InputError, match="one decision per case"):
        classification_report([0, 1], [0])
