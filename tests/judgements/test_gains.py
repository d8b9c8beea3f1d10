"""Cumulative gain and lift against counting by hand, ties in every order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from adjudge import Predictions, count, evaluate
from adjudge.judgements.gains import DEPTHS


def judged(truth, score, **how):
    return evaluate(Predictions(truth, scores=score, positive=1, **how)).gains


def test_ties_are_what_random_orders_find_on_average():
    truth, score = np.array([1, 0, 1, 1, 0, 0, 1, 0]), np.array([0.9, 0.9, 0.9, 0.4, 0.4, 0.2, 0.2, 0.2])
    gains, found = judged(truth, score), np.zeros(truth.size + 1)
    groups = [np.flatnonzero(score == value) for value in (0.9, 0.4, 0.2)]
    orders = [[*a, *b, *c] for a in permutations(groups[0]) for b in permutations(groups[1]) for c in permutations(groups[2])]
    for order in orders:
        found += np.append(0, np.cumsum(truth[list(order)])) / truth.sum() / len(orders)
    np.testing.assert_allclose(gains.at(np.arange(truth.size + 1) / truth.size), found, atol=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 1000)), min_size=2, max_size=60, unique_by=lambda each: each[1]))
def test_untied_scores_are_taken_one_by_one(rows):
    truth, score = np.array([int(t) for t, _ in rows]), np.array([s / 1000 for _, s in rows])
    if not 0 < truth.sum() < truth.size:
        return
    gains = judged(truth, score)
    taken = np.arange(truth.size + 1) / truth.size
    expected = np.append(0, np.cumsum(truth[np.argsort(-score)])) / truth.sum()
    np.testing.assert_allclose(gains.at(taken), expected, atol=1e-12)
    assert gains.taken[[0, -1]].tolist() == gains.found[[0, -1]].tolist() == [0, 1]


def test_lift_is_the_share_found_over_the_share_taken_with_wilsons_interval():
    rng = np.random.default_rng(0)
    truth = (rng.random(1000) < 0.1).astype(int)
    score = rng.permutation(1000) / 1000 * 0.5 + 0.4 * truth
    gains = judged(truth, score)
    order, positives = np.argsort(-score, kind="stable"), int(truth.sum())
    for depth, each in zip(DEPTHS, gains.lifts, strict=True):
        hits = int(truth[order[: round(1000 * depth)]].sum())
        assert each.found == pytest.approx(hits / positives, abs=1e-12)
        assert each.lift == pytest.approx(truth[order[: round(1000 * depth)]].mean() / truth.mean())
        assert (each.low, each.high) == pytest.approx(tuple(binomtest(hits, positives).proportion_ci(0.95, "wilson")), abs=1e-9)
        assert each.interval == (each.low / depth, each.high / depth)


def test_one_tiny_perfect_class_among_many():
    truth = np.zeros(20_000, dtype=int)
    truth[:3] = 1
    gains = judged(truth, np.where(truth == 1, 0.9, 0.1))
    assert [each.found for each in gains.lifts] == [1, 1, 1, 1]
    assert [each.lift for each in gains.lifts] == pytest.approx([100, 20, 10, 5])
    assert gains.prevalence == 3 / 20_000


def test_counts_of_rows_give_the_same_as_the_rows():
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 500), rng.integers(0, 30, 500) / 30
    whole = judged(truth, score)
    counted = evaluate(count(Predictions(truth, scores=score, positive=1))).gains
    np.testing.assert_array_equal(whole.taken, counted.taken)
    np.testing.assert_array_equal(whole.found, counted.found)


def test_without_scores_there_is_none():
    assert evaluate(Predictions([0, 1, 1], [0, 1, 0])).gains is None
