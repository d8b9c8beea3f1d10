import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from adjudge._base.arrays import STREAMED
from adjudge.stats import placements, ranking
from adjudge.stats.placements import Segments

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
    monkeypatch.setattr(placements, "LARGEST", 1000)
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
