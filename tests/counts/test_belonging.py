"""Clusters within folds and groups: those of the rows of each part, in any split, too many of them put together."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import Predictions, count, evaluate
from adjudge.counts import belonging
from adjudge.counts.counting import tally


def drawn(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n), rng.integers(0, 2, n), rng.choice(list("xyz"), n), rng.integers(0, 4, n), rng.integers(0, 30, n)


def cells_of(counts):
    found = counts.clusters
    keys = found.keys[found.at].tolist()
    return dict(zip(zip(keys, found.truth.tolist(), found.predicted.tolist(), strict=True), found.n.tolist(), strict=True))


def test_the_clusters_of_a_part_are_those_of_its_rows():
    truth, said, group, fold, cluster = drawn()
    whole = tally(Predictions(truth, said, group=group, fold=fold, cluster=cluster))
    for labels, tables in ((group, whole.by_group), (fold, whole.by_fold)):
        for label, counts in tables.items():
            mine = labels == label
            alone = tally(Predictions(truth[mine], said[mine], cluster=cluster[mine])).confusion
            assert cells_of(counts) == cells_of(alone)
            assert counts.clusters.cases.sum() == counts.n


def test_parts_of_the_rows_add_up():
    truth, said, group, fold, cluster = drawn()
    each = [Predictions(*(a[at] for a in (truth, said)), group=group[at], fold=fold[at], cluster=cluster[at])
            for at in np.array_split(np.arange(400), 3)]  # fmt: skip
    together = evaluate(count(*each)).groups.accuracy
    whole = evaluate(Predictions(truth, said, group=group, fold=fold, cluster=cluster)).groups.accuracy
    for label, one in whole.items():
        assert together[label].interval.low == pytest.approx(one.interval.low, abs=1e-12)


def test_without_clusters_parts_have_none():
    truth, said, group, *_ = drawn()
    assert all(counts.clusters is None for counts in tally(Predictions(truth, said, group=group)).by_group.values())


def test_too_many_are_put_together_at_random(monkeypatch):
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(20_000), 2)
    group, hit = cluster % 2, rng.random(20_000)[cluster] < 0.7
    predictions = Predictions(np.ones(40_000, dtype=int), hit.astype(int), group=group, cluster=cluster)
    apart = tally(predictions).by_group[0]
    monkeypatch.setattr(belonging, "_MOST_ENTRIES", 5000)
    alike = tally(predictions).by_group[0]
    assert apart.clusters.clusters == 10_000
    assert alike.clusters.clusters <= 4096
    assert alike.clusters.together
    from adjudge.estimates.estimate import of_accuracy
    from adjudge.metrics.on_counts import ACCURACY

    widths = [np.ptp([(i := of_accuracy(each, ACCURACY).interval).low, i.high]) for each in (apart, alike)]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)
