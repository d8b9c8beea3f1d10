"""The hierarchical model, against quadrature where the normal distribution allows it, weighted draws, and limits."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats
from tests.sparing import some

from adjudge.stats.hierarchical import _DataSet, hierarchical_posterior

NORMAL = 1e9
"""Degrees of freedom from which on Student's distribution is the normal one, to nine digits."""

HARD = {
    "ten alike": ([0.02, 0.05, -0.01, 0.03, 0.0, 0.04, 0.01, 0.06, -0.02, 0.03], [0.01] * 10, [9] * 10, 0.03),
    "two": ([0.1, 0.12], [0.01, 0.02], [9, 4], 0.014),
    "far apart, heavy tails": ([0.1, 0.12, -0.3], [0.01, 0.02, 0.01], [1, 2, 1], 0.2),
    "all equal": ([0.02] * 5, [0.01] * 5, [9] * 5, 0.01),
    "known and unknown": ([0.1, 0.12, -0.3], [1e-7, 0.02, 0.01], [9, 9, 99], 0.2),
    "an outlier": ([*np.linspace(-0.01, 0.01, 11), 0.9], [0.002] * 12, [9] * 12, 0.02),
}


def posterior(means, scales, degrees, prior_scale, **how):
    return hierarchical_posterior(*(np.array(v, dtype=float) for v in (means, scales, degrees)), prior_scale=prior_scale, **how)


def normal_below(x, mean, variance):
    return float(special.ndtr((x - mean) / math.sqrt(variance)))


class NormalOracle:
    """The same model with normal errors: mu is known given tau, and tau is one integral."""

    def __init__(self, means, scales, prior_scale):
        self.m, self.s, self.scale = np.array(means), np.array(scales), prior_scale
        self.whole = self._over_tau(lambda _: 1.0)

    def _given(self, tau):
        precision = 1 / (self.s**2 + tau**2)
        return precision @ self.m / precision.sum(), 1 / precision.sum()

    def _weight(self, tau):
        centre, variance = self._given(tau)
        variances = self.s**2 + tau**2
        logs = 0.5 * math.log(variance) - 0.5 * np.log(variances).sum() - 0.5 * ((self.m - centre) ** 2 / variances).sum()
        return math.exp(logs + len(self.m) * math.log(self.scale)) * 2 / math.pi / (1 + (tau / self.scale) ** 2) / self.scale

    def _over_tau(self, function, upto=None):
        def part(u):  # tau = A u / (1 - u)
            tau = self.scale * u / (1 - u)
            return self._weight(tau) * function(tau) * self.scale / (1 - u) ** 2

        end = 1.0 if upto is None else upto / (upto + self.scale)
        cuts = [0.0, *(c for c in (0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95) if c < end), end]
        return sum(integrate.quad(part, a, b, epsabs=0, epsrel=1e-8, limit=200)[0] for a, b in pairwise(cuts))

    def expect(self, function):
        return self._over_tau(function) / self.whole

    def mu_below(self, x):
        return self.expect(lambda tau: normal_below(x, *self._given(tau)))

    def tau_below(self, x):
        return self._over_tau(lambda _: 1.0, upto=x) / self.whole

    def following_below(self, x):
        return self.expect(lambda tau: normal_below(x, self._given(tau)[0], self._given(tau)[1] + tau**2))

    def _own(self, at, tau):
        centre, variance = self._given(tau)
        kept = self.s[at] ** 2 / (self.s[at] ** 2 + tau**2)  # how much of mu is in the set's difference
        return kept * centre + (1 - kept) * self.m[at], kept**2 * variance + kept * tau**2

    def set_mean(self, at):
        return self.expect(lambda tau: self._own(at, tau)[0])

    def set_below(self, at, x):
        return self.expect(lambda tau: normal_below(x, *self._own(at, tau)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "scales", "prior_scale"),
    [
        ([0.02, 0.05, -0.01, 0.03], [0.01, 0.02, 0.015, 0.005], 0.02),
        ([0.1, 0.12], [0.01, 0.02], 0.014),
        ([0.4, -0.3, 0.0, 0.1, 0.2, 0.9], [0.01, 0.02, 0.05, 0.1, 0.02, 0.01], 0.3),
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], 1.0),
    ],
)
def test_normal_errors_agree_with_quadrature(means, scales, prior_scale):
    found = posterior(means, scales, [NORMAL] * len(means), prior_scale)
    oracle = NormalOracle(means, scales, prior_scale)
    assert found.mu == pytest.approx(oracle.expect(lambda tau: oracle._given(tau)[0]), abs=1e-7 * max(scales))
    for x in (-0.01, 0.01, 0.06):
        assert found.mu_below(x) == pytest.approx(oracle.mu_below(x), abs=1e-7)
        assert found.following_below(x) == pytest.approx(oracle.following_below(x), abs=1e-7)
    for x in (0.003, 0.02, 0.2):
        assert found.tau_below(x) == pytest.approx(oracle.tau_below(x), abs=1e-6)
    for at, (mean, low, high) in enumerate(found.shrunken(level=0.9)):
        assert mean == pytest.approx(oracle.set_mean(at), abs=1e-7 * max(scales))
        assert oracle.set_below(at, low) == pytest.approx(0.05, abs=1e-6)
        assert oracle.set_below(at, high) == pytest.approx(0.95, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [1, 2, 4, 9, 99])
@pytest.mark.parametrize("tau", [0.0, 0.3, 5.0])
def test_the_likelihood_is_student_convolved_with_normal(degrees, tau):
    one = _DataSet.of(0.5, 2.0, degrees, farthest=100.0)
    for mu in (0.5, 3.0, -40.0):
        if tau:

            def part(z, mu=mu):
                return stats.t.pdf(0.5, degrees, mu + tau * z, 2.0) * stats.norm.pdf(z)

            wanted = integrate.quad(part, -12, 12, epsabs=0, epsrel=1e-11, limit=300, points=[-8, -4, 0, 4, 8])[0]
        else:
            wanted = stats.t.pdf(0.5, degrees, mu, 2.0)
        assert one.log_likelihood(np.array([mu]), tau)[0] == pytest.approx(math.log(wanted), abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(HARD, 3))
def test_finer_steps_change_nothing(name):
    usual, fine = (posterior(*HARD[name], fineness=f) for f in (1.0, 1.6))
    unit = HARD[name][3]
    assert usual.mu == pytest.approx(fine.mu, abs=1e-8 * unit)
    assert usual.mu_limits() == pytest.approx(fine.mu_limits(), abs=1e-7 * unit)
    assert usual.tau_limits() == pytest.approx(fine.tau_limits(), abs=1e-5 * unit)
    for margin in (0.0, 0.01, 0.1):
        assert usual.following(margin=margin) == pytest.approx(fine.following(margin=margin), abs=1e-8)


def weighted_draws(means, scales, degrees, prior_scale, n, rng):
    """Return draws of tau and of the precisions from their priors, with mu integrated out, and their weights."""
    tau = np.abs(stats.cauchy.rvs(scale=prior_scale, size=n, random_state=rng))
    errors = np.array(scales) ** 2 / (rng.chisquare(degrees, (n, len(means))) / degrees)
    variances = errors + tau[:, None] ** 2
    precision = (1 / variances).sum(axis=1)
    centre = (np.array(means) / variances).sum(axis=1) / precision
    logs = -0.5 * np.log(precision) - 0.5 * (np.log(variances) + (np.array(means) - centre[:, None]) ** 2 / variances).sum(axis=1)
    return tau, errors, centre, 1 / precision, np.exp(logs - logs.max())


def mean_and_error(values, weights):
    mean = float(weights @ values / weights.sum())
    return mean, math.sqrt(float((weights**2) @ (values - mean) ** 2)) / float(weights.sum())


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        ([0.02, 0.05, -0.01, 0.03], [0.01, 0.02, 0.015, 0.005], [4, 9, 4, 9], 0.02),
        ([0.1, -0.3, 0.12], [0.05, 0.1, 0.02], [1, 3, 2], 0.1),
    ],
)
def test_students_errors_agree_with_weighted_draws(case):
    found = posterior(*case)
    tau, errors, centre, variance, weights = weighted_draws(*case, 400_000, np.random.default_rng(11))

    def check(ours, values):
        theirs, error = mean_and_error(values, weights)
        assert error < 3e-3
        assert ours == pytest.approx(theirs, abs=4.5 * error)

    low, high = found.mu_limits(0.9)
    check(0.05, stats.norm.cdf(low, centre, np.sqrt(variance)))
    check(0.95, stats.norm.cdf(high, centre, np.sqrt(variance)))
    check(found.mu, centre)
    check(found.tau_below(case[3]), tau < case[3])
    check(found.following_below(-0.01), stats.norm.cdf(-0.01, centre, np.sqrt(variance + tau**2)))
    check(found.following_below(0.01), stats.norm.cdf(0.01, centre, np.sqrt(variance + tau**2)))
    for at, (mean, lower, upper) in enumerate(found.shrunken(level=0.9)):
        kept = errors[:, at] / (errors[:, at] + tau**2)
        own, spread = kept * centre + (1 - kept) * case[0][at], np.sqrt(kept**2 * variance + kept * tau**2)
        check(mean, own)
        check(0.05, stats.norm.cdf(lower, own, spread))
        check(0.95, stats.norm.cdf(upper, own, spread))


@pytest.mark.slow
def test_data_sets_that_cannot_differ_share_one_difference():
    means, scales, degrees = np.array([0.02, 0.05, -0.01]), np.array([0.01, 0.02, 0.015]), np.array([4.0, 9.0, 3.0])
    found = posterior(means, scales, degrees, 1e-9)

    def product(x):
        return float(np.prod(stats.t.pdf(means, degrees, x, scales)))

    def upto(end):
        return integrate.quad(product, -2, end, points=[0.0, 0.01, 0.02], epsabs=0, epsrel=1e-10, limit=400)[0]

    whole = integrate.quad(product, -2, 2, points=[-0.01, 0.02, 0.05], epsabs=0, epsrel=1e-10, limit=400)[0]
    for x in (0.01, 0.03):
        assert found.mu_below(x) == pytest.approx(upto(x) / whole, abs=1e-6)
        assert found.following_below(x) == pytest.approx(upto(x) / whole, abs=1e-6)
    rows = found.shrunken()
    assert np.ptp(rows[:, 0]) < 1e-8
    normal = posterior(means, scales, [NORMAL] * 3, 1e-9)
    assert normal.mu == pytest.approx(np.average(means, weights=scales**-2.0), abs=1e-9)


@pytest.mark.slow
def test_data_sets_that_differ_at_will_keep_their_own_difference():
    found = posterior([0.0, 1.0, -1.0, 0.5], [0.01] * 4, [9] * 4, 1.0)
    t = stats.t.ppf(0.975, 9)
    for mean, (own, low, high) in zip([0.0, 1.0, -1.0, 0.5], found.shrunken(), strict=True):
        assert own == pytest.approx(mean, abs=1e-3)
        assert (high - low) / 2 == pytest.approx(0.01 * t, rel=1e-2)


@pytest.mark.slow
def test_many_data_sets_alike_leave_no_doubt():
    few, many = (posterior([0.05] * q, [0.01] * q, [9] * q, 0.01) for q in (4, 60))
    assert many.following(margin=0.01)[2] > few.following(margin=0.01)[2] > 0.9
    assert many.following(margin=0.01)[2] > 0.999
    assert many.tau_limits(0)[0] < few.tau_limits(0)[0]


values = st.integers(-60, 60).map(lambda k: k / 1000)
case = st.lists(
    st.tuples(values, st.integers(2, 40).map(lambda k: k / 1000), st.sampled_from([2.0, 4.0, 9.0])), min_size=2, max_size=4
)


@pytest.mark.slow
@settings(max_examples=3)
@given(case, st.randoms(use_true_random=False))
def test_order_names_and_units_do_not_matter(sets, random):
    def judged(rows, margin=0.01):
        m, s, nu = np.array(rows).T
        found = hierarchical_posterior(m, s, nu, prior_scale=float(np.sqrt((s**2).mean())))
        return np.array(found.following(margin=margin)), np.array([found.mu, *found.mu_limits()]), found.shrunken()

    three, mu, shrunken = judged(sets)
    assert three.sum() == pytest.approx(1, abs=1e-12)
    assert np.all(three >= 0)
    order = list(range(len(sets)))
    random.shuffle(order)
    again = judged([sets[at] for at in order])
    assert again[0] == pytest.approx(three, abs=1e-8)
    assert again[2] == pytest.approx(shrunken[order], abs=1e-8)
    mirrored = judged([(-m, s, nu) for m, s, nu in sets])
    assert mirrored[0] == pytest.approx(three[::-1], abs=1e-8)
    assert mirrored[1] == pytest.approx(-mu[[0, 2, 1]], abs=1e-8)
    percent = judged([(100 * m, 100 * s, nu) for m, s, nu in sets], margin=1.0)
    assert percent[0] == pytest.approx(three, abs=1e-8)
    assert percent[2] == pytest.approx(100 * shrunken, abs=1e-6)


@pytest.mark.slow
@settings(max_examples=12)
@given(case)
def test_a_wider_margin_holds_more_and_sets_are_drawn_together(sets):
    m, s, nu = np.array(sets).T
    found = hierarchical_posterior(m, s, nu, prior_scale=0.02)
    same = [found.following(margin=margin)[1] for margin in (0.0, 0.001, 0.01, 0.1)]
    assert same == sorted(same)
    assert same[0] == 0
    rows = found.shrunken()
    assert np.all((rows[:, 1] < rows[:, 0]) & (rows[:, 0] < rows[:, 2]))
    assert np.ptp(rows[:, 0]) <= np.ptp(m) + 1e-9


@pytest.mark.slow
def test_calibrated_over_its_own_prior():
    """Where tau follows its prior and mu is any number, belief and frequency agree: mu is flat, errors move with it."""
    rng = np.random.default_rng(2024)
    scales, degrees, prior_scale = np.array([0.5, 1.0, 2.0, 0.3]), np.array([4.0, 9.0, 4.0, 2.0]), 1.0
    places, of_set = [], []
    for turn in range(240):
        tau = abs(rng.standard_cauchy()) * prior_scale
        delta = rng.normal(0, tau, 5)
        means = delta[:4] + scales * rng.standard_t(degrees)
        found = hierarchical_posterior(means, scales, degrees, prior_scale=prior_scale)
        places.append([found.mu_below(0.0), found.following_below(delta[4]), found.tau_below(tau)])
        if turn % 2:  # dear: the whole distribution of one set's difference, of which `shrunken` gives limits
            grid, mass = found._of_set(1)
            of_set.append(float(mass @ grid.below(delta[1])))
    for each in (*np.array(places).T, of_set):
        assert stats.kstest(each, "uniform").pvalue > 1e-3
    # 120 intervals of 80%: a standard error of .037; all places of the set are held to the uniform distribution as well
    assert stats.binomtest(sum(0.1 < place < 0.9 for place in of_set), 120, 0.8).pvalue > 1e-3
    _, low, high = found.shrunken(level=0.8)[1]
    assert (mass @ grid.below(low), mass @ grid.below(high)) == pytest.approx((0.1, 0.9), abs=1e-7)


def test_the_typical_and_the_likeliest_by_drawing():
    """Normal errors: tau drawn from its density, mu given tau, and the likeliest outcome of each draw counted."""
    means, scales, prior_scale, margin = np.array([0.05, 0.01, 0.03, -0.02, 0.04]), np.full(5, 0.01), 0.03, 0.01
    found = posterior(means, scales, [NORMAL] * 5, prior_scale)
    tau = np.exp(np.linspace(math.log(1e-5), math.log(5), 4000))
    variances = scales[0] ** 2 + tau**2
    residual = ((means - means.mean()) ** 2).sum()
    logs = -2 * np.log(variances) - 0.5 * residual / variances - np.log1p((tau / prior_scale) ** 2) + np.log(tau)
    rng = np.random.default_rng(0)
    chosen = rng.choice(tau.size, 400_000, p=np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum())
    wide = tau[chosen]
    mu = rng.normal(means.mean(), np.sqrt(variances[chosen] / 5))
    wanted = [(mu < -margin).mean(), (np.abs(mu) <= margin).mean(), (mu > margin).mean()]
    assert found.typical(margin=margin) == pytest.approx(wanted, abs=4e-3)
    below, above = special.ndtr((-margin - mu) / wide), special.ndtr((mu - margin) / wide)
    likeliest = np.argmax([below, 1 - below - above, above], axis=0)
    assert found.likeliest(margin=margin) == pytest.approx(np.bincount(likeliest, minlength=3) / mu.size, abs=4e-3)
    assert found.likeliest() == pytest.approx(found.typical(), abs=1e-9)  # without a margin the sign of the mean decides
    assert sum(found.likeliest(margin=margin)) == pytest.approx(1)
