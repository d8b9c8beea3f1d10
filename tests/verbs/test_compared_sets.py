"""Sets of predictions of the same cases: named apart, judged by one measure, and what does not belong there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.described import mentions

import adjudge
from adjudge import InputError, Predictions
from adjudge.metrics.catalogue import find
from adjudge.verbs.compared_sets import (
    MOST_SETS,
    distinct,
    joint_of,
    judge_pair,
    measure_of,
    prepared,
    read_set,
    refuse_learners,
    spoken_of,
)

TRUTH = np.array(["a", "b", "b", "a", "b", "a", "a", "b", "b", "a", "b", "a"])
ONE = np.array(["a", "b", "b", "a", "b", "a", "a", "b", "a", "a", "b", "b"])
OTHER = np.array(["b", "b", "a", "a", "b", "b", "a", "b", "b", "a", "a", "b"])
AT = np.arange(len(TRUTH))


def given(decided, **more):
    return Predictions(TRUTH, decided, row=AT, **more)


def made(name=None, sources=None, **roles):
    return prepared(sources or [given(ONE), given(OTHER)], None, name, by_position=False, roles=roles)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (["arrays", "m.csv"], ("a", "m.csv")),
        (["arrays", "arrays", "frame"], ("a", "b", "c")),
        (["m.csv", "n.csv", "m.csv"], ("m.csv (1)", "n.csv", "m.csv (3)")),
        (["b", "arrays"], ("b (1)", "b (2)")),
        (["x\x1b[2J", "y"], ("x\\x1b[2J", "y")),
    ],
)
def test_names_are_told_apart(found, told):
    assert distinct(found, None, "sets") == told


@pytest.mark.parametrize("names", [["x"], ["x", "x"], "xy", b"xy", 5, [1, "1"]])
def test_names_that_are_not_one_for_each_are_refused_as_they_came(names):
    with pytest.raises(InputError) as refused:
        distinct(["m.csv", "n.csv"], names, "learners")
    assert mentions(str(refused.value), "names", "2", "learners", repr(names))
    assert refused.value.parameter == "names"
    assert distinct(["m.csv", "n.csv"], np.array([1, 2]), "sets") == ("1", "2")


def test_the_measure_fits_what_was_predicted():
    assert [measure_of(None, numeric=numeric).name for numeric in (False, True)] == ["accuracy", "mae"]
    assert measure_of("Recall", numeric=False).name == "sensitivity"
    for name, numeric, kind in (("mae", False, "classes"), ("mcc", True, "numbers")):
        with pytest.raises(InputError, match=f"{name} does not fit .*{kind}"):
            measure_of(name, numeric=numeric)


@pytest.mark.parametrize(
    "verb", [adjudge.compare, adjudge.report, lambda *sets: adjudge.rank(list(sets))], ids=["compare", "report", "rank"]
)
def test_more_sets_than_pairs_can_be_judged_are_refused_before_any_is_read(verb):
    with pytest.raises(
        InputError,
        match=r"201 sets of predictions are 20,100 pairs to compare, some 4 minutes\. At most 200 are compared at once \(19,900 pairs\)",
    ):
        verb(*(f"nowhere-{i}.csv" for i in range(MOST_SETS + 1)))


def test_a_learner_is_sent_where_it_belongs():
    refuse_learners({"truth": TRUTH}, SimpleNamespace(fit=3))  # a column of that name is no method
    with pytest.raises(InputError, match=r"'SimpleNamespace' is a learner.*compare_learners"):
        refuse_learners({"truth": TRUTH}, SimpleNamespace(fit=print))


def test_what_is_read_already_keeps_its_roles():
    held = given(ONE)
    assert read_set(held, {"truth": "elsewhere"}) is held
    table = {"mine": TRUTH, "theirs": ONE}
    assert read_set(table, {"truth": "mine", "predicted": "theirs"}).roles.truth == "mine"
    with pytest.raises(InputError, match=r"Predictions already: .*positive=, row="):
        made(positive="a", row="id")


def test_scores_are_asked_for_where_a_measure_needs_them():
    scored = [given(ONE, scores={"a": (ONE == "a") * 0.8 + 0.1, "b": (ONE == "b") * 0.8 + 0.1}), given(OTHER)]
    with pytest.raises(InputError, match=r"auc needs scores, .*b .*scores="):
        made("auc", scored)
    ranked = [given(None, scores=(ONE == "a") * 8.0 - k, scores_are="scores", positive="a", threshold=1.0) for k in (3, 4)]
    with pytest.raises(InputError, match=r"brier needs probabilities; .*of a "):
        made("brier", ranked)


def test_a_pair_is_judged_by_who_alone_is_right():
    cases, measure = made()
    joint = joint_of(cases, measure)
    found = judge_pair(cases, measure, 0, 1, joint=joint, margin=0.01, level=0.95)
    one, other = TRUTH == ONE, TRUTH == OTHER
    assert found.values == pytest.approx((one.mean(), other.mean()))
    assert found.outcomes == ((one & other).sum(), (one & ~other).sum(), (~one & other).sum(), (~one & ~other).sum())
    assert found.better + found.same + found.worse == pytest.approx(1)
    turned = judge_pair(cases, measure, 1, 0, joint=joint, margin=0.01, level=0.95)
    assert (turned.difference, turned.better) == pytest.approx((-found.difference, found.worse))
    assert turned.names == found.names[::-1]


def test_only_measures_of_one_class_speak_of_one():
    cases, _ = made(sources=[given(each, positive="b") for each in (ONE, OTHER)])
    assert [spoken_of(cases, find(name)) for name in ("precision", "auc", "accuracy", "mcc")] == ["b", "b", None, None]
    assert spoken_of(made()[0], find("precision")) is None


def test_numbers_have_no_table_of_patterns():
    numbers = [Predictions(AT + 0.5, AT + more, row=AT) for more in (0.25, 0.75)]
    cases, measure = made(sources=numbers)
    assert measure.name == "mae"
    assert joint_of(cases, measure) is None


def test_a_number_behind_a_name_is_no_name_of_another():
    told = distinct(["a", "a", "a (1)"], None, "sets")
    assert len(set(told)) == len(told) == 3
