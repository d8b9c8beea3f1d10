"""A report: what it is of, and what it becomes as plain Python."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from adjudge import ConfusionCounts
from adjudge._base.findings import Finding
from adjudge.estimates.differences import Difference
from adjudge.judgements.comparison import judge_difference
from adjudge.judgements.evaluation import Evaluation, Origin
from adjudge.judgements.ranking import Candidates, rank_candidates
from adjudge.judgements.report import Report
from adjudge.metrics.catalogue import find
from adjudge.stats.student import StudentDistribution


def evaluation(right, **more):
    return Evaluation(Origin(f"{right} right", 50), {}, counts=ConfusionCounts([[right, 50 - right], [0, 0]]), **more)


def compared(i=0, j=1):
    found = Difference(0.8, 0.6, StudentDistribution(0.2, 0.01), "made up")
    return judge_difference(found, find("accuracy"), names=("ab"[i], "ab"[j]), cases=50)


def ranking():
    found = Candidates(("a", "b"), np.array([0.8, 0.6]), [None, None], np.eye(2), compared, 0.8, 50, "made up")
    return rank_candidates(found, find("accuracy"), level=0.95, margin=0.01)


def test_one_set_is_its_evaluation_and_a_learner_is_its_own():
    alone = evaluation(40)
    assert Report(("a",), (alone,)).to_dict() == alone.to_dict()
    learner = SimpleNamespace(to_dict=lambda: {"learner": "tree"})
    assert Report(("a",), (alone,), learner=learner).to_dict() == {"learner": "tree"}


@pytest.mark.parametrize(("key", "make"), [("comparison", compared), ("ranking", ranking)])
def test_several_are_compared_or_ranked_and_each_evaluation_has_its_name(key, make):
    many, between = (evaluation(40), evaluation(30)), make()
    told = Report(("a", "b"), many, between).to_dict()
    assert [each["kind"] for each in told.pop("next_steps")] == (["choose"] if key == "comparison" else [])
    assert told == {key: between.to_dict(), "evaluations": [{"name": n} | e.to_dict() for n, e in zip("ab", many, strict=True)]}
    assert json.loads(json.dumps(told, allow_nan=False))["evaluations"][1]["origin"]["name"] == "30 right"


def test_a_name_too_many_is_no_report():
    with pytest.raises(ValueError, match="shorter"):
        Report(("a", "b", "c"), (evaluation(40), evaluation(30)), compared()).to_dict()


def test_what_is_shown_in_full_is_of_the_first():
    first = evaluation(40, recommendations=("gain",), partition="space", thresholds="table")
    found = Report(("a", "b"), (first, evaluation(30, recommendations=("other",))), compared())
    assert (found.evaluation, found.recommendations, found.partition, found.thresholds) == (first, ("gain",), "space", "table")
    assert Report(("b",), (evaluation(30),)).recommendations == ()  # nobody asked for any


def test_groups_are_those_of_the_first_and_findings_those_of_all_each_once():
    shared, own, other = (Finding(code, "told", "do") for code in ("A101", "A102", "A103"))
    first, second = evaluation(40, groups="apart", findings=(own, shared)), evaluation(30, findings=(shared, other))
    between = replace(compared(), findings=(shared,))
    found = Report(("a", "b"), (first, second), between)
    assert found.groups == "apart"
    assert found.findings == (shared, own, other)
    assert Report(("b",), (second,)).groups is None
    learner = SimpleNamespace(findings=(own,))
    assert Report(("b",), (second,), learner=learner).findings == (own, shared, other)
