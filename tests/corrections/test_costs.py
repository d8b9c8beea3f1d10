"""The label of no decision wherever decisions are read, decisions of least expected cost, costs and priors by name."""

from __future__ import annotations

import copy
import itertools
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from tests.described import refused

import adjudge
from adjudge import InputError, Predictions, PriorShift, confusion, evaluate, measure
from adjudge.corrections.costs import REJECTED, costs_of, decide, expected_cost, shares_of
from adjudge.corrections.estimators import CostClassifier, PriorShiftClassifier, RejectingClassifier

NAMES = ["ill", "odd", "well"]
TABLE = [[0, 2, 5, 0.4], [1, 0, 1, 0.4], [3, 1, 0, 0.4]]
RNG = np.random.default_rng(5)
P = RNG.dirichlet([1.0, 1.0, 2.0], 60)
Y = np.array(NAMES)[[RNG.choice(3, p=p) for p in P]]
X = np.column_stack([P[:, :2]])
LABELS = {"whole": (0, 1), "text": ("no", "yes"), "truth values": (False, True), "negative": (-1, 1)}


def objects(*values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    "form", [objects, lambda *v: list(v), lambda *v: pd.Series(objects(*v))], ids=["array", "list", "series"]
)
def test_rejected_goes_with_labels_of_every_type(labels, listed, form):
    a, b = labels
    counts = confusion([a, b, a, b], form(a, REJECTED, b, b), classes=labels if listed else None, rejected=REJECTED)
    assert counts.classes == labels
    assert counts.cells.tolist() == [[1, 1, 0], [0, 1, 1]]


def test_rejected_is_understood_by_predictions_and_what_follows():
    found = Predictions(["a", "b", "a", "b"], objects("a", REJECTED, "b", "b"), rejected=REJECTED)
    assert measure(found, "rejection_rate") == 0.25
    assert measure(found, "accuracy") == 0.5
    assert evaluate(found).counts.rejected.tolist() == [0, 1]


def test_many_rows_of_objects_are_read_alike():
    names = objects("a", "b", REJECTED)
    codes = np.random.default_rng(0).integers(0, 3, 200_000)
    truth = np.array(["a", "b"])[np.random.default_rng(1).integers(0, 2, codes.size)]
    counts = confusion(truth, names[codes], rejected=REJECTED)
    expected = [[int(((truth == label) & (codes == j)).sum()) for j in range(3)] for label in "ab"]
    assert counts.cells.tolist() == expected


def test_there_is_one_rejected():
    assert repr(REJECTED) == str(REJECTED) == "REJECTED"
    assert pickle.loads(pickle.dumps(REJECTED)) is REJECTED  # noqa: S301
    assert copy.copy(REJECTED) is REJECTED
    assert copy.deepcopy([REJECTED])[0] is REJECTED
    assert (objects(0, REJECTED, "a", None, 1.5) == REJECTED).tolist() == [False, True, False, False, False]
    assert (objects(0, REJECTED) != REJECTED).tolist() == [True, False]
    assert [REJECTED] == [REJECTED]
    assert REJECTED != 0
    assert np.isnan(float(REJECTED))


# -- decisions ---------------------------------------------------------------------------------------------


def test_errors_against_rejections():
    p = [[0.9, 0.1], [0.65, 0.35], [0.2, 0.8]]
    assert decide(p, [[0, 1, 0.3], [1, 0, 0.3]], classes=["a", "b"]).tolist() == ["a", REJECTED, "b"]
    assert decide(p, [[0, 1], [1, 0]], classes=["a", "b"]).tolist() == ["a", "a", "b"]
    assert decide(p, [[0, 1], [5, 0]], classes=["a", "b"]).tolist() == ["a", "b", "b"]


def test_ties_go_to_the_first_class_and_rejection_comes_last():
    p = [[0.5, 0.5]]
    assert decide(p, [[0, 1, 0.5], [1, 0, 0.5]]).tolist() == [0]
    assert decide(p, [[0, 1, 0.49], [1, 0, 0.49]]).tolist() == [REJECTED]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=5),
    st.permutations(range(3)),
)
def test_the_order_of_the_classes_does_not_matter(rows, order):
    p = np.array(rows, dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    costs = np.array([[0, 1.1, 3.7, 0.83], [2.3, 0, 1.9, 0.91], [5.3, 4.1, 0, 0.77]])  # no ties among these
    names = np.array(["a", "b", "c"])
    turned = costs[np.ix_(order, [*order, 3])]
    here = decide(p, costs, classes=names.tolist())
    there = decide(p[:, order], turned, classes=names[order].tolist())
    assert here.tolist() == there.tolist()


def test_expected_costs_by_hand():
    found = expected_cost([[0.25, 0.75]], [[0, 1, 0.5], [4, 0, 0.5]])
    assert found.tolist() == [[3.0, 0.25, 0.5]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "mapping"])
def test_named_columns_are_matched_by_name(frame):
    p = frame({"yes": [0.9, 0.2], "no": [0.1, 0.8]})
    costs = [[0, 1], [1, 0]]
    assert decide(p, costs).tolist() == ["yes", "no"]
    assert decide(p, costs, classes=["no", "yes"]).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("p", "costs", "said"),
    [
        ([[0.5, 0.6]], [[0, 1], [1, 0]], "sums to 1.1, not to 1"),
        ([[1.5, -0.5]], [[0, 1], [1, 0]], r"p\[0, 1\] is -0\.5, no probability"),
        ([[0.5, np.nan]], [[0, 1], [1, 0]], r"p\[0, 1\] is nan, no probability"),
        ([[0.5, 0.5], [1.0]], [[0, 1], [1, 0]], "uneven rows"),
        ([[1.0]], [[0]], "a column per class, at least two"),
        ([], [[0, 1], [1, 0]], r"a row per case.*shape \(0,\)"),
        ([["a", "b"]], [[0, 1], [1, 0]], "must hold numbers"),
        ([[0.5, 0.5]], [[0, 1, 2, 3], [1, 0, 2, 3]], r"got shape \(2, 4\)"),
        ([[0.5, 0.5]], [[0, np.inf], [1, 0]], "finite"),
        ([[0.5, 0.5]], [[0, "dear"], [1, 0]], "table of numbers"),
    ],
)
def test_what_cannot_be_used_is_refused(p, costs, said):
    with pytest.raises(InputError, match=said):
        decide(p, costs)


def test_classes_must_fit_the_columns():
    with refused("classes", "2 columns of p", "'a', 'b', 'c'"):
        decide([[0.5, 0.5]], [[0, 1], [1, 0]], classes=["a", "b", "c"])
    with pytest.raises(InputError, match="not among the classes"):
        decide({"a": [0.5], "b": [0.5]}, [[0, 1], [1, 0]], classes=["a", "c"])


def test_labels_with_rejections_become_plain_json():
    counts = confusion([0, 1], objects(0, REJECTED), rejected=REJECTED)
    assert json.loads(json.dumps(counts.to_dict(), allow_nan=False))["rejected_column"]


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
        found, plain = (adjudge.fit_rejection(Y, P, costs=costs, classes=NAMES, kind=kind) for costs in (named, TABLE))
        assert found.costs.tolist() == plain.costs.tolist()
        assert (found.cost, found.thresholds.tolist()) == (plain.cost, plain.thresholds.tolist())
    inner = FrozenEstimator(GaussianNB().fit(X, Y))
    for made in (CostClassifier, RejectingClassifier):
        assert made(inner, costs=named).fit(X, Y).predict(X).tolist() == made(inner, costs=TABLE).fit(X, Y).predict(X).tolist()


def test_the_operating_point_takes_costs_by_name():
    truth, scores = np.where(Y == "well", "no", "yes"), 1 - P[:, 2]
    named = adjudge.operating_point(truth, scores, costs={"yes": {"no": 4}, "no": {"yes": 1}})
    assert named.threshold == adjudge.operating_point(truth, scores, costs=[[0, 1], [4, 0]]).threshold


@pytest.mark.slow
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
