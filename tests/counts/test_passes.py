"""Predictions gone through block by block: the same tables as all cases at once."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import InputError, Predictions
from adjudge.counts.passes import BlockPasses, TableCounter
from adjudge.stats.ranking import auc_of, tabulate

RNG = np.random.default_rng(4)
SCORES, HIT = RNG.random(600), RNG.random(600) < 0.4


def grown(most):
    counter = TableCounter(most)
    for part in np.split(np.arange(600), 12):
        counter.add(SCORES[part], HIT[part], None)
    return counter.table()


def test_a_table_that_grows_is_that_of_all_scores():
    whole, table = tabulate(SCORES, HIT), grown(None)
    np.testing.assert_array_equal(table.values, whole.values)
    np.testing.assert_array_equal(table.positives, whole.positives)


def test_a_table_with_little_room_is_binned_within_its_bound():
    table = grown(100)
    assert table.values.size <= 100
    assert abs(auc_of(table) - auc_of(tabulate(SCORES, HIT))) <= table.bound


def test_decisions_that_were_not_made_are_neither_right_nor_wrong():
    p = np.array([0.9, 0.2, 0.6])
    predictions = Predictions(["a", "b", "a"], ["a", "?", "a"], {"a": p, "b": 1 - p}, rejected="?")
    with pytest.raises(InputError, match="were not decided"):
        BlockPasses(predictions).sure()


@pytest.mark.parametrize(("scores", "parameter"), [(None, "scores"), ([3.0, -2.0, 5.0], "scores_are")])
def test_what_are_no_probabilities_is_refused(scores, parameter):
    with pytest.raises(InputError) as error:
        BlockPasses(Predictions([1, 0, 1], [1, 0, 1], scores)).moments()
    assert error.value.parameter == parameter
