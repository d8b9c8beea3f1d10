from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from adjudge import InputError, Predictions, evaluate, read
from adjudge.predictions.in_memory import are_numbers, identity_of, number_blocks

MANY = list(range(30))
NOBODY = Predictions(["a"], ["a"])


def blocks(**columns):
    how = columns.pop("missing", "error")
    return list(number_blocks(Predictions(**columns, missing=how)))


@pytest.mark.parametrize(
    ("truth", "predicted", "expected"),
    [
        ([1.5, 2.0], [1.0, 2.0], True),
        ([1, 2], [1.5, 2.0], False),  # few whole numbers may be classes
        (MANY, [v + 0.5 for v in MANY], True),
        (MANY, MANY, False),
        ([Decimal("1.5"), Decimal(2)], [Decimal(1), Decimal(2)], True),
        (["a", "b"], [0.5, 1.5], False),
        ([True, False], [0.5, 0.25], False),
    ],
)
def test_arrays_are_numbers_by_what_they_hold(truth, predicted, expected):
    assert are_numbers(Predictions(truth, predicted)) is expected


def test_roles_that_were_found_say_what_the_task_is(write_csv):
    numbers = read(write_csv({"y_true": MANY, "y_pred": [v + 0.5 for v in MANY]}))
    classes = read(write_csv({"y_true": ["a", "b"] * 5, "y_pred": ["a", "b"] * 5}, "classes.csv"))
    assert (numbers.roles.numeric, classes.roles.numeric) == (True, False)
    assert (are_numbers(numbers), are_numbers(classes)) == (True, False)
    assert Predictions([1.5], [2.0]).roles.numeric is None


def test_whole_truths_with_fractions_predicted_are_judged_by_their_losses(write_csv):
    found = evaluate(write_csv({"y_true": MANY, "y_pred": [v + 0.5 for v in MANY]}))
    assert found.estimates["mae"].value == pytest.approx(0.5)


@pytest.mark.parametrize(("weight", "shown"), [(-1, "-1"), (float("inf"), "inf"), (float("nan"), "nan")])
def test_a_useless_weight_is_named(weight, shown):
    with pytest.raises(InputError, match=rf"'weight', row 3: .*weight {shown} .*0\."):
        blocks(truth=[1.5, 2.5, 3.5], predicted=[1.0, 2.0, 3.0], weight=[1, 2, weight])


@pytest.mark.parametrize("column", ["truth", "predicted"])
def test_missing_numbers_are_refused_with_the_remedy_or_dropped(column):
    columns = {"truth": [1.5, 2.5, 3.5], "predicted": [1.0, 2.0, 3.0], "weight": [1.0, 2.0, 3.0]}
    columns[column] = [1.5, None, 3.5]
    with pytest.raises(InputError, match=rf"'{column}' .*1 missing .*\(row 2\); .*missing=.drop."):
        blocks(**columns)
    ((truth, predicted, weight, *_),) = blocks(**columns, missing="drop")
    assert truth.tolist() == [1.5, 3.5]
    assert predicted.size == 2
    assert weight.tolist() == [1.0, 3.0]


def test_infinite_numbers_are_refused_even_when_missing_ones_are_dropped():
    with pytest.raises(InputError, match=r"row 2: inf .*finite number"):
        blocks(truth=[1.5, np.inf], predicted=[1.0, 2.0], missing="drop")


def test_when_every_number_is_missing_no_rows_are_left():
    with pytest.raises(InputError, match=r"no rows left .*2"):
        blocks(truth=[np.nan, 1.5], predicted=[1.0, np.nan], missing="drop")


def test_decimals_are_numbers_in_blocks():
    ((truth, *_),) = blocks(truth=pa.array([Decimal("1.25")]), predicted=[1.0])
    assert truth.tolist() == [1.25]


def test_padded_numbers_are_names_of_their_own():
    ids, known = identity_of(pa.array(["007", "7"]), NOBODY)
    assert ids.to_pylist() == ["007", "7"]
    assert known.all()


def test_whole_floats_are_numbers_and_nan_is_nobody():
    ids, known = identity_of(pa.array([1.0, float("nan"), 3.0]), NOBODY)
    assert ids.to_pylist() == [1, None, 3]
    assert known.tolist() == [True, False, True]
