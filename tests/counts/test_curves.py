"""Curves of scores, against scikit-learn and counting by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as skm
from hypothesis import given
from hypothesis import strategies as st

from adjudge.counts.curves import (
    cuts,
    one_against_rest,
    precision_recall_curve,
    quantile_reliability_curve,
    reliability_curve,
    risk_coverage_curve,
    roc_curve,
)
from adjudge.counts.probabilities import BINS
from adjudge.counts.scores import ScoreCounts
from adjudge.stats.ranking import coarsen, tabulate


@st.composite
def scored(draw):
    """True classes, both there, and scores with ties."""
    y = draw(st.lists(st.booleans(), min_size=2, max_size=40).filter(lambda rows: 0 < sum(rows) < len(rows)))
    return np.array(y), np.array(draw(st.lists(st.integers(-4, 8), min_size=len(y), max_size=len(y)))) / 8


@pytest.mark.parametrize(("n", "values"), [(2, 9), (7, 3), (60, 12), (60, 10_000)])
def test_points_and_areas_are_those_of_scikit_learn(n, values):
    rng = np.random.default_rng(n * values)
    y, s = np.arange(n) % 3 == 0, rng.integers(-values, values, n) / values  # ties, and scores below 0
    roc, pr = roc_curve(tabulate(s, y), "ill"), precision_recall_curve(tabulate(s, y), "ill")
    false, true, thresholds = skm.roc_curve(y, s, drop_intermediate=False)
    for ours, theirs in ((roc.x, false), (roc.y, true), (roc.thresholds, thresholds)):
        np.testing.assert_allclose(ours, theirs, atol=1e-15)
    precision, recall, thresholds = skm.precision_recall_curve(y, s)
    for ours, theirs in ((pr.x, recall[:-1]), (pr.y, precision[:-1]), (pr.thresholds, thresholds)):
        np.testing.assert_allclose(ours[::-1], theirs, atol=1e-15)
    assert (roc.area, pr.area) == pytest.approx((skm.roc_auc_score(y, s), skm.average_precision_score(y, s)), abs=1e-12)
    assert (roc.of, pr.of, roc.binned, pr.binned) == ("ill", "ill", False, False)


@given(scored())
def test_risk_is_the_share_of_wrong_ones_among_those_as_sure(rows):
    right, sure = rows
    curve = risk_coverage_curve(tabulate(sure, right))
    area, before = Fraction(0), 0
    for at, threshold in enumerate(curve.thresholds):
        kept = [bool(hit) for hit, own in zip(right, sure, strict=True) if own >= threshold]
        risk = Fraction(kept.count(False), len(kept))
        area += Fraction(len(kept) - before, right.size) * risk
        before = len(kept)
        assert (curve.x[at], curve.y[at]) == pytest.approx((len(kept) / right.size, float(risk)), abs=1e-15)
    assert before == right.size
    assert curve.area == pytest.approx(float(area), abs=1e-12)


def test_bins_without_a_case_are_no_points_and_the_error_weighs_the_others():
    sums = np.zeros((3, BINS))
    sums[:, 2], sums[:, 9] = (30, 4.5, 6), (10, 6.25, 9)
    curve = reliability_curve(sums, "ill")
    assert curve.x.tolist() == [0.15, 0.625]
    assert curve.y.tolist() == [0.2, 0.9]
    assert curve.size.tolist() == [30, 10]
    assert curve.thresholds.tolist() == [3 / BINS, 10 / BINS]
    assert curve.area == pytest.approx((1.5 + 2.75) / 40)
    nothing = reliability_curve(np.zeros((3, BINS)))
    assert nothing.x.size == 0
    assert math.isnan(nothing.area)


def test_probabilities_that_are_all_nothing_are_one_bin_with_every_case():
    curve = quantile_reliability_curve(tabulate(np.zeros(8), np.arange(8) < 2))
    assert (curve.x.tolist(), curve.y.tolist(), curve.size.tolist()) == ([0.0], [0.25], [8.0])
    assert curve.area == 0.25


def test_two_bins_expect_as_many_cases_each():
    p = np.repeat([0.25, 0.5, 0.75], 4)  # which expect 1, 2 and 3
    curve = quantile_reliability_curve(tabulate(p, p > 0.6), bins=2)
    assert (curve.x * curve.size).tolist() == [3.0, 3.0]
    assert (curve.size.tolist(), curve.y.tolist(), curve.thresholds.tolist()) == ([8.0, 4.0], [0.0, 1.0], [0.5, 0.75])


def test_one_score_ranks_both_of_two_classes_and_no_third():
    y, s = np.array([0, 0, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8, 0.9])
    two = ScoreCounts((1,), 2, s[:, None], y)
    own, other = (one_against_rest(two, at, at) for at in (1, 0))
    assert own.area == other.area == pytest.approx(skm.roc_auc_score(y, s))
    np.testing.assert_allclose(own.x, 1 - other.y[::-1])  # the same cases, called the other way round
    np.testing.assert_allclose(own.y, 1 - other.x[::-1])
    assert one_against_rest(ScoreCounts((1,), 3, s[:, None], y), 0, 0) is None
    assert one_against_rest(ScoreCounts((1,), 2, s[:, None], np.ones_like(y)), 1, 1) is None


def test_the_area_of_binned_scores_is_the_exact_one_where_that_was_found():
    y, s = np.array([0, 1, 0, 1]), np.array([1.0, 1.1, 1.2, 1.3])
    tables = (coarsen(tabulate(s, y == 1), 12),)  # sign and exponent alone: one bin
    binned = one_against_rest(ScoreCounts((1,), 2, tables=tables), 1, 1)
    exact = one_against_rest(ScoreCounts((1,), 2, tables=tables, exact=(0.75,)), 1, 1)
    assert (binned.area, exact.area) == (0.5, 0.75)
    assert binned.thresholds.tolist() == exact.thresholds.tolist() == [math.inf, 1.0]


@pytest.mark.parametrize("bits", [14, 18, 22])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_thresholds_of_binned_scores_are_exact(bits, sign):
    rng = np.random.default_rng(4)
    y = rng.random(5000) < 0.3
    s = sign * np.abs(rng.normal(np.where(y, 1.5, 1), 0.4))
    table = coarsen(tabulate(s, y), bits)
    curve = roc_curve(table)
    assert curve.binned
    at = np.arange(1, curve.thresholds.size, max(1, curve.thresholds.size // 50))
    for i in at:
        assert round(curve.y[i] * y.sum()) == np.count_nonzero(s[y] >= curve.thresholds[i])
        assert round(curve.x[i] * (~y).sum()) == np.count_nonzero(s[~y] >= curve.thresholds[i])
    assert (np.abs(cuts(table) - table.values) <= 2.0 ** (12 - bits) * np.abs(table.values)).all()


@given(st.integers(0, 100), st.integers(1, 20), st.sampled_from([1, 2, 6]))
def test_bins_of_equal_expectation_part_no_score_and_keep_every_case(seed, bins, digits):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.2, 8, 400), digits)
    own = rng.random(400) < p
    curve = quantile_reliability_curve(tabulate(p, own), "ill", bins=bins)
    assert curve.size.sum() == 400
    assert curve.x @ curve.size == pytest.approx(p.sum(), rel=1e-12, abs=1e-12)
    assert curve.y @ curve.size == pytest.approx(own.sum())
    assert np.all(np.diff(curve.thresholds) > 0)
    edges = np.concatenate(([-1], curve.thresholds))
    place = np.searchsorted(edges, p) - 1
    np.testing.assert_allclose(np.bincount(place, minlength=curve.x.size), curve.size)
    np.testing.assert_allclose(np.bincount(place, p, curve.x.size) / curve.size, curve.x, atol=1e-12)
    expected, most = np.bincount(place, p, curve.x.size), max((p[p == v].sum() for v in np.unique(p)), default=0)
    assert expected.max() <= p.sum() / bins + most + 1e-9
