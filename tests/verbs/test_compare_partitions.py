"""Files of the same cases in their partition spaces: joined by identity, the same numbers as from arrays, or refused."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import dataset

import adjudge
from adjudge import InputError, compare_partitions, partition, partition_difference
from adjudge.judgements.partitioned import judge_partitions

compared = partial(compare_partitions, resamples=100)
difference = partial(partition_difference, resamples=100)
CLASSES = ["ape", "bee", "cat"]


def frame(n: int = 80, seed: int = 1, sharp: float = 2.0) -> pd.DataFrame:
    rng = np.random.default_rng([7, n])
    y = np.arange(n) % 3
    z = np.random.default_rng(seed).normal(size=(n, 3)) + sharp * np.eye(3)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    order = rng.permutation(n)
    return pd.DataFrame(
        {"id": np.arange(n), "truth": np.array(CLASSES)[y], **{f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}}
    ).loc[order]


@pytest.fixture
def two(tmp_path):
    frame(seed=1).to_csv(tmp_path / "a.csv", index=False)
    frame(seed=2, sharp=0.7).iloc[::-1].to_parquet(tmp_path / "b.parquet")
    return tmp_path / "a.csv", tmp_path / "b.parquet"


def arrays(table: pd.DataFrame):
    table = table.sort_values("id")
    return table[[f"p_{c}" for c in CLASSES]].to_numpy(), table["truth"].to_numpy()


def lazies(path):
    table = pq.read_table(path)
    yield pl.scan_parquet(path)
    yield duckdb.from_arrow(table)
    yield dataset.dataset(table)
    yield pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


def test_lists_and_mappings_of_frames_that_are_not_here_yet_are_sets_of_predictions(two):
    expected = compared([two[1]]).first.scaled_accuracy
    for lazy in lazies(two[1]):
        assert compared([lazy]).first.scaled_accuracy == expected
    for lazy in lazies(two[1]):
        assert compared({"model": lazy}).spaces["model"].scaled_accuracy == expected


@pytest.mark.slow
def test_files_in_any_order_give_what_arrays_give(two):
    found = compared(list(two), rng=5)
    assert list(found.spaces) == ["a.csv", "b.parquet"]
    own = [partition(*arrays(frame(seed=s, sharp=sharp))[::-1], classes=CLASSES) for s, sharp in ((1, 2.0), (2, 0.7))]
    for space, expected in zip(found.spaces.values(), own, strict=True):
        assert space.scaled_accuracy == pytest.approx(expected.scaled_accuracy, abs=1e-12)
        assert space.ability_to_separate == pytest.approx(expected.ability_to_separate, abs=1e-12)
        np.testing.assert_allclose(space.correctness, expected.correctness, atol=1e-12)
    between = found.differences["a.csv", "b.parquet"]
    assert between["scaled_accuracy"].value == pytest.approx(own[0].scaled_accuracy - own[1].scaled_accuracy, abs=1e-12)


@pytest.mark.slow
def test_limits_are_those_of_the_spaces_themselves(two):
    found = compared(list(two), rng=5, level=0.9)
    a, b = found.spaces.values()
    for measure in ("scaled_accuracy", "ability_to_separate"):
        assert found.differences["a.csv", "b.parquet"][measure] == difference(a, b, measure=measure, level=0.9, rng=5)
    alone = compared(two[0], rng=5, level=0.9)
    for measure, told in alone.intervals["a.csv"].items():
        assert told == alone.first.interval(measure, level=0.9, resamples=100, rng=5)


@pytest.mark.slow
def test_three_differences_hold_together(two, tmp_path):
    frame(seed=3).to_csv(tmp_path / "c.csv", index=False)
    found = compared([*two, tmp_path / "c.csv"], rng=5)
    assert len(found.differences) == 3
    alone = compared(list(two), rng=5, level=1 - 0.05 / 3)
    each = found.differences["a.csv", "b.parquet"]["scaled_accuracy"]
    assert each.level == pytest.approx(1 - 0.05 / 3)
    assert each.high - each.low == pytest.approx(
        alone.differences["a.csv", "b.parquet"]["scaled_accuracy"].high
        - alone.differences["a.csv", "b.parquet"]["scaled_accuracy"].low,
        rel=0.2,
    )


@pytest.mark.slow
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_of_any_library(library):
    table = frame().sort_values("id")
    given = library({name: table[name].tolist() for name in table.columns})
    found = compared(given)
    assert found.first.scaled_accuracy == pytest.approx(
        partition(*arrays(frame())[::-1], classes=CLASSES).scaled_accuracy, abs=1e-12
    )
    both = compared({"one": given, "other": given})
    assert both.differences["one", "other"]["ability_to_separate"].value == 0


@pytest.mark.slow
def test_spaces_by_name():
    a, b = (partition(*arrays(frame(seed=s))[::-1], classes=CLASSES) for s in (1, 2))
    found = compared({"a": a, "b": b}, rng=1)
    assert found.differences["a", "b"]["scaled_accuracy"] == difference(a, b, rng=1)
    with pytest.raises(InputError, match="leave out truth="):
        compared([a, b], truth="y")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_digits(two):
    assert compared(list(two), rng=3).to_dict() == compared(list(two), rng=3).to_dict()
    assert compared(list(two), rng=3).to_dict() != compared(list(two), rng=4).to_dict()


@pytest.mark.slow
def test_two_classes_by_one_column(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.random(60)
    y = (rng.random(60) < p).astype(int)
    table = pd.DataFrame({"id": range(60), "truth": y, "p_1": p})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.assign(p_1=p**2).to_csv(tmp_path / "b.csv", index=False)
    found = compared([tmp_path / "a.csv", tmp_path / "b.csv"])
    for space, own in zip(found.spaces.values(), (p, p**2), strict=True):
        expected = partition(y, np.column_stack([1 - own, own]))
        assert space.scaled_accuracy == pytest.approx(expected.scaled_accuracy, abs=1e-12)
        assert [str(label) for label in space.classes] == ["0", "1"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda t: t.drop(columns=[c for c in t if c.startswith("p_")]).assign(predicted=t["truth"]),
            "needs probabilities or scores",
        ),
        (lambda t: t.assign(id=t["id"] + 1000), "no case in common"),
        (lambda t: t.assign(truth=t["truth"].to_numpy()[::-1]), "truth"),
    ],
)
def test_what_cannot_be_compared_is_refused(two, tmp_path, change, words):
    change(frame(seed=2)).to_csv(tmp_path / "other.csv", index=False)
    with pytest.raises(InputError, match=words):
        compared([two[0], tmp_path / "other.csv"])


def test_other_classes_are_refused(tmp_path, two):
    table = frame(seed=2).rename(columns={"p_cat": "p_cow"}).replace({"truth": {"cat": "cow"}})
    table.to_csv(tmp_path / "cow.csv", index=False)
    with pytest.raises(InputError):
        compared([two[0], tmp_path / "cow.csv"])


@pytest.mark.slow
def test_the_page_of_one_and_of_two(two):
    page = compared(list(two)).to_html()
    assert page == compared(list(two)).to_html()
    assert page.count("<svg") == 3  # each space, and the keys to both
    assert "script" not in page.split("<body")[0].split("Content-Security-Policy")[1].split(">")[0]
    assert "Rule by rule" in page
    alone = adjudge.report(two[0])
    assert "Standardised partition space" in alone.to_html()
    assert alone.partition.scaled_accuracy == pytest.approx(
        partition(*arrays(frame())[::-1], classes=CLASSES).scaled_accuracy, abs=1e-9
    )


@pytest.mark.slow
def test_weights_are_refused_and_other_decisions_said(two, tmp_path):
    frame(seed=2).assign(weight=2.0).to_csv(tmp_path / "w.csv", index=False)
    with pytest.raises(InputError, match="count alike"):
        compared([tmp_path / "w.csv", tmp_path / "w.csv"], weight="weight", names=["a", "b"])
    frame(seed=2).assign(predicted="bee").to_csv(tmp_path / "d.csv", index=False)
    codes = [finding.code for finding in compared([two[0], tmp_path / "d.csv"], predicted=None).findings]
    assert "A905" in codes


def test_what_is_ignored_is_refused():
    space = partition(*arrays(frame())[::-1], classes=CLASSES)
    for more in ({"depth": 2}, {"by_position": True}, {"convention": "klar"}):
        with pytest.raises(InputError, match=f"leave out {next(iter(more))}="):
            compared([space], **more)
    with pytest.raises(InputError, match="at least one"):
        compared([])


@pytest.mark.slow
def test_the_page_is_drawn_as_asked(two):
    found = compared(list(two))
    pages = {
        found.drawn(**how).to_html() for how in ({}, {"space": "original"}, {"lines": "scaled_accuracy"}, {"classes": ["bee"]})
    }
    assert len(pages) == 4
    with pytest.raises(InputError, match="cow"):
        found.drawn(classes=["cow", "bee"]).to_html()


def decision_values(k: int, n: int = 60):
    rng = np.random.default_rng(k)
    y = np.arange(n) % k
    return rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y], y


@pytest.mark.slow
@pytest.mark.parametrize("several", [False, True])
def test_scores_that_are_no_probabilities_are_brought_into_the_simplex(tmp_path, several):
    values, y = decision_values(3)
    table = pd.DataFrame(
        {"id": range(60), "truth": np.array(CLASSES)[y], **{f"score_{c}": values[:, i] for i, c in enumerate(CLASSES)}}
    )
    table.to_csv(tmp_path / "s.csv", index=False)
    found = compared([tmp_path / "s.csv"] * (1 + several), scores="score_*", scores_are="scores")
    expected = partition(np.array(CLASSES)[y], adjudge.memberships(values), classes=CLASSES)
    np.testing.assert_allclose(found.first.scaled, expected.scaled, atol=1e-9)
    assert {f.code for f in found.findings} >= {"A909"}
    assert next(f for f in found.findings if f.code == "A909").value == pytest.approx(values.min())


@pytest.mark.slow
@pytest.mark.parametrize("several", [False, True])
def test_one_score_of_two_classes_speaks_for_both(tmp_path, several):
    values, y = decision_values(2)
    f = values[:, 1] - values[:, 0]
    table = pd.DataFrame({"id": range(60), "truth": np.array(["no", "yes"])[y], "score": f})
    table.to_csv(tmp_path / "s.csv", index=False)
    how = {"scores": "score", "scores_are": "scores", "positive": "yes", "threshold": 0.0}
    found = compared([tmp_path / "s.csv"] * (1 + several), **how)
    expected = partition(np.array(["no", "yes"])[y], adjudge.memberships(np.column_stack([-f, f])), classes=["no", "yes"])
    at = [list(found.first.classes).index(label) for label in ("no", "yes")]
    np.testing.assert_allclose(found.first.scaled[:, at], expected.scaled, atol=1e-9)


def test_cases_of_several_sets_keep_their_clusters_and_their_order(monkeypatch):
    """Scaled memberships stand in the order of the rows, and beside them the clusters of the same rows."""
    values, y = decision_values(3)
    p = adjudge.memberships(values)
    patient = np.random.default_rng(2).integers(0, 7, y.size)
    table = {"id": np.arange(y.size), "truth": np.array(CLASSES)[y], "patient": patient} | {
        f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)
    }
    given = {}

    def noted(spaces, *, clusters, **how):
        given.update(spaces=spaces, clusters=clusters)
        return judge_partitions(spaces, clusters=clusters, **how)

    monkeypatch.setattr(import_module("adjudge.verbs.compare_partitions"), "judge_partitions", noted)
    at = np.random.default_rng(3).permutation(y.size)
    adjudge.compare_partitions(
        [table, {name: column[at] for name, column in table.items()}],
        names=["a", "b"],
        row="id",
        cluster="patient",
        resamples=100,
    )
    assert len(set(zip(given["clusters"].tolist(), patient.tolist(), strict=True))) == 7
    one, other = (space.scaled for space in given["spaces"].values())
    np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_allclose(one, adjudge.partition(np.array(CLASSES)[y], p, classes=CLASSES).scaled, atol=1e-9)
