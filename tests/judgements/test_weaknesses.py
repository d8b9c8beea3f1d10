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
from adjudge.judgements.weaknesses import confidence_of, confusions_in_all, habit, largest_confusions, skills, worst_class

TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(TABLES)
def test_confusions_are_the_wrong_cells_the_largest_first(cells):
    counts = ConfusionCounts(cells)
    table = np.array(cells)
    wrong = {(i, j): n for (i, j), n in np.ndenumerate(table) if i != j and n}
    found = largest_confusions(counts, 1000)
    assert {(c.truth, c.decided): c.cases for c in found} == wrong
    assert confusions_in_all(counts) == len(wrong)
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


def test_a_habit_stands_out():
    assert habit(ConfusionCounts([[90, 5, 0], [0, 90, 1], [1, 1, 90]], "abc")).decided == "b"
    assert habit(ConfusionCounts([[90, 4, 0], [0, 90, 1], [1, 1, 90]], "abc")) is None  # four cases are no habit
    assert habit(ConfusionCounts([[90, 50], [0, 90]], "ab")) is None  # of two classes there is nothing to tell apart
    assert habit(ConfusionCounts(np.eye(3, dtype=int))) is None


@given(TABLES)
def test_the_worst_class_is_surely_below_the_mean(cells):
    counts, table = ConfusionCounts(cells), np.array(cells)
    seen = np.flatnonzero(table.sum(axis=1))
    found = worst_class(counts)
    if seen.size < 2:
        assert found is None
        return
    level = 1 - 0.05 / seen.size
    high = {int(i): binomtest(int(table[i, i]), int(table[i].sum())).proportion_ci(level, method="wilson").high for i in seen}
    mean = np.mean([table[i, i] / table[i].sum() for i in seen])
    if found is None:
        assert min(high.values()) >= mean - 1e-9
    else:
        assert high[found.of] == pytest.approx(min(high.values()))
        assert high[found.of] < mean + 1e-9
        assert found.value == table[found.of, found.of] / table[found.of].sum()


@pytest.mark.slow
def test_equal_classes_are_seldom_called_worst():
    rng, times, k = np.random.default_rng(1), 0, 20
    for _ in range(2000):
        right = rng.binomial(50, 0.8, k)
        table = np.diag(right)
        table[np.arange(k), (np.arange(k) + 1) % k] = 50 - right
        times += worst_class(ConfusionCounts(table)) is not None
    assert times / 2000 < 0.05


def three(n=400, sure=1.0, seed=0):
    """Probabilities that are right as often as they say, raised to a power."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1.0, 1.0], n)
    y = np.array([rng.choice(3, p=row) for row in p])
    p = p**sure
    return p / p.sum(axis=1, keepdims=True), y


@pytest.mark.parametrize(("sure", "verdict"), [(1.0, ""), (4.0, "overconfident"), (0.3, "underconfident")])
def test_confidence_is_what_is_called_against_what_happens(sure, verdict):
    p, y = three(sure=sure)
    result = adjudge.evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1, 2]))
    found = confidence_of(result.curves, result.counts)
    assert found.called == pytest.approx(p.max(axis=1).mean(), rel=1e-12)
    assert found.happened.value == pytest.approx(np.mean(p.argmax(axis=1) == y), rel=1e-12)
    assert found.verdict == verdict
    assert found.to_dict()["gap"] == pytest.approx(found.called - found.happened.value)


def test_without_probabilities_nothing_is_said_of_confidence():
    result = adjudge.evaluate(Predictions([0, 1, 1], [0, 1, 0]))
    assert confidence_of(result.curves, result.counts) is None
    assert skills(result.estimates, result.counts) == {}


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
