"""Corrections fitted to predictions that are gone through and never held: the numbers of arrays, wherever the rows are."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import refused
from tests.memory import peak_of

import adjudge
from adjudge import InputError, Predictions
from adjudge._base.arrays import STREAMED
from adjudge.corrections.priors import estimate_passes
from adjudge.counts import passes as going
from adjudge.counts.passes import BlockPasses, densities_of, joined, moments_of
from adjudge.predictions import engines, frames
from adjudge.stats import priors

CLASSES = ["low", "mid", "top"]
PLACES = ["array", "parquet", "polars", "duckdb"]
SOME = 4_000


def cases(n=SOME, seed=4, k=3):
    """Probabilities of cases whose priors moved, true classes, whole weights with some 0."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.8), 4 * n)
    ratio = p @ np.array([0.4, 1.5, 1.1, *[1.0] * k])[:k]
    p = p[rng.random(4 * n) < ratio / 1.5][:n]
    y = np.minimum((rng.random(n)[:, None] > (p**1.3 / (p**1.3).sum(axis=1, keepdims=True)).cumsum(axis=1)).sum(axis=1), k - 1)
    return p, y, rng.integers(0, 4, n).astype(float)


@pytest.fixture(scope="module")
def data():
    return cases()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data):
    p, y, w = data
    where = tmp_path_factory.mktemp("passes")
    table = pa.table({"truth": np.array(CLASSES)[y], **{f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}, "weight": w})
    pq.write_table(table, where / "preds.parquet")
    pa.csv.write_csv(table, where / "preds.csv")
    return where


@pytest.fixture(autouse=True)
def never_held(monkeypatch):
    """Bring every limit down, so that nothing is held or fetched because it is small."""
    monkeypatch.setattr(engines, "MOST_FETCHED", 100)
    monkeypatch.setattr(priors, "MOST_WORK", 1.0)


@pytest.fixture(params=[*PLACES[:-1], pytest.param(PLACES[-1], marks=pytest.mark.slow)])
def place(request, folder, data):
    """Return the predictions as they are in one place, with weights or without."""
    p, y, w = data
    path = folder / "preds.parquet"

    def found(*, weighted=False):
        if request.param == "array":
            return Predictions(np.array(CLASSES)[y], scores=p, classes=CLASSES, weight=w if weighted else None)
        named = {
            "parquet": path,
            "polars": pl.scan_parquet(path),
            "duckdb": duckdb.read_parquet(str(path)),
        }
        made = adjudge.read(named[request.param], truth="truth", scores="p_*", weight="weight" if weighted else None)
        return made if weighted else unweighted(made)

    return found


def unweighted(predictions):
    """Return the same without the weights that were found."""
    return Predictions.of(predictions.source, replace(predictions.roles, weight=None), predictions.reading)


def test_a_csv_file_is_summed_as_a_parquet_file_is(folder):
    one, other = (adjudge.fit_multipliers(adjudge.read(folder / f"preds.{kind}")) for kind in ("csv", "parquet"))
    assert one.to_dict() == other.to_dict()


def test_the_few_rows_of_a_lazy_frame_are_fetched_once(folder, monkeypatch):
    monkeypatch.setattr(engines, "MOST_FETCHED", SOME)
    lazy = adjudge.read(pl.scan_parquet(folder / "preds.parquet"))
    asked, streamed = [], frames.streamed
    monkeypatch.setattr(frames, "streamed", lambda *query: (asked.append(query), streamed(*query))[1])
    found = adjudge.fit_multipliers(lazy)
    assert len(asked) == 1
    expected = adjudge.fit_multipliers(adjudge.read(folder / "preds.parquet"))
    assert found.multipliers.tolist() == expected.multipliers.tolist()


@pytest.mark.slow
def test_dask_sums_the_same(folder, data):
    frames = pytest.importorskip("dask.dataframe")
    p, y, w = data
    table = pq.read_table(folder / "preds.parquet").to_pandas()
    lazy = adjudge.read(frames.from_pandas(table, npartitions=3), truth="truth", scores="p_*", weight="weight")
    wanted = adjudge.fit_multipliers(np.array(CLASSES)[y], p, classes=CLASSES, weight=w)
    assert adjudge.fit_multipliers(lazy).multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
    at = np.array([0.5, 1.5, 1.0])
    found, sums = BlockPasses(lazy).densities(at), densities_of(p, w, at)
    assert found.log == pytest.approx(sums.log, rel=1e-12)
    np.testing.assert_allclose(found.second, sums.second, rtol=1e-12)


@pytest.mark.slow
def test_blocks_add_up(tmp_path):
    """More rows than are read at once."""
    p, y, _ = cases(STREAMED + 5_000)
    table = pa.table({"truth": np.array(CLASSES)[y], **{f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}})
    pq.write_table(table, tmp_path / "blocks.parquet")
    preds = adjudge.read(tmp_path / "blocks.parquet")
    wanted, found = adjudge.fit_multipliers(y, p), adjudge.fit_multipliers(preds)
    assert found.multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
    assert (found.errors, found.errors_before) == (wanted.errors, wanted.errors_before)
    moved = adjudge.estimate_priors(p, old=[0.3, 0.3, 0.4])
    assert adjudge.estimate_priors(preds, old=[0.3, 0.3, 0.4]).priors == pytest.approx(moved.priors, rel=1e-12)
    curve, drawn = adjudge.risk_coverage(y, p, classes=range(3)), adjudge.risk_coverage(preds)
    np.testing.assert_allclose(drawn.y, curve.y, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bounds", ["usual", None])
def test_kappa_is_that_of_arrays(weighted, bounds, place, data):
    p, y, w = data
    wanted = adjudge.fit_multipliers(np.array(CLASSES)[y], p, classes=CLASSES, weight=w if weighted else None, bounds=bounds)
    found = adjudge.fit_multipliers(place(weighted=weighted), bounds=bounds)
    assert found.multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
    assert (found.loss, found.loss_before) == pytest.approx((wanted.loss, wanted.loss_before), rel=1e-12)
    assert (found.errors, found.errors_before, found.errors_majority) == (
        wanted.errors,
        wanted.errors_before,
        wanted.errors_majority,
    )
    assert (found.classes, found.majority, found.bounds, found.findings) == (
        wanted.classes,
        wanted.majority,
        wanted.bounds,
        wanted.findings,
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("majority", [None, 2])
def test_classes_can_weigh_alike(weighted, majority, place, data):
    p, y, w = data
    own = w if weighted else np.ones(y.size)
    totals = np.bincount(y, own)
    asked = {"bounds": None, "majority": majority}
    explicit = adjudge.fit_multipliers(y, p, weight=own / totals[y], bounds=None, majority=majority or int(totals.argmax()))
    predictions = place(weighted=weighted)
    held = [] if weighted else [adjudge.fit_multipliers(y, p, weight="balanced", **asked)]
    for found in (adjudge.fit_multipliers(predictions, weight="balanced", **asked), *held):
        assert found.majority == explicit.majority
        for name in ("multipliers", "loss", "loss_before", "errors", "errors_before", "errors_majority"):
            assert getattr(found, name) == pytest.approx(getattr(explicit, name), rel=1e-11), name
    assert explicit.multipliers != pytest.approx(adjudge.fit_multipliers(y, p, weight=own, **asked).multipliers, rel=1e-3)


def test_the_majority_can_be_named(place, data):
    p, y, _ = data
    wanted = adjudge.fit_multipliers(y, p, majority=2, bounds=(0.2, 0.9))
    found = adjudge.fit_multipliers(place(), majority=2, bounds=(0.2, 0.9))
    assert found.multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
    assert found.loss == pytest.approx(wanted.loss, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_priors_are_those_of_arrays(weighted, place, data):
    p, _, w = data
    old = [0.3, 0.3, 0.4]
    wanted = adjudge.estimate_priors(p, old=old, weight=w if weighted else None)
    found = adjudge.estimate_priors(place(weighted=weighted), old=old)
    assert found.priors == pytest.approx(wanted.priors, rel=1e-12)
    assert found.interval == pytest.approx(wanted.interval, rel=1e-9)
    assert found.log_likelihood == pytest.approx(wanted.log_likelihood, rel=1e-12)
    assert found.cases == pytest.approx(wanted.cases, rel=1e-12)
    assert (found.method, found.converged, found.findings) == (wanted.method, wanted.converged, wanted.findings)
    assert found.classes == tuple(CLASSES)
    assert found.iterations < 10 < wanted.iterations


@pytest.mark.slow
def test_few_cases_have_the_limits_of_the_likelihood_itself(place, data, monkeypatch):
    monkeypatch.setattr(priors, "MOST_WORK", 1e7)
    p, _, _ = data
    wanted = adjudge.estimate_priors(p, old=[0.3, 0.3, 0.4])
    found = adjudge.estimate_priors(place(), old={"top": 0.4, "low": 0.3, "mid": 0.3})
    assert wanted.method == found.method == "profile likelihood"
    assert found.interval == pytest.approx(wanted.interval, rel=1e-9)
    assert found.iterations == wanted.iterations
    assert found.history == pytest.approx(wanted.history, rel=1e-9, abs=1e-6)


def test_each_step_is_one_pass(folder):
    predictions = adjudge.read(folder / "preds.parquet")
    gone = BlockPasses(predictions)
    found = estimate_passes(gone, old=[0.3, 0.3, 0.4], tol=1e-10, max_iter=100, level=0.95)
    assert found.converged
    assert gone.taken <= 2 + found.iterations + 1  # the sums, the old priors, each step, and one that was no better


def test_a_prior_of_zero_is_found_and_has_an_upper_limit(folder, data):
    p, _, _ = data
    none = np.where(p.argmax(axis=1)[:, None] == 1, p[:, [1, 0, 2]], p)  # the second class is never the most probable
    wanted = adjudge.estimate_priors(none, old=[0.2, 0.6, 0.2])
    found = adjudge.estimate_priors(Predictions(np.arange(len(none)) % 3, scores=none, classes=[0, 1, 2]), old=[0.2, 0.6, 0.2])
    assert wanted.priors[1] == found.priors[1] == 0
    assert found.interval == pytest.approx(wanted.interval, rel=1e-8)
    assert [finding.code for finding in found.findings] == [finding.code for finding in wanted.findings]


def test_accuracy_against_rejection_is_that_of_arrays(place, data):
    p, y, _ = data
    wanted = adjudge.accuracy_rejection(np.array(CLASSES)[y], p, classes=CLASSES)
    found = adjudge.accuracy_rejection(place())
    assert np.array_equal(found.kept, wanted.kept)
    for name in ("rejected", "accuracy", "low", "high", "thresholds"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)


def test_risk_against_coverage_is_that_of_arrays(place, data):
    p, y, _ = data
    wanted = adjudge.risk_coverage(np.array(CLASSES)[y], p, classes=CLASSES)
    found = adjudge.risk_coverage(place())
    assert found.area == pytest.approx(wanted.area, rel=1e-12)
    np.testing.assert_allclose(found.x, wanted.x, rtol=1e-12)
    np.testing.assert_allclose(found.y, wanted.y, rtol=1e-12)


def test_bins_keep_every_point_true(folder, data, monkeypatch):
    """With bins the curve has fewer points, and each is what its threshold does to the cases."""
    monkeypatch.setattr(going, "GATHERED", 3000)
    p, y, _ = data
    found = adjudge.risk_coverage(unweighted(adjudge.read(folder / "preds.parquet")))
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    assert found.binned
    assert 300 < found.x.size <= 3000
    for at in range(0, found.x.size, 97):
        kept = sure >= found.thresholds[at]
        assert found.x[at] == pytest.approx(kept.mean(), rel=1e-12)
        assert found.y[at] == pytest.approx((~right[kept]).mean(), rel=1e-12)


def test_reliability_is_that_of_arrays(place, data):
    p, y, _ = data
    labels = np.array(CLASSES)[y]
    wanted, found = adjudge.reliability(labels, p, classes=CLASSES), adjudge.reliability(place())
    assert found.area == pytest.approx(wanted.area, rel=1e-11)
    assert found.y == pytest.approx(wanted.y, rel=1e-12)
    one = np.where(y == 2, "top", "other")
    wanted = adjudge.reliability(one, p[:, 2], positive="top")
    found = adjudge.reliability(place(), positive="top")
    assert found.area == pytest.approx(wanted.area, rel=1e-11)
    assert found.of == "top"


@pytest.mark.parametrize(
    "asked",
    [
        {"gamma": 2.0},
        {"gamma": 0.0},
        {"gamma": 40.0, "kind": "per-class"},
        {"gamma": 3.0, "kind": "per-class"},
        {"max_rejection": 0.1},
        {"reject_cost": 0.3},
        {"reject_cost": 0.3, "kind": "costs"},
        {"costs": [[0, 1, 4, 0.5], [2, 0, 1, 0.25], [3, 1, 0, 0.5]]},
    ],
)
def test_rejection_is_that_of_arrays(asked, place, data):
    p, y, _ = data
    wanted = adjudge.fit_rejection(np.array(CLASSES)[y], p, classes=CLASSES, **asked)
    found = adjudge.fit_rejection(place(), **asked)
    np.testing.assert_allclose(found.thresholds, wanted.thresholds, rtol=1e-12)
    assert found.counts.cells.tolist() == wanted.counts.cells.tolist()
    assert (found.kind, found.optimal, found.findings) == (wanted.kind, wanted.optimal, wanted.findings)
    assert (found.cost, found.accuracy, found.rejection) == (wanted.cost, wanted.accuracy, wanted.rejection)


@pytest.mark.parametrize("kind", ["max-probability", "per-class"])
@pytest.mark.parametrize("gamma", [0.0, 3.0, 40.0])
def test_rejection_knows_no_cases_of_weight_0(kind, gamma, place, data):
    p, y, w = data
    wanted = adjudge.fit_rejection(np.array(CLASSES)[y], p, classes=CLASSES, weight=w, gamma=gamma, kind=kind)
    found = adjudge.fit_rejection(place(weighted=True), gamma=gamma, kind=kind)
    np.testing.assert_allclose(found.thresholds, wanted.thresholds, rtol=1e-12)
    assert (found.optimal, found.findings) == (wanted.optimal, wanted.findings)


def test_a_class_whose_cases_all_weigh_0_gets_the_common_threshold(data):
    p, y, _ = data
    w = (p.argmax(axis=1) != 1).astype(float)
    labels = np.array(CLASSES)[y]
    wanted = adjudge.fit_rejection(labels, p, classes=CLASSES, weight=w, gamma=3.0, kind="max-probability").thresholds[0]
    found = adjudge.fit_rejection(labels, p, classes=CLASSES, weight=w, gamma=3.0, kind="per-class")
    assert found.thresholds[1] == wanted
    passed = adjudge.fit_rejection(Predictions(labels, scores=p, classes=CLASSES, weight=w), gamma=3.0, kind="per-class")
    np.testing.assert_allclose(passed.thresholds, found.thresholds, rtol=1e-12)


@pytest.mark.parametrize("fitted", [lambda p: adjudge.fit_rejection(p, gamma=2), adjudge.accuracy_rejection])
def test_arrays_need_their_classes_beside_them(fitted, data):
    for p in (data[0], data[0][:, 0]):
        with pytest.raises(InputError, match="p is needed beside y_true"):
            fitted(p)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"gamma": 2.0}, {"alpha": 0.5, "max_rejection": 0.2}, {"costs": [[0, 1, 0.2], [5, 0, 0.3]]}])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_thresholds_are_those_of_arrays(asked, weighted, tmp_path, data):
    p, y, w = data
    score, ill, w = p[:, 0] / (p[:, 0] + p[:, 1]), y == 0, w + 1
    labels, both = np.where(ill, "yes", "no"), np.column_stack([1 - score, score])
    wanted = adjudge.fit_rejection(labels, both, classes=["no", "yes"], positive="yes", weight=w if weighted else None, **asked)
    table = {"truth": labels, "p_no": both[:, 0], "p_yes": both[:, 1], **({"weight": w} if weighted else {})}
    path = tmp_path / "two.parquet"
    pq.write_table(pa.table(table), path)
    for source in (path, pl.scan_parquet(path), duckdb.read_parquet(str(path))):
        found = adjudge.fit_rejection(adjudge.read(source, positive="yes"), **asked)
        np.testing.assert_allclose(found.thresholds, wanted.thresholds, rtol=1e-12)
        np.testing.assert_allclose(found.counts.cells, wanted.counts.cells, rtol=1e-12)
        assert found.sensitivity == pytest.approx(wanted.sensitivity, rel=1e-12)
        assert (found.of, found.positive, found.optimal) == ("yes", "yes", wanted.optimal)


def test_thresholds_between_bins_do_what_is_told_of_them(folder, data, monkeypatch):
    monkeypatch.setattr(going, "GATHERED", 3000)
    p, y, _ = data
    found = adjudge.fit_rejection(unweighted(adjudge.read(folder / "preds.parquet")), gamma=2.0)
    exact = adjudge.fit_rejection(np.array(CLASSES)[y], p, classes=CLASSES, gamma=2.0)
    kept = p.max(axis=1) >= found.thresholds[0]
    assert found.findings[-1].code == "A835"
    assert found.rejection == pytest.approx(1 - kept.mean(), rel=1e-12)
    assert found.accuracy == pytest.approx((kept & (p.argmax(axis=1) == y)).mean(), rel=1e-12)
    assert exact.cost <= found.cost <= exact.cost + 1e-3


def test_costs_that_differ_from_class_to_class_are_refused_for_one_threshold(place):
    costs = [[0, 1, 4, 0.5], [2, 0, 1, 0.25], [3, 1, 0, 0.5]]
    with refused("kind", "differ from class to class"):
        adjudge.fit_rejection(place(), costs=costs, kind="max-probability")


@pytest.mark.slow
def test_a_single_score_speaks_of_both_classes(tmp_path, data):
    """The order of the classes is found only while reading: here the first rows have one class alone."""
    p, y, _ = data
    score, ill = p[:, 0] / (p[:, 0] + p[:, 1]), y == 0
    order = np.argsort(~ill, kind="stable")
    labels = np.where(ill, "yes", "no")[order]
    pq.write_table(pa.table({"truth": labels, "score": score[order]}), tmp_path / "one.parquet")
    both = np.column_stack([1 - score, score])
    wanted = adjudge.fit_multipliers(np.where(ill, "yes", "no"), both, classes=["no", "yes"], bounds=None)
    for source in (tmp_path / "one.parquet", pl.scan_parquet(tmp_path / "one.parquet")):
        named = adjudge.read(source, truth="truth", scores="score", positive="yes")
        found = adjudge.fit_multipliers(named, bounds=None)
        assert found.classes == ("no", "yes")
        assert found.multipliers == pytest.approx(wanted.multipliers, rel=1e-12)
        assert (found.errors, found.errors_before) == (wanted.errors, wanted.errors_before)
        moved = adjudge.estimate_priors(named, old={"yes": 0.4, "no": 0.6})
        assert moved.priors == pytest.approx(adjudge.estimate_priors(both, old=[0.6, 0.4]).priors, rel=1e-12)


def test_decisions_that_are_given_are_the_ones_judged(tmp_path, data):
    p, y, _ = data
    said = np.where(np.arange(y.size) % 5 == 0, 2, p.argmax(axis=1))
    table = {"truth": np.array(CLASSES)[y], "predicted": np.array(CLASSES)[said]}
    table |= {f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}
    pq.write_table(pa.table(table), tmp_path / "said.parquet")
    wanted = adjudge.risk_coverage(table["truth"], p, y_pred=table["predicted"], classes=CLASSES)
    for source in (tmp_path / "said.parquet", pl.scan_parquet(tmp_path / "said.parquet")):
        found = adjudge.risk_coverage(adjudge.read(source))
        assert found.y[-1] == pytest.approx(np.mean(said != y), rel=1e-12)
        assert found.area == pytest.approx(wanted.area, rel=1e-12)


def test_cases_without_a_decision_are_neither_right_nor_wrong(tmp_path, data):
    p, y, _ = data
    said = np.where(np.arange(y.size) % 5 == 0, "none", np.array(CLASSES)[p.argmax(axis=1)])
    table = {"truth": np.array(CLASSES)[y], "predicted": said, **{f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}}
    pq.write_table(pa.table(table), tmp_path / "said.parquet")
    for source in (tmp_path / "said.parquet", pl.scan_parquet(tmp_path / "said.parquet")):
        with pytest.raises(InputError, match="neither correct nor wrong"):
            adjudge.risk_coverage(adjudge.read(source, rejected="none"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"form": "softmax"}, r'form="softmax" with goal="squared" needs all cases in memory'),
        ({"goal": "errors"}, r'form="linear" with goal="errors" needs all cases in memory'),
        ({"p": [1, 2]}, r"leave p= out"),
        ({"classes": CLASSES, "weight": [1.0]}, r"leave classes=, weight= out"),
        ({"majority": 7}, r"majority must be a column of p, from 0 to 2; got 7"),
    ],
)
def test_what_does_not_follow_from_sums_is_refused(options, told, place):
    with pytest.raises(InputError, match=told):
        adjudge.fit_multipliers(place(), **options)


def test_scores_that_only_rank_are_refused(tmp_path, data):
    p, y, _ = data
    table = pa.table({"truth": np.where(y == 0, "yes", "no"), "score": 9 * p[:, 0]})
    pq.write_table(table, tmp_path / "ranks.parquet")
    named = {"truth": "truth", "scores": "score", "scores_are": "scores", "positive": "yes", "threshold": 4.5}
    for source in (tmp_path / "ranks.parquet", pl.scan_parquet(tmp_path / "ranks.parquet")):
        ranks = adjudge.read(source, **named)
        for judged in (adjudge.fit_multipliers, adjudge.risk_coverage, adjudge.accuracy_rejection):
            with refused("scores_are", "only rank"):
                judged(ranks)
        with refused("scores_are", "only rank"):
            adjudge.estimate_priors(ranks, old=[0.5, 0.5])
        with pytest.raises(InputError, match="needs probabilities"):
            adjudge.reliability(ranks)


def test_predictions_without_probabilities_are_refused():
    bare = Predictions(["a", "b"], ["a", "a"])
    with refused("scores", "none were found"):
        adjudge.fit_multipliers(bare)
    with pytest.raises(InputError, match="needs probabilities"):
        adjudge.reliability(bare)


def test_a_class_without_probabilities_is_refused(tmp_path):
    late = ["a", "b"] * 3000 + ["c"]  # none among the rows that are looked at first
    table = pa.table({"truth": late, "p_a": [0.5, 0.25] * 3000 + [0.5], "p_b": [0.5, 0.75] * 3000 + [0.5]})
    pq.write_table(table, tmp_path / "three.parquet")
    for source in (tmp_path / "three.parquet", pl.scan_parquet(tmp_path / "three.parquet")):
        with pytest.raises(InputError, match=r"Every class .*column of probabilities"):
            adjudge.fit_multipliers(adjudge.read(source, truth="truth", scores="p_*"))


def test_weights_have_no_limits_of_accuracy(place):
    with pytest.raises(InputError, match="these have weights"):
        adjudge.accuracy_rejection(place(weighted=True))


def test_weights_that_are_all_0_count_no_case():
    nothing = Predictions(["a", "b"], scores=[[0.5, 0.5], [0.2, 0.8]], classes=["a", "b"], weight=[0.0, 0.0])
    with pytest.raises(InputError, match="All weights are 0"):
        adjudge.fit_multipliers(nothing)


@st.composite
def weighed(draw):
    """Whole parts as probabilities, true classes, and weights."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    rows = draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    p = np.array(rows, dtype=float)
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    return p / p.sum(axis=1, keepdims=True), y, w


@pytest.mark.slow
@given(weighed(), st.integers(0, 12))
def test_moments_add_up_and_weights_are_repetitions(case, cut):
    p, y, w = case
    whole, times = moments_of(p, y, w), w.astype(int)
    parts = joined(
        [moments_of(p[:cut], y[:cut], w[:cut]) if cut else joined([], p.shape[1]), moments_of(p[cut:], y[cut:], w[cut:])]
        if cut < y.size
        else [whole],
        p.shape[1],
    )
    often = moments_of(np.repeat(p, times, axis=0), np.repeat(y, times), None) if times.any() else joined([], p.shape[1])
    for found in (parts, often):
        assert found.gram == pytest.approx(whole.gram, abs=1e-12)
        assert found.by_class == pytest.approx(whole.by_class, abs=1e-12)
        assert found.totals.tolist() == whole.totals.tolist()
        assert found.certain == whole.certain
    assert whole.by_class.sum() == pytest.approx(w.sum(), abs=1e-9)


@pytest.mark.slow
@given(weighed(), st.integers(0, 10**6))
def test_derivatives_of_the_likelihood_are_those_by_differences(case, seed):
    p, _, w = case
    v = np.random.default_rng(seed).uniform(0.5, 2.0, p.shape[1])
    found, step = densities_of(p, w, v), 1e-5
    each = np.eye(v.size) * step
    slope = [(densities_of(p, w, v + e).log - densities_of(p, w, v - e).log) / (2 * step) for e in each]
    bend = [(densities_of(p, w, v + e).first - densities_of(p, w, v - e).first) / (2 * step) for e in each]
    assert found.first == pytest.approx(np.array(slope), abs=1e-6)
    assert -found.second == pytest.approx(np.array(bend), abs=1e-6)


_PEAK = """
import sys
import adjudge
print(adjudge.fit_multipliers(adjudge.read(sys.argv[1])).errors)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Eight times the rows take no more than the noise of reading."""
    peaks = []
    for n in (250_000, 2_000_000):
        p, y, _ = cases(n, k=3)
        table = pa.table({"truth": np.array(CLASSES)[y], **{f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}})
        pq.write_table(table, tmp_path / f"{n}.parquet", row_group_size=1 << 17)
        peaks.append(peak_of(_PEAK, tmp_path / f"{n}.parquet")[1])
    assert peaks[1] < 1.3 * peaks[0]
