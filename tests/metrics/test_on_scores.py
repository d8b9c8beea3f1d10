"""Measures of scores and probabilities against scikit-learn, pROC and an independent binning.

Losses of numeric predictors against scikit-learn and numpy.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as skm
from tests.described import refused

from adjudge import ConfusionCounts, InputError, Predictions, Undefined, measure
from adjudge._base.arrays import BLOCK
from adjudge.counts.numbers import count_numbers
from adjudge.metrics.on_scores import ON_NUMBERS, RAE, RSE

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
ORACLES = Path(__file__).parents[1] / "oracles"
PROC = json.loads((ORACLES / "proc_delong.json").read_text())
NAMES = ("auc", "average_precision", "brier", "log_loss", "ece")


def several(seed, k=3, n=200):
    """Return labels and probabilities of k classes, some of them tied."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(k), rng.integers(0, k, n - k))
    logits = rng.normal(size=(n, k)).round(1)
    logits[np.arange(n), truth] += 1
    p = np.exp(logits)
    return truth, p / p.sum(axis=1, keepdims=True)


def two(seed, n=150):
    rng = np.random.default_rng(seed)
    truth = np.append([0, 1], rng.integers(0, 2, n - 2))
    score = np.clip((rng.random(n) + 0.6 * truth) / 1.6, 0.01, 0.98)
    return truth, (2 * np.round(score * 100) * 5 + 1) / 1000  # tied, but on no edge of a bin and never an even chance


# -- scikit-learn and pROC -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_auc_of_several_classes_agrees_with_sklearn(k, seed):
    truth, p = several(seed, k)
    predictions = Predictions(truth, scores=p, classes=range(k))
    for average, theirs in (
        ("macro", {"multi_class": "ovr", "average": "macro"}),
        ("weighted", {"multi_class": "ovr", "average": "weighted"}),
        ("hand-till", {"multi_class": "ovo", "average": "macro"}),
    ):
        assert measure(predictions, "auc", average=average) == pytest.approx(skm.roc_auc_score(truth, p, **theirs), rel=1e-12)
    assert measure(predictions, "auc") == measure(predictions, "auc", average="macro")
    for label in range(k):
        assert measure(predictions, "auc", positive=label) == pytest.approx(
            skm.roc_auc_score(truth == label, p[:, label]), rel=1e-12
        )


@pytest.mark.parametrize("name", PROC["hand_till"])
def test_hand_till_agrees_with_proc(name):
    table = np.genfromtxt(ORACLES / "klar" / f"{name}.csv", delimiter=",", names=True)
    predictions = Predictions(table["true"], scores={label: table[f"m{label}"] for label in (1, 2, 3)})
    assert measure(predictions, "auc", average="hand-till") == pytest.approx(PROC["hand_till"][name]["auc"], rel=1e-13)


@pytest.mark.parametrize(("name", "score"), [(name, score) for name, of in PROC["sets"].items() for score in of["scores"]])
def test_auc_of_two_classes_agrees_with_proc(name, score):
    of = PROC["sets"][name]
    predictions = Predictions(of["y"], of["y"], scores=np.array(of["scores"][score], dtype=float))
    assert measure(predictions, "auc") == pytest.approx(of["single"][score]["auc"], rel=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_agree_with_sklearn(seed):
    truth, p = two(seed)
    predictions = Predictions(truth, scores=p)
    assert measure(predictions, "auc") == pytest.approx(skm.roc_auc_score(truth, p), rel=1e-12)
    assert measure(predictions, "average_precision") == pytest.approx(skm.average_precision_score(truth, p), rel=1e-12)
    assert measure(predictions, "brier") == pytest.approx(skm.brier_score_loss(truth, p), rel=1e-12)
    assert measure(predictions, "log_loss") == pytest.approx(skm.log_loss(truth, p), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_several_classes_agree_with_sklearn(seed):
    truth, p = several(seed, 4)
    predictions = Predictions(truth, scores=p, classes=range(4))
    hot = np.eye(4)[truth]
    assert measure(predictions, "log_loss") == pytest.approx(skm.log_loss(truth, p), rel=1e-12)
    assert measure(predictions, "brier") == pytest.approx(skm.brier_score_loss(truth, p, scale_by_half=False), rel=1e-12)
    for average in ("macro", "weighted"):
        theirs = skm.average_precision_score(hot, p, average=average)
        assert measure(predictions, "average_precision", average=average) == pytest.approx(theirs, rel=1e-12)


def test_weighted_cases_agree_with_sklearn():
    truth, p = two(1)
    w = np.random.default_rng(0).random(truth.size)
    predictions = Predictions(truth, scores=p, weight=w)
    assert measure(predictions, "auc") == pytest.approx(skm.roc_auc_score(truth, p, sample_weight=w), rel=1e-12)
    assert measure(predictions, "brier") == pytest.approx(skm.brier_score_loss(truth, p, sample_weight=w), rel=1e-12)
    assert measure(predictions, "log_loss") == pytest.approx(skm.log_loss(truth, p, sample_weight=w), rel=1e-12)
    theirs = skm.average_precision_score(truth, p, sample_weight=w)
    assert measure(predictions, "average_precision") == pytest.approx(theirs, rel=1e-12)


def binned_error(p, happened, bins=15):
    """Return the expected calibration error bin by bin, right edges included (Guo et al. 2017)."""
    edges, error = np.linspace(0, 1, bins + 1), 0.0
    for low, high in pairwise(edges):
        inside = ((p > low) | ((low == 0) & (p == 0))) & (p <= high)
        if inside.any():
            error += inside.mean() * abs(happened[inside].mean() - p[inside].mean())
    return error


@pytest.mark.parametrize("seed", range(5))
def test_ece_agrees_with_binning_by_hand(seed):
    truth, p = several(seed)
    predictions = Predictions(truth, scores=p, classes=range(3))
    assert measure(predictions, "ece") == pytest.approx(binned_error(p.max(axis=1), p.argmax(axis=1) == truth), rel=1e-12)
    each = [binned_error(p[:, i], truth == i) for i in range(3)]
    assert [measure(predictions, "ece", positive=i) for i in range(3)] == pytest.approx(each, rel=1e-12)
    assert measure(predictions, "ece", average="macro") == pytest.approx(np.mean(each), rel=1e-12)


def test_ece_of_one_score_speaks_of_both_classes():
    truth, p = two(2)
    predictions = Predictions(truth, scores=p)
    assert measure(predictions, "ece", positive=1) == pytest.approx(binned_error(p, truth == 1), rel=1e-12)
    assert measure(predictions, "ece", positive=0) == pytest.approx(binned_error(1 - p, truth == 0), rel=1e-12)
    assert measure(predictions, "ece") == pytest.approx(binned_error(np.maximum(p, 1 - p), (p > 0.5) == truth), rel=1e-12)


# -- the same scores written in other ways -----------------------------------------------------------------------------------


def values(predictions, **how):
    return [measure(predictions, name, **how) for name in NAMES]


def test_one_score_is_two_columns():
    truth, p = two(3)
    expected = values(Predictions(truth, scores=p))
    for scores in ({0: 1 - p, 1: p}, {1: p, 0: 1 - p}):
        assert values(Predictions(truth, scores=scores)) == pytest.approx(expected, rel=1e-12)
    for classes, block in (([0, 1], np.column_stack([1 - p, p])), ([1, 0], np.column_stack([p, 1 - p]))):
        assert values(Predictions(truth, scores=block, classes=classes)) == pytest.approx(expected, rel=1e-12)


def test_percentages_logits_votes_and_confidences_are_probabilities_in_other_clothes():
    truth, p = two(4)
    both = np.column_stack([1 - p, p])
    expected = values(Predictions(truth, scores=p))
    decided = (p > 0.5).astype(int)
    for scores, what in ((100 * both, "percentages"), (np.log(both) + 7, "logits"), (np.round(1000 * both), "votes")):
        ours = values(Predictions(truth, scores=scores, classes=[0, 1], scores_are=what))
        assert ours == pytest.approx(expected, rel=1e-12), what
    assert values(Predictions(truth, scores=100 * p, scores_are="percentages")) == pytest.approx(expected, rel=1e-12)
    sure = Predictions(truth, decided, scores=np.maximum(p, 1 - p), scores_are="confidence")
    assert values(sure) == pytest.approx(expected, rel=1e-12)


def test_one_logit_is_the_logistic_of_it():
    truth, p = two(5)
    ours = values(Predictions(truth, scores=np.log(p / (1 - p)), scores_are="logits"))
    assert ours == pytest.approx(values(Predictions(truth, scores=p)), rel=1e-9)


@pytest.mark.slow
@given(st.permutations([0, 1, 2]), st.integers(0, 20))
@settings(max_examples=30)
def test_the_order_of_the_score_columns_does_not_matter(order, seed):
    truth, _ = several(seed, n=60)
    p = np.random.default_rng(seed).dirichlet([1, 1, 1], 60)  # no ties: those go to the class listed first
    names = np.array(["cat", "dog", "eel"])
    expected = Predictions(names[truth], scores={str(name): p[:, i] for i, name in enumerate(names)})
    turned = Predictions(names[truth], scores={str(names[i]): p[:, i] for i in order})
    assert values(turned) == pytest.approx(values(expected), rel=1e-12)
    for name in ("cat", "dog", "eel"):
        assert measure(turned, "auc", positive=name) == measure(expected, "auc", positive=name)
    assert measure(turned, "auc", average="hand-till") == pytest.approx(measure(expected, "auc", average="hand-till"), rel=1e-12)


def test_scores_of_a_class_are_found_by_its_name_whatever_its_type():
    truth, p = several(6)
    by_number = Predictions(truth, scores={i: p[:, i] for i in range(3)})
    by_text = Predictions(truth, scores={str(i): p[:, i] for i in range(3)})
    assert values(by_text) == values(by_number)


def test_ties_of_single_precision_stay_ties():
    truth = np.array([0, 1, 0, 1, 1])
    exact = np.array([0.1, 0.1 + 1e-10, 0.4, 0.4, 0.9])
    assert measure(Predictions(truth, scores=exact.astype(np.float32)), "auc") == pytest.approx(
        skm.roc_auc_score(truth, exact.astype(np.float32)), rel=1e-15
    )
    assert measure(Predictions(truth, scores=exact), "auc") == pytest.approx(skm.roc_auc_score(truth, exact), rel=1e-15)
    assert measure(Predictions(truth, scores=exact), "auc") > measure(Predictions(truth, scores=exact.astype(np.float32)), "auc")


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20)), min_size=2, max_size=50))
def test_the_auc_of_the_other_class_is_the_same_and_only_ranks_matter(rows):
    truth, p = np.array([int(t) for t, _ in rows]), np.array([s / 20 for _, s in rows])
    plain = measure(Predictions(truth, scores=p, classes=[0, 1]), "auc")
    assert measure(Predictions(truth, scores=p, classes=[0, 1]), "auc", positive=0) == pytest.approx(plain, nan_ok=True)
    ranked = Predictions(truth, truth, scores=np.exp(5 * p), classes=[0, 1])
    assert measure(ranked, "auc") == pytest.approx(plain, nan_ok=True)
    assert isinstance(plain, Undefined) or 0 <= plain <= 1


# -- where there is no number, or an honest one ------------------------------------------------------------------------------


def test_log_loss_is_infinite_when_the_truth_was_called_impossible():
    assert measure(Predictions([0, 1], scores=[1.0, 0.5]), "log_loss") == math.inf
    block = {"a": [0.5, 0.0], "b": [0.5, 0.0], "c": [0.0, 1.0]}
    assert measure(Predictions(["a", "b"], scores=block), "log_loss") == math.inf
    assert measure(Predictions([0, 1], scores=[1.0, 0.5], weight=[0, 1]), "log_loss") == pytest.approx(math.log(2))


def test_plain_scores_rank_but_are_no_probabilities():
    predictions = Predictions([0, 1, 1], [0, 1, 0], scores=[-3.0, 8.0, 1.0])
    assert measure(predictions, "auc") == 1
    for name in ("brier", "log_loss", "ece"):
        assert measure(predictions, name).reason == "the scores are not probabilities"


@pytest.mark.parametrize("name", NAMES)
def test_decisions_alone_have_no_score(name):
    value = measure(Predictions([0, 1], [0, 1]), name)
    assert isinstance(value, Undefined)
    assert value.reason


def test_one_class_cannot_be_ranked():
    value = measure(Predictions([0, 0], scores={0: [0.5, 0.4], 1: [0.5, 0.6]}), "auc")
    assert value.reason.endswith("no case is of class 1")


def test_a_class_without_a_case_takes_no_part_in_the_average():
    truth, p = several(7, 3)
    p = np.column_stack([0.9 * p, np.full(len(p), 0.1)])
    predictions = Predictions(truth, scores=p, classes=range(4))
    each = [skm.roc_auc_score(truth == i, p[:, i]) for i in range(3)]
    assert measure(predictions, "auc", average="macro") == pytest.approx(np.mean(each), rel=1e-12)
    assert isinstance(measure(predictions, "auc", positive=3), Undefined)


@pytest.mark.parametrize("name", ["average_precision", "brier", "log_loss", "ece"])
def test_pairs_of_classes_are_an_average_of_areas_only(name):
    truth, p = several(8)
    with pytest.raises(InputError, match="is an average of AUCs"):
        measure(Predictions(truth, scores=p, classes=range(3)), name, average="hand-till")


def test_scores_are_refused_where_they_cannot_be_read():
    truth, p = several(9)
    with pytest.raises(InputError, match=r"^average .*'macro', 'weighted' or 'hand-till'"):
        measure(Predictions(truth, scores=p, classes=range(3)), "auc", average="micro")
    with pytest.raises(InputError, match="never matches them by position"):
        Predictions(truth, scores=p)
    with refused("positive", "positive: 'a' (1), 'b' (1)"):
        measure(Predictions(["a", "b"], scores=[0.1, 0.9]), "auc")
    with refused("missing_scores", "1 missing value (row 2)"):
        measure(Predictions([0, 1], scores=[0.5, np.nan]), "auc")
    with refused("scores", "single score,", "3 classes"):
        measure(Predictions(truth, scores=p[:, 1], positive=1), "auc")


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_probabilities_of_one_class_are_judged_against_the_rest(label):
    rng = np.random.default_rng(11)
    p = rng.dirichlet([1, 1, 1], 200)
    truth = rng.choice(["a", "b", "c"], 200)
    found = Predictions(truth, scores=p, classes=["a", "b", "c"])
    hit, own = truth == label, p[:, "abc".index(label)]
    assert measure(found, "brier", positive=label) == pytest.approx(skm.brier_score_loss(hit, own), abs=1e-12)
    assert measure(found, "log_loss", positive=label) == pytest.approx(skm.log_loss(hit, own), abs=1e-12)


def test_a_frame_of_scores_is_matched_by_its_column_names():
    scores = pd.DataFrame({"b": [0.2, 0.9, 0.6], "a": [0.8, 0.1, 0.4]})
    assert measure(Predictions(["a", "b", "b"], scores=scores), "accuracy") == 1


def test_truth_values_meet_scores_of_0_and_1():
    truth = [False, True, True]
    assert measure(Predictions(truth, scores={0: [0.8, 0.1, 0.4], 1: [0.2, 0.9, 0.6]}), "auc") == 1
    own = -np.log([0.8, 0.9, 0.6]).mean()
    assert measure(Predictions(truth, scores=[0.2, 0.9, 0.6], positive=1), "log_loss") == pytest.approx(own, abs=1e-12)


settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
number = st.floats(-1e6, 1e6).map(lambda v: round(v, 3))
LOSSES = tuple(m.name for m in ON_NUMBERS)


@pytest.mark.slow
@given(st.lists(st.tuples(number, number, st.floats(0.1, 9)), min_size=2, max_size=60))
def test_losses_agree_with_sklearn_and_numpy(rows):
    truth, predicted, weight = (np.array(v) for v in zip(*rows, strict=True))
    assume(np.ptp(truth) > 1e-3)
    for w in (None, weight):
        predictions = Predictions(truth, predicted, weight=w)
        assert measure(predictions, "mae") == pytest.approx(skm.mean_absolute_error(truth, predicted, sample_weight=w), rel=1e-10)
        assert measure(predictions, "mse") == pytest.approx(skm.mean_squared_error(truth, predicted, sample_weight=w), rel=1e-10)
        mean = np.average(truth, weights=w)
        ones = np.ones(truth.size) if w is None else w
        for name, power in (("rae", 1), ("rse", 2)):
            top, bottom = (float(ones @ np.abs(d) ** power) for d in (truth - predicted, truth - mean))
            assert measure(predictions, name) == pytest.approx(top / bottom, rel=1e-9)


@pytest.mark.slow
@given(
    st.lists(st.tuples(number, number), min_size=2, max_size=30), st.sampled_from([-3.0, 0.25, 8.0]), st.sampled_from([0.0, 16.0])
)
def test_relative_losses_have_no_unit(rows, scale, shift):
    truth, predicted = (np.array(v) for v in zip(*rows, strict=True))
    assume(np.ptp(truth) > 1)
    for name in ("rae", "rse"):
        moved = Predictions(scale * truth + shift, scale * predicted + shift)
        assert measure(moved, name) == pytest.approx(measure(Predictions(truth, predicted), name), rel=1e-6, abs=1e-9)


def test_always_answering_the_mean_loses_one():
    truth = np.array([1.5, 2.0, 7.25, -4.0])
    for name in ("rae", "rse"):
        assert measure(Predictions(truth, np.full(4, truth.mean())), name) == pytest.approx(1)
        assert measure(Predictions(truth, truth), name) == 0


def test_rse_is_one_less_the_coefficient_of_determination():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=BLOCK + 500)
    predicted = truth + rng.normal(size=truth.size)
    assert measure(Predictions(truth, predicted), "rse") == pytest.approx(1 - skm.r2_score(truth, predicted), rel=1e-10)


@pytest.mark.parametrize("value", [0.1, 0.3, 1e-3, 1e15 + 0.25])
@pytest.mark.parametrize("n", [3, 10, 1000])
def test_a_truth_that_does_not_vary_has_no_relative_loss(value, n):
    counts = count_numbers(Predictions(np.full(n, value), np.arange(n) / 2))
    for found in (RAE, RSE):
        loss = found.of(counts)
        assert isinstance(loss, Undefined)
        assert loss.reason == "the truth does not vary"


@pytest.mark.parametrize("name", LOSSES)
def test_what_is_not_a_finite_number_is_refused_with_its_row(name):
    for bad, told in (
        (np.nan, r"' has 1 missing value \(row 2\); pass missing=.drop"),
        (np.inf, "', row 2: inf is not a finite number"),
    ):
        with pytest.raises(InputError, match=rf"column 'predicted{told}"):
            measure(Predictions([1.5, 2.5], [1.0, bad]), name)
    with pytest.raises(InputError, match="where numbers are needed"):
        measure(Predictions(["a", "b"], ["a", "b"]), name)
    with pytest.raises(InputError, match=r"needs numbers, .*confusion table"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), name)
