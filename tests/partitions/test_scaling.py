"""Scaled memberships: the distributions that every scaling obeys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.partitions.made import cases, simulated

from adjudge import partition
from adjudge.partitions.matching import MANY


@pytest.mark.slow
@given(cases())
def test_scaled_rows_lie_in_the_simplex(case):
    m, truth, depth = case
    found = partition(truth, m, depth=depth)
    assert np.all((found.scaled >= 0) & (found.scaled <= 1 + 1e-12))
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12
    least = 1 - np.sqrt(2 * m.shape[1] / (m.shape[1] - 1))
    assert all(least - 1e-12 <= value <= 1 + 1e-12 for value in (found.scaled_accuracy, found.ability_to_separate))
    assert -1e-12 <= found.non_resemblance <= 1 + 1e-12


@pytest.mark.slow
@given(cases())
def test_order_inside_a_region_is_kept_and_others_keep_their_ratios(case):
    m, truth, _ = case
    found = partition(truth, m)
    for code in np.unique(found.predicted):
        rows = np.flatnonzero(found.predicted == code)
        rows = rows[np.argsort(m[rows, code])]
        assert np.diff(found.scaled[rows, code]).min(initial=0) >= -1e-12
        for row in rows:
            others = np.delete(m[row], code)
            if others.sum():
                wanted = others / others.sum() * (1 - found.scaled[row, code])
                assert np.delete(found.scaled[row], code) == pytest.approx(wanted, abs=1e-12)
            else:
                assert np.ptp(np.delete(found.scaled[row], code)) < 1e-15


@pytest.mark.slow
@given(cases())
def test_mean_scaled_assignment_values_follow_the_frequencies(case):
    m, truth, _ = case
    found = partition(truth, m)
    for region in found.regions:
        code = region.order[0]
        values = found.scaled[found.predicted == code, code]
        if np.isnan(region.scaled_alpha):  # a point
            assert values == pytest.approx(region.correct, abs=1e-12)


def test_the_mean_is_nearly_the_frequency_where_a_beta_fits():
    rng = np.random.default_rng(5)
    v = 0.5 + 0.5 * rng.beta(4, 4, 4000)
    m, truth = np.column_stack([v, 1 - v]), (rng.random(4000) > 0.8).astype(int)
    found = partition(truth, m)
    assert found.scaled[:, 0].mean() == pytest.approx(found.correctness[0], abs=0.01)


def test_moments_of_as_many_cases_as_classes_always_fit_a_beta():
    for g in (2, 3, 4):
        m = np.full((g, g), 1 / g)  # the widest spread that assignment values can have
        m[0] = np.eye(g)[0]
        region = partition([0] + [1] * (g - 1), m).regions[0]
        assert region.n == g
        assert region.alpha > 0


def test_fewer_cases_take_the_variance_that_fits():
    m = [[1.0, 0.0, 0.0, 0.0], [0.26, 0.25, 0.25, 0.24]]
    region = partition([0, 1], m).regions[0]
    mean, spread = 0.63, 0.37**2
    assert mean * (1 - mean) / (2 * spread) - 1 < 0
    assert region.alpha + region.beta == pytest.approx(mean * (1 - mean) / spread - 1)


def test_ties_in_the_order_of_columns_or_drawn():
    m, truth = np.full((400, 2), 0.5), np.tile([0, 1], 200)
    assert partition(truth, m).predicted.max() == 0
    drawn = partition(truth, m, ties="random", rng=3)
    assert 150 < drawn.predicted.sum() < 250
    assert np.array_equal(drawn.predicted, partition(truth, m, ties="random", rng=3).predicted)
    assert "A904" in {finding.code for finding in drawn.findings}


@pytest.mark.slow
def test_large_regions_go_through_tables_and_come_out_the_same(monkeypatch):
    m, truth = simulated(6 * MANY)
    looked_up = partition(truth, m, depth=2).scaled
    monkeypatch.setattr("adjudge.partitions.matching.MANY", len(m) + 1)
    assert np.abs(looked_up - partition(truth, m, depth=2).scaled).max() < 1e-12
