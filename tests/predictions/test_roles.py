"""Roles of columns: which are read, and what is printed of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.predictions.roles import Roles

names = st.sampled_from(["a", "b", "c", "d", "e"])


@given(
    names,
    st.none() | names,
    st.lists(names, max_size=4),
    st.tuples(*[st.none() | names] * 4),
    st.sampled_from([None, "a", "part"]),
)
def test_columns_are_those_with_a_role_each_once_and_in_their_order(truth, predicted, scores, others, split):
    roles = Roles(truth, predicted, tuple(enumerate(scores)), "probabilities", *others, split)
    told = [name for name in (truth, predicted, *scores, *others) if name]
    assert set(roles.columns) == set(told)
    assert len(set(roles.columns)) == len(roles.columns)
    assert [told.index(name) for name in roles.columns] == sorted(told.index(name) for name in roles.columns)


def test_the_column_that_tells_training_rows_is_not_read_again():
    assert Roles("y", "said", split="part").columns == ("y", "said")


def test_evidence_is_one_visible_line_a_role():
    told = {"truth": "column 'y\u202e\n\x1b[2J' is named so", "predicted": "x" * 2000}
    lines = str(Roles("y", evidence=told)).split("\n")
    assert lines[0] == "truth      column 'y\\u202e\\x0a\\x1b[2J' is named so"
    assert lines[1].startswith("predicted  " + "x" * 560 + "… (2,000 characters")
    assert len(lines) == 2
    assert "truth  'y'" in str(Roles("y"))
