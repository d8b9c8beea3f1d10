"""Plans for clusters: published formulas, a search over every number of clusters, and simulated test sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import adjudge
from adjudge import InputError
from adjudge.judgements import sample_size as planned
from adjudge.judgements.planned_clusters import Clustering, in_clusters, of_differences


def test_the_variance_is_inflated_as_published():
    """Donner and Klar: 1 + (m - 1) rho; with unequal sizes the mean of squares over the mean stands in the place of m."""
    assert Clustering(0.25, 25).design_effect == 7
    sizes = np.array([5.0, 10.0, 45.0, 20.0])
    seen = Clustering(0.1, sizes.mean(), sizes.std() / sizes.mean())
    assert seen.design_effect == pytest.approx(1 + ((sizes**2).sum() / sizes.sum() - 1) * 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.05, 0.3, 1.0])
def test_two_arms_take_as_many_as_donner_and_klar_say(rho):
    """Two groups of clusters: n = (z + z)^2 (p(1-p) + q(1-q)) deff / d^2 for each, one degree of t after the other."""
    size = adjudge.sample_size(
        difference=0.15, margin=0, expected=0.6, independent=True, level=0.975, intra_cluster=rho, cluster_size=20
    )
    variance, deff = (0.6 * 0.4 + 0.75 * 0.25) * (1 + 19 * rho), 0
    k = 2
    while k * 20 < (stats.t.ppf(0.975, 2 * (k - 1)) + stats.t.ppf(0.8, 2 * (k - 1))) ** 2 * variance / 0.15**2 + deff:
        k += 1
    assert size.clusters.clusters / 2 == pytest.approx(k, rel=0.06, abs=1)
    assert size.total == 2 * size.cases == 20 * size.clusters.clusters


@pytest.mark.parametrize(("rho", "m", "v"), [(0.25, 25, 0), (0.02, 7.5, 0.6), (0.9, 3, 0), (0.0, 50, 0)])
def test_the_answer_is_the_fewest_clusters_that_are_worth_the_independent_cases(rho, m, v):
    alone = planned.for_half_width(0.85, 0.06, level=0.95)
    size = in_clusters(alone, Clustering(rho, m, v))
    deff = 1 + ((1 + v * v) * m - 1) * rho
    k = np.arange(2, 3000)
    worth = k * m / deff * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, k - 1)) ** 2
    k = k[np.argmax(worth >= alone.cases)]
    assert size.clusters.clusters == k
    assert size.clusters.degrees == k - 1
    assert size.cases == size.total == math.ceil(k * m)
    assert dict(size.table)[size.cases] == dict(alone.table)[alone.cases]
    assert (np.diff(size.numbers) > 0).all()


@given(st.integers(2, 3000), st.floats(0, 1), st.floats(1, 200), st.floats(0, 2))
def test_more_alike_or_larger_clusters_never_take_fewer_cases(cases, rho, m, v):
    def wide(degrees):
        return special.stdtrit(min(degrees, 1e9), 0.975)

    k = Clustering(rho, m, v).clusters_for(cases, wide)
    assert k * m >= cases * (1 - 1e-9)
    assert Clustering(min(1, rho + 0.1), m, v).clusters_for(cases, wide) >= k
    assert Clustering(rho, m, v + 0.5).clusters_for(cases, wide) >= k
    assert Clustering(rho, 2 * m, v).clusters_for(cases, wide) * 2 * m >= k * m - 2 * m


@given(st.integers(2, 100_000), st.floats(0, 1))
def test_clusters_of_one_case_are_independent_cases(cases, rho):
    assert Clustering(rho, 1).clusters_for(cases, lambda _: 1.0) == cases


def test_identical_cases_count_once():
    """A correlation of 1: the clusters are the cases, but for their degrees of freedom."""
    alone = adjudge.sample_size(half_width=0.05, expected=0.85).cases
    size = adjudge.sample_size(half_width=0.05, expected=0.85, intra_cluster=1, cluster_size=30)
    assert alone < size.clusters.clusters < 1.03 * alone
    assert size.clusters.fewest == alone


def test_a_class_lies_in_some_of_the_clusters():
    size = adjudge.sample_size(half_width=0.1, measure="sensitivity", expected=0.8, share=0.2, intra_cluster=0.1, cluster_size=10)
    k = size.cases // 10
    assert stats.binom.sf(k - 1, size.clusters.clusters, 0.2) >= 0.95 > stats.binom.sf(k - 1, size.clusters.clusters - 1, 0.2)
    assert size.total == 10 * size.clusters.clusters


def draws(rng, times, clusters, m, p, rho):
    """Return correct cases of each cluster, beta-binomial with that correlation."""
    scale = (1 - rho) / rho
    return rng.binomial(m, rng.beta(p * scale, (1 - p) * scale, (times, clusters)))


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "m"), [(0.25, 25), (0.05, 10), (0.5, 4)])
def test_the_planned_half_width_is_reached_in_simulated_test_sets(rho, m):
    size = adjudge.sample_size(half_width=0.06, expected=0.85, intra_cluster=rho, cluster_size=m)
    k = size.clusters.clusters
    means = draws(np.random.default_rng(1), 20_000, k, m, 0.85, rho) / m
    half = stats.t.ppf(0.975, k - 1) * means.std(axis=1, ddof=1) / math.sqrt(k)
    assert 0.96 * 0.06 < half.mean() <= 1.01 * 0.06
    assert np.mean(np.abs(means.mean(axis=1) - 0.85) <= half) == pytest.approx(0.95, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "m"), [(0.25, 25), (0.05, 10), (0.5, 4)])
def test_the_planned_assurance_is_reached_in_simulated_test_sets(rho, m):
    """The bound is cleared by a t interval of the clusters as often as planned; saws of whole counts may make it more."""
    size = adjudge.sample_size(above=0.7, expected=0.85, intra_cluster=rho, cluster_size=m)
    k = size.clusters.clusters
    means = draws(np.random.default_rng(2), 20_000, k, m, 0.85, rho) / m
    low = means.mean(axis=1) - stats.t.ppf(0.95, k - 1) * means.std(axis=1, ddof=1) / math.sqrt(k)
    assert 0.8 <= np.mean(low >= 0.7) <= 0.95
    assert size.clusters.degrees == k - 1


def pilot(clusters=60, m=12, seed=0, rho=0.3):
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.85 * (1 - rho) / rho, 0.15 * (1 - rho) / rho, clusters).repeat(m)
    truth = rng.integers(0, 2, clusters * m)
    said = np.where(rng.random(clusters * m) < chance, truth, 1 - truth)
    return {"id": np.arange(truth.size), "truth": truth, "predicted": said, "patient": np.arange(clusters).repeat(m)}


@pytest.mark.slow
def test_a_pilot_shows_sizes_and_correlation():
    data = pilot()
    size = adjudge.sample_size(data, half_width=0.03, cluster="patient")
    right = (data["truth"] == data["predicted"]).reshape(60, 12)
    between, within = 12 * right.mean(axis=1).var(ddof=1), right.var(axis=1, ddof=1).mean()
    assert size.clusters.cluster_size == 12
    assert size.clusters.intra_cluster == pytest.approx(
        (between - within) / (between + 11 * within), abs=0.02
    )  # analysis of variance
    other = adjudge.sample_size(data, half_width=0.03, cluster="patient", cluster_size=3)
    assert other.clusters.intra_cluster == size.clusters.intra_cluster
    assert other.total < size.total < 12 * adjudge.sample_size(data, half_width=0.03, cluster="").total
    few = adjudge.sample_size(pilot(20), half_width=0.03, cluster="patient")
    assert [f.code for f in few.findings] == ["A744"]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["mcc", "balanced_accuracy", "sensitivity"])
def test_a_pilot_of_the_planned_size_asks_for_itself(measure):
    """The half width that a pilot has, planned from it, takes as many clusters as it has."""
    data, more = pilot(), {"positive": 1} if measure == "sensitivity" else {}
    seen = adjudge.evaluate(data, cluster="patient", measures=[measure], **more)[measure].interval
    size = adjudge.sample_size(data, half_width=(seen.high - seen.low) / 2, measure=measure, cluster="patient", **more)
    assert size.cases == pytest.approx(720 if measure != "sensitivity" else (data["truth"] == 1).sum(), rel=0.06)


@pytest.mark.slow
def test_of_two_pilots_the_differences_count():
    """Both err on the same patients, yet their differences are independent: the cases are worth what they are."""
    rng = np.random.default_rng(3)
    one = pilot()
    other = one | {"predicted": np.where(rng.random(720) < 0.1, 1 - one["predicted"], one["predicted"])}
    size = adjudge.sample_size(one, other, difference=0.05, row="id", cluster="patient")
    apart = (one["predicted"] == one["truth"]).astype(float) - (other["predicted"] == other["truth"])
    sums = (apart - apart.mean()).reshape(60, 12).sum(axis=1)
    deff = 60 / 59 * (sums**2).sum() / ((apart - apart.mean()) ** 2).sum()
    assert size.clusters.intra_cluster == pytest.approx(max((deff - 1) / 11, 0), abs=0.02)
    assert "of differences in correctness" in size.in_words()


def test_differences_of_one_giant_cluster_beside_tiny_ones():
    rng = np.random.default_rng(0)
    cluster = np.r_[np.zeros(1000, int), np.arange(1, 11)]
    clustering, findings = of_differences(rng.integers(-1, 2, 1010).astype(float), cluster, {})
    assert 0 <= clustering.intra_cluster <= 1
    assert clustering.variation > 1
    assert [f.code for f in findings] == ["A744"]
    same, _ = of_differences(np.zeros(1010), cluster, {})
    assert same.intra_cluster == 1  # of differences that nobody saw nothing is known: a cluster counts as a case


def test_words_and_numbers_speak_of_clusters():
    size = adjudge.sample_size(half_width=0.05, expected=0.85, intra_cluster=0.25, cluster_size=25)
    told = " ".join(size.in_words().split())
    assert "1,450 cases (58 clusters) for a 95% interval" in told
    assert "an intra-cluster correlation of 0.25 (of correctness) and 25 cases of each cluster: a design effect of 7" in told
    assert "Of independent cases 195 would be enough; with fewer than 49 clusters no number of cases of each is enough." in told
    assert size.to_dict()["clusters"]["clusters"] == 58
    assert "Clusters" in size.to_html()
    assert "clusters" not in adjudge.sample_size(half_width=0.05, expected=0.85).to_dict()
    rough = adjudge.sample_size(half_width=0.3, expected=0.85, intra_cluster=0.5, cluster_size=25)
    assert [f.code for f in rough.findings] == ["A743"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"intra_cluster": 0.2}, "give intra_cluster= and cluster_size="),
        ({"cluster_size": 5}, "give intra_cluster= and cluster_size="),
        ({"intra_cluster": 1.2, "cluster_size": 5}, "share from 0 to 1"),
        ({"intra_cluster": 0.2, "cluster_size": 0.5}, "at least 1; got 0.5"),
        ({"intra_cluster": 0.2, "cluster_size": math.inf}, "at least 1; got inf"),
        ({"intra_cluster": 0.2, "cluster_size": 5, "cluster_variation": -1}, "0 or more; got -1"),
        ({"intra_cluster": 1, "cluster_size": 1e7}, "More than 100,000,000 cases would be needed in such clusters"),
    ],
)
def test_refusals_say_what_to_do(how, told):
    with pytest.raises(InputError, match=told):
        adjudge.sample_size(half_width=0.05, expected=0.9, **how)
