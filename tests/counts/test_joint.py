"""Patterns of truth and decisions: every table of one or two classifiers follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss

from adjudge import Predictions, WeightedCounts
from adjudge.counts.confusion import DENSE
from adjudge.counts.counting import tally
from adjudge.counts.joint import JointCounts, count_joint, losses, tally_set
from adjudge.predictions.alignment import side_by_side


def together(truth, *said, **more):
    scores = more.pop("scores", [None] * len(said))
    rows = more.pop("row", np.arange(len(truth)))
    sets = [Predictions(truth, each, own, row=rows, **more) for each, own in zip(said, scores, strict=True)]
    return side_by_side(sets, [f"m{i}" for i in range(len(said))], scores=scores[0] is not None)


@pytest.mark.slow
@given(st.integers(2, 5), st.integers(1, 4), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_each_classifier_has_its_own_confusion_table(k, m, n, seed):
    truth, *said = np.random.default_rng(seed).integers(0, k, (m + 1, n))
    joint = count_joint(together(truth, *said, classes=range(k)))
    assert joint.n.sum() == n
    for i, each in enumerate(said):
        assert np.array_equal(joint.confusion(i).cells, confusion_matrix(truth, each, labels=range(k)))


@pytest.mark.slow
@given(st.integers(2, 4), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_outcomes_by_class(k, n, seed):
    truth, a, b = np.random.default_rng(seed).integers(0, k, (3, n))
    found = count_joint(together(truth, a, b, classes=range(k))).outcomes(0, 1)
    for c in range(k):
        right_a, right_b = a[truth == c] == c, b[truth == c] == c
        expected = [
            (right_a & right_b).sum(),
            (right_a & ~right_b).sum(),
            (~right_a & right_b).sum(),
            (~right_a & ~right_b).sum(),
        ]
        assert found[c].tolist() == expected


@pytest.mark.parametrize("k", [3, 200, 40_000])
def test_many_classes_are_counted_sparsely_and_alike(k):
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, k, (3, 500))
    joint = count_joint(together(truth, a, b))
    assert joint.n.sum() == 500
    labels = np.array(joint.classes)
    rows = {(labels[t], labels[x], labels[y]) for t, (x, y) in zip(joint.truth, joint.predicted, strict=True)}
    assert rows == set(zip(truth.tolist(), a.tolist(), b.tolist(), strict=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_table_of_many_classes_holds_the_cells_that_occur(weighted):
    rng, k = np.random.default_rng(1), DENSE + 1
    truth, a = rng.integers(0, k, (2, 300))
    joint = JointCounts(
        (*range(k),), ("a",), truth, a[:, None], *([rng.random(300)] * 2 if weighted else [rng.integers(1, 9, 300)])
    )
    table = joint.confusion(0)
    assert len(table.cells.data) <= 300
    wanted = np.zeros((k, k))
    np.add.at(wanted, (truth, a), joint.n)
    assert np.array_equal(table.cells.toarray(), wanted)
    assert isinstance(table, WeightedCounts) == weighted


def test_more_classifiers_than_one_number_can_code():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 9, 300)
    said = rng.integers(0, 9, (25, 300))
    joint = count_joint(together(truth, *said))
    assert np.array_equal(joint.confusion(24).cells, confusion_matrix(truth, said[24], labels=range(9)))


def test_weights_are_summed_and_worth_follows():
    truth, a, b = [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]
    joint = count_joint(together(truth, a, b, weight=[1.0, 2.0, 3.0, 4.0]))
    table = joint.confusion(0)
    assert isinstance(table, WeightedCounts)
    assert table.cells.tolist() == [[1.0, 2.0], [0.0, 7.0]]
    assert joint.worth.sum() == pytest.approx(10**2 / 30)


def test_repeated_cases_count_once():
    truth = np.tile([0, 1], 6)
    joint = count_joint(together(truth, truth, 1 - truth, row=np.tile([1, 2], 6), fold=np.repeat(range(6), 2)))
    assert joint.n.sum() == pytest.approx(2)
    assert joint.worth.sum() == pytest.approx(2)
    assert joint.confusion(0).n == pytest.approx(2)
    assert joint.confusion(0).effective_n == pytest.approx(2)


def test_rejected_decisions_have_a_column():
    joint = count_joint(together(["x", "y", "y"], ["x", "?", "y"], ["?", "?", "x"], rejected="?"))
    assert joint.confusion(0).cells.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert joint.confusion(1).cells.tolist() == [[0, 0, 1], [1, 0, 1]]


def test_losses_of_cases_against_scikit_learn():
    rng = np.random.default_rng(1)
    truth, p = rng.integers(0, 3, 80), rng.dirichlet([1, 1, 1], 80)
    cases = together(truth, p.argmax(axis=1), scores=[p], classes=[0, 1, 2])
    assert losses(cases, 0, "log_loss").mean() == pytest.approx(log_loss(truth, p), rel=1e-12)
    assert losses(cases, 0, "brier").mean() == pytest.approx(((p - np.eye(3)[truth]) ** 2).sum(axis=1).mean(), rel=1e-12)
    two, q = rng.integers(0, 2, 80), rng.random(80)
    cases = together(two, q > 0.5, scores=[q], classes=[0, 1], positive=1, labels_as=None)
    assert losses(cases, 0, "brier").mean() == pytest.approx(brier_score_loss(two, q), rel=1e-12)
    assert losses(cases, 0, "log_loss").mean() == pytest.approx(log_loss(two, q), rel=1e-12)


def test_a_set_is_tallied_as_if_alone():
    from adjudge.counts.counting import tally

    rng = np.random.default_rng(2)
    truth, p = rng.integers(0, 3, 50), rng.dirichlet([1, 1, 1], 50)
    alone = tally(Predictions(truth, p.argmax(axis=1), p, classes=[0, 1, 2]))
    cases = together(truth, p.argmax(axis=1), scores=[p], classes=[0, 1, 2])
    found = tally_set(cases, 0)
    assert found.confusion == alone.confusion
    assert found.probabilities.squared == alone.probabilities.squared
    assert [found.scores.area(c) for c in range(3)] == [alone.scores.area(c) for c in range(3)]


@pytest.mark.parametrize(("k", "single"), [(2, True), (2, False), (3, False)])
def test_a_set_has_the_clusters_that_counting_it_alone_gives(k, single):
    rng = np.random.default_rng(4)
    truth, cluster = rng.integers(0, k, 90), rng.integers(0, 12, 90)
    p = rng.dirichlet(np.ones(k), 90)
    more = {"positive": 1} if single else {"classes": list(range(k))}
    alone = Predictions(truth, p.argmax(axis=1), p[:, 1] if single else p, row=np.arange(90), cluster=cluster, **more)
    expected = tally(alone).confusion.clusters
    found = tally_set(side_by_side([alone, alone], ["a", "b"], scores=True), 0, clusters=True).confusion.clusters
    for name in ("keys", "rows", "losses", "at", "truth", "predicted", "n", "scored_n"):
        assert np.allclose(getattr(found, name), getattr(expected, name))
    assert all(np.array_equal(one, other) for one, other in zip(found.scored, expected.scored, strict=True))
