"""Where it goes wrong: against counts by hand, scipy's Wilson limits, and scikit-learn's losses of the class shares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.stats import binomtest
from sklearn.metrics import brier_score_loss, log_loss

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.counts.confusion import WeightedCounts
from adjudge.judgements.weaknesses import (
    FEWEST,
    LARGE,
    WEAK,
    confidence_of,
    large_confusions,
    largest_confusions,
    skills,
    weak_classes,
)

TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)


@pytest.mark.slow
@given(TABLES)
def test_confusions_are_the_wrong_cells_the_largest_first(cells):
    counts = ConfusionCounts(cells)
    table = np.array(cells)
    wrong = {(i, j): n for (i, j), n in np.ndenumerate(table) if i != j and n}
    found = largest_confusions(counts, 1000)
    assert {(c.truth, c.decided): c.cases for c in found} == wrong
    assert not counts.n or adjudge.evaluate(counts).weaknesses.pairs_confused == len(wrong)
    assert [c.cases for c in found] == sorted(wrong.values(), reverse=True)
    for c in found:
        assert c.share == c.cases / table[c.truth].sum()
        assert c.interval.low <= c.share <= c.interval.high
    assert not found or sum(c.of_errors for c in found) == pytest.approx(1)


def test_sparse_tables_and_cases_without_a_decision():
    dense = ConfusionCounts([[3, 2, 9], [1, 4, 0]], ("a", "b"))
    sparse = ConfusionCounts(coo_array(np.array([[3, 2, 9], [1, 4, 0]])), ("a", "b"))
    for counts in (dense, sparse):
        assert [(c.truth, c.decided, c.cases) for c in largest_confusions(counts, 9)] == [("a", "b", 2), ("b", "a", 1)]


def test_weights_are_worth_fewer_cases():
    cells = np.array([[8.0, 2.0], [0.0, 5.0]])
    alike = WeightedCounts(cells, ("a", "b"), squares=cells)
    heavy = WeightedCounts(cells, ("a", "b"), squares=4 * cells)
    (one,), (other,) = (largest_confusions(counts, 9) for counts in (alike, heavy))
    assert one.share == other.share == 0.2
    assert other.interval.high - other.interval.low > one.interval.high - one.interval.low


MOLES = ConfusionCounts(
    [[80, 58, 0, 0], [30, 1800, 10, 5], [2, 6, 40, 0], [0, 3, 0, 4]], ("melanoma", "nevus", "vascular", "fibroma")
)


def test_a_confusion_that_takes_much_of_a_class_is_named_and_one_of_a_tiny_class_is_not():
    assert [(c.truth, c.decided, c.cases) for c in large_confusions(MOLES)] == [("melanoma", "nevus", 58)]
    (found,) = large_confusions(MOLES)
    assert found.share == 58 / 138
    assert large_confusions(ConfusionCounts([[90, 50], [0, 90]], "ab")) == ()  # of two classes sensitivity says it
    assert large_confusions(ConfusionCounts(np.eye(3, dtype=int))) == ()
    assert large_confusions(ConfusionCounts([[90, 5, 0], [0, 90, 1], [1, 1, 90]], "abc")) == ()  # the commonest error, and small


@pytest.mark.slow
@settings(max_examples=20)
@given(TABLES)
def test_large_confusions_have_lower_bounds_above_the_share(cells):
    """Against scipy's limits, all cells together."""
    counts, table = ConfusionCounts(cells), np.array(cells)
    k = len(cells)
    wanted = {}
    for (i, j), n in np.ndenumerate(table):
        if i != j and n and k > 2:
            limits = binomtest(int(n), int(table[i].sum())).proportion_ci(1 - 0.05 / (k * (k - 1)), method="exact")
            wanted[i, j] = limits.low
    found = {(c.truth, c.decided): wanted[c.truth, c.decided] for c in large_confusions(counts)}
    assert set(found) == {at for at, low in wanted.items() if low > LARGE}
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.slow
@given(TABLES)
def test_weak_classes_are_surely_below_the_others(cells):
    """By MOVER from scipy's Wilson limits, written out."""
    counts, table = ConfusionCounts(cells), np.array(cells)
    seen = [int(i) for i in np.flatnonzero(table.sum(axis=1))]
    found = [each.of for each in weak_classes(counts)]
    if len(seen) < 2:
        assert found == []
        return
    own = {i: table[i, i] / table[i].sum() for i in seen}
    level = 1 - 0.05 / len(seen)
    limits = {i: binomtest(int(table[i, i]), int(table[i].sum())).proportion_ci(level, method="wilson") for i in seen}
    bound = {}
    for i in seen:
        rest = [j for j in seen if j != i and table[j].sum() >= FEWEST]
        if not rest:
            continue
        below = sum((own[j] - limits[j].low) ** 2 for j in rest) / len(rest) ** 2
        bound[i] = own[i] - np.mean([own[j] for j in rest]) + np.sqrt((limits[i].high - own[i]) ** 2 + below)
    assert set(found) == {i for i in bound if bound[i] < -WEAK}
    assert [bound[i] for i in found] == pytest.approx(sorted(bound[i] for i in found))


def spread(recalls, n):
    """Return a table of classes found so often, errors spread over all others."""
    n, k = np.broadcast_to(n, len(recalls)), len(recalls)
    right = np.rint(np.array(recalls) * n).astype(int)
    table = np.zeros((k, k), dtype=int)
    for i in range(k):
        table[i] = np.bincount(np.arange(n[i] - right[i]) % (k - 1), minlength=k)[[*range(i), k - 1, *range(i, k - 1)]]
        table[i, i] = right[i]
    return ConfusionCounts(table)


@pytest.mark.parametrize("n", [50, 1000, 10**6])
def test_classes_that_are_alike_are_not_weak(n):
    assert weak_classes(spread([0.79, 0.78, 0.8, 0.79, 0.785], n)) == ()


def test_a_tiny_class_makes_no_other_weak_and_is_not_weak_itself():
    """One case that was right says nothing against huge classes, and one that was wrong nothing against its own."""
    assert weak_classes(spread([0.8, 0.8, 1.0], [10**6, 10**6, 1])) == ()
    assert weak_classes(spread([0.8, 0.8, 0.0], [10**6, 10**6, 1])) == ()
    assert [each.of for each in weak_classes(spread([0.8, 0.8, 0.4], [10**6, 10**6, 50]))] == [2]
    assert [each.of for each in weak_classes(ConfusionCounts([[0, 15], [0, 19]]))] == [0]  # never found by a constant answer
    assert weak_classes(ConfusionCounts([[0, 5], [0, 9]])) == ()
    assert weak_classes(MOLES)[0].of == "melanoma"


@pytest.mark.slow
def test_equal_classes_are_seldom_called_weak():
    rng, times, k = np.random.default_rng(1), 0, 20
    for _ in range(2000):
        right = rng.binomial(50, 0.8, k)
        table = np.diag(right)
        table[np.arange(k), (np.arange(k) + 1) % k] = 50 - right
        times += bool(weak_classes(ConfusionCounts(table)))
    assert times / 2000 < 0.05


def three(n=400, sure=1.0, seed=0):
    """Probabilities that are right as often as they say, raised to a power."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1.0, 1.0], n)
    y = np.array([rng.choice(3, p=row) for row in p])
    p = p**sure
    return p / p.sum(axis=1, keepdims=True), y


@pytest.mark.slow
@pytest.mark.parametrize(("sure", "verdict"), [(1.0, ""), (4.0, "overconfident"), (0.3, "underconfident")])
def test_confidence_is_what_is_called_against_what_happens(sure, verdict):
    p, y = three(sure=sure)
    result = adjudge.evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1, 2]))
    found = confidence_of(result.curves, result.counts)
    assert found.mean_probability == pytest.approx(p.max(axis=1).mean(), rel=1e-12)
    assert found.observed.value == pytest.approx(np.mean(p.argmax(axis=1) == y), rel=1e-12)
    assert found.verdict == verdict
    assert found.to_dict()["gap"] == pytest.approx(found.mean_probability - found.observed.value)


def test_without_probabilities_nothing_is_said_of_confidence():
    result = adjudge.evaluate(Predictions([0, 1, 1], [0, 1, 0]))
    assert confidence_of(result.curves, result.counts) is None
    assert skills(result.estimates, result.counts) == {}


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 1000), st.sampled_from([2, 3, 5]))
def test_skill_is_against_answering_the_class_shares(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, 60)]))
    p = rng.dirichlet(np.ones(k), y.size)
    result = adjudge.evaluate(Predictions(y, p.argmax(axis=1), p, classes=list(range(k))))
    shares = np.tile(np.bincount(y, minlength=k) / y.size, (y.size, 1))
    base = {"log_loss": log_loss(y, shares, labels=list(range(k)))}
    base["brier"] = brier_score_loss(y, shares[:, 1]) if k == 2 else np.mean(((shares - np.eye(k)[y]) ** 2).sum(axis=1))
    found = skills(result.estimates, result.counts)
    for name, loss in base.items():
        assert found[name] == pytest.approx(1 - result.estimates[name].value / loss, rel=1e-9)


def test_an_infinite_loss_and_a_single_class_have_no_skill():
    lost = adjudge.evaluate(Predictions([0, 1, 1, 0], [0, 1, 0, 0], [[1, 0], [0.2, 0.8], [1, 0], [0.7, 0.3]], classes=[0, 1]))
    assert set(skills(lost.estimates, lost.counts)) == {"brier"}
    single = adjudge.evaluate(Predictions([0, 0], [0, 1], [[0.9, 0.1], [0.2, 0.8]], classes=[0, 1]))
    assert skills(single.estimates, single.counts) == {}
