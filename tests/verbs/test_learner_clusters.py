"""Learners of cases that belong together: whole clusters in a fold, wider intervals, and no patient is a feature."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import InputError, estimate
from adjudge.verbs.learner_clusters import LearningClusters


def patients(clusters=30, m=12, seed=0):
    """Return features that tell patients apart and their classes, alike within patients but not of the features."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(clusters, 2)).repeat(m, axis=0)
    X = own + 0.05 * rng.normal(size=own.shape)
    y = np.where(rng.random(clusters).repeat(m) + 0.1 * rng.normal(size=clusters * m) > 0.5, "ill", "well")
    return X, y, np.arange(clusters).repeat(m)


def frame(**more):
    X, y, cluster = patients()
    return pd.DataFrame({"patient": cluster, "a": X[:, 0], "b": X[:, 1]} | more), y


def test_clusters_stay_in_one_fold_and_widen_intervals():
    X, y, cluster = patients()
    whole = estimate(GaussianNB(), X, y, cluster=cluster, random_state=0, progress=False)
    for test in whole.plan.test:
        assert not set(cluster[test]) & set(np.delete(cluster, test))
    assert whole.plan.name == "stratified-grouped-10-fold"
    assert whole.pooled.clusters.clusters == 30
    assert np.array_equal(np.asarray(whole.predictions.source.columns["cluster"]), cluster[whole.run_result.columns["row"]])
    alone = adjudge.evaluate(whole.predictions.source.columns, cluster="", measures=["accuracy"])["accuracy"].interval
    seen = whole.pooled.estimates["accuracy"].interval
    assert seen.high - seen.low > 1.5 * (alone.high - alone.low)
    assert "10 stratified grouped folds" in whole.in_words()
    assert not [f for f in whole.findings if f.code == "A956"]  # it was named


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_a_column_found_by_name_is_no_feature(of):
    data, y = frame()
    X = of({name: data[name].to_numpy() for name in data})
    found = estimate(GaussianNB(), X, y, random_state=0, progress=False)
    given = estimate(GaussianNB(), data[["a", "b"]].to_numpy(), y, cluster=data["patient"], random_state=0, progress=False)
    assert found.estimates["accuracy"].folds.tolist() == given.estimates["accuracy"].folds.tolist()
    (told,) = [f for f in found.findings if f.code == "A956"]
    assert "names 30 clusters" in told.message
    assert 'cluster=""' in told.advice
    rows = estimate(GaussianNB(), X, y, cluster="", random_state=0, progress=False)
    plain = estimate(GaussianNB(), data[["a", "b"]].to_numpy(), y, random_state=0, progress=False)
    assert rows.estimates["accuracy"].folds.tolist() == plain.estimates["accuracy"].folds.tolist()
    assert rows.pooled.clusters is None


def test_a_file_does_what_a_frame_does(tmp_path):
    data, y = frame()
    data.assign(state=y).to_csv(tmp_path / "data.csv", index=False)
    found = estimate(GaussianNB(), tmp_path / "data.csv", "state", random_state=0, progress=False)
    wanted = estimate(GaussianNB(), data, y, random_state=0, progress=False)
    assert found.estimates["accuracy"].folds.tolist() == wanted.estimates["accuracy"].folds.tolist()
    assert [f.code for f in found.findings if f.code == "A956"] == ["A956"]
    rows = estimate(GaussianNB(), tmp_path / "data.csv", "state", cluster="", random_state=0, progress=False)
    assert rows.plan.name == "stratified-10-fold"
    plain = estimate(GaussianNB(), data[["a", "b"]].to_numpy(), y, random_state=0, progress=False)
    assert rows.estimates["accuracy"].folds.tolist() == plain.estimates["accuracy"].folds.tolist()
    other = estimate(GaussianNB(), tmp_path / "data.csv", "state", cluster="patient", by=5, random_state=0, progress=False)
    assert other.plan.name == "stratified-grouped-5-fold"
    assert not [f for f in other.findings if f.code == "A956"]
    other.save(tmp_path / "out.csv")
    assert adjudge.evaluate(tmp_path / "out.csv").clusters.clusters == 30


def test_numbers_have_grouped_folds_without_strata():
    data, _ = frame()
    found = estimate(LinearRegression(), data, data["a"].to_numpy() * 2, random_state=0, progress=False)
    assert found.plan.name == "grouped-10-fold"
    assert "intervals" not in next(f.message for f in found.findings if f.code == "A956")


def test_fewer_clusters_than_folds_have_fewer_folds():
    X, y, _ = patients()
    cluster = np.arange(len(y)) % 4
    assert len(estimate(DummyClassifier(), X, y, cluster=cluster, random_state=0, progress=False).plan) == 4
    with pytest.raises(InputError, match="8 folds need at least 8 groups, but there are 4"):
        estimate(DummyClassifier(), X, y, cluster=cluster, by="8-fold", progress=False)
    with pytest.raises(InputError, match=r'All cases are of one cluster.*cluster=""'):
        estimate(DummyClassifier(), X, y, cluster=np.zeros(len(y)), progress=False)


def test_a_patient_of_every_row_is_no_cluster():
    data, y = frame(patient=np.arange(360))
    found = estimate(LogisticRegression(), data, y, random_state=0, progress=False)
    assert found.plan.name == "stratified-10-fold"
    assert found.pooled.clusters is None


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"cluster": [0] * 360, "groups": [0] * 360}, "cluster and groups both keep cases"),
        ({"cluster": [0] * 360, "ensemble": ["bagging"]}, "does not go with an ensemble"),
        ({"cluster": "patient"}, "no frame with columns"),
        ({"cluster": [0] * 5}, "cluster must hold one value per row"),
        ({"cluster": [None, *range(359)]}, "cluster lacks a value in 1 row"),
        ({"cluster": np.arange(360) // 10, "by": "10x10-fold"}, "does not keep clusters together"),
        ({"cluster": np.arange(360) // 10, "by": "holdout"}, "does not keep clusters together"),
    ],
)
def test_refusals_say_what_to_do(how, told):
    X, y, _ = patients()
    with pytest.raises(InputError, match=told):
        estimate(GaussianNB(), X, y, progress=False, **how)


@pytest.mark.parametrize("by", ["holdout", KFold(4, shuffle=True, random_state=0)])
def test_a_plan_that_tears_clusters_apart_is_carried_out_and_told(by):
    found = estimate(DummyClassifier(), *frame(), by=by, random_state=0, progress=False)
    assert [f.code for f in found.findings if f.code in ("A956", "A957")] == ["A956", "A957"]
    assert found.pooled.clusters.clusters > 20


def test_plans_by_name_keep_clusters_together():
    clusters = LearningClusters(np.arange(60) // 5)
    named = {by: clusters.plan_of(by, ["a", "b"] * 30, "stratified-10-fold") for by in (5, "10-fold", "stratified-10-fold")}
    assert list(named.values()) == ["stratified-grouped-5-fold", "grouped-10-fold", "stratified-grouped-10-fold"]
    assert clusters.plan_of("grouped-3-fold", ["a"] * 60, "") == "grouped-3-fold"
    assert json.dumps([f.code for f in clusters._findings(numeric=False)]) == "[]"


@pytest.mark.slow
def test_intervals_of_learners_hold_the_truth_where_rows_alone_do_not():
    """Guessing by shares: the truth is one half, and patients are of one class."""
    held = {True: 0, False: 0}
    for seed in range(30):
        X, y, cluster = patients(seed=seed)
        for known in held:
            asked = {"cluster": cluster if known else "", "by": 5, "random_state": seed, "progress": False}
            seen = estimate(DummyClassifier(strategy="constant", constant="ill"), X, y, measures=["accuracy"], **asked)
            limits = seen.pooled.estimates["accuracy"].interval
            held[known] += limits.low <= 0.5 <= limits.high
    assert held[True] >= 26
    assert held[False] < 20
