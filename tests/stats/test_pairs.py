"""Counting of pairs, in blocks, threads and segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from adjudge._base.arrays import STREAMED
from adjudge._base.errors import InputError
from adjudge.stats import pairs, ranking
from adjudge.stats.pairs import Segments, checked, checked_weight, doubled_wins, grouped, no_area, packed, whole_dot


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


@pytest.mark.slow
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
    with pytest.raises(InputError, match=r"1 of 2 .*NaN.*row 1"):
        checked(np.array([1.0, np.nan]), np.array([True, False]))
    with pytest.raises(InputError, match=r"got -1\.0 in row 0"):
        checked_weight(np.array([-1.0]), 1)
    assert no_area(0, 3).reason.endswith("no positive case")


NEAR = st.sampled_from([0.0, -0.0, 5e-324, 1e-300, 0.5, 0.5 + 2**-40, 0.5 + 2**-53, -0.7, -0.7000001, np.inf, -np.inf])
BLOCKS = st.lists(st.lists(st.tuples(NEAR | st.floats(allow_nan=False), st.booleans()), max_size=25), max_size=6)


def kept(blocks, dtype=np.float64):
    found = Segments()
    for scores, own in blocks:
        found.add(np.asarray(scores, dtype=dtype), np.asarray(own, dtype=np.bool_))
    return found


@pytest.mark.slow
@given(BLOCKS, st.booleans())
def test_every_pair_is_counted(blocks, narrow):
    """Oracle: every pair of a positive and another score, one by one."""
    dtype = np.float32 if narrow else np.float64
    with np.errstate(over="ignore"):
        parts = [([dtype(score) for score, _ in block], [own for _, own in block]) for block in blocks]
    cases = [case for scores, own in parts for case in zip(scores, own, strict=True)]
    pairs = [(ours, theirs) for ours, own in cases for theirs, other in cases if own and not other]
    doubled = sum(2 * (ours > theirs) + (ours == theirs) for ours, theirs in pairs)
    found = kept(parts, dtype)
    assert found.doubled() == doubled
    assert found.doubled() == doubled, "counting leaves the scores as they were"


@pytest.mark.slow
@given(BLOCKS, st.booleans())
def test_arrays_of_many_scores_have_the_same_area(blocks, narrow):
    cases = [case for block in blocks for case in block]
    with np.errstate(over="ignore"):
        scores = np.array([score for score, _ in cases], dtype=np.float32 if narrow else np.float64)
    own = np.array([own for _, own in cases], dtype=np.bool_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MANY", 1)
        found = ranking.auc(scores, own)
    wanted = ranking.auc(scores, own)
    assert found == wanted or (np.isnan(found) and np.isnan(wanted))


@pytest.mark.slow
@pytest.mark.parametrize("order", ["as drawn", "rising", "equal", "of both signs"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_scores_are_ranked_as_scikit_learn_ranks_them(monkeypatch, order, dtype):
    monkeypatch.setattr(ranking, "MANY", 1 << 18)
    rng = np.random.default_rng(5)
    own = rng.random((1 << 18) + 7) < 0.3
    scores = (rng.normal(size=own.size) + own).astype(dtype)
    scores = {"rising": np.sort(scores), "equal": np.ones_like(scores), "of both signs": scores}.get(order, np.exp(scores))
    assert ranking.auc(scores, own) == pytest.approx(roc_auc_score(own, scores), abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sign_that_the_sample_missed_is_not_cut_by_two_threads(monkeypatch, sign):
    """Every eighth score says where to cut, and only the others have this sign."""
    monkeypatch.setattr(ranking, "MANY", 1)
    rng = np.random.default_rng(8)
    own = rng.random(8 * STREAMED) < 0.4
    scores = sign * np.exp(rng.normal(size=own.size) + own) * np.where(np.arange(own.size) % 8, -1, 1)
    wanted = roc_auc_score(own, scores)
    for _ in range(3):
        assert ranking.auc(scores, own) == pytest.approx(wanted, abs=1e-13)


def test_scores_in_order_pile_up_and_are_given_up(monkeypatch):
    """The first block says where to cut: of scores that rise, all others come after the last cut."""
    monkeypatch.setattr(pairs, "LARGEST", 1000)
    scores = np.linspace(0.1, 0.9, 20_000)
    shuffled = np.random.default_rng(0).permutation(scores)
    own = np.arange(20_000) % 2 == 0
    blocks = np.split(np.arange(20_000), 10)
    assert kept((scores[rows], own[rows]) for rows in blocks).doubled() is None
    assert kept((shuffled[rows], own[rows]) for rows in blocks).doubled() is not None


def test_scores_of_two_widths_are_given_up():
    found = kept([([0.1, 0.2], [True, False])], np.float32)
    found.add(np.array([0.3]), np.array([True]))
    assert found.doubled() is None


def test_a_few_scores_that_most_cases_share():
    rng = np.random.default_rng(1)
    scores, own = rng.choice(np.array([0.0, 0.25, 1.0], dtype=np.float32), 30_000), rng.random(30_000) < 0.3
    ours, theirs = (np.array([np.sum(scores[rows] == v) for v in (0.0, 0.25, 1.0)]) for rows in (own, ~own))
    wanted = sum(int(ours[i]) * (2 * int(theirs[:i].sum()) + int(theirs[i])) for i in range(3))
    assert kept([(scores[:100], own[:100]), (scores[100:], own[100:])], np.float32).doubled() == wanted


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_kept_wins_nothing(dtype):
    assert kept([], dtype).doubled() == 0
    assert kept([([], [])], dtype).doubled() == 0
