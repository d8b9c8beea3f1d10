"""Predictions as a value: they do not change, can be pickled, and say how many rows were read."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from adjudge import InputError, Predictions, evaluate, read
from adjudge.predictions.model import rows_about, watched

TRUTH, SAID = ["a", "b", "a", "b"], ["a", "b", "b", "b"]


def test_predictions_do_not_change_and_can_be_pickled():
    made = Predictions(TRUTH, SAID)
    with pytest.raises(AttributeError, match="do not change"):
        made.roles = None
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert (again.roles, again.reading) == (made.roles, made.reading)
    assert evaluate(again).estimates["accuracy"].value == 0.75


@pytest.mark.parametrize(("scores", "scale"), [([0.1, 0.9, 0.2, 0.8], "probabilities"), ([-2.0, 3.0, 0.5, 0.8], "scores")])
def test_one_column_that_leaves_the_unit_interval_only_ranks(scores, scale):
    assert Predictions(TRUTH, SAID, scores).roles.scale == scale


@pytest.mark.parametrize(("given", "said"), [
    ({}, "a decision or scores"),
    ({"scores": np.ones((4, 2))}, "never matches them by position"),
    ({"scores": np.ones((4, 2)), "classes": ["a", "b", "c"]}, "3 classes are listed"),
    ({"scores": 0.5}, "one number per case"),
    ({"predicted": SAID, "missing": "guess"}, "must be one of 'error', 'drop', 'class'"),
    ({"predicted": SAID, "threshold": float("nan")}, "must be a finite number"),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        Predictions(TRUTH, **given)


def test_who_watches_changes_no_digit(monkeypatch):
    for name in ("adjudge.counts.counting.EXACT", "adjudge.counts.counting.GATHERED", "adjudge.counts.scores.DISTINCT"):
        monkeypatch.setattr(name, 20)
    rng = np.random.default_rng(1)
    made = Predictions(rng.integers(0, 2, 500), scores=rng.random(500), positive=1)  # more than is kept of a file
    found, told = evaluate(watched(made, lambda _: None)), evaluate(made)
    assert found.to_dict() == told.to_dict()


def test_rows_are_told_while_they_are_read(write_csv):
    heard = []
    made = read(write_csv({"truth": TRUTH * 5, "predicted": SAID * 5}))
    evaluate(watched(made, heard.append))
    assert (heard[0], heard[-1], max(heard)) == (0, 20, 20)
    assert rows_about(made.source) is None  # a short file is read, not guessed
    assert rows_about(Predictions(TRUTH, SAID).source) == 4
