"""The variance of a mean over splits that share training rows."""

from __future__ import annotations

import json
import statistics
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from adjudge import InputError
from adjudge.stats.student import (
    PointLaw,
    StudentLaw,
    corrected_limits,
    corrected_variance,
    correlated_law,
    inflation,
    mean_and_spread,
)

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = [c for c in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if c["quantity"] == "nadeau_bengio"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_agrees_with_the_worked_cases(case):
    values, ratio = np.array(case["inputs"]["differences"]), case["inputs"]["test_train_ratio"]
    expected, tolerance = case["expected"], case["tolerance"]
    share = ratio / (1 + ratio)
    variance = corrected_variance(values, test_share=share)
    assert variance == pytest.approx(float(expected["var_corrected"]), rel=tolerance["rtol"])
    t = values.mean() / np.sqrt(variance)
    assert t == pytest.approx(float(expected["t"]), rel=tolerance["rtol"])
    assert 2 * student.sf(abs(t), values.size - 1) == pytest.approx(float(expected["p_two_sided"]), rel=tolerance["rtol"])
    limits = [float(v) for v in expected["ci95"]]
    assert corrected_limits(values, test_share=share) == pytest.approx(limits, rel=tolerance["rtol"])


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0.01, 0.9))
def test_the_correction_never_shrinks_the_variance(values, share):
    d = np.array(values)
    assert corrected_variance(d, test_share=share) >= d.var(ddof=1) / d.size


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=20).filter(lambda v: np.std(v) > 1e-6), st.floats(0.5, 0.99))
def test_with_next_to_nothing_tested_the_textbook_interval_returns(values, level):
    d = np.array(values)
    textbook = ttest_1samp(d, 0).confidence_interval(level)
    assert corrected_limits(d, test_share=1e-12, level=level) == pytest.approx((textbook.low, textbook.high), rel=1e-6, abs=1e-9)


def test_a_percentage_and_a_single_value_are_refused_with_advice():
    with pytest.raises(InputError, match=r"got 10\. Ten folds test 0\.1"):
        corrected_variance(np.array([0.1, 0.2]), test_share=10)
    with pytest.raises(InputError, match="at least two of them, got 1"):
        corrected_variance(np.array([0.1]), test_share=0.1)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda v: max(v) > min(v)), st.integers(-900, 900))
def test_mean_and_spread_are_exact_on_any_scale(values, power):
    d = np.ldexp(np.array(values), power)
    mean, spread = mean_and_spread(d)
    exact = [Fraction(v) for v in d.tolist()]
    unit = max(abs(v) for v in exact)
    assert mean == pytest.approx(float(statistics.mean(exact)), rel=1e-12, abs=1e-14 * float(unit))
    if spread > 1e-290:  # below it, floats have fewer digits
        relative = statistics.variance([v / unit for v in exact])
        assert (spread / float(unit)) ** 2 == pytest.approx(float(relative), rel=1e-9, abs=1e-28)


@given(st.floats(-1e300, 1e300), st.integers(2, 200))
def test_equal_values_have_no_spread(value, n):
    assert mean_and_spread(np.full(n, value)) == (value, 0.0)


@given(st.integers(2, 100), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_the_inflation_is_that_of_nadeau_and_bengio(splits, share):
    expected = Fraction(1, splits) + share / (1 - share)
    assert inflation(splits, test_share=float(share)) == pytest.approx(float(expected), rel=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda v: np.std(v) > 1e-6), st.floats(0.01, 0.9))
def test_the_law_has_the_corrected_limits(values, share):
    d = np.array(values)
    law = correlated_law(d, test_share=share)
    assert isinstance(law, StudentLaw)
    assert law.interval(0.9) == pytest.approx(corrected_limits(d, test_share=share, level=0.9), rel=1e-9, abs=1e-12)


def test_values_all_alike_leave_no_doubt():
    assert correlated_law(np.full(10, 0.1), test_share=0.1) == PointLaw(0.1)
