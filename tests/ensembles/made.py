"""Errors over rounds, made by hand."""

from __future__ import annotations

import numpy as np

import adjudge
from adjudge.judgements.ensembles import Staged, judge_rounds
from adjudge.metrics.catalogue import find


def rounds_of(learnt, judged, *, repeats=1, margin=0.01):
    k = len(judged) // repeats
    y = np.tile([0, 1], 50)
    plan = adjudge.plan(f"{repeats}x{k}-fold" if repeats > 1 else f"{k}-fold", y[:, None], y, random_state=0)
    folds = [
        Staged(unit, np.asarray(a, float), np.asarray(b, float)) for unit, (a, b) in enumerate(zip(learnt, judged, strict=True))
    ]
    return judge_rounds("some", folds, plan, find("error"), rounds=len(judged[0]), margin=margin, level=0.95)


def curves(rng, ends, folds=10, rounds=12):
    """Return noisy lines that go down to a valley at a third of the rounds and from there to `ends` above it."""
    valley = rounds // 3
    line = np.concatenate([np.linspace(0.3, 0.2, valley), np.linspace(0.2, 0.2 + ends, rounds - valley)])
    return line + rng.normal(scale=0.01, size=(folds, rounds))
