"""DeLong against pROC and fractions; limits of the AUC that stay in range, keep a width, and cover."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats import auc_intervals
from adjudge.stats.auc_intervals import (
    delong,
    delong_interval,
    delong_pair,
    hull,
    least_variance,
    logit_delong_interval,
    newcombe_interval,
)
from adjudge.stats.ranking import auc as exact_auc

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text())
PROC = json.loads((ORACLES / "proc_delong.json").read_text())["sets"]
LIMITS = (delong_interval, logit_delong_interval, hull)

few = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 0.1, 0.5, 1.0, math.inf])
rows = st.lists(st.tuples(few | st.floats(-2, 2), st.booleans()), max_size=30)
pairs_of_rows = st.lists(st.tuples(few, st.floats(-2, 2) | few, st.booleans()), max_size=25)
levels = st.sampled_from([0.5, 0.8, 0.95, 0.999])


def oracles(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def columns(found):
    values = list(zip(*found, strict=True)) if found else [(), ()]
    return *(np.array(each, dtype=np.float64) for each in values[:-1]), np.array(values[-1], dtype=bool)


def placements(scores, positive):
    """Return the placements of both classes by comparing every pair, in fractions."""
    ours, theirs = scores[positive].tolist(), scores[~positive].tolist()
    wins = [[Fraction((x > y) + (x >= y), 2) for y in theirs] for x in ours]
    return [sum(row) / len(theirs) for row in wins], [sum(column) / len(ours) for column in zip(*wins, strict=True)]


def covariance(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)) / (len(a) - 1) / len(a)


@pytest.mark.parametrize("case", oracles("auc_delong"))
def test_delong_agrees_with_the_oracle(case):
    scores, positive = np.array(case["inputs"]["scores"]), np.array(case["inputs"]["y"]) == 1
    area, variance = delong(scores, positive)
    assert area == pytest.approx(float(case["expected"]["auc"]), rel=1e-12)
    assert variance == pytest.approx(float(case["expected"]["var"]), rel=1e-12, abs=1e-13)
    if variance > 0:
        low, high = (float(end) for end in case["expected"]["ci95"])
        m = int(positive.sum())
        assert delong_interval(area, variance, m, positive.size - m) == pytest.approx((max(low, 0), min(high, 1)), rel=1e-12)


@pytest.mark.parametrize("case", oracles("delong_paired"))
def test_paired_delong_agrees_with_the_oracle(case):
    found = delong_pair(
        np.array(case["inputs"]["scores_a"]), np.array(case["inputs"]["scores_b"]), np.array(case["inputs"]["y"]) == 1
    )
    names = ("auc_a", "auc_b", "var_a", "var_b", "cov")
    assert found == pytest.approx([float(case["expected"][name]) for name in names], rel=1e-11, abs=1e-13)


@pytest.mark.parametrize(("name", "column"), [(name, column) for name in PROC for column in PROC[name]["scores"]])
def test_delong_agrees_with_proc(name, column):
    known = PROC[name]
    expected, positive = known["single"][column], np.array(known["y"]) == 1
    area, variance = delong(np.array(known["scores"][column], dtype=float), positive)
    assert area == pytest.approx(expected["auc"], rel=1e-12)
    assert variance == pytest.approx(expected["var_delong"], rel=1e-11, abs=1e-15)
    if variance > 0:
        for level, key in ((0.95, "ci95"), (0.9, "ci90")):
            low, _, high = expected[key]
            assert delong_interval(area, variance, known["n1"], known["n0"], level) == pytest.approx((low, high), rel=1e-11)


@pytest.mark.parametrize(("name", "pair"), [(name, pair) for name in PROC for pair in PROC[name]["paired"]])
def test_paired_delong_agrees_with_proc(name, pair):
    known = PROC[name]
    a, b = (np.array(known["scores"][column], dtype=float) for column in pair.split("~"))
    auc_a, auc_b, var_a, var_b, covariance = delong_pair(a, b, np.array(known["y"]) == 1)
    expected = known["paired"][pair]
    assert covariance == pytest.approx(expected["cov_delong"], rel=1e-10, abs=1e-15)
    spread = var_a + var_b - 2 * covariance
    if expected["Z"] is not None and spread > 0:
        assert (auc_a - auc_b) / math.sqrt(spread) == pytest.approx(expected["Z"], rel=1e-9)


@given(rows)
def test_delong_agrees_with_all_pairs_in_fractions(found):
    scores, positive = columns(found)
    area, variance = delong(scores, positive)
    m, n = int(positive.sum()), int((~positive).sum())
    if not (m and n):
        assert isinstance(area, Undefined)
        assert math.isnan(variance)
        return
    ours, theirs = placements(scores, positive)
    assert area == float(sum(ours) / m) == exact_auc(scores, positive)
    if min(m, n) == 1:
        assert math.isnan(variance)
    else:
        assert variance == pytest.approx(float(covariance(ours, ours) + covariance(theirs, theirs)), rel=1e-10, abs=1e-15)


@pytest.mark.slow
@given(pairs_of_rows)
def test_paired_delong_agrees_with_all_pairs_in_fractions(found):
    a, b, positive = columns(found) if found else (np.empty(0), np.empty(0), np.empty(0, dtype=bool))
    auc_a, auc_b, var_a, var_b, joint = delong_pair(a, b, positive)
    m, n = int(positive.sum()), int((~positive).sum())
    if min(m, n) < 2:
        assert math.isnan(joint)
        return
    (ours_a, theirs_a), (ours_b, theirs_b) = placements(a, positive), placements(b, positive)
    assert joint == pytest.approx(float(covariance(ours_a, ours_b) + covariance(theirs_a, theirs_b)), rel=1e-9, abs=1e-14)
    assert (auc_a, var_a) == pytest.approx(delong(a, positive), rel=1e-9, abs=1e-14)
    assert (auc_b, var_b) == pytest.approx(delong(b, positive), rel=1e-9, abs=1e-14)


@pytest.mark.slow
@given(pairs_of_rows, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(found, random):
    shuffled = found.copy()
    random.shuffle(shuffled)
    if not found:
        return
    (a, b, positive), (other_a, other_b, other) = columns(found), columns(shuffled)
    assert delong(a, positive) == pytest.approx(delong(other_a, other), rel=1e-12, nan_ok=True)
    assert delong_pair(a, b, positive) == pytest.approx(delong_pair(other_a, other_b, other), rel=1e-9, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("share", [0.02, 0.7])
def test_many_scores_in_two_halves_agree_with_one(monkeypatch, ties, share):
    rng = np.random.default_rng(3)
    positive = rng.random(200_000) < share
    scores = rng.standard_normal(200_000) + positive
    scores = np.round(scores, 1) if ties else scores
    halves = delong(scores, positive)
    monkeypatch.setattr(auc_intervals, "_MANY", 1 << 60)
    assert halves == pytest.approx(delong(scores, positive), rel=1e-13)
    assert halves[0] == exact_auc(scores, positive)


def test_all_tied_in_two_halves():
    positive = np.arange(200_000) % 2 == 0
    assert delong(np.zeros(200_000), positive) == (0.5, 0.0)


@pytest.mark.slow
def test_a_million_normal_scores_against_theory():
    rng = np.random.default_rng(0)
    positive = rng.random(1_000_000) < 0.3
    scores = rng.standard_normal(1_000_000) + positive
    area, variance = delong(scores, positive)
    assert area == pytest.approx(float(ndtr(1 / np.sqrt(2))), abs=0.002)
    assert 0 < variance < 1e-6


def test_scores_that_are_missing_are_refused():
    with pytest.raises(InputError, match="NaN"):
        delong(np.array([0.1, np.nan]), np.array([True, False]))


@pytest.mark.slow
@pytest.mark.parametrize("method", LIMITS)
@given(rows, levels)
def test_limits_are_ordered_shares_with_a_width_around_the_area(method, found, level):
    scores, positive = columns(found)
    m, n = int(positive.sum()), int((~positive).sum())
    assume(m and n)
    area, variance = delong(scores, positive)
    low, high = method(area, variance, m, n, level)
    assert 0 <= low <= area <= high <= 1
    assert low < high
    inner = method(area, variance, m, n, level / 2)
    assert low <= inner[0] <= inner[1] <= high
    mirrored = method(1 - area, variance, m, n, level)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-9)


@given(st.floats(0, 1), st.integers(1, 10**6), st.integers(1, 10**6), levels)
def test_newcombe_limits_solve_their_equation(area, m, n, level):
    low, high = newcombe_interval(area, m, n, level)
    assert 0 <= low <= area <= high <= 1
    assert low < high
    z2 = float(ndtri((1 + level) / 2)) ** 2

    def variance(t):
        # Hanley and McNeil (1982) with Q1 = t / (2 - t), Q2 = 2 t^2 / (1 + t) and (m + n) / 2 for either class.
        extra = (m + n) / 2 - 1
        return (t * (1 - t) + extra * (t / (2 - t) - t * t) + extra * (2 * t * t / (1 + t) - t * t)) / (m * n)

    if 0.01 < area < 0.99:
        for end in (low, high):
            assert (area - end) ** 2 == pytest.approx(z2 * variance(end), rel=1e-6)
    mirrored = newcombe_interval(1 - area, n, m, level)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)


@pytest.mark.parametrize("m", [1, 2, 10, 10**9])
def test_a_perfect_ranking_is_not_certain(m):
    low, high = newcombe_interval(1.0, m, m)
    assert low < 1.0 == high
    for method in LIMITS if m < 10**8 else (hull,):  # DeLong's 1 - 1e-18 is 1 in float64
        assert method(1.0, 0.0 if m > 1 else math.nan, m, m)[0] < 1.0


def test_one_case_in_a_class_says_next_to_nothing():
    low, high = hull(1.0, math.nan, 1, 20)
    assert low < 0.025  # a case that wins with chance .025 against all is all one can exclude
    assert high == 1.0


def test_tied_scores_are_wide_and_never_of_width_0():
    # DeLong's variance is 0, which must not be shown.
    assert least_variance(0.5, 0.0, 10, 20) == pytest.approx(0.025, rel=1e-3)
    low, high = hull(0.5, 0.0, 10, 20)
    assert low < 0.3
    assert high > 0.7


def test_a_class_without_a_case_says_nothing():
    assert isinstance(delong_pair(np.ones(2), np.ones(2), np.array([True, True]))[0], Undefined)
