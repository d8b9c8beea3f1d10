from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import InputError, Predictions, evaluate, read, report
from adjudge.predictions.native import arrow_of, frame_columns, held


@pytest.mark.parametrize(
    "values",
    [5, None, 2.5, np.float64(1), np.array(3), "abc", b"abc", {1, 2}, {"a": 1}, (letter for letter in "ab"), iter([1])],
    ids=lambda values: type(values).__name__,
)
def test_what_is_no_column_is_refused_with_advice(values):
    with pytest.raises(InputError, match=r"one value per case"):
        arrow_of("truth", values)


@pytest.mark.parametrize("values", [[2**70, 1], np.array([2**70, 1], dtype=object), [-(2**64)]])
def test_whole_numbers_beyond_64_bits_are_refused(values):
    with pytest.raises(InputError, match=r"'x' .*64 bits; .*text"):
        arrow_of("x", values)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.period_range("2020", "2022", freq="Y")),
        pd.Series(pd.interval_range(0, 3)),
        pd.period_range("2020", "2022", freq="Y"),
        np.array([1 + 2j]),
        pl.Series([object()], dtype=pl.Object),
        [object()],
        [1, "a"],
    ],
    ids=lambda values: str(getattr(values, "dtype", type(values).__name__)),
)
def test_types_nobody_can_read_are_an_input_error(values):
    with pytest.raises(InputError, match="column 'x'"):
        arrow_of("x", held(values))


def test_a_type_nobody_can_read_is_named():
    with pytest.raises(InputError, match=r"'x' .*type period\[Y-DEC\]"):
        arrow_of("x", held(pd.Series(pd.period_range("2020", "2022", freq="Y"))))


@pytest.mark.parametrize("values", [[1, 2], (1, 2), range(2), np.arange(2), pd.Index([1, 2]), pd.array([1, None], dtype="Int64")])
def test_what_holds_one_value_per_case_is_read(values):
    assert len(arrow_of("x", held(values))) == 2


def test_a_scalar_is_refused_wherever_it_is_given():
    with pytest.raises(InputError, match="one value per case"):
        evaluate(Predictions(5, [1, 2]))
    with pytest.raises(InputError, match="one value per case"):
        evaluate(Predictions((v for v in "ab"), ["a", "b"]))


@pytest.mark.parametrize("columns", [[1, "1"], ["a", "a"]])
def test_names_that_are_the_same_as_text_are_refused(columns):
    with pytest.raises(InputError, match="more than once"):
        frame_columns(pd.DataFrame([[1, 2]], columns=columns))


@pytest.mark.parametrize(
    "frame", [pd.DataFrame([["a", "a"]] * 9, columns=["truth", "truth"]), pa.table([["a"], ["a"]], names=["y", "y"])]
)
def test_a_frame_that_names_a_column_twice_is_refused_wherever_it_is_given(frame):
    for call in (evaluate, report, read):
        with pytest.raises(InputError, match=r"names (columns more than once: )?'(truth|y)'( more than once|\. Name each)"):
            call(frame)
    with pytest.raises(InputError, match="more than once"):
        evaluate(["a"] * len(frame), frame)


def test_values_that_arrow_cannot_hold_are_refused_with_what_to_give():
    with pytest.raises(InputError, match=r"cannot be read: .*[^.]\. Give its values as text or numbers"):
        evaluate(np.array([1 + 2j, 2] * 9), [1, 2] * 9)


@pytest.mark.parametrize("half", ["\ud800", "a\udcff"])
def test_half_a_character_is_refused_by_its_escape_wherever_it_stands(half):
    for source in (([half, "b"] * 9, ["b", half] * 9), ({"truth": [half, "b"] * 9, "predicted": ["b", half] * 9},)):
        with pytest.raises(InputError, match=r"holds '.*\\ud[8c]..', which is no text in Unicode"):
            evaluate(*source)


def test_whole_numbers_may_name_columns():
    assert list(frame_columns(pd.DataFrame([[1, 2]], columns=[0, 1]))) == ["0", "1"]


def test_a_column_that_cannot_be_read_is_left_out_of_a_frame():
    frame = pd.DataFrame(
        {"truth": ["a", "b"] * 9, "predicted": ["a", "b"] * 9, "when": pd.period_range("2020", periods=18, freq="M")}
    )
    assert read(frame).roles.predicted == "predicted"
    assert evaluate(frame).estimates["accuracy"].value == 1
