"""Counting pairs against a dictionary, at every size where a number type or a table could overflow."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge._base.arrays import BLOCK
from adjudge.counts import cells as module
from adjudge.counts.cells import NONE, CellCounter, Cells, joined, pairs, pairs_by_part, whole_pairs

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
SIZES = (2, 127, 128, 255, 256, 300, 32768, 46341, 65536, 100_000)


def as_dict(cells):
    """Return cells by their places; exact sums of weights are whole numbers of 2^-1074."""
    if cells.n.dtype == object:
        cells = Cells(cells.codes, np.array([Fraction(n, 2**1074) for n in cells.n.tolist()]))
    return {(int(r), int(c)): n for r, c, n in zip(cells.rows, cells.columns, cells.n.tolist(), strict=True)}


def counted(truth, column):
    return dict(Counter(zip(truth.tolist(), np.where(column < 0, NONE, column).tolist(), strict=True)))


@pytest.mark.parametrize("k", SIZES)
def test_pairs_of_any_number_of_classes_are_counted_as_a_dictionary_counts_them(k):
    rng = np.random.default_rng(k)
    truth, column = rng.integers(0, k, (2, 3000))
    truth[:2], column[:2] = (0, k - 1), (k - 1, k - 1)  # the corners of the table
    column[rng.random(3000) < 0.05] = -2
    assert as_dict(pairs(truth, column, k)) == counted(truth, column)


@pytest.mark.parametrize(("k", "parts"), [(2, 10), (3, 1), (2, 499), (2, 3000), (40, 7), (300, 4)])
@pytest.mark.parametrize("heavy", [False, True])
def test_parts_are_counted_as_if_each_were_alone(k, parts, heavy):
    rng = np.random.default_rng(k * parts)
    truth, column = rng.integers(0, k, (2, 3000))
    column[rng.random(3000) < 0.05] = -2
    part = rng.permutation(parts + 2)[rng.integers(0, parts, 3000)]  # some numbers stand for no row
    weight = rng.integers(1, 9, 3000) / 4 if heavy else None
    found = list(pairs_by_part(part, truth, column, k, weight))
    assert [code for code, _ in found] == sorted(set(part.tolist()))
    for code, cells in found:
        rows = part == code
        alone = Counter()
        for t, c, w in zip(truth[rows], column[rows], weight[rows] if heavy else np.ones(rows.sum(), dtype=int), strict=True):
            alone[int(t), NONE if c < 0 else int(c)] += w
        assert as_dict(cells) == dict(alone)
        assert cells.codes.tolist() == sorted(set(cells.codes.tolist()))


@pytest.mark.parametrize("k", SIZES)
def test_weights_add_up_in_the_same_cells(k):
    rng = np.random.default_rng(k)
    truth, column = rng.integers(0, k, (2, 2000))
    weight = rng.integers(1, 9, 2000) / 8  # sums of eighths are exact
    cells = pairs(truth, column, k, weight)
    sums, squares = Counter(), Counter()
    for key, w in zip(zip(truth.tolist(), column.tolist(), strict=True), weight.tolist(), strict=True):
        sums[key] += w
        squares[key] += w * w
    assert as_dict(cells) == dict(sums)
    assert as_dict(Cells(cells.codes, cells.squares)) == dict(squares)


@pytest.mark.slow
@given(
    st.integers(1, 40).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.tuples(st.integers(0, k - 1), st.integers(-1, k - 1)), min_size=1, max_size=200)
        )
    )
)
def test_the_full_and_the_sparse_way_agree(rows):
    k, listed = rows
    truth, column = np.array(listed).T
    expected = counted(truth, column)
    assert as_dict(pairs(truth, column, k)) == expected
    assert as_dict(pairs(truth, column, 1000)) == expected  # a table of so many classes is larger than the rows


@pytest.mark.slow
@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 5)), min_size=1, max_size=30), min_size=1, max_size=6))
def test_counting_in_blocks_is_counting_at_once(blocks):
    counter = CellCounter()
    for block in blocks:
        counter.add(pairs(*np.array(block).T, 6))
    whole = np.array([row for block in blocks for row in block]).T
    assert as_dict(counter.cells) == counted(*whole)


def test_cells_are_merged_long_before_they_fill_memory(monkeypatch):
    monkeypatch.setattr(module, "_MERGE", 10)
    counter, rng = CellCounter(), np.random.default_rng(0)
    rows = rng.integers(0, 4, (2, 500))
    for start in range(0, 500, 7):
        counter.add(pairs(*rows[:, start : start + 7], 4))
        assert sum(part.codes.size for part in counter._parts) <= 16 + 10 + 7
    assert as_dict(counter.cells) == counted(*rows)


def test_joining_is_exact_beyond_the_integers_of_floats():
    many = Cells(np.array([0]), np.array([2**53 + 1]))
    assert joined([many, many]).n.tolist() == [2**54 + 2]


def test_nothing_added_is_nothing_counted():
    assert as_dict(CellCounter().cells) == {}


# -- whole numbers without encoding --------------------------------------------------------------------------------------


def found_by(truth, column):
    found = whole_pairs(truth, column)
    if found is None:
        return None
    low, cells = found
    return {(r + low, c + low): n for (r, c), n in as_dict(cells).items()}


@pytest.mark.slow
@given(st.data(), st.sampled_from([f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]))
def test_whole_numbers_of_two_types_are_counted_by_value(data, name):
    if name == "uint64":  # confusion() never hands these over
        name = "int64"
    types = [np.dtype(name), np.dtype(data.draw(st.sampled_from(["int8", "uint8", "int16", "int64"])))]
    n = data.draw(st.integers(1, 30))
    truth, column = (
        np.array(data.draw(st.lists(st.integers(int(np.iinfo(t).min), int(np.iinfo(t).max)), min_size=n, max_size=n)), dtype=t)
        for t in types
    )
    found = found_by(truth, column)
    assert found is None or found == dict(Counter(zip(truth.tolist(), column.tolist(), strict=True)))


@pytest.mark.parametrize("middle", [0, 100, -(2**62), 2**62, -(2**63) + 20, 2**63 - 21])
def test_whole_numbers_anywhere_in_64_bits_are_counted(middle):
    rng = np.random.default_rng(1)
    truth, column = (np.array([middle + int(v) for v in rng.integers(-20, 21, 500)]) for _ in range(2))
    assert found_by(truth, column) == dict(Counter(zip(truth.tolist(), column.tolist(), strict=True)))


def test_every_narrow_type_is_counted_over_its_whole_span():
    for name in ("int8", "uint8"):
        every = np.arange(np.iinfo(name).min, np.iinfo(name).max + 1).astype(name)
        assert found_by(every, every[::-1]) == {(int(a), int(b)): 1 for a, b in zip(every, every[::-1], strict=True)}


@pytest.mark.parametrize("low", [0, -3])
@pytest.mark.parametrize("where", ["truth", "column", "both"])
@pytest.mark.parametrize("late", [7, -7, 900, 10**6, 10**9, 10**12, 2**61, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_a_label_first_seen_in_the_last_block_is_counted_or_left_to_the_encoder(low, where, late):
    rng = np.random.default_rng(2)
    truth, column = rng.integers(low, low + 4, (2, BLOCK + 100))
    if where != "column":
        truth[-1] = late
    if where != "truth":
        column[-2 if where == "column" else -1] = late
    expected = Counter(zip(truth.tolist(), column.tolist(), strict=True))
    found = found_by(truth, column)
    assert found is None if abs(late) > 1000 else found == dict(expected)


def test_labels_too_far_apart_are_left_to_the_encoder():
    assert whole_pairs(np.array([0, 5000]), np.array([0, 0])) is None
