"""How often `compare` calls one of two equally good classifiers of several classes better, by macro F1 and balanced accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge.estimates.differences
import adjudge.estimates.posterior
from adjudge import Predictions, compare

CELLS = [(k, n, skewed) for k in (3, 10) for n in (60, 300) for skewed in (False, True)]
SKILL, SHARED = 0.7, 0.3
ALLOWED, WORST = 0.10, 0.12
"""Verdicts among equal pairs: on average over the cells, and in each of them."""


def classes_of(k, n, *, skewed):
    """Return the true classes: as many cases of each, or ever fewer, down to two."""
    share = 1 / np.arange(1, k + 1) ** skewed
    sizes = np.maximum(2, np.floor(n * share / share.sum())).astype(int)
    sizes[0] += n - sizes.sum()
    return np.repeat(np.arange(k), sizes)


def equals(truth, k, rng):
    """Return what two classifiers say that are equally good by construction, with a part of their answers in common."""
    said = []
    for _ in range(3):
        wrong = (truth + rng.integers(1, k, truth.size)) % k
        said.append(np.where(rng.random(truth.size) < SKILL, truth, wrong))
    common = rng.random(truth.size) < SHARED
    return [np.where(common, said[2], each) for each in said[:2]]


def verdict_rate(measure, cell, times, seed):
    k, n, skewed = cell
    rng, called, rows = np.random.default_rng(seed), 0, np.arange(n)
    truth = classes_of(k, n, skewed=skewed)
    for _ in range(times):
        a, b = (Predictions(truth, said, row=rows) for said in equals(truth, k, rng))
        called += compare(a, b, measure=measure).verdict in ("better", "worse")
    return called / times


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "times"), [("f1", 100), ("balanced_accuracy", 200)])
def test_equal_classifiers_of_several_classes_seldom_get_a_verdict(measure, times, monkeypatch):
    for module in (adjudge.estimates.differences, adjudge.estimates.differences, adjudge.estimates.posterior):
        monkeypatch.setattr(module, "DRAWS", 2_000)
    rates = {cell: verdict_rate(measure, cell, times, [31, at]) for at, cell in enumerate(CELLS)}
    assert np.mean(list(rates.values())) <= ALLOWED, rates
    assert max(rates.values()) <= WORST, rates
