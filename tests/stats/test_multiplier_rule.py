"""What rescaling does to rows, against the formulas and the ends that theory names."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax
from tests.conftest import ORACLES

from adjudge.stats.multiplier_rule import Rescaling, missed, softmax, squared_loss, winners

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))


def drawn(seed, k=3, n=30):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(k, 0.7), n), rng.integers(0, k, n), rng


def test_softmax_flattens_two_classes_to_the_known_range():
    case = next(case for case in CASES if case["quantity"] == "softmax_flattening")
    found = Rescaling("softmax", np.ones((1, 2)), 1).apply(np.array([[1.0, 0.0], [0.0, 1.0]]))[:, 0]
    assert found[::-1] == pytest.approx([float(case["expected"][end]) for end in ("lower", "upper")], rel=1e-14, abs=1e-15)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.floats(-50, 900))
def test_softmax_agrees_with_scipy(seed, factor):
    values = drawn(seed)[0] * factor
    assert softmax(values) == pytest.approx(scipy_softmax(values, axis=1), rel=1e-13, abs=1e-300)


@given(st.integers(0, 10_000), st.integers(0, 2))
def test_the_linear_form_is_its_formula(seed, majority):
    p, _, rng = drawn(seed)
    multipliers = rng.normal(1, 0.7, 3)
    rule = Rescaling("linear", multipliers[None], majority)
    found = rule._model(rule.decision_values(p))
    wanted = p * multipliers
    wanted[:, majority] = 1 - np.delete(wanted, majority, axis=1).sum(axis=1)
    assert found == pytest.approx(wanted, abs=1e-14)


@given(st.integers(0, 10_000), st.integers(0, 2), st.sampled_from(["linear", "shares", "softmax"]))
def test_applied_rows_are_probabilities_and_decide_alike(seed, majority, way):
    p, y, rng = drawn(seed)
    multipliers = rng.normal(1, 1, 3) if way == "linear" else rng.exponential(2, 3)
    rule = Rescaling(way, multipliers[None], majority)
    found = rule.apply(p)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-14)
    ordered = np.sort(found, axis=1)
    clear = ordered[:, -1] > ordered[:, -2] + 1e-12
    assert (rule.predict(p) == found.argmax(axis=1))[clear].all()
    assert rule.outcome(p, y).errors == np.count_nonzero(rule.predict(p) != y)


@pytest.mark.parametrize("way", ["linear", "shares"])
def test_ones_change_no_bit(way):
    p = drawn(3, n=500)[0]
    assert (Rescaling("linear", np.ones((1, 3)), 1).apply(p) == p).all()
    assert (Rescaling(way, np.ones((1, 3)), 1).predict(p) == p.argmax(axis=1)).all()


@pytest.mark.parametrize("way", ["linear", "shares", "softmax"])
def test_zeros_leave_the_majority(way):
    p = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
    multipliers = np.array([[0.0, 1.0, 0.0]])
    rule = Rescaling(way, multipliers, 1)
    assert rule.predict(p).tolist() == [1, 1, 1]
    if way != "softmax":
        assert rule.apply(p)[:, 1].tolist() == [1, 1, 1]


def test_negative_values_are_raised_and_counted():
    p = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    rule = Rescaling("linear", np.array([[1.5, 1.0, 1.0]]), 2)
    assert rule._model(rule.decision_values(p))[0] == pytest.approx([1.2, 0.1, -0.3])
    assert rule.apply(p)[0] == pytest.approx([1.2 / 1.3, 0.1 / 1.3, 0])
    assert rule.outcome(p, np.array([0, 2])).negative.tolist() == [0, 0, 1]


def test_ties_go_to_the_majority_then_to_the_first():
    values = np.array([[0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [0.2, 0.4, 0.4], [0.3, 0.3, 0.3], [0.5, 0.4, 0.1]])
    assert winners(values, 2).tolist() == [0, 2, 2, 2, 0]
    assert winners(values, 0).tolist() == [0, 0, 1, 0, 0]


@given(st.integers(0, 10_000))
def test_the_loss_is_the_sum_over_classes(seed):
    p, y, rng = drawn(seed)
    weight = rng.random(y.size)
    wanted = sum(w * ((np.eye(3)[own] - row) ** 2).sum() for row, own, w in zip(p, y, weight, strict=True))
    assert squared_loss(p, y, weight) == pytest.approx(wanted, rel=1e-12)
    assert Rescaling("linear", np.ones((1, 3)), 0).outcome(p, y, weight).loss == pytest.approx(wanted, rel=1e-12)


def test_rounds_follow_one_another():
    p, _, rng = drawn(8)
    first, second = rng.exponential(3, (2, 3))
    once = scipy_softmax(p * first, axis=1)
    found = Rescaling("softmax", np.array([first, second]), 0).apply(p)
    assert found == pytest.approx(scipy_softmax(once * second, axis=1), abs=1e-14)


@given(st.integers(0, 10_000), st.integers(2, 20), st.integers(0, 19), st.sampled_from([2, 11, 0]))
def test_winners_and_misses_agree_with_python_for_few_and_many_classes(seed, k, majority, votes):
    p, y, _ = drawn(seed, k)
    values, majority = np.floor(p * votes) if votes else p, majority % k
    order = [majority, *(at for at in range(k) if at != majority)]
    wanted = [max(order, key=lambda at, row=row: (row[at], -order.index(at))) for row in values]
    for laid in (values, np.asfortranarray(values)):
        assert winners(laid, majority).tolist() == wanted
        assert missed(laid, y, majority).tolist() == (np.array(wanted) != y).tolist()


def test_a_known_loss_is_passed_on():
    p, y, _ = drawn(5)
    rule = Rescaling("linear", np.array([[1.5, 1.0, -0.2]]), 1)
    plain, known = rule.outcome(p, y), rule.outcome(p, y, loss=7.0)
    assert known.loss == 7
    assert (known.errors, known.negative.tolist()) == (plain.errors, plain.negative.tolist())
