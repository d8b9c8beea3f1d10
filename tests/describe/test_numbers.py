"""Numbers and tables by themselves: one sentence from the fields, and the fields below it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.results import made

import adjudge
from adjudge.describe import describe
from adjudge.judgements.ensembles import Rounds


def first(result):
    return describe(result, figure=False, whole=False).sentences[0]


def test_tests_of_textbooks_say_what_they_found():
    assert first(made("McNemar")) == (
        "McNemar: only a right 9 times, only b 2 times; p = 0.06543 (exact), 0.03857 (mid-P), chi2 = 4.455"
    )
    assert first(adjudge.mcnemar(900, 2)).split("; ")[1].startswith("p < 0.001 (exact), < 0.001 (mid-P)")
    assert first(made("FiveByTwo")) == "FiveByTwo: t = 0.7303, p = 0.498; F = 0.9733, p = 0.5483"
    assert first(made("CorrelatedT")).endswith("(mean difference +0.017, margin 0.01)")


def test_the_course_of_rounds_is_told():
    errors = np.array([[0.4, 0.3, 0.25], [0.5, 0.3, 0.15]])
    found = Rounds("bagging", "error", errors, errors, np.array([3, 3]), ("", ""), None, None, np.array([3, 3]), None, None)
    assert first(found).startswith("bagging: error 0.45 after one round, 0.2 after 3: ")
    assert first(replace(found, followed=False)) == "bagging: error 0.2, not followed over its rounds"


def test_a_difference_of_partitions_says_whether_it_may_be_chance():
    found = made("PartitionDifference")
    assert first(found).endswith("which may be chance.")
    assert first(replace(found, low=0.01)).endswith("(95% interval +0.010 to +0.231), which is more than chance.")


def test_many_classes_are_named_in_part():
    shift = adjudge.PriorShift(np.full(10, 0.1), np.full(10, 0.1))
    assert first(shift).startswith("PriorShift of 10 classes: 0 0.1 -> 0.1, ")
    assert first(shift).endswith(" and 2 more")


@pytest.mark.parametrize("name", ["Counts", "PairCounts", "Plan"])
def test_what_is_shown_at_the_prompt_is_what_is_described(name):
    assert first(made(name)) == repr(made(name))


def test_counts_of_numbers_have_no_classes():
    truth = np.linspace(0, 1, 20)
    assert first(adjudge.count(adjudge.Predictions(truth, truth**2))).endswith(", numbers")
