"""Faults that were found by trying: frames by name, odd arguments, files that lie."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, Multipliers, PriorShift

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(300) < 0.2, "ill", "well")
S = np.clip(0.5 + 0.3 * ((Y == "ill") - 0.5) + 0.2 * RNG.normal(size=300), 0.01, 0.99)
P = np.column_stack([S, 1 - S])
CLASSES = ["ill", "well"]


@pytest.mark.slow
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_columns_go_by_their_names(frame):
    turned = frame({"well": 1 - S, "ill": S})
    plain = adjudge.fit_multipliers(Y, P, classes=CLASSES)
    found = adjudge.fit_multipliers(Y, turned, classes=CLASSES)
    assert np.array_equal(found.multipliers, plain.multipliers)
    assert np.array_equal(plain.apply(turned), plain.apply(P))
    assert np.array_equal(plain.predict(turned), plain.predict(P))
    assert adjudge.recommend(Y, turned, classes=CLASSES).before == adjudge.recommend(Y, P, classes=CLASSES).before
    shift = PriorShift([0.5, 0.5], [0.2, 0.8], CLASSES)
    assert np.array_equal(shift.apply(turned), shift.apply(P))
    assert adjudge.fit_multipliers(Y, turned).classes == ("well", "ill")


def test_numbered_columns_go_by_position():
    assert np.array_equal(
        adjudge.fit_multipliers(Y, pd.DataFrame(P), classes=CLASSES).multipliers,
        adjudge.fit_multipliers(Y, P, classes=CLASSES).multipliers,
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: adjudge.fit_multipliers(None, P, classes=CLASSES),
        lambda: adjudge.fit_multipliers(5, P, classes=CLASSES),
        lambda: adjudge.fit_multipliers(Y, P, classes=5),
        lambda: adjudge.fit_multipliers(Y, P, classes=[["a"], ["b"]]),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, weight=["a"] * 300),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, rng="x"),
        lambda: adjudge.recommend(Y, P, classes=CLASSES, rng="x"),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, weight=np.full(300, 1e308)),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, weight=np.full(300, 1e-320)),
        lambda: adjudge.fit_rejection(Y, P, classes=CLASSES, gamma=1, weight=np.full(300, 1e308)),
        lambda: adjudge.estimate_priors(P, old=[0.5, 0.5], weight=np.full(300, 1e200)),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, form="softmax", bounds=(2e4, 3e4)),
        lambda: adjudge.fit_multipliers(Y, P, classes=CLASSES, goal="errors", bounds=(1e305, 1e307)),
        lambda: adjudge.error_curve(Y, P, classes=CLASSES, positive=np.array([1, 2])),
        lambda: adjudge.fit_rejection(Y, P, classes=CLASSES, gamma=1, positive=np.array([1, 2])),
        lambda: adjudge.decide(P, [[0, 1e300], [1, 0]], classes=CLASSES),
        lambda: adjudge.fit_rejection(Y, P, classes=CLASSES, costs=[[0, -1e300, 1], [1, 0, 1]]),
        lambda: adjudge.fit_rejection(Y, P, classes=CLASSES, gamma=1e308),
        lambda: adjudge.fit_rejection(Y, P, classes=CLASSES, costs=[[0, 10**400], [1, 0]]),
        lambda: PriorShift([0.5, 0.5], [0.2, 0.8], ["a", "a"]),
        lambda: adjudge.decide(P, [["0", "5"], ["1", "0"]], classes=CLASSES),
        lambda: adjudge.decide(P, [[0, None], [1, 0]], classes=CLASSES),
        lambda: adjudge.operating_point(Y, S, youden=True, positive="ill").apply(P),
    ],
)
def test_odd_arguments_are_refused_in_words(call):
    with pytest.raises(InputError):
        call()


def test_numbers_longer_than_any_float_are_refused_in_a_file(tmp_path):
    path = adjudge.save_correction(adjudge.fit_multipliers(Y, P, classes=CLASSES), tmp_path / "fix.json")
    text = path.read_text(encoding="utf-8")
    told = json.loads(text)
    assert isinstance(adjudge.load_correction(path), Multipliers)
    key = (
        next(name for name, value in told.items() if isinstance(value, dict) and "multipliers" in value)
        if "multipliers" not in told
        else None
    )
    holder = told if key is None else told[key]
    holder["multipliers"] = [10**400]
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match="finite number"):
        adjudge.load_correction(path)


def test_weighted_errors_that_only_round_apart_are_no_finding():
    weight = np.where(Y == "ill", 20.0, 0.05)
    found = adjudge.fit_multipliers(Y, P, classes=CLASSES, weight=weight)
    for finding in found.findings:
        assert finding.code != "A804" or found.errors > min(found.errors_before, found.errors_majority) * (1 + 1e-6)


def test_a_decision_with_another_label_is_not_passed_over(write_csv):
    decided = np.where(S > 0.6, "ill", np.where(S < 0.4, "well", "REJECTED"))
    path = write_csv({"truth": Y, "predicted": decided, "p_ill": S, "p_well": 1 - S})
    with pytest.raises(InputError, match='rejected="REJECTED"'):
        adjudge.evaluate(path)
    assert adjudge.evaluate(path, rejected="REJECTED").counts.rejected.sum() == (decided == "REJECTED").sum()


def test_a_folder_that_is_read_is_not_written_into(tmp_path):
    from adjudge.corrections.streaming import apply_to_file

    folder = tmp_path / "in"
    folder.mkdir()
    pd.DataFrame({"p_ill": S, "p_well": 1 - S}).to_parquet(folder / "part.parquet")
    with pytest.raises(InputError, match="would replace"):
        apply_to_file(adjudge.fit_multipliers(Y, P, classes=CLASSES), folder, folder / "out.parquet")


def test_classes_no_column_can_hold_are_refused(tmp_path):
    path = adjudge.save_correction(PriorShift([0.5, 0.5], [0.2, 0.8], (1, 2)), tmp_path / "fix.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"int": 2', f'"int": {10**30}'), encoding="utf-8")
    with pytest.raises(InputError, match="longer than"):
        adjudge.load_correction(path)


@pytest.mark.slow
def test_columns_written_as_floats_are_columns():
    y = (CLASSES[1] == Y).astype(float)
    for fitted in (
        lambda own: adjudge.fit_multipliers(own, P).multipliers,
        lambda own: adjudge.fit_rejection(own, P, gamma=2).thresholds,
        lambda own: adjudge.recommend(own, P).rows[0].gain,
    ):
        assert np.array_equal(fitted(y), fitted(y.astype(int)))
    with pytest.raises(InputError, match="whole numbers"):
        adjudge.fit_multipliers(y + 0.5, P)


def test_dear_costs_are_refused_in_a_file(tmp_path):
    path = adjudge.save_correction(adjudge.fit_rejection(Y, P, classes=CLASSES, gamma=1e15), tmp_path / "fix.json")
    assert adjudge.load_correction(path).costs.max() == 1e15
    told = json.loads(path.read_text(encoding="utf-8"))
    told["rule"]["costs"][0][1] = 1e16
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match=r"at most 1e\+15"):
        adjudge.load_correction(path)


def test_limits_beyond_all_floats_are_none():
    free = adjudge.fit_multipliers(Y, P, classes=CLASSES, bounds=(0, np.inf))
    assert np.array_equal(adjudge.fit_multipliers(Y, P, classes=CLASSES, bounds=(0, 1e308)).multipliers, free.multipliers)
