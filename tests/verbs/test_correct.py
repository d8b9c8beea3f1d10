"""adjudge.correct: fit, apply and recommend from Python, as the commands of the same names do."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import InputError, correct


@pytest.fixture
def frame():
    rng = np.random.default_rng(8)
    ill = rng.random(300) < 0.3
    ratio = np.exp(rng.normal(np.where(ill, 1.0, -1.0), 1.4))
    p = ratio / (1 + ratio)
    return pd.DataFrame({"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p})


@pytest.fixture
def path(frame, tmp_path):
    frame.to_csv(tmp_path / "preds.csv", index=False)
    return tmp_path / "preds.csv"


def test_the_namespace_lists_what_users_call_and_nothing_it_imports():
    assert dir(correct) == sorted(correct.__all__)
    assert all(callable(getattr(correct, name)) for name in dir(correct))


def test_files_frames_and_predictions_are_fitted_alike(frame, path):
    found = [correct.fit(source, "errors").to_dict() for source in (path, frame, adjudge.read(frame))]
    assert found[0] == found[1] == found[2]
    assert found[0]["left_out"]


def test_a_fit_is_saved_as_a_correction_or_as_a_page(path, tmp_path):
    fitted = correct.fit(path, "multipliers", bounds=None)
    loaded = adjudge.load_correction(fitted.save(tmp_path / "fix.json"))
    assert loaded.multipliers.tolist() == fitted.correction.multipliers.tolist()
    assert "<html" in fitted.save(tmp_path / "fix.html").read_text(encoding="utf-8")


def test_what_is_applied_may_be_a_file_a_correction_or_a_fit(path, tmp_path):
    fitted = correct.fit(path, "reject", gamma=2)
    fix = fitted.save(tmp_path / "fix.json")
    for number, correction in enumerate((fix, str(fix), fitted, fitted.correction)):
        done = correct.apply(correction, path, tmp_path / f"out{number}.csv")
        assert done.cases == 300
        assert (tmp_path / f"out{number}.csv").read_bytes() == (tmp_path / "out0.csv").read_bytes()
    assert "written" not in done.to_dict()


@pytest.mark.parametrize(
    ("kind", "how", "told", "parameter"),
    [
        ("multipliers", {"gamma": 2}, 'gamma= does not go with kind="multipliers".', None),
        ("reject", {"bounds": None}, 'bounds= does not go with kind="reject".', None),
        ("magic", {}, "kind must be one of", "kind"),
        ("reject", {"max_rejection": 2}, "max_rejection is a share of the cases", "max_rejection"),
        ("costs", {}, "needs the costs", None),
        ("costs", {"costs": "nowhere.json"}, "Cannot read the costs nowhere.json", None),
        ("priors", {}, "The new priors come from one of priors=, unlabelled= and counted=; got none.", None),
    ],
)
def test_refusals_are_told_in_arguments(frame, kind, how, told, parameter):
    with pytest.raises(InputError) as refused:
        correct.fit(frame, kind, **how)
    assert told in str(refused.value)
    assert parameter is None or refused.value.parameter == parameter


@pytest.mark.slow
def test_predictions_are_recommended_for_as_their_arrays_are(frame, path):
    p = frame[["p_ill", "p_well"]].to_numpy()
    wanted = adjudge.recommend(frame["truth"], p, classes=["ill", "well"])
    for source in (path, frame):
        assert correct.recommend(source).to_dict() == wanted.to_dict()
    assert adjudge.recommend is correct.recommend


def test_costs_may_be_a_table_a_mapping_or_a_file(frame, tmp_path):
    told = {"well": {"ill": 1}, "ill": {"well": 5}}
    (tmp_path / "costs.json").write_text(json.dumps(told), encoding="utf-8")
    ways = ([[0, 5], [1, 0]], told, tmp_path / "costs.json")
    found = [correct.recommend(frame, costs=costs, max_rejection=0.2).to_dict() for costs in ways]
    assert found[0] == found[1] == found[2]
    assert found[0]["measure"] == "cost"


def test_arrays_and_predictions_are_not_mixed_up(frame):
    p = frame[["p_ill", "p_well"]].to_numpy()
    with pytest.raises(InputError, match=r"recommend\(y_true, y_score\)"):
        correct.recommend(frame["truth"])
    with pytest.raises(InputError, match=r"truth= says how"):
        correct.recommend(frame["truth"], p, classes=["ill", "well"], truth="truth")
    with pytest.raises(InputError, match="y_true has 2 columns"):
        correct.recommend(p, frame["truth"], classes=["ill", "well"])


def test_groups_and_decisions_beside_arrays_are_those_of_a_frame(frame):
    p, groups = frame[["p_ill", "p_well"]].to_numpy(), np.arange(len(frame)) % 40
    decided = np.where(p[:, 0] > 0.3, "ill", "well")
    wanted = correct.recommend({**frame[["truth", "p_ill", "p_well"]], "predicted": decided, "group": groups}, group="group")
    found = correct.recommend(frame["truth"], p, decided, classes=["ill", "well"], group=groups)
    assert found.groups == 40
    assert found.to_dict() == wanted.to_dict()


def test_rejected_decisions_may_stand_beside_arrays(frame):
    p = frame[["p_ill", "p_well"]].to_numpy()
    rule = adjudge.fit_rejection(frame["truth"], p, classes=["ill", "well"], gamma=8)
    decided = rule.apply(p)
    assert (decided == adjudge.REJECTED).any()
    found = correct.recommend(frame["truth"], p, decided, classes=["ill", "well"], rejected=adjudge.REJECTED)
    assert found.baseline != correct.recommend(frame["truth"], p, classes=["ill", "well"]).baseline
