"""Labels: every row keeps its own, whatever shortcut is taken; scores: brought to probabilities without losing a tie, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import softmax as scipy_softmax
from tests.described import refused

from adjudge import confusion
from adjudge._base.arrays import BLOCK
from adjudge._base.errors import InputError
from adjudge.predictions import readers
from adjudge.predictions.readers import brought_to_scale, interned, softmax

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
    monkeypatch.setattr(readers, "_coded", lambda *_: None)
    assert interned(objects([[1], [2]])) is None


ABC = ("p_a", "p_b", "p_c")


def matrices(elements):
    return hnp.arrays(np.float64, st.tuples(st.integers(1, 20), st.just(3)), elements=elements)


@pytest.mark.slow
@given(matrices(st.floats(-1e300, 1e300)))
def test_softmax_is_scipys_and_never_overflows(scores):
    np.testing.assert_allclose(softmax(scores), scipy_softmax(scores, axis=1), rtol=1e-12, atol=1e-300)


@pytest.mark.slow
@given(matrices(st.floats(-50, 50)), st.floats(-1000, 1000))
def test_logits_have_no_origin(scores, shift):
    np.testing.assert_allclose(
        brought_to_scale(scores + shift, "logits", ABC, 0), brought_to_scale(scores, "logits", ABC, 0), atol=1e-10
    )


@pytest.mark.slow
@given(matrices(st.integers(0, 1000).map(float)), st.integers(1, 9))
def test_votes_become_their_shares(votes, times):
    votes = votes + np.eye(3)[0]
    shares = brought_to_scale(votes, "votes", ABC, 0)
    np.testing.assert_allclose(shares, votes / votes.sum(axis=1, keepdims=True), rtol=1e-15)
    np.testing.assert_allclose(brought_to_scale(times * votes, "votes", ABC, 0), shares, rtol=1e-14)


@given(matrices(st.floats(0.01, 1)))
def test_probabilities_are_passed_on_bit_by_bit(p):
    p = p / p.sum(axis=1, keepdims=True)
    assert brought_to_scale(p, "probabilities", ABC, 0) is p
    np.testing.assert_allclose(brought_to_scale(100 * p, "percentages", ABC, 0), p, rtol=1e-15)
    single = p.astype(np.float32)
    assert brought_to_scale(single, "probabilities", ABC, 0).dtype == np.float32


@given(matrices(st.floats(allow_nan=False)))
def test_plain_scores_are_left_alone(scores):
    assert brought_to_scale(scores, "scores", ABC, 0) is scores


@pytest.mark.parametrize("decimals", [2, 3])
def test_rounded_probabilities_need_not_sum_to_one(decimals):
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 200).round(decimals)
    assert (p.sum(axis=1) != 1).any()
    assert brought_to_scale(p, "probabilities", ABC, 0) is p


def test_single_precision_may_be_off_further():
    p = np.array([[0.331234, 0.331234, 0.331234]])
    assert brought_to_scale(p.astype(np.float32), "probabilities", ABC, 0).shape == (1, 3)
    with refused("scores_are", "0.993702, not to 1"):
        brought_to_scale(p, "probabilities", ABC, 0)


@pytest.mark.parametrize(
    ("scores", "scale", "message"),
    [
        (
            [[0.2, 0.3, 0.5], [0.7123, 0.7, 0.1]],
            "probabilities",
            "row 102: the probabilities in 'p_a', 'p_b', 'p_c' sum to 1.5123",
        ),
        ([[0.2, 0.3, 0.5], [-0.2, 0.7, 0.5]], "probabilities", "column 'p_a', row 102: the probability -0.2 is below 0"),
        ([[0.2, 0.3, 0.5], [0.0, 0.0, 1.5]], "probabilities", "column 'p_c', row 102: the probability 1.5 is above 1"),
        ([[20, 30, 50], [20, 300, 50]], "percentages", "column 'p_b', row 102: the probability 3 is above 1"),
        ([[1, 2, 3], [0, 0, 0]], "votes", "row 102: all votes in 'p_a', 'p_b', 'p_c' are 0"),
        ([[1, 2, 3], [1, -1, 4]], "votes", "column 'p_b', row 102: the probability -1 is below 0"),
    ],
)
def test_what_is_no_probability_is_refused_with_its_row(scores, scale, message):
    with pytest.raises(InputError, match=message):
        brought_to_scale(np.array(scores, dtype=float), scale, ABC, 100)


def test_the_rounding_of_a_softmax_is_forgiven():
    p = np.array([[1 + 1e-9, -1e-9, 0.0]])
    assert brought_to_scale(p, "probabilities", ABC, 0) is p


def test_a_single_column_needs_no_sum():
    p = np.array([[0.2], [0.9]])
    assert brought_to_scale(p, "probabilities", ("p",), 0) is p
    with refused("scores_are", "'p', row 2:", "9", "1"):
        brought_to_scale(np.array([[0.2], [9.0]]), "probabilities", ("p",), 0)


def test_one_logit_is_the_logistic_of_it():
    logits = np.array([[-2.0], [0.0], [3.0]])
    assert brought_to_scale(logits, "logits", ("s",), 0) == pytest.approx(1 / (1 + np.exp(-logits)))


def test_votes_for_one_class_alone_are_refused():
    with refused("scores", "votes"):
        brought_to_scale(np.array([[3.0], [7.0]]), "votes", ("s",), 0)


def test_a_certain_logit_is_a_certain_class():
    assert brought_to_scale(np.array([[np.inf, 0.0], [-np.inf, 1.0]]), "logits", ("a", "b"), 0).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("kind", ["U3", object])
def test_a_masked_label_is_missing_and_not_what_lies_under_the_mask(kind):
    masked = np.ma.array(np.array(["a", "b", "a", "zzz"], dtype=kind), mask=[0, 0, 0, 1])
    assert interned(masked) is None
    with refused("missing", "1 missing value (row 4)"):
        confusion(masked, ["a", "b", "a", "b"])
