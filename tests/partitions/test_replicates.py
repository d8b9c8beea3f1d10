"""Every replicate against a partition fitted anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.partitions.made import simulated

from adjudge import partition
from adjudge.partitions import replicates as drawing
from adjudge.partitions.goodness import MEASURES


def of(space):
    return [getattr(space, name) for name in MEASURES]


@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from([1, 2]), st.sampled_from(["paper", "klar"]), st.sampled_from([60, 400]))
def test_a_replicate_is_the_partition_of_the_cases_drawn(seed, depth, convention, n):
    m, truth = simulated(n, seed=seed)
    depth = 1 if convention == "klar" else depth
    space = partition(m, truth, depth=depth, convention=convention)
    cases = np.random.default_rng(seed).integers(0, n, n)
    weights = np.bincount(cases, minlength=n)[None].astype(float)
    found = drawing._measures(space.evidence())(weights)[0]
    again = partition(m[cases], truth[cases], depth=depth, convention=convention)
    if again.regions and {r.order: r.fallback for r in again.regions} == {r.order: r.fallback for r in space.regions}:
        assert found == pytest.approx(of(again), abs=1e-9 if n == 60 else 1e-5)
