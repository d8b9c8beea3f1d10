"""What the first rows of a column say of it."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.predictions.columns import Column


def texts(name, values):
    return Column(name, "text", np.array(values, dtype=object))


@pytest.mark.parametrize(
    ("kind", "values", "labels", "continuous", "unit"),
    [
        ("int", [2.0, 0.0, np.nan, 2.0], (0, 2), False, False),
        ("bool", [1.0, 0.0], (False, True), False, True),
        ("float", [0.25, 1.0], (), True, True),
        ("float", [3.0, 1.0], (1, 3), False, False),
        ("float", [np.nan, np.inf], (), False, False),
    ],
)
def test_numbers_are_labels_where_all_are_whole(kind, values, labels, continuous, unit):
    column = Column("x", kind, np.array(values))
    assert (column.labels, column.continuous, column.unit) == (labels, continuous, unit)
    assert [type(label) for label in column.labels] == [bool if kind == "bool" else int] * len(labels)


def test_labels_are_compared_by_their_text_and_coded_by_place():
    column = Column("x", "int", np.array([1.0, 0.0, np.nan]))
    assert column.key_set == {"0", "1"}
    assert column.codes({"1": 0, "0": 1}, fold=False).tolist() == [0, 1, -1]
    assert texts("x", ["A", "b", None]).codes({"a": 0, "b": 1}, fold=True).tolist() == [0, 1, -1]
    assert texts("x", ["a", "A"]).folded == frozenset()


def test_cells_that_are_no_numbers_are_told_with_their_rows_where_most_are():
    assert texts("score", ["0.2", "0,5", "oops", None]).strays == (("oops", 3),)
    assert texts("score", ["0.2", "0.5", "oops"]).spoilt
    assert not texts("place", ["0.2", "0.5", "oops"]).spoilt
    assert texts("score", ["1", "2", "oops"]).strays == ()


def test_a_name_or_few_labels_make_a_column_of_classes():
    assert texts("place", ["a", "b"]).label_like
    assert not texts("patient_id", ["a", "b"]).label_like
    many = [str(i) + "x" for i in range(30)]
    assert not texts("place", many).label_like
    assert texts("y_true", many).label_like
    assert Column("raw_margin", "float", np.array([0.5])).raw
