import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.errors import InputError
from adjudge.stats import binning
from adjudge.stats.binning import Bins, at_edges, slots, tabulate_binned
from adjudge.stats.pairs import grouped, wins_within
from adjudge.stats.ranking import auc, auc_of, coarsen, merge, tabulate

ANY = st.floats(allow_nan=False, width=64)
NEAR = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 0.5, 0.5000001, 1.0, -1.0, np.inf, -np.inf])
CASES = st.lists(st.tuples(ANY | NEAR, st.booleans(), st.integers(0, 3)), min_size=1, max_size=60)


@pytest.mark.slow
@given(CASES, st.integers(1, 64))
def test_slots_keep_the_order_and_tell_apart_by_the_leading_bits(cases, bits):
    """Oracle: Python's own order of floats, and the bits that struct would pack."""
    scores = np.array([score for score, _, _ in cases])
    found = slots(scores, bits)
    order = np.argsort(scores, kind="stable")
    assert (np.diff(found[order].astype(object)) >= 0).all()
    tops = [int(np.float64(score + 0.0).view(np.uint64)) >> (64 - bits) for score in scores]
    for i, mine in enumerate(tops):
        assert [theirs == mine for theirs in tops] == (found == found[i]).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("widest", [1, 3, 1 << 17])
@given(cases=CASES, bits=st.integers(2, 64), narrow=st.booleans(), weighted=st.booleans())
def test_bins_counted_at_once_are_those_of_a_coarsened_table(widest, cases, bits, narrow, weighted):
    scores = np.array([score for score, _, _ in cases])
    with np.errstate(over="ignore"):
        scores = scores.astype(np.float32) if narrow else scores
    own, weight = np.array([own for _, own, _ in cases]), np.array([float(w) for _, _, w in cases])
    weight = weight if weighted and weight.any() else None
    wanted = coarsen(tabulate(scores, own, weight), bits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binning, "_WIDEST", widest)
        found = tabulate_binned(scores, own, weight, bits=bits)
    for name in ("values", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
        assert getattr(found, name).dtype == getattr(wanted, name).dtype
    assert (found.bits, found.bound) == (wanted.bits, pytest.approx(wanted.bound, rel=1e-12))
    assert (found.mixed is None) == (wanted.mixed is None)
    if found.mixed is not None:
        np.testing.assert_array_equal(found.mixed, wanted.mixed)


@pytest.mark.slow
@given(
    parts=st.lists(st.lists(st.tuples(ANY | NEAR, st.booleans(), st.integers(0, 3)), max_size=30), min_size=1, max_size=5),
    most=st.sampled_from([1, 5, 1 << 10]),
    bits=st.integers(8, 30),
    weighted=st.booleans(),
    aside=st.sampled_from([1, 1 << 13]),
)
def test_bins_add_up_over_blocks(parts, most, bits, weighted, aside):
    """Oracle: the table of all scores, sorted and then coarsened."""
    bins, cases = Bins(bits, most), [case for part in parts for case in part]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binning, "_ASIDE", aside)
        for part in parts:
            bins.add(*columns(part, weighted))
        found = bins.table()
    wanted = coarsen(tabulate(*columns(cases, weighted)), bits)
    np.testing.assert_array_equal(found.values, wanted.values)
    for name in ("positives", "negatives"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)
    assert (found.mixed is None) == (wanted.mixed is None)
    if found.mixed is not None:
        np.testing.assert_array_equal(found.mixed, wanted.mixed)


def test_zeros_in_every_block_leave_nothing_aside():
    bins = Bins(22, 1 << 10)
    for _ in range(50):
        bins.add(np.array([0.0, 0.5, 0.6]), np.array([True, False, True]))
    assert not bins._aside
    np.testing.assert_array_equal(bins.table().positives, [50, 0, 50])


def columns(cases, weighted):
    scores, own = np.array([score for score, _, _ in cases], dtype=np.float64), np.array([own for _, own, _ in cases], dtype=bool)
    return scores, own, np.array([w / 2 for _, _, w in cases]) if weighted else None


def test_integers_too_large_for_floats_are_refused():
    with pytest.raises(InputError, match=r"beyond 2\^53"):
        tabulate_binned(np.array([1 << 60, 1]), np.array([True, False]), None, bits=22)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(0, 9))), st.sampled_from([np.uint32, np.uint64]))
def test_keys_by_group_come_in_the_order_they_had(pairs, dtype):
    keys, group = np.array([k for k, _ in pairs]).astype(dtype), np.array([g for _, g in pairs], dtype=np.int64)
    found, counts = grouped(keys, group, 10)
    order = np.argsort(group, kind="stable")
    np.testing.assert_array_equal(found, keys[order])
    np.testing.assert_array_equal(counts, np.bincount(group, minlength=10))


@given(st.integers(0, (1 << 63) - 1), st.lists(st.integers(0, 1 << 12), min_size=1, max_size=80), st.integers(0, 6))
def test_keys_close_together_are_counted_as_sorted_ones_are(low, offsets, shift):
    """Oracle: every pair of an odd and an even key, one by one."""
    keys = [low + (offset << shift) for offset in offsets]
    pairs = [(odd >> 1, even >> 1) for odd in keys for even in keys if odd % 2 and not even % 2]
    doubled = sum(2 * (odd > even) + (odd == even) for odd, even in pairs)
    found = wins_within(np.array(keys, dtype=np.uint64))
    assert (found.doubled, found.odd) == (doubled, sum(key % 2 for key in keys))
    assert found.odd + found.even == len(keys)


def test_no_keys_win_nothing():
    assert wins_within(np.empty(0, dtype=np.uint32)) == (0, 0, 0)


HOSTILE = [0.0, -0.0, 5e-324, -5e-324, 1.0, np.nextafter(1, 2), 0.1, 0.3, -0.3, 1e300, -1e300, np.inf, -np.inf, 1 / 3]


@given(
    st.lists(st.tuples(st.sampled_from(HOSTILE) | st.floats(allow_nan=False), st.booleans()), min_size=1, max_size=60),
    st.integers(0, 60),
    st.integers(12, 63),
)
def test_bins_at_their_edges_hold_the_area_within_the_bound_also_when_files_are_added(cases, cut, bits):
    scores, own = np.array([score for score, _ in cases]), np.array([positive for _, positive in cases])
    parts = [at_edges(tabulate(scores[part], own[part]), bits) for part in (slice(0, cut), slice(cut, None))]
    whole = merge(*parts)
    assert np.all(whole.values[1:] > whole.values[:-1])
    assert np.all(np.isin(slots(whole.values, bits), slots(scores, bits)))
    assert [whole.positives.sum(), whole.negatives.sum()] == [own.sum(), (~own).sum()]
    alone = at_edges(tabulate(scores, own), bits)
    for mine, theirs in zip(whole.columns, alone.columns, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(at_edges(alone, bits).columns, alone.columns, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if own.any() and not own.all():
        assert abs(auc_of(whole) - auc(scores, own)) <= whole.bound * (1 + 1e-12)
