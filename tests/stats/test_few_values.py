"""Scores of few values, counted without sorting: the tables that sorting gives, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge import InputError
from adjudge.counts.scores import ScoreCounter, ScoredRows
from adjudge.stats import few_values, ranking
from adjudge.stats.few_values import count_few
from adjudge.stats.ranking import auc, tabulate, tabulate_few

FINITE = st.one_of(st.floats(allow_nan=False, width=32), st.sampled_from([0.0, -0.0, np.inf, -np.inf, 5e-324, -1.0, 0.01, 1e308]))


def by_sorting(scores, positive):
    values, place = np.unique(scores + scores.dtype.type(0), return_inverse=True)
    return values, *(np.bincount(place[side], minlength=values.size) for side in (positive, ~positive))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=40), st.sampled_from(["f8", "f4", "i8", "i4"]), st.integers(0, 99), st.data())
def test_the_table_is_that_of_sorting(values, kind, seed, data):
    rng = np.random.default_rng(seed)
    some = np.nan_to_num(np.clip(values, -1e9, 1e9)) if kind[0] == "i" else np.array(values)
    with np.errstate(over="ignore"):
        scores = rng.choice(some, few_values.LEAST + data.draw(st.integers(0, 40_000))).astype(kind)
    late = data.draw(st.integers(0, 3))  # values that no sample of the first scores has
    scores[scores.size - late :] = np.arange(late) + 7
    positive = rng.random(scores.size) < data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    found = count_few(scores, positive)
    assert found is not None
    for one, other in zip(found, by_sorting(scores, positive), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert not np.signbit(found[0][found[0] == 0]).any()


@pytest.mark.parametrize(("digits", "few"), [(2, True), (3, True), (9, False)])
def test_tables_and_areas_are_the_same_either_way(digits, few, monkeypatch):
    rng = np.random.default_rng(digits)
    scores, positive = np.round(rng.normal(size=50_000) / 8, digits), rng.random(50_000) < 0.4
    table, area = tabulate(scores, positive), auc(scores, positive)
    assert (tabulate_few(scores, positive) is not None) == few
    monkeypatch.setattr(ranking, "count_few", lambda *_: None)
    other = tabulate(scores, positive)
    for one, two in zip(table.columns, other.columns, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    assert area == auc(scores, positive)


def test_values_that_keep_coming_are_left_to_sorting():
    scores = np.append(np.zeros(few_values.LEAST), np.arange(1.0, few_values.FEW + 2))
    assert count_few(scores, scores > 5) is None
    known = scores[: few_values.LEAST + few_values.FEW - 1]
    assert count_few(known, known > 5)[0].size == few_values.FEW


def test_missing_scores_are_refused_as_ever():
    scores = np.zeros(few_values.LEAST)
    scores[17] = np.nan
    with pytest.raises(InputError, match=r"1 of 32768 .*NaN.*17"):
        tabulate_few(scores, scores > 0)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "counts", "weights"])
def test_scores_that_stream_by_become_the_same_tables(weight, monkeypatch):
    rng = np.random.default_rng(5)
    scores = np.stack([np.round(rng.random(200_000), 2), np.round(rng.random(200_000), 6)], axis=1).astype("f4")
    truth = rng.integers(0, 2, 200_000).astype("i1")
    given = {None: None, "counts": rng.integers(0, 4, 200_000), "weights": rng.random(200_000)}[weight]
    found = []
    for few in (ranking.count_few, lambda *_: None):
        monkeypatch.setattr(ranking, "count_few", few)
        counter = ScoreCounter(limit=70_000)
        for start in range(0, 200_000, 30_000):
            part = slice(start, start + 30_000)
            counter.add(ScoredRows(scores[part], truth[part], None if given is None else given[part]))
        found.append(counter.tables())
    for one, two in zip(*found, strict=True):
        assert one.bits == two.bits
        for left, right in zip(one.columns, two.columns, strict=True):
            np.testing.assert_array_equal(left, right)
