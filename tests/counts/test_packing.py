"""Scores and whole numbers come back from few bytes as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.counts.packing import pack_ascending, pack_whole, unpack_ascending, unpack_whole
from adjudge.counts.scores import as_tables

DECIMALS = st.integers(-(10**7), 10**7).map(lambda n: n / 10**4)
SINGLES = st.floats(width=32, allow_nan=False)
DOUBLES = st.floats(allow_nan=False)


def back(tables):
    digits, packed = pack_ascending(tables)
    return digits, unpack_ascending(digits, packed["first"], packed["steps"], packed["sizes"])


@pytest.mark.slow
@given(
    st.sampled_from([DECIMALS, SINGLES, DOUBLES]).flatmap(
        lambda kind: st.lists(st.lists(kind, max_size=8), min_size=1, max_size=5)
    )
)
def test_scores_come_back_bit_by_bit(tables):
    tables = [np.unique(np.array(table, dtype=np.float64)) + 0.0 for table in tables]
    for mine, theirs in zip(back(tables)[1], tables, strict=True):
        assert mine.tobytes() == theirs.tobytes()


@pytest.mark.slow
@given(st.lists(st.integers(0, 2**2200), min_size=1, max_size=12))
def test_whole_numbers_come_back(values):
    given_values = np.array(values, dtype=object)
    assert unpack_whole(pack_whole(given_values), given_values.shape).tolist() == values


@pytest.mark.parametrize(
    "change",
    [
        {"sizes": np.array([2, 9])}, {"sizes": np.array([-1, 6])}, {"sizes": np.array([2.0, 3.0])}, {"sizes": np.empty(0, dtype=np.int64)},
        {"first": np.array([1, 2, 3])}, {"first": np.array([1.0, 2.0])}, {"steps": np.zeros((9, 3), dtype=np.uint8)},
        {"steps": np.zeros(3, dtype=np.uint8)}, {"steps": np.zeros((1, 3))},
    ],
)  # fmt: skip
def test_what_promises_other_scores_is_refused(change):
    digits, packed = pack_ascending([np.array([0.1, 0.2]), np.array([0.1, 0.4, 0.5])])
    with pytest.raises(ValueError, match="scores are not"):
        unpack_ascending(digits, **(packed | change))


@pytest.mark.slow
def test_a_thousand_classes_take_less_than_two_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    p, names = rng.dirichlet(np.ones(1000), 2000).round(6), [f"c{i:03}" for i in range(1000)]
    columns = {"truth": np.array(names)[rng.integers(0, 1000, 2000)]} | {f"p_{name}": p[:, i] for i, name in enumerate(names)}
    counts = adjudge.count(columns)
    path = counts.save(tmp_path / "a.counts")
    assert path.stat().st_size < 2_000_000
    for mine, theirs in zip(adjudge.load_counts(path).tally.scores.tables, as_tables(counts.tally.scores).tables, strict=True):
        assert mine.values.tobytes() == theirs.values.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_so_do_those_whose_scores_have_all_their_digits_as_bins_with_a_bound(kind, tmp_path):
    rng = np.random.default_rng(1)
    k, n = 1000, 2000
    truth, names = rng.permutation(np.arange(n) % k), np.array([f"c{i:03}" for i in range(k)])
    z = rng.normal(0, 3, (n, k))
    z[np.arange(n), truth] += 3
    p = (np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)).astype(kind)
    counts = adjudge.count({"truth": names[truth]} | {f"p_{name}": p[:, i] for i, name in enumerate(names)})
    path = counts.save(tmp_path / "a.counts")
    assert path.stat().st_size < 2_000_000
    read, kept = adjudge.load_counts(path).tally, as_tables(counts.tally.scores)
    off, bounds = np.array([(abs(read.scores.area(i) - kept.area(i)), read.scores.bound(i)) for i in kept.columns[:200]]).T
    assert np.all(off <= bounds + 1e-15)
    assert 0 < bounds.max() < 1e-3
    assert [each.code for each in adjudge.evaluate(adjudge.load_counts(path)).findings].count("A305") == 1
    again = adjudge.load_counts(path).save(tmp_path / "b.counts")
    assert again.read_bytes() == path.read_bytes()
