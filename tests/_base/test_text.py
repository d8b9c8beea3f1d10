"""Text for readers is one visible line, cut and counted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.text import counted, listed, probable, safe


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
