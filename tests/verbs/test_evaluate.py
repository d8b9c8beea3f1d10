"""evaluate() beside the predictions of training cases, measures picked by name, and the thresholds of what was judged."""

from __future__ import annotations

import pytest

import adjudge
from adjudge import InputError, Predictions
from adjudge.verbs.evaluate import evaluate, selected

TEST = {"truth": [0, 1] * 40, "predicted": [0, 1, 1, 1] * 20}
TRAINING = {"truth": [0, 1] * 40, "predicted": [0, 1] * 40}


@pytest.mark.slow
def test_training_cases_say_whether_it_is_overfitted():
    found = evaluate(TEST, training=TRAINING)
    assert found.overfitting == adjudge.overfitting(adjudge.evaluate(TRAINING), adjudge.evaluate(TEST))
    assert adjudge.evaluate(TEST).overfitting is None


def test_measures_are_picked_with_the_interval_asked_for():
    evaluation = evaluate(TEST, positive=1)
    accuracy, f05 = selected(evaluation, ["accuracy", "npv"], interval="wilson").estimates
    assert accuracy.interval == adjudge.interval(evaluation.counts, "accuracy", method="wilson")
    assert (f05.measure, f05.of) == ("npv", 1)
    assert list(selected(evaluation, ["mcc"]).to_dict()) == ["mcc"]
    with pytest.raises(InputError, match=r"auc cannot be had .*accuracy"):
        selected(evaluation, ["auc"])


@pytest.mark.slow
def test_some_measures_in_place_of_the_whole_evaluation():
    asked = {"interval": "wilson", "positive": 1}
    assert evaluate(TEST, measures=["accuracy"], **asked) == selected(evaluate(TEST, **asked), ["accuracy"], interval="wilson")
    assert evaluate(TEST, measures="mcc") == evaluate(TEST, measures=["mcc"])
    with pytest.raises(InputError, match=r"measures= and training= do not"):
        evaluate(TEST, measures=["accuracy"], training=TRAINING)


SCORES = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]
TRUTH = [0, 0, 1, 0, 1, 1]
CASES = Predictions(TRUTH, scores=SCORES, positive=1)
