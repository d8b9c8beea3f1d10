"""A file of cases to learn from: numbers as they are, texts as codes, and what is no feature or no target is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from adjudge import InputError
from adjudge.resampling.features import Features, read_features, understanding_text


def test_texts_become_codes_in_the_order_of_the_alphabet(write_csv):
    columns = {"x": [1.5, 2.0, 3.0], "colour": ["red", "", "blue"], "who": ["p", "q", "p"], "y": [1, 0, 1]}
    read = read_features(write_csv(columns), target="y", groups="who")
    assert read.coded == (1,)
    assert read.X.tolist() == [[1.5, 2.0], [2.0, 0.0], [3.0, 1.0]]
    assert (read.y.tolist(), read.y.dtype) == ([1, 0, 1], np.int64)
    assert read.groups.tolist() == ["p", "q", "p"]


def test_a_target_of_fractions_or_texts_stays_one(write_csv):
    columns = {"x": [1, 2, 3], "share": [0.5, 1.0, 2.0], "label": ["a", "b", "a"]}
    path = write_csv(columns)
    assert read_features(path, target="share", leave_out=["label"]).y.tolist() == [0.5, 1.0, 2.0]
    assert read_features(path, target="label", leave_out=["share"]).y.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("columns", "options", "told"),
    [
        ({"x": [1, 2], "y": [0, 1]}, {"target": "z"}, "There is no column 'z'; there are 'x', 'y'."),
        ({"x": [1, 2], "y": [0, 1]}, {"target": "y", "leave_out": ["x"]}, "No column is left as a feature"),
        ({"x": [1, 2, 3], "y": ["a", "", "b"]}, {"target": "y"}, "Column 'y' is empty in 1 of 3 rows"),
        ({"x": [f"t{i}" for i in range(1001)], "y": [0] * 1001}, {"target": "y"}, r"1,001 different texts.* leave_out=\."),
        ({"x": [*range(6000), "oops"], "y": [0] * 6001}, {"target": "y"}, r"begins with numbers but holds 'oops' in row 6,001"),
    ],
)
def test_what_is_no_feature_or_no_target_is_refused(write_csv, columns, options, told):
    with pytest.raises(InputError, match=told):
        read_features(write_csv(columns), **options)


def test_a_learner_sees_a_column_for_each_value_of_a_text():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, 90).astype(float)
    read = Features(np.column_stack([rng.normal(size=90), code]), (code == 1).astype(int), None, (1,))
    assert understanding_text(GaussianNB(), read).fit(read.X, read.y).score(read.X, read.y) == 1
    plain = GaussianNB()
    assert understanding_text(plain, Features(read.X, read.y, None, ())) is plain
