"""What score columns mean: brought to probabilities without losing a tie, or refused by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import softmax as scipy_softmax

from adjudge._base.errors import InputError
from adjudge.predictions.score_columns import brought_to_scale, softmax

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
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
    with pytest.raises(InputError, match=r"sum to 0\.993702, not to 1"):
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
    with pytest.raises(InputError, match="column 'p', row 2: the probability 9 is above 1"):
        brought_to_scale(np.array([[0.2], [9.0]]), "probabilities", ("p",), 0)


def test_one_logit_is_the_logistic_of_it():
    logits = np.array([[-2.0], [0.0], [3.0]])
    assert brought_to_scale(logits, "logits", ("s",), 0) == pytest.approx(1 / (1 + np.exp(-logits)))


def test_votes_for_one_class_alone_are_refused():
    with pytest.raises(InputError, match="votes"):
        brought_to_scale(np.array([[3.0], [7.0]]), "votes", ("s",), 0)


def test_a_certain_logit_is_a_certain_class():
    assert brought_to_scale(np.array([[np.inf, 0.0], [-np.inf, 1.0]]), "logits", ("a", "b"), 0).tolist() == [[1, 0], [0, 1]]
