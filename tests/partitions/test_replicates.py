"""Limits of measures: every replicate against a partition fitted anew, the same answer for the same seed, and coverage."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.described import refused
from tests.partitions.made import simulated

from adjudge import InputError, partition, partition_difference
from adjudge.partitions import replicates as drawing
from adjudge.partitions.goodness import MEASURES
from adjudge.partitions.replicates import WHOLE, deviations, limits


def of(space):
    return [getattr(space, name) for name in MEASURES]


def test_a_space_fitted_to_others_keeps_its_scaling():
    m, truth = simulated(200)
    space = partition(truth, m).apply(*simulated(150, seed=5))
    cases = np.random.default_rng(1).integers(0, 150, 150)
    found = drawing._measures(space.evidence())(np.bincount(cases, minlength=150)[None].astype(float))[0]
    again = partition(truth, m).apply(space.memberships[cases], space.truth[cases])
    assert found == pytest.approx(of(again), abs=1e-12)


@pytest.fixture(scope="module")
def space():
    return partition(*simulated(60)[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_the_value_lies_between_its_limits(space, measure):
    found = space.interval(measure, rng=1, resamples=100)
    assert found.low < found.value < found.high
    assert found.value == getattr(space, measure)
    assert found == space.interval(measure, rng=1, resamples=100)
    assert found != space.interval(measure, rng=2, resamples=100)
    assert measure.replace("_", " ").capitalize() in found.in_words()
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_limits_of_a_share_are_those_of_the_binomial():
    space = partition(*simulated(900)[::-1])
    found = space.interval("correct", rng=1, resamples=500)
    error = np.sqrt(space.correct * (1 - space.correct) / 900)
    assert (found.high - found.low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_last_bits_of_memberships_do_not_draw_other_cases(seed):
    """Processors differ in the last bits of probabilities; limits follow them, and do not jump."""
    m, truth = simulated(60, seed=seed)
    noise = 1 + np.random.default_rng(seed).uniform(-1e-14, 1e-14, m.shape)
    one, other = (partition(truth, each).interval("scaled_accuracy", rng=7, resamples=200) for each in (m, m * noise))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_very_many_cases_are_drawn_from_subsets():
    m, truth = simulated(WHOLE + 10_000)
    found = partition(truth, m).interval("correct", rng=1, resamples=400)
    error = np.sqrt(found.value * (1 - found.value) / len(m))
    assert found.method == "bag of little bootstraps"
    assert (found.high - found.low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.15)


def test_refusals():
    m, truth = simulated(30)
    space = partition(truth, m)
    with pytest.raises(InputError, match="need the true classes"):
        space.apply(m).interval()
    with refused("measure", "scaled_accuracy"):
        space.interval("f1")
    with refused("level", "level must be"):
        space.interval(level=95)
    with refused("resamples", "at least 100"):
        space.interval(resamples=5)
    with pytest.raises(InputError, match="not of the same cases"):
        partition_difference(space, partition(truth[::-1], m))
    with pytest.raises(InputError, match="same classes"):
        partition_difference(space, partition(np.array(["a", "b", "c"])[truth], m, classes=["a", "b", "c"]))
    with pytest.raises(InputError, match="must be partitions"):
        partition_difference(space, m)


@pytest.mark.slow
def test_no_errors_among_few_cases_do_not_mean_none_ever():
    m, truth = np.eye(2)[[0, 1] * 10] * 0.8 + 0.1, np.array([0, 1] * 10)
    for space in (partition(truth, m), partition(truth[:1], m[:1]), partition(truth, m).apply(m, truth)):
        for measure in ("scaled_accuracy", "ability_to_separate", "correct"):
            found = space.interval(measure, rng=1, resamples=400)
            assert found.low < 0.95 or (measure == "ability_to_separate" and not space.refit)
            assert found.value == getattr(space, measure) <= found.high <= 1
    share = partition(truth, m).interval("correct", rng=1, resamples=4000)
    assert share.low == pytest.approx(stats.beta.ppf(0.025, 20, 0.5), abs=0.02)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 1000), st.integers(2, 4), st.integers(1, 30), st.sampled_from([0.0, 1.0, 5.0]))
def test_limits_lie_where_measures_can(seed, g, n, shift):
    space = partition(*simulated(n, g=g, seed=seed, shift=shift)[::-1])
    off, _ = deviations([space.evidence()], [of(space)], 100, np.random.default_rng(seed))
    farthest = 1 - np.sqrt(2) / np.sqrt((g - 1) / g)
    for place, lowest in enumerate([farthest, farthest, 1 / g, 0, 0]):
        low, high = limits(of(space)[place], off[0, :, place], 0.99)
        assert lowest - 1e-12 <= low <= of(space)[place] <= high <= 1 + 1e-12


SETTINGS = [(3, 60, 3.5), (2, 40, 2.5), (4, 40, 1.0)]


def drawn(truth, g, shift, rng):
    z = rng.normal(size=(len(truth), g))
    z[np.arange(len(truth)), truth] += shift
    p = np.exp(shift * (z - z.max(axis=1, keepdims=True)))
    return partition(truth, p / p.sum(axis=1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize(("g", "n", "shift"), SETTINGS)
def test_limits_hold_what_very_many_cases_would_show(g, n, shift):
    """95% limits of poor and of nearly perfect rules against the value at 200,000 cases, and of the difference of two alike.

    Of 80 tries, 90% and 10% have a standard error of 3.4%.
    """
    rng, tries = np.random.default_rng(7), 80
    wanted = of(drawn(rng.integers(0, g, 200_000), g, shift, rng))[:2]
    held, alarms = np.zeros(2), np.zeros(2)
    for _ in range(tries):
        truth = rng.integers(0, g, n)
        pair = [drawn(truth, g, shift, rng) for _ in range(2)]
        values = [of(space) for space in pair]
        off, _ = deviations([space.evidence() for space in pair], values, 200, rng)
        for place in (0, 1):
            low, high = limits(values[0][place], off[0, :, place], 0.95)
            held[place] += low <= wanted[place] <= high
            low, high = limits(values[0][place] - values[1][place], off[0, :, place] - off[1, :, place], 0.95)
            alarms[place] += low > 0 or high < 0
    assert (held / tries).min() >= 0.88, held / tries
    assert (alarms / tries).max() <= 0.10, alarms / tries


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from([1, 2]), st.sampled_from(["paper", "klar"]), st.sampled_from([60, 400]))
def test_a_replicate_is_the_partition_of_the_cases_drawn(seed, depth, convention, n):
    m, truth = simulated(n, seed=seed)
    depth = 1 if convention == "klar" else depth
    space = partition(truth, m, depth=depth, convention=convention)
    cases = np.random.default_rng(seed).integers(0, n, n)
    weights = np.bincount(cases, minlength=n)[None].astype(float)
    found = drawing._measures(space.evidence())(weights)[0]
    again = partition(truth[cases], m[cases], depth=depth, convention=convention)
    if again.regions and {r.order: r.parent for r in again.regions} == {r.order: r.parent for r in space.regions}:
        assert found == pytest.approx(of(again), abs=1e-9 if n == 60 else 1e-5)


def test_a_level_between_whole_percents_is_told_as_it_is(space):
    assert "97.5% interval" in repr(space.interval(level=0.975, rng=1, resamples=100))
    assert "97.5% interval" in repr(partition_difference(space, space, level=0.975, rng=1, resamples=100))
