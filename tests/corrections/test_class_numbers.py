"""Costs and priors by the names of the classes: the same as in their order, wherever they are taken."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import REJECTED, InputError, PriorShift
from adjudge.corrections.class_numbers import costs_of, shares_of
from adjudge.corrections.estimators import CostClassifier, PriorShiftClassifier, RejectingClassifier

NAMES = ["ill", "odd", "well"]
TABLE = [[0, 2, 5, 0.4], [1, 0, 1, 0.4], [3, 1, 0, 0.4]]
RNG = np.random.default_rng(5)
P = RNG.dirichlet([1.0, 1.0, 2.0], 60)
Y = np.array(NAMES)[[RNG.choice(3, p=p) for p in P]]
X = np.column_stack([P[:, :2]])


def by_name(key):
    """Return the table as mappings in another order, rejection under `key`."""
    rows = {true: dict(zip([*NAMES, key], row, strict=True)) for true, row in zip(NAMES, TABLE, strict=True)}
    return {true: rows[true] for true in reversed(NAMES)}


@pytest.mark.parametrize("key", [REJECTED, "REJECTED"], ids=["value", "text"])
def test_costs_by_name_are_costs_in_order_everywhere(key):
    named = by_name(key)
    assert adjudge.decide(P, named, classes=NAMES).tolist() == adjudge.decide(P, TABLE, classes=NAMES).tolist()
    frame = pd.DataFrame(P, columns=NAMES)[["well", "ill", "odd"]]
    assert adjudge.decide(frame, named).tolist() == adjudge.decide(P, TABLE, classes=NAMES).tolist()
    assert adjudge.expected_cost(P, named, classes=NAMES).tolist() == adjudge.expected_cost(P, TABLE).tolist()
    for kind in ("costs", "max-probability", "per-class"):
        found, plain = (adjudge.fit_rejection(P, Y, costs=costs, classes=NAMES, kind=kind) for costs in (named, TABLE))
        assert found.costs.tolist() == plain.costs.tolist()
        assert (found.cost, found.thresholds.tolist()) == (plain.cost, plain.thresholds.tolist())
    inner = FrozenEstimator(GaussianNB().fit(X, Y))
    for made in (CostClassifier, RejectingClassifier):
        assert made(inner, costs=named).fit(X, Y).predict(X).tolist() == made(inner, costs=TABLE).fit(X, Y).predict(X).tolist()


def test_the_operating_point_takes_costs_by_name():
    truth, scores = np.where(Y == "well", "no", "yes"), 1 - P[:, 2]
    named = adjudge.operating_point(truth, scores, costs={"yes": {"no": 4}, "no": {"yes": 1}})
    assert named.threshold == adjudge.operating_point(truth, scores, costs=[[0, 1], [4, 0]]).threshold


@given(st.permutations([0, 1, 2]), st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_priors_by_name_are_priors_in_order_everywhere(order, weights):
    old, new = np.array(weights[:3]) / sum(weights[:3]), np.array(weights[3:]) / sum(weights[3:])
    told = [{NAMES[at]: float(values[at]) for at in order} for values in (old, new)]
    wanted = adjudge.adjust_priors(P, old=old, new=new).tolist()
    assert adjudge.adjust_priors(P, old=told[0], new=told[1], classes=NAMES).tolist() == wanted
    assert PriorShift(told[0], told[1], NAMES).apply(P).tolist() == wanted
    alone = PriorShift(told[0], told[1])
    assert alone.classes == tuple(told[0])
    assert alone.apply(dict(zip(NAMES, P.T, strict=True))) == pytest.approx(np.array(wanted)[:, list(order)], rel=1e-12)
    found = adjudge.estimate_priors(P, old=told[0], classes=NAMES)
    assert found.priors.tolist() == adjudge.estimate_priors(P, old=old).priors.tolist()
    assert found.shift().classes == tuple(NAMES)
    counted = [adjudge.count_priors(Y, classes=NAMES, old=values) for values in (told[0], old)]
    assert counted[0].p_value == counted[1].p_value


def test_old_priors_by_name_in_the_classifier():
    inner = FrozenEstimator(GaussianNB().fit(X, Y))
    told = {"well": 0.5, "odd": 0.2, "ill": 0.3}
    named, plain = (PriorShiftClassifier(inner, old=old, priors=[0.2, 0.2, 0.6]).fit(X, Y) for old in (told, [0.3, 0.2, 0.5]))
    assert named.old_priors_.tolist() == plain.old_priors_.tolist() == [0.3, 0.2, 0.5]
    assert named.predict_proba(X).tolist() == plain.predict_proba(X).tolist()


def test_a_class_may_be_called_as_no_decision_is():
    names = ["REJECTED", "a"]
    table = costs_of({"REJECTED": {"a": 2, REJECTED: 0.5}, "a": {"REJECTED": 3, REJECTED: 0.25}}, names)
    assert table.tolist() == [[0, 2, 0.5], [3, 0, 0.25]]
    assert costs_of({"REJECTED": {"a": 2}, "a": {"REJECTED": 3}}, names).tolist() == [[0, 2], [3, 0]]


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ({"a": {"b": 1, "REJECTED": 1}, "b": {"a": 1}}, "but not for 'b'"),
        ({"a": {"b": 1, "REJECTED": 1, REJECTED: 1}, "b": {"a": 1, "REJECTED": 1}}, r"costs\['a'\] names REJECTED twice"),
        ({"a": {"b": 1}}, "says nothing about 'b'"),
        ({"a": {"b": 1}, "b": {"c": 1}}, "'c' is not among the classes"),
        ({"a": {"b": 1}, "b": 3}, "must map each decision to its cost"),
    ],
)
def test_costs_by_name_that_do_not_fit_are_refused(costs, said):
    with pytest.raises(InputError, match=said):
        adjudge.decide([[0.5, 0.5]], costs, classes=["a", "b"])


def test_priors_by_name_need_every_class_once():
    for values, said in (({"a": 1.0}, "says nothing about 'b'"), ({"a": 0.5, "b": 0.5, "c": 0}, "not among the classes")):
        with pytest.raises(InputError, match=said):
            shares_of(values, ["a", "b"], "old")
    for order in itertools.permutations("ab"):
        assert shares_of(dict.fromkeys(order, 0.5), np.array(["a", "b"]), "old").tolist() == [0.5, 0.5]
