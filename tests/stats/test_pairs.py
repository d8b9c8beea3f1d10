"""Pairs counted in whole numbers, against every pair looked at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.errors import InputError
from adjudge.stats import pairs
from adjudge.stats.pairs import checked, checked_weight, doubled_wins, grouped, no_area, packed, whole_dot


def brute(scores, positive):
    ours, theirs = scores[positive], scores[~positive]
    return int(2 * (ours[:, None] > theirs).sum() + (ours[:, None] == theirs).sum())


@given(st.lists(st.tuples(st.sampled_from([-np.inf, -2.5, -0.0, 0.0, 1e-300, 0.5, 7.0]), st.booleans()), max_size=40))
def test_ties_signs_and_infinities(cases):
    scores = np.array([score for score, _ in cases], dtype=np.float64)
    positive = np.array([flag for _, flag in cases], dtype=np.bool_)
    assert doubled_wins(scores, positive) == brute(scores, positive)


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8", "f2", "f4", ">f8"])
def test_every_dtype_keeps_its_order(dtype):
    rng = np.random.default_rng(4)
    scores, positive = rng.integers(0, 50, 300).astype(dtype), rng.random(300) < 0.4
    ranked, flags = checked(scores, positive)
    assert doubled_wins(ranked, flags) == brute(scores.astype(np.float64), positive)


def test_two_threads_count_what_one_does(monkeypatch):
    rng = np.random.default_rng(5)
    scores, positive = rng.normal(size=20_000).round(2), rng.random(20_000) < 0.5
    whole = doubled_wins(scores, positive)
    monkeypatch.setattr(pairs, "_MANY", 2_000)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert doubled_wins(scores, positive) == whole == brute(scores, positive)


def test_keys_say_who_wins_in_the_last_bit():
    keys, below = packed(np.array([1.5, -1.5]), np.array([True, True]))
    assert below.tolist() == [False, True]
    assert (keys & np.uint64(1)).tolist() == [1, 0]
    assert keys[0] >> np.uint64(1) == keys[1] >> np.uint64(1)


def test_groups_keep_the_order_of_their_keys():
    rng = np.random.default_rng(6)
    keys, group = rng.integers(0, 1000, 200), rng.integers(0, 7, 200)
    found, sizes = grouped(keys, group, 9)
    assert found.tolist() == keys[np.argsort(group, kind="stable")].tolist()
    assert sizes.tolist() == np.bincount(group, minlength=9).tolist()


def test_products_of_large_counts_do_not_overflow():
    assert whole_dot(np.array([2**40, 2**40]), np.array([2**40, 3])) == 2**80 + 3 * 2**40


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(InputError, match="positive must be booleans"):
        checked(np.ones(2), np.ones(2))
    with pytest.raises(InputError, match="1 of 2 scores are NaN, the first in row 1"):
        checked(np.array([1.0, np.nan]), np.array([True, False]))
    with pytest.raises(InputError, match=r"not negative, got -1.0 in row 0"):
        checked_weight(np.array([-1.0]), 1)
    assert no_area(0, 3).reason == "AUC needs both classes: no positive case"
