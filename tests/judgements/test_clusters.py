"""What an evaluation holds of clusters, against the rows counted by hand."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import Predictions, evaluate


def patients(clusters=20, rows=10, seed=0, spread=1.5):
    """Return names of clusters, truths, decisions and scores, rows of one cluster alike."""
    rng = np.random.default_rng(seed)
    name = np.repeat([f"P{i}" for i in range(clusters)], rows)
    truth = rng.integers(0, 2, name.size)
    ease = np.repeat(rng.normal(1.2, spread, clusters), rows) + rng.normal(0, 1, name.size)
    p = 1 / (1 + np.exp(-np.where(truth == 1, ease, -ease)))
    return name, truth, (p > 0.5).astype(int), p


def of(name, truth, decided, p=None):
    return evaluate(Predictions(truth, decided, p, positive=1, cluster=name))


def test_each_cluster_is_shown_with_what_was_seen_of_it_the_lowest_first():
    name, truth, decided, p = patients()
    known = of(name, truth, decided, p).clusters
    own = {label: np.mean((truth == decided)[name == label]) for label in np.unique(name)}
    assert {one.of: raw for one, raw in zip(known.each, known.seen, strict=True)} == pytest.approx(own)
    assert list(known.seen) == sorted(known.seen)
    assert (known.clusters, known.rows, known.largest) == (20, 200, 10)
    assert known.whole.value == pytest.approx(np.mean(truth == decided))
    assert set(known.effects) == {"accuracy", "balanced_accuracy", "auc", "brier", "log_loss"}


def test_json_names_no_cluster():
    name, truth, decided, p = patients()
    told = of(name, truth, decided, p).to_dict()
    assert told["clusters"]["clusters"] == 20
    assert not any(f'"{label}"' in json.dumps(told, default=str) for label in np.unique(name))


def test_rows_each_of_their_own_cluster_are_independent():
    _, truth, decided, p = patients(40, 5, spread=0.0)
    alone, plain = of(np.arange(truth.size), truth, decided, p), evaluate(Predictions(truth, decided, p, positive=1))
    assert alone.clusters.largest == 1
    assert np.isnan(alone.clusters.intra_cluster)
    for measure in ("accuracy", "balanced_accuracy", "auc", "brier"):
        width, usual = (np.diff((each[measure].interval.low, each[measure].interval.high)) for each in (alone, plain))
        np.testing.assert_allclose(width, usual, rtol=0.05)


@settings(max_examples=10)
@given(st.integers(2, 6), st.integers(0, 5))
def test_the_same_row_over_and_over_is_worth_one_case(times, seed):
    _, truth, decided, p = patients(60, 1, seed, spread=0.5)
    again = [np.repeat(each, times) for each in (np.arange(60), truth, decided, p)]
    once, often = of(np.arange(60), truth, decided, p), of(*again)
    for measure, effect in often.clusters.effects.items():
        assert effect.effective_cases == pytest.approx(once.clusters.effects[measure].effective_cases, rel=0.05)
    assert often.clusters.intra_cluster == pytest.approx(1, abs=0.1)


def test_few_clusters_are_a_finding_and_many_are_none():
    assert "A621" in {each.code for each in of(*patients(9)).findings}
    assert "A621" not in {each.code for each in of(*patients(10)).findings}


def test_without_clusters_there_is_nothing():
    name, truth, decided, _ = patients()
    assert evaluate(Predictions(truth, decided)).clusters is None
    assert name.size == truth.size


def test_scores_that_decide_nothing_have_clusters_of_the_area_only():
    name, truth, _, p = patients()
    known = evaluate(Predictions(truth, None, 10 * p - 3, positive=1, cluster=name)).clusters
    assert list(known.effects) == ["auc"]
    assert known.each == ()


def test_a_file_says_how_many_clusters(tmp_path):
    path = tmp_path / "p.csv"
    rows = (f"{n},{t},{d}" for n, t, d in zip(*patients()[:3], strict=True))
    path.write_text("\n".join(["patient,truth,predicted", *rows]), encoding="utf-8")
    found, given_up = adjudge.evaluate(path), adjudge.evaluate(path, cluster="")
    assert found.clusters.column == "patient"
    assert given_up.clusters is None
