"""Predictions gone through block by block: the same tables as all cases at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, Predictions
from adjudge.counts.passes import BlockPasses, TableCounter, densities_of, joined, moments_of, summing_to_one
from adjudge.stats.ranking import auc_of, tabulate

RNG = np.random.default_rng(4)
SCORES, HIT = RNG.random(600), RNG.random(600) < 0.4


def grown(most):
    counter = TableCounter(most)
    for part in np.split(np.arange(600), 12):
        counter.add(SCORES[part], HIT[part], None)
    return counter.table()


def test_a_table_that_grows_is_that_of_all_scores():
    whole, table = tabulate(SCORES, HIT), grown(None)
    np.testing.assert_array_equal(table.values, whole.values)
    np.testing.assert_array_equal(table.positives, whole.positives)


def test_a_table_with_little_room_is_binned_within_its_bound():
    table = grown(100)
    assert table.values.size <= 100
    assert abs(auc_of(table) - auc_of(tabulate(SCORES, HIT))) <= table.bound


def test_decisions_that_were_not_made_are_neither_right_nor_wrong():
    p = np.array([0.9, 0.2, 0.6])
    predictions = Predictions(["a", "b", "a"], ["a", "?", "a"], {"a": p, "b": 1 - p}, rejected="?")
    with pytest.raises(InputError, match="were not decided"):
        BlockPasses(predictions).sure()


@pytest.mark.parametrize(("scores", "parameter"), [(None, "scores"), ([3.0, -2.0, 5.0], "scores_are")])
def test_what_are_no_probabilities_is_refused(scores, parameter):
    with pytest.raises(InputError) as error:
        BlockPasses(Predictions([1, 0, 1], [1, 0, 1], scores)).moments()
    assert error.value.parameter == parameter


@given(st.integers(0, 2**31), st.integers(1, 30), st.integers(0, 30), st.booleans())
def test_parts_add_up_to_sums_written_out(seed, n, cut, weighted):
    rng = np.random.default_rng(seed)
    p, truth, w = rng.dirichlet([1, 1, 1], n), rng.integers(0, 3, n), rng.integers(0, 3, n) * 0.5
    weight = w if weighted else None
    whole = joined(
        (moments_of(p[at], truth[at], None if weight is None else weight[at]) for at in (slice(cut), slice(cut, None))), 3
    )
    w = w if weighted else np.ones(n)
    assert whole.cases == np.count_nonzero(w)
    assert whole.size == pytest.approx(w.sum())
    assert whole.squares == pytest.approx((w**2).sum())
    np.testing.assert_allclose(whole.by_class, [(w[truth == c, None] * p[truth == c]).sum(axis=0) for c in range(3)], atol=1e-12)
    np.testing.assert_allclose(whole.gram, sum((w[i] * np.outer(p[i], p[i]) for i in range(n)), np.zeros((3, 3))), atol=1e-12)


def test_weights_multiplied_and_classes_turned():
    m = moments_of(np.array([[0.75, 0.25], [0.0, 1.0]]), np.array([0, 1]), np.array([1.0, 2.0]))
    assert m.certain == 2
    assert (m.times(3).size, m.times(3).squares) == (9, 45)
    np.testing.assert_array_equal(m.ordered([1, 0]).by_class, m.by_class[::-1, ::-1])


def test_densities_are_those_of_a_mixture():
    rng = np.random.default_rng(3)
    p, w, v = rng.dirichlet([1, 1, 1], 20), np.r_[0.0, rng.random(19)], np.array([0.5, 1.0, 2.0])
    found, d = densities_of(p, w, v), p @ v
    assert found.log == pytest.approx((w * np.log(d)).sum())
    np.testing.assert_allclose(found.first, (w / d) @ p)
    np.testing.assert_allclose(found.second, (p * (w / d**2)[:, None]).T @ p)


def test_rows_that_sum_to_one_stay_as_they_are():
    p = np.array([[0.1, 0.9], [0.5, 0.5]])
    assert summing_to_one(p) is p
    np.testing.assert_allclose(summing_to_one(np.array([[1.0, 3.0], [-1e-12, 1.0]])), [[0.25, 0.75], [0, 1]])
