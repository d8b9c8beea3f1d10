"""Paired differences: stored oracles, exact sums of negative binomials, quadrature, draws and the distributions every difference obeys."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.sparing import some

from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.paired import OneClass, paired_distribution
from adjudge.stats.paired_sums import waves

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))

alpha = st.one_of(st.floats(0.25, 60), st.sampled_from([0.25, 0.5, 1.0, 2.0, 1000.0]))
row = st.tuples(alpha, alpha, alpha, alpha).map(list)
several = st.lists(st.tuples(*[st.floats(1, 60)] * 4).map(list), min_size=2, max_size=4)
somewhere = st.floats(-0.95, 0.95)


def cases(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def above(p, q, r, x):
    """P(D > x) for x >= 0 and whole p: (1 - x) G_p beats the other two Gammas when they bring fewer than p events."""
    x = mpmath.mpf(x)
    first = [mpmath.rf(q, k) / mpmath.factorial(k) * ((1 + x) / 2) ** k * ((1 - x) / 2) ** q for k in range(p)]
    other = [mpmath.rf(r, k) / mpmath.factorial(k) * x**k * (1 - x) ** r for k in range(p)]
    return mpmath.fsum(first[i] * other[k - i] for k in range(p) for i in range(k + 1))


def by_quadrature(p, q, r, x):
    """P(D > x) for x >= 0: over S, the share of cases that tell a from b."""
    p, q, r, x = (mpmath.mpf(number) for number in (p, q, r, x))

    def height(s):
        lead = mpmath.betainc(q, p, 0, max(0, (1 - x / s) / 2), regularized=True)
        return s ** (p + q - 1) * (1 - s) ** (r - 1) / mpmath.beta(p + q, r) * lead

    return mpmath.quad(height, [x, *(x * 10**k for k in range(1, 6) if x * 10**k < 1), 1])


@pytest.mark.parametrize("case", cases("prob_better_accuracy_paired"))
def test_stored_differences_of_accuracy(case):
    given_, expected, near = case["inputs"], case["expected"], case["tolerance"]
    counts = [given_[name] for name in ("both_right", "only_a_right", "only_b_right", "both_wrong")]
    distribution = paired_distribution([np.add(counts, given_["prior"])])
    found = {
        "prob_a_better": distribution.sf(0), "mean_difference": distribution.mean, "var_difference": distribution.var,
        "prob_abs_diff_below_005": distribution.cdf(0.05) - distribution.cdf(-0.05),
    }  # fmt: skip
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(float(value), abs=near["atol"], rel=near["rtol"]), name


@pytest.mark.parametrize("case", cases("prob_better_balanced_paired"))
def test_stored_differences_of_balanced_accuracy(case):
    given_, expected, near = case["inputs"], case["expected"], case["tolerance"]
    distribution = paired_distribution([np.add(given_[name], given_["prior"]) for name in ("positive_class", "negative_class")])
    assert distribution.sf(0) == pytest.approx(float(expected["prob_a_better"]), abs=near["atol"], rel=near["rtol"])
    assert distribution.mean == pytest.approx(float(expected["mean_difference"]), abs=near["atol"], rel=near["rtol"])


@pytest.mark.parametrize(
    ("p", "q", "r", "points"),
    [
        (10, 3, 46, [0.0, 0.1, 0.3, 0.6, 0.9, 0.99]), (1, 1, 2, [0.0, 1e-9, 0.3, 0.999]), (2, 0.25, 1.5, [1e-6, 0.2, 0.9]),
        (40, 300, 77, [0.0, 0.2, 0.7]), (1, 1, 1e9, [1e-10, 1e-9, 1e-7]), (20, 3.5, 1e9, [0.0, 1e-8, 3e-8, 1e-7]),
        (100, 1e8, 1e9, [0.0]), (1, 0.0625, 0.125, [0.01, 0.5, 0.99]), (60, 1, 0.5, [0.5, 0.9, 0.97, 0.999]), (1, 1000, 2, [0.0, 0.3]),
    ],
)  # fmt: skip
def test_one_class_keeps_the_digits_of_both_tails(p, q, r, points):
    distribution, other = paired_distribution([[r / 2, p, q, r / 2]]), paired_distribution([[r / 2, q, p, r / 2]])
    with mpmath.workdps(60):
        exact = [above(p, q, r, x) for x in points]
        logs = [float(mpmath.log(value)) for value in exact]
        below = [float(1 - value) for value in exact]
    assert distribution.logsf(points) == pytest.approx(np.array(logs), rel=1e-13, abs=1e-13)
    assert other.logcdf(-np.array(points)) == pytest.approx(np.array(logs), rel=1e-13, abs=1e-13)
    assert distribution.cdf(points) == pytest.approx(np.array(below), rel=1e-12, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "q", "r"), some([(40, 120, 300), (1, 300, 303), (0.25, 100, 1003), (3, 150, 801), (2, 93, 1331), (1, 200, 40)], 3)
)
def test_one_class_keeps_the_digits_between_its_mean_and_zero(p, q, r):
    distribution = paired_distribution([[r / 2, p, q, r / 2]])
    points = distribution.mean * np.array([0.9, 0.5, 0.2, 0.01])
    with mpmath.workdps(300):
        exact = [float(mpmath.log(1 - above(q, p, r, -x))) for x in points]
    assert distribution.logsf(points) == pytest.approx(np.array(exact), rel=1e-13, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q", "r"), some([(0.5, 0.25, 3.0), (0.25, 0.25, 0.5), (7.3, 2.1, 0.75), (0.75, 4.5, 30.0)], 2))
def test_one_class_with_any_prior(p, q, r):
    points = np.array([0.001, 0.1, 0.5, 0.9])
    with mpmath.workdps(30):
        exact = [float(by_quadrature(p, q, r, x)) for x in points]
    assert paired_distribution([[r / 2, p, q, r / 2]]).sf(points) == pytest.approx(np.array(exact), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q", "r"), [(10, 3, 46.0), (1, 1, 2.0), (3, 0.5, 0.75), (2, 7, 1e6)])
def test_density_is_the_slope_of_the_exact_tail(p, q, r):
    distribution = paired_distribution([[r / 2, p, q, r / 2]])
    points = [distribution.isf(tail) for tail in (0.3, 0.01, 1e-6) if distribution.isf(tail) > 0]
    with mpmath.workdps(40):
        exact = [-float(mpmath.diff(lambda x: above(p, q, r, x), point, h=mpmath.mpf(10) ** -18)) for point in points]
    assert distribution.pdf(points) == pytest.approx(np.array(exact), rel=1e-11)


def test_density_has_its_closed_form_at_zero():
    # both Gammas equal: E(1/S) / 2 times the density of Beta(p, q) at 1/2
    p, q, r = 4.0, 2.5, 11.0
    expected = stats.beta(p + q, r).expect(lambda s: 1 / s) / 2 * stats.beta(p, q).pdf(0.5)
    distribution = paired_distribution([[r - 1, p, q, 1]])
    assert distribution.pdf(0.0) == pytest.approx(expected, rel=1e-9)
    assert distribution.pdf([-1e-9, 1e-9]) == pytest.approx(expected, rel=1e-6)
    assert paired_distribution([[3, 0.5, 0.5, 1]]).pdf(0.0) == math.inf


def polynomial(p, q, r):
    """Return the coefficients of P(D > x), 0 <= x <= 1, for whole numbers: `above` multiplied out."""
    x = np.polynomial.Polynomial([Fraction(0), Fraction(1)])
    total = np.polynomial.Polynomial([Fraction(0)])
    for k in range(p):
        for i in range(k + 1):
            factor = Fraction(math.comb(q + i - 1, i) * math.comb(r + k - i - 1, k - i), 2 ** (i + q))
            total = total + factor * (1 + x) ** i * (1 - x) ** q * x ** (k - i) * (1 - x) ** r
    return [Fraction(value) for value in total.coef]


def value(coefficients, x):
    result = mpmath.mpf(0)
    for number in reversed(coefficients):
        result = result * x + mpmath.mpf(number.numerator) / number.denominator
    return result


class Exact:
    """One class with whole parameters: a polynomial on either side of 0."""

    def __init__(self, both, only_a, only_b, neither):
        self.up = polynomial(only_a, only_b, both + neither)
        self.down = polynomial(only_b, only_a, both + neither)

    def sf(self, x):
        if abs(x) >= 1:
            return mpmath.mpf(x < 0)
        return value(self.up, x) if x >= 0 else 1 - value(self.down, -x)

    def pdf(self, x):
        side = self.up if x >= 0 else self.down
        slope = [-k * number for k, number in enumerate(side)][1:]
        return value(slope, abs(x))


def exact_sum(first, second, x):
    """P((D + E) / 2 > x), piece by piece between the kinks, where Gauss-Legendre is exact for polynomials."""
    marks = sorted({-1, 0, 1, *(max(-1, min(1, 2 * x - mark)) for mark in (-1, 0, 1))})
    inner = mpmath.fsum(
        mpmath.quad(lambda u: first.pdf(u) * second.sf(2 * x - u), [low, high], method="gauss-legendre")
        for low, high in pairwise(marks)
    )
    return float(inner)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 1, 1, 1], [1, 1, 1, 1]), ([4, 1, 2, 1], [2, 3, 1, 1]),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (([6, 4, 2, 3], [1, 1, 1, 1]), ([9, 1, 1, 6], [5, 2, 1, 3]), ([5, 4, 3, 2], [2, 6, 4, 2]), ([36, 1, 1, 3], [1, 1, 1, 1]), ([30, 1, 2, 1], [30, 2, 1, 1]))),
    ],
)  # fmt: skip
def test_two_classes_against_exact_polynomials(first, second):
    distribution = paired_distribution([first, second])
    points = [-0.6, -0.25, -1e-3, 0.0, 0.1, 0.31, 0.5, 0.7]
    with mpmath.workdps(25):
        exact = [exact_sum(Exact(*first), Exact(*second), mpmath.mpf(x)) for x in points]
    assert distribution.sf(points) == pytest.approx(np.array(exact), abs=1e-11)
    assert distribution.cdf(points) == pytest.approx(1 - np.array(exact), abs=1e-11)


def pieces(low, high, inside):
    """Return Gauss nodes and weights on every piece of (low, high) between the points inside it: (rows, nodes)."""
    ends = [np.broadcast_to(end, inside[..., :1].shape) for end in (low, high)]
    edges = np.sort(np.concatenate([ends[0], np.clip(inside, low, high), ends[1]], axis=-1), axis=-1)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    half, middle = np.diff(edges)[..., None] / 2, (edges[..., 1:] + edges[..., :-1])[..., None] / 2
    return tuple(part.reshape(*inside.shape[:-1], -1) for part in (middle + half * nodes, half * weights))


def halves_of(one):
    """Return the exact tail and density of one class with small whole parameters, for arrays."""
    up, down = ([float(number) for number in side] for side in (Exact(*one).up, Exact(*one).down))
    rises, falls = (np.polynomial.Polynomial(side) for side in (down, up))

    def sf(x):
        x = np.clip(x, -1, 1)
        return np.where(x >= 0, falls(np.abs(x)), 1 - rises(np.abs(x)))

    def pdf(x):
        return np.where(np.abs(x) <= 1, -np.where(x >= 0, falls.deriv()(np.abs(x)), rises.deriv()(np.abs(x))), 0.0)

    return sf, pdf


@pytest.mark.parametrize(
    "rows", [[[1, 1, 1, 1]] * 3, [[2, 1, 1, 2], [1, 2, 1, 1], [3, 1, 2, 1]], [[6, 1, 1, 1], [1, 3, 1, 1], [1, 1, 1, 1]]]
)
def test_three_classes_against_exact_pieces(rows):
    # densities are polynomials between whole numbers, so Gauss nodes between those are exact, twice over
    (_, first), (_, second), (third, _) = (halves_of(one) for one in rows)
    marks = np.array([-1.0, 0.0, 1.0])
    x = np.array([-1.7, -0.6, -1e-3, 0.0, 0.2, 0.9, 2.1])
    u, weight = pieces(-2.0, 2.0, np.concatenate([np.broadcast_to(marks, (7, 3)), x[:, None] - marks], axis=1))
    v, inner = pieces(-1.0, 1.0, np.concatenate([np.zeros((*u.shape, 1)), u[..., None] - marks], axis=-1))
    two = (first(v) * second(u[..., None] - v) * inner).sum(-1)
    exact = (two * third(x[:, None] - u) * weight).sum(-1)
    assert paired_distribution(rows).sf(x / 3) == pytest.approx(exact, abs=1e-12)


def characteristic(p, q, r, t):
    """E exp(it(D - E D)): the moments of a Dirichlet, summed with digits to spare."""
    with mpmath.workdps(30 + int(t)):
        p, q, r, t = (mpmath.mpf(number) for number in (p, q, r, t))
        n, coefficients = p + q + r, [mpmath.mpf(1), p - q]
        total, term = mpmath.mpc(0), mpmath.mpc(1)
        for k in range(1, int(3 * t) + 120):
            total, term = total + coefficients[-2] * term, term * mpmath.mpc(0, t) / (n + k - 1)
            coefficients.append(((p - q) * coefficients[k] + (p + q + k - 1) * coefficients[k - 1]) / (k + 1))
        return complex(total * mpmath.expj(-t * (p - q) / n))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "q", "r"),
    [
        (1, 1, 2), (0.5, 0.75, 1.25), (1, 1, 6), (3, 1, 20), (9, 9, 10), (20, 1, 2), (1, 2, 58.5), (36, 2, 33), (50, 1, 10),
        (14.25, 70, 1), (20, 20, 20),
    ],
)  # fmt: skip
def test_characteristic_functions_are_sums_of_moments(p, q, r):
    # from close together to apart, on either side of where one way hands over to the next
    t = np.array([0.1, 0.4, 0.7, 1.0, 1.5, 1.99, 2.01, 2.6]) * (p + q + r)
    exact = [characteristic(p, q, r, at) for at in t]
    assert waves(np.array([[p, q, r]], dtype=float))(t[None])[0] == pytest.approx(np.array(exact), abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("r", [500.0, 1e5, 1e9])
def test_characteristic_functions_of_large_counts(r):
    # p = q = 1 has the density (r + 1) (1 - |x|)^r / 2; far out, the integral is turned by a quarter
    t = np.array([0.3, 0.9, 1.9, 2.1, 40.0]) * (r + 2)
    with mpmath.workdps(25):
        near = [
            mpmath.quad(lambda x, at=at: (1 - x) ** r * mpmath.cos(at * x), [k / mpmath.mpf(r) for k in range(0, 90, 3)])
            for at in t[:3]
        ]
        far = [
            mpmath.quad(
                lambda y, at=at: 1j * mpmath.exp(r * mpmath.log(1 - 1j * y) - at * y), [k / at for k in (0, 3, 10, 30, 90)]
            )
            for at in t[3:]
        ]
        exact = [float((r + 1) * mpmath.re(value)) for value in near + far]
    assert waves(np.array([[1, 1, r]]))(t[None])[0] == pytest.approx(np.array(exact), abs=1e-13)


def test_a_narrow_class_moves_a_rough_one():
    # the large class is a narrow bell: a difference of one class moved by its mean is off by its variance at most
    distribution, alone = paired_distribution([[1, 1, 1, 1], [1e7, 3e5, 2e5, 1]]), paired_distribution([[1, 1, 1, 1]], [0.5])
    points = np.array([-0.3, -0.1, 0.1, 0.3])
    assert distribution.sf(distribution.mean + points) == pytest.approx(alone.sf(points), abs=1e-7)


ROUGH = {
    "alike": [[1000, 1, 1, 1]] * 3,
    "nearly": [[1000, 1, 1, 1], [50, 1, 2, 1], [5, 1, 1, 1]],
    "far apart": [[1, 1, 1, 1], [1000, 1, 1, 1], [1e6, 1, 1, 1], [1e9, 1e3, 1e3, 1]],
    "ten": [[10 ** (k / 2) + 1, 1, 1 + k % 2, 1] for k in range(10)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUGH)
def test_rough_sums_have_the_moments_of_their_classes(name):
    rows = np.array(ROUGH[name])
    distribution, sd = paired_distribution(rows), math.sqrt(paired_distribution(rows).var)
    low, high = (max(-1.0, distribution.mean - 40 * sd), min(1.0, distribution.mean + 40 * sd))
    edges = np.unique([low, high, *(distribution.mean + sd * np.linspace(-12, 12, 49)).clip(low, high), 0.0])
    x, weight = pieces(low, high, edges[None])
    above = distribution.sf(x[0])
    central = [sum(combined(rows, order)) for order in (2, 4)]
    found = [
        order * float(weight[0] @ ((x[0] - distribution.mean) ** (order - 1) * (above - (x[0] < distribution.mean))))
        for order in (2, 4)
    ]
    assert found[0] == pytest.approx(central[0], rel=1e-7)
    assert found[1] == pytest.approx(central[1] + 3 * central[0] ** 2, rel=1e-7)


def combined(rows, order):
    """Return the second or fourth cumulant of each class, weighted: these add up, and are exact ratios."""
    for both, a, b, neither in rows:
        shares = [Fraction(float(number)) for number in (a, b, both + neither)]
        n = sum(shares)

        def moment(k, shares=shares, n=n):
            return sum(
                (-1) ** j * math.comb(k, j) * rising(shares[0], k - j) * rising(shares[1], j) for j in range(k + 1)
            ) / rising(n, k)

        m = [moment(k) for k in range(5)]
        second = m[2] - m[1] ** 2
        fourth = m[4] - 4 * m[3] * m[1] + 6 * m[2] * m[1] ** 2 - 3 * m[1] ** 4 - 3 * second**2
        yield float((second if order == 2 else fourth) / len(rows) ** order)


def rising(x, k):
    return math.prod((x + i for i in range(k)), start=Fraction(1))


SIMULATED = {
    "three": [[21, 7, 2, 6], [10, 3, 4, 5], [1, 1, 1, 1]],
    "five": [[3, 1, 1, 1], [1000, 1, 2, 30], [40, 9, 12, 8], [1, 1, 1, 1], [1e7, 1e5, 1e5, 1e6]],
    "halves": [[0.5] * 4] * 3,
    "alike": [[1000, 0.5, 0.5, 1]] * 6,
    "fifty": [[5 + k, 1 + k % 3, 1 + k % 5, 2] for k in range(50)],
    "mixed": [[1, 1, 1, 1]] + [[1e7, 2e5, 1e5, 1e6]] * 9,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_draws_from_dirichlets_agree(name):
    rows, n = np.array(SIMULATED[name], dtype=float), 300_000
    distribution, rng = paired_distribution(rows), np.random.default_rng(20)
    drawn = np.zeros(n)
    for one in rows:
        shares = stats.dirichlet(one).rvs(n, random_state=rng)
        drawn += (shares[:, 1] - shares[:, 2]) / len(rows)
    levels = np.array([0.001, 0.02, 0.2, 0.5, 0.8, 0.98, 0.999])
    at = distribution.ppf(levels)
    seen = (drawn[:, None] <= at).mean(0)
    assert (np.abs(seen - levels) <= 5 * np.sqrt(levels * (1 - levels) / n)).all()
    assert abs(drawn.mean() - distribution.mean) <= 5 * math.sqrt(distribution.var / n)
    fourth = ((drawn - distribution.mean) ** 4).mean()
    assert abs(drawn.var() - distribution.var) <= 5 * math.sqrt((fourth - distribution.var**2) / n)
    own = distribution.sample(100_000, rng)
    assert stats.ks_2samp(own, drawn[:100_000]).pvalue > 1e-5


def test_many_classes_are_nearly_normal():
    distribution = paired_distribution([[50, 6, 5, 10]] * 200)
    normal = stats.norm(distribution.mean, math.sqrt(distribution.var))
    assert distribution.cdf(distribution.mean + 0.01) == pytest.approx(normal.cdf(distribution.mean + 0.01), abs=1e-3)
    assert distribution.cdf(distribution.support) == pytest.approx([0, 1], abs=1e-12)


@given(row, somewhere)
@settings(max_examples=40)
@pytest.mark.slow
def test_exchanging_the_classifiers_mirrors_the_distribution(one, x):
    both, a, b, neither = one
    distribution, other = paired_distribution([one]), paired_distribution([[both, b, a, neither]])
    assert distribution.logcdf(x) == pytest.approx(other.logsf(-x), rel=1e-12, abs=1e-12)
    assert distribution.pdf(x) == pytest.approx(other.pdf(-x), rel=1e-9)


@pytest.mark.slow
@given(several, somewhere)
@settings(max_examples=15, deadline=None)
def test_the_order_of_classes_does_not_matter(rows, x):
    distribution, other = paired_distribution(rows), paired_distribution(rows[::-1])
    mirrored = paired_distribution([[both, b, a, neither] for both, a, b, neither in rows])
    assert distribution.cdf(x) == pytest.approx(other.cdf(x), abs=1e-11)
    assert distribution.cdf(x) == pytest.approx(mirrored.sf(-x), abs=1e-11)


@pytest.mark.slow
@given(row)
@settings(max_examples=30, deadline=None)
def test_the_distribution_rises_and_its_quantiles_invert_it(one):
    distribution = paired_distribution([one])
    # nearer an end with a pole there are no floats left
    levels = np.array([1e-4, 0.1, 0.5, 0.7, 0.999])
    assert distribution.cdf(distribution.ppf(levels)) == pytest.approx(levels, rel=1e-9)
    assert distribution.sf(distribution.isf(levels)) == pytest.approx(levels, rel=1e-9)
    assert (np.diff(distribution.cdf(np.linspace(-1, 1, 101))) >= -1e-15).all()


@pytest.mark.slow
def test_far_quantiles():
    distribution = paired_distribution([[31, 10, 3, 15]])
    assert distribution.cdf(distribution.ppf([1e-12, 1e-40])) == pytest.approx([1e-12, 1e-40], rel=1e-9)
    assert distribution.sf(distribution.isf([1e-12, 1e-40])) == pytest.approx([1e-12, 1e-40], rel=1e-9)


@pytest.mark.slow
@given(several)
@settings(max_examples=12, deadline=None)
def test_quantiles_of_several_classes(rows):
    distribution = paired_distribution(rows)
    levels = np.array([1e-5, 0.1, 0.5, 0.7, 0.999])
    assert distribution.cdf(distribution.ppf(levels)) == pytest.approx(levels, abs=1e-11)
    low, high = distribution.interval(0.9)
    assert distribution.cdf(high) - distribution.cdf(low) == pytest.approx(0.9, abs=1e-11)
    shortest = distribution.interval(0.9, kind="hpd")
    assert shortest[1] - shortest[0] <= high - low + 1e-9
    assert distribution.pdf(distribution.mode) >= distribution.pdf(distribution.ppf(np.linspace(0.01, 0.99, 99))).max() * (
        1 - 1e-9
    )


@pytest.mark.slow
@given(row, st.floats(1, 1000), st.floats(0.01, 0.9))
@settings(max_examples=30)
def test_cases_both_got_right_pull_the_difference_to_zero(one, more, r):
    distribution, calmer = paired_distribution([one]), paired_distribution([[one[0] + more, *one[1:]]])
    assert calmer.sf(0) == pytest.approx(distribution.sf(0), rel=1e-11)
    assert calmer.sf(r) <= distribution.sf(r)
    assert calmer.cdf(-r) <= distribution.cdf(-r)
    assert calmer.var < distribution.var or abs(calmer.mean) < abs(distribution.mean)


@pytest.mark.slow
@given(row, st.lists(st.floats(0.001, 1), min_size=2, max_size=6).map(sorted))
@settings(max_examples=30)
def test_a_wider_region_holds_more(one, radii):
    distribution = paired_distribution([one])
    held = [distribution.cdf(r) - distribution.cdf(-r) for r in radii]
    assert all(less <= more + 1e-14 for less, more in pairwise(held))


@pytest.mark.slow
@given(row)
@settings(max_examples=30)
def test_moments_are_those_of_a_dirichlet(one):
    distribution, dirichlet = paired_distribution([one], [0.5]), stats.dirichlet(one)
    contrast = np.array([0, 0.5, -0.5, 0])
    assert distribution.mean == pytest.approx(contrast @ dirichlet.mean(), abs=1e-15)
    assert distribution.var == pytest.approx(contrast @ dirichlet.cov() @ contrast, rel=1e-9)


@pytest.mark.slow
def test_modes_at_a_kink_and_where_there_is_none():
    assert paired_distribution([[10, 0.25, 0.5, 10]]).mode == 0
    assert isinstance(paired_distribution([[0.25] * 4]).mode, Undefined)
    flat = paired_distribution([[30, 12, 4, 30]])
    assert flat.pdf(flat.mode) >= flat.pdf(np.linspace(-0.9, 0.9, 2001)).max()


@pytest.mark.slow
def test_nothing_lies_beyond_the_support():
    for distribution in (paired_distribution([[3, 1, 2, 4]]), paired_distribution([[3, 1, 2, 4], [1, 1, 1, 1]])):
        assert distribution.support == (-1, 1)
        assert distribution.cdf([-5, -1, 1, 5]).tolist() == [0, 0, 1, 1]
        assert distribution.sf([-5, -1, 1, 5]).tolist() == [1, 1, 0, 0]
        assert distribution.pdf([-5, 5]).tolist() == [0, 0]
        assert distribution.ppf([0, 1]).tolist() == [-1, 1]


def test_a_class_of_no_weight_is_left_out():
    distribution = paired_distribution([[3, 1, 2, 4], [9, 9, 1, 1]], [1, 0])
    assert isinstance(distribution, OneClass)
    assert distribution.sf(0.1) == paired_distribution([[3, 1, 2, 4]]).sf(0.1)


@pytest.mark.parametrize(
    ("alphas", "words"),
    [
        ([[1, 0, 1, 1]], "Counts need a prior"),
        ([[1, 1, math.nan, 1]], "Counts need a prior"),
        ([[1, 1, 0.25, 1]] * 2, "at least 0.5"),
    ],
)
def test_bad_parameters_are_refused_with_advice(alphas, words):
    with pytest.raises(InputError, match=words):
        paired_distribution(alphas)
