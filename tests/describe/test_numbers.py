"""Numbers and tables by themselves: one sentence from the fields, and the fields below it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.described import facts, mentions
from tests.results import made

import adjudge
from adjudge.describe import describe
from adjudge.judgements.ensembles import Rounds


def first(result):
    return describe(result, figure=False, whole=False).sentences[0]


def test_tests_of_textbooks_say_what_they_found():
    assert facts(first(made("McNemar"))) == ["9", "2", "0.06543", "0.03857", "4.455"]
    assert mentions(first(made("McNemar")), "only a", "only b", "0.06543 (exact), 0.03857 (mid-P)")
    assert facts(first(adjudge.mcnemar(900, 2)))[2:4] == ["< 0.001", "< 0.001"]
    assert mentions(first(made("FiveByTwo")), "t = 0.7303, p = 0.498", "F = 0.9733, p = 0.5483")
    assert first(made("CorrelatedT")).endswith("+0.017, margin 0.01)")


def test_the_course_of_rounds_is_told():
    errors = np.array([[0.4, 0.3, 0.25], [0.5, 0.3, 0.15]])
    found = Rounds("bagging", "error", errors, errors, np.array([3, 3]), ("", ""), None, None, np.array([3, 3]), None, None)
    assert facts(first(found))[:3] == ["0.45", "0.2", "3"]
    assert facts(first(replace(found, followed=False))) == ["0.2"]
    assert "not followed" in first(replace(found, followed=False))


def test_a_difference_of_partitions_says_whether_it_may_be_chance():
    found = made("PartitionDifference")
    assert first(found).endswith("which may be chance.")
    assert mentions(first(replace(found, low=0.01)), "95%", "+0.010 to +0.232", "more than chance.")


def test_many_classes_are_named_in_part():
    shift = adjudge.PriorShift(np.full(10, 0.1), np.full(10, 0.1))
    assert mentions(first(shift), "10 classes", "0 0.1 -> 0.1, ")
    assert first(shift).endswith(" and 2 more")


@pytest.mark.parametrize("name", ["Counts", "PairCounts", "Plan"])
def test_what_is_shown_at_the_prompt_is_what_is_described(name):
    assert first(made(name)) == repr(made(name))


def test_counts_of_numbers_have_no_classes():
    truth = np.linspace(0, 1, 20)
    assert first(adjudge.count(adjudge.Predictions(truth, truth**2))).endswith(", numbers")
