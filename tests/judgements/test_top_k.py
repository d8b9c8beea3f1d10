"""Top-k accuracy: against scikit-learn, against every order of tied classes, and its laws."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import top_k_accuracy_score

import adjudge
from adjudge.estimates.estimate import limits_of_share

LABELS = list("abcdefghijklmnopqrstuvwxyz")


def random(n, k, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    truth, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    p = p if decimals is None else (np.round(p, decimals) + 1e-9)
    return truth, p / p.sum(axis=1, keepdims=True)


def top_k(truth, p, **how):
    classes = LABELS[: p.shape[1]]
    return adjudge.evaluate(adjudge.Predictions([classes[i] for i in truth], scores=p, classes=classes, **how)).top_k


def in_every_order(truth, p, k):
    """Return the share found among the first k, on average over every order of the classes, by trying them all."""
    found = []
    for order in permutations(range(p.shape[1])):
        ranked = np.array([sorted(order, key=lambda at, row=row: -row[at])[:k] for row in p])
        found.append(np.mean((ranked == truth[:, None]).any(axis=1)))
    return np.mean(found)


@pytest.mark.parametrize(("n", "k"), [(300, 3), (20_000, 7), (2_000, 26)])
def test_without_ties_it_is_that_of_scikit_learn(n, k):
    truth, p = random(n, k)
    found = top_k(truth, p)
    assert [each.k for each in found] == list(range(1, min(k, 20) + 1))
    for each in found[: k - 1]:
        assert each.share == pytest.approx(top_k_accuracy_score(truth, p, k=each.k, labels=range(k)), abs=1e-12)
        low, high = limits_of_share(round(each.share * n), n, 0.95, "midp").low, each.interval.high
        assert (each.interval.low, each.interval.method) == (pytest.approx(low), "midp")
        assert low < each.share < high or each.share == 1


def test_weights_are_those_of_scikit_learn():
    truth, p = random(400, 5, seed=3)
    weight = np.random.default_rng(4).uniform(0.1, 3, 400)
    plain = top_k(truth, p)
    for one, each in zip(plain, found := top_k(truth, p, weight=weight), strict=True):
        if each.k < 5:
            told = top_k_accuracy_score(truth, p, k=each.k, labels=range(5), sample_weight=weight)
            assert each.share == pytest.approx(told, abs=1e-12)
            assert each.interval.high - each.interval.low > one.interval.high - one.interval.low  # worth fewer cases
    assert found[-1].share == 1


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(3, 5), st.integers(1, 12))
def test_ties_come_to_the_mean_over_every_order_of_the_classes(seed, k, n):
    truth, p = random(n, k, seed, decimals=0 if seed % 2 else 1)
    for each in top_k(truth, p):
        assert each.share == pytest.approx(in_every_order(truth, p, each.k), abs=1e-9)


def test_scikit_learn_settles_ties_for_the_class_listed_last():
    truth, p = np.array([0, 0, 2, 2]), np.full((4, 3), 1 / 3)
    assert top_k_accuracy_score(truth, p, k=1, labels=range(3)) == 0.5
    assert top_k_accuracy_score(np.array([0, 0, 0, 0]), p, k=1, labels=range(3)) == 0
    assert [each.share for each in top_k(truth, p)] == pytest.approx([1 / 3, 2 / 3, 1])


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(1, 200), st.sampled_from([None, 1]))
def test_laws(seed, k, n, decimals):
    truth, p = random(n, k, seed, decimals)
    found = top_k(truth, p)
    shares = [each.share for each in found]
    assert shares == sorted(shares)
    assert (shares[-1], found[-1].interval.low, found[-1].interval.high) == (1, 1, 1)
    order = np.random.default_rng(seed).permutation(k)
    moved = top_k(np.argsort(order)[truth], p[:, order])
    assert [each.share for each in moved] == pytest.approx(shares, abs=1e-12)
    assert [each.commonest for each in moved] == pytest.approx([each.commonest for each in found])
    assert all(each.commonest <= 1 for each in found)


def test_with_one_class_named_it_is_the_accuracy():
    truth, p = random(500, 6)
    classes = LABELS[:6]
    evaluation = adjudge.evaluate(adjudge.Predictions([classes[i] for i in truth], scores=p, classes=classes))
    assert evaluation.top_k[0].share == evaluation.estimates["accuracy"].value
    assert evaluation.top_k[0].commonest == evaluation.baseline[1]
    assert evaluation.to_dict()["top_k"][1]["k"] == 2


def test_counts_and_their_sums_know_it(tmp_path):
    truth, p = random(3_000, 4, decimals=1)
    parts = []
    for at, rows in enumerate(np.array_split(np.arange(3_000), 3)):
        part = adjudge.Predictions([LABELS[i] for i in truth[rows]], scores=p[rows], classes=LABELS[:4])
        adjudge.count(part).save(tmp_path / f"{at}.counts")
        parts.append(adjudge.load_counts(tmp_path / f"{at}.counts"))
    whole = top_k(truth, p)
    assert [each.share for each in adjudge.evaluate(sum(parts[1:], parts[0])).top_k] == [each.share for each in whole]


def test_two_classes_scores_and_no_scores_have_none():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=100)
    assert (
        adjudge.evaluate(adjudge.Predictions(rng.integers(0, 2, 100), scores=np.column_stack([1 - p, p]), classes=[0, 1])).top_k
        == ()
    )
    assert adjudge.evaluate(adjudge.Predictions(list("abc"), list("abb"))).top_k == ()
    with pytest.raises(adjudge.InputError, match=r"no top-k to draw: that takes probabilities of 3 classes or more"):
        adjudge.evaluate(adjudge.Predictions(list("abc"), list("abb"))).plot(kind="top-k")
