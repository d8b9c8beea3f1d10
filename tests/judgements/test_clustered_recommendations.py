"""Corrections where cases come in clusters: never apart, one observation each, and hardly ever recommended for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, ndtri

import adjudge
from adjudge import InputError, correct
from adjudge.corrections.labelled import labelled, replace
from adjudge.judgements.crossfit import Crossed, deal
from adjudge.judgements.recommendation import recommend


def calibrated(seed, sizes, rho):
    """Return probabilities that hold over all clusters, truths that are alike within them, and the clusters."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    p = expit(rng.normal(size=cluster.size))
    latent = np.sqrt(rho) * rng.normal(size=len(sizes))[cluster] + np.sqrt(1 - rho) * rng.normal(size=cluster.size)
    return np.column_stack([1 - p, p]), (latent < ndtri(p)).astype(int), cluster


def shifted(seed, clusters=40, m=10):
    """Return probabilities of the rare class that are too small in every cluster."""
    p, y, cluster = calibrated(seed, [m] * clusters, 0.1)
    low = expit(np.log(p[:, 1] / p[:, 0]) - 2)
    return np.column_stack([1 - low, low]), y, cluster


def table(p, y, cluster):
    return {"truth": y, "p_0": p[:, 0], "p_1": p[:, 1], "patient": cluster}


@pytest.mark.slow
def test_without_a_gain_none_is_recommended_in_more_than_a_twentieth():
    """Strong correlation within clusters, of equal size, of very unequal ones, and one giant beside tiny ones."""
    alone = 0
    for sizes in (lambda _: [40] * 12, lambda r: np.maximum(r.lognormal(2.5, 1, 20).astype(int), 1), lambda _: [300] + [5] * 30):
        wrong = 0
        for seed in range(40):
            p, y, cluster = calibrated(seed, sizes(np.random.default_rng(seed)), 0.6)
            wrong += recommend(p, y, groups=cluster, clustered=True).best is not None
            alone += recommend(p, y).best is not None if seed < 15 else 0
        assert wrong <= 2
    assert alone > 4  # of 45, were the cases independent


@pytest.mark.slow
def test_a_gain_in_every_cluster_is_recommended():
    assert sum(recommend(*shifted(seed)[:2], groups=shifted(seed)[2], clustered=True).best is not None for seed in range(10)) >= 8


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("sizes", [[6] * 30, [60, *range(1, 30)]])
def test_the_spread_of_a_gain_is_the_jackknife_over_clusters(measure, sizes):
    p, y, cluster = calibrated(1, sizes, 0.3)
    cases = replace(labelled(p, y), group=cluster, clustered=True)
    crossed = Crossed(cases, measure, None, deal(cases, 5, 0))
    each = np.random.default_rng(0).integers(-1, 2, y.size).astype(float)
    known, method = crossed._distribution(each, each, each)
    part = y if measure == "balanced_accuracy" else np.zeros_like(y)

    def gain(rows):
        return np.mean([each[rows & (part == c)].mean() for c in np.unique(part)])

    many = len(sizes)
    left = np.array([gain(cluster != g) for g in range(many)])
    assert known.mean == pytest.approx(gain(cluster >= 0))
    assert known.scale**2 == pytest.approx((many - 1) / many * ((left - left.mean()) ** 2).sum())
    assert known.df <= many - 1 + 1e-9
    if measure == "accuracy":
        assert known.df == pytest.approx(sum(sizes) ** 2 / sum(s * s for s in sizes) - 1)
    assert method == "cross-fitted, t of clusters"


def test_one_case_a_cluster_is_a_t_test_of_the_cases():
    p, y, _ = shifted(0, clusters=120, m=1)
    known = recommend(p, y, measure="brier", groups=np.arange(120), clustered=True).rows[0]
    alone = recommend(p, y, measure="brier").rows[0]
    assert known.interval.high - known.interval.low == pytest.approx(alone.interval.high - alone.interval.low, rel=0.3)
    assert known.in_sample == pytest.approx(alone.in_sample)


def test_clusters_are_never_apart_and_may_be_fewer_than_folds():
    p, y, cluster = calibrated(0, [30] * 3, 0.2)
    cases = replace(labelled(p, y), group=cluster, clustered=True)
    fold = deal(cases, 5, 0)
    assert sorted(set(zip(cluster.tolist(), fold.tolist(), strict=True))) == sorted(zip(range(3), fold[[0, 30, 60]], strict=True))
    found = recommend(p, y, groups=cluster, clustered=True)
    assert (found.folds, found.clusters, found.groups) == (3, 3, None)
    assert {"A842", "A845"} <= {f.code for f in found.findings}
    assert found.best is None


def test_what_clusters_are_called_changes_nothing():
    p, y, cluster = shifted(2)
    data = table(p, y, cluster)
    renamed = data | {"patient": np.array([f"patient {97 * c % 41}" for c in cluster])}
    assert correct.recommend(data).to_dict() == correct.recommend(renamed).to_dict()
    one, other = (correct.fit(each, "errors").left_out for each in (data, renamed))
    assert one == other


def test_a_column_of_patients_is_heeded_and_can_be_left_out():
    data = table(*shifted(3))
    found = correct.recommend(data)
    assert found.to_dict()["clusters"] == 40
    assert "400 cases of 40 clusters: those of a cluster stay together, and each cluster is one observation." in " ".join(
        found.in_words().split()
    )
    alone = correct.recommend(data, cluster="")
    assert alone.clusters is None
    assert "clusters" not in alone.to_dict()
    wider = found.rows[0].interval, alone.rows[0].interval
    assert wider[0].high - wider[0].low > 0.9 * (wider[1].high - wider[1].low)


def test_one_cluster_is_refused_with_what_to_do():
    p, y, _ = shifted(0)
    with pytest.raises(InputError, match=r'All cases are of one cluster.*cluster=""'):
        correct.recommend(table(p, y, np.zeros(400, dtype=int)), cluster="patient")


def test_a_page_keeps_clusters_together_as_well():
    p, y, cluster = shifted(4)
    names = np.array([f"case {c * 7919}" for c in cluster])
    advice = adjudge.report(table(p, y, names)).recommendations[0]
    wanted = correct.recommend(table(p, y, names))
    assert (advice.clusters, advice.groups) == (40, None)
    assert [row.gain for row in advice.rows] == [row.gain for row in wanted.rows]
    assert advice.rows[0].interval == wanted.rows[0].interval


def test_a_correction_is_left_out_by_cluster():
    p, y, cluster = shifted(5)
    assert correct.fit(table(p, y, cluster), "multipliers").left_out
    one = correct.fit(table(p, y, np.zeros(400, dtype=int)), "multipliers", cluster="patient")
    assert [f.code for f in one.findings if f.code == "A844"] == ["A844"]


def test_groups_of_equal_size_keep_their_digits():
    """The jackknife over groups of one size is what the sums of these say."""
    p, y, cluster = calibrated(7, [8] * 25, 0.2)
    found = recommend(p, y, groups=cluster, measure="brier")
    low, high = found.rows[0].interval.low, found.rows[0].interval.high
    assert (high + low) / 2 == pytest.approx(found.rows[0].gain)
    assert (high - low) / 2 / stats.t.ppf(0.975, 24) > 0
