"""Sums over cases: parts add up, and are what sums written out give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.counts.moments import densities_of, joined, moments_of, summing_to_one


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
