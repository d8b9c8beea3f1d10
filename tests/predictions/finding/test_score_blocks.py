"""Score columns: the class that the name of one says, and the order of classes."""

from __future__ import annotations

import pytest

from adjudge.predictions.finding.score_blocks import by_number, class_in_name


@pytest.mark.parametrize("name", ["score", "ill_days", "p_ill_well", "illness_prob", "days_ill"])
def test_other_names_say_no_class(name):
    assert class_in_name(name, {"ill": "ill", "well": "well"}) is None


def test_classes_that_case_alone_tells_apart_are_not_guessed():
    assert class_in_name("p_a", {"a": "a", "A": "A"}) is None
    assert class_in_name("prob_1", {"0": 0, "1": 1}) == 1


def test_digits_without_end_are_text():
    long = "1" * 5000
    assert by_number(long) == (True, 0, long)
    assert sorted([long, "10", "-2", "9", "--5"], key=by_number) == ["-2", "9", "10", "--5", long]
