"""A test set of the planned size brings the verdict on F1 as often as was asked for, when what the pilots show is so."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge.estimates.differences
from adjudge import Predictions, compare, sample_size

ASKED, REACHED = 0.80, 0.74
WORLDS = {
    # share of positives; of negatives and of positives the shares that both, only a, only b and neither get right
    "balanced": (0.5, [0.80, 0.10, 0.05, 0.05], [0.70, 0.15, 0.05, 0.10]),
    "rare": (0.1, [0.90, 0.06, 0.02, 0.02], [0.60, 0.15, 0.05, 0.20]),
    "precise": (0.3, [0.85, 0.12, 0.01, 0.02], [0.70, 0.08, 0.08, 0.14]),
}


def f1_of(share, negatives, positives, which):
    """Return the F1 of classifier `which`, 1 or 2, in a world that goes on for ever."""
    fp, tp = (1 - share) * (1 - negatives[0] - negatives[which]), share * (positives[0] + positives[which])
    return 2 * tp / (tp + share + fp)


def drawn(world, n, rng, first=0):
    """Return what both classifiers say of `n` new cases, numbered from `first` on."""
    share, negatives, positives = world
    truth = (rng.random(n) < share).astype(int)
    outcome = np.where(truth, rng.choice(4, n, p=positives), rng.choice(4, n, p=negatives))
    right = [(outcome == 0) | (outcome == which) for which in (1, 2)]
    return [Predictions(truth, np.where(each, truth, 1 - truth), row=np.arange(first, first + n), positive=1) for each in right]


@pytest.fixture
def _fewer_draws(monkeypatch):
    for module in (adjudge.estimates.differences, adjudge.estimates.differences):
        monkeypatch.setattr(module, "DRAWS", 2_000)


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
@pytest.mark.parametrize("name", WORLDS)
def test_a_plan_from_large_pilots_reaches_its_assurance(name):
    """Of 150 test sets; where a plan brings the verdict in 65% only, one run of a hundred lets it pass."""
    assert reached(WORLDS[name], pilot=20_000, plans=1, times=150, seed=41) >= REACHED


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
def test_plans_from_small_pilots_reach_their_assurance_on_average():
    assert reached(WORLDS["balanced"], pilot=300, plans=75, times=2, seed=42) >= REACHED


@pytest.mark.slow
def test_a_larger_pilot_plans_no_larger_test_set():
    rng, world = np.random.default_rng(43), WORLDS["balanced"]
    difference = f1_of(*world, 1) - f1_of(*world, 2)
    small, large = (
        sample_size(*drawn(world, n, rng), difference=difference, measure="f1", assurance=ASKED).cases for n in (300, 20_000)
    )
    assert large < 2 * small


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f1", "mcc"])
@pytest.mark.parametrize("paired", [True, False])
def test_a_sure_difference_is_known_as_exactly_as_its_cases_allow(name, paired):
    """The spread of a difference falls with the root of the cases, however many standard errors it is from 0."""
    rng, spreads = np.random.default_rng(44), []
    for n in (2_000, 50_000):
        found = compare(*drawn(WORLDS["balanced"], n, rng), measure=name, paired=True) if paired else unpaired(n, rng, name)
        spreads.append((found.interval.high - found.interval.low) * np.sqrt(n))
    assert spreads[1] == pytest.approx(spreads[0], rel=0.12)


def unpaired(n, rng, name):
    """Return the comparison of two classifiers on cases of their own."""
    one, other = drawn(WORLDS["balanced"], n, rng)[0], drawn(WORLDS["balanced"], n, rng, first=n)[1]
    return compare(one, other, measure=name, paired=False)


def reached(world, *, pilot, plans, times, seed):
    """Return how often the verdict comes, over `times` test sets of the size of each of the plans."""
    rng, found = np.random.default_rng(seed), []
    difference = f1_of(*world, 1) - f1_of(*world, 2)
    for _ in range(plans):
        n = sample_size(*drawn(world, pilot, rng), difference=difference, measure="f1", assurance=ASKED).cases
        found += [compare(*drawn(world, n, rng), measure="f1").verdict == "better" for _ in range(times)]
    return np.mean(found)
