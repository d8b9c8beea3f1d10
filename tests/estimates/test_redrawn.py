"""Measures under drawn weights: with weights of 1 they are the measures themselves, and scikit-learn's with any others."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk
from tests.compared_sets import numbers, probabilities, three_classes, truth_of, two_classes

import adjudge
from adjudge.estimates.redrawn import DRAWS, draws_for, redrawn_scores, valued
from adjudge.estimates.score_differences import value_in
from adjudge.metrics.catalogue import find
from adjudge.predictions.alignment import side_by_side
from adjudge.verbs.compared_sets import read_set


def together(sets):
    return side_by_side([read_set(each, {}) for each in sets], ["a", "b"], scores=True)


@pytest.mark.parametrize(
    ("sets", "names"),
    [
        (two_classes(), ("average_precision", "ece")),
        (three_classes(), ("average_precision", "ece")),
        (numbers(), ("rmse", "r2", "median_absolute_error", "rae", "rse")),
    ],
    ids=["two", "three", "numbers"],
)
def test_weights_of_one_give_the_measures(sets, names):
    cases, measures = together(sets), [find(name) for name in names]
    for at in (0, 1):
        values = valued(cases, measures, at)(np.ones(cases.rows))
        assert values == pytest.approx([value_in(cases, measure, at) for measure in measures], rel=1e-12)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_average_precision_of_weighted_ties_is_that_of_scikit_learn(seed, distinct):
    rng = np.random.default_rng(seed)
    truth, weight = np.r_[0, 1, rng.integers(0, 2, 28)], rng.gamma(1.0, size=30)
    p = rng.integers(0, distinct + 1, 30) / (distinct + 1)
    sets = [adjudge.Predictions(truth, scores=p, positive=1, row=np.arange(30))] * 2
    cases = together(sets)
    value = valued(cases, [find("average_precision")], 0)(weight[cases.places])[0]
    assert value == pytest.approx(sk.average_precision_score(truth, p, sample_weight=weight), rel=1e-9)


def test_losses_under_weights_are_those_of_scikit_learn():
    sets, weight = numbers(), np.random.default_rng(1).gamma(1.0, size=200)
    cases = together(sets)
    rmse, r2 = valued(cases, [find("rmse"), find("r2")], 1)(weight[cases.places])
    truth, said = sets[1]["y_true"], sets[1]["y_pred"]
    assert rmse == pytest.approx(sk.root_mean_squared_error(truth, said, sample_weight=weight), rel=1e-9)
    assert r2 == pytest.approx(sk.r2_score(truth, said, sample_weight=weight), rel=1e-9)


def test_tied_probabilities_belong_to_the_decision():
    truth = truth_of(60, 3)
    p = np.round(probabilities(truth, 3, 1.0, 1) * 3) / 3
    p[p.sum(axis=1) == 0] = 1 / 3
    cases = replace(together(three_classes(60)), scores=(p, p), truth=truth)
    assert valued(cases, [find("ece")], 0)(np.ones(60))[0] == pytest.approx(value_in(cases, find("ece"), 0), rel=1e-9)


def test_several_measures_and_sets_share_their_draws():
    cases = together(two_classes(100))
    both = redrawn_scores(cases, [find("average_precision"), find("ece")], [0, 1], 3)
    for name, draws in both.items():
        assert np.array_equal(draws, redrawn_scores(cases, [find(name)], [0, 1], 3)[name])
        assert np.array_equal(draws[:, [1]], redrawn_scores(cases, [find(name)], [1], 3)[name])


def test_weights_are_drawn_less_often_for_more_rows():
    assert (draws_for(1000), draws_for(10**9)) == (DRAWS, 200)
