"""The sections of scores on the page of an evaluation."""

from __future__ import annotations

import numpy as np

from adjudge import Predictions, evaluate
from adjudge._base import share
from adjudge.describe.scores import gain, scores


def test_both_speak_of_the_class_of_interest_and_lift_stands_in_a_table():
    rng = np.random.default_rng(0)
    truth = rng.choice(["well", "ill"], 400, p=[0.8, 0.2])
    score = np.clip(0.3 * (truth == "ill") + rng.random(400) * 0.7, 0, 1)
    evaluation = evaluate(Predictions(truth, scores={"ill": score}, positive="ill"))
    (drawn,), (gained,) = scores(evaluation), gain(evaluation)
    assert "Scores of ill among its own cases" in drawn.lead
    rows = gained.tables[0].rows
    assert [row[0] for row in rows] == ["1%", "5%", "10%", "20%"]
    order = np.argsort(-score, kind="stable")
    hits = np.count_nonzero(truth[order[:40]] == "ill") / np.count_nonzero(truth == "ill")
    assert rows[2][1] == share(hits)
    assert float(rows[2][3]) == round(hits / 0.1, 2)


def test_without_scores_there_is_nothing_to_show():
    evaluation = evaluate(Predictions([0, 1, 1], [0, 1, 0]))
    assert [*scores(evaluation), *gain(evaluation)] == []
