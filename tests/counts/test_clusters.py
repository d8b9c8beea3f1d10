"""What clusters come to: the same for any split and order of rows, against loops over rows; many clusters put together."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counts.made import same_clusters

from adjudge.counts import clusters as module
from adjudge.counts.clusters import BINS, MOST, ClusterCounter, bins_of, clusters_together
from adjudge.predictions.blocks import Block


def counted(blocks, *, scale="probabilities", names=()):
    counter = ClusterCounter()
    encoder = SimpleNamespace(scores=SimpleNamespace(scale=scale), clusters=dict(names))
    for block in blocks:
        counter.add(block, encoder)
    return counter.counts


def block(rng, n, clusters, *, k=3, weight=None, scores=True):
    truth, keys = rng.integers(0, k, n), rng.integers(-(2**63), 2**63 - 1, clusters)
    p = rng.dirichlet(np.ones(k), n) if scores else None
    weights = {None: None, "cases": rng.integers(1, 9, n), "real": rng.random(n) * 10.0 ** rng.integers(-3, 4, n)}[weight]
    return Block(truth, rng.integers(-1, k, n), p, weights, cluster=keys[rng.integers(0, clusters, n)])


def rows(whole, chosen):
    parts = (whole.truth, whole.predicted, whole.scores, whole.weight, None, None, whole.cluster)
    return Block(*(None if part is None else part[chosen] for part in parts))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 2**32),
    st.sampled_from([None, "cases", "real"]),
    st.integers(1, 60),
    st.lists(st.integers(0, 200), max_size=4),
    st.booleans(),
)
def test_any_split_and_order_is_the_same(seed, weight, clusters, cuts, scores):
    rng = np.random.default_rng(seed)
    whole = block(rng, 200, clusters, weight=weight, scores=scores)
    parts = [rows(whole, part) for part in np.split(rng.permutation(200), sorted(cuts)) if part.size]
    one = counted([whole])
    same_clusters(one, counted(parts))
    same_clusters(one, clusters_together([counted([part]) for part in reversed(parts)]))


@pytest.mark.parametrize("weight", [None, "cases", "real"])
def test_a_loop_over_rows_gives_the_same(weight):
    rng = np.random.default_rng(1)
    whole = block(rng, 500, 7, weight=weight)
    found, cells, losses = counted([whole]), Counter(), Counter()
    for i, key in enumerate(whole.cluster.tolist()):
        w = 1 if weight is None else Fraction(whole.weight[i].item())
        cells[key, int(whole.truth[i]), int(whole.predicted[i])] += w
        p = whole.scores[i] / whole.scores[i].sum()
        losses[key] += float(w) * float(((p - (np.arange(3) == whole.truth[i])) ** 2).sum())
    entries = zip(found.keys[found.at].tolist(), found.truth.tolist(), found.predicted.tolist(), strict=True)
    assert {entry: float(n) for entry, n in cells.items()} == pytest.approx(dict(zip(entries, found.n.tolist(), strict=True)))
    np.testing.assert_allclose(found.losses[:, 0], [losses[key] for key in found.keys.tolist()], rtol=1e-12)
    times = whole.weight if weight == "cases" else np.ones(500)
    assert found.rows.tolist() == [times[whole.cluster == key].sum() for key in found.keys]


def test_rows_that_stand_for_cases_are_as_many_rows():
    whole = block(np.random.default_rng(2), 300, 9, weight="cases")
    same_clusters(counted([whole]), counted([whole.each_case()]))


def test_equal_rows_weigh_what_they_add_up_to():
    """A weight of 2 for all is twice the counts without, exactly; squares of weights are no matter of clusters."""
    plain = block(np.random.default_rng(3), 300, 9)
    double = Block(plain.truth, plain.predicted, plain.scores, np.full(300, 2.0), cluster=plain.cluster)
    one, two = counted([plain]), counted([double])
    assert (two.n == 2 * one.n).all()
    np.testing.assert_allclose(two.losses, 2 * one.losses, rtol=1e-14)


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-300, 1e280])
def test_weights_of_any_size_keep_their_digits(scale):
    rng = np.random.default_rng(4)
    whole = block(rng, 200, 5, weight="real")
    whole = Block(whole.truth, whole.predicted, whole.scores, whole.weight * scale, cluster=whole.cluster)
    found = counted([whole])
    same_clusters(found, counted([rows(whole, rng.permutation(200))]))
    own = [whole.weight[whole.cluster == key].sum() for key in found.keys]
    np.testing.assert_allclose(found.cases, own, rtol=1e-13)


# -- more clusters than are counted one by one -----------------------------------------------------------------


def test_many_clusters_are_put_together_alike_in_any_split(monkeypatch):
    monkeypatch.setattr(module, "_WAITING", 500)
    rng = np.random.default_rng(5)
    whole = block(rng, 12_000, 9_000, k=2)
    one = counted([whole])
    assert one.together
    assert one.clusters <= MOST
    parts = [rows(whole, part) for part in np.array_split(rng.permutation(12_000), 5)]
    same_clusters(one, counted(parts))
    same_clusters(one, clusters_together([counted([part]) for part in parts]))
    assert one.rows.sum() == 12_000
    keys, times = np.unique(whole.cluster.view(np.uint64), return_counts=True)
    assert one.known[0].view(np.uint64).tolist() == keys[:MOST].tolist()
    assert one.known[1].tolist() == times[:MOST].tolist()
    assert one.how_many == pytest.approx(keys.size, rel=0.05)  # 4,096 known: one standard error is 1.6%


def test_parts_of_few_clusters_each_may_be_many_together():
    rng = np.random.default_rng(6)
    parts = [block(rng, 6000, 3000, k=2) for _ in range(2)]
    apart = [counted([part]) for part in parts]
    assert not any(each.together for each in apart)
    same_clusters(clusters_together(apart), counted(parts))
    assert clusters_together(apart).together


def test_so_many_as_are_counted_stay_apart():
    keys = np.arange(MOST)
    exactly = Block(np.zeros(MOST, dtype=int), np.zeros(MOST, dtype=int), cluster=keys)
    assert not counted([exactly]).together
    more = Block(exactly.truth, exactly.predicted, cluster=keys + 1)
    assert counted([exactly, more]).together


def test_the_variance_of_sums_is_kept_on_average():
    """Independent clusters put together at random: the variance of their sums, M/(M-1) of squared deviations, is unbiased."""
    rng, ratios = np.random.default_rng(7), []
    for _ in range(30):
        n = 10_000
        keys = rng.integers(-(2**63), 2**63 - 1, n)
        hit = (rng.random(n) < 0.7).astype(int)
        times = rng.integers(1, 4, n)
        part = Block(np.zeros(n * 2, dtype=int), np.repeat(hit, 2), None, np.repeat(times, 2), cluster=np.repeat(keys, 2))
        found = counted([part])
        assert found.together
        moved = (found.predicted == 1) - float(found.n @ (found.predicted == 1)) / found.n.sum()
        sums = found.sums(moved)
        each = 2 * times * (hit - float(times @ hit) / times.sum())
        ratios.append(sums.size / (sums.size - 1) * ((sums - sums.mean()) ** 2).sum() / (each**2).sum())
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.std(ratios) / np.sqrt(30))
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


# -- classes ---------------------------------------------------------------------------------------------------


def test_a_class_against_the_rest():
    whole = block(np.random.default_rng(8), 400, 6, k=4)
    found = counted([whole])
    for at in range(4):
        pair = found.against_rest(at)
        none = whole.predicted < 0
        said = np.where(none, -1, (whole.predicted != at).astype(int))
        two = counted([Block((whole.truth != at).astype(int), said, cluster=whole.cluster)])
        same_clusters(pair, two)
    assert found.against_rest(0).losses is None


def test_classes_move_to_their_places():
    whole = block(np.random.default_rng(9), 400, 6, weight="real")
    place = np.array([2, 0, 1])
    said = np.where(whole.predicted < 0, -1, place[whole.predicted])
    moved = Block(place[whole.truth], said, whole.scores[:, np.argsort(place)], whole.weight, cluster=whole.cluster)
    found, wanted = counted([whole]).moved(place), counted([moved])
    np.testing.assert_allclose(found.losses, wanted.losses, rtol=1e-12)
    for name in ("at", "truth", "predicted", "n", "rows", "scored_n"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


# -- bins of scores --------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=50), st.booleans())
def test_bins_keep_the_order(values, probable):
    scores = np.sort(np.array(values) % 1 if probable else np.array(values))
    binned = bins_of(scores, probable=probable)
    assert (np.diff(binned) >= 0).all()
    assert binned.min() >= 0
    assert binned.max() < BINS


def test_bins_are_fine_near_both_ends():
    for ends in (np.array([1e-9, 2e-9, 1e-3, 2e-3, 0.3, 0.5]), 1 - np.array([0.5, 0.3, 2e-3, 1e-3, 2e-9, 1e-9])):
        assert (np.diff(bins_of(ends, probable=True)) > 0).all()
    assert bins_of(np.array([0.0, 1.0]), probable=True).tolist() == [0, BINS - 1]


# -- names and nothing -----------------------------------------------------------------------------------------


def test_names_come_with_their_clusters_and_rows_without_clusters_with_none():
    part = Block(np.array([0, 1]), np.array([0, 1]), cluster=np.array([5, 7]))
    assert counted([part], names={5: "Ada", 7: "Bo", 9: "Cy"}).names == {5: "Ada", 7: "Bo"}
    assert counted([Block(np.array([0]), np.array([0]))]) is None


def test_losses_so_small_that_they_hardly_count_keep_their_digits():
    p = 1 - np.array([[1e-9], [3e-9], [1e-12]])
    found = counted([Block(np.zeros(3, dtype=int), np.zeros(3, dtype=int), p, cluster=np.array([1, 1, 2]))])
    np.testing.assert_allclose(found.losses[:, 1], [-np.log(p[:2, 0]).sum(), -np.log(p[2, 0])], rtol=1e-9)
