"""Three numbers, a verdict, and how many more cases would decide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.described import refused

from adjudge import InputError
from adjudge.estimates.differences import Difference
from adjudge.judgements.comparison import Comparison, checked_margin, grown, judge_difference, more_cases, three_numbers
from adjudge.judgements.decision import verdict_of
from adjudge.metrics.catalogue import find
from adjudge.stats.paired import paired_distribution
from adjudge.stats.student import PointDistribution, StudentDistribution

ACCURACY, ERROR = find("accuracy"), find("error")


def judged(distribution, value=0.02, measure=ACCURACY, **how):
    found = Difference(0.8 + value, 0.8, distribution, "by hand")
    return judge_difference(found, measure, names=("a", "b"), cases=100, **how)


@given(st.floats(-0.5, 0.5), st.floats(0.001, 0.3), st.floats(0, 0.3))
def test_three_numbers_are_tails_of_the_distribution(mean, spread, margin):
    distribution = StudentDistribution(mean, spread)
    worse, same, better = three_numbers(distribution, margin, higher_is_better=True)
    assert better == pytest.approx(stats.norm.sf(margin, mean, spread), abs=1e-12)
    assert worse == pytest.approx(stats.norm.cdf(-margin, mean, spread), abs=1e-12)
    assert worse + same + better == pytest.approx(1)
    assert three_numbers(distribution, margin, higher_is_better=False) == pytest.approx((better, same, worse))


@pytest.mark.parametrize(
    ("at", "margin", "expected"),
    [(0.0, 0.0, (0, 1, 0)), (0.01, 0.01, (0, 1, 0)), (-0.01, 0.01, (0, 1, 0)), (0.02, 0.01, (0, 0, 1)), (-0.02, 0.0, (1, 0, 0))],
)
def test_a_number_known_for_certain(at, margin, expected):
    assert three_numbers(PointDistribution(at), margin, higher_is_better=True) == expected


@pytest.mark.parametrize(
    ("three", "verdict"),
    [
        ((0.01, 0.03, 0.96), "better"),
        ((0.96, 0.03, 0.01), "worse"),
        ((0.02, 0.96, 0.02), "equivalent"),
        ((0.1, 0.3, 0.6), "undecided"),
    ],
)
def test_a_verdict_must_be_probable(three, verdict):
    assert verdict_of(*three, 0.95) == verdict


def test_three_numbers_that_do_not_sum_are_refused():
    made = judged(StudentDistribution(0.02, 0.02))
    with pytest.raises(InputError, match="must sum to 1"):
        Comparison(**{name: getattr(made, name) for name in made.__slots__ if name != "worse"}, worse=0.9)


@given(st.floats(-0.1, 0.1), st.floats(0.005, 0.2), st.floats(0, 0.05), st.floats(0.6, 0.99), st.sampled_from([0.5, 0.8, 0.95]))
def test_more_cases_decide_as_often_as_assured_and_fewer_do_not(difference, spread, margin, level, assurance):
    distribution, n = StudentDistribution(difference, spread), 100
    needed = more_cases(distribution, difference, n, margin=margin, level=level, assurance=assurance)
    if needed is None:
        assert abs(abs(difference) - margin) < 1e-4
        return

    def often(cases):
        """How often the true verdict comes, by scipy's normal; one within the margin by quadrature over estimates."""
        s = spread * math.sqrt(n / cases)
        if abs(difference) > margin:
            return stats.norm.cdf((abs(difference) - margin) / s - stats.norm.ppf(level))
        seen = stats.norm.ppf((np.arange(4000) + 0.5) / 4000, difference, s)
        return np.mean(stats.norm.cdf(margin, seen, s) - stats.norm.cdf(-margin, seen, s) >= level)

    assert often(n + needed) >= assurance - 2e-3
    if needed > 10 and often(n) < assurance:
        assert often(n + 0.85 * needed) < assurance + 2e-3


def test_a_prior_does_not_grow_with_the_cases():
    distribution = paired_distribution([[101, 1, 1, 1]])  # two that always agree: their spread falls as 1 / n
    needed = more_cases(distribution, 0.0, 100, margin=0.01, level=0.95, assurance=0.8)
    n = 100 + needed
    grown = paired_distribution([[n + 1, 1, 1, 1]])
    assert three_numbers(grown, 0.01, higher_is_better=True)[1] >= 0.95
    assert needed < 400  # the spread scaled as 1 / sqrt(n) would ask for 1,500


def test_distributions_of_several_classes_grow_alike():
    counts = np.array([[60.0, 5.0, 2.0, 3.0], [20.0, 3.0, 3.0, 1.0]])
    mean, spread = grown(paired_distribution(counts + 1), 0.02, 7.0)
    known = paired_distribution(7 * counts + 1)
    assert (mean, spread) == pytest.approx((known.mean, math.sqrt(known.var)), rel=1e-12)


def test_the_margin_is_absolute_where_a_measure_has_ends_and_relative_where_it_has_none():
    assert checked_margin(None, ACCURACY, 0.8) == 0.01
    assert checked_margin(None, find("log_loss"), 0.8) == 0.01
    assert checked_margin(None, find("mae"), 250.0) == 2.5
    assert checked_margin(0.2, find("mae"), 250.0) == 0.2


def test_a_missing_value_is_told_with_its_reason():
    with refused("measure", "accuracy of b", "no value", "nan"):
        judge_difference(Difference(0.5, math.nan, None, ""), ACCURACY, names=("a", "b"), cases=10)


def test_less_is_better_where_it_is():
    found = judged(StudentDistribution(0.05, 0.01), 0.05, ERROR)
    assert found.verdict == "worse"
    assert found.difference == pytest.approx(0.05)
