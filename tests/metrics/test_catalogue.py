"""Measures by name and their table, and the four counts of every class."""

import numpy as np
import pytest

from adjudge import ConfusionCounts, InputError, measures
from adjudge.metrics.catalogue import ALL, find
from adjudge.metrics.measure import against_rest


@pytest.mark.parametrize("spelling", ["Balanced Accuracy", "balanced-accuracy", " balanced_accuracy "])
def test_spellings_do_not_matter(spelling):
    assert find(spelling).name == "balanced_accuracy"


def test_every_alias_leads_to_its_measure_and_none_to_two():
    names = [name for measure in ALL for name in (measure.name, *measure.aliases)]
    assert len(names) == len(set(names))
    assert all(find(alias) is measure for measure in ALL for alias in measure.aliases)


def test_a_slip_is_answered_with_the_nearest_names():
    with pytest.raises(InputError, match=r"Did you mean .*accuracy"):
        find("acuracy")


def test_the_table_has_a_line_and_a_row_per_measure():
    table = measures()
    assert len(repr(table).splitlines()) == len(table) + 1
    assert [row["name"] for row in table.to_dict()] == [measure.name for measure in ALL]


def test_counts_against_the_rest_add_up_cell_by_cell():
    cells = np.array([[5, 2, 1], [0, 7, 3], [4, 1, 9]])
    found = against_rest(ConfusionCounts(cells))
    for k in range(3):
        rest = np.arange(3) != k
        assert found.hit[k] == cells[k, k]
        assert found.miss[k] == cells[k, rest].sum()
        assert found.alarm[k] == cells[rest, k].sum()
        assert found.quiet[k] == cells[np.ix_(rest, rest)].sum()
