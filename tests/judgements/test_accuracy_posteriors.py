"""Posteriors of the accuracy, and whether decisions are above chance."""

from __future__ import annotations

import json
import math
from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_array
from scipy.stats import fisher_exact, hypergeom
from tests.conftest import ORACLES
from tests.described import facts, mentions, verdict

import adjudge
from adjudge import ConfusionCounts, InputError, Predictions, accuracy_posteriors, chance, confusion, evaluate, posterior
from adjudge.estimates.estimate import over_cases, over_folds
from adjudge.judgements.accuracy_posteriors import decided_margins, only_answer
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
    assert mentions(found.statement, "No sign of skill", "Fisher" if k == 2 else "permutation", "mid-P = 0.50")


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_constant_classifier_has_its_own_headline():
    result = evaluated(["a"] * 1000)
    first, rare, second, *_ = verdict(result)
    assert mentions(first, "Always predicts 'a'", "no sign of skill")
    assert facts(rare) == ["0", "1", "'b'", "0.0%", "95%", "0.0%", "95.0%"]  # (1 - p) / 2 = 2.5%
    assert second.startswith("Accuracy 99.90%")
    assert {"A204", "A207", "A511"}.isdisjoint(finding.code for finding in result.findings)  # A208 says it all
    (told,) = (finding for finding in result.findings if finding.code == "A208")
    assert "Always predicts 'a'" in told.message
    assert result.to_html().index("Always predicts &#39;a&#39;") < result.to_html().index("99.9%")
    assert result.chance.statement in result.in_words()
    assert result.chance.p_value == 0.5
    assert json.loads(json.dumps(result.to_dict()))["chance"]["p_value"] == 0.5


def test_one_answer_to_what_was_decided_is_constant_too():
    assert only_answer(ConfusionCounts([[5, 0, 2], [3, 0, 9]], ("a", "b"))) == "a"
    assert only_answer(ConfusionCounts([[5, 1], [3, 0]])) is None
    assert only_answer(confusion(list("aabb"), list("aaab"), weight=[1, 1, 1, 1e-6])) is None
    assert "A208" not in {finding.code for finding in evaluated(["a"] * 998 + ["b"] * 2).findings}


@pytest.mark.slow
def test_nearly_constant_is_no_sign_of_skill_either():
    result = evaluated(["a"] * 600 + ["b"] * 8 + ["a"] * 392, ("a",) * 550 + ("b",) * 450)
    assert any(line.startswith("No sign of skill (Fisher") for line in verdict(result)) != result.chance.significant
    biased = evaluated(["a"] * 990 + ["b"] * 10)
    assert "No sign of skill" not in evaluated(["a"] * 999 + ["b"]).in_words()  # the rare case was found
    assert biased.chance.p_value == pytest.approx(10 / 1000 / 1.4)


@pytest.mark.slow
def test_many_classes_have_the_statement_too():
    truth, predicted, _ = drawn(k=250, n=3000, skill=0.5)
    result = adjudge.evaluate(Predictions(truth, predicted))
    assert result.accuracy_posteriors is None
    assert any(mentions(line, "Above chance", "permutation mid-P < 0.001") for line in verdict(result))


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
    assert mentions(told.message, "P(balanced accuracy > 1/2)", "Brodersen")


CELLS = [
    (k, imbalance, size, decisions)
    for k in (2, 3, 6, 10, 25)
    for imbalance in (1, 20, 500)
    for size in (8, 150)  # cases a class on average
    for decisions in ("uniform", "biased")
]
MARGINS, TABLES = 4, 500
"""Of each cell: an alarm rate of .05 has a standard error of .0049, less than a third of the .02 tolerated above it."""


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


CASES = [c for c in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8")) if c["quantity"] == "naive_accuracy"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_two_standard_errors_over_cases(case):
    i, expected = case["inputs"], case["expected"]
    found = accuracy_posteriors(ConfusionCounts([[i["tp"], i["fn"]], [i["fp"], i["tn"]]]), prior="flat")
    bar = found.conventional
    assert bar.value == pytest.approx(float(expected["accuracy"]), rel=1e-13)
    assert bar.error == pytest.approx(float(expected["sem_test_cases"]), rel=1e-13)
    assert (bar.low, bar.high) == pytest.approx([float(v) for v in expected["two_sem_interval"]], rel=1e-13)
    assert found.average_balanced_accuracy == pytest.approx(float(expected["balanced_accuracy"]), rel=1e-13)


@pytest.mark.slow
@given(arrays(np.int64, (3, 3), elements=st.integers(0, 50)).filter(lambda t: t.sum(axis=1).all()))
def test_the_average_balanced_accuracy_is_the_mean_of_the_modes(table):
    found = accuracy_posteriors(ConfusionCounts(table), prior="flat")
    modes = [Mode(table[i, i], table[i].sum()).value for i in range(3)]
    assert found.average_balanced_accuracy == pytest.approx(np.mean(modes), rel=1e-12)


class Mode:
    """The mode of Beta(x + 1, n - x + 1), sought on a grid that holds it."""

    def __init__(self, x, n):
        grid = np.arange(0, n + 1) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            left, right = (np.where(k == 0, 0.0, k * np.log(g)) for k, g in ((x, grid), (n - x, 1 - grid)))
        self.value = grid[np.argmax(left + right)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=2, max_size=12))
def test_two_standard_errors_over_folds(folds):
    tables = [ConfusionCounts([[right, wrong], [0, 0]]) for right, wrong in folds]
    each = np.array([right / (right + wrong) for right, wrong in folds])
    found = over_folds(tables)
    assert found.value == pytest.approx(each.mean())
    assert found.error == pytest.approx(math.sqrt(((each - each.mean()) ** 2).sum() / (each.size - 1) / each.size), abs=1e-12)
    assert found.over == f"{len(folds)} folds"


def test_a_perfect_record_leaves_the_bar_no_width_but_the_posterior_some():
    found = accuracy_posteriors(ConfusionCounts([[30, 0], [0, 20]]))
    assert found.conventional.error == 0
    assert found.posteriors["accuracy"].interval().low < 0.97


def test_one_classifier_or_summed_folds_are_named():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    predicted, fold = np.where(rng.random(200) < 0.8, truth, 1 - truth), np.arange(200) % 10
    one, many = evaluate(Predictions(truth, predicted)), evaluate(Predictions(truth, predicted, fold=fold))
    assert one.accuracy_posteriors.tested == "one classifier, 200 cases"
    assert mentions(many.accuracy_posteriors.tested, "an algorithm", "10 folds", "200 cases")
    assert many.accuracy_posteriors.conventional.over == "10 folds"
    assert one.accuracy_posteriors.conventional == over_cases(confusion(truth, predicted))
    assert one.posteriors["accuracy"].mean == many.posteriors["accuracy"].mean


def test_right_often_but_not_on_average_over_the_classes():
    found = accuracy_posteriors(ConfusionCounts([[40, 5], [8, 2]]), prior="flat")
    assert [finding.code for finding in found.findings] == ["A502"]
    distribution = hypergeom(55, 45, 48)
    assert found.chance.p_value == pytest.approx(distribution.sf(40) + distribution.pmf(40) / 2, rel=1e-12)
    assert found.chance_level == 0.5
    assert not accuracy_posteriors(ConfusionCounts([[40, 5], [2, 8]]), prior="flat").findings


def test_the_posteriors_are_plain_data():
    told = accuracy_posteriors(ConfusionCounts([[69, 1], [1, 69]])).to_dict()
    assert told["conventional"]["high"] > 1
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_no_case_is_refused():
    with pytest.raises(InputError, match="counts no case"):
        accuracy_posteriors(ConfusionCounts([[0, 0], [0, 0]]))


def test_weighted_cases_are_told_as_what_they_are_worth():
    found = accuracy_posteriors(confusion([0, 1] * 3, [0, 1, 1, 1, 0, 0], weight=[1000.0, 1, 1, 1, 1, 1]))
    assert mentions(found.tested, "one classifier", "weighted", "1.0")


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy"])
def test_posterior_and_report_share_their_default_prior(name):
    counts = ConfusionCounts([[40, 5, 1], [8, 2, 0], [0, 3, 9]])
    alone, reported = posterior(counts, name), evaluate(counts).posteriors[name]
    assert alone.interval() == reported.interval() == posterior(counts, name, prior="jeffreys").interval()
    assert posterior([counts.cells] * 2, name).interval()[0] == pytest.approx(alone.interval().low, rel=1e-12)


def test_the_level_is_checked_and_reaches_the_summary():
    told = accuracy_posteriors([[40, 5], [8, 2]], level=0.5).to_dict()["posteriors"]["accuracy"]["credible_interval"]
    assert told["level"] == 0.5
    assert told["high"] - told["low"] < 0.1
    with pytest.raises(InputError, match="level must be a number"):
        accuracy_posteriors([[40, 5], [8, 2]], level=95)
