"""Distributions that every partition obeys, what it says of thin evidence, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory import peak_of
from tests.partitions.made import cases, simulated

import adjudge
from adjudge import InputError, PartitionSpace, Predictions, partition, partition_difference
from adjudge.partitions.goodness import goodness


@pytest.mark.slow
@given(cases(), st.randoms(use_true_random=False))
def test_other_orders_of_classes_and_cases_change_nothing(case, chance):
    m, truth, depth = case
    columns, rows = list(range(m.shape[1])), list(range(len(m)))
    chance.shuffle(columns)
    chance.shuffle(rows)
    if any(len(set(row)) < len(row) for row in m.tolist()):
        columns.sort()  # ties go to the class listed first
    place = np.argsort(columns)
    found, other = partition(truth, m, depth=depth), partition(place[truth[rows]], m[np.ix_(rows, columns)], depth=depth)
    assert np.abs(other.scaled - found.scaled[np.ix_(rows, columns)]).max() < 1e-9
    assert other.scaled_accuracy == pytest.approx(found.scaled_accuracy, abs=1e-9)
    assert other.ability_to_separate == pytest.approx(found.ability_to_separate, abs=1e-9)


def test_every_case_twice_changes_what_rests_on_their_number_only():
    m, truth = simulated(4000)
    once, twice = partition(truth, m), partition(np.repeat(truth, 2), np.repeat(m, 2, axis=0))
    assert twice.correct == once.correct
    assert np.array_equal(twice.correctness, once.correctness)
    assert np.abs(twice.scaled[::2] - once.scaled).max() < 2e-3


def test_corners_centroid_and_the_worst():
    for g in (2, 3, 5):
        corners, truth = np.eye(g), np.arange(g)
        assert goodness(corners, truth, truth).scaled_accuracy == 1
        assert goodness(np.full((g, g), 1 / g), truth, truth).scaled_accuracy == pytest.approx(0, abs=1e-15)
        assert goodness(np.full((g, g), 1 / g), truth, truth).non_resemblance == pytest.approx(0, abs=1e-15)
        wrong = goodness(corners, (truth + 1) % g, truth)
        assert wrong.scaled_accuracy == pytest.approx(1 - np.sqrt(2 * g / (g - 1)), abs=1e-15)
        assert (wrong.ability_to_separate, wrong.confidence, wrong.non_resemblance) == (1, 1, 1)


@pytest.mark.slow
@given(cases())
def test_separation_and_correctness_go_by_the_original_assignment(case):
    m, truth, depth = case
    found = partition(truth, m, depth=depth)
    assert np.array_equal(found.predicted, m.argmax(axis=1))
    own = found.scaled - np.eye(m.shape[1])[found.predicted]
    g = m.shape[1]
    assert found.ability_to_separate == pytest.approx(1 - np.sqrt((own**2).sum(axis=1)).mean() / np.sqrt((g - 1) / g), abs=1e-12)
    assert found.correct == (truth == m.argmax(axis=1)).mean()


@pytest.mark.slow
@given(cases())
def test_a_space_scales_its_own_cases_again_the_same(case):
    m, truth, depth = case
    space = partition(truth, m, depth=depth)
    again = space.apply(m, truth)
    assert np.array_equal(again.scaled, space.scaled)
    assert (again.scaled_accuracy, again.ability_to_separate) == (space.scaled_accuracy, space.ability_to_separate)
    alone = space.apply(m)
    assert np.array_equal(alone.scaled, space.scaled)
    assert alone.truth is None
    assert np.isnan(alone.scaled_accuracy)
    assert np.isnan(alone.correctness).all()
    assert alone.ability_to_separate == space.ability_to_separate


def test_ranks_leave_points():
    found = partition([0, 0, 1, 1], adjudge.memberships([[3, 2, 1], [5, 1, 0], [9, 1, 4], [0, 4, 1]], ordinal=True))
    assert found.scaled[:3, 0] == pytest.approx(2 / 3)
    assert "A906" in {finding.code for finding in found.findings}


def test_predictions_bring_their_own_truth(tmp_path):
    m, truth = simulated(80)
    frame = pd.DataFrame(m, columns=["p_a", "p_b", "p_c"])
    frame["truth"] = np.array(["a", "b", "c"])[truth]
    frame.to_csv(tmp_path / "x.csv", index=False)
    found, wanted = partition(adjudge.read(tmp_path / "x.csv")), partition(truth, m)
    assert found.classes == ("a", "b", "c")
    assert np.abs(found.scaled - wanted.scaled).max() < 1e-12
    single = Predictions([0, 1, 1, 0, 1], scores=[0.1, 0.8, 0.4, 0.3, 0.9], positive=1)
    two = partition(single)
    assert two.memberships[two.truth == two.classes.index(1), two.classes.index(1)].tolist() == pytest.approx([0.8, 0.4, 0.9])
    with pytest.raises(InputError, match="hold their own truth"):
        partition([0, 1, 1, 0, 1], single)
    with pytest.raises(InputError, match="needs probabilities"):
        partition(Predictions([0, 1], [1, 1]))


def test_new_predictions_are_matched_by_the_names_of_classes():
    m, truth = simulated(80)
    space = partition(np.array(["a", "b", "c"])[truth], m, classes=["a", "b", "c"])
    new, labels = simulated(30, seed=8)
    given_as = Predictions(np.array(["a", "b", "c"])[labels], scores={"c": new[:, 2], "a": new[:, 0], "b": new[:, 1]})
    found = space.apply(given_as)
    assert np.abs(found.scaled - space.apply(new).scaled).max() < 1e-12
    assert np.array_equal(found.truth, labels)
    two = Predictions(["a", "b"], scores={"a": [0.6, 0.1], "b": [0.4, 0.9]})
    with pytest.raises(InputError, match="Give a column for each"):
        space.apply(two)


def test_many_classes_and_deep_orders():
    m, truth = simulated(300, g=40)
    found = partition(truth, m, depth=39)
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12
    assert all(region.parent is not None for region in found.regions if region.n < 40)


def test_precision_and_separability_where_the_truth_is_known():
    m, truth = simulated(300)
    space = partition(truth, m)
    assert space.precision(m) == 1
    assert space.separability(m) == pytest.approx(goodness(m, truth, m.argmax(axis=1)).ability_to_separate)
    assert space.precision(np.full((300, 3), 1 / 3)) < 1
    assert space.separability(np.full((300, 3), 1 / 3)) == pytest.approx(0, abs=1e-15)
    with pytest.raises(InputError, match="a row for each case"):
        space.precision(m[:5])


_LARGE = """
import sys
import numpy as np
from adjudge import partition
rng = np.random.default_rng(1)
n = int(sys.argv[1])
p = rng.random((n, 4))
p /= p.sum(axis=1, keepdims=True)
truth = rng.integers(0, 4, n)
partition(truth, p)
"""


@pytest.mark.slow
def test_memory_is_a_few_times_the_matrix():
    matrix = 1_000_000 * 4 * 8 / 2**20
    _, small = peak_of(_LARGE, 10_000)
    _, large = peak_of(_LARGE, 1_000_000)
    assert large - small < 8 * matrix  # two of them the script's own, two the result's


def test_results_are_read_only_and_plain():
    m, truth = simulated(50)
    m_before = m.copy()
    found = partition(truth, m)
    for array in (found.memberships, found.truth, found.predicted, found.scaled, found.orders, found.correctness):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    m[0] = 0.5
    assert np.array_equal(found.memberships, m_before)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["scaled_accuracy"] == found.scaled_accuracy
    assert [region["n"] for region in told["regions"]] == [region.n for region in found.regions]
    assert isinstance(found, PartitionSpace)
    assert "scaled accuracy" in repr(found)


def test_klar_has_depth_one_only():
    with pytest.raises(InputError, match="depth 1 only"):
        partition(*simulated(30)[::-1], depth=2, convention="klar")


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_sharp_rules_give_numbers(seed):
    m, truth = simulated(60, seed=seed, sharp=25)
    found = partition(truth, m, depth=2)
    assert np.isfinite(found.scaled).all()
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12


@pytest.mark.slow
def test_the_difference_of_a_space_and_itself_is_nothing():
    space = partition(*simulated(80)[::-1])
    found = partition_difference(space, space, rng=1, resamples=200)
    assert (found.value, found.low, found.high, found.higher) == (0, 0, 0, 0.5)
    assert "may be chance" in found.in_words()


@pytest.mark.slow
def test_a_blurred_rule_is_worse_and_the_pairing_helps():
    m, truth = simulated(300, seed=4)
    blurred, _ = simulated(300, seed=4, noise=1.5)
    a, b = partition(truth, blurred), partition(truth, m)
    found = partition_difference(b, a, rng=1, resamples=400)
    assert found.value == b.scaled_accuracy - a.scaled_accuracy
    assert found.low < found.value < found.high
    assert found.higher > 0.9
    apart = sum((i.high - i.low) ** 2 for i in (a.interval(rng=1, resamples=400), b.interval(rng=1, resamples=400))) ** 0.5
    assert found.high - found.low < apart
    back = partition_difference(a, b, rng=1, resamples=400)
    assert (back.low, back.high, back.higher) == pytest.approx((-found.high, -found.low, 1 - found.higher))
