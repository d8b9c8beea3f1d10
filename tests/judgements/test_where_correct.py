"""Which sets are correct where: sums of plain comparisons, by class and in all."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compared_sets import numbers, three_classes

import adjudge
from adjudge.counts.joint import JointCounts
from adjudge.judgements.where_correct import MOST_CLASSES, where_correct

ROWS = st.integers(2, 4).flatmap(
    lambda sets: st.lists(st.lists(st.integers(0, 2), min_size=sets + 1, max_size=sets + 1), min_size=1, max_size=40)
)


def joint_of(truth, said, k=3):
    names = tuple("abcd"[: said.shape[1]])
    return JointCounts(tuple(range(k)), names, truth, said, np.ones(truth.size, dtype=np.int64))


@settings(deadline=None)
@given(ROWS)
def test_it_counts_what_comparing_row_by_row_counts(rows):
    table = np.array(rows)
    truth, said = table[:, 0], table[:, 1:]
    result, correct = where_correct(joint_of(truth, said), None), said == truth[:, None]
    many, sets = correct.sum(axis=1), said.shape[1]
    assert result.all_correct == np.count_nonzero(many == sets)
    assert result.none_correct == np.count_nonzero(many == 0)
    assert result.some_correct == np.count_nonzero((many > 1) & (many < sets))
    assert result.only_correct == tuple(np.count_nonzero((many == 1) & own) for own in correct.T)
    for each in result.by_class:
        own = truth == each.label
        assert each.cases == np.count_nonzero(own) > 0
        assert each.all_correct == np.count_nonzero(own & (many == sets))
    assert sum(each.cases for each in result.by_class) == result.cases == truth.size


def test_it_agrees_with_the_outcomes_of_a_comparison():
    comparison = adjudge.compare(*three_classes())
    result = comparison.where_correct
    assert comparison.outcomes == (result.all_correct, *result.only_correct, result.none_correct)


def test_classes_with_most_disagreement_come_first_and_some_only():
    truth = np.repeat([0, 1, 2], [50, 10, 5])
    said = truth.copy()
    said[50:58], said[:3] = 0, 1
    result = where_correct(joint_of(truth, np.stack([truth, said], axis=1)), None)
    assert [each.label for each in result.by_class] == [1, 0, 2]
    truth = np.arange(900) % 300
    result = where_correct(joint_of(truth, np.stack([truth, truth], axis=1), 300), None)
    assert (len(result.by_class), result.classes) == (MOST_CLASSES, 300)


def test_cases_are_named_by_their_identity_in_the_first_set():
    cases = {"case": ["x7", "x8", "x9", "y1"], "truth": [0, 1, 0, 1], "predicted": [0, 1, 1, 1]}
    other = {"case": ["y1", "x9", "x8"], "truth": [1, 0, 1], "predicted": [0, 0, 1]}
    result = adjudge.compare(cases, other, row="case").where_correct
    assert [(each.case, each.truth, each.predicted) for each in result.disagreed] == [("x9", 0, (1, 0)), ("y1", 1, (1, 0))]
    assert result.column == "case"


def test_cases_by_position_are_named_by_their_row():
    a, b = {"truth": [0, 1, 1], "predicted": [0, 1, 0]}, {"truth": [0, 1, 1], "predicted": [0, 0, 0]}
    result = adjudge.compare(a, b, by_position=True).where_correct
    assert [(each.case, each.predicted) for each in result.disagreed] == [(2, (1, 0))]
    assert result.column is None


def test_no_decision_is_none():
    a, b = (
        adjudge.Predictions(["x", "y", "y"], said, rejected="?", row=[1, 2, 3]) for said in (["x", "?", "y"], ["x", "y", "y"])
    )
    assert adjudge.compare(a, b).where_correct.disagreed[0].predicted == (None, "y")


def test_numbers_are_neither_correct_nor_wrong():
    assert adjudge.compare(*numbers()).where_correct is None
