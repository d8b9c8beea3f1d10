"""Bars of cases by their correct answers: their numbers add up, unequal runs have few bars."""

from __future__ import annotations

import numpy as np

from adjudge import Predictions, evaluate
from adjudge.plots.runs import by_correct, runs_picture


def judged(sizes, seed=0):
    case = np.repeat(np.arange(len(sizes)), sizes)
    run = np.concatenate([np.arange(n) for n in sizes])
    said = np.where(np.random.default_rng(seed).random(case.size) < 0.7, case % 2, 1 - case % 2)
    return evaluate(Predictions(case % 2, said, row=case, run=run)).runs


def test_equal_runs_have_a_bar_for_each_number():
    runs = judged([3] * 20)
    bars = by_correct(runs)
    assert [label for label, *_ in bars] == ["0 of 3 correct", "1 of 3 correct", "2 of 3 correct", "3 of 3 correct"]
    assert sum(n for _, n, _ in bars) == 20
    assert sum(k * n for k, (_, n, _) in enumerate(bars)) == sum(k * n for _, k, n in runs.by_correct)
    assert "3 of 3 correct" in runs_picture(runs).words


def test_unequal_or_many_runs_have_four_bars():
    for sizes in ([1, 2, 3, 4, 5, 6], [12] * 6):
        bars = by_correct(judged(sizes))
        assert len(bars) == 4
        assert sum(n for _, n, _ in bars) == 6
        assert runs_picture(judged(sizes)).height > 0
