"""What is known before the first row is counted: classes, their order, and which score speaks of which."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, Predictions
from adjudge.predictions.labels import Gaps
from adjudge.predictions.schema import HEAD, Beforehand


def beforehand(*given_, **how):
    return Beforehand(Predictions(*given_, **how), Gaps())


@given(st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), min_size=1, max_size=12))
def test_first_classes_are_sorted_and_counted_by_the_truth_alone(rows):
    truth, said = ([pair[i] for pair in rows] for i in (0, 1))
    found = beforehand(truth, said).first_classes
    assert list(found) == sorted({*truth, *said})
    assert found == {label: Counter(truth)[label] for label in found}


def test_classes_stand_as_they_were_listed_or_declared_and_no_decision_is_none():
    listed = beforehand(["b", "a"], ["b", "none"], classes=["c", "b", "a", "none"], rejected="none")
    assert listed.first_classes == {"c": 0, "b": 1, "a": 1}
    levels = pd.CategoricalDtype(["high", "low", "middle"])
    declared = beforehand(pd.Series(["low", "high"], dtype=levels), pd.Series(["low", "low"], dtype=levels), rejected="middle")
    assert declared.declared == ("high", "low")
    assert declared.first_classes == {"high": 1, "low": 1}


def test_no_more_than_the_first_rows_are_looked_at():
    truth = np.r_[np.zeros(HEAD, int), 1, 1]
    assert beforehand(truth, truth).first_classes == {0: HEAD}


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d"]))
def test_class_i_of_the_scores_has_code_i_and_classes_are_shown_as_listed(columns, listed):
    by_class = {label: [0.1 * at, 0.2] for at, label in enumerate(columns)}
    for how, shown in (({"classes": listed}, listed), ({}, columns)):
        known = beforehand(["a", "b"], None, by_class, scores_are="scores", **how)
        book, order = known.book()
        assert [book.labels[code] for code in order] == list(shown)
        assert [book.labels[code] for code in range(4)] == list(known.scores.classes)
        assert known.scores.columns == tuple(f"score of {label}" for label in known.scores.classes)
        assert book.closed == bool(how)


@pytest.mark.parametrize(
    ("truth", "how", "wanted"),
    [
        ([0, 1, 1], {}, 1),
        (["no", "yes", "no"], {}, "yes"),
        (["well", "ill", "ill"], {"positive": "well"}, "well"),
        ([0, 1, 1], {"positive": "0"}, 0),  # as a command line writes it
        ([0, 0, 0], {}, 1),  # the class that no case of the first rows is of
        ([False, False, False], {}, True),
        (["well", "ill", "ill"], {"scores_are": "confidence"}, "well"),  # it speaks of both alike
    ],
)
def test_one_score_speaks_of_the_positive_class(truth, how, wanted):
    scores = beforehand(truth, truth, [0.2, 0.7, 0.9], **how).scores
    assert (scores.form, scores.classes, scores.columns) == ("single", (wanted,), ("scores",))


def test_one_score_of_classes_that_do_not_say_which_is_asked_about():
    with pytest.raises(InputError, match=r"column 'scores' needs to know which class is positive: 'ill' \(2\), 'well' \(1\)"):
        _ = beforehand(["well", "ill", "ill"], None, [0.2, 0.7, 0.9]).scores


def test_a_confidence_of_one_in_three_classes_is_left_out_by_name():
    known = beforehand(["a", "b", "c"], ["a", "b", "b"], [0.6, 0.7, 0.8], scores_are="confidence")
    assert known.left_out is None  # nobody has asked yet
    assert known.scores.form == "none"
    assert known.left_out == "scores"


@pytest.mark.parametrize(
    ("given_", "how", "told"),
    [
        (([0, 1], [0, 1], [0.1, 0.9]), {"threshold": 0.5}, "A threshold decides, but column 'predicted' holds decisions"),
        (([0, 1], [0, 1]), {"rejected": 1, "positive": "1"}, "'1' cannot be both the positive class and 'no decision'"),
        (([0, 1], [0, 1], {0: [0.1, 0.9], 1: [0.9, 0.1]}), {"scores_are": "confidence"}, "A confidence is one number a row"),
    ],
)
def test_what_contradicts_itself_is_refused_before_a_row_is_read(given_, how, told):
    with pytest.raises(InputError, match=told):
        beforehand(*given_, **how)


def test_a_vector_has_as_many_classes_as_numbers_a_row():
    known = beforehand(["b", "a"], None, np.array([[0.2, 0.8], [0.5, 0.5]]), classes=["b", "a"])
    assert (known.scores.form, known.scores.classes) == ("vector", ("b", "a"))
    assert known.book()[1] == [0, 1]
