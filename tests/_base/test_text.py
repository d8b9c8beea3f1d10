"""Text for readers is one visible line, cut and counted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile import EVERY

from adjudge._base.text import LONGEST, counted, left_to_right, listed, probable, safe, spelt_apart, unlinked


@given(st.text(max_size=300))
def test_safe_text_is_one_visible_line(text):
    shown = safe(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Cs"} for c in shown)


@pytest.mark.slow
@given(st.text(alphabet=st.characters(categories=["L", "N", "P"]), max_size=80))
def test_visible_text_is_shown_as_it_is(text):
    assert safe(text) == text


def test_long_labels_that_differ_at_the_end_are_told_apart():
    a, b = safe("x" * 1000 + "a"), safe("x" * 1000 + "b")
    assert a != b
    assert "1,001 characters" in a


def test_lists_are_cut_and_counted():
    assert listed(range(7)) == "0, 1, 2, 3, 4 and 2 more"
    assert counted(1, "class", "classes") == "1 class"
    assert [counted(1, "row"), counted(2000, "row")] == ["1 row", "2,000 rows"]


def test_escapes_are_shown_and_probabilities_are_never_certain():
    assert safe("a\x1b[2Jb\u202e\U000e0001") == "a\\x1b[2Jb\\u202e\\U000e0001"
    assert [probable(0.826), probable(0.9999), probable(1e-9, digits=3)] == ["= 0.83", "> 0.99", "< 0.001"]


@given(st.text(alphabet=st.characters(), max_size=200))
def test_what_is_safe_stays_as_it_is(text):
    assert safe(safe(text), 1000) == safe(text)


def test_every_name_is_short():
    assert max(len(safe(name)) for name in EVERY) <= LONGEST


def test_marks_need_a_letter_and_are_few_on_one():
    assert safe("e\u0301") == "e\u0301"
    assert safe("\u0301a \u0301") == "\\u0301a \\u0301"
    assert safe("a" + "\u0316" * 6) == "a" + "\u0316" * 4 + "\\u0316" * 2


def test_blanks_are_told_apart():
    assert safe("a  b\u00a0c\u3000d") == "a \\x20b\\xa0c\\u3000d"


def test_words_against_the_direction_are_fenced_off_but_for_calls_and_whole_cells():
    assert left_to_right("5 \u05d0\u05d1-\u05d2 12") == "5 \u200e\u05d0\u05d1-\u05d2\u200e 12"
    kept = "<td>\u05d0 \u05d1</td><code>f '\u05d0' 1</code>"
    assert left_to_right(kept) == kept
    assert left_to_right("no such words") == "no such words"


def test_texts_that_look_alike_are_spelt():
    assert spelt_apart(["\u00e9", "e\u0301", "x"], ["\u00e9", "e\u0301", "x"]) == ["\u00e9", "e\\u0301", "x"]
    assert listed(["a\u200b", "a\\u200b"]) == "'a\\u200b', 'a\\\\u200b'"


def test_words_do_not_become_links():
    assert unlinked("me@x #12 http://x www.x C# a@") == "me@\u2060x #\u206012 http:\u2060//x www\u2060.x C# a@"
