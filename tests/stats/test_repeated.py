"""Components of variance against sums of squares in full and truths of a simulation; kappa against statsmodels' formula by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.repeated import components, fleiss_kappa

CASES = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)).map(lambda pair: (pair[0], min(pair))), min_size=2, max_size=12)


@given(CASES)
def test_components_are_those_of_an_analysis_of_variance_row_by_row(cases):
    n, right = np.array(cases, dtype=float).T
    rows = [np.repeat([1.0, 0.0], [int(k), int(m - k)]) for m, k in zip(n, right, strict=True)]
    every, groups, whole = np.concatenate(rows), len(rows), int(n.sum())
    found = components(right, n)
    if whole == groups:
        assert math.isnan(found.between)
        assert math.isnan(found.within)
        return
    among = sum(each.size * (each.mean() - every.mean()) ** 2 for each in rows) / (groups - 1)
    within = sum(((each - each.mean()) ** 2).sum() for each in rows) / (whole - groups)
    typical = (whole - (n**2).sum() / whole) / (groups - 1)
    assert found.within == pytest.approx(within, abs=1e-12)
    assert found.between == pytest.approx(max((among - within) / typical, 0), abs=1e-12)
    assert found.clamped == (among - within < 0) or abs(among - within) < 1e-12


def test_unequal_runs_keep_the_mean_of_the_estimate():
    rng = np.random.default_rng(0)
    n = np.tile([2.0, 3.0, 8.0], 40)
    share = rng.beta(3, 1, size=(2000, n.size))
    right = rng.binomial(n.astype(int), share).astype(float)
    each = [components(row, n) for row in right]
    # of a beta (3, 1): variance of the share 3/80, mean variance of an answer within a case 3/20
    assert np.mean([one.between for one in each]) == pytest.approx(3 / 80, rel=0.02)
    assert np.mean([one.within for one in each]) == pytest.approx(3 / 20, rel=0.01)


def test_one_case_or_one_answer_a_case_tells_nothing():
    assert math.isnan(components(np.array([1.0]), np.array([3.0])).within)
    assert math.isnan(components(np.array([1.0, 0.0]), np.array([1.0, 1.0])).share)


def test_the_table_of_fleiss():
    # the example of Fleiss (1971) as it is commonly printed: 10 subjects, 14 raters, 5 categories, kappa .210
    table = np.array([[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1], [7, 7, 0, 0, 0],
                      [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]])  # fmt: skip
    agreeing = (table * (table - 1)).sum(axis=1).astype(float)
    kappa = fleiss_kappa(agreeing, table.sum(axis=1).astype(float), table.sum(axis=0) / table.sum())
    assert kappa == pytest.approx(0.210, abs=5e-4)


def test_answers_of_one_class_have_no_kappa():
    assert math.isnan(fleiss_kappa(np.array([6.0]), np.array([3.0]), np.array([1.0])))
    assert math.isnan(fleiss_kappa(np.array([0.0]), np.array([1.0]), np.array([0.5, 0.5])))
