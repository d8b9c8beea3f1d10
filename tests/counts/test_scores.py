"""Scores by class: areas against scikit-learn, exact or binned within the bound."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

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
    assert held.pair_area(0, 1) == pytest.approx(roc_auc_score(TRUTH[rows] == 0, SCORES[rows, 0]))
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
