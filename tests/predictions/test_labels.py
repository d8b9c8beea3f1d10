"""Labels as class numbers: the distributions of the codebook."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.described import refused

from adjudge._base.errors import InputError
from adjudge.predictions import labels as module
from adjudge.predictions.labels import (
    MISSING,
    Codebook,
    UnknownLabelError,
    bare,
    describe,
    lookalikes,
    ordered,
    parse,
    text_of,
    whole,
)

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
label = st.one_of(st.text(max_size=4), st.integers(-50, 50), st.booleans(), st.none(), st.floats(-5, 5).map(round).map(float))


@pytest.mark.slow
@given(st.lists(label, max_size=60))
def test_equal_labels_and_no_others_share_a_code(values):
    book = Codebook()
    codes = [book.code(v) for v in values]
    expected = {}  # a dictionary has the same idea of equality
    for value, code in zip(values, codes, strict=True):
        assert code == (MISSING if value is None else expected.setdefault(value, len(expected)))
    assert len(book) == len(expected)
    assert [book.code(v) for v in values] == codes


def test_true_is_one_and_text_is_neither():
    book = Codebook()
    assert book.code(1) == book.code(True) == book.code(1.0) == book.code(np.int8(1)) != book.code("1")


@pytest.mark.slow
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=50), st.lists(st.integers(-100, 100), max_size=20))
def test_whole_numbers_get_the_codes_they_would_get_one_by_one(values, known):
    slow, fast = Codebook(), Codebook()
    for value in known:
        slow.code(value)
        fast.code(value)
    codes = fast.encode_whole(np.array(values))
    assert [fast.labels[code] for code in codes] == values
    assert {*fast.labels} == {*known, *values}
    assert fast.labels[: len(slow)] == slow.labels


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("int8", [-100, 127, 5]),
        ("int8", [-60, 60, 5]),
        ("uint8", [0, 255, 7]),
        ("uint8", [100, 255, 7]),
        ("int16", [-30000, 32767, 5]),
        ("int16", [-300, 300, 5]),
        ("uint16", [0, 65535, 9]),
        ("int32", [-(2**31), 2**31 - 1, 0]),
        ("int32", [2**31 - 3, 2**31 - 1]),
        ("uint32", [2**32 - 1, 2**32 - 5]),
        ("int64", [-(2**63), 2**63 - 1, 0]),
        ("int64", [-(2**63), -(2**63) + 9]),
        ("uint64", [2**64 - 1, 2**64 - 7]),
        ("uint64", [2**64 - 1, 0]),
    ],
)
def test_the_ends_of_every_type_are_labels(name, values):
    book = Codebook()
    codes = book.encode_whole(np.array(values, dtype=name))
    assert [book.labels[code] for code in codes] == values
    assert book.encode_whole(np.empty(0, dtype=name)).size == 0


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=10), st.data())
def test_a_dictionary_of_labels_may_name_one_twice_and_point_to_nothing(values, data):
    indices = data.draw(st.lists(st.integers(0, len(values)), min_size=1, max_size=30))
    book = Codebook()
    codes = book.encode_values(values, np.array(indices), cells=False)
    pointed = [values[i] if i < len(values) else None for i in indices]
    assert [None if code == MISSING else book.labels[code] for code in codes] == pointed


@pytest.mark.parametrize(
    ("cell", "meant"),
    [("1", 1), ("1.0", 1), ("-3", -3), ("007", "007"), ("-0", "-0"), ("1.5", "1.5"), ("1e3", "1e3"), ("+1", "+1"), ("TRUE", True),
     ("false", False), ("t", "t"), ("", None), ("NA", None), ("nan", None), ("null", None), (" ", " "), ("a", "a"),
     ("9" * 30, int("9" * 30)), ("١", "١"),
     ("1١", "1١")],
)  # fmt: skip
def test_a_cell_means_a_whole_number_a_truth_value_nothing_or_text(cell, meant):
    assert parse(cell) == meant
    assert type(parse(cell)) is type(meant)


def test_a_column_of_cells_that_mixes_numbers_and_text_is_text():
    book = Codebook()
    book.encode_values(["1.0", "007", "x"], np.array([0, 1, 2]), cells=True)
    assert book.labels == ["1.0", "007", "x"]


def test_header_names_are_met_by_labels_of_any_type():
    book = Codebook.of(["0", "1"], named=True)
    assert (book.code(1), book.code(0.0), book.code(True), book.labels) == (1, 0, 1, [0.0, 1])
    assert Codebook.of(["0", "1"], named=True).labels == ["0", "1"]


def test_header_names_of_numbers_are_met_by_truth_values():
    book = Codebook.of(["0", "1"], named=True)
    assert (book.code(True), book.code(False), len(book)) == (1, 0, 2)


def test_a_closed_book_learns_nothing():
    book = Codebook.of(["a", "b"], closed=True)
    assert [book.code(v) for v in ("b", "a", None)] == [1, 0, MISSING]
    with pytest.raises(UnknownLabelError, match=r"'c'.*not among .*'a', 'b'"):
        book.code("c")


@pytest.mark.parametrize("classes", [["a", "a"], [1, 1.0], [1, "1"], [True, 1]])
def test_a_class_listed_twice_is_refused(classes):
    with pytest.raises(InputError, match="listed twice"):
        Codebook.of(classes)


def test_more_labels_than_classes_can_be_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CLASSES", 3)
    with refused("truth", "More than 3 different labels"):
        Codebook().encode_whole(np.arange(4))


@pytest.mark.slow
@given(st.lists(st.one_of(st.text(max_size=3), st.integers(), st.booleans(), st.floats(allow_nan=False)), max_size=20))
def test_labels_have_one_order(values):
    found = ordered(values)
    assert ordered(reversed(values)) == found
    texts = [v for v in found if isinstance(v, str)]
    numbers = [v for v in found if not isinstance(v, str)]
    assert found == [*sorted(numbers), *sorted(texts)]


@pytest.mark.slow
@given(st.lists(st.integers(-(2**53) + 1, 2**53 - 1), max_size=30))
def test_whole_floats_are_whole_numbers(values):
    assert whole(np.array(values, dtype=float), "y").tolist() == values


@pytest.mark.parametrize(
    ("bad", "message"), [(0.5, "holds 0.5 among its labels"), (np.inf, "holds inf"), (2.0**53, r"beyond 2\^53")]
)
def test_floats_that_are_no_label_are_refused(bad, message):
    with pytest.raises(InputError, match=message):
        whole(np.array([1.0, bad]), "y")


def test_a_name_is_written_as_a_header_would():
    assert [text_of(v) for v in (1.0, 1, np.float32(2), "x", True)] == ["1", "1", "2", "x", "True"]


def test_labels_that_look_alike_are_found():
    assert lookalikes(["B", "b ", "c", 1, "é", "é"]) == [("B", "b "), ("é", "é")]


@pytest.mark.parametrize(
    "text",
    ["ill\u00a0", "\u200bill", "i\u200dll", "\ufeffill", "ill\t", " Ill", "\uff49ll", "ILL\u3000"],
    ids=["no-break space", "zero width", "joiner", "byte order mark", "tab", "case", "full width", "wide space"],
)
def test_labels_that_differ_by_what_is_not_seen_look_alike(text):
    assert lookalikes(["ill", "x", text]) == [("ill", text)]
    assert lookalikes(["very ill", "very\u00a0ill", "very  ill"]) == [("very ill", "very\u00a0ill", "very  ill")]


def test_bare_texts_stay_themselves_where_all_is_seen():
    assert [bare(text) for text in ("a b", "\u00e9t\u00e9", "A", "", "\U0001f600")] == [
        "a b",
        "\u00e9t\u00e9",
        "A",
        "",
        "\U0001f600",
    ]
    assert bare("e\u0301") == bare("\u00e9")


def test_a_message_counts_the_labels():
    assert describe(["a", 2], [1500, 3]) == "'a' (1,500), 2 (3)"
    assert describe(list(range(10)), [1] * 10).endswith("and 2 more classes")
