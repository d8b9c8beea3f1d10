"""Partition spaces before they are drawn: who gets a corner, where cases lie, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.described import facts, mentions
from tests.partitions.made import confusing

from adjudge import InputError
from adjudge.partitions.space import partition
from adjudge.plots.partitions import partition_picture
from adjudge.plots.simplex import CORNERLESS, corners
from adjudge.plots.spaces import Choice, Corner, Marks, Panel, chosen, panels_of


@pytest.mark.slow
def test_a_cell_says_its_most_frequent_class_and_how_large_its_share_is():
    values = np.repeat([[0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98]], [20_000, 500, 100], axis=0)
    truth = np.repeat([0, 1, 2, 1, 2, 0], [16_000, 4_000, 240, 260, 1, 99])
    (panel,) = partition_picture(partition(truth, values), space="original").panels
    order = np.argsort(-panel.found.cases)
    assert panel.found.cases[order].tolist() == [20_000, 500, 100]
    assert panel.found.truth[order].tolist() == [0, 1, 0]
    assert panel.found.level[order].tolist() == [2, 1, 3]  # 80%, 52% and 99%


def test_of_many_classes_the_two_most_confused_are_drawn_against_the_rest():
    space = confusing()
    found = partition_picture(space, space="original")
    (panel,) = found.panels
    assert [corner.name for corner in panel.corners] == ["2", "4", "all others"]
    assert panel.cases == 120
    assert ["6"] in [facts(note) for note in found.notes]
    rows = space.memberships[np.argsort(np.isin(np.arange(120), (40, 41, 80)), kind="stable")]
    told = np.column_stack([rows[:, 2], rows[:, 4], rows[:, [0, 1, 3, 5]].sum(axis=1)]) @ corners(3)
    np.testing.assert_allclose(panel.found.at, told, atol=1e-12)
    assert panel.corners[2].correct == 1
    assert panel.corners[2].predicted == 80


def test_the_text_of_a_label_names_its_class():
    space = confusing()
    for asked in (["0", "5"], [0, 5], [0.0, 5.0], np.array([0, 5])):
        assert partition_picture(space, classes=asked).choice.classes == (0, 5)
    with pytest.raises(InputError, match=r"different classes .*'0', 0"):
        partition_picture(space, classes=["0", 0])


def test_one_class_is_drawn_against_the_rest():
    (panel,) = partition_picture(confusing(), classes=[1]).panels
    assert [corner.name for corner in panel.corners] == ["1", "all others"]
    assert panel.corners[0].correct == pytest.approx(20 / 21)
    (panel,) = partition_picture(confusing(), classes=[0, 1, 5], rest=True).panels
    assert [corner.name for corner in panel.corners] == ["0", "1", "5", "all others"]
    assert panel.cases == 120
    with pytest.raises(InputError, match=r"four corners, got 5"):
        partition_picture(confusing(), classes=[0, 1, 2, 3], rest=True)


def test_cases_without_membership_in_the_classes_drawn_have_no_place():
    truth = np.repeat(np.arange(5), 3)
    values = np.eye(5)[truth]
    values[0] = np.eye(5)[4]
    space = replace(partition(truth, 0.9 * values + 0.02), memberships=values)
    (panel,) = partition_picture(space, classes=[0, 1], space="original").panels
    assert panel.cases == 5


def test_a_class_never_assigned_says_so():
    space = partition([0, 1, 1], [[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]])
    assert [corner.rate() for corner in partition_picture(space).panels[0].corners] == [
        "50.0% correct",
        "100.0% correct",
        "never predicted",
    ]


def test_memberships_of_the_rest_are_added_up_and_of_some_made_to_sum_to_one():
    values = np.array([[0.5, 0.1, 0.2, 0.2], [0.0, 0.0, 0.3, 0.7], [0.1, 0.6, 0.3, 0.0]])
    truth, assigned = np.array([0, 3, 1]), np.array([0, 3, 1])
    rows, of_truth, of_assigned = Choice((2, 0), 4, rest=True).drawn(values, truth, assigned)
    np.testing.assert_allclose(rows, [[0.2, 0.5, 0.3], [0.3, 0.0, 0.7], [0.3, 0.1, 0.6]])
    assert (of_truth.tolist(), of_assigned.tolist()) == ([1, 2, 2], [1, 2, 2])
    rows, of_truth, of_assigned = Choice((0, 1), 4, rest=False).drawn(values, truth, np.array([2, 3, 1]))
    np.testing.assert_allclose(rows, [[5 / 6, 1 / 6], [1 / 7, 6 / 7]])  # the case of class 3 has no corner to be true in
    assert (of_truth.tolist(), of_assigned.tolist()) == ([0, 1], [CORNERLESS, 1])


@pytest.mark.parametrize(
    ("labels", "rest", "told"),
    [
        (7, False, "classes must be a sequence of labels, got 7"),
        (["0", "x"], False, "classes must name different classes of the space, got '0', 'x'. It has 0, 1, 2, 3, 4 and 1 more"),
        (range(6), True, "All 6 classes are drawn, so there is no rest"),
        (range(5), False, "A simplex has two to four corners, got 5"),
        ([], False, "A simplex has two to four corners, got 0"),
    ],
)
def test_classes_that_cannot_be_drawn_are_refused_as_they_came(labels, rest, told):
    with pytest.raises(InputError) as refused:
        chosen(confusing(), labels, rest=rest)
    assert str(refused.value).startswith(told)


def test_lines_lead_to_corners():
    at = np.array([[0.1, 0.2, 0.0], [-0.3, -0.1, 0.0], [0.2, 0.1, 0.0]])
    marks = Marks(at, np.array([0, 1, 0]), np.array([1, 1, CORNERLESS]))
    found = dict(marks.towards("scaled_accuracy", 3))
    np.testing.assert_array_equal(found[0], [[at[0], corners(3)[0]], [at[2], corners(3)[0]]])
    ((kind, lines),) = marks.towards("ability_to_separate", 3)  # who has no corner has no line
    assert kind == 1
    np.testing.assert_array_equal(lines, [[at[0], corners(3)[1]], [at[1], corners(3)[1]]])


def test_cases_assigned_wrongly_come_last_so_that_none_hides_them():
    rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.3, 0.1, 0.6]])
    space = partition([1, 1, 2, 0], rows)
    choice = chosen(space, None, rest=False)
    (panel,) = panels_of([""], [space], [choice.drawn(rows, space.truth, space.predicted)], choice, "original")
    assert panel.found.truth.tolist() == [1, 2, 1, 0]
    assert panel.found.predicted.tolist() == [1, 2, 0, 2]
    np.testing.assert_allclose(panel.found.at, rows[[1, 2, 0, 3]] @ corners(3))


def test_what_is_said_at_a_corner_and_of_a_space():
    assert [Corner("a", 0.25, 1200).rate(whole=whole) for whole in (False, True)] == ["25.0% correct", "25.0% of 1,200 correct"]
    assert Corner("a", np.nan, 1200).rate(whole=True) == "1,200 predicted"
    two = Corner("a", 1.0, 2), Corner("b", np.nan, 0)
    panel = Panel("tree", two, None, 2, 0.5, 0.75)
    assert facts(panel.words) == ["0.500", "0.750", "2", "100.0%", "2"]
    assert mentions(panel.words, "tree: Ac", "AS", "a: ", "b: never predicted")
    assert replace(panel, accuracy=np.nan, cases=1).goodness == "AS 0.750, 1 case"
