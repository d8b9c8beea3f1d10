"""The largest rescaled probabilities kept while multipliers move, against those of all classes found anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats import multiplier_leaders, multiplier_search
from adjudge.stats.multiplier_leaders import Leaders
from adjudge.stats.multiplier_rule import winners
from adjudge.stats.multiplier_search import class_breaks


def cases(seed, k, n=60):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    if seed % 2:  # votes, with their ties and zeros
        p = rng.multinomial(7, np.full(k, 1 / k), n) / 7
    return rng, p, rng.integers(k, size=n)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(3, 9))
def test_decisions_are_those_of_all_classes_wherever_multipliers_go(seed, k):
    rng, p, y = cases(seed, k)
    majority, multipliers = int(rng.integers(k)), np.ones(k)
    leaders = Leaders(p, y, majority)
    for _ in range(25):
        moved = rng.integers(k, size=rng.choice([1, 1, 1, 2, k]))
        multipliers = multipliers.copy()
        multipliers[moved] = rng.choice([0.0, 0.5, 1.0, 2.0, rng.exponential(1)])
        at, values = int(rng.integers(k)), p * multipliers
        assert np.array_equal(leaders.wrong(multipliers), winners(values, majority) != y)
        values[:, at] = -1.0
        wrong, top = leaders.without(multipliers, at)
        assert np.array_equal(top, values.max(axis=1))
        assert np.array_equal(wrong, winners(values, majority) != y)


def test_one_move_looks_at_few_cases_in_full(monkeypatch):
    rng, p, y = cases(0, 50, 1_000)
    leaders, multipliers = Leaders(p, y, 0), rng.uniform(0.5, 2, 50)
    leaders.wrong(multipliers)
    looked = []
    found = Leaders._find
    monkeypatch.setattr(multiplier_leaders.Leaders, "_find", lambda self, rows: (looked.append(rows.size), found(self, rows)))
    for at in range(50):
        multipliers[at] *= 0.9
        leaders.wrong(multipliers)
    assert 0 < sum(looked) < 50 * 1_000 / 10


@pytest.mark.parametrize("weigh", [False, True])
def test_a_search_with_leaders_takes_the_same_steps(weigh, monkeypatch):
    rng, p, y = cases(5, 6)
    weight = rng.choice([0.1, 0.5, 1.3], y.size) if weigh else None
    found = []
    for many in (3, 99):
        monkeypatch.setattr(multiplier_search, "_MANY_CLASSES", many)
        monkeypatch.setattr(multiplier_search, "_AT_ONCE", 0)
        search = multiplier_search._Search(p, y, weight, 2, 0.0, np.inf)
        assert (search.leaders is not None) == (many == 3)
        starts = search.anchored(np.random.default_rng(1).exponential(1, (3, 6)))
        found.append((*search.descended(starts), search.nearer_one(starts[0])))
        ours, direct = search._breaks(starts[1], 4), class_breaks(p, y, weight, starts[1], 4, 2)
        assert all(np.array_equal(a, b) for a, b in zip(ours, direct, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))
