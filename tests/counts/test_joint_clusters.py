"""Patterns of answers by cluster: they follow from the rows, in any order, and add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clustered_pairs import aligned, answers

import adjudge
from adjudge import InputError
from adjudge.counts.joint import add_joint, count_joint


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.booleans(), st.integers(0, 2**32 - 1))
def test_each_cluster_has_the_patterns_of_its_rows_whatever_their_order(sizes, weighted, seed):
    rng = np.random.default_rng(seed)
    cluster, truth, a, b = answers(rng, sizes, k=3)
    weight = rng.integers(0, 3, truth.size).astype(float) if weighted else np.ones(truth.size)
    weight[0] = 0.5 if weighted else 1.0
    order = rng.permutation(truth.size)
    more = {"classes": [0, 1, 2]} | ({"weight": weight} if weighted else {})
    joint = count_joint(aligned(truth, a, b, cluster=cluster, **more))
    if weighted:
        more["weight"] = weight[order]
    again = count_joint(aligned(truth[order], a[order], b[order], cluster=cluster[order], **more))
    for counted in (joint, again):
        assert np.array_equal(counted.clusters.keys, joint.clusters.keys)
        only_a = counted.clusters.sums((counted.right[:, 0] & ~counted.right[:, 1]).astype(float))
        expected = np.bincount(cluster, weight * ((a == truth) & (b != truth)), len(sizes))
        assert np.allclose(np.sort(only_a), np.sort(expected))
        assert np.array_equal(np.sort(counted.clusters.rows), np.sort(sizes))


def test_one_classifier_has_its_table_by_cluster():
    cluster, truth, a, b = answers(np.random.default_rng(1), [4] * 6)
    joint = count_joint(aligned(truth, a, b, cluster=cluster))
    own = joint.confusion(1).clusters
    cells = np.zeros((2, 2))
    np.add.at(cells, (own.truth, own.predicted), own.n)
    assert np.array_equal(cells, joint.confusion(1).cells)
    assert own.clusters == 6


def test_clusters_of_a_row_each_leave_tables_as_they_are():
    _, truth, a, b = answers(np.random.default_rng(1), [4] * 6)
    joint = count_joint(aligned(truth, a, b, cluster=np.arange(24)))
    assert joint.clusters.singles
    assert joint.confusion(0).clusters is None


def test_parts_add_up_to_the_whole():
    rng = np.random.default_rng(3)
    cluster, truth, a, b = answers(rng, [5] * 8, k=3)
    half = np.arange(40) % 2 == 0  # every cluster is in both parts
    of = lambda rows: count_joint(aligned(truth[rows], a[rows], b[rows], cluster=cluster[rows], classes=[0, 1, 2]))  # noqa: E731
    whole, parts = of(slice(None)), [of(half), of(~half)]
    both = add_joint(parts, (0, 1, 2))
    for name in ("keys", "at", "pattern", "n", "rows"):
        assert np.array_equal(getattr(both.clusters, name), getattr(whole.clusters, name))
    with pytest.raises(InputError, match="One part names the clusters"):
        add_joint([parts[0], count_joint(aligned(truth[~half], a[~half], b[~half], classes=[0, 1, 2]))], (0, 1, 2))


def test_counts_of_pairs_carry_clusters_and_no_file_drops_them(tmp_path):
    cluster, truth, a, b = answers(np.random.default_rng(5), [10] * 20)
    sets = [adjudge.Predictions(truth, each, row=np.arange(truth.size), cluster=cluster) for each in (a, b)]
    counts = adjudge.count_pairs(*sets, names=["a", "b"])
    assert adjudge.compare(counts).interval == adjudge.compare(*sets).interval
    with pytest.raises(InputError, match="holds no clusters"):
        counts.save(tmp_path / "pairs.counts")
