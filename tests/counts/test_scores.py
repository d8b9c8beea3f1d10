"""Scores by class: areas against scikit-learn, exact or binned within the bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import adjudge
from adjudge._base.undefined import Undefined
from adjudge.counts import scores as module
from adjudge.counts.scores import ScoreCounter, ScoreCounts, ScoredRows, as_tables

RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 3, 400)
SCORES = RNG.dirichlet([1, 1, 1], 400).round(2) + (TRUTH[:, None] == np.arange(3)) * 0.2


def test_areas_are_those_of_scikit_learn():
    held = ScoreCounts((0, 1, 2), 3, SCORES, TRUTH)
    for at in range(3):
        own = roc_auc_score(at == TRUTH, SCORES[:, at])
        assert held.area(at) == pytest.approx(own)
        assert as_tables(held).area(at) == pytest.approx(own)
    rows = TRUTH != 2
    assert held.pair_areas(0, [1]) == [(pytest.approx(roc_auc_score(TRUTH[rows] == 0, SCORES[rows, 0])), 0.0)]
    parts = [np.arange(200), np.arange(200, 400)]
    assert held.areas(1, parts) == pytest.approx([roc_auc_score(TRUTH[at] == 1, SCORES[at, 1]) for at in parts])


def test_one_score_ranks_two_classes():
    truth = np.minimum(TRUTH, 1)
    held = ScoreCounts((1,), 2, SCORES[:, [1]], truth)
    assert held.area(0) == held.area(1) == pytest.approx(roc_auc_score(truth, SCORES[:, 1]))
    assert isinstance(ScoreCounts((1,), 3, SCORES[:, [1]], TRUTH).area(0), Undefined)


def test_bins_are_off_by_no_more_than_their_bound(monkeypatch):
    monkeypatch.setattr(module, "DISTINCT", 30)
    monkeypatch.setattr(module, "BITS", 14)
    counter = ScoreCounter(limit=300)
    for start in range(0, 400, 50):
        counter.add(ScoredRows(SCORES[start : start + 50], TRUTH[start : start + 50]))
    binned = counter.counts([0, 1, 2])
    for at in range(3):
        assert 0 < binned.bound(at) < 0.2
        assert abs(binned.area(at) - roc_auc_score(at == TRUTH, SCORES[:, at])) <= binned.bound(at)


# -- pairs of classes ------------------------------------------------------------------------------------------


def several(k, digits, rng, n=240):
    """Return classes, each with a case at least, and their probabilities, of which those with few digits are tied."""
    truth = rng.permutation(np.append(np.arange(k), rng.integers(0, k, n - k)))
    p = rng.dirichlet(np.ones(k), n) / 2
    p[np.arange(n), truth] += 0.5 * (rng.random(n) < 0.4)
    p /= p.sum(axis=1, keepdims=True)
    return truth, rng.multinomial(10**digits, p) / 10**digits if digits else p


def over_pairs(scores, k):
    """Return Hand and Till's mean, and the mean of how far each pair can be off."""
    pairs = [pair for at in range(k) for pair in scores.pair_areas(at, [other for other in range(k) if other != at])]
    return tuple(float(np.mean(each)) for each in zip(*pairs, strict=True))


def counted(rows, parts, limit=100):
    """Return what is counted of some rows, in blocks, by counters whose tables are added up."""
    tables = []
    for part in parts:
        counter = ScoreCounter(limit=limit)
        for start in range(0, part.size, 37):
            block = part[start : start + 37]
            counter.add(ScoredRows(*(None if column is None else column[block] for column in rows)))
        tables.append(counter.tables())
    whole = ScoreCounter()
    for each in tables:
        whole.include(each)
    return whole.counts(range(rows.scores.shape[1]))


@pytest.mark.parametrize("k", [3, 4, 11])
@pytest.mark.parametrize("digits", [0, 2])
def test_pairs_of_classes_are_those_of_scikit_learn_however_they_are_counted(k, digits, tmp_path):
    rng = np.random.default_rng(k)
    truth, p = several(k, digits, rng)
    own = roc_auc_score(truth, p, multi_class="ovo", average="macro")
    held = ScoreCounts(tuple(range(k)), k, p, truth)
    value = over_pairs(held, k)
    assert value == (pytest.approx(own, rel=1e-12), 0.0)
    rows = ScoredRows(p, truth)
    assert over_pairs(as_tables(held), k) == value
    assert over_pairs(counted(rows, [np.arange(truth.size)]), k) == value
    assert over_pairs(counted(rows, np.array_split(rng.permutation(truth.size), 5)), k) == value
    names = [f"c{i:02}" for i in range(k)]
    columns = {"truth": np.array(names)[truth]} | {f"p_{name}": p[:, i] for i, name in enumerate(names)}
    kept = adjudge.load_counts(adjudge.count(columns, classes=names).save(tmp_path / "a.counts"))
    assert adjudge.evaluate(kept).estimates["auc_hand_till"].value == value[0]
    assert adjudge.measure(adjudge.read(columns, classes=names), "auc", average="hand-till") == value[0]


@pytest.mark.parametrize("digits", [0, 2])
def test_pairs_of_weighted_classes_are_those_of_repeated_rows(digits):
    rng = np.random.default_rng(5)
    truth, p = several(4, digits, rng)
    times = rng.integers(1, 4, truth.size)
    again = np.repeat(np.arange(truth.size), times)
    own = roc_auc_score(truth[again], p[again], multi_class="ovo", average="macro")
    for weight in (times, times / 4, times * 0.1):
        held = over_pairs(ScoreCounts((0, 1, 2, 3), 4, p, truth, weight), 4)
        assert held == (pytest.approx(own, rel=1e-12), 0.0)
        rows = ScoredRows(p, truth, weight)
        assert over_pairs(counted(rows, [np.arange(truth.size)]), 4) == held
        assert over_pairs(counted(rows, np.array_split(rng.permutation(truth.size), 3)), 4) == held


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.sampled_from([0, 1, 3]), st.booleans(), st.integers(20, 900))
def test_any_split_and_order_gives_the_same_bits_and_bins_stay_within_their_bound(seed, k, digits, weighted, room):
    rng = np.random.default_rng(seed)
    truth, p = several(k, digits, rng, n=90)
    weight = rng.random(truth.size) if weighted else None
    rows, every = ScoredRows(p, truth, weight), np.arange(truth.size)
    exact = over_pairs(ScoreCounts(tuple(range(k)), k, p, truth, weight), k)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DISTINCT", room)
        patch.setattr(module, "BY_CLASS", 2 * room)
        patch.setattr(module, "BITS", 15)
        some = [rng.permutation(every)[: rng.integers(0, every.size)] for _ in range(2)]
        splits = [np.array_split(rng.permutation(every), int(rng.integers(1, 5))), [some[0], np.setdiff1d(every, some[0])]]
        one, *others = (counted(rows, parts, limit) for parts, limit in zip([[every], *splits], [10**6, 50, 7], strict=True))
        for other in others:
            for mine, theirs in zip(one.tables, other.tables, strict=True):
                assert (mine.bits, mine.by_class.bits) == (theirs.bits, theirs.by_class.bits)
                for name in ("keys", "counts"):
                    np.testing.assert_array_equal(getattr(mine.by_class, name), getattr(theirs.by_class, name))
            assert over_pairs(other, k) == over_pairs(one, k)
        value, bound = over_pairs(one, k)
    assert abs(value - exact) <= bound * (1 + 1e-9) + 1e-15
    if all(table.by_class.bits == 64 for table in one.tables):
        assert (value, bound) == (exact, 0.0)
        assert not one.pairs_binned


def test_counts_by_class_are_coarser_than_scores_where_they_are_too_many(monkeypatch):
    truth, p = several(5, 3, np.random.default_rng(6), n=3000)
    monkeypatch.setattr(module, "BY_CLASS", 2500)
    tables = counted(ScoredRows(p, truth), [np.arange(truth.size)])
    assert {table.bits for table in tables.tables} == {64}
    assert all(table.by_class.keys.size <= 500 for table in tables.tables)
    assert max(table.by_class.bits for table in tables.tables) < 23
    value, bound = over_pairs(tables, 5)
    assert 0 < abs(value - roc_auc_score(truth, p, multi_class="ovo", average="macro")) <= bound < 0.1
    assert tables.bound(0) == 0.0


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0)])
def test_pairs_of_classes_shown_in_another_order(order):
    truth, p = several(3, 2, np.random.default_rng(7))
    counter = ScoreCounter(limit=50)
    counter.add(ScoredRows(p, truth))
    shown, place = counter.counts(order), np.argsort(order)
    held = ScoreCounts(tuple(place), 3, p, place[truth])
    for at in range(3):
        others = [other for other in range(3) if other != at]
        assert shown.pair_areas(at, others) == held.pair_areas(at, others) == as_tables(held).pair_areas(at, others)


def test_pairs_that_cannot_be_ranked_say_why():
    truth, p = several(4, 2, np.random.default_rng(8))
    for held in (ScoreCounts((0, 1, 2), 4, p[:, :3], truth), as_tables(ScoreCounts((0, 1, 2), 4, p[:, :3], truth))):
        assert [area.reason for area, _ in held.pair_areas(3, [0, 1])] == ["the class has no score column"] * 2
        assert held.pair_areas(0, [1])[0][0] == pytest.approx(roc_auc_score(truth[truth < 2] == 0, p[truth < 2, 0]))
    many = 31
    truth, p = several(many, 2, np.random.default_rng(9))
    tables = as_tables(ScoreCounts(tuple(range(many)), many, p, truth))
    assert tables.tables[0].by_class is None
    assert tables.pair_areas(0, [1])[0][0].reason.startswith("pairs of more than 30 classes")


def test_two_classes_are_not_counted_by_class():
    truth, p = several(2, 2, np.random.default_rng(10))
    assert [table.by_class for table in as_tables(ScoreCounts((0, 1), 2, p, truth)).tables] == [None, None]
    assert [table.by_class for table in counted(ScoredRows(p, truth), [np.arange(truth.size)]).tables] == [None, None]
