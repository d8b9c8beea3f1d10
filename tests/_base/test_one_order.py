"""One order of the same cases, however they come: with ties, groups and keys of several kinds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.one_order import in_one_order, keys_of, mixed


def cases(seed: int, n: int, values: int):
    rng = np.random.default_rng(seed)
    return rng.integers(0, values, n), rng.integers(0, values, (n, 2)) / 4, rng.integers(0, 2, n)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_an_order_knows_nothing_of_where_cases_stood(seed, n, values, then):
    y, p, said = cases(seed, n, values)
    at = np.random.default_rng(seed).permutation(n)
    first, second = (
        np.column_stack([y, p, said])[rows][
            in_one_order([keys_of(y[rows], p[rows])], then=keys_of(said[rows].astype(float)) if then else None)[0]
        ]
        for rows in (np.arange(n), at)
    )
    assert np.array_equal(first[:, : 4 if then else 3], second[:, : 4 if then else 3])


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 3), st.integers(1, 8))
def test_groups_stand_together_and_are_numbered_by_what_is_in_them(seed, n, values, groups):
    y, p, said = cases(seed, n, values)
    rng = np.random.default_rng(seed)
    group = np.unique(rng.integers(0, groups, n), return_inverse=True)[1]
    at, names = rng.permutation(n), rng.permutation(group.max() + 1)  # groups may be called anything, too
    shown = []
    for rows, number in ((np.arange(n), group), (at, names[group[at]])):
        order, numbered = in_one_order([keys_of(y[rows], said[rows]), keys_of(y[rows], p[rows])], number)
        assert (np.diff(numbered) >= 0).all()
        assert np.array_equal(np.unique(numbered), np.arange(group.max() + 1))
        assert len({(a, b) for a, b in zip(number[order].tolist(), numbered.tolist(), strict=True)}) == group.max() + 1
        shown.append(np.column_stack([numbered, y[rows][order], p[rows][order], said[rows][order]]))
    assert np.array_equal(*shown)


def test_groups_of_one_case_change_no_order():
    y, p, _ = cases(1, 50, 2)
    p += np.arange(50)[:, None] * 1e-3
    keys = [keys_of(y, p)]
    assert np.array_equal(in_one_order(keys)[0], in_one_order(keys, np.random.default_rng(1).permutation(50))[0])


def test_sets_may_be_swapped():
    y, p, said = cases(3, 60, 3)
    keys = [keys_of(y, p), keys_of(y, said)]
    for group in (None, y):
        assert np.array_equal(in_one_order(keys, group)[0], in_one_order(keys[::-1], group)[0])


def test_keys_are_of_values_not_of_their_types():
    whole = np.array([0, 1, 3])
    assert np.array_equal(keys_of(whole), keys_of(whole.astype(np.int32)))
    assert np.array_equal(keys_of(np.array([0.0])), keys_of(np.array([-0.0])))
    assert np.array_equal(keys_of(np.array([0.5, 2.0])), keys_of(np.array([0.5, 2.0], dtype=np.float32)))
    assert not np.array_equal(keys_of(whole, None), keys_of(whole, whole))


@given(st.integers(0, 2**32 - 1))
def test_last_bits_put_no_case_in_another_place(seed):
    rng = np.random.default_rng(seed)
    p = rng.random((60, 3))
    near = p * (1 + rng.uniform(-1e-15, 1e-15, p.shape))
    one, other = (in_one_order([keys_of(each)], then=keys_of(each, exact=True))[0] for each in (p, near))
    assert (one != other).mean() <= 0.05  # a number that lies between two of 24 bits may still be either
    assert not np.array_equal(keys_of(p, exact=True), keys_of(near, exact=True))


def test_what_is_alike_in_24_bits_is_put_in_order_by_all_bits():
    p = np.array([0.5, 0.5 + 1e-12, 0.5 - 1e-12, np.nan, 1e300, -1e300])
    orders = [
        p[at][in_one_order([keys_of(p[at])], then=keys_of(p[at], exact=True))[0]] for at in (np.arange(6), np.arange(6)[::-1])
    ]
    np.testing.assert_array_equal(*orders)


def test_different_numbers_are_mixed_into_different_ones_without_pattern():
    numbers = np.arange(100_000, dtype=np.uint64)
    assert np.unique(mixed(numbers)).size == numbers.size
    places = np.arange(64, dtype=np.uint64)
    ones = ((mixed(numbers)[:, None] >> places) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 5 * 0.5 / np.sqrt(numbers.size)
