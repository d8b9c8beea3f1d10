"""How often cases decide, against enumeration of all counts with posteriors by quadrature over scipy's Betas.

Many comparisons at once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from adjudge.stats.decisions import (
    PAIRED_PRIOR,
    Rule,
    best_shares,
    dirichlet_cumulants,
    holm,
    independent_assurance,
    paired_assurance,
    paired_moments,
    runs_alike,
)
from adjudge.stats.power import steady

POINTS = (np.arange(200) + 0.5) / 200


def rising(x: int, k: int) -> Fraction:
    return Fraction(math.prod(range(x, x + k)))


def exact_cumulants(alphas: tuple[int, ...], values: tuple[int, ...]) -> list[Fraction]:
    """Mean, variance, third and fourth cumulant, from the mixed moments of a Dirichlet as fractions."""
    raw = []
    for k in range(1, 5):
        total = Fraction(0)
        for which in product(range(len(alphas)), repeat=k):
            times = [which.count(i) for i in range(len(alphas))]
            moment = math.prod(rising(a, t) for a, t in zip(alphas, times, strict=True)) / rising(sum(alphas), k)
            total += math.prod(values[i] for i in which) * moment
        raw.append(total)
    m, a, b, c = raw
    variance = a - m**2
    fourth = c - 4 * b * m + 6 * a * m**2 - 3 * m**4
    return [m, variance, b - 3 * a * m + 2 * m**3, fourth - 3 * variance**2]


@given(st.tuples(*[st.integers(1, 30)] * 3))
def test_cumulants_are_those_of_exact_moments(alphas):
    found = dirichlet_cumulants([np.array(float(a)) for a in alphas], (1.0, -1.0, 0.0))
    known = [float(v) for v in exact_cumulants(alphas, (1, -1, 0))]
    assert [float(v) for v in (found.mean, found.variance, found.third, found.fourth)] == pytest.approx(
        known, rel=1e-9, abs=1e-15
    )


def paired_above(only_a, only_b, rest, x):
    """P(difference > x) for a flat prior of four outcomes, the share of the discordant and of a among them being Betas."""
    told = stats.beta(only_a + only_b + 2, rest + 2)
    s = told.ppf(POINTS)  # equally probable shares of discordant cases
    return float(np.mean(stats.beta.sf((1 + x / s) / 2, only_a + 1, only_b + 1)))


def enumerated_pairs(n, a, b, rule):
    """Sum over all outcomes of n cases."""
    found = 0.0
    for m in range(n + 1):
        for x in range(m + 1):
            chance = stats.multinomial.pmf([x, m - x, n - m], n, [a, b, 1 - a - b])
            if chance > 1e-6:
                better = paired_above(x, m - x, n - m, rule.margin)
                probable = paired_above(x, m - x, n - m, -rule.margin) - better if rule.equivalent else better
                found += chance * (probable >= rule.level)
    return found


@pytest.mark.parametrize(
    ("n", "a", "b", "rule"),
    [
        (14, 0.55, 0.05, Rule(0.01, 0.95)),
        (30, 0.3, 0.05, Rule(0.05, 0.95)),
        (30, 0.2, 0.1, Rule(0.0, 0.8)),
        (40, 0.05, 0.05, Rule(0.2, 0.95, equivalent=True)),
        (40, 0.12, 0.02, Rule(0.2, 0.8, equivalent=True)),
    ],
)
def test_paired_assurance_is_that_of_enumeration(n, a, b, rule):
    assert paired_assurance(n, a, b, rule) == pytest.approx(enumerated_pairs(n, a, b, rule), abs=0.02)


@pytest.mark.parametrize(
    ("n", "p", "q", "rule"), [(25, 0.9, 0.5, Rule(0.05, 0.95)), (40, 0.8, 0.8, Rule(0.25, 0.95, equivalent=True))]
)
def test_independent_assurance_is_that_of_enumeration(n, p, q, rule):
    x = np.arange(n + 1)
    quantiles = stats.beta.ppf(POINTS[:, None], x + 0.5, n - x + 0.5)  # of the better, by its count
    above = [
        np.mean(stats.beta.cdf(quantiles[:, :, None] - margin, x + 0.5, n - x + 0.5), axis=0)
        for margin in (rule.margin, -rule.margin)
    ]
    probable = above[1] - above[0] if rule.equivalent else above[0]
    chances = stats.binom.pmf(x, n, p)[:, None] * stats.binom.pmf(x, n, q)
    assert independent_assurance(n, p, q, rule) == pytest.approx(chances[probable >= rule.level].sum(), abs=0.02)


def test_many_cases_are_those_of_the_normal_formula():
    a, b, margin = 0.06, 0.04, 0.01
    z, more = stats.norm.ppf(0.95), stats.norm.ppf(0.8)
    formula = ((z + more) / (a - b - margin)) ** 2 * (a + b - (a - b) ** 2)
    found = steady(lambda n: paired_assurance(n, a, b, Rule(margin, 0.95)) >= 0.8, near=round(formula))
    assert found == pytest.approx(formula, rel=0.02)


def test_moments_of_several_classes_add_up():
    outcomes, weights = np.array([[9.0, 2.0, 47.0], [0.0, 0.0, 5.0]]), np.array([0.5, 0.5])
    each = [exact_cumulants(tuple(int(v + p) for v, p in zip(row, PAIRED_PRIOR, strict=True)), (1, -1, 0)) for row in outcomes]
    known = float(sum(c[0] for c in each) / 2), float(sum(c[1] for c in each) / 4)
    assert paired_moments(outcomes, weights) == pytest.approx(known, rel=1e-12)


@given(st.integers(1, 3000), st.floats(0.001, 0.4), st.floats(0, 0.4), st.booleans())
def test_assurance_is_a_probability(n, a, b, equivalent):
    assert -1e-9 <= paired_assurance(n, a, b, Rule(0.01, 0.95, equivalent)) <= 1 + 1e-9


def test_a_hundred_million_cases_follow_the_normal_formula():
    n, a, b, margin = 10**8, 0.0501, 0.04, 0.01
    z = (a - b - margin) / math.sqrt((a + b - (a - b) ** 2) / n) - stats.norm.ppf(0.95)
    assert paired_assurance(n, a, b, Rule(margin, 0.95)) == pytest.approx(stats.norm.cdf(z), abs=1e-3)
    assert independent_assurance(n, 0.9, 0.88, Rule(margin, 0.95)) == pytest.approx(1.0)


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
