"""Differences, F1 and informedness of tables that tame tests never met: tiny perfect classes beside huge ones, zeros, a million.

Oracles: `paired_oracle` and `beta_oracle` for sums, SciPy's Beta for what is the image of one.
"""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from scipy import stats
from tests.sparing import some
from tests.stats.beta_oracle import beta_height, double_exponential, pair_cdf, wave_cdf, window
from tests.stats.paired_oracle import one_sf, pair_sf, wave_sf
from tests.stats.test_paired import Exact, exact_sum

import adjudge
from adjudge.stats import paired_sums
from adjudge.stats.betasum import beta_sum
from adjudge.stats.distribution import BetaDistribution
from adjudge.stats.paired import paired_distribution
from adjudge.stats.transforms import difference_distribution

PAIRS = [
    # counts of both right, only a, only b, neither, in two classes
    ([3, 0, 0, 0], [99_990, 4, 6, 0]),
    ([3, 0, 0, 0], [100_000, 0, 0, 0]),
    ([0, 0, 0, 0], [1_000_000, 0, 0, 0]),
    ([1_000_000, 0, 0, 0], [1_000_000, 0, 0, 0]),
    ([0, 1_000_000, 0, 0], [0, 0, 1_000_000, 0]),
    ([0, 3, 0, 0], [0, 0, 100_000, 0]),
    ([700_000, 200_000, 50_000, 50_000], [2, 1, 0, 0]),
    ([0, 0, 794_343, 0], [2953, 83_165, 2274, 16_872]),
]
SEVERAL = [
    # one tiny perfect class beside large ones, or none with a case that tells a from b
    [[3, 0, 0, 0], [900, 40, 22, 31], [5000, 180, 260, 300]],
    [[3, 0, 0, 0], [60, 0, 0, 0], [40, 0, 0, 1], [10, 0, 0, 9], [7, 1, 0, 0]],
    [[0, 0, 0, 0]] * 5,
    [[100_000, 5000, 5000, 0], [4, 9, 0, 0], [0, 0, 30, 3], [12, 1, 1, 2], [20, 0, 3, 2]],
]


def asked(distribution):
    sd = math.sqrt(distribution.var)
    return np.clip(
        [distribution.mean - sd, distribution.mean + sd / 2, 0.0, *distribution.ppf([0.025, 0.975])], *distribution.support
    )


@pytest.mark.slow
def test_the_oracle_agrees_with_exact_polynomials():
    import mpmath

    first, second = [9, 1, 1, 6], [5, 2, 1, 3]
    alphas = [(row[1], row[2], row[0] + row[3]) for row in (first, second)]
    with mpmath.workdps(25):
        exact = [exact_sum(Exact(*first), Exact(*second), mpmath.mpf(x)) for x in (-0.25, 0.1)]
    assert [pair_sf(alphas, (0.5, 0.5), x) for x in (-0.25, 0.1)] == pytest.approx(exact, abs=1e-14)
    wave, left = wave_sf(alphas, (0.5, 0.5), [-0.25, 0.1], terms=512)
    assert wave == pytest.approx(exact, abs=10 * left)


@pytest.mark.parametrize("prior", [1.0, pytest.param(0.5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("first", "second"), some(PAIRS))
def test_paired_differences_of_two_classes(first, second, prior):
    check_pair(np.array([first, second]) + prior, np.array([0.5, 0.5]))


def check_pair(rows, weights):
    distribution = paired_distribution(rows, weights)
    x = asked(distribution)
    exact = [pair_sf(distribution.alphas, weights, at) for at in x]
    good = 1e-10 if rows.min() >= 1 else max(1e-10, distribution.flaw)  # a prior below 1 is not what comparisons take
    assert distribution.sf(x) == pytest.approx(np.array(exact), abs=good), rows.tolist()
    assert distribution.sf(x[3:]) == pytest.approx([0.975, 0.025], abs=1e-10)
    assert distribution.flaw < (1e-12 if rows.min() >= 1 else 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("counts", some(SEVERAL, 2))
def test_paired_differences_of_several_classes(counts):
    distribution = paired_distribution(np.array(counts) + 1.0)
    x = asked(distribution)
    exact, left = wave_sf(distribution.alphas, distribution.weights, x, terms=512 if len(counts) < 5 else 256)
    assert left < 2e-10
    assert distribution.sf(x) == pytest.approx(exact, abs=1e-10)
    assert distribution.flaw < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("counts", [[3, 0, 0, 0], [100_000, 0, 0, 0], [0, 0, 0, 0], [10**6, 0, 7, 10**6], [0, 0, 10**6, 0]])
def test_paired_differences_of_one_class(counts):
    distribution = paired_distribution([np.array(counts) + 1.0])
    x = asked(distribution)
    assert (np.abs(distribution.sf(x) - one_sf(distribution.alphas[0], x)) < 1e-11 + 3e-16 * distribution.pdf(x)).all()
    assert distribution.flaw == 0


@pytest.mark.slow
def test_nothing_is_left_far_from_the_mean():
    for counts in PAIRS[:5]:
        distribution = paired_distribution(np.array(counts) + 1.0)
        far = math.sqrt(distribution.var) * np.array([38.9, 39.1, 40, 40.1, 60])
        assert distribution.sf(distribution.mean + far) == pytest.approx(0, abs=1e-13)
        assert distribution.cdf(distribution.mean - far) == pytest.approx(0, abs=1e-13)


def hostile_outcomes(rng, k):
    """Return counts of outcomes in classes of 0 to 1e6 cases, many with no case or every case in one outcome."""
    n = np.floor(10 ** rng.uniform(0, 6 if rng.random() < 0.7 else 2, k)).astype(int) * (rng.random(k) > 0.1)
    for m in n:
        kind = rng.integers(0, 5)
        few = np.minimum(rng.integers(0, 10, 2), m // 2)
        one = np.zeros(4, dtype=int)
        one[0 if kind == 0 else rng.integers(0, 4)] = m
        some = np.array([m - few.sum(), *few, 0])
        yield [
            one,
            one,
            some,
            rng.multinomial(m, rng.dirichlet(np.ones(4))),
            rng.multinomial(m, rng.dirichlet([8, 0.3, 0.3, 1])),
        ][kind]


@pytest.mark.slow
def test_hostile_pairs_of_classes():
    """A fault in one of 12 pairs shows with a probability of 99.9%, with the nightly profile in one of 29."""
    rng = np.random.default_rng(2026)
    for _ in range(200 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 80):
        counts = np.array(list(hostile_outcomes(rng, 2)))
        check_pair(
            counts + (1.0 if rng.random() < 0.7 else 0.5), np.full(2, 0.5) if rng.random() < 0.6 else rng.dirichlet([2, 2])
        )


INDEPENDENT = [
    # right and wrong of each class, for a and for b
    ([1182, 9], [0, 0], [2064, 1928], [5917, 0]),
    ([3, 100_000], [0, 0], [5, 90_000], [0, 10_000]),
    ([0, 0], [0, 0], [10**6, 10**6], [0, 0]),
    ([10**6, 3], [0, 0], [10**6, 3], [0, 0]),
    ([10**6, 0], [0, 10**6], [3, 2], [1, 2]),
    ([4, 7, 459], [0, 321, 29], [4, 300, 400], [0, 28, 88]),
]


@pytest.mark.parametrize(("right", "wrong", "right_b", "wrong_b"), INDEPENDENT)
def test_differences_of_balanced_accuracies(right, wrong, right_b, wrong_b):
    k = len(right)
    w = np.full(k, 1 / k)
    a, b = (beta_sum(np.add(r, 1.0), np.add(m, 1.0), w) for r, m in ((right, wrong), (right_b, wrong_b)))
    distribution = difference_distribution(a, b)
    x = asked(distribution)
    exact, density, left = wave_cdf(distribution.a, distribution.b, distribution.weights, x, shift=distribution.shift)
    # where two rates of few cases leave the series too early, it knows no more than this
    good = 1e-10 + 2 * left * (left > 1e-11) + 1e-15 * np.abs(density)
    assert left.max() < 1e-6
    assert (np.abs(distribution.cdf(x) - exact) < good).all()
    assert distribution.flaw < 1e-12


@pytest.mark.slow
def test_two_empty_classes_against_a_million_perfect_cases():
    # two uniform rates have a triangular mean; from it the mean of two shares of errors, all but exponential, is taken
    distribution = difference_distribution(beta_sum([1, 1], [1, 1], [0.5, 0.5]), beta_sum([1e6 + 1] * 2, [1, 1], [0.5, 0.5]))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for x in (-0.9, -0.5, -0.3, -1e-6):
        edges = np.unique([0, *np.arange(1, 30) * 1e-6, 5e-5, *np.clip([x + 1, x + 0.5], 0, 5e-5)])
        half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
        z, weight = (middle + half * nodes).ravel(), (half * weights).ravel()
        at = np.clip(x + 1 - z, 0, 1)
        height = np.where(at < 0.5, 4 * at, 4 - 4 * at) * (at > 0)  # minus the slope of the triangular tail at x + 1 - z
        shares = pair_cdf([[1.0, 1.0]], [[1e6 + 1, 1e6 + 1]], [[0.5, 0.5]], [z])[0]
        top = np.clip(x + 1 - 5e-5, 0, 1)  # below it every share of errors fits
        exact = (height * shares * weight).sum() + (2 * top**2 if top < 0.5 else 1 - 2 * (1 - top) ** 2)
        assert distribution.cdf(x) == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize(
    ("a", "b"), [((1, 1), (10**6 + 1, 1)), ((4, 1), (10**5 + 1, 1)), ((1.5, 0.5), (0.5, 10**6 + 0.5)), ((10**6, 10**6), (3, 1))]
)
def test_differences_of_accuracies(a, b):
    distribution = difference_distribution(BetaDistribution(*a), BetaDistribution(*b))
    # x - (A - B) = A' + B - 1 with A' = 1 - A mirrored: two rates of weight 1
    rows = sorted([(a[0], a[1]), (b[1], b[0])], key=sum)
    x = asked(distribution)
    exact = pair_cdf([[r[0] for r in rows]], [[r[1] for r in rows]], [[1.0, 1.0]], [x + 1])[0]
    assert distribution.cdf(x) == pytest.approx(exact, abs=1e-10)


TABLES = [[[3, 0], [0, 10**6]], [[10**6, 0], [1, 10**6]], [[0, 5], [7, 10**5]], [[10**6, 10**6], [10**6, 3]], [[1, 0], [0, 1]]]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("prior", ["flat", "jeffreys"])
def test_f1_is_the_image_of_a_beta(table, prior):
    found = adjudge.posterior(np.array(table), "f1", prior=prior, positive=1)
    hits, errors = table[1][1], table[0][1] + table[1][0]
    weight = found.distribution.distribution.a - hits
    assert (found.distribution.distribution.b - errors) == pytest.approx(2 * weight)
    beta = stats.beta(hits + weight, errors + 2 * weight)
    levels = np.array([1e-6, 0.025, 0.5, 0.975, 1 - 1e-6])
    jaccard = beta.ppf(levels)
    assert found.distribution.ppf(levels) == pytest.approx(2 * jaccard / (1 + jaccard), rel=1e-9)
    f1 = found.distribution.ppf(levels)
    assert (np.abs(found.distribution.cdf(f1) - levels) < 1e-10 + 3e-16 * found.distribution.pdf(f1)).all()
    up, down, weights = double_exponential(1 / 64)
    low, rest = (float(v) for v in window(hits + weight, errors + 2 * weight))
    j, left = low + (1 - low - rest) * up, rest + (1 - low - rest) * down
    some = (j > 0) & (left > 0)
    mean = beta_mean(hits + weight, errors + 2 * weight, j[some], left[some], weights[some])
    assert found.distribution.mean == pytest.approx(mean, abs=1e-10)


def beta_mean(a, b, j, left, weights):
    """Return the mean of F1 over nodes of the Jaccard index j = 1 - left."""
    n = a + b
    density = np.exp(beta_height(a, b) + (a - 1) * np.log(j * n / a) + (b - 1) * np.log(left * n / b)) * weights
    return float((density * 2 * j / (1 + j)).sum() / density.sum())


@pytest.mark.parametrize("table", TABLES)
def test_informedness_is_a_moved_sum(table):
    found = adjudge.posterior(np.array(table), "informedness", prior="flat")
    (tn, fp), (fn, tp) = table
    rows = sorted([(tp + 1, fn + 1), (tn + 1, fp + 1)], key=sum)
    x = asked(found.distribution)
    steep = np.abs(found.distribution.cdf(x + 3e-16) - found.distribution.cdf(x - 3e-16))
    exact = pair_cdf([[r[0] for r in rows]], [[r[1] for r in rows]], [[1.0, 1.0]], [x + 1])[0]
    assert (np.abs(found.distribution.cdf(x) - exact) < 1e-10 + steep).all()


def predictions(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [40, 30, 20])
    return {"truth": truth, "prediction": np.where(rng.random(90) < 0.8, truth, rng.integers(0, 3, 90))}


def test_a_difference_that_lost_mass_is_said(monkeypatch):
    a, b = predictions(1), predictions(2)
    how = {"measure": "balanced_accuracy", "by_position": True}
    assert "A510" not in [finding.code for finding in adjudge.compare(a, b, **how).findings]
    # plant a fault: panels end where a thousandth of the characteristic function is left
    monkeypatch.setattr(paired_sums, "_DEAD", 1e-3)
    found = adjudge.compare(a, b, **how)
    assert "A510" in [finding.code for finding in found.findings]
    assert found.distribution.flaw > 1e-10


@pytest.mark.slow
def test_panels_that_are_too_few_are_said(monkeypatch):
    rows = np.array(PAIRS[5]) + 1.0
    assert paired_distribution(rows).flaw < 1e-12
    monkeypatch.setattr(paired_sums, "_MOST_OF_ALL", 0)
    distribution = paired_distribution(rows)
    x = asked(distribution)
    error = np.abs(distribution.sf(x) - [pair_sf(distribution.alphas, distribution.weights, at) for at in x]).max()
    assert distribution.flaw > max(error, 1e-10)
