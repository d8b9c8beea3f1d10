"""Signs and signed ranks, against enumeration, SciPy, quadrature and baycomp."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats
from tests.conftest import ORACLES

from adjudge._base.errors import InputError
from adjudge.stats import signed_ranks
from adjudge.stats.signed_ranks import (
    drawn_error,
    largest_share,
    n_differing,
    sign_test,
    signed_rank_test,
    smallest_p,
    wilcoxon_p,
)

BAYCOMP = json.loads((ORACLES / "baycomp_sets.json").read_text(encoding="utf-8"))
thousandths = st.lists(st.integers(-40, 40).map(lambda k: k / 1000), min_size=2, max_size=12)
margins = st.sampled_from([0.0, 0.001, 0.01, 0.02])


def enumerated_p(differences, *, split=False):
    """Return the share of all patterns of signs that lie as far out, one side doubled."""
    ranks = stats.rankdata(np.abs(differences))
    zero = np.array(differences) == 0
    shift = ranks[zero].sum() / 2 if split else 0.0
    ranks, signs = ranks[~zero], np.sign(differences)[~zero]
    sums = [shift + ranks[np.array(up, dtype=bool)].sum() for up in itertools.product([0, 1], repeat=ranks.size)]
    seen = shift + ranks[signs > 0].sum()
    low, high = np.mean(np.array(sums) <= seen + 1e-9), np.mean(np.array(sums) >= seen - 1e-9)
    return min(1.0, 2 * min(low, high))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9), st.booleans())
def test_ties_and_zeros_agree_with_enumeration_whether_zeros_are_left_out_or_split(differences, split):
    assert wilcoxon_p(np.array(differences, dtype=float)) == pytest.approx(enumerated_p(differences, split=split), rel=1e-12)


@given(st.sets(st.integers(1, 1000), min_size=1, max_size=120), st.randoms(use_true_random=False))
def test_agrees_with_scipy_exact_without_ties(sizes, chance):
    differences = np.array([chance.choice([-1, 1]) * size for size in sorted(sizes)], dtype=float)
    assert wilcoxon_p(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


def test_agrees_with_scipys_normal_law_above():
    rng = np.random.default_rng(5)
    for shift in (0.0, 0.1, 0.3):
        differences = np.round(rng.normal(shift, 1, signed_ranks.EXACT_UP_TO + 60), 1)  # ties and zeros
        wanted = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic", correction=True).pvalue
        assert wilcoxon_p(differences) == pytest.approx(wanted, rel=1e-10)


def test_normal_and_exact_meet():
    differences = np.random.default_rng(1).normal(0.1, 1, signed_ranks.EXACT_UP_TO + 1)
    exact = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon_p(differences) == pytest.approx(exact, abs=1e-3)


def test_the_rounding_of_a_subtraction_unties_nothing():
    a, b = np.array([0.3, 0.2, 0.9, 0.5, 0.4]), np.array([0.2, 0.1, 0.8, 0.6, 0.4])
    assert np.unique(np.abs(a - b)).size > 2
    assert wilcoxon_p(a - b) == enumerated_p([1, 1, 1, -1, 0])


def test_all_equal_and_the_least_p_value():
    assert wilcoxon_p(np.zeros(7)) == 1.0
    assert n_differing(np.array([0.0, 0.1, -0.1, 0.0])) == 2
    for n in range(1, 12):
        assert wilcoxon_p(np.arange(1.0, n + 1)) == smallest_p(n)
    assert smallest_p(0) == 1.0


def mp_largest(own, others):
    """Return P(Gamma(own) > max of the others) with 30 digits."""
    with mp.workdps(30):

        def part(t):
            x = mp.e**t
            value = mp.e ** (own * t - x) / mp.gamma(own)
            for a in others:
                value *= mp.gammainc(a, 0, x, regularized=True)
            return value

        return float(mp.quad(part, mp.linspace(-30, 8, 40)))


@pytest.mark.slow
@pytest.mark.parametrize("weights", [(1, 1, 1), (3, 1, 12), (4, 7.5, 2), (60, 3.25, 48), (2, 0.6, 1)])
def test_largest_share_agrees_with_quadrature_of_many_digits(weights):
    wanted = [mp_largest(weights[k], [w for at, w in enumerate(weights) if at != k]) for k in range(3)]
    assert largest_share(*weights) == pytest.approx(wanted, rel=1e-11)


@given(st.floats(0.2, 3000), st.floats(0.2, 3000))
def test_of_two_shares_the_law_is_a_beta(first, second):
    worse, same, better = largest_share(first, second, 0.0)
    assert better == 0
    assert worse == pytest.approx(stats.beta.sf(0.5, first, second), abs=1e-11)
    assert worse + same == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("case", BAYCOMP["cases"], ids=lambda case: case["name"])
def test_sign_test_agrees_with_baycomp(case):
    found = sign_test(np.array(case["differences"]), margin=case["rope"])
    for ours, theirs in zip(found, case["sign"], strict=True):
        # baycomp adds 1e-4 to every parameter, which moves a probability by less than that
        assert ours == pytest.approx(theirs, abs=4.5 * drawn_error(ours, BAYCOMP["draws"]) + 1e-4)


@pytest.mark.parametrize("case", BAYCOMP["cases"], ids=lambda case: case["name"])
def test_signed_rank_test_agrees_with_baycomp(case):
    found = signed_rank_test(np.array(case["differences"]), np.random.default_rng(0), margin=case["rope"])
    for ours, theirs in zip(found, case["signed_rank"], strict=True):
        both = math.hypot(drawn_error(theirs), drawn_error(theirs, BAYCOMP["draws"]))
        assert ours == pytest.approx(theirs, abs=4.5 * both)


@pytest.mark.parametrize(("sets", "prior"), [(1, 0.5), (1, 3.0), (3, 0.5), (4, 5.0)])
def test_where_all_are_better_only_the_prior_speaks_against(sets, prior):
    # then the share in the margin is w0^2, with w0 of law Beta(prior, sets)
    found = signed_rank_test(np.linspace(1, 2, sets), np.random.default_rng(3), margin=0.1, prior=prior)
    wanted = stats.beta.cdf(math.sqrt(0.5), prior, sets)
    assert found[0] == 0
    assert found[2] == pytest.approx(wanted, abs=4.5 * drawn_error(wanted))


@example([0.001, -0.001], 0.0)
@given(thousandths, margins)
def test_neither_the_order_nor_the_names_matter(differences, margin):
    def judged(values):
        d = np.array(values)
        drawn = signed_rank_test(d, np.random.default_rng(7), margin=margin, draws=300)
        return wilcoxon_p(d), sign_test(d, margin=margin), drawn

    p, sign, drawn = judged(differences)
    assert judged([*differences[:0:-1], differences[0]]) == (p, sign, drawn)
    mirrored = judged([-d for d in differences])
    assert mirrored[0] == p
    assert mirrored[1] == pytest.approx(sign[::-1], abs=1e-14)
    assert mirrored[2] == pytest.approx(drawn[::-1], abs=1e-14)


@given(thousandths)
def test_three_numbers_sum_to_one_and_a_wider_margin_holds_more(differences):
    d = np.array(differences)
    for test in (sign_test, lambda v, margin: signed_rank_test(v, np.random.default_rng(2), margin=margin, draws=300)):
        found = [test(d, margin=margin) for margin in (0.001, 0.005, 0.02, 0.05)]
        assert [sum(three) for three in found] == pytest.approx([1.0] * 4, abs=1e-12)
        same = [three[1] for three in found]
        assert same == sorted(same)
        assert same[-1] == 1.0


def test_draws_in_blocks_are_all_counted(monkeypatch):
    monkeypatch.setattr(signed_ranks, "_BLOCK", 40)
    found = signed_rank_test(np.array([0.1, -0.2, 0.3]), np.random.default_rng(2), margin=0.01, draws=1003)
    assert sum(found) == pytest.approx(1)


def test_no_difference_and_no_margin_favours_nobody():
    assert signed_rank_test(np.zeros(4), np.random.default_rng(0), draws=100) == (0.5, 0.0, 0.5)
    assert sign_test(np.zeros(4)) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_an_impossible_margin_is_refused(margin):
    with pytest.raises(InputError, match="margin must be a finite number of at least 0"):
        sign_test(np.array([0.1, 0.2]), margin=margin)


def test_a_prior_of_nothing_is_refused():
    with pytest.raises(InputError, match="prior must be a finite number above 0, got 0"):
        signed_rank_test(np.array([0.1, 0.2]), np.random.default_rng(0), prior=0)
