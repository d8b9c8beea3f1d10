"""The regions of a partition, and findings about them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.partitions.made import cases, simulated

from adjudge import Predictions, partition


@pytest.mark.slow
@given(cases())
def test_regions_add_up_and_small_ones_share_a_fit(case):
    m, truth, depth = case
    found = partition(truth, m, depth=depth)
    assert sum(region.n for region in found.regions) == len(m)
    assert sum(region.n * region.correct for region in found.regions) == pytest.approx(len(m) * found.correct)
    for region in found.regions:
        assert region.frequencies.sum() == pytest.approx(1)
        assert region.fallback == (region.parent is not None) == (depth > 1 and region.n < m.shape[1])
        if region.parent is not None:
            assert region.parent == region.order[: len(region.parent)]
            assert "fitted with all cases" in region.note
    told = {finding.code for finding in found.findings}
    assert ("A901" in told) == any(region.parent is not None for region in found.regions)
    assert ("A902" in told) == bool(np.isnan(found.correctness).any())


def test_new_orders_fall_back_and_say_so():
    m, truth = simulated(200)
    kept = ~((m.argmax(axis=1) == 0) & (m.argmin(axis=1) == 1))  # no order 0 > 2
    space = partition(truth[kept], m[kept], depth=2)
    found = space.apply(m[~kept])
    told = [finding for finding in found.findings if finding.code == "A903"]
    assert [finding.value for finding in told] == [int((~kept).sum())]
    assert all(region.parent == (0,) for region in found.regions)
    first = partition(truth[kept], m[kept]).apply(m[~kept])
    assert np.abs(found.scaled - first.scaled).max() < 1e-12


def test_cases_of_a_class_never_assigned_keep_their_memberships():
    space = partition([0, 1, 1], [[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]])
    found = space.apply([[0.1, 0.2, 0.7], [0.65, 0.25, 0.1]])
    assert found.scaled[0].tolist() == [0.1, 0.2, 0.7]
    assert [finding.code for finding in found.findings if finding.code == "A903"] == ["A903"]
    assert found.regions[1].parent == ()
    assert np.isnan(space.correctness[2])


def test_decisions_that_are_not_the_highest_probability_are_told():
    said = Predictions(["a", "b", "a"], ["a", "a", "a"], scores={"a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]})
    assert ("A905", 1) in [(finding.code, finding.value) for finding in partition(said).findings]
