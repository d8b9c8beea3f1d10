"""Interning: whatever shortcut is taken, every row keeps its label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge._base.arrays import BLOCK
from adjudge.predictions import label_columns
from adjudge.predictions.label_columns import interned

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def labels_of(found):
    codes, distinct = found
    return [distinct[code] for code in codes]


@given(st.lists(text, min_size=1, max_size=80))
def test_fixed_width_text_comes_back_as_numpy_shows_it(values):
    array = np.array(values)
    found = interned(array)
    assert found is None or labels_of(found) == array.tolist()
    assert found is not None or not array.dtype.itemsize


@pytest.mark.slow
@given(st.lists(st.one_of(text, st.integers(), st.booleans(), st.none()), min_size=1, max_size=80))
def test_objects_come_back_as_they_are(values):
    assert labels_of(interned(objects(values))) == values


@given(st.lists(text, min_size=1, max_size=40))
def test_equal_objects_at_different_addresses_are_equal_labels(values):
    copies = [("" + v[:1]) + v[1:] for v in values]
    assert labels_of(interned(objects(copies))) == values


@pytest.mark.parametrize("shared", ["", "a very long common beginning ", "\u05e9" * 20])
def test_labels_that_differ_in_one_place_only_are_told_apart(shared):
    names = np.array([f"{shared}{i:04d} tail" for i in range(500)])
    array = names[np.random.default_rng(0).integers(0, 500, 5000)]
    assert labels_of(interned(array)) == array.tolist()


def test_a_difference_first_seen_after_the_first_block_is_told():
    # the first block differs in the last letter only, so only that one is hashed at first
    array = np.array(["common a", "common b"])[np.arange(BLOCK + 100) % 2]
    array[BLOCK + 50] = "Common a"
    found = interned(array)
    assert found[1][found[0][BLOCK + 50]] == "Common a"
    assert labels_of(found) == array.tolist()


def test_a_longer_label_first_seen_late_is_told():
    array = np.array(["a"] * (BLOCK + 10), dtype="U5")
    array[-1] = "a   b"
    assert labels_of(interned(array)) == array.tolist()


def test_objects_first_seen_in_the_last_block_are_told():
    values = objects(["x", "y"] * (BLOCK // 2) + ["z", None])
    assert labels_of(interned(values)) == values.tolist()


@pytest.mark.parametrize("n", [1, 255, 256, 257, 1000, 4096])
def test_up_to_the_limit_every_label_has_a_code(n):
    array = np.array([f"{i:x}" for i in range(n)])
    for values in (array, objects(array.tolist())):
        found = interned(values)
        assert found is not None
        assert labels_of(found) == array.tolist()
        assert len({*found[1]}) == n


def test_too_many_labels_are_left_to_arrow():
    array = np.array([str(i) for i in range(4097)])
    assert interned(array) is None
    assert interned(objects(array.tolist())) is None


@pytest.mark.parametrize(
    "array",
    [
        np.array([], dtype="U3"),
        np.array([["a", "b"]]),
        np.array(["a", "b", "c", "d"])[::2],
        np.array(["a", "b"]).astype(">U1"),
        np.array([1, 2]),
        np.array([b"a", b"b"]),
    ],
    ids=["empty", "two dimensions", "strided", "foreign bytes", "numbers", "bytes"],
)
def test_what_it_cannot_read_directly_is_left_alone(array):
    assert interned(array) is None


def test_labels_that_cannot_be_keys_are_left_alone(monkeypatch):
    monkeypatch.setattr(label_columns, "_by_identity", lambda _: None)
    assert interned(objects([[1], [2]])) is None


@pytest.mark.slow
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=300))
def test_keys_that_meet_in_a_slot_make_the_table_wider(keys):
    array = np.array(keys, dtype=np.uint64)
    found = label_columns._coded(array)
    if found is None:  # keys that agree in their first twenty bits
        assert len({key >> 44 for key in keys}) < len({*keys})
    else:
        codes, first = found
        assert array[np.array(first)[codes]].tolist() == keys


def test_keys_that_cannot_be_told_apart_by_their_slot_are_given_up():
    assert label_columns._coded(np.array([0, 1], dtype=np.uint64)) is None
    assert label_columns._coded(np.array([0], dtype=np.uint64)) is not None
