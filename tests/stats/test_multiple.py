"""Many comparisons at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.stats.decisions import best_shares, holm, runs_alike

probabilities = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1))


@given(arrays(np.float64, st.integers(1, 7), elements=st.floats(0, 1)))
def test_holm_against_all_intersections(p):
    """Holm's is the closed test of Bonferroni's: a hypothesis falls when every set that holds it does."""
    sets = [each for size in range(1, p.size + 1) for each in combinations(range(p.size), size)]
    expected = [max(min(1.0, len(each) * p[list(each)].min()) for each in sets if i in each) for i in range(p.size)]
    assert holm(p) == pytest.approx(expected, abs=1e-15)


@given(probabilities, st.randoms(use_true_random=False))
def test_holm_does_not_mind_the_order(p, random):
    order = list(range(p.size))
    random.shuffle(order)
    assert np.array_equal(holm(p[order]), holm(p)[order])


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_runs_hold_no_two_that_are_told_apart_and_cannot_grow(m, seed):
    upper = np.triu(np.random.default_rng(seed).random((m, m)) < 0.3, 1)
    apart = upper | upper.T
    runs = runs_alike(apart)
    alike = {(i, j) for i in range(m) for j in range(i, m) if not apart[i : j + 1, i : j + 1].any()}
    longest = {(i, j) for i, j in alike if (i - 1, j) not in alike and (i, j + 1) not in alike}
    assert set(runs) == longest
    assert {at for first, last in runs for at in range(first, last + 1)} == set(range(m))


def test_the_best_of_each_row_and_ties_shared():
    draws = np.array([[1.0, 2.0, 0.0], [3.0, 3.0, 1.0], [5.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert best_shares(draws) == pytest.approx([(0 + 0.5 + 1 + 1 / 3) / 4, (1 + 0.5 + 1 / 3) / 4, 1 / 12])
