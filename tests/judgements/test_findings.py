"""How rows were read, told with the evaluation."""

import numpy as np
import pytest

import adjudge
from adjudge import Predictions

TRUTH = ["a", "b", "a", "b", "a", "b"]


def test_gaps_are_counted_by_column():
    found = adjudge.evaluate(
        {"truth": [*TRUTH, None], "predicted": [*TRUTH[:5], None, "a"]}, truth="truth", predicted="predicted", missing="drop"
    )
    assert (found.facts.dropped, found.facts.missing) == (2, {"truth": 1, "predicted": 1})
    assert found.origin.rows == 5


def test_decisions_thresholds_and_scores():
    score = [0.9, 0.4, 0.8, 0.1, 0.7, 0.3]
    given = adjudge.evaluate(Predictions(TRUTH, TRUTH))
    assert (given.facts.decisions, given.facts.scores, given.facts.threshold) == ("given", None, None)
    cut = adjudge.evaluate(Predictions(TRUTH, scores=score, positive="a", threshold=0.35))
    assert (cut.facts.decisions, cut.facts.scores, cut.facts.threshold) == ("taken from the scores", "probabilities", 0.35)


def test_weights_and_what_they_are_worth():
    weight = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = adjudge.evaluate(Predictions(TRUTH, TRUTH, weight=weight)).facts
    assert found.weight_spread == pytest.approx(6)
    assert found.effective_cases == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert adjudge.evaluate(Predictions(TRUTH, TRUTH)).facts.effective_cases is None


@pytest.mark.slow
def test_rows_for_the_same_case():
    assert "not checked" in adjudge.evaluate(Predictions(TRUTH, TRUTH)).facts.duplicates
    assert adjudge.evaluate(Predictions(TRUTH, TRUTH, row=range(6))).facts.duplicates == "none"
    once = adjudge.evaluate(Predictions(TRUTH, TRUTH, row=[0, 1, 2, 3, 4, 1], duplicates="first"))
    assert once.facts.duplicates == "made one, by first"


def test_a_table_has_facts_of_its_own():
    found = adjudge.evaluate(adjudge.ConfusionCounts([[4, 1], [2, 3]]), interval="wilson")
    assert found.facts.interval == "wilson"
    assert found.to_dict()["facts"]["version"] == adjudge.__version__
