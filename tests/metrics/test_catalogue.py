"""Measures by name, and their table."""

import pytest

from adjudge import InputError, measures
from adjudge.metrics.catalogue import ALL, find


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


def test_the_beginning_of_a_name_is_answered_with_the_name():
    with pytest.raises(InputError, match=r"Did you mean accuracy,"):
        find("acc")


def test_the_table_has_a_line_and_a_row_per_measure():
    table = measures()
    assert len(repr(table).splitlines()) == len(table) + 1
    assert [row["name"] for row in table.to_dict()] == [measure.name for measure in ALL]
