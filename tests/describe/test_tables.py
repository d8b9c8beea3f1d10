"""The table of the largest confusions."""

import numpy as np
import pytest
from scipy.stats import beta

from adjudge import ConfusionCounts, evaluate
from adjudge.describe import tables
from adjudge.describe.tables import MOST_SHOWN


def confusions(counts):
    return tables.confusions(evaluate(counts).weaknesses, counts, 0.95)


def about_confusions(counts):
    return tables.about_confusions(evaluate(counts).weaknesses, counts)


def test_the_largest_come_first_with_their_share_of_the_class():
    found = confusions(ConfusionCounts([[50, 6, 4], [9, 30, 1], [0, 2, 98]], ("a", "b", "c")))
    assert [row[:3] for row in found.rows[:3]] == [("b", "a", "9"), ("a", "b", "6"), ("a", "c", "4")]
    share, limits = found.rows[0][3].split(" ")
    low, high = (float(part) / 100 for part in limits.strip("()").split("-"))
    assert share == "22.5%"
    assert abs(low - beta.ppf(0.025, 9.5, 31.5)) < 0.005  # mid-P limits are close to Jeffreys'
    assert abs(high - beta.ppf(0.975, 9.5, 31.5)) < 0.005
    assert found.rows[0][4] == f"{9 / 22:.1%}"


@pytest.mark.slow
def test_many_are_folded_and_the_rest_counted():
    k = 30
    table = np.ones((k, k), dtype=int) + 9 * np.eye(k, dtype=int)
    found = confusions(ConfusionCounts(table))
    assert len(found.rows) == MOST_SHOWN
    assert len(found.rows) + len(found.folded) + found.untold == k * (k - 1)


def test_what_the_errors_are_in_a_sentence():
    assert about_confusions(ConfusionCounts([[5, 0], [0, 5]])) == "No decision is wrong."
    some = ConfusionCounts([[50, 6, 0], [9, 30, 0], [0, 2, 98]])
    assert about_confusions(some) == "17 wrong decisions in 3 of 6 possible confusions, the largest first."


def test_without_errors_there_is_no_row():
    assert confusions(ConfusionCounts([[5, 0], [0, 5]])).rows == ()
