"""Differences of two partitions of the same cases."""

from __future__ import annotations

import pytest
from tests.partitions.made import simulated

from adjudge import partition, partition_difference


def test_the_difference_of_a_space_and_itself_is_nothing():
    space = partition(*simulated(80))
    found = partition_difference(space, space, rng=1, resamples=200)
    assert (found.value, found.low, found.high, found.higher) == (0, 0, 0, 0.5)
    assert "may be chance" in found.in_words()


@pytest.mark.slow
def test_a_blurred_rule_is_worse_and_the_pairing_helps():
    m, truth = simulated(300, seed=4)
    blurred, _ = simulated(300, seed=4, noise=1.5)
    a, b = partition(blurred, truth), partition(m, truth)
    found = partition_difference(b, a, rng=1, resamples=400)
    assert found.value == b.accuracy - a.accuracy
    assert found.low < found.value < found.high
    assert found.higher > 0.9
    apart = sum((i.high - i.low) ** 2 for i in (a.interval(rng=1, resamples=400), b.interval(rng=1, resamples=400))) ** 0.5
    assert found.high - found.low < apart
    back = partition_difference(a, b, rng=1, resamples=400)
    assert (back.low, back.high, back.higher) == pytest.approx((-found.high, -found.low, 1 - found.higher))
