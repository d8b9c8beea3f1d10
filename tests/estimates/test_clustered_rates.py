"""Rates of clusters against the same rows taken once, against rows of their own, against formulas and against simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import ConfusionCounts, Predictions, evaluate
from adjudge.counts.clusters import bins_of, middles_of
from adjudge.counts.counting import tally
from adjudge.estimates.clustered import area_effect, loss_effect
from adjudge.estimates.clustered_rates import (
    share_of_bins,
    share_of_calibration,
    shares_of_rates,
    worth_of_cells,
    worth_of_classes,
)
from adjudge.judgements.curves import curves_of
from adjudge.judgements.thresholds import thresholds_of


def some(classes=2, n=160, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, n)
    s = rng.dirichlet(np.ones(classes), n)
    s[np.arange(n), y] += 0.5
    return y, s / s.sum(axis=1, keepdims=True), rng.integers(0, 3, n), rng.integers(0, 4, n)


def evaluated(times, *, clusters=True, classes=2):
    """Return the evaluation of rows that each stand there so many times, a cluster each."""
    y, s, group, fold = some(classes)
    i = np.repeat(np.arange(y.size), times)
    more = {"group": group[i], "fold": fold[i], "classes": list(range(classes))}
    more |= {"cluster": i} if clusters else {}
    if classes == 2:
        return evaluate(Predictions(y[i], (s[i, 1] > 0.55).astype(int), {0: s[i, 0], 1: s[i, 1]}, positive=1, **more))
    return evaluate(Predictions(y[i], s[i].argmax(axis=1), s[i], **more))


def intervals(evaluation):
    """Return every interval of an evaluation that groups, folds, thresholds, curves and weaknesses have, as arrays."""
    ends = {}
    for name, judged in (("group", evaluation.groups), ("fold", evaluation.folds)):
        for kind in ("accuracy", "balanced"):
            for label, one in getattr(judged, kind).items():
                ends[name, kind, label] = one.interval
    for i, point in enumerate(evaluation.thresholds.points):
        for kind in ("sensitivity", "specificity", "ppv", "npv", "cost"):
            ends["point", i, kind] = getattr(point, kind).interval
    for i, each in enumerate((*evaluation.weaknesses.confusions, *evaluation.weaknesses.large_confusions)):
        ends["confusion", i] = each.interval
    for name in ("confidence", "class_confidence"):
        one = getattr(evaluation.weaknesses, name)
        ends[name] = None if one is None else one.observed.interval
    ends |= {("top", each.k): each.interval for each in evaluation.top_k} | {"over": evaluation.over_groups.interval}
    told = {key: np.array([each.low, each.high]) for key, each in ends.items() if each is not None}
    told |= {("lift", each.taken): np.array([each.low, each.high]) for each in evaluation.gains.lifts}
    for kind, by_class in evaluation.curves.items():
        for label, curve in by_class.items():
            told[kind, label] = np.concatenate([curve.band.low, curve.band.high])
    told["compared"] = np.array([evaluation.groups.compared.p_value])
    told["margins"] = np.array(evaluation.thresholds.table().margins)
    return told


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_that_stand_there_four_times_say_no_more_than_once(classes):
    once, often, apart = (intervals(evaluated(times, clusters=own, classes=classes)) for times, own in ((1, 1), (4, 1), (4, 0)))
    if classes > 2:  # intervals of balanced accuracies are of another method where there are no clusters
        once |= {key: each for key, each in intervals(evaluated(2, classes=classes)).items() if "balanced" in key}
    assert once.keys() == often.keys()
    for key, each in once.items():
        np.testing.assert_allclose(often[key], each, atol=5e-4, err_msg=str(key))
    alike = {key: each for key, each in once.items() if key in apart and each.shape == apart[key].shape}
    same = [key for key, each in alike.items() if np.allclose(each, apart[key], atol=1e-9)]
    # those alike without clusters as well have no width, or are as wide as can be
    assert all(np.ptp(once[key]) in (0, 1) or key[0] == "top" for key in same), same


def test_a_row_a_cluster_is_about_a_row_by_itself():
    own, plain = intervals(evaluated(1)), intervals(evaluated(1, clusters=False))
    for key, each in plain.items():
        if key[0] not in ("roc", "precision-recall", "fold") and each.size == 2:
            np.testing.assert_allclose(own[key], each, atol=0.02, err_msg=str(key))


def test_the_unit_of_weights_does_not_matter():
    y, s, *_ = some(2, 90)

    def shares(weight):
        known = {"cluster": np.arange(90) // 3, "weight": np.full(90, weight), "positive": 1}
        counted = tally(Predictions(y, (s[:, 1] > 0.5).astype(int), s[:, 1], **known))
        counts, effects = (
            counted.confusion,
            [area_effect(counted, 1), *(loss_effect(counted, name) for name in ("brier", "log_loss"))],
        )
        rates = (*shares_of_rates(counts, 1, 0.95), share_of_bins(counts, 1, 0.95), share_of_calibration(counts, 1, 0.95))
        return [*rates, *worth_of_classes(counts, 0.95), *(effect.design_effect for effect in effects)]

    assert shares(0.01) == pytest.approx(shares(7.0), rel=1e-9)
    assert shares(1.5) == pytest.approx(shares(7.0), rel=1e-9)


def test_names_and_order_of_clusters_do_not_matter():
    y, s, *_ = some(3, 90)
    cluster, order = np.arange(90) // 3, np.random.default_rng(0).permutation(90)
    one = tally(Predictions(y, s.argmax(axis=1), s, classes=[0, 1, 2], cluster=cluster)).confusion
    named = [f"p{(7 * c) % 30}" for c in cluster[order]]
    other = tally(Predictions(y[order], s.argmax(axis=1)[order], s[order], classes=[0, 1, 2], cluster=named)).confusion
    for at in range(3):
        assert shares_of_rates(one, at, 0.95) == pytest.approx(shares_of_rates(other, at, 0.95), rel=1e-9)
        assert share_of_bins(one, at, 0.95) == pytest.approx(share_of_bins(other, at, 0.95), rel=1e-9)
        assert share_of_calibration(one, at, 0.95) == pytest.approx(share_of_calibration(other, at, 0.95), rel=1e-9)
    assert worth_of_classes(one, 0.95) == pytest.approx(worth_of_classes(other, 0.95), rel=1e-9)


def test_without_clusters_all_is_as_it_is():
    counts = ConfusionCounts([[8, 2], [1, 9]])
    assert shares_of_rates(counts, 0, 0.95) == (1.0, 1.0)
    assert share_of_bins(counts, 0, 0.95) == share_of_calibration(counts, None, 0.95) == 1.0
    assert worth_of_classes(counts, 0.95).tolist() == [10, 10]


@pytest.mark.parametrize(
    ("truth", "predicted", "cluster"),
    [
        ([0] * 10 + [1] * 10, [0] * 10 + [1] * 10, [0] * 20),  # one cluster, all correct
        ([0] * 10 + [1] * 10, [1] * 10 + [0] * 10, list(range(20))),  # none correct
        ([0] * 10 + [1] * 10, [0, 1] * 10, [0] * 18 + [1, 2]),  # one giant beside tiny ones
        ([1] * 20, [0, 1] * 10, [0, 1] * 10),  # one class
    ],
)
def test_hostile_clusters_give_intervals_within_their_range(truth, predicted, cluster):
    score = np.linspace(0.1, 0.9, len(truth))
    evaluation = evaluate(Predictions(truth, predicted, score, positive=1, cluster=cluster, group=["a", "b"] * 10))
    for estimate in (*evaluation.groups.accuracy.values(), *(evaluation.by_class[0].estimates)):
        if estimate.interval is not None:
            assert 0 <= estimate.interval.low <= estimate.value <= estimate.interval.high <= 1


def test_the_worth_of_a_confusion_is_that_of_its_clusters():
    # class 0: cluster a has 4 of 4 predicted as 1, b to e have 0 of 4: between clusters all, within none
    truth, cluster = [0] * 20 + [1] * 4, np.repeat(list("abcdef"), 4)
    predicted = [1] * 4 + [0] * 16 + [1] * 4
    counts = tally(Predictions(truth, predicted, cluster=cluster)).confusion
    influence = np.array([0.8, -0.2, -0.2, -0.2, -0.2]) * 4 / 20
    assert 5 / 4 * (influence**2).sum() / (0.2 * 0.8 / 20) > 4  # a cluster of four alike rows: no more than that
    found = worth_of_cells(counts, np.array([0]), np.array([1]), 0.95)[0]
    assert found == pytest.approx(5)


def test_bins_have_their_probabilities_in_the_middle():
    p = np.concatenate([np.geomspace(1e-8, 0.5, 300), 1 - np.geomspace(1e-8, 0.5, 300)])
    middle = middles_of(bins_of(p, probable=True))
    assert np.all(np.abs(middle - p) <= 0.07 * np.minimum(p, 1 - p) + 1e-12)


@pytest.mark.slow
def test_operating_points_of_forty_patients_hold_the_truth():
    rng, level, patients, rows = np.random.default_rng(11), 0.95, 40, 20
    patient, cut = np.repeat(np.arange(patients), rows), 0.5

    def draw(shift):
        y = (rng.random(shift.size) < 0.4).astype(int)
        return y, 1 / (1 + np.exp(-(1.2 * (2 * y - 1) + shift + rng.normal(0, 1, shift.size))))

    y, score = draw(rng.normal(0, 1, 1_000_000))  # a patient each
    truth = {"sensitivity": np.mean(score[y == 1] >= cut), "specificity": np.mean(score[y == 0] < cut)}
    truth["ppv"] = np.mean(y[score >= cut])
    held, narrow = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(60):
        y, score = draw(rng.normal(0, 1, patients)[patient])
        for kept, more in ((held, {"cluster": patient}), (narrow, {})):
            counted = tally(Predictions(y, (score >= cut).astype(int), score, positive=1, **more))
            point = thresholds_of(curves_of(counted, level), counted.confusion, positive=1, level=level).at(cut)
            for name, value in truth.items():
                interval = getattr(point, name).interval
                kept[name] += interval.low <= value <= interval.high
    assert min(held.values()) >= 52  # of 60: .95 less three standard errors
    assert min(narrow.values()) <= 45
