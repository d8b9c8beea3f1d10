"""Partition spaces of the same cases: limits that hold together, and differences that turn round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.partitions.made import simulated

import adjudge
from adjudge import InputError
from adjudge._base.findings import Finding
from adjudge.judgements.partitioned import MEASURES, judge_partitions


def space(noise=0.0, *, n=20, classes=None, known=True):
    p, truth = simulated(n, 2, noise=noise)
    labels = np.asarray(classes or [0, 1])
    found = adjudge.partition(labels[truth], p, classes=list(labels))
    return found if known else found.apply(p)


@pytest.fixture(scope="module")
def two():
    return judge_partitions({"a": space(), "b": space(1.0)}, resamples=100, rng=3)


def test_values_are_those_of_the_spaces_and_lie_within_their_limits(two):
    for name, of in two.spaces.items():
        for measure in MEASURES:
            told = two.intervals[name][measure]
            assert told.value == getattr(of, measure)
            assert told.low <= told.value <= told.high
            assert (told.level, told.resamples) == (0.95, 100)
    between = two.differences["a", "b"]["scaled_accuracy"]
    assert between.value == pytest.approx(two.spaces["a"].scaled_accuracy - two.spaces["b"].scaled_accuracy)
    assert between.low <= between.value <= between.high


def test_the_other_way_round_a_difference_has_the_other_sign(two):
    turned = judge_partitions({"b": two.spaces["b"], "a": two.spaces["a"]}, resamples=100, rng=3)
    for measure in MEASURES:
        one, other = two.differences["a", "b"][measure], turned.differences["b", "a"][measure]
        assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low), abs=1e-12)
        assert one.higher == pytest.approx(1 - other.higher)


def test_a_rule_does_not_differ_from_itself_and_three_pairs_share_one_level():
    one = space(n=12)
    found = judge_partitions({"a": one, "b": one, "c": space(1.0, n=12)}, resamples=100, level=0.9)
    assert list(found.differences) == [("a", "b"), ("a", "c"), ("b", "c")]
    for measure in MEASURES:
        same = found.differences["a", "b"][measure]
        assert (same.value, same.low, same.high) == (0, 0, 0)
        assert found.differences["a", "c"][measure].low == found.differences["b", "c"][measure].low
        assert same.level == pytest.approx(1 - 0.1 / 3)
        assert found.intervals["a"][measure].level == 0.9


def test_new_cases_have_neither_limits_nor_differences():
    found = judge_partitions({"a": space(known=False), "b": space(1.0, known=False)})
    assert not found.known
    assert (found.intervals, found.differences, found.cases) == ({"a": {}, "b": {}}, {}, 20)


def test_remarks_name_their_rule_only_where_there_are_several():
    remark = Finding("A999", "Odd.", "Look.")
    many = {name: replace(of, findings=(remark,)) for name, of in (("a", space(known=False)), ("b", space(1.0, known=False)))}
    told = judge_partitions(many, findings=(remark,)).findings
    assert [f.message for f in told] == ["Odd.", "a: Odd.", "b: Odd."]
    assert [f.message for f in judge_partitions({"a": many["a"]}).findings] == ["Odd."]


def test_drawn_otherwise_it_is_the_same_result(two):
    other = two.drawn(view="flat").drawn(lines=False)
    assert other.drawing == {"view": "flat", "lines": False}
    assert two.drawing == {}
    assert other.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("others", "how", "told"),
    [
        ({"b": lambda: space(classes=["no", "yes"])}, {}, "a is of classes 0, 1, b of 'no', 'yes'"),
        ({"b": lambda: space(n=21)}, {}, "not of the same cases in the same order"),
        ({"b": lambda: space(known=False)}, {}, "not of the same cases"),
        ({}, {"resamples": 99}, "resamples must be a whole number of at least 100, got 99"),
        ({}, {"level": 95}, "level"),
    ],
)
def test_what_cannot_be_compared_is_refused(others, how, told):
    with pytest.raises(InputError, match=told):
        judge_partitions({"a": space()} | {name: make() for name, make in others.items()}, **how)
