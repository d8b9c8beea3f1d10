"""Intervals of partitions whose cases come in clusters: each is drawn as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import adjudge
from adjudge import compare_partitions, partition
from adjudge.judgements.partitioned import judge_partitions
from adjudge.partitions import replicates as drawing
from adjudge.partitions.goodness import MEASURES
from adjudge.partitions.replicates import deviations, replicates


def clustered(seed=0, sizes=(10,) * 40, spread=1.0):
    """Return memberships of two classes, truths whose correctness is alike within clusters, and the clusters."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.integers(0, 2, cluster.size)
    right = 1.5 + spread * rng.normal(size=len(sizes))[cluster] + rng.normal(size=cluster.size)
    p = np.where(y == 1, expit(right), expit(-right))
    return np.column_stack([1 - p, p]), y, cluster


def table(p, y, cluster):
    return {"id": np.arange(y.size), "truth": y, "p_0": p[:, 0], "p_1": p[:, 1], "patient": cluster}


def spread_of(space, resamples=400, **how):
    off, method = deviations(
        [space.evidence()], [[float(getattr(space, m)) for m in MEASURES]], resamples, np.random.default_rng(1), **how
    )
    return off[0, :, MEASURES.index("correct")], method


@pytest.mark.slow
def test_the_spread_of_correct_cases_is_that_of_the_means_of_clusters():
    p, y, cluster = clustered()
    space = partition(y, p)
    off, method = spread_of(space, 2000, clusters=cluster)
    means = (p.argmax(axis=1) == y).reshape(40, 10).mean(axis=1)
    error = means.std(ddof=1) / np.sqrt(40) * stats.t.ppf(0.975, 39) / stats.norm.ppf(0.975)
    assert off.std() == pytest.approx(error, rel=0.08)
    assert method == "Bayesian bootstrap of clusters"
    alone, _ = spread_of(space)
    assert off.std() > 1.3 * alone.std()


def test_clusters_of_one_case_are_drawn_as_cases_are():
    p, y, _ = clustered(sizes=(1,) * 80)
    evidence = [partition(y, p).evidence()]
    one, other = (replicates(evidence, 100, np.random.default_rng(0), clusters=of) for of in (None, np.arange(80)))
    assert np.array_equal(one, other)


def test_copies_of_cases_know_no_more_than_they_do_once():
    """Each case ten times over, as one cluster: the limits are about those of the cases."""
    p, y, _ = clustered(sizes=(1,) * 60)
    once = partition(y, p)
    often = partition(y.repeat(10), p.repeat(10, axis=0))
    known = judge_partitions({"": often}, clusters=np.arange(60).repeat(10), resamples=400).intervals[""]["scaled_accuracy"]
    alone = judge_partitions({"": once}, resamples=400).intervals[""]["scaled_accuracy"]
    blind = judge_partitions({"": often}, resamples=400).intervals[""]["scaled_accuracy"]
    assert 0.7 < (known.high - known.low) / (alone.high - alone.low) < 1.3
    assert blind.high - blind.low < 0.5 * (alone.high - alone.low)


@pytest.mark.slow
def test_subsets_of_many_cases_hold_whole_clusters(monkeypatch):
    p, y, cluster = clustered(sizes=(10,) * 60)
    space = partition(y, p)
    whole, _ = spread_of(space, 800, clusters=cluster)
    monkeypatch.setattr(drawing, "WHOLE", 500)
    monkeypatch.setattr(drawing, "_SUBSET", 200)
    parts, method = spread_of(space, 800, clusters=cluster)
    assert method == "bag of little bootstraps of clusters"
    assert parts.std() == pytest.approx(whole.std(), rel=0.35)
    giant, _ = spread_of(space, 100, clusters=np.where(np.arange(600) < 590, 0, np.arange(600) - 589))
    assert np.isfinite(giant).all()


def test_files_and_pages_heed_clusters():
    p, y, cluster = clustered()
    data = table(p, y, cluster)
    found = compare_partitions(data, resamples=200)
    alone = compare_partitions(data, cluster="", resamples=200)
    assert found.to_dict()["clusters"] == 40
    assert "clusters" not in alone.to_dict()
    assert "400 cases of 40 clusters" in " ".join(found.in_words().split())
    wide, narrow = (next(iter(each.intervals.values()))["scaled_accuracy"] for each in (found, alone))
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)
    seen = adjudge.report(data).evaluation.partition_intervals["scaled_accuracy"]
    assert seen.method == "Bayesian bootstrap of clusters"


@pytest.mark.slow
def test_differences_heed_clusters_whatever_the_order_of_rows():
    p, y, cluster = clustered()
    q = clustered(seed=1)[0]
    q[y != clustered(seed=1)[1]] = q[y != clustered(seed=1)[1]][:, ::-1]
    turned = {name: values[::-1] for name, values in table(q, y, cluster).items()}
    both = compare_partitions({"a": table(p, y, cluster), "b": turned}, row="id", resamples=200)
    assert both.clusters == 40
    plain = compare_partitions({"a": table(p, y, cluster), "b": turned}, row="id", cluster="", resamples=200)
    gap, less = (each.differences["a", "b"]["scaled_accuracy"] for each in (both, plain))
    assert gap.value == less.value
    assert gap.high - gap.low > less.high - less.low


def test_few_clusters_are_told_and_one_has_no_interval():
    p, y, cluster = clustered(sizes=(50,) * 4)
    few = compare_partitions(table(p, y, cluster), resamples=100)
    assert "A621" in {f.code for f in few.findings}
    one = compare_partitions(table(p, y, np.zeros(200, dtype=int)), cluster="patient", resamples=100)
    assert not any(one.intervals.values())
    assert "A621" in {f.code for f in one.findings}
    assert "200 cases of 1 cluster" in one.in_words()


@pytest.mark.slow
def test_intervals_hold_the_truth():
    truth = partition(*clustered(99, (10,) * 4000)[1::-1]).scaled_accuracy
    held = {True: 0, False: 0}
    for seed in range(60):
        p, y, cluster = clustered(seed, (15,) * 25)
        space = partition(y, p)
        for known in held:
            limits = judge_partitions({"": space}, resamples=200, clusters=cluster if known else None).intervals[""]
            held[known] += limits["scaled_accuracy"].low <= truth <= limits["scaled_accuracy"].high
    assert held[True] >= 52
    assert held[False] < held[True]
