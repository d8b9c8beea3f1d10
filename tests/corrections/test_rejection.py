"""Rejection end to end: what thresholds do to the cases, all choices of them tried, and refusals."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import refused

from adjudge import InputError, Predictions, Undefined, WeightedCounts, confusion, measure
from adjudge.corrections.costs import REJECTED, decide
from adjudge.corrections.rejection import chow, fit_rejection


@st.composite
def scored(draw, k=2, least=1, most=12):
    """Whole parts of 12 as probabilities that tie, and true classes."""
    n = draw(st.integers(least, most))
    rows = draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    p = np.array(rows, dtype=float)
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    return p / p.sum(axis=1, keepdims=True), y


def rates(labels, y):
    none = np.array([label is REJECTED for label in labels])
    right = np.array([label == true for label, true in zip(labels, y, strict=True)]) & ~none
    return right.mean(), (~right & ~none).mean(), none.mean()


@pytest.mark.slow
@given(st.integers(2, 4).flatmap(scored), st.integers(0, 12).map(lambda g: g / 2))
def test_the_rates_are_those_of_the_decisions(case, gamma):
    p, y = case
    found = fit_rejection(y, p, gamma=gamma)
    labels = found.apply(p)
    right, wrong, none = rates(labels, y)
    assert (found.accuracy, found.error, found.rejection) == pytest.approx((right, wrong, none), abs=1e-14)
    assert found.accuracy + found.error + found.rejection == pytest.approx(1)
    assert found.cost == pytest.approx(gamma * wrong - right, abs=1e-12)
    assert found.cost == pytest.approx((1 + gamma) * wrong + none - 1, abs=1e-12)
    classes = range(p.shape[1])
    assert confusion(y, labels, classes=classes, rejected=REJECTED) == found.counts
    assert measure(Predictions(y, labels, classes=classes, rejected=REJECTED), "rejection_rate") == found.rejection


@pytest.mark.slow
@given(scored(), st.integers(0, 1))
def test_sensitivity_and_specificity_make_up_the_accuracy(case, positive):
    p, y = case
    found = fit_rejection(y, p, gamma=3, positive=positive)
    labels = found.apply(p)
    for measured, label in ((found.sensitivity, positive), (found.specificity, 1 - positive)):
        if (y == label).any():
            assert measured == pytest.approx((labels[y == label] == label).mean())
    if 0 < y.sum() < y.size:
        share = (y == positive).mean()
        assert share * found.sensitivity + (1 - share) * found.specificity == pytest.approx(found.accuracy)


def test_without_a_positive_class_there_is_no_sensitivity():
    found = fit_rejection(["a", "b"], [[0.8, 0.2], [0.3, 0.7]], gamma=3, classes=["a", "b"])
    assert isinstance(found.sensitivity, Undefined)
    assert found.positive is None
    assert fit_rejection(["a", "b"], [[0.8, 0.2], [0.3, 0.7]], gamma=3, classes=["a", "b"], positive="a").sensitivity == 1


@pytest.mark.slow
@given(scored(), st.permutations(range(2)), st.integers(0, 12).map(lambda g: g / 2))
def test_two_classes_in_another_order(case, order, gamma):
    p, y = case
    names = np.array(["a", "b"])
    here = fit_rejection(names[y], p, gamma=gamma, classes=names.tolist())
    there = fit_rejection(names[y], p[:, order], gamma=gamma, classes=names[order].tolist())
    assert (here.cost, here.rejection, here.optimal) == pytest.approx((there.cost, there.rejection, there.optimal))
    named = fit_rejection(names[y], p, gamma=gamma, classes=names.tolist(), positive="a")
    turned = fit_rejection(names[y], p[:, order], gamma=gamma, classes=names[order].tolist(), positive="a")
    assert named.apply(p).tolist() == turned.apply(p[:, order]).tolist()


@pytest.mark.slow
@given(scored(k=3), st.permutations(range(3)))
def test_three_classes_in_another_order(case, order):
    p, y = case
    p = p + np.array([0.003, 0.002, 0.001])  # no ties between classes, whose order would decide
    p /= p.sum(axis=1, keepdims=True)
    names = np.array(["a", "b", "c"])
    for kind in ("max-probability", "per-class"):
        here = fit_rejection(names[y], p, gamma=2, classes=names.tolist(), kind=kind)
        there = fit_rejection(names[y], p[:, order], gamma=2, classes=names[order].tolist(), kind=kind)
        assert here.apply(p).tolist() == there.apply(p[:, order]).tolist()


# -- every choice tried ------------------------------------------------------------------------------------


@pytest.mark.slow
@given(scored(k=3, most=9), st.integers(0, 12).map(lambda g: g / 2))
def test_no_thresholds_per_class_are_cheaper(case, gamma):
    p, y = case
    top, sure = p.argmax(axis=1), p.max(axis=1)
    tried = []
    for least in product([*np.unique(sure), np.inf], repeat=3):
        kept = sure >= np.array(least)[top]
        tried.append((gamma * (kept & (top != y)).mean() - (kept & (top == y)).mean(), (~kept).mean()))
    best = min(cost for cost, _ in tried)
    found = fit_rejection(y, p, gamma=gamma, kind="per-class")
    assert found.cost == pytest.approx(best, abs=1e-12)
    assert found.rejection == pytest.approx(min(none for cost, none in tried if cost < best + 1e-9))
    assert found.cost <= fit_rejection(y, p, gamma=gamma, kind="max-probability").cost + 1e-12


def test_a_class_nowhere_the_most_probable_gets_the_common_threshold():
    p = np.array([[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.5, 0.2]])
    found = fit_rejection([0, 1, 1, 2], p, gamma=3, kind="per-class")
    assert found.thresholds[2] == fit_rejection([0, 1, 1, 2], p, gamma=3, kind="max-probability").thresholds[0] > 0


@pytest.mark.slow
@given(scored(k=3, most=10), st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=3))
def test_no_single_threshold_is_cheaper_by_any_costs(case, costs):
    p, y = case
    costs = np.array(costs, dtype=float)
    top, sure = p.argmax(axis=1), p.max(axis=1)
    tried = [np.where(sure >= least, costs[y, top], costs[y, 3]).mean() for least in [*np.unique(sure), np.inf]]
    found = fit_rejection(y, p, costs=costs, kind="max-probability")
    assert found.cost == pytest.approx(min(tried), abs=1e-12)


@pytest.mark.slow
@given(scored(), st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=2))
def test_two_thresholds_are_never_dearer_than_expected_costs(case, costs):
    p, y = case
    costs = np.array(costs, dtype=float)
    costs[range(2), range(2)] = 0.0  # right decisions are free: the higher probability speaks for its class
    fitted, trusted = fit_rejection(y, p, costs=costs), fit_rejection(y, p, costs=costs, kind="costs")
    assert trusted.apply(p).tolist() == decide(p, costs).tolist()
    right, wrong, none = rates(trusted.apply(p), y)
    assert (trusted.accuracy, trusted.error, trusted.rejection) == pytest.approx((right, wrong, none))
    if not _swaps(trusted.codes(p), p[:, 1]):
        assert fitted.cost <= trusted.cost + 1e-12


def _swaps(codes, score):
    """Whether a lower score was decided positive than one that was not: no two thresholds do that."""
    rank = np.select([codes == 0, codes == -1], [0, 1], 2)
    order = np.lexsort((rank, score))
    return bool((np.diff(rank[order]) < 0).any())


@pytest.mark.slow
@given(scored(least=2), st.integers(0, 50).map(lambda k: k / 10))
def test_alpha_charges_false_positives(case, alpha):
    p, y = case
    found = fit_rejection(y, p, alpha=alpha, reject_cost=0.3)
    labels = found.apply(p)
    missed = ((y == 1) & (labels == 0)).mean()
    alarms = ((y == 0) & (labels == 1)).mean()
    assert found.cost == pytest.approx(missed + alpha * alarms + 0.3 * found.rejection)
    capped = fit_rejection(y, p, alpha=alpha, max_rejection=0.25)
    assert capped.rejection <= 0.25
    free = fit_rejection(y, p, alpha=alpha, max_rejection=1.0)
    assert free.cost == 0.0


@pytest.mark.slow
@given(scored(), st.integers(0, 4))
def test_a_cost_of_rejecting_is_gamma_in_other_units(case, quarters):
    p, y = case
    reject = (1 + quarters) / 8
    priced = fit_rejection(y, p, reject_cost=reject)
    gamma = fit_rejection(y, p, gamma=1 / reject - 1)
    assert priced.thresholds.tolist() == gamma.thresholds.tolist()
    assert (gamma.cost + 1) * reject == pytest.approx(priced.cost)


@pytest.mark.slow
@given(scored(), st.sampled_from([0.0, 0.1, 0.25, 0.5]))
def test_less_to_reject_never_costs_less_and_none_is_none(case, most):
    p, y = case
    costs = [fit_rejection(y, p, gamma=5, max_rejection=share) for share in (0.0, most, 1.0)]
    assert costs[0].rejection == 0
    assert costs[1].rejection <= most
    assert costs[0].cost >= costs[1].cost >= costs[2].cost
    assert costs[2].cost == fit_rejection(y, p, gamma=5).cost
    fewest = fit_rejection(y, p, max_rejection=most)
    assert fewest.error == fewest.cost
    assert fewest.error <= costs[1].error


@pytest.mark.slow
@given(scored(), st.data())
def test_weights_are_cases_repeated(case, data):
    p, y = case
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=y.size, max_size=y.size).filter(any)))
    weighed = fit_rejection(y, p, gamma=2.5, weight=times)
    repeated = fit_rejection(np.repeat(y, times), np.repeat(p, times, axis=0), gamma=2.5)
    assert isinstance(weighed.counts, WeightedCounts)
    assert weighed.thresholds.tolist() == repeated.thresholds.tolist()
    assert (weighed.cost, weighed.rejection, weighed.optimal) == pytest.approx(
        (repeated.cost, repeated.rejection, repeated.optimal)
    )


def test_costs_without_a_column_of_rejection_reject_nothing():
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], 50)
    y = rng.integers(0, 3, 50)
    costs = np.array([[0, 1, 4], [2, 0, 1], [9, 1, 0]])
    found = fit_rejection(y, p, costs=costs)
    assert found.kind == "costs"
    assert found.rejection == 0
    assert found.apply(p).tolist() == decide(p, costs).tolist()
    assert found.cost == pytest.approx(np.mean([costs[a, b] for a, b in zip(y, found.apply(p), strict=True)]))
    assert fit_rejection(y % 2, p[:, :2] / p[:, :2].sum(axis=1, keepdims=True), costs=costs[:2, :2]).rejection == 0


# -- probabilities at their word ---------------------------------------------------------------------------


@pytest.mark.slow
@given(st.integers(2, 4).flatmap(scored), st.integers(0, 12).map(lambda g: g / 2))
def test_chow_is_the_least_expected_cost(case, gamma):
    p, _ = case
    k = p.shape[1]
    costs = np.full((k, k + 1), gamma)
    costs[:, -1] = 0
    np.fill_diagonal(costs, -1)
    found = chow(p, gamma)
    expected = p @ costs
    edge = np.abs(expected[:, :k].min(axis=1)) < 1e-12  # deciding and rejecting cost the same but for rounding
    assert (found.apply(p) == decide(p, costs))[~edge].all()
    assert found.cost == pytest.approx(expected.min(axis=1).mean(), abs=1e-12)
    assert found.accuracy + found.error + found.rejection == pytest.approx(1)
    if k == 2 and gamma <= 1:
        assert found.rejection == 0
    assert isinstance(found.sensitivity, Undefined)
    assert found.counts is None
    with pytest.raises(InputError, match=r"column per class, .*two"):
        found.apply([0.5, 0.5])  # which class would that speak of?


def test_with_true_probabilities_and_many_cases_the_fit_comes_to_chows_thresholds():
    rng = np.random.default_rng(8)
    score = rng.uniform(size=200_000)
    y = (rng.uniform(size=score.size) < score).astype(int)
    found = fit_rejection(y, score, gamma=4)
    assert found.thresholds == pytest.approx([0.2, 0.8], abs=0.02)
    assert found.cost == pytest.approx(chow(np.column_stack([1 - score, score]), 4).cost, abs=0.005)


# -- the form of data --------------------------------------------------------------------------------------


def test_scores_on_any_scale_and_labels_of_any_kind():
    truth = ["no", "no", "yes", "no", "yes", "yes"]
    found = fit_rejection(truth, [-300, -20, -5, 4, 90, 700], gamma=3)
    assert found.of == found.positive == "yes"
    assert found.apply([-100, 0, 300]).tolist() == ["no", REJECTED, "yes"]
    turned = fit_rejection(pd.Series(truth), pd.Series([300, 20, 5, -4, -90, -700]), gamma=3, positive="no")
    assert turned.apply(pd.Series([100, 0, -300])).tolist() == ["no", REJECTED, "yes"]
    assert turned.counts == found.counts


def test_frames_are_matched_by_name():
    p = pd.DataFrame({"b": [0.9, 0.2, 0.6], "a": [0.1, 0.8, 0.4]})
    found = fit_rejection(["b", "a", "b"], p, gamma=2, classes=["a", "b"])
    assert found.apply(p).tolist() == ["b", "a", "b"]
    assert found.apply(p[["a", "b"]]).tolist() == ["b", "a", "b"]
    assert fit_rejection(["b", "a", "b"], p, gamma=2).classes == ("b", "a")


def test_one_probability_per_case_serves_every_kind():
    p, y = [0.1, 0.4, 0.45, 0.9], [0, 1, 0, 1]
    for kind in ("max-probability", "per-class"):
        one = fit_rejection(y, p, gamma=2, kind=kind)
        both = fit_rejection(y, np.column_stack([1 - np.array(p), p]), gamma=2, kind=kind)
        assert one.apply(p).tolist() == both.apply(np.column_stack([1 - np.array(p), p])).tolist()


def test_it_becomes_plain_json():
    found = fit_rejection([1, 1, 0, 0], [0.1, 0.4, 0.6, 0.9], gamma=100, positive=1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["kind"] == "two-sided"
    assert told["rejection"] == found.rejection
    assert told["sensitivity"] == found.sensitivity
    assert repr(found).startswith("Rejection (two-sided) at")
    with pytest.raises(ValueError, match="read-only"):
        found.thresholds[0] = 0


# -- what is said ------------------------------------------------------------------------------------------


def test_findings():
    rng = np.random.default_rng(1)
    noise = fit_rejection(rng.integers(0, 2, 50), rng.uniform(size=50), costs=[[0, 1, 0.001], [1, 0, 0.001]])
    assert "A833" not in {f.code for f in noise.findings}
    lost = fit_rejection([1, 0], [0.1, 0.9], gamma=100)
    assert {"A830", "A833"} <= {f.code for f in lost.findings}
    assert lost.rejection == 1
    ties = fit_rejection([0, 1, 0, 1], [0.1, 0.2, 0.8, 0.9], gamma=0)
    assert {f.code: f.value for f in ties.findings}["A832"] == ties.optimal > 1
    onesided = fit_rejection([1, 1, 1], [0.1, 0.2, 0.3], gamma=3, classes=[0, 1])
    assert {f.code: f.value for f in onesided.findings}["A831"] == [0]


P, Y = [[0.9, 0.1], [0.2, 0.8]], [0, 1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "rejecting every case would be free"),
        ({"alpha": 2}, "rejecting every case would be free"),
        ({"gamma": 2, "alpha": 2}, "gamma and alpha say the same thing twice"),
        ({"gamma": 2, "reject_cost": 2}, "gamma and reject_cost"),
        ({"costs": [[0, 1, 1], [1, 0, 1]], "reject_cost": 2}, "leave reject_cost out"),
        ({"gamma": -1}, "gamma must be a finite number of at least 0, got -1"),
        ({"gamma": np.inf}, "gamma must be a finite number"),
        ({"gamma": True}, "gamma must be a finite number"),
        ({"gamma": 2, "max_rejection": 10}, "Ten percent is 0.1"),
        ({"gamma": 2, "kind": "three-sided"}, "kind must be"),
        ({"gamma": 2, "kind": "per-class", "max_rejection": 0.1}, "max_rejection does not go with"),
        ({"gamma": 2, "weight": [0, 0]}, "All weights are 0"),
        ({"gamma": 2, "positive": "x"}, "not among the classes"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        fit_rejection(Y, P, **arguments)


@pytest.mark.parametrize(
    ("p", "y", "said"),
    [
        (P, ["a", "b"], "Pass classes="),
        (P, [0, 1, 1], "p has 2 cases"),
        (P, [0, 5], "not among the classes"),
        ([0.1, 0.2, 0.3], [0, 1, 2], "goes with two classes"),
        ([0.1, np.inf], [0, 1], "finite"),
        ([0.1, 0.2], ["a", "b"], "which class is positive"),
    ],
)
def test_cases_that_do_not_fit_are_refused(p, y, said):
    with pytest.raises(InputError, match=said):
        fit_rejection(y, p, gamma=2)


def test_thresholds_on_two_sides_need_two_classes():
    p = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    with refused("thresholds", "two classes;", "3"):
        fit_rejection([0, 2], p, gamma=2, kind="two-sided")
    with pytest.raises(InputError, match=r"^alpha .*two classes"):
        fit_rejection([0, 2], p, alpha=2, reject_cost=1)


def test_series_with_other_rows_are_refused():
    with pytest.raises(InputError, match="different indices"):
        fit_rejection(pd.Series([0, 1]), pd.Series([0.1, 0.9], index=[4, 5]), gamma=2)
