"""How often `compare` calls one of two equally good classifiers of several classes better, by macro F1 and balanced accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verbs.equal_pairs import LEVEL, is_verdict

import adjudge.estimates.differences
import adjudge.estimates.posterior
from adjudge import Predictions, compare
from adjudge.counts.joint import JointCounts
from adjudge.estimates.differences import in_order, paired_difference, swap_tails
from adjudge.metrics.catalogue import find

CELLS = [(3, 60, False), (3, 300, True), (10, 60, True), (10, 300, False)]
"""Classes, cases, ever fewer cases of each: of all eight, half, in which each is met with each of the others."""
SKILL, SHARED = 0.7, 0.3
COMPARED = 3
"""Pairs of each cell that the public verb judges as well."""
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


def is_called_better(measure, truth, said, k):
    """Return whether `compare` calls one of two better; where swaps of answers leave doubt it does not, and no draws are made."""
    joint = JointCounts(tuple(range(k)), ("a", "b"), truth, np.stack(said, axis=1), np.ones(truth.size, dtype=np.int64))
    if measure == "f1":
        tail = swap_tails(in_order(joint, 0, 1, None)[0], [find(measure)], None)[0]
        if min(tail, 1 - tail) > 1 - LEVEL:
            return False
    return is_verdict(paired_difference(joint, find(measure), 0, 1, positive=None).distribution)


def verdict_rate(measure, cell, times, seed):
    """Return how often one of two is called better; of the first pairs the public verb says the same."""
    k, n, skewed = cell
    rng, called, rows = np.random.default_rng(seed), [], np.arange(n)
    truth = classes_of(k, n, skewed=skewed)
    for turn in range(times):
        said = equals(truth, k, rng)
        called.append(is_called_better(measure, truth, said, k))
        if turn < COMPARED:
            a, b = (Predictions(truth, each, row=rows) for each in said)
            assert called[-1] == (compare(a, b, measure=measure).verdict in ("better", "worse"))
    return np.mean(called)


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "times"), [("f1", 100), ("balanced_accuracy", 200)])
def test_equal_classifiers_of_several_classes_seldom_get_a_verdict(measure, times, monkeypatch):
    for module in (adjudge.estimates.differences, adjudge.estimates.posterior):
        monkeypatch.setattr(module, "DRAWS", 2_000)
    rates = {cell: verdict_rate(measure, cell, times, [31, at]) for at, cell in enumerate(CELLS)}
    assert np.mean(list(rates.values())) <= ALLOWED, rates
    assert max(rates.values()) <= WORST, rates
