"""How many cases: the answer is the least that reaches the goal, whichever way it is asked for."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import adjudge
from adjudge import InputError
from adjudge.stats import power as powers


def pilot(n=300, accuracy=0.85, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, "ill", "well")
    right = rng.random(n) < accuracy
    return {"id": np.arange(n), "truth": y, "predicted": np.where(right, y, np.where(y == "ill", "well", "ill"))}


@pytest.mark.slow
def test_each_goal_is_reached_by_the_answer():
    width = adjudge.sample_size(half_width=0.05, expected=0.9)
    assert dict(width.table)[width.cases] <= 0.05
    for found in (
        adjudge.sample_size(above=0.8, expected=0.9),
        adjudge.sample_size(difference=0.05, expected=0.8),
        adjudge.sample_size(difference=0.05, expected=0.8, independent=True),
        adjudge.sample_size(difference=0.05, discordant=0.1),
        adjudge.sample_size(equivalent=True, discordant=0.1, margin=0.05),
        adjudge.sample_size(equivalent=True, expected=0.8, margin=0.1, independent=True),
        adjudge.sample_size(difference=0.1, discordant=0.2, measure="balanced_accuracy", share={"a": 0.3, "b": 0.7}),
    ):
        assert dict(found.table)[found.cases] >= 0.8
        assert (np.diff(found.numbers) > 0).all()
        assert not found.numbers.flags.writeable


def test_a_gate_lets_through_as_often_as_planned():
    """The plan and the gate make the same test: enumerate what the gate says for every count."""
    found = adjudge.sample_size(above=0.7, expected=0.9)
    n = found.cases
    limits = [stats.beta.ppf(0.05, x, n - x + 1) if x else 0.0 for x in range(n + 1)]  # the exact lower limits
    passing = np.array(limits) >= 0.7
    assert dict(found.table)[n] == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, 0.9)[passing].sum(), rel=1e-9)


@pytest.mark.slow
def test_a_rare_class_takes_many_cases():
    found = adjudge.sample_size(half_width=0.1, measure="sensitivity", expected=0.8, share=0.05)
    assert found.cases == adjudge.sample_size(half_width=0.1, expected=0.8).cases
    assert stats.binom.sf(found.cases - 1, found.total, 0.05) >= 0.95
    assert stats.binom.sf(found.cases - 1, found.total - 1, 0.05) < 0.95


def test_the_balanced_accuracy_is_held_back_by_the_rarest_class():
    even, uneven = (
        adjudge.sample_size(half_width=0.05, measure="balanced_accuracy", expected=0.8, share={"a": s, "b": 1 - s}).cases
        for s in (0.5, 0.05)
    )
    assert uneven > 4 * even
    z, variance = stats.norm.isf(0.025), 0.8 * 0.2 / 4 * (1 / 0.05 + 1 / 0.95)
    assert uneven == pytest.approx(z**2 * variance / 0.05**2, rel=0.05)


@pytest.mark.slow
def test_a_pilot_says_what_to_expect():
    seen = adjudge.evaluate(pilot(), truth="truth", predicted="predicted")
    found = adjudge.sample_size(pilot(), half_width=0.02, truth="truth", predicted="predicted")
    assert found.expected == (seen.estimates["accuracy"].value,)
    assert found.plausible[0] < found.cases < found.plausible[1]
    again = adjudge.sample_size(seen, half_width=0.02)
    assert again.cases == found.cases == powers.cases_for_half_width(found.expected[0], 0.02)


@pytest.mark.slow
def test_a_pilot_knows_the_share_of_a_class():
    found = adjudge.sample_size(pilot(), half_width=0.05, measure="sensitivity", positive="ill")
    assert found.share == pytest.approx(np.mean(pilot()["truth"] == "ill"))
    assert found.total > found.cases / found.share


@pytest.mark.slow
def test_any_measure_scales_from_a_pilot():
    seen = adjudge.evaluate(pilot()).estimates["mcc"].interval
    half = (seen.high - seen.low) / 2
    found = adjudge.sample_size(pilot(), half_width=half / 2, measure="mcc")
    assert found.cases == pytest.approx(1200, abs=1)


@pytest.mark.slow
def test_two_pilots_say_how_often_just_one_is_right():
    a, b = pilot(seed=0), pilot(seed=0, accuracy=0.9)
    apart = np.mean((a["predicted"] == a["truth"]) != (b["predicted"] == b["truth"]))
    found = adjudge.sample_size(a, b, difference=0.03, row="id")
    assert found.expected == pytest.approx(((apart + 0.03) / 2, (apart - 0.03) / 2))
    assert found.cases == adjudge.sample_size(difference=0.03, discordant=apart).cases
    assert not found.findings
    assert [f.code for f in adjudge.sample_size(a, difference=0.03).findings] == ["A742"]


@pytest.mark.slow
def test_equal_classes_plan_the_balanced_accuracy_as_so_many_samples():
    """With classes of equal size the variance of the mean of recalls is that of the accuracy: the same number, nearly."""
    one = adjudge.sample_size(difference=0.03, discordant=0.15).cases
    mean = adjudge.sample_size(
        difference=0.03, discordant={"a": 0.15, "b": 0.15}, measure="balanced_accuracy", share={"a": 0.5, "b": 0.5}
    ).cases
    assert mean == pytest.approx(one, rel=0.05)


@pytest.mark.slow
def test_other_measures_are_planned_from_two_pilots():
    a, b = pilot(), pilot(accuracy=0.9)
    found = adjudge.sample_size(a, b, difference=0.06, row="id", measure="mcc")
    spread = math.sqrt(float(adjudge.compare(a, b, row="id", measure="mcc").distribution.var))
    plain = 300 * (spread * (stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) / 0.05) ** 2
    rarest = min(np.mean(np.asarray(a["truth"]) == label) for label in set(a["truth"]))
    assert found.cases == pytest.approx(plain * (1 + 6 / (found.cases * rarest)), rel=0.01)  # six cases of the rarer class more
    with pytest.raises(InputError, match="pass predictions"):
        adjudge.sample_size(adjudge.evaluate(a), adjudge.evaluate(b), difference=0.06, measure="mcc")


@pytest.mark.slow
def test_a_small_pilot_is_told():
    assert [f.code for f in adjudge.sample_size(pilot(20), half_width=0.1).findings] == ["A741"]


def test_a_pilot_near_the_bound_leaves_it_open():
    found = adjudge.sample_size(pilot(), above=0.84)
    assert found.plausible[1] is None
    assert "or no number at all" in found.in_words()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, "Give one goal"),
        ({"half_width": 0.1, "above": 0.5}, "Give one goal"),
        ({"half_width": 0.1}, "expected="),
        ({"half_width": 0.0, "expected": 0.9}, "half_width must be"),
        ({"half_width": 0.1, "expected": 90}, "share from 0 to 1"),
        ({"above": 0.9, "expected": 0.9}, "no number of cases"),
        ({"above": 0.9, "expected": 0.95, "measure": "mcc"}, "plan a half width"),
        ({"half_width": 0.1, "measure": "mcc"}, "give a pilot"),
        ({"half_width": 0.1, "measure": "balanced_accuracy", "expected": 0.9}, "mapping of class"),
        ({"half_width": 0.1, "measure": "balanced_accuracy", "expected": 0.9, "share": {"a": 0.5, "b": 0.4}}, "sum to 1"),
        ({"difference": 0.1, "expected": 0.95}, "share from 0 to 1"),
        ({"difference": 0.1, "discordant": 0.05}, "one correct alone in more than"),
        ({"above": 0.9, "expected": 0.95, "independent": True}, "about two classifiers"),
        ({"half_width": 1e-6, "expected": 0.5}, "More than 100,000,000"),
        ({"half_width": 0.1, "expected": 0.9, "assurance": 80}, "assurance is how often"),
        ({"difference": 0.01, "discordant": 0.1}, "no number of cases would decide 'better'"),
        ({"difference": 0.03, "discordant": 0.1, "margin": 0.05}, "no number of cases would decide 'better'"),
        ({"equivalent": True, "discordant": 0.1, "difference": 0.02}, "would decide 'practically the same'"),
        ({"equivalent": True, "discordant": 0.1, "margin": 0}, "would decide 'practically the same'"),
        ({"equivalent": True, "expected": 1.0}, "say discordant="),
        ({"difference": 0.1, "measure": "f1", "discordant": 0.2}, "as pilots"),
        ({"difference": 0.1, "measure": "f1", "independent": True}, "plan the accuracy"),
        ({"difference": 0.1, "measure": "balanced_accuracy", "share": {"a": 0.5, "b": 0.5}}, "discordant="),
        (
            {"difference": 0.1, "measure": "balanced_accuracy", "share": {"a": 0.5, "b": 0.5}, "discordant": {"a": 0.2}},
            "same classes",
        ),
    ],
)
def test_refusals_say_what_to_do(how, told):
    with pytest.raises(InputError, match=told):
        adjudge.sample_size(**how)


def test_too_many_pilots_are_refused():
    with pytest.raises(InputError, match="Give one"):
        adjudge.sample_size(pilot(), pilot(), half_width=0.1)
    with pytest.raises(InputError, match="Give two"):
        adjudge.sample_size(pilot(), pilot(), pilot(), difference=0.1)


def test_json_is_strict():
    told = json.loads(json.dumps(adjudge.sample_size(pilot(), above=0.84).to_dict(), allow_nan=False))
    assert told["numbers"][0] < told["cases"]
    assert len(told["numbers"]) == len(told["reached"])
