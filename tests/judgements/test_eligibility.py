"""Cases that corrections can be tried on: the probabilities given, or a reason why none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.described import facts

from adjudge import Predictions
from adjudge.corrections.fitting import fit_cases
from adjudge.corrections.labelled import Known
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import tally
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.sampling import SampledCases
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.judgements.crossfit import with_left_out
from adjudge.judgements.eligibility import MOST_CLASSES, correctable, drawn_cases, uncorrectable


def cases(n=60, k=2, seed=0):
    rng, y = np.random.default_rng(seed), np.arange(n) % k
    p = rng.dirichlet(np.ones(k), n)
    p[np.arange(n), y] += 0.5
    return p / p.sum(axis=1, keepdims=True), y


def counted(n=60, k=2, **how):
    p, y = cases(n, k)
    return tally(Predictions(y, how.pop("predicted", None), p, classes=list(range(k)), **how))


def test_all_probabilities_are_those_given_and_one_column_is_completed():
    p, y = cases()
    both = drawn_cases(tally(Predictions(y, 1 - y, p, classes=[0, 1], group=y)))
    np.testing.assert_allclose(both.p, p, atol=1e-15)
    assert (both.y.tolist(), both.decided.tolist(), both.classes, both.of) == (y.tolist(), (1 - y).tolist(), (0, 1), 60)
    assert both.weight is None
    assert both.counting_alike is both
    for positive in (0, 1):
        one = drawn_cases(tally(Predictions(y, None, p[:, positive], positive=positive)))
        np.testing.assert_allclose(one.p, p, atol=1e-15)
        assert one.decided is None


def test_probabilities_rounded_by_their_file_sum_to_one_again():
    p, y = cases(k=3)
    found = drawn_cases(tally(Predictions(y, None, p.round(4), classes=[0, 1, 2])))
    assert found.p.sum(axis=1) == pytest.approx(1, abs=1e-15)
    np.testing.assert_allclose(found.p, p, atol=2e-4)


def test_thinned_classes_stand_for_all_of_them_and_count_alike_in_their_true_shares():
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    p = np.linspace(0.1, 0.9, 8)
    some = SampledCases(np.arange(8), np.column_stack([1 - p, p]), truth, np.array([40, 4]), decided=truth)
    whole = Tally(
        ConfusionCounts([[40, 0], [0, 4]]), 44, scores=ScoreCounts((0, 1), 2, drawn=some), probabilities=ProbabilityCounts()
    )
    found = drawn_cases(whole)
    assert found.weight.tolist() == [10] * 4 + [1] * 4
    alike = found.counting_alike
    assert np.bincount(alike.y).tolist() == [4, 1]  # forty to four, but at least one
    assert alike.weight is None
    assert alike.p.tolist() == found.p[found.alike].tolist()
    assert alike.decided.tolist() == alike.y.tolist()


REASONS = [
    ({"n": 49}, "fewer than 50 cases"),
    ({"n": 60, "k": MOST_CLASSES + 1}, "there are 13 classes, and each of more than 12"),
    ({"weight": np.linspace(1, 2, 60)}, "cases have weights"),
    ({"predicted": [-1, 1] + [0, 1] * 29, "rejected": -1}, "some cases were left without a decision"),
]


@pytest.mark.parametrize(("how", "told"), REASONS)
def test_nothing_is_tried_for_a_reason_that_is_told(how, told):
    whole = counted(**how)
    found = drawn_cases(whole)
    assert correctable(whole, found) is None
    assert told in uncorrectable(whole, found)


@pytest.mark.parametrize("how", [{"n": 50}, {"n": 60, "k": MOST_CLASSES}, {"weight": None}])
def test_just_enough_is_tried_and_nothing_is_told(how):
    whole = counted(**how)
    found = drawn_cases(whole)
    assert correctable(whole, found).cases is found
    assert uncorrectable(whole, found) == ""
    assert uncorrectable(whole, found, repeats=1.5).startswith("cases come back")


def test_a_class_without_cases_and_cases_that_were_not_kept_are_told_and_decisions_alone_are_not():
    p, y = cases(k=3)
    lacking = tally(Predictions(np.minimum(y, 1), None, p, classes=[0, 1, 2]))
    assert correctable(lacking, drawn_cases(lacking)) is None
    assert uncorrectable(lacking, drawn_cases(lacking)).startswith("some class has no case")
    gone = counted()
    gone = replace(gone, scores=replace(gone.scores, scores=None, truth=None))
    assert drawn_cases(gone) is None
    assert "none was kept" in uncorrectable(gone, None)
    assert uncorrectable(tally(Predictions(y, y)), None) == ""


@pytest.mark.parametrize(("many", "kept"), [(4, False), (5, True), (60, True)])
def test_groups_are_left_out_whole_where_there_are_as_many_as_folds(many, kept):
    whole = counted(group=np.arange(60) % many)
    found = correctable(whole, drawn_cases(whole))
    assert (found.cases.group is not None) == kept
    assert facts(found.about_groups) == ([] if kept else ["4"])
    assert (found.about_groups == "") == kept
    assert not found.refused


def test_cases_without_a_group_refuse_all():
    whole = counted(group=[None, *(f"g{i % 9}" for i in range(59))], missing="class")
    found = correctable(whole, drawn_cases(whole))
    assert found.refused
    assert "some cases have no group" in found.about_groups


def test_gains_are_told_of_cases_left_out_or_not_at_all():
    p, y = cases(80)
    known = Known(p**3 / (p**3).sum(axis=1, keepdims=True), y, (0, 1))
    fitted = fit_cases(known, "errors")
    assert with_left_out(fitted, known).left_out["accuracy"] < fitted.after["accuracy"]
    assert with_left_out(fitted, known).after == fitted.after
    few = Known(p[:4], y[:4], (0, 1))
    silent = with_left_out(fit_cases(few, "errors"), few)
    assert (silent.before, silent.after, silent.left_out) == ({}, {}, {})
    assert silent.findings[-1].code == "A844"
    elsewhere = fit_cases(known, "priors", priors={0: 0.3, 1: 0.7})
    assert with_left_out(elsewhere, known) is elsewhere
