"""Sums of rates that tame tests never met: a tiny perfect class beside huge ones, empty classes, weak priors, cost weights.

Every probability has an oracle in `beta_oracle` that shares no code with adjudge, and every planted fault must show.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.stats.beta_oracle import hostile_sizes, hostile_table, pair_cdf, triple_cdf, wave_cdf

import adjudge
from adjudge.stats import betasum, engines, fourier
from adjudge.stats.betasum import beta_sum, beta_sums
from adjudge.stats.numerics import rising_root
from adjudge.stats.transforms import difference_distribution

QUADRATURE = json.loads((Path(__file__).parents[1] / "oracles" / "betasum.json").read_text(encoding="utf-8"))
LEVELS = np.array([0.025, 0.5, 0.975])

WORST = [
    # right, wrong, prior, weights: what went wrong before, or was slow, or had no mass
    ([4, 7, 459], [0, 321, 29], 1.0, None),
    ([11, 8, 988], [0, 687, 55], 1.0, None),
    ([1, 2, 0, 202219, 3], [1195, 5, 135062, 5, 0], 1.0, None),
    ([1111, 4714, 368242], [4, 50807, 0], 1.0, [0.6944, 0.0368, 0.2688]),
    ([189740, 9, 0, 651154], [0, 282, 1994, 0], 1.0, None),
    ([822099, 24520, 7], [1, 0, 32297], 0.5, None),
    ([10835, 2], [0, 6787], 0.1, None),  # at 1/2 one rate ends, with infinite density, where the other begins
    ([14, 1], [0, 0], 0.1, None),
]
ROUGH = [
    ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.2, 0.35, 0.45], 0.37),
    ([6176.1, 8.1, 30.1], [0.1, 197.1, 0.1], [1 / 3, 1 / 3, 1 / 3], 0.67),
    pytest.param([10.1, 0.1, 133.1], [7.1, 114.1, 0.1], [0.5, 0.2, 0.3], 0.59, marks=pytest.mark.slow),
    pytest.param([0.1, 0.1, 3.1], [0.1, 2.1, 0.1], [0.3, 0.3, 0.4], 0.5, marks=pytest.mark.slow),
]


def distribution_of(right, wrong, prior, weights):
    k = len(right)
    return beta_sum(
        np.add(right, prior), np.add(wrong, prior), np.full(k, 1 / k) if weights is None else np.divide(weights, sum(weights))
    )


def asked(distribution, a, b, w, *, most=2048):
    """Return the errors of cdf and ppf at points that matter, beyond what one rounding of x changes, and how far they are known."""
    sd = math.sqrt(distribution.var)
    x = np.clip([distribution.mean - sd, distribution.mean + sd / 2, 1 / len(a)], 0, 1)
    points = np.concatenate([x, distribution.ppf(LEVELS)])
    ours = np.concatenate([distribution.cdf(x), LEVELS])
    if len(a) == 2:
        order = np.argsort(a + b)
        cdf = lambda p: pair_cdf([a[order]], [b[order]], [w[order]], [p])[0]  # noqa: E731
        exact, steep, doubt = cdf(points), np.abs(cdf(points + 3e-16) - cdf(points - 3e-16)), np.zeros(points.size)
    else:
        exact, density, doubt = wave_cdf(a, b, w, points, most=most)
        steep = 1e-15 * np.abs(density)
    return np.abs(ours - exact) - steep, doubt


@pytest.mark.parametrize("case", [c for c in QUADRATURE if "cdf" in c and len(c["a"]) == 2], ids=lambda case: case["name"])
def test_the_oracle_of_pairs_agrees_with_forty_digits(case):
    order = np.argsort(np.add(case["a"], case["b"]))
    a, b, w = (np.array(case[name])[order] for name in ("a", "b", "weights"))
    assert pair_cdf([a], [b], [w], [case["x"]])[0] == pytest.approx(np.array(case["cdf"], dtype=float), abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "w", "x"),
    [
        ([41, 3], [6, 9], [0.5, 0.5], [0.3, 0.55]),
        ([30.5, 90.5], [9.5, 12.5], [0.3, 0.7], [0.7, 0.8]),
        ([900, 80], [9, 12], [0.5, 0.5], [0.9]),
    ],
)
def test_two_oracles_agree(a, b, w, x):
    wave, _, left = wave_cdf(a, b, w, x)
    assert left.max() < 2e-12
    assert wave == pytest.approx(pair_cdf([a], [b], [w], [x])[0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "prior", "weights"), WORST)
def test_the_worst_tables_found(right, wrong, prior, weights):
    distribution = distribution_of(right, wrong, prior, weights)
    error, doubt = asked(distribution, distribution.a, distribution.b, distribution.weights)
    assert distribution.flaw < 1e-12
    assert doubt.max() < 1e-11
    assert error.max() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "w", "x"), ROUGH)
def test_rough_sums_of_three(a, b, w, x):
    distribution = beta_sum(a, b, w)
    assert distribution.flaw < 1e-12
    assert distribution.cdf(x) == pytest.approx(triple_cdf(a, b, w, x), abs=1e-10)


@pytest.mark.slow
def test_the_tables_that_were_measured_from_outside():
    found = adjudge.posterior([[4, 0, 0], [0, 7, 321], [29, 0, 459]], prior="flat")
    interval = found.interval()
    assert (interval.low, interval.high) == pytest.approx((0.480, 0.655), abs=5e-4)
    assert found.sf(1 / 3) > 0.9999
    assert adjudge.posterior([[11, 0, 0], [0, 8, 687], [55, 0, 988]]).sf(1 / 3) > 0.9999
    first, second = (adjudge.ConfusionCounts(np.array(t)) for t in ([[1182, 0], [0, 9]], [[2064, 5917], [0, 1928]]))
    low, high = adjudge.compare(first, second, measure="balanced_accuracy", paired=False).distribution.interval()
    assert (low, high) == pytest.approx((0.2162, 0.3700), abs=1e-4)


def test_differences_of_hostile_sums():
    a, b = distribution_of([1182, 9], [0, 0], 1.0, None), distribution_of([2064, 1928], [5917, 0], 1.0, None)
    distribution = difference_distribution(a, b)
    points = np.array([distribution.mean + z * math.sqrt(distribution.var) for z in (-3, -1, 0, 1, 2)])
    exact, _, left = wave_cdf(distribution.a, distribution.b, distribution.weights, points, shift=distribution.shift)
    assert left.max() < 2e-12
    assert distribution.cdf(points) == pytest.approx(exact, abs=1e-11)


@pytest.mark.slow
def test_random_hostile_tables():
    rng = np.random.default_rng(0)
    check_pairs([hostile_table(rng, 2) for _ in range(32)], 0.5, quantiles=True)
    check_sums([hostile_table(rng, k) for k in (3, 5, 8, 20)])


PART = {"pairs": 150, "few": 80, "many": 20}
PARTS = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 3


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_hostile_tables(part):
    """900 tables of two classes and 300 of more, 60 of these of more than ten; more than three times as many with the nightly profile.

    A fault in one of 130 tables of two classes, or in one of 43 of more, shows with a probability of 99.9%; nightly, of 435 and 145.
    """
    for seed in (part, part + 10):
        rng = np.random.default_rng([2026, seed])
        pairs = [hostile_table(rng, 2) for _ in range(PART["pairs"])]
        for at, share in enumerate((0.5, 0.2, 0.35)):
            check_pairs(pairs[at::3], share, quantiles=at == seed % 3)
        if seed == part:
            few, many = hostile_sizes(rng, PART["few"]), rng.integers(11, 31, PART["many"])
            check_sums([hostile_table(rng, int(k)) for k in (*few, *many)])


def check_sums(tables):
    """Compare sums of three classes or more at every point that the oracle knows to 1e-11; it must know nearly all of them."""
    known = []
    for a, b, w, _ in tables:
        distribution = beta_sum(a, b, w)
        assert distribution.flaw < 1e-12, (a.tolist(), b.tolist(), w.tolist())
        error, doubt = asked(distribution, a, b, w)
        known.append(doubt < 1e-11)
        assert error[known[-1]].max(initial=0.0) < 1e-10, (a.tolist(), b.tolist(), w.tolist())
    assert np.mean(known) > 0.9
    assert np.mean([some.sum() >= 3 for some in known]) > 0.95


def check_pairs(tables, share, *, quantiles):
    """Compare pairs of rates, many at once: they share their weights."""
    a, b = (np.array([table[i] for table in tables]) for i in (0, 1))
    w = np.array([share, 1 - share])
    distributions = beta_sums(a, b, w)
    sd = np.sqrt(distributions.var)
    points = np.clip(np.column_stack([distributions.mean - sd, distributions.mean + sd / 2, np.full(len(a), share)]), 0, 1)
    ours = np.column_stack([distributions.cdf(x) for x in points.T])
    if quantiles:
        low, high = distributions.interval()
        points = np.column_stack([points, low, distributions.median, high])
        ours = np.column_stack([ours, np.broadcast_to(LEVELS, (len(a), 3))])
    order = np.argsort(a + b, axis=1)
    rows = [np.take_along_axis(v, order, axis=1) for v in (a, b, np.broadcast_to(w, a.shape))]
    error = np.abs(ours - pair_cdf(*rows, points))
    off = np.flatnonzero(error.max(axis=1) > 1e-11)  # what one rounding of x changes is no error
    if off.size:
        some = [v[off] for v in rows]
        error[off] -= np.abs(pair_cdf(*some, points[off] + 3e-16) - pair_cdf(*some, points[off] - 3e-16))
    worst = int(error.max(axis=1).argmax())
    assert error[worst].max() < 1e-10, (a[worst].tolist(), b[worst].tolist(), share)
    assert distributions.flaw.max() < 1e-12


@pytest.fixture
def cut_windows(monkeypatch):
    """Plant a fault: every window holds the middle six tenths only."""
    real = betasum.rates

    def cut(a, b, weight):
        found = real(a, b, weight)
        return replace(
            found,
            low=0.6 * found.low,
            high=0.6 * found.high,
            at_low=found.centre + 0.6 * found.low / weight,
            at_high=found.rest - 0.6 * found.high / weight,
        )

    monkeypatch.setattr(betasum, "rates", cut)


@pytest.mark.parametrize(("right", "wrong"), [([40, 2], [5, 8]), ([40, 2, 9], [5, 8, 30]), ([4, 7, 459], [0, 321, 29])])
@pytest.mark.usefixtures("cut_windows")
def test_a_window_that_went_wrong_is_mended(right, wrong):
    distribution = distribution_of(right, wrong, 1.0, None)
    x = np.array([distribution.mean - 0.1, distribution.mean, distribution.mean + 0.05])
    exact = (
        pair_cdf([distribution.a], [distribution.b], [distribution.weights], [x])[0]
        if len(right) == 2
        else wave_cdf(distribution.a, distribution.b, distribution.weights, x)[0]
    )
    assert distribution.cdf(x) == pytest.approx(exact, abs=1e-10)
    assert distribution.flaw < 1e-12


def test_a_period_too_short_is_mended(monkeypatch):
    real = fourier.extent
    monkeypatch.setattr(fourier, "extent", lambda plain: 0.3 * real(plain))
    distribution = distribution_of([40, 22, 39], [5, 18, 30], 1.0, None)
    x = np.array([distribution.mean - 0.1, distribution.mean, distribution.mean + 0.05])
    assert distribution.cdf(x) == pytest.approx(wave_cdf(distribution.a, distribution.b, distribution.weights, x)[0], abs=1e-10)


@pytest.mark.usefixtures("cut_windows")
def test_what_cannot_be_mended_is_said(monkeypatch):
    monkeypatch.setattr(engines, "_careful", lambda rates, quick: quick)  # noqa: ARG005
    for table in ([[40, 5], [8, 2]], [[40, 2, 3], [1, 2, 7], [20, 10, 9]]):
        codes = [finding.code for finding in adjudge.posterior(table).findings]
        assert "A510" in codes
    many = adjudge.posterior(np.array([[[40, 5], [8, 2]], [[30, 5], [8, 20]]]))
    assert "A510" in [finding.code for finding in many.findings]


def test_good_distributions_say_nothing():
    assert "A510" not in [finding.code for finding in adjudge.posterior([[40, 5], [8, 2]]).findings]


SHAPES = ("perfect", "half", "none")
FAR = [(cases, shape, 2) for cases in (0, 10**9) for shape in SHAPES]
MORE = [(30, shape, 2) for shape in SHAPES] + [(10**9, "half", 3)]
MORE += [(cases, shape, 2) for cases in (1, 10**4, 10**8) for shape in SHAPES] + [(0, "half", 3), (30, "perfect", 3)]
FAR += [pytest.param(*case, marks=pytest.mark.slow) for case in MORE]


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "shape", "k"), FAR)
def test_ends_and_far_quantiles(cases, shape, k):
    right = {"perfect": cases, "half": cases // 2, "none": 0}[shape]
    distribution = distribution_of([right] * k, [cases - right] * k, 1.0, None)
    low, high = distribution.support
    assert (distribution.ppf(0), distribution.ppf(1), distribution.isf(0), distribution.isf(1)) == (low, high, high, low)
    first, middle, last = distribution.ppf(1e-12), distribution.interval(), distribution.isf(1e-12)
    assert low <= first <= middle[0] < middle[1] <= last <= high
    if cases <= 10**4:  # where a float near 1 can hold the digits, they are there
        assert distribution.logcdf(first) == pytest.approx(math.log(1e-12), rel=1e-6)


@pytest.mark.slow
def test_many_distributions_have_ends_too():
    distributions = beta_sums([[41, 3], [1e9, 1e9]], [[6, 9], [1, 1]], [0.5, 0.5])
    assert distributions.ppf(0).tolist() == [0, 0]
    assert distributions.ppf(1).tolist() == [1, 1]
    assert distributions.ppf(1e-12)[0] == pytest.approx(beta_sum([41, 3], [6, 9], [0.5, 0.5]).ppf(1e-12), rel=1e-12)


def exact_gaps(shape):
    """Return the gaps from 1 of the shortest 95%, times 2 n: n (1 - X) is then nearly half a Gamma variable, here with mpmath."""
    from mpmath import exp, findroot, gammainc, log, mpf

    if shape == 1:  # the density falls from the end on
        return 0.0, float(log(20))
    held = lambda s, t: gammainc(shape, s, t, regularized=True) - mpf("0.95")  # noqa: E731
    alike = lambda s, t: s ** (shape - 1) * exp(-s) - t ** (shape - 1) * exp(-t)  # noqa: E731
    start, stop = findroot(lambda s, t: [held(s, t), alike(s, t)], (mpf("0.04"), mpf("4.7")))
    return float(start), float(stop)


@pytest.mark.parametrize(
    ("wrong", "prior", "shape"),
    [
        ((0, 0), "jeffreys", 1),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (((0, 0), "flat", 2), ((1, 0), "jeffreys", 2))),
    ],
)
def test_the_shortest_interval_of_a_billion_nearly_perfect_cases(wrong, prior, shape, monkeypatch):
    asked_far = []
    real = betasum.SumDistribution._tilted_at
    monkeypatch.setattr(
        betasum.SumDistribution,
        "_tilted_at",
        lambda distribution, gap, **how: asked_far.append(gap) or real(distribution, gap, **how),
    )
    n = 10**9
    table = np.array([[n - wrong[0], wrong[0]], [wrong[1], n - wrong[1]]])
    interval = adjudge.posterior(table, prior=prior).interval(kind="hpd")
    near, far = exact_gaps(shape)
    assert 2 * n * (1 - interval.low) == pytest.approx(far, rel=1e-6)
    assert 2 * n * (1 - interval.high) == pytest.approx(near, rel=2e-5)
    assert len(asked_far) < 60  # one of these asked 2,400 times, for half a minute


@pytest.mark.slow
def test_a_shortest_interval_from_either_end():
    low, high = beta_sum([0.5, 0.5], [1e9, 1e9], [0.5, 0.5]).interval(kind="hpd")
    assert low == 0
    assert 2e9 * high == pytest.approx(math.log(20), rel=1e-6)


def test_a_root_is_found_where_newton_runs_away():
    curve = lambda x: (np.arctan(40 * (x - 3)), 40 / (1 + (40 * (x - 3)) ** 2))  # noqa: E731
    start, low, high = np.array([-9.0, 0.1, 2.9]), np.full(3, -10.0), np.full(3, 10.0)
    assert rising_root(curve, low, high, start, 1e-12) == pytest.approx(3, abs=1e-12)
    jump = lambda x: (np.where(x < 1, -1.0, 1.0), np.zeros(x.shape))  # noqa: E731
    assert rising_root(jump, np.zeros(1), np.full(1, 5.0), np.full(1, 4.0), 1e-12) == pytest.approx(1, abs=1e-12)
