"""Curves: their shape, their ends, their areas, against scikit-learn and counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as skm

from adjudge import InputError, precision_recall, reliability, risk_coverage, roc
from adjudge._base.undefined import Undefined

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@st.composite
def ranked(draw, low=0, high=20):
    """Labels 0 and 1, both present, with scores that tie."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(low, high)), min_size=2, max_size=60))
    truth, scores = np.array(rows).T
    assume(0 < truth.sum() < truth.size)
    return truth, scores / 20


@pytest.mark.slow
@given(ranked(low=-40, high=40))
def test_roc_rises_from_corner_to_corner_and_agrees_with_sklearn(rows):
    truth, scores = rows
    curve = roc(truth, scores)
    assert (curve.x[0], curve.y[0], curve.thresholds[0]) == (0, 0, np.inf)
    assert (curve.x[-1], curve.y[-1]) == (1, 1)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y) >= 0).all()
    assert (np.diff(curve.thresholds) < 0).all()
    fpr, tpr, thresholds = skm.roc_curve(truth, scores, drop_intermediate=False)
    for ours, theirs in ((curve.x, fpr), (curve.y, tpr), (curve.thresholds, thresholds)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    assert curve.area == pytest.approx(skm.roc_auc_score(truth, scores), rel=1e-13, abs=1e-15)
    assert curve.area == pytest.approx(np.trapezoid(curve.y, curve.x), rel=1e-12, abs=1e-14)


@pytest.mark.slow
@given(ranked())
def test_every_point_of_roc_is_what_its_threshold_decides(rows):
    truth, scores = rows
    curve = roc(truth, scores)
    for x, y, threshold in zip(curve.x, curve.y, curve.thresholds, strict=True):
        called = scores >= threshold
        assert (x, y) == (called[truth == 0].mean(), called[truth == 1].mean())


@pytest.mark.slow
@given(ranked())
def test_turning_the_scores_round_mirrors_the_area(rows):
    truth, scores = rows
    area = roc(truth, scores).area
    assert roc(truth, -scores).area == pytest.approx(1 - area, abs=1e-15)
    assert roc(truth, -scores, positive=0).area == pytest.approx(area, abs=1e-15)
    assert roc(truth, np.exp(3 * scores)).area == area


@pytest.mark.slow
@given(ranked())
def test_precision_recall_agrees_with_sklearn(rows):
    truth, scores = rows
    curve = precision_recall(truth, scores)
    precision, recall, thresholds = skm.precision_recall_curve(truth, scores)
    np.testing.assert_allclose(curve.y, precision[-2::-1], rtol=1e-14)  # scikit-learn adds a point at recall 0
    np.testing.assert_allclose(curve.x, recall[-2::-1], rtol=1e-14)
    np.testing.assert_array_equal(curve.thresholds, thresholds[::-1])
    assert curve.area == pytest.approx(skm.average_precision_score(truth, scores), rel=1e-12)
    assert curve.x[-1] == 1
    assert curve.y[-1] == pytest.approx(truth.mean())


@pytest.mark.slow
@given(ranked())
def test_reliability_weighs_its_points_to_the_whole(rows):
    truth, p = rows
    curve = reliability(truth, p)
    assert curve.size.sum() == truth.size
    assert (curve.size @ curve.x, curve.size @ curve.y) == pytest.approx((p.sum(), truth.sum()))
    assert curve.area == pytest.approx(np.abs(curve.x - curve.y) @ curve.size / truth.size, abs=1e-14)
    assert curve.x.size == curve.thresholds.size <= 15
    assert (np.diff(curve.thresholds) > 0).all()
    assert (curve.x <= curve.thresholds + 1e-12).all()
    assert (curve.x > curve.thresholds - 1 / 15 - 1e-12).sum() >= (p > 0).any()
    assert reliability(truth, truth).area == 0


@pytest.mark.slow
@given(ranked())
def test_risk_coverage_is_the_error_among_the_surest(rows):
    truth, p = rows
    curve = risk_coverage(truth, p)
    sure, wrong = np.maximum(p, 1 - p), (p > 0.5) != truth
    for coverage, risk, threshold in zip(curve.x, curve.y, curve.thresholds, strict=True):
        kept = sure >= threshold
        assert (coverage, risk) == pytest.approx((kept.mean(), wrong[kept].mean()), abs=1e-15)
    assert curve.x[-1] == 1
    assert curve.y[-1] == pytest.approx(wrong.mean())
    assert curve.area == pytest.approx(np.diff(curve.x, prepend=0) @ curve.y, abs=1e-14)


def test_several_classes_are_judged_by_their_highest_probability():
    rng = np.random.default_rng(0)
    truth, p = rng.integers(0, 3, 300), rng.dirichlet([1, 1, 1], 300)
    best, right = p.max(axis=1), p.argmax(axis=1) == truth
    curve = reliability(truth, p, classes=[0, 1, 2])
    assert curve.size @ curve.y == pytest.approx(right.sum())
    assert curve.size @ curve.x == pytest.approx(best.sum())
    risk = risk_coverage(truth, p, classes=[0, 1, 2])
    assert risk.y[-1] == pytest.approx(1 - right.mean())
    given_sureness = risk_coverage(truth, best, y_pred=p.argmax(axis=1))
    np.testing.assert_allclose(risk.y, given_sureness.y, rtol=1e-14)


def test_infinite_scores_are_ranks_like_any_other():
    assert roc([0, 1, 0, 1], [-np.inf, np.inf, 0, 0]).area == 0.875


def test_one_class_against_the_rest_of_three():
    truth, scores = np.array(["a", "b", "c", "a"]), np.array([0.9, 0.2, 0.4, 0.3])
    assert roc(truth, scores, positive="a").area == pytest.approx(skm.roc_auc_score(truth == "a", scores))


def test_curves_do_not_change():
    curve = reliability([0, 1], [0.2, 0.7])
    for array in (curve.x, curve.y, curve.thresholds, curve.size):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    assert repr(curve).startswith("Curve 'reliability', 2 points, area")


def test_a_class_without_cases_leaves_no_area():
    assert isinstance(roc([1, 1], [0.1, 0.2], positive=1).area, Undefined)


@pytest.mark.parametrize("curve", [roc, precision_recall, reliability, risk_coverage])
@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        (["a", "b"], [0.1, 0.2], r"needs to know which class is positive: 'a' \(1\), 'b' \(1\)"),
        ([0, 1], [0.1, np.nan], "y_score has 1 missing values .first at row 2."),
        ([0, 1], [0.1, 0.2, 0.3], "y_true has 2 cases and y_score 3"),
        ([0, 1], ["x", "y"], "takes one number per case"),
        ([], [], "no rows|takes one number"),
    ],
)
def test_what_gives_no_curve_is_refused(curve, truth, scores, message):
    with pytest.raises(InputError, match=message):
        curve(truth, scores)


@pytest.mark.parametrize("curve", [reliability, risk_coverage])
def test_probabilities_outside_their_range_are_refused(curve):
    with pytest.raises(InputError, match=r"probabilities .*0 and 1.*-0\.5 to 2"):
        curve([0, 1], [-0.5, 2])
