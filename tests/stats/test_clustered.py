"""Clusters against theory: the analysis of variance, rows that are copies, simulated beta-binomial clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.binomial import clopper_pearson, jeffreys, lower_tail_inversion, midp, wilson
from adjudge.stats.clustered import ClusterEffect, cluster_effect, intracluster_correlation, shrunken

SEED = 20240914


def sizes_of(rng, many, rows, kind):
    """Return sizes of clusters of so many rows on average."""
    if kind == "equal":
        return np.full(many, float(rows))
    if kind == "geometric":
        return rng.geometric(1 / rows, many).astype(float)
    return np.maximum(1.0, np.rint(rows * np.exp(rng.normal(-0.5, 1, many))))


def correct_of(rng, sizes, rate, correlation):
    """Return how many rows of each cluster are correct: beta-binomial."""
    if not correlation:
        return rng.binomial(sizes.astype(int), rate).astype(float)
    kappa = (1 - correlation) / correlation
    return rng.binomial(sizes.astype(int), rng.beta(rate * kappa, (1 - rate) * kappa, sizes.size)).astype(float)


def of_accuracy(correct, sizes):
    """Return the effect of clusters on the accuracy."""
    n, share = sizes.sum(), correct.sum() / sizes.sum()
    return cluster_effect((correct - sizes * share) / n, sizes, share * (1 - share) / n)


def anova(correct, sizes):
    """Return the correlation by the analysis of variance: (MSB - MSW) / (MSB + (n0 - 1) MSW)."""
    n, k = sizes.sum(), sizes.size
    between = (correct**2 / sizes).sum() - correct.sum() ** 2 / n
    within = correct.sum() - (correct**2 / sizes).sum()
    msb, msw = between / (k - 1), within / (n - k)
    return (msb - msw) / (msb + ((n - (sizes**2).sum() / n) / (k - 1) - 1) * msw)


clusters = st.lists(st.tuples(st.integers(1, 40), st.floats(0, 1)), min_size=1, max_size=12).map(
    lambda pairs: (np.array([round(n * part) for n, part in pairs], dtype=float), np.array([n for n, _ in pairs], dtype=float))
)


@given(clusters)
def test_a_row_is_worth_no_more_than_one_and_a_cluster_no_less_than_one(drawn):
    correct, sizes = drawn
    effect = of_accuracy(correct, sizes)
    assert 1 <= effect.design_effect <= effect.most * (1 + 1e-12)
    assert effect.most == pytest.approx((sizes**2).sum() / sizes.sum())
    assert 1 <= effect.degrees <= max(sizes.size - 1, 1)
    for level in (0.5, 0.9, 0.95, 0.999):
        assert 1 / effect.most <= effect.share(level) * (1 + 1e-12) <= 1 + 1e-11


@given(clusters, st.randoms(use_true_random=False))
def test_the_order_of_clusters_does_not_matter(drawn, random):
    order = list(range(drawn[0].size))
    random.shuffle(order)
    one, other = of_accuracy(*drawn), of_accuracy(*(each[order] for each in drawn))
    assert other.design_effect == pytest.approx(one.design_effect, rel=1e-9)
    assert other.degrees == pytest.approx(one.degrees, rel=1e-6)


@given(clusters, st.integers(0, 3))
def test_clusters_of_no_weight_change_nothing(drawn, many):
    correct, sizes = (np.append(each, np.zeros(many)) for each in drawn)
    assert of_accuracy(correct, sizes) == of_accuracy(*drawn)


@given(clusters, st.floats(1e-6, 1e6))
def test_the_unit_of_an_estimate_does_not_matter(drawn, unit):
    correct, sizes = drawn
    n, share = sizes.sum(), correct.sum() / sizes.sum()
    moved, alone = (correct - sizes * share) / n, share * (1 - share) / n
    one, other = (cluster_effect(moved * u, sizes * u, alone * u * u, rows=n, events=n * share) for u in (1.0, unit))
    assert other.design_effect == pytest.approx(one.design_effect, rel=1e-9)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_clusters_of_one_row_are_independent_rows(right):
    correct = np.array(right, dtype=float)
    effect = of_accuracy(correct, np.ones(correct.size))
    assert (effect.design_effect, effect.share(0.95), effect.share(0.9)) == (1, 1, 1)
    assert math.isnan(intracluster_correlation(effect.design_effect, np.ones(correct.size)))


@pytest.mark.parametrize("copies", [2, 7, 50])
@pytest.mark.parametrize("correct", [1, 8, 10])
def test_copies_of_a_row_are_worth_one_row(copies, correct):
    hits = np.array([1.0] * correct + [0.0] * (10 - correct))
    effect = of_accuracy(hits * copies, np.full(10, float(copies)))
    assert effect.design_effect == pytest.approx(copies, rel=1e-12)
    assert effect.share(0.95) == pytest.approx(1 / copies, rel=1e-12)
    assert intracluster_correlation(effect.design_effect, np.full(10, float(copies))) == pytest.approx(1)


def test_of_equal_clusters_the_correlation_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(SEED)
    for many, rows, correlation in ((10, 500, 0.3), (40, 100, 0.1), (300, 20, 0.5)):
        sizes = np.full(many, float(rows))
        correct = correct_of(rng, sizes, 0.75, correlation)
        known = 1e9  # rows of which half a pair more tells nothing
        n, share = sizes.sum(), correct.sum() / sizes.sum()
        effect = cluster_effect((correct - sizes * share) / n, sizes, share * (1 - share) / n, events=known)
        assert intracluster_correlation(effect.design_effect, sizes) == pytest.approx(anova(correct, sizes), rel=1e-7)
        seen = intracluster_correlation(of_accuracy(correct, sizes).design_effect, sizes)
        assert seen == pytest.approx(anova(correct, sizes), rel=0.02)


@pytest.mark.parametrize("kind", ["geometric", "lognormal"])
def test_of_unequal_clusters_the_correlation_is_nearly_unbiased(kind):
    rng, seen, usual = np.random.default_rng(SEED), [], []
    for _ in range(400):
        sizes = sizes_of(rng, 60, 20, kind)
        correct = correct_of(rng, sizes, 0.75, 0.3)
        seen.append(intracluster_correlation(of_accuracy(correct, sizes).design_effect, sizes))
        usual.append(anova(correct, sizes))
    assert np.mean(seen) == pytest.approx(0.3, abs=0.02)
    assert np.mean(seen) == pytest.approx(np.mean(usual), abs=0.02)


def test_degrees_are_those_of_the_clusters_where_these_are_equal_and_of_the_large_ones_where_not():
    rng = np.random.default_rng(SEED)

    def degrees(sizes):
        return np.mean([of_accuracy(correct_of(rng, sizes, 0.7, 0.1), sizes).degrees for _ in range(50)])

    assert 15 < degrees(np.full(21, 30.0)) <= 20
    assert degrees(np.array([300.0, 300.0, *[5.0] * 19])) < 3
    assert degrees(np.array([10_000.0, *[5.0] * 20])) < 2


def test_without_errors_a_cluster_counts_as_a_row_and_with_some_the_rows_begin_to_speak():
    sizes = np.full(50, 10.0)

    def worth(errors):
        correct = sizes.copy()
        correct[:errors] -= 1
        return 500 * of_accuracy(correct, sizes).share(0.95)

    # the rule of three over clusters
    assert worth(0) == pytest.approx(50)
    assert clopper_pearson(worth(0), worth(0), 0.9)[0] == pytest.approx(0.05 ** (1 / 50))
    assert 50 < worth(1) < worth(2) < worth(3) < worth(5) <= 500
    together = sizes.copy()
    together[0] = 5  # five errors of one cluster say that its rows are alike
    assert 500 * of_accuracy(together, sizes).share(0.95) < worth(5) / 2


@pytest.mark.parametrize(
    ("correct", "sizes", "worth"),
    [
        ([7], [10], 1),  # one cluster is one case
        ([10], [10], 1),
        ([9, 3], [10, 10], 2),
        ([900, 1, 0, 1, 1], [1000, 1, 1, 1, 1], 1.008),  # a giant beside tiny ones is hardly more than one
        ([1e9, 5e8, 8e8], [1e9, 1e9, 1e9], 3),
        ([0, 0, 0], [5, 9, 0], 14**2 / (25 + 81)),
    ],
)
def test_few_clusters_are_worth_as_many_rows(correct, sizes, worth):
    sizes = np.array(sizes, dtype=float)
    assert sizes.sum() * of_accuracy(np.array(correct, dtype=float), sizes).share(0.95) == pytest.approx(worth, rel=0.02)


@pytest.mark.parametrize(("rows", "giant", "many"), [(1, 0, 30_000), (1, 30_000, 30_000), (4, 0, 30_000), (4, 0, 300)])
@pytest.mark.parametrize("rate", [0.8, 1.0])
def test_clusters_put_together_at_random_are_worth_what_they_are_worth_apart(rows, giant, many, rate):
    rng = np.random.default_rng(SEED)
    sizes = np.append(np.full(many, float(rows)), np.full(int(giant > 0), float(giant)))
    correct = correct_of(rng, sizes, rate, 0.5) if rate < 1 else sizes
    place, share = rng.integers(0, 4096, sizes.size), correct.sum() / sizes.sum()
    sums = [np.bincount(place, each, minlength=4096) for each in (correct, sizes)]
    n, alone = sizes.sum(), share * (1 - share) / sizes.sum()
    together = cluster_effect((sums[0] - sums[1] * share) / n, sums[1], alone, places=4096)
    apart = of_accuracy(correct, sizes)
    assert together.most == pytest.approx(apart.most, rel=0.1, abs=0.3)
    assert together.design_effect == pytest.approx(apart.design_effect, rel=0.2)


def test_no_cluster_has_no_effect():
    assert cluster_effect(np.zeros(2), np.zeros(2), 0.0).share(0.95) == 1
    assert math.isnan(intracluster_correlation(1.0, np.zeros(0)))


@given(st.floats(1, 30), st.floats(1, 30), st.floats(1, 200), st.floats(0.5, 0.999))
def test_the_stronger_the_effect_and_the_fewer_the_degrees_the_less_a_row_is_worth(one, other, degrees, level):
    low, high = sorted((one, other))
    assert ClusterEffect(high, degrees, 9).share(level) <= ClusterEffect(low, degrees, 9).share(level) * (1 + 1e-12)
    # beside many degrees of freedom the whole is a t interval with the variance of clusters
    assert ClusterEffect(high, 1e6, 9).share(level) == pytest.approx(1 / high, rel=0.01)


def test_shrunken_against_a_fine_grid():
    """The same model by brute force: 200 x 200 nodes, and the quantiles of the mixture of beta distributions."""
    correct, sizes = np.array([18.0, 25, 22, 9, 24, 14, 3]), np.array([25.0, 25, 25, 20, 25, 15, 5])
    rho, mu = (np.arange(200) + 0.5) / 200, (np.arange(200) + 0.5)[:, np.newaxis] / 200
    kappa = (1 - rho) / rho
    a, b = mu * kappa, (1 - mu) * kappa
    log = sum(stats.betabinom.logpmf(x, n, a, b) for x, n in zip(correct, sizes, strict=True)) + stats.beta.logpdf(mu, 0.5, 0.5)
    weight = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    for (share, low, high), x, n in zip(shrunken(correct, sizes, 0.95), correct, sizes, strict=True):
        assert share == pytest.approx(float((weight * (a + x) / (a + b + n)).sum()), abs=0.002)
        for end, tail in ((low, 0.025), (high, 0.975)):
            assert float((weight * stats.beta.cdf(end, a + x, b + n - x)).sum()) == pytest.approx(tail, abs=0.013)


@given(clusters, st.sampled_from([0.8, 0.95, 0.999]))
def test_shrunken_shares_lie_between_that_of_all_and_their_own(drawn, level):
    correct, sizes = drawn
    share, low, high = shrunken(correct, sizes, level).T
    assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()
    order = np.argsort(correct / sizes)
    least, largest = correct[order[0]] / sizes[order[0]], correct[order[-1]] / sizes[order[-1]]
    assert (share >= min(least, 0.5) - 1e-9).all()  # the prior mean of all is 1/2
    assert (share <= max(largest, 0.5) + 1e-9).all()


def test_clusters_that_are_all_equal_have_one_share_and_know_of_each_other():
    correct, sizes = np.full(30, 20.0), np.full(30, 25.0)
    drawn = shrunken(correct, sizes, 0.95)
    assert (drawn == drawn[0]).all()
    assert drawn[0, 0] == pytest.approx(0.8, abs=0.005)
    low, high = jeffreys(20, 25)
    assert drawn[0, 2] - drawn[0, 1] < (high - low) / 2
    assert shrunken(np.array([20.0, 20, 2]), np.array([25.0, 25, 25]), 0.95)[2, 0] > 2 / 25


@pytest.mark.parametrize("correct", [[1e9, 5e8, 0], [0, 0, 0], [1e9, 1e9, 1e9], [0, 1, 0]])
def test_shrunken_of_extreme_clusters(correct):
    sizes = np.array([1e9, 1e9, 1e9]) if max(correct) != 1 else np.array([0.0, 1.0, 3.0])
    drawn = shrunken(np.array(correct, dtype=float), sizes, 0.95)
    assert np.isfinite(drawn).all()
    assert ((drawn[:, 1] <= drawn[:, 0]) & (drawn[:, 0] <= drawn[:, 2])).all()


CELLS = (  # clusters, rows, correlation, sizes, rate of correct rows
    *((10, 2, 0.3, "equal", 0.7), (10, 2, 0.1, "geometric", 0.75), (10, 10, 0.0, "equal", 0.8), (10, 10, 0.3, "geometric", 0.8)),
    *((10, 50, 0.5, "equal", 0.75), (10, 50, 0.5, "lognormal", 0.8), (30, 2, 0.5, "equal", 0.8), (30, 2, 0.0, "geometric", 0.7)),
    *(
        (30, 10, 0.05, "equal", 0.9),
        (30, 10, 0.3, "lognormal", 0.8),
        (30, 50, 0.3, "equal", 0.9),
        (30, 50, 0.1, "geometric", 0.75),
    ),
    *((50, 2, 0.0, "equal", 0.8), (50, 2, 0.3, "lognormal", 0.7), (50, 10, 0.1, "equal", 0.85), (50, 10, 0.5, "geometric", 0.8)),
    *(
        (50, 50, 0.5, "equal", 0.9),
        (50, 50, 0.0, "lognormal", 0.85),
        (200, 2, 0.1, "equal", 0.9),
        (200, 2, 0.5, "geometric", 0.7),
    ),
    *(
        (200, 10, 0.3, "equal", 0.8),
        (200, 10, 0.5, "lognormal", 0.75),
        (200, 50, 0.0, "equal", 0.7),
        (200, 50, 0.05, "geometric", 0.85),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize(("many", "rows", "correlation", "kind", "rate"), CELLS)
def test_intervals_of_effective_cases_cover(many, rows, correlation, kind, rate):
    """Mid-P limits, the default for accuracies. Of 20 rows, whose accuracy takes few values, they hold more often."""
    rng, held, samples = np.random.default_rng([SEED, many, rows]), 0, 1000
    for _ in range(samples):
        sizes = sizes_of(rng, many, rows, kind)
        correct = correct_of(rng, sizes, rate, correlation)
        share = of_accuracy(correct, sizes).share(0.95)
        low, high = midp(correct.sum() * share, sizes.sum() * share)
        held += low <= rate <= high
    assert 0.925 <= held / samples <= (0.975 if many * rows > 20 else 0.99)  # from .93 to .97, known to .007


@pytest.mark.slow
def test_clusters_without_correlation_cost_little():
    """Fifty clusters: at most 5% of the width on average; for equal ones 4%, for very unequal ones 9%."""
    rng, wider = np.random.default_rng(SEED), {}
    for kind in ("equal", "geometric", "lognormal"):
        for rows in (2, 10, 50):
            widths = np.zeros(2)
            for _ in range(400):
                sizes = sizes_of(rng, 50, rows, kind)
                correct = correct_of(rng, sizes, 0.8, 0)
                for i, share in enumerate((of_accuracy(correct, sizes).share(0.95), 1.0)):
                    low, high = wilson(correct.sum() * share, sizes.sum() * share)
                    widths[i] += high - low
            wider[kind, rows] = widths[0] / widths[1]
    assert np.mean(list(wider.values())) <= 1.05
    assert max(wider["equal", rows] for rows in (2, 10, 50)) <= 1.04
    assert max(wider.values()) <= 1.09


GATES = ((10, 10, 0.1), (30, 10, 0.1), (40, 25, 0.1), (40, 25, 0.3), (100, 10, 0.2), (200, 5, 0.1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["equal", "geometric"])
def test_a_gate_at_its_bound_seldom_passes(kind):
    """The exact one-sided 95% bound, as gates have it, at 80% correct rows; of 90% in unequal clusters up to .08 pass."""
    rng, passed, samples = np.random.default_rng(SEED), [], 1000
    for many, rows, correlation in GATES:
        above = 0
        for _ in range(samples):
            sizes = sizes_of(rng, many, rows, kind)
            correct = correct_of(rng, sizes, 0.8, correlation)
            share = of_accuracy(correct, sizes).share(0.9)
            above += lower_tail_inversion(correct.sum() * share, sizes.sum() * share) > 0.8
        passed.append(above / samples)
    assert np.mean(passed) <= 0.052
    assert max(passed) <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize(
    ("many", "rows", "correlation", "kind"),
    [
        (10, 25, 0.3, "equal"),
        (40, 25, 0.1, "equal"),
        (40, 25, 0.3, "geometric"),
        (100, 10, 0.0, "equal"),
        (30, 2, 0.5, "lognormal"),
    ],
)
def test_two_equal_classifiers_seldom_differ(many, rows, correlation, kind):
    """The paired difference of two whose cases are the same, whose clusters are hard for each in its own way."""
    rng, differ, samples = np.random.default_rng(SEED), 0, 1000
    for _ in range(samples):
        sizes = sizes_of(rng, many, rows, kind)
        both = correct_of(rng, sizes, 0.5, correlation)  # rows that both predict alike
        one, other = (correct_of(rng, sizes - both, 0.6, correlation) for _ in range(2))
        # among the other rows each is correct by itself: the sum of squares of differences is that of independent pairs
        n, difference = sizes.sum(), (one - other).sum() / sizes.sum()
        odd = one + other - 2 * rng.hypergeometric(one.astype(int), (sizes - both - one).astype(int), other.astype(int))
        alone = (odd.sum() / n - difference**2) / n
        share = cluster_effect((one - other - sizes * difference) / n, sizes, alone).share(0.95)
        differ += abs(difference) > 1.959964 * math.sqrt(alone / share) if alone > 0 else 0
    assert differ / samples <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_where_errors_are_rare_intervals_cover(correlation):
    """Of 99% correct rows many samples have no error at all."""
    rng, held, without = np.random.default_rng(SEED), 0, 0
    for _ in range(1000):
        sizes = sizes_of(rng, 30, 10, "equal")
        correct = correct_of(rng, sizes, 0.99, correlation)
        share = of_accuracy(correct, sizes).share(0.95)
        low, high = midp(correct.sum() * share, sizes.sum() * share)
        held += low <= 0.99 <= high
        without += correct.sum() == sizes.sum()
    assert without > 30
    assert held / 1000 >= 0.94


@pytest.mark.slow
@pytest.mark.parametrize(
    ("many", "rows", "correlation", "rate"), [(5, 10, 0.1, 0.8), (10, 50, 0.5, 0.8), (40, 25, 0.1, 0.9), (40, 10, 0.3, 0.7)]
)
def test_shrunken_limits_cover_and_shrunken_shares_are_nearer(many, rows, correlation, rate):
    rng, held, nearer = np.random.default_rng(SEED), [], []
    kappa = (1 - correlation) / correlation
    for _ in range(1000 // many):
        sizes, chances = sizes_of(rng, many, rows, "geometric"), rng.beta(rate * kappa, (1 - rate) * kappa, many)
        correct = rng.binomial(sizes.astype(int), chances).astype(float)
        share, low, high = shrunken(correct, sizes, 0.95).T
        held.append(((low <= chances) & (chances <= high)).mean())
        nearer.append((((share - chances) ** 2).sum(), ((correct / sizes - chances) ** 2).sum()))
    assert 0.93 <= np.mean(held) <= 0.97
    drawn, seen = np.mean(nearer, axis=0)
    assert drawn < seen
