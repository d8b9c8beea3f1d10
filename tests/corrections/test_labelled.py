"""What every correction asks of probabilities: the same, and in the same words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import InputError, PriorShift
from adjudge.corrections.labelled import labelled, probabilities

HALF = [0.5, 0.5]
KAPPA = adjudge.fit_multipliers([0, 1, 1], [[0.7, 0.3], [0.4, 0.6], [0.6, 0.4]])
DOORS = {
    "fit_multipliers": lambda p: adjudge.fit_multipliers([0] * len(p), p),
    "error_curve": lambda p: adjudge.error_curve([0] * len(p), p),
    "Multipliers.apply": KAPPA.apply,
    "Multipliers.predict": KAPPA.predict,
    "decide": lambda p: adjudge.decide(p, [[0, 1], [1, 0]]),
    "expected_cost": lambda p: adjudge.expected_cost(p, [[0, 1], [1, 0]]),
    "fit_rejection": lambda p: adjudge.fit_rejection([0] * len(p), p, gamma=1),
    "chow": lambda p: adjudge.chow(p, 2),
    "adjust_priors": lambda p: adjudge.adjust_priors(p, old=HALF, new=HALF),
    "estimate_priors": lambda p: adjudge.estimate_priors(p, old=HALF),
    "PriorShift.apply": PriorShift(HALF, [0.2, 0.8]).apply,
}
FAULTS = {
    "negative": ([[0.5, 0.5], [1.2, -0.2]], "p[1, 1] is -0.2, no probability."),
    "missing": ([[0.5, 0.5], [np.nan, 0.5]], "p[1, 0] is nan, no probability."),
    "percentages": ([[50.0, 50.0]], "p[0] sums to 100, not to 1."),
    "infinite": ([[np.inf, 0.0]], "p[0] sums to inf, not to 1."),
    "short": ([[0.5, 0.5], [0.5, 0.4]], "p[1] sums to 0.9, not to 1."),
    "one column": ([[1.0], [1.0]], "a column per class, at least two; got shape (2, 1)."),
    "none": (np.empty((0, 2)), "got shape (0, 2)."),
    "uneven": ([[0.5, 0.5], [1.0]], "p must hold numbers, one row per case and one column per class; got list of uneven rows."),
    "text": ([["a", "b"]], "p must hold numbers, one row per case and one column per class; got list of <U1."),
    "numerals": ([["0.5", "0.5"]], "p must hold numbers, one row per case and one column per class; got list of <U3."),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_same_fault_is_told_in_the_same_words_at_every_door(door, fault):
    p, words = FAULTS[fault]
    with pytest.raises(InputError) as refused:
        DOORS[door](p)
    assert words in str(refused.value)


def test_a_fault_far_down_is_found_by_its_row():
    p = np.tile(HALF, (200_000, 1))
    p[150_001] = [0.5, 0.3]
    with pytest.raises(InputError, match=r"p\[150001\] sums to 0\.8"):
        probabilities(p, None)


@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([0.0, 1e-12, 1e-7, 5e-3]))
def test_cases_fare_alike_alone_and_among_others(seed, k, off):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), 20) * (1 + off * rng.uniform(-1, 1, (20, 1)) * (rng.random((20, 1)) < 0.5))
    found = probabilities(p, None)
    assert found.sum(axis=1) == pytest.approx(1, abs=1.01e-9)
    assert found.tolist() == [probabilities(row[None], None)[0].tolist() for row in p]
    assert found.argmax(axis=1).tolist() == p.argmax(axis=1).tolist()
    if off <= 1e-12:
        assert found is p  # nothing to mend, nothing copied


def test_what_rounding_left_below_zero_is_raised():
    assert probabilities([[1.0, -1e-7], [0.5, 0.5]], None).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert probabilities(pd.DataFrame({"a": [1, 0], "b": [0, 1]}, dtype=object), None).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("k", [3, 40])
def test_texts_find_their_columns_however_many_there_are(k):
    names = [f"class {at}" for at in range(k)]
    own = np.random.default_rng(k).integers(0, k, 200)
    p = np.full((200, k), 1 / k)
    assert labelled(p, np.array(names)[own], classes=names).y.tolist() == own.tolist()
    assert labelled(p, np.array(names, dtype=object)[own], classes=names).y.tolist() == own.tolist()
    with pytest.raises(InputError, match=r"^y_true has 'class x'.*columns of p"):
        labelled(p, ["class x"] * 200, classes=names)
