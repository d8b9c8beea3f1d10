"""Rows as comma-separated text: the values of the frame, and nothing that a spreadsheet runs."""

from __future__ import annotations

import csv
import io
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile import VECTORS

import adjudge
from adjudge.render.comma_separated import comma_separated

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cells(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


@pytest.mark.parametrize("label", [*VECTORS, *(f"{sign}cmd|' /C calc'!A0" for sign in STARTS), " =1+1", "-1+cmd", "+-1", "- 1"])
def test_text_never_begins_as_a_formula(label):
    (header, value) = cells(comma_separated([{label: label}])) if label else ("", "")
    for cell in (header, value):
        assert not cell.lstrip(" ").startswith(STARTS) or float(cell) == 0  # of the vectors one is a number, -0
        assert cell.removeprefix("'") == label.removeprefix("'")


@pytest.mark.parametrize("value", [-0.5, -3, +2, 1e-300, -1e300, 0.1 + 0.2, True])
def test_numbers_stay_numbers(value):
    assert float(cells(comma_separated([{"value": value}]))[1].replace("True", "1")) == value


@pytest.mark.parametrize("label", ["-1", "+1", "-0.5", "-.5", "+1e-3", "1.", "2"])
def test_labels_that_are_numbers_stay_as_they_are(label):
    assert cells(comma_separated([{"class": label}])) == ["class", label]


def test_nothing_where_there_is_no_value_and_columns_by_their_names():
    assert comma_separated([{"a": 1, "b": None}, {"b": math.nan, "c": "x"}]) == "a,b,c\n1,,\n,,x\n"
    assert comma_separated([]) == ""
    assert comma_separated([{"a": None}, {"a": ""}]) == 'a\n""\n""\n'


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), st.integers(), st.text(max_size=5)), min_size=3), min_size=1
    )
)
def test_every_cell_can_be_read_back(rows):
    header, *told = csv.reader(io.StringIO(comma_separated(rows), newline=""))
    for row, each in zip(rows, told, strict=True):
        for name, cell in zip(header, each, strict=True):
            value = "" if row[name] is None else str(row[name])
            assert cell in (value, f"'{value}")


def test_the_rows_are_those_of_the_frame():
    evaluation = adjudge.evaluate({"truth": ["=a", "-b", "-b"] * 9, "predicted": ["=a", "-b", "=a"] * 9})
    read = pd.read_csv(io.StringIO(evaluation.to_csv()))
    frame = evaluation.to_frame("pandas")
    assert list(read.columns) == list(frame.columns)
    assert set(read["class"].dropna()) == {"'=a", "'-b"}
    pd.testing.assert_series_equal(read["value"], frame["value"], rtol=1e-15)


def test_half_a_character_is_told_by_its_escape():
    assert comma_separated([{"class": "a\ud800"}]) == "class\na\\ud800\n"
