"""Differences: stored oracles, and what must hold for any two laws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.errors import InputError
from adjudge.stats.beta import BetaLaw
from adjudge.stats.betasum import beta_sum
from adjudge.stats.transforms import difference_law

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
shape = st.one_of(st.floats(0.5, 100), st.sampled_from([0.5, 1.0, 1.5, 30.5]))


def cases(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def balanced(counts):
    tp, fn, fp, tn = counts
    return beta_sum([tp + 1, tn + 1], [fn + 1, fp + 1], [0.5, 0.5])


def check(law, case):
    expected, tolerance = case["expected"], case["tolerance"]
    near = {"abs": tolerance["atol"], "rel": tolerance["rtol"]}
    assert law.sf(0) == pytest.approx(float(expected["prob_a_better"]), **near)
    assert law.mean == pytest.approx(float(expected["mean_difference"]), **near)
    assert np.array(law.interval()) == pytest.approx(np.array(expected["diff_ci95"], dtype=float), **near)
    if "prob_a_better_by_005" in expected:
        assert law.sf(0.05) == pytest.approx(float(expected["prob_a_better_by_005"]), **near)


@pytest.mark.parametrize("case", cases("prob_better_accuracy_independent"))
def test_accuracies(case):
    i = case["inputs"]
    check(difference_law(BetaLaw(i["C_a"] + 1, i["I_a"] + 1), BetaLaw(i["C_b"] + 1, i["I_b"] + 1)), case)


@pytest.mark.parametrize("case", cases("prob_better_balanced_independent"))
def test_balanced_accuracies(case):
    check(difference_law(balanced(case["inputs"]["a"]), balanced(case["inputs"]["b"])), case)


@given(shape, shape, shape, shape, st.floats(-0.9, 0.9))
def test_the_other_way_round(a1, b1, a2, b2, x):
    first, second = BetaLaw(a1, b1), BetaLaw(a2, b2)
    law, other = difference_law(first, second), difference_law(second, first)
    assert law.sf(x) == pytest.approx(other.cdf(-x), rel=1e-8, abs=1e-13)
    assert law.support == (-1, 1)
    assert law.mean == pytest.approx(first.mean - second.mean, abs=1e-15)
    assert law.var == pytest.approx(first.var + second.var, rel=1e-12)


@given(shape, shape)
def test_a_law_against_itself(a, b):
    law = difference_law(BetaLaw(a, b), BetaLaw(a, b))
    assert law.sf(0) == pytest.approx(0.5, abs=1e-13)
    low, high = law.interval()
    assert low == pytest.approx(-high, abs=1e-12)


def test_whole_numbers_in_closed_form():
    # P(A > B) for Beta(2, 1) and Beta(1, 1): the integral of y 2y dy
    assert difference_law(BetaLaw(2, 1), BetaLaw(1, 1)).sf(0) == pytest.approx(2 / 3, abs=1e-14)


def test_a_rate_against_a_balanced_accuracy_and_a_difference_of_differences():
    rate, both = BetaLaw(30.5, 4.5), beta_sum([20.5, 7.5], [2.5, 0.5], [0.5, 0.5])
    law = difference_law(rate, both)
    again = difference_law(law, difference_law(both, rate))
    assert again.mean == pytest.approx(2 * law.mean, abs=1e-14)
    assert again.var == pytest.approx(2 * law.var, rel=1e-12)
    scaled = difference_law(beta_sum([3, 1], [9, 1], [0.5, 0]), rate)
    assert scaled.support == (-1, 0.5)


def test_a_hopeless_case_keeps_its_digits():
    # two rates with nothing in common: P(A > B) is far beneath rounding
    law = difference_law(BetaLaw(3, 999), BetaLaw(999, 3))
    assert law.logsf(0) < -1000
    assert law.logsf(0) == pytest.approx(difference_law(BetaLaw(999, 3), BetaLaw(3, 999)).logcdf(0), rel=1e-12)


def test_other_things_are_refused():
    with pytest.raises(InputError, match="got float"):
        difference_law(BetaLaw(1, 1), 0.5)
