"""Text for readers, undefined numbers, and files written whole."""

from __future__ import annotations

import json
import math
import pickle
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.errors import InputError
from adjudge._base.files import check_place, write_together, write_whole
from adjudge._base.show import plain
from adjudge._base.text import counted, listed, safe
from adjudge._base.undefined import Undefined, ratio


@given(st.text(max_size=300))
def test_safe_text_is_one_visible_line(text):
    shown = safe(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Cs"} for c in shown)


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


def test_an_undefined_number_is_nan_with_a_reason():
    value = ratio(0, 0, "no case")
    assert math.isnan(value)
    assert value.reason == "no case"
    assert math.isnan(value + 1)
    assert pickle.loads(pickle.dumps(value)).reason == "no case"  # noqa: S301 - our own bytes


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        max_leaves=20,
    )
)
def test_everything_becomes_strict_json(value):
    json.dumps(plain(value), allow_nan=False)


def test_arrays_and_undefined_numbers_become_plain():
    assert plain({"a": np.array([1.0, np.nan, np.inf]), "u": Undefined("why")}) == {
        "a": [1.0, None, "inf"],
        "u": {"value": None, "reason": "why"},
    }


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    write_whole(target, "old")

    def fail(_source, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match="No space"):
        write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_folder_is_not_written_to(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_whole(tmp_path, "x")


# -- several files ----------------------------------------------------------------------------------------------


def _writes(text):
    return lambda place: write_whole(place, text)


def test_several_files_are_all_written(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.html"
    one.write_text("old", encoding="utf-8")
    write_together({one: _writes("1"), other: _writes("2")})
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"one.csv": "1", "other.html": "2"}


def test_where_one_of_several_files_fails_none_is_written(tmp_path):
    def fails(_):
        msg = "no"
        raise InputError(msg)

    one, other = tmp_path / "one.csv", tmp_path / "other.html"
    one.write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="no"):
        write_together({one: _writes("new"), other: fails})
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"one.csv": "old"}


def test_a_place_that_cannot_be_written_to_is_refused_beforehand(tmp_path, monkeypatch):
    check_place(tmp_path / "new.html")
    with pytest.raises(InputError, match="there is no folder"):
        check_place(tmp_path / "none" / "new.html")
    with pytest.raises(InputError, match="is a folder"):
        check_place(tmp_path)
    (tmp_path / "link.html").symlink_to(tmp_path / "new.html")
    with pytest.raises(InputError, match="symbolic link"):
        check_place(tmp_path / "link.html")
    monkeypatch.setattr("os.access", lambda *_: False)  # as of folders of other people
    with pytest.raises(InputError, match="nothing may be written"):
        check_place(tmp_path / "new.html")
