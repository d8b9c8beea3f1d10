"""The table of residuals: the same for any parts, as near to the residuals as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.counts.residuals import BOUND, ResidualCounter, residuals_together
from adjudge.counts.sampling import MOST_CASES


def counted(truth, predicted, weight=None, first=0):
    counter = ResidualCounter(first)
    counter.add(np.asarray(truth, dtype=float), np.asarray(predicted, dtype=float), weight)
    return counter.residuals


@given(st.integers(0, 2**32), st.integers(1, 199))
def test_any_parts_give_the_same_table_and_cases(seed, cut):
    rng = np.random.default_rng(seed)
    y, f = rng.normal(size=200), rng.normal(size=200)
    whole = counted(y, f)
    parts = residuals_together([counted(y[:cut], f[:cut]), counted(y[cut:], f[cut:], first=cut)])
    assert np.array_equal(whole.keys, parts.keys)
    assert np.array_equal(whole.counts, parts.counts)
    assert np.array_equal(whole.cases.scores, parts.cases.scores)


@pytest.mark.parametrize("absolute", [False, True])
def test_quantiles_of_many_are_within_the_bound(absolute):
    rng = np.random.default_rng(3)
    n = 5 * MOST_CASES
    y, f = rng.standard_t(2, n) * 1e5, np.zeros(n)
    y[:3] = 0.0
    held = counted(y, f)
    values, weight, bound = held.ascending(absolute=absolute)
    exact = np.sort(np.abs(y) if absolute else y)
    assert bound == BOUND
    assert not held.complete
    assert held.cases.rows.size == MOST_CASES
    assert np.repeat(values, weight.astype(int)) == pytest.approx(exact, rel=BOUND)


def test_few_are_kept_whole():
    values, weight, bound = counted([1.0, 5.0, 2.5], [2.0, 5.0, 1.0]).ascending()
    assert (values.tolist(), weight.tolist(), bound) == ([-1.0, 0.0, 1.5], [1.0] * 3, 0.0)


def test_counts_of_cases_are_cases_and_other_weights_make_no_table():
    y, f = np.array([1.0, 2.0]), np.zeros(2)
    assert counted(y, f, np.array([3, 4])).counts.sum() == 7
    weighted = counted(y, f, np.array([0.5, 2.5]))
    assert weighted.keys.size == 0
    assert weighted.known  # as all cases are
    n = MOST_CASES + 1
    assert not counted(np.arange(n), np.zeros(n), np.full(n, 0.5)).known
