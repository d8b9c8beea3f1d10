"""How many cases: the least that reach the goal, by enumeration, in whole numbers and by closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from adjudge import InputError
from adjudge.judgements import sample_size as planned
from adjudge.judgements.sample_size import Wanted


def mid_p(x, n, level):
    """Return mid-P limits as the roots of their definition."""
    alpha = (1 - level) / 2

    def below(p):
        return special.bdtr(x - 1, n, p) + (special.bdtr(x, n, p) - special.bdtr(x - 1, n, p)) / 2 if x else (1 - p) ** n / 2

    low = 0.0 if x == 0 else optimize.brentq(lambda p: below(p) - (1 - alpha), 0, 1)
    return low, 1.0 if x == n else optimize.brentq(lambda p: below(p) - alpha, 0, 1)


def test_the_half_width_is_the_mean_over_all_counts_and_the_answer_the_least():
    found = planned.for_half_width(0.8, 0.2, level=0.9)
    for n in (found.cases - 1, found.cases):
        widths = [high - low for low, high in (mid_p(x, n, 0.9) for x in range(n + 1))]
        mean = float(stats.binom.pmf(np.arange(n + 1), n, 0.8) @ widths) / 2
        assert (mean <= 0.2) == (n == found.cases)
        if n == found.cases:
            assert dict(found.table)[n] == pytest.approx(mean, abs=1e-9)
    assert (found.assurance, found.total) == (None, found.cases)


def test_a_bound_is_shown_from_the_answer_on_and_not_one_case_before():
    """The exact test in fractions: half the cases right, or nine in ten."""
    found, rate, alpha = planned.for_bound(0.9, 0.5, assurance=0.8, level=0.95), Fraction(9, 10), Fraction(1, 20)

    def power(n):
        chance = [Fraction(math.comb(n, x), 2**n) for x in range(n + 1)]
        critical = next((c for c in range(n + 1) if sum(chance[c:]) <= alpha), n + 1)
        return sum(math.comb(n, x) * rate**x * (1 - rate) ** (n - x) for x in range(critical, n + 1))

    assert power(found.cases - 1) < Fraction(4, 5)
    assert all(power(n) >= Fraction(4, 5) for n in range(found.cases, found.cases + 12))
    assert dict(found.table)[found.cases] == pytest.approx(float(power(found.cases)), rel=1e-12)


@given(st.floats(0.011, 0.4), st.integers(10, 5000), st.sampled_from([1, 2, 4, 8]))
def test_half_a_width_takes_four_times_the_cases(half, pilot, times):
    found = planned.by_scaling("mcc", 0.5, half, pilot, half / times, level=0.95)
    assert found.cases == pilot * times**2
    assert found.reached * np.sqrt(found.numbers) == pytest.approx(half * math.sqrt(pilot))
    assert [n for n, _ in found.table] == sorted({max(1, round(found.cases * 2.0**k)) for k in range(-3, 3)})


def test_a_spread_that_falls_as_the_root_has_a_closed_form():
    wanted = Wanted(difference=0.06, margin=0.01, level=0.95, assurance=0.9)
    found = planned.difference_by_pilots("mcc", lambda n: 0.7 / math.sqrt(n), lambda _: 1.0, 100, wanted)
    plain = ((stats.norm.ppf(0.95) + stats.norm.ppf(0.9)) * 0.7 / 0.05) ** 2
    assert found.cases == math.ceil(plain)
    cautious = planned.difference_by_pilots("mcc", lambda n: 0.7 / math.sqrt(n), lambda _: 1.1, 100, wanted)
    assert cautious.cases == math.ceil(1.21 * plain)


@pytest.fixture
def _short_search(monkeypatch):
    """The search looks fewer numbers ahead."""
    monkeypatch.setattr("adjudge.stats.power._WINDOW", 4)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


@pytest.mark.usefixtures("_short_search")
def test_different_cases_decide_as_often_as_all_counts_say():
    """The posterior difference of two rates by quadrature, for every pair of counts."""
    found = planned.for_two(0.9, 0.4, Wanted(0.5, 0.1, 0.95, 0.8))
    n = found.cases
    x, y = (part[..., None] for part in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    above = special.betaincc(x + 0.5, n - x + 0.5, np.minimum(NODES + 0.1, 1))
    better = (stats.beta.pdf(NODES, y + 0.5, n - y + 0.5) * above) @ WEIGHTS
    chance = np.outer(stats.binom.pmf(np.arange(n + 1), n, 0.9), stats.binom.pmf(np.arange(n + 1), n, 0.4))
    assert dict(found.table)[n] == pytest.approx(chance[better >= 0.95].sum(), abs=1e-3)
    assert (found.total, found.goal, found.margin) == (2 * n, "difference", 0.1)


@pytest.mark.usefixtures("_short_search")
@pytest.mark.parametrize(("one", "other", "margin", "equivalent"), [(0.54, 0.04, 0.1, False), (0.3, 0.2, 0.5, True)])
def test_the_same_cases_decide_as_often_as_all_counts_say(one, other, margin, equivalent):
    """The posterior difference of two shares by quadrature over their sum, for every pair of counts; some are borderline."""
    found = planned.for_pair(one, other, Wanted(one - other, margin, 0.95, 0.8, equivalent))
    n = found.cases
    x, y = (part[..., None] for part in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    rest = np.maximum(n - x - y, 0)
    whole = stats.beta.pdf(NODES, x + y + 2, rest + 2) * WEIGHTS
    more, less = (special.betaincc(x + 1, y + 1, np.clip((1 + edge / NODES) / 2, 0, 1)) for edge in (margin, -margin))
    better = (whole * more).sum(axis=-1)
    likely = (whole * less).sum(axis=-1) - better if equivalent else better
    shares = [one, other, 1 - one - other]
    chance = stats.multinomial.pmf(np.stack([x[..., 0], y[..., 0], n - x[..., 0] - y[..., 0]], axis=-1), n, shares)
    assert dict(found.table)[n] == pytest.approx(chance[likely >= 0.95].sum(), abs=1e-3)
    assert (found.total, found.goal) == (n, "equivalence" if equivalent else "difference")


def test_a_class_is_a_share_of_all_cases_and_ends_that_no_number_reaches_are_none():
    found = planned.for_bound(0.9, 0.5, assurance=0.8, level=0.95, share=0.2)
    assert stats.binom.sf(found.cases - 1, found.total, 0.2) >= 0.95 > stats.binom.sf(found.cases - 1, found.total - 1, 0.2)
    assert planned.total_for(0.9, 0.5, level=0.95, assurance=0.8, share=0.2) == found.total
    assert planned.total_for(0.5, 0.5, level=0.95, assurance=0.8) is None
    assert planned.total_for(0.5, 1e-6, level=0.95, assurance=None) is None


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: planned.for_bound(0.9, 0.9, assurance=0.8, level=0.95), "An accuracy of 0.9 is not above 0.9"),
        (lambda: planned.for_bound(0.5, 0.7, assurance=0.8, level=0.95, measure="recall"), "A recall of 0.5 is not above 0.7"),
        (lambda: planned.by_scaling("mcc", 0.5, 0.1, 100, 1e-6, level=0.95), "More than 100,000,000 cases"),
        (lambda: Wanted(0.02, 0.02, 0.95, 0.8), r"difference of 0.02 lies within the equivalence margin \(ROPE\) of 0.02"),
        (lambda: Wanted(0.02, 0.02, 0.95, 0.8, equivalent=True), r"0.02 is not within an equivalence margin \(ROPE\) of 0.02"),
    ],
)
def test_what_no_number_of_cases_would_do_is_refused(ask, told):
    with pytest.raises(InputError, match=told):
        ask()


def test_thirty_cases_are_a_pilot_and_fewer_are_told():
    assert [(f.code, f.value) for f in planned.of_pilot(29)] == [("A741", 29)]
    assert not list(planned.of_pilot(30))
    assert not list(planned.of_pilot(0))
    assert [f.code for f in planned.of_pilot(5, guessed=True)] == ["A741", "A742"]


@pytest.mark.parametrize("target", [1e-200, 1e-6])
def test_limits_that_no_number_of_cases_makes_are_refused(target):
    with pytest.raises(InputError, match=r"More than 100,000,000 cases"):
        planned.by_scaling("mcc", 0.5, 0.1, 200, target, level=0.95)
