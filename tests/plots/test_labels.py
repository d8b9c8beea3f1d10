"""A rounded number never claims more than the exact one."""

import math
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.levels import share
from adjudge.plots.labels import count, decimals_for, loss, named, number

shares = st.floats(0, 1)
near_the_ends = st.one_of(shares, shares.map(lambda v: v * 1e-9), shares.map(lambda v: 1 - v * 1e-9))


def shown_number(text):
    return float(re.sub(r"[<>%]", "", text))


@given(near_the_ends, st.integers(0, 6), st.integers(0, 8))
def test_a_share_says_none_or_all_only_where_it_is(value, decimals, most):
    text = share(value, decimals, most)
    assert (shown_number(text) == 0) == (value == 0)
    assert (shown_number(text) == 100) == (value == 1)


@given(near_the_ends, st.integers(0, 6))
def test_a_share_is_off_by_no_more_than_its_last_digit(value, decimals):
    text = share(value, decimals)
    assert abs(shown_number(text) - 100 * value) <= 10.0**-decimals


@given(near_the_ends, near_the_ends)
def test_a_greater_share_never_looks_smaller(a, b):
    low, high = sorted((a, b))
    assert shown_number(share(low)) <= shown_number(share(high))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9999, "99.99%"),
        (0.99949, "99.9%"),
        (1.0, "100.0%"),
        (0.0, "0.0%"),
        (-0.0, "0.0%"),
        (1e-12, "<0.0001%"),
        (math.nextafter(1, 0), ">99.9999%"),
        (0.857504, "85.8%"),
        (0.0004, "0.04%"),
        (math.nan, "undefined"),
    ],
)
def test_shares(value, text):
    assert share(value) == text


def test_a_cell_has_no_room_for_digits():
    assert [share(v, decimals=0, most=0) for v in (0, 0.001, 0.5, 0.999, 1)] == ["0%", "<1%", "50%", ">99%", "100%"]


@given(st.floats(-1, 1))
def test_a_number_reaches_its_ends_only_where_it_does(value):
    for end in (-1, 0, 1):
        assert (shown_number(number(value)) == end) == (value == end)


def test_numbers_without_a_value():
    assert number(math.inf) == loss(math.inf) == "infinite"
    assert number(-math.inf) == "-infinite"
    assert number(math.nan) == loss(math.nan) == "undefined"


def test_losses_and_counts():
    assert [loss(v) for v in (0.123456, 12.3456, 12345.6, 1e20, 0.0)] == ["0.1235", "12.35", "12,346", "1e+20", "0"]
    assert [count(v) for v in (0, 3.0, 1_000_000, 2.25, 0.001, 1e300)] == ["0", "3", "1,000,000", "2.2", "<0.1", "1e+300"]


@given(st.floats(1e-9, 1))
def test_the_ends_of_an_interval_are_told_apart(width):
    decimals = decimals_for(width)
    assert decimals == 6 or 100 * width >= 10.0**-decimals


def test_no_width_takes_the_least_digits():
    assert decimals_for(0.0) == decimals_for(math.nan) == 1


@pytest.mark.slow
@given(
    st.lists(
        st.one_of(st.text(max_size=60), st.integers(), st.floats(allow_nan=False)), max_size=8, unique_by=lambda v: (type(v), v)
    )
)
def test_different_classes_have_different_names(labels):
    names = named(labels, 12)
    assert len(set(names)) == len(labels)
    assert all(text.strip() for text in names)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for text in names for c in text)


def test_a_very_long_label_is_cut_in_the_middle():
    (name,) = named(["a" * 99_999 + "z"], 20)
    assert name == "aaaaaaaaaaaaa…aaaaaz"
    same = named(["a" * 99_999 + "z", "a" * 50_000 + "b" + "a" * 49_998 + "z"], 20)
    assert same[0] != same[1]


def test_blank_labels_are_quoted():
    assert named(["", " ", " a", "b"]) == ["''", "' '", "' a'", "b"]


def test_long_names_are_cut_between_words():
    assert named(["species number 03", "species number 04"], 16) == ["species…03", "species…04"]
    assert named(["a rather long class name of some kind"], 16) == ["a rather…kind"]
    assert named(["x" * 50], 16) == ["xxxxxxxxx…xxxxxx"]
