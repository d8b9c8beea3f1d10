"""What the first rows tell before any is counted: classes and their order, what scores speak of, and declared categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from adjudge import InputError, Predictions, read
from adjudge.predictions.labels import Gaps
from adjudge.predictions.schema import Schema

ROWS = {"truth": ["b", "a", "c", "a", "b"] * 4, "predicted": ["b", "a", "a", "a", "c"] * 4}
TWO = {"truth": ["no", "yes", "no", "no"] * 5, "p": np.linspace(0.1, 0.9, 20)}


def schema(source, **given) -> Schema:
    return Schema(source if isinstance(source, Predictions) else read(source, **given), Gaps())


def test_first_classes_are_in_order_with_their_cases():
    assert list(schema(ROWS).first_classes.items()) == [("a", 8), ("b", 8), ("c", 4)]
    assert list(schema(ROWS, classes=["c", "b", "a"]).first_classes) == ["c", "b", "a"]
    assert schema({"truth": [3, 10, 2] * 4, "predicted": [3, 2, 2] * 4}).first_classes == {2: 4, 3: 4, 10: 4}


def test_cases_are_counted_where_rows_stand_for_several():
    rows = {"truth": ["a", "a", "b", "b"], "predicted": ["a", "b", "a", "b"], "n": [5, 0, 2, 7]}
    assert schema(rows, count="n").first_classes == {"a": 5, "b": 9}


def test_no_decision_is_no_class():
    rows = {"truth": ROWS["truth"], "predicted": ["b", "a", "?", "a", "c"] * 4}
    assert list(schema(rows, rejected="?").first_classes) == ["a", "b", "c"]
    with pytest.raises(InputError, match="cannot be both the positive class and 'no decision'"):
        schema(rows, rejected="a", positive="a")


def test_without_scores_there_are_none():
    assert (schema(ROWS).scores.form, schema(ROWS).scores.columns) == ("none", ())


def test_one_score_speaks_of_the_positive_class():
    assert (schema(TWO).scores.form, schema(TWO).scores.classes) == ("single", ("yes",))
    assert schema(TWO, positive="no").scores.classes == ("no",)
    assert schema(TWO, scores={"no": "p"}).scores.classes == ("no",)


def test_one_score_of_a_class_that_first_rows_lack_is_of_that_class():
    assert schema({"truth": [0] * 20, "p": TWO["p"]}).scores.classes == (1,)


def test_columns_of_scores_follow_the_classes():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 20)
    rows = {**ROWS, "p_c": p[:, 2], "p_a": p[:, 0], "p_b": p[:, 1]}
    block = schema(rows, classes=["b", "c", "a"]).scores
    assert (block.form, block.classes, block.columns) == ("block", ("b", "c", "a"), ("p_b", "p_c", "p_a"))
    vector = schema(Predictions(ROWS["truth"], scores=p, classes=["a", "b", "c"])).scores
    assert (vector.form, vector.classes, vector.columns) == ("vector", ("a", "b", "c"), ("scores",))


def test_a_confidence_among_more_than_two_classes_is_left_out():
    rows = {**ROWS, "confidence": np.linspace(0.5, 0.99, 20)}
    before = schema(rows, scores="confidence", scores_are="confidence")
    assert before.scores.form == "none"
    assert before.left_out == "confidence"


def test_several_confidences_are_refused():
    source = Predictions(ROWS["truth"], ROWS["predicted"], {"a": np.ones(20), "b": np.ones(20)}, scores_are="confidence")
    with pytest.raises(InputError, match="A confidence is one number a row"):
        schema(source)


def test_declared_categories_are_classes_in_their_order_seen_or_not():
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"truth": ["low", "high"] * 10, "predicted": ["low", "low"] * 10}).astype(levels)
    before = schema(frame)
    assert before.declared == ("low", "mid", "high")
    assert before.first_classes == {"low": 10, "mid": 0, "high": 10}
    book, shown = before.book()
    assert [book.labels[code] for code in shown] == ["low", "mid", "high"]


def test_the_book_numbers_the_classes_of_scores_first_and_shows_them_as_asked():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), 20)
    book, shown = schema({**ROWS, "p_a": p[:, 0], "p_b": p[:, 1], "p_c": p[:, 2]}, classes=["c", "a", "b"]).book()
    assert [book.labels[code] for code in shown] == ["c", "a", "b"]
    book, shown = schema(TWO).book()
    assert (book.labels[0], shown) == ("yes", [])


def test_names_of_folds_are_read_apart_from_labels():
    rows = {**ROWS, "fold": np.arange(20) % 4}
    before = schema(rows)
    reader = before.names()

    one, other, again = reader.read(pa.array([3, 1, 3]), "fold", 0).tolist()
    assert one == again != other
    assert list(before.first_classes) == ["a", "b", "c"]
