"""Groups that are right equally often, against scipy's chi-square of one table and the moments of every arrangement."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2 as chi2_law
from scipy.stats import chi2_contingency

from adjudge.stats.power import right_alike

PAIRS = st.lists(st.tuples(st.integers(1, 40), st.floats(0.05, 0.95)), min_size=2, max_size=6)


@given(PAIRS)
def test_one_stratum_is_pearsons_chi_square_but_for_a_case(pairs):
    cases = np.array([n for n, _ in pairs], dtype=float)
    right = np.round(cases * [p for _, p in pairs])
    if not 0 < right.sum() < cases.sum():
        return
    pearson = chi2_contingency(np.stack([right, cases - right]), correction=False)
    found, df, p = right_alike(right[None], cases[None])
    assert df == pearson.dof
    assert found == pytest.approx(pearson.statistic * (cases.sum() - 1) / cases.sum(), rel=1e-9, abs=1e-9)
    assert p == pytest.approx(chi2_law.sf(found, df), rel=1e-9)


def arrangements(cases, right):
    """Every way in which `right` of the cases of one stratum fall into its groups, with its probability."""
    for way in product(*(range(n + 1) for n in cases)):
        if sum(way) == right:
            yield (
                np.array(way, dtype=float),
                np.prod([comb(n, r) for n, r in zip(cases, way, strict=True)]) / comb(sum(cases), right),
            )


def test_several_strata_have_the_moments_of_every_arrangement():
    cases, right = [(4, 3, 2), (1, 5, 3)], [(3, 1, 2), (0, 4, 1)]
    mean, spread = np.zeros(3), np.zeros((3, 3))
    for n, r in zip(cases, right, strict=True):
        ways = list(arrangements(n, sum(r)))
        middle = sum(p * way for way, p in ways)
        mean += middle
        spread += sum(p * np.outer(way - middle, way - middle) for way, p in ways)
    surplus = np.sum(right, axis=0) - mean
    wanted = surplus[:2] @ np.linalg.solve(spread[:2, :2], surplus[:2])  # the last group follows from the others
    found, df, p = right_alike(np.array(right, dtype=float), np.array(cases, dtype=float))
    assert (found, df) == (pytest.approx(wanted, rel=1e-12), 2)
    assert p == pytest.approx(chi2_law.sf(wanted, 2), rel=1e-12)


def test_groups_that_share_no_class_cannot_be_compared():
    found, df, p = right_alike(np.array([[5.0, 0.0], [0.0, 7.0]]), np.array([[9.0, 0.0], [0.0, 9.0]]))
    assert (found, df) == (0.0, 0)
    assert np.isnan(p)


def test_a_mix_of_classes_is_no_difference_between_groups():
    # both groups find 90% of one class and 50% of the other, but one has mostly the first
    cases = np.array([[100.0, 20.0], [20.0, 100.0]])
    right = cases * np.array([[0.9], [0.5]])
    assert right_alike(right, cases)[2] == pytest.approx(1.0)
    assert right_alike(right.sum(axis=0)[None], cases.sum(axis=0)[None])[2] < 1e-4


@pytest.mark.slow
def test_the_p_value_is_small_no_more_often_than_it_says():
    rng, cases = np.random.default_rng(0), np.array([[30, 12, 25, 9], [8, 40, 15, 22]])
    p = [right_alike(rng.binomial(cases, [[0.8], [0.6]]), cases)[2] for _ in range(4000)]
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(p) <= level) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 4000))
