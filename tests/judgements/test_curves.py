"""Everything a page shows as plain Python: strict JSON, and no larger for more rows."""

import json

import numpy as np
import pytest

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.counts.curves import Curve
from adjudge.judgements.curves import MOST_POINTS, spaced
from adjudge.judgements.evaluation import completed
from adjudge.judgements.tally_estimates import plain_tables


def two(n, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    q = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.3)))
    return adjudge.evaluate(Predictions(y, (q > 0.5).astype(int), np.column_stack([1 - q, q]), classes=[0, 1], **more))


@pytest.mark.slow
def test_it_is_no_larger_for_more_rows():
    sizes = []
    for n in (3000, 30_000):
        found = two(n)
        told = found.to_dict()
        sizes.append(len(json.dumps({name: each for name, each in told.items() if name != "corrections"}, allow_nan=False)))
        assert len(told["curves"]["roc"]["1"]["x"]) <= MOST_POINTS
        assert told["curves"]["roc"]["1"]["points"] > MOST_POINTS
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.slow
def test_points_kept_are_points_of_the_curve():
    found = two(3000)
    curve, told = found.curves["roc"][1], found.to_dict()["curves"]["roc"]["1"]
    whole = set(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    assert set(zip(told["x"], told["y"], strict=True)) <= whole
    assert (told["x"][0], told["y"][0], told["x"][-1], told["y"][-1]) == (0, 0, 1, 1)
    kept = np.hypot(np.diff(told["x"]), np.diff(told["y"]))
    assert kept.max() < 0.05


def test_a_short_curve_is_whole_and_a_standing_one_has_its_ends():
    short = Curve("roc", np.array([0.0, 0.2, 1.0]), np.array([0.0, 1.0, 1.0]), np.zeros(3), 0.9, "x", "y")
    assert spaced(short, 3).tolist() == [0, 1, 2]
    still = Curve("roc", np.zeros(9), np.zeros(9), np.zeros(9), 0.0, "x", "y")
    assert spaced(still, 4).tolist()[-1] == 8


@pytest.mark.slow
def test_what_the_page_shows_is_there():
    rng = np.random.default_rng(3)
    told = completed(two(400, fold=np.arange(400) % 5, group=rng.integers(0, 3, 400))).to_dict()
    assert told["facts"]["scores"] == "probabilities"
    assert told["by_fold"]["0"]["cases"] == 80
    assert set(told["by_group"]) == {"0", "1", "2"}
    assert told["curves"]["reliability"]["highest probability"]["cases"]
    assert sum(told["curves"]["reliability"]["highest probability"]["cases"]) == pytest.approx(400)
    assert told["recommendations"][0]["unseen"]["before"]["cells"]
    assert told["partition"]["intervals"]["scaled_accuracy"]["low"] <= told["partition"]["intervals"]["scaled_accuracy"]["high"]
    assert told["thresholds"]["level"] == 0.95
    assert told["uncorrected"] == ""
    assert told["confusions"][0]["cases"] >= told["confusions"][1]["cases"]


def test_many_parts_of_many_classes_go_without_their_cells():
    many = {i: ConfusionCounts(np.eye(60, dtype=int)) for i in range(40)}
    told = plain_tables(many)
    assert told["0"] == {"cases": 60, "right": 60, "accuracy": 1.0, "balanced_accuracy": 1.0}
    assert "cells" in plain_tables({"a": many[0]})["a"]
