"""Three numbers, a verdict, and how many more cases would decide."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge import InputError
from adjudge.estimates.differences import Difference
from adjudge.judgements.comparison import Comparison, checked_rope, judge_difference, more_cases, three_numbers, verdict_of
from adjudge.judgements.ranking import two_sided
from adjudge.metrics.catalogue import find
from adjudge.stats.normal import NormalLaw
from adjudge.stats.student import PointLaw

ACCURACY, ERROR = find("accuracy"), find("error")


def judged(law, value=0.02, measure=ACCURACY, **how):
    found = Difference(0.8 + value, 0.8, law, "by hand")
    return judge_difference(found, measure, names=("a", "b"), cases=100, **how)


@given(st.floats(-0.5, 0.5), st.floats(0.001, 0.3), st.floats(0, 0.3))
def test_three_numbers_are_tails_of_the_law(mean, spread, rope):
    law = NormalLaw(mean, spread)
    worse, same, better = three_numbers(law, rope, higher_is_better=True)
    assert better == pytest.approx(stats.norm.sf(rope, mean, spread), abs=1e-12)
    assert worse == pytest.approx(stats.norm.cdf(-rope, mean, spread), abs=1e-12)
    assert worse + same + better == pytest.approx(1)
    assert three_numbers(law, rope, higher_is_better=False) == pytest.approx((better, same, worse))


@pytest.mark.parametrize(
    ("at", "rope", "expected"),
    [(0.0, 0.0, (0, 1, 0)), (0.01, 0.01, (0, 1, 0)), (-0.01, 0.01, (0, 1, 0)), (0.02, 0.01, (0, 0, 1)), (-0.02, 0.0, (1, 0, 0))],
)
def test_a_number_known_for_certain(at, rope, expected):
    assert three_numbers(PointLaw(at), rope, higher_is_better=True) == expected


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
    made = judged(NormalLaw(0.02, 0.02))
    with pytest.raises(InputError, match="must sum to 1"):
        Comparison(**{name: getattr(made, name) for name in made.__slots__ if name != "worse"}, worse=0.9)


@given(st.floats(-0.1, 0.1), st.floats(0.005, 0.2), st.floats(0, 0.05), st.floats(0.6, 0.99))
def test_more_cases_would_decide_and_fewer_would_not(difference, spread, rope, level):
    law, n = NormalLaw(difference, spread), 100
    needed = more_cases(law, difference, rope, level, n)
    if needed is None:
        assert abs(abs(difference) - rope) < 1e-4
        return

    def best(cases):
        grown = NormalLaw(difference, spread * math.sqrt(n / cases))
        return max(three_numbers(grown, rope, higher_is_better=True))

    assert best(n + needed) >= level - 1e-3
    if needed > 10:
        assert best(n + 0.85 * needed) < level + 1e-3


def test_the_rope_is_absolute_where_a_measure_has_ends_and_relative_where_it_has_none():
    assert checked_rope(None, ACCURACY, 0.8) == 0.01
    assert checked_rope(None, find("log_loss"), 0.8) == 0.01
    assert checked_rope(None, find("mae"), 250.0) == 2.5
    assert checked_rope(0.2, find("mae"), 250.0) == 0.2


def test_a_missing_value_is_told_with_its_reason():
    with pytest.raises(InputError, match=r"accuracy of b has no value to compare: it is nan"):
        judge_difference(Difference(0.5, math.nan, None, ""), ACCURACY, names=("a", "b"), cases=10)


def test_p_values_for_rankings():
    assert two_sided(judged(PointLaw(0.0), 0.0)) == 1
    assert two_sided(judged(PointLaw(0.02))) == 0
    assert two_sided(judged(NormalLaw(0.02, 0.01))) == pytest.approx(2 * stats.norm.sf(2))
    assert two_sided(judged(NormalLaw(0.02, 0.01), p_value=0.5)) == 0.5


def test_less_is_better_where_it_is():
    found = judged(NormalLaw(0.05, 0.01), 0.05, ERROR)
    assert found.verdict == "worse"
    assert found.difference == pytest.approx(0.05)
