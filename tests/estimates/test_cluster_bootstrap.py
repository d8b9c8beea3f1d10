"""Clusters drawn again: against the variance of cluster means, against a plain loop, and where draws tell nothing."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from adjudge import InputError, Predictions, evaluate, interval
from adjudge.counts.counting import tally
from adjudge.estimates.cluster_bootstrap import cluster_limits
from adjudge.estimates.intervals import count_interval
from adjudge.metrics.averages import of_tables
from adjudge.metrics.on_counts import ACCURACY, F1


def drawn(clusters=40, seed=0, spread=0.3):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), rng.integers(3, 12, clusters))
    share = np.clip(0.7 + spread * (rng.random(clusters) - 0.5) * 2, 0, 1)[cluster]
    truth = rng.integers(0, 2, cluster.size)
    right = rng.random(cluster.size) < share
    return truth, np.where(right, truth, 1 - truth), cluster


def test_the_spread_of_draws_is_that_of_clusters():
    truth, said, cluster = drawn()
    counts = tally(Predictions(truth, said, cluster=cluster)).confusion
    rng = np.random.default_rng(1)
    _, draws = cluster_limits(counts, partial(of_tables, ACCURACY), level=0.95, resamples=20_000, rng=rng)
    sizes = np.bincount(cluster)
    off = np.bincount(cluster, weights=truth == said) - np.mean(truth == said) * sizes
    known = np.sqrt(40 / 39 * (off**2).sum()) / sizes.sum()
    assert draws.std() == pytest.approx(known, rel=0.04)
    assert draws.mean() == pytest.approx(np.mean(truth == said), abs=0.003)


def test_limits_are_those_of_a_loop_over_rows():
    from scipy.stats import norm

    truth, said, cluster = drawn(seed=2)
    counts = tally(Predictions(truth, said, positive=1, cluster=cluster)).confusion

    def f1(t, s):
        return 2 * np.sum((t == 1) & (s == 1)) / (np.sum(t == 1) + np.sum(s == 1))

    rng, places = np.random.default_rng(5), [np.flatnonzero(cluster == c) for c in range(40)]
    draws = []
    for _ in range(3000):
        rows = np.concatenate([places[c] for c in rng.integers(0, 40, 39)])
        draws.append(f1(truth[rows], said[rows]))
    draws, seen = np.array(draws), f1(truth, said)
    z0 = norm.ppf((np.mean(draws < seen) + np.mean(draws <= seen)) / 2)
    without = np.array([f1(truth[cluster != c], said[cluster != c]) for c in range(40)])
    off = without.mean() - without
    a = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
    ends = [np.quantile(draws, norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))) for z in (-1.96, 1.96)]
    found = count_interval(counts, "f1", method="cluster-bootstrap", positive=1)
    assert (found.low, found.high) == pytest.approx(ends, abs=0.012)
    assert found.method == "cluster-bootstrap"
    assert count_interval(counts, F1.name, method="cluster-bootstrap", positive=1) == found  # the same each time


def test_every_measure_of_decisions_has_it_in_an_evaluation():
    truth, said, cluster = drawn()
    evaluation = evaluate(Predictions(truth, said, positive=1, cluster=cluster), interval="cluster-bootstrap")
    assert {each.interval.method for each in evaluation.estimates.values()} == {"cluster-bootstrap"}
    assert {each.interval.method for row in evaluation.by_class for each in row.estimates} == {"cluster-bootstrap"}
    usual = evaluate(Predictions(truth, said, positive=1, cluster=cluster))
    for name, each in evaluation.estimates.items():
        width, other = (np.ptp([one.interval.low, one.interval.high]) for one in (each, usual.estimates[name]))
        assert width == pytest.approx(other, rel=0.25), name


def test_without_clusters_it_is_refused():
    with pytest.raises(InputError, match="draws clusters again, and the rows name none"):
        evaluate(Predictions([0, 1] * 20, [0, 1] * 20), interval="cluster-bootstrap")
    with pytest.raises(InputError, match="Name their column with"):
        interval([[3, 1], [1, 3]], "accuracy", method="cluster-bootstrap")


@pytest.mark.parametrize(("said", "cluster"), [([0, 1] * 10, [1, 2] * 10), ([0, 1, 1, 0] * 5, [7] * 20)])
def test_draws_that_are_all_alike_fall_back_and_say_so(said, cluster):
    counts = tally(Predictions([0, 1] * 10, said, cluster=cluster)).confusion
    found = count_interval(counts, "accuracy", method="cluster-bootstrap")
    assert found.method == "midp"
    assert [each.code for each in found.findings] == ["A507"]
    assert found.low < found.high


@pytest.mark.slow
def test_it_holds_the_truth():
    held = 0
    for seed in range(150):
        truth, said, cluster = drawn(30, seed)
        found = count_interval(tally(Predictions(truth, said, cluster=cluster)).confusion, "accuracy", method="cluster-bootstrap")
        held += found.low <= 0.7 <= found.high
    assert held >= 132  # .95 of 150 less four standard errors
