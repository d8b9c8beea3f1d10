"""Identities: rows meet as in a dictionary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import Predictions, read
from adjudge.predictions.alignment import side_by_side
from adjudge.predictions.matching import Identity, identity_of, matched

NAMES = ("a", "b")


def meet(*columns, **how):
    """Return columns of dicts side by side."""
    return side_by_side([read(each, row="id") for each in columns], ("a", "b", "c")[: len(columns)], **how)


def labelled(ids, truth, said):
    return {"id": ids, "truth": truth, "predicted": said}


identities = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), unique=True, min_size=1, max_size=40),
    st.lists(st.integers(0, 60), unique=True, min_size=1, max_size=40),
    st.lists(st.text(min_size=1, max_size=5), unique=True, min_size=1, max_size=40),
)


@pytest.mark.slow
@given(identities, st.randoms(use_true_random=False), st.data())
def test_cases_meet_as_in_a_dictionary(ids, random, data):
    other = [i for i in ids if data.draw(st.booleans())]
    random.shuffle(other)
    arrays = [pa.array(each, pa.int64() if isinstance(ids[0], int) else pa.large_string()) for each in (ids, other)]
    each = [Identity(name, "id", *identity_of(array)) for name, array in zip(NAMES, arrays, strict=True)]
    nothing = {"", "NA", "N/A", "#N/A", "NaN", "nan", "-nan", "<NA>", "null", "NULL", "None"}
    place = {case: i for i, case in enumerate(other)}
    expected = [(i, place[case]) for i, case in enumerate(ids) if case in place and case not in nothing]
    ours, theirs = matched(each) or [np.arange(len(ids))] * 2
    assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == expected


@pytest.mark.slow
@given(st.permutations(range(12)), st.integers(2, 4))
def test_the_order_of_rows_does_not_matter(order, k):
    rng = np.random.default_rng(3)
    truth, a, b = rng.integers(0, k, (3, 12))
    ids = np.arange(12) * 1_000_003
    straight = meet(labelled(ids, truth, a), labelled(ids, truth, b))
    order = list(order)
    mixed = meet(labelled(ids, truth, a), labelled(ids[order], truth[order], b[order]))
    assert np.array_equal(straight.said[1], mixed.said[1])
    assert np.array_equal(straight.truth, mixed.truth)


def test_padded_numbers_are_names_of_their_own():
    ids, known = identity_of(pa.array(["007", "7"]))
    assert ids.to_pylist() == ["007", "7"]
    assert known.all()


def test_whole_floats_are_numbers_and_nan_is_nobody():
    ids, known = identity_of(pa.array([1.0, float("nan"), 3.0]))
    assert ids.to_pylist() == [1, None, 3]
    assert known.tolist() == [True, False, True]


def test_rows_without_an_identity_meet_nobody():
    a = labelled(["p", None, "q", ""], list("xyxy"), list("xxxx"))
    found = side_by_side([Predictions(a["truth"], a["predicted"], row=a["id"])] * 2, NAMES)
    assert found.rows == 2
    assert found.unshared == (2, 2)
