"""Subjects as draws of a population: published values of R's micp, quadrature of the same model, laws, and hostile counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from adjudge.stats.population import PRIORS, normal_binomial, variational

CORRECT, CASES = np.array([82.0, 75.0, 92.0, 85.0, 88.0]), np.full(5, 100.0)


def micp(correct, cases):
    """Return the logit mean and its standard deviation by mean-field updates to full convergence (Brodersen et al. 2013)."""
    m, mu, eta, known, rho = len(correct), 0.0, 1.0, 1.0, np.zeros(len(correct))
    for _ in range(500):
        for _ in range(50):
            p = special.expit(rho)
            rho = rho + (correct - cases * p + known * (mu - rho)) / (cases * p * (1 - p) + known)
        eta_rho = cases * special.expit(rho) * special.expit(-rho) + known
        mu, eta = known * rho.sum() / (m * known + 1), m * known + 1
        known = (1 + m / 2) / (1 + ((rho - mu) ** 2 + 1 / eta_rho + 1 / eta).sum() / 2)
    return mu, eta**-0.5


def test_published_digits_of_micp():
    # R's micp: micp.stats(c(82, 75, 92, 85, 88), rep(100, 5)) gives mu .820327, p 2.756e-7, ci .719636, .896141
    mean, sd = variational(CORRECT, CASES)
    share = integrate.quad(lambda x: special.expit(x) * stats.norm.pdf(x, mean, sd), mean - 10 * sd, mean + 10 * sd)[0]
    assert share == pytest.approx(0.820327, abs=5e-7)
    assert stats.norm.cdf(0, mean, sd) == pytest.approx(2.756e-7, rel=2e-4)
    # its limits come from a search that ends early
    assert special.expit(stats.norm.ppf([0.025, 0.975], mean, sd)) == pytest.approx([0.719636, 0.896141], abs=2e-5)
    assert (mean, sd) == pytest.approx(micp(CORRECT, CASES), abs=3e-3)  # which ends once it gains less than 1e-3


def test_the_approximation_is_too_sure():
    """The exact posterior of the same model is wider, and far less sure that the mean is above one half."""
    exact = normal_binomial(CORRECT, CASES).mean()
    # by plain sums over a grid of both parameters, each subject over 1,201 points
    assert exact.mean == pytest.approx(0.81272524, abs=1e-8)
    assert exact.below(np.array([0.5]))[0] == pytest.approx(0.0030025, abs=1e-6)
    low, high = exact.limits(0.95)
    assert high - low > 1.4 * (0.896141 - 0.719636)


def test_one_subject_by_sums():
    """With one subject the mean integrates out: rho is normal given the precision, and so is the mean given both."""
    found = normal_binomial(np.array([7.0]), np.array([10.0]))
    rho, u = np.linspace(-25, 25, 1001), np.linspace(-3.5, 16, 401)[:, None]
    precision = np.exp(-u)  # a Gamma(1, 1) precision has the density exp(-precision - u) in u
    mass = np.exp(
        -precision - u + stats.norm.logpdf(rho, 0, np.sqrt(1 + 1 / precision)) + stats.binom.logpmf(7, 10, special.expit(rho))
    )
    mass /= mass.sum()
    assert found.subject(0).mean == pytest.approx((mass * special.expit(rho)).sum(), abs=2e-5)
    below = special.ndtr(-rho * precision / (1 + precision) * np.sqrt(1 + precision))
    assert found.mean().below(np.array([0.5]))[0] == pytest.approx((mass * below).sum(), abs=2e-5)


subjects = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=5).filter(
    lambda pairs: any(a + b for a, b in pairs)
)


@settings(max_examples=3, deadline=None)
@given(subjects, st.randoms(use_true_random=False))
def test_the_order_of_subjects_is_nothing(pairs, random):
    order = list(range(len(pairs)))
    random.shuffle(order)
    k, n = np.array([[a, a + b] for a, b in pairs], dtype=float).T
    one, other = normal_binomial(k, n), normal_binomial(k[order], n[order])
    assert one.mean().mean == pytest.approx(other.mean().mean, abs=1e-12)
    assert one.subject(order[0]).limits(0.9) == pytest.approx(other.subject(0).limits(0.9), abs=1e-9)


@settings(max_examples=3, deadline=None)
@given(subjects)
def test_wrong_for_correct_mirrors_everything(pairs):
    k, n = np.array([[a, a + b] for a, b in pairs], dtype=float).T
    one, other = normal_binomial(k, n), normal_binomial(n - k, n)
    assert one.mean().mean == pytest.approx(1 - other.mean().mean, abs=1e-6)
    assert one.following().mean == pytest.approx(1 - other.following().mean, abs=1e-6)
    assert one.subject(0).mean == pytest.approx(1 - other.subject(0).mean, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS)
def test_more_rows_narrow_and_equal_subjects_shrink_together(prior):
    def width(limits):
        return limits[1] - limits[0]

    few, many = (normal_binomial(0.8 * n, n, prior) for n in (np.full(6, 10.0), np.full(6, 1000.0)))
    assert width(many.mean().limits(0.95)) < width(few.mean().limits(0.95))
    assert width(many.subject(0).limits(0.95)) < width(few.subject(0).limits(0.95))
    apart = normal_binomial(np.array([9.0, 9, 9, 9, 2]), np.full(5, 10.0), prior)
    means = [apart.subject(j).mean for j in range(5)]
    assert means[0] == pytest.approx(means[3], abs=1e-12)
    assert means[0] < 0.9
    assert means[4] > 0.2
    alone = normal_binomial(np.array([9.0, 9, 9, 9, 9]), np.full(5, 10.0), prior)
    assert width(alone.subject(0).limits(0.95)) < width(apart.subject(0).limits(0.95))


def test_a_subject_without_cases_is_as_the_next_one():
    found = normal_binomial(np.append(CORRECT, 0.0), np.append(CASES, 0.0))
    assert found.mean().mean == pytest.approx(normal_binomial(CORRECT, CASES).mean().mean, abs=1e-12)
    assert found.subject(5).limits(0.9) == found.following().limits(0.9)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    ("correct", "cases"),
    [
        ([0], [1]),
        ([0, 0], [10, 10]),
        ([10, 10, 10], [10, 10, 10]),
        ([1e9], [1e9]),
        ([5e8, 9e8, 1], [1e9, 1e9, 1]),
        ([0, 1e9], [1e9, 1e9]),
        ([8e5] * 20, [1e6] * 20),
    ],
)
def test_hostile_counts(correct, cases, prior):
    found = normal_binomial(np.array(correct, dtype=float), np.array(cases, dtype=float), prior)
    assert found.mass.sum() == pytest.approx(1)
    assert found.left_out < 1e-2
    for each in (found.mean(), found.following(), *(found.subject(j) for j in range(min(len(cases), 3)))):
        low, high = each.limits(0.95)
        assert 0 <= low <= each.mean + 0.6 * (high - low)
        assert low <= high <= 1
        assert 0 <= each.mean <= 1
    if correct[0] in (5e8, 8e5):
        share = correct[0] / cases[0]
        assert found.subject(0).mean == pytest.approx(share, abs=1e-4)


@pytest.mark.slow
def test_intervals_hold_the_mean_and_the_next_subject():
    """Populations drawn anew: 95% intervals hold both in 93% or more."""
    rng = np.random.default_rng(5)
    held = []
    for mu, tau in ((0.0, 0.4), (1.5, 0.6), (2.5, 1.0)):
        for _ in range(25):
            rho = rng.normal(mu, tau, 9)
            found = normal_binomial(rng.binomial(60, special.expit(rho[:8])).astype(float), np.full(8, 60.0))
            (low, high), (least, most) = found.mean().limits(0.95), found.following().limits(0.95)
            held.append((low <= special.expit(mu) <= high, least <= special.expit(rho[8]) <= most))
    assert np.mean(held, axis=0) == pytest.approx([0.97, 0.97], abs=0.045)
