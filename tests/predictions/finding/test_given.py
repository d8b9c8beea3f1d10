"""The column that tells test rows from training rows, by its values and by its name."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.predictions.columns import Column
from adjudge.predictions.finding.given import find_split, part_of


@pytest.mark.parametrize("name", ["split", "subset", "Partition", "data_split", "fold", ".set", "train_test", "is train"])
def test_a_known_name_is_believed_where_the_first_rows_are_of_one_part(name):
    held = np.array(["train"] * 30, dtype=object)
    assert find_split([Column(name, "text", held)], None, frozenset()).name == name
    assert find_split([Column("vehicle", "text", held)], None, frozenset()) is None


@pytest.mark.parametrize(
    ("value", "column", "part"),
    [
        ("Train", "x", "training"),
        ("hold-out", "x", "test"),
        ("VAL", "x", "validation"),
        (0, "is_test", "training"),
        (0, "is_train", "test"),
        (True, "isTrain", "training"),
        ("1", "x", None),
    ],
)
def test_what_values_say(value, column, part):
    assert part_of(value, column) == part
