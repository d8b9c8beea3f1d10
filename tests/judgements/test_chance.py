"""Above chance, or no sign of skill: what the public verb says, and how often it is wrong."""

from __future__ import annotations

import json
from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_array
from scipy.stats import fisher_exact, hypergeom

import adjudge
from adjudge import ConfusionCounts, InputError, Predictions, chance, confusion
from adjudge.judgements.chance import decided_margins, only_answer
from adjudge.stats.permutation import null_distribution, p_values


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_two_classes_are_fishers_test(cells):
    (a, b), (c, d) = table = [cells[:2], cells[2:]]
    found = chance(ConfusionCounts(table))
    if min(a + b, c + d, a + c, b + d) == 0:
        assert found.p_value == 0.5
        return
    exact = fisher_exact(table, alternative="greater").pvalue
    mid = exact - hypergeom.pmf(a, a + b + c + d, a + b, a + c) / 2
    assert found.p_value == pytest.approx(max(mid, min(exact / 1.4, 0.1)), rel=1e-9)
    assert found.significant == (found.p_value <= 0.05)


@pytest.mark.parametrize("k", [2, 3, 10, 300])
@pytest.mark.parametrize("cases", [1, 100, 10**7])
def test_one_answer_is_no_sign_of_skill(k, cases):
    cells = np.zeros((k, k), dtype=int)
    cells[:, 1] = cases
    found = chance(ConfusionCounts(cells))
    assert (found.p_value, found.significant) == (0.5, False)
    assert found.statement == f"No sign of skill ({'Fisher' if k == 2 else 'permutation'} mid-P = 0.50)"


def test_what_was_called_sure():
    assert chance(ConfusionCounts([[1000, 0], [1, 0]])).p_value == 0.5
    ten = np.zeros((10, 10), dtype=int)
    ten[:, 3] = 100
    assert chance(ConfusionCounts(ten)).p_value == 0.5
    assert chance(ConfusionCounts(np.diag([100] * 10))).p_value < 1e-6
    assert chance(ConfusionCounts([[10**9, 2], [1, 10**9]])).significant


def drawn(k=4, n=120, seed=3, skill=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < skill, truth, rng.integers(0, k, n)), rng


def test_neither_the_order_of_classes_nor_a_class_unheard_of_matters():
    truth, predicted, _ = drawn()
    cells = confusion(truth, predicted).cells
    one = chance(ConfusionCounts(cells)).p_value
    order = [2, 0, 3, 1]
    assert chance(ConfusionCounts(cells[np.ix_(order, order)])).p_value == pytest.approx(one, rel=1e-9)
    assert chance(ConfusionCounts(np.pad(cells, ((0, 1), (0, 1))))).p_value == pytest.approx(one, rel=1e-9)
    sparse = coo_array(np.pad(cells, ((0, 1500), (0, 1500))))
    assert chance(ConfusionCounts(sparse)).p_value == pytest.approx(one, rel=1e-9)


@given(arrays(np.int64, (3, 4), elements=st.integers(0, 9)))
def test_rejected_cases_are_left_out(cells):
    without = ConfusionCounts(cells[:, :3])
    assert chance(ConfusionCounts(cells)).p_value == pytest.approx(chance(without).p_value, rel=1e-9)


def test_equal_weights_are_counts_and_unequal_ones_are_worth_less():
    truth, predicted, rng = drawn()
    plain = chance(confusion(truth, predicted))
    for weight in (0.3, 1, 1e6):
        assert chance(confusion(truth, predicted, weight=np.full(truth.size, weight))).p_value == pytest.approx(plain.p_value)
    heavy = confusion(truth, predicted, weight=rng.pareto(1.5, truth.size) + 0.1)
    rows, columns, _ = decided_margins(heavy)
    assert rows.sum() == columns.sum() < truth.size
    assert rows == pytest.approx(heavy.effective_support, abs=0.5)
    assert 0 < chance(heavy).p_value < 1


@given(arrays(np.float64, 12, elements=st.floats(0.1, 50)), st.integers(0, 2**12 - 1))
def test_weights_never_break_it(weight, wrong):
    truth = np.arange(12) % 2
    found = chance(confusion(truth, np.where([(wrong >> i) & 1 for i in range(12)], 1 - truth, truth), weight=weight))
    assert 0 <= found.p_value <= 1
    assert found.significant == (found.p_value <= found.alpha)


def test_tables_without_a_question():
    for table in ([[5]], [[0, 0], [0, 0]], [[7, 3], [0, 0]], [[0, 0, 5], [0, 0, 5]]):
        found = chance(ConfusionCounts(table))
        assert (found.p_value, found.significant) == (0.5, False)
        assert only_answer(ConfusionCounts(table)) is None
        assert found.statement.startswith("Chance cannot be tested") is bool(np.count_nonzero(np.sum(table, axis=1)) < 2)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        chance(ConfusionCounts([[5, 1], [1, 5]]), alpha=5)
    with pytest.raises(InputError, match="rng must be"):
        chance(ConfusionCounts([[5, 1], [1, 5]]), rng="x")


def evaluated(predicted, truth=("a",) * 999 + ("b",)):
    return adjudge.evaluate(Predictions(list(truth), list(predicted)))


def test_a_constant_classifier_has_its_own_headline():
    result = evaluated(["a"] * 1000)
    first, rare, second, *_ = result.in_words().splitlines()
    assert first == "Always predicts 'a'; no sign of skill."
    assert rare == "Finds 0 of 1 cases of class 'b' (0.0%)."
    assert second.startswith("Accuracy 99.90%")
    assert {"A204", "A207", "A511"}.isdisjoint(finding.code for finding in result.findings)  # A208 says it all
    (told,) = (finding for finding in result.findings if finding.code == "A208")
    assert "Always predicts 'a'" in told.message
    assert result.to_html().index("Always predicts &#39;a&#39;; no sign of skill.") < result.to_html().index("99.9%")
    assert "No sign of skill (Fisher mid-P = 0.50)" in result.in_words()
    assert result.chance.p_value == 0.5
    assert json.loads(json.dumps(result.to_dict()))["chance"]["p_value"] == 0.5


def test_one_answer_to_what_was_decided_is_constant_too():
    assert only_answer(ConfusionCounts([[5, 0, 2], [3, 0, 9]], ("a", "b"))) == "a"
    assert only_answer(ConfusionCounts([[5, 1], [3, 0]])) is None
    assert only_answer(confusion(list("aabb"), list("aaab"), weight=[1, 1, 1, 1e-6])) is None
    assert "A208" not in {finding.code for finding in evaluated(["a"] * 998 + ["b"] * 2).findings}


def test_nearly_constant_is_no_sign_of_skill_either():
    result = evaluated(["a"] * 600 + ["b"] * 8 + ["a"] * 392, ("a",) * 550 + ("b",) * 450)
    assert any(line.startswith("No sign of skill (Fisher mid-P = 0.") for line in result.in_words().splitlines()) != (
        result.chance.significant
    )
    biased = evaluated(["a"] * 990 + ["b"] * 10)
    assert "No sign of skill" not in evaluated(["a"] * 999 + ["b"]).in_words()  # the rare case was found
    assert biased.chance.p_value == pytest.approx(10 / 1000 / 1.4)


def test_many_classes_have_the_statement_too():
    truth, predicted, _ = drawn(k=250, n=3000, skill=0.5)
    result = adjudge.evaluate(Predictions(truth, predicted))
    assert result.accuracy_posteriors is None
    assert "Above chance (permutation mid-P < 0.001)" in result.in_words()


@pytest.mark.parametrize(
    ("cells", "state"),
    [([[90, 10], [10, 90]], "passes"), ([[100, 0], [100, 0]], "inconclusive"), ([[10, 90], [90, 10]], "fails")],
)
def test_the_gate_rests_on_the_test(cells, state):
    gate = adjudge.gate(ConfusionCounts(cells), "above chance")
    assert gate.state == state
    assert "mid-P" in gate.in_words()


def test_the_posterior_says_when_its_prior_decides():
    def codes(cells):
        return [finding.code for finding in adjudge.posterior(ConfusionCounts(cells), prior="jeffreys").findings]

    assert codes([[100, 0], [100, 0]]) == codes([[90, 10], [3, 2]]) == ["A511"]
    assert codes([[90, 10], [30, 20]]) == []
    (told,) = adjudge.posterior(ConfusionCounts([[90, 10], [3, 2]]), prior="jeffreys").findings
    assert "Posterior P(balanced accuracy > 1/2) (Brodersen et al. 2010)" in told.message


# -- how often decisions without skill are called above chance ---------------------------------------------------

CELLS = [
    (k, imbalance, size, decisions)
    for k in (2, 3, 6, 10, 25)
    for imbalance in (1, 20, 500)
    for size in (8, 150)  # cases a class on average
    for decisions in ("uniform", "biased")
]
MARGINS, TABLES = 16, 250


def sizes_of(k, imbalance, size):
    shares = np.geomspace(imbalance, 1, k)
    return np.maximum(1, np.round(shares / shares.sum() * size * k)).astype(int)


def shares_of(k, decisions):
    """How often each class is predicted, whatever the case: evenly, or nearly always the first."""
    return np.full(k, 1 / k) if decisions == "uniform" else np.append([0.9], np.full(k - 1, 0.1 / (k - 1)))


def false_alarms(cell, number):
    k, imbalance, size, decisions = cell
    n, rng, alarms = sizes_of(k, imbalance, size), np.random.default_rng([5, number]), []
    truth = np.repeat(np.arange(k), n)
    for turn in range(MARGINS):
        predicted = rng.choice(k, truth.size, p=shares_of(k, decisions))
        tables = rng.permuted(np.tile(predicted.astype(np.int16), (TABLES, 1)), axis=1)
        sums = (tables == truth) @ (1 / n)[truth]
        null = null_distribution(n, np.bincount(predicted, minlength=k))
        order = np.argsort(sums)
        first = bisect_left(sums[order], True, key=lambda t, null=null: bool(p_values(null, t) <= 0.05))  # p falls with the sum
        alarms.append(1 - first / TABLES)
        if turn == 0:
            at = order[-TABLES // 20]
            same = chance(confusion(truth, tables[at].astype(int), classes=range(k)))
            assert same.p_value == pytest.approx(float(p_values(null, sums[at])), rel=1e-6)
    return float(np.mean(alarms))


@pytest.mark.slow
def test_decisions_without_skill_are_rarely_called_above_chance():
    found = {cell: false_alarms(cell, number) for number, cell in enumerate(CELLS)}
    assert np.mean(list(found.values())) <= 0.05
    assert max(found.values()) <= 0.07, sorted(found.items(), key=lambda item: -item[1])[:5]
